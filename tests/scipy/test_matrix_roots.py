"""Square roots, logarithms, fractional powers and signs of matrices, against SciPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.linalg

import gpuarray as cp
from gpuarray.scipy import linalg

RNG = np.random.default_rng(0)
ANY = RNG.standard_normal((4, 4)) + 3 * np.eye(4)
HERMITIAN = (ANY + 1j * RNG.standard_normal((4, 4))) @ np.eye(4)
HERMITIAN = HERMITIAN @ HERMITIAN.conj().T
UPPER = np.diag([-1.0, 2, 3]) + np.triu(np.ones((3, 3)), 1)

MATRICES = {
    "any": ANY,
    "stack": np.stack([ANY, ANY.T + np.eye(4)]),
    "hermitian": HERMITIAN,
    "negative eigenvalue": UPPER,
    "negative definite": -np.eye(2),
    "jordan": np.eye(3) + np.eye(3, k=1),
    "half turn": np.array([[np.cos(3.1), -np.sin(3.1)], [np.sin(3.1), np.cos(3.1)]]),
    "complex": UPPER + 1j * RNG.standard_normal((3, 3)),
    "integers": np.array([[1, 2], [3, 40]]),
    "one": np.array([[-4.0]]),
    "f4": ANY.astype("f4"),
}


def reference(name, matrix, *arguments):
    """SciPy's, which warns of results that are right."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(scipy.linalg, name)(matrix, *arguments)


def close(found, expected, tolerance):
    found = cp.asnumpy(found)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


#: The quick ones.
FEW = ("stack", "hermitian", "negative eigenvalue")


@pytest.mark.parametrize("name", ["sqrtm", "logm", "signm"])
@pytest.mark.parametrize(
    "kind", [pytest.param(x, marks=() if x in FEW else pytest.mark.slow) for x in MATRICES]
)
def test_against_scipy(name, kind):
    matrix = MATRICES[kind]
    found = getattr(linalg, name)(cp.asarray(matrix))
    if kind == "f4":
        # SciPy computes logarithms in single precision, but has them as double.
        assert found.dtype == ("f8" if name == "logm" else "f4")
        close(found, reference(name, matrix.astype("f8")), 1e-6)
        return
    expected = reference(name, matrix)
    assert found.dtype == expected.dtype
    close(found, expected, 5e-14)


@pytest.mark.parametrize(
    "kind, t",
    [
        ("any", -1.7),
        ("any", -3),
        ("hermitian", 2.3),
        *[
            pytest.param(kind, t, marks=pytest.mark.slow)
            for kind in FEW[1:]
            for t in (0.5, -1.7, 3)
        ],
    ],
)
def test_fractional_powers(kind, t):
    matrix = MATRICES[kind]
    expected = reference("fractional_matrix_power", matrix, t)
    close(linalg.fractional_matrix_power(cp.asarray(matrix), t), expected, 1e-13)


def test_positive_semidefinite():
    """The rounding errors of eigenvalues of 0 are no reason for a complex root."""
    root = linalg.sqrtm(cp.ones((3, 3)))
    assert root.dtype == np.float64
    np.testing.assert_allclose(cp.asnumpy(root @ root), np.ones((3, 3)), atol=1e-15)


@pytest.mark.parametrize("condition", [1e3, 1e7])
def test_ill_conditioned(condition):
    """The loss of accuracy is what the docstring says, and it is told."""
    vectors = RNG.standard_normal((4, 4))
    matrix = vectors @ np.diag(np.geomspace(1, 1 / condition, 4)) @ np.linalg.inv(vectors)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        root = cp.asnumpy(linalg.sqrtm(cp.asarray(matrix)))
    residual = np.linalg.norm(root @ root - matrix) / np.linalg.norm(matrix)
    assert residual < 1e-14 * np.sqrt(condition) * np.linalg.cond(vectors)
    if residual > 2 * 4000 * np.finfo(float).eps:
        assert [x.category for x in caught] == [linalg.LinAlgWarning]


def test_singular_matrices():
    stack = np.stack([ANY, np.eye(4, k=1)])
    with pytest.warns(linalg.LinAlgWarning, match="singular"):
        root = cp.asnumpy(linalg.sqrtm(cp.asarray(stack)))
    close(cp.asarray(root[0]), scipy.linalg.sqrtm(ANY), 1e-14)
    assert np.isnan(root[1]).all()
    with pytest.warns(RuntimeWarning, match="logm result may be inaccurate"):
        logarithm = cp.asnumpy(linalg.logm(cp.asarray(stack)))
    close(cp.asarray(logarithm[0]), scipy.linalg.logm(ANY), 5e-14)
    assert np.isnan(logarithm[1]).all()
    with pytest.warns(linalg.LinAlgWarning, match="signm result may be inaccurate"):
        linalg.signm(cp.asarray(stack[1]))


@pytest.mark.parametrize("name", ["sqrtm", "logm", "signm"])
def test_nothing_to_compute(name):
    found = getattr(linalg, name)(cp.zeros((0, 2, 2), "i4"))
    assert (found.shape, found.dtype) == ((0, 2, 2), np.float64)


@pytest.mark.parametrize("name", ["sqrtm", "logm", "signm"])
@pytest.mark.parametrize("shape", [(2,), (2, 3)])
def test_wrong_shapes(name, shape):
    with pytest.raises(ValueError) as expected:
        getattr(scipy.linalg, name)(np.ones(shape))
    with pytest.raises(expected.type) as found:
        getattr(linalg, name)(cp.ones(shape))
    assert str(found.value) == str(expected.value)
