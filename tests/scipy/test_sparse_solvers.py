"""Solvers of linear equations by iteration: solutions, codes and numbers of steps are SciPy's."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse.linalg as expected

import gpuarray as cp
from gpuarray._ffi import driver
from gpuarray.kernels.sort import launch as sort_launch
from gpuarray.scipy import sparse
from gpuarray.scipy.sparse import linalg

RNG = np.random.default_rng(0)
N = 12
B = RNG.standard_normal((N, N))
SYMMETRIC = B @ B.T + N * np.eye(N)
ANY = B + N * np.eye(N)
RIGHT = RNG.standard_normal(N)
SQUARE = ("cg", "cgs", "bicgstab", "gmres", "minres")


def matrix(name, dtype):
    a = SYMMETRIC if name in ("cg", "minres") else ANY
    if np.dtype(dtype).kind == "c":
        a = a + 1j * (B - B.T)
    return a.astype(dtype)


def both(name, *args, **kwargs):
    """What SciPy and we return."""

    def given(x):
        return cp.asarray(x) if isinstance(x, np.ndarray) else x

    right = getattr(expected, name)(*args, **kwargs)
    options = {key: given(value) for key, value in kwargs.items()}
    return getattr(linalg, name)(*map(given, args), **options), right


def check(found, right, tolerance):
    assert found[1] == right[1]
    assert found[0].shape == right[0].shape
    assert np.abs(cp.asnumpy(found[0]) - right[0]).max() <= tolerance * np.abs(right[0]).max()


@pytest.mark.parametrize("name", SQUARE)
def test_solutions(name):
    a = matrix(name, "f8")
    found, right = both(name, a, RIGHT)
    assert found[0].dtype == right[0].dtype
    check(found, right, 1e-12)
    check(*both(name, a, RIGHT[:, None], maxiter=2), 1e-12)
    diagonal = np.diag(1 / np.diag(a))
    check(*both(name, a, RIGHT, M=diagonal, x0=RIGHT, rtol=1e-9), 1e-12)
    check(*both(name, a, RIGHT, x0="Mb", M=diagonal, rtol=1e-3), 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f4", "c8", "c16", "i4"])
@pytest.mark.parametrize("name", SQUARE)
def test_dtypes(name, dtype):
    if name == "minres" and dtype[0] == "c":
        pytest.skip("real matrices only")
    a = np.round(matrix(name, "f8") * 4).astype(dtype) if dtype == "i4" else matrix(name, dtype)
    right = RIGHT.astype(a.dtype if dtype != "i4" else "f4")
    precise = 1e-12 if dtype in ("c16", "i4") else 2e-4
    check(*both(name, a, right), precise)
    check(*both(name, a, right, x0=right, M=np.diag(1 / np.diag(a)), rtol=1e-3), precise)


@pytest.mark.parametrize("name", ["cg", "cgs", "bicgstab", "minres"])
def test_callbacks(name):
    steps = {}
    for xp, module in ((np, expected), (cp, linalg)):
        steps[xp] = found = []
        keep = lambda x, found=found: found.append(cp.asnumpy(x).copy())  # noqa: E731
        getattr(module, name)(xp.asarray(matrix(name, "f8")), xp.asarray(RIGHT), callback=keep)
    np.testing.assert_allclose(steps[cp], steps[np], 1e-9, 1e-12)


@pytest.mark.parametrize("kind", ["legacy", "pr_norm", "x"])
@pytest.mark.parametrize("maxiter", [None, 3])
def test_callbacks_of_gmres(kind, maxiter):
    steps = {}
    for xp, module in ((np, expected), (cp, linalg)):
        steps[xp] = found = []
        solution = module.gmres(
            xp.asarray(ANY),
            xp.asarray(RIGHT),
            restart=4,
            maxiter=maxiter,
            callback=lambda x, found=found: found.append(cp.asnumpy(x).copy()),
            callback_type=kind,
        )
        found.append(solution[1])
    assert len(steps[cp]) == len(steps[np])
    for mine, theirs in zip(steps[cp], steps[np], strict=True):
        np.testing.assert_allclose(mine, theirs, 1e-6, 1e-12)


def test_breakdowns():
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    for name in ("cgs", "bicgstab"):
        found, right = both(name, turn, np.array([1.0, 0.0]))
        assert found[1] == right[1] < 0
        np.testing.assert_array_equal(cp.asnumpy(found[0]), right[0])
    for name in ("cg", "gmres", "minres"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found, right = both(name, np.zeros((2, 2)), np.ones(2), maxiter=3)
        assert found[1] == right[1]


def test_functions_are_called_as_often_as_by_scipy():
    calls = {}
    for xp, module in ((np, expected), (cp, linalg)):
        a, calls[xp] = xp.asarray(SYMMETRIC), []
        count = lambda x, a=a, xp=xp: (calls[xp].append(1), a @ x)[1]  # noqa: E731
        for name in ("cg", "cgs", "bicgstab", "gmres"):
            operator = module.LinearOperator((N, N), count, dtype="f8")
            getattr(module, name)(operator, xp.asarray(RIGHT))
            calls[xp].append(name)
    assert calls[cp] == calls[np]


def test_nothing_to_do():
    zeros = np.zeros(N)
    for name in SQUARE:
        found, right = both(name, matrix(name, "f8"), zeros)
        assert (found[1], found[0].tolist()) == (right[1], right[0].tolist())
        if name == "gmres":  # SciPy's fails without an iteration
            continue
        found, right = both(name, matrix(name, "f8"), RIGHT, x0=RIGHT, maxiter=0)
        assert (found[1], found[0].tolist()) == (right[1], right[0].tolist())


@pytest.mark.parametrize("name", SQUARE)
def test_errors(name):
    function, a, b = getattr(linalg, name), cp.asarray(SYMMETRIC), cp.asarray(RIGHT)
    for wrong in ((a[:3], b), (a, b[:3])):
        with pytest.raises(ValueError, match=name):
            function(*wrong)
    with pytest.raises(ValueError, match=name):
        function(a, b, M=a[:3, :3])
    with pytest.raises(ValueError, match="x0"):
        function(a, b, x0=b[:3])
    with pytest.raises(TypeError):
        function(SYMMETRIC, b)
    if name != "minres":
        with pytest.raises(ValueError, match="atol"):
            function(a, b, atol=-1.0)


def test_errors_of_single_methods():
    a, b = cp.asarray(SYMMETRIC), cp.asarray(RIGHT)
    with pytest.raises(ValueError, match="callback_type"):
        linalg.gmres(a, b, callback=print, callback_type="residual")
    with pytest.warns(DeprecationWarning, match="callback_type"):
        linalg.gmres(a, b, callback=lambda x: None)
    with pytest.raises(TypeError, match="real"):
        linalg.minres(a.astype(complex), b)
    with pytest.raises(ValueError, match="non-symmetric matrix"):
        linalg.minres(cp.asarray(B), b, check=True)
    with pytest.raises(ValueError, match="indefinite"):
        linalg.minres(a, b, M=-a)


def test_minres_of_a_shifted_singular_matrix():
    a = np.diag(np.arange(N, dtype=float))
    b = np.append(0.0, RIGHT[1:])
    check(*both("minres", a, b), 1e-9)
    check(*both("minres", a, RIGHT, shift=0.5, rtol=1e-10), 1e-9)


@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
@pytest.mark.parametrize("rows, columns", [(N, 7), (7, N), (N, N)])
def test_least_squares(name, rows, columns):
    a, b = ANY[:rows, :columns], RIGHT[:rows]
    last = None if name == "lsmr" else -1
    for options in ({}, {"damp": 0.3}, {"x0": np.ones(columns)}, {"conlim": 2.0}):
        found, right = both(name, a, b, **options)
        check(found, right, 1e-9)
        np.testing.assert_allclose(found[2:last], right[2:last], 1e-6, 1e-12)


def test_variances():
    found, right = both("lsqr", ANY[:, :7], RIGHT, calc_var=True)
    np.testing.assert_allclose(cp.asnumpy(found[-1]), right[-1], 1e-9)


@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
def test_least_squares_with_little_to_do(name, capsys):
    for b, options in ((np.zeros(N), {}), (RIGHT, {"x0": np.linalg.solve(ANY, RIGHT)})):
        found, right = both(name, ANY, b, **options)
        assert found[1:3] == right[1:3]
        check(found, right, 1e-12) if b.any() else None
    with pytest.raises(ValueError, match=name):
        getattr(linalg, name)(cp.asarray(ANY), cp.ones(3))
    getattr(linalg, name)(cp.asarray(ANY), cp.asarray(RIGHT), show=True)
    assert name in capsys.readouterr().out


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_cg_looks_launches_up_once(dtype):
    """Without a callback launches are looked up once, and iterates are the same bits."""
    n = 12
    rng = np.random.default_rng(5)
    dense = rng.random((n, n)) * (rng.random((n, n)) < 0.3)
    a = sparse.csr_array(cp.asarray((dense @ dense.T + np.eye(n)).astype(dtype)))
    whole = cp.asarray(rng.random((2, n)).astype(dtype))
    for b in (whole.T[:, 1], cp.asarray(rng.random(n))):
        for count in (2, 5):
            seen = []
            expected, info = linalg.cg(a, b, rtol=0.0, maxiter=count, callback=seen.append)
            found, found_info = linalg.cg(a, b, rtol=0.0, maxiter=count)
            assert found_info == info == count == len(seen)
            assert np.array_equal(found.get(), expected.get())
            assert np.array_equal(found.get(), seen[-1].get())


@pytest.mark.parametrize("name", ["cg", "cgs", "bicgstab", "gmres"])
def test_iterations_queue_no_copy(name, monkeypatch):
    """The device writes the numbers that the host looks at itself: a copy would hold it up."""
    a = sparse.csr_array(cp.asarray(SYMMETRIC if name == "cg" else ANY))
    solve = getattr(linalg, name)
    copies = []
    real = driver.memcpy_dtoh_async

    def copy(*args):
        copies.append(args)
        return real(*args)

    monkeypatch.setattr(driver, "memcpy_dtoh_async", copy)
    counts = []
    for maxiter in (1, 2):
        copies.clear()
        options = (
            {"restart": 5 * maxiter, "maxiter": 1} if name == "gmres" else {"maxiter": maxiter}
        )
        solve(a, cp.asarray(RIGHT), rtol=1e-14, **options)
        counts.append(len(copies))
    assert counts[0] == counts[1]


SOLVERS = {
    "cg": lambda a, b, n: linalg.cg(a, b, rtol=1e-14, maxiter=n),
    "bicgstab": lambda a, b, n: linalg.bicgstab(a, b, rtol=1e-14, maxiter=n),
    "lsqr": lambda a, b, n: linalg.lsqr(a, b, atol=0, btol=0, iter_lim=n),
    "svds": lambda a, b, n: linalg.svds(a, k=1, ncv=3 + n, maxiter=1, tol=10),
}


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("format", ["csc", "csr"])
def test_solvers_sort_a_matrix_once(name, format, monkeypatch):
    """Each product with a matrix in csc, or with the transpose of one in csr, would sort it."""
    sorts = []
    real = sort_launch._run

    def run(*args):
        sorts.append(args)
        return real(*args)

    monkeypatch.setattr(sort_launch, "_run", run)
    a = sparse.csr_array(cp.asarray(SYMMETRIC)).asformat(format)
    counts = []
    for steps in (1, 3):
        sorts.clear()
        SOLVERS[name](a, cp.asarray(RIGHT), steps)
        counts.append(len(sorts))
    assert counts[0] == counts[1] <= 2
    if format == "csc":
        assert counts[0] > 0
