"""Array manipulation routines: numbers of dimensions, and broadcasting."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, overload

from gpuarray import _arguments, _array, _broadcasting, _layout
from gpuarray._arguments import check_axes
from gpuarray._array import ArrayBase
from gpuarray._ops.manipulation import as_array, reshape

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_shapes",
    "broadcast_to", "expand_dims", "squeeze",
]  # fmt: skip


def expand_dims(a: ArrayLike, axis: int | Sequence[int]) -> ndarray:
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
    kept = _array.kept_view(a, expand_dims, axis)
    if kept is not None:
        return kept
    a = as_array(a, "expand_dims")
    layout = a._layout
    if isinstance(axis, tuple | list):
        given: tuple[Any, ...] = tuple(axis)
    else:
        given = (operator.index(axis),)  # type: ignore[arg-type]  # anything but an int raises
    count = len(given)
    axes = check_axes(given, layout.ndim + count, duplicates="repeated axis")
    lengths = iter(zip(layout.shape, layout.strides, strict=True))
    dims = [(1, 0) if i in axes else next(lengths) for i in range(layout.ndim + count)]
    target = _layout.layout_of(
        layout.dtype, tuple([n for n, _ in dims]), tuple([s for _, s in dims])
    )
    return _array.keep_view(a, _array.view(a, target), expand_dims, axis)


def squeeze(a: ArrayLike, axis: int | Sequence[int] | None = None) -> ndarray:
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
    given = axis
    found = _array.kept_view(a, squeeze, axis)
    if found is not None:
        return found
    a = as_array(a, "squeeze")
    layout = a._layout
    if axis is None:
        axes: Sequence[int] = [i for i, length in enumerate(layout.shape) if length == 1]
    else:
        if not isinstance(axis, tuple):
            axis = axis if isinstance(axis, bool) else operator.index(axis)  # type: ignore[arg-type]  # a list raises
        if not layout.ndim and axis in (0, -1) and type(axis) is int:
            return _array.view(a, layout)  # NumPy lets these pass for a scalar
        axes = check_axes(axis, layout.ndim, bools=False)
        if any(layout.shape[i] != 1 for i in axes):
            raise ValueError(
                "cannot select an axis to squeeze out which has size not equal to one: axis "
                f"{axis} of shape {layout.shape}"
            )
    kept = [i for i in range(layout.ndim) if i not in axes]
    return _array.keep_view(a, _array.view(a, _layout.transpose(layout, kept)), squeeze, given)


def _atleast(arrays: tuple[Any, ...], widen: Any) -> Any:
    results = [widen(as_array(a, "atleast")) for a in arrays]
    return results[0] if len(results) == 1 else tuple(results)


@overload
def atleast_1d(ary: ArrayLike, /) -> ndarray: ...


@overload
def atleast_1d(ary1: ArrayLike, ary2: ArrayLike, /, *arys: ArrayLike) -> tuple[ndarray, ...]: ...


def atleast_1d(*arys: ArrayLike) -> ndarray | tuple[ndarray, ...]:
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


@overload
def atleast_2d(ary: ArrayLike, /) -> ndarray: ...


@overload
def atleast_2d(ary1: ArrayLike, ary2: ArrayLike, /, *arys: ArrayLike) -> tuple[ndarray, ...]: ...


def atleast_2d(*arys: ArrayLike) -> ndarray | tuple[ndarray, ...]:
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


@overload
def atleast_3d(ary: ArrayLike, /) -> ndarray: ...


@overload
def atleast_3d(ary1: ArrayLike, ary2: ArrayLike, /, *arys: ArrayLike) -> tuple[ndarray, ...]: ...


def atleast_3d(*arys: ArrayLike) -> ndarray | tuple[ndarray, ...]:
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


def broadcast_to(array: ArrayLike, shape: int | Sequence[int], subok: bool = False) -> ndarray:
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
        A read-only view: its elements share memory.

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
    if isinstance(array, ArrayBase) and type(shape) is tuple:
        try:
            found = array._layout.reshapes.get((broadcast_to, shape))
        except TypeError:  # a length without a hash
            found = None
        # Only integers multiply to an int: 2.0 equals 2 as a key, but is no length.
        if found is not None and type(math.prod(shape)) is int:
            return _array.shifted(array, found, 0)
    array = as_array(array, "broadcast_to")
    # Any iterable is a shape here, as in NumPy.
    several = isinstance(shape, Iterable) and getattr(shape, "ndim", 1) != 0
    target = _arguments.check_shape(tuple(shape) if several else shape)  # type: ignore[arg-type]
    layout = array._layout
    access = layout.access | _layout.READ_ONLY | _layout.VIEW
    found = _broadcasting.broadcast_view(layout, target, access)
    _layout.keep_view(layout.reshapes, (broadcast_to, target), found)
    return _array.shifted(array, found, 0)


_INTS, _TUPLES = frozenset([int]), frozenset([tuple])
#: Shapes -> what they broadcast to.
_known_shapes: dict[Any, tuple[int, ...]] = {}
_MOST_KNOWN = 4096


def broadcast_arrays(*args: ArrayLike, subok: bool = False) -> tuple[ndarray, ...]:
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
        Views. Those that have been broadcast are read-only.

    Differences from NumPy
    ----------------------
    NumPy's views can still be written to, with a warning that this will end.

    Examples
    --------
    >>> import gpuarray as cp
    >>> [x.shape for x in cp.broadcast_arrays(cp.ones((2, 1)), cp.ones(3))]
    [(2, 3), (2, 3)]
    """
    arrays: Any = args
    try:
        layouts = [a._layout for a in arrays]
    except AttributeError:
        arrays = [as_array(a, "broadcast_arrays") for a in args]
        layouts = [a._layout for a in arrays]
    if not layouts:
        return ()
    key = (broadcast_arrays, *layouts)
    found: Any = layouts[0].views.get(key)
    if found is None:
        shape = _broadcasting.broadcast_shapes([x.shape for x in layouts])
        found = [
            None if x.shape == shape else broadcast_to(a, shape)._layout
            for x, a in zip(layouts, arrays, strict=True)
        ]
        _layout.keep_view(layouts[0].views, key, found)
    return tuple(
        [a if x is None else _array.shifted(a, x, 0) for a, x in zip(arrays, found, strict=True)]
    )


def _broadcast(shapes: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    if len(_known_shapes) >= _MOST_KNOWN:
        _known_shapes.clear()
    result = _known_shapes[shapes] = _broadcasting.broadcast_shapes(shapes)
    return result


def broadcast_shapes(*args: int | Sequence[int]) -> tuple[int, ...]:
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
    # What is no int may equal one: (1.0,) is no shape, but finds that of (1,).
    shapes: Any = args
    if {*map(type, args)} == _TUPLES and _INTS.issuperset(map(type, chain.from_iterable(shapes))):
        found = _known_shapes.get(shapes)
        if found is not None:
            return found
    return _broadcast(tuple([_arguments.check_shape(x) for x in args]) or ((),))
