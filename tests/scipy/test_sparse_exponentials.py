"""Products with exponentials of matrices, against SciPy's dense exponential."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse.linalg as expected

import gpuarray as cp
from gpuarray.scipy import sparse
from gpuarray.scipy.sparse import linalg
from tests.slow import slow_except

RNG = np.random.default_rng(0)
A = RNG.standard_normal((6, 6)) * (RNG.random((6, 6)) < 0.5)
B = RNG.standard_normal((6, 2))


def close(found, right, precise=1e-12):
    found = cp.asnumpy(found)
    assert found.shape == right.shape
    assert found.dtype == right.dtype
    assert np.abs(found - right).max() <= precise * np.abs(right).max()


@pytest.mark.slow
@pytest.mark.parametrize("scale", slow_except([1.0], [0.0, 1e-3, 1.0, -8.0, 1j]))
def test_products(scale):
    a = A * scale + np.eye(6)
    right = scipy.linalg.expm(a) @ B
    close(linalg.expm_multiply(cp.asarray(a), cp.asarray(B)), right)
    close(linalg.expm_multiply(sparse.csr_array(cp.asarray(a)), cp.asarray(B[:, 0])), right[:, 0])


def test_no_columns():
    assert linalg.expm_multiply(cp.asarray(A), cp.empty((6, 0))).shape == (6, 0)


def test_what_is_not_finite():
    a = sparse.csr_array(cp.asarray(A))
    a.data[0] = np.nan
    assert np.isnan(linalg.expm_multiply(a, cp.asarray(B)).get()).all()
    a.data[0] = np.inf
    assert np.isnan(linalg.expm_multiply(a, cp.asarray(B[:, 0])).get()).all()


@pytest.mark.slow
def test_operators_and_kinds_of_numbers():
    right = scipy.linalg.expm(A) @ B
    matrix = cp.asarray(A)
    operator = linalg.LinearOperator((6, 6), lambda x: matrix @ x, lambda x: matrix.T @ x)
    with pytest.warns(UserWarning, match="Trace of LinearOperator not available"):
        close(linalg.expm_multiply(operator, cp.asarray(B)), right)
    close(linalg.expm_multiply(operator, cp.asarray(B), traceA=np.trace(A)), right)
    found = linalg.expm_multiply(cp.asarray(A.astype("f4")), cp.asarray(B.astype("f4")))
    close(found, right.astype("f4"), 1e-5)
    whole = np.round(A * 2).astype(int)
    close(
        linalg.expm_multiply(cp.asarray(whole), cp.ones(6, int)),
        scipy.linalg.expm(whole) @ np.ones(6),
    )


def test_a_sparse_right_side():
    a, b = cp.asarray(A), sparse.csc_array(cp.asarray(B))
    found = linalg.expm_multiply(a, b)
    assert type(found) is sparse.csc_array
    close(found.toarray(), scipy.linalg.expm(A) @ B)
    found = linalg.expm_multiply(a, b, start=0, stop=1, num=2)
    close(found[-1], scipy.linalg.expm(A) @ B)


@pytest.mark.parametrize(
    "options", slow_except([{"num": 3}], [{}, {"num": 3}, {"num": 4, "endpoint": False}]), ids=str
)
def test_intervals(options):
    found = linalg.expm_multiply(cp.asarray(A), cp.asarray(B[:, 0]), start=0.5, stop=2, **options)
    close(found, expected.expm_multiply(A, B[:, 0], start=0.5, stop=2, **options), 1e-11)


def test_exponentials():
    found = linalg.expm(sparse.csc_array(cp.asarray(A)))
    assert isinstance(found, sparse.csc_array)
    close(found.toarray(), scipy.linalg.expm(A))
    close(linalg.expm(cp.asarray(A)), scipy.linalg.expm(A))


def test_errors():
    a, b = cp.asarray(A), cp.asarray(B)
    for wrong in ((a[:3], b), (a, b[:3]), (a, b[None])):
        with pytest.raises(ValueError, match="expm_multiply"):
            linalg.expm_multiply(*wrong)
    for options in ({"start": 1.0}, {"start": 0, "stop": 1, "num": 1}):
        with pytest.raises(ValueError, match="expm_multiply"):
            linalg.expm_multiply(a, b, **options)
    with pytest.raises(ValueError, match="square"):
        linalg.expm(sparse.csc_array(cp.ones((2, 3))))
