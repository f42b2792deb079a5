"""Streams, events, host functions and capture, whichever backend is bound."""

import functools
import threading

import numpy as np
import pytest

from gpuarray._ffi import driver
from gpuarray.errors import DriverError
from tests.ffi.device_work import arguments, fetch, image, launch, status_of

pytestmark = pytest.mark.usefixtures("context")


def test_what_a_stream_is(context):
    least, greatest = driver.context_get_stream_priority_range()
    streams = [driver.stream_create(1, priority) for priority in (least, greatest, greatest - 99)]
    assert [driver.stream_get_priority(s) for s in streams] == [least, greatest, greatest]
    assert {driver.stream_get_context(s) for s in streams} == {context}
    assert len({driver.stream_get_id(s) for s in streams}) == 3
    for handle in streams:
        driver.stream_destroy(handle)


def test_host_functions_come_after_earlier_work(kernels, allocate, stream):
    pinned = driver.mem_host_alloc(16)
    seen, done = [], threading.Event()
    pointer = allocate(np.ones(4, np.int32))
    launch(kernels("add"), arguments(pointer, np.int32(1)), stream=stream)
    driver.memcpy_dtoh_async(pinned, pointer, 16, stream)

    def look():
        seen.append(np.frombuffer(driver.host_buffer(pinned, 16, None), np.int32).tolist())
        done.set()

    driver.launch_host_function(stream, look)
    assert done.wait(600)
    driver.stream_synchronize(stream)
    assert seen == [[2] * 4]
    driver.mem_host_free(pinned)


def test_callbacks_get_a_status_once(kernels, allocate, stream):
    seen, done = [], threading.Event()
    pointer = allocate(np.ones(4, np.int32))
    launch(kernels("add"), arguments(pointer, np.int32(1)), stream=stream)
    driver.stream_add_callback(stream, seen.append)
    driver.stream_add_callback(stream, lambda status: done.set())
    assert done.wait(600)
    driver.stream_synchronize(stream)
    assert seen == [0]
    assert status_of(driver.stream_add_callback, stream, seen.append, 1) == "INVALID_VALUE"
    assert not driver.host_functions_wait()


def test_callbacks_are_not_captured(stream):
    driver.stream_begin_capture(stream)
    refused = status_of(driver.stream_add_callback, stream, lambda status: None)
    assert refused == "STREAM_CAPTURE_UNSUPPORTED"
    abandon(stream)
    assert not driver.host_functions_wait()


@pytest.mark.parametrize("queue", ["launch_host_function", "stream_add_callback"])
def test_an_exception_in_a_callback_is_reported(stream, queue, monkeypatch):
    reported, done = [], threading.Event()
    monkeypatch.setattr("sys.unraisablehook", lambda x: reported.append(str(x.exc_value)))

    def fail(*status):
        raise KeyError("from a callback")

    getattr(driver, queue)(stream, fail)
    getattr(driver, queue)(stream, lambda *status: done.set())  # and others are called
    assert done.wait(600)
    driver.stream_synchronize(stream)
    assert reported == ["'from a callback'"]


def test_what_a_function_holds_is_not_freed_where_it_is_called(stream):
    freed, called = [], []

    class Held:
        def __del__(self):
            freed.append(threading.get_ident())

    def function(held):
        called.append((threading.get_ident(), driver.in_host_function()))

    driver.launch_host_function(stream, functools.partial(function, Held()))
    driver.stream_synchronize(stream)
    driver.free_what_waits()
    assert freed == [threading.get_ident()]
    assert [inside for _, inside in called] == [True]
    assert called[0][0] != freed[0]
    assert not driver.in_host_function()


def test_a_host_function_must_not_call_the_driver(stream):
    seen, done = [], threading.Event()

    def call():
        try:
            seen.append(status_of(driver.mem_alloc, 16))
        finally:
            done.set()

    driver.launch_host_function(stream, call)
    assert done.wait(600)
    driver.stream_synchronize(stream)
    assert seen in (["NOT_PERMITTED"], ["INVALID_CONTEXT"])  # hardware: no context in its thread


def test_times_do_not_go_back(kernels, stream):
    events = [driver.event_create() for _ in range(4)]
    for event in events:
        launch(kernels("nothing"), arguments(), stream=stream)
        driver.event_record(event, stream)
    driver.event_synchronize(events[-1])
    times = [driver.event_elapsed_time(events[0], event) for event in events]
    assert times == sorted(times)
    assert times[0] == 0
    assert driver.event_elapsed_time(events[-1], events[0]) <= 0
    for event in events:
        driver.event_destroy(event)


def test_an_event_never_recorded_is_over():
    event = driver.event_create()
    assert driver.event_query(event)
    driver.event_synchronize(event)
    assert status_of(driver.event_elapsed_time, event, event) == "INVALID_HANDLE"
    driver.event_destroy(event)
    assert status_of(driver.event_create, 4) == "INVALID_VALUE"  # for others, but with timing


# --- capture


def captured(stream):
    """The graph of a capture, and its nodes' number."""
    graph = driver.stream_end_capture(stream)
    count = len(driver.graph_get_nodes(graph))
    return graph, count


