"""NumPy arrays in page-locked memory, by the names of CuPy's `cupyx`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _dtypes
from gpuarray._array import ArrayBase
from gpuarray._namespace.called_name import called_name
from gpuarray._runtime import pinned_memory

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike

__all__ = ["empty_like_pinned", "empty_pinned", "zeros_like_pinned", "zeros_pinned"]


def empty_pinned(
    shape: int | Sequence[int], dtype: DTypeLike = float, order: str = "C"
) -> np.ndarray[Any, Any]:
    """A NumPy array in page-locked memory, whose elements are whatever the memory held.

    Copies between such an array and the device are fast, and run beside other work where a stream
    is named (``x.set(array, stream)``) or ``blocking=False`` is said.

    Parameters
    ----------
    shape : int or tuple of int
        Shape of the array.
    dtype : dtype, optional
        Dtype of the elements, float64 by default.
    order : {'C', 'F'}, optional
        Memory order.

    Returns
    -------
    numpy.ndarray
        On the host. Its memory is from `cuda.alloc_pinned_memory`, and goes back when nothing
        refers to the array.

    Raises
    ------
    OutOfMemoryError
        If the system has no more memory that it could page-lock.

    Examples
    --------
    >>> import gpuarray as cp
    >>> host = cp.empty_pinned((2, 3), "f4")
    >>> type(host).__name__, host.shape
    ('ndarray', (2, 3))
    """
    order = _arguments.check_order(order, "C")
    if order not in ("C", "F"):
        raise ValueError(
            f"{called_name('empty_pinned')}: the order of a new array is 'C' or 'F', got {order!r}"
        )
    return _in_pinned_memory(_dtypes.parsed(dtype), _arguments.check_shape(shape), order, None)


def empty_like_pinned(
    a: Any,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: None = None,
    shape: int | Sequence[int] | None = None,
) -> np.ndarray[Any, Any]:
    """A NumPy array in page-locked memory with the shape, dtype and memory order of another.

    Parameters
    ----------
    a : ndarray or numpy.ndarray
        The array to be like.
    dtype : dtype, optional
        Another dtype.
    order : {'K', 'C', 'F', 'A'}, optional
        Memory order; 'K' is that of `a`.
    subok : None
        For CuPy's sake.
    shape : int or tuple of int, optional
        Another shape.

    Returns
    -------
    numpy.ndarray
        On the host, uninitialised; see `empty_pinned`.

    Raises
    ------
    TypeError
        If `subok` is given: there are no subclasses.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.empty_like_pinned(cp.ones((2, 3), order="F")).flags.f_contiguous
    True
    """
    if subok is not None:
        raise TypeError(f"{called_name('empty_like_pinned')}: subok must be None, got {subok!r}")
    _check_array(a)
    wanted = a.dtype if dtype is None else _dtypes.parsed(dtype)
    lengths = tuple(a.shape) if shape is None else _arguments.check_shape(shape)
    order = _arguments.check_order(order)
    if order == "K" and len(lengths) == a.ndim:
        steps = [abs(stride) for stride in a.strides]
        return _in_pinned_memory(
            wanted, lengths, "C", sorted(range(a.ndim), key=lambda axis: -steps[axis])
        )
    fortran = order == "F" or (order == "A" and a.flags.f_contiguous and not a.flags.c_contiguous)
    return _in_pinned_memory(wanted, lengths, "F" if fortran else "C", None)


def zeros_pinned(
    shape: int | Sequence[int], dtype: DTypeLike = float, order: str = "C"
) -> np.ndarray[Any, Any]:
    """A NumPy array of zeros in page-locked memory.

    Parameters
    ----------
    shape, dtype, order : optional
        As for `empty_pinned`.

    Returns
    -------
    numpy.ndarray
        On the host; see `empty_pinned`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.zeros_pinned(3)
    array([0., 0., 0.])
    """
    return _zeroed(empty_pinned(shape, dtype, order))


def zeros_like_pinned(
    a: Any,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: None = None,
    shape: int | Sequence[int] | None = None,
) -> np.ndarray[Any, Any]:
    """A NumPy array of zeros in page-locked memory that is like another array.

    Parameters
    ----------
    a : ndarray or numpy.ndarray
        The array to be like.
    dtype, order, subok, shape : optional
        As for `empty_like_pinned`.

    Returns
    -------
    numpy.ndarray
        On the host; see `empty_pinned`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.zeros_like_pinned(cp.arange(3), "f4")
    array([0., 0., 0.], dtype=float32)
    """
    return _zeroed(empty_like_pinned(a, dtype, order, subok, shape))


def _check_array(a: object) -> None:
    if not isinstance(a, np.ndarray | ArrayBase):
        raise TypeError(
            f"{called_name('empty_like_pinned')}: a must be an array, on the device or the host, "
            f"got a {type(a).__name__}; use empty_pinned or zeros_pinned with a shape"
        )


def _zeroed(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    np.copyto(array, 0, casting="unsafe")
    return array


def _in_pinned_memory(
    dtype: np.dtype, shape: tuple[int, ...], order: str, axes: list[int] | None
) -> np.ndarray[Any, Any]:
    """An uninitialised array; `axes` has the axes from the one with the greatest stride on."""
    if dtype.hasobject:
        raise ValueError(f"page-locked memory cannot hold elements of dtype {dtype}")
    nbytes = dtype.itemsize
    for length in shape:
        nbytes *= length
    memory = pinned_memory.alloc_pinned_memory(nbytes)
    if axes is None:
        return np.ndarray(shape, dtype, memory, order=order)  # type: ignore[arg-type]  # "C" or "F"
    placed: Any = np.ndarray([shape[axis] for axis in axes], dtype, memory)
    return placed.transpose(np.argsort(axes))
