"""Copies between pageable memory and the device: pieces, threads, and what may go wrong."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import driver
from gpuarray._runtime import pinned_ranges, staged_copies
from gpuarray.cuda import Stream
from gpuarray.errors import CaptureError
from tests.limits import HANG_SECONDS


@pytest.fixture
def pieces(monkeypatch):
    """Copies of many small pieces by several threads, whatever the processor."""
    monkeypatch.setattr(staged_copies, "STAGED_BYTES", 1000)
    monkeypatch.setattr(staged_copies, "PIECE_BYTES", 4096)
    monkeypatch.setattr(staged_copies, "PIECES_A_THREAD", 1)
    monkeypatch.setattr(staged_copies, "_processors", lambda: 4)
    yield
    staged_copies._idle.clear()


def host(nbytes):
    return np.random.default_rng(nbytes).integers(0, 255, nbytes, dtype="u1")


@pytest.mark.parametrize("nbytes", [1000, 4096, 4097, 8192, 50_001, 200_000])
@pytest.mark.parametrize("threads", [1, 2, 6])
def test_there_and_back(pieces, monkeypatch, nbytes, threads):
    monkeypatch.setattr(staged_copies, "THREADS", threads)
    source = host(nbytes)
    stream = Stream(non_blocking=True)
    x = cp.empty(nbytes, "u1")
    for target in (None, stream):
        x.set(source, stream=target)
        expected = source.copy()
        source[...] += 1  # it may be changed again
        assert (x.get(stream=target) == expected).all()
    out = np.zeros((nbytes, 2), "u1")[:, 0]
    x.get(out=out)
    assert (out == expected).all()


def test_copies_of_many_threads_at_once(pieces):
    shared = Stream(non_blocking=True)
    faults = []

    def work(number):
        try:
            own = Stream(non_blocking=True)
            for stream in (own, shared):
                source = host(30_000 + number)
                with stream:
                    x = cp.asarray(source)
                    assert ((x + 1).get(stream=stream) == source + 1).all()
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def test_a_default_stream_of_a_thread_has_no_helpers(pieces):
    """Its handle stands for another stream in another thread."""
    source = host(100_000)
    assert staged_copies._threads(100_000, Stream.null) == 4
    with Stream.ptds as stream:
        assert staged_copies._threads(100_000, stream) == 1
        assert (cp.asarray(source).get() == source).all()


@pytest.mark.parametrize("way", ["upload", "download"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("where", ["here", "in another thread"])
def test_an_error_in_the_middle(pieces, monkeypatch, way, error, where):
    """All threads have ended when it is raised, and the next copy works."""
    source, main = host(200_000), threading.get_ident()
    x = cp.zeros(200_000, "u1")
    copy, calls = driver.copy_host, []
    ready = threading.Event()

    def fail(*arguments):
        calls.append(1)
        if (threading.get_ident() == main) == (where == "here"):
            ready.set()
            raise error
        ready.wait(20)  # so that there is a piece left for the other thread
        copy(*arguments)

    monkeypatch.setattr(driver, "copy_host", fail)
    with pytest.raises(error):
        x.set(source) if way == "upload" else x.get()
    count = len(calls)
    monkeypatch.setattr(driver, "copy_host", copy)
    x.set(source)
    assert (x.get() == source).all()
    assert len(calls) == count  # no other thread was at it any more


def test_without_threads(pieces, monkeypatch):
    """As at the end of a process, where none can be started."""

    def refuse(*arguments):
        raise RuntimeError("cannot schedule new futures after interpreter shutdown")

    monkeypatch.setattr(staged_copies, "_executor", refuse)
    source = host(50_000)
    assert (cp.asarray(source).get() == source).all()


def test_buffers_are_kept_until_the_pool_is_emptied(pieces):
    pool = cp.get_default_pinned_memory_pool()
    x = cp.asarray(host(50_000))
    assert staged_copies._idle[x.device]
    pool.free_all_blocks()
    assert not staged_copies._idle
    assert pool.n_free_blocks() == 0
    assert (x.get() == host(50_000)).all()


# ---- page-locked memory --------------------------------------------------------------------------


def test_a_result_in_page_locked_memory():
    stream = Stream(non_blocking=True)
    with stream:
        x = cp.arange(2000.0).reshape(40, 50)
    for order in "CF":
        got = x.get(stream=stream, order=order, blocking=False)
        assert pinned_ranges.is_pinned(got.ctypes.data, got.nbytes)
        assert got.flags[f"{order}_CONTIGUOUS"]
        stream.synchronize()
        assert (got == np.arange(2000.0).reshape(40, 50)).all()
    with stream:
        got = cp.asnumpy(x, blocking=False)
    stream.synchronize()
    assert (got == np.arange(2000.0).reshape(40, 50)).all()
    assert cp.asnumpy(cp.empty((0, 3)), blocking=False).shape == (0, 3)
    pageable = np.empty((40, 50))
    assert x.get(out=pageable, blocking=False) is pageable
    assert (pageable == got).all()  # without waiting: nobody would know when


@pytest.mark.parametrize("nbytes", [1000, 17 << 20])
def test_memory_that_somebody_else_pinned(nbytes):
    """The driver alone knows it: it is copied at once where that is asked for, else waited for."""
    source = host(nbytes)
    address = source.ctypes.data
    assert not driver.is_page_locked(address)
    cp.cuda.runtime.hostRegister(address, nbytes, 0)
    try:
        assert driver.is_page_locked(address)
        x = cp.empty(nbytes, "u1")
        x.set(source)
        expected = source.copy()
        source[...] = 0
        assert (x.get() == expected).all()
        x.get(out=source)
        assert (source == expected).all()
        x[...] = 7
        x.get(out=source, blocking=False)
        cp.cuda.get_current_stream().synchronize()
        assert (source == 7).all()
    finally:
        cp.cuda.runtime.hostUnregister(address)


def waits(monkeypatch, function):
    """Whether a call waits for a stream."""
    seen = []
    synchronize = driver.bare_stream_synchronize
    with monkeypatch.context() as patch:
        patch.setattr(driver, "bare_stream_synchronize", lambda x: seen.append(x) or synchronize(x))
        function()
    return bool(seen)


def test_what_waits(monkeypatch):
    pageable, stream = np.ones(100, "f4"), Stream(non_blocking=True)
    pinned = cp.empty_pinned(100, "f4")
    pinned[...] = 1
    x = cp.empty(100, "f4")
    for call, waited in {
        lambda: x.set(pageable): False,  # copied aside
        lambda: x.set(pinned): True,
        lambda: x.set(pinned, stream=stream): False,
        lambda: x.__setitem__(..., pinned): True,
        lambda: x[::2].__setitem__(..., pinned[:50]): True,
        lambda: cp.asarray(pageable): False,
        lambda: cp.asarray(pinned): False,
        lambda: cp.asarray(pinned, blocking=True): True,
        lambda: cp.array(pinned): False,
        lambda: x.get(): True,
        lambda: x.get(stream=stream): True,
        lambda: x.get(blocking=False): False,
        lambda: x.get(out=pinned, blocking=False): False,
        lambda: x.get(out=pageable, blocking=False): True,
    }.items():
        assert waits(monkeypatch, call) is waited
    cp.cuda.Device().synchronize()


def test_a_device_that_reads_pageable_memory(monkeypatch):
    """Then the driver need not have copied it aside, so the copy is waited for."""
    monkeypatch.setattr(cp.cuda.Device(), "reads_pageable", True)
    assert waits(monkeypatch, lambda: cp.asarray(np.ones(10)))


def test_addresses_of_host_arrays():
    x = np.arange(24.0).reshape(4, 6)
    for array in (x, x[1:, 2:], x.T, x[::-1], np.array(3), np.empty(0), x.view(np.recarray)):
        assert driver.array_address(array) == array.ctypes.data
    assert driver.array_address(np.frombuffer(b"12345678")) != 0
    assert ctypes.c_double.from_address(driver.array_address(x)).value == 0


FORK = """
import os
import numpy as np
import gpuarray as cp
from gpuarray._runtime import staged_copies
staged_copies.STAGED_BYTES, staged_copies.PIECE_BYTES = 1000, 4096
staged_copies.PIECES_A_THREAD, staged_copies._processors = 1, lambda: 4
host = np.arange(20000)
x = cp.asarray(host)
child = os.fork()
if not child:
    try:
        x.get()
    except RuntimeError as error:
        os._exit(5 if "fork" in str(error) else 1)
    os._exit(2)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
