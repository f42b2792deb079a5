"""Direct solvers and norms of sparse matrices, against SciPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg as expected

import gpuarray as cp
from gpuarray.errors import CaptureError, CuDSSError, OutOfMemoryError
from gpuarray.kernels.sparse_factor import launch
from gpuarray.scipy import sparse
from gpuarray.scipy.sparse import linalg
from gpuarray.scipy.sparse.linalg import _dense_factors, _direct_factors
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
    for format in ("csr", "csc", "coo", "bsr", "dia"):
        found = linalg.inv(mine.asformat(format))
        assert type(found) is type(mine.asformat("csr" if format == "csr" else "csc"))


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


def test_triangles_of_many_rows():
    chain, theirs = both(np.eye(40) - np.eye(40, k=-1))
    b = np.ones(40)
    close(linalg.spsolve_triangular(chain, cp.asarray(b)), expected.spsolve_triangular(theirs, b))
    b[0] = np.nan
    assert np.isnan(cp.asnumpy(linalg.spsolve_triangular(chain, cp.asarray(b)))).all()
    rows = 300  # several blocks, and rows that lanes share
    theirs = scipy.sparse.random_array((rows, rows), density=0.03, rng=RNG, format="csr")
    theirs = (theirs + 4 * scipy.sparse.eye_array(rows)).tocsr()
    mine = sparse.csr_array(theirs)
    for columns in (1, 3):
        b = RNG.random((rows, columns))
        for lower in (True, False):
            right = scipy.sparse.tril(theirs) if lower else scipy.sparse.triu(theirs)
            close(
                linalg.spsolve_triangular(mine, cp.asarray(b), lower=lower),
                expected.spsolve_triangular(right.tocsr(), b, lower=lower),
            )


def test_triangles_of_other_matrices():
    twice = sparse.csr_array(
        (cp.asarray([1.0, 3.0, 1.0, 2.0]), cp.asarray([0, 1, 1, 0]), cp.asarray([0, 1, 4])),
        shape=(2, 2),
    )
    found = linalg.spsolve_triangular(twice, cp.asarray([1.0, 6.0]))
    close(found, np.array([1.0, 1.0]))
    assert twice.nnz == 4  # it stays as it is
    empty = sparse.csr_array((0, 0))
    assert linalg.spsolve_triangular(empty, cp.zeros(0)).shape == (0,)
    assert linalg.spsolve_triangular(sparse.csr_array(cp.eye(2)), cp.zeros((2, 0))).shape == (2, 0)


def laplacian(side):
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    return scipy.sparse.kronsum(line, line, format="csc")


@pytest.mark.slow
def test_incomplete_factors():
    theirs = laplacian(4)
    rows = theirs.shape[0]
    mine = sparse.csc_array(theirs)
    b = RNG.standard_normal(rows)
    dense = theirs.toarray()
    # ILU(0) agrees with the matrix in its places, and has no others.
    factors = linalg.spilu(mine, drop_tol=0, fill_factor=1)
    lower, upper = cp.asnumpy(factors.L.toarray()), cp.asnumpy(factors.U.toarray())
    assert not ((lower + upper)[dense == 0]).any()
    np.testing.assert_allclose((lower @ upper)[dense != 0], dense[dense != 0], 1e-14)
    assert factors.nnz == theirs.nnz + rows
    for trans, product in (
        ("N", lower @ upper),
        ("T", (lower @ upper).T),
        ("H", (lower @ upper).T),
    ):
        close(factors.solve(cp.asarray(b), trans), np.linalg.solve(product, b))
    # More places are nearer to the matrix.
    errors = []
    for fill in (1, 3):
        factors = linalg.spilu(mine, drop_tol=0, fill_factor=fill)
        product = cp.asnumpy((factors.L @ factors.U).toarray())
        errors.append(abs(product - dense).max())
        assert factors.nnz - rows <= fill * theirs.nnz
    assert errors == sorted(errors, reverse=True)
    assert linalg.spilu(mine, drop_tol=0.2).nnz < linalg.spilu(mine, drop_tol=0).nnz
    np.testing.assert_array_equal(cp.asnumpy(factors.perm_r), np.arange(rows))
    np.testing.assert_array_equal(cp.asnumpy(factors.perm_c), np.arange(rows))


@pytest.mark.parametrize("dtype", slow_except(["c16"], ["f4", "f8", "c8", "c16"]))
def test_incomplete_factors_of_dtypes(dtype):
    a = np.round(A * 8).astype(dtype) + np.diag(np.arange(20, 20 + N)).astype(dtype)
    a = a * (1 + 0.5j) if np.dtype(dtype).kind == "c" else a
    a = a.astype(dtype)
    factors = linalg.spilu(both(a)[0], drop_tol=0, fill_factor=100)  # complete
    b = B.astype(dtype)
    for trans, matrix in (("N", a), ("T", a.T), ("H", a.conj().T)):
        found = cp.asnumpy(factors.solve(cp.asarray(b), trans))
        assert found.dtype == dtype
        precise = 1e-4 if dtype in ("f4", "c8") else 1e-11
        np.testing.assert_allclose(found, np.linalg.solve(matrix, b), precise, precise)


def test_incomplete_factors_where_rows_have_to_be_exchanged():
    turned = np.array([[0.0, 2.0], [4.0, 1.0]])
    mine, theirs = both(turned)
    b = np.array([2.0, 5.0])
    close(linalg.spilu(mine).solve(cp.asarray(b)), expected.spilu(theirs).solve(b))
    with pytest.raises(ValueError, match="drop_tol"):
        linalg.spilu(mine, drop_tol=-1.0)
    with pytest.raises(ValueError, match="fill_factor"):
        linalg.spilu(mine, fill_factor=0.5)
    with pytest.raises(RuntimeError, match="singular"):
        linalg.spilu(both(np.ones((2, 2)))[0])


@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find():
    mine = sparse.csr_array(laplacian(4))
    data, failed = mine.data.copy(), cp.full(1, 16, "i8")
    with cp.cuda.check("races", "uninit", "barriers"):
        launch.factorize(mine.indptr, mine.indices, data, failed)
        launch.solve_triangle(mine.indptr, mine.indices, data, cp.ones(16), unit=True)
        launch.solve_triangle(mine.indptr, mine.indices, data, cp.ones((16, 2)), upper=True)
    assert failed[0] == 16


@pytest.fixture
def direct(monkeypatch):
    """All matrices are for the direct solver."""
    if not _direct_factors.cudss.available():
        pytest.skip("cuDSS is not installed")
    monkeypatch.setattr(_direct_factors, "_DENSE_ROWS", 0)


@pytest.fixture
def without_cudss(monkeypatch):
    """All matrices are for cuSOLVER."""
    monkeypatch.setattr(_direct_factors.cudss, "available", lambda: False)
    monkeypatch.setattr(_direct_factors, "_DENSE_WITHOUT", 0)


DTYPES = ["f4", "f8", "c8", "c16"]


@pytest.mark.parametrize("dtype", slow_except(["c16"], DTYPES))
def test_direct_solver_without_cudss(dtype, without_cudss):
    check_direct_solver(dtype, "i8")


@pytest.mark.parametrize("index", slow_except(["i8"], ["i4", "i8"]))
@pytest.mark.parametrize("dtype", slow_except(["c16"], DTYPES))
def test_direct_solver(dtype, index, direct):
    check_direct_solver(dtype, index)


def check_direct_solver(dtype, index):
    a = (A + np.diag(np.arange(4.0, 4 + N))).astype(dtype)
    a = (a * (1 + 0.5j)).astype(dtype) if np.dtype(dtype).kind == "c" else a
    mine = sparse.csc_array(cp.asarray(a))
    parts = (mine.data, mine.indices.astype(index), mine.indptr.astype(index))
    mine = sparse.csc_array(parts, shape=a.shape)
    factors = linalg.splu(mine)
    assert isinstance(factors._factors, _direct_factors.DirectFactors)
    precise = 1e-4 if dtype in ("f4", "c8") else 1e-11
    for b in (B.astype(dtype), B[:, 0].astype(dtype), B[:, :0].astype(dtype)):
        for trans, matrix in (("N", a), ("T", a.T), ("H", a.conj().T)):
            found = cp.asnumpy(factors.solve(cp.asarray(b), trans))
            assert found.dtype == dtype
            np.testing.assert_allclose(found, np.linalg.solve(matrix, b), precise, precise)
    found = cp.asnumpy(linalg.spsolve(mine, cp.asarray(B.astype(dtype))))
    np.testing.assert_allclose(found, np.linalg.solve(a, B), precise, precise)
    assert factors.nnz >= mine.nnz
    rows = np.zeros((N, N), dtype)
    rows[cp.asnumpy(factors.perm_r), np.arange(N)] = 1
    product = cp.asnumpy((factors.L @ factors.U).toarray())
    np.testing.assert_allclose(product, rows @ a, 10 * precise, 10 * precise)


def test_bad_matrices_without_cudss(without_cudss):
    with pytest.raises(RuntimeError, match="singular"):
        linalg.splu(both(np.diag([1.0, 0.0, 2.0]))[0])
    with pytest.warns(linalg.MatrixRankWarning):
        found = linalg.spsolve(both(np.diag([1.0, 0.0]))[0], cp.ones(2))
    assert cp.isnan(found).all()
    found = linalg.spsolve(both(np.diag([1.0, 1e-30]))[0], cp.ones(2))
    close(found, np.array([1.0, 1e30]))
    turned, theirs = both(np.array([[0.0, 2.0], [4.0, 1.0]]))
    b = np.array([2.0, 5.0])
    close(linalg.spsolve(turned, cp.asarray(b)), expected.spsolve(theirs, b))


def test_direct_solver_of_bad_matrices(direct):
    with pytest.raises(RuntimeError, match="singular"):
        linalg.splu(both(np.ones((3, 3)))[0])
    with pytest.warns(linalg.MatrixRankWarning):
        found = linalg.spsolve(both(np.diag([1.0, 0.0]))[0], cp.ones(2))
    assert cp.isnan(found).all()
    # A small pivot is no zero: the library would replace it.
    found = linalg.spsolve(both(np.diag([1.0, 1e-30]))[0], cp.ones(2))
    close(found, np.array([1.0, 1e30]))
    with pytest.warns(linalg.MatrixRankWarning):
        assert cp.isnan(linalg.spsolve(both(np.diag([1.0, np.nan]))[0], cp.ones(2))).any()
    empty = linalg.splu(sparse.csc_array((0, 0)))
    assert empty.solve(cp.zeros(0)).shape == (0,)


def test_direct_solver_on_streams(direct):
    mine, theirs = both(A)
    b = RNG.standard_normal(N)
    factors = linalg.splu(mine)
    stream = cp.cuda.Stream()
    with stream:
        close(factors.solve(cp.asarray(b)), expected.splu(theirs).solve(b))
    with stream:
        b = cp.asarray(b)
        stream.begin_capture()
        with pytest.raises(CaptureError, match="sparse LU factors"):
            factors.solve(b)
        stream.end_capture()
    del factors
    again = linalg.splu(mine)  # with the handle of the one before
    close(again.solve(b), expected.splu(theirs).solve(cp.asnumpy(b)))


def test_library_that_lacks_transposed_solutions(direct, monkeypatch):
    solve = _direct_factors.SparseFactors.solve

    def refuse(self, right, trans="N"):
        if trans != "N":
            raise CuDSSError("cudssExecute", 4, "CUDSS_STATUS_NOT_SUPPORTED", "")
        return solve(self, right)

    monkeypatch.setattr(_direct_factors.SparseFactors, "solve", refuse)
    a = A * (1 + 1j * np.arange(N))
    factors = linalg.splu(both(a)[0])
    for trans, matrix in (("H", a.conj().T), ("T", a.T), ("N", a)):
        close(factors.solve(cp.asarray(B + 0j), trans), np.linalg.solve(matrix, B))


@pytest.mark.emulator
@pytest.mark.parametrize("kind", ["direct", "without_cudss"])
def test_factors_that_have_no_room(kind, request):
    request.getfixturevalue(kind)
    with pytest.raises(OutOfMemoryError) as caught:
        linalg.splu(sparse.eye_array(20001, format="csc"))  # more than the emulated libraries take
    assert any("cudss" in note for note in caught.value.__notes__)


def test_dense_factors_that_have_no_room():
    huge = sparse.csc_array((10**6, 10**6))
    with pytest.raises(OutOfMemoryError) as caught:
        _dense_factors.DenseFactors(huge, "splu")
    assert "cudss" in caught.value.__notes__[0]


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
    with pytest.raises(ValueError, match="object too deep for desired array"):
        factors.solve(cp.ones((N, 1, 1)))
    with pytest.raises(TypeError, match="Cannot cast array data from complex128"):
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


@pytest.mark.parametrize("format", slow_except(["coo"], ["csr", "csc", "coo"]))
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
    for wrong in ({"t": 0}, {"itmax": 1}):
        with pytest.raises(ValueError, match="at least"):
            linalg.onenormest(cp.eye(4), **wrong)


def test_onenormest_looks_at_the_last_iteration():
    # Higham and Tisseur's example: each iteration finds a column that is a little greater.
    a = -np.linalg.inv(np.eye(20) + (1 - 1e-6) * np.eye(20, k=1))
    for itmax in (2, 5):
        right = expected.onenormest(a, t=1, itmax=itmax)
        np.testing.assert_allclose(linalg.onenormest(cp.asarray(a), t=1, itmax=itmax), right)


def test_norms_add_repeated_entries():
    parts = np.array([2**30, 3, 2**30, 4], "i"), np.array([0, 1, 0, 1]), np.array([0, 1, 4])
    a = scipy.sparse.csr_array(parts, shape=(2, 2))
    for options in ({"ord": 1}, {"axis": 0}, {"ord": 1, "axis": 1}, {"ord": np.inf}):
        found = linalg.norm(sparse.csr_array(a), **options)
        right = expected.norm(a.astype("d") if "ord" not in options else a, **options)
        np.testing.assert_allclose(cp.asnumpy(found), right)


@pytest.mark.slow
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


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dia", "bsr"])
def test_triangles_and_bands(format):
    a = scipy.sparse.random_array((7, 5), density=0.4, rng=np.random.default_rng(0))
    a = a.tocsr() + scipy.sparse.eye_array(7, 5)
    cases = [a, scipy.sparse.tril(a), scipy.sparse.triu(a, 1), scipy.sparse.eye_array(4)]
    for case in cases:
        mine, theirs = both(case.toarray(), format)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert linalg.is_sptriangular(mine) == expected.is_sptriangular(theirs)
            assert linalg.spbandwidth(mine) == expected.spbandwidth(theirs)
        names = [x.category.__name__ for x in caught]
        assert names == ["SparseEfficiencyWarning"] * (4 if format == "bsr" else 0)
    for empty in (getattr(sparse, f"{format}_array")(x) for x in ((0, 0), (3, 0), (3, 2))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert linalg.is_sptriangular(empty) == (True, True)
            assert linalg.spbandwidth(empty) == (0, 0)


def test_bands_of_what_is_no_matrix():
    with pytest.raises(ValueError, match="two dimensions"):
        linalg.spbandwidth(sparse.coo_array((2, 3, 4)))
    with pytest.raises(TypeError, match="copies it to the device"):
        linalg.is_sptriangular(scipy.sparse.eye_array(3))
