"""Calls of the kernels for small matrices, on matrices of the host, and how exact they are."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._runtime.current_stream import current
from gpuarray.kernels.small_matrix import launch

DTYPES = ["f4", "f8", "c8", "c16"]
SIZES = [1, 2, 3, 5, 8, 17, 32]
# A kernel for each: compiling them is what takes the time.
QUICK = [("f8", 1), ("f8", 3), ("c16", 5)]
SLOW = [("f8", n) for n in SIZES[1:] if n != 3]
SLOW += [("f4", 3), ("f4", 32), ("c8", 2), ("c8", 17), ("c16", 1), ("c16", 8), ("c16", 32)]
each_size = pytest.mark.parametrize(
    ("dtype", "n"), [*QUICK, *[pytest.param(*case, marks=pytest.mark.slow) for case in SLOW]]
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
