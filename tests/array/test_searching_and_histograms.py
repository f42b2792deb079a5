"""searchsorted, bincount, histogram and digitize against NumPy."""

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import search as search_kernels
from gpuarray.kernels.histogram import launch as histogram_launch
from gpuarray.kernels.search.spec import ALL_LEVELS, TOP_LEVELS
from tests.array.arrays import WIDTHS, raises_as_numpy, same
from tests.slow import slow_except


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", slow_except(["u1", "i8", "f2", "c16"], WIDTHS))
def test_searchsorted(dtype, side, rng):
    x = rng.integers(0, 9, 40).astype(dtype)
    if x.dtype.kind in "fc":
        x[::9] = np.nan
    x = np.sort(x)
    values = rng.integers(0, 10, (7, 9)).astype(dtype)
    for v in (values, values[:2, ::2].T):
        same(cp.searchsorted(cp.asarray(x), cp.asarray(v), side), np.searchsorted(x, v, side))


def test_searchsorted_of_long_arrays_and_other_dtypes(rng):
    x = np.sort(rng.random((1 << ALL_LEVELS[8]) + 3))
    v = rng.random(3000).astype("f4")
    same(cp.searchsorted(cp.asarray(x), cp.asarray(v)), np.searchsorted(x, v))
    same(cp.searchsorted(cp.asarray(x), 0.5), np.searchsorted(x, 0.5))
    same(cp.searchsorted(cp.asarray(x[:0]), cp.asarray(v)), np.searchsorted(x[:0], v))
    same(cp.asarray(x).searchsorted(cp.asarray(v[:0])), np.searchsorted(x, v[:0]))
    mixed = rng.permutation(50)
    found = cp.searchsorted(cp.asarray(mixed), 3, sorter=cp.argsort(cp.asarray(mixed)))
    same(found, np.searchsorted(mixed, 3, sorter=np.argsort(mixed)))


