"""Sorts against NumPy: dtypes, lengths on either side of every limit, layouts, arguments."""

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import sort as sort_kernels
from gpuarray.kernels.sort import spec as sorting
from tests.array.arrays import (
    DTYPES,
    KINDS,
    LAYOUTS_3D,
    against_numpy,
    raises_alike,
    raises_as_numpy,
    same,
)
from tests.slow import slow_except


def keys(dtype, shape, rng):
    """Values with ties, both zeros, infinities and NaN of either sign."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    if dtype.kind == "c":
        part = np.dtype(f"f{dtype.itemsize // 2}")
        parts = rng.integers(-3, 3, (*shape, 2)).astype(part)
        parts[rng.random(parts.shape) < 0.1] = np.nan
        return parts.view(dtype)[..., 0]
    result = rng.standard_normal(shape).astype(dtype)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 0.0], dtype)
    return np.where(rng.random(shape) < 0.4, rng.choice(special, shape), result)


def check(x, axis=-1):
    """Bit for bit: equal elements keep their order."""
    order = np.argsort(x, axis, kind="stable")
    expected = np.take_along_axis(x, order, axis)
    device = cp.asarray(x)
    np.testing.assert_array_equal(cp.argsort(device, axis).get(), order)
    assert cp.sort(device, axis).get().tobytes() == expected.tobytes()
    assert device.get().tobytes() == x.tobytes()
    device.sort(axis)
    assert device.get().tobytes() == expected.tobytes()


def descending_order(x, axis=-1):
    """The indices from the greatest to the least: NaN last, and equal elements in their order."""
    nans = np.isnan(x.real) * 2 + np.isnan(x.imag) if x.dtype.kind in "fc" else np.zeros_like(x)
    back = np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
    order = x.shape[axis] - 1 - back
    groups = np.argsort(np.take_along_axis(nans, order, axis), axis, kind="stable")
    return np.take_along_axis(order, groups, axis)


def check_descending(x, axis=-1):
    """The same from the greatest to the least."""
    order = descending_order(x, axis)
    expected = np.take_along_axis(x, order, axis)
    device = cp.asarray(x)
    np.testing.assert_array_equal(cp.argsort(device, axis, descending=True).get(), order)
    assert cp.sort(device, axis, descending=True).get().tobytes() == expected.tobytes()
    assert device.get().tobytes() == x.tobytes()
    np.testing.assert_array_equal(device.argsort(axis, descending=True, stable=True).get(), order)
    device.sort(axis, descending=True)
    assert device.get().tobytes() == expected.tobytes()


@pytest.fixture
def passes(monkeypatch):
    """Rows that do not fit a block are sorted by passes, however few there are."""
    monkeypatch.setattr(sort_kernels.launch, "MERGED_ELEMENTS", 0)
    current.stream.drop_plans()
    yield
    current.stream.drop_plans()


@pytest.mark.parametrize("dtype", slow_except(KINDS, DTYPES))
def test_every_dtype_in_one_block(dtype, rng):
    check(keys(dtype, (7, 150), rng))


@pytest.mark.parametrize(
    "dtype", slow_except(["i1", "f4"], ["?", "i1", "u2", "f2", "f4", "i8", "c16"])
)
def test_every_width_in_many_blocks(dtype, rng, passes):
    length = sorting.BLOCK_LIMIT[np.dtype(dtype).itemsize] + 5
    check(keys(dtype, (2, length), rng))


@pytest.mark.parametrize("dtype", slow_except(KINDS, DTYPES))
def test_descending_in_one_block(dtype, rng):
    check_descending(keys(dtype, (7, 150), rng))


@pytest.mark.parametrize(
    "dtype", slow_except(["u1", "i8"], ["?", "i1", "u1", "u2", "f2", "f4", "i8", "c16"])
)
def test_descending_in_many_blocks(dtype, rng, passes):
    length = sorting.BLOCK_LIMIT[np.dtype(dtype).itemsize] + 5
    check_descending(keys(dtype, (2, length), rng))


@pytest.mark.parametrize("dtype", slow_except(["f4"], ["i2", "f4", "c8"]))
def test_descending_tiles_that_are_merged(dtype, rng):
    limit = sorting.BLOCK_LIMIT[np.dtype(dtype).itemsize]
    check_descending(keys(dtype, (2, limit + 77), rng))


def test_descending_along_other_axes(rng):
    x = keys("f4", (5, 4, 3), rng)
    for axis in (0, 1, -1):
        check_descending(x, axis)
    same(cp.sort(cp.asarray(x), None, descending=True), -np.sort(-x, None))


@pytest.mark.skipif("np.lib.NumpyVersion(np.__version__) < '2.5.0'", reason="came with NumPy 2.5")
@pytest.mark.parametrize("dtype", ["?", "i4", "f2", "f8", "c8"])
def test_descending_is_numpys(dtype, rng):
    x = keys(dtype, (3, 50), rng)
    for stable in (None, True, False):
        for descending in (None, True, False, 1):
            how = {"stable": stable, "descending": descending}
            same(cp.sort(cp.asarray(x), 0, **how), np.sort(x, 0, **how))
            if stable:
                same(cp.argsort(cp.asarray(x), **how), np.argsort(x, **how))


def test_descending_and_a_kind_exclude_each_other():
    x = cp.arange(3)
    for call in (cp.sort, cp.argsort, cp.ndarray.sort, cp.ndarray.argsort):
        for descending in (True, False):
            with pytest.raises(ValueError, match="`kind` and keyword parameters"):
                call(x, kind="stable", descending=descending)


@pytest.mark.parametrize("length", [1, 2, 31, 32, 33, 256, 257, 1000, 4096, 4097, 7297])
def test_lengths(length, rng, passes):
    check(keys("f4", (length,), rng))


@pytest.mark.parametrize(
    "dtype",
    slow_except(["f4", "i8"], [d for d in DTYPES if d not in ("?", "i1", "u1")]),
)
def test_tiles_that_are_merged(dtype, rng):
    limit = sorting.BLOCK_LIMIT[np.dtype(dtype).itemsize]
    check(keys(dtype, (limit + 1,), rng))
    check(keys(dtype, (2, 2 * limit + 77), rng))


@pytest.mark.slow
def test_the_longest_row_that_is_merged(rng):
    longest = sorting.TILES * sorting.BLOCK_LIMIT[8]
    for x in (keys("f8", (longest,), rng), rng.integers(0, 3, longest), np.arange(longest)[::-1]):
        check(x.copy())


@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find_in_merges(rng):
    x = keys("i4", (2, 4500), rng)
    device = cp.asarray(x)
    with cp.cuda.check("races", "uninit", "barriers"):
        order = np.argsort(x, kind="stable")
        np.testing.assert_array_equal(cp.argsort(device).get(), order)
        assert cp.sort(device).get().tobytes() == np.take_along_axis(x, order, -1).tobytes()


@pytest.mark.slow
def test_digits_that_do_not_differ_are_skipped(rng, passes):
    # One, two and three passes are needed, or none: in place, an odd number takes one more.
    for x in (
        rng.integers(0, 200, 5000),
        rng.integers(0, 60000, 5000),
        rng.integers(0, 1 << 20, 5000) << 16,
        np.full(5000, 7),
        np.arange(5000)[::-1].copy(),
    ):
        check(x.astype("i8"))
        check(x.astype("i4"))


@pytest.mark.slow
def test_counts_of_64_bits(rng, monkeypatch, passes):
    monkeypatch.setattr(sort_kernels.launch, "WIDE_LENGTH", 1)
    for dtype in ("u1", "f4"):
        current.stream.drop_plans()
        check(keys(dtype, (9000,), rng))
    current.stream.drop_plans()


def test_width_is_chosen_by_the_length():
    for length, count in ((2**30 - 1, "uint32"), (2**30, "uint64")):
        assert sort_kernels.launch._count_spec("f4", length, "ascending").count == count


def test_rows_in_batches(rng, monkeypatch, passes):
    monkeypatch.setattr(sort_kernels.launch, "BATCH_ELEMENTS", 10000)
    current.stream.drop_plans()
    check(keys("f4", (5, 5000), rng))
    current.stream.drop_plans()


def with_ties_and_nan(shape, dtype, seed):
    x = np.random.default_rng(seed).integers(-9, 9, shape).astype(dtype)
    x[0, 0, 0] = np.nan
    return x


test_layouts = against_numpy(
    lambda xp, x, axis: (xp.sort(x, axis), xp.argsort(x, axis, kind="stable")),
    dtypes=["f4"],
    layouts=LAYOUTS_3D,
    shape=(4, 6, 8),
    make=with_ties_and_nan,
    raises=np.exceptions.AxisError,
    axis=[None, 0, 1, 2, -1],
)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, -3])
@pytest.mark.parametrize("layout", LAYOUTS_3D)
def test_memory_order_and_what_lies_beside(layout, axis):
    """The result is in NumPy's order; a sort in place writes nothing but the view."""
    base = with_ties_and_nan((4, 6, 8), "f4", 0)
    view = LAYOUTS_3D[layout]
    device = cp.asarray(base)
    x, y = view(np, base), view(cp, device)
    if axis is not None and not -x.ndim <= axis < x.ndim:
        return raises_alike(lambda: x.sort(axis), lambda: y.sort(axis))
    if x.size:
        assert cp.sort(y, axis).strides == np.sort(x, axis).strides
    if axis is None or not x.flags.writeable:
        return raises_alike(lambda: x.sort(axis), lambda: y.sort(axis))
    x.sort(axis)
    y.sort(axis)
    same(device, base)


