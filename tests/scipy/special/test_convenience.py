"""Angles in degrees, rounding, and Lambert's and Wright's functions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special
from tests.scipy.special.cases import Case, against_scipy, linear, powers

DEGREES = np.concatenate([linear(-800, 800, 80), np.arange(-720.0, 721.0, 15), linear(-1e13, 1e13)])
TINY = np.concatenate([DEGREES, powers(-300, -3)])
COMPLEX = linear(-10, 10, 200) + 1j * np.random.default_rng(1).uniform(-10, 10, 200)
# Beside and on the rays where the function jumps.
RAYS = np.concatenate(
    [
        linear(-5, -0.9, 40) + sign * 1j * (np.pi + shift)
        for sign in (1, -1)
        for shift in (0, 0.01, -0.01)
    ]
)


def turned(mp, x):
    return mp.fmod(x, 180) * mp.pi / 180


CASES = [
    Case("sindg", TINY, single=4),
    Case("cosdg", DEGREES, exact=lambda mp, x: mp.cos(mp.fmod(x, 360) * mp.pi / 180), single=4),
    Case("tandg", TINY, exact=lambda mp, x: mp.tan(turned(mp, x)), single=4),
    Case("cotdg", TINY, exact=lambda mp, x: mp.cot(turned(mp, x)), single=4),
    Case("radian", [linear(-90, 90), linear(-60, 60), linear(-60, 60)[::-1]], corners=(0.0, 1.0, np.inf, np.nan)),
    Case("round", np.concatenate([linear(-10, 10), np.arange(-5, 5) + 0.5])),
    Case(
        "wrightomega", np.concatenate([linear(-60, 60, 80), powers(-5, 22)]),
        exact=lambda mp, x: mp.lambertw(mp.exp(x)) if x < 1000 else mp.nan,
        complexes=[np.concatenate([COMPLEX, RAYS])],
    ),
]  # fmt: skip

test_values = against_scipy(CASES)


@pytest.mark.parametrize("branch", [0, -1, 1, 3])
def test_lambertw(branch):
    rng = np.random.default_rng(2)
    z = rng.uniform(-3, 3, 300) + 1j * rng.uniform(-3, 3, 300)
    z = np.concatenate(
        [z, linear(-1, 3, 60), 10.0 ** rng.uniform(-300, 300, 40) * np.exp(3j * linear(-1, 1))]
    )
    z = z[np.abs(z + np.exp(-1)) > 0.02]
    found = special.lambertw(cp.asarray(z), branch)
    np.testing.assert_allclose(found.get(), scipy.special.lambertw(z, branch), rtol=2e-14)


def test_lambertw_close_to_the_branch_point():
    mpmath = pytest.importorskip("mpmath")
    z = -np.exp(-1) + powers(-12, -2)
    for branch in (0, -1):
        wanted = [complex(mpmath.lambertw(mpmath.mpf(x), branch)) for x in z]
        found = special.lambertw(cp.asarray(z), branch).get()
        # An error of half a unit in z is one of that over 1 + w in w.
        condition = 1 / np.abs(1 + np.asarray(wanted))
        assert (np.abs(found - wanted) < 1e-15 * (1 + condition)).all()


@pytest.mark.slow
def test_lambertw_corners_and_dtypes():
    corners = np.array([0, np.inf, -np.inf, np.nan, 1, complex(np.inf, np.inf)])
    for branch in (0, -1, 2):
        wanted = scipy.special.lambertw(corners, branch)
        np.testing.assert_array_equal(
            special.lambertw(cp.asarray(corners), branch).get()[[0, 1, 2, 4]],
            wanted[[0, 1, 2, 4]],
        )
    assert special.lambertw(cp.ones(2, np.float32)).dtype == np.complex128
    assert special.lambertw(cp.ones(2, np.complex64)).dtype == np.complex128
    assert special.lambertw(1.0).shape == ()
    branches = special.lambertw(cp.ones((2, 1)), cp.asarray([0, 1, 2]))
    np.testing.assert_allclose(
        branches.get(), scipy.special.lambertw(np.ones((2, 1)), [0, 1, 2]), rtol=1e-14
    )
    with pytest.raises(TypeError):
        special.lambertw(1.0, 0.5)
