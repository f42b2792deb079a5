"""The generalised method of minimal residuals."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import empty
from gpuarray._ops.joining import concatenate
from gpuarray._ops.math import conj, divide, sqrt
from gpuarray._ops.products import matmul, vdot
from gpuarray.scipy.sparse.linalg._progress import iterate, lag_of
from gpuarray.scipy.sparse.linalg._systems import make_system, norm_of, threshold

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray
    from gpuarray.scipy.sparse.linalg._operators import LinearOperator

__all__ = ["gmres", "projections"]


def projections(basis: Any, w: Any) -> Any:
    """The products of the conjugates of a basis' rows with a vector."""
    if w.dtype.kind != "c":
        return matmul(basis, w)
    return conj(matmul(basis, conj(w)))


class _LeastSquares:
    """The small problem of the coefficients, kept triangular by rotations, on the host."""

    def __init__(self, size: int, norm: float, dtype: np.dtype):
        self._rows = np.zeros((size, size), dtype)  # of the triangle's transpose
        self._rotations: list[tuple[Any, Any]] = []
        self._right = np.zeros(size + 1, dtype)
        self._right[0] = norm
        self._epsilon = np.finfo(dtype).eps

    def add(self, column: Any, before: float, after: float) -> tuple[float, bool]:
        """Take one more column.

        Parameters
        ----------
        column : numpy.ndarray
            The new vector's products with the basis.
        before, after : float
            Its norm before and after these parts were taken away.

        Returns
        -------
        residual : float
            The norm of the preconditioned residual.
        exact : bool
            Whether nothing of the vector was left.
        """
        k = len(self._rotations)
        exact = bool(after <= self._epsilon * before)
        h = np.append(column, 0 if exact else after).astype(self._right.dtype)
        for i, (c, s) in enumerate(self._rotations):
            h[i], h[i + 1] = c * h[i] + s * h[i + 1], -np.conj(s) * h[i] + c * h[i + 1]
        c, s, h[k] = _rotation(h[k], h[k + 1])
        self._rotations.append((c, s))
        self._rows[k, : k + 1] = h[: k + 1]
        last = self._right[k]
        self._right[k : k + 2] = c * last, -np.conj(s) * last
        return float(abs(self._right[k + 1])), exact

    def solve(self) -> Any:
        """The coefficients; 0 for a column that nothing but the others is in."""
        size = len(self._rotations)
        y = self._right[:size].copy()
        for k in range(size - 1, -1, -1):
            diagonal = self._rows[k, k]
            if diagonal == 0 and k == size - 1:
                y[k] = 0
            if y[k] != 0:
                y[k] /= diagonal
                y[:k] -= y[k] * self._rows[k, :k]
        return y


def _rotation(f: Any, g: Any) -> tuple[Any, Any, Any]:
    """c, s and r of the rotation that takes (f, g) to (r, 0)."""
    if g == 0:
        return 1.0, 0.0 * g, f
    if f == 0:
        return 0.0, np.conj(g) / abs(g), abs(g)
    length = np.hypot(abs(f), abs(g))
    sign = f / abs(f)
    return abs(f) / length, sign * np.conj(g) / length, sign * length


