"""CuPy's names for memory objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.missing_names import suggesting
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.allocator import alloc, get_allocator, set_allocator
from gpuarray._runtime.memory import (
    BaseMemory,
    ManagedMemory,
    Memory,
    MemoryPointer,
    UnownedMemory,
    malloc_managed,
)
from gpuarray._runtime.pinned_memory import (
    PinnedMemory,
    PinnedMemoryPointer,
    PinnedMemoryPool,
    alloc_pinned_memory,
    set_pinned_memory_allocator,
)
from gpuarray._runtime.pool import MemoryPool
from gpuarray.errors import OutOfMemoryError

__all__ = [
    "BaseMemory", "Memory", "ManagedMemory", "UnownedMemory", "MemoryPointer",
    "MemoryPool", "alloc", "malloc_managed", "get_allocator", "set_allocator",
    "PinnedMemory", "PinnedMemoryPointer", "PinnedMemoryPool", "alloc_pinned_memory",
    "set_pinned_memory_allocator",
    "OutOfMemoryError",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = suggesting(__name__)


without_annotations(globals())
