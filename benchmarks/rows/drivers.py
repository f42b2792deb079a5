"""Singular value decompositions by each function that cuSOLVER has for them.

For each function: milliseconds, the residual, how orthonormal the vectors are, and how far off the
singular values are, in units of the precision times the greatest one. `cusolverDnXgesvdr` is not
among them: it approximates the greatest few singular values only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: 'polar' is none of the library's: a polar decomposition of our own and `syevd`.
FUNCTIONS = ("gesvd", "gesvdp", "gesvdj", "polar")
#: A lower bound of the singular values beside the greatest, at which `polar` begins.
_LEAST = 1e-16


def singular_values(
    n: int,
    dtype: str,
    condition: float,
    measure: Callable[..., dict[str, float]],
    seconds: float,
    synchronize: Callable[[], Any],
) -> dict[str, Any]:
    """The figures of all functions for a square matrix of a condition."""
    import gpuarray as cp

    host, exact = _matrix(n, np.dtype(dtype), condition)
    a = cp.asarray(host)
    eps = float(np.finfo(host.dtype).eps)
    works, rows = {}, {}
    for name in FUNCTIONS:
        works[name], result = _call(name, a)
        u, s, vh, away, info = result()
        unit = np.eye(n)
        rows[name] = {
            "residual": _greatest((u * s) @ vh - host) / eps,
            "left": _greatest(u.conj().T @ u - unit) / eps,
            "right": _greatest(vh @ vh.conj().T - unit) / eps,
            "values": _greatest(s - exact) / eps,
            "h_err_sigma": away / eps,
            "info": info,
        }
    for name, found in measure(works, synchronize, seconds).items():
        rows[name]["ms"] = 1e3 * found
        print(
            f"svd of {n} x {n}, {dtype}, condition {condition:.0e}, {name}: "
            + ", ".join([f"{key} {value:.3g}" for key, value in rows[name].items()])
        )
    return {"rows": n, "dtype": dtype, "condition": condition, "functions": rows}


def _greatest(x: np.ndarray) -> float:
    return float(np.abs(x).max())


def _matrix(n: int, dtype: np.dtype, condition: float) -> tuple[np.ndarray, np.ndarray]:
    """A matrix of a condition, and its singular values."""
    rng = np.random.default_rng(1)

    def orthonormal() -> np.ndarray:
        values = rng.standard_normal((n, n))
        if dtype.kind == "c":
            values = values + 1j * rng.standard_normal((n, n))
        return np.linalg.qr(values)[0]

    s = np.geomspace(1, 1 / condition, n)
    matrix = ((orthonormal() * s) @ orthonormal()).astype(dtype)
    return matrix, np.linalg.svd(matrix, compute_uv=False)


def _call(name: str, a: Any) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """What runs a function, and what returns its results on the host."""
    from gpuarray._libraries.svd import svd_call
    from gpuarray._runtime.current_stream import current

    away = np.zeros(())
    if name == "gesvdj":
        run = _jacobi_call(a._layout)
    elif name == "polar":
        run = _by_polar_decomposition
    else:
        run = svd_call(current.stream, a._layout, a.dtype, name, True, False)

    def work() -> Any:
        # `away` lives as long as this function: cuSOLVER writes to it in every call.
        return run(a, away.ctypes.data) if name == "gesvdp" else run(a)

    def result() -> tuple[Any, ...]:
        u, s, vh, info = [x.get() for x in work()]
        return u, s, vh, float(away), int(info)

    return work, result


def _jacobi_call(layout: Any) -> Callable[[Any], Any]:
    """As `svd_call` makes it of the other functions, for one square matrix."""
    from gpuarray import _layout
    from gpuarray._ffi import cusolver
    from gpuarray._ffi.cusolver_svd import JACOBI
    from gpuarray._libraries.steps import Steps
    from gpuarray._runtime.current_stream import current

    dtype, n = layout.dtype, layout.shape[0]
    square = _layout.contiguous(dtype, (n, n))
    steps = Steps(current.stream, layout)
    u = steps.output(square)
    s = steps.output(_layout.contiguous(np.empty(0, dtype).real.dtype, (n,)))
    vh = steps.output(square)
    info = steps.output(_layout.contiguous(np.dtype("i4"), ()))
    columns, left, right = [steps.scratch(square) for _ in range(3)]
    steps.copy(steps.inputs[0], columns.seen_as(_layout.matrix_transpose(square)))
    values = {
        "jobz": "CUSOLVER_EIG_MODE_VECTOR", "econ": 1, "m": n, "n": n, "lda": n, "ldu": n, "ldv": n,
        "params": cusolver.library.cusolverDnCreateGesvdjInfo(),
    }  # fmt: skip
    operands = {"A": columns, "S": s, "U": left, "V": right, "info": info}
    steps.solver(JACOBI[dtype], values, operands)
    steps.copy(left.seen_as(_layout.matrix_transpose(square)), u)
    steps.copy(right, vh, conjugate=True)
    return steps.make()


def _by_polar_decomposition(a: Any) -> tuple[Any, ...]:
    """By dynamically weighted Halley iterations, and the eigenvalues of the Hermitian factor.

    Nakatsukasa and Higham, Stable and efficient spectral divide and conquer algorithms for the
    symmetric eigenvalue decomposition and the SVD, SIAM J. Sci. Comput. 35, 2013. Steps with great
    weights are made by a QR factorisation, the others by a Cholesky factorisation.
    """
    import gpuarray as cp

    n = a.shape[-1]
    unit = cp.eye(n, dtype=a.dtype)
    sizes = abs(a)
    x = a / cp.sqrt(sizes.sum(0).max() * sizes.sum(1).max())
    least = _LEAST
    while abs(least - 1) > 1e-15:
        first, second, third = _weights(least)
        least = min(least * (first + second * least**2) / (1 + third * least**2), 1.0)
        rest = first - second / third
        if third > 100:
            q = cp.linalg.qr(cp.concatenate([third**0.5 * x, unit])).Q
            x = second / third * x + rest / third**0.5 * (q[:n] @ q[n:].conj().T)
        else:
            factor = cp.linalg.cholesky(unit + third * (x.conj().T @ x))
            right = cp.scipy.linalg.solve_triangular(factor, x.conj().T, lower=True)
            right = cp.scipy.linalg.solve_triangular(factor.conj().T, right, lower=False)
            x = second / third * x + rest * right.conj().T
    hermitian = x.conj().T @ a
    values, vectors = cp.linalg.eigh((hermitian + hermitian.conj().T) / 2)
    vectors = vectors[:, ::-1]
    info = cp.zeros((), "i4")
    return x @ vectors, abs(values[::-1]), cp.ascontiguousarray(vectors.conj().T), info


def _weights(least: float) -> tuple[float, float, float]:
    """The weights of a step for singular values from a least one to 1."""
    d = (4 * (1 - least**2) / least**4) ** (1 / 3)
    root = (1 + d) ** 0.5
    first = root + (8 - 4 * d + 8 * (2 - least**2) / (least**2 * root)) ** 0.5 / 2
    second = (first - 1) ** 2 / 4
    return first, second, first + second - 1
