"""Operations that usually run alone: they are launched at once, until one joins them."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._fusion import deferred
from gpuarray._runtime.current_stream import deferring_streams

HOST = np.linspace(-2, 2, 12, dtype="f4")


@pytest.fixture(autouse=True)
def usual(fused, monkeypatch):
    monkeypatch.setattr(deferred, "USUAL", 4)


def recorded(function, x, times):
    """How many calls of a function record something, of so many behind the one that plans it."""
    function(x).get()
    found = 0
    for _ in range(times):
        y = function(x)
        found += bool(deferring_streams)
        np.testing.assert_array_equal(cp.asnumpy(y), function(HOST))
    return found


def test_what_runs_alone_is_launched_at_once():
    x = cp.asarray(HOST)

    def doubled(x):
        return x * 2

    assert recorded(doubled, x, 40) == 4
    # At another place it is recorded still.
    assert recorded(lambda x: -(x * 2), x, 6) == 6


def test_one_of_many_is_recorded_still():
    x = cp.asarray(HOST)

    def doubled(x):
        return x * 2

    def joined(x):
        return doubled(x) + 1

    assert recorded(doubled, x, 40) == 4
    # Both operations alone, and then both together each time.
    recorded(joined, x, deferred.PROBED)
    assert recorded(joined, x, 8) == 8
    assert 3 <= recorded(doubled, x, 40) <= 4


def test_a_view_joins_nothing():
    x = cp.asarray(HOST)
    assert recorded(lambda x: (x * 2)[1:3], x, 40) == 4


def test_what_stores_alone_is_launched_at_once():
    x = cp.asarray(HOST)
    found = 0
    for _ in range(40):
        x += 1
        found += bool(deferring_streams)
        cp.asnumpy(x)
    assert found == 4
    expected = HOST
    for _ in range(40):
        expected = expected + np.float32(1)
    np.testing.assert_array_equal(cp.asnumpy(x), expected)


def test_a_number_that_does_not_fit_raises_in_its_line():
    x = cp.arange(8, dtype="i1")
    for _ in range(10):
        cp.asnumpy(x.__add__(100))
    for number in (1, 300):
        try:
            y = x + number
        except OverflowError:
            assert number == 300
        else:
            assert y.tolist() == [i + number for i in range(8)]


PROGRAM = """
import sys
import gpuarray as cp
from gpuarray._runtime import recording
from gpuarray._runtime.current_stream import deferring_streams

def loaded():
    return "gpuarray._fusion.automatic" in sys.modules

x = cp.ones(16)
y = (x + 1).sum()
assert not loaded()
recording.LEAST_BYTES = 1000
x = cp.ones(1000)
assert loaded() and deferring_streams
assert (x + 1).sum() == 2000
assert cp.ones(16).sum() == 16 and not deferring_streams
cp.fusion("off")
x = cp.ones(1000)
assert not deferring_streams
"""


@pytest.mark.parametrize(
    "mode",
    [
        "on",
        "immediate",
        pytest.param(
            "",
            marks=pytest.mark.skipif(sys.version_info < (3, 12), reason="it is off by default"),
        ),
    ],
)
def test_small_arrays_load_nothing(mode):
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "GPUARRAY_FUSION": mode, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
