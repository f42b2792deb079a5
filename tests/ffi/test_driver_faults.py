"""What a failed kernel leaves behind: a device that fails for the rest of the process.

Each test runs in a process of its own, since the reset takes everything in the process with it.
"""

import os
import subprocess
import sys
import textwrap

import pytest

from gpuarray._ffi import driver
from tests.ffi.device_work import arguments, launch, status_of
from tests.limits import HANG_SECONDS

SOURCE = """
extern "C" __global__ void fail(int *a, int how) {
    if (how == 0) a[threadIdx.x + (1ll << 40)] = 1;  // nobody's memory
    if (how == 1) *(int *)((char *)a + 1) = 1;
    if (how == 2) __trap();
    if (how == 3) assert(a == 0);
    if (how == 4) a[threadIdx.x] = 7;
}
"""

PRELUDE = f"""
import sys, threading
import numpy as np
from gpuarray._ffi import driver, nvrtc
from gpuarray.errors import DriverError

SOURCE = {SOURCE!r}
kind = driver.image_kind
architecture = ("sm_" if kind == "cubin" else "compute_") + "".join(
    str(driver.device_attribute("compute_capability_" + part, 0)) for part in ("major", "minor")
)

def start():
    global context, module, function, pointer
    module = driver.module_load_data(image)
    function = driver.module_get_function(module, "fail")
    pointer = driver.mem_alloc(64)

def launch(how):
    buffer = driver.ArgumentBuffer((8, 4))
    buffer.words[0] = pointer
    buffer.view(1, "i")[0] = how
    config = driver.launch_config((1, 1, 1), (4, 1, 1))
    status = driver.launch(config, driver.function_argument(function), buffer.params, None)
    if status:
        raise driver.launch_error(status, "fail", (1, 1, 1), (4, 1, 1))

def outcome(call, *given):
    try:
        call(*given)
    except DriverError as error:
        return error.status_name.removeprefix("CUDA_ERROR_"), str(error)
    return "SUCCESS", ""

def launch_and_wait(how):
    launch(how)
    driver.context_synchronize()

options = ["--gpu-architecture=" + architecture]
image = nvrtc.compile(SOURCE, "fail.cu", options=options, kind=kind)[0]
context = driver.primary_context_retain(0)
driver.context_set_current(context)
start()
"""


def run(body, **environment):
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(body)],
        env={**os.environ, "GPUARRAY_STICKY_FAULTS": "1", **environment},
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    "how, expected",
    [(1, "MISALIGNED_ADDRESS"), (3, "ASSERT")],
)
def test_a_fault_stays(how, expected):
    seen = run(
        f"""
        stream, event = driver.stream_create(), driver.event_create()
        print(outcome(launch_and_wait, {how})[0])
        host = np.zeros(16, np.int32)
        for call, given in [
            (driver.context_synchronize, ()),
            (launch, (4,)),
            (driver.mem_alloc, (16,)),
            (driver.mem_free, (pointer,)),
            (driver.memcpy_dtoh, (host.ctypes.data, pointer, 64)),
            (driver.memset_d8_async, (pointer, 0, 64, 0)),
            (driver.stream_create, ()),
            (driver.stream_synchronize, (stream,)),
            (driver.event_record, (event, 0)),
            (driver.module_load_data, (image,)),
        ]:
            print(outcome(call, *given)[0])

        def other_thread():
            driver.context_set_current(context)
            print(outcome(driver.mem_alloc, 16)[0])

        thread = threading.Thread(target=other_thread)
        thread.start()
        thread.join()
        """
    )
    assert seen == [expected] * 12


@pytest.mark.parametrize(
    "how, expected",
    [(0, "ILLEGAL_ADDRESS"), (2, "LAUNCH_FAILED")],
)
def test_no_reset_brings_the_device_back(how, expected):
    """As an H200 showed: the context can be reset after a fault, and not be made anew."""
    seen = run(
        f"""
        outcome(launch_and_wait, {how})
        print(outcome(driver.mem_get_address_range, pointer)[0])
        assert driver.primary_context_retain(0) == context  # as long as it is there
        driver.primary_context_release(0)
        driver.primary_context_reset(0)
        assert driver.context_get_current() == context
        assert driver.primary_context_get_state(0)[1] == 0
        print(outcome(driver.mem_alloc, 16)[0])
        print(outcome(driver.primary_context_retain, 0)[0])
        print(outcome(driver.mem_alloc, 16)[0])
        print(outcome(driver.context_create, 0)[0])
        print(outcome(driver.context_reset, 0)[0])
        """
    )
    gone = "CONTEXT_IS_DESTROYED"
    assert seen == [expected, gone, expected, gone, expected, expected]


