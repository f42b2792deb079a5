"""Window functions against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import raises_as_numpy, same


@pytest.mark.parametrize("points", [0, 1, 2, 3, 8, 51, -3, 4.5, np.int8(5)])
@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
def test_windows(name, points):
    same(getattr(cp, name)(points), getattr(np, name)(points), ulps=2, atol=1e-16)


@pytest.mark.parametrize("beta", [0, 2.5, 14, np.float32(8.5)])
@pytest.mark.parametrize("points", [0, 1, 2, 9, 50])
def test_kaiser(points, beta):
    same(cp.kaiser(points, beta), np.kaiser(points, beta), ulps=16)


def test_a_window_of_another_length_of_points_has_one_plan():
    cp.hanning(4.25)
    plans = len(cp.cuda.get_current_stream().plans)
    same(cp.hanning(4.375), np.hanning(4.375), ulps=2, atol=1e-16)
    assert len(cp.cuda.get_current_stream().plans) == plans


test_errors = raises_as_numpy(
    lambda xp: xp.hanning("a"), lambda xp: xp.kaiser(None, 1), lambda xp: xp.hamming()
)
