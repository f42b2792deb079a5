"""Accesses of the host before it has waited, which the checkers find."""

from __future__ import annotations

import ctypes
import gc

import numpy as np
import pytest

pytestmark = pytest.mark.emulator

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


@pytest.fixture(autouse=True)
def _loaded(xp):
    """The kernels are there, and none of other tests is unloaded: that waits for the device."""
    module = xp.RawModule(code=MAPPED)
    kernels = [module.get_function(name) for name in ("squares", "squares_and_flag", "add")]
    gc.collect()
    yield
    del module, kernels


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
    assert "test_host_checks.py" in finding.message
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
