"""Memory through the driver, whichever backend is bound: copies, fills, pinning, pools."""

import ctypes

import numpy as np
import pytest

from gpuarray._ffi import driver
from gpuarray.errors import DriverError
from tests.ffi.device_work import arguments, fetch, launch, status_of

pytestmark = pytest.mark.usefixtures("context")


# --- copies and fills that wait


def test_copies_that_wait(allocate):
    array = np.arange(100, dtype=np.int32)
    first, second = allocate(array), allocate(np.zeros_like(array))
    driver.memcpy_dtod(second + 40, first, 200)
    np.testing.assert_array_equal(fetch(second, 60)[10:], array[:50])
    assert fetch(second, 10).tolist() == [0] * 10


def test_generic_copies_know_where_memory_is(allocate):
    host, other = np.arange(50, dtype=np.int32), np.zeros(50, np.int32)
    pinned = driver.mem_host_alloc(200)
    device = allocate(np.zeros(50, np.int32))
    for target, source in [
        (device, host.ctypes.data),  # host to device
        (pinned, device),  # device to host
        (other.ctypes.data, pinned),  # host to host
    ]:
        driver.memcpy(target, source, 200)
    np.testing.assert_array_equal(other, host)
    driver.memcpy_async(device, pinned, 200, 0)
    driver.context_synchronize()
    driver.mem_host_free(pinned)


def test_arguments_of_copies(allocate):
    array = np.arange(10, dtype=np.int32)
    first, second = allocate(array), allocate(np.zeros_like(array))
    driver.memcpy_dtod_async(np.uint64(second), np.int64(first), np.int32(40), 0)
    driver.memset_d8_async(second, np.uint8(255), 4, 0)
    driver.context_synchronize()
    assert fetch(second, 10).tolist() == [-1, *range(1, 10)]
    with pytest.raises(TypeError, match="cuMemcpyDtoDAsync_v2"):
        driver.memcpy_dtod_async(second, 1.5, 40, 0)
    with pytest.raises(TypeError, match="cuGraphLaunch"):
        driver.graph_launch(1.5, 0)
    with pytest.raises(DriverError, match="cuGraphLaunch"):
        driver.graph_launch(0, 0)


@pytest.mark.parametrize("bits, value", [(8, 0xAB), (16, 0xABCD), (32, 0xABCDEF01)])
def test_fills_of_one_and_two_dimensions(allocate, stream, bits, value):
    size = bits // 8
    zeros = np.zeros((6, 16), f"u{size}")
    expected = zeros.copy()
    expected[1:5, 2:9] = value
    for asynchronous in (False, True):
        pointer = allocate(zeros)
        given = (pointer + 18 * size, 16 * size, value, 7, 4)
        if asynchronous:
            getattr(driver, f"memset_d2d{bits}_async")(*given, stream)
            driver.stream_synchronize(stream)
        else:
            getattr(driver, f"memset_d2d{bits}")(*given)
        np.testing.assert_array_equal(fetch(pointer, zeros.shape, zeros.dtype), expected)
    getattr(driver, f"memset_d{bits}")(pointer, value, zeros.size)
    assert (fetch(pointer, zeros.shape, zeros.dtype) == value).all()


def test_pitched_memory(allocate):
    pointer, pitch = driver.mem_alloc_pitch(100, 10)
    try:
        assert pitch >= 100
        assert pitch % 32 == 0
        array = np.arange(1000, dtype=np.uint8).reshape(10, 100)
        driver.memcpy_2d(pointer, pitch, array.ctypes.data, 100, 100, 10, kinds=("device", "host"))
        result = np.zeros((10, 120), np.uint8)
        driver.memcpy_2d(result.ctypes.data, 120, pointer, pitch, 100, 10, kinds=("host", "device"))
        np.testing.assert_array_equal(result[:, :100], array)
        assert not result[:, 100:].any()
    finally:
        driver.mem_free(pointer)
    assert status_of(driver.mem_alloc_pitch, 100, 10, 3) == "INVALID_VALUE"


