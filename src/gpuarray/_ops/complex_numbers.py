"""Mathematical functions: parts of complex numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout
from gpuarray._ops.conversion import as_values
from gpuarray._ops.creation import zeros_like

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["imag", "real"]


def _part(layout: Layout) -> Layout:
    """The layout of the real parts of complex elements."""
    dtype = _dtypes.canonical(np.dtype(f"f{layout.itemsize // 2}"))
    return _layout.layout_of(dtype, layout.shape, layout.strides)


def real(val: ArrayLike) -> ndarray:
    """The real parts.

    Parameters
    ----------
    val : ndarray
        The array.

    Returns
    -------
    ndarray
        A view, or the array itself if it is not complex.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.real(cp.array([1 + 2j]))
    array([1.])
    """
    val = val if isinstance(val, ArrayBase) else as_values(val, "real")
    if val._layout.dtype.kind != "c":
        return val
    return _array.view(val, _part(val._layout))


def imag(val: ArrayLike) -> ndarray:
    """The imaginary parts.

    Parameters
    ----------
    val : ndarray
        The array.

    Returns
    -------
    ndarray
        A view, or read-only zeros if the array is not complex.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.imag(cp.array([1 + 2j]))
    array([2.])
    """
    val = val if isinstance(val, ArrayBase) else as_values(val, "imag")
    if val._layout.dtype.kind != "c":
        return _array.lock(zeros_like(val))
    return _array.view(val, _part(val._layout), val._layout.itemsize // 2)


def set_real(array: ndarray, value: ArrayLike) -> None:
    """``array.real = value``."""
    real(array)[...] = value


def set_imag(array: ndarray, value: ArrayLike) -> None:
    """``array.imag = value``."""
    if array._layout.dtype.kind != "c":
        raise TypeError(f"imag: an array of dtype {array._layout.dtype} has no imaginary part to "
                        "set; convert it with astype('complex128')")  # fmt: skip
    imag(array)[...] = value
