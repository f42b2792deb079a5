"""Reductions along another than the fastest axis: which variant reads what, rows of any alignment, tails."""

import itertools

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.kernels import reduction
from tests.slow import slow_except, slow_off_axes

NARROW = ["?", "i1", "u1", "i2", "f2"]
DTYPES = [*NARROW, "i4", "f4", "f8", "c8"]


@pytest.fixture
def variants(monkeypatch):
    """The specifications that were launched."""
    seen = []
    load = reduction.launch.load

    def watched(spec, *args):
        seen.append(spec)
        return load(spec, *args)

    monkeypatch.setattr(reduction.launch, "load", watched)
    return seen


def numbers(dtype, shape, rng):
    if dtype == "?":
        return rng.random(shape) < 0.7
    if dtype[0] == "c":
        return (rng.integers(-9, 9, shape) + 1j * rng.integers(-9, 9, shape)).astype(dtype)
    x = np.where(rng.random(shape) < 0.1, 0, rng.integers(-130, 300, shape))
    return (x % 64 - 20 if dtype == "f2" else x).astype(dtype)


def exact(name, x, axis):
    """NumPy's result, of sums that are not rounded at each step."""
    if x.dtype not in ("f2", "f4") or name not in ("sum", "var"):
        return np.asarray(getattr(np, name)(x, axis))
    return np.asarray(getattr(np, name)(x.astype("f8"), axis).astype(x.dtype))


def check(names, x, a, axis):
    for name in names:
        expected, result = exact(name, x, axis), getattr(cp, name)(a, axis)
        assert result.dtype == expected.dtype
        if name == "var":
            np.testing.assert_allclose(
                cp.asnumpy(result), expected, 2e-3 if x.dtype == "f2" else 2e-6
            )
        else:
            np.testing.assert_array_equal(cp.asnumpy(result), expected, f"{name} {x.dtype}")


NAMES = ["sum", "max", "argmax", "argmin", "any", "all", "count_nonzero", "var"]


@pytest.mark.parametrize("dtype", slow_except(["u1"], ["u1", "f4", "i2", "f2", "f8", "c8"]))
def test_long_rows(dtype, variants, rng):
    """Rows that begin at any address, and parts of rows, whose neighbours are not read."""
    x = numbers(dtype, (67, 1029), rng)
    a = cp.asarray(x)
    names = ["sum", "argmax", "var"]
    if dtype == "u1":
        names += ["max", "any"]
    check(names, x, a, 0)
    check(["sum", "argmax"], x[2:, 3:-2], a[2:, 3:-2], 0)
    check(["sum"], x[::-2, 1:], a[::-2, 1:], 0)
    assert {spec.variant for spec in variants} == {"strips"}
    assert max(spec.phases for spec in variants) > 1 or dtype == "c8"


@pytest.mark.parametrize(
    ("dtype", "columns"),
    [
        pytest.param(dtype, columns, marks=() if quick else pytest.mark.slow)
        for dtype, columns in itertools.product(DTYPES, [3, 10, 100, 96])
        for quick in [dtype == "i1" or (columns == 3 and dtype in ("f2", "c8"))]
        if quick or columns == 10
    ],
)
def test_short_rows(dtype, columns, variants, rng):
    size = 21_003 + columns
    line = numbers(dtype, size, rng)
    b = cp.asarray(line)
    for first in (0, 1, 3):
        rows = (size - first) // columns
        x = line[first : first + rows * columns].reshape(rows, columns)
        a = b[first : first + rows * columns].reshape(rows, columns)
        check(NAMES if dtype == "i1" and columns == 10 else ["sum", "argmin"], x, a, 0)
    assert {spec.variant for spec in variants} == {"periods"}


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [
        *slow_off_axes(["u1", "f2"], [(3, 211, 103), (5, 9, 16), (40, 5, 3), (2, 40, 530)]),
        ("i4", (5, 9, 16)),
    ],
)
def test_middle_axis(dtype, shape, rng):
    x = numbers(dtype, shape, rng)
    a = cp.asarray(x)
    check(["sum", "argmax", *(["max", "var"] if shape[0] == 3 and dtype == "u1" else [])], x, a, 1)
    check(["sum"], x[:, 1:, 1:], a[:, 1:, 1:], 1)
    check(["sum"], x, a, (0, 1))
    check(["sum"], x.transpose(1, 0, 2), a.transpose(1, 0, 2), 0)


