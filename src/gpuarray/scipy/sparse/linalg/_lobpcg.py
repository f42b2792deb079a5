"""Eigenvalues by preconditioned gradients of blocks (LOBPCG)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import eye
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import hstack
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import conj
from gpuarray._ops.products import matmul
from gpuarray.scipy.sparse._arguments import real
from gpuarray.scipy.sparse.linalg._matrix_operators import solver_operator
from gpuarray.scipy.sparse.linalg._operators import LinearOperator
from gpuarray.scipy.sparse.linalg._systems import floating

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike

__all__ = ["lobpcg"]

#: A direction that is so small beside the longest is left out.
_DEPENDENT = 100


def _block(A: Any, shape: tuple[int, int], name: str) -> Callable[[Any], Any] | None:
    """What applies a matrix, an operator or a function to a block of vectors."""
    if A is None:
        return None
    if callable(A) and not isinstance(A, LinearOperator):
        return lambda x: as_array(A(x), "lobpcg")
    operator = solver_operator(A)
    if operator.shape != shape:
        raise ValueError(f"lobpcg: the shape {operator.shape} of {name} should be {shape}")
    return operator.matmat


def _gram(x: Any, y: Any) -> Any:
    return matmul(conj(x).T if x.dtype.kind == "c" else x.T, y)


def _orthonormal(gram: np.ndarray) -> np.ndarray:
    """Coefficients of orthonormal combinations of vectors with these products.

    Those that depend on the others are dropped: A. Stathopoulos and K. Wu, SIAM Journal on
    Scientific Computing 23 (2002) 2165-2182.
    """
    lengths = np.sqrt(np.abs(np.diagonal(gram)))
    lengths[lengths == 0] = 1
    scaled = gram / np.outer(lengths, lengths)
    values, vectors = np.linalg.eigh((scaled + scaled.conj().T) / 2)
    epsilon = np.finfo(gram.dtype).eps
    kept = values > _DEPENDENT * epsilon * max(values[-1], 0)
    return vectors[:, kept] / np.sqrt(values[kept]) / lengths[:, None]


def lobpcg(
    A: Any,
    X: ArrayLike,
    B: Any = None,
    M: Any = None,
    Y: ArrayLike | None = None,
    tol: float | None = None,
    maxiter: int | None = None,
    largest: bool = True,
    verbosityLevel: int = 0,
    retLambdaHistory: bool = False,
    retResidualNormsHistory: bool = False,
    restartControl: int = 20,
) -> Any:
    """The largest or smallest eigenvalues of a symmetric matrix, by blocks of gradients.

    Parameters
    ----------
    A : ndarray, sparse array, LinearOperator or callable, shape (N, N)
        Real symmetric or complex Hermitian.
    X : array_like, shape (N, K)
        Where to begin: independent vectors, as many as eigenvalues are wanted.
    B : ndarray, sparse array, LinearOperator or callable, optional
        Positive definite, for the problem ``A @ x = w * B @ x``.
    M : ndarray, sparse array, LinearOperator or callable, optional
        The preconditioner, an approximation of the inverse of `A`.
    Y : array_like, shape (N, L), optional
        Vectors that the eigenvectors are to be orthogonal to.
    tol : float, optional
        The norm of the residuals that is small enough; ``sqrt(1e-15) * N`` by default.
    maxiter : int, optional
        The most iterations; 20 by default.
    largest : bool, optional
        Whether the largest eigenvalues are wanted, or the smallest.
    verbosityLevel : int, optional
        With more than 0 the progress is printed.
    retLambdaHistory, retResidualNormsHistory : bool, optional
        Whether to return the eigenvalues and the norms of all iterations.
    restartControl : int, optional
        Ignored: directions that depend on the others are left out.

    Returns
    -------
    w : ndarray, shape (K,)
        The eigenvalues: the greatest first if the largest are wanted, else the least first.
    v : ndarray, shape (N, K)
        The eigenvectors as columns, of the iteration with the smallest residuals.
    lambdaHistory, ResidualNormsHistory : list of ndarray
        One array for each iteration, if they are wanted.

    Raises
    ------
    ValueError
        If shapes do not fit together.

    Warns
    -----
    UserWarning
        If the residuals are not small enough, or the problem is so small that a dense solver is
        used.

    Differences from SciPy
    ----------------------
    The vectors of a step are made independent in another way, so that steps differ by rounding.
    Nothing is changed behind the last step, and the histories have no entry for that. `X` stays as
    it is. The dense solver of small problems takes constraints, too. Residuals have no part along
    `Y`, which no step could change, so that they become small whatever `Y` is.

    Notes
    -----
    A. V. Knyazev, SIAM Journal on Scientific Computing 23 (2001) 517-541. The host solves the small
    eigenvalue problem of each iteration.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.diag(cp.arange(1.0, 101.0))
    >>> x = cp.random.default_rng(0).standard_normal((100, 2))
    >>> w, v = cp.scipy.sparse.linalg.lobpcg(a, x, largest=True, maxiter=60, tol=1e-3)
    >>> w.round(6)
    array([100.,  99.])
    """
    if X is None:
        raise ValueError("lobpcg: X is None; pass the vectors to begin with")
    x: Any = as_array(X, "lobpcg")
    if x.ndim != 2:
        raise ValueError(f"lobpcg: expected rank-2 array for argument X, got shape {x.shape}")
    n, size = x.shape
    if not size:
        raise ValueError("lobpcg: X has no vectors")
    if n < size:
        raise ValueError(
            f"lobpcg: X has {size} vectors of {n} elements; they cannot be independent"
        )
    a = _block(A, (n, n), "A")
    if a is None:
        raise ValueError("lobpcg: A is None; pass a matrix, an operator or a function")
    b, m = _block(B, (n, n), "B"), _block(M, (n, n), "M")
    dtypes = [getattr(z, "dtype", None) for z in (A, B)]
    dtype = np.result_type(floating(x.dtype), *[floating(z) for z in dtypes if z is not None])
    x = x.astype(dtype, copy=False)
    y: Any = None
    by: Any = None
    constraints = 0
    if Y is not None:
        y = as_array(Y, "lobpcg")
        if y.ndim != 2 or y.shape[0] != n:
            warnings.warn(f"lobpcg: Y has the shape {y.shape} and is ignored", UserWarning, 2)
            y = None
        else:
            constraints = y.shape[1]
    if n - constraints < 5 * size:
        warnings.warn(
            # SciPy's words, which filters of warnings look for.
            f"The problem size {n} minus the constraints size {constraints} is too small "
            f"relative to the block size {size}. Using a dense eigensolver instead of LOBPCG "
            "iterations. No output of the history of the iterations.",
            UserWarning,
            stacklevel=2,
        )
        return _dense(a, b, y, n, size, dtype, largest)
    tolerance = float(np.sqrt(1e-15) * n) if tol is None else real("lobpcg", "tol", tol)
    most = 20 if maxiter is None else int(real("lobpcg", "maxiter", maxiter))
    steps = 1 + most  # as SciPy, which counts from 0
    if y is not None:
        y = y.astype(dtype, copy=False)
        by = y if b is None else b(y)
        coefficients = asarray(_orthonormal(asnumpy(_gram(y, by))))
        y, by = matmul(y, coefficients), matmul(by, coefficients)

    def constrained(z: Any) -> Any:
        return z if y is None else z - matmul(y, _gram(by, z))

    x = constrained(x)
    first = _orthonormal(asnumpy(_gram(x, x if b is None else b(x))))
    if first.shape[1] < size:
        raise ValueError("lobpcg: the vectors of X are linearly dependent")
    state = _Rayleigh(a, b, largest, size)
    x, ax, values = state.reduce(matmul(x, asarray(first)))
    p: Any = None
    lambdas, norms = [], []
    best: tuple[Any, Any, Any] | None = None
    for step in range(steps + 1):
        bx = x if b is None else b(x)
        r = ax - bx * asarray(values)
        if y is not None:  # no step can do anything about this part
            r = r - matmul(by, _gram(y, r))
        residual = np.sqrt(np.abs(asnumpy((conj(r) * r).sum(axis=0)).real))
        lambdas.append(values)
        norms.append(residual)
        if best is None or residual.max() < best[2].max():
            best = (values, x, residual)
        if verbosityLevel > 0:
            print(f"lobpcg {step}: eigenvalues {values}, residuals {residual}")  # noqa: T201
        if not residual.max() > tolerance or step == steps:  # NaN is the end as well
            break
        active = np.flatnonzero(residual > tolerance)
        w = r[:, asarray(active)]
        if m is not None:
            w = m(w)
        w = constrained(w)
        w = w - matmul(x, _gram(bx, w))
        directions = w if p is None else hstack([w, p[:, asarray(active)]])
        x, ax, values, p = state.step(x, directions)
    assert best is not None
    values, x, residual = best
    if not residual.max() <= tolerance:
        warnings.warn(
            f"Exited at iteration {steps - 1} with accuracies \n{residual}\nnot "
            f"reaching the requested tolerance {tolerance}.",
            UserWarning,
            stacklevel=2,
        )
    found: list[Any] = [asarray(values), x]
    if retLambdaHistory:
        found.append([asarray(z) for z in lambdas])
    if retResidualNormsHistory:
        found.append([asarray(z) for z in norms])
    return tuple(found)


class _Rayleigh:
    """The best approximations within a space of few vectors."""

    def __init__(self, a: Any, b: Any, largest: bool, size: int):
        self._a, self._b, self._largest, self._size = a, b, largest, size

    def _solve(self, gram: np.ndarray, products: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if not (np.isfinite(gram).all() and np.isfinite(products).all()):
            nan = np.full((len(gram), self._size), np.nan, gram.dtype)
            return nan[0].real, nan
        basis = _orthonormal(gram)
        small = basis.conj().T @ products @ basis
        values, vectors = np.linalg.eigh((small + small.conj().T) / 2)
        if self._largest:
            values, vectors = values[::-1], vectors[:, ::-1]
        return values[: self._size], basis @ vectors[:, : self._size]

    def _small(self, s: Any) -> tuple[np.ndarray, np.ndarray, Any]:
        products = self._a(s)
        gram = asnumpy(_gram(s, s if self._b is None else self._b(s)))
        return gram, asnumpy(_gram(s, products)), products

    def reduce(self, x: Any) -> tuple[Any, Any, np.ndarray]:
        """The approximations within the space of x, their products and values."""
        gram, small, products = self._small(x)
        values, coefficients = self._solve(gram, small)
        mixed = asarray(coefficients)
        return matmul(x, mixed), matmul(products, mixed), values

    def step(self, x: Any, directions: Any) -> tuple[Any, Any, np.ndarray, Any]:
        """The approximations within the space of x and other directions, and the step to them."""
        s = hstack([x, directions])
        gram, small, products = self._small(s)
        values, coefficients = self._solve(gram, small)
        mixed = asarray(coefficients)
        size = x.shape[1]
        return matmul(s, mixed), matmul(products, mixed), values, matmul(directions, mixed[size:])


def _dense(a: Any, b: Any, y: Any, n: int, size: int, dtype: np.dtype, largest: bool) -> Any:
    """All eigenvalues by a dense solver, of which the wanted are returned."""
    from gpuarray.scipy.linalg import eigh, null_space

    identity = eye(n, dtype=dtype)
    matrix: Any = a(identity)
    weights: Any = None if b is None else b(identity)
    basis = None
    if y is not None:  # within the space that is orthogonal to the constraints
        by = y if b is None else b(y)
        basis = null_space(conj(by).T)
        matrix = _gram(basis, matmul(matrix, basis))
        weights = None if weights is None else _gram(basis, matmul(weights, basis))
    values, vectors = eigh(matrix, weights)
    if basis is not None:
        vectors = matmul(basis, vectors)
    if largest:
        return values[::-1][:size], vectors[:, ::-1][:, :size]
    return values[:size], vectors[:, :size]
