"""SciPy's special matrices, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import gpuarray as cp
from gpuarray.scipy import linalg

COLUMN = np.array([1, 2, 3])
ROW = np.array([7.5, 4, 5, 6])
STACK = np.arange(6).reshape(2, 3) + 1j


def same(found, expected):
    """Equal elements, dtype and shape."""
    found = cp.asnumpy(found)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("toeplitz", (COLUMN,)),
        ("toeplitz", (COLUMN, ROW)),
        ("toeplitz", (ROW[::2], COLUMN)),
        ("toeplitz", (STACK,)),
        ("toeplitz", (STACK, COLUMN)),
        ("toeplitz", (COLUMN[:0], COLUMN)),
        ("circulant", (COLUMN,)),
        ("circulant", (STACK,)),
        ("hankel", (COLUMN,)),
        ("hankel", (COLUMN, ROW)),
    ],
)
def test_constant_diagonals(name, arguments):
    found = getattr(linalg, name)(*map(cp.asarray, arguments))
    same(found, getattr(scipy.linalg, name)(*arguments))


def test_numbers_and_lists():
    same(linalg.toeplitz(3), scipy.linalg.toeplitz(3))
    same(linalg.toeplitz([1, 2], [1, 3, 4]), scipy.linalg.toeplitz([1, 2], [1, 3, 4]))
    with pytest.raises(ValueError, match=r"hankel: c of shape \(2, 3\)"):
        linalg.hankel(cp.asarray(STACK))
