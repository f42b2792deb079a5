"""Ellipsoidal harmonics."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special

#: h2 of 5, k2 of 8. The vectors and zeros of the matrix in powers of s**2, and the integrals, by mpmath with 30 digits and more.
FIRST = [  # n, p, s
    (21, 1, 0.67, 38573374.84061112208),
    (21, 12, 2.5, 0.08438429164623625457),
    (21, 23, 3.4, 19316043.85530208022),
    (21, 33, 2.5, 217091.5937858752863),
    (21, 43, 1.5, -24.5999013918948957),
]
SECOND = [
    (10, 1, 3.0, 0.006101621198362064087),
    (10, 8, 2.83, 0.06888310667671546378),
    (10, 21, 5.0, 4.62779448649851302e-8),
]
NORMAL = [(6, 4, 724802.2528576958683), (6, 13, 276613.9229148491526)]


@pytest.mark.slow
def test_high_degrees():
    n, p, s, exact = np.array(FIRST).T
    found = special.ellip_harm(5.0, 8.0, cp.asarray(n), cp.asarray(p), cp.asarray(s)).get()
    np.testing.assert_allclose(found, exact, rtol=1e-15)
    n, p, s, exact = np.array(SECOND).T
    found = special.ellip_harm_2(5.0, 8.0, cp.asarray(n), cp.asarray(p), cp.asarray(s)).get()
    np.testing.assert_allclose(found, exact, rtol=5e-15)
    n, p, exact = np.array(NORMAL).T
    found = special.ellip_normal(5.0, 8.0, cp.asarray(n), cp.asarray(p)).get()
    np.testing.assert_allclose(found, exact, rtol=2e-15)


def orders(n: int) -> np.ndarray:
    return np.arange(1, 2 * n + 2)


@pytest.mark.filterwarnings("ignore")  # of SciPy's integration
def test_all_orders_and_intervals():
    s = np.array([-1.5, 0.4, 2.5, 4.0, -4.0])
    for n in range(5):
        p = orders(n)[:, None]
        ours = special.ellip_harm(5, 8, n, cp.asarray(p), cp.asarray(s), -1, 1).get()
        np.testing.assert_allclose(ours, scipy.special.ellip_harm(5, 8, n, p, s, -1, 1), rtol=1e-12)
    n, p = 3, orders(3)[:, None]
    ours = special.ellip_harm_2(5, 8, n, cp.asarray(p), cp.asarray(s[3:])).get()
    np.testing.assert_allclose(ours, scipy.special.ellip_harm_2(5, 8, n, p, s[3:]), rtol=1e-9)
    ours = special.ellip_normal(5, 8, n, cp.asarray(p)).get()
    np.testing.assert_allclose(ours, scipy.special.ellip_normal(5, 8, n, p), rtol=1e-12)


@pytest.mark.slow
def test_ranges_of_parameters():
    first = special.ellip_harm
    h2, k2 = cp.asarray([5.0, 8.0, 0.0, 5.0, np.nan]), cp.asarray([8.0, 5.0, 8.0, 5.0, 8.0])
    np.testing.assert_array_equal(
        np.isnan(first(h2, k2, 2, 1, 1.5).get()), [False, True, True, True, True]
    )
    p = cp.asarray([0, 1, 5, 6])
    np.testing.assert_array_equal(
        np.isnan(first(5, 8, 2, p, 1.5).get()), [True, False, False, True]
    )
    assert np.isnan(first(5, 8, cp.asarray([-1, 126, 500]), 1, 1.5).get()).all()
    # A sign that the function does not have is of no interest.
    assert np.isnan(first(5, 8, 2, 3, 1.5, 2).get())
    assert not np.isnan(first(5, 8, 2, 1, 1.5, 2).get())
    assert np.isnan(special.ellip_harm_2(5, 8, 2, 1, cp.asarray([2.5, np.inf, np.nan])).get()).all()
    assert np.isnan(special.ellip_normal(5, 8, 2, cp.asarray([0, 6])).get()).all()


def test_dtypes():
    assert special._ellipsoidal._first.types == ["fffffff->f", "ddllddd->d", "ddddddd->d"]
    narrow = special.ellip_harm(
        *[cp.asarray(np.float32(x)) for x in (5, 8, 2, 1)],
        cp.asarray([2.5], "f"),
        np.float32(1),
        np.float32(1),
    )
    assert narrow.dtype == np.float32
    np.testing.assert_allclose(narrow.get(), [-0.41666667], rtol=1e-6)
    assert special.ellip_harm_2(5, 8, 2, 1, cp.asarray([10.0], "f")).dtype == np.float64


def test_lengths_whose_squares_leave_the_range():
    # A function is homogeneous in its lengths, of degree n; squares, powers and products of them overflowed.
    n, p = np.array([1, 2, 3, 4, 8]), np.array([2, 1, 2, 9, 4])
    s = np.array([-4.0, 3.0, 0.5])[:, None]
    one = special.ellip_harm(5.0, 8.0, cp.asarray(n), cp.asarray(p), cp.asarray(s)).get()
    for exponent in (300, -300):
        unit = 2.0**exponent
        found = special.ellip_harm(
            5.0 * unit**2, 8.0 * unit**2, cp.asarray(n), cp.asarray(p), cp.asarray(s * unit)
        ).get()
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(found, np.ldexp(one, exponent * n))
    # Far away s**n: the zeros of the polynomial are below rounding.
    s = cp.asarray([1e200, -1e200, 1e60, np.inf, -np.inf, np.nan])
    found = special.ellip_harm(5.0, 8.0, 8, 4, s).get()
    np.testing.assert_array_equal(found, [np.inf] * 5 + [np.nan])
    found = special.ellip_harm(5.0, 8.0, 3, 2, s).get()
    np.testing.assert_allclose(found, [np.inf, -np.inf, 1e180, np.inf, -np.inf, np.nan], rtol=1e-14)


@pytest.mark.slow
def test_second_kind_and_constants_of_small_and_great_lengths():
    n, p = np.array([1, 2, 3]), np.array([2, 1, 2])
    one = special.ellip_harm_2(5.0, 8.0, cp.asarray(n), cp.asarray(p), 4.0).get()
    size = special.ellip_normal(5.0, 8.0, cp.asarray(n), cp.asarray(p)).get()
    for exponent in (250, -250):
        unit = 2.0**exponent
        h2, k2 = 5.0 * unit**2, 8.0 * unit**2
        found = special.ellip_harm_2(h2, k2, cp.asarray(n), cp.asarray(p), 4.0 * unit).get()
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(found, np.ldexp(one, -exponent * (n + 1)))
            found = special.ellip_normal(h2, k2, cp.asarray(n), cp.asarray(p)).get()
            np.testing.assert_array_equal(found, np.ldexp(size, 4 * exponent * n))
