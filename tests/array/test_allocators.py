"""Allocators other than the pool: the driver's pools, managed memory, functions, other libraries."""

from __future__ import annotations

import ctypes
import gc
import threading
import types
import weakref

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import driver
from gpuarray._runtime.plan_kinds import ASKING
from gpuarray._runtime.stream_work import StreamWork
from gpuarray.errors import OutOfMemoryError
from tests.array.arrays import same

runtime = cp.cuda.runtime
NO_LIMIT = 2**64 - 1


@pytest.fixture(autouse=True)
def allocator_of_the_process():
    before = cp.cuda.get_allocator()
    yield
    cp.cuda.set_allocator(before)
    gc.collect()


def _counting():
    """An allocator, and the sizes that it was asked for."""
    sizes = []

    def allocator(size):
        sizes.append(size)
        return cp.cuda.memory.malloc_managed(size)

    return allocator, sizes


# ---- using_allocator -----------------------------------------------------------------------------


def test_using_allocator_is_nested_and_ends():
    first, sizes = _counting()
    second, more = _counting()
    outside = cp.cuda.get_allocator()
    x = cp.arange(16)
    with cp.cuda.using_allocator(first):
        assert cp.cuda.get_allocator() is first
        y = x + 1
        with cp.cuda.using_allocator(second):
            z = y + x
            with cp.cuda.using_allocator():
                w = z + x
        y = y + x
        with pytest.raises(ValueError, match="inside of using_allocator"):
            cp.cuda.set_allocator(second)
    assert (sizes, more) == ([128, 128], [128])
    assert type(w.data.mem) is cp.cuda.Memory
    assert cp.cuda.get_allocator() == outside
    assert type((x + 1).data.mem) is cp.cuda.memory.PooledMemory
    same(y + z + w, np.arange(16) * 7 + 3)


def test_using_allocator_is_for_the_calling_thread():
    allocator, sizes = _counting()
    x = cp.arange(100)
    expected = np.arange(100) + 1
    kinds, entered, used = [], threading.Event(), threading.Event()

    def other():
        entered.wait()
        kinds.append((type((x + 1).data.mem), cp.cuda.get_allocator()))
        used.set()

    thread = threading.Thread(target=other)
    thread.start()
    with cp.cuda.using_allocator(allocator):
        entered.set()
        used.wait()
        same(x + 1, expected)
    thread.join()
    assert kinds == [(cp.cuda.memory.PooledMemory, cp.cuda.get_allocator())]
    assert sizes == [800]


@pytest.mark.single_operations
def test_plans_outlive_another_allocator():
    x = cp.arange(37)
    x + 1
    stream = cp.cuda.get_current_stream()
    before = dict(stream.plans)
    with cp.cuda.using_allocator(cp.cuda.malloc_managed):
        x + 1
        asking = dict(stream.plans)
        made = cp.cuda.Stream()
        assert made.plan_kind == ASKING
    assert stream.plans == before
    assert not made.plan_kind
    with cp.cuda.using_allocator(cp.cuda.malloc_managed):
        assert stream.plans == asking


def test_using_allocator_as_a_decorator_and_after_an_error():
    allocator, sizes = _counting()

    @cp.cuda.using_allocator(allocator)
    def work(n):
        return cp.zeros(n)

    work(2), work(3)
    assert sizes == [16, 24]
    with pytest.raises(ZeroDivisionError), cp.cuda.using_allocator(allocator):
        raise ZeroDivisionError
    work(1)
    cp.zeros(4)
    assert sizes == [16, 24, 8]
    for wrong in (cp.cuda.using_allocator, cp.cuda.set_allocator):
        with pytest.raises(TypeError, match="neither callable nor None"), wrong(3) or ():
            pass


# ---- the driver's pools --------------------------------------------------------------------------


def test_malloc_async():
    with cp.cuda.using_allocator(cp.cuda.malloc_async):
        x = cp.arange(100)
        stream = cp.cuda.Stream(non_blocking=True)
        with stream:
            y = cp.zeros(3)
    memory = x.data.mem
    assert type(memory) is cp.cuda.MemoryAsync
    assert (memory.size, int(memory)) == (800, x.data.ptr)
    assert memory.stream_ref() is cp.cuda.get_current_stream()
    assert y.data.mem.stream_ref() is stream
    same(x + 1, np.arange(100) + 1)
    del x, y, memory
    assert cp.cuda.MemoryAsync(0, stream).ptr == 0
    with pytest.raises(OutOfMemoryError):
        cp.cuda.malloc_async(1 << 50)
    with pytest.raises(TypeError):
        cp.cuda.MemoryAsync(10, None)


