"""Arrays of CuPy, PyTorch and Numba on a GPU: memory is shared both ways, streams wait."""

from __future__ import annotations

import contextlib
import gc
import warnings
import weakref

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import same

pytestmark = pytest.mark.cuda

#: As large as the work on a stream has to be for an importer that did not wait to be seen.
LONG = 1 << 24


class CuPy:
    """What the tests ask of CuPy's arrays; the other libraries have the same methods here."""

    dtypes = "?bhilBHILefdFD"

    def __init__(self):
        self.library = pytest.importorskip("cupy")

    def make(self, host):
        return self.library.asarray(host)

    def from_interface(self, ours):
        return self.library.asarray(ours)

    def from_dlpack(self, ours):
        return self.library.from_dlpack(ours)

    def pointer(self, theirs):
        return theirs.data.ptr

    def strides(self, theirs):
        return theirs.strides

    def host(self, theirs):
        return theirs.get()

    @contextlib.contextmanager
    def stream(self):
        stream = self.library.cuda.Stream(non_blocking=True)
        with stream:
            yield stream.ptr

    def add_often(self, theirs):
        for _ in range(50):
            theirs += 1


class Torch(CuPy):
    dtypes = "?bhilBefdFD"

    def __init__(self):
        self.library = pytest.importorskip("torch")

    def make(self, host):
        return self.library.from_numpy(host.copy()).cuda()

    def from_interface(self, ours):
        return self.library.as_tensor(ours, device="cuda")

    def pointer(self, theirs):
        return theirs.data_ptr()

    def strides(self, theirs):
        return tuple(n * theirs.element_size() for n in theirs.stride())

    def host(self, theirs):
        return theirs.cpu().numpy()

    @contextlib.contextmanager
    def stream(self):
        stream = self.library.cuda.Stream()
        with self.library.cuda.stream(stream):
            yield stream.cuda_stream


class Numba(CuPy):
    def __init__(self):
        self.library = pytest.importorskip("numba.cuda")

    def make(self, host):
        return self.library.to_device(host)

    def from_interface(self, ours):
        return self.library.as_cuda_array(ours)

    def pointer(self, theirs):
        return theirs.device_ctypes_pointer.value or 0

    def host(self, theirs):
        return theirs.copy_to_host()


LIBRARIES = {"cupy": CuPy, "torch": Torch, "numba": Numba}


@pytest.fixture(params=LIBRARIES)
def library(request):
    return LIBRARIES[request.param]()


@pytest.fixture(params=["cupy", "torch"])
def dlpack_library(request):
    """Numba has no DLPack."""
    return LIBRARIES[request.param]()


def some(dtype, shape=(2, 3)):
    """Elements that every dtype has, none of them alike but for bools."""
    values = np.arange(np.prod(shape)).reshape(shape)
    return values % 2 == 1 if dtype == "?" else values.astype(dtype)


def skip_unknown(library, dtype):
    if dtype not in library.dtypes:
        pytest.skip(f"the library exchanges no arrays of {np.dtype(dtype)}")


# -- dtypes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", CuPy.dtypes)
def test_ours_by_the_interface(library, dtype):
    skip_unknown(library, dtype)
    x = cp.asarray(some(dtype))
    theirs = library.from_interface(x)
    assert library.pointer(theirs) == x.data.ptr
    found = library.host(theirs)
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, some(dtype))
    x[...] = some(dtype)[::-1]
    cp.cuda.Device().synchronize()
    np.testing.assert_array_equal(library.host(theirs), some(dtype)[::-1])


@pytest.mark.parametrize("dtype", CuPy.dtypes)
def test_theirs_by_the_interface(library, dtype):
    skip_unknown(library, dtype)
    theirs = library.make(some(dtype))
    x = cp.asarray(theirs)
    assert x.data.ptr == library.pointer(theirs)
    same(x, some(dtype))
    x[0] = some(dtype)[1]
    cp.cuda.Device().synchronize()
    np.testing.assert_array_equal(library.host(theirs)[0], some(dtype)[1])


