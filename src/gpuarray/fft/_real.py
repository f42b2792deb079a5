"""Transforms between real arrays and Hermitian spectra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpuarray._namespace.shared_texts import sharing
from gpuarray._ops.fourier import (
    FROM_REAL,
    FROM_REAL_INVERSE,
    TO_REAL,
    TO_REAL_FORWARD,
    along_axes,
    along_axis,
    kept_call,
    kept_call_of_axes,
)
from gpuarray._ops.fourier_texts import TEXTS

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = [
    "hfft", "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftn",
]  # fmt: skip


@sharing(TEXTS)
def rfft(
    a: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The discrete Fourier transform of real numbers along one axis.

    Parameters
    ----------
    {real_a}
    {numpy_n}
    {axis}
    {norm}
    {out}

    Returns
    -------
    ndarray
        Complex numbers along the axis for the frequencies from 0 to half of the points: the others
        would be their conjugates. Complex64 for float16 and float32, complex128 otherwise.

    Raises
    ------
    {no_transform_out}
    {reals_only}

    Notes
    -----
    One plan of cuFFT where the layout allows it; what it cannot read is copied. The norm's factor
    is multiplied in the kernel that casts or fills, else in place behind the transform.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.rfft(cp.array([1.0, 0.0, 0.0, 0.0]))
    array([1.+0.j, 1.+0.j, 1.+0.j])
    """
    if out is None:
        run = kept_call(rfft, a, n, axis, norm)
        if run is not None:
            return run(a)
    return along_axis(rfft, FROM_REAL, a, n, axis, norm, out)


