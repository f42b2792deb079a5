"""Emulated functions for copies."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np

from ..structs import CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER
from .arrays import EmulatedArray
from .capture import refuse_conflict, submit
from .graph import MEMCPY, StreamOperation
from .machine import Machine
from .statuses import INVALID_CONTEXT, INVALID_VALUE, Failure
from .stream import any_stream

__all__ = ["Copy", "CopyCalls", "check_device_range", "copy_of"]

_HOST, _DEVICE, _ARRAY, _UNIFIED = 1, 2, 3, 4  # CUmemorytype


def check_device_range(machine: Machine, address: int, nbytes: int) -> None:
    """Refuse a range that no one allocation holds."""
    found = machine.space.find(address)
    if found is None:
        what = "the null pointer is" if not address else f"0x{address:x} is"
        raise Failure(INVALID_VALUE, f"{what} not device memory; it may have been freed")
    start, size = found
    if address + nbytes > start + size:
        raise Failure(
            INVALID_VALUE,
            f"{nbytes} bytes at 0x{address:x} go beyond the end of the allocation of "
            f"{size} bytes at 0x{start:x}",
        )


@dataclass(slots=True)
class Side:
    """The source or the destination of a copy."""

    address: int
    kind: int
    pitch: int = 0
    plane: int = 0

    def check(self, machine: Machine, nbytes: int) -> None:
        if self.kind in (_DEVICE, _ARRAY):
            check_device_range(machine, self.address, nbytes)
        elif not self.address:
            raise Failure(INVALID_VALUE, "the host pointer is null")
        elif machine.in_arena(self.address):  # other host memory is not checked
            check_device_range(machine, self.address, nbytes)


class Copy(StreamOperation):
    """A copy of up to three dimensions, in bytes, rows and planes."""

    kind = MEMCPY

    @property
    def noun(self) -> str:
        return "a copy"

    def __init__(
        self,
        machine: Machine,
        target: Side,
        source: Side,
        width: int,
        height: int = 1,
        depth: int = 1,
    ) -> None:
        self.target, self.source = target, source
        self.extent = (depth, height, width)
        self.check(machine)

    def check(self, machine: Machine) -> None:
        depth, height, width = self.extent
        if not depth * height * width:
            return
        for side in (self.target, self.source):
            side.check(machine, (depth - 1) * side.plane + (height - 1) * side.pitch + width)

    def run(self, machine: Machine) -> None:
        depth, height, width = self.extent
        if not depth * height * width:
            return
        self.check(machine)  # in a graph, memory may have been freed meanwhile
        if depth == height == 1:
            ctypes.memmove(self.target.address, self.source.address, width)
        else:
            self._view(self.target)[...] = self._view(self.source)
        if machine.arena.checker is not None:
            self._notify_checkers(machine)

    def _notify_checkers(self, machine: Machine) -> None:
        """Tell the checkers which bytes were written, row by row."""
        depth, height, width = self.extent
        arena, target, source = machine.arena, self.target, self.source
        for plane in range(depth):
            for row in range(height):
                to = target.address + plane * target.plane + row * target.pitch
                origin = source.address + plane * source.plane + row * source.pitch
                arena.copied(to, origin, width)

    def ends_in_pageable_memory(self, machine: Machine) -> bool:
        """Whether it is to host memory that is not page-locked: such a copy is waited for."""
        return machine.space.find(self.target.address) is None

    def _view(self, side: Side) -> np.ndarray:
        depth, height, width = self.extent
        nbytes = (depth - 1) * side.plane + (height - 1) * side.pitch + width
        memory = (ctypes.c_uint8 * nbytes).from_address(side.address)
        return np.ndarray(self.extent, np.uint8, memory, 0, (side.plane, side.pitch, 1))

    def describe(self, description: CUDA_MEMCPY3D) -> None:
        """Write what the copy does to a structure."""
        ctypes.memset(ctypes.addressof(description), 0, ctypes.sizeof(description))
        for name, side in (("dst", self.target), ("src", self.source)):
            part = "Host" if side.kind == _HOST else "Device"
            setattr(description, f"{name}MemoryType", side.kind)
            setattr(description, f"{name}{part}", side.address)
            setattr(description, f"{name}Pitch", side.pitch)
            setattr(description, f"{name}Height", side.plane // side.pitch if side.pitch else 0)
        description.Depth, description.Height, description.WidthInBytes = self.extent

    def can_be_updated_to(self, other: StreamOperation) -> bool:
        return isinstance(other, Copy) and (self.target.kind, self.source.kind) == (
            other.target.kind,
            other.source.kind,
        )


def copy_of(
    machine: Machine, description: CUDA_MEMCPY2D | CUDA_MEMCPY3D | CUDA_MEMCPY3D_PEER
) -> Copy:
    """The copy that a structure of cuda.h describes."""
    deep = not isinstance(description, CUDA_MEMCPY2D)
    depth = description.Depth if deep else 1
    width, height = description.WidthInBytes, description.Height
    sides = []
    for name in ("dst", "src"):
        x, y, kind, host, device, pitch = (
            getattr(description, f"{name}{part}")
            for part in ("XInBytes", "Y", "MemoryType", "Host", "Device", "Pitch")
        )
        z, rows = (
            (getattr(description, f"{name}{part}") for part in ("Z", "Height")) if deep else (0, 0)
        )
        if kind == _ARRAY:
            array = machine.get(getattr(description, f"{name}Array"), EmulatedArray)
            sides.append(_array_side(array, (x, y, z), (width, height, depth)))
            continue
        if kind not in (_HOST, _DEVICE, _UNIFIED):
            raise Failure(INVALID_VALUE, f"there is no memory type {kind}")
        if height * depth > 1 and pitch < x + width:
            raise Failure(INVALID_VALUE, f"rows of {x + width} bytes do not fit a pitch of {pitch}")
        if depth > 1 and rows < y + height:
            raise Failure(INVALID_VALUE, f"{y + height} rows do not fit planes of {rows}")
        start = (host if kind == _HOST else device) + z * rows * pitch + y * pitch + x
        sides.append(Side(start, kind, pitch, rows * pitch))
    return Copy(machine, *sides, width, height, depth)


def _array_side(array: EmulatedArray, place: tuple, extent: tuple) -> Side:
    """A part of a CUDA array, in bytes, rows and planes."""
    sizes = (array.pitch, array.rows, array.planes)
    if place[0] % array.element or extent[0] % array.element:
        raise Failure(
            INVALID_VALUE,
            f"{extent[0]} bytes at {place[0]} of a row are no whole elements of {array.element} "
            "bytes",
        )
    for first, count, size in zip(place, extent, sizes, strict=True):
        if first + count > size:
            raise Failure(
                INVALID_VALUE,
                f"{extent} bytes, rows and planes at {place} do not fit a CUDA array of {sizes}",
            )
    x, y, z = place
    plane = array.rows * array.pitch
    address = array.address + z * plane + y * array.pitch + x
    return Side(address, _ARRAY, array.pitch, plane)


class CopyCalls:
    """Copies; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def _copy(
        self,
        target: int | None,
        target_kind: int,
        source: int | None,
        source_kind: int,
        nbytes: int,
        stream: int | None,
    ) -> None:
        """Copy on a stream, or with None on the default stream and wait."""
        machine = self._machine
        machine.current()
        target_stream = any_stream(machine, stream or 0)
        copy = Copy(machine, Side(target or 0, target_kind), Side(source or 0, source_kind), nbytes)
        submit(machine, target_stream, copy)
        order = machine.order
        if order is not None and (stream is None or copy.ends_in_pageable_memory(machine)):
            order.host_waits(target_stream)

    def memcpy_htod_async(self, target: int, source: int | None, nbytes: int, stream: int) -> None:
        self._copy(target, _DEVICE, source, _HOST, nbytes, stream)

    def memcpy_dtoh_async(self, target: int | None, source: int, nbytes: int, stream: int) -> None:
        self._copy(target, _HOST, source, _DEVICE, nbytes, stream)

    def memcpy_dtod_async(self, target: int, source: int, nbytes: int, stream: int) -> None:
        self._copy(target, _DEVICE, source, _DEVICE, nbytes, stream)

    def memcpy_async(self, target: int, source: int, nbytes: int, stream: int) -> None:
        self._copy(target, _UNIFIED, source, _UNIFIED, nbytes, stream)

    def memcpy_htod(self, target: int, source: int | None, nbytes: int) -> None:
        self._copy(target, _DEVICE, source, _HOST, nbytes, None)

    def memcpy_dtoh(self, target: int | None, source: int, nbytes: int) -> None:
        self._copy(target, _HOST, source, _DEVICE, nbytes, None)

    def memcpy_dtod(self, target: int, source: int, nbytes: int) -> None:
        self._copy(target, _DEVICE, source, _DEVICE, nbytes, None)

    def memcpy(self, target: int, source: int, nbytes: int) -> None:
        self._copy(target, _UNIFIED, source, _UNIFIED, nbytes, None)

    # --- between contexts

    def memcpy_peer_async(
        self,
        target: int,
        target_context: int,
        source: int,
        source_context: int,
        nbytes: int,
        stream: int,
    ) -> None:
        for address, context in ((target, target_context), (source, source_context)):
            self._check_owner(address, context, nbytes)
        refuse_conflict(any_stream(self._machine, stream), "copying between contexts on")
        self.memcpy_dtod_async(target, source, nbytes, stream)

    def memcpy_peer(
        self, target: int, target_context: int, source: int, source_context: int, nbytes: int
    ) -> None:
        for address, context in ((target, target_context), (source, source_context)):
            self._check_owner(address, context, nbytes)
        self.memcpy_dtod(target, source, nbytes)

    def _check_owner(self, address: int, context: int, nbytes: int) -> None:
        device = self._machine.live_context(context).device
        allocation = self._machine.allocation_of(address)
        if nbytes and allocation is not None and allocation.device is not device:
            raise Failure(
                INVALID_CONTEXT,
                f"0x{address:x} is memory of device {allocation.device.ordinal}, "
                f"not of device {device.ordinal}",
            )

    # --- two and three dimensions

    def _structured(self, type_: type, address: int | None, stream: int | None) -> None:
        machine = self._machine
        machine.current()
        if not address:
            raise Failure(INVALID_VALUE, "the description of the copy is null")
        description = type_.from_address(address)  # type: ignore[attr-defined]
        target_stream = any_stream(machine, stream or 0)
        copy = copy_of(machine, description)
        submit(machine, target_stream, copy)
        order = machine.order
        if order is not None and (stream is None or copy.ends_in_pageable_memory(machine)):
            order.host_waits(target_stream)

    def memcpy_2d(self, copy: int | None) -> None:
        self._structured(CUDA_MEMCPY2D, copy, None)

    def memcpy_2d_unaligned(self, copy: int | None) -> None:
        self._structured(CUDA_MEMCPY2D, copy, None)

    def memcpy_2d_async(self, copy: int | None, stream: int) -> None:
        self._structured(CUDA_MEMCPY2D, copy, stream)

    def memcpy_3d(self, copy: int | None) -> None:
        self._structured(CUDA_MEMCPY3D, copy, None)

    def memcpy_3d_async(self, copy: int | None, stream: int) -> None:
        self._structured(CUDA_MEMCPY3D, copy, stream)

    def memcpy_3d_peer(self, copy: int | None) -> None:
        self._structured(CUDA_MEMCPY3D_PEER, copy, None)

    def memcpy_3d_peer_async(self, copy: int | None, stream: int) -> None:
        self._structured(CUDA_MEMCPY3D_PEER, copy, stream)
