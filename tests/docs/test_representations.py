"""Every public class has a repr that says what matters of an object."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import gpuarray as cp
import gpuarray.scipy.special
from gpuarray.cuda import compiler, cufft, function, memory, memory_hooks, nccl, runtime, texture
from gpuarray.scipy.sparse import csr_array
from gpuarray.scipy.sparse.linalg import SuperLU, aslinearoperator
from tests.docs import public

SOURCE = 'extern "C" __global__ void f(float* x) {}'
FLOATS = (32, 0, 0, 0, 2)
ADDRESS = r"0x[0-9a-f]+"
OF_FLOATS = r"ChannelFormatDescriptor\(x=32, y=0, z=0, w=0, f=2\)"


def _module() -> Any:
    module = function.Module()
    module.load(compiler.compile(SOURCE).data)
    return module


def _pool(kind: Any) -> Any:
    pool = kind()
    pool.held = pool.malloc(1000)  # lives as long
    return pool


def _resource() -> Any:
    x = cp.zeros(16, "f")
    return texture.ResourceDescriptor(
        2, arr=x, chDesc=texture.ChannelFormatDescriptor(*FLOATS), sizeInBytes=x.nbytes
    )


def _surface() -> Any:
    flags = runtime.cudaArraySurfaceLoadStore
    array = texture.CUDAarray(texture.ChannelFormatDescriptor(*FLOATS), 4, 2, flags=flags)
    return texture.SurfaceObject(texture.ResourceDescriptor(0, cuArr=array))


def _python_memory() -> Any:
    return memory.PythonFunctionAllocatorMemory(
        512, lambda size, device: runtime.malloc(size), lambda at, device: runtime.free(at), 0
    )


def _named(name: str, *arguments: Any) -> Callable[[], Any]:
    """An object of a class of the main namespace or of a submodule."""

    def make() -> Any:
        thing: Any = cp
        for part in name.split("."):
            thing = getattr(thing, part)
        return thing(*arguments)

    return make


#: How an object of a class is made, and its whole text. Classes that inherit a repr need no row.
OBJECTS: dict[str, tuple[Callable[[], Any], str]] = {
    "ndarray": (lambda: cp.zeros(2), r"array\(\[0\., 0\.\]\)"),
    "ufunc": (lambda: cp.add, "<ufunc 'add'>"),
    "ElementwiseKernel": (
        _named("ElementwiseKernel", "T x", "T y", "y = x", "same"), "<ElementwiseKernel same>",
    ),
    "ReductionKernel": (
        _named("ReductionKernel", "T x", "T y", "x", "a + b", "y = a", "0", "total"),
        "<ReductionKernel total>",
    ),
    "RawKernel": (_named("RawKernel", SOURCE, "f"), "<RawKernel f>"),
    "RawModule": (lambda: cp.RawModule(code=SOURCE), "<RawModule of code>"),
    "vectorize": (lambda: cp.vectorize(lambda x: x), r"<vectorized <lambda>\(x\)>"),
    "ndenumerate": (
        lambda: cp.ndenumerate(cp.zeros((2, 3))), r"<ndenumerate of an array of shape \(2, 3\)>",
    ),
    "broadcast": (
        lambda: cp.broadcast(cp.zeros((3, 1)), cp.zeros(4)),
        r"<broadcast of 2 operands to \(3, 4\), the next is 0>",
    ),
    "flatiter": (lambda: cp.zeros((2, 3)).flat, "<flatiter of 6 elements, the next is 0>"),
    "poly1d": (_named("poly1d", [1, 2]), r"poly1d\(\[1, 2\]\)"),
    "errstate": (lambda: cp.errstate(linalg="ignore"), r"errstate\(linalg='ignore'\)"),
    "fusion": (_named("fusion", "off"), r"fusion\('off'\)"),
    "cuda.Device": (_named("cuda.Device", 0), "<CUDA Device 0>"),
    "cuda.Stream": (_named("cuda.Stream"), f"<Stream {ADDRESS} on device 0>"),
    "cuda.ExternalStream": (
        lambda: cp.cuda.ExternalStream(0), "<ExternalStream 0x0 on device 0>",
    ),
    "cuda.Event": (_named("cuda.Event"), f"<Event {ADDRESS} on device 0, which has happened>"),
    "cuda.Memory": (_named("cuda.Memory", 512), f"<Memory of 512 bytes at {ADDRESS} on device 0>"),
    "cuda.ManagedMemory": (
        _named("cuda.ManagedMemory", 8), f"<ManagedMemory of 8 bytes at {ADDRESS} on device 0>",
    ),
    "cuda.MemoryAsync": (
        lambda: cp.cuda.MemoryAsync(512, cp.cuda.get_current_stream()),
        f"<MemoryAsync of 512 bytes at {ADDRESS} on device 0>",
    ),
    "cuda.UnownedMemory": (
        lambda: cp.cuda.UnownedMemory((x := cp.zeros(4)).data.ptr, 32, x),
        f"<UnownedMemory of 32 bytes at {ADDRESS} on device 0>",
    ),
    "cuda.BaseMemory": (_named("cuda.BaseMemory"), "<BaseMemory without memory>"),
    "cuda.MemoryPointer": (
        lambda: cp.zeros(2).data, f"<MemoryPointer {ADDRESS} on device 0>",
    ),
    "cuda.MemoryPool": (
        lambda: _pool(cp.cuda.MemoryPool),
        r"<MemoryPool: 1024 bytes used of \d+ held on device 0(, limit \d+)?>",
    ),
    "cuda.MemoryAsyncPool": (
        _named("cuda.MemoryAsyncPool"),
        r"<MemoryAsyncPool: \d+ bytes used of \d+ held on device 0>",
    ),
    "cuda.memory.SingleDeviceMemoryPool": (
        lambda: _pool(memory.SingleDeviceMemoryPool),
        r"<SingleDeviceMemoryPool: 1024 bytes used of \d+ held on device 0(, limit \d+)?>",
    ),
    "cuda.PythonFunctionAllocator": (
        _named("cuda.PythonFunctionAllocator", max, min),
        "<PythonFunctionAllocator of max and min>",
    ),
    "cuda.CFunctionAllocator": (
        _named("cuda.CFunctionAllocator", 0, 16, 32, None), "<CFunctionAllocator of 0x10 and 0x20>",
    ),
    "cuda.PinnedMemory": (
        _named("cuda.PinnedMemory", 512), f"<PinnedMemory of 512 bytes at {ADDRESS}>",
    ),
    "cuda.PinnedMemoryPointer": (
        lambda: cp.cuda.PinnedMemoryPointer(cp.cuda.PinnedMemory(64), 4),
        f"<PinnedMemoryPointer {ADDRESS}, 60 bytes>",
    ),
    "cuda.PinnedMemoryPool": (
        _named("cuda.PinnedMemoryPool"),
        "<PinnedMemoryPool: 0 bytes held in 0 blocks that nobody uses>",
    ),
    "cuda.pinned_memory.PooledPinnedMemory": (
        lambda: cp.cuda.PinnedMemoryPool().malloc(512).mem,
        f"<PooledPinnedMemory {ADDRESS}, 512 bytes>",
    ),
    "cuda.FunctionHook": (
        _named("cuda.FunctionHook"), "<FunctionHook 'FunctionHook', not active>",
    ),
    "cuda.MemoryHook": (_named("cuda.MemoryHook"), "<MemoryHook 'MemoryHook', not active>"),
    "cuda.memory_hooks.DebugPrintHook": (
        memory_hooks.DebugPrintHook, "<DebugPrintHook 'DebugPrintHook', not active>",
    ),
    "cuda.memory_hooks.LineProfileHook": (
        memory_hooks.LineProfileHook, "<LineProfileHook 'LineProfileHook', not active>",
    ),
    "cuda.memory_hooks.line_profile.MemoryFrame": (
        lambda: memory_hooks.line_profile.MemoryFrame(None, None),
        "<MemoryFrame of root: 0 bytes used, 0 acquired>",
    ),
    "cuda.memory_hooks.line_profile.StackFrame": (
        lambda: memory_hooks.line_profile.StackFrame(("a.py", 3, "main")),
        "<StackFrame a.py:3:main>",
    ),
    "cuda.check": (_named("cuda.check", "races"), "<check of races: 0 findings>"),
    "cuda.Module": (_module, f"<Module {ADDRESS}>"),
    "cuda.Function": (lambda: _module().get_function("f"), f"<Function f at {ADDRESS}>"),
    "cuda.function.LinkState": (function.LinkState, f"<LinkState {ADDRESS}>"),
    "cuda.cufft.Plan1d": (
        lambda: cufft.Plan1d(8, cufft.CUFFT_C2C, 2),
        r"<Plan1d of 2 transforms of \(8,\), complex64 to complex64>",
    ),
    "cuda.cufft.PlanNd": (
        lambda: cufft.PlanNd((4, 8), cufft.CUFFT_Z2Z, 1, None, 1, 32, None, 1, 32),
        r"<PlanNd of 1 transforms of \(4, 8\), complex128 to complex128>",
    ),
    "cuda.device.Handle": (lambda: cp.cuda.device.Handle(5, None), "<Handle 0x5>"),
    "cuda.memory.PythonFunctionAllocatorMemory": (
        _python_memory, f"<PythonFunctionAllocatorMemory of 512 bytes at {ADDRESS} on device 0>",
    ),
    "cuda.nccl.NcclConfig": (lambda: nccl.NcclConfig(1), r"NcclConfig\(split_share=1\)"),
    "cuda.runtime.MemPoolProps": (
        lambda: runtime.MemPoolProps(1, 0, 1, 0),
        r"MemPoolProps\(allocType=1, handleType=0, locationType=1, devId=0\)",
    ),
    "cuda.runtime.PointerAttributes": (
        lambda: runtime.pointerGetAttributes(cp.zeros(4).data.ptr),
        rf"PointerAttributes\(device=0, devicePointer={ADDRESS}, hostPointer=0x0, type=2\)",
    ),
    "cuda.texture.ChannelFormatDescriptor": (
        lambda: texture.ChannelFormatDescriptor(*FLOATS), OF_FLOATS,
    ),
    "cuda.texture.CUDAarray": (
        lambda: texture.CUDAarray(texture.ChannelFormatDescriptor(*FLOATS), 4, 2),
        f"<CUDAarray of 4 x 2 elements of {OF_FLOATS} on device 0>",
    ),
    "cuda.texture.ResourceDescriptor": (
        _resource, f"<ResourceDescriptor of 64 bytes of linear memory of {OF_FLOATS}>",
    ),
    "cuda.texture.TextureDescriptor": (
        lambda: texture.TextureDescriptor(filterMode=1),
        r"<TextureDescriptor: addressMode=\(0, 0, 0\), filterMode=1, readMode=0, sRGB=0, .*>",
    ),
    "cuda.texture.TextureObject": (
        lambda: texture.TextureObject(_resource(), texture.TextureDescriptor()),
        f"<TextureObject {ADDRESS} of <ResourceDescriptor of 64 bytes .*>>",
    ),
    "cuda.texture.SurfaceObject": (
        _surface, f"<SurfaceObject {ADDRESS} of <ResourceDescriptor of <CUDAarray of .*>>>",
    ),
    "debug.Argument": (
        lambda: cp.debug.Argument(*range(len(cp.debug.Argument._fields))), r"Argument\(.*\)",
    ),
    "fft.config.PlanCache": (
        cp.fft.config.get_plan_cache, r"(?s)-+ cuFFT plan cache \(device 0\) -+\n.*",
    ),
    "polynomial.Polynomial": (
        _named("polynomial.Polynomial", [1, 2]),
        re.escape(repr(np.polynomial.Polynomial([1, 2]))),
    ),
    "profiler.time_range": (_named("profiler.time_range", "squares"), "<time_range 'squares'>"),
    "profiler.trace": (_named("profiler.trace"), "<trace without a file, not started>"),
    "random.Generator": (_named("random.default_rng"), r"Generator\(PCG64\) at 0x[0-9A-F]+"),
    "random.RandomState": (
        _named("random.RandomState", 1), r"RandomState\(Philox4x32-10\) at 0x[0-9A-F]+",
    ),
    "random.PCG64": (_named("random.PCG64", 7), "<PCG64 at 0x[0-9A-F]+, seeded with 7>"),
    "scipy.sparse.csr_array": (
        lambda: csr_array((2, 3)),
        re.escape(repr(scipy.sparse.csr_array((2, 3)))),
    ),
    "scipy.sparse.linalg.LinearOperator": (
        lambda: aslinearoperator(cp.zeros((2, 3))),
        "<2x3 MatrixLinearOperator with dtype=float64>",
    ),
    "scipy.sparse.linalg.SuperLU": (
        lambda: SuperLU._of(SimpleNamespace(shape=(3, 3), dtype=np.dtype("f8"))),
        "<SuperLU of a matrix of 3 x 3, float64>",
    ),
    "scipy.special.errstate": (
        lambda: cp.scipy.special.errstate(singular="ignore"), r"errstate\(singular='ignore'\)",
    ),
    "cuda.compiler.Image": (
        lambda: compiler.compile(SOURCE), r"<(ptx|cubin|ltoir) of \d+ bytes.*>",
    ),
}  # fmt: skip

#: Classes of which a test elsewhere looks at the text, or that have no objects.
ELSEWHERE = {
    "NpzFile": "tests/array/test_files.py",
    "cuda.Graph": "tests/array/test_graphs.py",
    "cuda.nccl.NcclCommunicator": "tests/devices",
    "debug.Fault": "a named tuple, as debug.Argument",
    "debug.Launch": "a named tuple, as debug.Argument",
    "scipy.sparse.sparray": "an abstract class",
    "scipy.sparse.spmatrix": "an abstract class",
}


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_say_what_matters(name):
    make, expected = OBJECTS[name]
    text = repr(make())
    assert re.fullmatch(expected, text), text


def test_every_public_class_has_a_repr_that_is_tested():
    found = {x.name.removeprefix("gpuarray."): x.thing for x in public.classes()}
    tested = {found[name].__repr__ for name in OBJECTS}
    without = [
        name
        for name, kind in found.items()
        if name not in ELSEWHERE
        and not name.startswith("testing.")  # of unittest
        and (kind.__repr__ is object.__repr__ or kind.__repr__ not in tested)
    ]
    assert not without
    assert set(ELSEWHERE) <= set(found)
