"""Hypergeometric functions."""

from __future__ import annotations

import numpy as np
import scipy.special

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
    Case("hyp2f1", joined(pairs(SOME, SOME, HALVES, UNIT, count=60), pairs(WIDE, WIDE, WIDE, UNIT, count=30)), exact=lambda mp, *x: mp.hyp2f1(*x), corners=(0.5, -0.5), heavy=True, complexes=[linear(-2, 2, 16), linear(-1, 2, 16), linear(1, 4, 16), PLANE[0] / 6], relative=1e-12, ulps=40, reason="gamma functions near their poles at 1"),
    Case("hyp1f1", joined(pairs(SOME, HALVES, LINE, count=60), pairs(WIDE, WIDE, LINE, count=30)), exact=lambda mp, *x: mp.hyp1f1(*x), corners=FEW, heavy=True, complexes=[linear(-2, 2, 16), linear(1, 4, 16), PLANE[0] / 2], relative=1e-12),
    Case("hyp0f1", pairs(np.concatenate([WIDE, HALVES]), np.concatenate([LINE, 9 * LINE]), count=80), exact=lambda mp, *x: mp.hyp0f1(*x), corners=FEW, heavy=True, complexes=[WIDE[:16], PLANE[0]], relative=1e-13, ulps=16, reason="a gamma function times a power times a Bessel function below -300", scale=amplitude),
    Case("hyperu", joined(pairs(SOME, SOME, powers(-2, 2), count=16), pairs(WIDE, WIDE, powers(-1, 2), count=6)), exact=lambda mp, *x: mp.hyperu(*x), corners=FEW, heavy=True, ulps=100, reason="the power before the series of orders above 10"),
]  # fmt: skip

test_values = against_scipy(CASES)
