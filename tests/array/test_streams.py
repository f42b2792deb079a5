"""Streams and events by CuPy's names: what they are, callbacks, threads, the end of a process."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import driver
from gpuarray.cuda import Event, ExternalStream, Stream, runtime
from gpuarray.errors import CUDAError
from tests.limits import HANG_SECONDS


def run(program, **settings):
    """The output of a program in a process of its own, which has to end well and silently."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


# ---- what a stream is ----------------------------------------------------------------------------


def test_attributes():
    stream = Stream(non_blocking=True, priority=-1)
    assert (stream.is_non_blocking, stream.priority) == (True, -1)
    plain = Stream(False, False, False, 0)
    assert (plain.is_non_blocking, plain.priority) == (False, 0)
    assert Stream(priority=None).priority == 0
    assert stream.device_id == 0
    assert stream.ptr > 2
    assert stream.done
    assert not Stream.null.is_non_blocking
    assert Stream(null=True, ptds=True) == Stream.null
    assert (Stream.null.ptr, Stream.ptds.ptr) == (0, runtime.streamPerThread)
    with pytest.raises(TypeError):
        Stream(priority=1.5)


def test_a_stream_of_another_library():
    owner = Stream(non_blocking=True)

    class Theirs:
        def __cuda_stream__(self):
            return 0, owner.ptr

    theirs = Theirs()
    stream = Stream.from_external(theirs)
    assert isinstance(stream, Stream)
    assert stream == owner
    assert stream.is_non_blocking
    with stream:
        x = cp.arange(3) + 1
    stream.synchronize()
    assert x.tolist() == [1, 2, 3]
    count = sys.getrefcount(theirs)
    del stream, x
    gc.collect()
    cp.get_default_memory_pool().free_all_blocks()
    assert sys.getrefcount(theirs) == count - 1  # it was kept until then
    owner.synchronize()  # and is not destroyed


def test_streams_are_for_other_libraries():
    stream = Stream()
    assert stream.__cuda_stream__() == (0, stream.ptr)
    assert Stream.from_external(stream) is stream
    assert ExternalStream(stream.ptr).__cuda_stream__() == (0, stream.ptr)


@pytest.mark.parametrize(
    "answer, error",
    [
        (None, TypeError),
        (7, TypeError),
        ((0, 1, 2), TypeError),
        ((0, "x"), TypeError),
        ((1, 0), ValueError),
    ],
)
def test_objects_that_are_no_streams(answer, error):
    class Theirs:
        def __cuda_stream__(self):
            return answer

    with pytest.raises(error, match="__cuda_stream__"):
        Stream.from_external(Theirs())
    with pytest.raises(AttributeError, match="int has no method __cuda_stream__"):
        Stream.from_external(3)


def test_external_streams():
    owner = Stream()
    for stream in (ExternalStream(owner.ptr), ExternalStream(owner.ptr, -1)):
        assert stream == owner
        assert stream.device_id == 0
    assert ExternalStream(0) == Stream.null
    assert ExternalStream(2, 0) == Stream.ptds


DEVICES = """
import gpuarray as cp
with cp.cuda.Device(1):
    there = cp.cuda.Stream()
    own = cp.cuda.Stream.null
external = cp.cuda.ExternalStream(there.ptr)
assert external.device_id == cp.cuda.Stream.from_external(external).device_id == 1
assert cp.cuda.get_current_stream(1) is own and cp.cuda.get_current_stream(-1).device_id == 0
try:
    with external:
        raise SystemExit("entered")
except RuntimeError as error:
    assert "enter that device first" in str(error)
with cp.cuda.Device(1), external:
    x = cp.arange(3) + 1
    assert cp.cuda.get_current_stream() is external
external.synchronize()
assert x.device.id == 1 and x.tolist() == [1, 2, 3]
"""


def test_a_stream_of_another_device(two_devices):
    run(DEVICES, **two_devices)


# ---- events --------------------------------------------------------------------------------------


def test_events():
    stream = Stream(non_blocking=True)
    start, end = Event(), Event(True)
    assert start.done  # nothing was recorded
    assert stream.record(start) is start
    with stream:
        cp.arange(1000.0).sum()
    end.record(stream)
    Stream.null.wait_event(end)
    end.synchronize()
    assert end.done
    assert cp.cuda.get_elapsed_time(start, end) >= 0
    assert isinstance(stream.record(), Event)
    other = Event(False, True, True)
    other.record()
    with pytest.raises(CUDAError):
        cp.cuda.get_elapsed_time(start, other)
    with pytest.raises(ValueError, match="disable_timing"):
        Event(interprocess=True)


# ---- callbacks -----------------------------------------------------------------------------------


def test_callbacks_get_what_cupys_get():
    stream, seen = Stream(), []
    with stream:
        cp.arange(10) + 1
    stream.add_callback(lambda *given: seen.append(given), "a")
    stream.launch_host_func(lambda *given: seen.append(given), "b")
    runtime.streamAddCallback(stream.ptr, lambda *given: seen.append(given), "c")
    runtime.launchHostFunc(stream.ptr, lambda *given: seen.append(given), "d")
    stream.synchronize()
    assert seen == [(stream, 0, "a"), ("b",), (stream.ptr, 0, "c"), ("d",)]
    for queue in (stream.add_callback, stream.launch_host_func):
        with pytest.raises(TypeError, match="callback is a function"):
            queue(None, 1)


