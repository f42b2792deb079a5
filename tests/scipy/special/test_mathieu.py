"""Mathieu functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special
from tests.scipy.special.cases import Case, against_scipy, check_loops, linear, pairs
from tests.slow import slow_except

ORDERS = np.arange(1.0, 13.0)
PARAMETERS = np.concatenate([linear(-40, 40), [0.0]])
PLANE = pairs(ORDERS, PARAMETERS, count=40)
SPACE = pairs(ORDERS, PARAMETERS, linear(-400, 400), count=40)
ROUNDED = "near zero the eigenvalue has its matrix's errors"


def exact(odd_function: bool) -> Any:
    """The function and its derivative, by inverse iteration on the matrix of DLMF 28.4(iii)."""

    def both(mp: Any, m: Any, q: Any, x: Any) -> tuple[Any, Any]:
        order, start = (
            int(m),
            (scipy.special.mathieu_b if odd_function else scipy.special.mathieu_a),
        )
        odd = order % 2
        first = 1 if odd else 2 if odd_function else 0
        size = order // 2 + 40 + int(2 * abs(q) ** 0.5)
        diagonal = [mp.mpf(first + 2 * k) ** 2 for k in range(size)]
        diagonal[0] += (-q if odd_function else q) * odd
        beside = [q] * (size - 1)
        if first == 0:
            beside[0] *= mp.sqrt(2)
        value, vector = mp.mpf(float(start(order, float(q)))) + mp.mpf("1e-20"), [mp.mpf(1)] * size
        for _ in range(5):
            vector = solved([d - value for d in diagonal], beside, vector)
            norm = mp.sqrt(mp.fsum(c * c for c in vector))
            vector = [c / norm for c in vector]
            value = mp.fsum(d * c * c for d, c in zip(diagonal, vector, strict=True)) + mp.mpf(
                "1e-33"
            )
            value += 2 * mp.fsum(b * c * d for b, c, d in zip(beside, vector, vector[1:]))
        if first == 0:
            vector[0] /= mp.sqrt(2)
        parts = [
            (c, first + 2 * k, (first + 2 * k) * x * mp.pi / 180) for k, c in enumerate(vector)
        ]
        if odd_function:
            found = [
                mp.fsum(c * f(t) * n**e for c, n, t in parts) for e, f in ((0, mp.sin), (1, mp.cos))
            ]
            sign = mp.sign(mp.fsum(c * n for c, n, _ in parts))
        else:
            found = [
                mp.fsum(c * f(t) * (-n) ** e for c, n, t in parts)
                for e, f in ((0, mp.cos), (1, mp.sin))
            ]
            sign = mp.sign(mp.fsum(vector))
        return sign * found[0], sign * found[1]

    return both


def solved(diagonal: list[Any], beside: list[Any], right: list[Any]) -> list[Any]:
    """The solution of a tridiagonal system, without exchanges of rows."""
    pivots, values = list(diagonal), list(right)
    for k in range(1, len(pivots)):
        factor = beside[k - 1] / pivots[k - 1]
        pivots[k] -= factor * beside[k - 1]
        values[k] -= factor * values[k - 1]
    found = [values[-1] / pivots[-1]]
    for k in range(len(pivots) - 2, -1, -1):
        found.append((values[k] - beside[k] * found[-1]) / pivots[k])
    return found[::-1]


CASES = [
    Case("mathieu_a", PLANE, ulps=8, scale=lambda m, q, wanted: 4 + np.abs(q), corners=(1.0, 2.0, 0.5), reason=ROUNDED, heavy=True),
    Case("mathieu_b", PLANE, ulps=8, scale=lambda m, q, wanted: 4 + np.abs(q), corners=(1.0, 2.0, 0.5), reason=ROUNDED, heavy=True),
    Case("mathieu_cem", SPACE, scale=lambda m, q, x, wanted: 1.0, exact=exact(False), corners=(1.0, 2.0, 0.5), heavy=True),
    Case("mathieu_sem", SPACE, scale=lambda m, q, x, wanted: 1.0, exact=exact(True), corners=(1.0, 2.0, 0.5), heavy=True),
]  # fmt: skip

test_values = against_scipy(CASES)


SEARCHES = [(19, 197.28124938183925), (3, 548.7), (60, -2000.0), (19, 227.2)]


@pytest.mark.parametrize("search", slow_except(SEARCHES[:1], SEARCHES))
def test_characteristic_values_are_eigenvalues(search: tuple[int, float]) -> None:
    """Also where SciPy's search ends at another order's value."""
    m, q = search
    k = np.arange(m % 2, 500, 2.0)
    even = np.diag(k**2) + q * (np.eye(len(k), k=1) + np.eye(len(k), k=-1))
    odd = even.copy()
    if m % 2:
        even[0, 0] += q
        odd[0, 0] -= q
    else:
        even[0, 1] = even[1, 0] = np.sqrt(2) * q
        odd = odd[1:, 1:]
    a, b = np.linalg.eigvalsh(even)[m // 2], np.linalg.eigvalsh(odd)[(m - 1) // 2]
    bound = 1e-13 * (abs(q) + m * m)
    assert abs(float(special.mathieu_a(float(m), q)) - a) < bound
    assert abs(float(special.mathieu_b(float(m), q)) - b) < bound


def test_differential_equation() -> None:
    """The derivative of the derivative is (2 q cos 2x - a) y, DLMF 28.2.1."""
    m, q, x, h = 5.0, 17.0, linear(0, 90, 10), 1e-3
    found = special.mathieu_cem(m, q, cp.asarray(np.concatenate([x, x + h, x - h])))
    value, slopes = found[0].get()[: len(x)], found[1].get().reshape(3, -1)
    second = (slopes[1] - slopes[2]) / np.deg2rad(2 * h)
    a = float(special.mathieu_a(m, q))
    np.testing.assert_allclose(second, (2 * q * np.cos(2 * np.deg2rad(x)) - a) * value, atol=2e-6)


def test_orders_that_do_not_exist() -> None:
    """NaN for fractions and numbers below zero; se has no order 0."""
    m = cp.asarray([-1.0, 0.5, np.nan])
    assert np.isnan(special.mathieu_a(m, 1.0).get()).all()
    assert np.isnan(special.mathieu_cem(m, 1.0, 2.0)[0].get()).all()
    assert np.isnan(float(special.mathieu_b(0.0, 1.0)))
    assert float(special.mathieu_sem(0.0, 1.0, 30.0)[0]) == 0


MODIFIED = ("mathieu_modcem1", "mathieu_modcem2", "mathieu_modsem1", "mathieu_modsem2")


@pytest.mark.parametrize("name", slow_except(MODIFIED[:1], MODIFIED))
def test_modified(name: str) -> None:
    """Of greater orders at small parameters SciPy has few digits, or another sign."""
    check_loops(name)
    m, q, z = np.array([1.0, 4, 8])[:, None], linear(6, 80, 2)[:, None, None], linear(0, 2.2, 3)
    found = getattr(special, name)(cp.asarray(m), cp.asarray(q), cp.asarray(z))
    wanted = getattr(scipy.special, name)(m, q, z)
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-9, atol=1e-9)


KINDS = [("ce", 5), ("ce", 1), ("se", 1)]


@pytest.mark.parametrize("of", slow_except([], KINDS))
def test_wronskian_of_modified_functions(of: tuple[str, int]) -> None:
    """DLMF 28.20.21: 2 / pi for all orders, parameters and arguments."""
    kind, step = of
    m, q, z = np.arange(1.0, 12.0), 10 ** linear(-2, 3, 11), linear(-0.3, 2, 11)[::-1]
    operands = [cp.asarray(x[::step]) for x in (m, q, z)]
    first, second = [
        [x.get() for x in getattr(special, f"mathieu_mod{kind}m{n}")(*operands)] for n in (1, 2)
    ]
    products = first[0] * second[1], first[1] * second[0]
    size = np.abs(products).max(axis=0) + 1
    assert (np.abs(products[0] - products[1] - 2 / np.pi) < 1e-12 * size).all()


def test_modified_functions_that_do_not_exist() -> None:
    """NaN, as SciPy's, for fractions, orders below zero and negative parameters."""
    m, q = cp.asarray([-1.0, 0.5, 2.0, np.nan]), cp.asarray([1.0, 1.0, -3.0, 1.0])
    for found in special.mathieu_modcem1(m, q, 1.0):
        assert np.isnan(found.get()).all()


def test_modified_functions_where_arguments_leave_the_range() -> None:
    # sqrt(q) exp(-z) is tiny, and quotients of neighbouring Bessel functions overflowed; then sqrt(q) exp(z) does.
    z = cp.asarray([700.0, -700.0, 720.0, -720.0, np.inf, -np.inf])
    value, slope = [x.get() for x in special.mathieu_modcem1(2, 5.0, z)]
    assert 0 < abs(value[0]) < 1e-151
    assert value[1] == value[0]
    assert slope[1] == -slope[0] != 0
    np.testing.assert_array_equal(value[2:], 0)  # a wave that decays
    assert np.isnan(slope[2:]).all()  # and whose slope grows
