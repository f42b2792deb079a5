"""Transforms of complex arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpuarray._ops.fourier import (
    COMPLEX,
    COMPLEX_INVERSE,
    along_axes,
    along_axis,
    kept_call,
    kept_call_of_axes,
)

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["fft", "fft2", "fftn", "ifft", "ifft2", "ifftn"]


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
    a : ndarray
        Numbers. Halves are computed in single precision.
    n : int, optional
        How many points are transformed: the array is cut, or filled with zeros behind its
        elements. By default as many as there are.
    axis : int, optional
        The axis along which it is transformed.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    out : ndarray, optional
        Where the result is stored.

    Returns
    -------
    ndarray
        Complex64 for float16, float32 and complex64, complex128 otherwise; in the memory order of
        `a`.

    Raises
    ------
    ValueError
        If there is no point to transform, the norm is none of these, or `out` has another shape.
    TypeError
        If the elements are no numbers.

    Notes
    -----
    One plan of cuFFT where the layout allows it; what it cannot read is copied. The norm's factor
    is multiplied in the kernel that fills, else in place behind the transform. Large arrays may be
    transformed by kernels of our own along axes of powers of two, the factor included.

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
    a : ndarray
        Numbers. Halves are computed in single precision.
    n : int, optional
        How many points are transformed: the array is cut, or filled with zeros behind its
        elements. By default as many as there are.
    axis : int, optional
        The axis along which it is transformed.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    out : ndarray, optional
        Where the result is stored.

    Returns
    -------
    ndarray
        Complex64 for float16, float32 and complex64, complex128 otherwise; in the memory order of
        `a`.

    Raises
    ------
    ValueError
        If there is no point to transform, the norm is none of these, or `out` has another shape.
    TypeError
        If the elements are no numbers.

    Notes
    -----
    One plan of cuFFT where the layout allows it; what it cannot read is copied. The norm's factor
    is multiplied in the kernel that fills, else in place behind the transform. Large arrays may be
    transformed by kernels of our own along axes of powers of two, the factor included.

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
    a : ndarray
        Numbers. Halves are computed in single precision.
    s : sequence of int, optional
        For each axis how many points are transformed: the array is cut, or filled with zeros
        behind its elements. By default, and for -1, as many as there are.
    axes : sequence of int, optional
        The axes along which it is transformed: all of them by default, or the last ones if there
        is `s`.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    out : ndarray, optional
        Where the result is stored.

    Returns
    -------
    ndarray
        Complex64 for float16, float32 and complex64, complex128 otherwise; in the memory order of
        `a`.

    Raises
    ------
    ValueError
        If there is no point to transform, the norm is none of these, `s` and `axes` have other
        lengths, or `out` has another shape.
    TypeError
        If the elements are no numbers.

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
    a : ndarray
        Numbers. Halves are computed in single precision.
    s : sequence of int, optional
        For each axis how many points are transformed: the array is cut, or filled with zeros
        behind its elements. By default, and for -1, as many as there are.
    axes : sequence of int, optional
        The axes along which it is transformed: all of them by default, or the last ones if there
        is `s`.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    out : ndarray, optional
        Where the result is stored.

    Returns
    -------
    ndarray
        Complex64 for float16, float32 and complex64, complex128 otherwise; in the memory order of
        `a`.

    Raises
    ------
    ValueError
        If there is no point to transform, the norm is none of these, `s` and `axes` have other
        lengths, or `out` has another shape.
    TypeError
        If the elements are no numbers.

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
    a : ndarray
        Numbers. Halves are computed in single precision.
    s : sequence of int, optional
        For each axis how many points are transformed: the array is cut, or filled with zeros
        behind its elements. By default, and for -1, as many as there are.
    axes : sequence of int, optional
        The axes along which it is transformed, the last two by default.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    out : ndarray, optional
        Where the result is stored.

    Returns
    -------
    ndarray
        Complex64 for float16, float32 and complex64, complex128 otherwise; in the memory order of
        `a`.

    Raises
    ------
    ValueError
        If there is no point to transform, the norm is none of these, `s` and `axes` have other
        lengths, or `out` has another shape.
    TypeError
        If the elements are no numbers.

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
    a : ndarray
        Numbers. Halves are computed in single precision.
    s : sequence of int, optional
        For each axis how many points are transformed: the array is cut, or filled with zeros
        behind its elements. By default, and for -1, as many as there are.
    axes : sequence of int, optional
        The axes along which it is transformed, the last two by default.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    out : ndarray, optional
        Where the result is stored.

    Returns
    -------
    ndarray
        Complex64 for float16, float32 and complex64, complex128 otherwise; in the memory order of
        `a`.

    Raises
    ------
    ValueError
        If there is no point to transform, the norm is none of these, `s` and `axes` have other
        lengths, or `out` has another shape.
    TypeError
        If the elements are no numbers.

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
