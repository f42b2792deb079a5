"""Cumulative operations of what is recorded: the same bits, whatever they compute."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._fusion import prologues, running
from gpuarray.kernels.generator.expressions import Apply, Input
from gpuarray.kernels.generator.operations import operation
from gpuarray.kernels.reduction.computed import Source
from gpuarray.kernels.scan.rules import ACCUMULATIONS
from tests.fusion.test_reductions import broadcast, check, operands
from tests.slow import slow_except


@pytest.fixture
def computed(monkeypatch):
    """Of the operations that are planned whether they compute their operand."""
    found = []

    def pays(kernel):
        found.append(decide(kernel))
        return found[-1]

    decide = prologues.pays
    monkeypatch.setattr(prologues, "pays", pays)
    return found


def product(x, y, *rest):
    return x * y


#: By what reads them: lanes and blocks of rows, columns, lines that several blocks share.
SHAPES = [(5, 1001), (600, 3), (9000,), (9, 5, 64), (40, 130), (70, 33, 5), (2, 3000), (1,), (3, 0)]


@pytest.mark.parametrize("shape", slow_except(SHAPES[:3], SHAPES))
def test_layouts(computed, shape):
    arrays = operands(shape)
    for axis in (None, 0, -1):
        check(product, cp.cumsum, arrays, axis=axis)
        check(broadcast, cp.cumsum, arrays, axis=axis if len(shape) > 1 else 0)
    assert all(computed) or len(shape) > 1  # in one dimension there is more than one way to see it


@pytest.mark.slow
@pytest.mark.parametrize("dtype", slow_except(["i1", "f2", "c16"], ["i1", "u4", "f2", "f8", "c16"]))
def test_dtypes(computed, dtype):
    arrays = operands((5, 300), dtype)
    check(product, cp.cumsum, arrays, axis=1)
    check(product, cp.cumprod, arrays, axis=0)
    check(product, cp.cumsum, arrays, axis=1, dtype="f8" if dtype != "c16" else "c8")
    check(lambda x, y, *rest: x != y, cp.cumsum, arrays, axis=1)
    assert all(computed)


def test_functions(computed):
    arrays = operands((40, 130))
    check(product, cp.nancumsum, arrays, axis=1)
    check(product, cp.maximum.accumulate, arrays, axis=1)
    check(product, cp.nancumprod, arrays)
    check(lambda x, y, *rest: (x > y).T, cp.logical_or.accumulate, arrays)
    check(lambda x, y, *rest: cp.log1p(cp.exp(-abs(x))) + y, cp.cumulative_sum, arrays, axis=0)
    check(product, cp.subtract.accumulate, arrays)  # in the order of the elements, at once
    assert computed == [True] * 5


def test_what_follows_and_precedes():
    x, y, row, *_ = operands((40, 130))
    with cp.fusion("off"):
        z = x * y
        expected = [cp.cumsum(z, axis=1) * row - z, z]
    z = x * y
    found = [cp.cumsum(z, axis=1) * row - z, z]
    with pytest.raises(ValueError, match="axis"):
        cp.cumsum(x * 2, axis=2)
    for one, other in zip(expected, found):
        assert one.get().tobytes() == other.get().tobytes()


def twice(x):
    x += 1
    s = cp.cumsum(x, axis=-1)
    x *= s
    return s, cp.cumsum(x[..., 2:], axis=0)


def test_arrays_that_are_stored_to():
    host = operands((12, 131))[0].get()
    for key in np.s_[:, :7], np.s_[1:], np.s_[:, 1:], np.s_[::-1], np.s_[3], np.s_[:]:
        expected, found = cp.asarray(host), cp.asarray(host)
        with cp.fusion("off"):
            results = [x.get() for x in twice(expected[key])]
        for one, other in zip(results, twice(found[key])):
            assert one.tobytes() == other.get().tobytes()
        assert expected.get().tobytes() == found.get().tobytes()


def test_compiled_in_the_background(computed):
    arrays = operands((9000,))
    with cp.fusion("off"):
        expected = cp.cumsum(arrays[0] * arrays[1]).get()
    with cp.fusion("on"):
        for _ in range(3):
            assert cp.cumsum(arrays[0] * arrays[1]).get().tobytes() == expected.tobytes()
            running.wait()
    assert computed == [True]  # the plan that the thread has made


@pytest.mark.emulator
def test_the_checkers_find_nothing():
    product = Apply(operation("multiply"), (Input(0, "f4"), Input(1, "f4")), "f4")
    for shape, axis in (((40, 130), 0), ((3, 1030), 1), ((9000,), 0)):
        x, y, row, column, _ = operands(shape)
        for other in (y, row if axis else column):
            source = Source(product, (x._layout, other._layout))
            expected = cp.cumsum(x * other, axis=axis).get()
            with cp.cuda.check("races", "uninit", "barriers"):
                run = ACCUMULATIONS["add"].computed_call(x._layout, source, axis, None)
                found = run(x, other)
            np.testing.assert_array_equal(found.get(), expected)
