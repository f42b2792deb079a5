"""CUDA arrays, their copies, and the functions of the runtime for both."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi.texture_structs import cudaMemcpy3DParms
from gpuarray.cuda import runtime, texture
from gpuarray.cuda.runtime import CUDARuntimeError
from tests.compiler.texturing import channels, cuda_array, module

SHAPES = [(12,), (3, 12), (2, 3, 12)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype, count", [("u1", 1), ("i2", 2), ("f4", 4), ("f2", 1)])
def test_copies_there_and_back(shape, dtype, count, rng):
    host = rng.integers(0, 100, shape).astype(dtype)
    array = cuda_array(np.zeros_like(host), count)
    assert array.ndim == len(shape)
    assert (array.depth, array.height, array.width * count) == (*(0,) * (3 - len(shape)), *shape)
    found, out = np.empty_like(host), cp.empty(shape, dtype)
    array.copy_from(host)
    array.copy_to(out)
    np.testing.assert_array_equal(out.get(), host)
    array.copy_from(cp.asarray(host + 1))
    array.copy_to(found)
    np.testing.assert_array_equal(found, host + 1)


@pytest.mark.parametrize("on_host", [True, False])
def test_arrays_with_gaps_are_copied_first(on_host, rng):
    host = rng.integers(0, 100, (12, 6)).astype("i4")
    x = (host if on_host else cp.asarray(host)).T[::2]
    array = texture.CUDAarray(channels("i4"), 12, 3)
    array.copy_from(x)
    out = cp.empty((3, 12), "i4")
    array.copy_to(out)
    np.testing.assert_array_equal(out.get(), host.T[::2])


def test_copies_on_a_stream(rng):
    host = rng.integers(0, 100, (3, 12)).astype("i4")
    array = texture.CUDAarray(channels("i4"), 12, 3)
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        x = cp.asarray(host) * 2
    out = cp.empty((3, 12), "i4")
    cp.cuda.Device().synchronize()
    array.copy_from(x, stream)
    array.copy_to(out, stream)
    found = np.empty_like(host)
    array.copy_to(found, stream)
    stream.synchronize()
    np.testing.assert_array_equal(found, host * 2)
    np.testing.assert_array_equal(out.get(), host * 2)
    with pytest.raises(TypeError):
        array.copy_from(x, stream.ptr)


@pytest.mark.parametrize(
    "x, text",
    [
        (np.zeros((3, 11), "f"), r"shape mismatch: the array has shape \(3, 11\), not \(3, 12\)"),
        (np.zeros(36, "f"), "shape mismatch"),
        (np.zeros((1, 3, 12), "f"), "shape mismatch"),
        (np.zeros((3, 12), "i4"), r"dtype mismatch: the array is int32.*astype\('float32'\)"),
        (np.zeros((3, 12), "f8"), "dtype mismatch"),
    ],
)
def test_what_is_copied_has_the_shape_and_the_dtype(x, text):
    array = texture.CUDAarray(channels("f"), 12, 3)
    for one in (x, cp.asarray(x)):
        with pytest.raises(ValueError, match=text):
            array.copy_from(one)
        with pytest.raises(ValueError, match=text):
            array.copy_to(one)


def test_arrays_of_other_libraries():
    class Other:
        def __init__(self, x):
            self.x = x
            self.__cuda_array_interface__ = x.__cuda_array_interface__

    x, out = cp.arange(8, dtype="f"), cp.zeros(8, "f")
    array = texture.CUDAarray(channels("f"), 8)
    array.copy_from(Other(x))
    array.copy_to(Other(out))
    assert out.tolist() == x.tolist()
    for method in (array.copy_from, array.copy_to):
        with pytest.raises(TypeError, match=f"CUDAarray.{method.__name__}: an array .* not list"):
            method([1.0] * 8)


def test_what_cannot_be_written_to():
    array = texture.CUDAarray(channels("f"), 12, 3)
    for out in (np.zeros((12, 3), "f").T, cp.zeros((12, 3), "f").T):
        with pytest.raises(ValueError, match="must be C-contiguous"):
            array.copy_to(out)
    locked = np.zeros((3, 12), "f")
    locked.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        array.copy_to(locked)


@pytest.mark.parametrize(
    "sizes, error, text",
    [
        ((0,), ValueError, "the width must not be 0"),
        ((4, 0, 4), ValueError, "the height must not be 0"),
        ((4, -1), ValueError, "must not be negative"),
        ((1 << 20,), CUDARuntimeError, "cuArray3DCreate"),
        ((4.0,), TypeError, "integer"),
    ],
)
def test_arrays_that_cannot_be(sizes, error, text):
    with pytest.raises(error, match=text):
        texture.CUDAarray(channels("f"), *sizes)


@pytest.mark.parametrize(
    "bits", [(8, 8, 8, 0, 1), (64, 0, 0, 0, 1), (8, 0, 0, 0, 2), (8, 16, 0, 0, 0), (0, 0, 0, 0, 0)]
)
def test_elements_that_cannot_be(bits):
    with pytest.raises(CUDARuntimeError, match="cudaErrorInvalidChannelDescriptor"):
        texture.CUDAarray(texture.ChannelFormatDescriptor(*bits), 4)


def test_an_array_of_another_device_is_refused():
    if runtime.getDeviceCount() < 2:
        pytest.skip("there is one device")
    with cp.cuda.Device(1):
        array = cuda_array(np.zeros(4, "f"))
    with pytest.raises(ValueError, match="belongs to"):
        array.copy_from(np.zeros(4, "f"))


# -- the runtime's functions -----------------------------------------------------------------------


def test_arrays_of_the_runtime(rng):
    host = rng.integers(0, 100, (5, 16)).astype("f")
    floats = channels("f")  # its address is good as long as it lives
    array = runtime.mallocArray(floats.ptr, 16, 5)
    try:
        runtime.memcpy2DToArray(array, 0, 0, host.ctypes.data, 64, 64, 5, 1)
        found = np.zeros((3, 10), "f")
        runtime.memcpy2DFromArray(found.ctypes.data, 40, array, 16, 1, 32, 3, 2)
        np.testing.assert_array_equal(found[:, :8], host[1:4, 4:12])
        assert not found[:, 8:].any()
        x = cp.asarray(host * 2)
        stream = cp.cuda.get_current_stream()
        runtime.memcpy2DToArrayAsync(array, 8, 2, x.data.ptr, 64, 12, 2, 3, stream.ptr)
        out = cp.zeros((5, 16), "f")
        runtime.memcpy2DFromArrayAsync(out.data.ptr, 64, array, 0, 0, 64, 5, 4, stream.ptr)
        host[2:4, 2:5] = 2 * host[:2, :3]
        np.testing.assert_array_equal(out.get(), host)
    finally:
        runtime.freeArray(array)
    runtime.freeArray(0)


def test_copies_of_rows(rng):
    host = rng.integers(0, 100, (5, 16)).astype("i4")
    x, found = cp.zeros((5, 8), "i4"), np.zeros((5, 8), "i4")
    runtime.memcpy2D(x.data.ptr, 32, host.ctypes.data, 64, 24, 4, 1)
    wanted = np.zeros((5, 8), "i4")
    wanted[:4, :6] = host[:4, :6]
    np.testing.assert_array_equal(x.get(), wanted)
    runtime.memcpy2DAsync(found.ctypes.data, 32, x.data.ptr, 32, 32, 5, 2, 0)
    runtime.streamSynchronize(0)
    np.testing.assert_array_equal(found, wanted)
    with pytest.raises(ValueError, match="memcpy2D: kind=9"):
        runtime.memcpy2D(x.data.ptr, 32, host.ctypes.data, 64, 24, 4, 9)
    with pytest.raises(CUDARuntimeError):
        runtime.memcpy2D(x.data.ptr, 8, host.ctypes.data, 64, 24, 4, 1)  # rows overlap


def pitched(copy, side, host):
    place = getattr(copy, f"{side}Ptr")
    place.ptr, place.pitch = host.ctypes.data, host.strides[1]
    place.xsize, place.ysize = host.shape[2], host.shape[1]


def test_copies_of_three_dimensions(rng):
    host = rng.integers(0, 100, (3, 4, 8)).astype("i2")
    pairs = channels("i2", 2)
    array = runtime.malloc3DArray(pairs.ptr, 4, 4, 3)
    try:
        copy = cudaMemcpy3DParms(dstArray=array, kind=1)
        pitched(copy, "src", host)
        copy.extent.width, copy.extent.height, copy.extent.depth = 4, 4, 3
        runtime.memcpy3D(ctypes.addressof(copy))
        found = np.zeros((2, 2, 4), "i2")
        back = cudaMemcpy3DParms(srcArray=array, kind=2)
        pitched(back, "dst", found)
        back.srcPos.x, back.srcPos.y, back.srcPos.z = 1, 2, 1  # in elements of two channels
        back.extent.width, back.extent.height, back.extent.depth = 2, 2, 2
        runtime.memcpy3DAsync(ctypes.addressof(back), 0)
        runtime.streamSynchronize(0)
        np.testing.assert_array_equal(found, host[1:, 2:, 2:6])
        both = cudaMemcpy3DParms(srcArray=array, kind=2)
        with pytest.raises(CUDARuntimeError, match="exactly one of dstArray and dstPtr"):
            runtime.memcpy3D(ctypes.addressof(both))
    finally:
        runtime.freeArray(array)


def test_objects_of_the_runtime(rng):
    host = rng.integers(0, 100, 8).astype("f")
    floats = channels("f")
    array = runtime.malloc3DArray(floats.ptr, 8, 0, 0, runtime.cudaArraySurfaceLoadStore)
    runtime.memcpy2DToArray(array, 0, 0, host.ctypes.data, 32, 32, 1, 1)
    like = texture.CUDAarray(channels("f"), 1)
    resource = texture.ResourceDescriptor(0, like)
    resource._structure.res.array.array = array
    how = texture.TextureDescriptor((1,))
    tex = runtime.createTextureObject(resource.ptr, how.ptr)
    surface = runtime.createSurfaceObject(resource.ptr)
    out = cp.empty(8, "f")
    at = cp.arange(8, dtype="f") + np.float32(0.5)
    module.get_function("fetch1")((1,), (64,), (tex, at, out, np.int32(8)))
    assert out.tolist() == host.tolist()
    runtime.destroySurfaceObject(surface)
    runtime.destroyTextureObject(tex)
    runtime.freeArray(array)
    with pytest.raises(ValueError, match="is null"):
        runtime.createTextureObject(resource.ptr, 0)
