"""CuPy's names for memory objects."""

from __future__ import annotations

from gpuarray._allocator import alloc, get_allocator, set_allocator
from gpuarray._memory import (
    BaseMemory,
    ManagedMemory,
    Memory,
    MemoryPointer,
    UnownedMemory,
    malloc_managed,
)
from gpuarray._pinned import PinnedMemory, PinnedMemoryPool, alloc_pinned_memory
from gpuarray._pool import MemoryPool
from gpuarray.errors import OutOfMemoryError

__all__ = [
    "BaseMemory", "Memory", "ManagedMemory", "UnownedMemory", "MemoryPointer",
    "MemoryPool", "alloc", "malloc_managed", "get_allocator", "set_allocator",
    "PinnedMemory", "PinnedMemoryPool", "alloc_pinned_memory",
    "OutOfMemoryError",
]  # fmt: skip
