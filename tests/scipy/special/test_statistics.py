"""Owen's T function, Kolmogorov's distribution, parameters of the normal one, Wright's function."""

from __future__ import annotations

import numpy as np
import scipy.special

from tests.scipy.special.cases import Case, against_scipy, linear, powers

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


CASES = [
    Case(
        "owens_t", [HALF, SLOPES],
        exact=lambda mp, h, a: mp.quad(
            lambda t: mp.exp(-h * h * (1 + t * t) / 2) / (1 + t * t), mp.linspace(0, a, 9)
        ) / (2 * mp.pi),
        ulps=8, reason="beyond 1 the integral is a difference of two",
        corners=(0.0, 1.0, -1.0, 2.0, 0.5, np.inf, -np.inf, np.nan),
    ),
    Case("kolmogorov", np.concatenate([linear(0.05, 3, 60), linear(-1, 20)]), exact=kolmogorov),
    Case("kolmogi", np.concatenate([linear(0, 1, 80), powers(-290, -1)]),
         exact=lambda mp, p: mp.findroot(lambda x: kolmogorov(mp, x) - p, scipy.special.kolmogi(float(p)))),
    Case("nrdtrimn", [linear(0, 1), linear(0, 5), linear(-3, 3)], corners=(0.0, 0.5, 1.0, 2.0),
         scale=lambda p, s, x, wanted: np.abs(x) + s * 4),
    Case("nrdtrisd", [linear(-3, 3), np.abs(linear(-1, 1)), linear(1, 4)], corners=(0.0, 1.0, 2.0), ulps=8,
         reason="CUDA's normcdfinv has an error of up to 5 units"),
    Case("powm1", [np.concatenate([powers(-5, 5), linear(0.9, 1.1)]), np.concatenate([linear(-3, 3), powers(-20, 0)])],
         exact=lambda mp, x, y: mp.powm1(x, y), corners=(0.0, 1.0, 2.0, 0.5, -2.0, np.inf, np.nan)),
    Case(
        "wright_bessel",
        [np.concatenate([linear(0, 3, 10), powers(-4, 0, 5)]), np.concatenate([linear(0, 5, 10), linear(0, 50, 5)]), np.concatenate([linear(0, 20, 10), linear(0, 300, 5)])],
        exact=wright, corners=(0.0, 1.0, -1.0, np.nan),
    ),
]  # fmt: skip

test_values = against_scipy(CASES)
