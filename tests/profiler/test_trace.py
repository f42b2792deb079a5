"""`gpuarray.profiler.trace`: what is in the file, and that nothing stays behind."""

import gc
import gzip
import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import driver
from gpuarray._runtime import function_hook, memory_hook
from gpuarray.cuda import nvtx
from gpuarray.kernels.compiler import reporting
from gpuarray.profiler import _recorder, time_range, trace
from tests.limits import HANG_SECONDS

HOST, DEVICE = 1, 2


class Recorded:
    """The events of a trace's file."""

    def __init__(self, path):
        opened = gzip.open if str(path).endswith(".gz") else open
        with opened(path) as file:
            self.content = json.load(file)
        self.events = self.content["traceEvents"]

    def slices(self, process, category=None):
        return [
            x
            for x in self.events
            if x["ph"] == "X" and x["pid"] == process and category in (None, x["cat"])
        ]

    def names(self, process, category=None):
        return [x["name"] for x in self.slices(process, category)]

    def phase(self, phase, category=None):
        return [x for x in self.events if x["ph"] == phase and category in (None, x.get("cat"))]

    def named(self, what):
        return {
            (x["pid"], x["tid"]): x["args"]["name"]
            for x in self.events
            if x["ph"] == "M" and x["name"] == f"{what}_name"
        }


@pytest.fixture
def path(tmp_path):
    return tmp_path / "trace.json"


@pytest.mark.single_operations
def test_launches_and_copies(path):
    x = cp.asarray(np.arange(1000, dtype=np.float32))
    x * 2  # planned before, and to be seen all the same
    with trace(path):
        y = x * 2
        y.get()
        cp.zeros(10)
        kernel = cp.RawKernel('extern "C" __global__ void mine(float* x) { x[0] = 5; }', "mine")
        kernel((2,), (32,), (y,))
    found = Recorded(path)
    for process in (HOST, DEVICE):
        names = found.names(process)
        assert [x for x in names if "multiply" in x]
        assert "copy to the host" in names
        assert "fill" in names
        assert "mine" in names
    mine = next(x for x in found.slices(DEVICE) if x["name"] == "mine")
    assert mine["args"].pop("lines")[0].endswith("kernel((2,), (32,), (y,))")
    assert mine["args"] == {"grid": [2, 1, 1], "block": [32, 1, 1], "shared_bytes": 0}
    copy = next(x for x in found.slices(DEVICE) if x["name"] == "copy to the host")
    assert copy["args"] == {"bytes": 4000}
    assert "wait for a stream" in found.names(HOST, "wait")
    assert found.content["displayTimeUnit"] == "ns"
    assert found.named("process") == {(HOST, 0): "host", (DEVICE, 0): "device 0"}
    assert found.named("thread")[HOST, threading.get_native_id()] == "MainThread"


@pytest.mark.single_operations
def test_times_and_arrows(path):
    x = cp.arange(1000)
    with trace(path):
        for _ in range(20):
            x = x + 1
    found = Recorded(path)
    host = {x["ts"]: x for x in found.slices(HOST, "kernel")}
    device = {(x["tid"], x["ts"]): x for x in found.slices(DEVICE, "kernel")}
    starts, ends = found.phase("s"), found.phase("f")
    assert len(host) == len(device) == len(starts) == len(ends) == 20
    arrows = {x["id"]: x for x in starts}
    assert len(arrows) == 20
    for end in ends:
        start = arrows[end["id"]]
        assert end["bp"] == "e"
        queued, worked = host[start["ts"]], device[end["tid"], end["ts"]]
        assert queued["name"] == worked["name"]
        # The clocks agree within what it takes to compare them; the host began before.
        assert worked["ts"] > queued["ts"] - 100
    last = 0
    for one in sorted(device.values(), key=lambda x: x["ts"]):
        assert one["ts"] >= last
        assert one["dur"] >= 0
        last = one["ts"] + one["dur"] - 0.001


@pytest.mark.single_operations
def test_streams_and_threads(path):
    stream = cp.cuda.Stream(non_blocking=True)
    x = cp.arange(10)
    cp.cuda.Device().synchronize()

    def work():
        with cp.cuda.Stream.ptds:
            cp.arange(20).sum()

    with trace(path):
        with stream:
            x + 1
        worker = threading.Thread(target=work, name="worker")
        worker.start()
        worker.join(HANG_SECONDS)
        cp.arange(5)
    found = Recorded(path)
    names = [name for (process, thread), name in found.named("thread").items() if process == DEVICE]
    assert len([x for x in names if x == f"stream {stream.ptr:#x}"]) == 1
    assert len([x for x in names if x.startswith("default stream of thread ")]) == 1
    assert len([x for x in names if x == "default stream"]) == 1
    assert "worker" in found.named("thread").values()
    tracks = {x["tid"] for x in found.slices(DEVICE)}
    assert len(tracks) == 3


