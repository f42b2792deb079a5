"""What arrays tell about themselves: memory, device, and the exchange protocols."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator, Sequence
from types import GenericAlias
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gpuarray import _arguments, _array, _dtypes, _layout
from gpuarray._array import aligned, exposed_address_of
from gpuarray._layout import Layout
from gpuarray._ops.conversion import array as make_array
from gpuarray._ops.creation import fill
from gpuarray._ops.flags import Flags
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.manipulation import in_one_dimension
from gpuarray._runtime import allocator
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device
from gpuarray._runtime.memory_pointer import MemoryPointer
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, Operand, ndarray


def data(array: ndarray) -> MemoryPointer:
    """Where the first element is."""
    memory = array._memory
    memory.check()
    return MemoryPointer(memory, exposed_address_of(array) - memory.pointer)


def device(array: ndarray) -> Device:
    """The device that the array's memory is on."""
    return array._memory.device


def record_stream(array: ndarray, stream: Stream) -> None:
    """Note that work on a stream uses the array's memory; it is not reused before that is done.

    Operations, kernels and copies of this package note it by themselves. For work that gets no
    more than the address, call it when the work has been queued, or before. (PyTorch's name.)

    Parameters
    ----------
    stream : gpuarray.cuda.Stream
        Where.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.zeros(4)
    >>> stream = cp.cuda.Stream(non_blocking=True)
    >>> cp.cuda.runtime.memsetAsync(x.data.ptr, 0, x.nbytes, stream.ptr)
    >>> x.record_stream(stream)
    >>> del x  # its memory is used again when the stream is through with it
    """
    array._memory.record_stream(stream)


def interface(array: ndarray) -> dict[str, Any]:
    """``ndarray.__cuda_array_interface__``, version 3."""
    layout, memory, stream = array._layout, array._memory, current.stream
    memory.check()
    if memory.stream is not stream and memory.device is not stream.device:
        with memory.device:  # a consumer works where the array is
            stream = current.stream
    handle = stream.handle
    return {
        "shape": layout.shape,
        "typestr": layout.dtype.str,
        "descr": [("", layout.dtype.str)] if layout.dtype.names is None else _fields(layout.dtype),
        "data": (exposed_address_of(array) if layout.size else 0, not layout.writable),
        "strides": None if layout.c_contiguous else layout.strides,
        # 0 is not a stream in the protocol; 1 is the legacy default stream.
        "stream": handle or 1,
        "version": 3,
    }


def _fields(dtype: np.dtype) -> Any:
    """The list of a structure's fields, if the protocol can say where they are."""
    try:
        return dtype.descr
    except ValueError:  # fields that overlap, or in another order than in memory
        return [("", dtype.str)]


def over_memory(
    array: ndarray,
    shape: int | Sequence[int],
    dtype: DTypeLike | None,
    memptr: MemoryPointer | None,
    strides: Sequence[int] | None,
    order: str,
) -> None:
    """``ndarray.__init__``: an array over new memory or memory that the user has."""
    lengths = _arguments.check_shape(shape)
    found, inner = _dtypes.with_shape(dtype)
    lengths += inner
    if memptr is not None:
        _dtypes.check_native(_dtypes.parsed(dtype), "ndarray")
    if strides is None:
        order = _arguments.check_order(order, "C")
        if order in ("A", "K"):
            order = "C"
        layout = _layout.contiguous(found, lengths, order)
    else:
        layout = _layout.strided(found, lengths, strides)
    if memptr is None:
        memory, pointer = _own(layout)
    elif isinstance(memptr, MemoryPointer):
        memory, pointer = memptr.mem, memptr.ptr
        _check_range(layout, memory, pointer)
        if memory.foreign:
            layout = _layout.foreign(layout)
    else:
        raise TypeError(
            f"ndarray: memptr must be a gpuarray.cuda.MemoryPointer, got {type(memptr).__name__}"
        )
    layout = aligned("ndarray", layout, pointer, "choose another address or other strides")
    array._layout = layout
    array._memory = memory
    array._pointer = pointer


def _own(layout: Layout) -> tuple[Any, int]:
    memory, pointer = allocator.allocate(layout.high - layout.low)
    return memory, pointer - layout.low


def _check_range(layout: Layout, memory: Any, pointer: int) -> None:
    start, stop = pointer + layout.low, pointer + layout.high
    if layout.size and (start < memory.pointer or stop > memory.pointer + memory.size):
        raise ValueError(
            f"ndarray: shape {layout.shape} with strides {layout.strides} needs bytes "
            f"{start - memory.pointer} to {stop - memory.pointer} of the memory, which has "
            f"{memory.size}"
        )


# ---- Python's protocols ------------------------------------------------------------------------


def item(array: ndarray, *args: int | tuple[int, ...]) -> Any:
    """An element as a Python number (``ndarray.item``).

    Parameters
    ----------
    *args : int or tuple of int
        The index of the element, or its number in C order; of an array of one element none is
        needed.

    Returns
    -------
    bool, int, float, complex, or what NumPy's scalar of the dtype holds

    Raises
    ------
    ValueError
        If there is more than one element and no index.
    IndexError
        If the index is out of bounds.
    """
    layout = array._layout
    indices: Any = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
    if not indices:
        if layout.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return asnumpy(array).item()
    index = tuple([_as_index(x) for x in indices])
    if len(index) == 1 and layout.ndim != 1:
        size = layout.size
        if not -size <= index[0] < size:
            raise IndexError(f"index {index[0]} is out of bounds for size {size}")
        index = tuple(map(int, np.unravel_index(index[0] % size, layout.shape)))
    if len(index) != layout.ndim:
        raise ValueError(
            f"incorrect number of indices for array: {len(index)} for {layout.ndim} dimensions"
        )
    return asnumpy(array[index]).item()


