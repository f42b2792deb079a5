"""Products of matrices and vectors: matmul, dot and their like, the operator ``@``."""

from __future__ import annotations

import operator
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.errors import HostArrayError
from tests.array.arrays import COMPLEX, FLOATS, INTEGERS, LAYOUTS, device_copy, same, ties, values

UFUNCS = ["matmul", "vecdot", "matvec", "vecmat"]
#: NumPy 2.0 has vecdot only, 2.2 the other two.
OF_NUMPY = [name for name in UFUNCS if hasattr(np, name)]

#: Shapes of operands by function: small ones, which our own kernels multiply.
SHAPES = {
    "matmul": [
        ((3, 4), (4, 5)), ((4,), (4,)), ((4,), (4, 5)), ((3, 4), (4,)), ((2, 1, 3, 4), (5, 4, 2)),
        ((4,), (2, 4, 3)), ((2, 3, 4), (4,)), ((0, 3), (3, 2)), ((2, 0), (0, 3)), ((2, 0, 3), (3, 1)),
        ((0, 2, 3), (3, 2)), ((0,), (0,)),
    ],
    "vecdot": [((4,), (4,)), ((3, 4), (4,)), ((2, 1, 4), (3, 4)), ((0,), (0,)), ((0, 3), (3,))],
    "matvec": [((3, 4), (4,)), ((3, 4), (2, 4)), ((2, 1, 3, 4), (5, 4)), ((0, 3), (3,)), ((3, 0), (0,))],
    "vecmat": [((3,), (3, 4)), ((2, 3), (3, 4)), ((5, 3), (2, 1, 3, 4)), ((3,), (3, 0)), ((0,), (0, 3))],
}  # fmt: skip
CASES = [(name, *shapes) for name in OF_NUMPY for shapes in SHAPES[name]]

#: Layouts of matrices.
MATRICES = [name for name in LAYOUTS if name != "0-d"]

#: Those that cuBLAS multiplies: stacks, transposed and broadcast operands among them.
LARGE = [((70, 33), (33, 65)), ((3, 70, 5), (5, 66)), ((70, 65), (65,)), ((65,), (2, 65, 70))]


def _both(name, a, b, **kwargs):
    return getattr(cp, name)(cp.asarray(a), cp.asarray(b), **kwargs), getattr(np, name)(
        a, b, **kwargs
    )


@pytest.mark.parametrize("name, first, second", CASES)
def test_shapes(name, first, second):
    a, b = ties(first, "f8", 1), ties(second, "f8", 2)
    actual, expected = _both(name, a, b)
    same(actual, expected)
    if expected.size:
        assert actual.flags.c_contiguous == expected.flags.c_contiguous


@pytest.mark.parametrize("dtype", ["?", *INTEGERS, *FLOATS, *COMPLEX])
def test_dtypes(dtype):
    a, b = ties((3, 5), dtype, 1), ties((5, 4), dtype, 2)
    same(*_both("matmul", a, b))
    same(*_both("dot", a, b))
    same(*_both("vdot", a, b.T[:3]))
    same(*_both("inner", a, b.T))
    for name in OF_NUMPY[1:]:
        second = {"vecdot": b.T[:3], "matvec": b[:, 0], "vecmat": np.ascontiguousarray(b)}[name]
        first = a[0] if name == "vecmat" else a
        same(*_both(name, first, second))


@pytest.mark.parametrize("dtype", FLOATS + COMPLEX)
@pytest.mark.parametrize("first, second", LARGE)
def test_products_by_cublas(dtype, first, second):
    a, b = ties(first, dtype, 1), ties(second, dtype, 2)
    same(*_both("matmul", a, b))
    if dtype == "c8":
        view = np.ascontiguousarray(a.T).T
        same(cp.matmul(device_copy(view), cp.asarray(b)), a @ b)


@pytest.mark.parametrize(
    "dtypes", [("f4", "f8"), ("i4", "f4"), ("?", "i1"), ("f2", "c8"), ("u1", "i1")]
)
@pytest.mark.parametrize("shape", [(3, 3), (70, 70)])
def test_mixed_dtypes(dtypes, shape):
    a, b = [ties(shape, dtype, i) for i, dtype in enumerate(dtypes)]
    same(*_both("matmul", a, b))
    same(*_both("dot", a, b))