@pytest.mark.parametrize("dtype", slow_except(["f4", "c8"], ["u1", "f4", "u8", "c8"]))
def test_searchsorted_of_every_height(dtype, rng):
    """Trees that are full, that lack a leaf, that are not in shared memory, and the greatest key."""
    dtype = np.dtype(dtype)
    for length in (1, 2, 3, 4, 7, 8, 63, 64, 1000, 4095, 4096, 5000, 9001):
        x = rng.integers(0, 100, length).astype(dtype)
        v = rng.integers(0, 101, 700).astype(dtype)
        greatest = np.iinfo(dtype).max if dtype.kind in "iu" else np.nan
        x[length // 2 :: 3] = greatest
        v[::7] = greatest
        x = np.sort(x)
        for side in ("left", "right"):
            found = cp.searchsorted(cp.asarray(x), cp.asarray(v), side)
            same(found, np.searchsorted(x, v, side), context=(length, side))
        few = v[: 1 << TOP_LEVELS - 1]
        found = cp.searchsorted(cp.asarray(x), cp.asarray(few), side)
        same(found, np.searchsorted(x, few, side), context=(length, side))


@pytest.mark.parametrize("dtype", slow_except(["f4"], ["f4", "i8"]))
def test_searchsorted_of_very_many_values(dtype, rng, monkeypatch):
    """The topmost levels in the shared memory of a whole multiprocessor, the last ones at once."""
    monkeypatch.setattr(search_kernels.launch, "_COPIED_WIDELY", 10**9)
    dtype = np.dtype(dtype)
    for length in (1 << 13, 20000, 40001, (1 << 17) - 1):
        x = rng.integers(0, 3 * length, length).astype(dtype)
        greatest = np.iinfo(dtype).max if dtype.kind in "iu" else np.nan
        x[:5] = greatest
        x = np.sort(x)
        v = rng.integers(0, 3 * length, 2000).astype(dtype)
        v = np.concatenate([v, x[:: length // 100], x[-7:], np.array([greatest, 0], dtype)])
        for start in (0, 1):  # of an array whose last levels are aligned, and of one that is not
            part, values = cp.asarray(x)[start:], cp.asarray(v)
            for side in ("left", "right"):
                found = cp.searchsorted(part, values, side)
                same(found, np.searchsorted(x[start:], v, side), context=(length, start, side))


def test_bincount(rng):
    for dtype in ("?", "i1", "u1", "i2", "u4", "i8"):
        x = rng.integers(0, 2 if dtype == "?" else 100, 3000).astype(dtype)
        same(cp.bincount(cp.asarray(x)), np.bincount(x), context=dtype)
    for limit in (50, 1500, 20000):
        x = rng.integers(0, limit, 3000)
        weights = rng.integers(0, 9, 3000).astype("f4")
        same(cp.bincount(cp.asarray(x)[::2]), np.bincount(x[::2]))
        same(cp.bincount(cp.asarray(x), cp.asarray(weights)), np.bincount(x, weights))
        same(cp.bincount(cp.asarray(x), minlength=30000), np.bincount(x, minlength=30000))
    same(cp.bincount(cp.asarray(x[:0]), minlength=3), np.bincount(x[:0], minlength=3))


@pytest.mark.filterwarnings("ignore:Converting input from bool")
@pytest.mark.parametrize(
    "dtype", slow_except(["?", "i1", "f4"], ["?", "i1", "i8", "f2", "f4", "f8"])
)
def test_histogram(dtype, rng):
    x = (rng.standard_normal(2000) * 20).astype(dtype)
    edges = np.array([-3, 0, 9])
    for options in (
        {},
        {"bins": 37},
        {"bins": 7, "range": (-5, 11.5)},
        {"bins": [-10, -1, 0, 3.5, 40]},
        {"bins": edges},
        {"density": True},
    ):
        given = dict(options)
        if given.get("bins") is edges:
            given["bins"] = cp.asarray(edges)
        counts, bins = cp.histogram(cp.asarray(x), **given)
        expected = np.histogram(x, **options)
        same(bins, expected[1], context=options)
        if "density" in options:
            np.testing.assert_allclose(counts.get(), expected[0])
        else:
            same(counts, expected[0], context=options)


def test_histogram_of_weights(rng):
    x = rng.random(500)
    for weights in (rng.integers(0, 9, 500), rng.integers(0, 9, 500) * (1 + 2j)):
        counts, _ = cp.histogram(cp.asarray(x), bins=[0, 0.2, 1], weights=cp.asarray(weights))
        same(counts, np.histogram(x, bins=[0, 0.2, 1], weights=weights)[0])


@pytest.mark.parametrize("edges", [[], [1.0]], ids=["no edge", "one edge"])
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_histogram_without_bins(edges):
    for x in (np.arange(5.0), np.arange(5), np.empty(0)):
        weights = np.ones(x.shape, "c8")
        for options in ({}, {"density": True}, {"weights": weights}, {"weights": weights.real}):
            given = {k: cp.asarray(v) if k == "weights" else v for k, v in options.items()}
            for bins in (edges, cp.asarray(edges)):
                same(
                    cp.histogram(cp.asarray(x), bins, **given),
                    np.histogram(x, edges, **options),
                    context=(x, options),
                )
        same(cp.histogram_bin_edges(cp.asarray(x), edges), np.histogram_bin_edges(x, edges))


@pytest.mark.parametrize(
    "edges", [[0, np.nan], [0, np.nan, 2], [np.nan, 2], [1, 2, np.nan], [np.nan, np.nan]], ids=str
)
def test_edges_that_are_nan(edges):
    """NaN comes last, as in a sort: a bin up to NaN has all that is left."""
    for x in (
        np.array([1.0, 2, 3, np.nan, 0.5]),
        np.array([3, 1, 2]),
        np.empty(0, "f4"),
        np.array([2.5], "f2"),
    ):
        for weights in (None, np.arange(x.size) + 0.5, np.arange(x.size)):
            given = None if weights is None else cp.asarray(weights)
            counts, found = cp.histogram(cp.asarray(x), cp.asarray(edges), weights=given)
            expected, expected_edges = np.histogram(x, edges, weights=weights)
            same(counts, expected)
            same(found, expected_edges)


def test_digitize():
    x = np.array([[-1, 0, 0.5], [1, 2.5, 4], [5, np.nan, 2]])
    for bins in ([0, 1, 2.5, 4], [4, 2.5, 1, 0], [1]):
        for right in (False, True):
            same(cp.digitize(cp.asarray(x), cp.asarray(bins), right), np.digitize(x, bins, right))


test_errors_are_numpys = raises_as_numpy(
    lambda xp: xp.bincount(xp.asarray([-1, 2])),
    lambda xp: xp.bincount(xp.asarray([1.0])),
    lambda xp: xp.bincount(xp.asarray([[1]])),
    lambda xp: xp.bincount(xp.asarray(1)),
    lambda xp: xp.bincount(xp.asarray([1]), minlength=-1),
    lambda xp: xp.bincount(xp.asarray([1]), xp.asarray([1, 2])),
    lambda xp: xp.histogram(xp.asarray([np.nan, 1])),
    lambda xp: xp.histogram(xp.asarray([1, 2.0]), [3, 1]),
    lambda xp: xp.histogram(xp.asarray([1, 2.0]), 0),
    lambda xp: xp.histogram(xp.asarray([1, 2.0]), range=(3, 1)),
    lambda xp: xp.digitize(xp.asarray([1.0]), xp.asarray([1, 3, 2])),
    lambda xp: xp.searchsorted(xp.asarray([[1]]), 1),
    lambda xp: xp.searchsorted(xp.asarray([1]), 1, "x"),
)


@pytest.mark.parametrize("dtype", ["f4", "i8"])
def test_many_values_in_a_long_array(dtype, rng, monkeypatch):
    # More levels are copied to shared memory where so many values are looked for.
    itemsize = np.dtype(dtype).itemsize
    assert search_kernels.launch._room(10**6, 10**7, itemsize, 132) == ALL_LEVELS[itemsize]
    assert search_kernels.launch._room(10**6, 10**6, itemsize, 132) == TOP_LEVELS
    assert search_kernels.launch._room(1000, 10**5, itemsize, 132) == ALL_LEVELS[itemsize]
    assert search_kernels.launch._room(10**6, 100, itemsize, 132) == 0
    monkeypatch.setattr(search_kernels.launch, "_SPARED", 0)
    x = np.sort((rng.random(9001) * 6000).astype(dtype))
    v = (rng.random(9000) * 6000).astype(dtype)
    for side in ("left", "right"):
        found = cp.searchsorted(cp.asarray(x), cp.asarray(v), side)
        np.testing.assert_array_equal(found.get(), np.searchsorted(x, v, side))


@pytest.fixture(params=[False, True], ids=["many-blocks", "one-block"])
def blocks(request, monkeypatch):
    """Histograms of any size by one block, or by many."""
    monkeypatch.setattr(histogram_launch, "ALONE_BYTES", 1 << 30 if request.param else 0)
    current.stream.drop_plans()
    yield
    current.stream.drop_plans()


@pytest.mark.parametrize("dtype", slow_except(["f4"], ["i1", "i8", "f4"]))
def test_histograms_between_ends(dtype, blocks, rng):
    x = (rng.standard_normal((70, 91)) * 50).astype(dtype)
    for y in (x, x[:, ::2], x[:1, :1], x * 0):
        for bins in (1, 10, 300) if y is x else (10,):
            same(cp.histogram(cp.asarray(y), bins), np.histogram(y, bins), context=bins)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_no_histogram_between_ends_that_are_not_finite(bad, blocks):
    x = np.ones(5000, "f4")
    x[4321] = bad
    with pytest.raises(ValueError, match="finite"):
        cp.histogram(cp.asarray(x), 10)


@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find_in_histograms(rng):
    x = cp.asarray(rng.random(5000))
    with cp.cuda.check("races", "uninit", "barriers"):
        count, edges = cp.histogram(x, 100)
        expected = np.histogram(x.get(), 100)
        same(count, expected[0])
        same(edges, expected[1])
