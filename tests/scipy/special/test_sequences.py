"""Functions of all degrees, orders or coefficients up to one."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special
from tests.scipy.special.test_legendre import compare

REAL = np.array([-3.0, -0.7, 0.0, 0.4, 0.99, 1.0001, 1.5, 40.0])
COMPLEX = np.array([0.3 + 0.4j, -3 - 1j, 2 + 0.1j, 0.9 - 0.9j, 0.5 + 0j, 0.01 + 5j])


@pytest.mark.slow
def test_legendre_of_the_second_kind():
    # Left of -1 SciPy's have few digits.
    for z in (REAL, REAL.reshape(4, 2), 0.4, COMPLEX[:-3]):
        compare("lqn", 7, z, bound=1e-11)
    # SciPy's lqn of some numbers with a part of at least 1 is 1e300, its lqmn is not.
    for z in (REAL, COMPLEX):  # nor many near 1
        for m, n in ((0, 0), (3, 2), (2, 6)):
            compare("lqmn", m, n, z, bound=1e-10)
    assert np.isinf(special.lqn(2, 1.0)[0].get()).all()


def test_legendre_of_great_degrees():
    z = np.array([1.0005, 1.01, 1.2, 9.0])
    found = special.lqn(60, cp.asarray(z))[0].get()
    for k, x in enumerate(z):
        for n in (5, 21, 60):
            exact = float(mpmath.legenq(n, 0, x, type=3).real)
            assert abs(found[n, k] / exact - 1) < 4e-15, (n, x)


def test_coefficients_of_mathieu_functions():
    for m, q in ((0, 0.0), (1, 0.3), (2, 5.0), (7, 40.0), (12, 0.01), (30, 1.0)):
        for name in ("mathieu_even_coef", "mathieu_odd_coef"):
            if m or "even" in name:
                compare(name, m, q, bound=1e-12)
    with pytest.warns(RuntimeWarning, match="Too many"):
        assert special.mathieu_even_coef(200, 5e4).size == 251


@pytest.mark.slow
def test_parabolic_cylinder_functions():
    for v in (2.5, 0, 7, -1):
        for x in (-2.0, 3.0):
            compare("pbdv_seq", v, x, bound=1e-12)
            compare("pbvv_seq", v, x, bound=1e-12)
    for n in (0, 1, 6):
        compare("pbdn_seq", n, 1.5)


def test_parabolic_cylinder_functions_of_complex_numbers():
    for n in (4, -40):
        # At -45 the complement of the error function over its exponential is out of the range.
        for z in (3 + 2j, 0.01 + 1j, -2 - 1j, 0.5, 2j, -45.0):
            value, slope = (x.get() for x in special.pbdn_seq(n, z))
            k = abs(n)
            order = n // k * np.arange(k + 1)
            exact = [complex(mpmath.pcfd(int(v), z)) for v in order]
            np.testing.assert_allclose(value, exact, rtol=1e-13)
            beside = complex(mpmath.pcfd(n + 1, z))
            np.testing.assert_allclose(slope[-1], z / 2 * exact[-1] - beside, rtol=1e-12)


def test_refused():
    for name, arguments in (
        ("lqn", (-1, 0.5)),
        ("lqn", (1.5, 0.5)),
        ("lqmn", (-1, 2, 0.5)),
        ("lqmn", (1, [2], 0.5)),
        ("mathieu_even_coef", (2, -1)),
        ("mathieu_odd_coef", (0, 1)),
        ("mathieu_even_coef", (1.5, 1)),
        ("pbdn_seq", (1.5, 2)),
        ("pbdv_seq", (1, [1])),
        ("pbvv_seq", ([1], 1)),
    ):
        for module in (special, scipy.special):
            with pytest.raises(ValueError, match=r"integer|negative|scalar|q >=0"):
                getattr(module, name)(*arguments)
