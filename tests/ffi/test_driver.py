"""The driver, whichever backend is bound: memory, modules, launches, streams and events."""

import threading

import numpy as np
import pytest

from gpuarray._ffi import driver, nvrtc
from gpuarray.errors import DriverError

SOURCE = """
__device__ int counter = 7;

extern "C" __global__ void scale(const float *a, float *b, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i] * by;
}

struct __align__(16) Pair { double x, y; };

extern "C" __global__ void parameters(double *out, char c, double d, short s, Pair pair) {
    out[0] = c; out[1] = d; out[2] = s; out[3] = pair.x; out[4] = pair.y;
}

extern "C" __global__ void reverse(int *a) {
    extern __shared__ int shared[];
    shared[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void nothing() {}
"""


@pytest.fixture(scope="module", autouse=True)
def context():
    handle = driver.primary_context_retain(0)
    driver.context_set_current(handle)
    yield handle
    driver.primary_context_release(0)


@pytest.fixture(scope="module")
def image():
    kind = driver.image_kind
    name = "sm" if kind == "cubin" else "compute"
    major = driver.device_attribute("compute_capability_major", 0)
    minor = driver.device_attribute("compute_capability_minor", 0)
    options = [f"--gpu-architecture={name}_{major}{minor}"]
    return nvrtc.compile(SOURCE, "driver_test", options=options, kind=kind)[0]


@pytest.fixture(scope="module")
def module(image):
    handle = driver.module_load_data(image)
    yield handle
    driver.module_unload(handle)


@pytest.fixture
def allocate():
    """Device copies of arrays, freed when the test ends."""
    pointers = []

    def copy_of(array):
        pointer = driver.mem_alloc(array.nbytes)
        pointers.append(pointer)
        driver.memcpy_htod_async(pointer, array.ctypes.data, array.nbytes, 0)
        return pointer

    yield copy_of
    for pointer in pointers:
        driver.mem_free(pointer)


def fetch(pointer, shape, dtype):
    result = np.empty(shape, dtype)
    driver.memcpy_dtoh_async(result.ctypes.data, pointer, result.nbytes, 0)
    driver.context_synchronize()
    return result


def launch(function, grid, block, buffer, shared=0, stream=0, **more):
    status = driver.launch(
        driver.launch_config(grid, block, shared, stream, **more),
        driver.function_argument(function),
        buffer.params,
        None,
    )
    if status:
        raise driver.launch_error(status, "a test", grid, block)


# --- devices


def test_what_it_is():
    assert driver.backend in ("cuda", "emulator")
    assert driver.driver_version() >= 12000
    assert driver.describe()


def test_devices():
    assert driver.device_count() >= 1
    assert driver.device_get(0) == 0
    assert driver.device_name(0)
    assert driver.device_total_mem(0) > 1 << 30
    assert len(driver.device_uuid(0)) == 16
    assert driver.device_get_by_pci_bus_id(driver.device_pci_bus_id(0)) == 0
    assert driver.device_attribute("warp_size", 0) == 32
    assert driver.device_attribute(10, 0) == 32
    assert not driver.device_can_access_peer(0, 0)


def test_errors_name_call_and_status():
    with pytest.raises(DriverError) as raised:
        driver.device_get(999)
    assert raised.value.call == "cuDeviceGet"
    assert raised.value.status == 101
    assert str(raised.value).startswith("cuDeviceGet failed with CUDA_ERROR_INVALID_DEVICE (101): ")


def test_an_attribute_that_does_not_exist():
    with pytest.raises(ValueError, match="'warp'"):
        driver.device_attribute("warp", 0)


def test_contexts_belong_to_threads(context):
    assert driver.context_get_current() == context
    seen = []

    def work():
        seen.append(driver.context_get_current())
        try:
            driver.mem_alloc(16)
        except DriverError as error:
            seen.append(error.status_name)
        driver.context_set_current(context)
        driver.mem_free(driver.mem_alloc(16))
        seen.append(driver.context_get_current())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [0, "CUDA_ERROR_INVALID_CONTEXT", context]