@pytest.mark.parametrize("shape", [(3, 3), (40, 70)])
def test_bfloat16(shape):
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    a, b = ties(shape, "f4", 1).astype(bfloat16), ties(shape, "f4", 2).astype(bfloat16).T
    exact = a.astype("f4") @ b.astype("f4")
    product = cp.asarray(a) @ cp.asarray(b)
    same(product, exact)  # which is NumPy's dtype
    rounded = cp.dot(cp.asarray(a), cp.asarray(b))
    assert rounded.dtype == bfloat16
    np.testing.assert_array_equal(cp.asnumpy(rounded), exact.astype(bfloat16))


@pytest.mark.parametrize("second", MATRICES)
@pytest.mark.parametrize("first", MATRICES)
def test_layouts(first, second):
    host = [LAYOUTS[one](np, values((6, 5), "f8", i)) for i, one in enumerate((first, second))]
    a, b = host[0], host[1].T
    k = min(a.shape[1], b.shape[0])
    a, b = a[:, :k], b[:k]
    same(device_copy(a) @ device_copy(b), a @ b)


@pytest.mark.parametrize("shape", [(2, 3, 4), (3, 40, 70)])
def test_stacks_of_any_layout(shape):
    host = ties((*shape, 2), "f4")
    for axes in [(3, 0, 1, 2), (1, 3, 0, 2), (0, 3, 2, 1), (3, 1, 2, 0)]:
        a = host.transpose(axes)
        b = host.transpose(axes)[:1, ::-1].swapaxes(-1, -2)
        same(device_copy(a) @ device_copy(b), a @ b)


@pytest.mark.parametrize("shapes", [((3, 70), (70, 66)), ((3, 70), (3, 70, 66)), ((70,), (70, 66))])
def test_conjugated_vectors_by_cublas(shapes):
    a, b = ties(shapes[0], "c8", 1), ties(shapes[1], "c8", 2)
    expected = np.matmul(a.conj()[..., None, :], b)[..., 0, :]
    same(cp.vecmat(cp.asarray(a), cp.asarray(b)), expected)
    same(cp.vecmat(cp.asarray(a), device_copy(np.ascontiguousarray(b.mT).mT)), expected)


# ---- arguments of the ufuncs ---------------------------------------------------------------------


@pytest.mark.parametrize("order", "CFAK")
def test_orders(order):
    host = ties((2, 3, 4, 4), "f8")
    for a in (host, host.transpose(1, 0, 2, 3), np.asfortranarray(host)):
        expected = np.matmul(a, host[0, 0], order=order)
        actual = cp.matmul(device_copy(a), cp.asarray(host[0, 0]), order=order)
        same(actual, expected)
        assert actual.strides == expected.strides


@pytest.mark.parametrize(
    "axes, first, second",
    [
        ([(0, 1), (1, 0), (0, 1)], (3, 4), (5, 4)),
        ([(1, 2), (0, 1), (0, 2)], (2, 3, 4), (4, 5)),
        ([(0, 2), (-1, 0), (-1, 0)], (3, 2, 4), (5, 2, 4)),
        ([(0, 1), (0,), (0,)], (3, 4), (4,)),
        ([(0, 1), 0, 0], (3, 4), (4, 2)),
    ],
)
@pytest.mark.parametrize("given", [False, True])
def test_axes(axes, first, second, given):
    a, b = ties(first, "f8", 1), ties(second, "f8", 2)
    if len(axes[1:]) and np.ndim(axes[1]) == 0 and b.ndim > 1:
        b = b[:, 0]
    expected = np.matmul(a, b, axes=axes)
    out = cp.zeros(expected.shape) if given else None
    actual = cp.matmul(cp.asarray(a), cp.asarray(b), axes=axes, out=out)
    same(actual, expected)
    assert actual is out if given else actual.strides == expected.strides


