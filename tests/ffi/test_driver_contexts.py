"""Contexts, devices and kernels' limits, whichever backend is bound."""

import numpy as np
import pytest

from gpuarray._ffi import driver
from gpuarray.errors import DriverError
from tests.ffi.device_work import arguments, fetch, image, launch, status_of


def test_a_context_beside_the_primary_one(context):
    other = driver.context_create(0)
    try:
        assert driver.context_get_current() == other != context
        assert driver.context_get_device() == 0
        module = driver.module_load_data(image())
        pointer = driver.mem_alloc(16)
        driver.memset_d32(pointer, 1, 4)
        launch(driver.module_get_function(module, "twice"), arguments(pointer))
        assert fetch(pointer, 4).tolist() == [2] * 4
        assert driver.pointer_attribute("context", pointer) == other
        assert driver.context_pop_current() == other
        assert driver.context_get_current() == context
        driver.context_push_current(other)
        assert driver.context_get_current() == other
    finally:
        driver.context_destroy(other)
    assert driver.context_get_current() == context


def test_kernels_and_streams_stay_in_their_context(context, kernels):
    function = kernels("nothing")
    other = driver.context_create(0)
    try:
        assert status_of(launch, function, arguments()) in ("INVALID_HANDLE", "INVALID_CONTEXT")
    finally:
        driver.context_destroy(other)
    launch(function, arguments())


def test_the_state_of_the_primary_context(context):
    flags, active = driver.primary_context_get_state(0)
    assert active == 1
    assert driver.context_get_flags() & 7 == flags & 7


def test_limits(context):
    before = driver.context_get_limit("stack_size")
    assert before > 0
    driver.context_set_limit("stack_size", 4096)
    assert driver.context_get_limit("stack_size") >= 4096
    driver.context_set_limit("stack_size", before)
    assert driver.context_get_limit("malloc_heap_size") >= 1 << 20
    with pytest.raises(ValueError, match="'patience'"):
        driver.context_get_limit("patience")
    with pytest.raises(DriverError):
        driver.context_get_limit(1000)


def test_peer_access_is_for_others(context):
    assert status_of(driver.context_enable_peer_access, context) in (
        "INVALID_CONTEXT",
        "PEER_ACCESS_UNSUPPORTED",
    )


# --- kernels


def test_what_a_kernel_is_called_and_takes(kernels):
    function = kernels("store_at")
    assert driver.function_get_name(function) == "store_at"
    assert driver.function_param_info(function, 0) == (0, 8)
    assert driver.function_param_info(function, 1) == (8, 8)
    assert status_of(driver.function_param_info, function, 2) == "INVALID_VALUE"
    driver.function_set_cache_config(function, 1)
    assert driver.function_get_module(function)


def test_the_log_of_a_load(context):
    module, log = driver.module_load_data_with_log(image())
    assert isinstance(log, str)
    driver.module_unload(module)


def test_more_than_48_kilobytes_of_shared_memory(kernels, allocate):
    function, pointer = kernels("bytes"), allocate(np.zeros(4, np.int32))
    nbytes = 4 * 16384
    refused = status_of(launch, function, arguments(pointer), shared=nbytes)
    assert refused == "INVALID_VALUE"
    driver.function_set_attribute(function, "max_dynamic_shared_size_bytes", nbytes)
    launch(function, arguments(pointer), shared=nbytes)
    assert fetch(pointer, 4).tolist() == [3, 2, 1, 0]


def test_the_room_for_shared_memory(kernels):
    function = kernels("nothing")
    available, active = (
        driver.occupancy_available_dynamic_shared,
        driver.occupancy_max_active_blocks,
    )
    room = driver.device_attribute("max_shared_memory_per_multiprocessor", 0)
    default = driver.function_attribute("max_dynamic_shared_size_bytes", function)
    # Never more than the kernel may have; what the driver reserves in each block is not taken off.
    assert available(function, 1, 128) == available(function, 2, 128) == default == 48 << 10
    for blocks in (5, 7, 16):
        assert available(function, blocks, 96) == room // blocks // 128 * 128
    assert active(function, 128, default) == room // (default + 1024)
    assert active(function, 128, default + 1) == 0
    assert active(function, 2048, 0) == 0
    for call in (active, driver.occupancy_max_active_blocks_with_flags):
        assert status_of(call, function, 0, 0, *[0] * (call is not active)) == "INVALID_VALUE"
    assert driver.occupancy_max_active_blocks_with_flags(function, 128, 0, 1) >= 1
    # A block that needs more than the kernel may have does not count.
    _, block = driver.occupancy_max_potential_block_size(function, lambda threads: 64 * threads)
    assert 64 * block <= default
    driver.function_set_attribute(function, "max_dynamic_shared_size_bytes", 100_000)
    assert active(function, 64, 100_000) == 2
    assert default < available(function, 1, 128) <= 227 << 10


@pytest.mark.parametrize(("dynamic", "blocks"), [(45568, 5), (45569, 4), (32256, 7), (32257, 6)])
def test_shared_memory_is_given_out_in_pieces(kernels, dynamic, blocks):
    capability = [
        driver.device_attribute(f"compute_capability_{part}", 0) for part in ("major", "minor")
    ]
    if capability != [9, 0]:
        pytest.skip("the figures are those of compute capability 9.0")
    assert driver.occupancy_max_active_blocks(kernels("nothing"), 32, dynamic) == blocks


def test_every_way_to_launch(kernels, allocate):
    pointer = allocate(np.zeros(4, np.int32))
    function, buffer = kernels("add"), arguments(pointer, np.int32(2))
    shape = (1, 1, 1, 4, 1, 1, 0, 0)
    driver.launch_kernel(function, *shape, buffer.params, None)
    driver.launch_cooperative_kernel(function, *shape, buffer.params)
    assert fetch(pointer, 4).tolist() == [4] * 4


@pytest.mark.skipif("driver.device_count() < 2", reason="needs two devices")
def test_peer_access_and_copies(context, kernels):
    other = driver.primary_context_retain(1)
    driver.context_set_current(other)
    there = driver.mem_alloc(16)
    driver.memset_d32(there, 9, 4)
    driver.context_set_current(context)
    here = driver.mem_alloc(16)
    driver.memcpy_peer(here, context, there, other, 16)
    assert fetch(here, 4).tolist() == [9] * 4
    if driver.device_can_access_peer(0, 1):
        assert driver.device_p2p_attribute(2, 0, 1) == 1
        driver.context_enable_peer_access(other)
        launch(kernels("add"), arguments(there, np.int32(1)))
        driver.context_synchronize()
        assert fetch(there, 4).tolist() == [10] * 4
        driver.context_disable_peer_access(other)
        assert status_of(driver.context_disable_peer_access, other) == "PEER_ACCESS_NOT_ENABLED"
    driver.mem_free(here)
    driver.context_set_current(other)
    driver.mem_free(there)
    driver.context_set_current(context)
    driver.primary_context_release(1)
