"""DLPack: arrays leave and enter without a copy, and their memory outlives neither side."""

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import dlpack

DTYPES = "?bhilBHILefdFD"


VIEWS = [
    lambda x: x,
    lambda x: x.T,
    lambda x: x[:, ::-1],
    lambda x: x[1:, :, ::2],
    lambda x: x[0, 0, 0:1],
]


class Foreign:
    """Another library's array: it has DLPack's methods and nothing else."""

    def __init__(self, array):
        self.__dlpack__ = array.__dlpack__
        self.__dlpack_device__ = array.__dlpack_device__


def test_arrays_of_ours_take_no_capsule():
    x = cp.arange(6.0).reshape(2, 3)[:, ::-1]
    y = cp.from_dlpack(x)
    assert y is not x
    assert (y._memory, y.data.ptr, y.strides) == (x._memory, x.data.ptr, x.strides)
    x.flags.writeable = False
    assert not cp.from_dlpack(x).flags.writeable
    assert cp.from_dlpack(x, copy=True).flags.writeable


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
    y = cp.from_dlpack(Foreign(x))
    assert y.strides == x.strides
    assert (cp.asnumpy(y) == view(np.arange(24.0).reshape(2, 3, 4))).all()


def test_memory_lives_as_long_as_the_importer():
    x = cp.arange(5)
    memory = weakref.ref(x._memory)
    y = cp.from_dlpack(Foreign(x))
    z = y[1:]
    del x, y
    gc.collect()
    assert cp.asnumpy(z).tolist() == [1, 2, 3, 4]
    assert memory() is not None
    del z
    gc.collect()
    assert memory() is None


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_unused_capsules_release_their_array(version):
    x = cp.arange(5)
    memory = weakref.ref(x._memory)
    capsule = x.__dlpack__(max_version=version)
    del x
    gc.collect()
    assert memory() is not None
    del capsule
    gc.collect()
    assert memory() is None


def test_a_consumer_that_fails_keeps_its_exception():
    # It drops the capsule while its exception is pending.
    x = cp.arange(5)
    memory = weakref.ref(x._memory)
    with pytest.raises((BufferError, RuntimeError), match="Unsupported device"):
        np.from_dlpack(x)
    del x
    gc.collect()
    assert memory() is None


def test_a_capsule_is_used_once():
    capsule = cp.arange(5).toDlpack()
    cp.from_dlpack(capsule)
    with pytest.raises(TypeError, match="consumed already"):
        cp.from_dlpack(capsule)


def test_copies_are_copies():
    x = cp.arange(3)
    for producer in (x, Foreign(x)):
        y = cp.from_dlpack(producer, copy=True)
        y[0] = 9
        assert x.tolist() == [0, 1, 2]
    z = cp.from_dlpack(x.__dlpack__(copy=True))
    z[0] = 9
    assert x.tolist() == [0, 1, 2]


def test_empty_and_zero_dimensional():
    for wrapped in (Foreign, lambda x: x):
        assert cp.from_dlpack(wrapped(cp.empty((0, 3)))).shape == (0, 3)
        assert cp.from_dlpack(wrapped(cp.array(7))).tolist() == 7


def test_host_arrays_need_a_device():
    host = np.arange(6.0).reshape(2, 3)[:, ::-1]
    with pytest.raises(BufferError, match="device="):
        cp.from_dlpack(host)
    device = cp.cuda.Device()
    for copy in (None, True):
        x = cp.from_dlpack(host, device=device, copy=copy)
        assert (x.device, x.tolist()) == (device, host.tolist())
    with pytest.raises(ValueError, match="from_dlpack: .*copy=False"):
        cp.from_dlpack(host, device=device, copy=False)
    with pytest.raises(ValueError, match="from_dlpack: device must be"):
        cp.from_dlpack(cp.ones(2), device="cpu")


def test_what_is_no_array_is_refused():
    with pytest.raises(AttributeError, match="__dlpack__"):
        cp.from_dlpack(3)
    with pytest.raises(AttributeError):
        np.from_dlpack(3)


@pytest.mark.parametrize("dtype", DTYPES)
def test_export_to_host_memory(dtype):
    host = np.arange(24).reshape(2, 3, 4).astype(dtype)
    for view in VIEWS:
        x = view(cp.asarray(host))
        for copy in (None, True):
            y = np.from_dlpack(x, device="cpu", copy=copy)
            assert y.dtype == host.dtype
            assert (y == view(host)).all()
    y[...] = 0
    assert (x.get() == VIEWS[-1](host)).all()
    for version in (None, (0, 8), (1, 0), (2, 0)):
        capsule = cp.asarray(host).__dlpack__(dl_device=(1, 0), max_version=version)
        managed = dlpack._managed(capsule)[0]
        assert (managed.tensor.device_type, managed.tensor.device_id) == (1, 0)
        # DLPack 1.0 has a flag that says so.
        assert getattr(managed, "flags", 2) == 2
    for x in (cp.zeros((0, 3), dtype), cp.ones((), dtype)):
        assert (np.from_dlpack(x, device="cpu") == x.get()).all()


