"""Histograms and counts whose edges, or whose length, the elements themselves decide."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra import numpy as npst

import gpuarray as cp
from tests.array.arrays import raises_alike, same
from tests.slow import slow_except

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]


def check(x, bins, **options):
    """Counts and edges to the bit."""
    counts, edges = cp.histogram(cp.asarray(x), bins, **options)
    expected, expected_edges = np.histogram(x, bins, **options)
    assert edges.dtype == expected_edges.dtype
    np.testing.assert_array_equal(edges.get(), expected_edges)
    assert counts.dtype == expected.dtype
    np.testing.assert_array_equal(counts.get(), expected)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", slow_except(["i1", "u2", "f4", "f8"], DTYPES))
def test_between_the_ends(dtype, rng):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        x = (rng.standard_normal(5001) * 30).astype(dtype)
    else:
        info = np.iinfo(dtype)
        x = rng.integers(info.min // 2, info.max // 2, 5001, dtype)
    for bins in (1, 2, 10, 100, 1000):
        check(x, bins)
    check(x[1:], 33)
    check(x[3::2], 33)
    check(np.array([3], dtype), 5)
    check(np.sort(x), 64)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_elements_that_are_edges(dtype, rng):
    """Where rounding decides, the edges do."""
    for low, high in ((0, 1), (-3, 7), (1000, 1001), (-1e-3, 1e5), (1e6, 1e6 + 8)):
        for bins in (3, 10, 49, 700):
            edges = np.linspace(low, high, bins + 1).astype(dtype)
            x = np.concatenate([edges, np.nextafter(edges[1:-1], edges[:-2])])
            x = np.concatenate([x, np.nextafter(edges[1:-1], edges[2:])])
            if np.any(np.diff(edges) <= 0):
                with pytest.raises(ValueError, match="Too many bins"):
                    cp.histogram(cp.asarray(x), bins)
                continue
            check(x, bins)
            check(x, bins, range=(float(edges[0]), float(edges[-1])))


def test_bins_that_shared_memory_has_no_room_for(rng):
    x = rng.random(4000)
    for bins in (2048, 2049, 9000):
        check(x, bins)
        check(x.astype("f4"), bins)
        check(x, bins, range=(0.25, 0.5))
        check(x, np.linspace(0.1, 0.9, bins + 1))


def test_edges_of_any_width(rng):
    x = rng.integers(-40, 40, 3000)
    for edges in ([0, 1], [-40, 3, 3, 3, 9, 40], np.arange(-50, 50), [0.5, 1.5, 1.5]):
        for dtype in ("f4", "u1"):
            check(x.astype(dtype), edges)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_what_has_no_edges(dtype):
    for values in ([np.nan, 1], [np.inf, 1], [-np.inf, 1], [np.nan], [-np.nan, 0]):
        x = np.array(values, dtype)
        with pytest.raises(ValueError, match="autodetected range"):
            cp.histogram(cp.asarray(x), 3)
    close = np.array([1, np.nextafter(1, 2, dtype=dtype)], dtype)
    with pytest.raises(ValueError, match="Too many bins"):
        cp.histogram(cp.asarray(close), 10)
    with pytest.raises(ValueError, match="positive"):
        cp.histogram(cp.asarray(close), 0)


def test_equal_elements():
    for dtype in ("f4", "u1"):
        check(np.full(100, 7, dtype), 10)
        check(np.zeros(100, dtype), 10)


@settings(max_examples=40, deadline=None)
@given(
    npst.arrays(
        st.sampled_from(["f4", "u8"]).map(np.dtype),
        st.integers(1, 300),
        elements=st.integers(0, 100),
    ),
    st.integers(1, 50),
)
def test_any_histogram(x, bins):
    check(x, bins)


# ---- bincount ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", slow_except(["i1", "u2", "i8"], ["i1", "i4", "i8", "u1", "u2", "u8"])
)
def test_the_greatest_element_decides(dtype, rng):
    for greatest in (0, 5, 127, 600, 2047, 2048, 30000):
        if greatest > np.iinfo(dtype).max:
            continue
        x = rng.integers(0, greatest, 3001, endpoint=True).astype(dtype)
        x[1234] = greatest
        for minlength in (0, 100, 2049):
            counts = cp.bincount(cp.asarray(x), minlength=minlength)
            expected = np.bincount(x, minlength=minlength)
            assert counts.dtype == expected.dtype
            np.testing.assert_array_equal(counts.get(), expected)
        np.testing.assert_array_equal(cp.bincount(cp.asarray(x)[1:-1]).get(), np.bincount(x[1:-1]))


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8"])
def test_negative_elements(dtype):
    for values in ([-1], [3, -1, 5], [np.iinfo(dtype).min, 0]):
        with pytest.raises(ValueError, match="negative"):
            cp.bincount(cp.asarray(np.array(values, dtype)))


def test_blocks_count_less_than_32_bits_hold():
    from gpuarray.kernels.histogram.launch import _blocks

    for size in (1 << 31, 1 << 33, 1 << 40):
        assert size / _blocks(size, 1, 1) < 1 << 32
    assert _blocks(1, 8, 100) == 1
    assert _blocks(1 << 24, 4, 100) == 100


def test_a_short_result_does_not_keep_the_table():
    counts = cp.bincount(cp.asarray([0, 1, 1]))
    assert counts._memory.size <= 512
    np.testing.assert_array_equal(counts.get(), [1, 2])


@pytest.mark.emulator
def test_the_kernels_are_clean(xp, rng):
    host = rng.standard_normal(5000).astype("f4")
    with xp.cuda.check("races", "uninit", "barriers"):
        x = xp.asarray(host)
        xp.histogram(x, 30)
        xp.histogram(x, 30, range=(-1, 1))
        xp.histogram(x, xp.asarray([-1, 0, 2.0]))
        xp.bincount(xp.asarray(rng.integers(0, 900, 5000)))
        xp.bincount(xp.asarray(rng.integers(0, 9, 5000)), xp.asarray(rng.random(5000)))


ESTIMATES = ["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"]


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_except(["auto", "doane", "fd", "stone"], ESTIMATES))
@pytest.mark.filterwarnings("ignore:The number of bins estimated:RuntimeWarning")
def test_estimated_numbers_of_bins(name):
    rng = np.random.default_rng(5)
    for x in (
        rng.standard_normal(300), (rng.standard_normal(200) * 40).astype("i4"),
        rng.random(50).astype("f4"), np.ones(9), np.ones(1), np.zeros(0),
    ):  # fmt: skip
        if name == "stone" and x.size > 60:
            x = x[:60]  # it counts for each number of bins
        check(x, name)
    check(rng.standard_normal(60), name, range=(-1, 1.5))


def test_estimates_that_are_refused():
    x = np.arange(4.0)
    for bins, options in (("none", {}), ("auto", {"weights": x}), ("auto", {"range": (2, 1)})):
        given = {key: cp.asarray(v) if key == "weights" else v for key, v in options.items()}
        raises_alike(
            lambda b=bins, o=options: np.histogram(x, b, **o),
            lambda b=bins, o=given: cp.histogram(cp.asarray(x), b, **o),
        )
    x[1] = np.nan
    raises_alike(lambda: np.histogram(x, "fd"), lambda: cp.histogram(cp.asarray(x), "fd"))


def check_grid(columns, bins, **options):
    """Counts and edges to the bit."""
    on_device = [cp.asarray(x) for x in columns]
    of_bins = [cp.asarray(x) if isinstance(x, np.ndarray) else x for x in bins]
    given = {key: cp.asarray(v) if key == "weights" else v for key, v in options.items()}
    found, edges = cp.histogramdd(on_device, of_bins, **given)
    expected, expected_edges = np.histogramdd(columns, bins, **options)
    same(found, expected)
    for one, other in zip(edges, expected_edges, strict=True):
        assert isinstance(one, cp.ndarray)
        same(one, other)


@pytest.mark.parametrize(
    "dtypes",
    slow_except(
        [("f4", "f8"), ("u1", "i2")],
        [("f8", "f8"), ("f4", "f4"), ("f4", "f8"), ("i4", "f8"), ("u1", "i2")],
    ),
)
def test_grids(dtypes):
    rng = np.random.default_rng(1)
    columns = [(rng.random(2000) * 200).astype(one) for one in dtypes]
    check_grid(columns, [7, 9])
    check_grid(columns, [100, 50])  # more bins than shared memory has room for
    check_grid(columns, [np.array([0.0, 10, 10, 50, 150]), 4], range=[None, (20, 180)])
    check_grid(columns, [5, [0, 50, 51, 200]], weights=rng.integers(0, 9, 2000))
    check_grid([x[:0] for x in columns], [2, 3])
    check_grid([np.full(5, 3, one) for one in dtypes], [2, 3])


def test_grids_of_columns_of_a_matrix():
    points = np.random.default_rng(2).random((300, 3)).astype("f4")
    for array in (points, np.asfortranarray(points)):
        found = cp.histogramdd(cp.asarray(array), 4)
        expected = np.histogramdd(array, 4)
        same(found[0], expected[0])
        same(found[1], expected[1])


def test_grids_that_cannot_be():
    x = np.array([0.0, 1, np.nan])
    y = np.array([0.0, 1, np.inf])
    falling = np.array([0.0, 2, 1])
    for columns, bins in (([x, x], 3), ([y, y], 3), ([x[:2], x[:2]], [falling, 2])):
        given = [cp.asarray(falling), 2] if isinstance(bins, list) else bins
        raises_alike(
            lambda c=columns, b=bins: np.histogramdd(c, b),
            lambda c=columns, b=given: cp.histogramdd([cp.asarray(one) for one in c], b),
        )
    # NaN is in no bin of a range.
    check_grid([x, y], [2, 2], range=[(0, 1), (0, 1)])
