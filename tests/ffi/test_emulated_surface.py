"""What only the emulated driver can be asked: peers, sharing, counts, and faults of captures."""

import ctypes
import os

import numpy as np
import pytest

from gpuarray._ffi.launch_arguments import ArgumentBuffer
from gpuarray._ffi.structs import (
    CUDA_MEMCPY3D_PEER,
    CUipcHandle,
    CUmemAccessDesc,
    CUmemLocation,
    CUmemPoolProps,
)
from gpuarray.errors import DriverError
from tests.ffi.emulated import Emulated, fails

pytestmark = pytest.mark.emulator

MIB = 1 << 20


def attribute(emulated, pool, number, value=None):
    place = ctypes.c_uint64(value or 0)
    call = "mem_pool_get_attribute" if value is None else "mem_pool_set_attribute"
    getattr(emulated.calls, call)(pool, number, ctypes.byref(place))
    return place.value


# --- peers


def test_kernels_need_access_to_the_memory_of_peers(emulated, ptx):
    emulated.use(1)
    there = emulated.calls.mem_alloc(16)
    emulated.use(0)
    _, function = emulated.load(ptx, "store")
    emulated.calls.context_enable_peer_access(emulated.contexts[1], 0)
    emulated.store(function, there, 6)
    later = emulated.calls.mem_alloc(16)
    assert emulated.fetch(there, 4) == [6] * 4
    emulated.store(function, later, 6)
    emulated.calls.context_disable_peer_access(emulated.contexts[1])
    with pytest.raises(DriverError, match="of device 1, which device 0 has no peer access to") as e:
        emulated.store(function, there, 6)
    assert e.value.status_name == "CUDA_ERROR_ILLEGAL_ADDRESS"


def test_memory_of_peers_allocated_after_access_was_given(emulated, ptx):
    _, function = emulated.load(ptx, "store")
    emulated.calls.context_enable_peer_access(emulated.contexts[1], 0)
    emulated.use(1)
    there = emulated.calls.mem_alloc(16)
    emulated.use(0)
    emulated.store(function, there, 6)
    assert emulated.fetch(there, 4) == [6] * 4
    emulated.use(1)
    emulated.calls.mem_free(there)
    emulated.use(0)
    with pytest.raises(DriverError) as raised:
        emulated.store(function, there, 6)
    assert raised.value.status_name == "CUDA_ERROR_ILLEGAL_ADDRESS"


def test_managed_and_page_locked_memory_is_for_all(emulated, ptx):
    emulated.use(1)
    pointers = [emulated.calls.mem_alloc_managed(16, 1), emulated.calls.mem_host_alloc(16, 0)]
    emulated.use(0)
    _, function = emulated.load(ptx, "store")
    for pointer in pointers:
        emulated.store(function, pointer, 3)
        assert emulated.fetch(pointer, 4) == [3] * 4


def test_a_peer_copy_of_blocks(emulated):
    calls = emulated.calls
    here = calls.mem_alloc(64)
    calls.memset_d32(here, 7, 16)
    emulated.use(1)
    there = calls.mem_alloc(64)
    calls.memset_d8(there, 0, 64)
    zero, one = emulated.contexts
    copy = CUDA_MEMCPY3D_PEER(
        srcMemoryType=2, srcDevice=here, srcContext=zero, srcPitch=16, srcHeight=4,
        dstMemoryType=2, dstDevice=there, dstContext=one, dstPitch=16, dstHeight=4,
        WidthInBytes=8, Height=2, Depth=1,
    )  # fmt: skip
    calls.memcpy_3d_peer(ctypes.byref(copy))
    assert emulated.fetch(there, 8) == [7, 7, 0, 0, 7, 7, 0, 0]


# --- contexts


def test_a_reset_context_is_dead_until_it_is_retained(emulated, ptx):
    calls = emulated.calls
    emulated.load(ptx, "store")
    calls.mem_alloc(64)
    calls.primary_context_reset(0)
    assert calls.primary_context_get_state(0) == (0, 0)
    fails("CUDA_ERROR_CONTEXT_IS_DESTROYED", calls.mem_alloc, 16)
    assert calls.primary_context_retain(0) == emulated.contexts[0]
    assert calls.mem_get_info()[0] == calls.mem_get_info()[1]
    calls.primary_context_release(0)  # whoever retained it before may still release it
    calls.mem_free(calls.mem_alloc(16))


