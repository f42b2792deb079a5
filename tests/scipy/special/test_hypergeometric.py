"""Hypergeometric functions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special
from tests.scipy.special.cases import Case, against_scipy, joined, linear, pairs, powers

SOME = np.concatenate([linear(-3, 3, 20), np.arange(-2.0, 4.0)])
WIDE = linear(-20, 20)
HALVES = linear(-6, 6, 20) // 1 + 0.5
UNIT = np.concatenate([linear(-1, 1, 20), 1 - powers(-8, 0, 10), -powers(-2, 4, 10)])
LINE = np.concatenate([linear(-100, 100, 20), linear(-5, 5, 10), [350.0, -450.0]])
PLANE = [powers(-1, 1.4, 16) * np.exp(1j * x) for x in linear(-3.1, 3.1, 16).reshape(1, -1)]
FEW = (0.5, 1.0, 2.0)


def amplitude(v, z, wanted):
    """What the waves of 0F1 are compared with near their zeros: DLMF 10.16.9 and 10.17.3."""
    with np.errstate(all="ignore"):
        size = np.exp(scipy.special.gammaln(v) + (0.25 - v / 2) * np.log(-z)) / np.sqrt(np.pi)
    return np.where(z < -300, size, 0)


CASES = [
    Case("hyp2f1", joined(pairs(SOME, SOME, HALVES, UNIT, count=60), pairs(WIDE, WIDE, WIDE, UNIT, count=30)), exact=lambda mp, *x: mp.hyp2f1(*x), corners=(0.5, -0.5), heavy=True, complexes=[linear(-2, 2, 16), linear(-1, 2, 16), linear(1, 4, 16), PLANE[0] / 6], relative=1e-12),
    Case("hyp1f1", joined(pairs(SOME, HALVES, LINE, count=60), pairs(WIDE, WIDE, LINE, count=30)), exact=lambda mp, *x: mp.hyp1f1(*x), corners=FEW, heavy=True, complexes=[linear(-2, 2, 16), linear(1, 4, 16), PLANE[0] / 2], relative=1e-12),
    Case("hyp0f1", pairs(np.concatenate([WIDE, HALVES]), np.concatenate([LINE, 9 * LINE]), count=80), exact=lambda mp, *x: mp.hyp0f1(*x), corners=FEW, heavy=True, complexes=[WIDE[:16], PLANE[0]], relative=1e-13, scale=amplitude),
    Case("hyperu", joined(pairs(SOME, SOME, powers(-2, 2), count=16), pairs(WIDE, WIDE, powers(-1, 2), count=6)), exact=lambda mp, *x: mp.hyperu(*x), corners=FEW, heavy=True),
]  # fmt: skip

test_values = against_scipy(CASES)


@pytest.mark.parametrize(
    ("a", "b", "c", "x", "expected"),
    [
        # Terms in x alternate and cancel to hundreds of digits; mpmath with 400 digits.
        (10, -900, 10.5, 0.99, 1.918537057966077e-24),
        (-900, 10, -10.5, 0.99, 3.542792000403557e-18),
        (3.5, -300, 1.25, 0.9, -1.633925587655859e-09),
        (-400, 4.5, 6.25, -3, 4.773448148398777e237),
        (7, -100, 3, 0.99, 2.504871015784813e-187),  # c - a is an integer
        (221.5, 90.2, 132.3, -1, 2.0490488728377282e-42),
        (-102.1, -20.3, -80.8, -1, 45143784.46783885),  # terms grow again beyond -c
        (16.087593263474208, 16.088264119063613, 2.0397202577726152, -0.9473684210526316 - 0.3157894736842106j,
         6.564549348474962e-07 + 1.6761570598334562e-06j),
        (-15.75, 8.25, -0.5, 0.9473684210526314 - 0.10526315789473695j,
         0.04271686244952705 - 0.14087902824639406j),
    ],
)  # fmt: skip
def test_hyp2f1_where_terms_cancel(a, b, c, x, expected):
    found = special.hyp2f1(
        *(cp.asarray(float(v)) for v in (a, b, c)), cp.asarray(x, type(expected))
    )
    np.testing.assert_allclose(found.get(), expected, rtol=1e-14)


def test_hyp2f1_of_large_parameters():
    """Where no series in x has digits; values of mpmath with 500 digits."""
    points = np.array([
        (-212.7, -150.0, -289.6, -0.8),  # terms grow again beyond -c
        (59.0, 123.6, 28.8, -0.19),
        (-38.6, 82.3, 26.0, 0.15),
        (-58.0, 60.7, -5.5, 0.88),  # c < 0
        (-131.4, -77.6, -250.4, -7.05),
        (-62.0, 93.5, 5.6, 0.87),  # a polynomial beyond its zeros
        (-66.0, -102.0, -94.0, 0.49),  # one with an integer c
        (22.0, -58.25, -9.5, 0.75),  # a is an integer, c < 0
        (218.0, -57.8, 55.2, 0.94),
        (-394.0, 0.06, -93.5, -7.9),  # overflows
    ])  # fmt: skip
    expected = [
        1.5204326160833127e+29, 2.0550172145315654e-19, 1.887277488486972e-10, -1346476299962.5105,
        4.103153550347684e+48, -5810.477573290708, 7.889591667243462e-22, -22.074885602968987,
        8.508309075784197e+33, np.inf,
    ]  # fmt: skip
    found = special.hyp2f1(*cp.asarray(points.T.copy()))
    np.testing.assert_allclose(found.get(), expected, rtol=5e-15)


def test_hyp2f1_left_of_zero_at_poles():
    """Where c < -60 and a or b is a positive integer, or c - a or c - b is, or nearly; values of Arb."""
    points = np.array([
        (76.88590681629381, 20.000000001, -267.4668484250991, -13.896023123210481),
        (62.80122492530825, -325.05741032520814, -272.05741032520814, 0.7584946624080231),
        (50.0, 86.0, -478.875, -4.375),
    ])  # fmt: skip
    expected = [-2.396612108963328e-06, 2.4298952307526974e53, 2.7666922901743574e17]
    found = special.hyp2f1(*cp.asarray(points.T.copy()))
    np.testing.assert_allclose(found.get(), expected, rtol=1e-13)


def test_hyp2f1_far_from_zero():
    """Where a - b is an integer or nearly one: values of mpmath with 60 digits."""
    points = np.array([
        (-0.5, 1.5, 1.0, -1e200), (2.5, 2.5, 7.25, -1e30), (1.5, 2.5, 1.0, -1e100),
        (0.2, 0.2000001, 5.5, -1e40),
    ])  # fmt: skip
    expected = [
        1.2732395447351628e100,
        3.446472544079332e-72,
        -2.122065907891938e-151,
        2.834587800845015e-07,
    ]
    found = special.hyp2f1(*cp.asarray(points.T.copy()))
    np.testing.assert_allclose(found.get(), expected, rtol=1e-14)


@pytest.mark.slow  # hundreds of steps in two doubles
def test_complex_hyp2f1_far_from_zero():
    found = special.hyp2f1(2.5, 2.5, 1.3, cp.asarray([3e300 + 4e300j, 3e40 + 4e40j]))
    expected = [0, (1.5508699921378805e-101 - 1.5125555020989893e-101j)]
    np.testing.assert_allclose(found.get(), expected, rtol=1e-14)


def test_hyperu_of_large_parameters():
    """Polynomials that do not grow towards 0, U below the range on the way, long series; values of Arb."""
    points = np.array([
        (-77.0, 207.0, 0.25), (-142.0, 34.0, 0.025), (-9.5, -295.25, 0.40625), (-54.0, -5.125, 49.75),
        (-41.0, 227.5, 144.25), (86.75, -261.5, 0.09375),
    ])  # fmt: skip
    expected = [
        -6.119697035463642e+183, 1.1663385088529416e+281, 2.585087870970391e+23, 7.165683558008819e+80,
        6.03727940350309e+77, 3.5861704669406683e-216,
    ]  # fmt: skip
    found = special.hyperu(*cp.asarray(points.T.copy()))
    np.testing.assert_allclose(found.get(), expected, rtol=1e-14)


def test_hyp0f1_of_large_orders():
    """Where Bessel functions of the order overflow or vanish; values of mpmath with 400 digits."""
    v = cp.asarray([-356.5, -945.25, 1250.0, 936.5, -893.5, 2000.0])
    z = cp.asarray([-305.0, -4000.0, -35787.0, -354.0, 75000.0, -45000.0])
    expected = [
        2.3550754456529606, 69.49286968356287, 2.627327437729242e-13, 0.6851760609468948,
        1.1914612756088721e-35, 1.487973494760825e-10,
    ]  # fmt: skip
    np.testing.assert_allclose(special.hyp0f1(v, z).get(), expected, rtol=2e-14)
