"""CuPy's names for memory objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.allocator import alloc, get_allocator, set_allocator, using_allocator
from gpuarray._runtime.async_memory import MemoryAsync, MemoryAsyncPool, malloc_async
from gpuarray._runtime.function_allocators import (
    CFunctionAllocator,
    CFunctionAllocatorMemory,
    PythonFunctionAllocator,
    PythonFunctionAllocatorMemory,
)
from gpuarray._runtime.memory import BaseMemory, Memory
from gpuarray._runtime.memory_pointer import MemoryPointer
from gpuarray._runtime.ordered_memory import UnownedMemory
from gpuarray._runtime.pinned_memory import (
    PinnedMemory,
    PinnedMemoryPointer,
    PinnedMemoryPool,
    alloc_pinned_memory,
    set_pinned_memory_allocator,
)
from gpuarray._runtime.pool import Allocation, MemoryPool, SingleDeviceMemoryPool
from gpuarray._runtime.unified_memory import (
    ManagedMemory,
    SystemMemory,
    malloc_managed,
    malloc_system,
)
from gpuarray.errors import OutOfMemoryError

__all__ = [
    "BaseMemory", "Memory", "ManagedMemory", "SystemMemory", "MemoryAsync", "UnownedMemory",
    "PooledMemory", "MemoryPointer", "MemoryPool", "SingleDeviceMemoryPool", "MemoryAsyncPool",
    "alloc", "malloc_async", "malloc_managed", "malloc_system",
    "get_allocator", "set_allocator", "using_allocator",
    "CFunctionAllocator", "CFunctionAllocatorMemory",
    "PythonFunctionAllocator", "PythonFunctionAllocatorMemory",
    "PinnedMemory", "PinnedMemoryPointer", "PinnedMemoryPool", "alloc_pinned_memory",
    "set_pinned_memory_allocator",
    "OutOfMemoryError",
]  # fmt: skip

#: CuPy's name for memory of a pool.
PooledMemory = Allocation

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)


without_annotations(globals())
