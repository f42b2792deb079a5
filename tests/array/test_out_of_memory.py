"""What is done where memory runs out, and what the error says then."""

from __future__ import annotations

import gc
import pickle
import tracemalloc

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._config import config
from gpuarray._runtime import memory_limit
from gpuarray._runtime.pool import _pools
from gpuarray.errors import CUDARuntimeError, OutOfMemoryError
from tests.array.arrays import same

MIB = 1 << 20


class SmallDevice:
    """An allocator that behaves as if the device had so much memory left.

    The memory of a GPU is shared with other processes, and allocated by 2 MiB.
    """

    def __init__(self, nbytes, error):
        gc.collect()
        self.least = cp.cuda.Device().mem_info[0] - nbytes
        self.error = error
        self.failed = 0

    def __call__(self, size):
        if cp.cuda.Device().mem_info[0] - size < self.least:
            self.failed += 1
            raise self.error(size)
        return cp.cuda.MemoryPointer(cp.cuda.Memory(size), 0)


def _of_the_runtime(size):
    return CUDARuntimeError(2)


@pytest.fixture(params=[OutOfMemoryError, _of_the_runtime])
def device(request):
    for pool in list(_pools):  # which would give more back later
        pool.free_all_blocks()
    cp.cuda.MemoryAsyncPool().free_all_blocks()
    return SmallDevice(8 * MIB, request.param)


@pytest.mark.emulator
def test_idle_memory_of_other_streams_is_used(device):
    pool = cp.cuda.MemoryPool(device)
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(3)]
    for stream in streams:
        with stream:
            pool.malloc(6 * MIB)
        assert pool.total_bytes() == 6 * MIB
    assert device.failed == 2


@pytest.mark.emulator
def test_garbage_is_collected(device):
    pool = cp.cuda.MemoryPool(device)
    gc.disable()
    try:
        circle = [pool.malloc(6 * MIB)]
        circle.append(circle)
        del circle
        pool.malloc(5 * MIB)
    finally:
        gc.enable()
    assert device.failed == 2


@pytest.mark.emulator
def test_other_pools_and_the_drivers_make_room(device):
    other = cp.cuda.MemoryPool()
    other.malloc(6 * MIB)
    pool = cp.cuda.MemoryPool(device)
    held = pool.malloc(5 * MIB)
    assert other.total_bytes() == 0
    del held
    pool.free_all_blocks()
    driver = cp.cuda.MemoryAsyncPool()
    driver.malloc(6 * MIB)
    cp.cuda.Device().synchronize()
    assert driver.total_bytes() > 0
    pool.malloc(5 * MIB)
    assert driver.total_bytes() == 0


@pytest.mark.emulator
@pytest.mark.single_operations
def test_what_plans_keep_makes_room(device):
    pool = cp.cuda.MemoryPool()
    before = cp.cuda.get_allocator()
    cp.cuda.set_allocator(pool.malloc)
    try:
        x = cp.ones(100_000)
        cp.cumsum(x), x.sum()
        del x
        assert pool.used_bytes() > 0  # look-back state, counters
        with pytest.raises((OutOfMemoryError, CUDARuntimeError)):
            cp.cuda.MemoryPool(device).malloc(500 * MIB)
        assert pool.used_bytes() == 0
        x = cp.ones(100_000)
        same(cp.cumsum(x), np.arange(1.0, 100_001))
    finally:
        cp.cuda.set_allocator(before)


def test_a_limit_is_kept_by_freeing_first():
    pool = cp.cuda.MemoryPool()
    pool.set_limit(MIB)
    with cp.cuda.Stream(non_blocking=True) as stream:
        pool.malloc(MIB)
    held = pool.malloc(MIB)
    with pytest.raises(OutOfMemoryError):
        pool.malloc(512)
    del held, stream


def test_other_errors_of_an_allocator_are_its_own():
    def fail(size):
        raise CUDARuntimeError(700)

    with pytest.raises(CUDARuntimeError, match="cudaErrorIllegalAddress"):
        cp.cuda.MemoryPool(fail).malloc(10)


def test_the_message():
    pool = cp.cuda.MemoryPool()
    pool.set_limit(4 * MIB)
    with cp.cuda.using_allocator(pool.malloc):
        x = cp.zeros((512, 400), "f4")
        y = x[10:]
        idle = cp.zeros(MIB, "u1")
        del idle
        small = cp.zeros(3)
        with pytest.raises(MemoryError) as caught:
            cp.zeros(5 * MIB, "u1")
    error = caught.value
    assert (error.requested, error.limit, error.used) == (5 * MIB, 4 * MIB, 819200 + 512)
    text = str(error)
    for part in (
        "allocating 5,242,880 bytes", "of its limit of 4,194,304", "819,712 in use",
        "raise the pool's limit", "in use: 819,200 bytes: array of shape ", "and 1 more",
    ):  # fmt: skip
        assert part in text
    assert "allocated at" not in text
    assert str(pickle.loads(pickle.dumps(error))) == text
    del x, y, small


def test_the_message_says_where_memory_was_allocated_while_that_is_traced():
    pool = cp.cuda.MemoryPool()
    pool.set_limit(MIB)
    tracemalloc.start(10)
    try:
        with cp.cuda.using_allocator(pool.malloc):
            x = cp.zeros(100_000)
            with pytest.raises(OutOfMemoryError) as caught:
                cp.zeros(100_000)
    finally:
        tracemalloc.stop()
    mine = [holder for holder in caught.value.holders if "(100000,), float64" in holder]
    assert any("test_out_of_memory.py:" in holder for holder in mine)
    del x


def test_the_limit_of_the_environment(monkeypatch):
    total = cp.cuda.Device().mem_info[1]
    for limit, nbytes in ((0.25, total // 4), (5000, 5000)):
        monkeypatch.setattr(memory_limit, "config", config._replace(memory_limit=limit))
        pool = cp.cuda.MemoryPool()
        assert pool.get_limit() == nbytes
        pool.set_limit(size=0)
        assert pool.get_limit() == 0
        assert cp.cuda.memory.SingleDeviceMemoryPool().get_limit() == nbytes
        assert cp.cuda.MemoryAsyncPool("create").get_limit() == nbytes
    cp.cuda.runtime.deviceSetMemPool(0, cp.cuda.runtime.deviceGetDefaultMemPool(0))
