"""Mathematical functions: parts of complex numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout
from gpuarray._ops.creation_like import zeros_like
from gpuarray._ops.math import absolute
from gpuarray._ops.statistics import max
from gpuarray._ops.stored_values import as_values
from gpuarray._ufunc import create_function

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["angle", "imag", "real", "real_if_close"]

_angle, _angle_in_degrees = create_function("angle"), create_function("angle_in_degrees")


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
    found = _array.kept_view(val, real, None)
    if found is not None:
        return found
    val = val if isinstance(val, ArrayBase) else as_values(val, "real")
    if val._layout.dtype.kind != "c":
        return val
    return _array.keep_view(val, _array.view(val, _part(val._layout)), real, None)


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
    found = _array.kept_view(val, imag, None)
    if found is not None:
        return found
    val = val if isinstance(val, ArrayBase) else as_values(val, "imag")
    if val._layout.dtype.kind != "c":
        return _array.lock(zeros_like(val))
    result = _array.view(val, _part(val._layout), val._layout.itemsize // 2)
    return _array.keep_view(val, result, imag, None)


def angle(z: ArrayLike, deg: bool = False) -> ndarray:
    """The angles of complex numbers, counterclockwise from the positive real axis.

    Parameters
    ----------
    z : ndarray
        Complex or real numbers.
    deg : bool, optional
        In degrees, and not in radians.

    Returns
    -------
    ndarray
        From -pi to pi, both included.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.angle(cp.array([1, 1j, -1]), deg=True)
    array([  0.,  90., 180.])
    """
    return (_angle_in_degrees if deg else _angle)(z)


def real_if_close(a: ArrayLike, tol: float = 100) -> ndarray:
    """The real parts, if all imaginary parts are close to zero.

    Parameters
    ----------
    a : ndarray
        The array.
    tol : float, optional
        How large imaginary parts may be: as a multiple of the dtype's epsilon, or, up to 1, as
        it is.

    Returns
    -------
    ndarray
        A view of the real parts, or the array itself.

    Notes
    -----
    Waits for the device, if the array is complex, since the dtype of the result depends on the
    values.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.real_if_close(cp.array([2.1 + 4e-14j, 5.2 + 3e-15j]), tol=1000)
    array([2.1, 5.2])
    """
    a = a if isinstance(a, ArrayBase) else as_values(a, "real_if_close")
    dtype = a._layout.dtype
    if dtype.kind != "c":
        return a
    if tol > 1:
        tol = float(np.finfo(dtype).eps) * tol
    greatest = max(absolute(imag(a)), initial=0)
    return real(a) if bool(greatest < tol) else a


def set_real(array: ndarray, value: ArrayLike) -> None:
    """``array.real = value``."""
    real(array)[...] = value


def set_imag(array: ndarray, value: ArrayLike) -> None:
    """``array.imag = value``."""
    if array._layout.dtype.kind != "c":
        raise TypeError(f"imag: an array of dtype {array._layout.dtype} has no imaginary part to "
                        "set; convert it with astype('complex128')")  # fmt: skip
    imag(array)[...] = value
