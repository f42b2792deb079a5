"""Reductions of narrow integers and bools: words of four bytes, sums in 32 bits."""

import itertools

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.kernels import reduction
from gpuarray.kernels.reduction import tables as reduction_tables
from gpuarray.kernels.reduction.rules import REDUCTIONS
from tests.array.arrays import LAYOUTS_3D, against_numpy

NAMES = ["sum", "mean", "any", "all", "count_nonzero", "max", "min", "argmax", "argmin"]


DTYPES = ["?", "i1", "u1", "i2"]


def numbers(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.integers(-130, 300, shape)
    return np.asarray(np.where(rng.random(shape) < 0.1, 0, x).astype(dtype))


def reductions(xp, x, axis=None):
    return {name: getattr(xp, name)(x, axis=axis) for name in NAMES}


def lines(sizes):
    """Views of so many elements that begin at any address of a word."""
    return {
        f"{size}-from-{first}": lambda xp, a, size=size, first=first: a[first : first + size]
        for size, first in itertools.product(sizes, (0, 1, 5))
    }


def of_sizes(*sizes, dtypes=(*DTYPES, "u2")):
    return against_numpy(
        lambda xp, x: reductions(xp, x),
        dtypes=dtypes,
        layouts=lines(sizes),
        layouts_of=dtypes,
        shape=(max(sizes) + 5,),
        make=numbers,
    )


SIZES = (1, 3, 17, 64, 100, 1000, 5003)

test_sizes_and_alignments = of_sizes(*SIZES, dtypes=["i1"])
test_sizes_and_alignments_of_other_dtypes = of_sizes(5003, dtypes=["?", "i2"])
test_sizes_and_alignments_of_unsigned_dtypes = pytest.mark.slow(of_sizes(5003, dtypes=["u1", "u2"]))
test_sizes_and_alignments_of_all_dtypes = pytest.mark.slow(
    of_sizes(*SIZES[:-1], dtypes=["?", "u1", "i2", "u2"])
)
test_alignments_of_many_blocks = pytest.mark.slow(of_sizes(150_001))


def of_shape(*shape, dtypes=DTYPES, names=("contiguous", "transposed", "strided", "offset")):
    return against_numpy(
        lambda xp, x, axis: reductions(xp, x, axis),
        dtypes=dtypes,
        layouts={name: LAYOUTS_3D[name] for name in names},
        layouts_of=dtypes,
        shape=shape,
        make=numbers,
        axis=[None, 0, 1, 2],
    )


test_axes = pytest.mark.slow(of_shape(4, 9, 70, dtypes=["i1"], names=["contiguous"]))
test_layouts = pytest.mark.slow(
    of_shape(4, 9, 70, dtypes=["i1"], names=["transposed", "strided", "offset"])
)
test_axes_of_bools = pytest.mark.slow(of_shape(4, 9, 70, dtypes=["?"], names=["contiguous"]))
test_axes_of_other_dtypes = pytest.mark.slow(
    of_shape(4, 9, 70, dtypes=["u1", "i2"], names=["contiguous"])
)
test_axes_and_layouts_of_all_dtypes = pytest.mark.slow(
    of_shape(4, 9, 70, dtypes=["?", "u1", "i2"], names=["transposed", "strided", "offset"])
)
test_axes_and_layouts_of_several_blocks = pytest.mark.slow(of_shape(12, 33, 70))


def test_bools_that_are_other_bytes(rng):
    """Every byte but 0 is true, as in NumPy."""
    x = rng.integers(0, 256, 5000).astype("u1")
    x[rng.random(5000) < 0.3] = 0
    a = cp.asarray(x).view("?")
    assert a.sum() == cp.count_nonzero(a) == np.count_nonzero(x)
    full = cp.asarray(np.full(5000, 128, "u1")).view("?")
    assert full.all()
    assert full.min()
    assert full.sum() == 5000
    full[4998] = False
    assert not full.all()
    assert full.any()


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "?"])
def test_extreme_sums(dtype):
    ends = [True] if dtype == "?" else [np.iinfo(dtype).min, np.iinfo(dtype).max]
    for value in ends:
        x = np.full((3, 40_000), value, dtype)
        for axis in (None, 0, 1):
            assert (cp.sum(cp.asarray(x), axis) == cp.asarray(x.sum(axis))).all()


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2"])
def test_a_thread_combines_no_more_than_fits(dtype):
    """The most elements of the least and the greatest value fit 32 bits, one more would not do."""
    partial = reduction_tables.partial("add", dtype, "i8")
    limits, narrow = np.iinfo(dtype), np.iinfo(partial.dtype)
    assert partial.most * int(limits.max) <= narrow.max
    assert partial.most * int(limits.min) >= narrow.min


def test_too_many_elements_for_a_thread(monkeypatch):
    """Where a thread has more elements than fit, it sums in 64 bits."""
    seen = []
    load = reduction.launch.load

    def watched(spec, *args):
        seen.append(spec.partial is not None)
        return load(spec, *args)

    monkeypatch.setattr(reduction.launch, "load", watched)
    x = numbers(40_003, "i2")
    assert cp.asarray(x).sum() == x.sum()
    few = reduction_tables.Partial("i4", 7)
    monkeypatch.setitem(reduction_tables._NARROW_SUMS, "i2", few)
    y = numbers(40_005, "i2")  # a layout of its own: plans are kept
    assert cp.asarray(y).sum() == y.sum()
    assert seen == [True, False]


def test_which_dtypes_are_narrow():
    sums = REDUCTIONS["add"]
    int64, int8 = np.dtype("i8"), np.dtype("i1")
    assert sums._computation(int8, int64, int64, None).packed
    # A sum that wraps around in the narrow dtype does so for every element.
    assert not sums._computation(int8, int8, int8, None).packed
    assert cp.sum(cp.full(300, 100, "i1"), dtype="i1") == np.sum(
        np.full(300, 100, "i1"), dtype="i1"
    )


TRANSPOSED = {
    "transposed": lambda xp, a: a.T,
    "permuted": lambda xp, a: a.reshape(60, 10, 103).transpose(1, 0, 2),
    "transposed-3-d": lambda xp, a: a.reshape(60, 10, 103).transpose(2, 1, 0),
    "reversed": lambda xp, a: a.T[::-1],
    "of-reversed-rows": lambda xp, a: a[::-1].T,
    "of-reversed-columns": lambda xp, a: a[:, ::-1].T,
    "offset": lambda xp, a: a[:, 3:].T,
}


def normal(shape, dtype, seed):
    return np.round(np.random.default_rng(seed).standard_normal(shape) * 2).astype(dtype)


def with_ties(shape, dtype, seed):
    x = normal(shape, dtype, seed)
    x[:, 7:] = x.max()
    return x


def of_transposed(make):
    return against_numpy(
        lambda xp, x: {name: getattr(xp, name)(x) for name in ("argmax", "argmin", "max")},
        dtypes=["f4"],
        layouts=TRANSPOSED,
        shape=(60, 1030),
        make=make,
    )


test_transposed_arrays = of_transposed(normal)
test_transposed_arrays_with_ties = of_transposed(with_ties)