def gmres(
    A: ArrayLike | LinearOperator | Any,
    b: ArrayLike,
    x0: ArrayLike | str | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int | None = None,
    maxiter: int | None = None,
    M: ArrayLike | LinearOperator | Any = None,
    callback: Callable[[Any], Any] | None = None,
    callback_type: str | None = None,
) -> tuple[ndarray, int]:
    """Solve linear equations by the generalised method of minimal residuals, with restarts.

    Parameters
    ----------
    A : ndarray, sparse array or LinearOperator, shape (N, N)
        Any matrix that is not singular.
    b : array_like, shape (N,) or (N, 1)
        The right-hand side.
    x0 : array_like or 'Mb', optional
        Where to begin; zeros by default, and with 'Mb' the product of `M` and `b`.
    rtol, atol : float, optional
        The end is a residual with a norm of at most ``max(rtol * norm(b), atol)``.
    restart : int, optional
        Iterations between restarts, and vectors that are kept; 20 by default.
    maxiter : int, optional
        The most restarts; ten times N by default.
    M : ndarray, sparse array or LinearOperator, optional
        The preconditioner, an approximation of the inverse of `A`.
    callback : callable, optional
        What is called, with what `callback_type` says.
    callback_type : {'x', 'pr_norm', 'legacy'}, optional
        After each restart with the solution; after each iteration with the norm of the
        preconditioned residual over that of `b`; or the latter, with `maxiter` counting
        iterations, which is the default.

    Returns
    -------
    x : ndarray, shape (N,)
        The solution.
    info : int
        0, or `maxiter` if the residual is still too large.

    Raises
    ------
    ValueError
        If `A` is not square, shapes do not fit together, `atol` is negative or `callback_type`
        another text.

    Differences from SciPy
    ----------------------
    Vectors are made orthogonal to all the earlier ones at once, twice, so that results differ by
    rounding. As for `cg`, a matrix may be multiplied by a few vectors more than it takes.

    Notes
    -----
    Y. Saad and M. H. Schultz, SIAM Journal on Scientific and Statistical Computing 7 (1986)
    856-869; twice is enough: L. Giraud, J. Langou and M. Rozloznik, Computers and Mathematics with
    Applications 50 (2005) 1069-1075. The tolerance of a cycle is adapted to how far the
    preconditioned residual was from the true one, as SciPy does.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.array([[3.0, 2.0, 0.0], [1.0, -1.0, 0.0], [0.0, 5.0, 1.0]])
    >>> x, info = cp.scipy.sparse.linalg.gmres(a, cp.array([2.0, 4.0, -1.0]))
    >>> x.round(6), info
    (array([ 2., -2.,  9.]), 0)
    """
    if callback is not None and callback_type is None:
        warnings.warn(
            "gmres: called without specifying `callback_type`. Pass 'pr_norm' for the norm of the "
            "preconditioned residual, 'x' for the solution, or 'legacy' for the old behaviour.",
            DeprecationWarning,
            stacklevel=2,
        )
    kind = "legacy" if callback_type is None else callback_type
    if kind not in ("x", "pr_norm", "legacy"):
        raise ValueError(
            f"gmres: Unknown callback_type: {callback_type!r}; use 'x', 'pr_norm' or 'legacy'"
        )
    system = make_system(A, M, x0, b, "gmres")
    norm = norm_of(system.b)
    tolerance = threshold("gmres", norm, atol, rtol)
    if norm == 0:
        return system.b.copy(), 0
    x, length, dtype = system.x, len(system.b), system.x.dtype
    matvec, psolve = system.matrix.matvec, system.psolve
    maxiter = 10 * length if maxiter is None else maxiter
    restart = min(20 if restart is None else restart, length)
    if restart < 0:
        raise ValueError(f"gmres: restart is not negative, as {restart} is; pass 20, or None")
    legacy = callback is not None and kind == "legacy"
    epsilon = float(np.finfo(dtype).eps)
    lag = lag_of(system.matrix, system.preconditioner)

    residual = system.residual()
    left = norm_of(residual)
    if maxiter > 0 and left < tolerance:
        return x, 0
    factor, iterations = 1.0, 0
    within = norm_of(psolve(system.b)) * min(factor, tolerance / norm)
    basis = empty((restart + 1, length), dtype)

    def advance(state: None, k: int) -> tuple[None, list[Any]]:
        w = psolve(matvec(basis[k]))
        before = vdot(w, w)
        vectors = basis[: k + 1]
        first = projections(vectors, w)
        w = w - matmul(first, vectors)
        second = projections(vectors, w)
        w = w - matmul(second, vectors)
        after = vdot(w, w)
        divide(w, sqrt(after), out=basis[k + 1])
        return None, [concatenate((first + second, before.reshape(1), after.reshape(1)))]

    for _ in range(maxiter):
        start = psolve(residual)
        size = norm_of(start)
        divide(start, size, out=basis[0])
        small = _LeastSquares(restart, size, dtype)

        def judge(
            k: int,
            before: Any,
            after: Any,
            numbers: Any,
            small: _LeastSquares = small,
            within: float = within,
        ) -> Any:
            nonlocal iterations
            norms = np.sqrt(numbers[-2:].real)
            inner, exact = small.add(numbers[:-2], norms[0], norms[1])
            iterations += 1
            if callback is not None and kind != "x":
                callback(np.float64(inner / norm))
            ended = inner <= within or exact or (legacy and iterations == maxiter)
            return (inner, exact) if ended or k == restart else None

        _, (inner, exact) = iterate(None, advance, judge, restart, lag)
        y = small.solve()
        x = x + matmul(asarray(y), basis[: len(y)])
        residual = system.b - matvec(x)
        left = norm_of(residual)
        if legacy and iterations == maxiter:
            break
        if callback is not None and kind == "x":
            callback(x)
        if left <= tolerance or exact:
            break
        if inner <= within:
            factor = max(epsilon, 0.25 * factor)
        else:
            factor = min(1.0, 1.5 * factor)
        within = inner * min(factor, tolerance / left)
    return x, 0 if left <= tolerance else maxiter