@pytest.mark.parametrize(
    "dtypes",
    slow_except(
        [("f4", "f4"), ("f8", "u1")],
        [("f4", "f4"), ("u1", "?", "i2", "f2"), ("i4", "i1"), ("f8", "u1")],
    ),
)
def test_lexsort_of_short_keys(dtypes, rng):
    """One integer of all keys, where they fit one."""
    for shape in ((1,), (50,), (7, 40), (5000,)):
        keys = [
            rng.integers(-3 if np.dtype(t).kind in "if" else 0, 4, shape).astype(t) for t in dtypes
        ]
        for key in keys:
            if key.dtype.kind == "f":
                key.flat[::7] = np.nan
                key.flat[::5] = -0.0
        found = cp.lexsort([cp.asarray(key) for key in keys])
        np.testing.assert_array_equal(found.get(), np.lexsort(keys))
        found = cp.lexsort([cp.asarray(key)[..., ::-1] for key in keys])
        np.testing.assert_array_equal(found.get(), np.lexsort([key[..., ::-1] for key in keys]))


def test_lexsort(rng):
    stack = rng.integers(0, 3, (3, 4, 50))
    for axis in (0, 1, -1):
        np.testing.assert_array_equal(
            cp.lexsort(cp.asarray(stack), axis).get(), np.lexsort(stack, axis)
        )


