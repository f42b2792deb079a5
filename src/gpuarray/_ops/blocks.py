"""Array manipulation routines: arrays of blocks, and the arrays along an axis."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._ops.joining import vstack
from gpuarray._ops.manipulation import as_array, reshape
from gpuarray._ops.subscripts import getitem
from gpuarray._ops.transposing import moveaxis
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import find, key_of
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import join as join_kernels
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, Operand, ndarray

__all__ = ["block", "row_stack", "unstack"]


def block(arrays: Any) -> ndarray:
    """An array put together of blocks.

    Parameters
    ----------
    arrays : nested lists of array_like
        The innermost lists are joined along the last axis, those around them along the one before,
        and so on.

    Returns
    -------
    ndarray
        A new array, of the dtype that all blocks promote to.

    Raises
    ------
    ValueError
        If blocks do not fit, a list is empty, or lists are nested to different depths.
    TypeError
        If there is a tuple in place of a list.

    Notes
    -----
    One launch for up to 16 blocks of the result's dtype, as long as the result is small; of a large
    one each block is copied at the speed of memory.

    Examples
    --------
    >>> import gpuarray as cp
    >>> one, zero = cp.ones((2, 2)), cp.zeros((2, 1))
    >>> cp.block([[one, zero], [5, 6, 7]])
    array([[1., 1., 0.],
           [1., 1., 0.],
           [5., 6., 7.]])
    """
    depth = _depth(arrays, [])
    blocks = [_block(x) for x in _leaves(arrays)]
    ndim = max([depth, *[x.ndim for x in blocks]])
    blocks = [reshape(x, (1,) * (ndim - x.ndim) + x.shape) for x in blocks]
    places = [[0] * ndim for _ in blocks]
    shape = _arrange(arrays, iter(range(len(blocks))), blocks, places, ndim - depth)[0]
    dtype = _dtypes.canonical(np.result_type(*[x.dtype for x in blocks]))
    layouts = [x._layout for x in blocks]
    in_fortran = all(x.f_contiguous for x in layouts) and not all(x.c_contiguous for x in layouts)
    return placed(blocks, places, _layout.contiguous(dtype, shape, "F" if in_fortran else "C"))


def placed(blocks: Sequence[Any], places: Sequence[Sequence[int]], target: Layout) -> Any:
    """A new array with others at places in it, of which the later ones lie over the earlier.

    Parameters
    ----------
    blocks : sequence of ndarray
        Each with as many dimensions as the target. Together they fill it.
    places : sequence of sequence of int
        The coordinates of each one's first element.
    target : Layout
        Of the result.

    Notes
    -----
    One launch where `block` has one, else one for each block.
    """
    stream = current.stream
    fixed = tuple([tuple(place) for place in places])
    run = _plan_block(stream, tuple([x._layout for x in blocks]), fixed, target)
    if run is not None and all(x._memory.device is stream.device for x in blocks):
        return run(*blocks)
    result = _array.empty(target)
    for x, place in zip(blocks, places, strict=True):
        if x.size:
            part = [slice(at, at + n) for at, n in zip(place, x.shape, strict=True)]
            copies.assign(getitem(result, tuple(part)), x)
    return result


def _block(x: Any) -> Any:
    return as_array(x, "block")


def _plan_block(stream: Stream, layouts: Any, places: Any, target: Layout) -> Any:
    key = key_of(_plan_block, layouts, places, target)
    make = join_kernels.launch.make_places_call
    return find(stream, key, make, layouts, places, target, stream)


def _depth(arrays: Any, index: list[int]) -> int:
    """How deep lists are nested, which is the same everywhere."""
    name = "arrays" + "".join([f"[{i}]" for i in index])
    if isinstance(arrays, tuple):
        raise TypeError(
            f"{name} is a tuple. Only lists can be used to arrange blocks, and block does not "
            "allow implicit conversion from tuple to ndarray."
        )
    if not isinstance(arrays, list):
        return len(index)
    if not arrays:
        raise ValueError(f"block: the list at {name} is empty; give it an array")
    depths = [_depth(x, [*index, i]) for i, x in enumerate(arrays)]
    for i, one in enumerate(depths):
        if one != depths[0]:
            raise ValueError(
                f"List depths are mismatched. First element was at depth {depths[0]}, but there "
                f"is an element at depth {one} ({name}[{i}])"
            )
    return depths[0]


def _leaves(arrays: Any) -> Iterator[Any]:
    if isinstance(arrays, list):
        for x in arrays:
            yield from _leaves(x)
    else:
        yield arrays


def _arrange(
    arrays: Any, numbers: Iterator[int], blocks: Sequence[Any], places: list[list[int]], axis: int
) -> tuple[tuple[int, ...], list[int]]:
    """The shape of nested lists joined along an axis and those behind it, and which blocks it has.

    The places of these are moved to where they are in it.
    """
    if not isinstance(arrays, list):
        number = next(numbers)
        return blocks[number].shape, [number]
    parts = [_arrange(x, numbers, blocks, places, axis + 1) for x in arrays]
    first = parts[0][0]
    length = 0
    members: list[int] = []
    for shape, inside in parts:
        if shape[:axis] + shape[axis + 1 :] != first[:axis] + first[axis + 1 :]:
            raise ValueError(
                f"block: {first} and {shape} do not join along axis {axis}; only that may differ"
            )
        for number in inside:
            places[number][axis] += length
        length += shape[axis]
        members += inside
    return first[:axis] + (length,) + first[axis + 1 :], members


def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[ndarray, ...]:
    """The arrays along an axis.

    Parameters
    ----------
    x : ndarray
        Of at least one dimension.
    axis : int, optional
        The axis.

    Returns
    -------
    tuple of ndarray
        Views, without the axis.

    Raises
    ------
    ValueError
        If the array has no dimensions.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.unstack(cp.arange(4).reshape(2, 2), axis=1)
    (array([0, 2]), array([1, 3]))
    """
    x = as_array(x, "unstack")
    if not x.ndim:
        raise ValueError(
            "unstack: an array without dimensions has no axis; give it one by atleast_1d"
        )
    return tuple(moveaxis(x, axis, 0))


def row_stack(
    tup: Sequence[Operand] | ndarray, *, dtype: DTypeLike | None = None, casting: str = "same_kind"
) -> ndarray:
    """Join arrays as rows: the old name of `vstack`.

    Parameters
    ----------
    tup : sequence of ndarray
        Arrays; those of one dimension are rows.
    dtype, casting : optional
        As for `concatenate`.

    Returns
    -------
    ndarray
        Of at least two dimensions.

    Warns
    -----
    DeprecationWarning
        As NumPy does: use `vstack`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     cp.row_stack([cp.arange(2), cp.arange(2)]).shape
    (2, 2)
    """
    warnings.warn(
        "`row_stack` alias is deprecated. Use `vstack` directly.", DeprecationWarning, stacklevel=2
    )
    return vstack(tup, dtype=dtype, casting=casting)