def test_a_callback_whose_stream_is_gone():
    seen = threading.Event()
    stream = Stream()
    stream.add_callback(lambda stream, status, arg: arg.set(), seen)
    del stream
    gc.collect()
    assert seen.wait(600)


def test_callbacks_of_many_threads():
    stream, seen = Stream(non_blocking=True), []

    def work(number):
        for at in range(20):
            stream.launch_host_func(seen.append, (number, at))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stream.synchronize()
    assert len(seen) == 80
    for number in range(4):  # each thread's in its order
        assert [at for n, at in seen if n == number] == list(range(20))


def test_an_exception_in_a_callback_is_reported(monkeypatch):
    reported, seen, stream = [], [], Stream()
    monkeypatch.setattr("sys.unraisablehook", lambda x: reported.append(x.exc_type))
    stream.add_callback(lambda *given: 1 / 0, None)
    stream.launch_host_func(lambda arg: sys.exit(3), None)
    stream.launch_host_func(seen.append, 1)
    stream.synchronize()
    assert reported == [ZeroDivisionError, SystemExit]
    assert seen == [1]
    assert (cp.arange(3) + 1).tolist() == [1, 2, 3]


def test_cuda_is_not_called_in_a_callback(monkeypatch):
    reported, asked, stream = [], [], Stream()
    ident = threading.get_ident
    monkeypatch.setattr("sys.unraisablehook", lambda x: reported.append(x.exc_value))
    x = cp.arange(3)
    event, later = stream.record(), cp.cuda.Event()
    for wrong in (lambda _: x + 1, lambda _: x.get()):
        stream.launch_host_func(wrong, None)
    # A driver may wait for ever there: it must not be asked.
    for name in ("bare_stream_synchronize", "bare_event_synchronize"):
        function = getattr(driver, name)
        monkeypatch.setattr(
            driver, name, lambda *given, ask=function: asked.append(ident()) or ask(*given)
        )
    for wrong in (lambda _: stream.synchronize(), lambda _: event.synchronize()):
        stream.launch_host_func(wrong, None)
    stream.record(later)
    later.synchronize()
    stream.synchronize()
    assert set(asked) == {ident()}
    assert len(reported) == 4
    assert all("hand the work over to another thread" in str(error) for error in reported)
    assert (x + 1).tolist() == [1, 2, 3]


def test_what_dies_in_a_callback_is_freed_outside(monkeypatch):
    """Nothing may call the driver there: memory, streams and events wait for the next time."""
    reported, stream = [], Stream(non_blocking=True)
    monkeypatch.setattr("sys.unraisablehook", lambda x: reported.append(x.exc_value))
    with stream:
        used = cp.arange(1000.0)
    used + 1  # memory that two streams used
    held = [
        cp.arange(10.0), used, Stream(), Event(), cp.cuda.Memory(1000), cp.cuda.PinnedMemory(100),
        cp.cuda.MemoryPool().malloc(100), cp.cuda.alloc_pinned_memory(100),
    ]  # fmt: skip
    freed = []
    free = driver.stream_destroy
    monkeypatch.setattr(
        driver, "stream_destroy", lambda handle: freed.append(handle) or free(handle)
    )
    handle = held[2].ptr
    del used
    stream.launch_host_func(list.clear, held)
    stream.synchronize()
    assert not held
    assert freed == [handle]
    assert not reported


@pytest.mark.parametrize("captured", [False, True])
def test_callbacks_and_captures(captured):
    stream = Stream(non_blocking=True)
    if not captured:
        stream.add_callback(lambda *given: None, None)
        assert not runtime.streamIsCapturing(stream.ptr)
        return
    driver.stream_begin_capture(stream.ptr)
    try:
        assert runtime.streamIsCapturing(stream.ptr) is True
        with pytest.raises(CUDAError, match="launch_host_func"):
            stream.add_callback(lambda *given: None, None)
    finally:
        driver.graph_destroy(driver.stream_end_capture(stream.ptr))  # it is valid still


def test_a_capture_that_became_invalid():
    stream = Stream(non_blocking=True)
    driver.stream_begin_capture(stream.ptr)
    with pytest.raises(CUDAError):
        runtime.streamQuery(stream.ptr)
    with pytest.raises(CUDAError, match="begin it anew"):
        runtime.streamIsCapturing(stream.ptr)
    with pytest.raises(CUDAError):
        driver.stream_end_capture(stream.ptr)


AT_EXIT = """
import gpuarray as cp
stream = cp.cuda.Stream()
with stream:
    x = cp.arange(10) + 1
stream.add_callback(lambda stream, status, x: print("called", status), x)
"""


def test_a_callback_at_the_end_of_a_process():
    assert run(AT_EXIT) == "called 0\n"


