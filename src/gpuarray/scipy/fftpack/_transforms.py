"""The transforms of SciPy's ``scipy.fftpack``."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _memory_order, _transfers
from gpuarray._namespace.shared_texts import sharing
from gpuarray._ops.fourier_texts import TEXTS
from gpuarray._ops.manipulation import as_array
from gpuarray.kernels.elementwise import copies
from gpuarray.scipy import fft as _fft

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["fft", "fft2", "fftn", "ifft", "ifft2", "ifftn", "irfft", "rfft"]


@sharing(TEXTS)
def fft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    overwrite_x: bool = False,
    plan: Any = None,
) -> ndarray:
    """The discrete Fourier transform along one axis.

    Parameters
    ----------
    {x}
    {cut_n}
    {axis}
    {overwrite_x}
    {plan_of_axis}

    Returns
    -------
    {complex_numbers}

    Raises
    ------
    {no_points}

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.fftpack.fft(cp.array([1.0, 0.0, 0.0, 0.0])).shape
    (4,)
    """
    return _fft.fft(x, n, axis, plan=plan)


@sharing(TEXTS)
def ifft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    overwrite_x: bool = False,
    plan: Any = None,
) -> ndarray:
    """The inverse of `fft`.

    Parameters
    ----------
    {x}
    {cut_n}
    {axis}
    {overwrite_x}
    {plan_of_axis}

    Returns
    -------
    {complex_numbers}

    Raises
    ------
    {no_points}

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.fftpack.ifft(cp.array([1.0, 0.0])).shape
    (2,)
    """
    return _fft.ifft(x, n, axis, plan=plan)


@sharing(TEXTS)
def fft2(
    x: ArrayLike,
    shape: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = (-2, -1),
    overwrite_x: bool = False,
    plan: Any = None,
) -> ndarray:
    """The discrete Fourier transform along two axes.

    Parameters
    ----------
    {x}
    {shape}
    {axes}
    {overwrite_x}
    {plan_of_axes}

    Returns
    -------
    {complex_numbers}

    Raises
    ------
    {no_points}

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.fftpack.fft2(cp.ones((2, 2))).shape
    (2, 2)
    """
    return _fft.fft2(x, shape, axes, plan=plan)


@sharing(TEXTS)
def ifft2(
    x: ArrayLike,
    shape: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = (-2, -1),
    overwrite_x: bool = False,
    plan: Any = None,
) -> ndarray:
    """The inverse of `fft2`.

    Parameters
    ----------
    {x}
    {shape}
    {axes}
    {overwrite_x}
    {plan_of_axes}

    Returns
    -------
    {complex_numbers}

    Raises
    ------
    {no_points}

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.fftpack.ifft2(cp.ones((2, 2))).shape
    (2, 2)
    """
    return _fft.ifft2(x, shape, axes, plan=plan)


@sharing(TEXTS)
def fftn(
    x: ArrayLike,
    shape: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    overwrite_x: bool = False,
    plan: Any = None,
) -> ndarray:
    """The discrete Fourier transform along several axes.

    Parameters
    ----------
    {x}
    {shape}
    {axes}
    {overwrite_x}
    {plan_of_axes}

    Returns
    -------
    {complex_numbers}

    Raises
    ------
    {no_points}

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.fftpack.fftn(cp.ones((2, 2))).shape
    (2, 2)
    """
    return _fft.fftn(x, shape, axes, plan=plan)


@sharing(TEXTS)
def ifftn(
    x: ArrayLike,
    shape: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    overwrite_x: bool = False,
    plan: Any = None,
) -> ndarray:
    """The inverse of `fftn`.

    Parameters
    ----------
    {x}
    {shape}
    {axes}
    {overwrite_x}
    {plan_of_axes}

    Returns
    -------
    {complex_numbers}

    Raises
    ------
    {no_points}

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.fftpack.ifftn(cp.ones((2, 2))).shape
    (2, 2)
    """
    return _fft.ifftn(x, shape, axes, plan=plan)


@sharing(TEXTS)
def rfft(
    x: ArrayLike, n: int | None = None, axis: int = -1, overwrite_x: bool = False, plan: Any = None
) -> ndarray:
    """The discrete Fourier transform of real numbers, as real numbers.

    Parameters
    ----------
    {real_x}
    {cut_n}
    {axis}
    {overwrite_x}
    {plan_of_axis}

    Returns
    -------
    ndarray
        Along the axis the spectrum at frequency 0, then real and imaginary parts by turns, without
        the imaginary part at half of an even number of points.

    Raises
    ------
    {no_points}
    TypeError
        If the elements are complex, or no numbers.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.fftpack.rfft(cp.ones(4))
    array([4., 0., 0., 0.])
    """
    x = as_array(x, "rfft")
    spectrum = _fft.rfft(x, n, axis, plan=plan)
    layout = spectrum._layout
    axis = _arguments.check_axis(axis, layout.ndim)
    points = x._layout.shape[axis] if n is None else operator.index(n)
    shape = list(layout.shape)
    shape[axis] = points
    real = spectrum.real._layout.dtype
    result = _array.empty(_memory_order.like_prototype(real, tuple(shape), layout))
    for target, part in _parts(result, spectrum, axis):
        copies.assign(target, part)
    return result


@sharing(TEXTS)
def irfft(x: ArrayLike, n: int | None = None, axis: int = -1, overwrite_x: bool = False) -> ndarray:
    """The inverse of `rfft`.

    Parameters
    ----------
    x : ndarray
        Real numbers as `rfft` returns them.
    n : int, optional
        How many of them are read, and points the result has: `x` is cut, or filled with zeros.
    {axis}
    {overwrite_x}

    Returns
    -------
    ndarray
        Real numbers.

    Raises
    ------
    ValueError
        If there is no point to transform.
    TypeError
        If the elements are complex, or no numbers.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.fftpack.irfft(cp.array([4.0, 0.0, 0.0, 0.0]))
    array([1., 1., 1., 1.])
    """
    x = as_array(x, "irfft")
    layout = x._layout
    if layout.dtype.kind not in "biuf":
        raise TypeError(f"irfft: takes real numbers, got {layout.dtype}")
    axis = _arguments.check_axis(axis, layout.ndim)
    points = layout.shape[axis] if n is None else operator.index(n)
    if points < 1:
        raise ValueError(f"irfft: invalid number of data points ({points}) specified")
    shape = list(layout.shape)
    shape[axis] = points // 2 + 1
    double = layout.dtype.kind != "f" or layout.dtype.itemsize > 4
    dtype = np.dtype(np.complex128 if double else np.complex64)
    spectrum = _array.empty(_memory_order.like_prototype(dtype, tuple(shape), layout))
    _transfers.fill_zero(spectrum)
    index = [slice(None)] * layout.ndim
    index[axis] = slice(0, points)
    for part, target in _parts(x[tuple(index)], spectrum, axis):
        copies.assign(target, part)
    return _fft.irfft(spectrum, points, axis)


def _parts(packed: Any, spectrum: Any, axis: int) -> list[tuple[Any, Any]]:
    """Views of the real numbers, and of the parts of the spectrum that they are."""

    def along(x: Any, *bounds: int | None) -> Any:
        index = [slice(None)] * x._layout.ndim
        index[axis] = slice(*bounds)
        return x[tuple(index)]

    pairs = []
    for real, part, first in (
        (along(packed, 0, 1), spectrum.real, 0),
        (along(packed, 1, None, 2), spectrum.real, 1),
        (along(packed, 2, None, 2), spectrum.imag, 1),
    ):
        count = real._layout.shape[axis]
        if count:
            pairs.append((real, along(part, first, first + count)))
    return pairs
