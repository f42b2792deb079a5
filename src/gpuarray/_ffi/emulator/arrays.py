"""Emulated functions for CUDA arrays.

An array lies in the arena row after row, at an address that only its handle leads to: a GPU's has a
layout that nobody knows.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..driver_enums import DEVICE_ATTRIBUTES
from ..texture_structs import CUDA_ARRAY3D_DESCRIPTOR
from .attributes import ATTRIBUTES
from .capture import refuse_unsafe
from .machine import DEVICE_BYTES, ContextObject, EmulatedAllocation, Machine
from .statuses import INVALID_VALUE, NOT_SUPPORTED, OUT_OF_MEMORY, Failure

__all__ = ["ArrayCalls", "EmulatedArray", "FORMATS"]

#: The dtype of a channel by CUarray_format.
FORMATS = {
    0x01: "u1", 0x02: "u2", 0x03: "u4", 0x08: "i1", 0x09: "i2", 0x0A: "i4", 0x10: "f2", 0x20: "f4",
}  # fmt: skip
LAYERED, SURFACE, CUBEMAP, GATHER = 0x01, 0x02, 0x04, 0x08  # CUDA_ARRAY3D_...
_FLAGS = {0x10: "depth textures", 0x40: "sparse arrays", 0x80: "deferred mapping"}
_KNOWN_FLAGS = LAYERED | SURFACE | GATHER | 0x20  # a colour attachment is an array like others


@dataclass(eq=False)
class EmulatedArray(ContextObject):
    """A CUDA array; a size is 0 where it has no such dimension."""

    noun = "CUDA array"
    machine: Machine
    allocation: EmulatedAllocation
    width: int
    height: int
    depth: int
    format: int
    channels: int
    flags: int

    @property
    def address(self) -> int:
        return self.allocation.address

    @property
    def element(self) -> int:
        """The bytes of an element."""
        return int(FORMATS[self.format][1]) * self.channels

    @property
    def pitch(self) -> int:
        return self.width * self.element

    @property
    def rows(self) -> int:
        return self.height or 1

    @property
    def planes(self) -> int:
        return self.depth or 1

    def close(self) -> None:
        if self.machine.allocations.get(self.address) is self.allocation:
            self.machine.release(self.allocation)


class ArrayCalls:
    """CUDA arrays; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def array_3d_create(self, description: int | None) -> int:
        machine = self._machine
        context = machine.current()
        refuse_unsafe(machine, "allocating a CUDA array")
        if not description:
            raise Failure(INVALID_VALUE, "the description of the array is null")
        given = CUDA_ARRAY3D_DESCRIPTOR.from_address(description)
        _check(given)
        width, height, depth = given.Width, given.Height, given.Depth
        element = int(FORMATS[given.Format][1]) * given.NumChannels
        nbytes = width * element * (height or 1) * (depth or 1)
        device = context.device
        if nbytes > DEVICE_BYTES - device.used_bytes:
            raise Failure(
                OUT_OF_MEMORY,
                f"{nbytes} bytes asked for, {DEVICE_BYTES - device.used_bytes} of {DEVICE_BYTES} "
                f"are free on emulated device {device.ordinal}",
            )
        address = machine.space.allocate(nbytes, device)
        allocation = machine.add_allocation(context, address, nbytes, "array")
        device.used_bytes += nbytes
        return machine.add(
            EmulatedArray(
                context,
                machine,
                allocation,
                width,
                height,
                depth,
                given.Format,
                given.NumChannels,
                given.Flags,
            )
        )

    def array_3d_get_descriptor(self, description: int | None, handle: int) -> None:
        self._machine.current()
        array = self._machine.get(handle, EmulatedArray)
        if not description:
            raise Failure(INVALID_VALUE, "a pointer for a result is null")
        found = CUDA_ARRAY3D_DESCRIPTOR.from_address(description)
        found.Width, found.Height, found.Depth = array.width, array.height, array.depth
        found.Format, found.NumChannels = array.format, array.channels
        found.Flags = array.flags

    def array_destroy(self, handle: int) -> None:
        self._machine.current()
        refuse_unsafe(self._machine, "freeing a CUDA array")
        self._machine.remove(handle, EmulatedArray).close()


def _check(given: CUDA_ARRAY3D_DESCRIPTOR) -> None:
    """Refuse an array that a driver refuses, or that is not emulated."""
    if given.Format not in FORMATS:
        raise Failure(NOT_SUPPORTED, f"arrays of format {given.Format:#x} are not emulated")
    if given.NumChannels not in (1, 2, 4):
        raise Failure(INVALID_VALUE, f"elements of {given.NumChannels} channels: 1, 2 or 4")
    flags = given.Flags
    if flags & CUBEMAP:
        raise Failure(NOT_SUPPORTED, "cubemaps are not emulated")
    for bit, what in _FLAGS.items():
        if flags & bit:
            raise Failure(NOT_SUPPORTED, f"{what} are not emulated")
    if flags & ~_KNOWN_FLAGS:
        raise Failure(INVALID_VALUE, f"there are no flags {flags:#x} of a CUDA array")
    if not given.Width:
        raise Failure(INVALID_VALUE, "the width of a CUDA array must not be 0")
    if given.Depth and not given.Height and not flags & LAYERED:
        raise Failure(INVALID_VALUE, "an array with depth needs a height, or layers")
    if flags & LAYERED and not given.Depth:
        raise Failure(INVALID_VALUE, "a layered array needs its layers as depth")
    if flags & GATHER and (not given.Height or given.Depth):
        raise Failure(INVALID_VALUE, "texture gather is for arrays of two dimensions")
    _check_limits(given)


def _check_limits(given: CUDA_ARRAY3D_DESCRIPTOR) -> None:
    """Refuse more elements than the device's textures, and surfaces, can have."""
    height, depth = given.Height, given.Depth
    layered = bool(given.Flags & LAYERED)
    dimensions = 1 if not height else 2 if layered or not depth else 3
    sizes = ("width", "height", "depth")[:dimensions] + (("layers",) if layered else ())
    form = f"{dimensions}d_layered" if layered else f"{dimensions}d"
    for resource, used in (("texture", True), ("surface", given.Flags & SURFACE)):
        for size in sizes if used else ():
            most = ATTRIBUTES[DEVICE_ATTRIBUTES[f"maximum_{resource}{form}_{size}"]]
            value = {"width": given.Width, "height": height}.get(size, depth)
            if value > most:
                raise Failure(INVALID_VALUE, f"a {resource} has a {size} of {most}, not {value}")