@pytest.mark.parametrize(
    "kwargs",
    [
        {"axis": 0}, {"keepdims": True}, {"axis": 0, "keepdims": True}, {"axes": [0, 0]},
        {"axes": [0, 0, ()]}, {"axes": [(-2,), (0,)]}, {"axes": [0, 1, 0], "keepdims": True},
    ],
)  # fmt: skip
def test_axes_of_vectors(kwargs):
    a, b = ties((4, 4), "c16", 1), ties((4, 4), "c16", 2)
    expected = np.vecdot(a, b, **kwargs)
    same(cp.vecdot(cp.asarray(a), cp.asarray(b), **kwargs), expected)
    out = cp.zeros(expected.shape, "c16")
    assert cp.vecdot(cp.asarray(a), cp.asarray(b), out=out, **kwargs) is out
    same(out, expected)


@pytest.mark.parametrize("shapes", [((3, 0), (0, 4)), ((70, 0), (0, 80)), ((0,), (0,))])
def test_sums_of_nothing_are_stored(shapes):
    a, b = [cp.ones(shape) for shape in shapes]
    out = cp.ones(shapes[0][:-1] + shapes[1][1:])
    assert cp.matmul(a, b, out=out) is out
    same(out, np.zeros(out.shape))
    out = cp.ones(out.shape)
    assert cp.dot(a, b, out=out) is out
    same(out, np.zeros(out.shape))


@pytest.mark.parametrize("size", [3, 70])
@pytest.mark.parametrize("target", ["same", "loops", "transposed", "wider", "strided"])
def test_out(size, target):
    a, b = ties((2, size, size), "f4", 1), ties((size, size), "f4", 2)
    make = {
        "same": lambda xp: xp.zeros((2, size, size), "f4"),
        "loops": lambda xp: xp.zeros((3, 2, size, size), "f4"),
        "transposed": lambda xp: xp.zeros((size, size, 2), "f4").T,
        "wider": lambda xp: xp.zeros((2, size, size), "c16"),
        "strided": lambda xp: xp.zeros((2, 2 * size, 2 * size), "f4")[:, ::-2, ::2],
    }[target]
    out, expected = make(cp), make(np)
    for _ in range(2):
        assert cp.matmul(cp.asarray(a), cp.asarray(b), out=out) is out
    np.matmul(a, b, out=expected)
    same(out, expected)


@pytest.mark.parametrize("size", [3, 70])
def test_out_that_overlaps_an_operand(size):
    host = ties((size, size), "f8")
    for view in (lambda x: x, lambda x: x.T, lambda x: x[::-1]):
        x = cp.asarray(host)
        for _ in range(2):  # planned, and kept
            x[...] = cp.asarray(host)
            cp.matmul(x, x, out=view(x))
            expected = host.copy()
            view(expected)[...] = host @ host
            same(x, expected)
    x = cp.asarray(host)
    cp.dot(x, x, out=x)
    same(x, host @ host)


def test_results_that_are_cast():
    a, b = ties((3, 4), "f8", 1), ties((4, 3), "f8", 2)
    same(*_both("matmul", a, b, dtype="f4"))
    same(*_both("matmul", a, b, signature="ff->f"))
    same(*_both("matmul", a, b, dtype="i4", casting="unsafe"))
    same(*_both("matmul", a.astype("f4"), b.astype("f4"), dtype="c16"))
    with pytest.warns(np.exceptions.ComplexWarning):
        actual = cp.matmul(cp.asarray(a + 1j), cp.asarray(b), dtype="f8", casting="unsafe")
    same(actual, a @ b)
    with pytest.raises(TypeError, match="Cannot cast ufunc 'matmul' output from"):
        cp.matmul(cp.asarray(a), cp.asarray(b), out=cp.zeros((3, 3), "i4"))


