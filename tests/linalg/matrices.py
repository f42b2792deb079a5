"""Matrices for tests of linear algebra, and how exact results are to be."""

from __future__ import annotations

import numpy as np

DTYPES = ["f4", "f8", "c8", "c16"]


def random(rng, dtype, *shape):
    """Numbers of a normal distribution; integers and bools where the dtype wants them."""
    dtype = np.dtype(dtype)
    values = rng.standard_normal(shape)
    if dtype.kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    if dtype.kind == "b":
        return values > 0
    return (values * 5 if dtype.kind in "iu" else values).astype(dtype)


def regular(rng, dtype, *shape):
    """Matrices that are far from singular."""
    n = shape[-1]
    return (random(rng, dtype, *shape) + n * np.eye(n)).astype(dtype)


def positive(rng, dtype, *shape):
    """Hermitian positive definite matrices."""
    x = random(rng, dtype, *shape)
    n = shape[-1]
    return (x @ x.conj().swapaxes(-1, -2) + n * np.eye(n)).astype(dtype)


def conditioned(rng, dtype, n, condition, definite=False):
    """A matrix of a condition, by its singular values."""
    u, _ = np.linalg.qr(random(rng, np.result_type(dtype, "f8"), n, n))
    v = u if definite else np.linalg.qr(random(rng, np.result_type(dtype, "f8"), n, n))[0]
    s = np.logspace(0, -np.log10(condition), n)
    return ((u * s) @ v.conj().T).astype(dtype)


def eps(dtype):
    return float(np.finfo(dtype).eps)


def close(found, expected, factor=200.0):
    """Compare with NumPy's result: dtype, shape, and elements by the precision of the dtype."""
    expected = np.asarray(expected)
    assert found.flags.c_contiguous
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    tolerance = factor * eps(expected.dtype)
    scale = float(np.abs(expected).max(initial=0))
    np.testing.assert_allclose(found.get(), expected, rtol=tolerance, atol=tolerance * scale)
