"""Host memory by address: buffers over it, and copies within it."""

from __future__ import annotations

import ctypes
from typing import Any

__all__ = ["copy_host", "host_buffer"]


class _HostBuffer(ctypes.Array):
    """Bytes at an address; ``mem`` is kept alive with the buffer, ``ptr`` is the address."""

    _type_ = ctypes.c_uint8
    _length_ = 0
    mem: object
    ptr: int


def host_buffer(address: int, size: int, owner: object) -> Any:
    """An object with the buffer protocol over host memory.

    Parameters
    ----------
    address, size : int
        The memory, in bytes.
    owner : object
        Kept alive as long as the buffer or a view of it is.
    """
    # ctypes needs a type for every length, and its own cache does not cover subclasses.
    kind: Any = _types.get(size)
    if kind is None:
        if len(_types) >= 256:
            _types.clear()
        kind = _types[size] = type("HostBuffer", (_HostBuffer,), {"_length_": size})
    buffer = kind.from_address(address)
    buffer.mem = owner
    buffer.ptr = address
    return buffer


_types: dict[int, Any] = {}


def copy_host(target: int, source: int, nbytes: int) -> None:
    """Copy between host addresses without holding the interpreter's lock."""
    ctypes.memmove(target, source, nbytes)
