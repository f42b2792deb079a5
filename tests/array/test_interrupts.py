"""Ctrl-C at every place of allocations, launches and compilations leaves everything usable."""

from __future__ import annotations

import gc
import importlib
import itertools
import subprocess
import sys

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import driver
from gpuarray._runtime import pinned_ranges
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.memory import Memory
from gpuarray._runtime.pinned_memory import PinnedMemory
from gpuarray._runtime.unified_memory import ManagedMemory
from gpuarray.kernels import compiler
from tests.array.interrupting import interrupted
from tests.slow import slow_except


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
    for where in interrupted(work, "_runtime/pool", "_runtime/a", "_runtime/memory"):
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
    places = "_runtime/pool", "_runtime/a", "_ffi/driver_address", "_ffi/driver_memory"
    for where in interrupted(work, *places):
        pool.free_all_blocks()
        assert driver.mem_get_info()[0] == free, where


@pytest.mark.emulator
def test_the_emulated_mappings():
    """What an emulated call was doing when the interrupt came is done by the next."""

    def work():
        pool.malloc(3 << 20)
        pool.malloc(5 << 20)
        pool.free_all_blocks()

    pool = cp.cuda.MemoryPool()
    work()
    count = 0
    for where in interrupted(work, "_ffi/emulator/a", "_ffi/emulator/m"):
        count += 1
        pool.free_all_blocks()
        assert pool.total_bytes() == 0, where
        disjoint(pool, (3 << 20, 5 << 20))
    assert count > 300


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
    places = ["_calls", "_ufunc", "_runtime", "_plans", "_array", "<call"]
    places += ["_layout", "_broadcasting", "_memory_order"]
    for where in interrupted(work, *places, step=5):
        assert pool.used_bytes() <= used + 16384, where  # plans that were dropped and made anew
        assert float((x + 1).sum()) == 20100, where


@pytest.mark.parametrize("step", slow_except([101], [101, 37]))
def test_a_compilation(step):
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
    for where in interrupted(work, "kernels/compiler/compilation", step=step):
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

    memory = compiler.image_memory.ImageMemory()
    count = 0
    for where in interrupted(work, "kernels/compiler"):
        count += 1
        assert memory.get(b"key", lambda: image) is image, where
        memory.clear()
    assert count > 5


@pytest.mark.emulator  # the free memory of a GPU is that of all its processes
def test_memory_without_a_pool():
    def work():
        one = Memory(3 << 20)
        other = ManagedMemory(1 << 20)
        pinned = PinnedMemory(1 << 20)
        assert pinned_ranges.is_pinned(pinned.ptr, pinned.size)
        del one, other, pinned

    work()
    gc.collect()
    free, ranges = driver.mem_get_info()[0], len(pinned_ranges._ranges)
    count = lost = 0
    files = ("memory", "pinned", "device", "current_stream", "release")
    folders = [f"_runtime/{name}" for name in files]
    for where in interrupted(work, *folders, "_ffi/driver_memory"):
        count += 1
        if where.split(":")[0].endswith("__del__"):  # before it has begun to do anything
            lost += 1
            free = driver.mem_get_info()[0]
            pinned_ranges._ranges[ranges:] = []
        assert driver.mem_get_info()[0] == free, where
        assert len(pinned_ranges._ranges) == ranges, where
    assert count > 20
    assert lost < count / 4


@pytest.mark.parametrize("nested", [False, True])
def test_blocks_of_streams_and_devices(nested):
    default = cp.cuda.Device(0).default_stream
    streams = [cp.cuda.Stream(), cp.cuda.Stream(non_blocking=True)]
    device = cp.cuda.Device(0)

    def inner():
        with streams[0], device, streams[1]:
            assert current.stream is streams[1]

    def work():
        if not nested:
            return inner()
        with streams[1]:
            inner()

    default.use()
    work()
    count = 0
    for where in interrupted(work, "_runtime/stream", "_runtime/device", "_runtime/current_stream"):
        count += 1
        assert current.stream is default, where
        assert current.block is None, where
    assert count > 8


def test_the_context_is_that_of_the_current_stream():
    if cp.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("needs two devices")
    devices = cp.cuda.Device(0), cp.cuda.Device(1)

    def work():
        with devices[1]:
            cp.zeros(3)

    work()
    for where in interrupted(work, "_runtime/stream", "_runtime/device", "_runtime/current_stream"):
        assert driver.context_get_current() == current.stream.device.context, where
        devices[0].use()


def test_claims_of_the_cache(tmp_path):
    cache = compiler.cache.Cache(str(tmp_path), 1 << 20)
    other = """
import sys
from gpuarray.kernels.compiler.lock import KeyLocks
locks = KeyLocks(sys.argv[1])
for line in sys.stdin:
    key = bytes.fromhex(line)
    print(locks.take(key), flush=True)
    locks.release(key)
"""
    with subprocess.Popen(
        [sys.executable, "-c", other, cache._prefix + compiler.cache.LOCKS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        key = bytes(range(32))
        number = 0

        def work():
            with cache.claim(key) as image:
                assert image is None
                cache.put(bytes([number]) * 32, compiler.compilation.Image(b"image"))

        work()
        for where in interrupted(work, "kernels/compiler/cache", "kernels/compiler/lock"):
            number += 1
            process.stdin.write(key.hex() + "\n")
            process.stdin.flush()
            assert process.stdout.readline() == "True\n", where  # and nobody has to wait
            assert not list(tmp_path.glob("*" + compiler.cache.PARTIAL)), where
            assert cache.put(key[::-1], compiler.compilation.Image(b"image")), where
        assert number > 8
        process.stdin.close()
