"""How much memory functions take beside their operands and results.

The pool is emptied first; what it holds afterwards is all that was needed at one time.
"""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.slow import slow_except

N = 200_000


def taken(work):
    """Bytes that the pool had to get for `work`, and the bytes of what it returned."""
    result = work()  # compiles, and makes what a stream keeps
    del result
    pool = cp.cuda.get_allocator().__self__
    pool.free_all_blocks()
    before = pool.total_bytes()
    result = work()
    parts = result if isinstance(result, tuple) else (result,)
    kept = sum(part.nbytes for part in parts)
    return pool.total_bytes() - before, kept


@pytest.fixture(autouse=True)
def exact_segments():
    """Let the pool get memory in just the sizes that are asked for, not in chunks."""
    before = cp.cuda.get_allocator()
    pool = cp.cuda.MemoryPool(lambda size: cp.cuda.MemoryPointer(cp.cuda.Memory(size), 0))
    cp.cuda.set_allocator(pool.malloc)
    yield
    cp.cuda.set_allocator(before)


@pytest.fixture(params=slow_except(["f4"], ["f4", "i8", "u1"]))
def a(request):
    return cp.asarray((np.random.default_rng(0).random(N) * 250).astype(request.param))


@pytest.mark.parametrize("kind", [None, "stable"])
def test_sorts_take_a_copy(a, kind):
    held, kept = taken(lambda: cp.sort(a, kind=kind))
    assert held - kept <= 1.05 * a.nbytes + 65536


def test_argsort_takes_a_copy_of_keys_and_positions(a):
    held, kept = taken(lambda: cp.argsort(a))
    assert held - kept <= 1.05 * (2 * a.nbytes + 2 * 4 * N) + 65536


SELECTIONS = {
    "a[mask]": lambda a, mask, index: a[mask],
    "nonzero": lambda a, mask, index: cp.nonzero(mask),
    "compress": lambda a, mask, index: cp.compress(mask, a),
    "take": lambda a, mask, index: a[index],
    "where": lambda a, mask, index: cp.where(mask, a, a),
    "partition": lambda a, mask, index: cp.partition(a, N // 3),
    "concatenate": lambda a, mask, index: cp.concatenate((a, a)),
    "cumsum": lambda a, mask, index: cp.cumsum(a),
    "searchsorted": lambda a, mask, index: cp.searchsorted(a[:100], a),
}


@pytest.mark.parametrize("name", SELECTIONS)
def test_selections(a, name):
    mask = a > 100
    index = cp.asarray(np.random.default_rng(1).integers(0, N, N))
    held, kept = taken(lambda: SELECTIONS[name](a, mask, index))
    assert held - kept <= 0.1 * (a.nbytes + kept) + 65536


REDUCTIONS = {
    "sum": lambda a: a.sum(),
    "max": lambda a: a.max(),
    "argmax": lambda a: a.argmax(),
    "var": lambda a: a.var(),
    "median": lambda a: cp.median(a),
    "percentile": lambda a: cp.percentile(a, [10, 90]),
    "bincount": lambda a: cp.bincount(a.astype("u1")),
    "histogram": lambda a: cp.histogram(a, 50),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(a, name):
    held, kept = taken(lambda: REDUCTIONS[name](a))
    assert held - kept <= 0.1 * a.nbytes + 65536 + (N if name == "bincount" else 0)
