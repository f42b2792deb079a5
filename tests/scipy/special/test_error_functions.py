"""The error function and its relatives, the normal distribution, Fresnel's integrals."""

from __future__ import annotations

import numpy as np
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special
from tests.scipy.special.cases import (
    Case,
    against_scipy,
    check_loops,
    joined,
    linear,
    pairs,
    powers,
)

SMALL = np.concatenate([-powers(-300, -1), powers(-300, -1)])
COMPLEX = np.concatenate([
    linear(-4, 4, 100) + 1j * np.roll(linear(-4, 4, 100), 33), linear(-20, 20) + 1j * np.roll(linear(-20, 20), 13)
])  # fmt: skip


def voigt(mp, x, sigma, width):
    z = mp.mpc(x, width) / sigma / mp.sqrt(2)
    return mp.re(mp.exp(-z * z) * mp.erfc(mp.mpc(z.imag, -z.real))) / sigma / mp.sqrt(2 * mp.pi)


CASES = [
    Case("erf", np.concatenate([linear(-7, 7), SMALL]), complexes=[COMPLEX], relative=1e-13, single=2),
    Case("erfc", linear(-7, 27, 80), exact=lambda mp, x: mp.erfc(x), complexes=[COMPLEX], relative=1e-13, single=4),
    Case("erfcx", linear(-26, 50, 80), exact=lambda mp, x: mp.exp(x * x) * mp.erfc(x), complexes=[COMPLEX], relative=1e-13, single=4),
    Case("erfi", np.concatenate([linear(-27, 27, 80), linear(-3, 3), SMALL]), exact=lambda mp, x: mp.erfi(x), complexes=[COMPLEX], relative=1e-13),
    Case("dawsn", np.concatenate([linear(-12, 12, 120), SMALL, powers(0, 300)]), complexes=[COMPLEX], relative=1e-13,
         exact=lambda mp, x: mp.erfi(x) * mp.exp(-x * x) * mp.sqrt(mp.pi) / 2),
    Case("ndtr", linear(-38, 9, 80), exact=lambda mp, x: mp.ncdf(x), complexes=[COMPLEX], relative=1e-13, single=4),
    Case("log_ndtr", np.concatenate([linear(-38, 9, 80), -powers(1.6, 100)]), exact=lambda mp, x: mp.log(mp.ncdf(x)), single=4,
         complexes=[COMPLEX], relative=1e-9),  # SciPy's error of log(1 + u) is that of 1
    Case("erfinv", np.concatenate([linear(-1, 1, 80), SMALL]), single=4, exact=lambda mp, x: mp.erfinv(x)),
    Case("erfcinv", np.concatenate([linear(0, 2, 80), powers(-300, -1)]), single=4, exact=lambda mp, x: mp.erfinv(1 - x)),
    Case("ndtri", np.concatenate([linear(0, 1, 80), powers(-300, -1)]), single=4,
         exact=lambda mp, x: mp.sqrt(2) * mp.erfinv(2 * x - 1)),
    Case("ndtri_exp", np.concatenate([-powers(-17, 300, 100), linear(-5, 0)]),
         exact=lambda mp, y: mp.findroot(lambda x: mp.log(mp.ncdf(x)) - y, -mp.sqrt(-2 * y))),
    Case("voigt_profile", joined(pairs(linear(-30, 30), powers(-2, 2), powers(-3, 2))), exact=voigt,
         corners=(0.0, 0.5, 1.0, 2.0)),
    Case("fresnel", np.concatenate([linear(-10, 10, 100), SMALL, powers(1, 12)]),
         exact=lambda mp, x: (mp.fresnels(x), mp.fresnelc(x)), complexes=[COMPLEX[:100]], relative=1e-13),
]  # fmt: skip

test_values = against_scipy(CASES)


def test_wofz():
    for dtype, bound in (("D", 2e-13), ("F", 4e-7)):
        z = COMPLEX.astype(dtype)
        ours = special.wofz(cp.asarray(z))
        assert ours.dtype == dtype
        theirs = scipy.special.wofz(z.astype("D"))
        finite = np.isfinite(theirs.astype(dtype))
        error = np.abs(ours.get() - theirs)[finite] / np.abs(theirs)[finite]
        assert error.max() < bound
    # Where the midpoint rule's error is greatest beside the imaginary part, which is small.
    z = np.array(
        [0.2881584080561912 + 6.132207753158814j, 1.9501209856829646e-05 + 6.137845540264269j]
    )
    exact = np.array(
        [0.09063878767781831 + 0.004153011282429085j, 0.09074546252751147 + 2.811275328570676e-07j]
    )
    np.testing.assert_allclose(special.wofz(cp.asarray(z)).get().imag, exact.imag, rtol=1e-15)
    check_loops("wofz")
    assert special.wofz(cp.asarray([1.0])).dtype == "D"
