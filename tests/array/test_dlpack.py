"""DLPack: arrays leave and enter without a copy, and their memory outlives neither side."""

import gc

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import dlpack

DTYPES = "?bhilBHILefdFD"

DTYPES = "?bhilBHILefdFD"


VIEWS = [
    lambda x: x,
    lambda x: x.T,
    lambda x: x[:, ::-1],
    lambda x: x[1:, :, ::2],
    lambda x: x[0, 0, 0:1],
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("versioned", [False, True])
def test_round_trip_shares_memory(dtype, versioned):
    x = cp.asarray(np.arange(6).reshape(2, 3).astype(dtype))
    capsule = x.__dlpack__(max_version=(1, 0) if versioned else None)
    y = cp.from_dlpack(capsule)
    assert y.dtype == x.dtype
    assert y.data.ptr == x.data.ptr
    assert (cp.asnumpy(y) == cp.asnumpy(x)).all()


@pytest.mark.parametrize("view", VIEWS)
def test_views_keep_their_strides(view):
    x = view(cp.arange(24.0).reshape(2, 3, 4))
    y = cp.from_dlpack(x)
    assert y.strides == x.strides
    assert (cp.asnumpy(y) == view(np.arange(24.0).reshape(2, 3, 4))).all()


def test_memory_lives_as_long_as_the_importer():
    before = len(dlpack._exported)
    x = cp.arange(5)
    y = cp.from_dlpack(x)
    z = y[1:]
    assert len(dlpack._exported) == before + 1
    del x, y
    gc.collect()
    assert len(dlpack._exported) == before + 1
    assert cp.asnumpy(z).tolist() == [1, 2, 3, 4]
    del z
    gc.collect()
    assert len(dlpack._exported) == before


def test_unused_capsules_release_their_array():
    before = len(dlpack._exported)
    capsule = cp.arange(5).toDlpack()
    assert len(dlpack._exported) == before + 1
    del capsule
    gc.collect()
    assert len(dlpack._exported) == before


def test_a_capsule_is_used_once():
    capsule = cp.arange(5).toDlpack()
    cp.from_dlpack(capsule)
    with pytest.raises(TypeError, match="consumed already"):
        cp.from_dlpack(capsule)


def test_copies_are_copies():
    x = cp.arange(3)
    y = cp.from_dlpack(x, copy=True)
    y[0] = 9
    assert x.tolist() == [0, 1, 2]
    z = cp.from_dlpack(x.__dlpack__(copy=True))
    z[0] = 9
    assert x.tolist() == [0, 1, 2]


def test_empty_and_zero_dimensional():
    assert cp.from_dlpack(cp.empty((0, 3))).shape == (0, 3)
    assert cp.from_dlpack(cp.array(7)).tolist() == 7


def test_host_arrays_are_refused():
    with pytest.raises(BufferError, match="asarray"):
        cp.from_dlpack(np.arange(3))
    with pytest.raises(TypeError, match="capsule"):
        cp.from_dlpack(3)


def test_other_devices_are_refused():
    x = cp.arange(3)
    with pytest.raises(BufferError, match="asnumpy"):
        x.__dlpack__(dl_device=(1, 0))
    with pytest.raises(TypeError, match="stream"):
        x.__dlpack__(stream="main")


def test_consumers_stream_waits():
    stream = cp.cuda.Stream(non_blocking=True)
    x = cp.arange(1000)
    capsule = x.__dlpack__(stream=stream.ptr)
    with stream:
        y = cp.from_dlpack(capsule) + 1
    stream.synchronize()
    assert int(y[-1]) == 1000


@pytest.mark.cuda
def test_exchange_with_torch():
    torch = pytest.importorskip("torch")
    x = cp.arange(6, dtype="f4").reshape(2, 3)
    t = torch.from_dlpack(x)
    assert t.data_ptr() == x.data.ptr
    back = cp.from_dlpack(t * 2)
    assert back.tolist() == [[0, 2, 4], [6, 8, 10]]


@pytest.mark.cuda
def test_exchange_with_cupy():
    cupy = pytest.importorskip("cupy")
    x = cp.arange(6, dtype="f4")
    assert cupy.from_dlpack(x).tolist() == x.tolist()
    assert cp.from_dlpack(cupy.arange(4)).tolist() == [0, 1, 2, 3]
    assert cp.asarray(cupy.arange(4) * 2).tolist() == [0, 2, 4, 6]
    assert cupy.asarray(x).data.ptr == x.data.ptr
