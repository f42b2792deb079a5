"""The noncentral chi-squared, F and t distributions."""

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
    linear,
    pairs,
    results,
)

N, M, NC, P = pairs(linear(0.5, 30), linear(1, 40), linear(0.1, 60), linear(0.02, 0.98), count=20)
T, SIGNED = pairs(linear(-4, 12), linear(-3, 6), count=20)


def chi(mp, x, n, nc):
    """The sum over the central distributions."""
    rate, total = nc / 2, mp.mpf(0)
    for j in range(400):
        weight = mp.exp(-rate) * rate**j / mp.factorial(j)
        total += weight * mp.gammainc(n / 2 + j, 0, x / 2, regularized=True)
    return total


#: Far tails: arguments, the sums over central distributions by mpmath with 60 digits.
TAILS = [
    ("chndtr", [
        (0.1, 200, 50, 1.131122486720548031e-299),
        (1e-12, 20, 50, 3.737446313006550583e-141),
        (25, 8, 250, 2.398802652683242588e-29),
        (500, 300, 1.5, 0.9999999999944232299),
        (0.5, 3, 1600, 0.0),
    ]),
    ("ncfdtr", [
        (1, 100, 100, 0.1, 1.792594052682130379e-22),
        (3, 10, 1600, 0.5, 1.248983808998285988e-297),
        (2, 8, 90, 3, 1.236561350358318155e-9),
        (1e-100, 3, 1.5, 1e100, 0.611815287345399),
    ]),
    ("nctdtr", [
        (3, 5, -2, 1.564537399914962215e-9),
        (10, 20, 0.15, 6.42653050595730271e-88),
        (9.8, 38, 1.5, 2.093594016590074555e-249),
        (3, -1, -1e5, 5.654068631996012136e-15),
        (0.5, 4, -30, 1.909501364569060055e-6),
        (5, 40, 30, 0.1147001259601712644),
        (300, 6, -5, 2.136398496862689658e-27),
    ]),
]  # fmt: skip


@pytest.mark.parametrize("name, points", TAILS, ids=[x[0] for x in TAILS])
def test_tails(name, points):
    *operands, exact = np.array(points).T
    np.testing.assert_allclose(results(special, name, operands)[0], exact, rtol=1e-15)


@pytest.mark.slow
def test_inverses_of_tails():
    # The complement of a probability near 1 has the digits that are left.
    found = results(special, "chndtrix", [np.array([0.9999508759095675, 1.1311224867205481e-299]),
                                          np.array([3.0, 200.0]), np.array([1.5, 50.0])])[0]  # fmt: skip
    np.testing.assert_allclose(found, [30.0, 0.1], rtol=5e-13)
    wide = [np.array([x]) for x in (1e-100, 3.0, 1.5, 0.611815287345399)]
    np.testing.assert_allclose(results(special, "ncfdtri", wide)[0], 1e100, rtol=5e-11)
    far = [np.array([x]) for x in (0.98, -3.8, 0.9999990264591945)]
    np.testing.assert_allclose(results(special, "nctdtrit", far)[0], 15.0, rtol=1e-10)


def f(mp, n, m, nc, x):
    """The sum over the central distributions."""
    rate, total = nc / 2, mp.mpf(0)
    for j in range(400):
        weight = mp.exp(-rate) * rate**j / mp.factorial(j)
        total += weight * mp.betainc(n / 2 + j, m / 2, 0, n * x / (n * x + m), regularized=True)
    return total


def t(mp, m, nc, x):
    """The sum over central beta distributions (Johnson, Kotz and Balakrishnan, 31.4)."""
    if x < 0:
        return 1 - t(mp, m, -nc, -x)
    rate, total, y = nc**2 / 2, mp.ncdf(-nc), x**2 / (x**2 + m)
    for j in range(200):
        for half, sign in ((mp.mpf(0), 1), (mp.mpf(0.5), mp.sign(nc))):
            weight = sign * mp.exp(-rate) * rate ** (j + half) / mp.gamma(j + half + 1) / 2
            total += weight * mp.betainc(j + half + 0.5, m / 2, 0, y, regularized=True)
    return total


