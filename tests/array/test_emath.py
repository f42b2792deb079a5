"""Functions of `gpuarray.emath`, whose results may be complex."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import same

NAMES = ["sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh"]
INSIDE = np.array([[0.25, 0.5, 1.0], [1.0, 0.75, 0.125]])
OUTSIDE = np.array([[0.25, -2.0, 3.0], [-0.5, 0.75, 0.125]])


@pytest.mark.parametrize("name", NAMES)
def test_real_and_complex_results(name):
    theirs, ours = getattr(np.emath, name), getattr(cp.emath, name)
    for host in (INSIDE, OUTSIDE, OUTSIDE[:0], OUTSIDE[0, 1], INSIDE + 0.5j):
        same(ours(cp.asarray(host)), np.asarray(theirs(host)), ulps=16)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i4", "i8", "f2", "f4", "c8"])
def test_dtypes(dtype):
    for host in (np.array([1, 4]).astype(dtype), np.array([1, -4]).astype(dtype)):
        for name in ("sqrt", "log", "arcsin"):
            expected = getattr(np.emath, name)(host)
            same(getattr(cp.emath, name)(cp.asarray(host)), expected, ulps={"e": 4, "f": 8, "d": 8})


def test_nan_is_within_the_domain():
    host = np.array([np.nan, 1.0, np.inf])
    same(cp.emath.sqrt(cp.asarray(host)), np.emath.sqrt(host))
    same(cp.emath.arcsin(cp.asarray(host[:2])), np.emath.arcsin(host[:2]), ulps=2)


@pytest.mark.slow
def test_two_operands():
    bases, powers = np.array([2, -3, 4]), np.array([2, -1, 3])
    for x in (bases, np.abs(bases), bases.astype("f4")):
        for p in (powers, np.abs(powers), powers + 0.5):
            same(cp.emath.power(cp.asarray(x), cp.asarray(p)), np.emath.power(x, p), ulps=16)
        same(cp.emath.power(cp.asarray(x), -2), np.emath.power(x, -2), ulps=16)
        same(cp.emath.logn(2, cp.asarray(x)), np.emath.logn(2, x), ulps=16)
    same(cp.emath.logn(-2, cp.asarray(powers)), np.emath.logn(-2, powers), ulps=16)


def test_numbers_and_lists():
    same(cp.emath.sqrt(-1), np.asarray(np.emath.sqrt(-1)))
    same(cp.emath.sqrt([4, -9]), np.emath.sqrt([4, -9]))
    same(cp.emath.power([2, 3], -1), np.emath.power([2, 3], -1))
    with pytest.raises(AttributeError, match="did you mean 'sqrt'"):
        cp.emath.sqrtt  # noqa: B018