def test_statistics_of_the_drivers_pool():
    pool = cp.cuda.MemoryAsyncPool("create")
    assert (pool.used_bytes(), pool.memoryAsyncHasStat) == (0, True)
    with cp.cuda.using_allocator(pool.malloc):
        x = cp.arange(100)
    assert pool.used_bytes() >= 1024 <= pool.total_bytes()
    assert pool.free_bytes() == pool.total_bytes() - pool.used_bytes()
    del x
    pool.free_all_blocks()
    assert pool.used_bytes() == pool.total_bytes() == 0
    pool.free_all_blocks(cp.cuda.Stream.null)
    with pytest.raises(NotImplementedError, match="free_bytes"):
        pool.n_free_blocks()
    runtime.deviceSetMemPool(0, runtime.deviceGetDefaultMemPool(0))


def test_limit_of_the_drivers_pool():
    pool = cp.cuda.MemoryAsyncPool("create")
    assert pool.get_limit() == NO_LIMIT
    pool.set_limit(size=4096)
    assert pool.get_limit() == 4096
    held = pool.malloc(3000)
    with pytest.raises(OutOfMemoryError) as caught:
        pool.malloc(2000)
    assert (caught.value.limit, caught.value.requested) == (4096, 2048)
    del held
    pool.malloc(4000)
    pool.set_limit(fraction=0.5)
    assert pool.get_limit() == cp.cuda.Device().mem_info[1] // 2
    pool.set_limit()
    assert pool.get_limit() == NO_LIMIT
    with pytest.raises(ValueError, match="cannot both"):
        pool.set_limit(size=1, fraction=0.5)
    with pytest.raises(OutOfMemoryError):
        pool.malloc(1 << 50)
    runtime.deviceSetMemPool(0, runtime.deviceGetDefaultMemPool(0))


def test_which_pool_of_the_driver():
    default = runtime.deviceGetDefaultMemPool(0)
    mine = runtime.memPoolCreate(runtime.MemPoolProps(1, 0, 1, 0))
    count = runtime.getDeviceCount()
    others = ["default"] * (count - 1)
    for handles, expected in ((mine, mine), ("default", default), ([mine, *others], mine)):
        if isinstance(handles, int) and count > 1:
            continue
        pool = cp.cuda.MemoryAsyncPool(handles)
        assert runtime.deviceGetMemPool(0) == expected
        with cp.cuda.using_allocator(pool.malloc):
            same(cp.arange(5) * 2, np.arange(5) * 2)
    for wrong in ("own", b"\xff" * count, None, ["current"] * (count + 1)):
        with pytest.raises(ValueError, match="pool_handles|pool handles"):
            cp.cuda.MemoryAsyncPool(wrong)
    runtime.deviceSetMemPool(0, default)
    runtime.memPoolDestroy(mine)


def test_pools_and_their_attributes_by_handle():
    pool = runtime.memPoolCreate(runtime.MemPoolProps(1, 0, 1, 0))
    stream = cp.cuda.Stream(non_blocking=True)
    reserved, used, used_high, threshold, reuse = 5, 7, 8, 4, 1
    assert runtime.memPoolGetAttribute(pool, reuse) == 1
    runtime.memPoolSetAttribute(pool, reuse, 0)
    runtime.memPoolSetAttribute(pool, threshold, NO_LIMIT)
    assert runtime.memPoolGetAttribute(pool, reuse) == 0
    assert runtime.memPoolGetAttribute(pool, threshold) == NO_LIMIT
    address = runtime.mallocFromPoolAsync(1000, pool, stream.ptr)
    assert runtime.memPoolGetAttribute(pool, used) >= 1000
    # In the stream's order: elsewhere the memory may not be mapped yet, or no more.
    runtime.memsetAsync(address, 1, 1000, stream.ptr)
    runtime.freeAsync(address, stream.ptr)
    stream.synchronize()
    assert runtime.memPoolGetAttribute(pool, used) == 0
    assert runtime.memPoolGetAttribute(pool, used_high) >= 1000
    runtime.memPoolTrimTo(pool, 0)
    assert runtime.memPoolGetAttribute(pool, reserved) == 0
    assert runtime.mallocFromPoolAsync(0, pool, stream.ptr) == 0
    runtime.memPoolDestroy(pool)
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.memPoolCreate(runtime.MemPoolProps(9, 0, 1, 0))


