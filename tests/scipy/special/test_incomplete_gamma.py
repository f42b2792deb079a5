"""The incomplete gamma functions and their distributions."""

from __future__ import annotations

import numpy as np
import pytest

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

SHAPES = np.concatenate([powers(-10, 4, 60), linear(0, 200, 60)])
FACTORS = np.concatenate([powers(-3, 0.6), linear(0.6, 1.4)])


def near_shape(factor, spread=1.0):
    """Shapes and arguments around them, where neither function is negligible."""
    a, f = pairs(SHAPES, FACTORS, count=250)
    normal = pairs(linear(-6, 6, 60), count=250, seed=9)[0]
    return joined([a, a * f], [a, np.abs(a + normal * np.sqrt(a))])


def lower(mp, a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def upper(mp, a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True)


SHAPE_X = near_shape(1)
PROBABILITIES = np.concatenate([linear(0, 1), powers(-20, -1), 1 - powers(-12, -1)])
POSITIVE = (0.0, 1.0, 2.0, 0.5)


CASES = [
    Case("gammainc", SHAPE_X, exact=lower),
    Case("gammaincc", SHAPE_X, exact=upper),
    Case("chdtr", SHAPE_X, exact=lambda mp, v, x: lower(mp, v / 2, x / 2)),
    Case("chdtrc", SHAPE_X, exact=lambda mp, v, x: upper(mp, v / 2, x / 2), corners=POSITIVE),
    Case("gdtr", [powers(-2, 2, 250)[::-1], *[x[:250] for x in SHAPE_X]], exact=lambda mp, a, b, x: lower(mp, b, a * x), corners=POSITIVE),
    Case("gdtrc", [powers(-2, 2, 250)[::-1], *[x[:250] for x in SHAPE_X]], exact=lambda mp, a, b, x: upper(mp, b, a * x), corners=POSITIVE),
    Case("pdtr", SHAPE_X[::-1], exact=lambda mp, k, m: upper(mp, mp.floor(k) + 1, m)),
    Case("pdtrc", SHAPE_X[::-1], exact=lambda mp, k, m: lower(mp, mp.floor(k) + 1, m)),
]  # fmt: skip

test_values = against_scipy(CASES)


A, P = pairs(np.concatenate([powers(-2, 5), linear(0.5, 100)]), PROBABILITIES, count=60)
R = powers(-2, 2, 60)[::-1]
X = pairs(powers(-2, 4), count=60, seed=8)[0]

INVERSES = [
    ("gammaincinv", [A, P], lambda x, a, p: special.gammainc(a, x), 1),
    ("gammainccinv", [A, P], lambda x, a, p: special.gammaincc(a, x), 1),
    ("chdtri", [A, P], lambda x, v, p: special.chdtrc(v, x), 1),
    ("chdtriv", [P[:40], X[:40]], lambda v, p, x: special.chdtr(v, x), 0),
    ("gdtria", [P, A, X], lambda a, p, b, x: special.gdtr(a, b, x), 0),
    ("gdtrib", [R[:40], P[:40], X[:40]], lambda b, a, p, x: special.gdtr(a, b, x), 1),
    ("gdtrix", [R, A, P], lambda x, a, b, p: special.gdtr(a, b, x), 2),
    ("pdtri", [np.floor(A), P], lambda m, k, p: special.pdtr(k, m), 1),
    ("pdtrik", [P[:40], X[:40]], lambda k, p, m: special.gammaincc(k + 1, m), 0),
]  # fmt: skip


@pytest.mark.parametrize(
    "name, operands, forward, target, every",
    [
        *[pytest.param(*x, 3, id=f"{x[0]}-some") for x in INVERSES[::2]],
        *[pytest.param(*x, 1, id=x[0], marks=pytest.mark.slow) for x in INVERSES],
    ],
)
def test_inverses(name, operands, forward, target, every):
    check_loops(name)
    check_inverse(name, [x[::every] for x in operands], forward, target)
    if every > 1:
        return
    single = [x.astype("f4") for x in operands]
    ours, theirs = (
        results(special, name, single)[0],
        results(special, name, [x.astype(float) for x in single])[0],
    )
    np.testing.assert_array_equal(ours, theirs.astype("f4"))