def test_a_thread_with_a_context_and_no_current_stream(path):
    x = cp.zeros(100)
    host = np.arange(100.0)
    context, stream = driver.context_get_current(), cp.cuda.get_current_stream()
    seen = []

    def copy():
        driver.context_set_current(context)
        driver.memcpy_htod_async(x.data.ptr, host.ctypes.data, host.nbytes, stream.ptr)
        seen.append(driver.context_get_current())

    with trace(path):
        worker = threading.Thread(target=copy)
        worker.start()
        worker.join(HANG_SECONDS)
    assert seen == [context]
    assert Recorded(path).slices(DEVICE, "copy")[0]["args"] == {"bytes": host.nbytes}
    np.testing.assert_array_equal(x.get(), host)


def test_a_large_pageable_copy(path):
    host = np.arange(4 << 20, dtype=np.float32)
    with trace(path):
        x = cp.asarray(host)
    copies = Recorded(path).slices(DEVICE, "copy")
    assert sum(x["args"]["bytes"] for x in copies) == host.nbytes
    np.testing.assert_array_equal(x.get(), host)


def test_calls_of_libraries(path):
    from gpuarray._libraries.blas import gemm

    x = cp.asarray(np.arange(12.0).reshape(3, 4))
    with trace(path):
        gemm(x, x.T)
    found = Recorded(path)
    (name,) = found.names(HOST, "library")
    assert name.startswith(("cublasGemm", "cublasLtMatmul"))
    assert found.names(DEVICE, "library") == [name]


def test_compilations(path):
    with trace(path):
        reporting.found("new", "sm_80", "compiled", 0)
        reporting.found("old", "sm_80", "disk", 0)
        reporting.found("known", "sm_80", "memory", 0)
    compilations = Recorded(path).slices(HOST, "compile")
    assert sorted([x["name"] for x in compilations]) == ["compile new", "load old from the cache"]
    assert compilations[0]["args"]["architecture"] == "sm_80"


def test_ranges_and_marks(path):
    nvtx.RangePush("began before")
    before = nvtx.RangeStart("before, too")
    with trace(path):
        nvtx.RangePop()
        nvtx.RangeEnd(before)
        with time_range("outer", argb_color=0xFF0000FF), time_range("inner"):
            nvtx.Mark("here", 0)
        number = nvtx.RangeStart("across")
        nvtx.RangeEnd(number)
        nvtx.RangePush("ends later")
    nvtx.RangePop()
    found = Recorded(path)
    ranges = {x["name"]: x for x in found.slices(HOST, "range")}
    assert sorted(ranges) == ["ends later", "inner", "outer"]
    assert ranges["outer"]["args"] == {"color": "#0000ff"}
    inner, outer = ranges["inner"], ranges["outer"]
    assert outer["ts"] <= inner["ts"]
    assert inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"] + 0.001
    (mark,) = found.phase("i", "range")
    assert (mark["name"], mark["args"]) == ("here", {"color": "#00ff00"})
    (begin,), (end,) = found.phase("b"), found.phase("e")
    assert begin["name"] == end["name"] == "across"
    assert begin["id"] == end["id"] == number


@pytest.mark.single_operations
def test_memory(path):
    gc.collect()  # of other tests
    cp.get_default_memory_pool().free_all_blocks()
    before = cp.get_default_memory_pool().used_bytes()
    # More than there is between arrays of other tests that are alive.
    most = cp.get_default_memory_pool().free_bytes() + (3 << 20)
    with trace(path) as recorded:
        small = cp.zeros(1000, np.uint8)
        large = cp.zeros(most, np.uint8)
        del large
        small += 1
        del small
        cp.get_default_memory_pool().free_all_blocks()
    found = Recorded(path)
    counters = [x["args"] for x in found.phase("C")]
    assert counters[0]["used"] == before
    assert max(x["used"] for x in counters) == before + most + 1024
    assert counters[-1]["used"] == before
    assert all(x["reserved"] >= x["used"] for x in counters)
    assert counters[-1]["reserved"] < max(x["reserved"] for x in counters)
    changes = found.phase("i", "memory")
    assert {x["name"] for x in changes} == {"malloc", "free", "reserve", "release"}
    handed_out = [x["args"] for x in changes if x["name"] == "malloc"]
    assert [x["bytes"] for x in handed_out] == [1024, most]
    assert all("test_trace.py" in x["line"] and "zeros" in x["line"] for x in handed_out)
    (peak,) = [x for x in recorded.memory_peaks() if x.device == 0]
    assert peak.used == before + most + 1024
    assert peak.seconds > 0
    holders = [x for x in peak.holders if x.line]
    assert [x.nbytes for x in holders] == [most, 1024]
    assert "large = cp.zeros(most, np.uint8)" in holders[0].line
    assert sum(x.nbytes for x in peak.holders) == peak.used


