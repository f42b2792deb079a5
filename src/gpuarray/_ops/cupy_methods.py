"""Methods that CuPy's arrays have and NumPy's do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuarray import _array, _dtypes, _layout, _ufunc

if TYPE_CHECKING:
    from gpuarray._types import ndarray


def reduced_view(array: ndarray, dtype: Any = None) -> ndarray:
    """A view with as few dimensions as possible, which has the elements in the same order.

    Dimensions of length 1 are dropped, and neighbours without a gap between them made one.

    Parameters
    ----------
    dtype : dtype, optional
        Only that of the array.

    Returns
    -------
    ndarray
        The view.

    Raises
    ------
    ValueError
        For another dtype than the array's.
    """
    layout = array._layout
    if dtype is not None and _dtypes.parsed(dtype) != layout.dtype:
        raise ValueError(f"reduced_view: the dtype is {layout.dtype}, not {dtype!r}")
    if layout.ndim <= 1:
        return array
    shape: list[int] = []
    strides: list[int] = []
    for length, stride in zip(layout.shape, layout.strides, strict=True):
        if length == 1:
            continue
        if shape and strides[-1] == length * stride:
            shape[-1] *= length
            strides[-1] = stride
        else:
            shape.append(length)
            strides.append(stride)
    if not layout.size:
        shape, strides = [0], [layout.itemsize]
    elif not shape:
        shape, strides = [1], [layout.itemsize]
    return _array.view(array, _layout.layout_of(layout.dtype, tuple(shape), tuple(strides)))


def scatter_add(array: ndarray, slices: Any, value: Any) -> None:
    """Add values at indices, which may repeat: ``add.at(array, slices, value)``.

    Parameters
    ----------
    slices : index
        As of an assignment.
    value : array_like
        Broadcast to the shape of what the index chooses.
    """
    _ufunc.ufuncs["add"].at(array, slices, value)


def scatter_max(array: ndarray, slices: Any, value: Any) -> None:
    """Store what is greater at indices: ``maximum.at(array, slices, value)``.

    Parameters
    ----------
    slices : index
        As of an assignment.
    value : array_like
        Broadcast to the shape of what the index chooses.
    """
    _ufunc.ufuncs["maximum"].at(array, slices, value)


def scatter_min(array: ndarray, slices: Any, value: Any) -> None:
    """Store what is less at indices: ``minimum.at(array, slices, value)``.

    Parameters
    ----------
    slices : index
        As of an assignment.
    value : array_like
        Broadcast to the shape of what the index chooses.
    """
    _ufunc.ufuncs["minimum"].at(array, slices, value)