def _refused(call):
    """Type and text of what a call raises."""
    with pytest.raises(Exception) as raised:
        call()
    return type(raised.value), str(raised.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, o: xp.matmul(2, o((3, 2))),
        lambda xp, o: xp.matmul(o((3, 2)), o((3, 2))),
        lambda xp, o: xp.matmul(o((2, 3)), o(3), axis=0),
        lambda xp, o: xp.matmul(o((2, 3)), o(3), keepdims=True),
        lambda xp, o: xp.matmul(o((2, 3)), o((3, 2)), out=o((3, 3))),
        lambda xp, o: xp.vecdot(o((2, 3)), 2),
        lambda xp, o: xp.vecdot(o((2, 3)), o(2)),
        lambda xp, o: xp.vecdot(o((2, 3)), o((2, 3)), axis=5),
        lambda xp, o: xp.matmul(o((3, 2)), o(2), axes=[(0, 1), (0, 1), (0,)]),
        lambda xp, o: o((3, 3)) @ 2,
        lambda xp, o: 2 @ o((3, 3)),
    ],
)  # fmt: skip
def test_messages_are_numpys(call):
    assert _refused(lambda: call(cp, cp.ones)) == _refused(lambda: call(np, np.ones))


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda xp, o: xp.matmul(o((2, 3)), o((3, 2)), where=True), "unexpected keyword argument 'where'"),
        (lambda xp, o: xp.matmul(o((2, 2, 3)), o((3, 3, 2))), "could not be broadcast together"),
        (lambda xp, o: xp.matmul(o((2, 2, 3)), o((3, 2)), out=o((2, 2))), "output operand"),
        (lambda xp, o: xp.matvec(o((2, 3)), o(3), out=o(())), "does not have enough dimensions"),
        (lambda xp, o: xp.matmul(o((2, 3)), o((3, 2)), axes=[(0, 1), (0, 1)]), "an entry for all 3 inputs"),
        (lambda xp, o: xp.matmul(o((2, 3)), o((3, 2)), axes=((0, 1), (0, 1), (0, 1))), "should be a list"),
        (lambda xp, o: xp.matmul(o((3, 2)), o((2, 3)), axes=[(0, 0), (0, 1), (0, 1)]), "repeated"),
        (lambda xp, o: xp.vecdot(o(3), o(3), axis=0, axes=[0, 0]), "cannot specify both 'axis' and 'axes'"),
        (lambda xp, o: xp.vecdot(o(3), o(3), axis="a"), "cannot be interpreted as an integer"),
        (lambda xp, o: xp.vecdot(o(3), o(3), keepdims=2), "'keepdims' must be a boolean"),
        (lambda xp, o: xp.matmul(o((2, 3)), o((3, 2)), casting="x"), "casting must be one of"),
        (lambda xp, o: xp.matmul(o((2, 3)), o((3, 2)), order="x"), "order must be one of"),
        (lambda xp, o: xp.matmul(o((2, 3), "M8[s]"), o((3, 2))), "did not contain a loop"),
        (lambda xp, o: xp.matmul.reduce(o((2, 2))), "Reduction not defined on ufunc with signature"),
        (lambda xp, o: xp.matmul.accumulate(o((2, 2))), "Reduction not defined on ufunc with signature"),
        (lambda xp, o: xp.matmul.outer(o((2, 2)), o(2)), "method outer is not allowed"),
        (lambda xp, o: xp.matmul.at(o((2, 2)), 0, o(2)), "does not support ufunc with non-trivial"),
        (lambda xp, o: operator.imatmul(o((3, 3)), o(3)), "inplace matrix multiplication requires"),
        (lambda xp, o: operator.imatmul(o((2, 3)), o((3, 2))), "mismatch in its core dimension 1"),
        (lambda xp, o: xp.dot(o((2, 3)), o((4, 2))), r"shapes \(2,3\) and \(4,2\) not aligned: 3"),
        (lambda xp, o: xp.dot(o(3), o(4)), r"shapes \(3,\) and \(4,\) not aligned: 3 \(dim 0\) != 4"),
        (lambda xp, o: xp.inner(o((2, 3)), o((4, 2))), "not aligned"),
        (lambda xp, o: xp.vdot(o((2, 3)), o((3, 3))), r"cannot reshape array of size 9 into shape \(6,\)"),
        (lambda xp, o: xp.dot(o((2, 3)), o((3, 2)), out=o((2, 2), "f4")), "output array is not acceptable"),
        (lambda xp, o: xp.dot(o((2, 3)), o((3, 2)), out=o((2, 2)).T), "output array is not acceptable"),
        (lambda xp, o: xp.dot(o((2, 3)), o((3, 2)), out=o((2, 3))), "output array has wrong dimensions"),
        (lambda xp, o: xp.dot(o((2, 3)), o((3, 2)), out=2), "'out' must be an array"),
    ],
)  # fmt: skip
def test_refused_as_by_numpy(call, text):
    kind, message = _refused(lambda: call(np, np.ones))
    with pytest.raises(kind, match=text) as raised:
        call(cp, cp.ones)
    assert raised.type is kind or issubclass(raised.type, kind)
    assert re.search(text, message)


