"""Stacks of matrices of up to 32 rows and columns, by the kernels that are made for them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.launch import load
from gpuarray.kernels.small_matrix import launch, spec
from tests.linalg.small_matrices import (
    adjoint,
    call,
    check_eigh,
    check_orthonormal,
    check_solution,
    check_svd,
    conditioned,
    each_size,
    epsilon,
    norm,
    positive,
    random,
)

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


@pytest.mark.slow
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