@pytest.mark.parametrize("dtype", CuPy.dtypes)
def test_ours_by_dlpack(dlpack_library, dtype):
    library = dlpack_library
    skip_unknown(library, dtype)
    x = cp.asarray(some(dtype))
    theirs = library.from_dlpack(x)
    assert library.pointer(theirs) == x.data.ptr
    found = library.host(theirs)
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, some(dtype))


@pytest.mark.parametrize("dtype", CuPy.dtypes)
def test_theirs_by_dlpack(dlpack_library, dtype):
    library = dlpack_library
    skip_unknown(library, dtype)
    theirs = library.make(some(dtype))
    x = cp.from_dlpack(theirs)
    assert x.data.ptr == library.pointer(theirs)
    same(x, some(dtype))


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    torch = pytest.importorskip("torch")
    theirs = torch.arange(6, device="cuda").to(torch.bfloat16) / 4
    x = cp.from_dlpack(theirs)
    assert (x.dtype, x.data.ptr) == (np.dtype(ml_dtypes.bfloat16), theirs.data_ptr())
    assert x.tolist() == theirs.tolist()
    back = torch.from_dlpack(x * 2)
    assert back.dtype == torch.bfloat16
    assert back.tolist() == (theirs * 2).tolist()


# -- layouts ---------------------------------------------------------------------------------------

VIEWS = {
    "whole": lambda x: x,
    "transposed": lambda x: x.T,
    "at an offset": lambda x: x[1:, 2:],
    "with steps": lambda x: x[::2, 1::2],
    "a scalar": lambda x: x[1, 2],
    "broadcast": lambda x: x[:, None, :1],
    "empty": lambda x: x[:0],
}
HOST = np.arange(24.0).reshape(4, 6)


def from_us(library, way, x):
    return library.from_interface(x) if way == "interface" else library.from_dlpack(x)


def to_us(way, theirs):
    return cp.asarray(theirs) if way == "interface" else cp.from_dlpack(theirs)


def ways(library):
    return ["interface"] if isinstance(library, Numba) else ["interface", "dlpack"]


@pytest.mark.parametrize("view", VIEWS)
def test_views_of_ours(library, view):
    x = VIEWS[view](cp.asarray(HOST))
    for way in ways(library):
        theirs = from_us(library, way, x)
        np.testing.assert_array_equal(library.host(theirs), VIEWS[view](HOST))
        if x.size:
            assert library.pointer(theirs) == x.data.ptr
            if x.ndim == 2:
                assert library.strides(theirs) == x.strides


@pytest.mark.parametrize("view", VIEWS)
def test_views_of_theirs(dlpack_library, view):
    library = dlpack_library
    theirs = VIEWS[view](library.make(HOST))
    for way in ways(library):
        x = to_us(way, theirs)
        same(x, VIEWS[view](HOST))
        if x.size:
            assert library.pointer(theirs) == x.data.ptr
            if x.ndim == 2:
                assert library.strides(theirs) == x.strides


def test_reversed_views():
    """CuPy has them, PyTorch does not (and does not refuse them)."""
    cupy = LIBRARIES["cupy"]()
    x = cp.asarray(HOST)[:, ::-1]
    for way in ways(cupy):
        theirs = from_us(cupy, way, x)
        assert (theirs.data.ptr, theirs.strides) == (x.data.ptr, x.strides)
        np.testing.assert_array_equal(theirs.get(), HOST[:, ::-1])
    # CuPy 14 divides negative strides as unsigned numbers for a capsule, which is refused.
    x = cp.asarray(cupy.make(HOST)[::-1])
    assert x.strides == (-48, 8)
    same(x, HOST[::-1])


def test_read_only():
    """Who can say so is told; PyTorch and CuPy have no arrays that cannot be written to."""
    numba = LIBRARIES["numba"]()
    x = cp.asarray(HOST)
    x.flags.writeable = False
    assert x.__cuda_array_interface__["data"][1]
    np.testing.assert_array_equal(numba.host(numba.from_interface(x)), HOST)
    with pytest.raises(TypeError, match="read only"):
        LIBRARIES["torch"]().from_interface(x)
    for theirs in (LIBRARIES["torch"]().make(HOST), LIBRARIES["cupy"]().make(HOST)):
        assert cp.from_dlpack(theirs).flags.writeable
        assert cp.asarray(theirs).flags.writeable


