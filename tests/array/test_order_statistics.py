"""median, quantile, percentile and ptp against NumPy."""

import contextlib
import warnings

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import against_numpy, raises_as_numpy, same, values

METHODS = [
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "linear",
    "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest",
]  # fmt: skip
ULPS = {"e": 1, "f": 16, "d": 16}


def with_nan(shape, dtype, seed):
    x = values(shape, dtype, seed)
    if x.dtype.kind in "fc":
        x[-2, -3] = np.nan
    return x


test_median = against_numpy(
    lambda xp, x, axis: xp.median(x, axis),
    dtypes=["?", "i1", "i8", "f2", "f4", "f8", "c8"],
    layouts_of=(),
    shape=(5, 4, 6),
    make=with_nan,
    ulps=ULPS,
    axis=[1],
)
test_median_of_axes = against_numpy(
    lambda xp, x, axis: xp.median(x, axis),
    dtypes=["i1", "f4"],
    layouts_of=(),
    shape=(5, 4, 6),
    make=with_nan,
    ulps=ULPS,
    axis=[None, 0, -1, (0, 1), (2, 0)],
)
test_median_and_ptp = against_numpy(
    lambda xp, x: (xp.median(x, 1, keepdims=True), xp.ptp(x, 1)),
    dtypes=["i1", "f2", "c8"],
    layouts_of=(),
    shape=(5, 4, 6),
    make=with_nan,
    ulps=ULPS,
)


def quantiles(make, axis):
    return against_numpy(
        lambda xp, x, method: [
            xp.quantile(x, q, axis=axis, method=method)
            for q in (0, 0.3, [0.1, 0.5, 1], xp.asarray([[0.25, 0.5], [0, 0.99]]))
        ],
        dtypes=["i4", "f4"],
        layouts_of=(),
        shape=(7, 5),
        make=make,
        ulps=ULPS,
        method=METHODS,
    )


test_quantile = quantiles(values, 0)
test_quantile_of_nan = quantiles(with_nan, 1)


def test_percentile(rng):
    x = rng.random((7, 5))
    expected = np.percentile(x, [10, 95.5], axis=0, keepdims=True)
    same(cp.percentile(cp.asarray(x), [10, 95.5], axis=0, keepdims=True), expected, ulps=ULPS)
    same(cp.percentile(cp.asarray(x), 50), np.percentile(x, 50), ulps=ULPS)
    out = cp.empty(5)
    assert cp.percentile(cp.asarray(x), 50, axis=0, out=out) is out
    same(out, np.percentile(x, 50, axis=0), ulps=ULPS)


@pytest.mark.parametrize("dtype", ["u1", "f4", "c8"])
@pytest.mark.parametrize("name", ["median", "nanmedian"])
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_a_median_is_stored_with_any_cast(name, dtype):
    x = values((5, 4), dtype)
    for kind in ("i2", "f2"):
        out, expected = cp.empty(4, kind), np.empty(4, kind)
        assert getattr(cp, name)(cp.asarray(x), 0, out=out) is out
        getattr(np, name)(x, 0, out=expected)
        same(out, expected)


def test_median_of_nothing():
    with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
        assert np.isnan(float(cp.median(cp.asarray([]))))


test_errors_are_numpys = raises_as_numpy(
    lambda xp: xp.quantile(xp.asarray([1.0, 2]), 2),
    lambda xp: xp.percentile(xp.asarray([1.0, 2]), -1),
    lambda xp: xp.quantile(xp.asarray([1j]), 0.5),
    lambda xp: xp.quantile(xp.asarray([1.0]), 0.5, method="x"),
    lambda xp: xp.quantile(xp.asarray([]), 0.5),
    lambda xp: xp.quantile(xp.asarray([True, False]), 0.5),
    lambda xp: xp.median(xp.asarray([[1, 2]]), axis=(0, 0)),
)


@pytest.mark.parametrize("name", ["quantile", "percentile"])
@pytest.mark.parametrize("method", ["inverted_cdf", "nearest"])
def test_outputs_of_methods_that_select(name, method):
    """NumPy takes elements into the output; until 2.5 it refuses some of a wider dtype."""
    for dtype, kind in (("f8", "i4"), ("i8", "i4"), ("i4", "f8"), ("f4", "f8"), ("i8", "i8")):
        x = np.arange(6).astype(dtype)

        def call(xp, x, kind):
            out = xp.zeros(2, kind)
            q = [30, 70] if name == "percentile" else [0.3, 0.7]
            assert getattr(xp, name)(x, q, method=method, out=out) is out
            return out

        found = call(cp, cp.asarray(x), kind)
        with warnings.catch_warnings(), contextlib.suppress(TypeError):
            # NumPy 2.5 will refuse some of another kind one day.
            warnings.filterwarnings("ignore", "Implicit casting of output", DeprecationWarning)
            same(found, call(np, x, kind), ulps=ULPS)
        same(found, np.quantile(x, [0.3, 0.7], method=method).astype(kind), ulps=ULPS)
