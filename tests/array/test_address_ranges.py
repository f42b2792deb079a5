"""Pools whose arenas grow at addresses that continue one another."""

from __future__ import annotations

import gc
import itertools

import numpy as np
import pytest

import gpuarray as cp
from benchmarks.memory import ALLOWED, peaks, pooled, seconds
from benchmarks.rows.memory_traces import TRACES, random_sizes
from gpuarray._ffi import driver
from gpuarray._runtime import address_range
from gpuarray._runtime import arena as arenas
from gpuarray._runtime.address_range import AddressRange
from gpuarray.cuda import runtime
from tests.array.arrays import same

MIB = 1 << 20
CALLS = ("mem_alloc_to", "mem_free_all", "mem_create_to", "mem_map_range", "mem_unmap_range")


@pytest.fixture
def pool():
    if not cp.cuda.Device().attribute("virtual_address_management_supported"):
        pytest.skip("the device has no ranges of addresses")
    return cp.cuda.MemoryPool()


def range_of(pool):
    (arena,) = pool._arenas
    assert isinstance(arena.range, AddressRange)
    return arena.range


def check(pool):
    """What follows from the chunks and the blocks is what the arena has."""
    (arena,) = pool._arenas
    with arena.lock:
        arena.merge()
        kept, total = arena._idle, arena._total
        arena._rebuild()
        made = arena._idle
        assert (kept.sizes, kept.ends, kept.order) == (made.sizes, made.ends, made.order)
        assert total == arena._total
        assert sum(made.sizes.values()) == made.nbytes == kept.nbytes
        taken = [(ref.pointer, ref.pointer + ref.size) for ref in arena.blocks.values()]
    places = sorted(taken + [(x, x + size) for x, size in kept.sizes.items()])
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(places))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "mean, sigma, living, most", [(10, 2, 200, 4 * MIB), (14, 1.5, 100, 64 * MIB)]
)
def test_random_sizes(pool, seed, mean, sigma, living, most):
    def trace():
        return random_sizes(2000, seed=seed, mean=mean, sigma=sigma, living=living, most=most)

    reserved, used = peaks(pooled(cp, "gpuarray", pool), trace())
    assert used > 20 * MIB
    assert reserved <= ALLOWED * used + 4 * MIB  # two chunks more than were asked for
    check(pool)
    pool.free_all_blocks()
    assert pool.total_bytes() == 0


@pytest.mark.parametrize("name", TRACES)
def test_the_traces(pool, name):
    reserved, used = peaks(pooled(cp, "gpuarray", pool), TRACES[name](6))
    assert reserved <= ALLOWED * used + 2 * MIB  # what a chunk has more than was asked for
    pool.free_all_blocks()
    assert pool.total_bytes() == 0


@pytest.mark.parametrize("name", TRACES)
def test_hardly_a_call_of_the_driver_once_the_sizes_were_seen(pool, name, monkeypatch):
    allocator = pooled(cp, "gpuarray", pool)
    for _ in range(2):
        seconds(allocator, TRACES[name](6))
    calls = []
    for call in CALLS:
        function = getattr(driver, call)
        monkeypatch.setattr(
            driver, call, lambda *args, f=function, **kw: (calls.append(f), f(*args, **kw))[1]
        )
    seconds(allocator, TRACES[name](6))
    count = sum([step > 0 for step in TRACES[name](6)])
    # The calls that a growth takes, now and then where an arena has all that it may have.
    assert len(calls) <= (0.05 if name != "the same sizes" else 0) * count


def test_live_blocks_are_apart_and_keep_their_contents(pool):
    rng = np.random.default_rng(0)
    held = []
    for number in range(120):
        size = int(rng.integers(1, 2 * MIB))
        pointer = pool.malloc(size)
        x = cp.ndarray(size, "u1", pointer)
        x[:1] = x[-1:] = number
        held.append((x, number))
        if len(held) > 12:
            y, old = held.pop(int(rng.integers(12)))
            same(y[[0, -1]], np.full(2, old, "u1"))
        if number % 30 == 29:
            check(pool)
            pool.free_all_blocks()
    for y, old in held:
        same(y[[0, -1]], np.full(2, old, "u1"))
    ranges = sorted((y.data.ptr, y.data.ptr + y.nbytes) for y, _ in held)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(ranges))


