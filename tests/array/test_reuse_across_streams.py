"""Memory that work of several streams uses is not handed out again before all of it is done."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import driver
from gpuarray._runtime.memory import BaseMemory
from gpuarray._runtime.pool import Allocation

_kernel = cp.RawKernel(
    'extern "C" __global__ void twice(float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }',
    "twice",
)
_double = cp.fuse(lambda x: x * 2 + 1)


def _with_host(x):
    """A copy to page-locked memory that nobody waits for."""
    host = cp.cuda.alloc_pinned_memory(x.nbytes)
    x.get(out=np.frombuffer(host, x.dtype, x.size), blocking=False)
    return host


def _increment(x):
    x += 1


#: What reads, or writes, an array on the current stream.
USES = {
    "operator": lambda x: x + 1,
    "in place": lambda x: _increment(x),
    "reduction": lambda x: x.sum(),
    "scan": lambda x: cp.cumsum(x),
    "sort": lambda x: cp.sort(x),
    "gather": lambda x: x[cp.arange(3)],
    "copy": lambda x: x.copy(),
    "view": lambda x: x[::-1] + x[2:3],
    "fill": lambda x: x.fill(3),
    "assignment": lambda x: x.__setitem__(slice(3), 4),
    "fused": lambda x: _double(x),
    "RawKernel": lambda x: _kernel((1,), (64,), (x, cp.empty(64, "f4"))),
    "pointer": lambda x: _kernel((1,), (64,), (x.data, cp.empty(64, "f4"))),
    "copy to the host": lambda x: _with_host(x),
    "pointer's copy": lambda x: cp.empty(64, "f4").data.copy_from_device_async(x.data, 256),
    "memset": lambda x: x.data.memset_async(0, 16),
    "record_stream": lambda x: (
        x.record_stream(cp.cuda.get_current_stream())
        or driver.memset_d8_async(x.data.ptr, 0, 256, cp.cuda.get_current_stream().ptr)
    ),
}


@pytest.fixture
def pool():
    """A pool of its own for the arrays of a test, so that the next block is the last one freed."""
    gc.collect()
    before = cp.cuda.get_allocator()
    made = cp.cuda.MemoryPool()
    cp.cuda.set_allocator(made.malloc)
    yield made
    cp.cuda.set_allocator(before)


def _races(pool, use):
    """What the checker finds where an array's memory is used again after work of another stream."""
    mine, other = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    with mine:
        x = cp.ones(64, "f4")
        use(x)  # compiles
        x.fill(1)
    with other:
        use(x)
    mine.synchronize()
    other.synchronize()
    with cp.cuda.check("races", raises=False) as checked:
        cp.cuda.set_allocator(pool.malloc)
        with mine:
            x = cp.ones(64, "f4")
        address = x.data.ptr
        event = mine.record()
        other.wait_event(event)
        with other:
            kept = use(x)
        with mine:
            del x
            y = cp.full(64, 7, "f4")
        assert y.data.ptr == address
    del kept
    return checked.findings


@pytest.mark.emulator
@pytest.mark.parametrize("use", USES)
def test_work_of_another_stream_comes_first(pool, use):
    assert not _races(pool, USES[use])


@pytest.mark.emulator
def test_the_checker_would_find_it(pool, monkeypatch):
    monkeypatch.setattr(Allocation, "_note_user", BaseMemory._note_user)
    assert _races(pool, USES["operator"])


def test_work_of_another_stream_comes_first_on_a_busy_device(pool):
    mine, other = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    n = 1 << 16
    with mine:
        x = cp.arange(n, dtype="i8")
    other.wait_event(mine.record())
    with other:
        busy = x
        for _ in range(20):
            busy = cp.sort(busy[::-1])
        y = x + busy
    with mine:
        del x
        z = cp.full(n, -1, "i8")
    mine.synchronize()
    other.synchronize()
    np.testing.assert_array_equal(y.get(), np.arange(n) * 2)
    assert int(z.sum()) == -n


def test_one_stream_leaves_no_notes(pool):
    x = cp.ones(64, "f4")
    for use in USES.values():
        use(x)
    assert x._memory.release == pool.arena(cp.cuda.get_current_stream()).bin(512).append


def test_record_stream():
    stream = cp.cuda.Stream(non_blocking=True)
    x = cp.ones(10)
    x.record_stream(cp.cuda.get_current_stream())
    x[2:].record_stream(stream)
    x.record_stream(stream)
    assert x._memory.release.args[1] == {stream.work}
    cp.zeros(0).record_stream(stream)
    x.data.mem.record_stream(stream)
    with pytest.raises(TypeError, match="stream is a gpuarray.cuda.Stream"):
        x.record_stream(3)


def test_garbage_with_a_circle_has_the_stream_and_its_memory():
    faults = []
    before, sys.unraisablehook = sys.unraisablehook, lambda fault: faults.append(fault.exc_value)
    gc.disable()
    try:
        for _ in range(5):
            owner, user = (cp.cuda.Stream(non_blocking=True) for _ in range(2))
            with owner:
                x = cp.arange(100)
                owner.synchronize()
            with user:
                y = x + 1
                user.synchronize()
            circle = [owner, user, x, y]
            circle.append(circle)
            circle = [x, owner]
            circle.append(circle)
            del owner, user, x, y, circle
            gc.collect()  # finalizes the stream before the memory, or after it
    finally:
        gc.enable()
        sys.unraisablehook = before
    assert not faults


def test_garbage_is_collected_while_a_stream_is_waited_for(monkeypatch):
    """To make an event may start the collector, which then finds the stream itself."""
    from gpuarray._runtime import stream_work

    def event(*args, original=stream_work.Event, **kwargs):
        gc.collect()
        return original(*args, **kwargs)

    user = cp.cuda.Stream(non_blocking=True)
    x = cp.arange(100)
    with user:
        cp.exp(x)
    work = user.work
    circle = [user]
    circle.append(circle)
    gc.disable()
    try:
        del user, circle
        monkeypatch.setattr(stream_work, "Event", event)
        assert work.leave_event() is not None
    finally:
        gc.enable()
    del x
