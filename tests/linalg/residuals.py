"""What tests of decompositions share: random matrices of a condition, and how good factors are."""

from __future__ import annotations

import numpy as np

#: Of dtypes, the multiple of the precision that residuals of small matrices keep to.
ALLOWED = 40


def random(shape, dtype="f8", seed=0):
    """Numbers around 0."""
    rng = np.random.default_rng(seed)
    numbers = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        numbers = numbers + 1j * rng.standard_normal(shape)
    return (numbers if np.dtype(dtype).kind in "fc" else 9 * numbers).astype(dtype)


def of_condition(condition, shape, dtype="f8", seed=0):
    """Matrices whose singular values go from 1 down to 1 / condition, evenly in logarithm."""
    *batch, m, n = shape
    k = min(m, n)
    wide = "c16" if np.dtype(dtype).kind == "c" else "f8"
    u = np.linalg.qr(random((*batch, m, k), wide, seed))[0]
    v = np.linalg.qr(random((*batch, n, k), wide, seed + 1))[0]
    s = np.geomspace(1, 1 / condition, k)
    return ((u * s) @ v.conj().swapaxes(-1, -2)).astype(dtype)


def precision(*arrays):
    """What residuals of results of these dtypes may be."""
    return ALLOWED * max(np.finfo(x.dtype).eps for x in arrays if x.dtype.kind in "fc")


def is_product(factors, matrix):
    """Whether matrices are the product of factors, to the precision of their dtype."""
    wide = [x.astype("c16") for x in factors]
    product = wide[0]
    for x in wide[1:]:
        product = product @ x
    assert product.shape == matrix.shape
    # Errors are relative to the norm.
    norms = np.linalg.norm(matrix, 2, axis=(-2, -1) if matrix.ndim > 1 else None)
    scale = max(np.max(norms), np.finfo("f4").tiny)
    assert np.abs(product - matrix).max(initial=0) <= precision(*factors) * scale


def is_orthonormal(columns):
    """Whether the columns of matrices are orthonormal."""
    wide = columns.astype("c16")
    products = wide.conj().swapaxes(-1, -2) @ wide
    difference = np.abs(products - np.eye(columns.shape[-1])).max(initial=0)
    assert difference <= precision(columns)