@pytest.mark.parametrize("dtype", ["u1", "f4"])
def test_many_parts(dtype, variants, monkeypatch, rng):
    """So many blocks share results that their values are combined in two steps."""
    x = numbers(dtype, (140_003 // np.dtype(dtype).itemsize, 7), rng)
    grid_for = reduction.launch.grid_for
    blocks = []

    def watched(count):
        blocks.append(count)
        return grid_for(count)

    monkeypatch.setattr(reduction.launch, "grid_for", watched)
    monkeypatch.setattr(reduction.spec, "unroll", lambda spec: 1)
    check(["sum", "argmax"], x, cp.asarray(x), 0)
    assert max(blocks) > 32, blocks
    assert all(spec.split for spec in variants)


def test_wide_integers_and_prods(rng):
    x = rng.integers(-3, 4, (40, 600)).astype("i1")
    a = cp.asarray(x)
    np.testing.assert_array_equal(cp.asnumpy(cp.prod(a, 0)), np.prod(x, 0))
    np.testing.assert_array_equal(cp.asnumpy(cp.sum(a, 0, dtype="i1")), np.sum(x, 0, dtype="i1"))
    np.testing.assert_array_equal(cp.asnumpy(cp.mean(a, 0)), np.mean(x, 0))


def test_nan_in_columns(rng):
    x = rng.standard_normal((50, 700)).astype("f4")
    x[rng.random(x.shape) < 0.02] = np.nan
    x[:, 3] = np.nan
    a = cp.asarray(x)
    for name in ("max", "argmax", "nansum"):
        expected, result = getattr(np, name)(x, 0), cp.asnumpy(getattr(cp, name)(a, 0))
        np.testing.assert_allclose(result, expected, 1e-4, 1e-4)


@pytest.mark.parametrize("dtype", slow_except(["i1", "u2"], ["i1", "?", "u2"]))
def test_variances_of_integers_are_exact(dtype, rng):
    """One element of many is different: sums of squares in floats would have no digit right."""
    big = 1 if dtype == "?" else np.iinfo(dtype).max
    x = np.full((60_007, 3), big, dtype)
    x[4, 1] = big - 1
    a = cp.asarray(x)
    ones = x.shape[0]
    expected = [0, (ones - 1) / ones**2, 0]
    np.testing.assert_allclose(cp.asnumpy(cp.var(a, 0)), expected, 1e-14)
    np.testing.assert_allclose(cp.asnumpy(cp.var(a.T.copy(), 1)), expected, 1e-14)
    y = (
        numbers(dtype, (211, 300), rng)
        if dtype != "u2"
        else numbers("i2", (211, 300), rng).view("u2")
    )
    b = cp.asarray(y)
    for axis in (None, 0, 1):
        np.testing.assert_allclose(cp.asnumpy(cp.var(b, axis)), np.var(y, axis), 1e-12)
    np.testing.assert_allclose(
        cp.asnumpy(cp.std(b[1:, 3:], 0, ddof=1)), np.std(y[1:, 3:], 0, ddof=1), 1e-12
    )


def test_too_many_rows_for_a_word(variants, monkeypatch, rng):
    """Where a thread meets more rows than its totals have room for, it takes columns one by one."""
    x = numbers("u1", (300, 600), rng)
    few = reduction.tables.Packed("", "SquaresOfBytes<uint32_t>", "", 1)
    monkeypatch.setitem(reduction.tables._PACKED_SQUARES, "u1", few)
    np.testing.assert_allclose(cp.asnumpy(cp.var(cp.asarray(x), 0)), np.var(x, 0), 1e-12)
    assert [spec.columns_of_words for spec in variants] == [""]


@pytest.mark.emulator
@pytest.mark.parametrize("dtype", slow_except(["u1"], ["u1", "f2"]))
def test_no_findings_of_the_checkers(dtype, rng):
    wide, short = numbers(dtype, (60, 700), rng), numbers(dtype, (9_001, 7), rng)
    a, b = cp.empty((60, 720), dtype), cp.asarray(short)
    a[:, 5:705] = cp.asarray(wide)  # what is beside is never written
    with cp.cuda.check("races", "uninit", "barriers"):
        for name in ("sum", "argmax", "var"):
            check([name], short, b, 0)
        for name in ("sum", "argmax"):
            check([name], wide, a[:, 5:705], 0)
            check([name], wide[:, 1:], cp.asarray(wide)[:, 1:], 0)
