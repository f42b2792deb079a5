"""Ctrl-C at every place of allocations, launches and compilations leaves everything usable."""

from __future__ import annotations

import gc
import importlib
import itertools

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import driver
from gpuarray.kernels import compiler
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


def test_a_launch_that_stops_halfway(monkeypatch):
    # Masks and cumulative sums have look-back state that later launches begin with.
    if driver.image_kind != "ptx":
        pytest.skip("a kernel on a GPU runs to its end")
    # One block after the other, so that some have run when the interrupt comes.
    simt = importlib.import_module("gpuarray._ffi.emulator.simt.launch")
    monkeypatch.setattr(simt, "CHUNK_THREADS", 1)
    host = np.arange(9000) % 7
    x = cp.asarray(host)

    def work():
        x[x > 3]
        x.cumsum()

    work()
    count = 0
    for where in interrupted(work, "_ffi/emulator/simt/launch", step=29):
        count += 1
        assert x[x > 3].size == (host > 3).sum(), where
        assert int(x.cumsum()[-1]) == host.sum(), where
    assert count > 3


def test_calls():
    x = cp.arange(200.0)
    pool = cp.get_default_memory_pool()

    def work():
        (x + 1).sum()
        x[::2] * x[1::2]

    work()
    gc.collect()
    used = pool.used_bytes()
    folders = ("_calls", "_ufunc", "_runtime", "_plans", "_array", "_layout", "<call")
    for where in interrupted(work, *folders, step=5):
        assert pool.used_bytes() <= used + 16384, where  # plans that were dropped and made anew
        assert float((x + 1).sum()) == 20100, where


def test_a_compilation():
    number = 0
    image = b""

    def work():
        nonlocal image
        image = compiler.compilation.compile(
            f"__global__ void kernel() {{ int unused = {number}; }}",
            name="kernel",
            architecture="sm_90",
            kind="ptx",
        ).data

    work()
    for where in interrupted(work, "kernels/compiler/compilation", step=37):
        image = b""
        work()  # for ever waiting, or for ever failing, before
        assert image, where
        number += 1


@pytest.mark.parametrize("fails", [False, True])
def test_the_memory_of_images(fails):
    image = compiler.compilation.Image(b"image")

    def produce():
        if fails:
            raise compiler.compilation.CompileError("log")
        return image

    def work():
        try:
            memory.get(b"key", produce)
        except compiler.compilation.CompileError:
            pass

    memory = compiler.compilation.ImageMemory()
    count = 0
    for where in interrupted(work, "kernels/compiler"):
        count += 1
        assert memory.get(b"key", lambda: image) is image, where
        memory.clear()
    assert count > 5
