"""Direct solvers and norms of sparse matrices, against SciPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg as expected

import gpuarray as cp
from gpuarray.scipy import sparse
from gpuarray.scipy.sparse import linalg
from gpuarray.scipy.sparse.linalg import _equations
from tests.slow import slow_except

RNG = np.random.default_rng(0)
N = 9
A = RNG.standard_normal((N, N)) * (RNG.random((N, N)) < 0.4) + np.diag(np.arange(1.0, N + 1))[::-1]
B = RNG.standard_normal((N, 3))


def both(a, format="csc", kind="array"):
    name = f"{format}_{kind}"
    return getattr(sparse, name)(cp.asarray(a)), getattr(scipy.sparse, name)(a)


def close(found, right, precise=1e-11):
    right = np.asarray(right)
    found = cp.asnumpy(found)
    assert found.dtype == right.dtype
    assert found.shape == right.shape
    np.testing.assert_allclose(found, right, precise, precise)


@pytest.mark.parametrize("dtype", slow_except(["f8"], ["f8", "f4", "c16", "i4"]))
def test_spsolve(dtype):
    a = np.round(A * 4).astype(dtype) if dtype == "i4" else A.astype(dtype)
    a = a + 1j * np.eye(N) if dtype == "c16" else a
    mine, theirs = both(a, "csr")
    right = B.astype("f4" if dtype == "f4" else "f8")
    for b in (right[:, 0], right[:, :1], right):
        close(
            linalg.spsolve(mine, cp.asarray(b)),
            expected.spsolve(theirs, b),
            1e-3 if dtype == "f4" else 1e-11,
        )


def test_spsolve_of_sparse_right_sides():
    mine, theirs = both(A)
    right, b = both(B * (B > 0))
    found = linalg.spsolve(mine, right)
    assert isinstance(found, sparse.csc_array)
    close(found.toarray(), expected.spsolve(theirs, b).toarray())
    right, b = both(B[:, :1])
    close(linalg.spsolve(mine, right), expected.spsolve(theirs, b))


def test_factors():
    mine, theirs = both(A)
    factors = linalg.splu(mine)
    order, columns = cp.asnumpy(factors.perm_r), cp.asnumpy(factors.perm_c)
    assert order.dtype == columns.dtype == np.int32
    rows = np.zeros((N, N))
    rows[order, np.arange(N)] = 1
    lower, upper = cp.asnumpy(factors.L.toarray()), cp.asnumpy(factors.U.toarray())
    np.testing.assert_allclose(rows @ A, lower @ upper, 0, 1e-13)
    np.testing.assert_array_equal(columns, np.arange(N))
    assert factors.shape == (N, N)
    assert factors.nnz == np.count_nonzero(lower) + np.count_nonzero(upper)
    right = expected.splu(theirs)
    for trans in "NTH":
        close(factors.solve(cp.asarray(B), trans), right.solve(B, trans))
    close(linalg.factorized(mine)(cp.asarray(B[:, 0])), right.solve(B[:, 0]))
    close(linalg.spilu(mine).solve(cp.asarray(B)), right.solve(B))
    close(linalg.inv(mine).toarray(), np.linalg.inv(A))


def test_factors_precondition():
    mine, _ = both(A)
    factors = linalg.spilu(mine)
    operator = linalg.LinearOperator((N, N), factors.solve)
    x, info = linalg.gmres(cp.asarray(A), cp.asarray(B[:, 0]), M=operator)
    assert info == 0
    np.testing.assert_allclose(A @ cp.asnumpy(x), B[:, 0], 1e-4)


@pytest.mark.parametrize("options", [{}, {"unit_diagonal": True}, {"lower": False}], ids=str)
@pytest.mark.parametrize("format", ["csr", "csc"])
def test_triangles(format, options):
    triangle = np.tril(A) if options.get("lower", True) else np.triu(A)
    triangle = triangle + N * np.eye(N)
    mine, theirs = both(triangle, format)
    for b in (B, B[:, 0]):
        close(
            linalg.spsolve_triangular(mine, cp.asarray(b), **options),
            expected.spsolve_triangular(theirs, b, **options),
        )


@pytest.mark.parametrize("options", [{}, {"unit_diagonal": True, "lower": False}], ids=str)
def test_large_triangles(options, monkeypatch):
    monkeypatch.setattr(_equations, "_DENSE_TRIANGLE", 0)
    triangle = np.tril(A) if options.get("lower", True) else np.triu(A)
    mine, theirs = both(triangle + N * np.eye(N), "csr")
    for b in (B, B[:, 0]):
        close(
            linalg.spsolve_triangular(mine, cp.asarray(b), **options),
            expected.spsolve_triangular(theirs, b, **options),
        )
    chain, theirs = both(np.eye(40) - np.eye(40, k=-1))
    b = np.ones(40)
    close(linalg.spsolve_triangular(chain, cp.asarray(b)), expected.spsolve_triangular(theirs, b))
    b[0] = np.nan
    assert np.isnan(cp.asnumpy(linalg.spsolve_triangular(chain, cp.asarray(b)))).all()


def test_singular_matrices():
    singular = np.diag([1.0, 0.0, 2.0])
    mine, theirs = both(singular)
    with pytest.warns(linalg.MatrixRankWarning, match="exactly singular"):
        found = linalg.spsolve(mine, cp.ones(3))
    with pytest.warns(expected.MatrixRankWarning):
        close(found, expected.spsolve(theirs, np.ones(3)))
    for name in ("splu", "spilu", "factorized", "inv"):
        for module, a in ((linalg, mine), (expected, theirs)):
            with pytest.raises(RuntimeError, match="singular"):
                getattr(module, name)(a)
    for module, a, b in ((linalg, mine, cp.ones(3)), (expected, theirs, np.ones(3))):
        with pytest.raises(np.linalg.LinAlgError, match="singular"):
            module.spsolve_triangular(a, b)


def test_errors():
    mine, _ = both(A)
    for name in ("spsolve", "spsolve_triangular"):
        function = getattr(linalg, name)
        for a, b in ((mine, cp.ones(3)), (sparse.csc_array(cp.asarray(A[:, :3])), cp.ones(N))):
            with pytest.raises(ValueError, match=name):
                function(a, b)
        with pytest.warns(sparse.SparseEfficiencyWarning):
            function(sparse.coo_array(cp.eye(3)), cp.ones(3))
    for name in ("splu", "spilu"):
        with pytest.raises(ValueError, match="square"):
            getattr(linalg, name)(sparse.csc_array(cp.asarray(A[:, :3])))
        with pytest.warns(sparse.SparseEfficiencyWarning, match=name):
            getattr(linalg, name)(mine.tocsr())
    factors = linalg.splu(mine)
    with pytest.raises(ValueError, match="trans"):
        factors.solve(cp.ones(N), "X")
    with pytest.raises(ValueError, match="incompatible"):
        factors.solve(cp.ones(3))
    with pytest.raises(TypeError, match="complex128"):
        factors.solve(cp.ones(N, complex))
    with pytest.raises(TypeError, match="sparse"):
        linalg.inv(cp.ones((2, 2)))
    with pytest.raises(TypeError, match="splu"):
        linalg.SuperLU()
    for name in (
        "spsolve",
        "spsolve_triangular",
        "splu",
        "spilu",
        "factorized",
        "aslinearoperator",
    ):
        args = (cp.ones(N),) if name.startswith("spsolve") else ()
        with pytest.raises(TypeError, match="copies it to the device"):
            getattr(linalg, name)(scipy.sparse.csc_array(A), *args)


@pytest.mark.parametrize("format", slow_except(["csr"], ["csr", "csc", "coo"]))
def test_norms(format):
    mine, theirs = both(A, format)
    for order in (None, "fro", 1, -1, np.inf, -np.inf, 2):
        close(linalg.norm(mine, order), expected.norm(theirs, order), 1e-9)
    for axis in (0, 1, -1):
        for order in (None, 0, 1, 2, 3, np.inf, -np.inf):
            right = expected.norm(theirs, order, axis)
            np.testing.assert_allclose(cp.asnumpy(linalg.norm(mine, order, axis)), right, 1e-12)


def test_errors_of_norms():
    mine, theirs = both(A)
    for order, axis in (("x", None), (7, None), (-2, None), (None, 2), (None, (0, 0)), (None, "x")):
        with pytest.raises(Exception) as right:
            expected.norm(theirs, order, axis)
        with pytest.raises(right.type):
            linalg.norm(mine, order, axis)
    with pytest.raises(TypeError, match="sparse"):
        linalg.norm(cp.ones((2, 2)))


def test_estimates_of_norms():
    mine, _ = both(A)
    for a in (mine, cp.asarray(A), cp.asarray(A[:2, :2])):
        est, v, w = linalg.onenormest(a, compute_v=True, compute_w=True)
        dense = A[: a.shape[0], : a.shape[0]]
        assert est <= np.abs(dense).sum(axis=0).max() * (1 + 1e-14)
        assert est >= np.abs(dense).sum(axis=0).max() / 3
        np.testing.assert_allclose(cp.asnumpy(w), dense @ cp.asnumpy(v), 1e-12)
    with pytest.raises(ValueError, match="square"):
        linalg.onenormest(cp.ones((2, 3)))


def test_solvers_take_sparse_matrices():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mine, theirs = both(A @ A.T + np.eye(N), "csr")
        for name in ("cg", "gmres", "minres"):
            found, right = (
                getattr(module, name)(a, b, rtol=1e-10)[0]
                for module, a, b in (
                    (linalg, mine, cp.asarray(B[:, 0])),
                    (expected, theirs, B[:, 0]),
                )
            )
            np.testing.assert_allclose(cp.asnumpy(found), right, 1e-5)
        close(linalg.eigsh(mine, k=2)[0], np.linalg.eigvalsh(A @ A.T + np.eye(N))[-2:], 1e-9)
