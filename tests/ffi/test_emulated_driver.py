"""What only the emulated driver can be asked: stale handles, faults, several devices."""

import ctypes
import sys
import threading

import numpy as np
import pytest

from gpuarray._ffi.driver_prototypes import PROTOTYPES
from gpuarray._ffi.emulator import binding
from gpuarray._ffi.launch_arguments import ArgumentBuffer, function_argument, launch_config
from gpuarray.errors import DriverError
from tests.ffi.emulated import Emulated, fails

pytestmark = pytest.mark.emulator


def test_every_prototype_is_emulated(emulated):
    for c_name, _ in PROTOTYPES.values():
        emulated.source[c_name]


def test_a_function_that_is_not_emulated(emulated):
    with pytest.raises(AttributeError, match="cuNonsense"):
        emulated.source["cuNonsense"]


# --- memory


def test_a_double_free(emulated):
    pointer = emulated.calls.mem_alloc(100)
    emulated.calls.mem_free(pointer)
    fails(
        "CUDA_ERROR_INVALID_VALUE",
        emulated.calls.mem_free,
        pointer,
        match="freed already, or never",
    )
    emulated.calls.mem_free(0)


def test_freeing_the_middle_of_an_allocation(emulated):
    pointer = emulated.calls.mem_alloc(1000)
    fails("CUDA_ERROR_INVALID_VALUE", emulated.calls.mem_free, pointer + 256)
    fails("CUDA_ERROR_INVALID_VALUE", emulated.calls.mem_host_free, pointer)


def test_allocating_nothing(emulated):
    fails("CUDA_ERROR_INVALID_VALUE", emulated.calls.mem_alloc, 0)


