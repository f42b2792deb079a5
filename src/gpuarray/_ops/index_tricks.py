"""Indexing routines: arrays and indices that are written as an index."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _dtypes, _layout
from gpuarray._array import ArrayBase
from gpuarray._ops.conversion import array, asarray
from gpuarray._ops.dimensions import expand_dims
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import concatenate
from gpuarray._ops.manipulation import as_array, reshape
from gpuarray._ops.nonzero import nonzero
from gpuarray._ops.ranges import arange
from gpuarray._ops.region_indices import grid, line_call
from gpuarray._ops.samples import linspace
from gpuarray._ops.transposing import swapaxes, transpose
from gpuarray._runtime.current_stream import current

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = [
    "c_", "index_exp", "ix_", "mgrid", "ndenumerate", "ndindex", "ogrid", "r_", "s_",
]  # fmt: skip

#: Values of a slice that are made on the host, where nothing else is on the device.
_FEW = 4096

#: What a kept grid is written with.
_INTEGERS = frozenset([int, type(None)])

# These make indices of what is written between brackets, and run on the host.
index_exp = np.index_exp
s_ = np.s_
ndindex = np.ndindex


def ix_(*args: ArrayLike) -> tuple[ndarray, ...]:
    """Index arrays that select the elements at all combinations of indices.

    Parameters
    ----------
    *args : array_like, 1-D
        Indices along each axis, or masks.

    Returns
    -------
    tuple of ndarray
        An array for each argument, whose other axes have length 1: views, except that masks become
        indices, for which the host waits.

    Raises
    ------
    ValueError
        If an index has not one dimension.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.arange(10).reshape(2, 5)
    >>> a[cp.ix_([0, 1], [2, 4])]
    array([[2, 4],
           [7, 9]])
    """
    result = []
    one: Any
    for i, one in enumerate(args):
        given: Any
        if isinstance(one, ArrayBase):
            given = one
        elif hasattr(one, "__cuda_array_interface__"):
            given = as_array(one, "ix_")
        else:
            host = np.asarray(one)
            if not host.size and not isinstance(one, np.ndarray):
                host = host.astype(np.intp)  # an empty list
            given = array(host)
        if given._layout.ndim != 1:
            raise ValueError(f"ix_: an index of shape {given._layout.shape}; give it one dimension")
        if given._layout.dtype == bool:
            (given,) = nonzero(given)
        shape = (1,) * i + given._layout.shape + (1,) * (len(args) - i - 1)
        result.append(reshape(given, shape))
    return tuple(result)


class ndenumerate:
    """Coordinates and values of the elements of an array, one after the other.

    Parameters
    ----------
    arr : array_like
        The array. Its elements are fetched at once, when the first is asked for.

    Differences from NumPy
    ----------------------
    Elements are NumPy's numbers, in host memory.

    Examples
    --------
    >>> import gpuarray as cp
    >>> [(index, int(x)) for index, x in cp.ndenumerate(cp.array([[1, 2], [3, 4]]))]
    [((0, 0), 1), ((0, 1), 2), ((1, 0), 3), ((1, 1), 4)]
    """

    def __init__(self, arr: ArrayLike):
        self._array = as_array(arr, "ndenumerate")
        self._iterator: Any = None

    def __repr__(self) -> str:
        return f"<ndenumerate of an array of shape {self._array._layout.shape}>"

    def __next__(self) -> tuple[tuple[int, ...], Any]:
        if self._iterator is None:
            self._iterator = np.ndenumerate(asnumpy(self._array))
        return next(self._iterator)

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], Any]]:
        return self


def _bounds(item: slice) -> tuple[Any, Any, int]:
    """Start and step of a slice as written in a grid, and how many values it has.

    An imaginary step is the number of values, of which the end is the last.
    """
    start = 0 if item.start is None else item.start
    step = 1 if item.step is None else item.step
    if not _is_imaginary(step):
        return start, step, math.ceil((item.stop - start) / step)
    count = int(abs(step))
    return start, (item.stop - start) / float(count - 1) if count != 1 else 1, count


class _Grid:
    """What `mgrid` and `ogrid` are: they make arrays when they are indexed."""

    def __init__(self, sparse: bool):
        self._sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return _line(key)
        parts = [(item.start, item.stop, item.step) for item in key]
        table_key: Any = None
        if _INTEGERS.issuperset([type(x) for part in parts for x in part]):
            table_key = (self, *parts)
            make = current.stream.plans.get(table_key)
            if make is not None:
                return make()
        make = self._maker(key, parts)
        if table_key is not None:
            current.stream.keep_plan(table_key, make)
        return make()

    def _maker(self, key: Any, parts: list[tuple[Any, Any, Any]]) -> Callable[[], Any]:
        """What makes the arrays of a grid."""
        bounds = [_bounds(item) for item in key]
        dtype = _dtype_of([0, *[x for part in parts for x in part]])
        lengths = tuple([count for _, _, count in bounds])
        starts = [dtype.type(start).item() for start, _, _ in bounds]
        steps = [dtype.type(step).item() for _, step, _ in bounds]
        if not self._sparse:
            return functools.partial(grid, lengths, dtype, starts, steps)
        ndim = len(lengths)
        shapes = [(1,) * i + (max(n, 0),) + (1,) * (ndim - i - 1) for i, n in enumerate(lengths)]
        runs = [line_call(current.stream, _layout.contiguous(dtype, shape)) for shape in shapes]
        lines = list(zip(runs, starts, steps, strict=True))
        return lambda: tuple([run(start, step) for run, start, step in lines])

    def __len__(self) -> int:
        return 0


def _dtype_of(numbers: list[Any]) -> np.dtype:
    """The dtype of values between numbers; Python's are weak, an imaginary step is a float."""
    given: list[Any] = [abs(x) if _is_imaginary(x) else 0 if x is None else x for x in numbers]
    return _dtypes.canonical(np.result_type(*given))


