"""Sets against NumPy."""

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._runtime import launch_history
from tests.array.arrays import same
from tests.slow import slow_except

ALL = {"return_index": True, "return_inverse": True, "return_counts": True}


@pytest.mark.parametrize(
    "dtype", slow_except(["i1", "f4", "c8"], ["?", "i1", "u4", "f2", "f4", "f8", "c8"])
)
def test_unique(dtype, rng):
    for shape in ((60,), (5, 7), (0,), (1,)):
        x = rng.integers(0, 2 if dtype == "?" else 9, shape).astype(dtype)
        if x.dtype.kind in "fc" and x.size > 1:
            x.flat[::9] = np.nan
        same(cp.unique(cp.asarray(x)), np.unique(x))
        for result, expected in zip(
            cp.unique(cp.asarray(x), **ALL), np.unique(x, **ALL), strict=True
        ):
            same(result, expected, context=(dtype, shape))
        values, counts = cp.unique(cp.asarray(x), return_counts=True, equal_nan=False)
        expected = np.unique(x, return_counts=True, equal_nan=False)
        same(values, expected[0])
        same(counts, expected[1])


@pytest.mark.parametrize("dtype", slow_except(["f4"], ["u2", "f4"]))
def test_unique_of_several_tiles(dtype, rng):
    for high in (3, 5000):
        x = rng.integers(0, high, 20001).astype(dtype)
        results = cp.unique(cp.asarray(x)[1:], **ALL)
        for result, expected in zip(results, np.unique(x[1:], **ALL), strict=True):
            same(result, expected, context=(dtype, high))


def test_unique_takes_two_launches_more_than_its_sort():
    x = cp.asarray([3, 1, 3])
    for options, most in (({}, 3), ({"return_inverse": True}, 5), (ALL, 8)):
        cp.unique(x, **options)
        launch_history.forget()
        cp.unique(x, **options)
        kernels = [x for x in launch_history._recent if not isinstance(x, launch_history._Ended)]
        assert len(kernels) <= most, (options, kernels)


def test_unique_along_an_axis(rng):
    x = rng.integers(0, 2, (6, 3, 2))
    for axis in (0, 1, 2, -1):
        results = cp.unique(cp.asarray(x), axis=axis, **ALL)
        expected = list(np.unique(x, axis=axis, **ALL))
        expected[2] = np.ravel(expected[2])
        for one, other in zip(results, expected, strict=True):
            same(one, other, context=axis)


@pytest.mark.parametrize("name", ["isin", "intersect1d", "union1d", "setdiff1d", "setxor1d"])
def test_two_sets(name, rng):
    for dtypes in (("i4", "i4"), ("i1", "f4")):
        a, b = (rng.integers(0, 30, n).astype(t) for n, t in zip((20, 15), dtypes, strict=True))
        for x, y in ((a, b), (a, b[:0]), (a[:0], b)):
            result = getattr(cp, name)(cp.asarray(x), cp.asarray(y))
            same(result, getattr(np, name)(x, y), context=(dtypes, len(x), len(y)))


@pytest.mark.parametrize("dtype", slow_except(["f4"], ["?", "u8", "f2", "f4", "c8"]))
def test_isin(dtype, rng):
    x = rng.integers(0, 100, (30, 41)).astype(dtype)
    test = rng.integers(0, 120, 50).astype(dtype)
    if x.dtype.kind in "fc":
        x[::9, ::5] = np.nan
        x[1, :3] = [np.inf, -0.0, 0.0]
        test[:4] = [np.nan, np.inf, 0.0, -np.inf]
    for view in (lambda a: a, lambda a: a.T[::2], lambda a: a[0, 0]):
        element, part = view(x), view(cp.asarray(x))
        for invert in (False, True):
            for tested in (test, test[:1]):
                same(
                    cp.isin(part, cp.asarray(tested), invert=invert),
                    np.isin(element, tested, invert=invert),
                )


def test_indices_of_an_intersection(rng):
    a, b = rng.integers(0, 30, 20), rng.integers(0, 30, 15)
    results = cp.intersect1d(cp.asarray(a), cp.asarray(b), return_indices=True)
    for one, other in zip(results, np.intersect1d(a, b, return_indices=True), strict=True):
        same(one, other)


def test_results_with_names():
    x = cp.asarray([5, 1, 5])
    assert cp.unique_all(x).counts.tolist() == [1, 2]
    assert cp.unique_inverse(x).inverse_indices.tolist() == [1, 0, 1]
    assert cp.unique_counts(x).values.tolist() == [1, 5]
    assert cp.unique_values(x).tolist() == [1, 5]