def test_contexts_of_one_device_share_its_memory(emulated, ptx):
    pointer = emulated.calls.mem_alloc(16)
    other = emulated.calls.context_create(0, 0)
    _, function = emulated.load(ptx, "store")
    emulated.store(function, pointer, 8)
    assert emulated.fetch(pointer, 4) == [8] * 4
    free = emulated.calls.mem_get_info()[0]
    emulated.calls.mem_alloc(1000)
    emulated.calls.context_destroy(other)
    assert emulated.calls.mem_get_info()[0] == free
    fails("CUDA_ERROR_INVALID_CONTEXT", emulated.calls.context_destroy, other)
    # A driver may not notice, or crash.
    fails("CUDA_ERROR_INVALID_CONTEXT", emulated.calls.context_push_current, other)
    fails("CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", emulated.calls.context_destroy, 0x40001000)


def test_a_fault_stays_on_its_device(ptx):
    emulated = Emulated(sticky_faults=True)
    _, function = emulated.load(ptx, "store")
    with pytest.raises(DriverError, match="the null pointer; 4 of 4 threads"):
        emulated.store(function, 0)
    text = fails("CUDA_ERROR_ILLEGAL_ADDRESS", emulated.calls.mem_alloc, 16).detail
    assert "an earlier kernel of this device failed" in text
    emulated.use(1)
    emulated.calls.mem_free(emulated.calls.mem_alloc(16))
    emulated.calls.primary_context_reset(0)
    for call, given in (("primary_context_retain", (0,)), ("context_create", (0, 0))):
        assert fails("CUDA_ERROR_ILLEGAL_ADDRESS", getattr(emulated.calls, call), *given)
    another = Emulated()  # as a new process
    another.calls.mem_free(another.calls.mem_alloc(16))


# --- memory


@pytest.mark.parametrize("count", [1, 2])
def test_registered_memory_has_bounds(ptx, count):
    emulated = Emulated(count)
    _, function = emulated.load(ptx, "store")
    array = np.zeros(64, np.int32)
    address = array.ctypes.data
    emulated.calls.mem_host_register(address, 64, 0)
    emulated.store(function, address, 4, threads=16)  # loaded before the registration
    assert array.tolist() == [4] * 16 + [0] * 48
    emulated.calls.memset_d32(address, 5, 2)
    assert array[:3].tolist() == [5, 5, 4]
    emulated.calls.primary_context_reset(0)
    assert emulated.calls.primary_context_retain(0)
    fails("CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", emulated.calls.mem_host_unregister, address)
    emulated.calls.mem_host_register(address, 64, 0)
    _, function = emulated.load(ptx, "store")
    with pytest.raises(DriverError):
        emulated.store(function, address + 4, 4, threads=16)


def test_host_memory_that_nobody_registered(emulated, ptx):
    _, function = emulated.load(ptx, "store")
    array = np.zeros(64, np.int32)
    with pytest.raises(DriverError) as raised:
        emulated.store(function, array.ctypes.data)
    assert raised.value.status_name == "CUDA_ERROR_ILLEGAL_ADDRESS"
    assert not array.any()


def test_what_a_pool_keeps(emulated):
    calls = emulated.calls
    pool = calls.device_get_default_mem_pool(0)
    total = calls.mem_get_info()[1]
    pointer = calls.mem_alloc_async(40 * MIB, 0)
    assert attribute(emulated, pool, 7) == 40 * MIB
    assert attribute(emulated, pool, 5) == 64 * MIB
    assert calls.mem_get_info()[0] == total - 64 * MIB
    calls.mem_free_async(pointer, 0)
    assert attribute(emulated, pool, 7) == 0
    assert attribute(emulated, pool, 5) == 64 * MIB  # until something waits
    calls.stream_synchronize(0)
    assert attribute(emulated, pool, 5) == 0
    assert attribute(emulated, pool, 8) == 40 * MIB
    attribute(emulated, pool, 8, 0)
    fails("CUDA_ERROR_INVALID_VALUE", attribute, emulated, pool, 8, 5)
    fails("CUDA_ERROR_INVALID_VALUE", attribute, emulated, pool, 7, 5)
    fails("CUDA_ERROR_OUT_OF_MEMORY", calls.mem_alloc_async, total + 1, 0)
    fails("CUDA_ERROR_INVALID_VALUE", calls.mem_pool_destroy, pool)


