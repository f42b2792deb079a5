"""ReductionKernel: NumPy is the oracle, CuPy's documentation the rule book."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.errors import CompileError, HostArrayError

L2NORM = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
LAYER = cp.ReductionKernel(
    "T x, T w, T bias", "T z", "x * w", "a + b", "z = a + bias", "0", "layer"
)
LARGEST = cp.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", None, "largest")


def norm(x, axis=None, keepdims=False):
    return np.sqrt((x * x).sum(axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, (0, 2), (1, 2), (2, 0, 1), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes(axis, keepdims):
    x = np.arange(3 * 5 * 8, dtype="f8").reshape(3, 5, 8) % 11
    for host, array in (
        (x, cp.asarray(x)),
        (x.transpose(2, 0, 1), cp.asarray(x).transpose(2, 0, 1)),
        (x[:, ::-1, ::2], cp.asarray(x)[:, ::-1, ::2]),
    ):
        found = L2NORM(array, axis=axis, keepdims=keepdims)
        np.testing.assert_allclose(cp.asnumpy(found), norm(host, axis, keepdims))


@pytest.mark.parametrize("dtype", "bBhHiIlLqQfd")
def test_dtypes(dtype):
    x = (np.arange(500) * 7 % 120).astype(dtype)
    assert LARGEST(cp.asarray(x)).dtype == x.dtype
    assert cp.asnumpy(LARGEST(cp.asarray(x))) == x.max()


def test_float16_is_combined_in_float():
    x = np.ones(5000, "e")
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", 0, "total")
    found = total(cp.asarray(x))
    assert found.dtype == np.float16
    assert float(found) == 5000


def test_complex():
    z = (np.arange(12) - 3j).astype("F").reshape(3, 4)
    power = cp.ReductionKernel("T z", "T w", "z * conj(z)", "a + b", "w = a", "T(0)", "power")
    np.testing.assert_allclose(cp.asnumpy(power(cp.asarray(z), axis=0)), (z * z.conj()).sum(0))


def test_many_blocks_share_a_result():
    x = np.ones(300_000, "f")
    assert cp.asnumpy(L2NORM(cp.asarray(x))) == np.sqrt(np.float32(300_000))
    assert cp.asnumpy(LARGEST(cp.asarray(np.arange(300_000, dtype="f")))) == 299_999
    x = np.ones((3, 60_000), "f")
    np.testing.assert_allclose(cp.asnumpy(L2NORM(cp.asarray(x), axis=1)), norm(x, 1), rtol=1e-6)
    np.testing.assert_allclose(cp.asnumpy(LARGEST(cp.asarray(x.T), axis=0)), x.max(1))


def test_numbers_and_broadcasting():
    x = np.arange(10, dtype="f").reshape(2, 5)
    w = np.arange(5, dtype="f")
    for bias in (-0.5, 2, np.float64(3)):
        found = LAYER(cp.asarray(x), cp.asarray(w), bias, axis=1)
        np.testing.assert_allclose(cp.asnumpy(found), (x * w).sum(1) + np.float32(bias))
    found = LAYER(cp.asarray(x), 2, 1)
    np.testing.assert_allclose(cp.asnumpy(found), (x * 2).sum() + 1)
    column = cp.asarray(x[:, :1])
    np.testing.assert_allclose(
        cp.asnumpy(LAYER(column, cp.asarray(w), 0, axis=0)), (x[:, :1] * w).sum(0)
    )


def test_raw_arrays():
    table = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
    look_up = cp.ReductionKernel(
        "int32 at, raw T table, float64 shift", "T y",
        "table[at]", "a + b", "y = a + table[0] + shift", "0", "look_up",
    )  # fmt: skip
    at = np.array([[0, 2, 4], [1, 1, 3]], "i")
    found = look_up(cp.asarray(at), cp.asarray(table), 0.5, axis=1)
    np.testing.assert_allclose(cp.asnumpy(found), table[at].sum(1) + table[0] + 0.5)


def test_a_type_of_the_users_own():
    kernel = cp.ReductionKernel(
        "T x", "T y", "Range(x, x)",
        "Range(min(a.low, b.low), max(a.high, b.high))", "y = a.high - a.low", None, "peak_to_peak",
        reduce_type="Range",
        preamble="struct Range { T low, high; __device__ Range(T l, T h) : low(l), high(h) {}"
        " __device__ Range() {} };",
    )  # fmt: skip
    x = np.random.default_rng(1).normal(size=(40, 300))
    for axis in (None, 0, 1):
        found = kernel(cp.asarray(x), axis=axis)
        np.testing.assert_allclose(cp.asnumpy(found), np.ptp(x, axis=axis))
    big = np.random.default_rng(1).normal(size=200_000)
    np.testing.assert_allclose(cp.asnumpy(kernel(cp.asarray(big))), np.ptp(big))


def test_reduce_type_and_sizes():
    mean = cp.ReductionKernel(
        "T x", "float64 y", "x", "a + b", "y = a / (_in_ind.size() / _out_ind.size())", 0, "mean",
        reduce_type="double",
    )  # fmt: skip
    x = np.arange(12, dtype="i").reshape(3, 4)
    np.testing.assert_allclose(cp.asnumpy(mean(cp.asarray(x), axis=0)), x.mean(0))
    assert float(mean(cp.ones(100_000, "i1"))) == 1


def test_outputs():
    x = np.arange(6, dtype="f").reshape(2, 3)
    out = cp.zeros(2, "f")
    assert L2NORM(cp.asarray(x), axis=1, out=out) is out
    np.testing.assert_allclose(cp.asnumpy(out), norm(x, 1), rtol=1e-6)
    assert L2NORM(cp.asarray(x), out, axis=1) is out
    stream = cp.cuda.Stream()
    found = L2NORM(cp.asarray(x), axis=1, stream=stream)
    stream.synchronize()
    np.testing.assert_allclose(cp.asnumpy(found), norm(x, 1), rtol=1e-6)


def test_nothing_to_reduce():
    np.testing.assert_array_equal(cp.asnumpy(L2NORM(cp.zeros((2, 0)), axis=1)), [0, 0])
    assert L2NORM(cp.zeros((0, 2)), axis=1).shape == (0,)
    with pytest.raises(ValueError, match="no identity"):
        LARGEST(cp.zeros((2, 0)), axis=1)


def test_attributes():
    assert (LAYER.nin, LAYER.nout, LAYER.nargs, LAYER.name) == (3, 1, 4, "layer")
    assert LAYER.identity == "0"
    assert LARGEST.identity == ""
    assert "layer" in repr(LAYER)


def test_bad_input():
    x, d = cp.ones((2, 3), "f"), cp.ones((2, 3))
    for call, error, words in (
        (lambda: LAYER(x, x), TypeError, "takes 3, or 4 with outputs, but 2"),
        (lambda: LAYER(x, d, 0), TypeError, "one type T"),
        (lambda: L2NORM(x, axis=2), np.exceptions.AxisError, "axis 2"),
        (lambda: L2NORM(x, axis=(0, 0)), ValueError, "duplicate"),
        (lambda: L2NORM(x, cp.ones(3, "f"), axis=1), ValueError, "Out shape"),
        (lambda: L2NORM(x, cp.ones(2, "f"), out=cp.ones(2, "f"), axis=1), ValueError, "both"),
        (lambda: L2NORM(x, axis=1, out=cp.ones(2)), TypeError, "one type T"),
        (lambda: L2NORM(np.ones(3)), HostArrayError, "asarray"),
        (lambda: L2NORM(3.0), ValueError, "no array to reduce"),
        (
            lambda: cp.ReductionKernel("T x", "T y, T z", "x", "a", "y = a", 0),
            ValueError,
            "one out",
        ),
        (lambda: cp.ReductionKernel("raw T x", "T y", "x", "a", "y = a", 0), ValueError, "not raw"),
        (lambda: cp.ReductionKernel("T x", "T y", 5, "a", "y = a", 0), TypeError, "map_expr"),
    ):
        with pytest.raises(error, match=words):
            call()
    wrong = cp.ReductionKernel("T x", "T y", "x", "a +", "y = a", 0, "wrong")
    with pytest.raises(CompileError):
        wrong(x)


# The element's number is computed from its coordinates, so operands of every layout must agree.
@pytest.mark.parametrize("axis", [None, 0, 1, 2, (0, 2), (2, 0), ()])
@pytest.mark.parametrize("shape", [(3, 5, 8), (2, 3, 700), (300, 2, 3)])
def test_numbers_of_elements(axis, shape):
    x = np.arange(np.prod(shape)).reshape(shape) * 7 % 1009
    axes = tuple(range(3)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    order = (*sorted(axes), *[i for i in range(3) if i not in axes])
    results = int(np.prod([shape[i] for i in order[len(axes) :]]))
    in_front = np.arange(x.size).reshape([shape[i] for i in order])  # with the reduced axes
    number = in_front.transpose(np.argsort(order))
    kernel = cp.ReductionKernel(
        "T x, int64 k",
        "int64 y",
        "x * _J + _j * k - _i + _in_ind.size() * _out_ind.size()",
        "a + b",
        "y = a",
        "0",
        "numbered",
    )
    for host, array in ((x, cp.asarray(x)), (x[:, ::-1], cp.asarray(x)[:, ::-1])):
        wanted = host * (number // results) + number * 3 - number % results + x.size * results
        found = kernel(array, 3, axis=axis)
        np.testing.assert_array_equal(cp.asnumpy(found), wanted.sum(axes))


def test_coordinates_of_elements():
    x = np.arange(24.0).reshape(2, 3, 4)
    kernel = cp.ReductionKernel(
        "T x",
        "int64 y",
        "(long long)(x + 100 * _in_ind.get()[0] + 10000 * _in_ind.get()[1] + "
        "1000000 * _in_ind.get()[2]) + 0 * _in_ind.shape()[1]",
        "max(a, b)",
        "y = a",
        "0",
        "located",
    )
    first, second, third = np.indices(x.shape)
    for axis, order in ((1, (second, first, third)), (None, (first, second, third))):
        wanted = (x + 100 * order[0] + 10000 * order[1] + 1000000 * order[2]).max(axis)
        assert (cp.asnumpy(kernel(cp.asarray(x), axis=axis)) == wanted).all()
    row = np.arange(4.0)
    kernel(cp.asarray(row))  # one dimension


def test_index_of_the_largest():
    pair = cp.ReductionKernel(
        "T x",
        "int64 y",
        "Pair(x, _J)",
        "a.value < b.value || (a.value == b.value && a.index > b.index) ? b : a",
        "y = a.index",
        None,
        "largest_at",
        reduce_type="Pair",
        preamble="struct Pair { double value; long long index; __device__ Pair() {}"
        " __device__ Pair(double v, long long i) : value(v), index(i) {} };",
    )
    x = np.random.default_rng(3).integers(0, 50, (70, 90)).astype("f8")
    for axis in (None, 0, 1):
        assert (cp.asnumpy(pair(cp.asarray(x), axis=axis)) == x.argmax(axis)).all()


def test_how_many_there_are():
    mean = cp.ReductionKernel(
        "T x", "T y", "x / (_in_ind.size() / _out_ind.size())", "a + b", "y = a", "0", "mean"
    )
    x = np.arange(12.0).reshape(3, 4)
    np.testing.assert_allclose(cp.asnumpy(mean(cp.asarray(x), axis=1)), x.mean(1))
