"""Matrix products by our own kernels: dtypes, layouts, stacks and sizes around the tiles."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import _dtypes, _layout
from gpuarray._runtime.device import current
from gpuarray.kernels import product

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


def matmul(a, b, dtype=None, out=None):
    """The product by the family's call alone, whatever `cp.matmul` would choose."""
    shape = _layout.broadcast_shapes([a.shape[:-2], b.shape[:-2]]) + (a.shape[-2], b.shape[-1])
    if out is not None:
        run = product.launch.product_call(a._layout, b._layout, out._layout, current.stream, True)
        return run(a, b, out)
    target = _layout.contiguous(_dtypes.canonical(dtype or a.dtype), shape)
    return product.launch.product_call(a._layout, b._layout, target, current.stream)(a, b)


def numbers(shape, dtype, seed=0):
    """All values of integers, and of other dtypes small ones whose products are exact."""
    rng, dtype = np.random.default_rng(seed), np.dtype(dtype)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    if dtype.kind == "b":
        return rng.random(shape) < 0.2
    found = rng.integers(-4, 5, shape) + 1j * rng.integers(-4, 5, shape) * (dtype.kind == "c")
    return (found if dtype.kind == "c" else found.real).astype(dtype)


def check(a, b):
    found = matmul(cp.asarray(a), cp.asarray(b))
    expected = np.matmul(a, b)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(found.get(), expected)


@pytest.mark.parametrize("dtype", [*INTEGERS, "?", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("sizes", [(3, 17, 5), (65, 130, 17)])
def test_dtypes(dtype, sizes):
    m, k, n = sizes
    check(numbers((m, k), dtype), numbers((k, n), dtype, 1))


@pytest.mark.parametrize("dtype", ["i1", "i4"])
def test_layouts(dtype):
    views = {
        "rows": lambda xp, x: xp.ascontiguousarray(x),
        "columns": lambda xp, x: xp.ascontiguousarray(x.T).T,
        "reversed": lambda xp, x: xp.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
        "gaps": lambda xp, x: xp.repeat(xp.repeat(x, 2, 0), 3, 1)[::2, ::3],
        "repeated": lambda xp, x: xp.broadcast_to(x[:1], x.shape),
    }
    a, b = numbers((19, 21), dtype), numbers((21, 18), dtype, 1)
    for left in views.values():
        for right in views.values():
            found = matmul(left(cp, cp.asarray(a)), right(cp, cp.asarray(b)))
            np.testing.assert_array_equal(found.get(), left(np, a) @ right(np, b))


def test_conversions():
    """Operands of other dtypes than the product's, whose sums would not fit in theirs."""
    cases = "i1 u1 i2, i1 i1 i4, u1 i1 i8, ? i1 i1, i2 f4 f4, f4 c16 c16"
    for left, right, dtype in [case.split() for case in cases.split(", ")]:
        a, b = numbers((4, 70), left), numbers((70, 3), right, 1)
        found = matmul(cp.asarray(a), cp.asarray(b), dtype)
        np.testing.assert_array_equal(found.get(), a.astype(dtype) @ b.astype(dtype))


@pytest.mark.parametrize(
    "shapes", [((5, 1, 2, 3), (4, 3, 2)), ((6, 2, 3), (3, 4)), ((2, 3), (7, 3, 1))]
)
def test_stacks(shapes):
    check(numbers(shapes[0], "i4"), numbers(shapes[1], "i4", 1))


def test_a_stack_in_another_order():
    a, b = numbers((3, 4, 5, 6), "i2"), numbers((4, 3, 6, 2), "i2", 1)
    found = matmul(cp.asarray(a).transpose(1, 0, 2, 3), cp.asarray(b))
    np.testing.assert_array_equal(found.get(), a.transpose(1, 0, 2, 3) @ b)


def test_results_that_are_given():
    a, b = numbers((9, 4), "i4"), numbers((4, 6), "i4", 1)
    memory = cp.full((12, 20), 7, "i4")
    out = memory[::-1][1:10, 2:14:2]
    assert matmul(cp.asarray(a), cp.asarray(b), out=out) is out
    np.testing.assert_array_equal(out.get(), a @ b)
    assert int((memory == 7).sum()) == 12 * 20 - 9 * 6


def test_nothing_to_add():
    for dtype in ("i4", "?", "f4"):
        check(np.zeros((3, 0), dtype), np.zeros((0, 2), dtype))
        check(np.zeros((0, 3), dtype), np.zeros((3, 2), dtype))


def test_unaligned_operands():
    packed = np.zeros((5, 4), [("skip", "i1"), ("x", "i4")])
    packed["x"] = numbers((5, 4), "i4")
    b = numbers((4, 2), "i4", 1)
    found = matmul(cp.asarray(packed)["x"], cp.asarray(b))
    np.testing.assert_array_equal(found.get(), packed["x"] @ b)
