"""The garbage collector, which must not free anything within a call of the emulated driver."""

from __future__ import annotations

import gc

import pytest

import gpuarray as cp

pytestmark = pytest.mark.emulator


def test_garbage_is_not_collected_within_a_call(monkeypatch):
    """What it owns would be freed in the middle of changes to the tables."""
    from gpuarray._ffi.emulator.memory import Arena

    within, finalized = [], []

    class Garbage:
        def __init__(self):
            self.itself = self

        def __del__(self):
            finalized.append(bool(within))

    def drop_run(self, start, end, original=Arena.drop_run):
        within.append(True)
        for _ in range(50):
            Garbage()
        assert not gc.isenabled()
        original(self, start, end)
        within.pop()

    pool = cp.cuda.MemoryPool()
    pool.malloc(3 << 20)
    monkeypatch.setattr(Arena, "drop_run", drop_run)
    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        pool.free_all_blocks()
        assert gc.isenabled()
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert len(finalized) >= 50
    assert not any(finalized)


def test_garbage_is_collected_within_a_host_function():
    """It is the user's code, and may run for long."""
    seen = []
    stream = cp.cuda.Stream()
    stream.launch_host_func(lambda _: seen.append(gc.isenabled()), None)
    stream.synchronize()
    assert seen == [True]
    assert gc.isenabled()


def test_collection_that_the_user_switched_off_stays_off():
    gc.disable()
    try:
        cp.cuda.MemoryPool().malloc(3 << 20)
        assert not gc.isenabled()
    finally:
        gc.enable()