def test_the_end_of_a_process_waits_for_callbacks_but_not_for_ever(monkeypatch):
    from gpuarray._runtime import host_functions

    answers = iter([True, True, False])
    monkeypatch.setattr(driver, "host_functions_wait", lambda: next(answers))
    host_functions.wait_at_exit()
    assert next(answers, None) is None
    monkeypatch.setattr(driver, "host_functions_wait", lambda: None)  # those of graphs
    states = iter([False, False, True])
    monkeypatch.setattr(host_functions, "streams", {1: Stream()})
    monkeypatch.setattr(host_functions, "_idle", lambda x: next(states))
    host_functions.wait_at_exit()
    assert next(states, None) is None
    monkeypatch.setattr(driver, "host_functions_wait", lambda: True)
    monkeypatch.setattr(host_functions, "EXIT_SECONDS", 0.01)
    host_functions.wait_at_exit()


# ---- threads -------------------------------------------------------------------------------------


def in_thread(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def test_garbage_is_freed_while_a_thread_begins(monkeypatch):
    set_current = driver.context_set_current

    def collect_before(context):
        gc.collect()
        set_current(context)

    stream = Stream(non_blocking=True)
    with stream:
        x = cp.arange(5)
    cycle = [stream]
    cycle.append(cycle)
    died = weakref.ref(stream)
    del stream, x, cycle
    monkeypatch.setattr(driver, "context_set_current", collect_before)
    failures = []
    monkeypatch.setattr(sys, "unraisablehook", lambda failure: failures.append(failure.exc_value))
    assert in_thread(cp.cuda.get_current_stream) == Stream.null
    assert died() is None
    assert failures == []


def test_a_stream_outlives_the_thread_that_made_it():
    def work():
        stream = Stream(non_blocking=True)
        with stream:
            return stream, cp.arange(5), stream.record()

    stream, x, event = in_thread(work)
    event.synchronize()
    with stream:
        assert (x + 1).tolist() == [1, 2, 3, 4, 5]
    stream.synchronize()
    assert cp.cuda.get_current_stream() is not stream


def test_a_default_stream_of_a_thread_that_has_ended():
    def work():
        with Stream.ptds as stream:
            return stream, cp.arange(5) + 1

    stream, x = in_thread(work)
    Stream.null.synchronize()
    assert stream == Stream.ptds  # one handle, another stream in each thread
    assert (x * 2).tolist() == [2, 4, 6, 8, 10]
    del stream, x
    gc.collect()
    assert cp.arange(3).tolist() == [0, 1, 2]


def test_a_stream_collected_while_work_is_queued():
    for _ in range(10):
        stream = Stream(non_blocking=True)
        with stream:
            x = cp.arange(1000) * 2
        event = stream.record()
        del stream
        event.synchronize()
        assert (cp.asnumpy(x) == np.arange(1000) * 2).all()


OWN_DEFAULT = """
import threading
import gpuarray as cp
found = []
def work():
    with cp.cuda.Device(0):
        x = cp.arange(4) + 1
        stream = cp.cuda.get_current_stream()
    assert stream is cp.cuda.Stream.ptds is cp.cuda.get_current_stream()
    assert x.tolist() == [1, 2, 3, 4]
    found.append(stream)
work()
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len({id(stream) for stream in found}) == 4
with cp.cuda.Stream.null:
    assert cp.cuda.get_current_stream().ptr == 0
assert cp.cuda.get_current_stream().ptr == 2
assert cp.cuda.get_current_stream(0).ptr == 2
"""


@pytest.mark.parametrize(
    "variable", ["GPUARRAY_PER_THREAD_DEFAULT_STREAM", "CUPY_CUDA_PER_THREAD_DEFAULT_STREAM"]
)
def test_threads_that_begin_on_default_streams_of_their_own(variable):
    run(OWN_DEFAULT, **{variable: "1"})


ELSEWHERE = """
import gpuarray as cp
from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import current
first, second = cp.cuda.Device(0), cp.cuda.Device(1)
with second:
    event = cp.cuda.Event()
    own = cp.cuda.Stream.ptds
external = cp.cuda.ExternalStream(0, 1)
seen = []
for name in ("bare_stream_synchronize", "bare_stream_query", "bare_event_record", "bare_stream_wait_event"):
    function = getattr(driver, name)
    def call(*given, function=function):
        seen.append(driver.context_get_current() == second.context)
        return function(*given)
    setattr(driver, name, call)
for stream in (second.default_stream, own, external):
    stream.synchronize()
    assert stream.done
    event.record(stream)
    assert stream.record(event) is event
    stream.wait_event(event)
    stream.launch_host_func(seen.append, True)
    stream.add_callback(lambda *given: seen.append(True), 0)
    assert not stream.is_non_blocking and stream.priority == 0
    assert cp.cuda.Device() is first
assert seen == [True] * 21, seen
"""


def test_a_default_stream_of_another_device(two_devices):
    """Its handle stands for one of the current device, which has to be the stream's."""
    run(ELSEWHERE, **two_devices)