def test_partition(rng):
    x = rng.random((3, 40))
    for kth in (5, [0, 39], -1):
        result = cp.partition(cp.asarray(x), kth).get()
        np.testing.assert_array_equal(result[:, kth], np.sort(x)[:, kth])
        order = cp.argpartition(cp.asarray(x), kth).get()
        np.testing.assert_array_equal(np.take_along_axis(x, order, -1), result)
    device = cp.asarray(x)
    device.partition(3, axis=0 - 1)
    np.testing.assert_array_equal(device.get()[:, 3], np.sort(x)[:, 3])


test_sort_complex = against_numpy(
    lambda xp, x: xp.sort_complex(x),
    dtypes=["i1", "u2", "i4", "f4", "f8", "c8"],
    layouts_of=(),
    shape=(9,),
)
test_errors_are_numpys = raises_as_numpy(
    lambda xp: xp.sort(xp.asarray(3)),
    lambda xp: xp.sort(xp.asarray([1, 2]), axis=1),
    lambda xp: xp.sort(xp.asarray([1, 2]), kind="x"),
    lambda xp: xp.sort(xp.asarray([1, 2]), kind="stable", stable=True),
    lambda xp: xp.sort(xp.asarray([1, 2]), order="x"),
    lambda xp: xp.argsort(xp.asarray(3), axis=1),
    lambda xp: xp.partition(xp.asarray([1, 2]), 2),
    lambda xp: xp.partition(xp.asarray([1, 2]), 1.5),
    lambda xp: xp.partition(xp.asarray([1, 2]), 1, kind="x"),
    lambda xp: xp.partition(xp.asarray(3), 0),
    lambda xp: xp.lexsort(()),
    lambda xp: xp.asarray(3).sort(),
)


def test_broadcast_views_are_not_sorted_in_place():
    with pytest.raises(ValueError, match="read-only"):
        cp.broadcast_to(cp.asarray([2, 1]), (3, 2)).sort()


def test_scratch_memory_is_a_copy_and_five_percent(rng):
    length = 200_000
    block, items = sorting.pass_shape("f4", False)
    tiles = -(-length // (block * items))
    nbytes = sorting.workspace_bytes(sorting.SortSpec("count", "f4"), 1, tiles)
    assert nbytes < 0.05 * 4 * length
