"""Reductions of narrow integers and bools: words of four bytes, sums in 32 bits."""

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.kernels import reduction
from gpuarray.kernels.reduction import tables as reduction_tables
from gpuarray.kernels.reduction.rules import REDUCTIONS

NAMES = ["sum", "mean", "any", "all", "count_nonzero", "max", "min", "argmax", "argmin"]


def numbers(dtype, size, rng):
    x = rng.integers(-130, 300, size)
    return np.where(rng.random(size) < 0.1, 0, x).astype(dtype)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2"])
def test_sizes_and_alignments(dtype, rng):
    for size in (1, 3, 17, 64, 100, 1000, 5003, 150_001):
        x = numbers(dtype, size + 5, rng)
        a = cp.asarray(x)
        for first in (0, 1, 5):
            for name in NAMES:
                expected = np.asarray(getattr(np, name)(x[first:]))
                result = getattr(cp, name)(a[first:])
                assert result.dtype == expected.dtype
                assert result == expected, (name, size, first)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2"])
def test_axes_and_layouts(dtype, rng):
    x = numbers(dtype, (12, 33, 70), rng)
    a = cp.asarray(x)
    views = [(x, a), (x.T, a.T), (x[::-1, ::2], a[::-1, ::2]), (x[:, :, 1:], a[:, :, 1:])]
    for name in NAMES:
        for host, device in views:
            for axis in (None, 0, 1, 2):
                expected = np.asarray(getattr(np, name)(host, axis=axis))
                result = getattr(cp, name)(device, axis=axis)
                assert result.dtype == expected.dtype
                np.testing.assert_array_equal(cp.asnumpy(result), expected, f"{name} {axis}")


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


def test_too_many_elements_for_a_thread(monkeypatch, rng):
    """Where a thread has more elements than fit, it sums in 64 bits."""
    seen = []
    load = reduction.launch.load

    def watched(spec, *args):
        seen.append(spec.partial is not None)
        return load(spec, *args)

    monkeypatch.setattr(reduction.launch, "load", watched)
    x = numbers("i2", 40_003, rng)
    assert cp.asarray(x).sum() == x.sum()
    few = reduction_tables.Partial("i4", 7)
    monkeypatch.setitem(reduction_tables._NARROW_SUMS, "i2", few)
    y = numbers("i2", 40_005, rng)  # a layout of its own: plans are kept
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


@pytest.mark.parametrize("name", ["argmax", "argmin", "max"])
def test_transposed_arrays(name, rng):
    x = np.round(rng.standard_normal((60, 1030)) * 2).astype("f4")
    a = cp.asarray(x)
    views = [
        lambda x: x.T,
        lambda x: x.reshape(60, 10, 103).transpose(1, 0, 2),
        lambda x: x.reshape(60, 10, 103).transpose(2, 1, 0),
        lambda x: x.T[::-1],
        lambda x: x[::-1].T,
        lambda x: x[:, ::-1].T,
        lambda x: x[:, 3:].T,
    ]
    for view in views:
        assert getattr(cp, name)(view(a)) == getattr(np, name)(view(x))
    x[:, 7:] = x.max()
    assert getattr(cp, name)(cp.asarray(x).T) == getattr(np, name)(x.T)
