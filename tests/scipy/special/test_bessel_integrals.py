"""Integrals of Bessel, Struve and Airy functions; SciPy's approximations have errors of 1e-8 and more."""

from __future__ import annotations

import numpy as np

from tests.scipy.special.cases import Case, against_scipy, linear, powers

LINE = np.concatenate([powers(-4, 2, 12), linear(0, 45, 12)])
AIRY = np.concatenate([linear(0, 25, 12), powers(-3, 1, 6)])


def bessel_sums(mp, x, sign, start):
    """Sums of the integrated series of J0 or I0 and of Y0 or K0, and log(x / 2) + gamma."""
    quarter, log = sign * x * x / 4, mp.log(x / 2) + mp.euler
    term, harmonic, first, second, k = mp.mpf(1), mp.mpf(0), mp.mpf(0), mp.mpf(0), 0
    while k < x or abs(term) > mp.mpf(10) ** -60:
        if k + start:
            share = mp.mpf(1) / (2 * k + start)
            first += term * share
            second += term * share * (log - harmonic - share)
        k += 1
        term *= quarter / (k * k)
        harmonic += mp.mpf(1) / k
    return first, second, log


def struve_sum(mp, x, sign, start):
    """The integrated series of H0 or L0."""
    term, total, k = 2 * x / mp.pi, mp.mpf(0), 0
    while k < x or abs(term) > mp.mpf(10) ** -60:
        total += term / (2 * k + start)
        k += 1
        term *= sign * x * x / 4 / (k + mp.mpf(1) / 2) ** 2
    return total


def exact(name):
    """The power series, with digits enough for their cancellation."""

    def value(mp, x):
        with mp.workdps(60 + int(abs(x))):
            if name == "itj0y0":
                first, second, _ = bessel_sums(mp, x, -1, 1)
                return first * x, second * x * 2 / mp.pi
            if name == "iti0k0":
                first, second, _ = bessel_sums(mp, x, 1, 1)
                return first * x, -second * x
            if name == "it2j0y0":
                first, second, log = bessel_sums(mp, x, -1, 0)
                return -first, mp.pi / 6 - 2 / mp.pi * (log * log / 2 + second)
            if name == "it2i0k0":
                first, second, log = bessel_sums(mp, x, 1, 0)
                return first, mp.pi**2 / 24 + log * log / 2 + second
            if name == "it2struve0":
                return mp.pi / 2 - struve_sum(mp, x, -1, 1)
            if name == "itairy":
                return tuple(
                    s * f(s * x, derivative=-1) for s in (1, -1) for f in (mp.airyai, mp.airybi)
                )
            return struve_sum(mp, x, -1 if name == "itstruve0" else 1, 2) * x

    return value


def endless(x):
    """SciPy has NaN at infinity, and 1e300 where an integral diverges."""
    return np.isinf(x) | (x == 0)


def case(name, arguments=LINE, **other):
    """SciPy's polynomials are exact enough for their signs only: mpmath decides."""
    return Case(
        name,
        arguments,
        exact=exact(name),
        corners=(0.0, np.inf, np.nan),
        known=endless,
        heavy=True,
        **other,
    )


WAVES = {
    "scale": lambda x, wanted: np.minimum(1, np.abs(x) ** -1.5),
    "ulps": 8,
    "reason": "phases round",
}
CASES = [
    case("itj0y0", scale=lambda x, wanted: 0.1), case("iti0k0"), case("it2j0y0", **WAVES), case("it2i0k0", ulps=6, reason="a logarithm cancels before 8"),
    case("itstruve0"), case("it2struve0"), case("itmodstruve0"),
    case("itairy", AIRY, scale=lambda x, wanted: 0.02),
]  # fmt: skip

test_values = against_scipy(CASES)
