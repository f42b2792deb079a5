"""Selections by rank: partition, argpartition and what finds elements in sorted order."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import gpuarray as cp
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import select as select_kernels
from gpuarray.kernels.select import spec as partitioning
from gpuarray.kernels.sort import spec as sorting
from tests.array.arrays import WIDTHS, raises_as_numpy
from tests.slow import slow_except


@pytest.fixture
def limits(monkeypatch):
    """Many blocks for rows that would have one, and another width of counts, on request."""

    share = select_kernels.launch.WORKSPACE_SHARE

    def choose(row_limit=1, wide_length=select_kernels.launch.WIDE_LENGTH):
        monkeypatch.setattr(select_kernels.launch, "ROW_LIMIT", row_limit)
        monkeypatch.setattr(
            select_kernels.launch, "WORKSPACE_SHARE", 0 if row_limit == 1 else share
        )
        monkeypatch.setattr(select_kernels.launch, "WIDE_LENGTH", wide_length)
        current.stream.drop_plans()

    yield choose
    current.stream.drop_plans()


def keys(dtype, shape, rng):
    """Values with ties, both zeros, infinities and NaN of either sign."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        whole = rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
        return np.where(rng.random(shape) < 0.5, whole, rng.integers(0, 9, shape).astype(dtype))
    if dtype.kind == "c":
        part = np.dtype(f"f{dtype.itemsize // 2}")
        parts = rng.integers(-3, 3, (*shape, 2)).astype(part)
        parts[rng.random(parts.shape) < 0.1] = np.nan
        return parts.view(dtype)[..., 0]
    result = rng.standard_normal(shape).astype(dtype)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 0.0], dtype)
    return np.where(rng.random(shape) < 0.4, rng.choice(special, shape), result)


def is_less(a, b):
    """NumPy's order of sorted elements: NaN last."""
    return np.less(a, b) | (~np.isnan(a) & np.isnan(b)) if a.dtype.kind == "f" else a < b


def split(row, kth):
    """The positions of a row in the order of the classes around the elements at ranks."""
    ordered = np.sort(row)
    classes = np.zeros(row.shape, int)
    for place in sorted({*kth}):
        pivot = np.full(row.shape, ordered[place])
        classes += (~is_less(row, pivot)).astype(int) + is_less(pivot, row)
    return np.argsort(classes, kind="stable")


def check(x, kth):
    """Elements keep their order in each class, so the result is known to the bit."""
    ranks = np.atleast_1d(kth) % x.shape[-1]
    flat = x.reshape(-1, x.shape[-1])
    order = np.array([split(row, ranks) for row in flat]).reshape(x.shape)
    device = cp.asarray(x)
    assert cp.partition(device, kth).get().tobytes() == np.take_along_axis(x, order, -1).tobytes()
    np.testing.assert_array_equal(cp.argpartition(device, kth).get(), order)
    assert device.get().tobytes() == x.tobytes()


def check_ranks(x, ranks, spread=False):
    values = select_kernels.launch.select_rows(cp.asarray(x), ranks, spread).get()
    expected = np.moveaxis(np.sort(x)[..., ranks], -1, 0)
    if spread:
        expected = np.where(np.isnan(x).any(-1), np.nan, expected)
    assert (values.dtype, values.shape) == (x.dtype, (len(ranks), *x.shape[:-1]))
    np.testing.assert_array_equal(values, expected)