def _as_index(x: Any) -> int:
    if isinstance(x, bool):
        raise TypeError("item: an integer is required, not a bool")
    return operator.index(x)


def to_bytes(array: ndarray, order: Any) -> bytes:
    """The bytes of the elements (``ndarray.tobytes``)."""
    order = _arguments.check_order(order, "C")
    # In NumPy, too, 'K' is 'C' here.
    order = "F" if order == "F" or (order == "A" and Flags(array).fnc) else "C"
    return asnumpy(array, order=order).tobytes(order)


def host_number(array: ndarray) -> np.ndarray:
    """A host array for a conversion to a number of Python's: NumPy refuses several elements.

    Those are not fetched for that.
    """
    layout = array._layout
    return asnumpy(array) if layout.size <= 1 else np.zeros(2, layout.dtype)


def formatted(array: ndarray, spec: str) -> str:
    """``format(array, spec)``: the one element's of an array without dimensions."""
    if not spec and array._layout.ndim:
        return str(array)
    if array._layout.ndim:
        raise TypeError(f"unsupported format string passed to {type(array).__name__}.__format__")
    return format(asnumpy(array), spec)


def refuse_deletion(array: ndarray, key: object) -> NoReturn:
    """``del array[key]``."""
    raise ValueError("cannot delete array elements; gpuarray.delete makes an array without them")


def as_bool(array: ndarray) -> bool:
    """``bool(array)``."""
    if array._layout.size != 1:
        return bool(np.empty(min(array._layout.size, 2)))  # NumPy's error
    return bool(asnumpy(array))


def as_index(array: ndarray) -> int:
    """``operator.index(array)``."""
    if array._layout.ndim or array._layout.dtype.kind not in "iu":
        raise TypeError("only integer scalar arrays can be converted to a scalar index")
    return item(array)


def length(array: ndarray) -> int:
    """``len(array)``."""
    shape = array._layout.shape
    if not shape:
        raise TypeError("len() of unsized object")
    return shape[0]


def iterate(array: ndarray) -> Iterator[ndarray]:
    """``iter(array)``: views along the first axis."""
    if not array._layout.ndim:
        raise TypeError("iteration over a 0-d array")
    return (array[i] for i in range(array._layout.shape[0]))


def contains(array: ndarray, value: Operand) -> bool:
    """``value in array``."""
    found: Any = array == value
    return bool(found if isinstance(found, bool) else found.any())


def parametrized(cls: type, item: Any) -> GenericAlias:
    """``ndarray[shape, dtype]``, for annotations."""
    arguments = item if isinstance(item, tuple) else (item,)
    if not 0 < len(arguments) < 3:
        amount = "many" if arguments else "few"
        raise TypeError(f"Too {amount} arguments for {cls.__name__}: [shape, dtype] are possible")
    return GenericAlias(cls, arguments)


def deepcopy(array: ndarray, memo: Any) -> ndarray:
    """``copy.deepcopy(array)``."""
    with array._memory.device:
        return make_array(array)


def resize(array: ndarray, *new_shape: int | Sequence[int], refcheck: bool = True) -> None:
    """Change the shape of the array itself, and with it the number of its elements.

    New elements are zeros.

    Parameters
    ----------
    *new_shape : int or tuple of int
        The lengths.
    refcheck : bool, optional
        Whether to raise where other arrays have the same memory. Without it they keep the memory
        that there was.

    Raises
    ------
    ValueError
        If the array is a view, has gaps, or shares its memory.
    """
    layout = array._layout
    given: Any = new_shape[0] if len(new_shape) == 1 else new_shape
    if given is None or not new_shape:
        return
    shape = _arguments.check_shape(given)
    if not layout.contiguous:
        raise ValueError("resize only works on single-segment arrays; resize a copy of it")
    order = "F" if layout.f_contiguous and not layout.c_contiguous else "C"
    target = _layout.contiguous(layout.dtype, shape, order)
    if target.nbytes == layout.nbytes:
        array._layout = _layout.with_access(target, layout.access)
        return
    if not Flags(array).owndata and layout.nbytes:
        raise ValueError("cannot resize this array: it does not own its data; resize a copy of it")
    # Referrers are the array and this call.
    if refcheck and layout.nbytes and sys.getrefcount(array._memory) > 2:
        raise ValueError(
            "cannot resize an array that references or is referenced by another array in this way; "
            "use gpuarray.resize, or refcheck=False"
        )
    with array._memory.device if layout.nbytes else current.stream.device:
        larger = _array.empty(target)
        kept = min(layout.size, target.size)
        words = in_one_dimension(larger, "K")
        if kept:
            copies.assign(words[:kept], in_one_dimension(array, "K")[:kept])
        if kept < target.size:
            fill(words[kept:], 0)
    _array.replace(array, larger)


def set_shape(array: ndarray, shape: int | Sequence[int]) -> None:
    """``array.shape = shape``: only where no copy is needed."""
    layout = array._layout
    given = _arguments.as_lengths(shape)
    target = _layout.reshape_view(layout, _layout.resolve_reshape(layout.size, given))
    if target is None:
        raise AttributeError(
            f"incompatible shape for in-place modification: strides {layout.strides} allow no "
            f"view of shape {given}; use reshape"
        )
    array._layout = target
