"""Draws of a known number of words: blocks of threads that read several groups of words each."""

from __future__ import annotations

import numpy as np
import pytest

from gpuarray.kernels.random import launch
from tests.random.numpy_streams import same_state


@pytest.mark.parametrize("name", ["Philox", "PCG64"])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_blocks_that_read_several_groups(xp, monkeypatch, name, dtype):
    """In front of them, behind them, and where a group of words was begun before."""
    monkeypatch.setattr(launch, "_RESIDENT", 1)
    ours = xp.random.Generator(getattr(xp.random, name)(5))
    theirs = np.random.Generator(getattr(np.random, name)(5))
    for size in (450_001, 3, 450_004):
        found = ours.random(size, dtype=dtype)
        np.testing.assert_array_equal(found.get(), theirs.random(size, dtype=dtype))
    same_state(ours.bit_generator.state, theirs.bit_generator.state)


def test_counters_that_are_carried_amid_a_draw(xp, monkeypatch):
    monkeypatch.setattr(launch, "_RESIDENT", 1)
    counter = 2**128 - 60_000
    ours = xp.random.Generator(xp.random.Philox(key=7, counter=counter))
    theirs = np.random.Generator(np.random.Philox(key=7, counter=counter))
    np.testing.assert_array_equal(ours.random(450_005).get(), theirs.random(450_005))
    same_state(ours.bit_generator.state, theirs.bit_generator.state)
