"""Ranges of addresses, and memory that is mapped there, on whichever backend is bound."""

import ctypes

import numpy as np
import pytest

from gpuarray._ffi import driver
from gpuarray._ffi.structs import CUmemAllocationProp, CUmemLocation
from gpuarray.errors import DriverError
from tests.ffi.device_work import arguments, launch

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture
def unit():
    """What sizes and addresses are multiples of."""
    if not driver.device_attribute(102, 0):
        pytest.skip("the device has no ranges of addresses")
    return driver.mem_get_allocation_granularity(0)


@pytest.fixture
def start(unit):
    """The first of eight units of reserved addresses."""
    slot = driver.address_slot()
    driver.mem_address_reserve_to(slot, 8 * unit)
    yield slot.value
    driver.context_synchronize()
    driver.mem_unmap_range(slot.value, 8 * unit)
    driver.mem_address_free(slot.value, 8 * unit)


def create(nbytes):
    slot = driver.address_slot()
    driver.mem_create_to(slot, nbytes, 0)
    return slot


def give_memory(address, nbytes):
    slot = create(nbytes)
    driver.mem_map_range(address, nbytes, slot.value, [0])
    driver.mem_release_all([slot])


def written(address, count):
    host = np.arange(count, dtype=np.int32)
    driver.memcpy_htod_async(address, host.ctypes.data, host.nbytes, 0)
    return host


def fetch(address, count):
    found = np.empty(count, np.int32)
    driver.memcpy_dtoh_async(found.ctypes.data, address, found.nbytes, 0)
    driver.context_synchronize()
    return found


def test_memory_side_by_side_is_one_piece(start, unit):
    for place in (1, 0, 2):
        give_memory(start + place * unit, unit)
    count = 3 * unit // 4
    host = written(start, count)
    np.testing.assert_array_equal(fetch(start, count), host)
    driver.memset_d32_async(start + unit - 8, 7, 4, 0)
    assert fetch(start + unit - 12, 6)[1:5].tolist() == [7] * 4
    driver.memcpy_dtod_async(start, start + unit, unit, 0)
    np.testing.assert_array_equal(fetch(start, 100)[2:], host[unit // 4 :][2:100])


def test_a_hole_gets_memory_again(start, unit):
    for place in range(3):
        give_memory(start + place * unit, unit)
    written(start + 2 * unit, 10)
    driver.context_synchronize()
    driver.mem_unmap_range(start + unit, unit)
    give_memory(start + unit, unit)
    driver.memcpy_dtod_async(start, start + 2 * unit - 16, 56, 0)
    assert fetch(start, 14)[4:].tolist() == list(range(10))


@pytest.mark.emulator  # the free memory of a GPU is that of all its processes
def test_unmapping_gives_the_memory_back(start, unit):
    driver.context_synchronize()
    before = driver.mem_get_info()[0]
    give_memory(start, 4 * unit)
    assert before - driver.mem_get_info()[0] >= 4 * unit
    driver.mem_unmap(start, 4 * unit)
    assert driver.mem_get_info()[0] == before


def test_memory_keeps_its_contents_without_an_address(start, unit):
    slot = create(unit)
    driver.mem_map_range(start, unit, slot.value, [0])
    host = written(start, 1000)
    driver.context_synchronize()
    driver.mem_unmap(start, unit)
    driver.mem_map_range(start + unit, unit, slot.value, [0])
    driver.mem_release_all([slot])
    np.testing.assert_array_equal(fetch(start + unit, 1000), host)


def test_unmapping_takes_what_is_there(start, unit):
    for place in (0, 1, 3):
        give_memory(start + place * unit, unit)
    driver.context_synchronize()
    driver.mem_unmap(start, 8 * unit)
    driver.mem_unmap(start, unit)
    give_memory(start, 2 * unit)


def test_access(start, unit):
    slot = create(unit)
    driver.mem_map(start, unit, 0, slot.value, 0)
    driver.mem_release_all([slot])
    assert driver.mem_get_access(start, 0) == 0
    driver.mem_set_access(start, unit, [0])
    assert driver.mem_get_access(start, 0) == 3
    found = driver.pointer_attributes(
        ("memory_type", "device_ordinal", "is_legacy_cuda_ipc_capable"), start + 100
    )
    assert found == {"memory_type": 2, "device_ordinal": 0, "is_legacy_cuda_ipc_capable": 0}
    assert driver.mem_get_address_range(start + 100) == (start, unit)
    found = driver.pointer_attributes(("range_start_addr", "range_size"), start + 100)
    assert found == {"range_start_addr": start, "range_size": 8 * unit}
    with pytest.raises(DriverError):
        driver.ipc_get_mem_handle(start)


def refused(call, *given):
    with pytest.raises(DriverError):
        call(*given)


def test_what_is_refused(start, unit):
    slot = create(unit)
    refused(driver.mem_map, start + 512, unit, 0, slot.value, 0)
    refused(driver.mem_map, start, unit - 512, 0, slot.value, 0)
    driver.mem_map_range(start, unit, slot.value, [0])
    other = create(unit)
    refused(driver.mem_map, start, unit, 0, other.value, 0)
    driver.mem_release_all([slot, other])
    refused(driver.mem_unmap, start + 512, unit)
    refused(driver.mem_set_access, start, 2 * unit, [0])
    refused(driver.mem_address_reserve_to, driver.address_slot(), 513)
    refused(driver.mem_create_to, driver.address_slot(), 513, 0)
    refused(driver.mem_create_to, driver.address_slot(), 1 << 44, 0)
    bad = CUmemAllocationProp(type=1, location=CUmemLocation(1, 99))
    with pytest.raises(DriverError):
        driver.library.mem_create(unit, ctypes.byref(bad), 0)


def test_kernels_go_across_chunks(start, unit, kernels):
    for place in range(2):
        give_memory(start + place * unit, unit)
    written(start + unit - 8, 4)
    launch(kernels("add"), arguments(start + unit - 8, np.int32(5)))
    assert fetch(start + unit - 8, 4).tolist() == [5, 6, 7, 8]


@pytest.mark.emulator  # a GPU would be unusable after that
def test_kernels_stay_in_what_is_mapped(start, unit, kernels):
    give_memory(start, unit)
    with pytest.raises(DriverError, match="8 bytes past the 2097152-byte allocation") as raised:
        launch(kernels("store_at"), arguments(start, unit // 4 + 2))
    assert raised.value.status_name == "CUDA_ERROR_ILLEGAL_ADDRESS"
    give_memory(start + unit, unit)
    launch(kernels("store_at"), arguments(start, unit // 4 + 2))
    driver.mem_unmap(start, unit)
    launch(kernels("store_at"), arguments(start + unit, 2))
    with pytest.raises(DriverError):
        launch(kernels("store_at"), arguments(start + unit, np.int64(-2)))