def test_memory_from_before_is_a_holder():
    kept = cp.zeros(1 << 20, np.uint8)
    recorded = trace()
    recorded.start()
    also = cp.zeros(1 << 10, np.uint8)
    del kept, also
    recorded.stop()
    peak = recorded.memory_peaks()[0]
    assert peak.holders[0].line == ""
    assert peak.holders[0].nbytes >= 1 << 20
    assert peak.holders[0].blocks == 0


def test_nothing_stays_behind(path):
    names = [*_recorder._QUEUED, *_recorder._MEMORY, *_recorder._WAITS]
    before = [getattr(driver, name) for name in names]
    x = cp.arange(10)
    with trace(path):
        assert driver.memcpy_htod_async is not before[0]
        x + 1
    assert [getattr(driver, name) for name in names] == before
    assert not function_hook.hooks.active
    assert not memory_hook.hooks.active
    assert reporting.watchers == []
    assert nvtx._listeners == []
    size = os.path.getsize(path)
    x + 1
    assert os.path.getsize(path) == size
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.single_operations
def test_plans_of_a_trace_are_its_own(path):
    x = cp.arange(10)
    x + 1
    stream = cp.cuda.get_current_stream()
    before = stream.plans, dict(stream.plans)
    assert before[1]
    for _ in range(2):  # what a trace has left would not be in the next one
        with trace(path):
            cp.zeros(100)
            stored = cp.empty(100)
            stored[...] = 0
            x + 1
        assert len(Recorded(path).names(DEVICE, "kernel")) >= 1
        assert "fill" in Recorded(path).names(DEVICE, "copy")
    assert (stream.plans, dict(stream.plans)) == before
    assert not any(plans for kind, pair in stream.other_plans.items() if kind & 4 for plans in pair)


@pytest.mark.single_operations
def test_an_exception_ends_the_trace(path):
    def failing():
        cp.arange(10)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), trace(path):
        failing()
    assert Recorded(path).slices(DEVICE)
    with trace(path):
        pass
    assert Recorded(path).slices(DEVICE) == []


def test_one_trace_at_a_time(path):
    with trace(path) as first:
        with pytest.raises(RuntimeError, match="another trace is being recorded"):
            trace().start()
        with pytest.raises(RuntimeError, match="nothing is recorded yet"):
            first.memory_peaks()
    with pytest.raises(RuntimeError, match="it is not being recorded"):
        first.stop()
    with pytest.raises(RuntimeError, match="nothing is recorded yet"):
        trace().memory_timeline("x.png")


@pytest.mark.single_operations
def test_paths(tmp_path):
    with pytest.raises(OSError, match="cannot be written"):
        trace(tmp_path / "nowhere" / "x.json").start()
    path = tmp_path / "trace.json.gz"
    with trace(str(path)):
        cp.arange(3)
    assert Recorded(path).slices(DEVICE)


@pytest.mark.single_operations
def test_hooks_of_the_user_work_beside_it(path):
    seen = []

    class Mine(cp.cuda.FunctionHook):
        name = "mine"

        def launch_preprocess(self, *, name, **kwargs):
            seen.append(name)

    x = cp.arange(10)
    with Mine(), trace(path):
        x + 1
    assert len(seen) == len(Recorded(path).slices(DEVICE, "kernel")) == 1


def test_a_captured_stream(path):
    x = cp.arange(10)
    stream = cp.cuda.Stream(non_blocking=True)
    cp.cuda.Device().synchronize()
    with stream:
        y = x + 1
        with trace(path):
            stream.begin_capture()
            cp.add(x, 2, out=y)
            graph = stream.end_capture()
            graph.launch()
            graph.launch()
    found = Recorded(path)
    assert len(found.names(HOST, "kernel")) == 1
    assert found.names(DEVICE, "kernel") == []
    graphs = ["Graph of 1 node on device 0"] * 2
    assert found.names(DEVICE, "graph") == found.names(HOST, "graph") == graphs
    assert y.get(stream).tolist() == list(range(2, 12))


