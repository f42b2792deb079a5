"""Emulated functions for fills."""

from __future__ import annotations

import ctypes

import numpy as np

from ..structs import CUDA_MEMSET_NODE_PARAMS
from .capture import submit
from .copies import check_device_range
from .graph import MEMSET, StreamOperation
from .machine import Machine
from .statuses import INVALID_VALUE, Failure
from .stream import any_stream

__all__ = ["Fill", "FillCalls", "fill_of"]


class Fill(StreamOperation):
    """A fill of rows with elements of 1, 2 or 4 bytes."""

    kind = MEMSET

    @property
    def noun(self) -> str:
        return "a fill"

    def __init__(
        self,
        machine: Machine,
        address: int,
        value: int,
        itemsize: int,
        width: int,
        height: int = 1,
        pitch: int = 0,
    ) -> None:
        self.address, self.value, self.itemsize = address, value, itemsize
        self.width, self.height, self.pitch = width, height, pitch
        if address % itemsize:
            raise Failure(INVALID_VALUE, f"0x{address:x} is not a multiple of {itemsize}")
        if height > 1 and (pitch < width * itemsize or pitch % itemsize):
            raise Failure(
                INVALID_VALUE,
                f"a pitch of {pitch} for rows of {width} elements of {itemsize} bytes",
            )
        self.check(machine)

    def check(self, machine: Machine) -> None:
        if self.width * self.height:
            check_device_range(machine, self.address, self._nbytes)

    @property
    def _nbytes(self) -> int:
        return (self.height - 1) * self.pitch + self.width * self.itemsize

    def run(self, machine: Machine) -> None:
        if not self.width * self.height:
            return
        self.check(machine)
        memory = (ctypes.c_uint8 * self._nbytes).from_address(self.address)
        shape, strides = (self.height, self.width), (self.pitch, self.itemsize)
        np.ndarray(shape, f"u{self.itemsize}", memory, 0, strides)[...] = self.value
        if machine.arena.checker is not None:
            for row in range(self.height):
                machine.arena.wrote(self.address + row * self.pitch, self.width * self.itemsize)

    def describe(self, params: CUDA_MEMSET_NODE_PARAMS) -> None:
        """Write what the fill does to a structure."""
        params.dst, params.pitch, params.value = self.address, self.pitch, self.value
        params.elementSize, params.width, params.height = self.itemsize, self.width, self.height

    def can_be_updated_to(self, other: StreamOperation) -> bool:
        return isinstance(other, Fill)


def fill_of(machine: Machine, params: CUDA_MEMSET_NODE_PARAMS) -> Fill:
    """The fill that a structure of cuda.h describes."""
    if params.elementSize not in (1, 2, 4):
        raise Failure(INVALID_VALUE, f"elements of {params.elementSize} bytes: 1, 2 or 4")
    mask = (1 << 8 * params.elementSize) - 1
    return Fill(
        machine,
        params.dst,
        params.value & mask,
        params.elementSize,
        params.width,
        params.height,
        params.pitch,
    )


class FillCalls:
    """Fills; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def _fill(
        self,
        pointer: int,
        value: int,
        itemsize: int,
        stream: int | None,
        width: int,
        height: int = 1,
        pitch: int = 0,
    ) -> None:
        machine = self._machine
        machine.current()
        target_stream = any_stream(machine, stream or 0)
        submit(
            machine, target_stream, Fill(machine, pointer, value, itemsize, width, height, pitch)
        )

    def memset_d8(self, pointer: int, value: int, count: int) -> None:
        self._fill(pointer, value, 1, None, count)

    def memset_d16(self, pointer: int, value: int, count: int) -> None:
        self._fill(pointer, value, 2, None, count)

    def memset_d32(self, pointer: int, value: int, count: int) -> None:
        self._fill(pointer, value, 4, None, count)

    def memset_d8_async(self, pointer: int, value: int, count: int, stream: int) -> None:
        self._fill(pointer, value, 1, stream, count)

    def memset_d16_async(self, pointer: int, value: int, count: int, stream: int) -> None:
        self._fill(pointer, value, 2, stream, count)

    def memset_d32_async(self, pointer: int, value: int, count: int, stream: int) -> None:
        self._fill(pointer, value, 4, stream, count)

    def memset_d2d8(self, pointer: int, pitch: int, value: int, width: int, height: int) -> None:
        self._fill(pointer, value, 1, None, width, height, pitch)

    def memset_d2d16(self, pointer: int, pitch: int, value: int, width: int, height: int) -> None:
        self._fill(pointer, value, 2, None, width, height, pitch)

    def memset_d2d32(self, pointer: int, pitch: int, value: int, width: int, height: int) -> None:
        self._fill(pointer, value, 4, None, width, height, pitch)

    def memset_d2d8_async(
        self, pointer: int, pitch: int, value: int, width: int, height: int, stream: int
    ) -> None:
        self._fill(pointer, value, 1, stream, width, height, pitch)

    def memset_d2d16_async(
        self, pointer: int, pitch: int, value: int, width: int, height: int, stream: int
    ) -> None:
        self._fill(pointer, value, 2, stream, width, height, pitch)

    def memset_d2d32_async(
        self, pointer: int, pitch: int, value: int, width: int, height: int, stream: int
    ) -> None:
        self._fill(pointer, value, 4, stream, width, height, pitch)