def test_a_pool_that_is_destroyed_while_memory_is_out(emulated):
    calls = emulated.calls
    total = calls.mem_get_info()[1]
    properties = CUmemPoolProps(allocType=1, location=CUmemLocation(1, 0), maxSize=64 * MIB)
    pool = calls.mem_pool_create(ctypes.byref(properties))
    pointer = calls.mem_alloc_from_pool_async(MIB, pool, 0)
    fails("CUDA_ERROR_OUT_OF_MEMORY", calls.mem_alloc_from_pool_async, 64 * MIB, pool, 0)
    calls.mem_pool_destroy(pool)
    fails("CUDA_ERROR_INVALID_HANDLE", calls.mem_alloc_from_pool_async, 16, pool, 0)
    assert calls.mem_get_info()[0] < total
    calls.mem_free_async(pointer, 0)
    assert calls.mem_get_info()[0] == total
    fails("CUDA_ERROR_INVALID_VALUE", calls.mem_free_async, pointer, 0)
    fails("CUDA_ERROR_INVALID_VALUE", calls.mem_free_async, calls.mem_host_alloc(16, 0), 0)


def test_access_to_pools(emulated):
    pool = emulated.calls.device_get_default_mem_pool(0)
    location = CUmemLocation(1, 1)
    assert emulated.calls.mem_pool_get_access(pool, ctypes.byref(location)) == 0
    given = CUmemAccessDesc(location, 3)
    emulated.calls.mem_pool_set_access(pool, ctypes.byref(given), 1)
    assert emulated.calls.mem_pool_get_access(pool, ctypes.byref(location)) == 3


def handle_of(data):
    return CUipcHandle.from_buffer_copy(data)


def put(calls, pointer, values):
    host = np.asarray(values, np.int32)
    calls.memcpy_htod(pointer, host.ctypes.data, host.nbytes)


def test_memory_shared_by_its_handle(emulated):
    calls, other = emulated.calls, Emulated()
    calls.mem_alloc(100)  # so that the memory shares pages with others
    pointer, behind = calls.mem_alloc(5000), calls.mem_alloc(5000)
    put(calls, pointer, range(1250))
    data = calls.ipc_get_mem_handle(pointer + 8)
    assert data == calls.ipc_get_mem_handle(pointer)
    handle = handle_of(data)
    fails("CUDA_ERROR_INVALID_CONTEXT", calls.ipc_open_mem_handle, handle, 1)
    fails("CUDA_ERROR_INVALID_VALUE", other.calls.ipc_open_mem_handle, handle, 0)
    opened = other.calls.ipc_open_mem_handle(handle, 1)
    assert other.fetch(opened, 1250) == list(range(1250))
    assert other.calls.mem_get_address_range(opened + 4000) == (opened, 5000)
    fails("CUDA_ERROR_INVALID_VALUE", other.calls.memcpy_dtod, opened, opened + 4, 5000)
    put(other.calls, opened, [7, 8])
    assert emulated.fetch(pointer, 3) == [7, 8, 2]
    # The next allocation begins in a page that is shared already.
    put(calls, behind, [1, 2, 3])
    second = other.calls.ipc_open_mem_handle(handle_of(calls.ipc_get_mem_handle(behind)), 1)
    assert other.fetch(second, 3) == [1, 2, 3]
    assert other.calls.ipc_open_mem_handle(handle, 1) == opened
    fails("CUDA_ERROR_INVALID_VALUE", other.calls.mem_free, opened)
    for _ in range(2):
        other.calls.ipc_close_mem_handle(opened)
    fails("CUDA_ERROR_INVALID_VALUE", other.calls.ipc_close_mem_handle, opened)
    fails("CUDA_ERROR_INVALID_VALUE", other.calls.memcpy_dtod, opened, opened, 4)
    assert emulated.fetch(pointer, 3) == [7, 8, 2]
    calls.mem_free(pointer)
    fails("CUDA_ERROR_INVALID_HANDLE", other.calls.ipc_open_mem_handle, handle, 1)
    fails("CUDA_ERROR_INVALID_VALUE", other.calls.ipc_open_mem_handle, handle_of(bytes(64)), 1)
    # A handle of an event is none of memory.
    event = handle_of(calls.ipc_get_event_handle(calls.event_create(6)))
    fails("CUDA_ERROR_INVALID_HANDLE", other.calls.ipc_open_mem_handle, event, 1)