# ---- rows of one block -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype",
    slow_except(["i2"], ["i2", "u4", "i8", "f2", "f8"]),
)
def test_every_dtype_in_one_block(dtype, rng):
    length = sorting.BLOCK_LIMIT[np.dtype(dtype).itemsize] + 37
    x = keys(dtype, (2, length), rng)
    check(x, length // 3)
    check_ranks(x, [length // 2, 5, length - 1])


@pytest.mark.parametrize("dtype", slow_except(["u1", "i8", "f2", "c16"], WIDTHS))
def test_short_rows(dtype, rng):
    x = keys(dtype, (3, 4, 50), rng)
    check_ranks(x, [20, 0, 49, 20])
    if np.dtype(dtype).kind in "fc":
        check_ranks(x[:1], [20, 3], spread=True)
        check_ranks(np.nan_to_num(x), [20, 3], spread=True)
    for kth in (0, 25, -1, [3, 9], [1, 2, 3]):
        device = cp.asarray(x)
        expected = np.sort(x)
        np.testing.assert_array_equal(cp.partition(device, kth).get()[..., kth], expected[..., kth])
        order = cp.argpartition(device, kth).get()
        np.testing.assert_array_equal(
            np.take_along_axis(x, order, -1)[..., kth], expected[..., kth]
        )


@pytest.mark.slow
def test_pairs_of_ranks(rng):
    x = keys("f4", (2, 5000), rng)
    for kth in ([7, 4000], [2500, 2501], [-1, 0], [3, 3]):
        check(x, kth)


# ---- rows of many blocks -----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("dtype", slow_except(["f4"], ["i2", "f2", "f4", "f8"]))
def test_every_width_in_many_blocks(dtype, rng, limits):
    limits()
    length = 12345
    x = keys(dtype, (2, length), rng)
    check(x, length // 3)
    check_ranks(x, [length // 2, length // 2 + 1])
    check_ranks(x, [0, 5, 77, 3000, 6000, 9000, length - 1])
    if np.dtype(dtype).kind == "f":
        check_ranks(x, [3, 99], spread=True)
        check_ranks(np.nan_to_num(x), [3, 99], spread=True)


@pytest.mark.parametrize("dtype", slow_except(["i1"], ["?", "i1"]))
def test_ranks_of_bytes(dtype, rng, limits):
    limits()
    x = keys(dtype, (2, 10000), rng)
    check_ranks(x, [0, 4999, 5000, 9999])
    check_ranks(x, [*range(0, 9999, 777)])


@pytest.mark.slow
@pytest.mark.parametrize("dtype", slow_except(["f4"], ["f4", "i8"]))
def test_counts_of_64_bits(dtype, rng, limits):
    limits(wide_length=1)
    x = keys(dtype, (9000,), rng)
    check(x, [4000, 8000])
    check_ranks(x, [1, 2, 4000, 4001, 8999])


@pytest.mark.slow
def test_candidates_are_copied_or_not(rng, limits):
    limits()
    length = 20000
    for k, x in enumerate((
        rng.random(length),  # an eighth of the elements are candidates after a pass
        np.exp(300 * rng.standard_normal(length)),  # few are
        np.full(length, 3.25),  # all are, to the end
        np.where(rng.random(length) < 0.03, 1.0, rng.standard_normal(length) * 1e-200),
        np.arange(length).astype(float),
    )):  # fmt: skip
        for kth in (length // 2, 0, length - 1)[: 3 if k == 1 else 1]:
            check(x, kth)
        check_ranks(x, [length // 2 - 1, length // 2])


def test_rows_that_are_not_aligned(rng, limits):
    for row_limit in (1, 1 << 17):
        limits(row_limit)
        for dtype in ("f2", "f8"):
            x = keys(dtype, (20001,), rng)
            base = cp.asarray(x)
            length = 10000 + 3
            expected = np.sort(x[5 : 5 + length])
            found = select_kernels.launch.select_rows(base[5 : 5 + length], [5000]).get()
            np.testing.assert_array_equal(found[0], expected[5000] * np.nan)
            found = select_kernels.launch.select_rows(base[5 : 5 + length], [17], False).get()
            np.testing.assert_array_equal(found[0], expected[17])


def test_zeros_keep_their_sign(limits):
    for row_limit in (1, 1 << 17):
        limits(row_limit)
        x = np.full(10000, -0.0)
        assert np.signbit(select_kernels.launch.select_rows(cp.asarray(x), [5000]).get()[0])
        x[77] = 0.0
        assert not np.signbit(select_kernels.launch.select_rows(cp.asarray(x), [5000]).get()[0])


def test_more_ranks_than_are_looked_for_together(rng):
    x = keys("f4", (2, 5000), rng)
    ranks = list(range(10, 10 + 10 * (partitioning.MAX_RANKS + 1), 10))
    check_ranks(x, ranks)
    check_ranks(x, ranks, spread=True)


def any_row(data):
    dtype = data.draw(st.sampled_from(["f4", "i4", "u2", "f8"]))
    length = data.draw(st.integers(9000, 13000))
    spread = data.draw(st.sampled_from([1, 5, 1000, 1 << 14]))
    seed = data.draw(st.integers(0, 1 << 30))
    x = np.random.default_rng(seed).integers(0, spread, length).astype(dtype)
    kth = data.draw(st.lists(st.integers(-length, length - 1), min_size=1, max_size=2))
    many = data.draw(st.booleans())
    saved = select_kernels.launch.ROW_LIMIT, select_kernels.launch.WORKSPACE_SHARE
    try:
        select_kernels.launch.ROW_LIMIT, select_kernels.launch.WORKSPACE_SHARE = (
            (1, 0) if many else saved
        )
        current.stream.drop_plans()
        check(x, kth)
        check_ranks(x, [k % length for k in kth])
    finally:
        select_kernels.launch.ROW_LIMIT, select_kernels.launch.WORKSPACE_SHARE = saved
        current.stream.drop_plans()


test_any_row = settings(max_examples=2)(given(st.data())(any_row))
test_many_rows = pytest.mark.slow(settings(max_examples=40)(given(st.data())(any_row)))


# ---- layouts, arguments ------------------------------------------------------------------------


VIEWS = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.T,
    "negative-stride": lambda x: x[::-1, ::-1],
    "offset": lambda x: x[:, 7:4990],
    "strided": lambda x: x[:1, :4999, :1],
    "empty": lambda x: x[:0],
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_layouts_and_axes(view, rng):
    base = rng.integers(-99, 99, (3, 5000, 2)).astype("f4")
    x, y = view(base), view(cp.asarray(base))
    axis = x.shape.index(max(x.shape))
    k = x.shape[axis] // 2
    result = cp.partition(y, k, axis)
    expected = np.take(np.sort(x, axis), k, axis)
    np.testing.assert_array_equal(np.take(result.get(), k, axis), expected)
    np.testing.assert_array_equal(np.sort(result.get(), axis), np.sort(x, axis))
    order = cp.argpartition(y, k, axis).get()
    np.testing.assert_array_equal(np.take_along_axis(x, order, axis), result.get())
    y.partition(k, axis=axis)
    np.testing.assert_array_equal(y.get(), result.get())


def test_the_flattened_array(rng):
    base = rng.integers(-99, 99, (3, 5000, 2)).astype("f4")
    flat = cp.partition(cp.asarray(base), 100, axis=None)
    np.testing.assert_array_equal(flat.get()[100], np.sort(base, axis=None)[100])


def test_a_broadcast_array(rng):
    x = rng.random(5000)
    rows = cp.broadcast_to(cp.asarray(x), (2, 5000))
    np.testing.assert_array_equal(
        cp.partition(rows, 9).get(), np.broadcast_to(x[split(x, [9])], (2, 5000))
    )
    with pytest.raises(ValueError, match="read-only"):
        rows.partition(9)


def test_nothing_to_select():
    for kth in (0, []):
        assert cp.partition(cp.asarray([]), kth).shape == (0,)
    x = np.arange(9000.0)[::-1].copy()
    np.testing.assert_array_equal(np.sort(cp.partition(cp.asarray(x), []).get()), np.sort(x))


test_errors_are_numpys = raises_as_numpy(
    lambda xp: xp.partition(xp.arange(5000), 5000),
    lambda xp: xp.partition(xp.arange(5000), -5001),
    lambda xp: xp.partition(xp.arange(5000), 0.5),
    lambda xp: xp.argpartition(xp.arange(5000), 3, axis=1),
    lambda xp: xp.argpartition(xp.arange(5000), 3, kind="quick"),
    lambda xp: xp.partition(xp.arange(5000), 3, order="x"),
    lambda xp: xp.partition(xp.asarray(3), 0),
    lambda xp: xp.partition(xp.arange(5000), ((1,),)),
    lambda xp: xp.argpartition(xp.arange(5000), [[1, 2], [1, 2]]),
)


def test_ranks_outside_of_rows():
    with pytest.raises(IndexError, match="not in rows of 3"):
        select_kernels.launch.select_rows(cp.arange(3), [3])


# ---- memory and width --------------------------------------------------------------------------


def test_scratch_memory_is_at_most_a_tenth():
    for dtype in ("u1", "f2", "f4", "f8"):
        for ranks in (1, 2, 4, 32):
            for length in (5000, 40_000, select_kernels.launch.ROW_LIMIT + 1, 1_000_000, 1 << 33):
                wide = length >= select_kernels.launch.WIDE_LENGTH
                spec = partitioning.SelectSpec(
                    "pass", dtype, ranks, count="uint64" if wide else "uint32"
                )
                nbytes = length * np.dtype(dtype).itemsize
                copied = nbytes / length * (length / select_kernels.launch.COPY_SHARE + 16)
                if select_kernels.launch._shares_rows(spec, length, few=True):
                    assert partitioning.workspace_bytes(spec) + copied < 0.1 * nbytes
                else:
                    assert length < 2_000_000


def test_many_blocks_share_long_rows_and_few():
    spec = partitioning.SelectSpec("pass", "f4", 1)
    found = [
        [
            select_kernels.launch._shares_rows(spec, length, few)
            for length in (20_000, 100_000, 1 << 18)
        ]
        for few in (False, True)
    ]
    assert found == [[False, False, True], [False, True, True]]


@pytest.mark.emulator
def test_the_kernels_are_clean(xp, rng, monkeypatch):
    host = keys("f4", (2, 9000), rng)
    for row_limit, share in ((1, 0), (1 << 17, select_kernels.launch.WORKSPACE_SHARE)):
        monkeypatch.setattr(select_kernels.launch, "ROW_LIMIT", row_limit)
        monkeypatch.setattr(select_kernels.launch, "WORKSPACE_SHARE", share)
        current.stream.drop_plans()
        with xp.cuda.check("races", "uninit", "barriers"):
            x = xp.asarray(host)
            select_kernels.launch.select_rows(x, [4000, 17])
            xp.partition(x, 4000)
            xp.argpartition(x, [4000, 17])
    current.stream.drop_plans()
