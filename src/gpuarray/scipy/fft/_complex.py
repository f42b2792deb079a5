"""SciPy's transforms of complex arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

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
from gpuarray.scipy.fft._plans import check_plan

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["fft", "fft2", "fftn", "ifft", "ifft2", "ifftn"]


@sharing(TEXTS)
def fft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Any = None,
) -> ndarray:
    """The discrete Fourier transform along one axis.

    Parameters
    ----------
    {x}
    {n}
    {axis}
    {norm}
    {overwrite_x}
    {workers}
    {plan}

    Returns
    -------
    {complex_result}

    Raises
    ------
    {no_transform}
    {numbers_only}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.fft(cp.array([1.0, 0.0]))
    array([1.+0.j, 1.+0.j])
    """
    if plan is not None:
        check_plan(plan, x, n, axis, COMPLEX)
    run = kept_call(fft, x, n, axis, norm)
    if run is not None:
        return run(x)
    return along_axis(fft, COMPLEX, x, n, axis, norm, single=True)


@sharing(TEXTS)
def ifft(
    x: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Any = None,
) -> ndarray:
    """The inverse of `fft`.

    Parameters
    ----------
    {x}
    {n}
    {axis}
    {norm}
    {overwrite_x}
    {workers}
    {plan}

    Returns
    -------
    {complex_result}

    Raises
    ------
    {no_transform}
    {numbers_only}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.ifft(cp.array([2.0, 0.0]))
    array([1.+0.j, 1.+0.j])
    """
    if plan is not None:
        check_plan(plan, x, n, axis, COMPLEX_INVERSE)
    run = kept_call(ifft, x, n, axis, norm)
    if run is not None:
        return run(x)
    return along_axis(ifft, COMPLEX_INVERSE, x, n, axis, norm, single=True)


@sharing(TEXTS)
def fftn(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Any = None,
) -> ndarray:
    """The discrete Fourier transform along several axes.

    Parameters
    ----------
    {x}
    {s}
    {axes}
    {norm}
    {overwrite_x}
    {workers}
    {plan}

    Returns
    -------
    {complex_result}

    Raises
    ------
    {no_transform_of_axes}
    {numbers_only}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.fftn(cp.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    if plan is not None:
        check_plan(plan, x, s, axes, COMPLEX)
    run = kept_call_of_axes(fftn, x, s, axes, norm)
    if run is not None:
        return run(x)
    return along_axes(fftn, COMPLEX, x, s, axes, norm, single=True, deprecated=False)


@sharing(TEXTS)
def ifftn(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Any = None,
) -> ndarray:
    """The inverse of `fftn`.

    Parameters
    ----------
    {x}
    {s}
    {axes}
    {norm}
    {overwrite_x}
    {workers}
    {plan}

    Returns
    -------
    {complex_result}

    Raises
    ------
    {no_transform_of_axes}
    {numbers_only}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.ifftn(cp.ones((2, 2)))
    array([[1.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    if plan is not None:
        check_plan(plan, x, s, axes, COMPLEX_INVERSE)
    run = kept_call_of_axes(ifftn, x, s, axes, norm)
    if run is not None:
        return run(x)
    return along_axes(ifftn, COMPLEX_INVERSE, x, s, axes, norm, single=True, deprecated=False)


@sharing(TEXTS)
def fft2(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Any = None,
) -> ndarray:
    """The discrete Fourier transform along two axes.

    Parameters
    ----------
    {x}
    {s}
    {axes}
    {norm}
    {overwrite_x}
    {workers}
    {plan}

    Returns
    -------
    {complex_result}

    Raises
    ------
    {no_transform_of_axes}
    {numbers_only}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.fft2(cp.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    if plan is not None:
        check_plan(plan, x, s, axes, COMPLEX)
    run = kept_call_of_axes(fft2, x, s, axes, norm)
    if run is not None:
        return run(x)
    return along_axes(fft2, COMPLEX, x, s, axes, norm, single=True, deprecated=False)


@sharing(TEXTS)
def ifft2(
    x: ArrayLike,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: Any = None,
) -> ndarray:
    """The inverse of `fft2`.

    Parameters
    ----------
    {x}
    {s}
    {axes}
    {norm}
    {overwrite_x}
    {workers}
    {plan}

    Returns
    -------
    {complex_result}

    Raises
    ------
    {no_transform_of_axes}
    {numbers_only}

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.fft
    >>> cp.scipy.fft.ifft2(cp.ones((2, 2)))
    array([[1.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    if plan is not None:
        check_plan(plan, x, s, axes, COMPLEX_INVERSE)
    run = kept_call_of_axes(ifft2, x, s, axes, norm)
    if run is not None:
        return run(x)
    return along_axes(ifft2, COMPLEX_INVERSE, x, s, axes, norm, single=True, deprecated=False)
