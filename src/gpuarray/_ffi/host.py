"""Host memory by address: buffers over it, copies within it, and what pointers hold."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

__all__ = [
    "HostBuffer", "allocation_functions", "array_address", "copy_host", "host_buffer",
    "host_memory", "pointer_address",
]  # fmt: skip


class HostBuffer(ctypes.Array):
    """Bytes at an address; ``mem`` is kept alive with the buffer, ``ptr`` is the address."""

    _type_ = ctypes.c_uint8
    _length_ = 0
    mem: object
    ptr: int


def host_buffer(address: int, size: int, owner: object, kind: type[HostBuffer] = HostBuffer) -> Any:
    """An object with the buffer protocol over host memory.

    Parameters
    ----------
    address, size : int
        The memory, in bytes.
    owner : object
        Kept alive as long as the buffer or a view of it is.
    kind : type, optional
        The class of the buffer.
    """
    # ctypes needs a type for every length, and its own cache does not cover subclasses.
    sized: Any = _types.get((kind, size))
    if sized is None:
        if len(_types) >= 256:
            _types.clear()
        sized = type(kind.__name__, (kind,), {"_length_": size, "__module__": kind.__module__})
        _types[kind, size] = sized
    buffer = sized.from_address(address)
    buffer.mem = owner
    buffer.ptr = address
    return buffer


_types: dict[Any, Any] = {}


def host_memory(nbytes: int, alignment: int = 512) -> tuple[int, object]:
    """New memory of the operating system: an aligned address, and the object that keeps it."""
    import numpy as np

    owner = np.empty(nbytes + alignment, np.uint8)
    return -(-owner.ctypes.data // alignment) * alignment, owner


#: Where a NumPy array's C structure has the address of the first element: behind the head that all
#: objects have. NumPy's C interface reads it there, too, so it is the same in all versions.
_DATA = object.__basicsize__
_word_at = ctypes.c_size_t.from_address


def array_address(array: Any) -> int:
    """The address of a NumPy array's first element; ``array.ctypes.data`` takes six times as long.

    Parameters
    ----------
    array : numpy.ndarray
        The array.
    """
    return _word_at(id(array) + _DATA).value


def copy_host(target: int, source: int, nbytes: int) -> None:
    """Copy between host addresses without holding the interpreter's lock."""
    ctypes.memmove(target, source, nbytes)


def pointer_address(pointer: object) -> int | None:
    """The address that a pointer of ctypes holds, 0 if it is null; None for another object."""
    if isinstance(pointer, ctypes._Pointer | ctypes.c_char_p | ctypes.c_wchar_p):
        return ctypes.cast(pointer, ctypes.c_void_p).value or 0
    if isinstance(pointer, ctypes._SimpleCData):
        return pointer.value or 0 if isinstance(pointer.value, int | None) else None
    return None


_Malloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_Free = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)


def allocation_functions(
    parameter: int, malloc: int, free: int
) -> tuple[Callable[[int, int], int], Callable[[int, int], None]]:
    """Functions for the addresses of two C functions, which get a parameter first.

    ``malloc(bytes, device) -> address``, which is 0 for a null pointer, and ``free(address,
    device)``.
    """
    c_malloc, c_free = _Malloc(malloc), _Free(free)
    return (
        lambda nbytes, device: c_malloc(parameter, nbytes, device) or 0,
        lambda address, device: c_free(parameter, address, device),
    )
