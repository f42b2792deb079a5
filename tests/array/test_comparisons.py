"""Numbers that no dtype holds: comparisons with them, and with other objects, have an answer."""

from __future__ import annotations

import enum
import operator
from decimal import Decimal
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.errors import HostArrayError
from tests.array.arrays import raises_alike, same
from tests.slow import slow_off_axes

ORDERED = [operator.lt, operator.le, operator.gt, operator.ge]
COMPARISONS = [operator.eq, operator.ne, *ORDERED]
UFUNCS = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
DTYPES = ["f8", "?", "i1", "u8", "f2", "c8"]

FRACTIONS = [Fraction(1), Fraction(3, 2), Fraction(1, 3), Fraction(-(10**400), 3), Fraction(10**400),
             Decimal("1.5"), Decimal("0.1"), Decimal("-Infinity")]  # fmt: skip


class Knows:
    """An object that says itself what it equals."""

    def __eq__(self, other):
        return "asked"

    __hash__ = None


def _operands(dtype):
    host = np.array([0, 1, 100, 1.5]).astype(dtype)
    return host, cp.asarray(host)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("other", [None, "s", {}, object, np.str_("s")])
def test_objects_equal_no_number(dtype, other):
    host, x = _operands(dtype)
    for compare in (operator.eq, operator.ne):
        same(compare(x, other), compare(host, other))
    for compare in ORDERED:
        raises_alike(lambda c=compare: c(host, other), lambda c=compare: c(x, other))


@pytest.mark.parametrize(("dtype", "number"), slow_off_axes(DTYPES, FRACTIONS))
def test_exact_numbers(dtype, number):
    host, x = _operands(dtype)
    for compare in COMPARISONS:
        if dtype == "c8" and compare in ORDERED:
            raises_alike(lambda c=compare: c(host, number), lambda c=compare: c(x, number))
            continue
        same(compare(x, number), compare(host, number))
        same(compare(number, x), compare(number, host))


def test_exact_numbers_and_nan():
    x = cp.array([np.nan, 0.0])
    assert (x < Fraction(1, 3)).tolist() == [False, True]
    assert (x >= Fraction(1, 3)).tolist() == [False, False]
    assert (x != Fraction(1, 3)).tolist() == [True, True]


def test_ufuncs_of_objects():
    host, x = _operands("i4")
    for other in (None, {}, Fraction(1), Fraction(3, 2)):
        for name in ("equal", "not_equal"):
            same(getattr(cp, name)(x, other), getattr(np, name)(host, other))
            same(getattr(cp, name)(other, x), getattr(np, name)(other, host))
    same(cp.less(Fraction(1, 2), x), np.less(Fraction(1, 2), host))
    mask, out = np.array([True, False, True, True]), np.array([True, True, False, False])
    result = cp.asarray(out)
    assert cp.equal(x, None, out=result, where=cp.asarray(mask)) is result
    same(result, np.equal(host, None, out=out, where=mask))
    for wrong in (lambda xp, a: xp.equal(a, "s"), lambda xp, a: xp.less(a, None),
                  lambda xp, a: xp.add(a, None)):  # fmt: skip
        raises_alike(lambda w=wrong: w(np, host), lambda w=wrong: w(cp, x))


def test_objects_that_know_numbers_are_asked():
    x = cp.arange(3)
    assert (x == mock.ANY) is True
    assert (x == Knows()) == "asked"


@pytest.mark.parametrize("other", [[1, 1], (0, 2), range(2)])
def test_sequences_are_arrays(other):
    assert (cp.arange(2) == other).tolist() == (np.arange(2) == np.array(other)).tolist()
    assert (other > cp.arange(2)).tolist() == (np.array(other) > np.arange(2)).tolist()


def test_buffers_are_no_scalars():
    with pytest.raises(HostArrayError, match="in host memory"):
        cp.arange(2) == memoryview(b"12")  # noqa: B015


GREAT = [300, -300, 2**63, -(2**64), 10**400, -(10**400)]


