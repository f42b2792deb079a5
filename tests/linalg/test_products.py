"""Products of `gpuarray.linalg`, which takes its signatures from the array API standard."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.linalg import _chains
from tests.array.arrays import launches, raises_as_numpy, same, values

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


# ---- powers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [*range(8), 13, -1, -3])
def test_powers(n):
    for dtype in ("i4", "f8", "c8"):
        host = values((2, 3, 3), dtype) + 9 * np.eye(3, dtype=dtype)
        result = cp.linalg.matrix_power(cp.asarray(host), n)
        expected = np.linalg.matrix_power(host, n)
        same(
            result, expected, ulps=0 if n >= 0 and dtype == "i4" else 64, atol=1e-7 if n < 0 else 0
        )


def test_powers_that_are_no_products():
    x = cp.asarray(values((3, 3), "f4"))
    assert cp.linalg.matrix_power(x, 1) is x
    assert launches(lambda: cp.linalg.matrix_power(x, 8)) == 3
    for shape in ((0, 0), (0, 2, 2)):
        for n in (0, 2, -1):
            expected = np.linalg.matrix_power(np.ones(shape), n)
            same(cp.linalg.matrix_power(cp.ones(shape), n), expected)


# ---- chains of matrices --------------------------------------------------------------------------


def _chain(shapes, dtype="f8"):
    return [values(shape, dtype, i) for i, shape in enumerate(shapes)]


@pytest.mark.parametrize("shapes", [
    [(2, 3), (3, 4)], [(2, 3), (3, 4), (4, 5)], [(5, 2), (2, 6), (6, 1), (1, 4), (4, 3)],
    [(3,), (3, 4), (4,)], [(3,), (3, 4), (4, 5), (5, 2)], [(2, 3), (3, 4), (4,)], [(3,), (3,)],
    [(2, 0), (0, 3), (3, 2)], [(0, 2), (2, 3), (3,)],
])  # fmt: skip
def test_chains(shapes):
    hosts = _chain(shapes)
    same(cp.linalg.multi_dot([cp.asarray(x) for x in hosts]), np.linalg.multi_dot(hosts))


def test_chains_of_dtypes():
    for dtypes in (("i1", "f4", "i2"), ("?", "?", "?"), ("f4", "c8", "f8")):
        hosts = [values((3, 3), dtype, i) for i, dtype in enumerate(dtypes)]
        same(cp.linalg.multi_dot([cp.asarray(x) for x in hosts]), np.linalg.multi_dot(hosts))
    same(
        cp.linalg.multi_dot([[1, 2], [[3], [4]], [5]]),
        np.linalg.multi_dot([[1, 2], [[3], [4]], [5]]),
    )


def test_the_order_of_the_fewest_multiplications():
    # The example of Cormen et al., Introduction to Algorithms: ((A1 (A2 A3)) ((A4 A5) A6)).
    path = _chains._chain_order([30, 35, 15, 5, 10, 20, 25])
    assert path == [(1, 2), (0, 4), (0, 1), (2, 0), (0, 1)]


def test_chains_with_out():
    hosts = _chain([(2, 3), (3, 4), (4, 5), (5, 2)])
    devices = [cp.asarray(x) for x in hosts]
    out = cp.zeros((2, 2))
    assert cp.linalg.multi_dot(devices, out=out) is out
    same(out, np.linalg.multi_dot(hosts))
    square = cp.asarray(values((3, 3), "f8"))
    expected = np.linalg.multi_dot([square.get()] * 3)
    same(cp.linalg.multi_dot([square] * 3, out=square), expected)


# ---- errors --------------------------------------------------------------------------------------

test_errors = raises_as_numpy(
    lambda xp: xp.linalg.matrix_power(xp.ones((2, 3)), 2),
    lambda xp: xp.linalg.matrix_power(xp.ones(3), 2),
    lambda xp: xp.linalg.matrix_power(xp.ones((2, 2)), 1.5),
    lambda xp: xp.linalg.matrix_power(xp.ones((2, 2)), -1),
    lambda xp: xp.linalg.matrix_power(xp.eye(2, dtype="f2"), -1),
    lambda xp: xp.linalg.multi_dot([xp.ones((2, 2))]),
    lambda xp: xp.linalg.multi_dot([xp.ones((2, 2)), xp.ones((2, 2, 2)), xp.ones((2, 2))]),
    lambda xp: xp.linalg.multi_dot([xp.ones((2, 2)), xp.ones(2), xp.ones((2, 2))]),
    lambda xp: xp.linalg.multi_dot([xp.ones((2, 2)), xp.ones((3, 2)), xp.ones((2, 2))]),
    lambda xp: xp.linalg.multi_dot([xp.ones((2, 2))] * 3, out=xp.ones((2, 3))),
    lambda xp: xp.linalg.multi_dot([xp.ones((2, 2))] * 3, out=xp.ones((2, 2), "f4")),
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
