"""Page-locked memory of the host: its pool, pointers into it, and NumPy arrays over it."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import driver
from gpuarray._runtime.event import Event
from gpuarray.cuda.pinned_memory import PooledPinnedMemory, is_memory_pinned
from gpuarray.errors import OutOfMemoryError


@pytest.fixture
def pool():
    """A pool of its own."""
    return cp.cuda.PinnedMemoryPool()


def test_pointers():
    memory = cp.cuda.PinnedMemory(100)
    pointer = cp.cuda.PinnedMemoryPointer(memory, 10)
    assert (int(memory), int(pointer), pointer.size()) == (memory.ptr, memory.ptr + 10, 90)
    same = pointer
    pointer += 5
    assert (pointer.ptr, pointer.size(), pointer.mem) == (memory.ptr + 15, 85, memory)
    pointer -= np.int64(5)
    assert pointer.ptr == same.ptr == (4 + (same - 4)).ptr
    view = memoryview(pointer)
    assert (view.nbytes, view.readonly) == (90, False)
    np.frombuffer(pointer, "u1", 3)[:] = 1, 2, 3
    assert bytes(view[:3]) == b"\x01\x02\x03"
    assert cp.cuda.PinnedMemory(0).ptr == 0
    with pytest.raises(TypeError, match="must be a gpuarray.cuda.PinnedMemory, or have ptr"):
        cp.cuda.PinnedMemoryPointer(3, 0)
    with pytest.raises(TypeError):
        pointer + 1.0


def test_a_pooled_block_goes_back_once(pool):
    pointer = pool.malloc(1000)
    block = pointer.mem
    assert isinstance(block, PooledPinnedMemory)
    assert isinstance(block, cp.cuda.PinnedMemory)
    assert (block.ptr, block.size, block.pool) == (pointer.ptr, 1024, pool)
    block.free()
    assert (block.ptr, block.size, pool.n_free_blocks()) == (0, 0, 1)
    del pointer, block
    gc.collect()
    assert pool.n_free_blocks() == 1
    assert pool.malloc(0).size() == 0
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0


def test_blocks_of_a_users_own():
    class Mine:
        def __init__(self, size):
            self.buffer = np.empty(size, "u1")
            self.ptr = self.buffer.ctypes.data
            self.size = size

    made = []

    def allocator(size):
        made.append(size)
        return cp.cuda.PinnedMemoryPointer(Mine(size), 0)

    pool = cp.cuda.PinnedMemoryPool(allocator)
    address = pool.malloc(600).ptr
    assert pool.malloc(700).ptr == address
    assert made == [1024]
    with pytest.raises(TypeError, match="the allocator is a function of a size"):
        cp.cuda.PinnedMemoryPool(1024)


def test_free_blocks_are_given_back_where_memory_runs_out():
    room = [4096]

    class Limited(cp.cuda.PinnedMemory):
        __slots__ = ()

        def __init__(self, size):
            if size > room[0]:
                raise OutOfMemoryError(size)
            room[0] -= size
            super().__init__(size)

        def __del__(self):
            if hasattr(self, "_slot"):
                room[0] += self.size
            super().__del__()

    pool = cp.cuda.PinnedMemoryPool(Limited)
    kept = [pool.malloc(1024) for _ in range(4)]
    with pytest.raises(OutOfMemoryError):
        pool.malloc(2048)
    del kept[:2]
    assert pool.n_free_blocks() == 2
    assert pool.malloc(2048).size() == 2048


def test_exhaustion_is_a_memory_error(pool):
    with pytest.raises(OutOfMemoryError, match="out of page-locked host memory") as raised:
        cp.cuda.PinnedMemory(1 << 58)
    assert isinstance(raised.value, MemoryError)
    assert raised.value.requested == 1 << 58
    with pytest.raises(OutOfMemoryError, match="out of page-locked host memory"):
        pool.malloc(1 << 58)


_COPIES = {
    "set": lambda x, host, stream: x.set(host, stream=stream),
    "get": lambda x, host, stream: x.get(stream=stream, out=host, blocking=False),
    "copy_from_host_async": lambda x, host, stream: x.data.copy_from_host_async(
        host.ctypes.data, host.nbytes, stream
    ),
    "copy_to_host_async": lambda x, host, stream: x.data.copy_to_host_async(
        host, host.nbytes, stream
    ),
}


@pytest.mark.parametrize("copy", _COPIES)
def test_a_block_is_not_reused_before_its_copy_has_ended(copy, pool, monkeypatch):
    stream = cp.cuda.Stream(non_blocking=True)
    x = cp.zeros(100, "i4")
    cp.cuda.Device().synchronize()
    host = np.frombuffer(pool.malloc(400), "i4", 100)
    address = host.ctypes.data
    _COPIES[copy](x, host, stream)
    monkeypatch.setattr(Event, "done", False)  # as on a device that is busy
    del host
    gc.collect()
    other = pool.malloc(400)
    assert other.ptr != address
    assert pool.n_free_blocks() == 0
    monkeypatch.undo()
    stream.synchronize()
    assert pool.n_free_blocks() == 1
    again = np.frombuffer(pool.malloc(400), "i4", 100)
    assert again.ctypes.data == address
    _COPIES[copy](x, again, stream)  # another copy on the stream that was noted before
    monkeypatch.setattr(Event, "done", False)
    del again
    gc.collect()
    assert pool.n_free_blocks() == 0
    monkeypatch.undo()
    stream.synchronize()
    assert pool.n_free_blocks() == 1


def test_blocks_come_back_from_a_stream_that_is_never_idle(pool, monkeypatch):
    # Whoever waits for an idle stream takes more and more memory.
    monkeypatch.setattr(driver, "stream_query", lambda handle: False)
    stream = cp.cuda.Stream(non_blocking=True)
    x = cp.zeros(100, "i4")
    cp.cuda.Device().synchronize()
    addresses = set()
    for _ in range(8):
        host = np.frombuffer(pool.malloc(400), "i4", 100)
        addresses.add(host.ctypes.data)
        x.set(host, stream=stream)
        del host
        stream.record().synchronize()
    assert len(addresses) <= 2


def test_a_block_that_a_graph_copies_from_is_never_reused(pool):
    stream = cp.cuda.Stream(non_blocking=True)
    x = cp.zeros(100, "i4")
    cp.cuda.Device().synchronize()
    host = np.frombuffer(pool.malloc(400), "i4", 100)
    host[:] = np.arange(100)
    address = host.ctypes.data
    driver.stream_begin_capture(stream.handle)
    x.data.copy_from_host_async(address, 400, stream)
    graph = driver.stream_end_capture(stream.handle)
    executable = driver.graph_instantiate(graph, 0)
    del host
    gc.collect()
    others = [pool.malloc(400) for _ in range(3)]
    assert address not in [other.ptr for other in others]
    driver.graph_launch(executable, stream.handle)
    stream.synchronize()
    assert x.tolist() == list(range(100))
    driver.graph_exec_destroy(executable)
    driver.graph_destroy(graph)


def test_memory_of_a_stream_that_is_gone_comes_back(pool):
    stream = cp.cuda.Stream(non_blocking=True)
    x = cp.zeros(100, "i4")
    cp.cuda.Device().synchronize()
    host = np.frombuffer(pool.malloc(400), "i4", 100)
    x.set(host, stream=stream)
    stream.synchronize()
    del host, stream
    gc.collect()
    assert pool.n_free_blocks() == 1


def test_is_memory_pinned(pool):
    host = np.zeros(10)
    pointer = pool.malloc(100)
    managed = cp.cuda.malloc_managed(100)
    assert is_memory_pinned(pointer.ptr) is True
    assert is_memory_pinned((pointer + 50).ptr) is True
    assert is_memory_pinned(host.ctypes.data) is False
    assert is_memory_pinned(cp.zeros(3).data.ptr) is False
    assert is_memory_pinned(managed.ptr) is False
    assert is_memory_pinned(0) is False


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f4", "c16", "?", "M8[s]"])
def test_new_pinned_arrays(dtype, order):
    for make, like in ((cp.empty_pinned, np.empty), (cp.zeros_pinned, np.zeros)):
        made, expected = make((2, 3), dtype, order), like((2, 3), dtype, order)
        assert type(made) is np.ndarray
        assert (made.dtype, made.shape, made.strides) == (
            expected.dtype,
            expected.shape,
            expected.strides,
        )
        assert is_memory_pinned(made.ctypes.data)
    assert not cp.zeros_pinned(5, dtype).view("u1").any()
    assert cp.empty_pinned(3).dtype == np.dtype("f8")


_PROTOTYPES = {
    "C": np.zeros((2, 3, 4)),
    "F": np.zeros((2, 3, 4), order="F"),
    "other axes": np.zeros((3, 4, 2)).transpose(2, 0, 1),
    "every other": np.zeros((4, 3, 8))[::2, :, ::2],
    "reversed": np.zeros((2, 3, 4))[:, ::-1],
    "a line": np.zeros(4, "i2"),
    "no elements": np.zeros((2, 0)),
}


@pytest.mark.parametrize("order", ["K", "C", "F", "A"])
@pytest.mark.parametrize("prototype", _PROTOTYPES)
def test_pinned_arrays_like_another(prototype, order):
    host = _PROTOTYPES[prototype]
    for kwargs in ({}, {"dtype": "f4"}, {"shape": (5, 2)}, {"shape": host.shape[::-1]}):
        expected = np.zeros_like(host, order=order, **kwargs)
        for a in (host, cp.asarray(host)):
            made = cp.zeros_like_pinned(a, order=order, **kwargs)
            assert (made.dtype, made.shape) == (expected.dtype, expected.shape)
            assert made.strides == expected.strides or not made.size
            assert not made.any()
        assert cp.empty_like_pinned(host, order=order, **kwargs).shape == expected.shape
    with pytest.raises(TypeError, match="subok must be None"):
        cp.empty_like_pinned(host, subok=True)


def test_pinned_arrays_of_objects_are_refused():
    with pytest.raises(ValueError, match="cannot hold elements of dtype object"):
        cp.empty_pinned(3, object)
    with pytest.raises(ValueError, match="order of a new array"):
        cp.empty_pinned(3, order="K")
    with pytest.raises(ValueError, match="negative"):
        cp.zeros_pinned((2, -1))
