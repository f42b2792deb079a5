"""Triangles, diagonals and powers of numbers as matrices, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import (
    KINDS,
    LAYOUTS_3D,
    against_numpy,
    pair,
    raises_alike,
    same,
    values,
)
from tests.slow import slow_off_axes

SHAPE = (3, 7, 5)
#: Without a dimension there is no triangle.
WITH_ROWS = {name: view for name, view in LAYOUTS_3D.items() if name != "0-d"}

test_lower = against_numpy(
    lambda xp, x, k: xp.tril(x, k), layouts=WITH_ROWS, shape=SHAPE, k=[0, -2, 40]
)
test_upper = against_numpy(
    lambda xp, x, k: xp.triu(x, k), layouts=WITH_ROWS, shape=SHAPE, k=[0, 3, -40]
)
test_diagflat = against_numpy(lambda xp, x, k: xp.diagflat(x, k), dtypes=KINDS, k=[0, 2, -1])


@pytest.mark.parametrize("name", ["tril", "triu"])
@pytest.mark.parametrize("layout", WITH_ROWS)
def test_memory_order(name, layout):
    host, device = pair(layout, "f4", shape=SHAPE, layouts=LAYOUTS_3D)
    expected, actual = getattr(np, name)(host), getattr(cp, name)(device)
    if expected.size:
        assert actual.strides == expected.strides
    assert not np.shares_memory(expected, host)
    assert actual._memory is not device._memory


@pytest.mark.parametrize("sides", [(4,), (3, 5), (40, 9), (1, 8), (8, 1), (0, 3), (3, 0), (-1,)])
def test_tri(sides):
    for k in (0, 2, -3):
        same(cp.tri(*sides, k=k), np.tri(*sides, k=k))
        if min(sides) >= 0:
            for order in "CF":
                expected = np.eye(*sides, k=k, order=order)
                actual = cp.eye(*sides, k=k, order=order)
                same(actual, expected)
                assert actual.flags.f_contiguous == expected.flags.f_contiguous


@pytest.mark.parametrize("dtype", KINDS)
def test_dtypes_of_patterns(dtype):
    same(cp.tri(3, 5, 1, dtype), np.tri(3, 5, 1, dtype))
    same(cp.eye(3, 5, 1, dtype), np.eye(3, 5, 1, dtype))


@pytest.mark.parametrize(("dtype", "increasing"), slow_off_axes(KINDS, [False, True]))
def test_vander(dtype, increasing):
    host = values(6, dtype)
    for count in (None, 0, 1, 4):
        expected = np.vander(host, count, increasing)
        actual = cp.vander(cp.asarray(host), count, increasing)
        same(actual, expected, ulps=8)


def test_lists_and_numbers():
    same(cp.tril([[1, 2], [3, 4]]), np.tril([[1, 2], [3, 4]]))
    same(cp.triu([1, 2, 3], 1), np.triu([1, 2, 3], 1))
    same(cp.diagflat(3), np.diagflat(3))
    same(cp.vander([1, 2, 3], 2), np.vander([1, 2, 3], 2))


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.tril(xp.asarray(1)),
        lambda xp: xp.triu(xp.ones((2, 2)), "a"),
        lambda xp: xp.vander(xp.ones((2, 2))),
        lambda xp: xp.vander(xp.ones(2), -1),
    ],
)
def test_errors(call):
    raises_alike(lambda: call(np), lambda: call(cp))


def test_the_diagonal_is_no_part_of_the_kernel():
    x = cp.ones((5, 5))
    cp.tril(x)
    cp.tril(x, 1).get()
    plans = len(cp.cuda.get_current_stream().plans)
    for k in range(-6, 6):
        same(cp.tril(x, k), np.tril(np.ones((5, 5)), k))
    assert len(cp.cuda.get_current_stream().plans) == plans