def test_handles_leave_no_files_open(emulated):
    calls = emulated.calls
    pointer = calls.mem_alloc(64)
    calls.ipc_get_mem_handle(pointer)  # its pages stay shared
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        calls.mem_free(pointer)
        pointer = calls.mem_alloc(64)
        calls.ipc_get_mem_handle(pointer)
        event = calls.event_create(6)
        calls.ipc_get_event_handle(event)
        calls.event_destroy(event)
    assert len(os.listdir("/proc/self/fd")) == before


def test_an_event_shared_by_its_handle(emulated):
    calls, other = emulated.calls, Emulated()
    event = calls.event_create(6)
    calls.event_record(event, 0)
    handle = handle_of(calls.ipc_get_event_handle(event))
    fails("CUDA_ERROR_INVALID_CONTEXT", calls.ipc_open_event_handle, handle)
    opened = other.calls.ipc_open_event_handle(handle)
    other.calls.event_query(opened)
    other.calls.stream_wait_event(0, opened, 0)
    other.calls.event_synchronize(opened)
    other.calls.event_destroy(opened)
    calls.event_destroy(event)
    fails("CUDA_ERROR_INVALID_HANDLE", other.calls.ipc_open_event_handle, handle)
    fails("CUDA_ERROR_INVALID_HANDLE", calls.ipc_get_event_handle, calls.event_create(2))


# --- kernels


def test_parameters_in_one_buffer(emulated, ptx):
    _, function = emulated.load(ptx, "store")
    pointer = emulated.calls.mem_alloc(16)
    packed = pointer.to_bytes(8, "little") + (77).to_bytes(4, "little")
    data, size = ctypes.create_string_buffer(packed, 16), ctypes.c_size_t(12)
    extra = (ctypes.c_uint64 * 5)(1, ctypes.addressof(data), 2, ctypes.addressof(size), 0)
    emulated.calls.launch_kernel(function, 1, 1, 1, 4, 1, 1, 0, 0, None, extra)
    assert emulated.fetch(pointer, 4) == [77] * 4
    size.value = 8
    fails(
        "CUDA_ERROR_INVALID_VALUE",
        emulated.calls.launch_kernel, function, 1, 1, 1, 4, 1, 1, 0, 0, None, extra,
    )  # fmt: skip


def test_occupancy_asks_what_a_block_needs(emulated, ptx):
    _, function = emulated.load(ptx, "store")
    needs = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)(lambda block: block * 200)
    _, block = emulated.calls.occupancy_max_potential_block_size(
        function, ctypes.cast(needs, ctypes.c_void_p), 0, 0
    )
    assert block * 200 <= 227 << 10


def test_the_logs_of_a_load(emulated, ptx):
    info = ctypes.create_string_buffer(1000)
    options = (ctypes.c_int * 2)(3, 4)
    values = (ctypes.c_void_p * 2)(ctypes.addressof(info), 1000)
    module = ctypes.c_uint64()
    load = emulated.calls.raw("module_load_data")
    assert load(ctypes.byref(module), ptx, 2, options, values) == 0
    assert b"store" in info.value
    assert values[1] == len(info.value) + 1  # as long as it is, with the zero at its end


# --- capture


def test_two_captures_do_not_become_one(emulated):
    calls = emulated.calls
    first, second = calls.stream_create(1, 0), calls.stream_create(1, 0)
    event = calls.event_create(2)
    calls.stream_begin_capture(first, 0)
    calls.stream_begin_capture(second, 0)
    calls.event_record(event, first)
    fails("CUDA_ERROR_STREAM_CAPTURE_MERGE", calls.stream_wait_event, second, event, 0)
    for stream in (first, second):
        fails("CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", calls.stream_end_capture, stream)


