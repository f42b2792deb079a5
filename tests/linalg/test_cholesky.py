"""cholesky; matrices of up to 32 rows have kernels of our own."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.errors import CaptureError
from tests.linalg.matrices import DTYPES, close, conditioned, eps, positive, random

#: One of each path: a kernel, cuSOLVER, a loop of it, its function for stacks.
SHAPES = [(3, 3), (33, 33), (2, 33, 33), (2, 3, 33, 33)]
#: Kernels of our own, and dtypes of them, have tests of their own.
CASES = [((3, 3), "f8"), ((33, 33), "f8"), *[(SHAPES[2], x) for x in ("f4", "c16")]]
CASES += [(SHAPES[3], x) for x in DTYPES]


@pytest.mark.parametrize("shape, dtype", CASES, ids=str)
def test_against_numpy(dtype, shape, rng):
    a = positive(rng, dtype, *shape)
    for upper in (False, True):
        close(cp.linalg.cholesky(cp.asarray(a), upper=upper), np.linalg.cholesky(a, upper=upper))
        # Only one triangle is read, and zeros are stored to the other one.
        other = np.tril if upper else np.triu
        spoilt = a + 100 * other(random(rng, dtype, *shape), -1 if upper else 1)
        found = cp.linalg.cholesky(cp.asarray(spoilt.astype(dtype)), upper=upper)
        close(found, np.linalg.cholesky(a, upper=upper))
        assert not other(found.get(), -1 if upper else 1).any()


@pytest.mark.parametrize("condition", [1e1, 1e5, 1e10])
@pytest.mark.parametrize("n", [5, 34])
def test_residuals_at_conditions(n, condition, rng):
    a = conditioned(rng, "f8", n, condition, definite=True)
    a = (a + a.T) / 2
    factor = cp.linalg.cholesky(cp.asarray(a)).get()
    assert np.linalg.norm(factor @ factor.T - a) <= 10 * n * eps("f8") * np.linalg.norm(a)


def test_views_and_integers(rng):
    for n in (4, 33):
        x = positive(rng, "f8", 5, n, n)
        device = cp.asarray(x)
        for view in (lambda x: x.swapaxes(-1, -2), lambda x: x[::-2], lambda x: x[:, ::-1, ::-1]):
            close(cp.linalg.cholesky(view(device)), np.linalg.cholesky(view(x)))
        many = cp.broadcast_to(device[0], (4, n, n))
        close(cp.linalg.cholesky(many), np.linalg.cholesky(many.get()))
        whole = np.round(x).astype("i4")
        close(cp.linalg.cholesky(cp.asarray(whole)), np.linalg.cholesky(whole))


@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (0, 3, 3), (0, 40, 40)], ids=str)
def test_nothing(shape):
    close(cp.linalg.cholesky(cp.ones(shape)), np.linalg.cholesky(np.ones(shape)))


@pytest.mark.parametrize("n", [3, 33])
def test_what_is_not_positive_definite(n, rng):
    good = positive(rng, "f8", n, n)
    bad = good - 3 * np.linalg.eigvalsh(good)[n // 2] * np.eye(n)
    stack = cp.asarray(np.stack([bad, good, good, bad]))
    for a in (cp.asarray(bad), stack[:2], stack):
        with pytest.raises(np.linalg.LinAlgError, match="^Matrix is not positive definite$"):
            cp.linalg.cholesky(a)
        with cp.errstate(linalg="ignore"):
            found = cp.linalg.cholesky(a).get().reshape(-1, n * n)
        expected = [True, False, False, True][: len(found)]
        assert np.isnan(found).all(axis=1).tolist() == expected
        assert np.isnan(found).any(axis=1).tolist() == expected


def test_errors(rng):
    for bad, type_, match in (
        (cp.ones((2, 3)), np.linalg.LinAlgError, "must be square"),
        (cp.ones(3), np.linalg.LinAlgError, "at least two-dimensional"),
        (cp.ones((3, 3), "f2"), TypeError, "float16 is unsupported in linalg"),
    ):
        with pytest.raises(type_, match=match):
            cp.linalg.cholesky(bad)


@pytest.mark.parametrize("shape", SHAPES[:3], ids=str)
def test_inverses_and_solutions(shape, rng):
    a, b = positive(rng, "c16", *shape), random(rng, "c16", *shape[:-1], 2)
    close(cp.linalg.invh(cp.asarray(a)), np.linalg.inv(a))
    close(cp.linalg.invh(cp.tril(cp.asarray(a))), np.linalg.inv(a))
    factor = cp.linalg.cholesky(cp.asarray(a))
    close(cp.linalg.cho_solve((factor, True), cp.asarray(b)), np.linalg.solve(a, b))
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        cp.linalg.invh(cp.asarray(-a))


def test_captures(rng):
    small, large = [cp.asarray(positive(rng, "f8", n, n)) for n in (3, 33)]
    with cp.cuda.Stream(non_blocking=True) as stream, cp.errstate(linalg="ignore"):
        cp.linalg.cholesky(large)
        stream.begin_capture()
        with pytest.raises(CaptureError, match="cusolverDn.* cannot be captured"):
            cp.linalg.cholesky(large)
        found = cp.linalg.cholesky(small)
        with cp.errstate(linalg="raise"), pytest.raises(CaptureError, match="cholesky waits"):
            cp.linalg.cholesky(small)
        graph = stream.end_capture()
        small *= 4
        graph.launch(stream)
        close(found, np.linalg.cholesky(small.get()))
