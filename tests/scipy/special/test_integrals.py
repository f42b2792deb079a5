"""Exponential, sine and cosine integrals, and the dilogarithm."""

from __future__ import annotations

import numpy as np

from tests.scipy.special.cases import Case, against_scipy, joined, linear, pairs, powers

BOTH = np.concatenate(
    [powers(-300, 2, 60), -powers(-300, 2), linear(-10, 10, 80), linear(0.3, 0.7)]
)
COMPLEX = np.concatenate([
    linear(-5, 5, 100) + 1j * np.roll(linear(-4, 6, 100), 33), linear(-30, 30) + 1j * np.roll(linear(-40, 40), 13)
])  # fmt: skip

CASES = [
    Case("exp1", np.abs(BOTH), exact=lambda mp, x: mp.e1(x), complexes=[COMPLEX], relative=1e-11),
    Case("expi", np.concatenate([BOTH, linear(-700, 715)]), exact=lambda mp, x: mp.ei(x), complexes=[COMPLEX], relative=1e-11),
    Case("expn", joined(pairs(np.arange(60), np.abs(BOTH)), pairs(np.arange(100, 2000), powers(-3, 2), count=60)),
         exact=lambda mp, n, x: mp.expint(int(n), x)),
    Case("shichi", np.concatenate([BOTH, linear(-700, 700)]), exact=lambda mp, x: (mp.shi(x), mp.re(mp.chi(x))), complexes=[COMPLEX], relative=1e-11),
    Case("sici", np.concatenate([BOTH, linear(-1000, 1000)]), exact=lambda mp, x: (mp.si(x), mp.ci(x)), complexes=[COMPLEX], relative=1e-11),
    Case("spence", np.concatenate([powers(-300, 300, 80), linear(0, 4, 80), 1 + powers(-15, -1), 1 - powers(-15, -1)]),
         exact=lambda mp, x: mp.polylog(2, 1 - x), complexes=[COMPLEX], relative=1e-13),
]  # fmt: skip

test_values = against_scipy(CASES)