def test_a_block_out_of_the_middle(allocate, stream):
    array = np.arange(8 * 9 * 10, dtype=np.uint8).reshape(8, 9, 10)
    source, target = allocate(array), allocate(np.zeros((4, 5, 6), np.uint8))
    driver.memcpy_3d(
        target, (6, 5), source + 2 * 90 + 3 * 10 + 1, (10, 9), (6, 5, 4), stream=stream
    )
    driver.stream_synchronize(stream)
    np.testing.assert_array_equal(fetch(target, (4, 5, 6), np.uint8), array[2:6, 3:8, 1:7])
    host = np.zeros((4, 5, 6), np.uint8)
    driver.memcpy_3d(host.ctypes.data, (6, 5), target, (6, 5), (6, 5, 4), kinds=("host", "device"))
    np.testing.assert_array_equal(host, array[2:6, 3:8, 1:7])


def test_a_pitch_below_the_width(allocate):
    pointer = allocate(np.zeros(1000, np.uint8))
    assert status_of(driver.memcpy_2d, pointer, 8, pointer + 500, 16, 12, 3) == "INVALID_VALUE"
    assert status_of(driver.memset_d2d8, pointer, 8, 1, 12, 3) == "INVALID_VALUE"


def test_a_kind_of_memory_that_does_not_exist(allocate):
    with pytest.raises(ValueError, match="'tape'"):
        driver.memcpy_2d(0, 0, 0, 0, 0, 0, kinds=("tape", "host"))


# --- page-locked memory


def test_page_locked_memory_has_flags_and_a_device_pointer(kernels):
    address = driver.mem_host_alloc(64, 2)
    try:
        assert driver.mem_host_get_flags(address) & 2
        pointer = driver.mem_host_get_device_pointer(address)
        memory = np.frombuffer((ctypes.c_int * 16).from_address(address), np.int32)
        memory[:] = 1
        launch(kernels("add"), arguments(pointer, np.int32(4)), threads=16)
        driver.context_synchronize()
        assert memory.tolist() == [5] * 16
    finally:
        driver.mem_host_free(address)


def test_registered_memory(kernels):
    array = np.zeros(4096, np.int32)
    address, nbytes = array.ctypes.data, array.nbytes
    driver.mem_host_register(address, nbytes, 2)
    try:
        again = status_of(driver.mem_host_register, address, nbytes)
        assert again == "HOST_MEMORY_ALREADY_REGISTERED"
        assert driver.pointer_attribute("memory_type", address) == 1
        pointer = driver.mem_host_get_device_pointer(address)
        launch(kernels("add"), arguments(pointer + 64, np.int32(3)), threads=16)
        driver.context_synchronize()
        assert array[16:32].tolist() == [3] * 16
        assert array.sum() == 48
    finally:
        driver.mem_host_unregister(address)
    assert status_of(driver.mem_host_unregister, address) == "HOST_MEMORY_NOT_REGISTERED"
    # Kernels still work, on other memory, after the registration.
    other = driver.mem_alloc(64)
    driver.memset_d32(other, 1, 16)
    launch(kernels("add"), arguments(other, np.int32(3)), threads=16)
    assert fetch(other, 16).tolist() == [4] * 16
    driver.mem_free(other)


# --- what is known of an address


def test_attributes_of_an_address(allocate, context):
    pointer = allocate(np.zeros(1000, np.uint8))
    names = ("context", "memory_type", "device_ordinal", "range_start_addr", "is_managed")
    known = driver.pointer_attributes(names, pointer + 8)
    assert known == {
        "context": context,
        "memory_type": 2,
        "device_ordinal": 0,
        "range_start_addr": pointer,
        "is_managed": 0,
    }
    unknown = driver.pointer_attributes(names, np.zeros(10).ctypes.data)
    assert unknown["memory_type"] == unknown["context"] == 0
    assert unknown["device_ordinal"] in (-2, 0)


