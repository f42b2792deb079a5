"""Owen's T function, Kolmogorov's, Smirnov's and Tukey's distributions, Wright's function."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special
from tests.scipy.special.cases import Case, against_scipy, check_loops, linear, powers
from tests.slow import slow_except

HALF = np.concatenate([linear(0, 12, 40), powers(-10, 0, 10), linear(-5, 5, 10)])
SLOPES = np.concatenate([linear(0, 3, 40), powers(-10, 3, 10), linear(-5, 5, 10)])


def kolmogorov(mp, x):
    if x <= 0.05:
        return mp.mpf(1)
    return 2 * mp.nsum(
        lambda k: (-1) ** (int(k) - 1) * mp.exp(-2 * (k * x) ** 2), [1, 400], method="d"
    )


def wright(mp, a, b, x):
    return mp.nsum(lambda k: mp.rgamma(a * k + b) * x**k * mp.rgamma(k + 1), [0, 3000], method="d")


def tukey(mp, x, s):
    if s > 0 and abs(x) >= 1 / s:
        return mp.mpf(x > 0)
    if s == 0:
        return 1 / (1 + mp.exp(-x))
    start = float(scipy.special.tklmbda(float(x), float(s)))
    return mp.findroot(lambda p: (p**s - (1 - p) ** s) / s - x, start, verify=False)


def bessel_integral(mp, a, power, order):
    return mp.nsum(
        lambda k: (-1) ** int(k) * a ** (2 * k + order) * mp.rgamma(k + 1) * mp.rgamma(k + order + 1)
        / (2 * k + order + power + 1), [0, 80], method="d",
    )  # fmt: skip


CASES = [
    Case(
        "owens_t", [HALF, SLOPES],
        exact=lambda mp, h, a: mp.quad(
            lambda t: mp.exp(-h * h * (1 + t * t) / 2) / (1 + t * t), mp.linspace(0, a, 9)
        ) / (2 * mp.pi),
        heavy=True, ulps=8, reason="beyond 1 the integral is a difference of two",
        corners=(0.0, 1.0, -1.0, 2.0, 0.5, np.inf, -np.inf, np.nan),
    ),
    Case("kolmogorov", np.concatenate([linear(0.05, 3, 60), linear(-1, 20)]), exact=kolmogorov),
    Case("kolmogi", heavy=True, arguments=np.concatenate([linear(0, 1, 80), powers(-290, -1)]),
         exact=lambda mp, p: mp.findroot(lambda x: kolmogorov(mp, x) - p, scipy.special.kolmogi(float(p)))),
    Case("nrdtrimn", [linear(0, 1), linear(0, 5), linear(-3, 3)], corners=(0.0, 0.5, 1.0, 2.0),
         scale=lambda p, s, x, wanted: np.abs(x) + s * 4),
    Case("nrdtrisd", [linear(-3, 3), np.abs(linear(-1, 1)), linear(1, 4)], corners=(0.0, 1.0, 2.0), ulps=8,
         exact=lambda mp, m, p, x: (x - m) / (mp.sqrt(2) * mp.erfinv(2 * p - 1)), reason="CUDA's normcdfinv has an error of up to 5 units"),
    Case("powm1", [np.concatenate([powers(-5, 5), linear(0.9, 1.1)]), np.concatenate([linear(-3, 3), powers(-20, 0)])],
         exact=lambda mp, x, y: mp.powm1(x, y), corners=(0.0, 1.0, 2.0, 0.5, -2.0, np.inf, np.nan)),
    Case(
        "wright_bessel",
        [np.concatenate([linear(0, 3, 10), powers(-4, 0, 5)]), np.concatenate([linear(0, 5, 10), linear(0, 50, 5)]), np.concatenate([linear(0, 20, 10), linear(0, 300, 5)])],
        exact=wright, heavy=True, corners=(0.0, 1.0, -1.0, np.nan),
    ),
    Case(
        "log_wright_bessel",
        [np.concatenate([linear(0, 3, 10), powers(-2, 0, 5)]), np.concatenate([linear(0, 5, 10), linear(0, 50, 5)]), np.concatenate([linear(0, 20, 10), powers(2, 4, 5)])],
        exact=lambda mp, a, b, x: mp.log(wright(mp, a, b, x)), heavy=True, corners=(0.0, 1.0, -1.0, np.nan),
        scale=lambda a, b, x, wanted: 1 + 0 * x,
    ),
    Case("tklmbda", [linear(-5, 5, 60), linear(-2, 2, 60)[::-1]], exact=tukey, corners=(0.0, 1.0, -1.0, np.inf),
         scale=lambda x, s, wanted: 0.5 + 0 * x, known=lambda x, s: np.isinf(s) | np.isinf(x)),
    Case("besselpoly", [linear(0, 8, 30), linear(-0.9, 5, 30)[::-1], linear(-3, 6, 30)], exact=bessel_integral,
         corners=(0.0, 1.0, 2.0)),
]  # fmt: skip

test_values = against_scipy(CASES)


@pytest.mark.parametrize("dtype", slow_except([np.int64], [np.int64, np.float64]))
def test_smirnov(dtype):
    n, d = np.array([1, 2, 12], dtype)[:, None], np.r_[linear(0, 1, 6), 0, 1, -0.1, 1.1, np.nan]
    for name in ("smirnov", "smirnovi"):
        found = getattr(special, name)(cp.asarray(n), cp.asarray(d)).get()
        wanted = getattr(scipy.special, name)(n, d)
        # Close to 1 the inverse has the digits that its argument has beside 1.
        np.testing.assert_allclose(found, wanted, rtol=4e-15, atol=1e-15 * (name == "smirnovi"))
    check_loops("smirnov")
    check_loops("smirnovi")


def test_smirnov_of_no_numbers():
    assert np.isnan(special.smirnov(cp.asarray([0, -1]), 0.5).get()).all()
