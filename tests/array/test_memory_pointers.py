"""Pointers into device memory: arithmetic, copies and fills, and the memory that they point into."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest

import gpuarray as cp
from tests.limits import HANG_SECONDS


def _bytes(pointer, size):
    host = np.empty(size, "u1")
    pointer.copy_to_host(host, size)
    return host.tolist()


@pytest.fixture
def pointer():
    """A pointer to the numbers from 0 to 99, as bytes."""
    made = cp.cuda.MemoryPointer(cp.cuda.Memory(100), 0)
    made.copy_from_host(np.arange(100, dtype="u1"), 100)
    return made


def test_arithmetic(pointer):
    start = pointer.ptr
    assert int(pointer) == int(pointer.mem) == pointer.mem.ptr == start
    assert (pointer.device, pointer.device_id) == (cp.cuda.Device(0), 0)
    for moved in (pointer + 10, 10 + pointer, pointer + np.int32(10), pointer - -10):
        assert (moved.ptr, moved.mem) == (start + 10, pointer.mem)
        assert _bytes(moved, 2) == [10, 11]
    assert (pointer + 10 - np.uint8(3)).ptr == start + 7
    alias = pointer
    pointer += 20
    assert alias is pointer
    assert alias.ptr == start + 20
    pointer -= 5
    assert (alias.ptr, _bytes(alias, 1)) == (start + 15, [15])
    for wrong in (1.0, "1", None):
        with pytest.raises(TypeError):
            pointer + wrong
        with pytest.raises(TypeError):
            pointer -= wrong
    assert repr(pointer) == f"<MemoryPointer {start + 15:#x} on device 0>"


def test_the_null_pointer():
    null = cp.cuda.MemoryPointer(cp.cuda.Memory(0), 0)
    assert (int(null), (null + 0).ptr) == (0, 0)
    null.memset(1, 0)
    for move in (lambda: null + 4, lambda: null - 4, lambda: null.__iadd__(4)):
        with pytest.raises(ValueError, match="the null pointer has no offset"):
            move()


def test_an_arrays_pointer_can_be_moved():
    x = cp.arange(4)
    data = x.data
    data += 8
    assert x.tolist() == [0, 1, 2, 3]
    assert cp.ndarray(3, x.dtype, data).tolist() == [1, 2, 3]


_HOSTS = {
    "address": lambda host: host.ctypes.data,
    "numpy integer": lambda host: np.int64(host.ctypes.data),
    "c_void_p": lambda host: ctypes.c_void_p(host.ctypes.data),
    "c_uint64": lambda host: ctypes.c_uint64(host.ctypes.data),
    "pointer": lambda host: host.ctypes.data_as(ctypes.POINTER(ctypes.c_float)),
    "c_char_p": lambda host: ctypes.cast(host.ctypes.data, ctypes.c_char_p),
    "array": lambda host: host,
    "memoryview": memoryview,
    "ctypes array": lambda host: (ctypes.c_uint8 * host.nbytes).from_buffer(host),
}


@pytest.mark.parametrize("kind", _HOSTS)
@pytest.mark.parametrize("queued", [False, True])
def test_copies_with_the_host(kind, queued, pointer):
    stream = cp.cuda.Stream(non_blocking=True)
    sent, got = np.arange(50, 60, dtype="u1"), np.zeros(10, "u1")
    source, target = _HOSTS[kind](sent), _HOSTS[kind](got)
    if queued:
        pointer.copy_from_host_async(source, 10, stream)
        pointer.copy_from_async(source, 5, stream=stream)
        pointer.copy_to_host_async(target, 10, stream)
        stream.synchronize()
    else:
        pointer.copy_from_host(source, 10)
        pointer.copy_from(source, 5)
        pointer.copy_to_host(target, 10)
    assert got.tolist() == [*range(50, 60)]
    assert _bytes(pointer, 12) == [*range(50, 60), 10, 11]


def test_copies_with_pinned_memory(pointer):
    pinned = cp.cuda.alloc_pinned_memory(100)
    host = np.frombuffer(pinned, "u1", 100)
    host[:] = 7
    pointer.copy_from_host(pinned, 3)
    pointer.copy_from(pinned + 50, 2)
    (pointer + 90).copy_to_host(pinned, 10)
    assert host[:11].tolist() == [*range(90, 100), 7]
    pinned_array = cp.zeros_pinned(4, "u1")
    pointer.copy_to_host_async(pinned_array, 4)
    cp.cuda.get_current_stream().synchronize()
    assert pinned_array.tolist() == [7, 7, 7, 3]


def test_what_a_copy_refuses_of_the_host(pointer):
    host = np.zeros(8, "u1")
    for call in (pointer.copy_from_host, pointer.copy_to_host, pointer.copy_from_host_async):
        with pytest.raises(ValueError, match="the host's memory has 8 bytes, not 9"):
            call(host, 9)
        with pytest.raises(ValueError, match="not contiguous"):
            call(np.zeros((4, 4), "u1")[:, ::2], 8)
        with pytest.raises(ValueError, match="is null"):
            call(ctypes.c_void_p(), 1)
        with pytest.raises(TypeError, match="the host's memory is an address, a pointer"):
            call(1.5, 1)
        call(ctypes.c_void_p(), 0)
    host.flags.writeable = False
    with pytest.raises(ValueError, match=r"MemoryPointer\.copy_to_host: .* is read-only"):
        pointer.copy_to_host(host, 8)
    with pytest.raises(ValueError, match="is read-only"):
        pointer.copy_to_host(b"12345678", 8)
    pointer.copy_from_host(b"12345678", 8)
    assert _bytes(pointer, 8) == [*b"12345678"]


def test_copies_between_pointers_and_fills(pointer):
    other = cp.cuda.alloc(100)
    stream = cp.cuda.Stream(non_blocking=True)
    other.copy_from_device(pointer + 50, 10)
    other.copy_from(pointer, 2)
    (other + 2).memset(-1, 2)
    assert _bytes(other, 10) == [0, 1, 255, 255, *range(54, 60)]
    cp.cuda.Device().synchronize()
    other.copy_from_device_async(pointer + 20, 8, stream)
    other.copy_from_async(pointer + 30, 4, stream)
    other.memset_async(0x1FF, 2, stream)
    stream.synchronize()
    assert _bytes(other, 8) == [255, 255, 32, 33, 24, 25, 26, 27]
    with pytest.raises(TypeError, match="the source is a MemoryPointer"):
        other.copy_from_device_async(pointer.ptr, 1)


_WORK = {
    "copy_from": lambda x, n: x.copy_from(np.zeros(200, "u1"), n),
    "copy_from_host_async": lambda x, n: x.copy_from_host_async(np.zeros(200, "u1"), n),
    "copy_to_host": lambda x, n: x.copy_to_host(np.zeros(200, "u1"), n),
    "copy_from_device": lambda x, n: cp.cuda.alloc(512).copy_from_device(x, n),
    "copy_from_device_async": lambda x, n: x.copy_from_device_async(cp.cuda.alloc(512), n),
    "memset": lambda x, n: x.memset(0, n),
    "memset_async": lambda x, n: x.memset_async(0, n),
}


@pytest.mark.parametrize("name", _WORK)
def test_work_stays_within_the_memory(name, pointer):
    work = _WORK[name]
    work(pointer, 100)
    work(pointer + 100, 0)
    for moved, size in ((pointer, 101), (pointer + 1, 100), (pointer - 1, 1), (pointer + 100, 1)):
        with pytest.raises(ValueError, match=f"{size} bytes at offset .* not within the memory"):
            work(moved, size)
    with pytest.raises(ValueError, match="size must not be negative"):
        work(pointer, -1)


def test_a_stream_is_a_stream(pointer):
    with pytest.raises(TypeError, match="stream"):
        pointer.memset_async(0, 1, 7)


def test_unowned_memory(pointer):
    memory = cp.cuda.UnownedMemory(pointer.ptr + 10, 20, pointer, -1)
    assert (memory.ptr, memory.size, memory.device_id) == (pointer.ptr + 10, 20, 0)
    assert int(memory) == memory.ptr
    assert memory.device == cp.cuda.Device(0)
    assert _bytes(cp.cuda.MemoryPointer(memory, 5), 2) == [15, 16]
    with pytest.raises(ValueError, match="not within the memory, which has 20"):
        cp.cuda.MemoryPointer(memory, 5).memset(0, 16)


def test_memory_of_a_users_own():
    freed = []

    class Mine(cp.cuda.BaseMemory):
        def __init__(self, size):
            self.ptr = cp.cuda.runtime.malloc(size)
            self.size = size
            self.device_id = 0

        def __del__(self):
            freed.append(self.ptr)
            cp.cuda.runtime.free(self.ptr)

    memory = Mine(400)
    address = memory.ptr
    assert (int(memory), memory.device, memory.pointer) == (address, cp.cuda.Device(0), address)
    x = cp.ndarray(100, "i4", cp.cuda.MemoryPointer(memory, 0))
    x[...] = cp.arange(100)
    assert (x + 1).sum() == 5050
    cp.cuda.get_current_stream().synchronize()
    del x, memory
    assert freed == [address]


TWO_DEVICES = """
import numpy as np
import gpuarray as cp

with cp.cuda.Device(1):
    there, stream = cp.cuda.alloc(64), cp.cuda.Stream()
here, host = cp.cuda.alloc(64), np.zeros(64, "u1")
there.copy_from_host(np.arange(64, dtype="u1"), 64)
here.copy_from(there, 64)
here.copy_to_host(host, 64)
assert host.tolist() == list(range(64))
there.memset(3, 10)
here.copy_from_async(there, 64, stream)
stream.synchronize()
here.copy_to_host(host, 64)
assert host[:11].tolist() == [3] * 10 + [10]
pinned = cp.zeros_pinned(64, "u1")
there.copy_to_host_async(pinned, 64)
there.device.synchronize()
assert pinned[:11].tolist() == [3] * 10 + [10]
assert cp.cuda.get_current_stream().device.id == 0
"""


@pytest.mark.emulator
def test_copies_of_another_devices_memory():
    """They run on its device, whichever is current."""
    done = subprocess.run(
        [sys.executable, "-c", TWO_DEVICES],
        env={**os.environ, "GPUARRAY_EMULATED_DEVICES": "2"},
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    assert (done.returncode, done.stderr) == (0, "")