def test_memory_of_the_driver_is_freed_where_it_was_allocated():
    # Not on the stream that happens to be current, nor before work that reads it elsewhere.
    pool = cp.cuda.MemoryAsyncPool("create")
    mine, other = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    calls = []
    with cp.cuda.using_allocator(pool.malloc), mine:
        x = cp.arange(1000)
        made = mine.record()
    other.wait_event(made)  # until then the driver need not have mapped the memory
    with other:
        y = x + 1
    precede, free = StreamWork.precede, driver.mem_free_async

    def preceding(work, stream):
        calls.append((work.handle, stream))
        precede(work, stream)

    def freeing(pointer, stream):
        calls.append(stream)
        free(pointer, stream)

    # The calls are made as well: without the wait a GPU unmaps what the addition still reads.
    with pytest.MonkeyPatch.context() as watched:
        watched.setattr(StreamWork, "precede", preceding)
        watched.setattr(driver, "mem_free_async", freeing)
        del x
    assert calls == [(other.ptr, mine), mine.ptr]
    other.synchronize()
    same(y, np.arange(1000) + 1)
    mine.synchronize()
    assert pool.used_bytes() == 0
    runtime.deviceSetMemPool(0, runtime.deviceGetDefaultMemPool(0))


@pytest.mark.parametrize("freed", ["behind the reader", "after all work"])
@pytest.mark.parametrize("ordered", ["by an event", "by the host"])
@pytest.mark.parametrize("kind", ["create", "default"])
def test_memory_of_the_driver_is_read_on_another_stream(kind, ordered, freed):
    pool = cp.cuda.MemoryAsyncPool(kind)
    mine, other = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    with cp.cuda.using_allocator(pool.malloc), mine:
        x = cp.arange(1000)
        made = mine.record()
    if ordered == "by the host":
        mine.synchronize()
    else:
        other.wait_event(made)
    with other:
        y = x + 1
    if freed == "after all work":
        other.synchronize()
    del x
    with other:
        same(y, np.arange(1000) + 1)
    mine.synchronize()
    runtime.deviceSetMemPool(0, runtime.deviceGetDefaultMemPool(0))


def test_memory_from_outside_is_not_freed_in_a_capture():
    stream = cp.cuda.Stream(non_blocking=True)
    pool = cp.cuda.MemoryAsyncPool("create")
    with stream:
        before = pool.malloc(1000)
    driver.stream_begin_capture(stream.ptr)
    del before
    graph = driver.stream_end_capture(stream.ptr)
    assert driver.graph_get_nodes(graph) == []
    driver.graph_destroy(graph)
    assert pool.used_bytes() > 0
    pool.free_all_blocks(stream)
    assert pool.used_bytes() == 0
    runtime.deviceSetMemPool(0, runtime.deviceGetDefaultMemPool(0))


def test_memory_of_the_driver_on_another_device():
    if runtime.getDeviceCount() < 2:
        pytest.skip("needs two devices")
    other = cp.cuda.Device(1)
    memory = cp.cuda.MemoryAsync(1000, other.default_stream)
    assert memory.device is other
    assert runtime.pointerGetAttributes(memory.ptr).device == 1
    managed = cp.cuda.ManagedMemory(1000)
    managed.prefetch(other.default_stream, device_id=1)
    with other:
        cp.cuda.Stream.null.synchronize()
        pool = cp.cuda.MemoryAsyncPool()
        with cp.cuda.using_allocator(pool.malloc):
            x = cp.arange(100)
        assert x.device is other
        assert pool.used_bytes() >= 800
    del memory, x
    with other:
        other.synchronize()
        assert pool.used_bytes() == 0


# ---- memory that moves ---------------------------------------------------------------------------