def test_host_arrays_are_refused():
    x = cp.ones((2, 2))
    for call in (
        lambda: cp.matmul(x, np.ones((2, 2))),
        lambda: x @ np.ones((2, 2)),
        lambda: cp.dot(np.ones((2, 2)), x),
        lambda: cp.vdot(x, np.ones(4)),
        lambda: cp.dot(x, x, out=np.ones((2, 2))),
        lambda: cp.matmul(x, x, out=np.ones((2, 2))),
    ):
        with pytest.raises(HostArrayError):
            call()


def test_read_only_outputs_are_refused():
    x, out = cp.ones((2, 2)), cp.ones((2, 2))
    cp.matmul(x, x, out=out)
    cp.dot(x, x, out=out)
    out.flags.writeable = False
    for function in (cp.matmul, cp.dot):
        with pytest.raises(ValueError, match="read-only"):
            function(x, x, out=out)


# ---- operators and dispatch ----------------------------------------------------------------------


def test_operators():
    a, b = ties((3, 3), "f8", 1), ties((3, 3), "f8", 2)
    x, y = cp.asarray(a), cp.asarray(b)
    same(x @ y, a @ b)
    same(x @ [1, 2, 3], a @ [1, 2, 3])
    same([1, 2, 3] @ x, [1, 2, 3] @ a)
    x @= y
    a @= b
    same(x, a)
    v = cp.asarray(b[0])
    v @= x
    same(v, b[0] @ a)
    x @= x
    same(x, a @ a)
    same(x.dot(y), (a @ a).dot(b))
    with pytest.raises(TypeError, match="unsupported operand"):
        x @ object()


def test_numpys_functions():
    a, b = ties((3, 3), "c16", 1), ties((3, 3), "c16", 2)
    for name in [*OF_NUMPY[:2], "dot", "vdot", "inner"]:
        function = getattr(np, name)
        same(function(cp.asarray(a), cp.asarray(b)), function(a, b))


def test_derived_classes():
    class Matrix(cp.ndarray):
        pass

    x = cp.ones((2, 2)).view(Matrix)
    assert type(x @ x) is Matrix
    assert type(cp.ones((2, 2)) @ x) is type(cp.ones((2, 2)) + x)
    same(x @ cp.ones((2, 2)), np.full((2, 2), 2.0))


def test_other_classes_answer():
    class Other:
        __array_ufunc__ = None

        def __rmatmul__(self, other):
            return "theirs"

        def __matmul__(self, other):
            return "theirs too"

    assert cp.ones((2, 2)) @ Other() == "theirs"
    assert Other() @ cp.ones((2, 2)) == "theirs too"


@pytest.mark.parametrize("name", UFUNCS)
def test_the_ufunc(name):
    function = getattr(cp, name)
    assert isinstance(function, cp.ufunc)
    assert repr(function) == f"<ufunc '{name}'>"
    assert (function.nin, function.nout, function.nargs) == (2, 1, 3)
    assert function.identity is None
    assert pickle.loads(pickle.dumps(function)) is function
    assert "ff->f" in function.types
    assert function.ntypes == len(function.types)
    if hasattr(np, name):
        theirs = getattr(np, name)
        assert function.signature == theirs.signature
        dtypes = (np.dtype("i4"), np.dtype("f4"), None)
        assert function.resolve_dtypes(dtypes) == theirs.resolve_dtypes(dtypes)


def test_fused_functions_have_no_products():
    @cp.fuse
    def product(x):
        return cp.matmul(x, x)

    with pytest.raises(TypeError, match="do it outside of the fused function"):
        product(cp.ones((2, 2)))


# ---- plans, results ------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(3, 3), (2, 70, 70)])
def test_one_look_up_finds_the_plan(shape):
    x = cp.ones(shape, "f4")
    x @ x, cp.dot(x[0], x[0].T), cp.matmul(x, x, out=cp.empty(shape, "f4"))
    plans = cp.cuda.get_current_stream().plans
    layout = x._layout
    assert {(cp.matmul, layout, layout), (cp.matmul, layout, layout, layout)} <= plans.keys()
    before = dict(plans)
    x @ x, cp.matmul(x, x, out=cp.empty(shape, "f4"))
    assert plans == before


