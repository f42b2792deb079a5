"""The memory pool under arrays, allocators, streams and threads."""

from __future__ import annotations

import ctypes
import gc
import itertools
import sys
import threading
from collections import deque

import numpy as np
import pytest

import gpuarray as cp
from benchmarks.memory import ALLOWED, peaks, pooled
from benchmarks.rows.memory_traces import TRACES
from gpuarray._ffi import driver
from gpuarray._runtime import allocator, arena
from gpuarray._runtime.event import Event
from gpuarray._runtime.stream import streams
from gpuarray.errors import OutOfMemoryError
from tests.array.arrays import same


@pytest.fixture
def pool():
    """A pool of its own for the arrays of a test."""
    gc.collect()
    before = cp.cuda.get_allocator()
    made = cp.cuda.MemoryPool()
    cp.cuda.set_allocator(made.malloc)
    yield made
    cp.cuda.set_allocator(before)


def test_statistics(pool):
    assert pool.total_bytes() == pool.used_bytes() == pool.n_free_blocks() == 0
    a = cp.array(np.zeros(100, "f4"))
    assert (a.nbytes, pool.used_bytes(), pool.total_bytes()) == (400, 512, 512)
    b = cp.empty(129)
    assert pool.used_bytes() == 512 + 1536
    view = a[10:]
    del a
    assert pool.used_bytes() == 512 + 1536
    del view
    assert (pool.used_bytes(), pool.free_bytes(), pool.n_free_blocks()) == (1536, 512, 1)
    del b
    assert pool.used_bytes() == 0
    pool.free_all_blocks()
    assert pool.total_bytes() == 0


def test_reuse_and_results_return(pool):
    x = cp.ones(64)
    pointers = set()
    for _ in range(20):
        pointers.add((x + x).data.ptr)
    assert len(pointers) == 1
    assert pool.total_bytes() == 2 * 512
    cp.zeros(0), cp.zeros((3, 0)) + 1
    assert pool.total_bytes() == 2 * 512


def test_blocks_merge_and_split(pool):
    whole = cp.empty(4096, "u1")
    start = whole.data.ptr
    del whole
    parts = [cp.empty(1024, "u1") for _ in range(4)]
    assert sorted(p.data.ptr for p in parts) == [start + 1024 * i for i in range(4)]
    assert pool.total_bytes() == 4096
    del parts
    again = cp.empty(4096, "u1")
    assert again.data.ptr == start
    assert pool.total_bytes() == 4096


def test_arrays_in_reference_cycles(pool):
    # The collector finalizes them, which brings their memory's blocks back to life.
    cycle = [cp.empty(100, "u1")]
    cycle.append(cycle)
    del cycle
    gc.collect()
    a = cp.full(64, 1)
    b = cp.full(640, 2)  # blocks are merged for it
    c = cp.full(64, 3)
    assert (int(a.sum()), int(b.sum()), int(c.sum())) == (64, 1280, 192)
    assert pool.used_bytes() == 512 + 5120 + 512


def test_sizes_that_nobody_uses_are_forgotten(pool):
    kept = cp.empty(100, "u1")
    for size in range(1000):
        pool.malloc(1000 + 512 * size)
    (arena,) = pool._arenas
    assert len(arena.bins) < 200
    before = kept.data.ptr
    del kept
    assert cp.empty(100, "u1").data.ptr == before


def test_another_thread_may_add_a_list_between_any_two_steps(pool):
    # Threads look up the list of a size without the pool's lock while others merge under it.
    arena = pool.arena(cp.cuda.get_current_stream())
    sizes = iter(range(1 << 30, (1 << 30) + 300 * 512, 512))

    def step(frame, event, arg):
        if not frame.f_code.co_filename.endswith("arena.py"):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            arena.bins.setdefault(next(sizes, 512), [])
        return step

    held = [pool.malloc(size * 512) for size in range(1, 7)]
    del held[::2]
    sys._getframe().f_trace_opcodes = True
    sys.settrace(step)
    try:
        held.append(pool.malloc(1 << 20))
        counts = pool.used_bytes(), pool.free_bytes(), pool.n_free_blocks()
        pool.free_all_blocks()
    finally:
        sys.settrace(None)
    assert counts[0] == sum(pointer.mem.size for pointer in held)
    assert pool.used_bytes() == counts[0]
    assert next(sizes, None) is None