assert (x.get() == host).all()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_of_a_process_with_threads_that_copy():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORK],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reset_forgets_the_buffers():
    program = """
import numpy as np
import gpuarray as cp
host = np.zeros(17 << 20, "u1")
cp.asarray(host)
cp.cuda.Device().reset()
assert (cp.asarray(host).get() == host).all()
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_buffers_that_die_wait_for_their_copies(monkeypatch):
    waited = []
    gc.collect()
    monkeypatch.setattr(staged_copies._Buffer, "wait", lambda buffer: waited.append(buffer.ptr))
    buffer = staged_copies._Buffer(1000)
    address = buffer.ptr
    del buffer
    gc.collect()
    assert waited == [address]


def test_copies_by_pieces_are_not_captured(pieces, tmp_path):
    source, file, other = host(50_000), tmp_path / "array", tmp_path / "other"
    stream = Stream(non_blocking=True)
    x = cp.asarray(source)
    x.tofile(file)
    with stream:
        stream.begin_capture()
        for call in (x.get, lambda: cp.fromfile(file, "u1"), lambda: x.tofile(other)):
            with pytest.raises(CaptureError):
                call()
        y = cp.asarray(source)  # the graph has a copy
        graph = stream.end_capture()
    source[...] = 0
    graph.launch(stream)
    assert (y.get(stream=stream) == x.get()).all()
    assert (np.fromfile(file, "u1") == x.get()).all()


DEVICES = """
import numpy as np
import gpuarray as cp
from gpuarray._runtime import staged_copies
staged_copies.STAGED_BYTES, staged_copies.PIECE_BYTES = 1000, 4096
staged_copies.PIECES_A_THREAD, staged_copies._processors = 1, lambda: 4
host = np.arange(50_000)
for number in (1, 0, 1):
    with cp.cuda.Device(number), cp.cuda.Stream(non_blocking=True):
        x = cp.asarray(host)
        assert x.device.id == number and (x.get() == host).all()
        assert {y.event.device.id for y in staged_copies._idle[x.device]} == {number}
assert (x.get() == host).all()
"""


@pytest.mark.emulator
def test_threads_that_copy_work_on_the_device_of_the_stream():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", DEVICES],
        env={**os.environ, "GPUARRAY_EMULATED_DEVICES": "2"},
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("nbytes", [1, 4096, 16_383, 20_483, 200_000])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_pieces_cover_a_copy_once(pieces, nbytes, threads):
    found = staged_copies._pieces(nbytes, min(threads, -(-nbytes // 4096)))
    assert [start for start, _ in found] == np.cumsum([0, *[n for _, n in found[:-1]]]).tolist()
    assert sum(n for _, n in found) == nbytes
    assert all(0 < n <= 4096 for _, n in found)
    if threads == 5 and nbytes == 200_000:  # nobody waits for a whole piece at either end
        assert [n for _, n in found[:6]] == [1024] * 5 + [4096]
        assert [n for _, n in found[-5:]] == [1024] * 5
