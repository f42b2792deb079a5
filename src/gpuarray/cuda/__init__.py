"""Devices, streams, events and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._ffi import driver as _driver
from gpuarray._libraries.precision import get_matmul_precision, set_matmul_precision
from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.allocator import alloc, get_allocator, set_allocator, using_allocator
from gpuarray._runtime.async_memory import MemoryAsync, MemoryAsyncPool, malloc_async
from gpuarray._runtime.device import Device
from gpuarray._runtime.function_allocators import CFunctionAllocator, PythonFunctionAllocator
from gpuarray._runtime.function_hook import FunctionHook
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
from gpuarray._runtime.pool import MemoryPool
from gpuarray._runtime.event import Event, get_elapsed_time
from gpuarray._runtime.stream import Stream, get_current_stream
from gpuarray._runtime.stream_kinds import ExternalStream
from gpuarray._runtime.unified_memory import ManagedMemory, malloc_managed
from gpuarray.cuda import (
    compiler,
    device,
    function_hook,
    memory,
    nvtx,
    pinned_memory,
    profiler,
    runtime,
    stream,
)
from gpuarray.cuda._checking import check
from gpuarray.cuda._profiler_calls import profile
from gpuarray.cuda._toolkit import (
    get_cuda_path,
    get_hipcc_path,
    get_local_runtime_version,
    get_nvcc_path,
    get_rocm_path,
)
from gpuarray.cuda.device import get_cublas_handle, get_device_id

__all__ = [
    "compiler", "device", "function_hook", "memory", "nvtx", "pinned_memory", "profiler", "runtime",
    "stream",
    "Device", "get_cublas_handle", "get_device_id", "get_matmul_precision", "set_matmul_precision",
    "Stream", "ExternalStream", "get_current_stream",
    "Event", "get_elapsed_time",
    "BaseMemory", "Memory", "ManagedMemory", "MemoryAsync", "UnownedMemory", "MemoryPointer",
    "MemoryPool", "MemoryAsyncPool", "alloc", "malloc_async", "malloc_managed", "get_allocator",
    "set_allocator", "using_allocator", "CFunctionAllocator", "PythonFunctionAllocator",
    "PinnedMemory", "PinnedMemoryPointer", "PinnedMemoryPool", "alloc_pinned_memory",
    "set_pinned_memory_allocator",
    "FunctionHook",
    "check", "is_available", "profile",
    "get_cuda_path", "get_hipcc_path", "get_local_runtime_version", "get_nvcc_path",
    "get_rocm_path",
    # Imported when they are first used.
    "common", "cub", "cublas", "cufft", "curand", "cusolver", "cusparse", "driver", "function",
    "graph", "jitify", "memory_hook", "memory_hooks", "nccl", "nvrtc", "texture", "thrust",
    "Function", "Graph", "graphed", "MemoryHook", "Module",
]  # fmt: skip

if TYPE_CHECKING:
    from gpuarray.cuda import (
        common as common,
        cub as cub,
        cublas as cublas,
        cufft as cufft,
        curand as curand,
        cusolver as cusolver,
        cusparse as cusparse,
        driver as driver,
        function as function,
        graph as graph,
        jitify as jitify,
        memory_hook as memory_hook,
        memory_hooks as memory_hooks,
        nccl as nccl,
        nvrtc as nvrtc,
        texture as texture,
        thrust as thrust,
    )
    from gpuarray.cuda._graphed import graphed as graphed
    from gpuarray.cuda.function import Function as Function, Module as Module
    from gpuarray.cuda.graph import Graph as Graph
    from gpuarray.cuda.memory_hook import MemoryHook as MemoryHook
else:
    #: Submodules that are imported when they are first used.
    _LAZY = (
        "common",
        "cub",
        "cublas",
        "cufft",
        "curand",
        "cusolver",
        "cusparse",
        "driver",
        "function",
        "graph",
        "jitify",
        "memory_hook",
        "memory_hooks",
        "nccl",
        "nvrtc",
        "texture",
        "thrust",
    )
    __getattr__, __dir__ = public_names(
        __name__,
        _LAZY,
        {
            "Function": "function",
            "Graph": "graph",
            "graphed": "_graphed",
            "MemoryHook": "memory_hook",
            "Module": "function",
        },
    )


def backend() -> str:
    """What runs the kernels of this process.

    Returns
    -------
    {'cuda', 'emulator'}
        A GPU, by the CUDA driver, or the emulator of the driver.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.backend() in ("cuda", "emulator")
    True
    """
    return _driver.backend


def is_available() -> bool:
    """Whether there is a GPU.

    On a machine without one it is False, as CuPy's, although arrays work there on the emulated
    device. It neither warns nor raises, whatever is missing.

    Returns
    -------
    bool
        Whether.

    Examples
    --------
    >>> import gpuarray as cp
    >>> xp = cp if cp.cuda.is_available() else np
    """
    return _driver.gpu_answers()


without_annotations(globals())
