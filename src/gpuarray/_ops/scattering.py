"""Updates at indices that may repeat, by the names of CuPy's `cupyx`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuarray._ops import cupy_methods

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["scatter_add", "scatter_max", "scatter_min"]


def scatter_add(a: ndarray, slices: Any, value: Any) -> None:
    """Add values to the elements at indices, as often as an index is repeated.

    Parameters
    ----------
    a : ndarray
        The array, which is changed.
    slices : index
        What may stand in ``a[...]``.
    value : array_like
        The values, which broadcast to the shape of ``a[slices]``.

    See Also
    --------
    ufunc.at : ``add.at(a, slices, value)`` does the same.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.zeros(4)
    >>> cp.scatter_add(a, cp.array([1, 0, 1]), cp.ones(3))
    >>> a
    array([1., 2., 0., 0.])
    """
    cupy_methods.scatter_add(a, slices, value)


def scatter_max(a: ndarray, slices: Any, value: Any) -> None:
    """Store the greater of the elements at indices and of values.

    Parameters
    ----------
    a : ndarray
        The array, which is changed.
    slices : index
        What may stand in ``a[...]``.
    value : array_like
        The values, which broadcast to the shape of ``a[slices]``.

    See Also
    --------
    ufunc.at : ``maximum.at(a, slices, value)`` does the same.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.ones(3)
    >>> cp.scatter_max(a, cp.array([1, 2, 1]), cp.array([5.0, 0.0, 4.0]))
    >>> a
    array([1., 5., 1.])
    """
    cupy_methods.scatter_max(a, slices, value)


def scatter_min(a: ndarray, slices: Any, value: Any) -> None:
    """Store the lesser of the elements at indices and of values.

    Parameters
    ----------
    a : ndarray
        The array, which is changed.
    slices : index
        What may stand in ``a[...]``.
    value : array_like
        The values, which broadcast to the shape of ``a[slices]``.

    See Also
    --------
    ufunc.at : ``minimum.at(a, slices, value)`` does the same.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.ones(3)
    >>> cp.scatter_min(a, cp.array([1, 2, 1]), cp.array([5.0, 0.0, -4.0]))
    >>> a
    array([ 1., -4.,  0.])
    """
    cupy_methods.scatter_min(a, slices, value)
