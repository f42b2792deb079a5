"""The exponential of a matrix, and its products with others."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.creation import eye
from gpuarray._ops.creation_like import full_like
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.indexing import diagonal
from gpuarray._ops.joining import stack
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import absolute
from gpuarray.scipy.linalg._exponential import expm as dense_expm
from gpuarray.scipy.sparse._base import issparse
from gpuarray.scipy.sparse._warnings import warn
from gpuarray.scipy.sparse.linalg._dense_factors import dense_of
from gpuarray.scipy.sparse.linalg._matrix_operators import MatrixLinearOperator, solver_operator
from gpuarray.scipy.sparse.linalg._norms import norm, onenormest
from gpuarray.scipy.sparse.linalg._operators import LinearOperator
from gpuarray.scipy.sparse.linalg._systems import floating, fused

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["expm", "expm_multiply"]

#: Up to which norm of the matrix so many terms of the series are as accurate as float64: table A.3
#: of the paper that `expm_multiply` names.
_THETA = {
    1: 2.29e-16, 2: 2.58e-8, 3: 1.39e-5, 4: 3.40e-4, 5: 2.40e-3, 6: 9.07e-3, 7: 2.38e-2, 8: 5.00e-2,
    9: 8.96e-2, 10: 1.44e-1, 11: 2.14e-1, 12: 3.00e-1, 13: 4.00e-1, 14: 5.14e-1, 15: 6.41e-1,
    16: 7.81e-1, 17: 9.31e-1, 18: 1.09, 19: 1.26, 20: 1.44, 21: 1.62, 22: 1.82, 23: 2.01, 24: 2.22,
    25: 2.43, 26: 2.64, 27: 2.86, 28: 3.08, 29: 3.31, 30: 3.54, 35: 4.7, 40: 6.0, 45: 7.2, 50: 8.5,
    55: 9.9,
}  # fmt: skip

#: The rounding of float64.
_ROUNDING = 2.0**-53

#: Terms of the series between tests whether they still matter, each of which is a read.
_TERMS = 5


@fused
def _next_term(product: Any, term: Any, total: Any, mu: Any, factor: Any) -> Any:
    term = (product - mu * term) * factor
    return term, total + term


class _Exponential:
    """What multiplies by the exponential of a multiple of a matrix."""

    def __init__(self, A: Any, trace: Any, dtype: np.dtype):
        operator = solver_operator(A)
        matrix: Any = operator.A if isinstance(operator, MatrixLinearOperator) else None
        self._product = operator.dot
        n = operator.shape[0]
        if trace is None and matrix is None:
            warn(
                "Trace of LinearOperator not available, it counts as 0. Provide `traceA` to ensure "
                "performance.",
                UserWarning,
            )
        elif trace is None:
            entries: Any = matrix.diagonal() if issparse(matrix) else diagonal(matrix)
            trace = asnumpy(entries.sum())[()]
        mu = (0.0 if trace is None else trace) / n if n else 0.0
        self._mu = complex(mu) if np.iscomplexobj(mu) and dtype.kind == "c" else float(np.real(mu))
        self._norm = self._one_norm(operator, matrix)

    def _one_norm(self, operator: LinearOperator, matrix: Any) -> float:
        """The 1-norm of the matrix less its mean diagonal, or what it is no more than."""
        if not operator.shape[0]:
            return 0.0
        if matrix is None:
            # An estimate may be too low.
            return 2 * onenormest(operator) + abs(self._mu)
        if issparse(matrix):
            return float(norm(matrix, 1)) + abs(self._mu)
        shifted: Any = matrix - self._mu * eye(len(matrix))
        return float(absolute(shifted).sum(axis=0).max())

    def multiply(self, b: Any, t: float) -> Any:
        """The product of the exponential of t times the matrix and b."""
        size = abs(t) * self._norm
        if not math.isfinite(size):  # no number of steps is enough
            return full_like(b, np.nan)
        if size == 0 or not b.size:
            terms, steps = 0, 1
        else:
            terms, steps = min(
                ((m, max(1, math.ceil(size / theta))) for m, theta in _THETA.items()),
                key=lambda found: found[0] * found[1],
            )
        eta = np.exp(t * self._mu / steps)
        for _ in range(steps):
            total = term = b
            for j in range(1, terms + 1):
                factor = t / (steps * j)
                product = self._product(term)
                before = term
                term, total = _next_term(product, term, total, self._mu, factor)
                if j % _TERMS == 0 and self._is_small(before, term, total):
                    break
            b = total * eta.item()
        return b

    def _is_small(self, before: Any, term: Any, total: Any) -> bool:
        one, two, whole = (absolute(x).max() for x in (before, term, total))
        return bool(one + two <= _ROUNDING * whole)


def expm_multiply(
    A: ArrayLike | LinearOperator | Any,
    B: ArrayLike | Any,
    start: float | None = None,
    stop: float | None = None,
    num: int | None = None,
    endpoint: bool | None = None,
    traceA: complex | None = None,
) -> ndarray | Any:
    """The product of the exponential of a matrix, and of multiples of it, and another matrix.

    Parameters
    ----------
    A : ndarray, sparse array or LinearOperator, shape (N, N)
        The matrix.
    B : array_like or sparse array, shape (N,) or (N, K)
        What its exponential is multiplied by.
    start, stop : float, optional
        The least and the greatest multiple.
    num : int, optional
        How many multiples; 50 by default.
    endpoint : bool, optional
        Whether the greatest one is among them, which is so by default.
    traceA : number, optional
        The trace of `A`; that of an operator counts as 0 if it is not given.

    Returns
    -------
    ndarray or sparse array
        ``expm(A) @ B``, which is sparse if `B` is, in csc or csr, though it has seldom many zeros;
        with `start` and `stop` that of ``expm(t * A)`` for each multiple t, dense, along a new
        first axis.

    Raises
    ------
    ValueError
        If the shapes do not fit together.

    Warns
    -----
    UserWarning
        If `A` is an operator, and `traceA` is not given.

    Differences from SciPy
    ----------------------
    The number of terms follows from the 1-norm alone, so that matrices whose powers are much
    smaller take more of them. A sparse `B` becomes dense meanwhile. The trace of an operator is not
    estimated.

    Notes
    -----
    A. H. Al-Mohy and N. J. Higham, SIAM Journal on Scientific Computing 33 (2011) 488-511,
    algorithm 3.2. The host reads a number after every five terms of the series.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.array([[0.0, 1.0], [0.0, 0.0]])
    >>> cp.scipy.sparse.linalg.expm_multiply(a, cp.array([1.0, 2.0]))
    array([3., 2.])
    """
    operator = solver_operator(A)
    if operator.shape[0] != operator.shape[1]:
        raise ValueError(
            f"expm_multiply: expected A to be like a square matrix, not of shape {operator.shape}"
        )
    given: Any = B
    b: Any = given.toarray() if issparse(given) else as_array(given, "expm_multiply")
    if b.ndim not in (1, 2) or b.shape[0] != operator.shape[1]:
        raise ValueError(
            f"expm_multiply: the shapes of A {operator.shape} and B {b.shape} are incompatible"
        )
    dtype = np.result_type(floating(operator.dtype), floating(b.dtype))
    if traceA is not None and np.iscomplexobj(traceA) and np.imag(traceA):
        dtype = np.result_type(dtype, np.complex64)
    b = b.astype(dtype, copy=False)
    exponential = _Exponential(operator, traceA, dtype)
    if all(x is None for x in (start, stop, num, endpoint)):
        found = exponential.multiply(b, 1.0)
        if not issparse(given):
            return found
        return given._class_of("csc" if given.format == "csc" else "csr")(found)
    if start is None or stop is None:
        raise ValueError(f"expm_multiply: start={start} and stop={stop}: give both, or neither")
    count = 50 if num is None else num
    times = np.linspace(start, stop, count, endpoint is None or endpoint)
    if count < 2:
        raise ValueError(f"expm_multiply: at least two time points are required, not {count}")
    products = [exponential.multiply(b, float(times[0]))]
    for before, t in itertools.pairwise(times):
        products.append(exponential.multiply(products[-1], float(t - before)))
    return stack(products)


def expm(A: Any) -> Any:
    """The exponential of a sparse matrix.

    Parameters
    ----------
    A : sparse array or matrix or ndarray, shape (N, N)
        The matrix.

    Returns
    -------
    sparse array, sparse matrix or ndarray
        Of the kind and format of `A`; it seldom has many zeros.

    Raises
    ------
    ValueError
        If the matrix is not square.

    Differences from SciPy
    ----------------------
    It is computed as that of a dense matrix.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy.sparse import csc_array
    >>> cp.scipy.sparse.linalg.expm(csc_array(cp.array([[0.0, 1.0], [0.0, 0.0]]))).toarray()
    array([[1., 1.],
           [0., 1.]])
    """
    array: Any = A if issparse(A) else as_array(A, "expm")
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(f"expm: expected a square matrix, not one of shape {array.shape}")
    if not issparse(A):
        return dense_expm(array)
    return type(A)(dense_expm(dense_of(A, "expm")))
