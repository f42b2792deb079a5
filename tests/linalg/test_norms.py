"""Norms of vectors and matrices, beside NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import LAYOUTS_3D, against_numpy, launches, raises_as_numpy, same, values

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


def test_squares_overflow_as_numpys():
    host = np.full((2, 3), 1e20, "f4")
    same(cp.linalg.vector_norm(cp.asarray(host)), np.linalg.vector_norm(host))


@pytest.mark.parametrize("order", [0, 1, 2, 3, np.inf])
def test_one_launch(order):
    x = cp.ones((3, 4, 2), "f4")
    assert launches(lambda: cp.linalg.vector_norm(x, ord=order, axis=(0, 2))) == 1


test_errors = raises_as_numpy(
    lambda xp: xp.linalg.vector_norm(xp.ones(3), ord="fro"),
    lambda xp: xp.linalg.vector_norm(xp.ones(3), axis=1),
    lambda xp: xp.linalg.vector_norm(xp.ones((3, 3)), axis=(0, 0)),
    lambda xp: xp.linalg.vector_norm(xp.ones(3), axis="a"),
    lambda xp: xp.linalg.vector_norm(xp.ones((0, 3)), ord=-np.inf, axis=0),
)
