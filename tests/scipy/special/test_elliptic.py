"""Elliptic integrals and functions."""

from __future__ import annotations

import numpy as np

from tests.scipy.special.cases import Case, against_scipy, linear, pairs, powers

MODULI = np.concatenate([linear(-3, 1), 1 - powers(-15, 0), -powers(-10, 8)])
SIZES = powers(-4, 4)
RIGHT_HALF = [linear(0.1, 3) + 1j * x for x in np.random.default_rng(1).uniform(-3, 3, (4, 40))]
LEGENDRE = pairs(np.concatenate([linear(-12, 12), linear(0, 1.57)]), MODULI)
# Beyond a quarter period and close to m = 1 the argument's own rounding decides the last digits.
JACOBI = pairs(linear(-8, 8), np.concatenate([linear(0, 1), 1 - powers(-9, -1)]))


def missing(*operands):
    """SciPy's R_C and R_J have numbers for some NaN, and -0 for R_C(-1, -inf)."""
    return np.isnan(sum(operands)) | np.isneginf(operands[-1])


def jacobi(mp, u, m):
    """sn, cn, dn, and the amplitude on the branch of u."""
    sn, cn, dn = [mp.ellipfun(k, u, m=m) for k in ("sn", "cn", "dn")]
    amplitude = mp.atan2(sn, cn)
    turns = mp.nint((u * mp.pi / (2 * mp.ellipk(m)) - amplitude) / (2 * mp.pi))
    return sn, cn, dn, amplitude + 2 * mp.pi * turns


CASES = [
    Case("ellipk", MODULI, exact=lambda mp, m: mp.ellipk(m), single=4),
    Case("ellipkm1", np.concatenate([powers(-300, 300), 1 - MODULI]), exact=lambda mp, p: mp.ellipk(1 - p), single=4),
    Case("ellipe", MODULI, exact=lambda mp, m: mp.ellipe(m), single=4),
    Case("ellipkinc", LEGENDRE, exact=lambda mp, x, m: mp.ellipf(x, m)),
    Case("ellipeinc", LEGENDRE, exact=lambda mp, x, m: mp.ellipe(x, m)),
    Case("agm", pairs(SIZES, SIZES), exact=lambda mp, a, b: mp.agm(a, b)),
    Case("elliprc", pairs(SIZES, np.concatenate([SIZES, -SIZES])), exact=lambda mp, x, y: mp.elliprc(x, y), complexes=RIGHT_HALF[:2], known=missing),
    Case("elliprf", pairs(SIZES, SIZES, SIZES), exact=lambda mp, x, y, z: mp.elliprf(x, y, z), complexes=RIGHT_HALF[:3]),
    Case("elliprd", pairs(SIZES, SIZES, SIZES), exact=lambda mp, x, y, z: mp.elliprd(x, y, z), complexes=RIGHT_HALF[:3]),
    Case("elliprg", pairs(SIZES, SIZES, SIZES), exact=lambda mp, x, y, z: mp.elliprg(x, y, z), complexes=RIGHT_HALF[:3]),
    Case("elliprj", pairs(SIZES, SIZES, SIZES, SIZES), exact=lambda mp, x, y, z, p: mp.elliprj(x, y, z, p), complexes=RIGHT_HALF, corners=(0.0, 1.0, -1.0, 0.5, np.inf, np.nan), known=missing),
    Case(
        "ellipj", JACOBI, scale=lambda *x: 1.0, ulps=16, exact=jacobi,
        reason="the amplitude multiplies the rounding of u",
    ),
]  # fmt: skip

test_values = against_scipy(CASES)
