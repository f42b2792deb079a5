"""Logarithms of sums of exponentials compared with SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special

INF, NAN = np.inf, np.nan
#: Of dtypes, relative: half is summed in float32, SciPy's is not.
BOUNDS = {"f8": 1e-15, "f4": 5e-7, "f2": 2e-3, "i4": 1e-15, "c16": 1e-14}


#: All dtypes and all axes, but not every combination.
CASES = [("f8", None), ("f8", 0), ("f8", -1), ("f4", 0), ("c16", -1)]
CASES += [
    pytest.param(*case, marks=pytest.mark.slow)
    for case in [("f8", (0, 1)), ("f4", (1, 0)), ("f2", 1), ("i4", None), ("c16", 0)]
]


def elements(dtype: str) -> np.ndarray:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(3, 37)) * (3 if dtype == "f2" else 30)
    return (values + 1j * rng.normal(size=values.shape) if dtype[0] == "c" else values).astype(
        dtype
    )


def same(ours: Any, theirs: Any, bound: float) -> None:
    theirs = np.asarray(theirs)
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours.get(), theirs, rtol=bound, atol=bound)


@pytest.mark.parametrize(("dtype", "axis"), CASES)
def test_sums(dtype, axis):
    x = elements(dtype)
    for keepdims in (False, True):
        ours = special.logsumexp(cp.asarray(x), axis, keepdims=keepdims)
        same(ours, scipy.special.logsumexp(x, axis, keepdims=keepdims), BOUNDS[dtype])


@pytest.mark.parametrize(("dtype", "axis"), CASES)
def test_weights_and_signs(dtype, axis):
    x = elements(dtype)
    b = np.random.default_rng(6).normal(size=37).astype(dtype if dtype[0] == "f" else "f8")
    b[::5] = 0
    for sign in (False, True):
        ours = special.logsumexp(cp.asarray(x), axis, cp.asarray(b), return_sign=sign)
        theirs = scipy.special.logsumexp(x, axis, b, return_sign=sign)
        for pair in zip(ours, theirs, strict=True) if sign else [(ours, theirs)]:
            same(*pair, 20 * BOUNDS[dtype])


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize(("dtype", "axis"), CASES)
def test_shares(name, dtype, axis):
    x = elements(dtype)
    ours = getattr(special, name)(cp.asarray(x), axis)
    same(ours, getattr(scipy.special, name)(x, axis), 10 * BOUNDS[dtype])


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize(
    ("dtype", "shape", "axis"),
    [
        ("f4", (9, 5), 1),  # several rows a warp
        ("f4", (70, 1), -1),
        ("f8", (3, 4, 11), (1, 2)),
        ("f2", (3, 65), 1),
        ("f4", (2, 1500), 1),  # two warps a row
        ("f8", (2, 3000), -1),
        ("f4", (1, 33_000), 1),  # too long for registers
        ("f8", (5, 6), 0),  # no rows
    ],
)
def test_shares_of_rows(name, dtype, shape, axis):
    x = (np.random.default_rng(5).normal(size=shape) * (3 if dtype == "f2" else 20)).astype(dtype)
    ours, wide = getattr(special, name)(cp.asarray(x), axis), x.astype(np.float64)
    assert ours.dtype == x.dtype
    bound = 10 * BOUNDS[dtype] * (np.abs(x).max() if dtype == "f4" else 1)
    theirs = getattr(scipy.special, name)(wide, axis)
    np.testing.assert_allclose(ours.get(), theirs, rtol=bound, atol=bound)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_shares_of_rows_with_infinities(name):
    x = np.array([[INF, 1], [-INF, -INF], [NAN, 1], [-INF, 2]])
    with np.errstate(all="ignore"):
        theirs = getattr(scipy.special, name)(x, 1)
    np.testing.assert_array_equal(getattr(special, name)(cp.asarray(x), 1).get(), theirs)


@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find():
    with cp.cuda.check("races", "uninit", "barriers"):
        for length in (5, 1100):
            x = cp.asarray(np.linspace(0, 1, 3 * length).reshape(3, length))
            assert abs(float(special.softmax(x, 1).sum()) - 3) < 1e-14


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([INF, 1.0], None),
        ([-INF, -INF], None),
        ([NAN, INF], None),
        ([INF, -INF], None),
        ([-INF, 3.0], None),
        ([INF, INF, 3.0], [1.0, -1.0, 2.0]),
        ([1.0, 1.0, 0.0], [1.0, -1.0, 1.0]),
        ([1.0, 2.0], [1.0, -1.0]),
        ([NAN, 2.0], [0.0, 1.0]),
        ([5.0], [0.0]),
        ([INF, 2.0], [-1.0, 1.0]),
        ([0.0, -50.0], None),
        ([1e-20, -1e3], None),
        ([800.0, 800.0, 2.0], None),
    ],
)
def test_corners(a, b):
    weights = None if b is None else cp.asarray(b)
    for sign in (False, True):
        with np.errstate(all="ignore"):
            theirs = scipy.special.logsumexp(np.asarray(a, float), b=b, return_sign=sign)
        ours = special.logsumexp(cp.asarray(np.asarray(a, float)), b=weights, return_sign=sign)
        for pair in zip(ours, theirs, strict=True) if sign else [(ours, theirs)]:
            same(*pair, 4e-16)


def test_factors_of_the_greatest_that_cancel():
    found = special.logsumexp(cp.asarray([900.0, 900.0, 800.0]), b=cp.asarray([1.0, -1.0, 3.0]))
    assert abs(float(found) - (800 + np.log(3))) < 1e-12


def test_no_elements_and_no_dimensions():
    for shape, axis in (((0, 3), 1), ((3, 0), 1), ((0,), None)):
        x = np.zeros(shape)
        same(special.logsumexp(cp.asarray(x), axis), scipy.special.logsumexp(x, axis), 0)
    logarithm, sign = special.logsumexp(cp.zeros(0), return_sign=True)
    assert float(logarithm) == -INF
    assert float(sign) == 0
    same(special.logsumexp(2.5), scipy.special.logsumexp(2.5), 0)
    same(special.logsumexp([1, 2]), scipy.special.logsumexp([1, 2]), 1e-15)
    for name in ("softmax", "log_softmax"):
        with pytest.raises(ValueError, match="zero-size"):
            getattr(special, name)(cp.zeros(0))


def test_many_elements_of_several_blocks():
    x = np.random.default_rng(8).normal(size=70_001).astype(np.float32)
    same(special.logsumexp(cp.asarray(x)), scipy.special.logsumexp(x), 1e-6)


def test_arguments():
    x = cp.ones((2, 3))
    with pytest.raises(np.exceptions.AxisError):
        special.logsumexp(x, 2)
    with pytest.raises(ValueError, match="broadcast"):
        special.logsumexp(x, b=cp.ones(2))
    with pytest.raises(TypeError):
        special.logsumexp(x, 0.5)