def test_a_capture_ends_where_it_began(emulated):
    calls = emulated.calls
    first, second = calls.stream_create(1, 0), calls.stream_create(1, 0)
    event = calls.event_create(2)
    calls.stream_begin_capture(first, 0)
    calls.event_record(event, first)
    calls.stream_wait_event(second, event, 0)
    fails("CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", calls.stream_end_capture, second)
    fails("CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", calls.stream_end_capture, first)


def test_nothing_is_recorded_once_a_capture_is_invalid(emulated, ptx):
    _, function = emulated.load(ptx, "store")
    stream = emulated.calls.stream_create(1, 0)
    pointer = emulated.calls.mem_alloc(16)
    emulated.calls.stream_begin_capture(stream, 0)
    fails("CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", emulated.calls.context_synchronize)
    with pytest.raises(DriverError) as raised:
        emulated.store(function, pointer, stream=stream)
    assert raised.value.status_name == "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"
    emulated.calls.stream_destroy(stream)  # which ends the capture too
    emulated.calls.context_synchronize()


def test_a_fault_in_a_graph(emulated, ptx):
    _, function = emulated.load(ptx, "store")
    stream = emulated.calls.stream_create(1, 0)
    pointer = emulated.calls.mem_alloc(16)
    emulated.calls.stream_begin_capture(stream, 0)
    emulated.store(function, pointer, stream=stream)
    graph = emulated.calls.stream_end_capture(stream)
    executable = emulated.calls.graph_instantiate(graph, 0)
    emulated.calls.mem_free(pointer)
    error = fails("CUDA_ERROR_ILLEGAL_ADDRESS", emulated.calls.graph_launch, executable, stream)
    assert "in kernel store" in error.detail
    fails("CUDA_ERROR_ILLEGAL_ADDRESS", emulated.calls.graph_launch, executable, stream)


def test_memory_of_a_graph_goes_with_the_last_of_it(emulated):
    calls = emulated.calls
    total = calls.mem_get_info()[0]
    stream = calls.stream_create(1, 0)
    calls.stream_begin_capture(stream, 0)
    pointer = calls.mem_alloc_async(MIB, stream)
    calls.memset_d8_async(pointer, 1, MIB, stream)
    graph = calls.stream_end_capture(stream)
    executable = calls.graph_instantiate(graph, 0)
    calls.graph_launch(executable, stream)
    calls.mem_free_async(pointer, stream)  # allowed; the graph keeps it for its next launch
    calls.graph_destroy(graph)
    assert calls.mem_get_info()[0] == total - MIB
    calls.graph_launch(executable, stream)
    calls.graph_exec_destroy(executable)
    assert calls.mem_get_info()[0] == total


def test_a_cycle_is_refused(emulated):
    calls = emulated.calls
    graph = calls.graph_create(0)
    first = calls.graph_add_empty_node(graph, None, 0)
    second = calls.graph_add_empty_node(graph, (ctypes.c_uint64 * 1)(first), 1)
    edge = ((ctypes.c_uint64 * 1)(second), (ctypes.c_uint64 * 1)(first))
    fails(
        "CUDA_ERROR_INVALID_VALUE", calls.graph_add_dependencies, graph, *edge, None, 1,
        match="cycle",
    )  # fmt: skip
    calls.graph_instantiate(graph, 0)


def test_buffers_of_launches_are_copied(emulated, ptx):
    _, function = emulated.load(ptx, "store")
    pointer = emulated.calls.mem_alloc(16)
    stream = emulated.calls.stream_create(1, 0)
    emulated.calls.stream_begin_capture(stream, 0)
    buffer = ArgumentBuffer((8, 4))
    buffer.words[0], buffer.words[1] = pointer, 5
    emulated.calls.launch_kernel(function, 1, 1, 1, 4, 1, 1, 0, stream, buffer.params, None)
    buffer.words[0] = 0
    executable = emulated.calls.graph_instantiate(emulated.calls.stream_end_capture(stream), 0)
    emulated.calls.graph_launch(executable, stream)
    assert emulated.fetch(pointer, 4) == [5] * 4