def _line(item: slice) -> ndarray:
    """The values of one slice."""
    start = 0 if item.start is None else item.start
    if not _is_imaginary(item.step):
        return arange(start, item.stop, 1 if item.step is None else item.step)
    start, step, count = _bounds(item)
    dtype = _dtype_of([start, item.stop, item.step])
    run = line_call(current.stream, _layout.contiguous(dtype, (count,)))
    return run(dtype.type(start).item(), dtype.type(step).item())


class _Dense(_Grid):
    """Coordinates on a grid, written as an index: an array of them for each axis, in one launch.

    ``mgrid[0:2, 0:3]`` is `indices` of ``(2, 3)``. A slice with an imaginary step such as
    ``-1:1:5j`` has so many values and its end.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.mgrid[-1:1:3j]
    array([-1.,  0.,  1.])
    """


class _Open(_Grid):
    """Coordinates on a grid, written as an index: an array for each axis that broadcast.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.ogrid[0:2, 0:3]
    (array([[0],
           [1]]), array([[0, 1, 2]]))
    """


mgrid = _Dense(False)
ogrid = _Open(True)


class _Joined:
    """What `r_` and `c_` are: they join what they are indexed with."""

    def __init__(self, of_numpy: Any, axis: int, ndmin: int, trans1d: int):
        self._of_numpy = of_numpy
        self._settings = axis, ndmin, trans1d

    def __getitem__(self, key: Any) -> ndarray:
        axis, ndmin, trans1d = self._settings
        if type(key) is tuple and {ArrayBase} == {type(x).__base__ for x in key}:
            return concatenate([_as_item(x, ndmin, trans1d) for x in key], axis)
        items = list(key) if isinstance(key, tuple) else [key]
        if items and isinstance(items[0], str):
            axis, ndmin, trans1d = _directive(items.pop(0), self._settings)
        if str in map(type, items):
            raise ValueError("r_, c_: a text says how to join, and comes first; move it there")
        if items and all(_is_on_host(x) for x in items):
            return asarray(self._of_numpy[key])
        objects = [x if _is_number(x) else _as_item(x, ndmin, trans1d) for x in items]
        kinds = [x if type(x) in (bool, int, float, complex) else x.dtype for x in objects]
        # Python's numbers are weak beside arrays, as in NumPy.
        dtype = _dtypes.canonical(np.result_type(*kinds)) if kinds else None
        parts = [array(x, dtype, copy=None, ndmin=ndmin) if isinstance(x, ArrayBase)
                 else array(x, dtype, ndmin=ndmin) for x in objects]  # fmt: skip
        return concatenate(parts, axis)

    def __len__(self) -> int:
        return 0


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float | complex | np.generic)


