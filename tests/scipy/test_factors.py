"""lu, Cholesky and triangular systems of scipy.linalg; small matrices have kernels of our own."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import gpuarray as cp
from gpuarray.scipy import linalg
from tests.linalg.matrices import close, eps, positive, random, regular

#: A kernel, cuSOLVER or one function of cuBLAS, batched functions; none for stacks that are not
#: square, which are a loop.
SHAPES = [(3, 3), (33, 33), (5, 33, 33)]


@pytest.mark.parametrize("shape", [*SHAPES, (34, 33), (2, 33, 35), (5, 3), (33, 1)], ids=str)
@pytest.mark.parametrize("dtype", ["f8", "c8"])
def test_lu(shape, dtype, rng):
    a = random(rng, dtype, *shape)
    device = cp.asarray(a)
    least = min(shape[-2:])
    factors, pivots = linalg.lu_factor(device)
    expected, exchanges = scipy.linalg.lu_factor(a)
    assert (factors.dtype, pivots.dtype) == (expected.dtype, np.int32)
    assert (factors.shape, pivots.shape) == (expected.shape, exchanges.shape)
    if dtype == "f8":  # the greatest of complex numbers may be another one
        close(factors, expected, 2e3)
        np.testing.assert_array_equal(pivots.get(), exchanges)
    p, lower, upper = [x.get() for x in linalg.lu(device)]
    assert (p.dtype, p.shape) == (a.real.dtype, (*shape[:-1], shape[-2]))
    assert (lower.shape, upper.shape) == ((*shape[:-1], least), (*shape[:-2], least, shape[-1]))
    np.testing.assert_allclose(p @ lower @ upper, a, atol=100 * eps(dtype))
    assert (np.diagonal(lower, 0, -2, -1) == 1).all()
    assert not np.triu(lower, 1).any()
    assert not np.tril(upper, -1).any()
    permuted, upper = [x.get() for x in linalg.lu(device, permute_l=True)]
    np.testing.assert_array_equal(permuted, p @ lower)
    rows = linalg.lu(device, p_indices=True)[0].get()
    np.testing.assert_array_equal(np.take_along_axis(lower, rows[..., None], -2), permuted)
    if dtype == "f8":
        np.testing.assert_array_equal(rows, scipy.linalg.lu(a, p_indices=True)[0])


def test_lu_of_integers_and_nothing(rng):
    for n in (4, 33):
        a = random(rng, "i4", n, n)
        close(linalg.lu_factor(cp.asarray(a))[0], scipy.linalg.lu_factor(a)[0], 1e5)
    for shape in ((0, 0), (0, 3), (3, 0), (2, 0, 4)):
        a = np.ones(shape)
        found, expected = linalg.lu(cp.asarray(a)), scipy.linalg.lu(a)
        assert [x.shape for x in found[1:]] == [x.shape for x in expected[1:]]
        # SciPy's permutation of no column has no row.
        assert found[0].tolist() == np.broadcast_to(np.eye(shape[-2]), found[0].shape).tolist()
        assert [x.shape for x in linalg.lu_factor(cp.asarray(a))] == [shape, (*shape[:-2], 0)]


def test_lu_of_singular_matrices():
    for n in (3, 33):
        factors, _ = linalg.lu_factor(cp.ones((n, n)))
        assert not factors.get()[1:, 1:].any()


@pytest.mark.parametrize("trans", [0, 1, 2])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_lu_solve(shape, trans, rng):
    a = regular(rng, "c16", *shape)
    factors = linalg.lu_factor(cp.asarray(a))
    applied = [a, a.swapaxes(-1, -2), a.conj().swapaxes(-1, -2)][trans]
    for b in (random(rng, "f8", shape[-1]), random(rng, "c16", shape[-1], 3)):
        close(linalg.lu_solve(factors, cp.asarray(b), trans), np.linalg.solve(applied, b))
    wider = factors[0], factors[1].astype("i8")
    close(linalg.lu_solve(wider, cp.asarray(b), trans), np.linalg.solve(applied, b))


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_cholesky(shape, lower, rng):
    a = positive(rng, "c16", *shape)
    device = cp.asarray(a)
    expected = np.linalg.cholesky(a, upper=not lower)
    close(linalg.cholesky(device, lower=lower), expected)
    factor, which = linalg.cho_factor(device, lower=lower)
    assert which is lower
    for b in (random(rng, "f8", shape[-1]), random(rng, "c16", *shape[:-1], 2)):
        close(linalg.cho_solve((factor, lower), cp.asarray(b)), np.linalg.solve(a, b))
    # The other triangle is not read.
    spoilt = factor + 100 * (cp.triu(device, 1) if lower else cp.tril(device, -1))
    close(linalg.cho_solve((spoilt, lower), cp.asarray(b)), np.linalg.solve(a, b))


@pytest.mark.parametrize("trans", [0, "T", 2])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("order", "CF")
def test_triangular_systems(trans, lower, order, rng):
    for dtype, shape in (("f8", (4, 4)), ("c16", (33, 33)), ("f4", (2, 5, 5)), ("c8", (4, 5, 5))):
        a = regular(rng, dtype, *shape)
        device = cp.asarray(a)
        if order == "F":
            device = cp.asarray(a.swapaxes(-1, -2).copy()).swapaxes(-1, -2)
        t = np.tril(a) if lower else np.triu(a)
        for unit in (False, True):
            if unit:
                t = t * (1 - np.eye(shape[-1])) + np.eye(shape[-1])
                t, device = (t / 16).astype(dtype), device / 16
                t += np.eye(shape[-1], dtype=dtype) * (1 - 1 / 16)
            applied = {0: t, "T": t.swapaxes(-1, -2), 2: t.conj().swapaxes(-1, -2)}[trans]
            for b in (random(rng, dtype, shape[-1]), random(rng, dtype, 1, shape[-1], 3)):
                found = linalg.solve_triangular(device, cp.asarray(b), trans, lower, unit)
                close(found, np.linalg.solve(applied, b).astype(dtype), 1e3)


def test_triangular_systems_that_broadcast(rng):
    for a, b in (((5, 5), (4, 5, 2)), ((4, 5, 5), (5,)), ((2, 1, 5, 5), (3, 5, 1)), ((0, 0), (0,)),
                 ((1, 1, 5, 5), (2, 2, 5, 2)), ((3, 3), (3, 0))):  # fmt: skip
        matrix, right = np.tril(regular(rng, "f8", *a)), random(rng, "f8", *b)
        found = linalg.solve_triangular(cp.asarray(matrix), cp.asarray(right), lower=True)
        close(found, np.linalg.solve(matrix, right))
    strided = cp.asarray(np.tril(regular(rng, "f8", 10, 10)))[::2, ::2]
    close(linalg.solve_triangular(strided, cp.ones(5, "i4"), lower=True),
          np.linalg.solve(strided.get(), np.ones(5)))  # fmt: skip


ASSUMED = {
    None: lambda a: a,
    "diagonal": lambda a: a * np.eye(a.shape[-1]),
    "upper triangular": np.triu,
    "lower triangular": np.tril,
    "sym": lambda a: (a + a.swapaxes(-1, -2)) / 2,
    "her": lambda a: (a + a.conj().swapaxes(-1, -2)) / 2,
    "pos": lambda a: a @ a.conj().swapaxes(-1, -2),
}


@pytest.mark.parametrize("assumed", ASSUMED)
@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_structures(assumed, dtype, rng):
    a = ASSUMED[assumed](regular(rng, dtype, 2, 6, 6))
    b = random(rng, dtype, 6)
    device = cp.asarray(a)
    close(linalg.inv(device, assume_a=assumed), np.linalg.inv(a))
    for lower in (False, True):
        read = device
        if assumed in ("sym", "her", "pos"):  # of which one triangle is read
            read = cp.tril(device) if lower else cp.triu(device)
        for transposed in (False, True):
            applied = a.swapaxes(-1, -2) if transposed else a
            found = linalg.solve(
                read, cp.asarray(b), lower=lower, assume_a=assumed, transposed=transposed
            )
            close(found, np.linalg.solve(applied, b))


def test_determinants(rng):
    a = regular(rng, "f8", 4, 4)
    close(linalg.det(cp.asarray(a)), np.asarray(scipy.linalg.det(a)))


def test_errors():
    singular = cp.zeros((3, 3))
    for call in (
        lambda: linalg.inv(singular),
        lambda: linalg.solve(singular, cp.ones(3)),
        lambda: linalg.solve(singular, cp.ones(3), assume_a="diagonal"),
        lambda: linalg.cholesky(singular),
        lambda: linalg.cho_factor(singular),
        lambda: linalg.solve_triangular(singular, cp.ones(3)),
        lambda: linalg.lu_factor(cp.ones(3)),
        lambda: linalg.cho_solve((cp.ones((2, 3)), True), cp.ones(3)),
    ):
        with pytest.raises(np.linalg.LinAlgError):
            call()
    assert linalg.solve_triangular(singular, cp.ones(3), unit_diagonal=True).tolist() == [1, 1, 1]
    with cp.errstate(linalg="ignore"):
        assert not cp.isfinite(linalg.solve_triangular(singular, cp.ones(3))).any()
    for call, match in (
        (lambda: linalg.solve(singular, cp.ones(3), assume_a="odd"), "assume_a must be one of"),
        (lambda: linalg.solve(cp.eye(3), cp.ones(1), assume_a="diagonal"), "it has \\(1,\\)"),
        (lambda: linalg.solve_triangular(cp.eye(3), cp.ones(3), trans="Q"), "trans must be"),
        (lambda: linalg.lu_solve(linalg.lu_factor(cp.eye(3)), cp.ones(3), 3), "trans must be"),
        (lambda: linalg.lu_solve((cp.eye(3), cp.ones(2, "i4")), cp.ones(3)), "pivots are integers"),
        (lambda: linalg.lu_solve(linalg.lu_factor(cp.eye(3)), cp.ones(4)), "it has \\(4,\\)"),
    ):
        with pytest.raises(ValueError, match=match):
            call()
    with pytest.raises(TypeError, match="float16 is unsupported in linalg"):
        linalg.lu(cp.ones((3, 3), "f2"))
