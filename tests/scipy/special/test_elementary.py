"""Exponentials, logarithms, powers, information theory and losses."""

from __future__ import annotations

import numpy as np

import gpuarray as cp
from gpuarray.scipy import special
from tests.scipy.special.cases import Case, against_scipy, joined, linear, pairs, powers


def kl_div(mp, x, y):
    with mp.workdps(60):
        return x * mp.log(x / y) - x + y


def boxcox(mp, x, power):
    with mp.workdps(60):
        return (x**power - 1) / power if power else mp.log(x)


def inv_boxcox(mp, x, power):
    with mp.workdps(60):
        return mp.exp(mp.log1p(power * x) / power) if power else mp.exp(x)


SIGNED = np.concatenate([-powers(-20, 2.8, 60), powers(-20, 2.8, 60)])
SMALL = np.concatenate([-powers(-300, 1), powers(-300, 1)])
NEAR = pairs(linear(0.9, 1.1), linear(0.9, 1.1), count=100)
POWERS = joined(
    pairs(powers(-5, 5), SMALL),
    pairs(linear(0.99, 1.01), linear(-20, 20)),
)
POSITIVE = pairs(powers(-300, 300), powers(-300, 300), count=200)

COMPLEX = linear(-5, 5, 100) + 1j * np.roll(linear(-4, 6, 100), 33)

CASES = [
    Case("expit", SIGNED, single=2),
    Case("logit", np.concatenate([powers(-300, -0.01, 60), linear(0.2, 0.8), 1 - powers(-15, -1)]), single=4),
    Case("log_expit", SIGNED, single=4),
    Case("expm1", SIGNED, complexes=[COMPLEX]),
    Case("log1p", complexes=[COMPLEX], arguments=np.concatenate([powers(-300, 300), -powers(-300, -1e-9)])),
    Case("cosm1", SIGNED, single=4, exact=lambda mp, x: -2 * mp.sin(x / 2) ** 2),
    Case("exp2", SIGNED),
    Case("exp10", linear(-320, 300, 100), exact=lambda mp, x: mp.mpf(10) ** x),
    Case("cbrt", np.concatenate([-powers(-300, 300), powers(-300, 300)])),
    Case("exprel", SIGNED),
    Case("xlogy", pairs(SIGNED, powers(-300, 300)), complexes=[COMPLEX, COMPLEX[::-1]]),
    Case("xlog1py", pairs(SIGNED, powers(-300, 300)), complexes=[COMPLEX, COMPLEX[::-1]]),
    Case("boxcox", POWERS, exact=boxcox, single=4),
    Case("boxcox1p", [POWERS[0] - 1, POWERS[1]], exact=lambda mp, x, power: boxcox(mp, x + 1, power)),
    Case("inv_boxcox", pairs(SMALL, SMALL), exact=inv_boxcox),
    Case("inv_boxcox1p", pairs(SMALL, SMALL), exact=lambda mp, x, power: mp.expm1(mp.log(inv_boxcox(mp, x, power)))),
    Case("entr", powers(-300, 300)),
    Case("rel_entr", joined(POSITIVE, NEAR), exact=lambda mp, x, y: x * mp.log(x / y), single=4),
    Case("kl_div", joined(POSITIVE, NEAR), exact=kl_div, single=4),
    Case("huber", pairs(powers(-3, 3), SIGNED)),
    Case("pseudo_huber", pairs(powers(-3, 3), SIGNED), exact=lambda mp, d, r: d * d * (mp.sqrt(1 + (r / d) ** 2) - 1),
         known=lambda d, r: np.isinf(d)),
]  # fmt: skip

test_values = against_scipy(CASES)


def test_inverse_of_boxcox_of_small_powers():
    # x is the exponent but for a small part: its rounding was 128 units of the result.
    x, power = (
        np.array([-99.90095394860163, 600.5, -0.25]),
        np.array([2.212097153678979e-09, 1e-12, -1e-5]),
    )
    exact = [4.1073543244225395e-44, 6.2206577033411281e260, 0.77880102644628198]
    found = special.inv_boxcox(cp.asarray(x), cp.asarray(power)).get()
    np.testing.assert_allclose(found, exact, rtol=3e-16)
    found = special.inv_boxcox1p(cp.asarray(x), cp.asarray(power)).get()
    np.testing.assert_allclose(found[1:], [exact[1], -0.22119897355371802], rtol=3e-16)
