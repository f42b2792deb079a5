"""Handles: which threads and streams share one, and what becomes of them."""

from __future__ import annotations

import gc
import threading

import pytest

from gpuarray._ffi import cublas, driver
from gpuarray._libraries.handles import LibraryHandles
from gpuarray.errors import CUDAError, LibraryError
from tests.faults.programs import run


class Recorded:
    """Handles of a library that notes what it is told."""

    def __init__(self):
        self.made = 0
        self.streams = {}
        self.workspaces = {}
        self.handles = LibraryHandles(
            cublas.library,
            self._create,
            self.streams.__setitem__,
            self._set_workspace,
            lambda capability: 4096,
        )

    def _create(self):
        self.made += 1
        return self.made

    def _set_workspace(self, handle, address, nbytes):
        self.workspaces[handle] = address, nbytes


@pytest.fixture
def recorded():
    return Recorded()


def _in_thread(function):
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


def test_one_for_each_stream(xp, recorded):
    first, second = xp.cuda.Stream(), xp.cuda.Stream()
    one = recorded.handles.on(first)
    assert one is recorded.handles.on(first)
    assert one.handle == one.handle == 1
    assert recorded.handles.on(second).handle == 2
    assert recorded.streams == {1: first.ptr, 2: second.ptr}


def test_one_for_each_thread_at_a_time(xp, recorded):
    stream = xp.cuda.Stream()
    handles = recorded.handles.on(stream)
    assert handles.handle == 1
    ready, done = threading.Barrier(3), threading.Barrier(3)
    seen = []

    def work():
        xp.cuda.Device(0).use()
        seen.append(handles.handle)
        ready.wait()
        done.wait()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    ready.wait()
    assert sorted(seen) == [2, 3]
    assert handles.handle == 1
    done.wait()
    for thread in threads:
        thread.join()


def test_a_thread_gives_its_handle_and_its_workspace_back(xp, recorded):
    stream = xp.cuda.Stream()
    handles = recorded.handles.on(stream)
    pool = xp.get_default_memory_pool()
    gc.collect()  # arrays in cycles that other tests have left
    used = pool.used_bytes()

    def work():
        xp.cuda.Device(0).use()
        return handles.handle, pool.used_bytes()

    assert _in_thread(work) == (2, used + 4096)
    assert pool.used_bytes() == used
    assert _in_thread(work)[0] == 2
    assert recorded.made == 2


def test_a_stream_gives_its_handle_back(xp, recorded):
    stream = xp.cuda.Stream()
    assert recorded.handles.on(stream).handle == 1
    del stream
    gc.collect()
    other = xp.cuda.Stream()
    assert recorded.handles.on(other).handle == 1
    assert recorded.streams == {1: other.ptr}
    assert recorded.made == 1


def test_the_workspace_is_memory_of_the_stream(xp, recorded):
    stream = xp.cuda.Stream()
    handles = recorded.handles.on(stream)
    address, nbytes = recorded.workspaces[handles.handle]
    assert handles._held.workspace.stream is stream
    assert (handles._held.workspace.pointer, 4096) == (address, nbytes)


def test_a_library_without_workspaces(xp):
    streams = {}
    handles = LibraryHandles(cublas.library, lambda: 7, streams.__setitem__)
    stream = xp.cuda.Stream()
    assert handles.on(stream).handle == 7
    assert streams == {7: stream.ptr}


def test_a_handle_that_cannot_be_made_is_asked_for_again(xp):
    failures = [RuntimeError("no memory")]

    def create():
        if failures:
            raise failures.pop()
        return 5

    handles = LibraryHandles(cublas.library, create, lambda handle, stream: None)
    stream = xp.cuda.Stream()
    with pytest.raises(RuntimeError, match="no memory"):
        handles.on(stream)
    assert handles.on(stream).handle == 5


@pytest.fixture
def pool(xp):
    """A pool of the test's own, which arrays use."""
    before = xp.cuda.get_allocator()
    own = xp.cuda.MemoryPool()
    xp.cuda.set_allocator(own.malloc)
    yield own
    xp.cuda.set_allocator(before)


