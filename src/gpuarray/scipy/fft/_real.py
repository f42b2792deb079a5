"""SciPy's transforms between real arrays and Hermitian spectra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

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
from gpuarray.scipy.fft._plans import check_plan

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = [
    "hfft", "hfft2", "hfftn", "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft",
    "rfft2", "rfftn",
]  # fmt: skip


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
    x : ndarray
        Real numbers.
    n : int, optional
        How many points are transformed: the array is cut, or filled with zeros. By default as many
        as there are.
    axis : int, optional
        The axis along which it is transformed.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    plan : Plan1d or PlanNd, optional
        A plan of `get_fft_plan`, which must suit the operand. Plans are kept in any case.

    Returns
    -------
    ndarray
        The frequencies from 0 to half of the points along the axis. Complex64 for float16 and
        float32, complex128 otherwise.

    Raises
    ------
    ValueError
        If there is no point to transform, the norm is none of these, or the plan does not suit.
    TypeError
        If the elements are no numbers, or are complex.

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
    x : ndarray
        The first half of a Hermitian spectrum.
    n : int, optional
        How many points the result has; ``2 * (m - 1)`` by default, where the operand has m.
    axis : int, optional
        The axis along which it is transformed.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    plan : Plan1d or PlanNd, optional
        A plan of `get_fft_plan`, which must suit the operand. Plans are kept in any case.

    Returns
    -------
    ndarray
        Float32 for float16, float32 and complex64, float64 otherwise.

    Raises
    ------
    ValueError
        If there is no point to transform, the norm is none of these, or the plan does not suit.
    TypeError
        If the elements are no numbers.

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
    x : ndarray
        The first half of a Hermitian spectrum.
    n : int, optional
        How many points the result has; ``2 * (m - 1)`` by default, where the operand has m.
    axis : int, optional
        The axis along which it is transformed.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    plan : Plan1d or PlanNd, optional
        A plan of `get_fft_plan`, which must suit the operand. Plans are kept in any case.

    Returns
    -------
    ndarray
        Float32 for float16, float32 and complex64, float64 otherwise.

    Raises
    ------
    ValueError
        If there is no point to transform, the norm is none of these, or the plan does not suit.
    TypeError
        If the elements are no numbers.

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
    x : ndarray
        Real numbers.
    n : int, optional
        How many points are transformed: the array is cut, or filled with zeros. By default as many
        as there are.
    axis : int, optional
        The axis along which it is transformed.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    plan : Plan1d or PlanNd, optional
        A plan of `get_fft_plan`, which must suit the operand. Plans are kept in any case.

    Returns
    -------
    ndarray
        The frequencies from 0 to half of the points along the axis. Complex64 for float16 and
        float32, complex128 otherwise.

    Raises
    ------
    ValueError
        If there is no point to transform, the norm is none of these, or the plan does not suit.
    TypeError
        If the elements are no numbers, or are complex.

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
    x : ndarray
        Real numbers.
    s : int or sequence of int, optional
        For each axis how many points are transformed: the array is cut, or filled with zeros. By
        default, and for -1, as many as there are.
    axes : int or sequence of int, optional
        The axes along which it is transformed.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    plan : Plan1d or PlanNd, optional
        A plan of `get_fft_plan`, which must suit the operand. Plans are kept in any case.

    Returns
    -------
    ndarray
        The frequencies from 0 to half of the points along the last axis. Complex64 for float16 and
        float32, complex128 otherwise.

    Raises
    ------
    ValueError
        If there is no point to transform, an axis comes twice, the norm is none of these, or the
        plan does not suit.
    TypeError
        If the elements are no numbers, or are complex.

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
    x : ndarray
        The first half of a Hermitian spectrum.
    s : int or sequence of int, optional
        For each axis how many points the result has; ``2 * (m - 1)`` of the last one by default,
        where the operand has m.
    axes : int or sequence of int, optional
        The axes along which it is transformed.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    plan : Plan1d or PlanNd, optional
        A plan of `get_fft_plan`, which must suit the operand. Plans are kept in any case.

    Returns
    -------
    ndarray
        Float32 for float16, float32 and complex64, float64 otherwise.

    Raises
    ------
    ValueError
        If there is no point to transform, an axis comes twice, the norm is none of these, or the
        plan does not suit.
    TypeError
        If the elements are no numbers.

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
    x : ndarray
        The first half of a Hermitian spectrum.
    s : int or sequence of int, optional
        For each axis how many points the result has; ``2 * (m - 1)`` of the last one by default,
        where the operand has m.
    axes : int or sequence of int, optional
        The axes along which it is transformed.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    plan : Plan1d or PlanNd, optional
        A plan of `get_fft_plan`, which must suit the operand. Plans are kept in any case.

    Returns
    -------
    ndarray
        Float32 for float16, float32 and complex64, float64 otherwise.

    Raises
    ------
    ValueError
        If there is no point to transform, an axis comes twice, the norm is none of these, or the
        plan does not suit.
    TypeError
        If the elements are no numbers.

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
    x : ndarray
        Real numbers.
    s : int or sequence of int, optional
        For each axis how many points are transformed: the array is cut, or filled with zeros. By
        default, and for -1, as many as there are.
    axes : int or sequence of int, optional
        The axes along which it is transformed.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    plan : Plan1d or PlanNd, optional
        A plan of `get_fft_plan`, which must suit the operand. Plans are kept in any case.

    Returns
    -------
    ndarray
        The frequencies from 0 to half of the points along the last axis. Complex64 for float16 and
        float32, complex128 otherwise.

    Raises
    ------
    ValueError
        If there is no point to transform, an axis comes twice, the norm is none of these, or the
        plan does not suit.
    TypeError
        If the elements are no numbers, or are complex.

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
    x : ndarray
        Real numbers.
    s : int or sequence of int, optional
        For each axis how many points are transformed: the array is cut, or filled with zeros. By
        default, and for -1, as many as there are.
    axes : int or sequence of int, optional
        The axes along which it is transformed.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    plan : Plan1d or PlanNd, optional
        A plan of `get_fft_plan`, which must suit the operand. Plans are kept in any case.

    Returns
    -------
    ndarray
        The frequencies from 0 to half of the points along the last axis. Complex64 for float16 and
        float32, complex128 otherwise.

    Raises
    ------
    ValueError
        If there is no point to transform, an axis comes twice, the norm is none of these, or the
        plan does not suit.
    TypeError
        If the elements are no numbers, or are complex.

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
    x : ndarray
        The first half of a Hermitian spectrum.
    s : int or sequence of int, optional
        For each axis how many points the result has; ``2 * (m - 1)`` of the last one by default,
        where the operand has m.
    axes : int or sequence of int, optional
        The axes along which it is transformed.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    plan : Plan1d or PlanNd, optional
        A plan of `get_fft_plan`, which must suit the operand. Plans are kept in any case.

    Returns
    -------
    ndarray
        Float32 for float16, float32 and complex64, float64 otherwise.

    Raises
    ------
    ValueError
        If there is no point to transform, an axis comes twice, the norm is none of these, or the
        plan does not suit.
    TypeError
        If the elements are no numbers.

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
    x : ndarray
        The first half of a Hermitian spectrum.
    s : int or sequence of int, optional
        For each axis how many points the result has; ``2 * (m - 1)`` of the last one by default,
        where the operand has m.
    axes : int or sequence of int, optional
        The axes along which it is transformed.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    plan : Plan1d or PlanNd, optional
        A plan of `get_fft_plan`, which must suit the operand. Plans are kept in any case.

    Returns
    -------
    ndarray
        Float32 for float16, float32 and complex64, float64 otherwise.

    Raises
    ------
    ValueError
        If there is no point to transform, an axis comes twice, the norm is none of these, or the
        plan does not suit.
    TypeError
        If the elements are no numbers.

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
    x : ndarray
        Real numbers.
    s : int or sequence of int, optional
        For each axis how many points are transformed: the array is cut, or filled with zeros. By
        default, and for -1, as many as there are.
    axes : int or sequence of int, optional
        The axes along which it is transformed.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is divided by the number of points: the inverse one, as by default, both by
        its square root, or the forward one.
    overwrite_x : bool, optional
        Whether the operand may be overwritten; it is not.
    workers : int, optional
        Ignored: threads of the host compute nothing.
    plan : Plan1d or PlanNd, optional
        A plan of `get_fft_plan`, which must suit the operand. Plans are kept in any case.

    Returns
    -------
    ndarray
        The frequencies from 0 to half of the points along the last axis. Complex64 for float16 and
        float32, complex128 otherwise.

    Raises
    ------
    ValueError
        If there is no point to transform, an axis comes twice, the norm is none of these, or the
        plan does not suit.
    TypeError
        If the elements are no numbers, or are complex.

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
