"""Graphs of work, whichever backend is bound."""

import numpy as np
import pytest

from gpuarray._ffi import driver
from gpuarray.errors import DriverError
from tests.ffi.device_work import arguments, fetch, launch, status_of

pytestmark = pytest.mark.usefixtures("context")


def kernel(function, *values, threads=4):
    return driver.KernelNode(function, (1, 1, 1), (threads, 1, 1), arguments(*values))


def run(executable, stream, times=1):
    for _ in range(times):
        driver.graph_launch(executable, stream)
    driver.stream_synchronize(stream)


@pytest.fixture
def graph():
    handle = driver.graph_create()
    yield handle
    driver.graph_destroy(handle)


def test_a_captured_graph_is_replayed(kernels, allocate, stream):
    pointer = allocate(np.zeros(4, np.int32))
    host = driver.mem_host_alloc(16)
    calls = []
    driver.stream_begin_capture(stream)
    buffer = arguments(pointer, np.int32(3))
    launch(kernels("add"), buffer, stream=stream)
    buffer.view(1, "i")[0] = 1000  # the capture has its own copy of the parameters
    driver.memset_d32_async(pointer, 1, 1, stream)
    driver.memcpy_dtoh_async(host, pointer, 16, stream)
    driver.launch_host_function(stream, lambda: calls.append(1))
    graph = driver.stream_end_capture(stream)
    kinds = [driver.graph_node_get_type(node) for node in driver.graph_get_nodes(graph)]
    assert sorted(kinds) == ["host", "kernel", "memcpy", "memset"]
    executable = driver.graph_instantiate(graph)
    driver.graph_destroy(graph)  # what was made of it lives on
    driver.graph_upload(executable, stream)
    run(executable, stream, times=3)
    assert np.frombuffer(driver.host_buffer(host, 16, None), np.int32).tolist() == [1, 9, 9, 9]
    assert len(calls) == 3
    driver.graph_exec_destroy(executable)
    driver.mem_host_free(host)


def test_nodes_one_by_one(kernels, allocate, stream, graph):
    source, target = allocate(np.arange(4, dtype=np.int32)), allocate(np.zeros(4, np.int32))
    calls = []
    fill = driver.graph_add_memset_node(graph, [], target, 7, 4, 4)
    add = driver.graph_add_kernel_node(graph, [], kernel(kernels("add"), source, np.int32(10)))
    meet = driver.graph_add_empty_node(graph, [fill, add])
    copy = driver.graph_add_memcpy_node(graph, [meet], target, source, 8)
    driver.graph_add_host_node(graph, [copy], lambda: calls.append(1))
    assert set(driver.graph_node_get_dependencies(meet)) == {fill, add}
    assert driver.graph_node_get_dependencies(fill) == []
    executable = driver.graph_instantiate(graph)
    run(executable, stream)
    assert fetch(target, 4).tolist() == [10, 11, 7, 7]
    assert calls == [1]
    driver.graph_exec_destroy(executable)


def test_events_in_graphs(stream, graph):
    first, last = driver.event_create(), driver.event_create()
    begun = driver.graph_add_event_record_node(graph, [], first)
    waited = driver.graph_add_event_wait_node(graph, [begun], first)
    driver.graph_add_event_record_node(graph, [waited], last)
    executable = driver.graph_instantiate(graph)
    run(executable, stream)
    assert driver.event_elapsed_time(first, last) >= 0
    driver.graph_exec_destroy(executable)
    for event in (first, last):
        driver.event_destroy(event)


def test_a_graph_in_a_graph(kernels, allocate, stream, graph):
    pointer = allocate(np.ones(4, np.int32))
    child = driver.graph_create()
    driver.graph_add_kernel_node(child, [], kernel(kernels("twice"), pointer))
    node = driver.graph_add_child_graph_node(graph, [], child)
    driver.graph_add_child_graph_node(graph, [node], child)
    driver.graph_destroy(child)
    assert driver.graph_node_get_type(node) == "graph"
    executable = driver.graph_instantiate(graph)
    run(executable, stream)
    assert fetch(pointer, 4).tolist() == [4] * 4
    driver.graph_exec_destroy(executable)


def test_dependencies_added_later(kernels, allocate, stream, graph):
    pointer = allocate(np.ones(4, np.int32))
    add = driver.graph_add_kernel_node(graph, [], kernel(kernels("add"), pointer, np.int32(1)))
    twice = driver.graph_add_kernel_node(graph, [], kernel(kernels("twice"), pointer))
    driver.graph_add_dependencies(graph, [(twice, add)])
    executable = driver.graph_instantiate(graph)
    run(executable, stream)
    assert fetch(pointer, 4).tolist() == [3] * 4
    driver.graph_exec_destroy(executable)
    driver.graph_destroy_node(twice)
    assert driver.graph_get_nodes(graph) == [add]


