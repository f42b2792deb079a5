"""Inverses of triangles by products of blocks, and what is made of them: inverses, solutions, Q."""

from __future__ import annotations

import numpy as np
import pytest

from gpuarray import _layout
from gpuarray._libraries import lu, qr, triangular_inverse
from gpuarray._libraries.steps import Steps
from gpuarray._runtime.current_stream import current

#: Of 32 rows no product is made; the others have pairs of triangles that are not alike.
SIZES = [1, 31, 32, 33, 64, 70, 100, 129]
DTYPES = ["f4", "f8", "c8", "c16"]


def _random(rng, dtype, *shape):
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def _well_conditioned(rng, dtype, count, n):
    return (_random(rng, dtype, count, n, n) / n + 2 * np.eye(n)).astype(dtype)


def _by_columns(matrices):
    return np.ascontiguousarray(matrices.swapaxes(-1, -2))


def _close(found, expected):
    tolerance = 1000 * np.finfo(found.dtype).eps
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("upper", [False, True])
def test_inverses(xp, rng, n, upper):
    for dtype, count, unit in (("f8", 1, False), ("f8", 3, True), ("c16", 2, False)):
        a = _well_conditioned(rng, dtype, count, n)
        triangle = np.triu(a) if upper else np.tril(a)
        if unit:
            triangle = triangle * (1 - np.eye(n)) + np.eye(n)
        else:
            a = np.where(triangle == 0, np.nan, a)  # the other triangle is not read
        x = xp.asarray(_by_columns(a))
        steps = Steps(current.stream, x._layout)
        inverse = steps.output(x._layout)
        steps.copy(triangular_inverse.invert(steps, steps.inputs[0], upper, unit), inverse)
        found = steps.make()(x).get().swapaxes(1, 2)
        _close(found, np.linalg.inv(triangle))
        assert not (np.tril(found, -1) if upper else np.triu(found, 1)).any()


def _factors(steps, n, count, dtype):
    dtype, source = np.dtype(dtype), steps.inputs[0]
    matrices = steps.scratch(_layout.contiguous(dtype, (count, n, n)))
    steps.copy(source.seen_as(_layout.matrix_transpose(source.layout)), matrices)
    pivots = steps.scratch(_layout.contiguous(np.dtype("i8"), (count, n)))
    info = steps.scratch(_layout.contiguous(np.dtype("i4"), (count,)))
    return lu.factorize(steps, matrices, pivots, info)


@pytest.mark.parametrize("dtype", DTYPES)
def test_inverses_of_matrices(xp, rng, dtype):
    for count, n in ((1, 33), (2, 70)):
        a = _random(rng, dtype, count, n, n) + 4 * np.eye(n, dtype=dtype)
        x = xp.asarray(a)
        steps = Steps(current.stream, x._layout)
        result = steps.output(x._layout)
        lu.invert(steps, _factors(steps, n, count, dtype), result)
        _close(steps.make()(x).get(), np.linalg.inv(a))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count, sides", [(1, 1), (1, 5), (3, 1), (2, 3)])
def test_solutions(xp, rng, dtype, count, sides):
    n = 40
    a = _random(rng, dtype, count, n, n) + 4 * np.eye(n, dtype=dtype)
    b = _random(rng, dtype, count, n, sides)
    x, y = xp.asarray(a), xp.asarray(_by_columns(b))
    steps = Steps(current.stream, x._layout, y._layout)
    right = steps.output(y._layout)
    steps.copy(steps.inputs[1], right)
    lu.solve(steps, _factors(steps, n, count, dtype), right)
    _close(steps.make()(x, y).get().swapaxes(1, 2), np.linalg.solve(a, b))


@pytest.mark.parametrize("rows", [50, 9000])
def test_orders_of_rows(xp, rng, rows):
    """In shared memory, and in the result where there is no room."""
    exchanges = 40
    pivots = np.stack([rng.integers(np.arange(exchanges), rows) for _ in range(2)])
    expected = np.tile(np.arange(rows), (2, 1))
    for order, others in zip(expected, pivots, strict=True):
        for i, other in enumerate(others):
            order[[i, other]] = order[[other, i]]
    given = xp.asarray(pivots.astype("i4"))
    found = lu.row_order_call(current.stream, given._layout, rows)(given)
    np.testing.assert_array_equal(found.get(), expected)


@pytest.mark.parametrize("m, n", [(64, 64), (70, 70), (100, 40), (40, 100)])
def test_q_by_blocks_of_reflectors(xp, rng, m, n):
    k = min(m, n)
    for dtype, count, width in (("f8", k, 16), ("c16", m, 32), ("f8", m, 40)):
        a = _random(rng, dtype, m, n)
        a[:, 3] = 0 if width == 16 else a[:, 3]  # a reflection that is none
        x = xp.asarray(a)
        steps = Steps(current.stream, x._layout)
        columns = steps.scratch(_layout.contiguous(x.dtype, (n, m)))
        tau = steps.scratch(_layout.contiguous(x.dtype, (k,)))
        q = steps.output(_layout.contiguous(x.dtype, (count, m)))
        steps.copy(steps.inputs[0], columns.seen_as(_layout.matrix_transpose(columns.layout)))
        qr.factorize(steps, columns, n, tau)
        qr.form_q_by_blocks(steps, columns, count, tau, q, width)
        found = steps.make()(x).get().T
        _close(found, np.linalg.qr(a, mode="complete")[0][:, :count])


def test_large_matrices(xp, rng, monkeypatch):
    for module in (lu, qr):
        monkeypatch.setattr(module, "_BLOCKS_FROM", 34)
    monkeypatch.setattr(qr, "_BLOCK", 16)
    a, b = _random(rng, "f8", 3, 50, 50), _random(rng, "f8", 50, 3)
    called = []
    for module, name in ((lu, "invert"), (qr, "form_q_by_blocks")):
        function = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *x, f=function: (called.append(f), f(*x)))
    with xp.cuda.Stream():  # which has no plans yet
        x, y = xp.asarray(a), xp.asarray(b)
        _close(xp.linalg.solve(x[0], y).get(), np.linalg.solve(a[0], b))
        _close(xp.linalg.solve(x, y[:, 0]).get(), np.linalg.solve(a, b[:, 0, None])[..., 0])
        _close(xp.linalg.inv(x).get(), np.linalg.inv(a))
        _close(xp.linalg.qr(x[0]).Q.get(), np.linalg.qr(a[0]).Q)
        _close(
            xp.linalg.qr(x[0, :, :40], "complete").Q.get(), np.linalg.qr(a[0, :, :40], "complete").Q
        )
        assert [f.__name__ for f in called] == [
            "invert", "form_q_by_blocks", "form_q_by_blocks",
        ]  # fmt: skip
        with pytest.raises(np.linalg.LinAlgError):
            xp.linalg.inv(xp.ones((50, 50)))
        with xp.errstate(linalg="ignore"):
            assert xp.isnan(xp.linalg.inv(xp.ones((50, 50)))).all()
            assert xp.isnan(xp.linalg.solve(xp.ones((50, 50)), y)).all()
            x[0, 1, 1] = np.nan
            assert xp.isnan(xp.linalg.inv(x)).all((1, 2)).tolist() == [True, False, False]
