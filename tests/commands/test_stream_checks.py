"""Races between streams, which the checkers find."""

from __future__ import annotations

import gc
import re

import numpy as np
import pytest

pytestmark = pytest.mark.emulator

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


@pytest.fixture(autouse=True)
def _loaded(xp):
    """Kernels and plans are there; none of other tests is unloaded, which would wait."""
    work = Streams(xp)
    for use in (work.write, work.read, work.count):
        use(work.first)
    work.first.synchronize()
    gc.collect()
    yield
    del work, use


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
    assert str(checked.findings[0]).count("test_stream_checks.py") >= 2


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
