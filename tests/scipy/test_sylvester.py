"""Equations of Sylvester and Lyapunov, against SciPy and by their residuals."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import gpuarray as cp
from gpuarray.scipy import linalg
from gpuarray.scipy.linalg import _sylvester

RNG = np.random.default_rng(0)
A, B, Q = RNG.standard_normal((2, 4, 4)), RNG.standard_normal((3, 3)), RNG.standard_normal((4, 3))
#: One eigenvector for all eigenvalues.
JORDAN = np.eye(4) + np.eye(4, k=1)


def close(found, expected, tolerance=1e-13):
    found = cp.asnumpy(found)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize(
    "a, b, q, tolerance",
    [
        (A[0], B, Q, 1e-13),
        (A, B, Q, 1e-13),
        pytest.param(A[0] + 1j * A[1], B, Q, 1e-13, marks=pytest.mark.slow),
        pytest.param(
            A[0].astype("f4"), B.astype("f4"), Q.astype("f4"), 1e-5, marks=pytest.mark.slow
        ),
        (JORDAN, B + 3 * np.eye(3), Q, 1e-13),
    ],
    ids=["one", "stack", "complex", "f4", "jordan"],
)
def test_sylvester(a, b, q, tolerance):
    found = linalg.solve_sylvester(*map(cp.asarray, (a, b, q)))
    b = b.astype(np.result_type(a, b))  # SciPy is wrong for a complex and a real one
    close(found, scipy.linalg.solve_sylvester(a, b, q), tolerance)


@pytest.mark.parametrize("a", [A[0], JORDAN, A[0] + 1j * A[1]], ids=["any", "jordan", "complex"])
def test_lyapunov(a):
    q = A[1] @ A[1].T
    given = cp.asarray(a), cp.asarray(q)
    close(linalg.solve_continuous_lyapunov(*given), scipy.linalg.solve_continuous_lyapunov(a, q))
    a = a / 3  # its eigenvalues' products are not 1
    for method in (None, "direct", "bilinear"):
        found = linalg.solve_discrete_lyapunov(cp.asarray(a), cp.asarray(q), method)
        close(found, scipy.linalg.solve_discrete_lyapunov(a, q, method))


def test_dependent_eigenvectors(monkeypatch):
    """They have no accurate solution, and are solved for all elements at once only where few."""
    a, q = cp.asarray(JORDAN), cp.asarray(Q @ Q.T)
    monkeypatch.setattr(_sylvester, "_MOST_UNKNOWNS", 15)
    with pytest.raises(np.linalg.LinAlgError, match="solve_continuous_lyapunov: the eigenvectors"):
        linalg.solve_continuous_lyapunov(a, q)


def test_equations_without_solutions():
    a = cp.asarray(np.diag([1.0, -1.0]))
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        linalg.solve_continuous_lyapunov(a, cp.ones((2, 2)))


def test_nothing_to_solve():
    found = linalg.solve_sylvester(cp.zeros((0, 0)), cp.ones((2, 2)), cp.zeros((0, 2)))
    assert found.shape == (0, 2)


@pytest.mark.parametrize(
    "name, shapes",
    [
        ("solve_sylvester", [(2, 2), (3, 3), (3, 2)]),
        ("solve_sylvester", [(2, 3), (3, 3), (2, 3)]),
        ("solve_continuous_lyapunov", [(2, 3), (2, 2)]),
        ("solve_continuous_lyapunov", [(2, 2), (3, 3)]),
        ("solve_discrete_lyapunov", [(2, 2), (3, 2)]),
    ],
)
def test_wrong_shapes(name, shapes):
    with pytest.raises(ValueError):
        getattr(scipy.linalg, name)(*map(np.ones, shapes))
    with pytest.raises(ValueError, match=r"fit together|should be square|the same shape"):
        getattr(linalg, name)(*map(cp.ones, shapes))


def test_unknown_method():
    with pytest.raises(ValueError, match="Unknown solver other"):
        linalg.solve_discrete_lyapunov(cp.eye(2), cp.eye(2), "other")