def test_a_reset_without_a_fault():
    seen = run(
        """
        for _ in range(3):
            launch_and_wait(4)
            assert driver.context_reset(0) == context
            assert driver.context_get_current() == context
            assert driver.primary_context_get_state(0)[1] == 1
            print(outcome(driver.mem_free, pointer)[0])  # gone with the rest of the context
            start()
        launch_and_wait(4)
        host = np.zeros(4, np.int32)
        driver.memcpy_dtoh(host.ctypes.data, pointer, 16)
        print(*host)
        """
    )
    assert seen == [*["INVALID_VALUE"] * 3, *"7777"]


@pytest.mark.slow
@pytest.mark.emulator  # a GPU's driver takes them for what lies there now, and may crash
@pytest.mark.parametrize(
    "call, expected",
    [
        ("driver.stream_synchronize(stream)", "INVALID_CONTEXT"),
        ("driver.stream_destroy(stream)", "INVALID_CONTEXT"),
        ("driver.event_record(event, 0)", "CONTEXT_IS_DESTROYED"),
        ("driver.event_destroy(event)", "CONTEXT_IS_DESTROYED"),
        ("driver.module_get_function(old, 'fail')", "INVALID_HANDLE"),
        ("driver.module_unload(old)", "INVALID_HANDLE"),
    ],
)
def test_handles_from_before_a_reset(call, expected):
    """The statuses are those that an H200 gave, where it gave any."""
    seen = run(
        f"""
        stream, event, old = driver.stream_create(), driver.event_create(), module
        driver.context_reset(0)
        start()
        print(outcome(lambda: {call})[0])
        launch_and_wait(4)
        """
    )
    assert seen == [expected]


def test_what_still_works_after_a_fault():
    assert run(
        """
        outcome(launch_and_wait, 0)
        driver.context_set_current(context)
        assert driver.context_get_current() == context
        assert driver.device_count() >= 1
        assert driver.device_name(0)
        assert driver.device_attribute("warp_size", 0) == 32
        driver.primary_context_release(0)
        print("fine")
        """
    ) == ["fine"]


@pytest.mark.emulator
def test_every_later_error_tells_of_the_first():
    assert run(
        """
        import re
        first = outcome(launch, 0)[1]
        for part in ("launching fail with grid (1, 1, 1)", "4-byte", "in kernel fail",
                     "block (0,0,0)", "thread (0,0,0)", "PTX line"):
            assert part in first, (part, first)
        for text in (outcome(driver.mem_alloc, 16)[1], outcome(launch, 4)[1]):
            assert "an earlier kernel of this device failed: " in text, text
            assert "in kernel fail" in text, text
            assert "PTX line" in text, text
            assert "outside any allocation" not in text, text  # no advice on the wrong kernel
        print("fine")
        """
    ) == ["fine"]


@pytest.mark.emulator
def test_the_other_contexts_of_the_device_fail_too_and_other_devices_do_not():
    seen = run(
        """
        other, beside = driver.primary_context_retain(1), driver.context_create(0)
        driver.context_set_current(context)
        outcome(launch_and_wait, 0)
        driver.context_set_current(other)
        start()
        launch_and_wait(4)
        for failed in (context, beside):
            driver.context_set_current(failed)
            print(outcome(driver.context_synchronize)[0])
        """,
        GPUARRAY_EMULATED_DEVICES="2",
    )
    assert seen == ["ILLEGAL_ADDRESS"] * 2


def test_a_launch_that_is_refused_harms_nothing(kernels, allocate):
    function = kernels("nothing")
    for given in [
        {"grid": (0, 1, 1)},
        {"threads": 2048},
        {"shared": 1 << 20},
        {"grid": (1 << 20, 1, 1), "threads": 1024, "cooperative": True},
    ]:
        assert status_of(launch, function, arguments(), **given) in (
            "INVALID_VALUE",
            "COOPERATIVE_LAUNCH_TOO_LARGE",
        )
        launch(function, arguments())
        driver.context_synchronize()
