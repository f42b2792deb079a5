"""Functions of several arguments where one of them is near the least or the greatest number."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.scipy import special

INFINITY, NONE = np.inf, np.nan

#: Function, rows of operands and a result by mpmath, by a limit, or, of Carlson's integrals, by a closed form.
POINTS = {
    # x^a and exp(-b x) alone are left of the beta distribution, or the side of its mean
    "betainc": [
        (0.5, 1e200, 5e-324, 2.5081146663982347e-62), (2.0, 1e200, 1e-200, 0.26424111765711533),
        (1e-200, 1e200, 5e-324, 1.0), (1.7e308, 0.5, 1e-200, 0.0), (1.7e308, 1.7e308, 0.25, 0.0),
        (1.7e308, 1.7e308, 0.5, 0.5), (1.7e308, 1.7e308, 0.75, 1.0), (1e200, 2.0, 1 - 2**-53, 0.0),
        (0.5, 1.0, 5e-324, 2.2227587494850775e-162),
        # 1 - x is one, and what is missing to it is multiplied by the shape
        (18305.817094704766, 1.4277179557765558e82, 1.2435054930363543e-78, 1.8974442688972058e-05),
    ],
    "betaincinv": [(2.0, 1e200, 0.25, 9.612787631147771e-201), (30.0, 1e300, 0.5, 2.9667333138221231e-299)],
    "betaincc": [
        (1e-200, 1e200, 5e-324, 2.8334583765767059e-198), (1.7e308, 30.0, 0.25, 1.0), (2.0, 1.7e308, 0.5, 0.0),
        (2.0, 1e200, 1e-200, 0.73575888234288467),
    ],
    # the gamma distribution's limit: fdtr(30, inf, 0.5) = gammainc(15, 7.5)
    "fdtr": [
        (30.0, 1e200, 0.5, 0.010260427912342610), (30.0, 1.7e308, 0.5, 0.010260427912342610),
        (1e200, 2.0, 2.0, 0.60653065971263342), (1.7e308, 2.0, 2.0, 0.60653065971263342),
        (1.7e308, 1.7e308, 1.0, 0.5), (1e200, 1e200, 2.0, 1.0), (1e200, 1e200, 0.5, 0.0), (1e200, 1.0, 1.7e308, 1.0),
        (1.0, 1.0, 1e200, 1.0),
    ],
    "fdtrc": [
        (1e200, 2.0, 2.0, 0.39346934028736658), (1e200, 1.7e308, 1.0, 0.5), (1e200, 1e200, 0.5, 1.0),
        (1e200, 2.0, 1e200, 1e-200), (1.0, 2.0, 1e300, 1e-300),
    ],
    "gdtr": [
        (0.5, 1.7e308, 1e-200, 0.0), (1e-200, 1.7e308, 1.0, 0.0), (1.0, 1e5, 1.0, 0.0), (1.0, 1e5, 1e6, 1.0),
        (0.0, 2.0, -1.0, NONE), (-1.0, 2.0, -1.0, NONE), (2.0, INFINITY, -1.0, NONE),
    ],
    "gdtrc": [(0.5, 1.7e308, 1e-200, 1.0), (1.0, 1e5, 1e6, 0.0), (-1.0, 2.0, -1.0, NONE)],
    # all outcomes are above a negative one
    "bdtrc": [(-INFINITY, 3.0, 0.5, 1.0), (-2.0, 3.0, 0.5, 1.0), (-2.0, INFINITY, 0.5, NONE)],
    # between whole numbers a distribution function is constant
    "nbdtr": [(0.5, 2.0, 0.5, 0.25), (1.75, 2.0, 0.5, 0.5), (0.0, 2.0, 0.5, 0.25), (-0.5, 2.0, 0.5, NONE)],
    "nbdtrc": [(0.5, 2.0, 0.5, 0.75), (1.75, 2.0, 0.5, 0.5)],
    "nbdtri": [(0.5, 2.0, 0.25, 0.5), (1.75, 2.0, 0.5, 0.5)],
    # the Cauchy distribution's limit
    "voigt_profile": [
        (0.0, 5e-324, 1e-200, 3.183098861837907e199), (1.0, 1e-200, 0.5, 0.1273239544735163),
        (1e-200, 5e-324, 5e-324, 1.5726597949504827e76), (1e200, 0.5, 1.0, 0.0), (INFINITY, 0.5, 1.0, 0.0),
        (1e200, 1e-200, 1e200, 1.5915494309189535e-201), (1e155, 0.0, 1e155, 1.5915494309189535e-156),
    ],
    # pi / 2 / sqrt(y) of (0, y, y), 1 / sqrt(x) of three equal ones
    "elliprf": [
        (0.0, 1.7e308, 1.7e308, 1.2047457872617384e-154), (0.0, 5e-324, 5e-324, 7.0668772630353431e161),
        (1.7e308, 1.7e308, 1.7e308, 7.6696498884737044e-155), (0.0, 0.0, 5e-324, INFINITY),
    ],
    "elliprd": [(1.7e308, 1.7e308, 2.0, 1.2478354962115545e-308), (0.0, 5e-324, 5e-324, INFINITY), (1.0, 1.0, 1.7e308, 0.0)],
    # pi / 4 sqrt(y) of (0, y, y), sqrt(x) of three equal ones
    "elliprg": [
        (0.0, 5e-324, 5e-324, 1.7457506395211887e-162), (1.7e308, 1.7e308, 0.0, 1.0240339191724775e154),
        (1e200, 1e200, 1e200, 1e100), (1e200, 3e200, 2e200, 1.4018470999908951e100), (0.0, 0.0, 0.0, 0.0),
        (1e-200, 3e-200, 2e-200, 1.4018470999908951e-100),
    ],
    # the normal distribution's limit: 1e200 is as many degrees of freedom as it is an argument
    "chndtr": [(1e200, 0.5, 0.5, 1.0), (1e200, 1e200, 0.5, 0.5), (1e200, 2e200, 2.0, 0.0), (3e200, 1e200, 2.0, 1.0)],
    # as of 1e100 degrees of freedom
    "ncfdtr": [(1e200, 2.0, 0.5, 0.5, 0.13533528323661270), (0.5, 1e200, 0.5, 0.5, 0.51055919062983592)],
    # the power overflows or is nothing
    "boxcox": [(3.0, 1.7e308, INFINITY), (5e-324, -1.7e308, -INFINITY), (30.0, -1.7e308, 5.882352941176471e-309)],
    "boxcox1p": [(3.0, 1.7e308, INFINITY), (2.0, -1.7e308, 5.882352941176471e-309)],
    # a pole of the gamma function below; one that overflows above
    "binom": [(0.5, -1e200, 0.0), (30.0, -1e200, 0.0), (2.0, -1.7e308, 0.0), (5.0, 1e200, 0.0)],
    "poch": [(1.0, 1.7e308, INFINITY), (-0.5, 1.7e308, -INFINITY), (1e5, 1.7e308, INFINITY)],
    "stdtr": [(5e-324, 2.0, 0.5), (5e-324, -1e200, 0.5), (5e-324, -INFINITY, 0.0)],
    "owens_t": [(1e200, 5e-324, 0.0), (1e200, 0.5, 0.0)],
    # the logistic distribution, a difference of nearly equal powers, no width
    "tklmbda": [
        (0.0, 5e-324, 0.5), (1.0, 1e-300, 0.73105857863000488), (-1e-20, 30.0, 0.49999999999731565),
        (2.0, -INFINITY, 0.5), (INFINITY, -INFINITY, 1.0),
    ],
    # a x exp(x) for tiny a; the greatest term is far away, and out of the range
    "wright_bessel": [(5e-324, 0.0, 100.0, 1.3281063317683147e-278), (0.01, 1e200, 1e300, INFINITY), (1.0, 1e200, 1e300, 0.0)],
}  # fmt: skip


@pytest.mark.parametrize("name", POINTS)
def test_ends_of_ranges(name):
    *operands, wanted = np.array(POINTS[name]).T
    found = getattr(special, name)(*[cp.asarray(x) for x in operands]).get()
    np.testing.assert_allclose(found, wanted, rtol=2e-14, err_msg=f"{name} {operands}")
