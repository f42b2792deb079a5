"""Emulated functions for sharing memory and events with other processes.

What a handle names is described in a file in memory, which other processes find through its
maker's entry in /proc. As on a GPU, a handle is refused in the process that made it.
"""

from __future__ import annotations

import os
import struct
import uuid
from typing import Any

from ..structs import CUipcHandle
from .events import _INTERPROCESS, EmulatedEvent
from .machine import Machine
from .memory import PAGE
from .shared_pages import can_share, read_description, write_description
from .statuses import (
    INVALID_CONTEXT,
    INVALID_DEVICE,
    INVALID_HANDLE,
    INVALID_VALUE,
    NOT_SUPPORTED,
    Failure,
)

__all__ = ["IpcCalls"]

#: An emulated IPC handle: a mark, the number of the process that allocated the memory, its file
#: descriptor, and the first bytes of that file, by which another file is recognised.
_LAYOUT = struct.Struct("=8sQQ16s")
_MARK = b"emulated"
_LAZY_PEER_ACCESS = 1


class IpcCalls:
    """Handles for other processes; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        #: Handles that this machine made, by what they name.
        self._made: dict[tuple[str, int], bytes] = {}
        #: Memory of other processes: the address and how often it is open, by handle.
        self._opened: dict[bytes, list[int]] = {}

    def _make(self, of: tuple[str, int], description: dict[str, Any]) -> bytes:
        token = uuid.uuid4().bytes
        descriptor = write_description({**description, "token": token.hex()})
        handle = _LAYOUT.pack(_MARK, os.getpid(), descriptor, token).ljust(64, b"\0")
        self._made[of] = handle
        return handle

    def _forget(self, of: tuple[str, int]) -> None:
        handle = self._made.pop(of, None)
        if handle is not None:
            os.close(_LAYOUT.unpack_from(handle)[2])

    def _read(self, kind: str, handle: CUipcHandle) -> tuple[bytes, int, dict[str, Any]]:
        """The handle, the process that made it and what it names."""
        data = bytes(handle.reserved)
        mark, process, descriptor, token = _LAYOUT.unpack_from(data)
        if mark != _MARK:
            raise Failure(INVALID_VALUE, "this is no handle of an emulated device")
        if data in self._made.values():
            raise Failure(
                INVALID_CONTEXT, "a handle is for other processes than the one that made it"
            )
        try:
            found = read_description(process, descriptor)
        except (OSError, ValueError):
            found = {}
        if found.get("token") != token.hex() or found.get("kind") != kind:
            raise Failure(
                INVALID_HANDLE,
                f"the handle names no {kind}: it was freed, or process {process} has ended",
            )
        return data, process, found

    # --- memory

    def ipc_get_mem_handle(self, pointer: int) -> bytes:
        self._machine.current()
        self._need_files()
        allocation = self._machine.allocation_of(pointer)
        if allocation is None or allocation.kind != "device":
            raise Failure(INVALID_VALUE, f"0x{pointer:x} is not memory that can be shared")
        of = "memory", id(allocation)
        if of in self._made:
            return self._made[of]
        runs = self._machine.arena.shared.share(allocation.address, allocation.nbytes)
        allocation.shared_by = lambda: self._forget(of)
        description = {
            "kind": "memory",
            "offset": allocation.address % PAGE,
            "nbytes": allocation.nbytes,
            "device": allocation.device.ordinal,
            "runs": runs,
        }
        return self._make(of, description)

    def ipc_open_mem_handle(self, handle: CUipcHandle, flags: int) -> int:
        machine = self._machine
        context = machine.current()
        if flags != _LAZY_PEER_ACCESS:
            raise Failure(INVALID_VALUE, f"opening a memory handle has no flags {flags}")
        data, process, found = self._read("memory", handle)
        opened = self._opened.get(data)
        if opened is not None and machine.allocations.get(opened[0]) is not None:
            opened[1] += 1
            return opened[0]
        if found["device"] >= len(machine.devices):
            raise Failure(INVALID_DEVICE, f"this process has no device {found['device']}")
        device = machine.device(found["device"])
        owner = context if context.device is device else device.primary
        try:
            address = machine.space.open_shared(
                found["offset"], found["nbytes"], device, process, found["runs"]
            )
        except OSError as error:
            raise Failure(INVALID_HANDLE, f"the memory of process {process}: {error}") from None
        machine.add_allocation(owner, address, found["nbytes"], "opened")
        self._opened[data] = [address, 1]
        return address

    def ipc_close_mem_handle(self, pointer: int) -> None:
        self._machine.current()
        allocation = self._machine.allocations.get(pointer)
        for data, opened in self._opened.items():
            if opened[0] == pointer and allocation is not None and allocation.kind == "opened":
                opened[1] -= 1
                if not opened[1]:
                    del self._opened[data]
                    self._machine.release(allocation)
                return
        raise Failure(INVALID_VALUE, f"0x{pointer:x} was not opened from a handle")

    # --- events

    def ipc_get_event_handle(self, event: int) -> bytes:
        recorded = self._machine.get(event, EmulatedEvent)
        self._need_files()
        if not recorded.flags & _INTERPROCESS:
            raise Failure(INVALID_HANDLE, "the event was not created for other processes")
        of = "event", event
        if of not in self._made:
            self._make(of, {"kind": "event", "flags": recorded.flags})
            recorded.shared_by = lambda: self._forget(of)
        return self._made[of]

    def ipc_open_event_handle(self, handle: CUipcHandle) -> int:
        context = self._machine.current()
        _, _, found = self._read("event", handle)
        # Work is done when its call returns: what the event recorded has happened.
        return self._machine.add(EmulatedEvent(context, found["flags"]))

    @staticmethod
    def _need_files() -> None:
        if not can_share():
            raise Failure(NOT_SUPPORTED, "this system has no files in memory to share")
