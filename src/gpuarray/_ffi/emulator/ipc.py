"""Emulated functions for sharing memory and events. Emulated devices belong to one process.

A handle can be opened in the process that made it, which hardware refuses, so that code which
shares memory can be tried; in another process it is refused.
"""

from __future__ import annotations

import struct

from ..structs import CUipcHandle
from .events import _INTERPROCESS, EmulatedEvent
from .machine import Machine
from .statuses import INVALID_HANDLE, INVALID_VALUE, Failure

__all__ = ["IpcCalls"]

_MAGIC = {"memory": b"emulmem ", "event": b"emulevt "}
_LAYOUT = struct.Struct("=8sQQQ")
_LAZY_PEER_ACCESS = 1


class IpcCalls:
    """Handles for other processes; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        #: How many times each allocation is open.
        self._opened: dict[int, int] = {}

    def _handle(self, kind: str, first: int, second: int) -> bytes:
        return _LAYOUT.pack(_MAGIC[kind], id(self), first, second).ljust(64, b"\0")

    def _read(self, kind: str, handle: CUipcHandle) -> tuple[int, int]:
        magic, owner, first, second = _LAYOUT.unpack_from(bytes(handle.reserved))
        if magic != _MAGIC[kind] or owner != id(self):
            raise Failure(INVALID_HANDLE, f"the handle is not of {kind} of this emulated machine")
        return first, second

    def ipc_get_mem_handle(self, pointer: int) -> bytes:
        self._machine.current()
        allocation = self._machine.allocation_of(pointer)
        if allocation is None or allocation.kind != "device":
            raise Failure(INVALID_VALUE, f"0x{pointer:x} is not memory that can be shared")
        return self._handle("memory", allocation.address, allocation.buffer_id)

    def ipc_open_mem_handle(self, handle: CUipcHandle, flags: int) -> int:
        self._machine.current()
        if flags != _LAZY_PEER_ACCESS:
            raise Failure(INVALID_VALUE, f"opening a memory handle has no flags {flags}")
        address, buffer_id = self._read("memory", handle)
        allocation = self._machine.allocations.get(address)
        if allocation is None or allocation.buffer_id != buffer_id:
            raise Failure(INVALID_HANDLE, "the memory of the handle was freed")
        self._opened[address] = self._opened.get(address, 0) + 1
        return address

    def ipc_close_mem_handle(self, pointer: int) -> None:
        self._machine.current()
        if not self._opened.get(pointer):
            raise Failure(INVALID_VALUE, f"0x{pointer:x} was not opened from a handle")
        self._opened[pointer] -= 1

    def ipc_get_event_handle(self, event: int) -> bytes:
        recorded = self._machine.get(event, EmulatedEvent)
        if not recorded.flags & _INTERPROCESS:
            raise Failure(INVALID_HANDLE, "the event was not created for other processes")
        return self._handle("event", event, 0)

    def ipc_open_event_handle(self, handle: CUipcHandle) -> int:
        self._machine.current()
        event, _ = self._read("event", handle)
        return self._machine.add(self._machine.get(event, EmulatedEvent))  # one event, two handles
