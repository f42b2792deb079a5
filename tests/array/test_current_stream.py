"""Which device and stream a thread works on: ``with`` blocks, nested and shared."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

import gpuarray as cp


def test_a_stream_entered_by_several_threads_gives_each_its_own_back():
    shared = cp.cuda.Stream()
    faults = []

    def work(own):
        try:
            with own:
                for _ in range(200):
                    with shared:
                        assert cp.cuda.get_current_stream() is shared
                    assert cp.cuda.get_current_stream() is own
        except BaseException as fault:
            faults.append(fault)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # so that threads meet inside the blocks
    try:
        threads = [threading.Thread(target=work, args=(cp.cuda.Stream(),)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not faults


def test_blocks_nest_and_end_with_an_error():
    before = cp.cuda.get_current_stream()
    a, b = cp.cuda.Stream(), cp.cuda.Stream()

    def fail():
        with a, cp.cuda.Device(0), b, a:
            assert cp.cuda.get_current_stream() is a
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert cp.cuda.get_current_stream() is before


TWO_DEVICES = """
import gpuarray as cp
before = cp.cuda.get_current_stream()
a = cp.cuda.Stream()
with a:
    with cp.cuda.Device(1) as second:
        b = cp.cuda.Stream()
        with b:
            assert cp.cuda.get_current_stream() is b
            assert cp.arange(3).device is second
            with cp.cuda.Device(0):
                assert cp.cuda.get_current_stream() is a
            assert cp.cuda.get_current_stream() is b
        assert cp.cuda.get_current_stream() is second.default_stream
    assert cp.cuda.get_current_stream() is a
    assert cp.arange(3).device.id == 0
assert cp.cuda.get_current_stream() is before
try:
    with cp.cuda.Device(1), a:
        raise SystemExit("a stream of another device was entered")
except RuntimeError as error:
    assert "enter that device first" in str(error)
assert cp.cuda.get_current_stream() is before
"""


FIRST_USES = """
import threading
import gpuarray as cp
memory = [cp.cuda.alloc_pinned_memory(100), cp.cuda.malloc_managed(100)]
cp.cuda.get_current_stream()
pool = cp.get_default_memory_pool()
x = cp.arange(10)
del x
def last():
    memory.clear()
    pool.free_all_blocks()
    cp.get_default_pinned_memory_pool().free_all_blocks()
thread = threading.Thread(target=last)
thread.start()
thread.join()
assert pool.total_bytes() == 0
"""


def test_memory_needs_no_device_to_be_chosen():
    """Pinned memory as the first thing of a process; freeing as the first thing of a thread."""
    result = subprocess.run(
        [sys.executable, "-c", FIRST_USES], env=os.environ, capture_output=True, text=True
    )
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.emulator
def test_devices_and_streams_nest():
    environment = {**os.environ, "GPUARRAY_EMULATED_DEVICES": "2"}
    result = subprocess.run(
        [sys.executable, "-c", TWO_DEVICES], env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
