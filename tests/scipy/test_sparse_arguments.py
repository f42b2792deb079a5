"""Arguments of solvers and graphs that make no sense, or little, beside SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
import scipy.sparse.csgraph as expected_graphs
import scipy.sparse.linalg as expected

import gpuarray as cp
from gpuarray.scipy import sparse
from gpuarray.scipy.sparse import csgraph, linalg
from tests.array.arrays import raised

A = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 5.0]])
SOLVERS = (
    "cg", "cgs", "bicgstab", "gmres", "minres", "lsqr", "lsmr", "spsolve", "spsolve_triangular",
)  # fmt: skip


def both(a, format="csc"):
    name = f"{format}_array"
    return getattr(sparse, name)(cp.asarray(a)), getattr(scipy.sparse, name)(a)


@pytest.mark.parametrize("b", [None, "abc", b"ab", ["a", "b", "c"], {}], ids=repr)
def test_right_sides_without_numbers(b):
    mine, theirs = both(np.tril(A), "csr")
    for name in SOLVERS:
        want = raised(lambda name=name: getattr(expected, name)(theirs, b))
        got = raised(lambda name=name: getattr(linalg, name)(mine, b))
        assert type(got) is type(want), f"{name}: {got!r}, SciPy {want!r}"
        assert f"{name}: b is {b!r}" in str(got)
    want = raised(lambda: expected.splu(theirs.tocsc()).solve(b))
    got = raised(lambda: linalg.splu(mine.tocsc()).solve(b))
    assert type(got) is type(want) is TypeError
    assert f"SuperLU.solve: rhs is {b!r}" in str(got)


def test_right_sides_and_guesses_that_are_lists_of_none_or_sparse():
    mine, _ = both(A)
    for name in ("cg", "cgs", "bicgstab", "gmres", "minres", "spsolve"):
        with pytest.raises(ValueError, match=rf"{name}: b is \[None, None, None\]"):
            getattr(linalg, name)(mine, [None] * 3)
    for name in ("cg", "lsqr"):
        with pytest.raises(ValueError, match=rf"{name}: x0 is \['a', 'b', 'c'\]"):
            getattr(linalg, name)(mine, cp.ones(3), x0=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"cg: b is a sparse array.*toarray"):
        linalg.cg(mine, sparse.coo_array(cp.ones((3, 1))))


@pytest.mark.parametrize(
    "given",
    [
        *({"permc_spec": x} for x in ("abc", "NATURAL", "mmd_ata", b"COLAMD")),
        *({"permc_spec": x} for x in (3, -1, 1.5, [], True)),
        *({"diag_pivot_thresh": x} for x in ("x", 1j, [], 2, np.nan)),
        *({name: x} for name in ("relax", "panel_size") for x in ("x", 1.5, [], 2)),
        *({"options": x} for x in (3, "x", {1: 2}, [], {"abc": 1}, {"abc": None})),
        *(
            {"options": {name: x}}
            for name, x in {
                "Equil": 1, "SymmetricMode": True, "Trans": "abc", "Fact": "DOFACT",
                "ColPerm": "x", "RowPerm": "LargeDiag_MC64", "IterRefine": "slu_double",
                "ILU_Norm": 3, "ILU_MILU": "SMILU_3", "ILU_DropTol": "x", "ILU_DropRule": "x",
                "Relax": None,
            }.items()
        ),
    ],
    ids=repr,
)  # fmt: skip
def test_options_of_superlu(given):
    mine, theirs = both(A)
    for name in ("splu", "spilu"):
        want = raised(lambda name=name: getattr(expected, name)(theirs, **given))
        got = raised(lambda name=name: getattr(linalg, name)(mine, **given))
        assert type(got) is type(want), f"{name}: {got!r}, SciPy {want!r}"
        assert got is None or str(got).startswith(f"{name}: ")
    if "permc_spec" in given:
        want = raised(lambda: expected.spsolve(theirs, np.ones(3), **given))
        got = raised(lambda: linalg.spsolve(mine, cp.ones(3), **given))
        assert type(got) is type(want)


def test_preconditioners_of_other_dtypes():
    a = A.astype("f4")
    for name in ("cg", "cgs", "bicgstab", "gmres", "minres"):
        for x0 in (None, "Mb"):
            given = {"M": np.eye(3) / 4, "x0": x0, "maxiter": 30}
            want = getattr(expected, name)(a, np.ones(3, "f4"), **given)[0]
            given["M"] = cp.asarray(given["M"])
            found = getattr(linalg, name)(cp.asarray(a), cp.ones(3, "f4"), **given)[0]
            assert found.dtype == np.float32, name
            np.testing.assert_allclose(cp.asnumpy(found), want, 1e-3, err_msg=name)
        with pytest.raises(TypeError, match="preconditioner M gives complex128"):
            getattr(linalg, name)(cp.asarray(a), cp.ones(3, "f4"), M=cp.eye(3) * 1j)


def test_gmres_without_a_number_of_vectors():
    for module, xp in ((linalg, cp), (expected, np)):
        with pytest.raises(ValueError, match="negative"):
            module.gmres(xp.asarray(A), xp.ones(3), restart=-1)


def test_options_of_incomplete_factors():
    mine, theirs = both(A)
    for given in (
        *({"drop_rule": x} for x in ("abc", "", "basic, AREA", ["prows"], ["abc"], 3, [], 1.5)),
        *({name: x} for name in ("drop_tol", "fill_factor") for x in ("x", 1j, [])),
    ):
        want = raised(lambda given=given: expected.spilu(theirs, **given))
        got = raised(lambda given=given: linalg.spilu(mine, **given))
        assert type(got) is type(want), f"{given}: {got!r}, SciPy {want!r}"


@pytest.mark.parametrize("place", [(0, 0), (0, 1), (2, 1)])
def test_nan_makes_a_matrix_singular(place):
    a = A.copy()
    a[place] = np.nan
    mine, theirs = both(a)
    for name in ("splu", "factorized", "inv", "spilu"):
        for module, matrix in ((linalg, mine), (expected, theirs)):
            with pytest.raises(RuntimeError, match="singular"):
                getattr(module, name)(matrix)
    with pytest.warns(linalg.MatrixRankWarning):
        assert cp.isnan(linalg.spsolve(mine, cp.ones(3))).all()
    with pytest.warns(expected.MatrixRankWarning):
        assert np.isnan(expected.spsolve(theirs, np.ones(3))).all()


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "f4"])
def test_dtypes_of_factors(dtype):
    mine, theirs = both(np.triu(A).astype(dtype))
    assert linalg.inv(mine).dtype == expected.inv(theirs).dtype
    assert linalg.splu(mine).U.dtype == expected.splu(theirs).U.dtype
    assert linalg.spilu(mine).U.dtype == expected.spilu(theirs).U.dtype
    for right in "?fd":
        b = np.ones(3, right)
        for name, options in (("spsolve", {}), ("spsolve_triangular", {"lower": False})):
            found = getattr(linalg, name)(mine, cp.asarray(b), **options)
            want = getattr(expected, name)(theirs, b, **options)
            assert found.dtype == want.dtype, f"{name} {right}"
            np.testing.assert_allclose(cp.asnumpy(found), want, 1e-6)


def test_right_sides_that_factors_cannot_hold():
    mine, theirs = both(A.astype("f4"))
    for dtype in "di":
        for factors, xp in ((linalg.splu(mine), cp), (expected.splu(theirs), np)):
            with pytest.raises(TypeError, match="Cannot cast array data"):
                factors.solve(xp.ones(3, dtype))
    assert linalg.splu(mine).solve(cp.ones(3, "?")).dtype == np.float32
    with pytest.raises(TypeError, match="trans is"):
        linalg.splu(mine).solve(cp.ones(3, "f"), None)


def test_the_unit_diagonal_can_be_none():
    mine, theirs = both(np.tril(A), "csr")
    found = linalg.spsolve_triangular(mine, cp.ones(3), unit_diagonal=None)
    want = expected.spsolve_triangular(theirs, np.ones(3), unit_diagonal=None)
    np.testing.assert_allclose(cp.asnumpy(found), want)


def test_arguments_of_eigenvalues():
    a = np.diag(np.arange(1.0, 9))
    mine, theirs = cp.asarray(a), a
    for options in ({"tol": -1}, {"ncv": 100}):
        found = linalg.eigsh(mine, 3, return_eigenvectors=False, **options)
        want = expected.eigsh(theirs, 3, return_eigenvectors=False, **options)
        np.testing.assert_allclose(cp.asnumpy(found), np.sort(want))
    with pytest.raises(ValueError, match="eigsh: v0 is 'abc'"):
        linalg.eigsh(mine, 3, v0="abc")
    with pytest.raises(TypeError, match="type not understood: str"):
        linalg.eigsh(mine, 3, M="abc")
    with pytest.raises(TypeError, match="eigsh: tol is a real number, not 'x'"):
        linalg.eigsh(mine, 3, tol="x")
    for name in ("tol", "maxiter"):
        for module, matrix, xp in ((linalg, mine, cp), (expected, theirs, np)):
            with pytest.raises(TypeError):
                module.lobpcg(matrix, xp.eye(8)[:, :1], **{name: "x"})
        with pytest.raises(TypeError, match=f"lobpcg: {name} is a real number"):
            linalg.lobpcg(mine, cp.eye(8)[:, :1], **{name: "x"})


@pytest.mark.parametrize("weights", [None, np.diag(np.arange(1.0, 21))], ids=["", "B"])
def test_residuals_of_lobpcg_have_no_part_along_its_constraints(weights):
    rng = np.random.default_rng(0)
    a = rng.standard_normal((20, 20))
    a = a + a.T
    moved = None if weights is None else cp.asarray(weights)
    first = cp.eye(20)[:, :1]
    # A warning, which is an error here, would say that the residuals are too large.
    w, v = linalg.lobpcg(
        cp.asarray(a), cp.asarray(rng.standard_normal((20, 2))), B=moved, Y=first, maxiter=200
    )
    left = None if weights is None else weights[1:, 1:]
    want = scipy.linalg.eigvalsh(a[1:, 1:], left)[::-1][:2]
    np.testing.assert_allclose(cp.asnumpy(w), want, 1e-9)
    assert float(abs(v[0]).max()) < 1e-12


def test_arguments_of_singular_values():
    a = np.diag(np.arange(1.0, 9))
    found = linalg.svds(cp.asarray(a), 1, solver="lobpcg", ncv=100)[1]
    want = expected.svds(a, 1, solver="lobpcg", ncv=100)[1]
    np.testing.assert_allclose(cp.asnumpy(found), want)
    for options in ({"k": "x"}, {"k": 1, "ncv": "x"}, {"k": 1, "maxiter": "x"}):
        with pytest.raises(ValueError, match="svds: `.*` is an integer, not 'x'"):
            linalg.svds(cp.asarray(a), **options)
    with pytest.raises(TypeError, match="svds: `k` is an integer, not None"):
        linalg.svds(cp.asarray(a), None)


def test_arguments_of_graphs():
    for graph in ("abc", None, sparse.csr_array(cp.eye(2))):
        with pytest.raises(ValueError, match="csgraph: the graph is"):
            csgraph.csgraph_from_dense(graph)
    for graph in ("abc", None):
        for module in (csgraph, expected_graphs):
            with pytest.raises(ValueError):
                module.shortest_path(graph)
    with pytest.raises(TypeError, match="breadth_first_order: i_start is an integer"):
        csgraph.breadth_first_order(cp.eye(2), 1.5)
    mine, theirs = both(np.triu(A), "dia")
    found, want = csgraph.laplacian(mine), expected_graphs.laplacian(theirs)
    assert type(found) is sparse.dia_array
    assert type(want) is scipy.sparse.dia_array
    np.testing.assert_allclose(cp.asnumpy(found.toarray()), want.toarray())


def test_the_diagonal_of_blocks_is_set():
    a = np.arange(24.0).reshape(4, 6) * (np.arange(6) % 4 != 0)
    for values, k in ((7.0, 0), ([1.0, 2.0], 1), ([3.0], -2), ([], 0)):
        mine = sparse.csr_array(cp.asarray(a)).tobsr((2, 3))
        rows = scipy.sparse.csr_array(a)
        mine.setdiag(values, k)
        rows.setdiag(values, k)
        assert mine.format == "bsr"
        assert mine.blocksize == (2, 3)
        mine.get().check_format(full_check=True)
        np.testing.assert_array_equal(cp.asnumpy(mine.toarray()), rows.toarray())
    with pytest.raises(ValueError, match="k"):
        mine.setdiag(1, 9)
