"""A row of the table of operations is all that a ufunc needs."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import jit
from gpuarray._ufunc import create, ufuncs
from gpuarray.kernels.generator.operations import OPERATIONS, row
from gpuarray.kernels.reduction.rules import REDUCTIONS
from gpuarray.kernels.scan.rules import ACCUMULATIONS
from tests.array.arrays import same


@pytest.fixture
def half_of_sum(monkeypatch):
    """A ufunc that NumPy does not have."""
    made = row(
        "half_of_sum", 2, "Half of the sum of two operands.", [1.0, 2.0], 3.0,
        floats="(in0 + in1) * T(0.5)", loops=("ff->f", "dd->d"), result="array([2. , 2.5])",
    )  # fmt: skip
    monkeypatch.setitem(OPERATIONS, "half_of_sum", made)
    monkeypatch.setitem(ufuncs, "half_of_sum", None)
    return create("half_of_sum")


def expected(x, y, dtype):
    return ((x.astype(dtype) + np.asarray(y, dtype)) * dtype(0.5)).astype(dtype)


@pytest.mark.parametrize(
    "dtype, loop", [("f2", "f4"), ("i1", "f4"), ("f4", "f4"), ("i4", "f8"), ("f8", "f8")]
)
def test_a_ufunc_with_loops_of_its_own(half_of_sum, dtype, loop):
    host = np.arange(6).reshape(2, 3).astype(dtype)
    x, wanted = cp.asarray(host), np.dtype(loop).type
    same(half_of_sum(x, x[0]), expected(host, host[0], wanted))
    same(half_of_sum(x, 1), expected(host, 1, wanted))
    out = cp.zeros((2, 3), "f4")
    assert half_of_sum(x, x, out=out) is out
    same(out, expected(host, host, wanted).astype("f4"))
    same(half_of_sum(x, x, dtype="f8"), expected(host, host, np.float64))


def test_its_documentation_and_attributes(half_of_sum):
    assert ">>> cp.half_of_sum(cp.asarray([1.0, 2.0]), 3.0)\narray([2. , 2.5])" in (
        half_of_sum.__doc__
    )
    assert half_of_sum.types == ["ff->f", "dd->d"]
    assert half_of_sum.identity is None
    with pytest.raises(TypeError, match="not supported for the input types"):
        half_of_sum(cp.ones(2, "c8"), 1)
    same(half_of_sum.reduce(cp.asarray([1.0, 2.0, 6.0])), np.asarray(3.75))


def test_it_fuses(half_of_sum):
    fused = cp.fuse(lambda x: half_of_sum(x, 1) * 2)
    same(fused(cp.arange(4, dtype="f4")), np.arange(4, dtype="f4") + np.float32(1))


def test_it_stands_in_kernels_of_jit(half_of_sum):
    @jit.rawkernel()
    def kernel(x, y):
        i = jit.threadIdx.x
        y[i] = half_of_sum(x[i], 3)

    x, y = cp.arange(4, dtype="f4"), cp.empty(4, "f4")
    kernel((1,), (4,), (x, y))
    same(y, (np.arange(4, dtype="f4") + 3) / 2)


@pytest.mark.slow
def test_every_associative_row_reduces_and_accumulates():
    names = [x.name for x in OPERATIONS.values() if x.associative]
    assert names == list(REDUCTIONS) == list(ACCUMULATIONS)
    host = np.array([[3, 0, 5], [1, 7, 6]])
    x = cp.asarray(host)
    for name in names:
        theirs, ours = getattr(np, name), ufuncs[name]
        same(ours.reduce(x), theirs.reduce(host), ulps=2)
        same(ours.accumulate(x, 1), theirs.accumulate(host, 1), ulps=2)
        assert ours.identity == theirs.identity


@pytest.mark.parametrize("op", [x for x in OPERATIONS.values() if x.summary], ids=lambda x: x.name)
def test_every_row_of_a_ufunc_is_exported_under_all_its_names(op):
    assert getattr(cp, op.name) is ufuncs[op.name]
    for name in (op.name, *op.aliases):
        assert name in cp.__all__
        assert getattr(cp, name) is ufuncs[op.name]
        assert getattr(np, name) is getattr(np, op.name)


def test_a_pickled_ufunc_is_the_same_object():
    assert pickle.loads(pickle.dumps(cp.add)) is cp.add
    assert copy.deepcopy(cp.divmod) is cp.divmod
