"""The text of arrays is NumPy's text of the same values."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import DTYPES, LAYOUTS, pair


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_small(layout, dtype):
    host, device = pair(layout, dtype)
    assert repr(device) == repr(np.asarray(host))
    assert str(device) == str(host)


SHAPES = [(1000,), (1001,), (5000,), (7, 200), (200, 7), (40, 40), (3, 4, 100), (6, 6, 6, 6), (2000, 1), (1, 1001), (12, 12, 12), (2, 0, 5000)]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_large(shape):
    host = np.arange(np.prod(shape)).reshape(shape) * 1.25
    device = cp.asarray(host)
    assert repr(device) == repr(host)
    assert str(device.T) == str(host.T)
    with np.printoptions(threshold=5, edgeitems=1, precision=2):
        assert repr(device) == repr(host)
        assert str(device) == str(host)


def test_only_the_edges_are_fetched():
    device = cp.broadcast_to(cp.arange(3.0), (1 << 40, 3))
    assert repr(device).startswith("array([[0., 1., 2.],\n")
    assert repr(device).count("\n") == 6


def test_options():
    host = np.array([1.23456789, -2.5, np.nan])
    device = cp.asarray(host)
    assert cp.array2string(device, precision=2, separator=", ") == np.array2string(
        host, precision=2, separator=", "
    )
    assert cp.array_repr(device, precision=3) == np.array_repr(host, precision=3)
    assert cp.array_str(device, precision=3) == np.array_str(host, precision=3)
    big = np.arange(50)
    assert cp.array2string(cp.asarray(big), threshold=10) == np.array2string(big, threshold=10)
    assert f"{device}" == f"{host}"