def test_managed_memory_is_advised_and_prefetched(stream):
    pointer = driver.mem_alloc_managed(4096)
    try:
        assert driver.pointer_attribute("is_managed", pointer) & 1
        driver.mem_advise(pointer, 4096, "set_read_mostly", 0)
        driver.mem_prefetch_async(pointer, 4096, 0, stream)
        driver.memset_d8_async(pointer, 3, 4096, stream)
        driver.stream_synchronize(stream)
        assert (np.frombuffer((ctypes.c_ubyte * 4096).from_address(pointer), np.uint8) == 3).all()
    finally:
        driver.mem_free(pointer)


# --- stream-ordered allocation


def test_stream_ordered_memory(kernels, stream):
    pointer = driver.mem_alloc_async(64, stream)
    driver.memset_d32_async(pointer, 5, 16, stream)
    launch(kernels("add"), arguments(pointer, np.int32(1)), threads=16, stream=stream)
    result = np.empty(16, np.int32)
    driver.memcpy_dtoh_async(result.ctypes.data, pointer, 64, stream)
    driver.mem_free_async(pointer, stream)
    driver.stream_synchronize(stream)
    assert result.tolist() == [6] * 16


def test_memory_of_other_kinds_in_stream_order(stream):
    """As an H200 has it: memory of `mem_alloc` is freed too, managed memory is refused."""
    pointer = driver.mem_alloc(1024)
    assert status_of(driver.mem_free_async, pointer + 256, stream) == "INVALID_VALUE"
    driver.mem_free_async(pointer, stream)
    driver.stream_synchronize(stream)
    assert status_of(driver.mem_free, pointer) == "INVALID_VALUE"
    driver.mem_free_async(0, stream)
    managed = driver.mem_alloc_managed(1024)
    assert status_of(driver.mem_free_async, managed, stream) == "NOT_SUPPORTED"
    driver.mem_free(managed)


def test_the_default_pool(stream):
    pool = driver.device_get_default_mem_pool(0)
    assert driver.device_get_mem_pool(0) == pool
    threshold = driver.mem_pool_get_attribute(pool, "release_threshold")
    driver.mem_pool_set_attribute(pool, "release_threshold", 1 << 30)
    try:
        before = driver.mem_pool_get_attribute(pool, "used_mem_current")
        pointer = driver.mem_alloc_async(1 << 20, stream)
        assert driver.mem_pool_get_attribute(pool, "used_mem_current") >= before + (1 << 20)
        assert driver.mem_pool_get_attribute(pool, "reserved_mem_current") >= 1 << 20
        driver.mem_free_async(pointer, stream)
        driver.stream_synchronize(stream)
        assert driver.mem_pool_get_attribute(pool, "used_mem_current") == before
        assert driver.mem_pool_get_attribute(pool, "reserved_mem_current") >= 1 << 20
        driver.mem_pool_trim_to(pool, 0)
        if not before:
            assert driver.mem_pool_get_attribute(pool, "reserved_mem_current") == 0
    finally:
        driver.mem_pool_set_attribute(pool, "release_threshold", threshold)


def test_a_pool_of_ones_own(stream):
    default = driver.device_get_default_mem_pool(0)
    pool = driver.mem_pool_create(0)
    assert driver.mem_pool_get_attribute(pool, "reuse_allow_opportunistic") == 1
    driver.mem_pool_set_attribute(pool, "reuse_allow_opportunistic", 0)
    assert driver.mem_pool_get_attribute(pool, "reuse_allow_opportunistic") == 0
    assert driver.mem_pool_get_access(pool, 0) == 3
    driver.device_set_mem_pool(0, pool)
    try:
        assert driver.device_get_mem_pool(0) == pool
        first = driver.mem_alloc_async(1000, stream)
        second = driver.mem_alloc_from_pool_async(1000, default, stream)
        assert driver.pointer_attribute("mempool_handle", first) == pool
        assert driver.pointer_attribute("mempool_handle", second) == default
        for pointer in (first, second):
            driver.mem_free_async(pointer, stream)
        driver.stream_synchronize(stream)
    finally:
        driver.device_set_mem_pool(0, default)
        driver.mem_pool_destroy(pool)


def test_an_attribute_that_pools_lack(context):
    pool = driver.device_get_default_mem_pool(0)
    with pytest.raises(ValueError, match="no pool attribute"):
        driver.mem_pool_get_attribute(pool, "colour")
