"""Stacks of matrices of up to 32 rows and columns, by the kernels that are made for them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import driver
from gpuarray._runtime.device import current
from gpuarray._runtime.launch import load
from gpuarray.kernels.small_matrix import launch, spec

DTYPES = ["f4", "f8", "c8", "c16"]
SIZES = [1, 2, 3, 5, 8, 17, 32]
EVERY = [pytest.param(dtype, n, marks=pytest.mark.slow) for dtype in DTYPES for n in SIZES]
# A kernel for each: compiling them is what takes the time.
QUICK = [("f8", 1), ("f8", 3), ("c16", 5)]
each_size = pytest.mark.parametrize(
    ("dtype", "n"), [case.values if case.values in QUICK else case for case in EVERY]
)


def epsilon(dtype):
    return float(np.finfo(dtype).eps)


def random(rng, dtype, *shape):
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def orthonormal(rng, dtype, *shape):
    """Matrices with orthonormal columns, in double precision."""
    wide = np.result_type(dtype, np.float64)
    return np.linalg.qr(random(rng, wide, *shape))[0]


def conditioned(rng, dtype, count, m, n, condition):
    """Matrices with singular values from 1 to 1 / condition."""
    k = min(m, n)
    s = np.logspace(0, -np.log10(condition), k)
    u, v = orthonormal(rng, dtype, count, m, k), orthonormal(rng, dtype, count, n, k)
    return ((u * s) @ adjoint(v)).astype(dtype)


def positive(rng, dtype, count, n, condition=1e2):
    q, s = orthonormal(rng, dtype, count, n, n), np.logspace(0, -np.log10(condition), n)
    x = (q * s) @ adjoint(q)
    return ((x + adjoint(x)) / 2).astype(dtype)


def call(make, *arrays, **static):
    """What a call of the family returns for host arrays or device arrays, on the host."""
    arrays = [x if isinstance(x, cp.ndarray) else cp.asarray(x) for x in arrays]
    run = make(current.stream, "test", *[x._layout for x in arrays], *static.values())
    results = run(*arrays)
    return [x.get() for x in results] if isinstance(results, tuple) else results.get()


def norm(x):
    return np.sqrt((np.abs(x.astype(np.result_type(x, "f8"))) ** 2).sum((-2, -1)))


def check_solution(a, x, b):
    """The backward error is a few units in the last place."""
    wide = np.result_type(a, np.float64)
    rest = norm(a.astype(wide) @ x - b)
    bound = 8 * a.shape[-1] * epsilon(a.dtype) * (norm(a) * norm(x) + norm(b))
    assert (rest <= bound).all()


# ---- LU factors ----------------------------------------------------------------------------------


@each_size
def test_solve(dtype, n, rng):
    a = random(rng, dtype, 3, n, n)
    for sides in (1, 3, 40):
        b = random(rng, dtype, 3, n, sides)
        x, info = call(launch.solve_call, a, b)
        assert (x.dtype, x.shape, info.tolist()) == (a.dtype, b.shape, [0, 0, 0])
        check_solution(a, x, b)


@each_size
def test_inverse_and_determinant(dtype, n, rng):
    a = conditioned(rng, dtype, 3, n, n, 10)
    x, info = call(launch.inverse_call, a)
    assert (x.dtype, x.shape, info.tolist()) == (a.dtype, a.shape, [0, 0, 0])
    check_solution(a, x, np.broadcast_to(np.eye(n, dtype=dtype), a.shape))
    tolerance = {"rtol": 40 * n * epsilon(dtype), "atol": 10 * n * epsilon(dtype)}
    exact = a.astype(np.result_type(dtype, np.float64))
    np.testing.assert_allclose(
        call(launch.determinant_call, a), np.linalg.det(exact), tolerance["rtol"]
    )
    sign, logarithm = call(launch.log_determinant_call, a)
    assert (sign.dtype, logarithm.dtype) == (a.dtype, a.real.dtype)
    expected = np.linalg.slogdet(exact)
    np.testing.assert_allclose(sign, expected[0], **tolerance)
    np.testing.assert_allclose(logarithm, expected[1], **tolerance)


@each_size
def test_lu_factors(dtype, n, rng):
    for m in {n, 2}:
        a = random(rng, dtype, 3, m, n)
        lu, exchanges, info = call(launch.lu_call, a)
        k = min(m, n)
        assert (exchanges.dtype, exchanges.shape, info.tolist()) == ("i4", (3, k), [0, 0, 0])
        product = (np.tril(lu[..., :k], -1) + np.eye(m, k)) @ np.triu(lu[..., :k, :])
        assert (np.abs(np.tril(lu[..., :k], -1)) <= np.sqrt(2) * (1 + epsilon(dtype))).all()
        for one, rows in zip(product, exchanges, strict=True):
            for i in reversed(range(k)):
                one[[i, rows[i]]] = one[[rows[i], i]]
        np.testing.assert_allclose(product, a, atol=10 * n * epsilon(dtype))


@pytest.mark.parametrize("condition", [1e1, 1e8, 1e15])
def test_solutions_at_every_condition(condition, rng):
    a = conditioned(rng, "f8", 3, 17, 17, condition)
    b = random(rng, "f8", 3, 17, 3)
    x, info = call(launch.solve_call, a, b)
    assert not info.any()
    check_solution(a, x, b)


def test_a_singular_matrix_does_not_touch_its_neighbours(rng):
    a = random(rng, "f8", 4, 3, 3)
    a[1, :, 2] = 0
    a[3] = 0
    b = random(rng, "f8", 4, 3, 3)
    x, info = call(launch.solve_call, a, b)
    assert info.tolist() == [0, 3, 0, 1]
    assert np.isnan(x[1]).all()
    assert np.isnan(x[3]).all()
    check_solution(a[::2], x[::2], b[::2])
    inverse, info = call(launch.inverse_call, a)
    assert info.tolist() == [0, 3, 0, 1]
    assert np.isnan(inverse[1::2]).all()
    assert call(launch.determinant_call, a)[1::2].tolist() == [0, 0]
    sign, logarithm = call(launch.log_determinant_call, a)
    assert (sign[1::2].tolist(), logarithm[1::2].tolist()) == ([0, 0], [-np.inf, -np.inf])


def test_nan_and_infinity_in_lu():
    nan, inf = np.nan, np.inf
    a = np.array([[[nan, 1], [1, 2]], [[0, 1], [nan, 1]], [[1, 1], [1, inf]], [[inf, 1], [1, 1]]])
    inverse, info = call(launch.inverse_call, a)
    assert info.tolist() == [0, 1, 0, 0]
    assert np.isnan(inverse[0, 0]).all()
    np.testing.assert_array_equal(inverse[2:], [[[1, 0], [0, 0]], [[0, 0], [0, 1]]])
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(call(launch.determinant_call, a), np.linalg.det(a))
        sign, logarithm = call(launch.log_determinant_call, a)
        expected = np.linalg.slogdet(a)
    # Which pivot was a NaN says nothing.
    np.testing.assert_array_equal(sign[1:], expected[0][1:])
    np.testing.assert_array_equal(logarithm, expected[1])


@pytest.mark.parametrize("scale", [1e-300, 1e-310, 1e200])
def test_determinants_do_not_overflow_before_their_end(scale):
    a = np.diag([scale, 3.0, 1 / scale, 5.0])[[1, 0, 2, 3]]
    if not np.isfinite(1 / scale):
        a = np.diag([scale, 3.0, 1e300, 5.0])[[1, 0, 2, 3]]
    expected = -15.0 if np.isfinite(1 / scale) else -15.0 * (scale * 1e300)
    np.testing.assert_allclose(call(launch.determinant_call, a), expected, 1e-15)
    np.testing.assert_allclose(call(launch.determinant_call, a + 0j), expected, 1e-15)


# ---- Cholesky factors ----------------------------------------------------------------------------


@each_size
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(dtype, n, upper, rng):
    a = positive(rng, dtype, 3, n)
    # The other triangle is not read.
    given = np.where(np.tri(n, dtype=bool).T if upper else np.tri(n, dtype=bool), a, np.nan)
    given = given.astype(dtype)
    factor, info = call(launch.cholesky_call, given, upper=upper)
    assert (factor.dtype, info.tolist()) == (a.dtype, [0, 0, 0])
    assert (factor == (np.triu(factor) if upper else np.tril(factor))).all()
    lower = adjoint(factor) if upper else factor
    diagonal = np.diagonal(factor, axis1=-2, axis2=-1)
    assert (diagonal.real > 0).all()
    assert (diagonal.imag == 0).all()
    wide = lower.astype(np.result_type(dtype, np.float64))
    assert (norm(wide @ adjoint(wide) - a) <= 4 * n * epsilon(dtype) * norm(a)).all()
    for sides in (1, 9):
        b = random(rng, dtype, 3, n, sides)
        x = call(launch.cholesky_solve_call, factor, b, upper=upper)
        check_solution(a, x, b)


def test_matrices_that_are_not_positive_definite(rng):
    a = positive(rng, "f8", 5, 3)
    a[1, 2, 2] = -1
    a[3] = 0
    a[4, 0, 0] = np.nan
    factor, info = call(launch.cholesky_call, a, upper=False)
    assert info.tolist() == [0, 3, 0, 1, 0]
    assert np.isnan(factor[[1, 3]]).all()
    np.testing.assert_allclose(factor[:3:2], np.linalg.cholesky(a[:3:2]), 1e-12)
    np.testing.assert_array_equal(np.isnan(factor[4]), np.tri(3, dtype=bool))


# ---- eigenvalues ---------------------------------------------------------------------------------


def hermitian(rng, dtype, values):
    """A Hermitian matrix with given eigenvalues."""
    q = orthonormal(rng, dtype, len(values), len(values))
    x = (q * values) @ adjoint(q)
    return ((x + adjoint(x)) / 2).astype(dtype)


def check_orthonormal(columns):
    n = columns.shape[-1]
    products = adjoint(columns) @ columns
    bound = (4 + max(columns.shape[-2:])) * epsilon(columns.dtype)
    np.testing.assert_allclose(products, np.broadcast_to(np.eye(n), products.shape), 0, bound)


def check_eigh(a, upper=False):
    w, v, info = call(launch.eigh_call, a, upper=upper, vectors=True)
    n, wide = a.shape[-1], np.result_type(a, "f8")
    assert (w.dtype, v.dtype, info.dtype) == (a.real.dtype, a.dtype, "i4")
    assert not info.any()
    assert (np.diff(w) >= 0).all()
    expected = np.linalg.eigvalsh(a.astype(wide), "U" if upper else "L")
    size = np.abs(expected).max(-1, keepdims=True, initial=0)
    bound = 8 * n * epsilon(a.dtype) * size + np.finfo(a.dtype).smallest_subnormal * n
    assert (np.abs(w - expected) <= bound).all()
    check_orthonormal(v)
    full = a if not upper else np.triu(a) + adjoint(np.triu(a, 1))
    # Scaled, so that the products do not underflow.
    size = np.where(size == 0, 1, size)[..., None]
    rest = np.abs(
        (full.astype(wide) / size) @ v - v * (w.astype("f8") / size[..., 0])[..., None, :]
    )
    assert (rest <= bound[..., None] / size).all()
    return w


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


def check_svd(a, full):
    u, s, vh, info = call(launch.svd_call, a, full=full)
    m, n = a.shape[-2:]
    k, wide = min(m, n), np.result_type(a, "f8")
    assert (u.dtype, s.dtype, vh.dtype, info.dtype) == (a.dtype, a.real.dtype, a.dtype, "i4")
    stack = a.shape[:-2]
    assert u.shape == (*stack, m, m if full else k)
    assert vh.shape == (*stack, n if full else k, n)
    assert not info.any()
    assert (np.diff(s) <= 0).all()
    expected = np.linalg.svd(a.astype(wide), compute_uv=False)
    size = s.max(-1, keepdims=True, initial=0)
    bound = 8 * max(m, n) * epsilon(a.dtype) * size
    bound = bound + np.finfo(a.dtype).smallest_subnormal * k
    assert (np.abs(s - expected) <= bound).all()
    check_orthonormal(u)
    check_orthonormal(adjoint(vh))
    size = np.where(size == 0, 1, size)[..., None].astype("f8")
    rest = (u[..., :k] * (s.astype("f8") / size[..., 0])[..., None, :]) @ vh[..., :k, :]
    assert (np.abs(rest - a.astype(wide) / size) <= bound[..., None] / size).all()
    return s


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


# ---- QR factors ----------------------------------------------------------------------------------


@each_size
def test_qr(dtype, n, rng):
    for shape in {(n, n), (n, n // 2 + 1), (n // 2 + 1, n)}:
        a = random(rng, dtype, 3, *shape)
        for mode in ("reduced", "complete", "r", "raw"):
            found = call(launch.qr_call, a, mode=mode)
            expected = np.linalg.qr(a, mode)
            if mode == "r":
                found, expected = [found], [expected]
            for one, other in zip(found, expected, strict=True):
                assert one.dtype == a.dtype
                np.testing.assert_allclose(one, other, 0, 60 * n * epsilon(dtype))
        q, r = call(launch.qr_call, a, mode="complete")
        check_orthonormal(q)
        assert (r == np.triu(r)).all()
        assert (norm(q @ r - a) <= 4 * n * epsilon(dtype) * norm(a)).all()


def test_qr_of_columns_of_any_size(rng):
    scale = [1e300, 1e-300, 0, 5e-324, 1]
    a = random(rng, "f8", 2, 6, 5) * scale
    q, r = call(launch.qr_call, a, mode="reduced")
    check_orthonormal(q)
    sizes = np.maximum(np.abs(a).max(-2, keepdims=True), 1e-307)
    assert (np.abs(q @ r - a) <= 1e-14 * sizes).all()
    q, r = call(launch.qr_call, np.zeros((4, 3)), mode="complete")
    assert (q.tolist(), r.tolist()) == (np.eye(4).tolist(), np.zeros((4, 3)).tolist())


def test_matrices_that_take_a_whole_warp(rng):
    a = random(rng, "f4", 2, 18, 17)
    check_svd(a, full=False)
    check_eigh(a[:, :17] + adjoint(a[:, :17]))
    q, r = call(launch.qr_call, a, mode="reduced")
    check_orthonormal(q)
    np.testing.assert_allclose(q @ r, a, 0, 1e-5)


# ---- numpy.linalg --------------------------------------------------------------------------------

FUNCTIONS = {
    "solve": lambda xp, a: xp.linalg.solve(a, a[..., :2]),
    "inv": lambda xp, a: xp.linalg.inv(a),
    "det": lambda xp, a: xp.linalg.det(a),
    "slogdet": lambda xp, a: xp.linalg.slogdet(a),
    "cholesky": lambda xp, a: xp.linalg.cholesky(a),
    "eigh": lambda xp, a: xp.linalg.eigh(a)[0],
    "eigvalsh": lambda xp, a: xp.linalg.eigvalsh(a, "U"),
    "svd": lambda xp, a: xp.linalg.svd(a[..., :2])[1],
    "svdvals": lambda xp, a: xp.linalg.svdvals(a),
    "qr": lambda xp, a: xp.linalg.qr(a),
    "qr raw": lambda xp, a: xp.linalg.qr(a[..., 1:, :], "raw"),
    "pinv": lambda xp, a: xp.linalg.pinv(a[..., :2]),
    "matrix_rank": lambda xp, a: xp.linalg.matrix_rank(a),
    "cond": lambda xp, a: xp.linalg.cond(a),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_on_the_kernels(name, rng, monkeypatch):
    if not hasattr(cp.linalg, name.partition(" ")[0]):
        pytest.skip("not yet there")
    a = positive(rng, "f8", 2, 3)
    function = FUNCTIONS[name]
    # No library's function is called: the kernels take integers and elements at any address, too.
    monkeypatch.setattr("gpuarray._libraries.steps.Steps.call", None)
    whole = np.round(a * 10 + 30 * np.eye(3)).astype("i4")
    packed = np.zeros(a.shape, [("tag", "i1"), ("value", "f8")])
    packed["value"] = a
    views = [(cp.asarray(whole), whole), (cp.asarray(packed)["value"], a), (cp.asarray(a), a)]
    for device, host in views:
        found, expected = function(cp, device), function(np, host)
        if not isinstance(expected, tuple):
            found, expected = [found], [expected]
        for one, other in zip(found, expected, strict=True):
            assert (one.dtype, one.shape) == (other.dtype, other.shape)
            np.testing.assert_allclose(one.get(), other, 1e-10, 1e-10)


def test_failures_raise_or_are_nan(rng):
    a = positive(rng, "f8", 3, 3)
    singular, unknown = a.copy(), a.copy()
    singular[1] = 0
    unknown[1, 1, 1] = np.nan
    for name, bad in (("inv", singular), ("cholesky", singular), ("svdvals", unknown)):
        function, device = getattr(cp.linalg, name), cp.asarray(bad)
        with pytest.raises(np.linalg.LinAlgError):
            function(device)
        with cp.errstate(linalg="ignore"):
            found = function(device).get()
        assert np.isnan(found[1]).all()
        assert np.isfinite(found[::2]).all()


def test_decompositions_in_a_capture(rng):
    x = cp.asarray(positive(rng, "f8", 3, 3))
    stream = cp.cuda.Stream(non_blocking=True)
    with cp.errstate(linalg="ignore"), stream.capture() as graph:
        w, _ = cp.linalg.eigh(x)
        _, s, _ = cp.linalg.svd(x)
        r = cp.linalg.qr(x, "r")
    x *= 2
    graph.launch()
    np.testing.assert_allclose(w.get(), np.linalg.eigvalsh(x.get()), 1e-12, 1e-12)
    np.testing.assert_allclose(s.get(), np.linalg.svdvals(x.get()), 1e-12, 1e-12)
    np.testing.assert_allclose(r.get(), np.linalg.qr(x.get(), "r"), 1e-12, 1e-12)


# ---- operands ------------------------------------------------------------------------------------

VIEWS = {
    "transposed": lambda x: x.swapaxes(-1, -2),
    "backwards": lambda x: x[::-1, :, ::-1, ::-1],
    "with gaps": lambda x: x[:, ::2, 1:, 1:],
    "permuted": lambda x: x.transpose(3, 1, 0, 2)[:, :, 1:, 1:],
    "one matrix": lambda x: x[1, 2],
    "repeated": lambda x: x[:, :1],
}


@pytest.mark.parametrize("view", VIEWS)
def test_views(view, rng):
    x = random(rng, "f8", 4, 3, 4, 4)
    a, device = VIEWS[view](x), VIEWS[view](cp.asarray(x))
    inverse, info = call(launch.inverse_call, device)
    assert inverse.flags.c_contiguous
    assert not info.any()
    np.testing.assert_allclose(inverse, np.linalg.inv(a), 1e-10, 1e-10)
    right = random(rng, "f8", *a.shape[-2:])
    for b in (cp.asarray(right), cp.asarray(right).T, cp.asarray(right)[:, ::-1]):
        solution, _ = call(launch.solve_call, device, b)
        np.testing.assert_allclose(solution, np.linalg.solve(a, b.get()), 1e-10, 1e-10)


def test_stacks_that_broadcast(rng):
    a, b = random(rng, "f8", 3, 1, 4, 4), random(rng, "f8", 5, 4, 2)
    x, info = call(launch.solve_call, a, b)
    assert info.shape == (3, 5)
    np.testing.assert_allclose(x, np.linalg.solve(a, b), 1e-10, 1e-10)
    many = cp.broadcast_to(cp.asarray(a[0, 0]), (200, 4, 4))
    inverse, _ = call(launch.inverse_call, many)
    np.testing.assert_allclose(inverse, np.linalg.inv(np.broadcast_to(a[0, 0], (200, 4, 4))), 1e-10)


def test_stacks_of_many_dimensions(rng):
    x = random(rng, "f8", 2, 3, 2, 3, 2, 3, 3)
    axes = (4, 2, 0, 3, 1, 5, 6)
    device = cp.asarray(x).transpose(axes)
    inverse, _ = call(launch.inverse_call, device)
    np.testing.assert_allclose(inverse, np.linalg.inv(x.transpose(axes)), 1e-10, 1e-10)


def test_empty_stacks():
    for shape in ((0, 3, 3), (2, 0, 0), (4, 0, 3, 3)):
        inverse, info = call(launch.inverse_call, np.ones(shape))
        assert (inverse.shape, info.shape) == (shape, shape[:-2])
        assert not info.any()


@pytest.mark.slow
@pytest.mark.parametrize("operation", spec.OPERATIONS)
def test_matrices_of_a_block_fit_into_shared_memory(operation):
    for dtype, lanes in itertools.product(["f4", "c16"], spec.LANES):
        columns = lanes if operation in ("solve", "cholesky_solve") else 0
        kernel = spec.SmallMatrixSpec(operation, dtype, lanes, columns=columns)
        function, _ = load(kernel, spec.render, current.stream.device)
        used = driver.function_attribute("shared_size_bytes", function.handle)
        assert 0 < used <= 48 << 10
        # One warp more would have none.
        assert kernel.warps == 4 or used * (kernel.warps + 1) // kernel.warps > 47 << 10


@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find(rng):
    a, b = random(rng, "f8", 7, 5, 5), random(rng, "f8", 7, 5, 3)
    definite = positive(rng, "f8", 7, 5)
    # Matrices that share a warp go different ways.
    for x in (a, definite):
        x[1] = 0
        x[2, 1, 1] = -1
        x[3, 2, 2] = np.nan
        x[5] = np.diag(np.arange(5))
    with cp.cuda.check("races=lane", "uninit", "barriers"):
        call(launch.solve_call, a, b)
        call(launch.inverse_call, a)
        call(launch.determinant_call, a)
        call(launch.log_determinant_call, a)
        call(launch.lu_call, a)
        call(launch.cholesky_call, definite, upper=True)
        call(launch.cholesky_solve_call, definite, b, upper=False)
        call(launch.eigh_call, definite, upper=False, vectors=True)
        call(launch.eigh_call, definite, upper=True, vectors=False)
        call(launch.svd_call, a, full=True)
        call(launch.svd_call, a[:, :3], full=True)
        call(launch.svdvals_call, a[:, :, :3])
        call(launch.qr_call, a[:, :, :3], mode="complete")
        call(launch.qr_call, a, mode="raw")


def test_a_capture_holds_it(rng):
    a, b = random(rng, "f8", 3, 3, 3), random(rng, "f8", 3, 3, 3)
    x, y = cp.asarray(a), cp.asarray(b)
    with cp.cuda.Stream(non_blocking=True).capture() as graph:
        run = launch.solve_call(current.stream, "test", x._layout, y._layout)
        solution, _ = run(x, y)
    x *= 2
    graph.launch()
    np.testing.assert_allclose(solution.get(), np.linalg.solve(2 * a, b), 1e-10, 1e-10)