CASES = [
    Case("chndtr", [(N + NC) * np.linspace(0.3, 1.6, 20), N, NC], exact=chi, corners=(0.5, 1.0, 2.0)),
    Case("ncfdtr", [N, M, NC, (1 + NC / N) * np.linspace(0.3, 1.6, 20)], exact=f, corners=(0.5, 2.0)),
    Case("nctdtr", [M, SIGNED, T], exact=t, corners=(0.5, 1.0, 2.0)),
]  # fmt: skip

test_values = against_scipy(CASES)


@pytest.mark.parametrize("case", CASES, ids=[x.name for x in CASES])
def test_central_distributions(case):
    operands = list(case.operands)
    place = 1 if case.name == "nctdtr" else 2
    operands[place] = 0 * operands[place]
    ours = results(special, case.name, operands)[0]
    # SciPy's have so few digits there.
    np.testing.assert_allclose(
        ours, results(scipy.special, case.name, operands)[0], rtol=1e-9, atol=1e-14
    )


INVERSES = [
    ("chndtrix", [P, N, NC], lambda x, p, n, nc: special.chndtr(x, n, nc), 0),
    ("chndtridf", [N + NC + 9, P, NC], lambda n, x, p, nc: special.chndtr(x, n, nc), 1),
    ("chndtrinc", [2 * N + 20, N, 0.1 + P / 3], lambda nc, x, n, p: special.chndtr(x, n, nc), 2),
    ("ncfdtri", [N, M, NC, P], lambda f, n, m, nc, p: special.ncfdtr(n, m, nc, f), 3),
    ("ncfdtridfn", [0.42 + P / 50, 0 * P + 3, 0 * P + 0.5, 0 * P + 1], lambda n, p, m, nc, f: special.ncfdtr(n, m, nc, f), 0),
    ("ncfdtridfd", [0 * P + 2, 0.45 + P / 50, 0 * P + 0.5, 0 * P + 1], lambda m, n, p, nc, f: special.ncfdtr(n, m, nc, f), 1),
    ("ncfdtrinc", [N, M, 0.05 + P / 3, 0 * P + 5], lambda nc, n, m, p, f: special.ncfdtr(n, m, nc, f), 2),
    ("nctdtrit", [M, SIGNED, P], lambda t, m, nc, p: special.nctdtr(m, nc, t), 2),
    ("nctdtridf", [0.6 + P / 20, 0 * P + 0.5, 0 * P + 1], lambda m, p, nc, t: special.nctdtr(m, nc, t), 0),
    ("nctdtrinc", [M, P, T], lambda nc, m, p, t: special.nctdtr(m, nc, t), 1),
]  # fmt: skip


@pytest.mark.parametrize(
    "name, operands, forward, target, every",
    [
        *[pytest.param(*x, 3, id=f"{x[0]}-some") for x in INVERSES[::5]],
        *[pytest.param(*x, 1, id=x[0], marks=pytest.mark.slow) for x in INVERSES],
    ],
)
def test_inverses(name, operands, forward, target, every):
    check_loops(name)
    # SciPy's own results have about five digits.
    check_inverse(name, [x[::every] for x in operands], forward, target, units=64, rtol=1e-3)


def test_few_degrees_of_freedom():
    # Of one in all, and of less, there was a logarithm of zero: the upper tail was 1.
    rows = [
        (0.5, 0.5, 0.5, 100.0),
        (0.2, 0.3, 2.0, 50.0),
        (0.5, 0.5, 2.5, 1e5),
        (0.5, 0.4, 0.5, 0.1),
    ]
    n, m, nc, f = np.array(rows).T
    found = special.ncfdtr(*[cp.asarray(x) for x in (n, m, nc, f)]).get()
    np.testing.assert_allclose(found, scipy.special.ncfdtr(n, m, nc, f), rtol=1e-12)
