"""Some eigenvalues and singular values, by the dense solvers of NumPy and SciPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse.linalg as expected

import gpuarray as cp
from gpuarray.scipy.sparse import linalg

RNG = np.random.default_rng(0)
N = 40
B = RNG.standard_normal((N, N))
A = B + B.T
HERMITIAN = A + 1j * (B - B.T)
POSITIVE = B @ B.T + N * np.eye(N)
SLOW = pytest.mark.slow


def wanted(values, k, which):
    by = {"LM": -abs(values), "SM": abs(values), "LA": -values, "SA": values}
    if which == "BE":
        return np.sort(np.append(values[: k // 2], values[-(k - k // 2) :]))
    return np.sort(values[np.argsort(by[which])][:k])


@pytest.mark.parametrize(
    "a, options",
    [
        (A, {"k": 2, "ncv": 12}),
        pytest.param(A, {"k": 4, "which": "SA"}, marks=SLOW),
        pytest.param(A, {"k": 4, "which": "LA"}, marks=SLOW),
        pytest.param(A, {"k": 5, "which": "BE", "ncv": N}, marks=SLOW),
        pytest.param(A, {"k": 2, "which": "SM", "ncv": N}, marks=SLOW),
        pytest.param(HERMITIAN, {"k": 2, "tol": 1e-10}, marks=SLOW),
        pytest.param(A.astype("f4"), {"k": 3}, marks=SLOW),
        pytest.param(np.diag(np.repeat([1.0, 2.0, 3.0], 10)), {"k": 7, "ncv": 15}, marks=SLOW),
    ],
    ids=["LM", "SA", "LA", "BE", "SM", "complex", "f4", "repeated"],
)
def test_eigenvalues(a, options):
    w, v = map(cp.asnumpy, linalg.eigsh(cp.asarray(a), **options))
    precise = 1e-12 if a.dtype != np.float32 else 1e-4
    right = wanted(np.linalg.eigvalsh(a), options["k"], options.get("which", "LM"))
    np.testing.assert_allclose(w, right, precise, precise)
    assert v.dtype == a.dtype
    np.testing.assert_allclose(a @ v, v * w, 0, 200 * precise)
    np.testing.assert_allclose(v.conj().T @ v, np.eye(len(w)), 0, 10 * precise)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"sigma": 0.5}, marks=SLOW),
        pytest.param({"M": POSITIVE}, marks=SLOW),
        {"M": POSITIVE, "sigma": 0.1},
    ],
)
def test_eigenvalues_of_inverses(options):
    given = {key: cp.asarray(x) if isinstance(x, np.ndarray) else x for key, x in options.items()}
    w, v = map(cp.asnumpy, linalg.eigsh(cp.asarray(A), k=3, ncv=12, **given))
    right = expected.eigsh(A, k=3, return_eigenvectors=False, **options)
    np.testing.assert_allclose(w, np.sort(right), 1e-11)
    weight = options.get("M", np.eye(N))
    np.testing.assert_allclose(A @ v, weight @ v * w, 0, 1e-10)
    np.testing.assert_allclose(v.T @ weight @ v, np.eye(3), 0, 1e-12)


@pytest.mark.parametrize(
    "mode, mass",
    [
        ("buckling", A),
        pytest.param("cayley", POSITIVE, marks=SLOW),
        pytest.param("cayley", None, marks=SLOW),
    ],
)
def test_modes(mode, mass):
    a, sigma = POSITIVE[:12, :12] / N, 0.3
    m = None if mass is None else mass[:12, :12] / N
    moved = None if m is None else cp.asarray(m)
    w, v = (
        x.get() for x in linalg.eigsh(cp.asarray(a), 3, M=moved, sigma=sigma, mode=mode, ncv=12)
    )
    right = expected.eigsh(a, 3, M=m, sigma=sigma, mode=mode, ncv=12, return_eigenvectors=False)
    np.testing.assert_allclose(w, np.sort(right), rtol=1e-8)
    other = v if m is None else m @ v
    np.testing.assert_allclose(a @ v, other * w, atol=1e-8 * np.abs(a @ v).max())


def test_eigenvalues_repeat_bit_by_bit():
    first, second = (linalg.eigsh(cp.asarray(A), k=2, ncv=12, tol=1e-3) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(cp.asnumpy(one), cp.asnumpy(other))


def test_eigenvalues_without_convergence():
    with pytest.raises(linalg.ArpackNoConvergence, match="No convergence") as found:
        linalg.eigsh(cp.asarray(A), k=3, ncv=5, maxiter=1)
    assert found.value.eigenvalues.shape[0] == found.value.eigenvectors.shape[1] < 3


def test_all_eigenvalues():
    a = cp.asarray(A[:5, :5])
    with pytest.warns(RuntimeWarning, match="k >= N"):
        w = linalg.eigsh(a, k=5, return_eigenvectors=False)
    np.testing.assert_allclose(cp.asnumpy(w), np.linalg.eigvalsh(A[:5, :5]))
    with pytest.warns(RuntimeWarning), pytest.raises(TypeError, match="k >= N"):
        linalg.eigsh(linalg.aslinearoperator(a), k=5)


WRONG = [
    {"k": 0}, {"ncv": 3, "k": 3}, {"which": "XX"}, {"maxiter": 0},
    {"v0": np.ones(3)},
    {"mode": "none", "sigma": 1.0}, {"Minv": A}, {"OPinv": A}, {"M": A[:3, :3]},
]  # fmt: skip


@pytest.mark.parametrize("options", WRONG, ids=lambda x: "-".join(x))
def test_errors_of_eigenvalues(options):
    given = {key: cp.asarray(x) if isinstance(x, np.ndarray) else x for key, x in options.items()}
    with pytest.raises(ValueError, match="eigsh"):
        linalg.eigsh(cp.asarray(A), **given)


def test_numbers_of_vectors_are_integers():
    for options in ({"k": 2.5}, {"k": 1, "ncv": "a"}):
        with pytest.raises(TypeError, match="k and ncv are integers"):
            linalg.eigsh(cp.asarray(A), **options)


@pytest.mark.parametrize(
    "a, options",
    [
        (B[:, :24], {"ncv": 12}),
        pytest.param(B[:24] + 1j * B[24::-1][:24], {"which": "SM"}, marks=SLOW),
        (B[:24], {"solver": "lobpcg", "maxiter": 60, "tol": 1e-5}),
        (B[:24], {"solver": "propack"}),
        pytest.param(
            B[:24] + 1j * B[24::-1][:24], {"solver": "propack", "which": "SM"}, marks=SLOW
        ),
    ],
    ids=["tall", "wide", "lobpcg", "bidiagonal", "least of bidiagonal"],
)
def test_singular_values(a, options):
    u, s, vh = map(cp.asnumpy, linalg.svds(cp.asarray(a), k=2, **options))
    right = np.linalg.svd(a)[1]
    right = right[-2:][::-1] if options.get("which") == "SM" else right[:2][::-1]
    np.testing.assert_allclose(s, right, 1e-9)
    np.testing.assert_allclose(a @ vh.conj().T, u * s, 0, 1e-6)
    np.testing.assert_allclose(u.conj().T @ u, np.eye(2), 0, 1e-12)


def test_singular_values_are_not_squared():
    """Where the square of the matrix loses the least ones, the matrix itself does not."""
    values = 10.0 ** -np.arange(12)
    s = linalg.svds(cp.diag(cp.asarray(values)), k=12, solver="propack")[1]
    np.testing.assert_allclose(s.get(), values[::-1], 1e-4)


@pytest.mark.slow
def test_bidiagonals_of_what_has_few_directions():
    """Vectors of which nothing is left are replaced: of zeros, of rank 1, of equal values."""
    for a in (np.zeros((6, 5)), np.ones((5, 6)), np.eye(7)):
        u, s, vh = map(cp.asnumpy, linalg.svds(cp.asarray(a), k=3, solver="propack"))
        np.testing.assert_allclose(s, np.linalg.svd(a)[1][:3][::-1], 0, 1e-14)
        np.testing.assert_allclose(u.T @ u, np.eye(3), 0, 1e-14)
        np.testing.assert_allclose(vh @ vh.T, np.eye(3), 0, 1e-14)


def test_bidiagonals_that_do_not_converge():
    a = cp.diag(cp.arange(9.0))
    with pytest.raises(np.linalg.LinAlgError, match="k=1 singular triplets did not converge"):
        linalg.svds(a, k=1, solver="propack", maxiter=1)
    with pytest.raises(TypeError, match="random_state and rng"):
        linalg.svds(a, k=1, rng=0, random_state=0)
    first, second = (linalg.svds(a, k=1, solver="propack", random_state=x)[1] for x in (0, 1))
    np.testing.assert_allclose([first[0].item(), second[0].item()], 8)


@pytest.mark.slow
def test_small_values_far_below_the_others():
    """A basis of all vectors, which restarts of a smaller one would take thousands of steps for."""
    values = np.geomspace(1e-6, 1, 60)
    q = np.linalg.qr(np.random.default_rng(0).standard_normal((60, 60)))[0]
    a = cp.asarray(q * values @ q.T)
    s = linalg.svds(a, k=3, which="SM", solver="propack", maxiter=100)[1]
    np.testing.assert_allclose(s.get(), values[:3], 1e-7)


def test_kinds_of_singular_vectors():
    a = cp.asarray(B[:, :24])
    assert linalg.svds(a, k=1, ncv=12, tol=0.1, return_singular_vectors=False).shape == (1,)
    assert linalg.svds(a, k=1, ncv=12, tol=0.1, return_singular_vectors="u")[2] is None
    assert linalg.svds(a, k=1, ncv=12, tol=0.1, return_singular_vectors="vh")[0] is None


@pytest.mark.parametrize(
    "options",
    [{"k": 24}, {"k": 0}, {"ncv": 2}, {"tol": -1}, {"which": "LA"}, {"maxiter": 0}, {"solver": "x"},
     {"return_singular_vectors": "s"}, {"v0": np.ones(3)}],
    ids=lambda x: "-".join(x),
)  # fmt: skip
def test_errors_of_singular_values(options):
    given = {key: cp.asarray(x) if isinstance(x, np.ndarray) else x for key, x in options.items()}
    for module, xp, values in ((expected, np, options), (linalg, cp, given)):
        with pytest.raises(ValueError, match=r"must|v0"):
            module.svds(xp.asarray(B[:, :24]), **values)


@pytest.mark.parametrize(
    "a, options",
    [
        (POSITIVE, {}),
        pytest.param(POSITIVE, {"largest": False}, marks=SLOW),
        pytest.param(A, {"B": POSITIVE}, marks=SLOW),
        pytest.param(POSITIVE, {"M": np.diag(1 / np.diag(POSITIVE))}, marks=SLOW),
        pytest.param(np.diag(np.arange(1.0, N + 1)), {"Y": np.eye(N)[:, -2:]}, marks=SLOW),
    ],
    ids=["largest", "smallest", "generalised", "preconditioned", "constrained"],
)
def test_lobpcg(a, options):
    x = RNG.standard_normal((N, 3))
    given = {key: cp.asarray(z) if isinstance(z, np.ndarray) else z for key, z in options.items()}
    w, v = map(
        cp.asnumpy, linalg.lobpcg(cp.asarray(a), cp.asarray(x), tol=1e-5, maxiter=150, **given)
    )
    values = scipy.linalg.eigvalsh(a, options.get("B"))
    if "Y" in options:
        values = values[:-2]
    right = values[:3] if options.get("largest") is False else values[::-1][:3]
    np.testing.assert_allclose(w, right, 1e-8)
    weight = options.get("B", np.eye(N))
    np.testing.assert_allclose(v.T @ weight @ v, np.eye(3), 0, 1e-10)


def test_lobpcg_of_small_matrices_and_histories():
    x = cp.asarray(RNG.standard_normal((12, 3)))
    with pytest.warns(UserWarning, match="too small"):
        w, _ = linalg.lobpcg(cp.asarray(A[:12, :12]), x)
    np.testing.assert_allclose(cp.asnumpy(w), np.linalg.eigvalsh(A[:12, :12])[::-1][:3])
    x = cp.asarray(RNG.standard_normal((N, 2)))
    with pytest.warns(UserWarning, match="Exited at iteration 3"):
        found = linalg.lobpcg(cp.asarray(A), x, None, None, None, 1e-9, 3, True, 0, True, True)
    assert len(found[2]) == len(found[3]) == 5
    with pytest.raises(ValueError, match="X is None"):
        linalg.lobpcg(cp.asarray(A), None)
    with pytest.raises(ValueError, match="rank-2"):
        linalg.lobpcg(cp.asarray(A), x[:, 0])
    with warnings.catch_warnings(), pytest.raises(ValueError, match="dependent"):
        linalg.lobpcg(cp.asarray(A), cp.ones((N, 2)))


def test_what_is_not_finite():
    """NaN and infinity end with an exception, or are the result: neither spins nor finds zeros."""
    diagonal = np.arange(1.0, 13)
    for value in (np.nan, np.inf):
        a = np.diag(diagonal)
        a[2, 5] = a[5, 2] = value
        with pytest.raises(linalg.ArpackError, match="NaN or infinity"):
            linalg.eigsh(cp.asarray(a), k=2, ncv=4)
        for columns in (1, 7):
            with pytest.raises(np.linalg.LinAlgError, match="NaN or infinity"):
                linalg.svds(cp.asarray(a[:, 5 : 5 + columns]), 1, solver="propack")
    with pytest.raises(linalg.ArpackError, match="NaN or infinity"):
        linalg.svds(cp.asarray(a), k=2, ncv=4)
    with pytest.raises(linalg.ArpackError, match="v0"):
        linalg.eigsh(cp.diag(cp.asarray(diagonal)), k=2, v0=cp.zeros(12))
    with pytest.warns(UserWarning, match="Exited"):
        w, v = linalg.lobpcg(cp.asarray(a) * np.nan, cp.asarray(RNG.standard_normal((12, 2))))
    assert np.isnan(w.get()).all()
    assert v.shape == (12, 2)


def test_singular_values_of_what_has_no_numbers():
    for a in (np.array([[1, None]], object), np.array([["a", "b"]])):
        # Once SCIPY_ARRAY_API is set, SciPy's error is another one.
        with pytest.raises((ValueError, TypeError), match="numeric"):
            expected.svds(a, k=1)
        with pytest.raises(ValueError, match="`A` must be of numeric data type"):
            linalg.svds(a, k=1)
    for module, xp in ((expected, np), (linalg, cp)):
        with pytest.raises(ValueError, match="`v0` must be of floating"):
            module.svds(xp.asarray(B), k=1, v0="hi")