@pytest.mark.parametrize(("dtype", "name"), slow_off_axes(["i1", "u1", "i8", "u8"], UFUNCS))
def test_great_integers(dtype, name):
    host, x = np.array([0, 1, 100], dtype), cp.asarray(np.array([0, 1, 100], dtype))
    for number in GREAT:
        same(getattr(cp, name)(x, number), getattr(np, name)(host, number))
        same(getattr(cp, name)(number, x), getattr(np, name)(number, host))
        expected = np.stack([getattr(np, name)(host, number), [True, False, True]])
        out = cp.asarray(np.array([[True, False, True]] * 2))
        mask = cp.asarray([[True], [False]])
        assert getattr(cp, name)(x, number, out=out, where=mask) is out
        same(out, expected)
    same(getattr(cp, name)(np.int8(1), 300), getattr(np, name)(np.int8(1), 300))
    assert bool(getattr(cp, name)(1, 10**30)) == getattr(np, name)(1, 10**30)


@pytest.mark.parametrize("dtype", ["?", "f2", "f4", "f8", "c8"])
def test_great_integers_beside_other_dtypes(dtype):
    host, x = _operands(dtype)
    for name in ("equal", "less", "add"):
        ours, theirs = getattr(cp, name), getattr(np, name)
        raises_alike(lambda f=theirs: f(host, 10**400), lambda f=ours: f(x, 10**400))


INT8, FLOAT = np.array([0, 1, 100], "i1"), np.array([0, 1, 100], "f4")


@pytest.mark.parametrize(
    "call",
    [
        lambda a, f, great: cp.where(a > 1, a, great),
        lambda a, f, great: cp.where(a > 1, great, a),
        lambda a, f, great: cp.where(a > 1, f, great),
        lambda a, f, great: cp.add(a, great, out=a),
        lambda a, f, great: a.__imul__(great),
        lambda a, f, great: cp.maximum(f, great),
        lambda a, f, great: cp.clip(f, great, 3),
        lambda a, f, great: cp.clip(a, abs(great), a),
        lambda a, f, great: cp.sum(a, initial=great),
        lambda a, f, great: cp.max(f, initial=great),
        lambda a, f, great: cp.searchsorted(a, great),
        lambda a, f, great: cp.isin(a, [great]),
        lambda a, f, great: cp.digitize(great, a),
        lambda a, f, great: cp.interp(great, f, f),
        lambda a, f, great: cp.diff(a, append=great),
        lambda a, f, great: cp.array([1, great]),
        lambda a, f, great: cp.stack([great, great]),
    ],
)
@pytest.mark.parametrize("great", [10**400, -(10**400), 10**5000], ids=["great", "least", "long"])
def test_numbers_that_nothing_holds(call, great):
    with pytest.raises(OverflowError):
        call(cp.asarray(INT8), cp.asarray(FLOAT), great)


def test_numbers_that_a_dtype_does_not_hold():
    x = cp.asarray(INT8)
    with pytest.raises(OverflowError, match="where: Python integer 300 out of bounds for int8"):
        cp.where(x > 1, x, 300)  # NumPy 2.4 wraps it
    raises_alike(
        lambda: np.max(INT8, initial=np.int64(300)), lambda: cp.max(x, initial=np.int64(300))
    )
    same(cp.clip(x, -1000, 300), np.clip(INT8, -1000, 300))
    same(cp.clip(x, 1, 300), np.clip(INT8, 1, 300))


class Colour(enum.IntEnum):
    RED = 3


class Length(float):
    pass


@pytest.mark.parametrize("number", [Colour.RED, Length(1.5)])
def test_subclasses_of_numbers_are_not_weak(number):
    for host in (INT8, FLOAT):
        x = cp.asarray(host)
        same(x + number, host + number)
        same(number * x, number * host)
        same(cp.where(x > 1, x, number), np.where(host > 1, host, number))
        same(cp.maximum(x, number), np.maximum(host, number))
    same(cp.array([number]), np.array([number]))