# --- memory


def test_copies(allocate):
    array = np.arange(1000, dtype=np.int16)
    first, second = allocate(array), allocate(np.zeros_like(array))
    driver.memcpy_dtod_async(second, first + 200, 1800, 0)
    expected = np.concatenate([array[100:], np.zeros(100, np.int16)])
    np.testing.assert_array_equal(fetch(second, 1000, np.int16), expected)


@pytest.mark.parametrize("bits, value", [(8, 0xAB), (16, 0xABCD), (32, 0xABCDEF01)])
def test_fills(allocate, bits, value):
    pointer = allocate(np.zeros(16, f"u{bits // 8}"))
    getattr(driver, f"memset_d{bits}_async")(pointer + bits // 8, value, 14, 0)
    assert fetch(pointer, 16, f"u{bits // 8}").tolist() == [0] + [value] * 14 + [0]


def test_free_memory_goes_down_and_up():
    free, total = driver.mem_get_info()
    assert total == driver.device_total_mem(0)
    pointer = driver.mem_alloc(64 << 20)
    assert driver.mem_get_info()[0] <= free - (64 << 20)
    driver.mem_free(pointer)
    if driver.backend == "emulator":  # others may use a GPU at the same time
        assert driver.mem_get_info()[0] == free


def test_too_much_memory():
    with pytest.raises(DriverError) as raised:
        driver.mem_alloc(1 << 50)
    assert raised.value.status_name == "CUDA_ERROR_OUT_OF_MEMORY"
    driver.mem_free(driver.mem_alloc(16))


@pytest.mark.parametrize("address", [1, 256])
def test_freeing_what_was_not_allocated(address):
    with pytest.raises(DriverError) as raised:
        driver.mem_free(address)
    assert raised.value.status_name == "CUDA_ERROR_INVALID_VALUE"


def test_page_locked_memory(allocate):
    address = driver.mem_host_alloc(4096)
    try:
        assert driver.pointer_attribute("memory_type", address) == 1
        driver.memcpy_dtoh_async(address, allocate(np.full(4096, 3, np.uint8)), 4096, 0)
        driver.context_synchronize()
        target = allocate(np.zeros(4096, np.uint8))
        driver.memcpy_htod_async(target, address, 4096, 0)
        assert (fetch(target, 4096, np.uint8) == 3).all()
    finally:
        driver.mem_host_free(address)


def test_pointer_attributes(allocate, context):
    pointer = allocate(np.zeros(1000, np.uint8))
    assert driver.pointer_attribute("memory_type", pointer + 10) == 2
    assert driver.pointer_attribute("device_ordinal", pointer + 10) == 0
    assert driver.pointer_attribute("context", pointer) == context
    assert driver.pointer_attribute("range_start_addr", pointer + 10) == pointer
    assert driver.mem_get_address_range(pointer + 10)[0] == pointer


def test_address_of():
    array = np.arange(4)
    assert driver.address_of(array) == array.ctypes.data
    data = b"read only"
    pointer = driver.mem_alloc(len(data))
    driver.memcpy_htod_async(pointer, driver.address_of(data), len(data), 0)
    assert fetch(pointer, len(data), np.uint8).tobytes() == data
    driver.mem_free(pointer)
    assert driver.address_of(b"") == 0


# --- launches


def test_a_compiled_kernel(module, allocate):
    n = 1000
    array = np.random.default_rng(0).random(n, np.float32)
    source, target = allocate(array), allocate(np.zeros(n + 1, np.float32))
    buffer = driver.ArgumentBuffer((8, 8, 4, 4))
    buffer.words[0] = source
    buffer.words[1] = target
    buffer.view(2, "f")[0] = 2.5
    buffer.view(3, "i")[0] = n
    launch(driver.module_get_function(module, "scale"), (4, 1, 1), (256, 1, 1), buffer)
    result = fetch(target, n + 1, np.float32)
    np.testing.assert_array_equal(result[:n], array * np.float32(2.5))
    assert result[n] == 0


def test_parameters_of_every_size(module, allocate):
    out = allocate(np.zeros(5))
    buffer = driver.ArgumentBuffer((8, 1, 8, 2, 16))
    assert buffer.offsets == (0, 8, 16, 24, 32)
    buffer.words[0] = out
    buffer.view(1, "b")[0] = -5
    buffer.view(2, "d")[0] = 1.25
    buffer.view(3, "h")[0] = -300
    buffer.bytes[32:48] = np.array([7.5, 8.5]).tobytes()
    launch(driver.module_get_function(module, "parameters"), (1, 1, 1), (1, 1, 1), buffer)
    assert fetch(out, 5, np.float64).tolist() == [-5, 1.25, -300, 7.5, 8.5]


def test_dynamic_shared_memory(module, allocate):
    array = np.arange(64, dtype=np.int32)
    pointer = allocate(array)
    buffer = driver.ArgumentBuffer((8,))
    buffer.words[0] = pointer
    function = driver.module_get_function(module, "reverse")
    launch(function, (1, 1, 1), (64, 1, 1), buffer, shared=256)
    np.testing.assert_array_equal(fetch(pointer, 64, np.int32), array[::-1])


def test_more_shared_memory_must_be_allowed(module, allocate):
    buffer = driver.ArgumentBuffer((8,))
    buffer.words[0] = allocate(np.zeros(64, np.int32))
    function = driver.module_get_function(module, "reverse")
    nbytes = 100 << 10
    with pytest.raises(DriverError) as raised:
        launch(function, (1, 1, 1), (64, 1, 1), buffer, shared=nbytes)
    assert raised.value.status_name == "CUDA_ERROR_INVALID_VALUE"
    assert "launching a test with grid (1, 1, 1) and block (64, 1, 1)" in str(raised.value)
    driver.function_set_attribute(function, "max_dynamic_shared_size_bytes", nbytes)
    assert driver.function_attribute("max_dynamic_shared_size_bytes", function) == nbytes
    launch(function, (1, 1, 1), (64, 1, 1), buffer, shared=nbytes)
    with pytest.raises(DriverError):
        driver.function_set_attribute(function, "max_dynamic_shared_size_bytes", 1 << 20)


def test_a_kernel_without_parameters(module):
    buffer = driver.ArgumentBuffer(())
    launch(driver.module_get_function(module, "nothing"), (1, 1, 1), (32, 1, 1), buffer)
    driver.context_synchronize()


def test_a_cooperative_launch(module):
    function = driver.module_get_function(module, "nothing")
    empty = driver.ArgumentBuffer(())
    launch(function, (2, 1, 1), (32, 1, 1), empty, cooperative=True)
    with pytest.raises(DriverError) as raised:
        launch(function, (1 << 20, 1, 1), (1024, 1, 1), empty, cooperative=True)
    assert raised.value.status_name == "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"
    driver.context_synchronize()


@pytest.mark.parametrize(
    "grid, block",
    [
        ((0, 1, 1), (1, 1, 1)),
        ((1, 1, 1), (0, 1, 1)),
        ((1, 1, 1), (2048, 1, 1)),
        ((1, 1, 1), (64, 64, 1)),
        ((1, 1, 1), (1, 1, 128)),
        ((1, 65536, 1), (1, 1, 1)),
        ((1, 1, 65536), (1, 1, 1)),
        ((1 << 31, 1, 1), (1, 1, 1)),
    ],
)
def test_launches_beyond_the_limits(module, grid, block):
    function = driver.module_get_function(module, "nothing")
    with pytest.raises(DriverError) as raised:
        launch(function, grid, block, driver.ArgumentBuffer(()))
    assert raised.value.status_name == "CUDA_ERROR_INVALID_VALUE"
    assert raised.value.call == "cuLaunchKernelEx"
    launch(function, (1, 1, 1), (1, 1, 1), driver.ArgumentBuffer(()))


def test_buffers():
    buffer = driver.ArgumentBuffer((8, 4, 16, 24, 1))
    assert buffer.offsets == (0, 8, 16, 32, 56)
    assert len(buffer.bytes) == 64
    assert buffer.words.format == "Q"
    buffer.view(3, "q")[2] = -1
    assert buffer.words[6] == 2**64 - 1
    assert driver.ArgumentBuffer(()).params is None


# --- modules


def test_a_global_variable(module):
    pointer, nbytes = driver.module_get_global(module, "counter")
    assert nbytes == 4
    assert fetch(pointer, 1, np.int32)[0] == 7


@pytest.mark.parametrize("get", ["module_get_function", "module_get_global"])
def test_a_name_that_the_module_lacks(module, get):
    with pytest.raises(DriverError, match="'absent' in this module") as raised:
        getattr(driver, get)(module, "absent")
    assert raised.value.status_name == "CUDA_ERROR_NOT_FOUND"


_HEAD = b".version 8.0\n.target sm_90\n.address_size 64\n"


@pytest.mark.parametrize(
    "body, names",
    [
        (b".visible .entry f() { ret", "line"),
        (b".visible .entry f( { ret; }", "line 4"),
    ],
)
def test_ptx_that_does_not_parse(body, names):
    with pytest.raises(DriverError) as raised:
        driver.module_load_data(_HEAD + body)
    assert raised.value.status_name == "CUDA_ERROR_INVALID_PTX"
    assert raised.value.call == "cuModuleLoadDataEx"
    assert names in str(raised.value)


def test_function_attributes(module):
    function = driver.module_get_function(module, "reverse")
    assert driver.function_attribute("max_threads_per_block", function) == 1024
    assert driver.function_attribute("shared_size_bytes", function) == 0
    assert driver.function_attribute("num_regs", function) > 0


def test_occupancy(module):
    function = driver.module_get_function(module, "nothing")
    assert driver.occupancy_max_active_blocks(function, 1024, 0) >= 1
    grid, block = driver.occupancy_max_potential_block_size(function)
    assert 32 <= block <= 1024
    assert grid >= driver.device_attribute("multiprocessor_count", 0)
    assert driver.occupancy_max_potential_block_size(function, 0, 128)[1] <= 128


# --- streams and events


def test_streams(module):
    least, greatest = driver.context_get_stream_priority_range()
    assert greatest <= least
    stream = driver.stream_create(1, greatest)
    assert driver.stream_get_priority(stream) == greatest
    assert driver.stream_get_flags(stream) == 1
    function = driver.module_get_function(module, "nothing")
    launch(function, (1, 1, 1), (32, 1, 1), driver.ArgumentBuffer(()), stream=stream)
    driver.stream_synchronize(stream)
    assert driver.stream_query(stream)
    driver.stream_destroy(stream)
    assert driver.stream_query(0) in (True, False)


def test_events():
    stream = driver.stream_create()
    first, last = driver.event_create(), driver.event_create()
    driver.event_record(first, stream)
    driver.stream_wait_event(0, first)
    driver.event_record(last, 0)
    driver.event_synchronize(last)
    assert driver.event_query(last)
    assert driver.event_elapsed_time(first, last) >= 0
    for event in (first, last):
        driver.event_destroy(event)
    driver.stream_destroy(stream)


def test_an_event_without_timing():
    first, last = driver.event_create(2), driver.event_create(2)
    for event in (first, last):
        driver.event_record(event, 0)
    driver.context_synchronize()
    with pytest.raises(DriverError) as raised:
        driver.event_elapsed_time(first, last)
    assert raised.value.status_name == "CUDA_ERROR_INVALID_HANDLE"
    for event in (first, last):
        driver.event_destroy(event)
