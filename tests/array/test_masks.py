"""Masks against NumPy: nonzero, selection and assignment, over layouts, dtypes and tile sizes."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import _layout
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import mask as mask_kernels
from tests.array.arrays import DTYPES, raises_alike, same, values
from tests.slow import slow_except


def masks(shape, rng):
    yield rng.random(shape) < 0.4
    yield np.zeros(shape, bool)
    yield np.ones(shape, bool)


@pytest.fixture
def count_plans():
    """Forget how masks are counted around a test that changes it."""

    current.stream.drop_plans(mask_kernels.launch._plan_count)
    yield
    current.stream.drop_plans(mask_kernels.launch._plan_count)


@pytest.mark.parametrize("shape", [(5000,), (90, 100), (7, 30, 41), (3, 5, 7, 11), (0, 3)])
def test_argwhere(shape, rng):
    for mask in masks(shape, rng):
        for x in (mask, mask.astype("f4")):
            same(cp.argwhere(cp.asarray(x)), np.argwhere(x))
            same(cp.argwhere(cp.asarray(x).T[::-1]), np.argwhere(x.T[::-1]))


@pytest.mark.parametrize("dtype", ["?", "u1", "f2"])
def test_narrow_elements_are_moved_together(dtype, rng):
    """Words that several lanes share, views that are not aligned, and tiles that are not full."""
    for size in (5, 32, 1023, 8200):
        data = values(size + 16, dtype)
        for share in (0.03, 0.5, 0.97, 1):
            mask = rng.random(size + 16) < share
            for start in (0, 1, 16):
                part = cp.asarray(data)[start:][cp.asarray(mask)[start:]]
                same(part, data[start:][mask[start:]], context=(size, share, start))


@pytest.mark.parametrize("size", [1, 31, 33, 1023, 1025, 8191, 8192, 8193, 30001])
def test_sizes_about_tiles(size, rng):
    data = rng.integers(-99, 99, size + 3).astype("f4")
    for mask in masks(size + 3, rng):
        for part in (slice(0, size), slice(3, None), slice(None, None, -1)):
            m, x = mask[part], data[part]
            on_device = cp.asarray(mask)[part]
            same(cp.nonzero(on_device)[0], np.nonzero(m)[0])
            same(cp.asarray(data)[part][on_device], x[m])


@pytest.mark.parametrize("dtype", slow_except(["?", "f2", "f4", "c16"], DTYPES))
def test_dtypes(dtype, rng):
    host = values((6, 50), dtype)
    mask = rng.random((6, 50)) < 0.3
    x, m = cp.asarray(host), cp.asarray(mask)
    for found, expected in zip(cp.nonzero(x), np.nonzero(host), strict=True):
        same(found, expected)
    same(cp.flatnonzero(x.T), np.flatnonzero(host.T))
    same(x[m], host[mask])
    same(x.T[m.T], host.T[mask.T])
    new = values((int(mask.sum()),), dtype, 1)
    x[m] = cp.asarray(new)
    host[mask] = new
    same(x, host)


def test_bytes_that_are_neither_0_nor_1():
    host = np.tile(np.array([0, 1, 2, 128, 255], "u1"), 500)
    mask = cp.asarray(host).view(bool)
    same(cp.nonzero(mask)[0], np.nonzero(host)[0])
    same(cp.arange(2500)[mask], np.arange(2500)[host != 0])


VIEWS = {
    "contiguous": lambda xp, a: a,
    "transposed": lambda xp, a: a.T,
    "negative-stride": lambda xp, a: a[::-1],
    "strided": lambda xp, a: a[:, ::2],
    "broadcast": lambda xp, a: xp.broadcast_to(a[:1], (4, *a.shape[1:])),
}


@pytest.mark.parametrize("shape", [(3, 5), (40, 70), (7, 11, 13), (2, 3, 4, 5)], ids=str)
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_layouts(view, shape, rng):
    host = rng.integers(-9, 9, shape)
    x, a = view(np, host), view(cp, cp.asarray(host))
    for mask in masks(shape, rng):
        m, on_device = view(np, mask), view(cp, cp.asarray(mask))
        same(cp.nonzero(on_device), np.nonzero(m))
        same(a[on_device], x[m])
        same(a[on_device.copy()], x[m])  # in another order than the array


def test_nan_is_not_zero():
    host = np.array([0.0, np.nan, -0.0, np.inf], "f4")
    same(cp.flatnonzero(cp.asarray(host)), np.flatnonzero(host))


def test_empty():
    for shape in ((0,), (0, 3), (3, 0)):
        host = np.ones(shape)
        mask = np.ones(shape, bool)
        x, m = cp.asarray(host), cp.asarray(mask)
        for found, expected in zip(cp.nonzero(x), np.nonzero(host), strict=True):
            same(found, expected)
        same(x[m], host[mask])
        x[m] = cp.zeros(0)
        same(x, host)


def test_assignment(rng):
    host = rng.integers(0, 99, (30, 40))
    mask = rng.random((30, 40)) < 0.5
    count = int(mask.sum())
    x, m = cp.asarray(host), cp.asarray(mask)
    new = rng.random(2 * count)
    on_device = cp.asarray(new)
    for view in (lambda a: a[:count], lambda a: a[::2], lambda a: a[::-2], lambda a: a[:1]):
        x[m] = view(on_device)  # of another dtype
        host[mask] = view(new)
        same(x, host)
    x.T[m.T] = cp.arange(count)
    host.T[mask.T] = np.arange(count)
    same(x, host)
    x[m] = x[m][::-1]
    host[mask] = host[mask][::-1]
    same(x, host)
    flags = cp.asarray(mask)
    flags[flags] = cp.zeros(count, bool)  # the mask is what changes
    assert not cp.asnumpy(flags).any()


def test_errors(rng):
    mask = np.array([True, False, True])

    def on_host():
        np.arange(3)[mask] = np.arange(3)

    def on_device():
        cp.arange(3)[cp.asarray(mask)] = cp.arange(3)

    raises_alike(on_host, on_device)
    raises_alike(lambda: np.arange(4)[mask], lambda: cp.arange(4)[cp.asarray(mask)])
    raises_alike(lambda: np.nonzero(np.array(5)), lambda: cp.nonzero(cp.asarray(5)))


def test_several_tiles_for_a_block(rng, count_plans, monkeypatch):
    for rounds in (2, 5, 32):
        monkeypatch.setattr(mask_kernels.launch, "_rounds", lambda *_, rounds=rounds: rounds)
        mask = rng.random(100_001 + rounds) < 0.3  # each has plans of its own
        same(cp.nonzero(cp.asarray(mask))[0], np.nonzero(mask)[0])


def test_64_bit_indices(rng, count_plans, monkeypatch):
    monkeypatch.setattr(_layout, "needs_int64", lambda *_: True)
    host = rng.random((97, 101)).astype("f4")
    mask = host > 0.7
    x = cp.asarray(host)
    same(x[cp.asarray(mask)], host[mask])
    for found, expected in zip(cp.nonzero(x > 0.7), np.nonzero(mask), strict=True):
        same(found, expected)
    x[cp.asarray(mask)] = cp.zeros(int(mask.sum()), "f4")
    same(x, np.where(mask, np.float32(0), host))


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("length", [0, 1, 3, 4, 5])
def test_compress_and_extract(axis, length, rng):
    host = rng.integers(-9, 9, (4, 5)).astype("i2")
    x = cp.asarray(host)
    for condition in (rng.random(length) < 0.6, rng.integers(0, 2, length)):
        if axis == 0 and length > 4:
            condition[4:] = 0  # beyond the axis nothing may be chosen
        for view in (lambda a: a, lambda a: a[::-1].T):
            if axis is not None and length > view(host).shape[axis]:
                continue
            expected = np.compress(condition, view(host), axis)
            same(cp.compress(cp.asarray(condition), view(x), axis), expected)
            same(cp.compress(condition.tolist(), view(x), axis), expected)
    for choose in (lambda a: a > 0, lambda a: a.T < 3, lambda a: a % 2):
        same(cp.extract(choose(x), x), np.extract(choose(host), host))
    out = cp.zeros(2, "i2")
    assert cp.compress([True, True], x, out=out) is out
    same(out, host.ravel()[:2])