def test_exports_that_cannot_be():
    x = cp.arange(3)
    with pytest.raises(BufferError, match="copy=False"):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    for wanted in ((1, 1), (10, 0), (2, 99), (2, -1)):
        with pytest.raises(BufferError, match="cannot be exported"):
            x.__dlpack__(dl_device=wanted)
    with pytest.raises(ValueError, match="host memory has no streams"):
        x.__dlpack__(dl_device=(1, 0), stream=1)
    for stream in (0, -2):
        with pytest.raises(ValueError, match="stream must not be"):
            x.__dlpack__(stream=stream)
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


ABSURD = {
    "ndim of 2**31 - 1": ({"ndim": 2**31 - 1}, "ndim is 2147483647"),
    "negative ndim": ({"ndim": -1}, "ndim is -1"),
    "ndim of 65": ({"ndim": 65}, "ndim is 65"),
    "null shape": ({"shape": None}, "shape is a null pointer"),
    "null data": ({"data": None}, "data is a null pointer"),
    "null data at an offset": ({"data": None, "byte_offset": 64}, "data is a null pointer"),
    "byte_offset": ({"byte_offset": 2**64 - 1}, "byte_offset 18446744073709551615"),
    "negative length": ((-1, 3), "negative length"),
    "great length": ((2**62, 3), "do not fit into memory"),
    "great shape without strides": (
        {"lengths": (2**62, 3), "strides": None},
        "do not fit into memory",
    ),
    "great strides": ({"steps": (2**62, 1)}, "do not fit into memory"),
    "strides before memory": ({"steps": (-(2**62), 1)}, "do not fit into memory"),
    "no bits": ({"bits": 0}, "0 bits"),
    "12 bits": ({"bits": 12}, "12 bits"),
    "int128": ({"bits": 128}, "128 bits"),
    "bool of 32 bits": ({"code": 6, "bits": 32}, "type code 6"),
    "bfloat8": ({"code": 4, "bits": 8}, "type code 4"),
    "type code": ({"code": 255}, "type code 255"),
    "no lanes": ({"lanes": 0}, "0 lanes"),
    "vectors": ({"lanes": 4}, "4 lanes"),
    "device": ({"device_id": 999}, "device 999"),
    "negative device": ({"device_id": -1}, "device -1"),
}


@pytest.mark.parametrize("version", [None, (1, 0)])
@pytest.mark.parametrize("case", ABSURD)
def test_a_capsule_that_describes_no_array_is_refused(case, version):
    fields, message = ABSURD[case]
    x = cp.zeros((2, 3), "i4")
    memory = weakref.ref(x._memory)
    capsule = x.__dlpack__(max_version=version)
    record = dlpack._managed(capsule)[0].tensor
    fields = {"lengths": fields} if isinstance(fields, tuple) else dict(fields)
    if "lengths" in fields:
        record.shape[0], record.shape[1] = fields.pop("lengths")
    if "steps" in fields:
        record.strides[0], record.strides[1] = fields.pop("steps")
    for name, value in fields.items():
        setattr(record, name, value)
    with pytest.raises(BufferError, match=f"from_dlpack: .*{message}"):
        cp.from_dlpack(capsule)
    del x, capsule, record
    gc.collect()
    assert memory() is None


def test_a_capsule_of_nothing_may_have_no_memory():
    capsule = cp.zeros((0, 3)).__dlpack__()
    record = dlpack._managed(capsule)[0].tensor
    assert not record.data
    assert cp.from_dlpack(capsule).shape == (0, 3)


# Programs that leave capsules behind when the interpreter ends: with Python's own objects of all
# kinds, in a thread that never ends, and with C code that runs later than any Python.
LEFT_BEHIND = {
    "objects": """
import atexit, builtins, codecs, contextvars, json
keep = [make()]
keep.append(keep)
class Holder:
    keep = make()
class Late:
    def __del__(self, make=make):
        sys.last = make()
json.keep, builtins.keep, sys.keep, cp.keep = make(), [make(), Late()], make(), make()
local = threading.local()
local.keep = make()
contextvars.ContextVar("keep").set(make())
codecs.register(lambda name, keep=make(): None)
atexit.register(lambda keep=make(): None)
""",
    "thread": """
def hold():
    keep = make()
    made.set()
    threading.Event().wait()
made = threading.Event()
threading.Thread(target=hold, daemon=True).start()
made.wait()
""",
    "C": """
keep = make()
for capsule, name in zip(keep, [b"used_dltensor", b"used_dltensor_versioned"]):
    managed, address = dlpack._managed(capsule)
    ctypes.CDLL(None).__cxa_atexit(managed.deleter, ctypes.c_void_p(address), None)
    dlpack._set_name(id(capsule), name)
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("holder", LEFT_BEHIND)
def test_capsules_that_outlive_the_interpreter(holder):
    program = f"""
import ctypes, sys, threading
import gpuarray as cp
from gpuarray._ffi import dlpack
x = cp.arange(5)
def make():
    return [x.__dlpack__(), x.__dlpack__(max_version=(1, 0)), cp.from_dlpack(x)]
{LEFT_BEHIND[holder]}
print("made")
"""
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=1700
    )
    assert (result.returncode, result.stdout) == (0, "made\n"), result.stderr
