"""Graphs: captures of operations on arrays, their launches, and what they keep."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._libraries.blas import gemm
from gpuarray.errors import CaptureError, CUDARuntimeError, DriverError

runtime = cp.cuda.runtime
MODES = ["global", "thread_local", "relaxed"]


@pytest.fixture
def stream():
    return cp.cuda.Stream(non_blocking=True)


ADD = cp.RawKernel(
    'extern "C" __global__ void add(double* x, double y) { x[threadIdx.x] += y; }', "add"
)


def raw(x):
    y = x.copy()
    ADD((1,), (x.size,), (y, 2.5))
    return y


def into_parts(x):
    y = cp.empty_like(x)
    y[: x.size // 2] = x[x.size // 2 :]
    y[x.size // 2 :] = 7
    return y


OPERATIONS = {
    "elementwise": lambda x: cp.sin(x) * 2 + x[::-1],
    "reduction": lambda x: x.sum() + x.reshape(-1, 4).max(axis=1).sum(),
    "variance": lambda x: x.std(),
    "scan": lambda x: cp.cumsum(x),
    "sort": lambda x: cp.sort(x),
    "argsort": lambda x: cp.argsort(x, kind="stable"),
    "partition": lambda x: cp.partition(x, 3)[3],
    "mask": lambda x: cp.where(x > 2, x, -x),
    "assignment by a mask": lambda x: masked(x.copy()),
    "gather": lambda x: x[cp.argsort(-x, kind="stable")] + x[[0] * x.size],
    "assignment": into_parts,
    "search": lambda x: cp.searchsorted(cp.sort(x), x[:3]),
    "join": lambda x: cp.concatenate([x, x * 2, cp.arange(5.0)]),
    "constants": lambda x: x[:3] + cp.array([1.0, 2.0, 3.0]),
    "zeros": lambda x: cp.zeros(x.size) + x,
    "raw": raw,
    "median": lambda x: cp.median(x),
}


def masked(x):
    x[x > 2] = 0
    return x


def expected(name, values):
    if name == "raw":
        return values + 2.5
    global cp
    ours, cp = cp, np
    try:
        return OPERATIONS[name](values)
    finally:
        cp = ours


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_is_captured_at_its_first_use_and_replayed(stream, name):
    first, second = np.arange(32.0) % 11, (np.arange(32.0) * 7) % 13
    x = cp.asarray(first)
    with stream.capture("global") as graph:
        y = OPERATIONS[name](x)
    for values in (first, second, first):
        x.set(values)
        y[...] = 0
        graph.launch()
        np.testing.assert_allclose(cp.asnumpy(y), expected(name, values), rtol=1e-12)


def test_a_jit_kernel_and_a_product_of_matrices(stream):
    @cp.jit.rawkernel()
    def double(x, y):
        i = cp.jit.threadIdx.x
        y[i] = 2 * x[i]

    x, y = cp.arange(4.0), cp.zeros(4)
    a = cp.arange(6.0).reshape(2, 3)
    with stream.capture("thread_local") as graph:
        double[1, 4](x, y)
        product = gemm(a, a.T)
    graph.launch()
    assert y.tolist() == [0, 2, 4, 6]
    assert product.tolist() == [[5, 14], [14, 50]]
    a *= 2
    graph.launch(cp.cuda.Stream(non_blocking=True))
    cp.cuda.Device().synchronize()
    assert product.tolist() == [[20, 56], [56, 200]]


@pytest.mark.parametrize("mode", MODES)
def test_a_capture_in_each_mode_and_what_others_do_meanwhile(stream, mode):
    x = cp.arange(1000.0)

    def elsewhere():
        with cp.cuda.Stream(non_blocking=True) as other:
            results.append((cp.arange(3_000_000.0) + 1).sum() - 3_000_000)  # the pool grows
            other.synchronize()

    results = []
    with stream:
        stream.begin_capture({"global": runtime.streamCaptureModeGlobal}.get(mode, mode))
        assert stream.is_capturing()
        y = cp.cumsum(x) + cp.zeros(1_000_000)[:1000]  # memory that the pool has not got
        code = f'extern "C" __global__ void f(double* x) {{ x[0] = {len(mode)}.5; }}'
        cp.RawKernel(code, "f")((1,), (1,), (y,))
        if mode != "global":  # another thread's unsafe calls concern only captures in that mode
            thread = threading.Thread(target=elsewhere)
            thread.start()
            thread.join()
        graph = stream.end_capture()
    assert not stream.is_capturing()
    graph.launch()
    assert y[0] == len(mode) + 0.5
    assert y[-1] == 499500
    assert [float(r) for r in results] in ([], [4499998500000.0])


# ---- memory --------------------------------------------------------------------------------------


def test_operands_live_as_long_as_the_graph(stream):
    x = cp.full(1000, 3.0)
    address = x.data.ptr
    with stream.capture() as graph:
        y = x + 1
    del x
    gc.collect()
    others = [cp.zeros(1000) for _ in range(4)]
    assert address not in [other.data.ptr for other in others]
    cp.get_default_memory_pool().free_all_blocks()
    graph.launch()
    assert y.tolist() == [4] * 1000
    del graph
    gc.collect()
    cp.cuda.Device().synchronize()
    assert address in [cp.zeros(1000).data.ptr for _ in range(1)] + [
        z.data.ptr for z in [cp.zeros(1000) for _ in range(8)]
    ]


def test_memory_of_a_graph_is_nobody_elses(stream):
    x = cp.zeros(1000)
    addresses = []

    def temporary(y):
        addresses.append(y.data.ptr)
        return y

    with stream.capture() as graph:
        y = temporary(temporary(x + 1) * 2) + 3
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    with stream:
        others = [cp.full(1000, -1.0) for _ in range(20)]
    stream.synchronize()
    others += [cp.full(1000, -1.0) for _ in range(20)]
    assert not {*addresses} & {other.data.ptr for other in others}
    graph.launch()
    assert y.tolist() == [5] * 1000
    assert all((other == -1).all() for other in others)


def test_temporary_arrays_of_a_graph_share_memory(stream):
    x = cp.zeros(1000)
    addresses = set()
    with stream.capture() as graph:
        for _ in range(50):
            y = x + 1
            addresses.add(y.data.ptr)
            x += y
    assert len(addresses) < 4
    graph.launch()
    assert x[0] == 2.0**50 - 1


def test_memory_goes_back_with_the_graph(stream):
    pool = cp.get_default_memory_pool()
    x = cp.zeros(10)
    gc.collect()
    before = pool.total_bytes()
    with stream.capture() as graph:
        y = x + cp.zeros(4_000_000)[:10]
    assert pool.total_bytes() >= before + 32_000_000
    pool.free_all_blocks()
    assert pool.total_bytes() >= 32_000_000
    graph.launch()
    del graph
    assert y.tolist() == [0] * 10  # an array may outlive the graph
    del y
    gc.collect()
    assert pool.total_bytes() <= before


def test_a_graphs_result_on_other_streams(stream):
    x = cp.arange(4.0)
    cp.cuda.Stream.null.synchronize()  # the stream does not wait for it
    with stream.capture() as graph:
        y = x * 2
    graph.launch(stream)
    with stream:
        z = y + 1
    stream.synchronize()
    assert z.tolist() == [1, 3, 5, 7]
    with cp.cuda.Stream(non_blocking=True) as other:
        z = y + 1
        other.synchronize()
    del y
    assert z.tolist() == [1, 3, 5, 7]


@pytest.mark.parametrize("allocator", [None, "malloc_async", "MemoryAsyncPool"])
def test_memory_of_a_users_allocator_is_kept(stream, allocator):
    before = cp.cuda.get_allocator()
    if allocator is not None:
        found = getattr(cp.cuda, allocator)
        allocator = found().malloc if isinstance(found, type) else found
    cp.cuda.set_allocator(allocator)
    try:
        x = cp.arange(1000.0)
        with stream.capture() as graph:
            y = cp.cumsum((x + 1) * 2)
        others = [cp.full(1000, -1.0) for _ in range(5)]
        for _ in range(2):
            graph.launch()
        cp.cuda.Device().synchronize()
        assert y[-1] == 1001000
        assert all((other == -1).all() for other in others)
    finally:
        cp.cuda.set_allocator(before)


def test_memory_that_other_streams_use_is_freed_during_a_capture(stream):
    other = cp.cuda.Stream(non_blocking=True)
    with stream:
        x = cp.arange(1000.0)
        stream.synchronize()
    with other:
        y = cp.arange(1000.0)
        z = x + y  # noted in x, whose stream is captured next
        other.synchronize()
    with stream.capture("global") as graph:
        w = z + y
        del x, y
    graph.launch()
    assert w[-1] == 2997


# ---- state of kernels ----------------------------------------------------------------------------


def test_look_back_state_is_the_graphs_own(stream):
    values = np.arange(100_000) % 7
    x = cp.asarray(values)
    wanted = np.cumsum(values)
    with stream:
        before = cp.cumsum(x)
        with stream.capture() as graph:
            y = cp.cumsum(x)
            z = cp.cumsum(y % 5)
        other = cp.cuda.Stream(non_blocking=True)
        for _ in range(2):
            graph.launch(other)
            graph.launch(stream)
            after = cp.cumsum(x)
        other.synchronize()
        stream.synchronize()
    for result, values in (
        (before, wanted),
        (y, wanted),
        (z, np.cumsum(wanted % 5)),
        (after, wanted),
    ):
        np.testing.assert_array_equal(cp.asnumpy(result), values)


@pytest.mark.emulator
def test_launches_on_two_streams_are_in_order():
    stream, other = (cp.cuda.Stream(non_blocking=True) for _ in range(2))
    with cp.cuda.check("races", "uninit"):
        x = cp.arange(5000)
        cp.cuda.Device().synchronize()
        with stream.capture() as graph:
            y = cp.cumsum(x) + cp.sort(x)[::-1]
        for launched_on in (stream, other, stream):
            graph.launch(launched_on)
        stream.synchronize()
        assert y[0] == 4999


# ---- several streams -----------------------------------------------------------------------------


def test_a_fork_and_a_join(stream):
    side = cp.cuda.Stream(non_blocking=True)
    x = cp.arange(1000.0)
    with stream.capture() as graph:
        a = x + 1
        side.wait_event(stream.record())
        assert side.is_capturing()
        with side:
            b = cp.cumsum(a * 2)
            joined = side.record()
        c = a * 3
        stream.wait_event(joined)
        d = b + c
        assert cp.cuda.get_current_stream() is stream
    assert not side.is_capturing()
    assert graph.debug_dot_str().count("->") >= 4
    for _ in range(2):
        graph.launch()
    assert d[-1] == 1000 * 1001 + 3000
    with side:  # works on its own again
        assert cp.cumsum(x)[-1] == 499500


def test_a_stream_that_was_not_joined(stream):
    side = cp.cuda.Stream(non_blocking=True)
    x = cp.arange(4.0)
    with stream:
        stream.begin_capture()
        side.wait_event(stream.record())
        with side:
            y = x + 1
        with pytest.raises(CaptureError, match="wait for it before the capture ends"):
            stream.end_capture()
        assert not side.is_capturing()
        assert (x + 1).tolist() == [1, 2, 3, 4]
    with side:
        assert (x + 1).tolist() == [1, 2, 3, 4]
    del y


def test_another_thread_takes_part(stream):
    x = cp.arange(4.0)
    results = []

    def work():
        with stream:
            results.append(x + 1)

    stream.begin_capture("relaxed")
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    graph = stream.end_capture()
    graph.launch()
    assert results[0].tolist() == [1, 2, 3, 4]


def test_other_objects_of_the_stream(stream):
    x = cp.arange(4.0)
    before = cp.cuda.ExternalStream(stream.ptr)
    stream.begin_capture()
    for external in (before, cp.cuda.ExternalStream(stream.ptr)):
        with external:
            x += 1
    ADD((1,), (4,), (x, 1.0), stream=stream)
    x.data.copy_from_async(x.data + 8, 8, stream)
    graph = before.end_capture()
    assert x.tolist() == [0, 1, 2, 3]
    graph.launch()
    assert x.tolist() == [4, 4, 5, 6]


# ---- what cannot be captured ---------------------------------------------------------------------

REFUSED = {
    "float()": lambda x: float(x[0]),
    "int()": lambda x: int(x[0]),
    "bool()": lambda x: bool(x[0]),
    "get": lambda x: x.get(),
    "asnumpy": lambda x: cp.asnumpy(x),
    "tolist": lambda x: x.tolist(),
    "item": lambda x: x.item(0),
    "repr()": lambda x: repr(x),
    "indexing": lambda x: x[x > 1],
    "nonzero": lambda x: cp.nonzero(x),
    "unique": lambda x: cp.unique(x),
    "bincount": lambda x: cp.bincount(x.astype("i8")),
    "Stream.synchronize": lambda x: cp.cuda.get_current_stream().synchronize(),
    "Stream.done": lambda x: cp.cuda.get_current_stream().done,
    "Device.synchronize": lambda x: cp.cuda.Device().synchronize(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_values_is_refused_by_name_and_the_capture_goes_on(stream, name):
    x = cp.arange(4.0)
    with stream.capture() as graph:
        with pytest.raises(CaptureError, match=name.replace("(", r"\(").replace(")", r"\)")):
            REFUSED[name](x)
        y = x + 1
    graph.launch()
    assert y.tolist() == [1, 2, 3, 4]


def test_refusals_are_errors_of_the_runtime(stream):
    with pytest.raises(CUDARuntimeError) as raised:
        cp.cuda.Stream.null.begin_capture()
    assert "non_blocking=True" in str(raised.value)
    assert isinstance(raised.value, RuntimeError)
    with pytest.raises(CaptureError, match="begin_capture comes first"):
        stream.end_capture()
    with pytest.raises(ValueError, match="mode='none'"):
        stream.begin_capture("none")
    stream.begin_capture()
    with pytest.raises(CaptureError, match="already"):
        stream.begin_capture()
    stream.end_capture()


def test_an_end_elsewhere(stream):
    side = cp.cuda.Stream(non_blocking=True)
    stream.begin_capture()
    side.wait_event(stream.record())
    with pytest.raises(CaptureError, match="end it where it began"):
        side.end_capture()
    stream.wait_event(side.record())
    assert isinstance(stream.end_capture(), cp.cuda.Graph)


def test_an_exception_ends_the_capture(stream):
    x = cp.arange(3)

    def fail():
        with stream.capture() as graph:
            graphs.append(graph)
            x.__iadd__(1)
            raise KeyError

    graphs = []
    with pytest.raises(KeyError):
        fail()
    graph = graphs[0]
    with pytest.raises(CaptureError, match="has not ended, or failed"):
        graph.launch()
    assert not stream.is_capturing()
    with stream:
        x += 2
        assert x.tolist() == [2, 3, 4]


def test_a_capture_that_became_invalid(stream):
    x = cp.arange(3)
    with stream:
        stream.begin_capture("global")
        event = cp.cuda.Event()
        with pytest.raises(DriverError):
            _ = event.done  # unsafe in this mode
        with pytest.raises(CaptureError, match="made the capture invalid"):
            stream.end_capture()
        assert (x + 1).tolist() == [1, 2, 3]


# ---- the graph -----------------------------------------------------------------------------------


def test_pinned_memory_is_read_at_each_launch_and_other_memory_once(stream):
    memory = cp.cuda.alloc_pinned_memory(32)
    pinned, pageable = np.frombuffer(memory, "f8", 4), np.arange(4.0)
    pinned[:] = 1
    with stream.capture("global") as graph:
        x, y = cp.asarray(pinned), cp.asarray(pageable)
        z = cp.empty(4)
        z.set(pinned, stream=stream)
    for value in (2, 3):
        pinned[:], pageable[:] = value, value
        graph.launch()
        assert x.tolist() == z.tolist() == [value] * 4
        assert y.tolist() == [0, 1, 2, 3]


def test_results_in_pinned_memory(stream):
    x = cp.arange(4.0)
    out = np.frombuffer(cp.cuda.alloc_pinned_memory(32), "f8", 4)
    with stream.capture() as graph:
        (x * 2).get(out=out, blocking=False)
    graph.launch(stream)
    stream.synchronize()
    assert out.tolist() == [0, 2, 4, 6]


def test_an_update(stream):
    arrays = cp.arange(3.0), cp.arange(3.0)
    graphs = []
    for number, x in enumerate(arrays):
        with stream.capture() as graph:
            x += number + 1
            x *= 2
        graphs.append(graph)
    graphs[0].update(graphs[1])
    del graphs[1]
    graphs[0].launch()
    assert arrays[0].tolist() == [0, 1, 2]
    assert arrays[1].tolist() == [4, 6, 8]
    with stream.capture() as longer:
        arrays[0][...] = cp.cumsum(arrays[0] + 1)
    with pytest.raises(DriverError, match="instantiate the graph anew|does not fit"):
        graphs[0].update(longer)
    graphs[0].launch()
    assert arrays[1].tolist() == [12, 16, 20]
    with pytest.raises(TypeError, match="gpuarray.cuda.Graph"):
        graphs[0].update(3)


def test_a_graph_in_a_graph(stream):
    x = cp.arange(3.0)
    with stream.capture() as inner:
        x += 1
    with stream.capture() as outer:
        inner.launch()
        x *= 2
        inner.launch()
    del inner
    gc.collect()
    outer.launch()
    assert x.tolist() == [3, 5, 7]


def test_attributes_and_text(stream):
    with pytest.raises(NotImplementedError):
        cp.cuda.Graph()
    x = cp.arange(3.0)
    stream.begin_capture()
    with stream:
        x += 1
    graph = stream.end_capture()
    assert isinstance(graph, cp.cuda.graph.Graph)
    assert graph.graph
    assert graph.graphExec
    assert graph.host_funcargs == []
    assert repr(graph) == "<Graph of 1 node on device 0>"
    assert graph.debug_dot_str(runtime.cudaGraphDebugDotFlagsVerbose).startswith("digraph")
    graph.upload()
    graph.upload(stream)
    graph.launch(stream=stream)
    stream.synchronize()
    assert x.tolist() == [1, 2, 3]
    with pytest.raises(TypeError, match="stream"):
        graph.launch(3)


def test_the_runtimes_functions(tmp_path):
    handle = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    side = cp.cuda.Stream(non_blocking=True)
    event = cp.cuda.Event(disable_timing=True)
    x = cp.arange(100_000) % 3
    with cp.cuda.ExternalStream(handle):
        runtime.streamBeginCapture(handle, runtime.streamCaptureModeThreadLocal)
        assert runtime.streamIsCapturing(handle)
        y = cp.cumsum(x)
        event.record()
        runtime.streamWaitEvent(side.ptr, event.ptr)
        with side:
            z = y + 1
        event.record(side)
        runtime.streamWaitEvent(handle, event.ptr)
        graph = runtime.streamEndCapture(handle)
    assert not runtime.streamIsCapturing(handle)
    executable = runtime.graphInstantiate(graph)
    path = tmp_path / "graph.dot"
    runtime.graphDebugDotPrint(graph, str(path), runtime.cudaGraphDebugDotFlagsVerbose)
    assert path.read_text().startswith("digraph")
    runtime.graphDestroy(graph)
    del x
    others = [cp.zeros(100_000, "i8") for _ in range(4)]
    runtime.graphUpload(executable, handle)
    for wrong in ((b"x", handle), (executable, "x")):
        with pytest.raises(TypeError):
            runtime.graphLaunch(*wrong)
    runtime.graphLaunch(executable, handle)
    runtime.streamSynchronize(handle)
    assert z[-1] == 99_999 + 1
    assert not any(other.any() for other in others)
    runtime.graphExecDestroy(executable)
    with pytest.raises(CUDARuntimeError):
        runtime.streamEndCapture(handle)
    runtime.streamDestroy(handle)


def test_hooks_see_launches_of_graphs(stream):
    names = []

    class Names(cp.cuda.FunctionHook):
        name = "Names"

        def launch_preprocess(self, *, name, **kwargs):
            names.append(name)

    x = cp.arange(3.0)
    with stream.capture() as graph:
        x += 1
    with Names():
        graph.launch()
    assert names == ["<Graph of 1 node on device 0>"]
    assert x.tolist() == [1, 2, 3]


def test_host_functions_belong_to_the_graph(stream):
    calls = []
    with stream.capture() as graph:
        stream.launch_host_func(calls.append, 3)
    assert graph.host_funcargs == [(calls.append, 3)]
    assert not calls
    for _ in range(2):
        graph.launch(stream)
    stream.synchronize()
    assert calls == [3, 3]


def test_the_threads_own_default_stream_is_captured():
    x = cp.arange(4.0)
    stream = cp.cuda.Stream.ptds
    with stream.capture("global") as graph:
        assert cp.cuda.get_current_stream() == stream
        y = cp.cumsum(x)
        with stream:
            y *= 2
    graph.launch()
    assert y.tolist() == [0, 2, 6, 12]


def test_a_blocking_stream_is_captured_while_memory_of_the_default_stream_is_freed():
    stream = cp.cuda.Stream()
    other = cp.cuda.Stream(non_blocking=True)
    x = cp.arange(1000.0)
    cp.cuda.Device().synchronize()
    with other:
        y = x + 1  # noted in memory of the default stream
        other.synchronize()
    with stream.capture() as graph:
        z = y * 2
        del x
    graph.launch()
    assert z[-1] == 2000


DEVICES = """
import numpy as np
import gpuarray as cp