def test_managed_memory():
    memory = cp.cuda.ManagedMemory(4096)
    stream = cp.cuda.Stream(non_blocking=True)
    memory.prefetch(stream)
    memory.prefetch(stream, device_id=-1)
    memory.advise(1, cp.cuda.Device(0))
    memory.advise(3, -1)
    runtime.memPrefetchAsync(memory.ptr, 4096, 0, stream.ptr)
    runtime.memAdvise(memory.ptr, 4096, 2, 0)
    stream.synchronize()
    with pytest.raises(runtime.CUDARuntimeError):
        memory.advise(99, cp.cuda.Device(0))
    ctypes.memset(memory.ptr, 1, 4096)
    x = cp.ndarray(4096, "u1", memptr=cp.cuda.MemoryPointer(memory, 0))
    assert int(x.sum()) == 4096
    cp.cuda.ManagedMemory(0).prefetch(stream)


def test_managed_memory_of_a_pool():
    pool = cp.cuda.MemoryPool(cp.cuda.malloc_managed)
    with cp.cuda.using_allocator(pool.malloc):
        x = cp.arange(100)
    memory = x.data.mem
    assert (memory.identity, memory.pool) == ("ManagedMemory", pool)
    memory.prefetch(cp.cuda.Stream.null, device_id=-1)
    memory.advise(1, cp.cuda.Device(0))
    cp.cuda.Stream.null.synchronize()
    ours = cp.arange(3).data.mem
    assert (ours.identity, ours.pool) == ("Memory", cp.get_default_memory_pool())
    with pytest.raises(AttributeError, match="no attribute 'prefetch'"):
        ours.prefetch(cp.cuda.Stream.null)


def test_memory_of_the_system(monkeypatch):
    device = cp.cuda.Device()
    if not device.attribute("pageable_memory_access"):
        with pytest.raises(RuntimeError, match="malloc_managed gives memory"):
            cp.cuda.memory.malloc_system(1000)
        real = cp.cuda.Device.attribute
        monkeypatch.setattr(
            cp.cuda.Device,
            "attribute",
            lambda self, name: name == "pageable_memory_access" or real(self, name),
        )
    pointer = cp.cuda.memory.malloc_system(4000)
    memory = pointer.mem
    assert type(memory) is cp.cuda.memory.SystemMemory
    assert (memory.size, memory.device_id, memory.ptr % 256) == (4000, device.id, 0)
    ctypes.memset(memory.ptr, 3, 4000)
    assert ctypes.string_at(memory.ptr, 4000) == b"\3" * 4000
    assert cp.cuda.memory.malloc_system(0).ptr == 0


# ---- functions -----------------------------------------------------------------------------------


def test_python_functions_allocate():
    made, freed = {}, []

    def malloc(size, device_id):
        address = runtime.malloc(size)
        made[address] = size, device_id
        return address

    def free(address, device_id):
        freed.append((address, device_id, cp.cuda.get_current_stream()))
        runtime.free(address)

    allocator = cp.cuda.PythonFunctionAllocator(malloc, free)
    stream = cp.cuda.Stream(non_blocking=True)
    with cp.cuda.using_allocator(allocator.malloc), stream:
        x = cp.arange(10)
        y = x + 1
    stream.synchronize()
    same(y, np.arange(10) + 1)
    assert list(made.values()) == [(80, 0), (80, 0)]
    assert type(x.data.mem) is cp.cuda.memory.PythonFunctionAllocatorMemory
    addresses = [x.data.ptr, y.data.ptr]
    del x, y
    assert freed == [(address, 0, stream) for address in addresses]
    assert allocator.malloc(0).ptr == 0
    nothing = cp.cuda.PythonFunctionAllocator(lambda size, device: 0, free)
    with pytest.raises(OutOfMemoryError):
        nothing.malloc(10)
    with pytest.raises(TypeError, match="free_func=3 is not callable"):
        cp.cuda.PythonFunctionAllocator(malloc, 3)


def test_c_functions_allocate():
    calls = []

    def malloc(parameter, size, device):
        calls.append(("malloc", parameter, size, device))
        return runtime.malloc(size) if size < 1 << 40 else None

    def free(parameter, address, device):
        calls.append(("free", parameter, address, device))
        runtime.free(address)

    pointer, size, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    functions = [
        ctypes.CFUNCTYPE(pointer, pointer, size, number)(malloc),
        ctypes.CFUNCTYPE(None, pointer, pointer, number)(free),
    ]
    addresses = [ctypes.cast(function, pointer).value for function in functions]
    allocator = cp.cuda.CFunctionAllocator(42, *addresses, functions)
    with cp.cuda.using_allocator(allocator.malloc):
        x = cp.arange(10)
    assert type(x.data.mem) is cp.cuda.memory.CFunctionAllocatorMemory
    same(x * 2, np.arange(10) * 2)
    address = x.data.ptr
    with pytest.raises(OutOfMemoryError):
        allocator.malloc(1 << 40)
    del functions, allocator, x  # memory keeps the functions
    assert calls == [
        ("malloc", 42, 80, 0), ("malloc", 42, 1 << 40, 0), ("free", 42, address, 0),
    ]  # fmt: skip


