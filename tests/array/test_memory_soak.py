"""Random allocations of several threads and streams: no array gets the memory of another one."""

from __future__ import annotations

import pytest

import gpuarray as cp
from benchmarks.soak import soak


@pytest.mark.parametrize(
    "count, most",
    [(600, 1 << 12), (200, 1 << 17), pytest.param(20_000, 1 << 12, marks=pytest.mark.slow)],
)
def test_arrays_keep_their_contents(count, most):
    before = cp.cuda.get_allocator()
    pool = cp.cuda.MemoryPool()
    cp.cuda.set_allocator(pool.malloc)
    try:
        made, faults = soak(count, threads=4, streams=3, most=most)
    finally:
        cp.cuda.set_allocator(before)
    assert not faults
    assert made >= count
    assert pool.used_bytes() == 0


def test_a_wrong_number_is_found(monkeypatch):
    full = cp.full
    monkeypatch.setattr(cp, "full", lambda size, value, dtype: full(size, value // 3 * 3, dtype))
    _, faults = soak(200, threads=2, streams=2, most=100)
    assert "elements should be" in faults[0]