function = cp.cuda.graphed(lambda x: cp.cumsum(x) * 2)
graphs, results, operands = [], [], []
for number in (0, 1):
    with cp.cuda.Device(number):
        stream = cp.cuda.Stream(non_blocking=True)
        operands.append(cp.arange(4.0) + number)
        with stream.capture("global") as graph:
            results.append(operands[-1] + 1)
        graphs.append((graph, stream))
        assert function(operands[-1]).tolist() == (np.cumsum(np.arange(4.0) + number) * 2).tolist()
assert function.cache_len() == 2
for number in (1, 0):
    graph, stream = graphs[number]
    graph.launch(stream)  # whatever device is current
    with cp.cuda.Device(number):
        stream.synchronize()
        assert results[number].tolist() == (np.arange(4.0) + number + 1).tolist()
assert repr(graphs[1][0]).endswith("on device 1>")
try:
    graphs[1][0].launch()
except ValueError as error:
    assert "launch it on a stream of its device" in str(error)
else:
    raise AssertionError
stream = cp.cuda.Stream(non_blocking=True)
there = operands[1]
with stream.capture() as graph:  # a copy between devices
    here = cp.asarray(there) + 0
with cp.cuda.Device(1):
    there += 5
    cp.cuda.Device(1).synchronize()
graph.launch()
assert here.tolist() == [6, 7, 8, 9]
cp.cuda.Device(1).use()
"""

RESET = """
import gc
import gpuarray as cp