def test_a_clone_is_a_graph_of_its_own(kernels, allocate, stream, graph):
    pointer = allocate(np.ones(4, np.int32))
    node = driver.graph_add_kernel_node(graph, [], kernel(kernels("twice"), pointer))
    clone = driver.graph_clone(graph)
    driver.graph_destroy_node(node)
    assert driver.graph_get_nodes(graph) == []
    executable = driver.graph_instantiate(clone)
    run(executable, stream)
    assert fetch(pointer, 4).tolist() == [2] * 4
    driver.graph_exec_destroy(executable)
    driver.graph_destroy(clone)


def test_kernel_nodes_are_changed(kernels, allocate, stream, graph):
    first, second = (allocate(np.zeros(8, np.int32)) for _ in range(2))
    function = kernels("add")
    node = driver.graph_add_kernel_node(graph, [], kernel(function, first, np.int32(1)))
    known = driver.graph_kernel_node_get_params(node)
    assert known["function"] == function
    assert known["grid"] == (1, 1, 1)
    assert known["block"] == (4, 1, 1)
    executable = driver.graph_instantiate(graph)
    changed = kernel(function, second, np.int32(5), threads=8)
    driver.graph_exec_kernel_node_set_params(executable, node, changed)
    run(executable, stream)
    assert fetch(first, 8).tolist() == [0] * 8
    assert fetch(second, 8).tolist() == [5] * 8
    driver.graph_kernel_node_set_params(node, kernel(function, first, np.int32(2)))
    again = driver.graph_instantiate(graph)
    run(again, stream)
    assert fetch(first, 8).tolist() == [2] * 4 + [0] * 4
    for handle in (executable, again):
        driver.graph_exec_destroy(handle)


def test_an_executable_graph_is_updated(kernels, allocate, stream):
    first, second = (allocate(np.zeros(4, np.int32)) for _ in range(2))

    def capture(pointer, value, more=False):
        driver.stream_begin_capture(stream)
        driver.memset_d32_async(pointer, value, 4, stream)
        launch(kernels("add"), arguments(pointer, np.int32(value)), stream=stream)
        if more:
            driver.memset_d32_async(pointer, value, 4, stream)
        return driver.stream_end_capture(stream)

    graphs = [capture(first, 1), capture(second, 5), capture(second, 5, more=True)]
    executable = driver.graph_instantiate(graphs[0])
    driver.graph_exec_update(executable, graphs[1])
    run(executable, stream)
    assert fetch(first, 4).tolist() == [0] * 4
    assert fetch(second, 4).tolist() == [10] * 4
    with pytest.raises(DriverError, match="topology changed") as raised:
        driver.graph_exec_update(executable, graphs[2])
    assert raised.value.status_name == "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"
    run(executable, stream)  # unharmed
    driver.graph_exec_destroy(executable)
    for graph in graphs:
        driver.graph_destroy(graph)


def test_a_graph_with_memory_of_its_own(kernels, allocate, stream):
    result = allocate(np.zeros(4, np.int32))
    driver.stream_begin_capture(stream)
    scratch = driver.mem_alloc_async(16, stream)
    driver.memset_d32_async(scratch, 4, 4, stream)
    launch(kernels("twice"), arguments(scratch), stream=stream)
    driver.memcpy_dtod_async(result, scratch, 16, stream)
    driver.mem_free_async(scratch, stream)
    graph = driver.stream_end_capture(stream)
    kinds = [driver.graph_node_get_type(node) for node in driver.graph_get_nodes(graph)]
    assert sorted(kinds) == ["kernel", "mem_alloc", "mem_free", "memcpy", "memset"]
    executable = driver.graph_instantiate(graph)
    run(executable, stream, times=2)
    assert fetch(result, 4).tolist() == [8] * 4
    driver.graph_exec_destroy(executable)
    driver.graph_destroy(graph)


def test_a_graph_cannot_be_launched_into_a_capture(kernels, allocate, stream, graph):
    pointer = allocate(np.ones(4, np.int32))
    driver.graph_add_kernel_node(graph, [], kernel(kernels("twice"), pointer))
    executable = driver.graph_instantiate(graph)
    driver.stream_begin_capture(stream)
    assert status_of(driver.graph_launch, executable, stream) == "STREAM_CAPTURE_UNSUPPORTED"
    assert driver.stream_is_capturing(stream) == 2  # invalid from then on
    assert status_of(driver.stream_end_capture, stream) == "STREAM_CAPTURE_INVALIDATED"
    assert fetch(pointer, 4).tolist() == [1] * 4
    driver.graph_exec_destroy(executable)


