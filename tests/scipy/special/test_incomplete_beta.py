"""The incomplete beta function and its distributions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special
from tests.scipy.special.cases import (
    Case,
    against_scipy,
    check_inverse,
    check_loops,
    joined,
    linear,
    pairs,
    powers,
    results,
)

SHAPES = np.concatenate([powers(-2, 3, 60), linear(0, 100, 60)])
X = np.concatenate([powers(-5, -0.01), linear(0, 1, 60)])


def near_mean(count=150):
    """Shapes and arguments near the mean, where neither tail is negligible."""
    a, b = pairs(SHAPES, SHAPES, count=count)
    normal = pairs(linear(-5, 5, 60), count=count, seed=9)[0]
    odds = np.exp(np.log(a / b) + normal * np.sqrt(1 / a + 1 / b))
    return [a, b, odds / (1 + odds)]


ARGUMENTS = joined(near_mean(), pairs(SHAPES, SHAPES, X, count=80))
COUNTS = pairs(np.arange(60), np.arange(60), linear(0, 1), count=150)
POSITIVE = (1.0, 2.0, 0.5)


def lower(mp, a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


def upper(mp, a, b, x):
    return mp.betainc(b, a, 0, 1 - x, regularized=True)


def bdtr(mp, k, n, p):
    return mp.betainc(n - k, k + 1, 0, 1 - p, regularized=True) if n > k else mp.mpf(1)


def bdtrc(mp, k, n, p):
    return mp.betainc(k + 1, n - k, 0, p, regularized=True) if n > k else mp.mpf(0)


def fdtr(mp, n, m, x):
    return mp.betainc(n / 2, m / 2, 0, n * x / (m + n * x), regularized=True)


def fdtrc(mp, n, m, x):
    return mp.betainc(m / 2, n / 2, 0, m / (m + n * x), regularized=True)


def stdtr(mp, m, t):
    tail = mp.betainc(m / 2, mp.mpf(1) / 2, 0, m / (m + t * t), regularized=True) / 2
    return tail if t < 0 else 1 - tail


CASES = [
    Case("betainc", ARGUMENTS, exact=lower, corners=POSITIVE),
    Case("betaincc", ARGUMENTS, exact=upper, corners=POSITIVE),
    Case("bdtr", [COUNTS[0], COUNTS[0] + COUNTS[1], COUNTS[2]], exact=bdtr, corners=(0.0, 1.0)),
    Case("bdtrc", [COUNTS[0], COUNTS[0] + COUNTS[1], COUNTS[2]], exact=bdtrc, corners=(0.0, 1.0)),
    Case("fdtr", pairs(SHAPES[SHAPES > 0.5], SHAPES[SHAPES > 0.5], powers(-2, 2), count=150), exact=fdtr, corners=POSITIVE),
    Case("fdtrc", pairs(SHAPES[SHAPES > 0.5], SHAPES[SHAPES > 0.5], powers(-2, 2), count=150), exact=fdtrc, corners=POSITIVE),
    Case("nbdtr", [COUNTS[0], COUNTS[1] + 1, COUNTS[2]], exact=lambda mp, k, n, p: lower(mp, n, mp.floor(k) + 1, p), corners=POSITIVE),
    Case("nbdtrc", [COUNTS[0], COUNTS[1] + 1, COUNTS[2]], exact=lambda mp, k, n, p: upper(mp, n, mp.floor(k) + 1, p), corners=POSITIVE),
    Case("stdtr", pairs(SHAPES, linear(-20, 20), count=150), exact=stdtr, corners=(*POSITIVE, -1.0)),
]  # fmt: skip

test_values = against_scipy(CASES)

A, B, P = pairs(SHAPES[20:], SHAPES[20:], np.concatenate([linear(0, 1), powers(-15, -1)]), count=30)
A2, B2, X2 = [x[:30] for x in near_mean()]
K = np.arange(30.0) % 17
P3, X3 = pairs(linear(0.02, 0.98), linear(0.05, 0.95), count=30, seed=4)

INVERSES = [
    ("betaincinv", [A, B, P], lambda x, a, b, p: special.betainc(a, b, cp.minimum(x, 1)), 2),
    ("betainccinv", [A, B, P], lambda x, a, b, p: special.betaincc(a, b, cp.minimum(x, 1)), 2),
    ("bdtri", [K, K + 1 + K[::-1], P], lambda x, k, n, y: special.bdtr(k, n, x), 2),
    ("btdtria", [P3, B2, X3], lambda a, p, b, x: special.betainc(a, b, x), 0),
    ("btdtrib", [A2, P3, X3], lambda b, a, p, x: special.betainc(a, b, x), 1),
    ("bdtrin", [K, P3, X3], lambda n, k, y, p: special.betaincc(k + 1, n - k, p), 1),
    ("fdtri", [A, B, P], lambda x, n, m, p: special.fdtr(n, m, x), 2),
    ("bdtrik", [P3, K + 2, X3], lambda k, y, n, p: special.betaincc(k + 1, n - k, p), 0),
    ("fdtridfd", [A2, 0.6 + 0.001 * P3, 1 + 0.1 * X3], lambda m, n, p, x: special.fdtr(n, m, x), 1),
    ("stdtridf", [0.75 + 0.08 * P3, 1 + 0 * P3], lambda m, p, t: special.stdtr(m, t), 0),
    ("nbdtri", [K, K[::-1] + 1, P], lambda x, k, n, y: special.nbdtr(k, n, x), 2),
    ("nbdtrik", [P3, K + 2, X3], lambda k, y, n, p: special.betainc(n, k + 1, p), 0),
    ("nbdtrin", [K, P3, X3], lambda n, k, y, p: special.betainc(n, k + 1, p), 1),
    ("stdtrit", [A, P], lambda t, m, p: special.stdtr(m, t), 1),
]  # fmt: skip


@pytest.mark.parametrize(
    "name, operands, forward, target, every",
    [
        *[pytest.param(*x, 3, id=f"{x[0]}-some") for x in INVERSES[::4]],
        *[pytest.param(*x, 1, id=x[0], marks=pytest.mark.slow) for x in INVERSES],
    ],
)
def test_inverses(name, operands, forward, target, every):
    check_loops(name)
    # SciPy's own bdtri has few digits.
    check_inverse(
        name,
        [x[::every] for x in operands],
        forward,
        target,
        rtol=1e-3 if name == "bdtri" else 1e-7,
    )


@pytest.mark.slow
def test_inverses_of_float32():
    for name in ("betaincinv", "fdtri"):
        single = [x.astype("f4") for x in (A, B, P)]
        ours, theirs = (
            results(special, name, x)[0] for x in (single, [x.astype(float) for x in single])
        )
        np.testing.assert_allclose(ours, theirs, rtol=1e-7)


ENDS = [-np.inf, -1.0, 0.0, 0.5, 1.0, 2.0, np.inf, np.nan]


def test_zero_and_infinite_shapes():
    operands = [x.ravel() for x in np.meshgrid(ENDS, ENDS, [-0.1, 0.0, 0.3, 1.0, 1.1, np.nan])]
    for name in ("betainc", "betaincc", "betaincinv"):
        ours, theirs = (results(of, name, operands)[0] for of in (special, scipy.special))
        np.testing.assert_allclose(ours, theirs, rtol=1e-14, err_msg=name)


def test_shapes_of_which_ends_are_solutions():
    p, b, x = np.asarray([[0, 2, 0.3], [1, 2, 0.3], [0, np.inf, 1], [1, -1, 0.3], [0, 2, 0]]).T
    ours, theirs = (results(of, "btdtria", [p, b, x])[0] for of in (special, scipy.special))
    np.testing.assert_array_equal(ours, theirs)


def test_large_shapes():
    # To 60 digits by mpmath; SciPy has six of them in the last line, and the fractions end in time for the first only.
    a, b, x, exact = np.asarray([
        [9.1e4, 2.9e4, 0.7583, 0.48877782294129195],
        [1e10, 1e10, 0.5, 0.5],
        [1e10, 1e10, 0.49999, 0.0023388674886946029],
        [1e10, 3e14, 3.3333e-5, 0.99018442857392980],
    ]).T  # fmt: skip
    np.testing.assert_allclose(results(special, "betainc", [a, b, x])[0], exact, rtol=2e-15)


def test_many_degrees_of_freedom():
    m = np.asarray([1e8, 1e15, 1e20, 1e300, np.inf])
    for name, column in (("stdtr", [-40.0, -3.0, -1e-3, 2.0]), ("stdtrit", [1e-300, 1e-3, 0.7])):
        operands = [x.ravel() for x in np.meshgrid(m, column)]
        ours, theirs = (results(of, name, operands)[0] for of in (special, scipy.special))
        np.testing.assert_allclose(ours, theirs, rtol=4e-15, err_msg=name)
