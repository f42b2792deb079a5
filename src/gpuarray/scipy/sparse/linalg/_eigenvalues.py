"""Some of the eigenvalues of symmetric matrices."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.conversion import asarray
from gpuarray._ops.manipulation import as_array
from gpuarray.scipy.sparse._arguments import operand, real
from gpuarray.scipy.sparse._base import issparse
from gpuarray.scipy.sparse.linalg._krylov import start_vector
from gpuarray.scipy.sparse.linalg._lanczos import lanczos
from gpuarray.scipy.sparse.linalg._matrix_operators import (
    MatrixLinearOperator,
    aslinearoperator,
    solver_operator,
)
from gpuarray.scipy.sparse.linalg._operators import LinearOperator
from gpuarray.scipy.sparse.linalg._systems import floating

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["ArpackError", "ArpackNoConvergence", "eigsh"]

_WHICH = ("LM", "SM", "LA", "SA", "BE")

#: The eigenvalues that belong to those of the iteration, by modes.
_EIGENVALUE_OF: dict[str, Callable[[float, Any], Any]] = {
    "normal": lambda sigma, found: sigma + 1 / found,
    "buckling": lambda sigma, found: sigma * found / (found - 1),
    "cayley": lambda sigma, found: sigma * (found + 1) / (found - 1),
}


class ArpackError(RuntimeError):
    """An eigenvalue solver failed; the name is SciPy's.

    Parameters
    ----------
    info : int or str
        SciPy's number of the reason, or a text.
    """

    def __init__(self, info: int | str, infodict: dict[int, str] | None = None):
        text = (infodict or {}).get(info, "Unknown error") if isinstance(info, int) else info
        super().__init__(f"ARPACK error {info}: {text}" if isinstance(info, int) else text)


class ArpackNoConvergence(ArpackError):
    """The iterations ended before all eigenvalues were found; the name is SciPy's.

    Parameters
    ----------
    msg : str
        What happened.
    eigenvalues : ndarray
        Those that were found.
    eigenvectors : ndarray
        Theirs.
    """

    def __init__(self, msg: str, eigenvalues: ndarray, eigenvectors: ndarray):
        super().__init__(msg)
        self.eigenvalues = eigenvalues
        self.eigenvectors = eigenvectors


def eigsh(
    A: ArrayLike | LinearOperator | Any,
    k: int = 6,
    M: Any = None,
    sigma: float | None = None,
    which: str = "LM",
    v0: ArrayLike | None = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: bool = True,
    Minv: Any = None,
    OPinv: Any = None,
    mode: str = "normal",
    rng: Any = None,
) -> Any:
    """Some eigenvalues and eigenvectors of a real symmetric or complex Hermitian matrix.

    Parameters
    ----------
    A : ndarray, sparse array or LinearOperator, shape (N, N)
        The matrix.
    k : int, optional
        How many; fewer than N, unless `A` is dense.
    M : ndarray, sparse array or LinearOperator, optional
        Positive definite, for the problem ``A @ x = w * M @ x``.
    sigma : float, optional
        Find the eigenvalues near this number: `which` is then about ``1 / (w - sigma)``.
    which : {'LM', 'SM', 'LA', 'SA', 'BE'}, optional
        The largest or smallest magnitudes, the (algebraically) largest or smallest, or half of them
        from each end.
    v0 : array_like, shape (N,), optional
        Where to begin; else random numbers, the same each time unless `rng` is given.
    ncv : int, optional
        How many vectors are kept, N at most; the greater of 20 and ``2 * k + 1`` by default.
    maxiter : int, optional
        The most restarts; ``10 * N`` by default.
    tol : float, optional
        The relative accuracy; 0, or less, is that of the dtype.
    return_eigenvectors : bool, optional
        Whether to return eigenvectors, too.
    Minv, OPinv : ndarray, sparse array or LinearOperator, optional
        The inverse of `M` and that of ``A - sigma * M``, by which equations are solved; else the
        matrices are factorised.
    mode : {'normal', 'buckling', 'cayley'}, optional
        What is done with `sigma`: which numbers `which` is about. They are ``1 / (w - sigma)``,
        ``w / (w - sigma)``, for which `A` is positive definite and `M` need not be, or
        ``(w + sigma) / (w - sigma)``.
    rng : Generator or int, optional
        For the random numbers.

    Returns
    -------
    w : ndarray, shape (k,)
        The eigenvalues, the least first.
    v : ndarray, shape (N, k)
        The eigenvectors, as columns.

    Raises
    ------
    ArpackNoConvergence
        If `maxiter` was reached. It has what was found.
    ArpackError
        If NaN or infinity comes out of products.
    ValueError
        For sizes and words that make no sense.
    TypeError
        If all the eigenvalues of a matrix that is not dense are wanted, `k` or `ncv` is no
        integer, or `tol` no number.

    Differences from SciPy
    ----------------------
    Eigenvalues are in ascending order in all cases. A random start is the same each time. Complex
    matrices have all the modes, 'BE', and `k` up to N - 1, as real ones have. With `sigma`, a
    LinearOperator that is no matrix needs `OPinv`: SciPy solves its equations by `gmres`.

    Notes
    -----
    The Lanczos process with full reorthogonalisation and thick restarts: K. Wu and H. Simon, SIAM
    Journal on Matrix Analysis and Applications 22 (2000) 602-616. The host reads numbers once a
    restart, and finds the eigenvalues of the projected matrix of `ncv` rows.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.diag(cp.arange(30.0))
    >>> w, v = cp.scipy.sparse.linalg.eigsh(a, k=3)
    >>> w.round(6)
    array([27., 28., 29.])
    """
    operator = solver_operator(A)
    rows, columns = operator.shape
    if rows != columns:
        raise ValueError(f"eigsh: expected square matrix (shape={operator.shape})")
    mass = None if M is None else aslinearoperator(M)
    if mass is not None and mass.shape != operator.shape:
        raise ValueError(f"eigsh: wrong M dimensions {mass.shape}, should be {operator.shape}")
    try:
        k, ncv = index(k), None if ncv is None else index(ncv)
    except TypeError:
        raise TypeError(f"eigsh: k and ncv are integers, not {k!r} and {ncv!r}") from None
    if k <= 0:
        raise ValueError(f"eigsh: k={k} must be greater than 0.")
    if k >= rows:
        return _all_eigenvalues(A, k, rows, M, return_eigenvectors)
    if which not in _WHICH:
        raise ValueError(f"eigsh: which must be one of {' '.join(_WHICH)}, not {which!r}")
    if sigma is not None and mode not in _EIGENVALUE_OF:
        raise ValueError(f"eigsh: unrecognized mode {mode!r}")
    ncv = min(rows, max(2 * k + 1, 20) if ncv is None else ncv)
    if ncv <= k:
        raise ValueError(f"eigsh: ncv must be k<ncv<=n, ncv={ncv}")
    maxiter = 10 * rows if maxiter is None else maxiter
    if maxiter <= 0:
        raise ValueError(f"eigsh: maxiter must be positive, maxiter={maxiter}")
    tol = real("eigsh", "tol", tol)
    others = [] if mass is None else [mass.dtype]
    dtype = np.result_type(floating(operator.dtype), *[floating(x) for x in others])
    begin: Any = None if v0 is None else operand(v0, "eigsh", "v0")
    if begin is not None and begin.shape not in ((rows,), (rows, 1)):
        raise ValueError(f"eigsh: v0 has {rows} elements, not the shape {begin.shape}")
    product, inner = _products(A, operator, M, sigma, Minv, OPinv, mode)
    start = start_vector(begin, rows, dtype, rng)
    found = lanczos(product, inner, start, k, which, ncv, tol, maxiter)
    if found is None:
        raise ArpackError(
            "eigsh: NaN or infinity came out of products; look for them in A, M and v0, which must "
            "not be zero either"
        )
    values = found.values
    if sigma is not None:
        values = _EIGENVALUE_OF[mode](sigma, values)
    places = np.argsort(values, kind="stable")
    done = places[found.converged[places]]
    if len(done) < k:
        raise ArpackNoConvergence(
            f"ARPACK error -1: No convergence ({maxiter} iterations, {len(done)}/{k} eigenvectors "
            "converged): raise maxiter or ncv, or look for eigenvalues near sigma",
            asarray(values[done]),
            found.vectors[asarray(done)].T,
        )
    w = asarray(values[places])
    return (w, found.vectors[asarray(places)].T) if return_eigenvectors else w


def _all_eigenvalues(A: Any, k: int, rows: int, M: Any, vectors: bool) -> Any:
    """What a dense solver finds."""
    from gpuarray.scipy.linalg import eigh

    warnings.warn(
        f"eigsh: k >= N for N * N square matrix (k={k}, N={rows}). Attempting to use "
        "scipy.linalg.eigh instead.",
        RuntimeWarning,
        stacklevel=3,
    )
    for x, name in ((A, "A"), (M, "M")):
        if issparse(x) or isinstance(x, LinearOperator):
            raise TypeError(
                f"eigsh: cannot use scipy.linalg.eigh for a {name} that is no dense array with "
                "k >= N; use eigh(A.toarray()) or reduce k"
            )
    return eigh(A, M) if vectors else eigh(A, M, eigvals_only=True)


def _products(
    A: Any, operator: LinearOperator, M: Any, sigma: float | None, Minv: Any, OPinv: Any, mode: str
) -> tuple[Callable[[Any], Any], Callable[[Any], Any] | None]:
    """What applies the operator of the iteration, and the matrix of its inner product."""
    inner = None if M is None else solver_operator(M).matvec
    if sigma is None:
        if OPinv is not None:
            raise ValueError("eigsh: OPinv should not be specified with sigma=None.")
        if inner is None:
            if Minv is not None:
                raise ValueError("eigsh: Minv should not be specified with M = None.")
            return operator.matvec, None
        solve = _solver(M, "M") if Minv is None else solver_operator(Minv).matvec
        return lambda x: solve(operator.matvec(x)), inner
    if Minv is not None:
        raise ValueError("eigsh: Minv should not be specified when sigma is given")
    if OPinv is None:
        solve = _shifted_solver(A, M, sigma)
    else:
        solve = solver_operator(OPinv).matvec
    if mode == "buckling":
        return lambda x: solve(operator.matvec(x)), operator.matvec
    if mode == "cayley":
        mass = (lambda x: x) if inner is None else inner
        return lambda x: solve(operator.matvec(x) + sigma * mass(x)), inner
    if inner is None:
        return solve, None
    return lambda x: solve(inner(x)), inner


def _dense(x: Any, name: str) -> Any:
    """A matrix as a dense array."""
    if isinstance(x, MatrixLinearOperator):
        x = x.A
    if isinstance(x, LinearOperator):
        raise TypeError(
            f"eigsh: {name} is known by its products alone, and cannot be factorised; pass its "
            "inverse as Minv or OPinv"
        )
    return x.toarray() if issparse(x) else as_array(x, "eigsh")


def _solver(x: Any, name: str) -> Callable[[Any], Any]:
    from gpuarray.scipy.linalg import lu_factor, lu_solve

    factors = lu_factor(_dense(x, name))
    return lambda b: lu_solve(factors, b)


def _shifted_solver(A: Any, M: Any, sigma: float) -> Callable[[Any], Any]:
    from gpuarray._ops.creation import eye

    a = _dense(A, "A")
    shifted = a - sigma * (eye(len(a), dtype=a.dtype) if M is None else _dense(M, "M"))
    return _solver(shifted, "A")
