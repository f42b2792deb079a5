"""SciPy's transforms between Hermitian arrays and their real spectra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpuarray._namespace.shared_texts import sharing
from gpuarray._ops.fourier import (
    FROM_REAL_INVERSE,
    TO_REAL_FORWARD,
    along_axes,
    along_axis,
    kept_call,
    kept_call_of_axes,
)
from gpuarray._ops.fourier_texts import TEXTS
from gpuarray.scipy.fft._plans import check_plan

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["hfft", "hfft2", "hfftn", "ihfft", "ihfft2", "ihfftn"]


@sharing(TEXTS)
def hfft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Any = None,
) -> ndarray:
    """The discrete Fourier transform of a signal that is Hermitian in time.

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
    >>> cp.scipy.fft.hfft(cp.array([1.0, 1.0]))
    array([2., 0.])
    """
    if plan is not None:
        check_plan(plan, x, n, axis, TO_REAL_FORWARD)
    run = kept_call(hfft, x, n, axis, norm)
    if run is not None:
        return run(x)
    return along_axis(hfft, TO_REAL_FORWARD, x, n, axis, norm, single=True)


@sharing(TEXTS)
def ihfft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Any = None,
) -> ndarray:
    """The inverse of `hfft`.

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
    >>> cp.scipy.fft.ihfft(cp.array([2.0, 0.0]))
    array([1.-0.j, 1.-0.j])
    """
    if plan is not None:
        check_plan(plan, x, n, axis, FROM_REAL_INVERSE)
    run = kept_call(ihfft, x, n, axis, norm)
    if run is not None:
        return run(x)
    return along_axis(ihfft, FROM_REAL_INVERSE, x, n, axis, norm, single=True)


@sharing(TEXTS)
def hfftn(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Any = None,
) -> ndarray:
    """The transform along several axes of a signal that is Hermitian in time.

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
    >>> cp.scipy.fft.hfftn(cp.ones((2, 2)))
    array([[4., 0.],
           [0., 0.]])
    """
    if plan is not None:
        check_plan(plan, x, s, axes, TO_REAL_FORWARD)
    run = kept_call_of_axes(hfftn, x, s, axes, norm)
    if run is not None:
        return run(x)
    return along_axes(hfftn, TO_REAL_FORWARD, x, s, axes, norm, single=True, deprecated=False)


@sharing(TEXTS)
def ihfftn(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Any = None,
) -> ndarray:
    """The inverse of `hfftn`.

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
    >>> cp.scipy.fft.ihfftn(cp.ones((2, 2)))
    array([[1.-0.j, 0.-0.j],
           [0.-0.j, 0.-0.j]])
    """
    if plan is not None:
        check_plan(plan, x, s, axes, FROM_REAL_INVERSE)
    run = kept_call_of_axes(ihfftn, x, s, axes, norm)
    if run is not None:
        return run(x)
    return along_axes(ihfftn, FROM_REAL_INVERSE, x, s, axes, norm, single=True, deprecated=False)


@sharing(TEXTS)
def hfft2(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Any = None,
) -> ndarray:
    """The transform along two axes of a signal that is Hermitian in time.

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
    >>> cp.scipy.fft.hfft2(cp.ones((2, 2)))
    array([[4., 0.],
           [0., 0.]])
    """
    if plan is not None:
        check_plan(plan, x, s, axes, TO_REAL_FORWARD)
    run = kept_call_of_axes(hfft2, x, s, axes, norm)
    if run is not None:
        return run(x)
    return along_axes(hfft2, TO_REAL_FORWARD, x, s, axes, norm, single=True, deprecated=False)


@sharing(TEXTS)
def ihfft2(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Any = None,
) -> ndarray:
    """The inverse of `hfft2`.

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
    >>> cp.scipy.fft.ihfft2(cp.ones((2, 2)))
    array([[1.-0.j, 0.-0.j],
           [0.-0.j, 0.-0.j]])
    """
    if plan is not None:
        check_plan(plan, x, s, axes, FROM_REAL_INVERSE)
    run = kept_call_of_axes(ihfft2, x, s, axes, norm)
    if run is not None:
        return run(x)
    return along_axes(ihfft2, FROM_REAL_INVERSE, x, s, axes, norm, single=True, deprecated=False)
