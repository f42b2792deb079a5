"""rawkernel: launching, arguments, arrays and statements."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import jit
from gpuarray.errors import DriverError, HostArrayError
from tests.jit.oracle import function_of
from tests.slow import slow_except

SCALE = 3
PAIR = (2, 5)


@jit.rawkernel()
def axpy(a, x, y):
    """Documentation."""
    i = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    if i < x.size:
        y[i] += a * x[i]


def arrays(n=100):
    return cp.arange(n, dtype="f"), cp.ones(n, "f")


def expected(n=100):
    return 1 + 2 * np.arange(n, dtype="f")


# ---- launching ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "launch",
    [
        lambda x, y: axpy[4, 32](2, x, y),
        lambda x, y: axpy[(4,), (32,)](2, x, y),
        lambda x, y: axpy[(2, 2, 1), (16, 2)](2, x[:0], y) or axpy[1, 128](2, x, y),
        lambda x, y: axpy[4, 32, 16](2, x, y),
        lambda x, y: axpy[4, 32, 0, None](2, x, y),
        lambda x, y: axpy[[4], [32]](2, x, y),
        lambda x, y: axpy((4,), (32,), (2, x, y)),
        lambda x, y: axpy(4, 32, (2, x, y), shared_mem=64),
        lambda x, y: axpy((4,), (32,), [2, x, y], 8, None),
        lambda x, y: axpy[np.int64(4), 32](2, x, y),
    ],
)
def test_forms_of_launches(launch):
    for _ in range(2):
        x, y = arrays()
        assert launch(x, y) is None
        np.testing.assert_array_equal(y.get(), expected())


def test_streams():
    x, y = arrays()
    stream = cp.cuda.Stream(non_blocking=True)
    cp.cuda.Device().synchronize()
    axpy[4, 32, 0, stream](2, x, y)
    stream.synchronize()
    np.testing.assert_array_equal(y.get(), expected())
    x, y = arrays()
    cp.cuda.Device().synchronize()
    with stream:
        axpy[4, 32](2, x, y)
    axpy((4,), (32,), (0, x, y), stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(y.get(), expected())
    with pytest.raises(TypeError, match="stream is a gpuarray.cuda.Stream or None, not 'a'"):
        axpy[4, 32, 0, "a"]


def test_what_a_kernel_says_of_itself():
    @jit.rawkernel
    def double(x):
        x[0] = 2 * x[0]

    assert double.__name__ == "double"
    assert axpy.__doc__ == "Documentation."
    assert repr(double) == "<gpuarray.jit kernel double(x)>"
    assert dict(double.cached_codes) == {}
    with pytest.raises(RuntimeError, match="double has not been launched yet"):
        _ = double.cached_code
    double[1, 1](cp.ones(1))
    code = double.cached_code
    assert 'extern "C" __global__ void jit_double(Array<double, 1, true, true> x) {' in code
    assert ": x[0] = 2 * x[0]\n    x(0) = 2.0 * x(0);" in code
    assert "#line" not in code
    double[1, 1](cp.ones(1))
    double[2, 2](cp.ones(5)[::2])
    double[1, 1](cp.ones(1, "f"))
    assert len(double.cached_codes) == 3
    assert [str(types[0]) for types in double.cached_codes] == [
        "array(float64, ndim=1, order='C')",
        "array(float64, ndim=1)",
        "array(float32, ndim=1, order='C')",
    ]
    with pytest.raises(RuntimeError, match="double has several sources; cached_codes has"):
        _ = double.cached_code


def test_launches_are_refused():
    x, y = arrays()
    with pytest.raises(TypeError, match=r"axpy: write kernel\[grid, block\]"):
        axpy[3]
    with pytest.raises(DriverError, match=r"block=\(2000, 1, 1\) is not within 1 to"):
        axpy[1, 2000](2, x, y)
    with pytest.raises(TypeError, match="grid='a' is not a tuple of up to three integers"):
        axpy["a", 32](2, x, y)
    with pytest.raises(DriverError, match="shared_mem=-4 is negative"):
        axpy[1, 32, -4](2, x, y)
    with pytest.raises(HostArrayError, match="argument 1 is a ndarray in host memory"):
        axpy[1, 32](2, np.ones(3), y)
    with pytest.raises(TypeError, match="argument 0 has type str"):
        axpy[1, 32]("a", x, y)
    with pytest.raises(TypeError, match=r"axpy\(\) takes 3 arguments, not 2"):
        axpy[1, 32](x, y)
    with pytest.raises(TypeError, match=r"write axpy\[grid, block\]\(a, x, y\)"):
        axpy(1, 32, x)
    for _ in range(2):
        with pytest.raises(OverflowError, match="argument 0 is 9223372036854775808"):
            axpy[1, 32](2**63, x, y)
    with pytest.raises(ValueError, match="axpy, argument 2: .* is read-only"):
        axpy[1, 32](2, x, cp.broadcast_to(cp.ones(1, "f"), (100,)))
    np.testing.assert_array_equal(y.get(), np.ones(100))


def test_threads_share_a_kernel():
    kernel = jit.rawkernel(function_of("def f(x, n):\n    x[jit.grid(1)] = n\n"))
    results = {}

    def work(n):
        x = cp.zeros(64, "i4")
        for _ in range(20):
            kernel[2, 32](x, n)
        results[n] = x.get()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for n, found in results.items():
        np.testing.assert_array_equal(found, np.full(64, n))


# ---- arguments and names --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [True, 7, -1.5, 2 - 3j, np.int8(-3), np.uint64(2**63), np.float16(0.5), np.float32(1.25),
     np.complex64(1 + 2j), np.bool_(True)],
)  # fmt: skip
def test_numbers(value):
    kernel = jit.rawkernel(function_of("def f(value, out):\n    out[0] = value\n"))
    out = cp.zeros(1, np.asarray(value).dtype)
    kernel[1, 1](value, out)
    assert out[0].item() == value


@pytest.mark.parametrize(
    "dtype, values, body, mode",
    [
        ("u1", (-1, 256), "x[0] = n", "numpy"),
        ("i1", (-129, 128), "x[0] += n", "numpy"),
        ("i4", (2**31, 2**40), "if x[0] < n:\n        x[0] = min(x[0], n)", "numpy"),
        ("i4", (2**31, -(2**40)), "for k in range(2):\n        x[0] = x[0] * n", "cuda"),
        ("u4", (-1, 2**32), "n += x[0]\n    x[0] = n", "numpy"),
        ("u8", (-1,), "x[0] = n", "numpy"),
        ("i8", (2**63, 10**400), "x[0] = n", "numpy"),
        ("f4", (10**400,), "x[0] = n", "numpy"),
    ],
)
def test_python_integers_that_do_not_fit(dtype, values, body, mode):
    kernel = jit.rawkernel(function_of(f"def f(x, n):\n    {body}\n"), mode=mode)
    x = cp.ones(1, dtype)
    for _ in range(2):
        kernel[1, 1](x, 1)
        before = x.item()
        for value in values:
            with pytest.raises(OverflowError, match="f: argument 1 is .* takes this Python int as"):
                kernel[1, 1](x, value)
            assert x.item() == before


def test_python_integers_of_device_functions():
    fill = jit.rawkernel(function_of("def f(x, n):\n    x[0] = n\n"), device=True)
    kernel = jit.rawkernel(function_of("def f(x, n):\n    fill(x, n)\n", fill=fill))
    x = cp.zeros(1, "u1")
    kernel[1, 1](x, 255)
    with pytest.raises(OverflowError, match="argument 1 is 256, .*uint8"):
        kernel[1, 1](x, 256)
    assert x.item() == 255


def test_a_narrow_python_integer_counts_as_int64_among_its_kind():
    kernel = jit.rawkernel(function_of(
        "def f(x, n, out):\n    x[0] = n\n    out[0] = n * n * n * n * n\n"
        "    out[1] = n > x[0] - 1\n"))  # fmt: skip
    x, out = cp.zeros(1, "u1"), cp.zeros(2, "i8")
    kernel[1, 1](x, 255, out)
    assert (x.item(), out.tolist()) == (255, [255**5, 1])


_PASSES = "for k in range(3):\n        if k == 0: v = x[k]\n"


@pytest.mark.parametrize(
    "body, expected",
    [
        ("if x[0] > 0: v = 1\n    else: v = 2\n    x[0] = v", 1),
        ("if x[0] < 0: v = 1\n    elif x[0] > 0: v = 2\n    else: v = 3\n    x[0] = v", 2),
        ("if x[0] < 0: return\n    else: v = 2\n    x[0] = v", 2),
        ("if x[0] > 0:\n        v = 4\n        x[0] = v", 4),
        ("v = 1\n    if x[0] > 0: v = 2\n    x[0] = v", 2),
        ("for k in range(3):\n        if x[k] < 0: continue\n        v = k\n    x[0] = v", 2),
        (f"{_PASSES}        else: v = max(v, x[k])\n    x[0] = v", 3),
        (f"{_PASSES}        elif x[k] > v: v = x[k]\n    x[0] = v", 3),
        ("if n is None: v = 7\n    if n is None: x[0] = v", 7),
        ("while True:\n        v = 5\n        if v > x[0]: break\n    x[0] = v", 5),
    ],
)  # fmt: skip
def test_variables_that_have_a_value_on_every_way(body, expected):
    kernel = jit.rawkernel(function_of(f"def f(x, n):\n    {body}\n"))
    x = cp.asarray(np.array([1, 3, 2]))
    kernel[1, 1](x, None)
    assert x[0].item() == expected


@pytest.mark.parametrize(
    "body",
    ["y = x\n    y[0] = 1", "y = x\n    z = y\n    z[0] += 1", "y = x[0]\n    y[0] = 1",
     "x[0][1] = 1", "fill(x)", "y = x\n    fill(y)", "jit.atomic_add(x[0], 0, 1)"],
)  # fmt: skip
def test_writes_to_read_only_arrays_by_another_name(body):
    fill = jit.rawkernel(function_of("def f(x):\n    z = x\n    z[0, 0] = 1\n"), device=True)
    wide = "fill" in body
    body = body if wide or "[0]" in body.split("\n")[0] else body.replace("[0]", "[0, 0]")
    kernel = jit.rawkernel(function_of(f"def f(x):\n    {body}\n", fill=fill))
    x = cp.zeros((2, 2))
    kernel[1, 1](x)
    assert x.any()
    with pytest.raises(ValueError, match="f, argument 0: .*read-only"):
        kernel[1, 1](cp.broadcast_to(cp.zeros(1), (2, 2)))


def test_a_forgotten_grid():
    kernel = jit.rawkernel(function_of("def f(x, y):\n    y[0] = x[0]\n"))
    x = cp.zeros(1)
    for args in ((), (x,), (x, x), (x, x, 3), (x,) * 6, (x,) * 9, (1, 1, x, x)):
        with pytest.raises(TypeError, match=r"f is a kernel, .*: write f\[grid, block\]\(x, y\)"):
            kernel(*args)


def test_none():
    kernel = jit.rawkernel(
        function_of("def f(x, mask):\n    if mask is None or mask[0]:\n        x[0] += 1\n")
    )
    x = cp.zeros(1)
    kernel[1, 1](x, None)
    kernel[1, 1](x, cp.zeros(1, bool))
    kernel[1, 1](x, cp.ones(1, bool))
    kernel[1, 1](x, None)
    assert float(x[0]) == 3


def test_names_from_outside():
    inner = cp.float32

    def make(offset):
        @jit.rawkernel
        def f(x):
            x[0] = inner(offset) + SCALE + PAIR[1] + np.pi

        return f

    for offset in (1, 2):
        x = cp.zeros(1)
        make(offset)[1, 1](x)
        assert float(x[0]) == np.float32(offset) + 8 + np.pi


def test_names_that_cpp_reserves():
    text = (
        "def f(double, int32_t, threadIdx, __x, größe):\n"
        "    template = double[0]\n"
        "    float16 = template + int32_t\n"
        "    t0 = float16 + größe\n"
        "    numpy_add = max(t0, __x)\n"
        "    auto, printf = numpy_add, 2\n"
        "    double[0] = auto * printf * threadIdx\n"
    )
    x = cp.ones(1)
    jit.rawkernel(function_of(text))[1, 1](x, 2, 3, 1, 4)
    assert float(x[0]) == (1 + 2 + 4) * 2 * 3


# ---- arrays ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype",
    slow_except(["?", "i1", "f4", "c16"], ["?", "i1", "u8", "f2", "f4", "f8", "c8", "c16"]),
)
def test_every_layout(dtype):
    @jit.rawkernel
    def copy(x, y):
        i, j = jit.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            y[i, j] = x[i, j]

    host = (np.arange(48) % 5).astype(dtype).reshape(6, 8)
    device = cp.asarray(host)
    for view in (
        lambda a: a, lambda a: a.T, lambda a: a[::-1, ::-1], lambda a: a[::2, 1::3],
        lambda a: a[:, ::-2], lambda a: a[2:3], lambda a: a[:0],
    ):  # fmt: skip
        x = view(device)
        out = cp.zeros((x.shape[1], x.shape[0]), dtype)
        copy[(1, 1), (8, 8)](x, out.T)
        np.testing.assert_array_equal(out.T.get(), view(host))
    copy[(1, 1), (8, 8)](cp.broadcast_to(device[0], (6, 8)), device)
    np.testing.assert_array_equal(device.get(), np.broadcast_to(host[0], (6, 8)))


def test_attributes():
    @jit.rawkernel
    def describe(x, out):
        n, m = x.shape
        out[0] = n
        out[1] = m
        out[2] = x.size
        out[3] = x.ndim
        out[4] = x.strides[0]
        out[5] = x.strides[1]
        out[6] = len(x)
        out[7] = x.itemsize
        out[8] = x.shape[-1] if x.dtype == cp.float32 else -1

    out = cp.zeros(9, "i8")
    describe[1, 1](cp.zeros((5, 9), "f")[::-1, ::2], out)
    assert out.tolist() == [5, 5, 25, 2, -36, 8, 5, 4, 5]


def test_indices():
    @jit.rawkernel
    def fill(x, z):
        x[-1, 0] = 1
        x[0, -2] = 2
        place = (1, 1)
        x[place] = 3
        row = x[2]
        row[0] = 4
        plane = x
        plane[1, 2] = z[()]
        jit.atomic_add(x, (1, 0), 6)
        pick(row, 1, 7)

    @jit.rawkernel(device=True)
    def pick(row, at, value):
        row[at] += value

    fill.__wrapped__.__globals__["pick"] = pick
    for make in (
        lambda: cp.zeros((4, 3)),
        lambda: cp.zeros((3, 4)).T,
        lambda: cp.zeros((8, 3))[::-2],
    ):
        x = make()
        fill[1, 1](x, cp.asarray(5.0))
        assert x.tolist() == [[0, 2, 0], [6, 3, 5], [4, 7, 0], [1, 0, 0]]


def test_values_are_converted_as_numpys_assignment_does():
    @jit.rawkernel
    def store(x, z):
        x[0] = 2.75
        x[1] = z[0]
        x[1] += 0.75
        z[0] = x[0]

    x, z = cp.zeros(2, "i4"), cp.asarray([-3.5])
    store[1, 1](x, z)
    assert x.tolist() == [2, -2]
    assert z.tolist() == [2.0]


def test_arrays_of_other_libraries():
    class Other:
        def __init__(self, x):
            self.x = x
            self.__cuda_array_interface__ = x.__cuda_array_interface__

    x, y = arrays()
    for _ in range(2):
        axpy[4, 32](1, Other(x), Other(y))
    np.testing.assert_array_equal(y.get(), expected())


def test_indices_beyond_32_bits():
    from gpuarray import _dtypes, _layout
    from gpuarray._jit.launch_arguments import type_of as argument_type

    class Huge:
        pass

    def type_of(dtype, shape, strides):
        x = cp.empty(0)
        x._layout = _layout.layout_of(_dtypes.canonical(dtype), shape, strides)
        return argument_type(x, "numpy")

    assert type_of("f8", (2**30,), (8,)).narrow
    assert not type_of("i1", (2**31,), (1,)).narrow
    assert not type_of("f8", (2, 2), (2**31, 8)).narrow
    assert not type_of("f8", (2, 2), (-(2**31), 8)).narrow
    wide = type_of("i1", (2**31,), (1,))
    kernel = jit.rawkernel(function_of("def f(x):\n    x[jit.grid(1)] = x[5] + x[-1]\n"))
    assert "Array<int8_t, 1, true, false> x" in kernel.translated((wide,)).code


# ---- statements -----------------------------------------------------------------------------------


def python(function, *args):
    """Run the same function in Python on NumPy arrays."""
    copies = [x.copy() if isinstance(x, np.ndarray) else x for x in args]
    with np.errstate(all="ignore"):
        function(*copies)
    return [x for x in copies if isinstance(x, np.ndarray)]


def run(function, *args):
    """A function of arrays as a kernel of one thread, and in Python."""
    wanted = python(function, *args)
    given = [cp.asarray(x) if isinstance(x, np.ndarray) else x for x in args]
    jit.rawkernel(function)[1, 1](*given)
    found = [x.get() for x in given if isinstance(x, cp.ndarray)]
    for actual, one in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(actual, one)


def test_loops():
    def f(x, n):
        total = 0
        for i in range(n):
            if i == 3:
                continue
            if i == 8:
                break
            total += i
        x[0] = total
        for i in range(10, -5, -3):
            x[1] += i
        for i in range(2, n, n // 4):
            x[2] += i
            i = 100
            x[3] += i
        x[4] = i
        for a in range(3):
            for b in range(a, 3):
                x[5] += a * 10 + b
        for _ in range(5, 2):
            x[6] = 99
        step = -2
        if n < 0:
            step = 2
        for k in range(7, 0, step):
            x[7] += k
        last = 0
        for k in range(4):
            last = k
        x[8] = last + k
        for m in range(3):
            for m in range(m + 1):  # noqa: B020
                x[9] += m
            x[9] += 10 * m

    run(f, np.zeros(10, "i8"), 12)


def test_bounds_of_a_range_are_read_once():
    def f(x, n):
        for i in range(n):
            n -= 1
            x[0] += i
        x[1] = n

    run(f, np.zeros(2, "i8"), 6)


def test_while():
    def f(x, n):
        while n > 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            x[0] += 1
        while True:
            x[1] += 2
            if x[1] > 9:
                break
        while False:
            x[2] = 1
        k = 5
        while k and x[1] > 0:
            k -= 1
            if k == 2:
                continue
            x[2] += k

    run(f, np.zeros(3, "i8"), 27)


def test_decisions():
    def f(x, out):
        for i in range(8):
            if x[i] < 2:
                kind = 0
            elif x[i] == 2 or x[i] == 3:
                kind = 1
            elif not (x[i] > 5):
                kind = 2
            else:
                kind = 3
            out[i] = kind
        if SCALE == 3 and out.ndim == 1:
            out[8] = 5
        else:
            out[8] = undefined  # noqa: F821
        if SCALE > 3:
            pass
        elif x[0] == 0:
            out[8] += 1

    run(f, np.arange(8, dtype="f"), np.zeros(9, "i4"))


def test_tuples():
    def f(x):
        a, b = 1, 2.5
        a, b = a + 1, b + a
        x[0], x[1] = a, b
        low, high = x[0], x[1]
        low, high = high, low
        x[2] = low
        x[3] = high
        pair = (low, high)
        pair = (pair[1], pair[0])
        x[4] = pair[0]
        c = d = x[4] + 1
        x[5] = c + d
        (e, g), h = (1, 2), 3
        x[6] = e + g + h + len(pair)
        x[7] = sum_of(PAIR + (4,))  # noqa: F821
        x[0], x[1] = x[1], x[0]

    def add_up(items):
        return items[0] + items[1] + items[2]

    f.__globals__["sum_of"] = jit.rawkernel(add_up, device=True)
    device = jit.rawkernel(f)
    x = cp.zeros(8)
    device[1, 1](x)
    f.__globals__["sum_of"] = add_up
    (wanted,) = python(f, np.zeros(8))
    assert x.tolist() == wanted.tolist()


def test_variables_take_on_a_dtype():
    """A sum that begins as the number 0 is computed in the dtype of what is added."""

    def f(x, out, n):
        total = 0
        for i in range(4):
            total += x[i]
        out[0] = total
        n = n * x[0]
        out[1] = n
        z = 1
        z = z / 2
        out[2] = z

    source = np.array([1e8, 1, 1, 1], "f")
    run(f, source, np.zeros(3), 3)
    kernel = jit.rawkernel(f)
    kernel[1, 1](cp.asarray(source), cp.zeros(3), 3)
    assert "float total = 0.0f;" in kernel.cached_code
    assert "double z = 1.0;" in kernel.cached_code


def test_annotations():
    @jit.rawkernel
    def f(x):
        s: cp.float32 = 0
        n: int = 3
        s += 0.1
        x[0] = s * n

    x = cp.zeros(1)
    f[1, 1](x)
    assert float(x[0]) == float(np.float32(0.1) * 3)


def test_device_functions():
    @jit.rawkernel(device=True)
    def polynomial(x, c, degree=2):
        total = 0
        for k in range(degree + 1):
            total = total * x + c[k]
        return total

    @jit.rawkernel(device=True)
    def divided(a, b):
        if b == 0:
            return 0, False
        return a / b, True

    @jit.rawkernel(device=True)
    def put(x, at, value):
        x[at] = value

    @jit.rawkernel(device=True)
    def through(function, x):
        return function(x, x)

    @jit.rawkernel
    def f(x, c):
        put(x, 0, polynomial(x[1], c))
        put(x, 1, polynomial(2, c, degree=1))
        quotient, fine = divided(x[1], 4)
        if fine:
            x[2] = quotient
        x[3] = through(np.add, 1.5) + through(jit.max, 2)

    x = cp.asarray([0.0, 3, 0, 0])
    f[1, 1](x, cp.asarray([1.0, 2, 3]))
    assert x.tolist() == [18, 4, 1, 5]
    assert f.cached_code.count("GPUARRAY_DEVICE") >= 4
    with pytest.raises(TypeError, match="put is a device function, which kernels call"):
        put[1, 1](x, 0, 1)


def test_order_of_what_happens():
    """Operands with effects are computed from the left to the right, and only if needed."""

    def f(x, out, y):
        out[0] = jit.atomic_add(x, 0, 1) * 100 + jit.atomic_add(x, 0, 1) * 10 + x[0]
        out[1] = x[0] * 10 + jit.atomic_add(x, 0, 1)
        if out[1] < 0 and jit.atomic_add(x, 0, 1) + jit.atomic_add(x, 0, 1) > 0:
            out[2] = 1
        out[3] = (jit.atomic_add(x, 0, 1) + jit.atomic_add(x, 0, 5)) if out[1] > 0 else x[0]
        n = 0
        while jit.atomic_add(x, 0, 1) + jit.atomic_add(x, 0, 1) < 30:
            n += 1
            if n == 2:
                continue
        out[4] = n
        out[5] = 20 < jit.atomic_add(x, 0, 1) < 90
        out[6] = jit.atomic_add(y, jit.atomic_add(y, jit.atomic_add(y, 0, 2), 1), 5)

    class Python:
        @staticmethod
        def atomic_add(x, i, value):
            old = x[i]
            x[i] += value
            return old

    real = f.__globals__["jit"]
    f.__globals__["jit"] = Python
    try:
        wanted = python(f, np.zeros(1, "i4"), np.zeros(7, "i4"), np.zeros(4, "i4"))
    finally:
        f.__globals__["jit"] = real
    x, out, y = cp.zeros(1, "i4"), cp.zeros(7, "i4"), cp.zeros(4, "i4")
    jit.rawkernel(f)[1, 1](x, out, y)
    assert [x.tolist(), out.tolist(), y.tolist()] == [one.tolist() for one in wanted]


def test_print_and_assert(capfd):
    @jit.rawkernel
    def f(x, z):
        "A docstring."
        print("x is", x[0], x[0] > 1, 3, z[0], "100%")
        assert x[0] > 0, "positive"
        assert x.ndim == 1

    f[1, 1](cp.asarray([1.5]), cp.asarray([1 - 2j]))
    cp.cuda.Device().synchronize()
    assert "x is 1.5 True 3 (1-2j) 100%\n" in capfd.readouterr().out


def test_unrolling():
    @jit.rawkernel
    def f(x):
        for i in jit.range(8, unroll=True):
            x[0] += i
        for i in jit.range(0, 8, 2, unroll=4):
            x[0] += i
        for i in jit.range(8, unroll=False):
            x[0] += i

    x = cp.zeros(1)
    f[1, 1](x)
    assert float(x[0]) == 28 + 12 + 28
    code = f.cached_code
    assert "#pragma unroll\n" in code
    assert "#pragma unroll 4\n" in code
    assert "#pragma unroll 1\n" in code


def test_lambdas_and_lines():
    first, second = jit.rawkernel(lambda x: jit.atomic_add(x, 0, 1)), 5
    x = cp.zeros(1)
    with pytest.raises(TypeError, match="a kernel returns nothing"):
        first[1, 1](x)
    assert second == 5