def test_a_trace_within_a_capture(path):
    x = cp.arange(10)
    stream = cp.cuda.Stream(non_blocking=True)
    cp.cuda.Device().synchronize()
    with stream:
        y = x + 1
        stream.begin_capture()
        with trace(path):
            cp.add(x, 3, out=y)
        graph = stream.end_capture()
        graph.launch()
    found = Recorded(path)
    assert len(found.names(HOST, "kernel")) == 1
    assert found.slices(DEVICE) == []
    assert y.get(stream).tolist() == list(range(3, 13))


def test_a_long_trace_reads_times_while_it_runs(path, monkeypatch):
    from gpuarray.profiler import _clock

    monkeypatch.setattr(_clock, "_SOME", 4)
    monkeypatch.setattr(_clock, "_MANY", 8)
    monkeypatch.setattr(_clock, "_ANCHOR_NS", 1)
    monkeypatch.setattr(driver, "has_captured", lambda: False)
    x = cp.arange(10)
    recorded = trace(path)
    recorded.start()
    for _ in range(30):
        x = x + 1
    clock = recorded._recorder._clocks[0]
    assert len(clock._pending) <= 8
    recorded.stop()
    times = [
        x["ts"] for x in sorted(Recorded(path).slices(DEVICE, "kernel"), key=lambda x: x["ts"])
    ]
    assert len(times) == 30
    arrows = sorted([x["id"] for x in Recorded(path).phase("f")])
    assert arrows == list(range(1, 31))


def test_a_reset_within_a_trace(path):
    program = (
        "import sys, gpuarray as cp\n"
        "from gpuarray.profiler import trace\n"
        "with trace(sys.argv[1]):\n"
        "    cp.arange(10) + 1\n"
        "    cp.cuda.Device().reset()\n"
        "    print((cp.arange(3) + 1).tolist())\n"
    )
    output = subprocess.run(
        [sys.executable, "-c", program, str(path)], check=True, capture_output=True, text=True
    ).stdout
    assert output == "[1, 2, 3]\n"
    assert len(Recorded(path).names(HOST, "kernel")) == 4


def test_a_fault_within_a_trace(path):
    program = (
        "import sys, gpuarray as cp\n"
        "from gpuarray.profiler import trace\n"
        "source = 'extern \"C\" __global__ void wild(int* x) { *(int*)8 = x[0]; }'\n"
        "try:\n"
        "    with trace(sys.argv[1]):\n"
        "        x = cp.arange(10, dtype='i4')\n"
        "        cp.RawKernel(source, 'wild')((1,), (1,), (x,))\n"
        "        x.get()\n"
        "except cp.errors.DriverError as error:\n"
        "    print(error.status_name)\n"
    )
    environment = {**os.environ, "GPUARRAY_STICKY_FAULTS": "1"}
    output = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        check=True, capture_output=True, text=True, env=environment,
    ).stdout  # fmt: skip
    assert output == "CUDA_ERROR_ILLEGAL_ADDRESS\n"
    assert "wild" in Recorded(path).names(HOST, "kernel")


def test_two_devices(path):
    program = (
        "import sys, gpuarray as cp\n"
        "from gpuarray.profiler import benchmark, trace\n"
        "with trace(sys.argv[1]):\n"
        "    cp.arange(10)\n"
        "    with cp.cuda.Device(1):\n"
        "        cp.arange(20)\n"
        "print(benchmark(cp.arange, (3,), n_repeat=2, devices=(0, 1)))\n"
    )
    environment = {**os.environ, "GPUARRAY_EMULATED_DEVICES": "2"}
    if cp.cuda.runtime.getDeviceCount() < 2 and os.environ["GPUARRAY_BACKEND"] == "cuda":
        pytest.skip("needs two devices")
    output = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        check=True, capture_output=True, text=True, env=environment,
    ).stdout  # fmt: skip
    assert "GPU-0:" in output
    assert "GPU-1:" in output
    found = Recorded(path)
    assert len(found.names(DEVICE, "kernel")) == len(found.names(DEVICE + 1, "kernel")) == 1
    assert found.named("process")[DEVICE + 1, 0] == "device 1"


# --- the picture


def test_without_matplotlib(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    with trace() as recorded:
        pass
    with pytest.raises(ImportError, match="pip install matplotlib"):
        recorded.memory_timeline("memory.png")


@pytest.mark.parametrize("name, begin", [("m.png", b"\x89PNG"), ("m.svg", b"<?xml")])
def test_the_picture(tmp_path, name, begin):
    pytest.importorskip("matplotlib")
    with trace() as recorded:
        kept = [cp.zeros(1 << 16) for _ in range(8)]  # cost: $1
        del kept
    recorded.memory_timeline(tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begin)
