"""Combinations, factorials, numbers of sequences, and functions made of a few others."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special

N, K = np.arange(-2, 12)[:, None], np.arange(-2, 12)
INTEGERS = np.arange(-3, 40)
POINTS = np.r_[np.linspace(-20, 20, 200), 2 * np.pi, 0, 4 * np.pi, -2 * np.pi, np.pi]
COMPLEX = {"extend": "complex"}
EXACT = {"exact": True}

#: Name, arguments, options, relative bound.
VALUES: list[tuple[str, tuple[Any, ...], dict[str, Any], float]] = [
    ("comb", (N, K), {}, 1e-14),
    ("comb", (N, K), {"repetition": True}, 1e-14),
    ("comb", (N + 0.5, K.astype(float)), {}, 1e-14),
    ("comb", (np.float32([5, 6]), np.float32([2, 3])), {}, 1e-6),
    ("comb", (5, 2), EXACT, 0),
    ("comb", (-3, 2), EXACT, 0),
    ("comb", (5, 2), EXACT | {"repetition": True}, 0),
    ("comb", (0, 0), EXACT | {"repetition": True}, 0),
    ("perm", (N, K), {}, 1e-14),
    ("perm", (5, 2), EXACT, 0),
    ("perm", (2, 5), EXACT, 0),
    ("perm", (np.array([5]), 2), EXACT, 0),
    ("factorial", (INTEGERS,), {}, 1e-13),
    ("factorial", (INTEGERS * 1.0,), {}, 1e-13),
    ("factorial", (INTEGERS[:20],), EXACT, 0),
    ("factorial", (INTEGERS + 0.5,), COMPLEX, 1e-13),
    ("factorial", (INTEGERS + 0.5j,), COMPLEX, 1e-12),
    ("factorial", (25,), EXACT, 0),
    ("factorial", (-2,), {}, 0),
    ("factorial", (None,), {}, 0),
    ("factorial", (np.zeros(0, int),), {}, 0),
    ("factorial2", (INTEGERS,), {}, 1e-13),
    ("factorial2", (INTEGERS[:20],), EXACT, 0),
    ("factorial2", (INTEGERS * 1.0,), COMPLEX, 1e-13),
    ("factorial2", (9,), EXACT, 0),
    ("factorialk", (INTEGERS, 3), {}, 1e-13),
    ("factorialk", (INTEGERS[:25], 5), EXACT, 0),
    ("factorialk", (INTEGERS * 1.0, 2.5), COMPLEX, 1e-12),
    ("factorialk", (INTEGERS * 1.0, -2), COMPLEX, 1e-12),
    ("factorialk", (INTEGERS * 1.0, 1.5 + 1j), COMPLEX, 1e-12),
    ("stirling2", (N, K), {}, 1e-14),
    ("stirling2", (5, 2), EXACT, 0),
    ("bernoulli", (0,), {}, 0),
    ("bernoulli", (40,), {}, 1e-9),
    ("euler", (1,), {}, 0),
    ("euler", (40,), {}, 1e-13),
    ("sinc", (POINTS,), {}, 1e-14),
    ("softplus", (POINTS,), {}, 1e-15),
    ("diric", (POINTS, np.array([[1], [3], [4], [0], [-2]])), {}, 1e-11),
    ("diric", (POINTS, 2.5), {}, 0),
    ("diric", (np.arange(5), 3), {}, 1e-14),
    ("multigammaln", (np.linspace(6, 20, 10), 5), {}, 1e-14),
    ("multigammaln", (np.full((2, 2), 9.0), 1), {}, 1e-14),
    ("multigammaln", (np.full(2, 9, np.float32), 4), {}, 1e-6),
    ("assoc_laguerre", (POINTS[:50], 3, 1.5), {}, 1e-12),
]


def run(module: Any, name: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    if module is special:
        arguments = tuple(cp.asarray(x) if isinstance(x, np.ndarray) else x for x in arguments)
    with np.errstate(all="ignore"):
        return getattr(module, name)(*arguments, **options)


@pytest.mark.parametrize(("name", "arguments", "options", "bound"), VALUES)
def test_values(name, arguments, options, bound):
    found = run(special, name, arguments, options)
    wanted = np.asarray(run(scipy.special, name, arguments, options))
    found = found.get() if hasattr(found, "get") else np.asarray(found)
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype
    if wanted.dtype == object:
        assert found == wanted
    else:
        np.testing.assert_allclose(found, wanted, rtol=bound)


@pytest.mark.parametrize(
    ("name", "arguments", "options"),
    [
        ("comb", (2.5, 2), EXACT),
        ("perm", (2.5, 2), EXACT),
        ("perm", (np.array([5, 6]), 2), EXACT),
        ("factorial", (5,), {"extend": "x"}),
        ("factorial", (5,), EXACT | COMPLEX),
        ("factorial", (INTEGERS + 1j,), {}),
        ("factorial", (5.5,), EXACT),
        ("factorial", (np.array([True]),), {}),
        ("factorial2", (INTEGERS * 1.0,), {}),
        ("factorialk", (INTEGERS, 0), {}),
        ("factorialk", (INTEGERS, -2), {}),
        ("factorialk", (INTEGERS, 2.5), {}),
        ("factorialk", (INTEGERS, 0), COMPLEX),
        ("factorialk", (INTEGERS, "a"), {}),
        ("stirling2", (2.5, 1), {}),
        ("bernoulli", (-1,), {}),
        ("euler", (-1,), {}),
        ("multigammaln", (1.0, 5), {}),
        ("multigammaln", (7.0, 2.5), {}),
    ],
)
def test_exceptions_are_scipys(name, arguments, options):
    with pytest.raises(Exception) as theirs:
        run(scipy.special, name, arguments, options)
    with pytest.raises(theirs.type):
        run(special, name, arguments, options)


def test_factorials_of_narrow_integers():
    # SciPy 1.18 computes those of int8 in float32.
    found = special.factorial(cp.asarray(INTEGERS.astype(np.int8)))
    assert found.dtype == np.float64
    np.testing.assert_allclose(found.get(), scipy.special.factorial(INTEGERS), rtol=1e-13)


def test_integers_that_do_not_fit():
    assert special.factorial(cp.asarray([20]), exact=True).get() == [2432902008176640000]
    with pytest.raises(OverflowError, match="int64"):
        special.factorial(cp.asarray([3, 21]), exact=True)
    assert special.stirling2(cp.asarray([25]), 10, exact=True).get() == [1203163392175387500]
    with pytest.raises(OverflowError, match="int64"):
        special.stirling2(cp.asarray([26]), 10, exact=True)


def test_numbers_are_rounded_once():
    # Beyond the range of a double there are infinities, with the numbers' signs.
    assert special.bernoulli(262).get()[[259, 260, 261, 262]].tolist() == [0, -np.inf, 0, np.inf]
    assert special.euler(400).get()[[187, 188, 400]].tolist() == [0, np.inf, np.inf]
    assert special.bernoulli(30)[-1].item() == float(Fraction(8615841276005, 14322))
    # S(60, 2) = 2^59 - 1 and S(60, 59) = 60 * 59 / 2.
    assert special.stirling2(60, cp.asarray([2, 59])).get().tolist() == [float(2**59 - 1), 1770.0]
