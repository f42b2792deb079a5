"""Products of `gpuarray.linalg`, which takes its signatures from the array API standard."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import raises_as_numpy, same, values

CUBES = values((2, 4, 3), "f4")
VECTORS = values((3, 5), "i8"), values((3, 5), "i8", 1)


@pytest.mark.parametrize("offset", [0, 1, -2])
@pytest.mark.parametrize("name", ["diagonal", "trace"])
def test_diagonals_of_stacks(name, offset):
    on_host = getattr(np.linalg, name)(CUBES, offset=offset)
    same(getattr(cp.linalg, name)(cp.asarray(CUBES), offset=offset), on_host)


def test_traces_in_another_dtype():
    small = values((3, 4, 4), "i1")
    same(cp.linalg.trace(cp.asarray(small), dtype="i2"), np.linalg.trace(small, dtype="i2"))


def test_diagonals_and_transposes_are_views():
    x = cp.asarray(CUBES)
    for name in ("diagonal", "matrix_transpose"):
        result = getattr(cp.linalg, name)(x)
        same(result, getattr(np.linalg, name)(CUBES))
        assert result.base is x
        assert result.flags.writeable is getattr(np.linalg, name)(CUBES.copy()).flags.writeable


@pytest.mark.parametrize("axis", [0, -2])
def test_cross(axis):
    one, other = VECTORS
    expected = np.linalg.cross(one, other, axis=axis)
    same(cp.linalg.cross(cp.asarray(one), cp.asarray(other), axis=axis), expected)


def test_outer():
    one, other = VECTORS[0][0], VECTORS[1][:, 1]
    same(cp.linalg.outer(cp.asarray(one), cp.asarray(other)), np.linalg.outer(one, other))


test_errors = raises_as_numpy(
    lambda xp: xp.linalg.outer(xp.ones((2, 2)), xp.ones(2)),
    lambda xp: xp.linalg.cross(xp.ones((3, 2)), xp.ones((3, 2))),
    lambda xp: xp.linalg.cross(xp.ones(3), xp.ones(3), axis=1),
    lambda xp: xp.linalg.trace(xp.ones(3)),
    lambda xp: xp.linalg.diagonal(xp.ones(3)),
    lambda xp: xp.linalg.matrix_transpose(xp.ones(3)),
)


def test_matmul_and_vecdot():
    a, b = values((3, 4), "c16"), values((3, 4), "c16", 1)
    x, y = cp.asarray(a), cp.asarray(b)
    same(cp.linalg.matmul(x, y.T), np.linalg.matmul(a, b.T))
    for axis in (0, -1):
        same(cp.linalg.vecdot(x, y, axis=axis), np.linalg.vecdot(a, b, axis=axis))
