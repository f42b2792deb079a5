"""The exponential and other functions of matrices."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.linalg

import gpuarray as cp
from gpuarray.scipy import linalg

RNG = np.random.default_rng(0)
MATRIX = RNG.standard_normal((4, 4))


def exponential(a):
    """By a series in extended precision, of a small multiple, which is squared again."""
    wide = np.asarray(a, np.clongdouble if np.iscomplexobj(a) else np.longdouble)
    count = 8 + max(0, math.frexp(np.abs(wide).sum(axis=-2).max())[1])
    wide = wide / np.longdouble(2) ** count
    term = np.eye(wide.shape[-1], dtype=wide.dtype)
    rest = np.zeros_like(wide)  # the exponential but for the identity, which would hide it
    for k in range(1, 20):
        term = term @ wide / k
        rest = rest + term
    for _ in range(count):
        rest = 2 * rest + rest @ rest
    return rest + np.eye(wide.shape[-1], dtype=wide.dtype)


def close(found, expected, dtype, tolerance):
    """Elements differ by little in relation to the greatest of their matrix."""
    found = cp.asnumpy(found)
    assert found.dtype == dtype
    assert found.shape == expected.shape
    error = np.abs(found - expected).max(axis=(-2, -1))
    assert (error <= tolerance * np.abs(expected).max(axis=(-2, -1))).all()


@pytest.mark.parametrize("scale", [1e-3, 0.05, 0.2, 0.5, 1.5, 20])
def test_exponential_of_any_norm(scale):
    """A scale for each degree, and one for which a matrix is halved."""
    a = MATRIX * scale
    close(linalg.expm(cp.asarray(a)), exponential(a), np.float64, 2e-14)


STACK = MATRIX * np.array([0.01, 3, 30]).reshape(3, 1, 1, 1)


@pytest.mark.parametrize(
    "matrices, tolerance",
    [
        (STACK, 3e-14),
        pytest.param(STACK.astype("f4"), 3e-5, marks=pytest.mark.slow),
        (STACK[:2].astype("f2"), 3e-5),
        (MATRIX.T * 2 + 1j * MATRIX, 1e-14),
        (np.arange(9).reshape(3, 3), 1e-14),
        (np.ones((2, 2), bool), 1e-14),
        (np.array([[[2]], [[3]]]), 1e-15),
    ],
    ids=["f8", "f4", "f2", "c16", "int", "bool", "1x1"],
)
def test_exponential_of_any_dtype(matrices, tolerance):
    found = linalg.expm(cp.asarray(matrices))
    # Later versions of SciPy want the cast from their callers.
    narrow = {"e": "f4", "?": "f8"}.get(matrices.dtype.char, matrices.dtype)
    dtype = scipy.linalg.expm(matrices.astype(narrow)).dtype
    close(found, exponential(matrices), dtype, tolerance)


@pytest.mark.parametrize(
    "matrix",
    [
        np.array([[1, 1e6], [0, -1]]),
        np.array([[1, 1e6], [1e-9, -1]]),
        np.array([[0, 1e30], [-1e-30, 0]]),
        np.array([[0, 1e60], [0, 0]]),
    ],
)
def test_norms_that_say_too_much(matrix):
    """Without the norms of powers, such matrices would be halved too often."""
    found = cp.asnumpy(linalg.expm(cp.asarray(matrix)))
    np.testing.assert_allclose(found, scipy.linalg.expm(matrix), rtol=1e-12)


def test_exponential_of_triangles():
    """Elements of the diagonal are exact, however small, and nothing is beyond it."""
    upper = np.triu(MATRIX) * 20 - np.diag([0, 100, 200, 300])
    stack = np.stack([upper, upper.T, np.diag(np.diag(upper)), MATRIX])
    found = cp.asnumpy(linalg.expm(cp.asarray(stack)))
    expected = scipy.linalg.expm(stack)
    for x in found[:3]:
        np.testing.assert_allclose(np.diag(x), np.exp(np.diag(upper)), rtol=1e-15)
    assert not np.tril(found[0], -1).any()
    assert not np.triu(found[1], 1).any()
    np.testing.assert_allclose(found[1], found[0].T, rtol=1e-13)
    np.testing.assert_allclose(np.diag(found[0], 1), np.diag(expected[0], 1), rtol=1e-13)
    np.testing.assert_allclose(found[2:], expected[2:], rtol=1e-12)


def test_exponentials_that_are_not_finite():
    for bad in (np.nan, np.inf):
        stack = np.stack([MATRIX, MATRIX])
        stack[0, 1, 2] = bad
        found = cp.asnumpy(linalg.expm(cp.asarray(stack)))
        assert np.isnan(found[0]).all()
        np.testing.assert_allclose(found[1], exponential(MATRIX).astype(float), rtol=1e-13)


@pytest.mark.parametrize("name", ["expm", "cosm", "tanhm"])
def test_nothing_to_compute(name):
    for shape in [(0, 0), (0, 3, 3), (2, 0, 0)]:
        found = getattr(linalg, name)(cp.zeros(shape, "i4"))
        assert (found.shape, found.dtype) == (shape, np.float64)
    assert linalg.expm(2.0).shape == (1, 1)


REAL = np.stack([MATRIX[:3, :3], MATRIX[1:, 1:]])
COMPLEX = REAL[0] + 1j * REAL[1]
NAMES = ["cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm"]


@pytest.mark.parametrize(
    "name, matrices, tolerance",
    [
        *[(name, REAL, 2e-14) for name in NAMES],
        ("tanm", COMPLEX, 2e-14),
        *[
            pytest.param(name, x, tolerance, marks=pytest.mark.slow)
            for name in NAMES
            for x, tolerance in ((COMPLEX, 2e-14), (REAL.astype("f4"), 2e-5))
        ],
    ],
)
def test_trigonometric_functions(name, matrices, tolerance):
    expected = getattr(scipy.linalg, name)(matrices)
    close(getattr(linalg, name)(cp.asarray(matrices)), expected, expected.dtype, tolerance)


@pytest.mark.parametrize("method", [None, "SPS", "blockEnlarge"])
@pytest.mark.parametrize("scale", [0.1, 10])
def test_derivatives(method, scale):
    a, direction = MATRIX * scale, MATRIX.T
    found = linalg.expm_frechet(cp.asarray(a), cp.asarray(direction), method)
    wide = exponential(np.block([[a, direction], [np.zeros_like(a), a]]))
    close(found[0], wide[:4, :4], np.float64, 2e-13)
    close(found[1], wide[:4, 4:], np.float64, 2e-13)


def test_derivatives_of_stacks():
    a, direction = np.stack([MATRIX * 0.1, MATRIX * 20]), MATRIX.T + 1j
    found = linalg.expm_frechet(cp.asarray(a), cp.asarray(direction), compute_expm=False)
    expected = [scipy.linalg.expm_frechet(x, direction, compute_expm=False) for x in a]
    close(found, np.stack(expected), np.complex128, 1e-12)


def test_condition_of_the_exponential():
    a = np.stack([MATRIX[:3, :3], np.triu(MATRIX[:3, :3]) * 5])
    expected = [scipy.linalg.expm_cond(x) for x in a]
    np.testing.assert_allclose(cp.asnumpy(linalg.expm_cond(cp.asarray(a))), expected, rtol=1e-10)
    assert linalg.expm_cond(cp.asarray(a[0])).shape == ()


NOT_FINITE = np.array([[np.nan, 1], [1, 2]])


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("expm", [np.ones(2)]),
        ("expm", [np.ones((2, 3))]),
        ("cosm", [np.ones((2, 3))]),
        ("tanhm", [np.ones(3)]),
        ("expm_frechet", [np.ones((2, 3)), np.ones((2, 2))]),
        ("expm_frechet", [np.ones((2, 2)), np.ones((2, 3))]),
        ("expm_frechet", [np.ones((2, 2)), np.ones((3, 3))]),
        ("expm_frechet", [np.ones((2, 2)), np.ones((2, 2)), "other"]),
        ("expm_frechet", [NOT_FINITE, np.ones((2, 2))]),
        ("expm_frechet", [np.ones((2, 2)), NOT_FINITE]),
        ("expm_cond", [NOT_FINITE]),
        ("expm_cond", [np.ones((2, 3))]),
    ],
)
def test_wrong_arguments(name, arguments):
    with pytest.raises(Exception) as expected:
        getattr(scipy.linalg, name)(*arguments)
    given = [cp.asarray(x) if isinstance(x, np.ndarray) else x for x in arguments]
    with pytest.raises(expected.type) as found:
        getattr(linalg, name)(*given)
    assert str(found.value) == str(expected.value)


def test_dtypes_without_functions():
    with pytest.raises(TypeError, match="unsupported in linalg"):
        linalg.cosm(cp.zeros((2, 2), "M8[s]"))


@pytest.mark.parametrize("order", [None, 1, np.inf, "fro", -2])
def test_norms(order):
    found = linalg.norm(cp.asarray(MATRIX), order)
    np.testing.assert_allclose(cp.asnumpy(found), scipy.linalg.norm(MATRIX, order), rtol=1e-13)


def test_norms_along_axes():
    found = linalg.norm(cp.asarray(MATRIX), 3, 1, True)
    expected = scipy.linalg.norm(MATRIX, 3, 1, True)
    np.testing.assert_allclose(cp.asnumpy(found), expected, rtol=1e-13, strict=True)