def abandon(stream):
    """End a capture that may have become invalid."""
    try:
        driver.graph_destroy(driver.stream_end_capture(stream))
    except DriverError as error:
        if error.status_name != "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED":
            raise
    assert driver.stream_is_capturing(stream) == 0


def test_captured_work_is_not_done(kernels, allocate, stream):
    pointer = allocate(np.ones(4, np.int32))
    driver.stream_begin_capture(stream)
    launch(kernels("add"), arguments(pointer, np.int32(1)), stream=stream)
    status, identity, graph, nodes = driver.stream_get_capture_info(stream)
    assert (status, len(nodes)) == (1, 1)
    assert identity
    assert driver.stream_is_capturing(stream) == 1
    assert captured(stream) == (graph, 1)
    assert driver.stream_is_capturing(stream) == 0
    assert driver.stream_get_capture_info(stream)[0] == 0
    assert fetch(pointer, 4).tolist() == [1] * 4
    driver.graph_destroy(graph)


def test_a_fork_and_a_join(kernels, allocate, stream):
    other = driver.stream_create(1)
    fork, join = driver.event_create(2), driver.event_create(2)
    first, second = (allocate(np.ones(4, np.int32)) for _ in range(2))
    driver.stream_begin_capture(stream)
    launch(kernels("add"), arguments(first, np.int32(1)), stream=stream)
    driver.event_record(fork, stream)
    driver.stream_wait_event(other, fork)
    assert driver.stream_is_capturing(other) == 1
    launch(kernels("twice"), arguments(second), stream=other)
    driver.event_record(join, other)
    launch(kernels("twice"), arguments(first), stream=stream)
    driver.stream_wait_event(stream, join)
    driver.memcpy_dtod_async(first, second, 8, stream)
    graph, count = captured(stream)
    assert count == 4
    last = driver.graph_get_nodes(graph)
    copies = [node for node in last if driver.graph_node_get_type(node) == "memcpy"]
    assert len(driver.graph_node_get_dependencies(copies[0])) == 2
    executable = driver.graph_instantiate(graph)
    driver.graph_launch(executable, stream)
    driver.stream_synchronize(stream)
    assert fetch(first, 4).tolist() == [2, 2, 4, 4]
    driver.graph_exec_destroy(executable)
    driver.graph_destroy(graph)
    for event in (fork, join):
        driver.event_destroy(event)
    driver.stream_destroy(other)


def test_work_that_is_not_joined(kernels, stream):
    other, fork = driver.stream_create(1), driver.event_create(2)
    driver.stream_begin_capture(stream)
    driver.event_record(fork, stream)
    driver.stream_wait_event(other, fork)
    launch(kernels("nothing"), arguments(), stream=other)
    assert status_of(driver.stream_end_capture, stream) == "STREAM_CAPTURE_UNJOINED"
    assert driver.stream_is_capturing(stream) == driver.stream_is_capturing(other) == 0
    driver.event_destroy(fork)
    driver.stream_destroy(other)


@pytest.mark.parametrize(
    "name, expected",
    [
        ("stream_synchronize", "STREAM_CAPTURE_UNSUPPORTED"),
        ("stream_query", "STREAM_CAPTURE_UNSUPPORTED"),
    ],
)
def test_what_cannot_be_asked_of_a_captured_stream(stream, name, expected):
    driver.stream_begin_capture(stream)
    assert status_of(getattr(driver, name), stream) == expected
    assert driver.stream_is_capturing(stream) == 2
    assert status_of(driver.stream_end_capture, stream) == "STREAM_CAPTURE_INVALIDATED"
    assert driver.stream_is_capturing(stream) == 0


def test_calls_that_disturb_a_capture(stream):
    driver.stream_begin_capture(stream)
    assert status_of(driver.mem_alloc, 16) == "STREAM_CAPTURE_UNSUPPORTED"
    assert status_of(driver.stream_end_capture, stream) == "STREAM_CAPTURE_INVALIDATED"
    driver.stream_begin_capture(stream, "relaxed")
    driver.mem_free(driver.mem_alloc(16))
    driver.graph_destroy(driver.stream_end_capture(stream))
    driver.stream_begin_capture(stream)
    assert driver.thread_exchange_capture_mode("relaxed") == "global"
    try:
        driver.mem_free(driver.mem_alloc(16))
    finally:
        assert driver.thread_exchange_capture_mode("global") == "relaxed"
    driver.graph_destroy(driver.stream_end_capture(stream))


def test_the_legacy_stream_and_captures():
    assert status_of(driver.stream_begin_capture, 0) == "STREAM_CAPTURE_UNSUPPORTED"
    blocking = driver.stream_create(0)
    pointer = driver.mem_alloc(16)
    driver.stream_begin_capture(blocking, "relaxed")
    for asks in (driver.stream_is_capturing, driver.stream_get_capture_info):
        assert status_of(asks, 0) == "STREAM_CAPTURE_IMPLICIT"
    assert driver.stream_is_capturing(blocking) == 1  # asking does no harm
    assert status_of(driver.memset_d8_async, pointer, 0, 16, 0) == "STREAM_CAPTURE_IMPLICIT"
    assert status_of(driver.stream_end_capture, blocking) == "STREAM_CAPTURE_INVALIDATED"
    driver.stream_destroy(blocking)
    driver.mem_free(pointer)