def test_growing_arrays_do_not_keep_the_memory_of_all_that_went(pool):
    most = 0
    for size in range(32, 160):  # more than chunks of a range of addresses, which have 2 MiB
        x = cp.empty(size << 18, "u1")
        most = max(most, pool.total_bytes() / x.nbytes)
    assert most < 2.5  # two of them are there at once


def segments_at_fixed_addresses():
    """An allocator of addresses without memory; of two blocks of a size the lower one is taken."""
    addresses = itertools.count(1 << 40, 1 << 34)
    return lambda size: cp.cuda.MemoryPointer(
        cp.cuda.UnownedMemory(next(addresses), size, None, 0), 0
    )


@pytest.mark.parametrize("name", TRACES)
def test_little_more_is_reserved_than_was_in_use(name):
    pool = pooled(cp, "gpuarray", cp.cuda.MemoryPool(segments_at_fixed_addresses()))
    reserved, used = peaks(pool, TRACES[name](6))
    assert used > 4 << 20
    assert reserved <= ALLOWED * used
    pool.reset()
    assert pool.reserved() == 0


def test_the_same_sizes_again_cost_no_call_of_the_driver(pool, monkeypatch):
    step = TRACES["the same sizes"]
    peaks(pooled(cp, "gpuarray", pool), step(1))
    monkeypatch.setattr(driver, "mem_alloc_to", None)
    monkeypatch.setattr(driver, "mem_free_all", None)
    peaks(pooled(cp, "gpuarray", pool), step(1))


@pytest.mark.parametrize("held", [0, 1, 2])
@pytest.mark.parametrize(
    "sizes",
    [[8 << 20, 512, 16 << 20], [3 << 20, 5 << 20, 7 << 20, 9 << 20], [512, 1 << 20, 1536, 1536]],
    ids=["3", "4", "small"],
)
def test_arrays_that_come_and_go_alike_find_freed_blocks(pool, monkeypatch, sizes, held):
    cp.empty(64 << 20, "u1")
    merges = []
    merge = arena.Arena.merge
    monkeypatch.setattr(arena.Arena, "merge", lambda self: merges.append(turn) or merge(self))
    living = deque()
    for turn in range(20):  # noqa: B007
        for size in sizes:
            living.append(cp.empty(size, "u1"))
            if len(living) > held:
                living.popleft()
    assert max(merges, default=0) < 4


@pytest.mark.single_operations
def test_limit(pool):
    pool.set_limit(size=4096)
    assert pool.get_limit() == 4096
    x = cp.empty(3000, "u1")
    with pytest.raises(OutOfMemoryError) as caught:
        cp.zeros(2000, "u1")
    assert caught.value.limit == 4096
    assert "limit" in str(caught.value)
    same(x[:3] * 0, np.zeros(3, "u1"))
    del x
    cp.zeros(4000, "u1")
    pool.set_limit(fraction=0.5)
    assert pool.get_limit() == cp.cuda.Device().mem_info[1] // 2
    pool.set_limit(size=0)
    cp.zeros(100_000, "u1")
    for bad in ({"size": -1}, {"fraction": 2.0}, {"size": 1, "fraction": 1}):
        with pytest.raises(ValueError):
            pool.set_limit(**bad)