def test_nodes_of_other_graphs(kernels, graph):
    other = driver.graph_create()
    node = driver.graph_add_empty_node(other, [])
    assert status_of(driver.graph_add_empty_node, graph, [node]) == "INVALID_VALUE"
    driver.graph_destroy(other)


def test_a_launch_that_is_not_possible(kernels, graph):
    impossible = kernel(kernels("nothing"), threads=4096)
    assert status_of(driver.graph_add_kernel_node, graph, [], impossible) == "INVALID_VALUE"


def test_parameters_of_nodes_are_read_and_changed(kernels, allocate, stream):
    first, second = (allocate(np.zeros(4, np.int32)) for _ in range(2))
    source, other = allocate(np.arange(4, dtype=np.int32)), allocate(np.full(4, 9, np.int32))
    driver.stream_begin_capture(stream)
    driver.memset_d32_async(first, 5, 4, stream)
    launch(kernels("add"), arguments(first, np.int32(3)), stream=stream)
    driver.memcpy_dtod_async(first, source, 8, stream)
    graph = driver.stream_end_capture(stream)
    executable = driver.graph_instantiate(graph)
    by_kind = {driver.graph_node_get_type(node): node for node in driver.graph_get_nodes(graph)}
    add = driver.NodeParameters(by_kind["kernel"], (8, 4))
    fill, copy = (driver.NodeParameters(by_kind[kind]) for kind in ("memset", "memcpy"))
    assert add.words[add.addresses[0] // 8] == first
    assert add.words[add.addresses[1] // 8] & 0xFFFFFFFF == 3
    assert [fill.words[k] for k in fill.addresses] == [first]
    assert [copy.words[k] for k in copy.addresses] == [source, first]
    run(executable, stream)
    assert fetch(first, 4).tolist() == [0, 1, 8, 8]
    add.words[0] = second
    fill.words[fill.addresses[0]] = second
    copy.words[copy.addresses[0]], copy.words[copy.addresses[1]] = other, second
    for node in (add, fill, copy):
        node.set_in(executable)
    run(executable, stream)
    assert fetch(second, 4).tolist() == [9, 9, 8, 8]
    assert fetch(first, 4).tolist() == [0, 1, 8, 8]
    driver.graph_exec_destroy(executable)
    driver.graph_destroy(graph)


def test_a_description_in_dot(kernels, allocate, stream, tmp_path):
    pointer = allocate(np.zeros(4, np.int32))
    driver.stream_begin_capture(stream)
    driver.memset_d32_async(pointer, 5, 4, stream)
    launch(kernels("add"), arguments(pointer, np.int32(3)), stream=stream)
    graph = driver.stream_end_capture(stream)
    path = tmp_path / "graph.dot"
    driver.graph_debug_dot_print(graph, str(path), 1)
    text = path.read_text()
    assert text.startswith("digraph")
    assert text.count("->") == 1
    with pytest.raises(DriverError):
        driver.graph_debug_dot_print(graph, str(tmp_path / "missing" / "graph.dot"), 0)
    driver.graph_destroy(graph)


def test_a_child_graph_in_a_capture(kernels, allocate, stream, graph):
    pointer = allocate(np.ones(4, np.int32))
    driver.graph_add_kernel_node(graph, [], kernel(kernels("twice"), pointer))
    driver.stream_begin_capture(stream)
    launch(kernels("add"), arguments(pointer, np.int32(1)), stream=stream)
    _, _, captured, nodes = driver.stream_get_capture_info(stream)
    child = driver.graph_add_child_graph_node(captured, nodes, graph)
    driver.stream_set_capture_dependencies(stream, [child])
    launch(kernels("add"), arguments(pointer, np.int32(1)), stream=stream)
    whole = driver.stream_end_capture(stream)
    executable = driver.graph_instantiate(whole)
    run(executable, stream)
    assert fetch(pointer, 4).tolist() == [5] * 4
    driver.graph_exec_destroy(executable)
    driver.graph_destroy(whole)


@pytest.mark.parametrize("mode", ["global", "thread_local"])
def test_unsafe_calls_in_a_relaxed_block(kernels, stream, mode):
    event = driver.event_create()
    driver.stream_begin_capture(stream, mode)
    slot = driver.address_slot()
    driver.mem_alloc_to(slot, 512)  # has a relaxed block of its own
    driver.mem_free_all([slot.value])
    with driver.relaxed_capture():
        assert driver.event_query(event)
    driver.graph_destroy(driver.stream_end_capture(stream))
    driver.event_destroy(event)
