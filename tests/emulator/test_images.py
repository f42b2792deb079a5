"""Textures and surfaces of the emulator: what is at fault, what is not there, the checkers."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import driver
from gpuarray._ffi.texture_structs import CUDA_ARRAY3D_DESCRIPTOR, CUDA_RESOURCE_DESC
from gpuarray.cuda import runtime, texture
from gpuarray.errors import CheckError, DriverError
from tests.compiler.texturing import CLAMP, cuda_array, surface_of, texture_of

pytestmark = pytest.mark.emulator

STORE = runtime.cudaArraySurfaceLoadStore
CODE = r"""
extern "C" __global__ void one(cudaTextureObject_t t, float* out) {
    out[threadIdx.x] = tex1D<float>(t, threadIdx.x + 0.5f);
}
extern "C" __global__ void two(cudaTextureObject_t t, float* out) {
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f);
}
extern "C" __global__ void cube(cudaTextureObject_t t, float* out) {
    out[threadIdx.x] = texCubemap<float>(t, 1, 0, 0);
}
extern "C" __global__ void gather(cudaTextureObject_t t, float* out) {
    out[threadIdx.x] = tex2Dgather<float4>(t, 1, 0, 0).x;
}
extern "C" __global__ void size(cudaTextureObject_t t, int* out) {
    asm("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(t));
    asm("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
    asm("txq.normalized_coords.b32 %0, [%1];" : "=r"(out[2]) : "l"(t));
}
extern "C" __global__ void surface_size(cudaSurfaceObject_t t, int* out) {
    asm("suq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(t));
    asm("suq.depth.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
}
extern "C" __global__ void add(cudaSurfaceObject_t t) {
    asm("sured.b.add.1d.u32.trap [%0, {%1}], %2;" :: "l"(t), "r"(0), "r"(1));
}
extern "C" __global__ void formatted(cudaSurfaceObject_t t) {
    asm("sust.p.1d.b32.trap [%0, {%1}], {%2};" :: "l"(t), "r"(0), "r"(1));
}
extern "C" __global__ void write(cudaSurfaceObject_t t, int step) {
    surf1Dwrite((float)threadIdx.x, t, threadIdx.x * step);
}
extern "C" __global__ void all_one(cudaSurfaceObject_t t) {
    surf1Dwrite((float)threadIdx.x, t, 0);
}
extern "C" __global__ void read(cudaSurfaceObject_t t, float* out) {
    surf1Dread(out + threadIdx.x, t, threadIdx.x * 4, cudaBoundaryModeZero);
}
"""
module = cp.RawModule(code=CODE)


def run(name, *args, threads=4):
    module.get_function(name)((1,), (threads,), args)


def line(count=8, flags=0):
    return cuda_array(np.arange(count, dtype="f"), flags=flags)


@pytest.mark.parametrize(
    "name, array, status, text",
    [
        ("two", lambda: line(), "LAUNCH_FAILED", "tex.2d on an object of 1 dimension"),
        (
            "one",
            lambda: cuda_array(np.zeros((2, 4), "f")),
            "LAUNCH_FAILED",
            "tex.1d on an object of 2 dimensions",
        ),
        (
            "one",
            lambda: cuda_array(np.zeros((2, 4), "f"), flags=runtime.cudaArrayLayered),
            "LAUNCH_FAILED",
            "1 dimension in layers",
        ),
        (
            "gather",
            lambda: cuda_array(np.zeros((2, 4), "f")),
            "LAUNCH_FAILED",
            "cudaArrayTextureGather",
        ),
        ("cube", lambda: line(), "NOT_SUPPORTED", "tex.cube.v4.f32.f32 .cubemaps"),
    ],
)
def test_textures_of_another_kind(name, array, status, text):
    with pytest.raises(DriverError, match=text) as caught:
        run(name, texture_of(array(), addressModes=(CLAMP, CLAMP)), cp.empty(4, "f"))
    assert caught.value.status_name == f"CUDA_ERROR_{status}"


@pytest.mark.parametrize("name", ["add", "formatted"])
def test_what_is_left_out_is_named(name):
    with pytest.raises(DriverError, match=r"the emulator does not have su(red\.b\.add|st\.p)"):
        run(name, surface_of(line(flags=STORE)))


def test_a_fault_names_the_line_that_called():
    with pytest.raises(DriverError, match="tex.2d on an object of 1 dimension") as caught:
        run("two", texture_of(line(), addressModes=(CLAMP,)), cp.empty(4, "f"))
    wanted = next(n for n, one in enumerate(CODE.splitlines(), 1) if "tex2D<float>" in one)
    assert f":{wanted}:" in str(caught.value)
    assert "builtin" not in str(caught.value)


def test_handles_that_are_none():
    out = cp.empty(4, "f")
    tex = texture_of(line())
    surface = surface_of(line(flags=STORE))
    with pytest.raises(DriverError, match="is no texture object"):
        run("one", np.uint64(surface.ptr), out)
    with pytest.raises(DriverError, match="is no surface object"):
        run("read", np.uint64(tex.ptr), out)
    with pytest.raises(DriverError, match="0x0 is no texture object"):
        run("one", np.uint64(0), out)
    handle = np.uint64(tex.ptr)
    del tex
    with pytest.raises(DriverError, match="it was destroyed"):
        run("one", handle, out)


def test_memory_that_was_freed_meanwhile():
    array = line()
    tex = texture_of(array, addressModes=(CLAMP,))
    driver.array_destroy(array.ptr)
    array._handle.number = None
    with pytest.raises(DriverError, match="the memory of the texture object .* was freed"):
        run("one", tex, cp.empty(4, "f"))


def test_linear_memory_has_no_coordinates_in_between():
    x = cp.arange(8, dtype="f")
    floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, 2)
    source = texture.ResourceDescriptor(2, arr=x, chDesc=floats, sizeInBytes=32)
    with pytest.raises(DriverError, match="read by tex1Dfetch"):
        run("one", texture.TextureObject(source, texture.TextureDescriptor()), cp.empty(4, "f"))


def test_surfaces_outside_of_their_array_trap():
    surface = surface_of(line(flags=STORE))
    text = (
        "a 4-byte surface store at byte 32 of row 0, plane 0 is outside of rows of 32 bytes, "
        r"1 rows, 1 planes \(1 of 9 threads here\).*thread \(8,0,0\)"
    )
    with pytest.raises(DriverError, match=text):
        run("write", surface, np.int32(4), threads=9)
    with pytest.raises(DriverError, match="misaligned 4-byte surface store at byte 2 of a row"):
        run("write", surface, np.int32(2))


def test_queries():
    out = cp.zeros(3, "i4")
    array = cuda_array(np.zeros((3, 5), "f"))
    run("size", texture_of(array, addressModes=(CLAMP, CLAMP), normalizedCoords=1), out, threads=1)
    assert out.tolist() == [5, 3, 1]
    run("surface_size", surface_of(line(7, STORE)), out, threads=1)
    assert out.tolist() == [7, 0, 1]


# -- the checkers ----------------------------------------------------------------------------------


def test_races_on_surfaces_are_found():
    with pytest.raises(CheckError, match="race") as caught, cp.cuda.check("races"):
        run("all_one", surface_of(line(flags=STORE)), threads=64)
    assert "all_one" in str(caught.value)
    with cp.cuda.check("races"):
        array = line(64, flags=STORE)
        run("write", surface_of(array), np.int32(4), threads=64)
        run("read", surface_of(array), cp.empty(64, "f"), threads=64)


def test_reads_of_elements_that_nobody_wrote_are_found():
    floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, 2)
    with cp.cuda.check("uninit", raises=False) as found:
        array = texture.CUDAarray(floats, 8)
        run("one", texture_of(array, addressModes=(CLAMP,)), cp.empty(4, "f"))
    assert ["never written" in str(one) for one in found.findings] == [True]
    with cp.cuda.check("uninit", raises=False) as found:
        array = texture.CUDAarray(floats, 8, flags=STORE)
        surface = surface_of(array)
        run("write", surface, np.int32(4))
        run("read", surface, cp.empty(8, "f"), threads=8)
    assert ["never written" in str(one) for one in found.findings] == [True]
    with cp.cuda.check("uninit", "leaks"):
        array = texture.CUDAarray(floats, 8, flags=STORE)
        surface = surface_of(array)
        run("write", surface, np.int32(4))
        out = cp.empty(4, "f")
        run("read", surface, out)
        run("one", texture_of(line(), addressModes=(CLAMP,)), out)
        out.get()


# -- what the driver's functions refuse ------------------------------------------------------------


def refused(status, call, *arguments):
    with pytest.raises(DriverError) as caught:
        call(*arguments)
    assert caught.value.status_name == f"CUDA_ERROR_{status}", caught.value


def described(**fields):
    return ctypes.byref(CUDA_ARRAY3D_DESCRIPTOR(**{"Format": 0x20, "NumChannels": 1, **fields}))


@pytest.mark.parametrize(
    "status, fields",
    [
        ("INVALID_VALUE", {"Width": 0}),
        ("INVALID_VALUE", {"Width": 4, "NumChannels": 3}),
        ("INVALID_VALUE", {"Width": 4, "Depth": 4}),
        ("INVALID_VALUE", {"Width": 4, "Flags": 1}),
        ("INVALID_VALUE", {"Width": 4, "Flags": 8}),
        ("INVALID_VALUE", {"Width": 4, "Flags": 0x10000}),
        ("INVALID_VALUE", {"Width": 1 << 20}),
        ("INVALID_VALUE", {"Width": 1 << 16, "Flags": 2}),
        ("INVALID_VALUE", {"Width": 4, "Height": 4, "Depth": 4096, "Flags": 1}),
        ("OUT_OF_MEMORY", {"Width": 16384, "Height": 16384, "Depth": 16}),
        ("NOT_SUPPORTED", {"Width": 4, "Height": 4, "Depth": 6, "Flags": 4}),
        ("NOT_SUPPORTED", {"Width": 4, "Format": 0xC0}),
    ],
)
def test_arrays_that_are_refused(status, fields):
    cp.cuda.Device().use()
    refused(status, driver.array_3d_create, described(**fields))


def test_copies_that_do_not_fit():
    array = driver.array_3d_create(described(Width=8, Height=4))
    host = np.zeros((4, 8), "f")
    try:
        for width, height, place in [(33, 1, 0), (36, 1, 0), (32, 5, 0), (32, 4, 4), (4, 1, 2)]:
            refused("INVALID_VALUE", copy_to, array, host.ctypes.data, width, height, (place, 0, 0))
    finally:
        driver.array_destroy(array)
    refused("INVALID_HANDLE", copy_to, array, host.ctypes.data, 32, 4, (0, 0, 0))
    refused("INVALID_HANDLE", driver.array_destroy, array)


def copy_to(array, address, width, height, place):
    kinds, places = ("array", "host"), (place, (0, 0, 0))
    driver.memcpy_2d(array, 0, address, 32, width, height, kinds=kinds, places=places)


def test_handles_of_nothing():
    resource = CUDA_RESOURCE_DESC(resType=0)
    resource.res.array.hArray = 12
    refused("INVALID_HANDLE", driver.surface_object_create, ctypes.byref(resource))
    refused("INVALID_VALUE", driver.surface_object_create, None)
    refused("INVALID_HANDLE", driver.texture_object_destroy, 12)
