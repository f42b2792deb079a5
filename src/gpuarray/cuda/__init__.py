"""Devices, streams, events and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.missing_names import suggesting
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.allocator import alloc, get_allocator, set_allocator
from gpuarray._runtime.device import Device
from gpuarray._runtime.memory import (
    BaseMemory,
    ManagedMemory,
    Memory,
    MemoryPointer,
    UnownedMemory,
    malloc_managed,
)
from gpuarray._runtime.pinned_memory import PinnedMemory, PinnedMemoryPool, alloc_pinned_memory
from gpuarray._runtime.pool import MemoryPool
from gpuarray._runtime.stream import (
    Event,
    ExternalStream,
    Stream,
    get_current_stream,
    get_elapsed_time,
)
from gpuarray.cuda import compiler, memory, runtime
from gpuarray.cuda._checking import check

__all__ = [
    "compiler", "memory", "runtime",
    "Device",
    "Stream", "ExternalStream", "get_current_stream",
    "Event", "get_elapsed_time",
    "BaseMemory", "Memory", "ManagedMemory", "UnownedMemory", "MemoryPointer",
    "MemoryPool", "alloc", "malloc_managed", "get_allocator", "set_allocator",
    "PinnedMemory", "PinnedMemoryPool", "alloc_pinned_memory",
    "check", "is_available",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = suggesting(__name__)


def is_available() -> bool:
    """Whether a device, emulated or not, answers.

    Returns
    -------
    bool
        Whether.
    """
    return runtime.getDeviceCount() > 0


without_annotations(globals())
