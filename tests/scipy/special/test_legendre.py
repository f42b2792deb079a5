"""Legendre functions and spherical harmonics compared with SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special
from tests.slow import slow_except

#: Errors are beside the greatest value of a degree and an order: near its zeros a sum cancels.
BOUND = 1e-13

POINTS = np.random.default_rng(1).uniform(-1, 1, 12)
ANGLES = np.r_[0.0, np.random.default_rng(2).uniform(-4, 4, 8)]


def compare(
    name: str, *operands: Any, bound: float = BOUND, dtype: str = "", **options: Any
) -> None:
    """Call a function with device arrays and SciPy's with host arrays.

    ``dtype`` is that of the results where releases of SciPy differ.
    """
    given = [cp.asarray(x) if isinstance(x, np.ndarray) else x for x in operands]
    with np.errstate(all="ignore"):
        found = getattr(special, name)(*given, **options)
        wanted = getattr(scipy.special, name)(*operands, **options)
    found, wanted = [x if isinstance(x, tuple) else (x,) for x in (found, wanted)]
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, wanted, strict=True):
        theirs = np.asarray(theirs)
        assert ours.dtype == (dtype or theirs.dtype)
        assert ours.shape == theirs.shape
        greatest = np.abs(theirs).max(where=np.isfinite(theirs), initial=0)
        np.testing.assert_allclose(ours.get(), theirs, rtol=bound, atol=bound * greatest)


@pytest.mark.parametrize("diff_n", slow_except([0, 2], range(3)))
class TestDerivatives:
    def test_legendre(self, diff_n):
        compare("legendre_p", np.arange(20)[:, None], POINTS, diff_n=diff_n)
        compare("legendre_p_all", 9, POINTS, diff_n=diff_n)

    @pytest.mark.parametrize("norm", [False, True])
    def test_associated(self, diff_n, norm):
        compare("assoc_legendre_p_all", 6, 5, POINTS, diff_n=diff_n, norm=norm)
        outside = np.r_[POINTS + 2.5, -1.5, 1.5]
        compare("assoc_legendre_p_all", 6, 5, outside, diff_n=diff_n, norm=norm, branch_cut=3)

    def test_complex(self, diff_n):
        for cut in (2, 3):
            compare("assoc_legendre_p_all", 4, 3, POINTS + 0.3j, diff_n=diff_n, branch_cut=cut)

    def test_spherical(self, diff_n):
        compare("sph_legendre_p_all", 6, 5, ANGLES, diff_n=diff_n)
        compare("sph_harm_y", 5, np.arange(-6, 7)[:, None], ANGLES, ANGLES[::-1], diff_n=diff_n)
        compare("sph_harm_y_all", 3, -2, ANGLES, ANGLES[::-1], diff_n=diff_n)


def test_ends_of_the_interval():
    ends = np.array([-1.0, 1.0])
    for diff_n in (0, 1):
        compare("assoc_legendre_p_all", 8, 6, ends, diff_n=diff_n)
    # SciPy's second derivatives are others for some orders: ours are compared with those nearby,
    # which are SciPy's.
    nearby = ends * (1 - 1e-12)
    compare("assoc_legendre_p_all", 5, 5, nearby, diff_n=2, bound=1e-6)
    second, limit = [
        special.assoc_legendre_p_all(5, 5, cp.asarray(x), diff_n=2)[2].get() for x in (ends, nearby)
    ]
    infinite = np.isin(np.abs(np.r_[0:6, -5:0]), [1, 3])
    np.testing.assert_allclose(second[:, ~infinite], limit[:, ~infinite], rtol=1e-9, atol=0.05)
    expected = np.where(limit == 0, 0, np.copysign(np.inf, limit))
    np.testing.assert_array_equal(second[:, infinite], expected[:, infinite])


def test_dtypes_and_numbers():
    narrow = POINTS.astype(np.float32)
    compare("legendre_p", 3, narrow, bound=1e-6, dtype="f8")
    compare("sph_harm_y", 3, 2, narrow, narrow, bound=1e-6, dtype="c16")
    compare("legendre_p", np.int8(3), narrow.astype(np.float16), bound=1e-6, dtype="f8")
    compare("legendre_p", 3, 0.25)
    compare("sph_harm_y", 3, -2, 0.25, 1.5, diff_n=1)
    compare("assoc_legendre_p", 2, 3, np.empty((0, 2)))
    assert special.legendre_p(-3, cp.asarray([0.5])).get() == 0


@pytest.mark.parametrize(
    ("name", "arguments", "options"),
    [
        ("legendre_p", (2.5, 0.3), {}),
        ("legendre_p", (2, 0.3j), {}),
        ("legendre_p", (2, 0.3), {"diff_n": 3}),
        ("legendre_p", (2, 0.3), {"diff_n": -1}),
        ("legendre_p_all", (-2, 0.3), {}),
        ("assoc_legendre_p", (2, 1.5, 0.3), {}),
        ("assoc_legendre_p_all", (2, -1, 0.3), {}),
        ("sph_legendre_p_all", (2.5, 1, 0.3), {}),
        ("sph_harm_y", (2, 1, 0.3, 0.2), {"diff_n": 4}),
    ],
)
def test_exceptions_are_scipys(name, arguments, options):
    with pytest.raises(Exception) as theirs:
        getattr(scipy.special, name)(*arguments, **options)
    with pytest.raises(theirs.type):
        getattr(special, name)(*arguments, **options)


def test_second_kind_far_away():
    # Q of degree n and order m is a power of 1 / z there (DLMF 14.8.15): squares of z overflowed.
    z = np.array([1e200, -1e200, 1e308, np.inf, -np.inf])
    value, slope = [x.get() for x in special.lqmn(2, 2, cp.asarray(z))]
    np.testing.assert_allclose(value[:, 0, :3], [1 / z[:3], [-1e-200, -1e-200, -1e-308], 2 / z[:3]])
    assert not value[:, 1:].any()
    assert not value[..., 3:].any()
    assert not slope.any()
    # Before and behind the bound.
    z = np.array([1e149, -1e149, 1e152, -1e152])
    value, slope = [x.get()[:, 0] for x in special.lqmn(2, 0, cp.asarray(z))]
    wanted = np.array([1 / z, -1 / abs(z), 2 / z])
    np.testing.assert_allclose(value, wanted, rtol=1e-14)
    np.testing.assert_allclose(slope, -wanted / z, rtol=1e-13)
    value, slope = special.lqn(1, cp.asarray([1e200 + 1e200j, 1e100 - 1e100j]))
    np.testing.assert_allclose(value.get()[0], [5e-201 - 5e-201j, 5e-101 + 5e-101j], rtol=1e-14)
    np.testing.assert_allclose(slope.get()[0], [0, -5e-201j], rtol=1e-14, atol=1e-300)
