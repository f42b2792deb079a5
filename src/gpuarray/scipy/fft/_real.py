"""SciPy's transforms between real arrays and halves of their spectra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpuarray._namespace.shared_texts import sharing
from gpuarray._ops.fourier import (
    FROM_REAL,
    TO_REAL,
    along_axes,
    along_axis,
    kept_call,
    kept_call_of_axes,
)
from gpuarray._ops.fourier_texts import TEXTS
from gpuarray.scipy.fft._plans import check_plan

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftn"]


@sharing(TEXTS)
def rfft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Any = None,
) -> ndarray:
    """The discrete Fourier transform of real numbers along one axis.

    Parameters
    ----------
    {real_x}
    {n}
    {axis}
    {norm}
    {overwrite_x}
    {workers}
    {plan}

    Returns
    -------
    ndarray
        The frequencies from 0 to half of the points along the axis. Complex64 for float16 and
        float32, complex128 otherwise.

    Raises
    ------
    {no_transform}
    {reals_only}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.rfft(cp.array([1.0, 0.0]))
    array([1.+0.j, 1.+0.j])
    """
    if plan is not None:
        check_plan(plan, x, n, axis, FROM_REAL)
    run = kept_call(rfft, x, n, axis, norm)
    if run is not None:
        return run(x)
    return along_axis(rfft, FROM_REAL, x, n, axis, norm, single=True)


@sharing(TEXTS)
def irfft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Any = None,
) -> ndarray:
    """The inverse of `rfft`.

    Parameters
    ----------
    {half_x}
    n : int, optional
        How many points the result has; ``2 * (m - 1)`` by default, where the operand has m.
    {axis}
    {norm}
    {overwrite_x}
    {workers}
    {plan}

    Returns
    -------
    {real_result}

    Raises
    ------
    {no_transform}
    {numbers_only}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.irfft(cp.array([1.0, 1.0]))
    array([1., 0.])
    """
    if plan is not None:
        check_plan(plan, x, n, axis, TO_REAL)
    run = kept_call(irfft, x, n, axis, norm)
    if run is not None:
        return run(x)
    return along_axis(irfft, TO_REAL, x, n, axis, norm, single=True)


@sharing(TEXTS)
def rfftn(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Any = None,
) -> ndarray:
    """The discrete Fourier transform of real numbers along several axes.

    Parameters
    ----------
    {real_x}
    {s}
    {axes}
    {norm}
    {overwrite_x}
    {workers}
    {plan}

    Returns
    -------
    {half_result}

    Raises
    ------
    {no_transform_of_axes}
    {reals_only}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.rfftn(cp.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    if plan is not None:
        check_plan(plan, x, s, axes, FROM_REAL)
    run = kept_call_of_axes(rfftn, x, s, axes, norm)
    if run is not None:
        return run(x)
    return along_axes(rfftn, FROM_REAL, x, s, axes, norm, single=True, deprecated=False)


@sharing(TEXTS)
def irfftn(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Any = None,
) -> ndarray:
    """The inverse of `rfftn`.

    Parameters
    ----------
    {half_x}
    {result_s}
    {axes}
    {norm}
    {overwrite_x}
    {workers}
    {plan}

    Returns
    -------
    {real_result}

    Raises
    ------
    {no_transform_of_axes}
    {numbers_only}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.irfftn(cp.ones((2, 2)))
    array([[1., 0.],
           [0., 0.]])
    """
    if plan is not None:
        check_plan(plan, x, s, axes, TO_REAL)
    run = kept_call_of_axes(irfftn, x, s, axes, norm)
    if run is not None:
        return run(x)
    return along_axes(irfftn, TO_REAL, x, s, axes, norm, single=True, deprecated=False)


@sharing(TEXTS)
def rfft2(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Any = None,
) -> ndarray:
    """The discrete Fourier transform of real numbers along two axes.

    Parameters
    ----------
    {real_x}
    {s}
    {axes}
    {norm}
    {overwrite_x}
    {workers}
    {plan}

    Returns
    -------
    {half_result}

    Raises
    ------
    {no_transform_of_axes}
    {reals_only}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.rfft2(cp.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    if plan is not None:
        check_plan(plan, x, s, axes, FROM_REAL)
    run = kept_call_of_axes(rfft2, x, s, axes, norm)
    if run is not None:
        return run(x)
    return along_axes(rfft2, FROM_REAL, x, s, axes, norm, single=True, deprecated=False)


@sharing(TEXTS)
def irfft2(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Any = None,
) -> ndarray:
    """The inverse of `rfft2`.

    Parameters
    ----------
    {half_x}
    {result_s}
    {axes}
    {norm}
    {overwrite_x}
    {workers}
    {plan}

    Returns
    -------
    {real_result}

    Raises
    ------
    {no_transform_of_axes}
    {numbers_only}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.irfft2(cp.ones((2, 2)))
    array([[1., 0.],
           [0., 0.]])
    """
    if plan is not None:
        check_plan(plan, x, s, axes, TO_REAL)
    run = kept_call_of_axes(irfft2, x, s, axes, norm)
    if run is not None:
        return run(x)
    return along_axes(irfft2, TO_REAL, x, s, axes, norm, single=True, deprecated=False)