def test_memory_runs_out_and_comes_back(emulated):
    free, total = emulated.calls.mem_get_info()
    assert free == total
    held = emulated.calls.mem_alloc(total // 2)
    error = fails("CUDA_ERROR_OUT_OF_MEMORY", emulated.calls.mem_alloc, total // 2 + 1)
    assert str(total // 2 + 1) in error.detail
    emulated.calls.mem_free(held)
    emulated.calls.mem_free(emulated.calls.mem_alloc(total))
    assert emulated.calls.mem_get_info() == (total, total)


@pytest.mark.parametrize("start, nbytes", [(0, 101), (100, 1), (50, 51), (-1, 1)])
def test_copies_stay_inside_one_allocation(emulated, start, nbytes):
    calls, host = emulated.calls, np.zeros(200, np.uint8)
    pointer, other = calls.mem_alloc(100), calls.mem_alloc(200)
    at = pointer + start
    for call, arguments in [
        (calls.memcpy_htod_async, (at, host.ctypes.data, nbytes, 0)),
        (calls.memcpy_dtoh_async, (host.ctypes.data, at, nbytes, 0)),
        (calls.memcpy_dtod_async, (at, other, nbytes, 0)),
        (calls.memcpy_dtod_async, (other, at, nbytes, 0)),
        (calls.memset_d8_async, (at, 1, nbytes, 0)),
    ]:
        fails("CUDA_ERROR_INVALID_VALUE", call, *arguments)


def test_null_and_freed_pointers(emulated):
    calls, host = emulated.calls, np.zeros(16, np.uint8)
    freed = calls.mem_alloc(16)
    calls.mem_free(freed)
    for pointer in (0, freed):
        fails("CUDA_ERROR_INVALID_VALUE", calls.memcpy_htod_async, pointer, host.ctypes.data, 16, 0)
        fails("CUDA_ERROR_INVALID_VALUE", calls.memcpy_dtoh_async, host.ctypes.data, pointer, 16, 0)
    held = calls.mem_alloc(16)
    fails("CUDA_ERROR_INVALID_VALUE", calls.memcpy_htod_async, held, None, 16, 0, match="null")
    calls.memcpy_htod_async(held, None, 0, 0)  # no bytes, no fault


def test_fills_are_aligned(emulated):
    pointer = emulated.calls.mem_alloc(100)
    fails("CUDA_ERROR_INVALID_VALUE", emulated.calls.memset_d32_async, pointer + 2, 0, 1, 0)
    fails("CUDA_ERROR_INVALID_VALUE", emulated.calls.memset_d16_async, pointer + 1, 0, 1, 0)


def test_managed_memory(emulated):
    pointer = emulated.calls.mem_alloc_managed(64, 1)
    assert emulated.calls.pointer_attribute(8, pointer) == 1
    ctypes.memset(pointer, 1, 64)  # the host may use it
    assert emulated.fetch(pointer, 16) == [0x01010101] * 16
    fails("CUDA_ERROR_INVALID_VALUE", emulated.calls.mem_alloc_managed, 64, 9)


# --- contexts and handles


def test_no_context():
    emulated = Emulated()
    emulated.calls.context_set_current(0)
    for call, arguments in [
        (emulated.calls.mem_alloc, (16,)),
        (emulated.calls.stream_create, (0, 0)),
        (emulated.calls.context_synchronize, ()),
        (emulated.calls.mem_get_info, ()),
    ]:
        fails("CUDA_ERROR_INVALID_CONTEXT", call, *arguments)


def test_the_last_release_destroys_the_context(emulated, ptx):
    calls = emulated.calls
    pointer, stream = calls.mem_alloc(64), calls.stream_create(0, 0)
    emulated.load(ptx, "store")
    calls.primary_context_release(0)
    fails("CUDA_ERROR_CONTEXT_IS_DESTROYED", calls.mem_alloc, 16, match="destroyed")
    fails("CUDA_ERROR_INVALID_CONTEXT", calls.primary_context_release, 0)
    assert calls.primary_context_get_state(0) == (0, 0)
    calls.primary_context_retain(0)
    assert calls.mem_get_info()[0] == calls.mem_get_info()[1]
    fails("CUDA_ERROR_INVALID_VALUE", calls.mem_free, pointer)
    fails("CUDA_ERROR_INVALID_CONTEXT", calls.stream_destroy, stream)


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("stream_destroy", ()),
        ("stream_synchronize", ()),
        ("stream_query", ()),
        ("event_destroy", ()),
        ("event_synchronize", ()),
        ("event_record", (0,)),
        ("module_unload", ()),
        ("module_get_function", (b"f",)),
    ],
)
def test_handles_of_nothing_and_of_another_kind(emulated, name, arguments):
    call = getattr(emulated.calls, name)
    other = emulated.calls.stream_create(0, 0)
    if name.startswith("stream"):
        other = emulated.calls.event_create(0)
    for handle in (12345678, other):
        fails("CUDA_ERROR_INVALID_HANDLE", call, handle, *arguments)


def test_a_destroyed_stream_is_noticed(emulated, ptx):
    stream = emulated.calls.stream_create(0, 0)
    emulated.calls.stream_destroy(stream)
    _, function = emulated.load(ptx, "store")
    pointer = emulated.calls.mem_alloc(16)
    with pytest.raises(DriverError, match="not a live stream") as raised:
        emulated.store(function, pointer, stream=stream)
    assert raised.value.status_name == "CUDA_ERROR_INVALID_HANDLE"


def test_an_unloaded_module_takes_its_kernels_with_it(emulated, ptx):
    module, function = emulated.load(ptx, "store")
    emulated.calls.module_unload(module)
    with pytest.raises(DriverError) as raised:
        emulated.store(function, emulated.calls.mem_alloc(16))
    assert raised.value.status_name == "CUDA_ERROR_INVALID_HANDLE"


def test_an_event_that_was_never_recorded(emulated):
    first, last = (emulated.calls.event_create(0) for _ in range(2))
    fails("CUDA_ERROR_INVALID_HANDLE", emulated.calls.event_elapsed_time, first, last)


# --- launches


def test_a_store(emulated, ptx):
    _, function = emulated.load(ptx, "store")
    pointer = emulated.calls.mem_alloc(16)
    emulated.store(function, pointer, 9)
    assert emulated.fetch(pointer, 4) == [9] * 4


def test_a_fault_names_the_access(emulated, ptx):
    for offset in (None, 16):
        emulated = Emulated()
        _, function = emulated.load(ptx, "store")
        pointer = emulated.calls.mem_alloc(16)
        with pytest.raises(DriverError, match=r"4-byte (store|write)") as raised:
            emulated.store(function, 0 if offset is None else pointer + offset)
        assert raised.value.status_name == "CUDA_ERROR_ILLEGAL_ADDRESS"


def test_launch_bounds(emulated, ptx):
    _, function = emulated.load(ptx, "bounded")
    assert emulated.calls.function_attribute(0, function) == 64
    buffer = ArgumentBuffer((8,))
    buffer.words[0] = emulated.calls.mem_alloc(4)
    config = launch_config((1, 1, 1), (65, 1, 1))
    assert emulated.launch(config, function_argument(function), buffer.params, None) == 1  # a GPU's


def test_null_arguments(emulated, ptx):
    _, function = emulated.load(ptx, "store")
    config, argument = launch_config((1, 1, 1), (1, 1, 1)), function_argument(function)
    assert emulated.launch(config, argument, None, None) == 1
    assert emulated.launch(None, argument, None, None) == 1
    assert emulated.launch(config, function_argument(0), None, None) == 400
    nulls = (ctypes.c_void_p * 2)()
    assert emulated.launch(config, argument, ctypes.byref(nulls), None) == 1
    status = emulated.calls.raw("mem_alloc")(None, 16)
    assert status == 1


def test_a_cubin_is_refused(emulated):
    with pytest.raises(DriverError, match="PTX") as raised:
        emulated.load(b"\x7fELF and so on", "f")
    assert raised.value.status_name == "CUDA_ERROR_NO_BINARY_FOR_GPU"


# --- several devices


def test_devices_have_memory_of_their_own(emulated):
    calls = emulated.calls
    total = calls.device_total_mem(0)
    first = calls.mem_alloc(1000)
    emulated.use(1)
    assert calls.mem_get_info() == (total, total)
    second = calls.mem_alloc(1000)
    assert calls.pointer_attribute(9, first) == 0
    assert calls.pointer_attribute(9, second) == 1
    assert len({calls.device_uuid(0), calls.device_uuid(1)}) == 2


def test_a_peer_copy(emulated):
    calls = emulated.calls
    first = calls.mem_alloc(16)
    calls.memset_d32_async(first, 42, 4, 0)
    emulated.use(1)
    second = calls.mem_alloc(16)
    zero, one = emulated.contexts
    calls.memcpy_peer_async(second, one, first, zero, 16, 0)
    assert emulated.fetch(second, 4) == [42] * 4
    fails("CUDA_ERROR_INVALID_CONTEXT", calls.memcpy_peer_async, second, zero, first, zero, 16, 0)


def test_peer_access(emulated):
    calls = emulated.calls
    assert calls.device_can_access_peer(0, 1) == 1
    calls.context_enable_peer_access(emulated.contexts[1], 0)
    fails(
        "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
        calls.context_enable_peer_access,
        emulated.contexts[1],
        0,
    )
    calls.context_disable_peer_access(emulated.contexts[1])
    fails(
        "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED",
        calls.context_disable_peer_access,
        emulated.contexts[1],
    )
    fails("CUDA_ERROR_INVALID_CONTEXT", calls.context_enable_peer_access, emulated.contexts[0], 0)
    calls.context_create(0, 1)
    status = "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"
    fails(status, calls.context_enable_peer_access, emulated.contexts[1], 0)


def test_streams_and_kernels_stay_on_their_device(emulated, ptx):
    _, function = emulated.load(ptx, "store")
    stream = emulated.calls.stream_create(0, 0)
    emulated.use(1)
    pointer = emulated.calls.mem_alloc(16)
    for given in ({}, {"stream": stream}):
        with pytest.raises(DriverError) as raised:
            emulated.store(function, pointer, **given)
        assert raised.value.status_name == "CUDA_ERROR_INVALID_HANDLE"


def test_threads_have_their_own_device(emulated):
    seen = []

    def work():
        emulated.use(1)
        seen.append(emulated.calls.context_get_device())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [1]
    assert emulated.calls.context_get_device() == 0


# --- exceptions


def replaced(monkeypatch, emulated, exception):
    """Let the emulated mem_get_info raise."""

    def mem_get_info():
        raise exception

    (group,) = (g for g in emulated.source._groups if hasattr(g, "mem_get_info"))
    monkeypatch.setattr(group, "mem_get_info", mem_get_info)


@pytest.mark.parametrize("exception", [KeyboardInterrupt(), SystemExit(3)])
def test_an_interruption_is_raised_in_the_caller(monkeypatch, emulated, exception):
    replaced(monkeypatch, emulated, exception)
    with pytest.raises(type(exception)) as raised:
        emulated.calls.mem_get_info()
    assert raised.value is exception
    assert emulated.source.take_interruption() is None
    emulated.calls.mem_free(emulated.calls.mem_alloc(16))


def test_a_fault_of_the_emulator_keeps_its_traceback(monkeypatch, emulated):
    replaced(monkeypatch, emulated, ZeroDivisionError("a fault of ours"))
    error = fails("CUDA_ERROR_UNKNOWN", emulated.calls.mem_get_info)
    assert "ZeroDivisionError: a fault of ours" in error.detail
    assert "in mem_get_info" in error.detail


def test_host_memory_that_runs_out(monkeypatch, emulated):
    replaced(monkeypatch, emulated, MemoryError())
    fails("CUDA_ERROR_OUT_OF_MEMORY", emulated.calls.mem_get_info)


@pytest.fixture
def lost_interrupt(emulated, monkeypatch):
    """What Python does with a Ctrl-C that strikes before the first line of a callback."""
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    binding.watch_interrupts.__wrapped__()

    class Unraisable:
        exc_type, exc_value, exc_traceback = KeyboardInterrupt, KeyboardInterrupt(), None
        err_msg = "Exception ignored on <function gpuarray._ffi.emulator call at 0x1>"
        object = None

    return lambda: sys.unraisablehook(Unraisable)


def test_a_lost_interrupt_is_raised_in_the_caller(emulated, lost_interrupt):
    """The number that C gets then is that of no call, and so no status."""
    lost_interrupt()
    for number in (0, 1, 12345):
        assert binding._take_status(number, None, ()) == 999
    assert isinstance(emulated.error("cuCtxSynchronize", 999), KeyboardInterrupt)
    error = emulated.error("cuCtxSynchronize", binding._take_status(0, None, ()))
    assert isinstance(error, DriverError)  # and not a second time
    assert "the call did not begin" in error.detail


def test_error_details_are_per_thread(emulated):
    seen = []

    def work():
        emulated.use(0)
        text = ctypes.c_char_p()
        emulated.calls.raw("get_error_string")(1, ctypes.byref(text))
        seen.append(text.value)

    fails("CUDA_ERROR_INVALID_VALUE", emulated.calls.mem_alloc, 0, match="0 bytes")
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [b"CUDA_ERROR_INVALID_VALUE"]


def test_many_threads(emulated, ptx):
    _, function = emulated.load(ptx, "store")
    failures = []

    def work(number):
        try:
            emulated.use(0)
            pointer = emulated.calls.mem_alloc(16)
            for value in range(20):
                emulated.store(function, pointer, number * 100 + value)
                assert emulated.fetch(pointer, 4) == [number * 100 + value] * 4
            emulated.calls.mem_free(pointer)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
