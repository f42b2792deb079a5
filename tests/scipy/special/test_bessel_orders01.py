"""Bessel functions of orders 0 and 1."""

from __future__ import annotations

import numpy as np

from tests.scipy.special.cases import Case, against_scipy, linear, powers

WAVES = np.concatenate([linear(-15, 15), linear(0, 10), linear(5, 7), powers(-9, 3)])
POSITIVE = np.concatenate([linear(0, 15), linear(0, 3), powers(-9, 2.8)])


def envelope(x, _):
    """J and Y are compared relative to this near their zeros."""
    return np.sqrt(0.5 / np.maximum(np.abs(x), 0.5))


def infinite(x):
    """SciPy multiplies infinity by zero there."""
    return np.isinf(x)


CASES = [
    Case("j0", WAVES, exact=lambda mp, x: mp.besselj(0, x), scale=envelope, single=4),
    Case("j1", WAVES, exact=lambda mp, x: mp.besselj(1, x), scale=envelope, single=4),
    Case("y0", np.abs(WAVES), exact=lambda mp, x: mp.bessely(0, x), scale=envelope, single=5),
    Case("y1", np.abs(WAVES), exact=lambda mp, x: mp.bessely(1, x), scale=envelope, single=5, ulps=6, reason="two terms of a size cancel near 5.4"),
    Case("i0", POSITIVE, exact=lambda mp, x: mp.besseli(0, x), known=infinite, single=4),
    Case("i0e", POSITIVE, exact=lambda mp, x: mp.besseli(0, x) * mp.exp(-x), single=4),
    Case("i1", -POSITIVE, exact=lambda mp, x: mp.besseli(1, x), known=infinite, single=4),
    Case("i1e", -POSITIVE, exact=lambda mp, x: mp.besseli(1, x) * mp.exp(x), single=4),
    Case("k0", POSITIVE, exact=lambda mp, x: mp.besselk(0, x), single=4),
    Case("k0e", POSITIVE, exact=lambda mp, x: mp.besselk(0, x) * mp.exp(x), single=4),
    Case("k1", POSITIVE, exact=lambda mp, x: mp.besselk(1, x), single=4),
    Case("k1e", POSITIVE, exact=lambda mp, x: mp.besselk(1, x) * mp.exp(x), single=4),
]  # fmt: skip

test_values = against_scipy(CASES)
