"""median, quantile, percentile and ptp against NumPy."""

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ops.order_statistics import METHODS


def same(result, expected, context=""):
    result, expected = result.get(), np.asarray(expected)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape), context
    tolerance = {"e": 1e-3, "f": 2e-6, "F": 2e-6}.get(expected.dtype.char, 1e-12)
    wide = "c16" if expected.dtype.kind == "c" else "f8"
    np.testing.assert_allclose(
        result.astype(wide), expected.astype(wide), tolerance, err_msg=str(context)
    )


@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "f2", "f4", "f8", "c8"])
def test_median(dtype, rng):
    x = rng.integers(0, 2 if dtype == "?" else 100, (5, 4, 6)).astype(dtype)
    if x.dtype.kind in "fc":
        x[1, 2, 3] = np.nan
    for axis in (None, 0, 1, -1, (0, 1), (2, 0)):
        same(cp.median(cp.asarray(x), axis), np.median(x, axis), axis)
    same(cp.median(cp.asarray(x), 1, keepdims=True), np.median(x, 1, keepdims=True))
    if dtype != "?":
        same(cp.ptp(cp.asarray(x), 1), np.ptp(x, 1))


@pytest.mark.parametrize("method", METHODS)
def test_quantile(method, rng):
    for dtype in ("i4", "f4"):
        x = (rng.integers(0, 100, (7, 5)) * (1 if dtype == "i4" else 0.37)).astype(dtype)
        with_nan = x.copy()
        if dtype == "f4":
            with_nan[2, 3] = np.nan
        for q in (0, 0.3, [0.1, 0.5, 1], np.array([[0.25, 0.5], [0, 0.99]])):
            context = (dtype, q)
            expected = np.quantile(x, q, axis=0, method=method)
            same(cp.quantile(cp.asarray(x), q, axis=0, method=method), expected, context)
            expected = np.quantile(with_nan, q, axis=1, method=method)
            same(cp.quantile(cp.asarray(with_nan), q, axis=1, method=method), expected, context)


def test_percentile(rng):
    x = rng.random((7, 5))
    expected = np.percentile(x, [10, 95.5], axis=0, keepdims=True)
    same(cp.percentile(cp.asarray(x), [10, 95.5], axis=0, keepdims=True), expected)
    same(cp.percentile(cp.asarray(x), 50), np.percentile(x, 50))
    out = cp.empty(5)
    assert cp.percentile(cp.asarray(x), 50, axis=0, out=out) is out
    same(out, np.percentile(x, 50, axis=0))


def test_median_of_nothing():
    with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
        assert np.isnan(float(cp.median(cp.asarray([]))))


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.quantile(m.asarray([1.0, 2]), 2),
        lambda m: m.percentile(m.asarray([1.0, 2]), -1),
        lambda m: m.quantile(m.asarray([1j]), 0.5),
        lambda m: m.quantile(m.asarray([1.0]), 0.5, method="x"),
        lambda m: m.quantile(m.asarray([]), 0.5),
        lambda m: m.quantile(m.asarray([True, False]), 0.5),
        lambda m: m.median(m.asarray([[1, 2]]), axis=(0, 0)),
    ],
)
def test_errors_are_numpys(call):
    with pytest.raises(Exception) as expected:
        call(np)
    with pytest.raises(expected.type):
        call(cp)