stream = cp.cuda.Stream(non_blocking=True)
x = cp.arange(4.0)
with stream.capture() as graph:
    y = x + 1
function = cp.cuda.graphed(lambda x: x * 2)
function(x)
cp.cuda.Device().reset()
for call in (graph.launch, graph.upload, graph.debug_dot_str):
    try:
        call()
    except cp.errors.CUDAError as error:
        assert "lost" in str(error), error
    else:
        raise AssertionError
assert "without work" in repr(graph)
assert function(cp.arange(3)).tolist() == [0, 2, 4]
stream = cp.cuda.Stream(non_blocking=True)
stream.begin_capture()
cp.cuda.Device().reset()
assert (cp.arange(3) + 1).tolist() == [1, 2, 3]
with cp.cuda.Stream(non_blocking=True).capture() as again:
    z = cp.arange(3) + 1
again.launch()
assert z.tolist() == [1, 2, 3]
del graph, y, x
gc.collect()
"""


def run(script, environment):
    """Run a program that has to end well and silently."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env={**os.environ, **environment}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not done.stderr


def test_a_graph_of_another_device(two_devices):
    run(DEVICES, two_devices)


def test_a_reset_takes_graphs():
    run(RESET, {})


@pytest.mark.parametrize("mode", MODES)
def test_graphs_and_memory_are_freed_during_a_capture(stream, mode):
    x = cp.arange(1000.0)
    with cp.cuda.Stream(non_blocking=True).capture() as old:
        y = cp.cumsum(x) + cp.zeros(300_000)[:1000]
    old.launch()
    with stream.capture(mode) as graph:
        z = x + 1
        del old, y
        gc.collect()
        cp.get_default_memory_pool().free_all_blocks()
        z += 1
    graph.launch()
    assert z[-1] == 1001