def _failing(pool, status, failures):
    """Handles whose first are not made for a status, and the idle bytes at each attempt."""
    idle = []

    def create():
        idle.append(pool.free_bytes())
        if len(idle) <= failures:
            raise LibraryError("cublasCreate_v2", status, cublas.STATUSES[status])
        return 5

    return LibraryHandles(cublas.library, create, lambda handle, stream: None), idle


@pytest.mark.parametrize("status", [1, 3], ids=cublas.STATUSES.get)
def test_a_handle_gets_the_idle_memory_of_the_pool(xp, pool, status):
    handles, idle = _failing(pool, status, failures=1)
    stream = xp.cuda.Stream()
    pool.malloc(1 << 20)
    assert handles.on(stream).handle == 5
    assert idle == [1 << 20, 0]


def test_a_handle_is_asked_for_twice_at_most(xp, pool):
    handles, idle = _failing(pool, 3, failures=2)
    with pytest.raises(LibraryError, match="CUBLAS_STATUS_ALLOC_FAILED"):
        handles.on(xp.cuda.Stream())
    assert len(idle) == 2


def test_other_failures_leave_the_pool_alone(xp, pool):
    handles, idle = _failing(pool, 14, failures=1)
    pool.malloc(1 << 20)
    with pytest.raises(LibraryError, match="CUBLAS_STATUS_INTERNAL_ERROR"):
        handles.on(xp.cuda.Stream())
    assert pool.free_bytes() == 1 << 20
    assert len(idle) == 1


@pytest.mark.emulator
def test_a_full_device():
    run(
        """
        from gpuarray._libraries.blas import gemm

        def fill():  # but for what is less than a chunk of the pool's memory
            cp.get_default_memory_pool().free_all_blocks()
            return cp.empty(cp.cuda.Device().mem_info[0] - (1 << 21), "u1")

        a = cp.ones((2, 3), "f4")
        fill()  # all memory is idle in the pool
        assert gemm(a, a.T).tolist() == [[3, 3]] * 2
        full = fill()
        with cp.cuda.Stream():
            error = error_of(gemm, a, a.T)
            assert isinstance(error, CUDAError), error
            assert error.status_name == "CUBLAS_STATUS_ALLOC_FAILED", error
            del full
            assert gemm(a, a.T).tolist() == [[3, 3]] * 2
        """
    )


def test_no_handle_is_made_during_a_capture(xp, recorded):
    stream = xp.cuda.Stream(non_blocking=True)
    handles = recorded.handles.on(stream)
    driver.stream_begin_capture(stream.handle, "thread_local")

    def work():
        xp.cuda.Device(0).use()
        with pytest.raises(CUDAError, match="cuBLAS has no handle yet for this stream and thread"):
            _ = handles.handle
        return recorded.made

    assert _in_thread(work) == 1
    assert handles.handle == 1
    driver.graph_destroy(driver.stream_end_capture(stream.handle))


@pytest.mark.emulator
def test_devices_have_their_own_and_a_reset_takes_them_away():
    run(
        """
        from gpuarray._libraries.blas import gemm
        from gpuarray._libraries.handles import BLAS
        import threading

        def work(device):
            with cp.cuda.Device(device):
                a = cp.ones((2, 3), "f4")
                assert gemm(a, a.T).tolist() == [[3, 3]] * 2
                return BLAS.on(cp.cuda.get_current_stream()).handle

        assert work(0) != work(1)
        thread = threading.Thread(target=work, args=(0,))
        thread.start()
        thread.join()
        assert sorted(BLAS.spare) == [0]
        (spare,) = BLAS.spare[0]
        held = work(0)
        cp.cuda.Device(0).reset()
        assert 0 not in BLAS.spare
        assert work(0) not in (held, spare)
        assert BLAS.spare.get(0, []) == []  # a handle of before the reset never comes back
        work(1)
        """,
        GPUARRAY_EMULATED_DEVICES="2",
    )


@pytest.mark.emulator
def test_the_rule_for_the_size_of_a_workspace(monkeypatch):
    assert cublas.workspace_bytes(90) < 1 << 20
    monkeypatch.setattr(cublas, "opened", lambda: type("Backend", (), {"name": "cuda"}))
    assert [cublas.workspace_bytes(c) for c in (75, 89, 90, 100)] == [4 << 20] * 2 + [32 << 20] * 2