def test_memory_that_functions_allocated_is_freed_behind_work_of_other_streams(monkeypatch):
    order = []
    allocator = cp.cuda.PythonFunctionAllocator(
        lambda size, device: runtime.malloc(size),
        lambda address, device: order.append("free") or runtime.free(address),
    )
    other = cp.cuda.Stream(non_blocking=True)
    with cp.cuda.using_allocator(allocator.malloc):
        x = cp.arange(10)
    with other:
        y = x + 1
    waits = StreamWork.precede
    monkeypatch.setattr(StreamWork, "precede", lambda *args: order.append("wait") or waits(*args))
    del x
    assert order == ["wait", "free"]
    same(y, np.arange(10) + 1)


# ---- memory of others ----------------------------------------------------------------------------


def test_unowned_memory():
    class Owner:
        pass

    address = runtime.malloc(4096)
    owner = Owner()
    gone = []
    memory = cp.cuda.UnownedMemory(address, 4096, owner, -1)
    assert (memory.device_id, memory.size, memory.owner) == (0, 4096, owner)
    x = cp.ndarray(512, "f8", memptr=cp.cuda.MemoryPointer(memory, 0))
    weakref.finalize(owner, gone.append, True)
    del owner, memory
    x.fill(2)
    assert float(x.sum()) == 1024
    assert not gone
    del x
    assert gone
    with pytest.raises(ValueError, match="beyond the end"):
        cp.cuda.UnownedMemory(address, 4097, None)
    runtime.free(address)
    assert cp.cuda.UnownedMemory(0, 0, None).device_id == 0


class _Buffer:
    """A buffer of RMM: it is allocated on a stream, and freed there."""

    freed: list

    def __init__(self, size, stream):
        self.size, self.stream = size, stream
        self.ptr = runtime.malloc(size)

    def __del__(self):
        _Buffer.freed.append(self.ptr)
        runtime.free(self.ptr)


def _rmm(cupy):
    """RMM's allocator for CuPy, which uses these names of the package ``cupy``."""

    def rmm_cupy_allocator(nbytes):
        buf = _Buffer(size=nbytes, stream=cupy.cuda.get_current_stream())
        dev_id = -1 if buf.ptr else cupy.cuda.device.get_device_id()
        mem = cupy.cuda.UnownedMemory(ptr=buf.ptr, size=buf.size, owner=buf, device_id=dev_id)
        return cupy.cuda.memory.MemoryPointer(mem, 0)

    _Buffer.freed = []
    return rmm_cupy_allocator


def test_the_allocator_of_rmm(monkeypatch):
    other = cp.cuda.Stream(non_blocking=True)
    with cp.cuda.using_allocator(_rmm(cp)):
        x = cp.arange(100)
        y = x + 1
        with other:
            z = x + y
    assert type(y.data.mem.owner) is _Buffer
    assert z.data.mem.owner.stream is other
    # The buffer goes back where it was allocated, and not before the work of another stream.
    waited = []
    precede = StreamWork.precede
    monkeypatch.setattr(
        StreamWork,
        "precede",
        lambda work, stream: (
            waited.append((work.handle, len(_Buffer.freed))) or precede(work, stream)
        ),
    )
    address = x.data.ptr
    del x
    assert (waited, _Buffer.freed) == ([(other.ptr, 0)], [address])
    same(y + z, np.arange(100) * 3 + 2)


def test_other_libraries_take_streams_by_their_protocol():
    stream = cp.cuda.Stream(non_blocking=True)
    assert stream.__cuda_stream__() == (0, stream.ptr)
    assert cp.cuda.Stream.from_external(stream).ptr == stream.ptr