def test_ends_without_beginnings(stream):
    assert status_of(driver.stream_end_capture, stream) == "ILLEGAL_STATE"
    driver.stream_begin_capture(stream)
    assert status_of(driver.stream_begin_capture, stream) == "ILLEGAL_STATE"
    driver.graph_destroy(driver.stream_end_capture(stream))


def test_events_across_the_edge_of_a_capture(stream):
    event = driver.event_create(2)
    driver.event_record(event, stream)
    driver.stream_begin_capture(stream)
    waited = status_of(driver.stream_wait_event, stream, event)
    assert waited == "STREAM_CAPTURE_ISOLATION"
    assert status_of(driver.stream_end_capture, stream) == "STREAM_CAPTURE_INVALIDATED"
    driver.stream_begin_capture(stream, "relaxed")
    driver.event_record(event, stream)
    assert status_of(driver.event_query, event) == "CAPTURED_EVENT"
    abandon(stream)
    # Later it is no event of a capture any more, and not one to wait for either.
    for call in (driver.event_query, driver.event_synchronize):
        assert status_of(call, event) == "INVALID_VALUE"
    assert status_of(driver.stream_wait_event, stream, event) == "INVALID_VALUE"
    driver.event_destroy(event)


def test_the_time_of_a_captured_event_does_no_harm(stream):
    event, done = driver.event_create(), driver.event_create()
    driver.event_record(done, stream)
    driver.stream_begin_capture(stream, "relaxed")
    driver.event_record(event, stream)
    assert status_of(driver.event_elapsed_time, event, done) == "CAPTURED_EVENT"
    assert status_of(driver.event_elapsed_time, done, event) == "CAPTURED_EVENT"
    driver.graph_destroy(driver.stream_end_capture(stream))
    assert status_of(driver.event_elapsed_time, event, event) == "INVALID_VALUE"
    driver.event_destroy(event)
    driver.event_destroy(done)


def test_the_legacy_stream_takes_no_part_in_a_capture(stream):
    event = driver.event_create(2)
    driver.stream_begin_capture(stream, "relaxed")
    driver.event_record(event, stream)
    assert status_of(driver.stream_wait_event, 0, event) == "STREAM_CAPTURE_IMPLICIT"
    assert status_of(driver.stream_end_capture, stream) == "STREAM_CAPTURE_INVALIDATED"
    driver.event_destroy(event)


@pytest.mark.parametrize("mode", ["global", "thread_local", "relaxed"])
def test_what_the_modes_of_a_capture_refuse(stream, allocate, mode):
    pointer, module = allocate(np.arange(8, dtype=np.int32)), driver.module_load_data(image())
    driver.stream_begin_capture(stream, mode)
    # What waits for the host is no danger to a stream that does not wait for the default one.
    host = np.zeros(2, np.int32)
    driver.memcpy_dtod(pointer, pointer + 16, 4)
    nine = np.array([9], np.int32)
    driver.memcpy_htod(pointer + 4, nine.ctypes.data, 4)
    driver.memset_d8(pointer + 8, 0, 4)
    driver.memcpy_dtoh(host.ctypes.data, pointer, 8)
    assert status_of(driver.mem_free_async, pointer, stream) == "INVALID_VALUE"
    driver.graph_destroy(driver.stream_end_capture(stream))
    assert host.tolist() == [4, 9]
    assert fetch(pointer, 3).tolist() == [4, 9, 0]
    graph = driver.graph_create()
    driver.stream_begin_capture(stream, mode)
    if mode == "relaxed":
        driver.graph_exec_destroy(driver.graph_instantiate(graph))
        driver.graph_destroy(driver.stream_end_capture(stream))
    else:
        assert status_of(driver.graph_instantiate, graph) == "STREAM_CAPTURE_UNSUPPORTED"
        assert status_of(driver.stream_end_capture, stream) == "STREAM_CAPTURE_INVALIDATED"
    driver.graph_destroy(graph)
    driver.stream_begin_capture(stream, mode)
    if mode == "relaxed":
        driver.module_unload(module)
        driver.graph_destroy(driver.stream_end_capture(stream))
    else:
        assert status_of(driver.module_unload, module) == "STREAM_CAPTURE_UNSUPPORTED"
        assert status_of(driver.stream_end_capture, stream) == "STREAM_CAPTURE_INVALIDATED"
        driver.module_unload(module)


def test_a_capture_ends_in_its_own_thread(stream, context):
    driver.stream_begin_capture(stream)
    seen = []

    def work():
        driver.context_set_current(context)
        seen.append(status_of(driver.stream_end_capture, stream))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == ["STREAM_CAPTURE_WRONG_THREAD"]
    # The attempt ended the capture, as an H200 showed.
    assert driver.stream_is_capturing(stream) == 0
    assert status_of(driver.stream_end_capture, stream) == "ILLEGAL_STATE"