def test_small_products_open_no_library():
    source = (
        "import gpuarray as cp\n"
        "from gpuarray._ffi import cublas, cublaslt\n"
        "small, large = cp.ones((4, 4)), cp.ones((70, 70))\n"
        "small @ small, cp.dot(large[0], large[0]), cp.vdot(large, large)\n"
        "small.astype(int) @ small.astype(int)\n"
        "def opened():\n"
        "    return [x.library._source is not None for x in (cublas, cublaslt)]\n"
        "before = opened()\n"
        "large @ large\n"
        "print(any(before), any(opened()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "False True", done.stderr


def test_dot_of_more_dimensions():
    a, b = ties((2, 3, 4), "f8", 1), ties((5, 4, 3), "f8", 2)
    same(*_both("dot", a, b))
    same(*_both("dot", a, b[0, :, 0]))
    same(*_both("dot", b[0, :, 0], b))
    same(cp.dot(cp.asarray(a).transpose(1, 0, 2), cp.asarray(b)), np.dot(a.transpose(1, 0, 2), b))
    same(*_both("inner", a, ties((5, 4), "f8")))
    for first in ((1, 3, 4), (3, 1, 4), (1, 1, 4)):
        same(*_both("inner", ties(first, "f8"), ties(4, "f8")))
        same(*_both("inner", ties(4, "f8"), ties(first, "f8")))
        same(*_both("dot", ties(first, "f8"), ties((2, 4, 1), "f8")))
    out = cp.zeros((2, 3, 5, 3))
    assert cp.dot(cp.asarray(a), cp.asarray(b), out=out) is out
    same(out, np.dot(a, b))


def test_numbers():
    x = cp.ones(3, "f4")
    same(cp.dot(x, 2.0), np.dot(np.ones(3, "f4"), 2.0))
    same(cp.dot(2, x), np.dot(2, np.ones(3, "f4")))
    same(cp.dot(cp.asarray(2), 3), np.dot(2, 3))
    same(cp.inner(x, cp.asarray(2j)), np.inner(np.ones(3, "f4"), 2j))
    same(cp.vdot(cp.asarray(2j), cp.asarray(3j)), np.vdot(2j, 3j))


@pytest.mark.parametrize("size", [4, 70])
def test_infinities_and_nans(size):
    a = np.ones((size, size), "f4")
    a[0, 1], a[1, 0], a[2, 2] = np.inf, np.nan, -np.inf
    with np.errstate(invalid="ignore"):
        expected = a @ a
    same(cp.asarray(a) @ cp.asarray(a), expected)
    out = cp.full((size, size), np.nan, "f4")  # what an output held has no say
    cp.matmul(cp.ones((size, size), "f4"), cp.ones((size, size), "f4"), out=out)
    same(out, np.full((size, size), size, "f4"))


def test_halves_are_summed_in_float32():
    a = np.full((70, 4000), 1, "f2")
    same(cp.asarray(a) @ cp.ones((4000, 66), "f2"), np.full((70, 66), 4000, "f2"))
    same(cp.dot(cp.ones(4001, "f2"), cp.ones(4001, "f2")), np.array(4001, "f2"))


def test_differences_of_times():
    """NumPy's results lose the unit."""
    hours, counts = np.arange(6, dtype="m8[h]").reshape(2, 3), ties((3, 4), "i4")
    for name, a, b in [
        ("dot", hours, counts), ("vdot", hours, counts[:, :2]), ("inner", counts.T, hours),
    ]:  # fmt: skip
        actual, expected = _both(name, a, b)
        same(actual, expected.astype(np.promote_types(a.dtype, b.dtype)))
    for name in ("dot", "inner", "vdot"):
        for dtype in ("M8[h]", "m8[h]"):
            with pytest.raises(TypeError, match="there are no products of"):
                getattr(cp, name)(cp.asarray(hours[0].view(dtype)), cp.asarray(hours[0]))