@pytest.mark.single_operations
def test_out_of_memory_leaves_everything_usable():
    x = cp.arange(10)
    pool = cp.get_default_memory_pool()
    used = pool.used_bytes()
    for attempt in (
        lambda: cp.empty(1 << 46, "b"),
        lambda: cp.broadcast_to(x, (1 << 42, 10)) + 1,
        lambda: cp.broadcast_to(x, (1 << 42, 10)).copy(),
        lambda: cp.ndarray(1 << 46, "b"),
    ):
        with pytest.raises(cp.cuda.memory.OutOfMemoryError, match="out of device memory"):
            attempt()
    with pytest.raises(MemoryError) as caught:
        cp.empty(1 << 46, "b")
    assert str(1 << 46) in str(caught.value).replace(",", "")
    assert pool.used_bytes() == used
    same(x + x, np.arange(10) * 2)


def test_allocators():
    before = cp.cuda.get_allocator()
    sizes = []

    try:
        cp.cuda.set_allocator(lambda size: sizes.append(size) or cp.cuda.malloc_managed(size))
        x = cp.arange(16)
        same(x + 1, np.arange(16) + 1)
        assert sizes == [128, 128]
        cp.cuda.set_allocator(None)
        same(x * 2 + cp.ones(16), np.arange(16) * 2 + 1.0)
        managed = cp.cuda.MemoryPool(cp.cuda.malloc_managed)
        cp.cuda.set_allocator(managed.malloc)
        y = x + 5
        assert managed.used_bytes() == 512
    finally:
        cp.cuda.set_allocator(before)
    same(y, np.arange(16) + 5)
    assert cp.cuda.get_allocator() == before


def test_launches_take_blocks_of_the_pool_that_is_set(pool):
    stream = cp.cuda.get_current_stream()
    assert allocator.fast_bin(100, stream) is pool.arena(stream).bin(512)


def test_streams():
    stream = cp.cuda.Stream(non_blocking=True)
    x = cp.arange(1000)
    stream.wait_event(cp.cuda.get_current_stream().record())
    with stream:
        assert cp.cuda.get_current_stream() is stream
        y = x * 2
        del x
        z = y + 1
    stream.synchronize()
    same(z, np.arange(1000) * 2 + 1)
    host = z.get(stream=stream)
    np.testing.assert_array_equal(host, np.arange(1000) * 2 + 1)
    event = stream.record()
    event.synchronize()
    assert event.done


def test_threads_share_arrays_and_plans():
    x = cp.arange(256, dtype="f4")
    expected = np.arange(256, dtype="f4") * 3 + 1
    failures = []

    def work(number):
        try:
            for i in range(30):
                y = x * 3
                y += 1
                part = y[number : number + 8 + i % 3]
                if not (y.get() == expected).all():
                    failures.append("y")
                if not (part.get() == expected[number : number + 8 + i % 3]).all():
                    failures.append("part")
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_pinned_memory():
    pinned = cp.get_default_pinned_memory_pool()
    memory = cp.cuda.alloc_pinned_memory(4000)
    host = np.frombuffer(memory, "f4", 1000)
    host[...] = np.arange(1000)
    x = cp.asarray(host)
    same(x, np.arange(1000, dtype="f4"))
    x += 1
    assert x.get(out=host, blocking=True) is host
    assert host[-1] == 1000
    free = pinned.n_free_blocks()
    del memory, host
    gc.collect()
    assert pinned.n_free_blocks() == free + 1


def test_pinned_memory_of_a_copy_in_flight(monkeypatch):
    stream = cp.cuda.Stream(non_blocking=True)
    memory = cp.cuda.alloc_pinned_memory(3000)
    host = np.frombuffer(memory, "u1", 3000)
    host[...] = 7
    address = host.ctypes.data
    x = cp.empty(3000, "u1")
    x.set(host, stream=stream)
    monkeypatch.setattr(Event, "done", False)  # as on a device that is busy
    del memory, host
    gc.collect()
    other = cp.cuda.alloc_pinned_memory(3000)
    assert np.frombuffer(other, "u1", 3000).ctypes.data != address
    monkeypatch.undo()
    stream.synchronize()
    again = cp.cuda.alloc_pinned_memory(3000)
    assert np.frombuffer(again, "u1", 3000).ctypes.data == address


