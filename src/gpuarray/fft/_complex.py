"""Transforms of complex arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpuarray._namespace.shared_texts import sharing
from gpuarray._ops.fourier import (
    COMPLEX,
    COMPLEX_INVERSE,
    along_axes,
    along_axis,
    kept_call,
    kept_call_of_axes,
)
from gpuarray._ops.fourier_texts import TEXTS

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["fft", "fft2", "fftn", "ifft", "ifft2", "ifftn"]


@sharing(TEXTS)
def fft(
    a: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The discrete Fourier transform along one axis.

    Parameters
    ----------
    {a}
    {numpy_n}
    {axis}
    {norm}
    {out}

    Returns
    -------
    {complex_like_a}

    Raises
    ------
    {no_transform_out}
    {numbers_only}

    Notes
    -----
    One plan of cuFFT where the layout allows it; what it cannot read is copied. The norm's factor
    is multiplied in the kernel that fills, else in place behind the transform. Kernels of our own
    transform large arrays, the factor included, where they move fewer bytes.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.fft(cp.array([1.0, 0.0, 0.0, 0.0]))
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    if out is None:
        run = kept_call(fft, a, n, axis, norm)
        if run is not None:
            return run(a)
    return along_axis(fft, COMPLEX, a, n, axis, norm, out)


@sharing(TEXTS)
def ifft(
    a: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The inverse of `fft` along one axis.

    Parameters
    ----------
    {a}
    {numpy_n}
    {axis}
    {norm}
    {out}

    Returns
    -------
    {complex_like_a}

    Raises
    ------
    {no_transform_out}
    {numbers_only}

    Notes
    -----
    One plan of cuFFT where the layout allows it; what it cannot read is copied. The norm's factor
    is multiplied in the kernel that fills, else in place behind the transform. Kernels of our own
    transform large arrays, the factor included, where they move fewer bytes.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.ifft(cp.array([4.0, 0.0, 0.0, 0.0]))
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    if out is None:
        run = kept_call(ifft, a, n, axis, norm)
        if run is not None:
            return run(a)
    return along_axis(ifft, COMPLEX_INVERSE, a, n, axis, norm, out)


@sharing(TEXTS)
def fftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The discrete Fourier transform along several axes.

    Parameters
    ----------
    {a}
    {numpy_s}
    {numpy_axes}
    {norm}
    {out}

    Returns
    -------
    {complex_like_a}

    Raises
    ------
    {no_transform_of_axes_out}
    {numbers_only}

    Differences from NumPy
    ----------------------
    {out_of_axes}

    Notes
    -----
    Up to three axes are one plan of cuFFT, in any order in memory and without a transpose, if the
    distances along them are multiples of one another. What it cannot read is copied.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.fftn(cp.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    if out is None:
        run = kept_call_of_axes(fftn, a, s, axes, norm)
        if run is not None:
            return run(a)
    return along_axes(fftn, COMPLEX, a, s, axes, norm, out)


@sharing(TEXTS)
def ifftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The inverse of `fftn`.

    Parameters
    ----------
    {a}
    {numpy_s}
    {numpy_axes}
    {norm}
    {out}

    Returns
    -------
    {complex_like_a}

    Raises
    ------
    {no_transform_of_axes_out}
    {numbers_only}

    Differences from NumPy
    ----------------------
    {out_of_axes}

    Notes
    -----
    As of `fftn`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.ifftn(cp.ones((2, 2)))
    array([[1.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    if out is None:
        run = kept_call_of_axes(ifftn, a, s, axes, norm)
        if run is not None:
            return run(a)
    return along_axes(ifftn, COMPLEX_INVERSE, a, s, axes, norm, out)


@sharing(TEXTS)
def fft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The discrete Fourier transform along two axes.

    Parameters
    ----------
    {a}
    {numpy_s}
    {two_axes}
    {norm}
    {out}

    Returns
    -------
    {complex_like_a}

    Raises
    ------
    {no_transform_of_axes_out}
    {numbers_only}

    Differences from NumPy
    ----------------------
    {out_of_axes}

    Notes
    -----
    As of `fftn`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.fft2(cp.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    if out is None:
        run = kept_call_of_axes(fft2, a, s, axes, norm)
        if run is not None:
            return run(a)
    return along_axes(fft2, COMPLEX, a, s, axes, norm, out)


@sharing(TEXTS)
def ifft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The inverse of `fft2`.

    Parameters
    ----------
    {a}
    {numpy_s}
    {two_axes}
    {norm}
    {out}

    Returns
    -------
    {complex_like_a}

    Raises
    ------
    {no_transform_of_axes_out}
    {numbers_only}

    Differences from NumPy
    ----------------------
    NumPy 2.4 ignores `out`.

    Notes
    -----
    As of `fftn`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.ifft2(cp.ones((2, 2)))
    array([[1.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    if out is None:
        run = kept_call_of_axes(ifft2, a, s, axes, norm)
        if run is not None:
            return run(a)
    return along_axes(ifft2, COMPLEX_INVERSE, a, s, axes, norm, out)
