"""Bessel functions of any real order."""

from __future__ import annotations

import numpy as np

from tests.scipy.special.cases import Case, against_scipy, joined, linear, pairs, powers

ORDERS = np.concatenate([linear(-8, 8), np.arange(-8.0, 9.0), np.arange(-4.5, 5.0)])
MODERATE = pairs(ORDERS, powers(-2, 2), count=60)
# Around and far from the turning point, where the argument is the order.
LARGE = pairs(linear(10, 300), np.array([0.3, 0.7, 0.97, 1.0, 1.03, 1.5, 3.0, 20.0]), count=30)
LARGE[1] = LARGE[0] * LARGE[1]
REAL = joined(MODERATE, LARGE)
WHOLE = [np.trunc(REAL[0]), REAL[1]]
# SciPy's yve is wrong by a factor of 2 where one of the two Hankel functions underflows.
PLANE = pairs(np.concatenate([ORDERS, linear(10, 25)]), powers(-1, 1.7), count=60)
PLANE[1] = PLANE[1] * np.exp(1j * np.random.default_rng(3).uniform(-3.1, 3.1, 60))
INTEGERS = (0.0, 1.0, -1.0, 2.0, -2.0)


def envelope(v, x, wanted):
    """Waves are compared relative to their amplitude near their zeros."""
    return np.where((x > np.abs(v)) | (v < 0), np.sqrt(0.5 / np.maximum(np.abs(x), 0.5)), 0)


def exact(name):
    """mpmath's function, scaled as SciPy's."""

    def value(mp, v, x):
        with mp.workdps(200 if abs(v) > 20 else 50):
            return getattr(mp, "bessel" + name[0])(v, x) * (
                mp.exp(-x) if name == "ive" else mp.exp(x) if name == "kve" else 1
            )

    return value


def case(name, arguments=REAL, **other):
    """A case with the real and the complex loop."""
    return Case(
        name, arguments, exact=exact(name),
        complexes=PLANE if arguments is REAL else (), relative=3e-13,
        heavy=True, **other,
    )  # fmt: skip


WAVE = {"scale": envelope}
CASES = [
    case("jv", **WAVE),
    case("jn", **WAVE),
    case("yv", **WAVE),
    case("jve", **WAVE),
    case("iv"),
    case("ive"),
    case("kv"),
    case("yve", **WAVE),
    case("kve"),
    case("yn", WHOLE, corners=INTEGERS, **WAVE),
    case("kn", [np.trunc(MODERATE[0]), MODERATE[1]], corners=INTEGERS),
]  # fmt: skip

test_values = against_scipy(CASES)