def _is_on_host(item: Any) -> bool:
    """Whether an item is in host memory and small, so that one copy moves all there is."""
    if isinstance(item, slice):
        return item.stop is None or _bounds(item)[2] <= _FEW
    if isinstance(item, list | tuple):
        return all(_is_on_host(x) for x in item)
    return _is_number(item) or isinstance(item, range)


def _as_item(x: Any, ndmin: int, trans1d: int) -> Any:
    """A slice or an array with at least so many dimensions, its own at the place that is asked."""
    if isinstance(x, slice):
        found = (
            linspace(x.start or 0, x.stop, int(abs(x.step))) if _is_imaginary(x.step) else _line(x)
        )
        result = array(found, copy=None, ndmin=ndmin)
        return swapaxes(result, -1, trans1d) if ndmin > 1 and trans1d != -1 else result
    found = as_array(x, "r_")
    if ndmin == 1 and found._layout.ndim:
        return found
    if ndmin == 2 and found._layout.ndim == 1:
        return expand_dims(found, 1 if trans1d == 0 else 0)
    more = ndmin - found._layout.ndim
    result = array(found, copy=None, ndmin=ndmin)
    if more <= 0 or trans1d == -1:
        return result
    place = trans1d + more + 1 if trans1d < 0 else trans1d
    axes = list(range(ndmin))
    return transpose(result, axes[:place] + axes[more:] + axes[place:more])


def _is_imaginary(step: Any) -> bool:
    return isinstance(step, complex | np.complexfloating)


def _directive(text: str, settings: tuple[int, int, int]) -> tuple[int, int, int]:
    """The axis, the least dimensions and the place of an item's own ones, from a first string."""
    if text in ("r", "c"):
        raise ValueError(f"{text!r} asks for a matrix, of which gpuarray has none; use c_ or r_")
    try:
        given = [int(x) for x in text.split(",")]
    except ValueError:
        raise ValueError(
            f"r_, c_: {text!r} is no axis; give up to three integers such as '0,2,1'"
        ) from None
    if len(given) > 3:
        given = given[:2]  # as NumPy reads it
    axis, ndmin, trans1d = (*given, *settings[len(given) :])
    return axis, ndmin, trans1d


class _Rows(_Joined):
    """Arrays joined along the first axis, written as an index.

    ``r_[1:4, 0, x]`` joins slices, numbers and arrays. A slice with an imaginary step such as
    ``-1:1:5j`` has so many values and its end. A string in front, ``'axis, ndmin, place'``, says
    along which axis, of how many dimensions at least, and where the own dimensions of an
    item go.

    Differences from NumPy
    ----------------------
    There are no matrices: the directives ``'r'`` and ``'c'`` raise ValueError.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.r_[cp.array([1, 2]), 0, 4:6]
    array([1, 2, 0, 4, 5])
    """


class _Columns(_Joined):
    """Arrays joined along the last axis, written as an index; as `r_` with ``'-1, 2, 0'``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.c_[cp.array([1, 2]), cp.array([3, 4])]
    array([[1, 3],
           [2, 4]])
    """


r_ = _Rows(np.r_, 0, 1, -1)
c_ = _Columns(np.c_, -1, 2, 0)
