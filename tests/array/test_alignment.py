"""Every element of an array is at a multiple of its size: what would not be so is refused."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import DTYPES, same, values


def bytes_from(offset, count, size=1):
    """Bytes from an offset on, as a view of aligned memory."""
    return cp.zeros(count * size + 16, "u1")[offset : offset + count * size]


@pytest.mark.parametrize("dtype", DTYPES)
def test_views_begin_at_multiples_of_the_size(dtype):
    size = np.dtype(dtype).itemsize
    for offset in range(16):
        x = bytes_from(offset, 2, size)
        if offset % size:
            with pytest.raises(ValueError, match=rf"view: .*no multiple of {size}; .*copy\(\)"):
                x.view(dtype)
            with pytest.raises(ValueError, match=rf"ndarray: .*no multiple of {size}"):
                cp.ndarray(2, dtype, x.data)
            x = x.copy()  # what the message says
        view = x.view(dtype)
        assert view.flags.aligned
        assert view.flags["A"]
        view[...] = 1
        same(view, np.ones(2, dtype))
        same(cp.ndarray(2, dtype, x.data), np.ones(2, dtype))


@pytest.mark.parametrize("wide, narrow", [("c8", "f4"), ("c16", "f8"), ("f8", "f4"), ("i4", "u1")])
def test_strides_are_multiples_of_the_size(wide, narrow):
    ratio = np.dtype(wide).itemsize // np.dtype(narrow).itemsize
    x = cp.zeros((3, 2 * ratio + 1), narrow)[:, : 2 * ratio]
    with pytest.raises(ValueError, match=r"view: .*bytes apart, .*copy\(\)"):
        x.view(wide)
    same(x.copy().view(wide), np.zeros((3, 2), wide))
    with pytest.raises(ValueError, match="ndarray: .*bytes apart"):
        cp.ndarray((3, 2), wide, strides=(x.strides[0], np.dtype(wide).itemsize))
    # Of one row, and of none, the stride is never used.
    for rows in (1, 0):
        view = x[:rows].view(wide)
        assert view.shape == (rows, 2)
        assert cp.sort(view).sum() == cp.cumsum(view, axis=0).sum() == 0


def test_the_middle_of_an_array_of_pairs():
    """What is refused of a complex view that starts at an imaginary part works on a copy."""
    x = cp.arange(9, dtype="f4")
    with pytest.raises(ValueError, match="view"):
        x[1:].view("c8")
    pairs = x[1:].copy().view("c8")
    host = np.arange(9, dtype="f4")[1:].view("c8")
    same(pairs, host)
    same(pairs[cp.array([3, 0])], host[[3, 0]])
    same(cp.concatenate([pairs, pairs]), np.concatenate([host, host]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_views_of_slices_stay_aligned(dtype):
    host = values((5, 7), dtype)
    x = cp.asarray(host)
    for view in (x[1:, 3:], x[::-1, ::-2], x.T[2:], x[2], x[4, 6:]):
        assert view.data.ptr % host.itemsize == 0
        same(cp.ndarray(view.shape, dtype, view.data, view.strides), view.get())
