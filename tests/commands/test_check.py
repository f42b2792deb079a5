"""``python -m gpuarray check``, ``GPUARRAY_CHECK`` and ``gpuarray.cuda.check``."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest

pytestmark = pytest.mark.emulator

ALL = "races", "uninit", "bounds", "barriers", "host", "leaks"
#: The exit status of the command where something was found.
FOUND = 66

KERNEL = '''
import sys
import numpy as np
import gpuarray as cp

reverse = cp.RawKernel(r"""
extern "C" __global__ void reverse(const float* x, float* y) {
    __shared__ float tile[64];
    tile[threadIdx.x] = x[threadIdx.x];
    BARRIER
    y[threadIdx.x] = tile[63 - threadIdx.x];
}""".replace("BARRIER", "__syncthreads();" if "fixed" in sys.argv else ""), "reverse")
x = cp.asarray(np.arange(64, dtype="f4"))
y = cp.zeros(64, "f4")
reverse((1,), (64,), (x, y))
print(float(y[0] + y.sum()), sys.argv[1:])
'''


def run(tmp_path, text: str, *arguments: str, options=(), **environment: str):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(text))
    command = [sys.executable, "-m", "gpuarray", "check", *options, str(script), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


def test_a_race_is_printed_once_with_its_line(tmp_path):
    result = run(tmp_path, KERNEL, "a", "--b")
    assert result.returncode == FOUND, result.stderr
    assert result.stdout == "2079.0 ['a', '--b']\n"
    assert result.stderr.count("[races]") == 1
    assert "    at reverse." in result.stderr  # without the folder, which is gone
    assert "y[threadIdx.x] = tile[63 - threadIdx.x];" in result.stderr
    assert "tile[threadIdx.x] = x[threadIdx.x];" in result.stderr
    assert result.stderr.endswith("gpuarray check: 1 finding\n")


def test_a_correct_script(tmp_path):
    result = run(tmp_path, KERNEL, "fixed")
    assert result.returncode == 0, result.stderr
    assert result.stderr == "gpuarray check: nothing found\n"


def test_one_check_of_several(tmp_path):
    assert run(tmp_path, KERNEL, options=("--checks", "uninit,leaks")).returncode == 0
    result = run(tmp_path, KERNEL, options=("--checks", "rases"))
    assert result.returncode == 2
    assert "no check is called 'rases'" in result.stderr


def test_a_missing_script(capsys):
    from gpuarray.__main__ import main

    assert main(["check", "/nowhere/script.py"]) == 2
    assert "there is no file /nowhere/script.py" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "checks"),
    [
        ("", ()),
        ("0", ()),
        ("all", ALL),
        ("1", ALL),
        ("races=lane, uninit", ("races=lane", "uninit")),
    ],
)
def test_the_variable(value, checks):
    from gpuarray._config import Config

    assert Config.from_environment({"GPUARRAY_CHECK": value}).checks == checks


def test_a_value_that_means_nothing_is_refused():
    from gpuarray._config import Config

    with pytest.raises(ValueError, match="GPUARRAY_CHECK='rases' is not understood"):
        Config.from_environment({"GPUARRAY_CHECK": "rases"})


def test_the_status_of_the_script(tmp_path):
    assert run(tmp_path, "raise SystemExit(3)").returncode == 3
    result = run(tmp_path, "def f():\n    1 / 0\nf()")
    assert result.returncode == 1
    assert "ZeroDivisionError" in result.stderr
    assert "runpy" not in result.stderr
    assert result.stderr.endswith("nothing found; the script failed with status 1\n")


BEYOND = '''
import gpuarray as cp
beyond = cp.RawKernel(r"""
extern "C" __global__ void beyond(int* x, int at) {
    x[at] = 1;
}""", "beyond")
x = cp.zeros(100, "i4")
def go(at):
    beyond((1,), (1,), (x, at))
    cp.cuda.runtime.deviceSynchronize()
'''


@pytest.mark.parametrize("caught", [False, True])
def test_a_fault_is_a_finding(tmp_path, caught):
    call = "go(100)"
    if caught:
        call = "try:\n    go(100)\nexcept cp.errors.DriverError:\n    print('caught')"
    result = run(tmp_path, BEYOND + call)
    assert result.returncode == FOUND, result.stderr
    assert result.stdout == "caught\n" * caught
    assert result.stderr.count("[faults] invalid 4-byte store at 0x") == 1
    assert "0 bytes past the 400-byte allocation" in result.stderr
    assert "in kernel beyond, block (0,0,0), thread (0,0,0)\n    at " in result.stderr
    assert "cu:3: x[at] = 1;" in result.stderr
    status = "" if caught else "; the script failed with status 1"
    assert result.stderr.endswith(f"gpuarray check: 1 finding{status}\n")


def test_use_after_free(tmp_path):
    result = run(
        tmp_path,
        """
        import numpy as np
        import gpuarray as cp
        fill = cp.RawKernel("extern \\"C\\" __global__ void fill(int* x) { x[1] = 3; }", "fill")
        x = cp.zeros(100, "i4")
        address = x.data.ptr
        del x
        others = [cp.zeros(100, "i4") for _ in range(20)]
        fill((1,), (1,), (np.uint64(address),))
        """,
    )
    assert result.returncode == FOUND, result.stderr
    assert "[faults] invalid 4-byte store at 0x" in result.stderr
    assert "4 bytes into the 400-byte allocation 0x" in result.stderr
    assert "which was freed at " in result.stderr
    assert "script.py:7: del x" in result.stderr


def test_leaks(tmp_path):
    result = run(
        tmp_path,
        """
        from gpuarray._ffi import driver
        import gpuarray as cp
        kept = cp.zeros(10)
        first = driver.mem_alloc(100)
        for k in range(3):
            lost = driver.mem_alloc(1000)
        driver.mem_free(first)
        """,
    )
    assert result.returncode == FOUND, result.stderr
    assert result.stderr.count("[leaks]") == 1
    assert "3000 bytes in 3 allocations, the first at 0x" in result.stderr
    assert "lost = driver.mem_alloc(1000)" in result.stderr


def test_the_variable_reports_at_exit(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(KERNEL)
    environment = {**os.environ, "GPUARRAY_CHECK": "races", "GPUARRAY_BACKEND": "emulator"}
    result = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True, env=environment
    )
    assert result.stderr.startswith("GPUARRAY_CHECK: 1 finding\n[races]")


# ------------------------------------------------------------------ the context manager

UNSET = """
extern "C" __global__ void twice(const float* x, float* y) {
    y[threadIdx.x] = 2 * x[threadIdx.x];
}"""


def test_reading_an_empty_array(xp):
    from gpuarray.errors import CheckError

    twice = xp.RawKernel(UNSET, "twice", options=("-lineinfo",))
    with pytest.raises(CheckError, match="1 finding") as caught, xp.cuda.check("uninit"):
        twice((1,), (32,), (xp.empty(32, "f4"), xp.empty(32, "f4")))
    (finding,) = caught.value.findings
    assert finding.kind == "uninit"
    assert finding.kernel == "twice"
    assert finding.source[1] == 3
    with xp.cuda.check() as checked:
        x = xp.asarray(np.arange(32, dtype="f4"))
        y = xp.empty(32, "f4")
        twice((1,), (32,), (x, y))
        twice((1,), (32,), (y, x))
    assert checked.findings == []
    np.testing.assert_array_equal(xp.asnumpy(x), np.arange(32) * 4)


def test_findings_without_raising(xp):
    twice = xp.RawKernel(UNSET, "twice")
    with xp.cuda.check("uninit", raises=False) as checked:
        twice((1,), (32,), (xp.empty(32, "f4"), xp.empty(32, "f4")))
        assert len(checked.findings) == 1
        with xp.cuda.check("races") as inner:
            twice((1,), (32,), (xp.empty(32, "f4"), xp.empty(32, "f4")))
        assert inner.findings == []
    assert len(checked.findings) == 1
    twice((1,), (32,), (xp.empty(32, "f4"), xp.empty(32, "f4")))  # nobody looks any more
    assert len(checked.findings) == 1


def test_an_exception_inside_wins(xp):
    twice = xp.RawKernel(UNSET, "twice")

    def fail():
        with xp.cuda.check("uninit"):
            twice((1,), (32,), (xp.empty(32, "f4"), xp.empty(32, "f4")))
            raise KeyError

    with pytest.raises(KeyError):
        fail()


def test_unknown_checks_are_refused(xp):
    with pytest.raises(ValueError, match="no check is called 'race'"):
        xp.cuda.check("race")


def test_kernels_of_the_package(xp):
    """Every family is clean: element-wise (tiles too), reductions, scans, selections, sorts."""
    rng = np.random.default_rng(1)
    host = rng.standard_normal((37, 53)).astype("f4")
    few = rng.integers(0, 9, 5000)
    scaled = xp.ElementwiseKernel("T x, T k", "T y", "y = x * k", "scaled")
    squares = xp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares")
    with xp.cuda.check("races", "uninit", "bounds", "barriers"):
        x = xp.asarray(host)
        y = xp.asarray(host[::-1].copy())
        small = xp.asarray(few)
        results = [
            (x + y, host + host[::-1]),
            (x.T * 2 + 1, host.T * 2 + 1),
            (xp.ascontiguousarray(x.T), host.T),
            (x[:37, :37] + x[:37, :37].T, host[:37, :37] + host[:37, :37].T),
            (x[:, ::2] - y[:, ::2], host[:, ::2] - host[::-1, ::2]),
            (x.sum(axis=0), host.sum(axis=0)),
            (x.max(axis=1), host.max(axis=1)),
            (xp.cumsum(x, axis=1), host.cumsum(axis=1)),
            (x[x > 0], host[host > 0]),
            (xp.sort(x, axis=1), np.sort(host, axis=1)),
            (xp.argsort(x.ravel()), host.ravel().argsort(kind="stable")),
            (x[xp.asarray([3, 1, 30])], host[[3, 1, 30]]),
            (x.argmax(axis=0), host.argmax(axis=0)),
            (xp.where(x > 0, x, 0), np.where(host > 0, host, 0)),
            (xp.unique(small), np.unique(few)),
            (xp.bincount(small), np.bincount(few)),
            (xp.searchsorted(xp.sort(x[0]), x[1]), np.sort(host[0]).searchsorted(host[1])),
            (xp.median(x, axis=0), np.median(host, axis=0)),
            (scaled(x, 2), host * 2),
            (squares(x, axis=1), (host * host).sum(axis=1)),
            (xp.asarray(rng.integers(0, 9, 200_000)).sum(), None),
        ]
        for result, expected in results:
            if expected is not None:
                np.testing.assert_allclose(xp.asnumpy(result), expected, rtol=1e-4, atol=1e-4)


# ------------------------------------------------------------------ several streams

STREAMS = """
extern "C" __global__ void write(int* x, int value) { x[threadIdx.x] = value; }
extern "C" __global__ void read(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }
extern "C" __global__ void count(int* x) { atomicAdd(x + threadIdx.x, 1); }
"""


class Streams:
    """Two streams and the work for them."""

    def __init__(self, xp, **flags):
        self.xp = xp
        self.first, self.second = (
            xp.cuda.Stream(**(flags or {"non_blocking": True})) for _ in "12"
        )
        module = xp.RawModule(code=STREAMS, options=("-lineinfo",))
        self.kernels = {name: module.get_function(name) for name in ("write", "read", "count")}
        self.x, self.y = xp.zeros(64, "i4"), xp.zeros(64, "i4")
        self.host = xp.cuda.alloc_pinned_memory(256)
        xp.cuda.runtime.deviceSynchronize()

    def write(self, stream, value=1):
        with stream:
            self.kernels["write"]((1,), (64,), (self.x, np.int32(value)))

    def read(self, stream):
        with stream:
            self.kernels["read"]((1,), (64,), (self.x, self.y))

    def count(self, stream):
        with stream:
            self.kernels["count"]((1,), (64,), (self.x,))

    def fill(self, stream):
        self.x.data.memset_async(3, 256, stream)

    def download(self, stream):
        self.xp.cuda.runtime.memcpyAsync(
            self.host.ptr, self.x.data.ptr, 256, self.xp.cuda.runtime.memcpyDeviceToHost, stream.ptr
        )

    def upload(self, stream):
        self.xp.cuda.runtime.memcpyAsync(
            self.x.data.ptr, self.host.ptr, 256, self.xp.cuda.runtime.memcpyHostToDevice, stream.ptr
        )


#: What two streams do without waiting for one another, and what a finding says.
UNORDERED = {
    (
        "write",
        "read",
    ): "a 4-byte read at .* is not ordered with the write by kernel write in another",
    (
        "read",
        "write",
    ): "a 4-byte write at .* is not ordered with the read by kernel read in another",
    (
        "write",
        "write",
    ): "a 4-byte write at .* is not ordered with the write by kernel write in another",
    ("write", "count"): "a 4-byte atomic at .* is not ordered with the write by kernel write",
    (
        "fill",
        "read",
    ): "a 4-byte read at .* is not ordered with the write by a fill in another stream",
    ("read", "fill"): "a fill: 256 bytes .* are written .* with the read by kernel read in another",
    ("write", "download"): "a copy: 256 bytes .* are read .* with the write by kernel write",
    (
        "download",
        "upload",
    ): "a copy: 256 bytes .* are read .* with the write by a copy in another",
    ("upload", "fill"): "a fill: 256 bytes .* are written .* with the write by a copy in another",
}


@pytest.mark.parametrize(("one", "other"), UNORDERED)
def test_races_between_streams(xp, one, other):
    with xp.cuda.check("races", raises=False) as checked:
        work = Streams(xp)
        getattr(work, one)(work.first)
        getattr(work, other)(work.second)
    assert checked.findings
    for finding in checked.findings:
        assert finding.kind == "races"
    assert re.search(UNORDERED[one, other], checked.findings[0].message)
    assert str(checked.findings[0]).count("test_check.py") >= 2


def by_event(work):
    event = work.xp.cuda.Event()
    event.record(work.first)
    work.second.wait_event(event)


def by_host_and_event(work):
    event = work.xp.cuda.Event()
    event.record(work.first)
    event.synchronize()


ORDERS = {
    "event": by_event,
    "event of the host": by_host_and_event,
    "stream of the host": lambda work: work.first.synchronize(),
    "device": lambda work: work.xp.cuda.runtime.deviceSynchronize(),
    "question": lambda work: work.first.done,
    "copy": lambda work: work.first.synchronize() or work.x.get(),
}


@pytest.mark.parametrize("order", ORDERS)
def test_streams_that_wait_do_not_race(xp, order):
    with xp.cuda.check("races"):
        work = Streams(xp)
        for one, other in UNORDERED:
            getattr(work, one)(work.first)
            ORDERS[order](work)
            getattr(work, other)(work.second)
            xp.cuda.runtime.deviceSynchronize()


def test_an_event_orders_what_was_submitted_before_it(xp):
    with xp.cuda.check("races", raises=False) as checked:
        work = Streams(xp)
        by_event(work)
        work.write(work.first)
        work.read(work.second)
    assert len(checked.findings) == 1


def test_one_stream_and_the_default_stream_are_ordered(xp):
    with xp.cuda.check("races"):
        work = Streams(xp, non_blocking=False)
        null = xp.cuda.Stream(null=True)
        for one, other in UNORDERED:
            getattr(work, one)(work.first)
            getattr(work, other)(work.first)
            getattr(work, one)(null)
            getattr(work, other)(work.second)
            getattr(work, one)(null)
        work.count(work.first)
        work.count(work.second)  # atomics do not race


@pytest.mark.parametrize("waits", [False, True])
def test_nodes_of_a_graph_are_ordered_by_its_edges(xp, waits):
    from gpuarray._ffi import driver

    with xp.cuda.check("races", raises=False) as checked:
        work = Streams(xp)
        driver.stream_begin_capture(work.first.ptr, "relaxed")
        event = xp.cuda.Event()
        event.record(work.first)
        work.second.wait_event(event)
        work.write(work.first)
        if waits:
            by_event(work)
        work.read(work.second)
        event.record(work.second)
        work.first.wait_event(event)
        graph = driver.stream_end_capture(work.first.ptr)
        executable = driver.graph_instantiate(graph)
        for _ in range(2):
            driver.graph_launch(executable, work.first.ptr)
        work.read(work.first)
        driver.graph_exec_destroy(executable)
        driver.graph_destroy(graph)
    assert len(checked.findings) == (not waits)


# ------------------------------------------------------------------ accesses of the host

MAPPED = """
extern "C" __global__ void squares(int* x) { x[threadIdx.x] = threadIdx.x * threadIdx.x; }
extern "C" __global__ void squares_and_flag(int* x, volatile int* flag) {
    x[threadIdx.x] = threadIdx.x * threadIdx.x;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
}
extern "C" __global__ void add(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x] + 1; }
"""
SQUARES = np.arange(64, dtype="i4") ** 2


class Mapped:
    """A stream, and memory that the host accesses, too."""

    def __init__(self, xp, kind, count=64):
        self.xp = xp
        self.stream = xp.cuda.Stream(non_blocking=True)
        self.module = xp.RawModule(code=MAPPED)
        if kind == "managed":
            self.memory = xp.cuda.malloc_managed(4 * count)
            self.pointer = self.memory.ptr
            array = (ctypes.c_int * count).from_address(self.pointer)
            self.host = np.frombuffer(array, "i4")
        else:
            self.memory = xp.cuda.alloc_pinned_memory(4 * count)
            self.pointer = self.memory.ptr
            self.host = np.frombuffer(self.memory, "i4", count)
        self.host[:] = 0

    def run(self, name, *arguments):
        with self.stream:
            self.module.get_function(name)((1,), (64,), arguments)

    def squares(self):
        self.run("squares", np.uint64(self.pointer))

    def copy(self):
        x = self.xp.empty(64, "i4")
        self.run("squares", x)
        runtime = self.xp.cuda.runtime
        runtime.memcpyAsync(
            self.pointer, x.data.ptr, 256, runtime.memcpyDeviceToHost, self.stream.ptr
        )
        return x


@pytest.mark.parametrize("wait", ["nothing", "stream", "event", "device", "callback"])
@pytest.mark.parametrize(
    ("kind", "work"), [("host", "copy"), ("host", "squares"), ("managed", "squares")]
)
def test_the_host_reads_before_it_waits(xp, kind, work, wait):
    from gpuarray._ffi import driver

    with xp.cuda.check("host", raises=False) as checked:
        mapped = Mapped(xp, kind)
        kept = getattr(mapped, work)()
        if wait == "stream":
            mapped.stream.synchronize()
        elif wait == "event":
            event = xp.cuda.Event()
            event.record(mapped.stream)
            event.synchronize()
        elif wait == "device":
            xp.cuda.runtime.deviceSynchronize()
        elif wait == "callback":
            driver.launch_host_function(mapped.stream.ptr, lambda: None)
        seen = mapped.host.copy()
        mapped.stream.synchronize()
        np.testing.assert_array_equal(mapped.host, SQUARES)
    del kept
    if wait != "nothing":
        assert checked.findings == []
        np.testing.assert_array_equal(seen, SQUARES)
        return
    (finding,) = checked.findings
    assert not seen.any()
    assert finding.kind == "host"
    noun = "managed" if kind == "managed" else "page-locked"
    noun = f"{noun} memory that {'a copy' if work == 'copy' else 'kernel squares'} writes"
    assert f"the host accessed {noun}, without waiting" in finding.message
    assert "into the" in finding.message
    assert "test_check.py" in finding.message
    assert "accessed before " in finding.place
    assert "mapped.stream.synchronize()" in finding.place


def test_work_of_the_stream_sees_what_is_put_aside(xp):
    with xp.cuda.check("host"):
        mapped = Mapped(xp, "host")
        kept = mapped.copy()
        x = xp.zeros(64, "i4")
        mapped.run("add", np.uint64(mapped.pointer), x)  # a kernel reads it
        runtime = xp.cuda.runtime
        y = xp.zeros(64, "i4")
        kind = runtime.memcpyHostToDevice
        runtime.memcpyAsync(y.data.ptr, mapped.pointer, 256, kind, mapped.stream.ptr)
        mapped.squares()
        mapped.stream.synchronize()
        np.testing.assert_array_equal(x.get(), SQUARES + 1)
        np.testing.assert_array_equal(y.get(), SQUARES)
        np.testing.assert_array_equal(mapped.host, SQUARES)
        del kept


def test_a_kernel_that_tells_the_host_by_itself(xp):
    with xp.cuda.check("host"):
        mapped = Mapped(xp, "host", 65)
        flag = np.uint64(mapped.pointer + 256)
        mapped.run("squares_and_flag", np.uint64(mapped.pointer), flag)
        assert mapped.host[64] == 1
        np.testing.assert_array_equal(mapped.host[:64], SQUARES)


def test_one_half_of_a_buffer_while_the_other_is_written(xp):
    with xp.cuda.check("host"):
        mapped = Mapped(xp, "host", 128)
        mapped.host[64:] = 7
        kept = mapped.copy()
        assert (mapped.host[64:] == 7).all()
        mapped.host[64:] = 8
        mapped.stream.synchronize()
        np.testing.assert_array_equal(mapped.host[:64], SQUARES)
        mapped.host[64:] = 0
        kept = mapped.copy()
        mapped.host[64:] = 9  # all of the page was put aside
        mapped.stream.synchronize()
        assert (mapped.host[64:] == 9).all()
        np.testing.assert_array_equal(mapped.host[:64], SQUARES)
        del kept


def test_large_copies_through_page_locked_buffers(xp):
    host = np.arange(5 << 20, dtype="i4")
    with xp.cuda.check("host", "races"):
        x = xp.asarray(host)
        y = xp.asnumpy(x)
    np.testing.assert_array_equal(y, host)


def test_checks_inside_checks_leave_memory_alone(xp):
    with xp.cuda.check("host"):
        mapped = Mapped(xp, "host")
        kept = mapped.copy()
        with xp.cuda.check("uninit"):
            np.testing.assert_array_equal(mapped.host, SQUARES)
        mapped.stream.synchronize()
        del kept
