"""Ctrl-C at every place of allocations, launches and compilations leaves everything usable."""

from __future__ import annotations

import gc
import itertools

import pytest

import gpuarray as cp
from gpuarray._ffi import driver
from tests.array.interrupting import interrupted


def disjoint(pool, sizes):
    """Allocate sizes, and check that no two have memory in common."""
    pointers = [pool.malloc(size) for size in sizes]
    ranges = sorted((p.ptr, p.ptr + p.mem.size) for p in pointers)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(ranges))
    assert pool.used_bytes() == sum(p.mem.size for p in pointers)


@pytest.mark.parametrize("own", [None, cp.cuda.malloc_managed], ids=["driver", "allocator"])
def test_the_pool(own):
    sizes = (1000, 5000, 300, 2000, 700)

    def work():
        a, b, c = pool.malloc(1000), pool.malloc(5000), pool.malloc(300)
        del b
        d = pool.malloc(2000)
        del a, c, d
        pool.malloc(7000)
        pool.free_all_blocks()
        pool.malloc(700)

    pool = cp.cuda.MemoryPool(own)
    work()
    count = 0
    for where in interrupted(work, "_runtime/pool", "_runtime/arena", "_runtime/memory"):
        count += 1
        assert pool.used_bytes() == 0, where
        assert pool.total_bytes() == pool.free_bytes(), where
        disjoint(pool, sizes)
        if count % 2:
            pool.free_all_blocks()
            assert pool.total_bytes() == pool.n_free_blocks() == 0, where
        if count % 3 == 0:
            pool = cp.cuda.MemoryPool(own)
    assert count > 150
    pool.free_all_blocks()


@pytest.mark.emulator  # the free memory of a GPU is that of all its processes
def test_the_driver_gets_its_memory_back():
    def work():
        pool.malloc(3 << 20)
        pool.malloc(5 << 20)
        pool.free_all_blocks()

    pool = cp.cuda.MemoryPool()
    work()
    gc.collect()
    free = driver.mem_get_info()[0]
    for where in interrupted(work, "_runtime/pool", "_runtime/arena", "_ffi/driver_memory"):
        pool.free_all_blocks()
        assert driver.mem_get_info()[0] == free, where
