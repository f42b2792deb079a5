"""Norms of vectors and matrices, beside NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import (
    LAYOUTS_3D,
    against_numpy,
    launches,
    pair,
    raises_as_numpy,
    same,
    values,
)

ORDERS = [None, 0, 1, 2, 3, -1, 2.5, np.inf, -np.inf]
#: Of results; float16 is summed in float32 here.
ULPS = {"e": 4, "f": 8, "d": 8}

test_orders_of_vectors = against_numpy(
    lambda xp, x, order: xp.linalg.vector_norm(x, ord=order, axis=0),
    dtypes=["i4", "f2", "f4", "c8"],
    layouts={"contiguous": lambda xp, x: x[:, 1:]},
    make=lambda shape, dtype, seed: values(shape, dtype, seed) + np.ones(1, dtype),
    shape=(5, 3),
    ulps=ULPS,
    order=ORDERS,
)

test_axes = against_numpy(
    lambda xp, x, axis, keepdims: xp.linalg.vector_norm(x, axis=axis, keepdims=keepdims),
    dtypes=["c16"],
    layouts={name: LAYOUTS_3D[name] for name in ("permuted", "strided", "broadcast", "empty")},
    shape=(3, 7, 8),
    ulps=ULPS,
    axis=[None, 1, (0, 2), (), (-1, 0, 1)],
    keepdims=[False, True],
)


def test_special_values():
    host = np.array([[np.nan, 1, -0.0], [np.inf, 2, 0], [3, -np.inf, 0]])
    for order in (2, 1, 0, np.inf, -np.inf, 3, -1, np.nan):
        expected = np.linalg.vector_norm(host, ord=order, axis=1)
        same(cp.linalg.vector_norm(cp.asarray(host), ord=order, axis=1), expected, ulps=4)


def test_orders_of_any_type_and_size():
    host = values((3, 3), "f4") + 2 * np.eye(3, dtype="f4")
    x = cp.asarray(host)
    for order in (np.float32(1), np.int8(-1), np.float16(np.inf)):
        same(cp.linalg.norm(x, order), np.linalg.norm(host, order), ulps=4)
        same(cp.linalg.cond(x, order), np.linalg.cond(host, order), ulps=64)
        same(cp.linalg.norm(x, order, 0), np.linalg.norm(host, order, 0), ulps=4)
    for order in (1e300, 1e-300):  # beyond float32
        result = cp.linalg.norm(cp.ones(3, "f4"), order)
        same(result, np.asarray(1 if order > 1 else np.inf, "f4"))


def test_squares_overflow_as_numpys():
    host = np.full((2, 3), 1e20, "f4")
    same(cp.linalg.vector_norm(cp.asarray(host)), np.linalg.vector_norm(host))


@pytest.mark.single_operations
@pytest.mark.parametrize("order", [0, 1, 2, 3, np.inf])
def test_one_launch(order):
    x = cp.ones((3, 4, 2), "f4")
    assert launches(lambda: cp.linalg.vector_norm(x, ord=order, axis=(0, 2))) == 1


@pytest.mark.parametrize("order", ["fro", None, 1, -1, 2, -2, np.inf, -np.inf, "nuc"])
@pytest.mark.parametrize("axis", [(0, 1), (2, -3)])
def test_orders_of_matrices(order, axis):
    host, device = pair("permuted", "f4", shape=(2, 4, 3), layouts=LAYOUTS_3D)
    for keepdims in (False, True):
        expected = np.linalg.norm(host, order, axis, keepdims)
        atol = 1e-5 if order == -2 else 0
        same(cp.linalg.norm(device, order, axis, keepdims), expected, ulps=16, atol=atol)


@pytest.mark.parametrize("order", ["fro", 1, np.inf, 2])
def test_matrix_norms(order):
    for shape, dtype in (((2, 3, 4), "c8"), ((3, 2), "i4"), ((0, 2, 3), "f8"), ((2, 0), "f8")):
        host = values(shape, dtype)
        for keepdims in (False, True):
            expected = np.linalg.matrix_norm(host, ord=order, keepdims=keepdims)
            result = cp.linalg.matrix_norm(cp.asarray(host), ord=order, keepdims=keepdims)
            same(result, expected, ulps=16)


def test_a_norm_of_all_elements():
    for shape in ((), (3,), (2, 3, 4)):
        host = values(shape, "f8")
        for keepdims in (False, True):
            expected = np.linalg.norm(host, keepdims=keepdims)
            same(cp.linalg.norm(cp.asarray(host), keepdims=keepdims), expected, ulps=4)
    same(cp.linalg.norm([3, 4]), np.linalg.norm([3, 4]))


@pytest.mark.single_operations
def test_launches_of_sums_of_rows():
    x = cp.ones((3, 4, 5))
    assert launches(lambda: cp.linalg.matrix_norm(x, ord=1)) == 2
    assert launches(lambda: cp.linalg.norm(x)) == 1


def _of_rank(rank, dtype="f8"):
    return values((5, rank), dtype) @ values((rank, 4), dtype, 1)


def test_ranks():
    stack = np.stack([_of_rank(rank) for rank in range(4)])
    x = cp.asarray(stack)
    same(cp.linalg.matrix_rank(x), np.linalg.matrix_rank(stack))
    for options in ({"tol": 20.0}, {"rtol": 0.3}, {"tol": np.array([1e3, 1, 1, 30])}):
        devices = {name: cp.asarray(value) for name, value in options.items()}
        expected = np.linalg.matrix_rank(stack, **options)
        same(cp.linalg.matrix_rank(x, **devices), expected, context=options)
    square = stack[2].T @ stack[2]
    same(cp.linalg.matrix_rank(cp.asarray(square), hermitian=True), np.asarray(2))
    for host in (np.zeros((3, 3)), np.zeros(3), np.arange(2), np.float64(0), np.ones((2, 0))):
        expected = np.asarray(np.linalg.matrix_rank(host))
        same(cp.linalg.matrix_rank(cp.asarray(host)), expected)


@pytest.mark.parametrize("order", [None, 2, -2, 1, -1, np.inf, -np.inf, "fro"])
@pytest.mark.parametrize("dtype", ["f4", "c16", "i4"])
def test_condition_numbers(order, dtype):
    host = values((3, 3, 3), dtype) + 9 * np.eye(3, dtype=dtype)
    expected = np.linalg.cond(host, order)
    same(cp.linalg.cond(cp.asarray(host), order), expected, ulps=64)


def test_condition_numbers_of_singular_matrices():
    host = np.stack([np.zeros((2, 2)), np.ones((2, 2)), np.full((2, 2), np.nan)])
    for order in (1, np.inf, "fro"):
        same(cp.linalg.cond(cp.asarray(host), order), np.linalg.cond(host, order))
    same(cp.linalg.cond(cp.asarray(host[0])), np.linalg.cond(host[0]))
    wide = values((2, 4), "f8")
    same(cp.linalg.cond(cp.asarray(wide)), np.linalg.cond(wide), ulps=64)


test_errors = raises_as_numpy(
    lambda xp: xp.linalg.cond(xp.ones((0, 0))),
    lambda xp: xp.linalg.cond(xp.ones((2, 3)), 1),
    lambda xp: xp.linalg.cond(xp.ones(3), 1),
    lambda xp: xp.linalg.cond(xp.ones((2, 2)), 3),
    lambda xp: xp.linalg.norm(xp.ones((2, 2)), 3),
    lambda xp: xp.linalg.norm(xp.ones((2, 2)), "f4"),
    lambda xp: xp.linalg.norm(xp.ones(2), "nuc"),
    lambda xp: xp.linalg.norm(xp.ones((2, 2)), axis=(0, 0)),
    lambda xp: xp.linalg.norm(xp.ones((2, 2)), axis=(0, 2)),
    lambda xp: xp.linalg.norm(xp.ones((2, 2, 2)), 2),
    lambda xp: xp.linalg.norm(xp.ones((2, 2)), axis=[0, 1]),
    lambda xp: xp.linalg.norm(xp.ones((0, 2)), -np.inf),
    lambda xp: xp.linalg.norm(xp.ones((0, 2)), -2),
    lambda xp: xp.linalg.norm(xp.ones((2, 2), "f2"), 2),
    lambda xp: xp.linalg.matrix_norm(xp.ones(2)),
    lambda xp: xp.linalg.matrix_rank(xp.ones((2, 2)), 1, rtol=1),
    lambda xp: xp.linalg.vector_norm(xp.ones(3), ord="fro"),
    lambda xp: xp.linalg.vector_norm(xp.ones(3), axis=1),
    lambda xp: xp.linalg.vector_norm(xp.ones((3, 3)), axis=(0, 0)),
    lambda xp: xp.linalg.vector_norm(xp.ones(3), axis="a"),
    lambda xp: xp.linalg.vector_norm(xp.ones((0, 3)), ord=-np.inf, axis=0),
)
