"""Bits of bytes against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray as cp
from gpuarray._ops import packing
from tests.array.arrays import LAYOUTS_3D, raises_as_numpy, same
from tests.slow import slow_except

SHAPE = (5, 9, 8)


def bits(dtype):
    return np.random.default_rng(1).integers(0, 2, SHAPE).astype(dtype)


@pytest.mark.parametrize(
    ("order", "layout"),
    [
        *[("big", x) for x in ("contiguous", "permuted", "strided", "2-d", "0-d", "empty")],
        ("little", "contiguous"),
        pytest.param("little", "permuted", marks=pytest.mark.slow),
    ],
)
def test_layouts(layout, order):
    view = LAYOUTS_3D[layout]
    host = view(np, np.random.default_rng(2).integers(0, 256, SHAPE).astype("u1"))
    device = view(cp, cp.asarray(np.random.default_rng(2).integers(0, 256, SHAPE).astype("u1")))
    axes = range(-1, host.ndim - 1) if order == "big" else range(-1, 0)
    for axis in (None, *(axes if host.ndim else ())):
        expected = np.unpackbits(host, axis, bitorder=order)
        actual = cp.unpackbits(device, axis, bitorder=order)
        same(actual, expected)
        same(cp.packbits(actual, axis, order), np.packbits(expected, axis, order))
        truth = expected.astype(bool)[..., :-1]
        same(
            cp.packbits(actual.astype(bool)[..., :-1], axis, order), np.packbits(truth, axis, order)
        )


@pytest.mark.parametrize("dtype", slow_except(["?", "i4"], ["?", "i1", "u2", "i4", "u8"]))
def test_what_is_not_zero_is_a_bit(dtype):
    host = bits(dtype) * (1 if dtype == "?" else np.array(3, dtype))
    for axis in (None, 1):
        same(cp.packbits(cp.asarray(host), axis), np.packbits(host, axis))


@settings(max_examples=8)
@given(st.integers(1, 40), st.integers(-20, 400), st.sampled_from(["big", "little"]))
def test_counts(size, count, order):
    host = (np.arange(size) * 37 + 11).astype("u1")
    if count < -8 * size:
        with pytest.raises(ValueError, match="count"):
            cp.unpackbits(cp.asarray(host), count=count)
        return
    expected = np.unpackbits(host, count=count, bitorder=order)
    same(cp.unpackbits(cp.asarray(host), count=count, bitorder=order), expected)
    matrix = host.reshape(1, size)
    expected = np.unpackbits(matrix, 1, count, order)
    actual = cp.unpackbits(cp.asarray(matrix), 1, count, order)
    same(actual, expected)
    same(cp.packbits(actual, -1, order), np.packbits(expected, -1, order))


def test_words_that_are_not_aligned():
    host = bits("?").reshape(-1)
    device = cp.asarray(host)
    for start in (0, 1, 3, 8):
        for stop in (start + 64, start + 160):
            same(cp.packbits(device[start:stop]), np.packbits(host[start:stop]))


def test_large_arrays_are_copied_to_words(monkeypatch):
    monkeypatch.setattr(packing, "_LARGE", 16)
    for dtype in ("?", "i4"):
        host = bits(dtype)
        device = cp.asarray(host)
        for x, y in (
            (host, device),
            (host[:, ::2, 1:], device[:, ::2, 1:]),
            (host[0, 0], device[0, 0]),
        ):
            for axis in (None, -1, 0):
                same(cp.packbits(y, axis, "little"), np.packbits(x, axis, "little"))


def test_memory_order():
    host = np.asfortranarray(bits("u1"))
    for axis in range(3):
        assert cp.packbits(cp.asarray(host), axis).strides == np.packbits(host, axis).strides
        assert cp.unpackbits(cp.asarray(host), axis).strides == np.unpackbits(host, axis).strides


test_errors = raises_as_numpy(
    lambda xp: xp.packbits(xp.ones(8)),
    lambda xp: xp.unpackbits(xp.ones(8, "i1")),
    lambda xp: xp.packbits(xp.ones(8, bool), 1),
    lambda xp: xp.packbits(xp.ones(8, bool), bitorder="middle"),
    lambda xp: xp.unpackbits(xp.ones(8, "u1"), bitorder=1),
    lambda xp: xp.unpackbits(xp.ones(2, "u1"), count=-17),
    lambda xp: xp.unpackbits(xp.ones(2, "u1"), count=2.5),
)
