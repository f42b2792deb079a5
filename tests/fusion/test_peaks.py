"""The most memory that programs hold at once: never more than if each operation ran at its call."""

from __future__ import annotations

import gc
import itertools

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi.emulator.launches import LaunchCalls
from gpuarray._fusion import running

pytestmark = pytest.mark.emulator

N = 20000


def filled(x):
    for _ in range(4):
        y = cp.ones(N, "f4")
        z = cp.full_like(y, 2) * y
    return z


def pairwise(x):
    rows = [cp.zeros(N, "f4") + i for i in range(4)]
    while len(rows) > 1:
        rows = [p + q for p, q in itertools.pairwise(rows)]
    return rows[0]


def accumulated(x):
    y = x
    for _ in range(6):
        y = y * 0.5 + x
    return y


def stored(x):
    y = x * 0.9
    y += 0.1 * x
    y -= 0.5 * y / (cp.sqrt(x) + 1)
    return y


def dropped(x):
    a = x * 2
    b = a + 1
    del a
    c = cp.sort(b)
    d = c * b
    del b, c
    return cp.exp(d).astype("f8").astype("f4")


def cumulative(x):
    y = cp.cumsum(x * 2)
    return cp.cumsum(y + 1) - 1


def standardised(x):
    return (x - x.mean()) / x.std()


@pytest.fixture
def used(monkeypatch):
    """How much memory is in use at each launch."""
    found, pool = [], cp.get_default_memory_pool()

    def launch(self, *arguments):
        found.append(pool.used_bytes())
        return original(self, *arguments)

    original = LaunchCalls._launch
    monkeypatch.setattr(LaunchCalls, "_launch", launch)
    return found


@pytest.mark.parametrize(
    "program", [filled, pairwise, accumulated, stored, dropped, cumulative, standardised]
)
def test_peaks(program, used):
    x = cp.asarray(np.linspace(0.5, 2, N, dtype="f4"))
    pool, stream = cp.get_default_memory_pool(), cp.cuda.get_current_stream()
    peaks, results = {}, []
    for mode in ("off", "immediate", "on"):
        with cp.fusion(mode):
            # What is planned first runs what is recorded, and one by one takes more.
            for _ in range(3):
                gc.collect()
                stream.synchronize()
                before = pool.used_bytes()
                del used[:]
                result = program(x)
                stream.synchronize()
                peaks[mode] = max(used, default=before) - before
                results.append(result.get().tobytes())
                del result
                running.wait()
    assert len(set(results)) == 1
    assert max(peaks["immediate"], peaks["on"]) <= peaks["off"], peaks
