"""Eigenvalues and singular values of small matrices, by Jacobi's method."""

from __future__ import annotations

import numpy as np
import pytest

from gpuarray.kernels.small_matrix import launch
from tests.linalg.small_matrices import (
    adjoint,
    call,
    check_eigh,
    check_svd,
    each_size,
    epsilon,
    orthonormal,
    random,
)

# ---- eigenvalues ---------------------------------------------------------------------------------


def hermitian(rng, dtype, values):
    """A Hermitian matrix with given eigenvalues."""
    q = orthonormal(rng, dtype, len(values), len(values))
    x = (q * values) @ adjoint(q)
    return ((x + adjoint(x)) / 2).astype(dtype)


@each_size
def test_eigh(dtype, n, rng):
    a = random(rng, dtype, 3, n, n)
    a = ((a + adjoint(a)) / 2).astype(dtype)
    w = check_eigh(a)
    for upper in (False, True):
        # The other triangle is not read.
        kept = np.tri(n, dtype=bool).T if upper else np.tri(n, dtype=bool)
        given = np.where(kept, a, np.nan).astype(dtype)
        values, info = call(launch.eigh_call, given, upper=upper, vectors=False)
        assert not info.any()
        np.testing.assert_allclose(values, w, 0, 8 * n * epsilon(dtype) * np.abs(w).max())


SPECTRA = {
    "zero": np.zeros(7),
    "one": np.ones(7),
    "of either sign": np.array([1.0, -1, 1, -1, 1, -1, 0]),
    "rank 1": np.array([3.0, 0, 0, 0, 0, 0, 0]),
    "rank 3": np.array([3.0, 2, 1, 0, 0, 0, 0]),
    "clusters": np.array([1, 1 + 1e-7, 1 + 2e-7, 1, 2, 2 + 1e-6, 0]),
    "huge": np.arange(1, 8) * 2.0**1015,
    "tiny": np.arange(1, 8) * 2.0**-1018,
    "subnormal": np.arange(1, 8) * 2.0**-1040,
    "1e1": np.logspace(0, -1, 7),
    "1e8": np.logspace(0, -8, 7),
    "1e15": np.logspace(0, -15, 7),
}


def test_spectra_of_hermitian_matrices(rng):
    values = np.array(list(SPECTRA.values()))
    exponents = np.frexp(np.abs(values).max(-1))[1]
    # Made at a scale at which nothing overflows or underflows.
    a = np.stack([hermitian(rng, "f8", np.ldexp(x, -e)) for x, e in zip(values, exponents)])
    check_eigh(np.ldexp(a, exponents[:, None, None]))


def equal_elements(n):
    return np.ones((n, n)), np.full((n, n), 0.1), np.eye(n)[::-1], np.diag(np.arange(n) % 3.0)


def test_eigenvalues_of_matrices_of_few_numbers():
    check_eigh(np.stack(equal_elements(7)))


def test_small_eigenvalues_of_graded_matrices(rng):
    scale = 10.0 ** -np.arange(0, 12, 2)
    inner = 2 * np.eye(6) + 0.1 * random(rng, "f8", 6, 6)
    a = scale[:, None] * (inner + inner.T) * scale
    w = check_eigh(a)
    # Those of the inverse, which is graded the other way round.
    inverse = np.linalg.inv(inner + inner.T) / scale[:, None] / scale
    other = call(launch.eigh_call, (inverse + inverse.T) / 2, upper=False, vectors=False)[0]
    np.testing.assert_allclose(w, 1 / other[::-1], 1e-13)


# ---- singular values -----------------------------------------------------------------------------


@each_size
@pytest.mark.parametrize("full", [False, True])
def test_svd(dtype, n, full, rng):
    for shape in {(n, n), (n, n // 2 + 1), (n // 2 + 1, n)}:
        a = random(rng, dtype, 3, *shape)
        s = check_svd(a, full)
        values, info = call(launch.svdvals_call, a)
        assert (values.dtype, values.shape, info.tolist()) == (s.dtype, s.shape, [0, 0, 0])
        np.testing.assert_allclose(values, s, 0, 8 * n * epsilon(dtype) * s.max())


@pytest.mark.parametrize("shape", [(7, 7), (8, 7), (7, 8)])
def test_spectra_of_singular_values(shape, rng):
    values = np.abs(list(SPECTRA.values()))
    exponents = np.frexp(values.max(-1))[1]
    u, v = (orthonormal(rng, "f8", len(values), n, 7) for n in shape)
    a = (u * np.ldexp(values, -exponents[:, None])[:, None]) @ adjoint(v)
    check_svd(np.ldexp(a, exponents[:, None, None]), full=True)


def test_singular_values_of_matrices_of_few_numbers():
    a = np.stack(equal_elements(7))
    for one in (a, a[:, :5], a[:, :, 2:]):
        check_svd(one, full=True)


def test_small_singular_values_of_graded_columns(rng):
    scale = 10.0 ** -np.arange(0, 120, 20)
    inner = np.eye(6) + 0.1 * random(rng, "f8", 6, 6)
    s = call(launch.svd_call, inner * scale, full=False)[1]
    assert (s / scale > 0.5).all()
    # The product of all is the determinant's absolute value.
    np.testing.assert_allclose(np.prod(s / scale), np.abs(np.linalg.det(inner)), 1e-13)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_columns_that_vanish_beside_others(dtype, rng):
    scale = np.logspace(0, 0.9 * np.log10(np.finfo(dtype).tiny), 7)
    a = (random(rng, "f8", 7, 7) * np.sqrt(scale) * scale[:, None]).astype(dtype)
    check_svd(a, full=True)
    check_svd(a[:, ::-1], full=True)


def test_nan_and_infinity_in_jacobis_method(rng):
    a = random(rng, "f8", 3, 4, 4)
    a = a + adjoint(a)
    a[0, 1, 1], a[2, 3, 3] = np.nan, np.inf
    w, v, info = call(launch.eigh_call, a, upper=False, vectors=True)
    assert info.tolist() == [0, 0, 0]
    for one in (w, v):
        assert np.isnan(one[::2]).all()
        assert np.isfinite(one[1]).all()
    u, s, vh, info = call(launch.svd_call, a, full=False)
    assert info.tolist() == [1, 0, 0]  # NumPy raises for a NaN alone
    for one in (u, s, vh):
        assert np.isnan(one[::2]).all()
        assert np.isfinite(one[1]).all()
