"""The storage of arrays: a layout over memory, views of it, addresses."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _dtypes, _layout, _memory_order
from gpuarray._layout import Layout
from gpuarray._runtime import allocator
from gpuarray._runtime.current_stream import deferring_streams, run_all_deferred
from gpuarray._runtime.memory import NO_MEMORY, BaseMemory
from gpuarray._runtime.stream import Stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gpuarray._runtime.device import Device
    from gpuarray._types import ndarray

_new = object.__new__


class HeldOnDevice:
    """What is made of arrays on the device and is none: ``get`` makes a copy in host memory."""

    __slots__ = ()

    def get(self, stream: Any = None) -> Any:
        """A copy in host memory."""
        raise NotImplementedError


class ArrayBase:
    """An array's state: memory, the address of its first element, and its layout."""

    __slots__ = ("__weakref__", "_layout", "_memory", "_pointer")

    _layout: Layout
    _memory: BaseMemory
    _pointer: int


# As `_memory`, for what only asks whether two arrays have the same memory: None of a result that is
# still to be computed, which has memory of its own.
ArrayBase._held = vars(ArrayBase)["_memory"]  # type: ignore[attr-defined]
# As `_memory`, for what makes a view: a result that is still to be computed raises `NotComputed`.
ArrayBase._viewed = vars(ArrayBase)["_memory"]  # type: ignore[attr-defined]


class NotComputed(Exception):
    """An array that a view is made of has no memory yet: `view_of_pending` makes it."""


def view_of_pending(array: Any, layout: Layout, offset: int = 0) -> ndarray:
    """A view of a result that is still to be computed, which is not either."""
    found: ndarray = array._noted_view(layout, offset)
    return found


#: The public array class; gpuarray._ndarray, which lies above, registers it on import.
array_class: Any = ArrayBase


def register_array_class(cls: type) -> None:
    """Make ``cls`` the type of every new array."""
    global array_class
    array_class = cls


def wrap(memory: BaseMemory, pointer: int, layout: Layout) -> ndarray:
    """An array over existing memory."""
    array = _new(array_class)
    array._memory = memory
    array._pointer = pointer
    array._layout = layout
    return array


def empty(layout: Layout) -> ndarray:
    """An uninitialised array with memory of its own; its layout must be gapless."""
    if layout.access:  # that of an operand which the result is like
        layout = _layout.own(layout)
    memory, pointer = allocator.allocate(layout.nbytes)
    return wrap(memory, pointer, layout)


def view(array: Any, layout: Layout, offset: int = 0) -> ndarray:
    """An array over the same memory, ``offset`` bytes further on, with no more access to it."""
    layout = _layout.view_of(layout, array._layout.access)
    try:
        return wrap(array._viewed, array._pointer + offset, layout)
    except NotComputed:
        return view_of_pending(array, layout, offset)


def shifted(array: Any, layout: Layout, offset: int) -> ndarray:
    """A view whose layout was made of the array's, so that it is that of a view with its access."""
    result = _new(array_class)
    try:
        result._memory = array._viewed
    except NotComputed:
        return view_of_pending(array, layout, offset)
    result._pointer = array._pointer + offset
    result._layout = layout
    return result


_INT = frozenset([int])


def kept_view(array: Any, function: Any, argument: Any) -> ndarray | None:
    """The view that `keep_view` has kept for a function's argument; None for none.

    The argument is an integer, a tuple of integers or None. Others that equal one of these, such as
    True and 2.0, find nothing.
    """
    kind = type(argument)
    try:
        layout, offset = array._layout.views[function, argument, kind]
    except (KeyError, AttributeError, TypeError):  # no array of ours; an argument without a hash
        return None
    if kind is tuple and not _INT.issuperset(map(type, argument)):
        return None
    result = _new(array_class)
    try:
        result._memory = array._viewed
    except NotComputed:
        return view_of_pending(array, layout, offset)
    result._pointer = array._pointer + offset
    result._layout = layout
    return result


def kept_views(array: Any, function: Any, argument: tuple[int, ...]) -> list[ndarray] | None:
    """The views that `keep_views` has kept for a function's integers; None for none."""
    try:
        kept = array._layout.views[function, argument]
    except (KeyError, AttributeError):
        return None
    try:
        memory, pointer = array._viewed, array._pointer
    except NotComputed:
        return [view_of_pending(array, layout, offset) for layout, offset in kept]
    results = []
    for layout, offset in kept:
        result = _new(array_class)
        result._memory = memory
        result._pointer = pointer + offset
        result._layout = layout
        results.append(result)
    return results