# -- memory ----------------------------------------------------------------------------------------


def test_our_memory_lives_as_long_as_their_array(library):
    for way in ways(library):
        x = cp.asarray(HOST)
        memory = weakref.ref(x._memory)
        theirs = from_us(library, way, x)
        del x
        gc.collect()
        assert memory() is not None
        cp.zeros(HOST.shape)  # which would get the block, had it been freed
        np.testing.assert_array_equal(library.host(theirs), HOST)
        del theirs
        gc.collect()
        assert memory() is None


def test_their_memory_lives_as_long_as_our_array(dlpack_library):
    library = dlpack_library
    for way in ways(library):
        theirs = library.make(HOST)
        x = to_us(way, theirs)[1:]
        del theirs
        gc.collect()
        library.make(np.zeros_like(HOST))
        same(x, HOST[1:])


# -- streams ---------------------------------------------------------------------------------------


def test_we_wait_for_their_stream(dlpack_library):
    library = dlpack_library
    ours = cp.cuda.Stream(non_blocking=True)
    # PyTorch's interface names no stream.
    for way in ways(library)[isinstance(library, Torch) :]:
        with library.stream():
            theirs = library.make(np.zeros(LONG, "f"))
            library.add_often(theirs)
            with ours:
                x = to_us(way, theirs)
                least = x.min()
        with ours:
            assert float(least) == 50


def test_they_wait_for_our_stream(library):
    ours = cp.cuda.Stream(non_blocking=True)
    # PyTorch does not read the stream of an interface.
    for way in ways(library)[isinstance(library, Torch) :]:
        with ours:
            x = cp.zeros(LONG, "f")
            for _ in range(50):
                x += 1
            if isinstance(library, Numba):
                found = library.host(library.from_interface(x))
            else:
                with library.stream():
                    found = library.host(from_us(library, way, x))
        assert found.min() == 50


def test_work_on_their_stream(dlpack_library):
    with dlpack_library.stream() as pointer, cp.cuda.ExternalStream(pointer):
        theirs = dlpack_library.make(np.zeros(LONG, "f"))
        dlpack_library.add_often(theirs)
        x = cp.from_dlpack(theirs)
        x *= 2
        dlpack_library.add_often(theirs)
        assert dlpack_library.host(theirs).min() == 150


# -- operations and kernels ------------------------------------------------------------------------


def test_operations_take_their_arrays(library):
    theirs = library.make(HOST)
    same(cp.asarray(HOST) + theirs, HOST + HOST)
    same(cp.sum(cp.asarray(theirs), axis=0), HOST.sum(axis=0))


def test_our_kernels_take_their_arrays(library):
    kernel = cp.RawKernel(
        'extern "C" __global__ void twice(double* x) { x[threadIdx.x] *= 2; }', "twice"
    )
    theirs = library.make(HOST)
    kernel((1,), (24,), (theirs,))
    cp.cuda.Device().synchronize()
    np.testing.assert_array_equal(library.host(theirs), HOST * 2)


def test_numbas_kernels_take_ours():
    cuda = LIBRARIES["numba"]().library

    @cuda.jit
    def twice(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    x = cp.asarray(HOST.ravel())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Numba advises to launch more blocks
        try:
            twice[1, 32](x)
        except AttributeError as error:
            if "module 'numpy' has no attribute" not in str(error):
                raise
            pytest.skip(f"Numba does not know this version of NumPy: {error}")
    cuda.synchronize()
    same(x, HOST.ravel() * 2)


def test_cupys_kernels_take_ours():
    cupy = LIBRARIES["cupy"]().library
    kernel = cupy.RawKernel(
        'extern "C" __global__ void twice(double* x) { x[threadIdx.x] *= 2; }', "twice"
    )
    x = cp.asarray(HOST)
    kernel((1,), (24,), (cupy.asarray(x),))
    cupy.cuda.Device().synchronize()
    same(x, HOST * 2)
