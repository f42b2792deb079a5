"""Zeros of functions, derivatives of Bessel functions, and sequences of them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special
from tests.slow import slow_except

DERIVATIVES = ("jvp", "yvp", "ivp", "kvp", "h1vp", "h2vp")
ORDERS, POINTS = np.array([0, 0.5, 2.5, -1.0])[:, None], np.array([0.3, 1.0, 5.0, 20.0])


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_except(["jvp", "kvp"], DERIVATIVES))
def test_derivatives(name: str) -> None:
    for n in (0, 1):
        found = getattr(special, name)(cp.asarray(ORDERS), cp.asarray(POINTS), n)
        wanted = getattr(scipy.special, name)(ORDERS, POINTS, n)
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found.get(), wanted, rtol=2e-13)


@pytest.mark.slow
@pytest.mark.parametrize("name", DERIVATIVES)
def test_third_derivatives(name: str) -> None:
    found = getattr(special, name)(cp.asarray(ORDERS), cp.asarray(POINTS), 3)
    wanted = getattr(scipy.special, name)(ORDERS, POINTS, 3)
    np.testing.assert_allclose(found.get(), wanted, rtol=2e-13)


def test_what_derivatives_refuse() -> None:
    for n, error in ((-1, ValueError), (1.5, TypeError)):
        for module in (scipy.special, special):
            with pytest.raises(error):
                module.jvp(1.0, 2.0, n)


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_except(["jnp"], ["jn", "jnp", "yn", "ynp"]))
def test_bessel(name: str) -> None:
    for n in (0, -2, 40):
        found = getattr(special, f"{name}_zeros")(n, 6)
        wanted = getattr(scipy.special, f"{name}_zeros")(n, 6)
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found.get(), wanted, rtol=1e-14)


@pytest.mark.slow
def test_bessel_together() -> None:
    for ours, theirs in zip(special.jnyn_zeros(3, 4), scipy.special.jnyn_zeros(3, 4), strict=True):
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-14)
    for ours, theirs in zip(special.jnjnp_zeros(40), scipy.special.jnjnp_zeros(40), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-13)


@pytest.mark.parametrize("complex_ones", [False, True])
@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=pytest.mark.slow) for x in ("y0_zeros", "y1_zeros", "y1p_zeros")]
)
def test_second_kind(name: str, complex_ones: bool) -> None:
    zeros, values = getattr(special, name)(6, complex_ones)
    wanted, others = getattr(scipy.special, name)(6, complex_ones)
    np.testing.assert_allclose(zeros.get(), wanted, rtol=1e-7)  # SciPy's have eight digits
    # Of y0 SciPy's slopes have the other sign.
    sign = -1 if name == "y0_zeros" else 1
    np.testing.assert_allclose(values.get(), sign * others, rtol=1e-6)
    order = int(name[1])
    value = special.yvp(order, zeros) if "p" in name else special.yv(order, zeros)
    assert abs(value.get()).max() < 1e-14


OTHERS = [
    "ai_zeros", "bi_zeros", "erf_zeros", "fresnel_zeros", "fresnelc_zeros", "fresnels_zeros",
    "kelvin_zeros",
]  # fmt: skip


@pytest.mark.parametrize("name", slow_except(["ai_zeros", "erf_zeros"], OTHERS))
def test_others(name: str) -> None:
    found, wanted = getattr(special, name)(5), getattr(scipy.special, name)(5)
    found, wanted = [x if isinstance(x, tuple) else (x,) for x in (found, wanted)]
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-10)


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.jn_zeros(1.5, 3), lambda m: m.jn_zeros(1, 0), lambda m: m.jn_zeros(1, 2.5),
        lambda m: m.jn_zeros([1], 3), lambda m: m.y0_zeros(-1), lambda m: m.ai_zeros(0),
        lambda m: m.erf_zeros(0), lambda m: m.jnjnp_zeros(1201), lambda m: m.ber_zeros([2]),
    ],
)  # fmt: skip
def test_what_zeros_refuse(call) -> None:
    for module in (scipy.special, special):
        with pytest.raises(ValueError):
            call(module)


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("riccati_jn", (5, 2.5)),
        *[
            pytest.param(*case, marks=pytest.mark.slow)
            for case in [
                ("riccati_jn", (0, 1.5)), ("riccati_yn", (5, 2.5)), ("lmbda", (4, 3.3)),
                ("lmbda", (20.5, 30.0)),
            ]
        ],
    ],
)  # fmt: skip
def test_sequences(name: str, arguments: tuple[float, float]) -> None:
    found, wanted = getattr(special, name)(*arguments), getattr(scipy.special, name)(*arguments)
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-12, atol=1e-15)


@pytest.mark.slow
def test_lambda_functions_at_zero_and_below() -> None:
    values, slopes = special.lmbda(2.5, 0.0)
    assert values.tolist() == [1, 1, 1]
    assert slopes.tolist() == [0, 0, 0]
    for left, right, sign in zip(special.lmbda(2.5, -1.3), special.lmbda(2.5, 1.3), (1, -1)):
        assert left.tolist() == (sign * right).tolist()


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.riccati_jn(-1, 1.0), lambda m: m.riccati_yn(1.5, 1.0),
        lambda m: m.riccati_jn([1], 1.0), lambda m: m.lmbda(-1, 1.0), lambda m: m.lmbda(1, [1.0]),
    ],
)  # fmt: skip
def test_what_sequences_refuse(call) -> None:
    for module in (scipy.special, special):
        with pytest.raises(ValueError):
            call(module)
