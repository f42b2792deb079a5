"""Comparison of what a library computes of our arrays with what it computes of NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpuarray as cp


def agrees(actual: Any, expected: Any, rtol: float = 1e-12) -> None:
    """The result is an array of ours, of the same dtype and shape, with the same values."""
    assert isinstance(actual, cp.ndarray), type(actual)
    expected = np.asarray(expected)
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(actual.get(), expected, rtol=rtol, atol=rtol)
