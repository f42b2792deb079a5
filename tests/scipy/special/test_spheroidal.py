"""Characteristic values of spheroidal wave functions, and modified Fresnel integrals."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special
from tests.scipy.special.cases import check_loops, linear, powers
from tests.slow import slow_except


@pytest.mark.parametrize("name", ["pro_cv", "obl_cv"])
def test_characteristic_values(name):
    m, n = np.array([0, 1, 4])[:, None, None], np.arange(4, 9)[:, None]
    c = np.r_[0.0, 0.1, 1.0, 5.0, 12.0]
    found = getattr(special, name)(cp.asarray(m * 1.0), cp.asarray(n * 1.0), cp.asarray(c))
    wanted = getattr(scipy.special, name)(m, n, c)
    # SciPy's bisection ends at 1e-14 of the value.
    np.testing.assert_allclose(found.get(), wanted, rtol=2e-13)
    check_loops(name)


def test_values_without_a_function():
    for name in ("pro_cv", "obl_cv"):
        found = getattr(special, name)(
            cp.asarray([2.0, 0.5, -1.0, 0.0]), cp.asarray([1.0, 1, 1, 300]), 1.0
        )
        assert np.isnan(found.get()).all()


@pytest.mark.parametrize("name", ["modfresnelp", "modfresnelm"])
def test_modified_fresnel_integrals(name):
    x = np.concatenate([linear(0, 6, 60), powers(-8, 2), [0.0]])
    found = [y.get() for y in getattr(special, name)(cp.asarray(x))]
    for ours, theirs in zip(found, getattr(scipy.special, name)(x), strict=True):
        assert ours.dtype == theirs.dtype
        # SciPy's are differences of Fresnel integrals to about 1e-15 of these.
        assert np.abs(ours - theirs).max() < 1e-14
    # Both sides together are the whole integral; SciPy's imaginary parts to the left are others.
    left = getattr(special, name)(cp.asarray(-x))[0].get()
    whole = np.sqrt(np.pi / 2) * (1 + 1j if name == "modfresnelp" else 1 - 1j)
    np.testing.assert_allclose(left + found[0], np.full(len(x), whole), rtol=1e-14)
    second = getattr(special, name)(cp.asarray(-x))[1].get()
    # SciPy rounds the square, which is the angle.
    error = np.abs(second - getattr(scipy.special, name)(-x)[1])
    assert (error < 1e-15 * np.maximum(10, x * x)).all()
    check_loops(name)
    narrow = getattr(special, name)(cp.asarray(x[:5].astype(np.float32)))
    assert [y.dtype for y in narrow] == [np.complex64] * 2
    corners = getattr(special, name)(cp.asarray([np.inf, -np.inf, np.nan]))
    assert all(np.isnan(y.get()).all() for y in corners)


@pytest.mark.parametrize("name", ["pro_cv_seq", "obl_cv_seq"])
def test_sequences(name):
    found = getattr(special, name)(1, 6, 3.0).get()
    np.testing.assert_allclose(found, getattr(scipy.special, name)(1, 6, 3.0), rtol=2e-13)
    for arguments in ((0.5, 2, 1.0), (0, 300, 1.0), ([0], 2, 1.0)):
        for module in (special, scipy.special):
            with pytest.raises(ValueError, match=r"scalars|integers|too large"):
                getattr(module, name)(*arguments)


FUNCTIONS = (
    "pro_ang1", "obl_ang1", "pro_rad1", "obl_rad1", "pro_ang1_cv", "obl_ang1_cv", "pro_rad1_cv",
    "obl_rad1_cv",
)  # fmt: skip


@pytest.mark.parametrize("name", slow_except(["pro_ang1", "obl_rad1_cv"], FUNCTIONS))
def test_functions(name):
    check_loops(name)
    rng = np.random.default_rng(7)
    m = rng.integers(0, 4, 40).astype(float)
    n, c = m + rng.integers(0, 6, 40), rng.uniform(0.2, 8, 40)
    x = rng.uniform(-0.99, 0.99, 40) if "ang" in name else rng.uniform(1.01, 4, 40)
    if name.startswith("obl_rad"):
        x = np.r_[0.0, 0.0, x[2:] - 1]
    operands = [m, n, c, x]
    if name.endswith("_cv"):
        operands.insert(3, getattr(scipy.special, name[:3] + "_cv")(m, n, c))
    found = getattr(special, name)(*[cp.asarray(y) for y in operands])
    for ours, theirs in zip(found, getattr(scipy.special, name)(*operands), strict=True):
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-10, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kind", slow_except(["obl"], ["pro", "obl"]))
def test_radial_functions_of_the_second_kind(kind):
    rng = np.random.default_rng(11)
    m = rng.integers(0, 5, 30).astype(float)
    n, c = m + rng.integers(0, 8, 30), 10 ** rng.uniform(-2, 1.3, 30)
    sign = 1 if kind == "pro" else -1
    x = 10 ** rng.uniform(-2, 1, 30) + (sign > 0)
    if sign < 0:
        x[0] = 0
    operands = [cp.asarray(y) for y in (m, n, c, x)]
    (a, b), (e, f) = (
        [y.get() for y in getattr(special, f"{kind}_rad{i}")(*operands)] for i in (1, 2)
    )
    # The Wronskian, DLMF 30.11.8. SciPy's functions do not have it: of oblate ones no digit is right near 0.
    np.testing.assert_allclose((a * f - b * e) * c * (x * x - sign), np.ones(30), rtol=1e-11)
    if kind == "pro":
        theirs = scipy.special.pro_rad2(m, n, c, x)[0]
        assert np.median(np.abs(e / theirs - 1)) < 1e-12
    value = getattr(special, f"{kind}_cv")(*operands[:3])
    again = getattr(special, f"{kind}_rad2_cv")(*operands[:3], value, operands[3])
    np.testing.assert_array_equal(again[0].get(), e)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pro_rad2", "obl_rad2", "pro_rad2_cv", "obl_rad2_cv"])
def test_loops_of_the_second_kind(name):
    check_loops(name)


@pytest.mark.parametrize(
    "name", slow_except(["pro_ang1", "obl_rad1"], [*FUNCTIONS[:4], "pro_rad2", "obl_rad2"])
)
def test_functions_that_do_not_exist(name):
    m = cp.asarray([0.0, 0.0, 0.5, -1.0, 2.0, 101.0, 0.0, np.nan])
    n = cp.asarray([1.0, 1.0, 1.5, 1.0, 1.0, 102.0, 1.0, 1.0])
    c = cp.asarray([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1e3, 1.0])
    x = cp.asarray(
        np.r_[
            -1.0 if name.startswith("obl_rad") else 1.0, np.nan, [1.5 if "rad" in name else 0.5] * 6
        ]
    )
    for found in getattr(special, name)(m, n, c, x):
        assert np.isnan(found.get()).all()