def keep_views(
    array: Any, results: list[ndarray], function: Any, argument: tuple[int, ...]
) -> list[ndarray]:
    """Keep views of an array for the next one with the same layout; returns them."""
    if array._held is None:  # nothing has an address yet
        return results
    kept = [(result._layout, result._pointer - array._pointer) for result in results]
    _layout.keep_view(array._layout.views, (function, argument), kept)
    return results


def keep_view(array: Any, result: Any, function: Any, argument: Any) -> ndarray:
    """Keep a view of an array for the next one with the same layout; returns it."""
    kind = type(argument)
    if array._held is None:  # nothing has an address yet
        return result
    if argument is None or kind is int or (kind is tuple and _INT.issuperset(map(type, argument))):
        kept = (result._layout, result._pointer - array._pointer)
        _layout.keep_view(array._layout.views, (function, argument, kind), kept)
    return result


def lock(array: ndarray) -> ndarray:
    """Make an array read-only, and with it all views that are made of it."""
    array._layout = _layout.read_only(array._layout)
    return array


def rearranged(array: Any, layout: Layout) -> ndarray:
    """A new array, whose memory no other array has, with its elements in another layout."""
    array._layout = _layout.own(layout)
    return array


def place(array: Any) -> tuple[BaseMemory, int]:
    """An array's memory, and the address of its first element."""
    return array._memory, array._pointer


def fill_in(array: Any, other: Any) -> None:
    """Give an array that has no memory yet that of another one."""
    array._memory, array._pointer = other._memory, other._pointer


def replace(array: Any, other: Any) -> None:
    """Give an array the memory and the layout of another one."""
    array._memory, array._pointer, array._layout = other._memory, other._pointer, other._layout


def base(array: Any) -> ndarray | None:
    """The array that a view was made of, directly or through other views; None of no view.

    Nothing is noted when a view is made. The array is found among all that refers to the memory,
    which takes milliseconds; one that is gone, or hidden by ``gc.freeze``, is replaced by one of
    one dimension.
    """
    if not array._layout.is_view:
        return None
    memory = array._memory
    referrers: list[Any] = []
    if memory is not NO_MEMORY:  # many have that, and own nothing
        referrers = gc.get_referrers(memory)
    found: list[Any] = [x for x in referrers if isinstance(x, ArrayBase) and _owns_bytes(x)]
    if found:
        # Others than the array that was allocated may have been made of its pointer.
        return max(found, key=lambda x: (x._pointer == memory.pointer, x._layout.nbytes))
    layout, start = array._layout, memory.pointer
    dtype = layout.dtype
    if (array._pointer - start) % layout.itemsize:
        dtype = np.dtype(np.uint8)
    length = (array._pointer + layout.high - start) // dtype.itemsize if layout.size else 0
    access = layout.access & (_layout.READ_ONLY | _layout.FOREIGN)
    return wrap(memory, start, _layout.layout_of(dtype, (length,), (dtype.itemsize,), access))


def _owns_bytes(array: Any) -> bool:
    layout = getattr(array, "_layout", None)  # not there before the array is made
    return layout is not None and not layout.is_view and layout.nbytes > 0


# ---- addresses ---------------------------------------------------------------------------------
#
# Whatever hands an array to the driver, a library or another package takes its address from here,
# and generated functions take the source of reading it from here. See "Addresses" in
# docs/design/launch-path.md for what a subclass relies on.


def address_of(array: Any, stream: Stream | None = None) -> int:
    """The address of an array's first element, for work on a stream if there is one.

    Raises
    ------
    CUDAError
        If there is a stream, and a reset of the device took the memory away.
    """
    if stream is not None:
        memory = array._memory
        if memory.stream is not stream:
            memory.used_by(stream)
    return array._pointer


def exposed_address_of(array: Any) -> int:
    """The address of an array's first element, for others than this package's own work.

    What is recorded runs first, and operations on this memory are not recorded from now on: others
    may read and write there without being seen.
    """
    array._memory.expose()
    if deferring_streams:
        run_all_deferred()
    return array._pointer


def addresses_of(arrays: Iterable[Any]) -> list[int]:
    """The addresses of arrays' first elements, as of `address_of` without a stream."""
    return [x._pointer for x in arrays]


def address_source(name: str) -> str:
    """The expression of a generated function for the address of an array's first element."""
    return f"{name}._pointer"


