"""Products of integers and bools, which no library has: they wrap around as NumPy's do."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import _layout
from gpuarray._libraries import blas
from tests.array.arrays import INTEGERS, LAYOUTS, launches, same
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


# ---- bytes on tensor cores, by a library that sums int8 in int32 -----------------------------------


@pytest.fixture
def by_library(monkeypatch):
    """Let smaller products than those that gain by it go there, on a stream without plans."""
    monkeypatch.setattr(blas, "_BYTES_WORK", 0)
    monkeypatch.setattr(blas, "_BYTES_RESULTS", (0, 1 << 30))
    with cp.cuda.Stream(non_blocking=True):
        yield


@pytest.mark.parametrize("dtype", ["i1", "u1"])
def test_bytes_by_a_library(by_library, dtype):
    a, b = extremes((131, 144), dtype), extremes((144, 160), dtype, 1)
    for order_a in "CF":
        for order_b in "CF":
            first, second = np.asarray(a, order=order_a), np.asarray(b, order=order_b)
            x, y = cp.asarray(first), cp.asarray(second)
            _ = x @ y
            del _
            count = 2 + (order_a == "F") + (order_b == "C")
            assert launches(lambda x=x, y=y: x @ y) == count  # the product, its cast, copies
            same(x @ y, a @ b)


def test_bytes_by_a_library_into_other_arrays(by_library):
    a, b = extremes((131, 144), "i1"), extremes((144, 160), "i1", 1)
    x, y = cp.asarray(a), cp.asarray(np.asfortranarray(b))
    out = cp.empty((160, 131), "i1").T
    assert cp.matmul(x, y, out=out) is out
    same(out, a @ b)
    same(cp.einsum("ij,jk->ki", x, y), (a @ b).T)
    stack = extremes((3, 131, 144), "i1", 2)
    same(cp.matmul(cp.asarray(stack), y), stack @ b)
    two = extremes((2, 144, 160), "i1", 3)
    same(cp.matmul(cp.asarray(stack[:2]), cp.asarray(two)), stack[:2] @ two)


def test_bytes_at_addresses_that_are_not_aligned(by_library):
    a, b = extremes((131, 144), "i1"), extremes((144, 160), "i1", 1)
    y = cp.asarray(np.asfortranarray(b))
    memory = cp.empty(a.size + 16, "i1")
    for start in (0, 3, 16):
        x = memory[start : start + a.size].reshape(a.shape)
        x[...] = cp.asarray(a)
        same(x @ y, a @ b)


@pytest.mark.parametrize(
    "m, k, n, dtype, wins",
    [
        (1024, 1024, 1024, "i1", True),
        (1024, 1024, 1024, "u1", True),
        (1024, 1024, 1024, "i2", False),
        (1024, 1024, 1024, "?", False),
        (1024, 1032, 1024, "i1", False),  # rows that are not aligned
        (1024, 1024, 1032, "i1", False),
        (512, 512, 512, "i1", False),  # so few are done sooner by one launch
        (1024, 64, 16384, "i1", False),
        (128, 131056, 128, "i1", False),  # a result for a few multiprocessors
        (512, 131056, 512, "i1", True),
        (65536, 1024, 65536, "i1", False),  # 16 GiB of sums
        (512, 131072, 512, "i1", False),  # 2**17 times 2**14 is more than int32 holds
    ],
)
def test_which_bytes_go_to_a_library(m, k, n, dtype, wins):
    layouts = [_layout.contiguous(np.dtype(dtype), shape) for shape in ((m, k), (k, n), (m, n))]
    assert blas.multiplies_bytes(*layouts) is wins
