"""ElementwiseKernel: NumPy is the oracle, CuPy's documentation the rule book."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.errors import CompileError, HostArrayError, UnsupportedDTypeError
from gpuarray.kernels.generator import user_code
from tests.slow import slow_off_axes

ADD = cp.ElementwiseKernel("T x, T y", "T z", "z = x + y", "add_up")
NUMBERED = cp.ElementwiseKernel("T x, T y", "T z", "z = x + y + T(i)", "numbered")


def views(dtype):
    """A matrix of 6 by 8 in every layout that has a way of its own through the kernels."""
    base = (np.arange(48 * 4) % 97).astype(dtype)
    return {
        "contiguous": base[:48].reshape(6, 8),
        "transposed": base[:48].reshape(8, 6).T,
        "negative": base[:48].reshape(6, 8)[::-1, ::-1],
        "stepped": base[:192].reshape(12, 16)[::2, ::2],
        "row": base[:8],
        "column": base[:6].reshape(6, 1),
        "one": base[1:2],
        "0-d": base[3:4].reshape(()),
        "odd offset": base[3:51].reshape(6, 8),
    }


def up(host):
    """The same view of device memory."""
    base = host if host.base is None else host.base
    while base.base is not None:
        base = base.base
    start = host.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    whole = cp.asarray(base)
    memory = cp.cuda.MemoryPointer(whole.data.mem, start)
    return cp.ndarray(host.shape, host.dtype, memory, host.strides)


@pytest.mark.parametrize(("kind", "dtype"), slow_off_axes(list(views("f")), ["f4", "i1", "f8"]))
def test_layouts(kind, dtype):
    x, y = views(dtype)[kind], views(dtype)["contiguous"]
    np.testing.assert_array_equal(cp.asnumpy(ADD(up(x), up(y))), x + y)
    if dtype != "i1":
        expected = x + y + np.arange(48).reshape(6, 8).astype(dtype)
        np.testing.assert_array_equal(cp.asnumpy(NUMBERED(up(x), up(y))), expected)


@pytest.mark.parametrize("dtype", "?bBhHiIlLqQefdFD")
def test_dtypes(dtype):
    x = (np.arange(37) % 5).astype(dtype)
    found = cp.ElementwiseKernel("T x", "T y", "y = x", "copy_it")(cp.asarray(x))
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(cp.asnumpy(found), x)


def test_tiles_and_long_rows():
    x = np.arange(70 * 90, dtype="f").reshape(70, 90)
    y = np.arange(70 * 90, dtype="f").reshape(90, 70).T
    np.testing.assert_array_equal(cp.asnumpy(ADD(up(x), up(y))), x + y)
    wide = np.arange(7 * 300, dtype="f").reshape(7, 300)
    found = ADD(cp.asarray(wide)[:, 1:290], cp.asarray(wide)[:, 5:294])
    np.testing.assert_array_equal(cp.asnumpy(found), wide[:, 1:290] + wide[:, 5:294])


def test_float16_and_complex_as_cupy_spells_them():
    half = cp.ElementwiseKernel(
        "float16 x, float16 y", "float16 z",
        "float16 t = x; t += y * 2; z = isnan(t) ? float16(0) : max(t, float16(1));", "half",
    )  # fmt: skip
    x = np.array([-3, 0.5, 7, np.nan], "e")
    expected = np.array([1, 1.5, 21, 0], "e")
    np.testing.assert_array_equal(cp.asnumpy(half(cp.asarray(x), cp.asarray(x))), expected)
    both = cp.ElementwiseKernel(
        "complex64 z, T s", "complex64 w, float32 m",
        "complex<float> t(z.real(), -z.imag()); w = conj(t) * s + 1; w /= 2.0f;"
        "m = abs(z) + norm(z); thrust::complex<float> u = exp(z); if (u == u) w -= u;", "both",
    )  # fmt: skip
    z = (np.arange(5) - 2j).astype("F")
    w, m = both(cp.asarray(z), 3.0)
    np.testing.assert_allclose(cp.asnumpy(w), (z * 3 + 1) / 2 - np.exp(z), rtol=2e-6)
    np.testing.assert_allclose(cp.asnumpy(m), abs(z) + abs(z) ** 2, rtol=2e-6)


def test_raw_arrays():
    x = np.arange(12, dtype="f").reshape(3, 4)
    flat = cp.ElementwiseKernel("raw T x", "T y", "y = x[i] + x.size() + x.ndim", "flat")
    for view in (x, x.T, x[::-1, ::2]):
        found = flat(up(view), size=view.size)
        np.testing.assert_array_equal(cp.asnumpy(found), view.ravel() + view.size + 2)
    at = cp.ElementwiseKernel(
        "raw T x, int32 r, int64 c", "T y",
        "ptrdiff_t where[] = {r, c}; int again[] = {(int)r, (int)c};"
        "y = x[where] + x[again] + x(r, c) + x.shape()[1] + x.strides()[0]", "at",
    )  # fmt: skip
    r, c = np.array([0, 2, 1], "i"), np.array([3, 0, 1])
    for view in (x, np.asfortranarray(x)):
        found = at(up(view), cp.asarray(r), cp.asarray(c))
        expected = 3 * view[r, c] + view.shape[1] + view.strides[0]
        np.testing.assert_array_equal(cp.asnumpy(found), expected)


def test_the_loop():
    x = cp.arange(6, dtype="f")
    reverse = cp.ElementwiseKernel(
        "T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1] + y[n - 1]", "reverse"
    )
    np.testing.assert_array_equal(cp.asnumpy(reverse(x, x)), np.full(6, 10))
    where = cp.ElementwiseKernel(
        "T x", "int64 r, int64 c", "r = _ind.get()[0]; c = _ind.get()[1]", "where", False
    )
    r, c = where(cp.zeros((2, 3)))
    np.testing.assert_array_equal([cp.asnumpy(r), cp.asnumpy(c)], np.indices((2, 3)))
    skip = cp.ElementwiseKernel("T x", "T y", "y = x; if (x > 2) continue; y = -x;", "skip")
    np.testing.assert_array_equal(cp.asnumpy(skip(x)), [0, -1, -2, 3, 4, 5])
    leave = cp.ElementwiseKernel("T x", "T y", "if (x > 2) return; y = -x", "leave")
    np.testing.assert_array_equal(cp.asnumpy(leave(x, cp.ones(6, "f"))), [0, -1, -2, 1, 1, 1])


def test_code_does_not_run_beyond_the_end():
    # Zero would go round for ever.
    collatz = cp.ElementwiseKernel(
        "int32 x", "int32 steps",
        "int k = 0; long long v = x;"
        "while (v != 1) { v = v % 2 ? 3 * v + 1 : v / 2; ++k; } steps = k",
        "collatz",
    )  # fmt: skip
    np.testing.assert_array_equal(
        cp.asnumpy(collatz(cp.arange(1, 8, dtype="i"))), [0, 1, 7, 2, 5, 8, 16]
    )
    count = cp.ElementwiseKernel(
        "T x, raw int32 total", "T y", "y = x; atomicAdd(&total[0], 1)", "count"
    )
    # CuPy's rule: inputs are constant, so what is written is declared an output.
    with pytest.raises(CompileError):
        count(cp.ones(5), cp.zeros(1, "i"))
    count = cp.ElementwiseKernel(
        "T x", "raw int32 total, T y", "y = x; atomicAdd(&total[0], 1)", "count"
    )
    total = cp.zeros(1, "i")
    count(cp.ones(5), total, cp.empty(5))
    assert int(total[0]) == 5


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8"])
def test_atomic_addition(dtype):
    add = cp.ElementwiseKernel("int32 at, T x", "raw T sums", "atomicAdd(&sums[at], x)", "scatter")
    at = np.arange(40, dtype="i") % 3
    sums = cp.zeros(3, dtype)
    assert add(cp.asarray(at), cp.ones(40, dtype), sums) is sums
    np.testing.assert_array_equal(cp.asnumpy(sums), np.bincount(at))


def test_outputs():
    x = cp.arange(4, dtype="f")
    out = cp.zeros(4, "f")
    assert ADD(x, x, out) is out
    keep = cp.ElementwiseKernel("T x", "T y", "if (x > 1) y = x", "keep")
    out = cp.full(4, 9, "f")
    np.testing.assert_array_equal(cp.asnumpy(keep(x, out)), [9, 9, 2, 3])
    more = cp.ElementwiseKernel("T x", "T y", "y += x", "more")
    np.testing.assert_array_equal(cp.asnumpy(more(x, out)), [9, 10, 4, 6])
    assert ADD(x, x, x) is x  # in place
    np.testing.assert_array_equal(cp.asnumpy(x), [0, 2, 4, 6])
    two = cp.ElementwiseKernel("T x", "T y, bool z", "y = x + 1; z = x > 2", "two")
    _, z = two(x)
    assert z.dtype == bool
    np.testing.assert_array_equal(cp.asnumpy(z), [False, False, True, True])
    silent = cp.ElementwiseKernel("T x", "T y", "y = x", "silent", no_return=True)
    assert silent(x) is None
    assert silent(x, out) is None
    np.testing.assert_array_equal(cp.asnumpy(out), cp.asnumpy(x))
    one = cp.ElementwiseKernel("T x", "T y", "y = x", "one", return_tuple=True)
    assert isinstance(one(x), tuple)
    assert ADD(cp.ones((0, 3)), 1.0).shape == (0, 3)


def test_numbers():
    x = cp.arange(3, dtype="i1")
    assert ADD(x, 2).dtype == np.int8
    np.testing.assert_array_equal(cp.asnumpy(ADD(x, np.float64(1))), [1, 2, 3])
    for _ in range(2):  # with a plan and without
        np.testing.assert_array_equal(cp.asnumpy(ADD(cp.ones(2, "e"), 0.5)), [1.5, 1.5])
        np.testing.assert_array_equal(cp.asnumpy(ADD(cp.ones(2, "F"), 1j)), [1 + 1j, 1 + 1j])
    mixed = cp.ElementwiseKernel("raw T x, U s, V t", "U y, V z", "y = s; z = t", "mixed")
    y, z = mixed(x, 1.5, np.int16(3), size=2)
    assert (y.dtype, z.dtype) == (np.float64, np.int16)


@pytest.mark.parametrize(
    "dtype, number, error",
    [
        ("i1", 2.9, TypeError), ("i1", 257, OverflowError), ("i4", 2**40, OverflowError),
        ("i4", np.int64(2**40), OverflowError), ("u1", -1, OverflowError),
        ("u1", np.int8(-1), OverflowError), ("u8", -1, OverflowError), ("i8", 2**63, OverflowError),
        ("f4", 1j, TypeError), ("f8", np.complex64(1), TypeError), ("f4", 10**400, OverflowError),
        ("e", 10**400, OverflowError), ("F", 10**400, OverflowError), ("i4", 1e10, OverflowError),
        ("i4", float("nan"), TypeError), ("?", 0.5, TypeError),
    ],
)  # fmt: skip
@pytest.mark.parametrize("declared", ["T x, T y", "T x, {} y"])
def test_numbers_that_do_not_fit(dtype, number, error, declared):
    name = np.dtype(dtype).name
    kernel = cp.ElementwiseKernel(declared.format(name), "T z", "z = x + y", "add_up")
    reduction = cp.ReductionKernel(
        declared.format(name), "T z", "x + y", "a + b", "z = a", "0", "add_all"
    )
    x = cp.ones(3, dtype)
    for call in (kernel, reduction):
        call(x, True)  # fills the table of plans
        for _ in range(2):
            with pytest.raises(error, match=f"{call.name}: .* y, which is {name}"):
                call(x, number)


def test_preamble_options_and_the_loop_around():
    kernel = cp.ElementwiseKernel(
        "T x", "T y", "y = twice(x) + SHIFT + k", "around", preamble=(
            "template <class A> __device__ A twice(A x) { return x + x; }"),
        options=("-DSHIFT=5", "--std=c++11"), loop_prep="T k = 100", after_loop="k = 0",
    )  # fmt: skip
    np.testing.assert_array_equal(cp.asnumpy(kernel(cp.arange(3.0))), [105, 107, 109])
    x = cp.arange(1000, dtype="f")
    thread = cp.ElementwiseKernel("T x", "int32 t", "t = threadIdx.x", "thread")
    np.testing.assert_array_equal(cp.asnumpy(thread(x, block_size=64)), np.arange(1000) % 64)
    stream = cp.cuda.Stream(non_blocking=True)
    found = ADD(x, x, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(cp.asnumpy(found), 2 * np.arange(1000))


def test_attributes():
    kernel = cp.ElementwiseKernel(
        "T x, raw float32 t", "T y", "y = x", "named", doc="What it does."
    )
    assert (kernel.nin, kernel.nout, kernel.nargs, kernel.name) == (2, 1, 3, "named")
    assert [p.name for p in kernel.params] == ["x", "t", "y"]
    assert kernel.in_params[1].raw
    assert kernel.in_params[1].dtype == np.float32
    assert [p.is_const for p in kernel.params] == [True, True, False]
    assert kernel.__doc__ == "What it does."
    assert "named" in repr(kernel)


@pytest.mark.parametrize(
    "ins, outs, options, error, words",
    [
        ("float32", "T y", {}, ValueError, "a type and a name"),
        ("hot T x", "T y", {}, ValueError, "unknown keyword 'hot'"),
        ("T x", "T x", {}, ValueError, "two parameters"),
        ("T i", "T y", {}, ValueError, "cannot be called 'i'"),
        ("T _ind", "T y", {}, ValueError, "reserved"),
        ("float31 x", "T y", {}, TypeError, "no dtype"),
        ("object x", "T y", {}, UnsupportedDTypeError, "object"),
        ("T x", "T y", {"name": "two words"}, ValueError, "Invalid kernel name"),
        ("T x", "T y", {"option": ()}, TypeError, "unexpected keyword"),
        ("T x", "T y", {"options": "-O"}, TypeError, "tuple of strings"),
    ],
)  # fmt: skip
def test_bad_declarations(ins, outs, options, error, words):
    with pytest.raises(error, match=words):
        cp.ElementwiseKernel(ins, outs, "y = x", **options)


def test_bad_calls():
    x, d = cp.ones(3, "f"), cp.ones(3)
    typed = cp.ElementwiseKernel("float32 x", "float32 y", "y = x", "typed")
    for call, error, words in (
        (lambda: ADD(x), TypeError, "takes 2, or 3 with outputs, but 1"),
        (lambda: ADD(x, d), TypeError, "one type T, but float32 and float64"),
        (lambda: typed(d), TypeError, "declares float32 x.*float64"),
        (lambda: ADD(x, cp.ones(4, "f")), ValueError, "broadcast"),
        (lambda: ADD(x, x, cp.ones(4, "f")), ValueError, "broadcast"),
        (lambda: ADD(x[:1], x[:1], x), ValueError, "Out shape|broadcast"),
        (lambda: ADD(x, x, np.ones(3, "f")), HostArrayError, "output z"),
        (lambda: ADD(x, np.ones(3, "f")), HostArrayError, "asarray"),
        (lambda: ADD(x, "a"), TypeError, "str"),
        (lambda: ADD(1, 2), ValueError, "Loop size is undefined"),
        (lambda: ADD(x, x, size=3), ValueError, "'raw'"),
        (lambda: ADD(x, x, block_size=0), ValueError, "block_size"),
        (lambda: ADD(x, x, sise=3), TypeError, "sise"),
        (lambda: ADD(x, x, stream=5), TypeError, "stream"),
        (lambda: ADD(x, x, cp.broadcast_to(x[:1], (3,))), ValueError, "read-only"),
    ):
        if words == "Out shape|broadcast":
            # Outputs take part in broadcasting, as in CuPy.
            np.testing.assert_array_equal(cp.asnumpy(call()), [2, 2, 2])
            continue
        with pytest.raises(error, match=words):
            call()
    unknown = cp.ElementwiseKernel("float32 x", "T y", "y = x", "unknown")
    with pytest.raises(TypeError, match="the type T of the output"):
        unknown(x)
    raw = cp.ElementwiseKernel("T x", "raw T y", "y[i] = x", "raw_output")
    with pytest.raises(ValueError, match="Output array size is undefined"):
        raw(x)
    wrong = cp.ElementwiseKernel("T x", "T y", "y = nothing(x)", "wrong")
    with pytest.raises(CompileError, match="nothing"):
        wrong(x)


@pytest.mark.parametrize(
    "text, name, expected",
    [
        ("y = x", "y", True),
        ("z = x; y = z + 1; y += 2", "y", True),
        ("T t = x; y = t", "y", True),
        ("if (x > 0) y = x", "y", False),
        ("y += x", "y", False),
        ("y = y + x", "y", False),
        ("f(&y); y = 1", "y", False),
        ("{ y = x; }", "y", False),
        ("if (x) return; y = x", "y", False),
        ("y == x; y = x", "y", False),
        ("// y is set\ny = x", "y", True),
    ],
)
def test_when_an_output_is_not_read(text, name, expected):
    assert user_code.always_assigned(text, name) is expected