def use_source(name: str, elsewhere: str = "") -> list[str]:
    """The lines of a generated function that note a use of an array on the variable `stream`.

    They come before the address is read. If the array is on another device they return the
    expression ``elsewhere``, where there is one.
    """
    lines = [f"    {name}._memory.used_by(stream)"]
    if elsewhere:
        moved = f"    if {name}._memory.device is not stream.device:"
        lines = [moved, f"        return {elsewhere}", *lines]
    return [f"if {name}._memory.stream is not stream:", *lines]


def is_aligned(array: Any, nbytes: int) -> bool:
    """Whether an array's first element is at a multiple of bytes."""
    return array._pointer % nbytes == 0


def where_aligned(
    nbytes: int, run: Callable[..., Any], otherwise: Callable[..., Any], given: bool
) -> Callable[..., Any]:
    """A call of two operands, and an output if it is given, at multiples of so many bytes.

    If one is elsewhere, ``otherwise`` is called instead. Strides are not looked at.
    """
    rest = nbytes - 1

    def call(x: Any, y: Any) -> Any:
        if (x._pointer | y._pointer) & rest:
            return otherwise(x, y)
        return run(x, y)

    def call_into(x: Any, y: Any, out: Any) -> Any:
        if (x._pointer | y._pointer | out._pointer) & rest:
            return otherwise(x, y, out)
        return run(x, y, out)

    return call_into if given else call


def aligned(name: object, layout: Layout, address: int, remedy: str) -> Layout:
    """The layout for a view of memory, in which the address of each element suits its size.

    Kernels load and store whole elements, which a device can do at multiples of their size alone.

    Parameters
    ----------
    name : object
        What makes the view, as the text of error messages.
    layout : Layout
        As it was asked for.
    address : int
        Of the first element.
    remedy : str
        What to do instead, for the same.

    Returns
    -------
    Layout
        Strides that lead to no element are multiples of the size, too.

    Raises
    ------
    ValueError
        If an element would be at another address.
    """
    itemsize = layout.itemsize
    if layout.size and address % _dtypes.alignment(layout.dtype):
        raise ValueError(
            f"{name}: the first element, of {itemsize} bytes ({layout.dtype}), would be at "
            f"address {address:#x}, which is no multiple of {itemsize}; {remedy}"
        )
    if not any(stride % itemsize for stride in layout.strides):
        return layout
    strides = []
    for length, stride in zip(layout.shape, layout.strides, strict=True):
        if stride % itemsize and length > 1 and layout.size:
            raise ValueError(
                f"{name}: elements of {itemsize} bytes ({layout.dtype}) would be {stride} bytes "
                f"apart, which is no multiple of {itemsize}; {remedy}"
            )
        strides.append(stride - stride % itemsize)
    return _layout.layout_of(layout.dtype, layout.shape, tuple(strides), layout.access)


def anywhere(layout: Layout, address: int) -> Layout:
    """The layout for a view of memory, which says whether elements are at other addresses.

    Those of `aligned` suit all kernels.
    """
    if not layout.size:
        return layout
    steps = [stride for length, stride in zip(layout.shape, layout.strides) if length > 1]
    if address % _dtypes.alignment(layout.dtype) or any(x % layout.itemsize for x in steps):
        return _layout.unaligned(layout)
    return layout


def same_elements(a: Any, b: Any) -> bool:
    """Whether two arrays have the same elements at the same indices."""
    return a._pointer == b._pointer and _layout.own(a._layout) is _layout.own(b._layout)


def is_view(a: Any, base: Any, offset: int) -> bool:
    """Whether an array is in the memory of another, a number of bytes behind its first element."""
    return a._memory is base._memory and a._pointer == base._pointer + offset


def device_of(array: Any) -> Device:
    """The device that an array is on, also of a result that is still to be computed."""
    memory = array._held
    return array._noted_on.device if memory is None else memory.device


def overlap(a: Any, b: Any) -> bool:
    """Whether the byte ranges of two arrays intersect (their elements may still be disjoint)."""
    if a is not b and (a._held is None or b._held is None):
        # Results that are still to be computed have memory of their own, and views of one have one.
        if a._held is not b._held or a._noted_root != b._noted_root:
            return False
    return _layout.overlap(a._layout, a._pointer, b._layout, b._pointer)


def contiguous_layout(array: Any, dtype: np.dtype | None = None, order: str = "C") -> Layout:
    """The gapless layout for a copy of an array in memory order 'C', 'F', 'A' or 'K'."""
    layout = array._layout
    dtype = layout.dtype if dtype is None else dtype
    return _memory_order.like_order(dtype, layout.shape, [layout], order)
