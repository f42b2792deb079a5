"""Factorisations by cuSOLVER as plans, on either backend."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from gpuarray._ffi import driver
from gpuarray._libraries import solver
from gpuarray.errors import CUDAError

TOLERANCES = {"f4": 2e-5, "f8": 1e-12, "c8": 2e-5, "c16": 1e-12}
each_dtype = pytest.mark.parametrize("dtype", TOLERANCES)


def _random(rng, dtype, shape):
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def _close(found, expected):
    tolerance = TOLERANCES[found.dtype.str[1:]]
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=20 * tolerance)


@each_dtype
@pytest.mark.parametrize("shape", [(5, 5), (9, 4), (3, 6), (1, 1)])
def test_qr_factors(xp, rng, dtype, shape):
    matrix = _random(rng, dtype, shape)
    columns = xp.asarray(matrix.T.copy())
    tau, info = solver.qr_factors(columns)
    assert (tau.shape, tau.dtype, int(info)) == ((min(shape),), np.dtype(dtype), 0)
    r = np.triu(xp.asnumpy(columns).T[: min(shape)])
    # Q drops out.
    _close(r.conj().T @ r, matrix.conj().T @ matrix)


@each_dtype
@pytest.mark.parametrize("shape", [(5, 5), (9, 4), (1, 1)])
def test_singular_values(xp, rng, dtype, shape):
    matrix = _random(rng, dtype, shape)
    u, s, v, info = [xp.asnumpy(x) for x in solver.singular_values(xp.asarray(matrix.T.copy()))]
    assert (u.shape, v.shape, s.dtype) == (shape[::-1], (shape[1],) * 2, matrix.real.dtype)
    assert info == 0
    _close(s, np.linalg.svd(matrix, compute_uv=False))
    # u and v have the columns of U and of conj(V).T, a row each.
    _close((u.T * s) @ v.T, matrix)


def test_threads_have_workspaces_of_their_own(xp, rng):
    matrices = [_random(rng, "f8", (20, 20)) for _ in range(4)]
    found = {}

    def work(number):
        for _ in range(3):
            found[number] = xp.asnumpy(solver.singular_values(xp.asarray(matrices[number]))[1])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, matrix in enumerate(matrices):
        _close(found[number], np.linalg.svd(matrix, compute_uv=False))


def test_captures_are_refused_before_they_break(xp, rng):
    with xp.cuda.Stream(non_blocking=True) as stream:
        columns = xp.asarray(_random(rng, "f8", (4, 4)))
        solver.qr_factors(columns)
        driver.stream_begin_capture(stream.handle, "relaxed")
        with pytest.raises(CUDAError, match="cusolverDnXgeqrf cannot be captured into a graph"):
            solver.qr_factors(columns)
        xp.add(columns, columns, out=columns)
        driver.graph_destroy(driver.stream_end_capture(stream.handle))  # it is still valid
