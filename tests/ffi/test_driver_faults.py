"""What a failed kernel leaves behind: a context that fails until it is reset.

Each test runs in a process of its own, since the reset takes everything in the process with it.
"""

import os
import subprocess
import sys
import textwrap

import pytest

from gpuarray._ffi import driver
from tests.ffi.device_work import arguments, launch, status_of

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
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    "how, expected",
    [(0, "ILLEGAL_ADDRESS"), (1, "MISALIGNED_ADDRESS"), (2, "LAUNCH_FAILED"), (3, "ASSERT")],
)
def test_a_fault_stays_until_the_reset(how, expected):
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


def test_the_reset_makes_the_device_usable_again():
    seen = run(
        """
        outcome(launch_and_wait, 0)
        assert driver.context_reset(0) == context
        assert driver.context_get_current() == context
        assert driver.primary_context_get_state(0)[1] == 1
        print(outcome(driver.mem_free, pointer)[0])  # gone with the rest of the context
        start()
        launch_and_wait(4)
        host = np.zeros(4, np.int32)
        driver.memcpy_dtoh(host.ctypes.data, pointer, 16)
        print(*host)
        outcome(launch_and_wait, 2)
        driver.context_reset(0)
        start()
        launch_and_wait(4)
        print("fine")
        """
    )
    assert seen == ["INVALID_VALUE", *"7777", "fine"]


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
            assert "an earlier kernel of this context failed: " in text, text
            assert "in kernel fail" in text, text
            assert "PTX line" in text, text
            assert "until its device is reset" in text, text
            assert "outside any allocation" not in text, text  # no advice on the wrong kernel
        print("fine")
        """
    ) == ["fine"]


@pytest.mark.emulator
def test_other_contexts_and_devices_are_unharmed():
    assert run(
        """
        other = driver.primary_context_retain(1)
        outcome(launch_and_wait, 0)
        driver.context_set_current(other)
        start()
        launch_and_wait(4)
        beside = driver.context_create(0)
        start()
        launch_and_wait(4)
        driver.context_destroy(beside)
        driver.context_set_current(context)
        print(outcome(driver.context_synchronize)[0])
        """,
        GPUARRAY_EMULATED_DEVICES="2",
    ) == ["ILLEGAL_ADDRESS"]


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