@sharing(TEXTS)
def irfft(
    a: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The inverse of `rfft` along one axis.

    Parameters
    ----------
    {half_a}
    n : int, optional
        How many points the result has; ``2 * (m - 1)`` by default, where `a` has m. Of `a` the
        first ``n // 2 + 1`` are read, or zeros behind its elements.
    {axis}
    {norm}
    {out}

    Returns
    -------
    {numpy_real_result}

    Raises
    ------
    {no_transform_out}
    {numbers_only}

    Notes
    -----
    cuFFT destroys what it transforms to reals: one kernel makes a copy, and cuts, fills, casts and
    multiplies meanwhile.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.irfft(cp.array([1, 1, 1]))
    array([1., 0., 0., 0.])
    """
    if out is None:
        run = kept_call(irfft, a, n, axis, norm)
        if run is not None:
            return run(a)
    return along_axis(irfft, TO_REAL, a, n, axis, norm, out)


@sharing(TEXTS)
def hfft(
    a: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The discrete Fourier transform of a signal that is Hermitian in time.

    Parameters
    ----------
    {half_a}
    n : int, optional
        How many points the result has; ``2 * (m - 1)`` by default, where `a` has m. Of `a` the
        first ``n // 2 + 1`` are read, or zeros behind its elements.
    {axis}
    {norm}
    {out}

    Returns
    -------
    {numpy_real_result}

    Raises
    ------
    {no_transform_out}
    {numbers_only}

    Differences from NumPy
    ----------------------
    NumPy 2.4 ignores `out`.

    Notes
    -----
    cuFFT destroys what it transforms to reals: one kernel makes a copy, and cuts, fills, casts and
    multiplies meanwhile.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.hfft(cp.array([1.0, 2.0, 3.0]))
    array([ 8., -2.,  0., -2.])
    """
    if out is None:
        run = kept_call(hfft, a, n, axis, norm)
        if run is not None:
            return run(a)
    return along_axis(hfft, TO_REAL_FORWARD, a, n, axis, norm, out)


@sharing(TEXTS)
def ihfft(
    a: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The inverse of `hfft` along one axis.

    Parameters
    ----------
    {real_a}
    {numpy_n}
    {axis}
    {norm}
    {out}

    Returns
    -------
    ndarray
        Complex numbers along the axis for the frequencies from 0 to half of the points: the others
        would be their conjugates. Complex64 for float16 and float32, complex128 otherwise.

    Raises
    ------
    {no_transform_out}
    {reals_only}

    Notes
    -----
    One plan of cuFFT where the layout allows it; what it cannot read is copied. The norm's factor
    is multiplied in the kernel that casts or fills, else in place behind the transform.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.ihfft(cp.array([8.0, -2.0, 0.0, -2.0]))
    array([1.-0.j, 2.-0.j, 3.-0.j])
    """
    if out is None:
        run = kept_call(ihfft, a, n, axis, norm)
        if run is not None:
            return run(a)
    return along_axis(ihfft, FROM_REAL_INVERSE, a, n, axis, norm, out)


@sharing(TEXTS)
def rfftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The discrete Fourier transform of real numbers along several axes.

    Parameters
    ----------
    {real_a}
    {numpy_s}
    {numpy_axes}
    {norm}
    {out}

    Returns
    -------
    ndarray
        Complex numbers, along the last of the axes for the frequencies from 0 to half of the
        points: the others would be conjugates. Complex64 for float16 and float32, complex128
        otherwise.

    Raises
    ------
    {no_transform_of_axes_out}
    {reals_only}

    Differences from NumPy
    ----------------------
    {out_of_axes}

    Notes
    -----
    The last of the axes is the one whose spectrum is halved.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.rfftn(cp.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    if out is None:
        run = kept_call_of_axes(rfftn, a, s, axes, norm)
        if run is not None:
            return run(a)
    return along_axes(rfftn, FROM_REAL, a, s, axes, norm, out)


@sharing(TEXTS)
def irfftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The inverse of `rfftn`.

    Parameters
    ----------
    {half_a}
    s : sequence of int, optional
        For each axis how many points the result has, ``2 * (m - 1)`` of the last one by default,
        where `a` has m.
    {numpy_axes}
    {norm}
    {out}

    Returns
    -------
    {numpy_real_result}

    Raises
    ------
    {no_transform_of_axes_out}
    {numbers_only}

    Notes
    -----
    The other axes are transformed first, as complex numbers.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.irfftn(cp.array([[4.0, 0.0], [0.0, 0.0]]))
    array([[1., 1.],
           [1., 1.]])
    """
    if out is None:
        run = kept_call_of_axes(irfftn, a, s, axes, norm)
        if run is not None:
            return run(a)
    return along_axes(irfftn, TO_REAL, a, s, axes, norm, out)


@sharing(TEXTS)
def rfft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The discrete Fourier transform of real numbers along two axes.

    Parameters
    ----------
    {real_a}
    {numpy_s}
    {two_axes}
    {norm}
    {out}

    Returns
    -------
    ndarray
        Complex numbers, along the last of the axes for the frequencies from 0 to half of the
        points: the others would be conjugates. Complex64 for float16 and float32, complex128
        otherwise.

    Raises
    ------
    {no_transform_of_axes_out}
    {reals_only}

    Differences from NumPy
    ----------------------
    {out_of_axes}

    Notes
    -----
    As of `rfftn`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.rfft2(cp.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    if out is None:
        run = kept_call_of_axes(rfft2, a, s, axes, norm)
        if run is not None:
            return run(a)
    return along_axes(rfft2, FROM_REAL, a, s, axes, norm, out)


@sharing(TEXTS)
def irfft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The inverse of `rfft2`.

    Parameters
    ----------
    {half_a}
    s : sequence of int, optional
        For each axis how many points the result has, ``2 * (m - 1)`` of the last one by default,
        where `a` has m.
    {two_axes}
    {norm}
    {out}

    Returns
    -------
    {numpy_real_result}

    Raises
    ------
    {no_transform_of_axes_out}
    {numbers_only}

    Differences from NumPy
    ----------------------
    NumPy 2.4 ignores `out`.

    Notes
    -----
    As of `irfftn`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.irfft2(cp.array([[4.0, 0.0], [0.0, 0.0]]))
    array([[1., 1.],
           [1., 1.]])
    """
    if out is None:
        run = kept_call_of_axes(irfft2, a, s, axes, norm)
        if run is not None:
            return run(a)
    return along_axes(irfft2, TO_REAL, a, s, axes, norm, out)
