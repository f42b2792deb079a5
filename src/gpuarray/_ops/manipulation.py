"""Array manipulation routines: shapes, axes and numbers of dimensions."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuarray import _array, _copies, _layout
from gpuarray._array import ArrayBase
from gpuarray._layout import VIEW_LIMIT, check_axes, check_axis
from gpuarray._ops.conversion import as_values


def as_array(a: Any, name: str) -> Any:
    """An argument that has to be a device array; numbers and lists become one."""
    return a if isinstance(a, ArrayBase) else as_values(a, name)


# ---- shape -------------------------------------------------------------------------------------


def reshape(a: Any, shape: Any, order: str = "C", *, copy: bool | None = None) -> Any:
    """An array with the same elements in another shape.

    Parameters
    ----------
    a : ndarray
        The array.
    shape : int or tuple of int
        The new shape; one length may be -1 and is worked out.
    order : {'C', 'F', 'A'}, optional
        In which order elements are counted.
    copy : bool or None, optional
        True copies always, None where no view is possible, False raises ValueError there.

    Returns
    -------
    ndarray
        A view where possible.

    Raises
    ------
    ValueError
        If the number of elements differs.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.reshape(cp.arange(6), (2, -1))
    array([[0, 1, 2],
           [3, 4, 5]])
    """
    a = as_array(a, "reshape")
    layout = a._layout
    if order == "A":
        order = "F" if layout.f_contiguous and not layout.c_contiguous else "C"
    elif order not in ("C", "F"):
        raise ValueError(f"order must be one of 'C', 'F' or 'A' (got {order!r})")
    resolved = _layout.resolve_reshape(layout.size, _lengths(shape))
    if copy:
        a = _copies.copy(a, order)
        layout = a._layout
    target = _layout.reshape_view(layout, resolved, order)
    if target is None:
        if copy is False:
            raise ValueError(
                f"reshape: an array of shape {layout.shape} and strides {layout.strides} has no "
                f"view of shape {resolved}, but copy=False; use copy=None"
            )
        a = _copies.copy(a, order)
        target = _layout.contiguous(layout.dtype, resolved, order)
    elif order == "C":
        _remember_reshape(layout, shape, target)
    return _array.view(a, target)


def _lengths(shape: Any) -> tuple[int, ...]:
    try:
        return (operator.index(shape),)
    except TypeError:
        return tuple([operator.index(length) for length in shape])


def _remember_reshape(layout: Any, shape: Any, target: Any) -> None:
    """Keep the view under what ``ndarray.reshape`` looks up: its arguments, if all are int."""
    key = (shape,) if type(shape) is int else shape
    if type(key) is tuple and all(type(length) is int for length in key):
        if len(layout.reshapes) >= VIEW_LIMIT:
            layout.reshapes.clear()
        layout.reshapes[key] = target


def ravel(a: Any, order: str = "C") -> Any:
    """An array as one dimension.

    Parameters
    ----------
    a : ndarray
        The array.
    order : {'C', 'F', 'A', 'K'}, optional
        In which order elements are taken; 'K' as they lie in memory.

    Returns
    -------
    ndarray, 1-D
        A view where possible.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.ravel(cp.ones((2, 2)))
    array([1., 1., 1., 1.])
    """
    a = as_array(a, "ravel")
    if order == "K":
        a = transpose(a, _layout.keep_order([a._layout], a._layout.shape))
        order = "C"
    return reshape(a, -1 if a._layout.size else (0,), order)


def flatten(a: Any, order: str = "C") -> Any:
    """A copy of an array as one dimension (``ndarray.flatten``)."""
    if order == "K":
        a = transpose(a, _layout.keep_order([a._layout], a._layout.shape))
        order = "C"
    return reshape(a, -1 if a._layout.size else (0,), order, copy=True)


def shape(a: Any) -> tuple[int, ...]:
    """The shape of an array.

    Parameters
    ----------
    a : array_like
        The array.

    Returns
    -------
    tuple of int
        Its lengths.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.shape(cp.eye(3))
    (3, 3)
    """
    return a._layout.shape if isinstance(a, ArrayBase) else np.shape(a)


def ndim(a: Any) -> int:
    """The number of dimensions of an array.

    Parameters
    ----------
    a : array_like
        The array.

    Returns
    -------
    int
        How many.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.ndim(cp.eye(3))
    2
    """
    return a._layout.ndim if isinstance(a, ArrayBase) else np.ndim(a)


def size(a: Any, axis: int | None = None) -> int:
    """The number of elements, altogether or along an axis.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int, optional
        The axis.

    Returns
    -------
    int
        How many.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.size(cp.eye(3))
    9
    """
    if not isinstance(a, ArrayBase):
        return np.size(a, axis)
    layout = a._layout
    return layout.size if axis is None else layout.shape[check_axis(axis, layout.ndim)]


# ---- axes --------------------------------------------------------------------------------------


def transpose(a: Any, axes: Any = None) -> Any:
    """A view with the axes in another order.

    Parameters
    ----------
    a : ndarray
        The array.
    axes : sequence of int, optional
        The new order of the axes; reversed by default.

    Returns
    -------
    ndarray
        A view.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.transpose(cp.ones((1, 2, 3)), (1, 0, 2)).shape
    (2, 1, 3)
    """
    a = as_array(a, "transpose")
    layout = a._layout
    if axes is None:
        return _array.view(a, _layout.transpose(layout))
    axes = tuple(axes) if not isinstance(axes, int | np.integer) else (axes,)
    if len(axes) != layout.ndim:
        raise ValueError(f"axes don't match array: {axes} for {layout.ndim} dimensions")
    axes = check_axes(axes, layout.ndim, duplicates=f"repeated axis in transpose: {axes}")
    return _array.view(a, _layout.transpose(layout, axes))


permute_dims = transpose


def matrix_transpose(x: Any, /) -> Any:
    """A view with the last two axes exchanged.

    Parameters
    ----------
    x : ndarray
        Of at least two dimensions.

    Returns
    -------
    ndarray
        A view.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.matrix_transpose(cp.ones((4, 2, 3))).shape
    (4, 3, 2)
    """
    x = as_array(x, "matrix_transpose")
    if x._layout.ndim < 2:
        raise ValueError(
            f"matrix transpose with ndim < 2 is undefined: the array has shape {x._layout.shape}"
        )
    return swapaxes(x, -1, -2)


def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """A view with two axes exchanged.

    Parameters
    ----------
    a : ndarray
        The array.
    axis1, axis2 : int
        The axes.

    Returns
    -------
    ndarray
        A view.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.swapaxes(cp.ones((1, 2, 3)), 0, 2).shape
    (3, 2, 1)
    """
    a = as_array(a, "swapaxes")
    axes = list(range(a._layout.ndim))
    first, second = check_axis(axis1, len(axes), "axis1"), check_axis(axis2, len(axes), "axis2")
    axes[first], axes[second] = axes[second], axes[first]
    return _array.view(a, _layout.transpose(a._layout, axes))


def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """A view with axes moved to other places, the rest in their order.

    Parameters
    ----------
    a : ndarray
        The array.
    source, destination : int or sequence of int
        Where the axes are, and where they go.

    Returns
    -------
    ndarray
        A view.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.moveaxis(cp.ones((1, 2, 3)), 0, -1).shape
    (2, 3, 1)
    """
    a = as_array(a, "moveaxis")
    ndim = a._layout.ndim
    sources = check_axes(source, ndim, "source", "repeated axis in `source` argument")
    targets = check_axes(
        destination, ndim, "destination", "repeated axis in `destination` argument"
    )
    if len(sources) != len(targets):
        raise ValueError(
            "`source` and `destination` arguments must have the same number of elements: "
            f"{source} and {destination}"
        )
    axes = [axis for axis in range(ndim) if axis not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        axes.insert(target, axis)
    return _array.view(a, _layout.transpose(a._layout, axes))


def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    """A view with one axis moved before another.

    Parameters
    ----------
    a : ndarray
        The array.
    axis : int
        The axis to move.
    start : int, optional
        The axis before which it goes.

    Returns
    -------
    ndarray
        A view.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.rollaxis(cp.ones((1, 2, 3)), 2).shape
    (3, 1, 2)
    """
    a = as_array(a, "rollaxis")
    ndim = a._layout.ndim
    axis = check_axis(axis, ndim)
    start = operator.index(start)
    if start < 0:
        start += ndim
    if not 0 <= start <= ndim:
        raise np.exceptions.AxisError(
            f"'start' arg requires {-ndim} <= start < {ndim + 1}, but {start} was passed in"
        )
    if axis < start:
        start -= 1
    axes = list(range(ndim))
    axes.remove(axis)
    axes.insert(start, axis)
    return _array.view(a, _layout.transpose(a._layout, axes))


# ---- number of dimensions ------------------------------------------------------------------------


def expand_dims(a: Any, axis: Any) -> Any:
    """A view with axes of length 1 put in.

    Parameters
    ----------
    a : ndarray
        The array.
    axis : int or tuple of int
        Where they are in the result.

    Returns
    -------
    ndarray
        A view.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.expand_dims(cp.arange(3), 0).shape
    (1, 3)
    """
    a = as_array(a, "expand_dims")
    layout = a._layout
    count = len(axis) if isinstance(axis, tuple | list) else 1
    axes = check_axes(
        tuple(axis) if isinstance(axis, list) else axis,
        layout.ndim + count,
        duplicates="repeated axis",
    )
    lengths = iter(zip(layout.shape, layout.strides, strict=True))
    dims = [(1, 0) if i in axes else next(lengths) for i in range(layout.ndim + count)]
    target = _layout.layout_of(
        layout.dtype, tuple([n for n, _ in dims]), tuple([s for _, s in dims])
    )
    return _array.view(a, target)


def squeeze(a: Any, axis: Any = None) -> Any:
    """A view without axes of length 1.

    Parameters
    ----------
    a : ndarray
        The array.
    axis : int or tuple of int, optional
        Which of them; all by default.

    Returns
    -------
    ndarray
        A view.

    Raises
    ------
    ValueError
        If a given axis has another length.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.squeeze(cp.ones((1, 3, 1))).shape
    (3,)
    """
    a = as_array(a, "squeeze")
    layout = a._layout
    if axis is None:
        axes: Sequence[int] = [i for i, length in enumerate(layout.shape) if length == 1]
    else:
        axes = check_axes(axis, layout.ndim)
        if any(layout.shape[i] != 1 for i in axes):
            raise ValueError(
                "cannot select an axis to squeeze out which has size not equal to one: axis "
                f"{axis} of shape {layout.shape}"
            )
    kept = [i for i in range(layout.ndim) if i not in axes]
    return _array.view(a, _layout.transpose(layout, kept))


def _atleast(arrays: tuple[Any, ...], widen: Any) -> Any:
    results = [widen(as_array(a, "atleast")) for a in arrays]
    return results[0] if len(results) == 1 else tuple(results)


def atleast_1d(*arys: Any) -> Any:
    """Arrays of at least one dimension.

    Parameters
    ----------
    *arys : ndarray
        Arrays.

    Returns
    -------
    ndarray or tuple of ndarray
        Views.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.atleast_1d(cp.array(1.0))
    array([1.])
    """
    return _atleast(arys, lambda a: reshape(a, (1,)) if a.ndim == 0 else a)


def atleast_2d(*arys: Any) -> Any:
    """Arrays of at least two dimensions; new ones come first.

    Parameters
    ----------
    *arys : ndarray
        Arrays.

    Returns
    -------
    ndarray or tuple of ndarray
        Views.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.atleast_2d(cp.arange(3)).shape
    (1, 3)
    """
    return _atleast(arys, _as_matrix)


def _as_matrix(a: Any) -> Any:
    return expand_dims(a, tuple(range(2 - a.ndim))) if a.ndim < 2 else a


def atleast_3d(*arys: Any) -> Any:
    """Arrays of at least three dimensions; (N,) gives (1, N, 1), (M, N) gives (M, N, 1).

    Parameters
    ----------
    *arys : ndarray
        Arrays.

    Returns
    -------
    ndarray or tuple of ndarray
        Views.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.atleast_3d(cp.arange(3)).shape
    (1, 3, 1)
    """
    return _atleast(arys, lambda a: expand_dims(_as_matrix(a), 2) if a.ndim < 3 else a)


def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    """A view of an array in a shape that it broadcasts to.

    Parameters
    ----------
    array : ndarray
        The array.
    shape : int or tuple of int
        The shape.
    subok : bool, optional
        Ignored: there are no subclasses.

    Returns
    -------
    ndarray
        A view whose elements share memory: writing to it is refused.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.broadcast_to(cp.arange(2), (2, 2))
    array([[0, 1],
           [0, 1]])
    """
    array = as_array(array, "broadcast_to")
    return _array.view(array, _layout.broadcast_to(array._layout, _layout.check_shape(shape)))


def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    """Views of arrays in the shape that they broadcast to.

    Parameters
    ----------
    *args : ndarray
        Arrays.
    subok : bool, optional
        Ignored: there are no subclasses.

    Returns
    -------
    tuple of ndarray
        Views.

    Examples
    --------
    >>> import gpuarray as cp
    >>> [x.shape for x in cp.broadcast_arrays(cp.ones((2, 1)), cp.ones(3))]
    [(2, 3), (2, 3)]
    """
    arrays = [as_array(a, "broadcast_arrays") for a in args]
    if not arrays:
        return ()
    shape = _layout.broadcast_shapes([a._layout.shape for a in arrays])
    return tuple([a if a._layout.shape == shape else broadcast_to(a, shape) for a in arrays])


def broadcast_shapes(*args: Any) -> tuple[int, ...]:
    """The shape that shapes broadcast to.

    Parameters
    ----------
    *args : int or tuple of int
        Shapes.

    Returns
    -------
    tuple of int
        The common shape.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    return _layout.broadcast_shapes([_layout.check_shape(x) for x in args] or [()])