def test_an_array_does_not_keep_the_streams_that_used_it():
    x = cp.ones(1000)
    gc.collect()
    before = len(streams)
    for _ in range(20):
        with cp.cuda.Stream(non_blocking=True):
            y = x + 1
        del y
        gc.collect()
    assert len(streams) <= before + 1
    assert len(x._memory.release.args[1]) <= 2  # streams that are gone left an event, which is over
    same(x + x, np.full(1000, 2.0))


def test_streams_noted_by_threads_at_once():
    # No note may be lost: memory would be used again before a stream is through with it.
    made = [cp.cuda.Stream(non_blocking=True) for _ in range(8)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(60):
            x = cp.empty(10)
            gate = threading.Barrier(len(made))

            def work(stream, x=x, gate=gate):
                gate.wait()
                x._memory.used_by(stream)

            threads = [threading.Thread(target=work, args=(stream,)) for stream in made]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert x._memory.release.args[1] == {stream.work for stream in made}
    finally:
        sys.setswitchinterval(before)


def test_runtime_queries():
    runtime = cp.cuda.runtime
    assert runtime.getDeviceCount() >= 1
    properties = runtime.getDeviceProperties(0)
    assert properties["multiProcessorCount"] > 0
    assert properties["warpSize"] == 32
    assert len(properties["maxGridSize"]) == 3
    free, total = runtime.memGetInfo()
    assert 0 < free <= total == properties["totalGlobalMem"]
    assert runtime.getDevice() == 0
    runtime.deviceSynchronize()
    assert runtime.driverGetVersion() >= 12000


def test_the_default_stream_gets_memory_while_another_one_is_captured():
    # A blocking one: whether the default stream is captured cannot be asked then.
    captured = cp.cuda.Stream()
    pool = cp.cuda.MemoryPool()
    driver.stream_begin_capture(captured.ptr, "relaxed")
    try:
        memory = pool.malloc(1 << 20)
    finally:
        driver.graph_destroy(driver.stream_end_capture(captured.ptr))
    assert memory.mem.size == 1 << 20


# ---- pointers ----------------------------------------------------------------------------------


def _host(pointer, nbytes):
    found = np.zeros(nbytes, "u1")
    pointer.copy_to_host(found.ctypes.data, nbytes)
    return found


def test_copies_from_and_to_the_host():
    sent = np.arange(100, dtype="u1")
    pointer = cp.cuda.alloc(100)
    pointer.copy_from_host(sent.ctypes.data, 100)
    assert (_host(pointer, 100) == sent).all()
    pointer.copy_from(ctypes.c_void_p(sent[50:].ctypes.data), 50)
    assert _host(pointer, 51).tolist() == [*range(50, 100), 50]
    pointer.copy_from_host(sent.ctypes.data, 0)
    (pointer + 2).copy_to_host(ctypes.c_void_p(sent.ctypes.data), 1)
    assert sent[0] == 52
    for call in (pointer.copy_from_host, pointer.copy_to_host, pointer.copy_from):
        with pytest.raises(TypeError, match="an address, a pointer of ctypes or a NumPy array"):
            call(None, 4)
        with pytest.raises(ValueError, match="size must not be negative"):
            call(sent.ctypes.data, -1)
    with pytest.raises(TypeError, match="the source is a MemoryPointer"):
        pointer.copy_from_device(sent.ctypes.data, 4)


def test_copies_on_the_device_and_fills():
    x, y = cp.arange(8, dtype="i4"), cp.zeros(8, "i4")
    y.data.copy_from_device(x.data + 8, 16)
    assert y.tolist() == [2, 3, 4, 5, 0, 0, 0, 0]
    (y.data + 16).copy_from(x.data, 4)
    y.data.memset(0x101, 8)
    assert y.tolist() == [0x01010101, 0x01010101, 4, 5, 0, 0, 0, 0]


def test_queued_copies_are_in_the_order_of_their_stream():
    stream = cp.cuda.Stream(non_blocking=True)
    pinned = cp.cuda.alloc_pinned_memory(400)
    host = np.frombuffer(pinned, "i4", 100)
    host[:] = np.arange(100)
    x, y = cp.zeros(100, "i4"), cp.zeros(100, "i4")
    cp.cuda.Device().synchronize()
    x.data.copy_from_host_async(pinned.ptr, 400, stream)
    with stream:
        x += 1
        y.data.copy_from_async(x.data, 400)
        y.data.memset_async(0, 4)
    y.data.copy_to_host_async(pinned.ptr, 400, stream)
    stream.synchronize()
    assert host.tolist() == [0, *range(2, 101)]


def test_no_copy_waits_while_the_stream_is_captured():
    stream = cp.cuda.Stream(non_blocking=True)
    pointer = cp.cuda.alloc(4)
    driver.stream_begin_capture(stream.handle)
    try:
        with (
            stream,
            pytest.raises(RuntimeError, match=r"MemoryPointer\.memset: .* is being captured"),
        ):
            pointer.memset(0, 4)
    finally:
        driver.graph_destroy(driver.stream_end_capture(stream.handle))


# ---- CuPy's names --------------------------------------------------------------------------------


def test_default_streams_by_name():
    Stream = cp.cuda.Stream
    assert Stream.null is cp.cuda.Device().default_stream
    assert Stream.null == Stream(null=True)
    assert Stream.ptds is Stream.ptds
    assert Stream.ptds == Stream(ptds=True) != Stream.null
    for stream in (Stream.null, Stream.ptds):
        with stream:
            assert cp.cuda.get_current_stream() is stream
            x = cp.arange(3) + 1
        stream.synchronize()
        assert x.tolist() == [1, 2, 3]
    found = []
    thread = threading.Thread(target=lambda: found.append(Stream.ptds))
    thread.start()
    thread.join()
    assert found[0] is not Stream.ptds


def test_modules_have_cupys_names():
    cuda = cp.cuda
    for module, names in {
        "stream": "Event ExternalStream Stream get_current_stream get_elapsed_time",
        "memory": "MemoryPointer MemoryPool alloc set_allocator",
        "pinned_memory": "PinnedMemory PinnedMemoryPointer PinnedMemoryPool alloc_pinned_memory "
        "set_pinned_memory_allocator",
        "device": "Device",
    }.items():
        for name in names.split():
            assert getattr(getattr(cuda, module), name) is getattr(cuda, name)
    assert cuda.device.get_device_id() == 0
    assert cuda.device.get_compute_capability() == cuda.Device().compute_capability


def test_pinned_memory_allocators():
    made = []

    def allocator(size):
        made.append(size)
        return cp.cuda.PinnedMemoryPointer(cp.cuda.PinnedMemory(size), 0)

    try:
        cp.cuda.set_pinned_memory_allocator(allocator)
        pointer = cp.cuda.alloc_pinned_memory(100)
        assert made == [100]
        assert (pointer.size(), int(pointer), (pointer + 4).ptr) == (
            100,
            pointer.ptr,
            pointer.ptr + 4,
        )
        assert (pointer + 4 - 2).size() == 98
        with pytest.raises(ValueError, match="offset 101"):
            pointer + 101
        pool = cp.cuda.PinnedMemoryPool(allocator)
        cp.cuda.set_pinned_memory_allocator(pool.malloc)
        address = cp.cuda.alloc_pinned_memory(100).ptr
        assert pool.n_free_blocks() == 1
        assert cp.cuda.alloc_pinned_memory(500).ptr == address
        assert made == [100, 512]
        cp.cuda.set_pinned_memory_allocator()
        host = np.frombuffer(cp.cuda.alloc_pinned_memory(12), "f4")
        host[:] = 1, 2, 3
        assert cp.asarray(host).tolist() == [1, 2, 3]
        assert made == [100, 512]
    finally:
        cp.cuda.set_pinned_memory_allocator(cp.get_default_pinned_memory_pool().malloc)


def test_the_runtimes_memory():
    runtime = cp.cuda.runtime
    host = np.arange(10, dtype="i4")
    device, other = runtime.malloc(40), runtime.mallocManaged(40)
    pinned = runtime.hostAlloc(40)
    stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    start, end = runtime.eventCreate(), runtime.eventCreate()
    runtime.eventRecord(start, stream)
    runtime.memcpyAsync(device, host.ctypes.data, 40, runtime.memcpyHostToDevice, stream)
    runtime.memsetAsync(device, 0, 4, stream)
    runtime.memcpyAsync(other, device, 40, runtime.memcpyDeviceToDevice, stream)
    runtime.memcpyAsync(pinned, other, 40, runtime.memcpyDefault, stream)
    runtime.eventRecord(end, stream)
    runtime.streamWaitEvent(stream, start)
    runtime.streamSynchronize(stream)
    runtime.eventSynchronize(end)
    assert runtime.streamQuery(stream) == runtime.eventQuery(end) == 0
    assert runtime.eventElapsedTime(start, end) >= 0
    found = np.zeros(10, "i4")
    runtime.memcpy(found.ctypes.data, pinned, 40, runtime.memcpyHostToHost)
    assert found.tolist() == [0, *range(1, 10)]
    runtime.memset(other, 1, 40)
    runtime.memcpyPeer(device, 0, other, 0, 40)
    runtime.memcpy(found.ctypes.data, device, 40, runtime.memcpyDeviceToHost)
    assert (found == 0x01010101).all()
    for kind in (ValueError, runtime.CUDARuntimeError):
        with pytest.raises(kind, match="kind=7 is none of the constants") as caught:
            runtime.memcpy(device, other, 40, 7)
        assert caught.value.status == 21
    with pytest.raises(ValueError, match="malloc: size must not be negative"):
        runtime.malloc(-1)
    runtime.free(runtime.malloc(0))
    later = runtime.mallocAsync(40, stream)
    runtime.freeAsync(later, stream)
    runtime.streamDestroy(stream)
    runtime.eventDestroy(start), runtime.eventDestroy(end)
    runtime.free(device), runtime.free(other), runtime.freeHost(pinned)
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.free(device)


def test_page_locking_of_memory_that_is_there():
    runtime = cp.cuda.runtime
    host = np.zeros(1 << 16, "u1")
    runtime.hostRegister(host.ctypes.data, host.nbytes, 0)
    runtime.hostUnregister(host.ctypes.data)
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.hostUnregister(host.ctypes.data)


def test_kernels_have_memory_of_their_own_once_host_memory_is_registered():
    """Shared and local memory: the emulator widens what kernels see by the registered memory."""
    host = np.zeros(1 << 16, "u1")
    cp.cuda.runtime.hostRegister(host.ctypes.data, host.nbytes, 0)
    kernel = cp.RawKernel(
        r"""
extern "C" __global__ void k(const int* order, int* out) {
    __shared__ int shared[64];
    int local[16];
    for (int j = 0; j < 16; j++) local[order[j]] = threadIdx.x * j;
    shared[threadIdx.x] = local[order[3]];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = shared[63 - threadIdx.x];
}""",
        "k",
    )
    order = cp.asarray(np.random.default_rng(0).permutation(16).astype("i4"))
    try:
        for _ in range(2):
            out = cp.empty(192, "i4")
            kernel((3,), (64,), (order, out))
            assert out.tolist() == [3 * (63 - thread) for thread in range(64)] * 3
            assert cp.sort(out).tolist() == sorted(out.tolist())
    finally:
        cp.cuda.runtime.hostUnregister(host.ctypes.data)
    assert cp.sort(out[::-1]).tolist() == sorted(out.tolist())
