"""Products of integers and bools, which no library has: they wrap around as NumPy's do."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import INTEGERS, LAYOUTS, same
from tests.slow import slow_except

DTYPES = [*INTEGERS, "?"]
QUICK = ["i1", "u8", "?"]


def extremes(shape, dtype, seed=0):
    """All values of integers, the least and the greatest among them."""
    rng, dtype = np.random.default_rng(seed), np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.2
    limits = np.iinfo(dtype)
    x = rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    x.flat[:: max(x.size // 3, 1)] = limits.min
    x.flat[1 :: max(x.size // 3, 2)] = limits.max
    return x


def alike(function, *operands):
    same(function(cp, *[cp.asarray(x) for x in operands]), function(np, *operands))


@pytest.mark.parametrize("dtype", slow_except(QUICK, DTYPES))
@pytest.mark.parametrize("sizes", [(3, 17, 5), (33, 70, 18)])
def test_matrices(dtype, sizes):
    m, k, n = sizes
    a, b = extremes((m, k), dtype), extremes((k, n), dtype, 1)
    alike(lambda xp, a, b: a @ b, a, b)
    alike(lambda xp, a, b: xp.dot(b.T, a.T), a, b)


@pytest.mark.parametrize("dtype", slow_except(QUICK, DTYPES))
def test_vectors(dtype):
    a, v = extremes((9, 40), dtype), extremes(40, dtype, 1)
    for function in (
        lambda xp, a, v: a @ v,
        lambda xp, a, v: v @ a.T,
        lambda xp, a, v: xp.dot(a[0], v),
        lambda xp, a, v: xp.inner(a, v),
        lambda xp, a, v: xp.vdot(a[1], v),
        lambda xp, a, v: a[:, :1] @ v[None],
    ):
        alike(function, a, v)


@pytest.mark.parametrize("layout", [x for x in LAYOUTS if x != "0-d"])
def test_layouts(layout):
    hosts = [extremes((4, 6), "i2"), extremes((4, 6), "i2", 1)]
    a, b = [LAYOUTS[layout](np, x) for x in hosts]
    x, y = [LAYOUTS[layout](cp, cp.asarray(x)) for x in hosts]
    same(x @ y.T, a @ b.T)
    same(x.T @ y, a.T @ b)


@pytest.mark.parametrize("shapes", [((3, 1, 2, 4), (5, 4, 3)), ((6, 2, 3), (3, 4)), ((0, 2, 3), (3, 1)), ((2, 0), (0, 3))])  # fmt: skip
def test_stacks(shapes):
    alike(lambda xp, a, b: xp.matmul(a, b), *[extremes(shape, "u4") for shape in shapes])


def test_in_place():
    host = extremes((6, 6), "i8")
    x = cp.asarray(host)
    x @= x
    host @= host
    same(x, host)


def test_exact_sums_of_bytes():
    """A wider result has the sums that int8 wraps around."""
    a, b = extremes((5, 300), "i1"), extremes((300, 4), "i1", 1)
    alike(lambda xp, a, b: xp.matmul(a, b, dtype="i4"), a, b)
    alike(lambda xp, a, b: xp.matmul(a, b.astype("i8")), a, b)


def test_a_long_inner_dimension_in_a_capture():
    """Blocks that share a result need memory for their sums, and another launch."""
    a, b = extremes((9, 1200), "i4"), extremes((1200, 10), "i4", 1)
    x, y, out = cp.asarray(a), cp.asarray(b), cp.zeros((9, 10), "i4")
    stream = cp.cuda.Stream(non_blocking=True)
    with stream.capture() as graph:
        cp.matmul(x, y, out=out)
    for factor in (1, 3):
        x[...] = cp.asarray(a * np.int32(factor))
        cp.cuda.get_current_stream().synchronize()
        graph.launch(stream)
        stream.synchronize()
        same(out, (a * np.int32(factor)) @ b)
