"""Reductions of what is recorded: the same bits, whatever the operand is computed from."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._fusion import prologues, running
from gpuarray._runtime import current_stream, recording
from gpuarray.kernels.generator.expressions import Apply, Input
from gpuarray.kernels.generator.operations import operation
from gpuarray.kernels.reduction.computed import Source
from gpuarray.kernels.reduction.moments import Deviation

#: By the variant that reads them: rows by lanes and blocks, runs, columns, strips, periods.
SHAPES = [(5, 1001), (40, 130), (9, 5, 64), (600, 3), (70, 33, 5), (5000,)]
AXES = [None, 0, -1]


@pytest.fixture(autouse=True)
def fused(monkeypatch):
    """Record operations of all sizes, and compile at once."""
    monkeypatch.setattr(recording, "LEAST_BYTES", 0)
    monkeypatch.setattr(current_stream, "threads", {threading.get_ident()})
    with cp.fusion("immediate"):
        cp.cuda.Stream.null.drop_plans()
        yield
    cp.cuda.Stream.null.drop_plans()


@pytest.fixture
def computed(monkeypatch):
    """Of the reductions that are planned whether they compute their operand."""
    found = []

    def pays(kernel):
        found.append(decide(kernel))
        return found[-1]

    decide = prologues.pays
    monkeypatch.setattr(prologues, "pays", pays)
    return found


@pytest.fixture
def ran(monkeypatch):
    """The kernels of each sequence that runs."""
    found = []

    def fused_of(plan, *where):
        call = make(plan, *where)

        def run(batch):
            found.append([x.name for x in plan.kernels])
            call(batch)

        return run

    make = running._fused
    monkeypatch.setattr(running, "_fused", fused_of)
    return found


def operands(shape, dtype="f4"):
    rng = np.random.default_rng(4)
    shapes = shape, shape, (*shape[:-1], 1), shape[-1:], ()
    return [cp.asarray((4 * rng.standard_normal(x)).astype(dtype)) for x in shapes]


def check(expression, function, arrays, **options):
    """Compare with the reduction of the stored result, bit by bit."""
    with cp.fusion("off"):
        expected = function(expression(*arrays), **options).get()
    for _ in range(2):  # to plan the reduction runs what is recorded
        result = function(expression(*arrays), **options)
    found = result.get()
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert found.tobytes() == expected.tobytes()


def broadcast(x, y, row, column, single):
    return (x - row) * column + single


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["sum", "var"])
def test_broadcast_operands(computed, shape, name):
    arrays = operands(shape)
    for axis in AXES[: len(shape)]:
        check(broadcast, getattr(cp, name), arrays, axis=axis)
    assert computed == [True] * len(AXES[: len(shape)])


FUNCTIONS = ["mean", "std", "max", "argmin", "any", "count_nonzero", "nansum", "nanvar", "prod"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(computed, name):
    arrays = operands((40, 130))
    for axis in (0, 1):
        check(lambda x, y, *rest: x * y, getattr(cp, name), arrays, axis=axis, keepdims=True)
    assert computed == [True, True]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["i1", "u2", "f2", "f8", "c8", "c16"])
def test_dtypes(computed, dtype):
    for shape, axis in (((5, 1001), 1), ((600, 3), 0), ((40, 130), 0)):
        check(lambda x, y, *rest: x + y, cp.sum, operands(shape, dtype), axis=axis)
    assert computed == [True] * 3


@pytest.mark.slow
def test_other_dtypes_than_the_operands(computed):
    arrays = operands((40, 130))
    for axis in (None, 0, 1):
        check(lambda x, y, *rest: x > y, cp.sum, arrays, axis=axis)
        check(lambda x, y, *rest: x > y, cp.argmax, arrays, axis=axis)
        check(lambda x, y, *rest: cp.add(x, y, dtype="f8"), cp.mean, arrays, axis=axis)
    assert computed == [True] * 9


def test_dtypes_that_are_given(computed):
    arrays = operands((40, 130))
    for function in (cp.sum, cp.mean, cp.var):
        for dtype in ("f8", np.dtype("f4")):
            check(lambda x, y, *rest: x * y, function, arrays, axis=1, dtype=dtype)
    check(lambda x, y, *rest: x > y, cp.sum, arrays, dtype="i2")
    assert computed == [True] * 7


def test_where_operands_lie(computed):
    x, y, *_ = operands((40, 132))
    check(lambda a, b: a * b, cp.sum, [x[:, 1:], y[:, :-1]], axis=1)
    check(lambda a, b: a * b, cp.sum, [x[::-1, ::-1], y], axis=0)
    check(lambda a, b: a * b, cp.sum, [x[:, ::2], y[:, 1::2]], axis=1)
    check(lambda a, b: a * b, cp.sum, [x.T[:20], y.T[:20]], axis=0)
    assert computed == [True] * 4
    check(lambda a, b: a * b, cp.sum, [x[:, :40], y.T[:40]], axis=1)
    assert computed[4:] == [False]  # across the rows it is quicker to store the product


def test_several_blocks_share_a_result(computed):
    arrays = operands((1 << 15,))
    check(lambda x, y, *rest: x * y, cp.sum, arrays)
    check(lambda x, y, *rest: x * y, cp.std, arrays, ddof=1)
    wide = operands((1 << 10, 32))
    check(broadcast, cp.mean, wide, axis=0)
    assert computed == [True] * 3


def softmax(xp, x):
    e = xp.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layer_norm(xp, x):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / xp.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)


def standardised(xp, x):
    return (x - x.mean()) / x.std()


def distances(xp, x):
    y = x * 2
    return xp.sqrt(((y - y.min(axis=0)) ** 2).sum(axis=1)), y


CHAINS = {
    softmax: ["max_subtract_exp_sum_divide"],
    layer_norm: ["mean_subtract_var_add_sqrt_divide"],
    standardised: ["mean", "std", "subtract_divide"],
    distances: ["multiply", "min", "subtract_power_sum", "sqrt"],
}


@pytest.mark.parametrize("function", CHAINS)
@pytest.mark.parametrize("least", [0, 1 << 12])
def test_reductions_are_recorded(ran, monkeypatch, function, least):
    monkeypatch.setattr(recording, "LEAST_BYTES", least)
    x = operands((40, 130))[0]
    with cp.fusion("off"):
        expected = function(cp, x)
    found = function(cp, x)
    assert ran == []
    if not isinstance(found, tuple):
        expected, found = (expected,), (found,)
    for one, other in zip(expected, found):
        assert one.get().tobytes() == other.get().tobytes()
    assert ran == [CHAINS[function]]


def stored_twice(x):
    x += 1
    s, t = x.sum(axis=-1), x[..., 2:].std()
    x *= 2
    return s, t


def normalised(x):
    x -= x.mean(-1, keepdims=True)
    x /= x.std(-1, keepdims=True)
    return (x.sum(-1),)


@pytest.mark.parametrize("function", [stored_twice, normalised])
def test_arrays_that_are_stored_to(function):
    # What is stored there first is added in the order that its place gives, and never stored.
    host = operands((12, 131))[0].get()
    for key in np.s_[:, :7], np.s_[1:], np.s_[:, 1:], np.s_[::-1], np.s_[3], np.s_[:]:
        expected, found = cp.asarray(host), cp.asarray(host)
        with cp.fusion("off"):
            results = [x.get() for x in function(expected[key])]
        for one, other in zip(results, function(found[key])):
            assert one.tobytes() == other.get().tobytes()
        assert expected.get().tobytes() == found.get().tobytes()


def test_warnings_and_errors_of_reductions_come_at_once():
    x = operands((40, 130))[0]
    y = x * 2
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"):
        y.var(axis=0, ddof=40)
    with pytest.raises(np.exceptions.AxisError):
        (x * 2).sum(axis=2)
    with pytest.raises(TypeError):
        (x * 2).var(ddof="1")
    assert y.max(axis=0).get().tobytes() == y.get().max(axis=0).tobytes()


def test_compiled_in_the_background(computed):
    arrays = operands((1 << 15,))
    with cp.fusion("off"):
        expected = (arrays[0] * arrays[1]).std().get()
    with cp.fusion("on"):
        for _ in range(3):
            assert (arrays[0] * arrays[1]).std().get() == expected
            running.wait()
    assert computed == [True]  # the plan that the thread has made


@pytest.mark.emulator
def test_the_checkers_find_nothing():
    product = Apply(operation("multiply"), (Input(0, "f4"), Input(1, "f4")), "f4")
    for shape, axis in (((40, 130), 0), ((40, 130), 1), ((600, 3), 0), ((1 << 13,), 0)):
        x, y, row, column, _ = operands(shape)
        for other in (y, row if axis else column):
            source = Source(product, (x._layout, other._layout))
            expected = (x * other).var(axis=axis)
            with cp.cuda.check("races", "uninit", "barriers"):
                run = Deviation("var").computed_call(x._layout, source, axis, False, 0, None)
                found = run(x, other, 0)
            np.testing.assert_array_equal(cp.asnumpy(found), cp.asnumpy(expected))


def test_a_mean_of_nothing_warns():
    with cp.fusion("immediate"):
        for x in (cp.zeros((0, 3)), cp.zeros((3, 0)).T):
            with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
                result = cp.mean(x, 0)
            assert np.isnan(result.get()).all()
