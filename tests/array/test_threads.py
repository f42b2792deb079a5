"""Many threads at once: plans, argument buffers, the pool and look-back memory are shared."""

from __future__ import annotations

import gc
import threading
import tracemalloc

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._integers import round_up
from gpuarray._runtime.pool import UNIT
from tests.slow import slow_except

THREADS = 8


def together(work):
    """Run work(number) in THREADS threads that start at the same moment; errors are raised."""
    gate = threading.Barrier(THREADS)
    errors = []

    def run(number):
        try:
            gate.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def mixture(rng, size):
    """A bit of everything, compared with NumPy."""
    host = rng.integers(-50, 50, size).astype("f4")
    a = cp.asarray(host)
    index = rng.integers(0, size, size // 2)
    out = cp.empty_like(a)
    cp.add(a, 1, out=out)
    expected = {
        "sum": (a + a * 2).sum() == (host * 3).sum(),
        "out": (cp.asnumpy(out) == host + 1).all(),
        "take": (cp.asnumpy(a[cp.asarray(index)]) == host[index]).all(),
        "mask": (cp.asnumpy(a[a > 3]) == host[host > 3]).all(),
        "sort": (cp.asnumpy(cp.sort(a)) == np.sort(host)).all(),
        "cumsum": (cp.asnumpy(cp.cumsum(a)) == np.cumsum(host)).all(),
        "argmax": int(a.argmax()) == host.argmax(),
        "view": (cp.asnumpy(a[::-3] - 1) == host[::-3] - 1).all(),
        "join": (cp.asnumpy(cp.concatenate((a, out))) == np.concatenate((host, host + 1))).all(),
    }
    wrong = [name for name, right in expected.items() if not right]
    assert not wrong, f"{wrong} of {size} elements"


@pytest.mark.parametrize("own_stream", [False, True], ids=["one stream", "a stream each"])
def test_a_mixture(own_stream):
    def work(number):
        rng = np.random.default_rng(number)
        for turn in range(3):
            size = 40 + 10 * (turn % 2)  # the same layouts in every thread
            if own_stream:
                with cp.cuda.Stream(non_blocking=True) as stream:
                    mixture(rng, size)
                    stream.synchronize()
            else:
                mixture(rng, size)

    together(work)


def test_one_array_read_by_all():
    host = np.arange(1000.0)
    a = cp.asarray(host)

    def work(number):
        for _ in range(20):
            assert float((a * number).sum()) == host.sum() * number

    together(work)


def test_first_use_of_a_kernel():
    # No thread has a plan for these layouts, and all need the same kernels.
    def work(number):
        a = cp.arange(77, dtype="u2").reshape(7, 11)
        assert int((a.T * 3 % 5).max(axis=0)[6]) == 4

    together(work)


@pytest.mark.parametrize("sizes", slow_except([12], [12, 60]))
def test_memory_goes_back_to_the_pool(sizes):
    pool = cp.get_default_memory_pool()
    gc.collect()  # what earlier tests left in cycles
    cp.cuda.runtime.deviceSynchronize()
    before = pool.used_bytes()

    def work(number):
        for size in range(1, sizes):
            a = cp.empty(size * 100 + number, "u1")
            b = a[3:] + a[:-3]
            del a, b

    together(work)
    assert pool.used_bytes() == before


@pytest.mark.parametrize("count", slow_except([100], [100, 3000]))
def test_statistics_stay_exact_over_threads_and_streams(count):
    """Each block keeps what its thread wrote to it, and the pool's figures add up."""
    pool = cp.cuda.MemoryPool()
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(4)]
    held = [0] * THREADS

    def work(number):
        rng = np.random.default_rng(number)
        live = []
        with streams[number % 4] as stream:
            for step in range(count):
                if len(live) > 20 or (live and rng.random() < 0.4):
                    block, nbytes, mark = live.pop(rng.integers(len(live)))
                    assert block.size == nbytes
                    ends = cp.asnumpy(block[:: max(1, nbytes - 1)])
                    assert (ends == mark).all(), (number, step, ends, mark)
                else:
                    nbytes, mark = int(rng.integers(1, 5000)), step % 251
                    live.append((cp.full(nbytes, mark, "u1"), nbytes, mark))
            stream.synchronize()
        held[number] = live

    cp.cuda.set_allocator(pool.malloc)
    try:
        together(work)
    finally:
        cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)
    expected = sum(round_up(nbytes, UNIT) for live in held for _, nbytes, _ in live)
    assert pool.used_bytes() == expected
    assert pool.total_bytes() == pool.used_bytes() + pool.free_bytes()
    held.clear()
    gc.collect()
    cp.cuda.runtime.deviceSynchronize()
    assert pool.used_bytes() == 0
    pool.free_all_blocks()
    assert pool.total_bytes() == 0


@pytest.mark.slow
@pytest.mark.parametrize("count", [100, 3000])
def test_launches_do_not_grow_the_process(count):
    pool = cp.get_default_memory_pool()
    a, out = cp.arange(100.0), cp.empty(100)

    def launches(turns):
        for k in range(turns):
            cp.add(a, k, out=out)
            (a[k % 5 :] * out[k % 5 :]).sum()
        cp.cuda.runtime.deviceSynchronize()

    launches(20)  # every plan is made
    gc.collect()
    tracemalloc.start()
    try:
        launches(20)
        blocks, before = pool.total_bytes(), tracemalloc.get_traced_memory()[0]
        launches(count)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert pool.total_bytes() == blocks
    assert grown < 20_000


def test_a_per_thread_default_stream_shared_by_threads():
    shared = cp.cuda.Stream(ptds=True)
    found = {}
    host = np.arange(300.0)
    a = cp.asarray(host)

    def work(number):
        with shared:
            stream = cp.cuda.get_current_stream()
            assert stream == shared
            assert stream.ptr == shared.ptr == 2
            found[number] = stream
            for _ in range(3):
                assert (cp.asnumpy(a[a > number]) == host[host > number]).all()
            with shared:
                assert cp.cuda.get_current_stream() is stream

    together(work)
    # Each thread's stream has memory, plans and look-back state of its own.
    assert len({id(stream) for stream in found.values()}) == THREADS
    assert len({id(stream.plans) for stream in found.values()}) == THREADS
    with shared:  # the thread's own object stands for it, which may be older than this one
        assert cp.cuda.get_current_stream() == shared
