"""The gamma function and its relatives."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special
from tests.kernels.samples import ulps
from tests.scipy.special.cases import Case, against_scipy, joined, linear, pairs, powers

BOTH = np.concatenate(
    [powers(-300, 2, 60), -powers(-300, 1), linear(-30, 30, 120), linear(-170, 171)]
)
HALVES = np.arange(-40, 40) / 2
COMPLEX = np.concatenate([
    linear(-5, 5, 100) + 1j * np.roll(linear(-4, 6, 100), 33), linear(-50, 50) + 1j * np.roll(linear(-40, 60), 13)
])  # fmt: skip
NUMBERS = np.concatenate([powers(-10, 10), linear(0, 30), np.arange(1, 30)])


def ratio(mp, top, *bottom):
    """Of gamma functions; a pole below is a zero."""
    return mp.gammaprod(top, bottom)


CASES = [
    Case("gamma", np.concatenate([BOTH, HALVES]), exact=lambda mp, x: mp.gamma(x), complexes=[COMPLEX], relative=3e-13, single=4),
    Case("gammaln", np.concatenate([BOTH, powers(-300, 300), linear(-8, 5, 100), -powers(1.5, 9)]),
         exact=lambda mp, x: mp.re(mp.loggamma(x)), single=4),
    Case("loggamma", np.concatenate([powers(-300, 300), linear(0, 5)]), exact=lambda mp, x: mp.loggamma(x),
         complexes=[COMPLEX], relative=1e-13),
    Case("gammasgn", np.concatenate([linear(-10, 10), -powers(0, 9)])),
    Case("rgamma", np.concatenate([BOTH, HALVES]), exact=lambda mp, x: mp.rgamma(x), complexes=[COMPLEX], relative=3e-13, single=4),
    Case("psi", np.concatenate([BOTH, linear(1.4, 1.5), linear(-0.6, -0.4), powers(2, 300)]), exact=lambda mp, x: mp.digamma(x),
         complexes=[COMPLEX], relative=1e-13, single=4),
    Case("beta", joined(pairs(NUMBERS, NUMBERS), pairs(-NUMBERS[40:80], NUMBERS[:80])), exact=lambda mp, a, b: mp.beta(a, b)),
    Case("betaln", joined(pairs(NUMBERS, NUMBERS), pairs(-NUMBERS[40:80], NUMBERS[:80])),
         exact=lambda mp, a, b: mp.log(abs(mp.beta(a, b)))),
    Case("poch", joined(pairs(NUMBERS, linear(-30, 30)), pairs(-NUMBERS[40:], NUMBERS[40:])),
         exact=lambda mp, a, m: mp.gammaprod([a + m], [a])),
    Case("binom", joined(pairs(NUMBERS, NUMBERS[20:]), pairs(linear(-30, 30), linear(-30, 30))), exact=lambda mp, n, k: mp.binomial(n, k)),
    Case("zetac", np.concatenate([linear(-30, 30, 80), linear(-200, 0), linear(0.9, 1.1), powers(-20, 2)]), exact=lambda mp, s: mp.zeta(s) - 1),
]  # fmt: skip

test_values = against_scipy(CASES)


def near(ours, theirs, bound=4):
    """Whether results are within some units in the last place."""
    distance = ulps(ours.get(), np.asarray(theirs))
    assert (distance <= bound).all(), distance.max()


@pytest.mark.slow
def test_zeta_of_complex_numbers():
    z = np.array([0.5 + 14j, 2 - 3j, -3 + 2j, -20.5 + 1j, 30 + 2j, -2 + 1e-3j, 1 + 1e-5j])
    found = special.zeta(cp.asarray(z)).get()
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(30):
        exact = np.array([complex(mpmath.zeta(mpmath.mpc(x))) for x in z])
        shifted = np.array([complex(mpmath.zeta(mpmath.mpc(x), mpmath.mpf(2.5))) for x in z[:2]])
    np.testing.assert_allclose(found, exact, rtol=2e-13)
    np.testing.assert_allclose(special.zeta(cp.asarray(z[:2]), 2.5).get(), shifted, rtol=1e-14)
    narrow = special.zeta(cp.asarray(z[:2].astype("F")))
    np.testing.assert_allclose(narrow.get(), exact[:2], rtol=2e-5)
    real = np.array([0, -4, 1, 3.5, np.inf]) + 0j
    np.testing.assert_allclose(
        special.zeta(cp.asarray(real)).get(), scipy.special.zeta(real), rtol=1e-15
    )
    assert np.isnan(
        special.zeta(cp.asarray([complex(2, np.inf), complex(np.nan, 1), 1 + 3e12j])).get()
    ).all()
    assert np.isnan(special.zeta(cp.asarray([2 + 1j]), -0.5).get()).all()


def test_zeta():
    s = np.concatenate([linear(-40, 40, 200), powers(-10, 2), [0.0, 1.0, -2.0, np.inf]])
    far = ulps(special.zeta(cp.asarray(s)).get(), scipy.special.zeta(s)) > 4
    mpmath = pytest.importorskip("mpmath")
    exact = [float(mpmath.zeta(x)) for x in s[far]]
    # Between 0 and 1 the terms of the alternating sum cancel.
    near(special.zeta(cp.asarray(s[far])), exact, 6)
    s, q = pairs(
        np.concatenate([linear(1.01, 30), powers(0, 2)]),
        np.concatenate([powers(-5, 9), linear(0, 20)]),
    )
    ours, theirs = special.zeta(cp.asarray(s), cp.asarray(q)), scipy.special.zeta(s, q)
    far = ulps(ours.get(), theirs) > 4
    exact = [float(mpmath.zeta(x, y)) for x, y in zip(s[far], q[far])]
    near(ours[cp.asarray(far)], exact)
    out = cp.zeros(3)
    assert special.zeta(cp.asarray([2.0, 3.0, 4.0]), out=out) is out
    near(out, scipy.special.zeta([2.0, 3.0, 4.0]))


def test_polygamma():
    n, x = np.arange(8)[:, None], np.concatenate([linear(0, 10), powers(-3, 5)])
    near(special.polygamma(cp.asarray(n), cp.asarray(x)), scipy.special.polygamma(n, x), 12)
    near(special.polygamma(1, cp.asarray([1.0])), scipy.special.polygamma(1, [1.0]))