def test_growth_continues_what_is_idle(pool):
    first = pool.malloc(3 * MIB)
    start = first.ptr
    del first
    whole = pool.malloc(9 * MIB)
    found = range_of(pool)
    unit = found.granularity
    assert pool.total_bytes() == -(-9 * MIB // unit) * unit
    assert len(found.runs()) == 1
    assert found.runs()[0][0] == start // unit * unit
    assert whole.ptr + 9 * MIB <= found.runs()[0][1]


def test_a_hole_is_used_again(pool):
    held = [pool.malloc(4 * MIB) for _ in range(4)]
    del held[1]
    pool.free_all_blocks()
    assert pool.total_bytes() == 12 * MIB
    runs = range_of(pool).runs()
    assert len(runs) == 2
    held.append(pool.malloc(4 * MIB))
    assert [runs[0][0], runs[1][1]] == list(*range_of(pool).runs())
    check(pool)


def test_small_pools_take_what_they_need(pool):
    held = [pool.malloc(100_000) for _ in range(10)]
    assert pool.total_bytes() == pool.used_bytes() == 10 * 100_352
    del held


def test_a_limit_is_met_to_the_byte(pool):
    pool.set_limit(size=5 * MIB)
    held = [pool.malloc(MIB) for _ in range(5)]
    assert pool.total_bytes() == pool.used_bytes() == 5 * MIB
    with pytest.raises(cp.cuda.memory.OutOfMemoryError):
        pool.malloc(512)
    del held
    pool.malloc(5 * MIB)


def test_without_ranges(pool, monkeypatch):
    monkeypatch.setattr(arenas, "config", arenas.config._replace(address_ranges=False))
    held = pool.malloc(5 * MIB)
    assert pool.total_bytes() == 5 * MIB
    assert len(cp.cuda.runtime.ipcGetMemHandle(held.ptr)) == 64


def test_another_process_cannot_open_such_memory(pool):
    held = pool.malloc(5 * MIB)
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="GPUARRAY_ADDRESS_RANGES=0"):
        cp.cuda.runtime.ipcGetMemHandle(held.ptr)


def test_no_addresses_left(pool, monkeypatch):
    def refuse(slot, nbytes):
        driver.library.fail("mem_address_reserve", 2)

    monkeypatch.setattr(driver, "mem_address_reserve_to", refuse)
    held = pool.malloc(5 * MIB)
    assert pool.total_bytes() == 5 * MIB
    del held


@pytest.mark.emulator  # the free memory of a GPU is that of all its processes
def test_a_pool_that_is_gone_gives_everything_back():
    gc.collect()
    free = driver.mem_get_info()[0]
    stream = cp.cuda.Stream(non_blocking=True)
    pool = cp.cuda.MemoryPool()
    with stream:
        held = pool.malloc(5 * MIB)
        assert driver.mem_get_info()[0] == free - 6 * MIB
        del held
    stream.synchronize()
    del stream, pool
    gc.collect()
    assert driver.mem_get_info()[0] == free


@pytest.mark.usefixtures("pool")
def test_a_range_that_dies_in_a_capture_of_another_library():
    # It waits for the device before it unmaps, which would make the capture invalid.
    x = cp.ones(3)
    cp.add(x, 1, out=x)  # its kernel is loaded
    mine, other = AddressRange(cp.cuda.Device()), AddressRange(cp.cuda.Device())
    mine.map(mine.growth(80, {}, {}))
    other.map(other.growth(80, {}, {}))
    address = mine.runs()[0][0]
    with cp.cuda.Stream(non_blocking=True) as stream:
        driver.stream_begin_capture(stream.handle, "relaxed")  # as if by another library
        del mine
        other.condemned.append(other.chunks.popitem())
        other.unmap_condemned()
        assert other.condemned
        cp.add(x, 1, out=x)
        driver.graph_destroy(driver.stream_end_capture(stream.handle))
    runtime.memset(address, 0, 80)  # it is still mapped
    AddressRange(cp.cuda.Device())
    assert not address_range._dead
    other.unmap_condemned()
    assert not other.condemned
