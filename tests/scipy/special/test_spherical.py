"""Spherical Bessel functions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special
from tests.scipy.special.cases import powers
from tests.slow import slow_except, slow_off_axes

KINDS = ("spherical_jn", "spherical_yn", "spherical_in", "spherical_kn")
ORDERS = np.random.default_rng(2).integers(0, 30, 40)


@pytest.mark.parametrize("name, derivative", slow_off_axes(KINDS, [True, False]))
def test_real(name: str, derivative: bool) -> None:
    """Real arguments of both signs, relative to the amplitude of waves."""
    x = powers(-1.5, 1.8)
    if name != "spherical_kn":  # SciPy's recurrence loses all digits there
        x[::5] *= -1
    actual = getattr(special, name)(cp.asarray(ORDERS), cp.asarray(x), derivative).get()
    wanted = getattr(scipy.special, name)(ORDERS, x, derivative)
    wave = name[-2] in "jy"
    scale = np.where(
        wave & (np.abs(x) > ORDERS), np.maximum(np.abs(wanted), 0.5 / np.abs(x)), np.abs(wanted)
    )
    assert actual.dtype == wanted.dtype
    assert (np.abs(actual - wanted) <= (3e-12 if wave else 3e-14) * scale).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_except(KINDS[:1], KINDS))
def test_complex(name: str) -> None:
    """Complex arguments in all quadrants."""
    z = powers(-1, 1.4) * np.exp(1j * np.random.default_rng(1).uniform(-3.1, 3.1, 40))
    for derivative in (False, True):
        actual = getattr(special, name)(cp.asarray(ORDERS), cp.asarray(z), derivative).get()
        wanted = getattr(scipy.special, name)(ORDERS, z, derivative)
        assert actual.dtype == wanted.dtype
        assert (np.abs(actual - wanted) <= 1e-12 * np.abs(wanted)).all()


@pytest.mark.parametrize("name", KINDS)
def test_limits(name: str) -> None:
    """Zero, infinities, NaN and orders below zero."""
    n = np.array([0, 1, 2, 3, -1])
    x = np.array([0.0, np.inf, -np.inf, np.nan, 2.0])
    n, x = (a.ravel() for a in np.meshgrid(n, x))
    with np.errstate(all="ignore"):
        wanted = getattr(scipy.special, name)(n, x)
    np.testing.assert_allclose(
        getattr(special, name)(cp.asarray(n), cp.asarray(x)).get(), wanted, rtol=1e-14
    )


def test_negative_arguments_of_kn() -> None:
    """The finite sum of DLMF 10.49.12, exact in integers for these."""
    x = -0.5
    polynomial = 1 + 6 / x + 15 / x**2 + 15 / x**3
    np.testing.assert_allclose(
        float(special.spherical_kn(3, x)), np.pi / 2 * np.exp(-x) / x * polynomial, rtol=1e-14
    )