def test_an_allocator_that_returns_pointers_of_cupys_classes():
    class UnownedMemory:
        def __init__(self, ptr, size, owner, device_id):
            self.ptr, self.size, self.owner, self.device_id = ptr, size, owner, 0

    class MemoryPointer:
        def __init__(self, mem, offset):
            self.mem, self.ptr = mem, mem.ptr + offset

    memory = types.SimpleNamespace(MemoryPointer=MemoryPointer)
    device = types.SimpleNamespace(get_device_id=lambda: 0)
    cuda = types.SimpleNamespace(
        UnownedMemory=UnownedMemory,
        memory=memory,
        device=device,
        get_current_stream=cp.cuda.get_current_stream,
    )
    with cp.cuda.using_allocator(_rmm(types.SimpleNamespace(cuda=cuda))):
        x = cp.arange(100)
        same(x + 1, np.arange(100) + 1)
    assert len(_Buffer.freed) == 1
    del x
    assert len(_Buffer.freed) == 2
    with cp.cuda.using_allocator(lambda size: 7), pytest.raises(TypeError, match="got int"):
        cp.zeros(3)


# ---- pools ---------------------------------------------------------------------------------------


def test_a_pool_for_one_device():
    pool = cp.cuda.memory.SingleDeviceMemoryPool()
    with cp.cuda.using_allocator(pool.malloc):
        x = cp.arange(10)
    assert pool.used_bytes() == 512
    same(x + 1, np.arange(10) + 1)
    if runtime.getDeviceCount() > 1:
        with cp.cuda.Device(1):
            assert pool.used_bytes() == 512
            with pytest.raises(RuntimeError, match="the pool is for"):
                pool.malloc(10)


def test_memory_can_be_returned_by_hand():
    pool = cp.cuda.MemoryPool()
    pointer = pool.malloc(1000)
    memory, address = pointer.mem, pointer.ptr
    assert (memory.size, memory.device_id, memory.device) == (1024, 0, cp.cuda.Device(0))
    memory.free()
    memory.free()
    assert (memory.ptr, memory.size, pool.used_bytes()) == (0, 0, 0)
    other = cp.cuda.Stream(non_blocking=True)
    memory.used_by(other)
    again = pool.malloc(1000)
    assert again.ptr == address
    del memory, pointer
    assert pool.used_bytes() == 1024


def test_limits():
    pool = cp.cuda.MemoryPool()
    assert pool.get_limit() == 0
    pool.set_limit(fraction=0.25)
    assert pool.get_limit() == int(cp.cuda.Device().mem_info[1] * 0.25)
    pool.set_limit()
    assert pool.get_limit() == 0
    pool.set_limit(size=1000)
    with pytest.warns(DeprecationWarning, match="free_all_blocks"):
        pool.free_all_free()
    if runtime.getDeviceCount() > 1:
        with cp.cuda.Device(1):
            assert pool.get_limit() == 0
            pool.set_limit(size=2000)
        assert pool.get_limit() == 1000


def test_free_blocks_of_a_stream_by_another_object_for_it():
    pool = cp.cuda.MemoryPool()
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        pool.malloc(1000)
    pool.malloc(1000)
    pool.free_all_blocks(cp.cuda.ExternalStream(stream.ptr))
    assert pool.total_bytes() == 1024
    with pytest.raises(TypeError, match="stream is a gpuarray.cuda.Stream"):
        pool.free_all_blocks(3)


# ---- addresses -----------------------------------------------------------------------------------


def test_attributes_of_addresses():
    x = cp.zeros(10)
    found = runtime.pointerGetAttributes(x.data.ptr + 8)
    assert (found.type, found.device, found.devicePointer) == (2, 0, x.data.ptr + 8)
    assert found.hostPointer == 0
    managed = cp.cuda.ManagedMemory(100)
    found = runtime.pointerGetAttributes(managed.ptr)
    assert (found.type, found.devicePointer, found.hostPointer) == (3, managed.ptr, managed.ptr)
    pinned = cp.cuda.alloc_pinned_memory(100)
    found = runtime.pointerGetAttributes(pinned.ptr)
    assert (found.type, found.hostPointer) == (1, pinned.ptr)
    host = np.zeros(10)
    found = runtime.pointerGetAttributes(host.ctypes.data)
    assert (found.type, found.device, found.hostPointer) == (0, -2, host.ctypes.data)
    kinds = [x.data.ptr, managed.ptr, pinned.ptr, host.ctypes.data]
    assert [runtime.pointerGetMemoryType(pointer) for pointer in kinds] == [2, 3, 1, 0]
    assert "type=2" in repr(runtime.PointerAttributes(0, 1, 0, 2))
