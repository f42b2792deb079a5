"""Matrices of few rows, or few columns: R of their QR factorisations goes to our own kernels."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.linalg.residuals import is_orthonormal, is_product, of_condition, precision, random


@pytest.mark.parametrize("full", [False, True], ids=["reduced", "full"])
@pytest.mark.parametrize("shape", [(40, 3), (3, 40), (2, 35, 3), (2, 1, 3, 34)], ids=str)
@pytest.mark.parametrize("dtype", ["f8", "c8"])
def test_singular_values_of_long_matrices(shape, dtype, full):
    """R of a QR factorisation is a small matrix."""
    host = random(shape, dtype)
    found = cp.linalg.svd(cp.asarray(host), full)
    expected = np.linalg.svd(host, full)
    assert [(x.shape, x.dtype) for x in found] == [(x.shape, x.dtype) for x in expected]
    assert all(x.flags.c_contiguous for x in found)
    u, s, vh = [x.get() for x in found]
    k = s.shape[-1]
    is_orthonormal(u)
    is_orthonormal(vh.conj().swapaxes(-1, -2))
    is_product((u[..., :k] * s[..., None, :], vh[..., :k, :]), host)
    values = cp.linalg.svdvals(cp.asarray(host)).get()
    np.testing.assert_allclose(values, expected.S, rtol=1e3 * np.finfo(dtype).eps)
    if full:
        bad = host.copy()
        bad[..., 1, 0] = np.nan
        with pytest.raises(np.linalg.LinAlgError, match="SVD did not converge"):
            cp.linalg.svd(cp.asarray(bad))
        with cp.errstate(linalg="ignore"):
            assert all(np.isnan(x.get()).all() for x in cp.linalg.svd(cp.asarray(bad)))


@pytest.mark.parametrize("exponent", [1, 5, 10, 15])
def test_conditions_of_long_matrices(exponent):
    host = of_condition(10.0**exponent, (50, 3))
    u, s, vh = [x.get() for x in cp.linalg.svd(cp.asarray(host), full_matrices=False)]
    is_orthonormal(u)
    is_orthonormal(vh.T)
    is_product((u * s, vh), host)
    assert np.abs(s - np.linalg.svdvals(host)).max() <= precision(s)


def test_long_matrices_of_zeros_and_infinities():
    host = np.zeros((2, 3, 40))
    host[1, 1, 7] = np.inf
    u, s, vh = [x.get() for x in cp.linalg.svd(cp.asarray(host), full_matrices=False)]
    is_orthonormal(u[0])
    is_orthonormal(vh[0].T)
    assert not s[0].any()
    assert all(np.isnan(x[1]).all() for x in (u, s, vh))
