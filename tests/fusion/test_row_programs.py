"""Reductions of rows and what needs their results, as one kernel: the same bits."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._fusion import chains, running
from gpuarray._runtime import current_stream, recording
from gpuarray.kernels.reduction import row_launch

#: Threads of a block and lanes of a warp for a row; vectors with and without elements before and
#: behind them; single elements.
SHAPES = [(7, 1001), (40, 130), (9, 3), (3, 5, 64)]


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
def kernels(monkeypatch):
    """The kernels of what runs."""
    found = []

    def launching(plan, *where):
        found.extend(plan.kernels)
        return make(plan, *where)

    make = running._launching
    monkeypatch.setattr(running, "_launching", launching)
    return found


def operands(shape, dtype="f4"):
    rng = np.random.default_rng(5)
    shapes = shape, shape, (*shape[:-1], 1), shape[-1:]
    return [cp.asarray((4 * rng.standard_normal(x)).astype(dtype)) for x in shapes]


def softmax(x, y, row, column):
    e = cp.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def all_of_softmax(x, y, row, column):
    m = x.max(axis=-1, keepdims=True)
    e = cp.exp(x - m)
    s = e.sum(axis=-1, keepdims=True)
    return e / s, e, m, s


def layer_norm(x, y, row, column):
    centred = x - x.mean(-1, keepdims=True)
    return centred / cp.sqrt(x.var(-1, keepdims=True) + 1e-5) * column + y


def of_several_operands(x, y, row, column):
    z = x * y + row
    return (z - z.mean(-1, keepdims=True)) / (z.std(-1, keepdims=True, ddof=1) + row)


def without_keepdims(x, y, row, column):
    least = x.min(-1)
    return ((x - x.mean(-1, keepdims=True)) ** 2).sum(-1) * least + 1, x.any(-1)


def counts(x, y, row, column):
    m = x.mean(-1, keepdims=True)
    return (x > m).sum(-1), cp.count_nonzero(y > m, axis=-1), y - m


def with_axes_put_back(x, y, row, column):
    m = x.max(axis=-1)
    e = cp.exp(x - m[..., None])
    return e / cp.expand_dims(e.sum(-1), -1), m[:1]


def without_nan(x, y, row, column):
    m = cp.nanmean(x, -1, keepdims=True)
    return x - m, cp.nansum(x - m, -1), cp.nanvar(y - m, axis=-1)


FUNCTIONS = [
    softmax, all_of_softmax, layer_norm, of_several_operands, without_keepdims, counts,
    with_axes_put_back, without_nan,
]  # fmt: skip


def check(function, arrays):
    with cp.fusion("off"):
        expected = function(*arrays)
    found = function(*arrays)
    if not isinstance(found, tuple):
        found, expected = (found,), (expected,)
    for one, other in zip(found, expected):
        assert (one.dtype, one.shape, one.strides) == (other.dtype, other.shape, other.strides)
        assert one.get().tobytes() == other.get().tobytes()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_bits(kernels, function):
    for shape in SHAPES if function in (softmax, layer_norm) else SHAPES[:2]:
        check(function, operands(shape))
        # What is reduced as bools may be read otherwise.
        assert len([x for x in kernels if x.rows]) in ((1, 2) if function is counts else (1,))
        kernels.clear()


@pytest.mark.parametrize("function", [softmax, layer_norm])
def test_rows_that_threads_do_not_keep(monkeypatch, function):
    monkeypatch.setattr(row_launch, "MOST_KEPT", 0)
    for shape in SHAPES[:3]:
        check(function, operands(shape))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f8", "f2", "c8", "i4", "u1"])
def test_dtypes(kernels, dtype):
    for function in (layer_norm, counts) if dtype in ("i4", "u1") else (softmax, layer_norm):
        if dtype != "c8" or function is layer_norm:
            check(function, operands((7, 259), dtype))
    assert any(x.rows for x in kernels)


def test_order_of_memory(kernels):
    x, y, row, column = operands((130, 40))
    check(lambda x: x / x.sum(axis=0, keepdims=True), [x.T.copy(order="C").T])
    check(softmax, [x.reshape(13, 10, 40), y, row, column])
    assert all(x.rows for x in kernels if x.name != "copy")
    kernels.clear()
    check(softmax, [x[:, 1:], y, row, column])  # rows that have something between them
    check(softmax, [x[:, ::-1], y, row, column])
    assert not any(len(x.rows.aligned) for x in kernels if x.rows)


def test_arrays_that_begin_elsewhere():
    # Where an array in memory begins decides in which order its elements are added.
    x, y, row, column = operands((9, 131))
    for first in range(4):
        check(layer_norm, [x[first : first + 5], y[:5], row[:5], column])
    for first in range(4):
        found = []
        for mode in ("off", "immediate"):
            with cp.fusion(mode):
                a = cp.asarray(x.get())[first : first + 5]
                a -= row[:5]
                z = (a * 2)[1:]
                results = a.prod(-1), a.mean(-1), z.sum(-1), z.std(-1)
                found.append([x.get().tobytes() for x in results])
        assert found[0] == found[1]


def in_place(x, y):
    x -= x.mean(-1, keepdims=True)
    y += x / x.std(-1, keepdims=True)
    x *= y
    return y.sum(-1)


def test_stores(kernels):
    for shape in ((7, 1001), (40, 130)):
        arrays = [operands(shape)[:2] for _ in range(2)]
        with cp.fusion("off"):
            expected = in_place(*arrays[0])
        # To plan a store for the first time runs what is recorded.
        in_place(*operands(shape)[:2]).get()
        kernels.clear()
        found = in_place(*arrays[1])
        for one, other in zip((expected, *arrays[0]), (found, *arrays[1])):
            assert one.get().tobytes() == other.get().tobytes()
        assert kernels[0].rows is not None
        assert kernels[0].targets == (-2, -1)


def test_results_that_others_read(kernels):
    def function(x, y):
        s = x.sum(axis=1, keepdims=True)
        part = x / s
        return part, y.T / s[:8].T, part.sum(axis=0), s.max()

    check(function, operands((8, 200))[:2])
    assert kernels[0].name == "sum_divide"


@pytest.mark.emulator
def test_the_checkers_find_nothing(kernels):
    for shape in ((7, 1001), (40, 130), (9, 3)):
        arrays = operands(shape)
        expected = softmax(*arrays).get()
        run = chains.make_call(kernels[-1], cp.cuda.Stream.null)
        with cp.cuda.check("races", "uninit", "barriers"):
            found = run(arrays[0])
        assert found.get().tobytes() == expected.tobytes()
