"""Some of the singular values of matrices."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.conversion import asarray
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import conj
from gpuarray._ops.products import matmul
from gpuarray.linalg._decompositions import qr, svd
from gpuarray.scipy.sparse.linalg._eigenvalues import eigsh
from gpuarray.scipy.sparse.linalg._golub_kahan import singular_triplets
from gpuarray.scipy.sparse.linalg._krylov import generator_of, start_vector
from gpuarray.scipy.sparse.linalg._lobpcg import lobpcg
from gpuarray.scipy.sparse.linalg._matrix_operators import solver_operator
from gpuarray.scipy.sparse.linalg._operators import LinearOperator
from gpuarray.scipy.sparse.linalg._systems import floating

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike

__all__ = ["svds"]


def svds(
    A: ArrayLike | LinearOperator | Any,
    k: int = 6,
    ncv: int | None = None,
    tol: float = 0,
    which: str = "LM",
    v0: ArrayLike | None = None,
    maxiter: int | None = None,
    return_singular_vectors: bool | str = True,
    solver: str = "arpack",
    rng: Any = None,
    options: dict[str, Any] | None = None,
    *,
    random_state: Any = None,
) -> Any:
    """Some singular values and singular vectors of a matrix.

    Parameters
    ----------
    A : ndarray, sparse array or LinearOperator, shape (M, N)
        The matrix, of floats or complex numbers.
    k : int, optional
        How many; fewer than the lesser of M and N, or as many with 'propack'.
    ncv : int, optional
        How many vectors 'arpack' keeps, as for `eigsh`.
    tol : float, optional
        The accuracy; 0 is that of the dtype.
    which : {'LM', 'SM'}, optional
        The largest or the smallest.
    v0 : array_like, optional
        Where to begin, of the lesser of M and N elements; of M with 'propack'.
    maxiter : int, optional
        The most restarts or iterations; of 'propack', the most vectors of each kind that are kept,
        without restarts. By default it restarts with ten for each value.
    return_singular_vectors : {True, False, 'u', 'vh'}, optional
        Whether to return both kinds of vectors, none, or one kind.
    solver : {'arpack', 'lobpcg', 'propack'}, optional
        The method of `eigsh` or of `lobpcg`, or the process of Golub and Kahan.
    rng : Generator or int, optional
        For a random start.
    options : dict, optional
        Ignored.
    random_state : int or RandomState, optional
        The older name of `rng`.

    Returns
    -------
    u : ndarray, shape (M, k)
        The left singular vectors as columns; None if they are not wanted.
    s : ndarray, shape (k,)
        The singular values, the least first; the only thing that is returned if there are no
        vectors.
    vh : ndarray, shape (k, N)
        The right singular vectors, conjugate, as rows; None if they are not wanted.

    Raises
    ------
    ValueError
        For sizes and words that make no sense.
    TypeError
        If both `rng` and `random_state` are given.
    LinAlgError
        If 'propack' has not found all of them in `maxiter` steps, or NaN or infinity comes out of
        products; for the other solvers, see `eigsh` and `lobpcg`.

    Differences from SciPy
    ----------------------
    A random start is the same each time, unless `rng` is given. 'propack' restarts from the
    best approximations for the largest values, too.

    Notes
    -----
    With 'arpack' and 'lobpcg', eigenvectors of the smaller one of ``A.conj().T @ A`` and
    ``A @ A.conj().T``, which is never made; then the singular values of `A` within the space that
    they span. So values below about 1e-8 of the greatest are less accurate. Those of 'propack' are
    not: J. Baglama and L. Reichel, SIAM Journal on Scientific Computing 27 (2005) 19-42.

    Examples
    --------
    >>> import gpuarray as cp
    >>> u, s, vh = cp.scipy.sparse.linalg.svds(cp.diag(cp.arange(30.0)), k=2)
    >>> s.round(6)
    array([28., 29.])
    """
    solver = str(solver).lower()
    if solver not in ("arpack", "lobpcg", "propack"):
        raise ValueError(
            f"svds: solver must be one of 'arpack', 'lobpcg' and 'propack', not {solver!r}"
        )
    if random_state is not None:
        if rng is not None:
            raise TypeError("svds: random_state and rng are the same; give one of them")
        rng = random_state
    _check_dtype(getattr(A, "dtype", np.dtype(np.float64)))  # of objects there is no operator
    operator = solver_operator(A)
    _check_dtype(operator.dtype)
    smaller = min(operator.shape)
    most = smaller if solver == "propack" else smaller - 1
    ncv = ncv if solver == "arpack" else None
    _check(operator, k, ncv, tol, which, maxiter, return_singular_vectors, smaller, most)
    length = operator.shape[0] if solver == "propack" else smaller
    if v0 is not None:
        given = np.dtype(v0.dtype) if hasattr(v0, "dtype") else np.asarray(v0).dtype
        if given.kind not in "fc":
            raise ValueError(
                f"svds: `v0` must be of floating or complex floating data type, not {given}"
            )
        v0 = as_array(v0, "svds")
        if v0.shape != (length,):
            raise ValueError(f"svds: `v0` must have shape {(length,)}, not {v0.shape}")
    least = str(which).upper() == "SM"
    k = int(k)
    tall = operator.shape[0] >= operator.shape[1]
    across = operator if tall else operator.H
    left: Any
    if solver == "propack":
        left, s, right = _by_bidiagonals(across, tall, k, least, float(tol), maxiter, v0, rng)
        if return_singular_vectors is False:
            return s
    else:
        vectors = _gram_vectors(across, k, ncv, tol, least, v0, maxiter, solver, rng)
        products = across.matmat(vectors)
        if return_singular_vectors is False:
            values: Any = svd(products, compute_uv=False)
            return values[::-1]
        left, s, right = svd(products, full_matrices=False)
        left, s, right = left[:, ::-1], s[::-1], matmul(right[::-1], conj(vectors).T)
    if not tall:  # of the conjugate transpose
        left, right = conj(right).T, conj(left).T
    u = left if return_singular_vectors in (True, "u") else None
    return u, s, right if return_singular_vectors in (True, "vh") else None


def _gram_vectors(
    across: LinearOperator,
    k: int,
    ncv: int | None,
    tol: float,
    least: bool,
    v0: Any,
    maxiter: int | None,
    solver: str,
    rng: Any,
) -> Any:
    """Orthonormal columns that span the space of right singular vectors of a tall matrix."""
    size = across.shape[1]
    gram = LinearOperator(
        (size, size),
        matvec=lambda x: across.rmatvec(across.matvec(x)),
        matmat=lambda x: across.rmatmat(across.matmat(x)),
        dtype=across.dtype,
    )
    found: Any
    if solver == "lobpcg":
        if k == 1 and v0 is not None:
            start = v0.reshape(-1, 1)
        else:
            start = generator_of(rng).standard_normal((size, k))
        found = lobpcg(gram, start, tol=tol**2 or None, maxiter=maxiter, largest=not least)
    else:
        # None is negative, so that the smallest magnitudes are an end of the spectrum.
        end = "SA" if least else "LA"
        found = eigsh(gram, k=k, tol=tol**2, maxiter=maxiter, ncv=ncv, which=end, v0=v0, rng=rng)
    return qr(found[1])[0]


def _by_bidiagonals(
    across: LinearOperator,
    tall: bool,
    k: int,
    least: bool,
    tol: float,
    maxiter: int | None,
    v0: Any,
    rng: Any,
) -> tuple[Any, Any, Any]:
    """Singular vectors as columns, values and right vectors as rows, of a tall matrix."""
    rows, columns = across.shape
    dtype = floating(across.dtype)
    start = start_vector(v0, rows if tall else columns, dtype, rng)
    if tall:  # `start` is a left vector of the matrix, and of its adjoint a right one
        start = across.rmatvec(start)
    # A number that is given bounds the basis, as PROPACK's kmax, which then starts only once.
    most = max(10 * k, 20) if maxiter is None else int(maxiter)
    steps = 1000 * most if maxiter is None else most
    size = max(k, min(columns, most))
    found = singular_triplets(across, start, k, least, size, tol, steps)
    if not found.converged.all():
        raise np.linalg.LinAlgError(
            f"svds: k={k} singular triplets did not converge within kmax={steps} iterations; "
            "raise maxiter or tol"
        )
    return found.left[::-1].T, asarray(found.values[::-1].copy()), conj(found.right[::-1])


def _whole(x: Any, name: str) -> int:
    """What `int` makes of an argument, with its exceptions."""
    try:
        return int(x)
    except (TypeError, ValueError, OverflowError) as error:
        raise type(error)(f"svds: `{name}` is an integer, not {x!r}") from None


def _check_dtype(dtype: Any) -> None:
    if dtype is None or np.dtype(dtype).kind not in "iufc":
        raise ValueError(f"svds: `A` must be of numeric data type, not {dtype}")


def _check(
    operator: LinearOperator,
    k: Any,
    ncv: Any,
    tol: float,
    which: Any,
    maxiter: Any,
    vectors: Any,
    smaller: int,
    most: int,
) -> None:
    """ValueError for arguments that make no sense."""
    if not smaller:
        raise ValueError(f"svds: `A` must not be empty. Its shape is {operator.shape}")
    if _whole(k, "k") != k or not 0 < k <= most:
        raise ValueError(
            f"svds: `k` must be an integer satisfying `0 < k < min(A.shape)`. It is {k}, and the "
            f"shape {operator.shape}"
        )
    if ncv is not None and (_whole(ncv, "ncv") != ncv or not k < ncv < smaller):
        raise ValueError(
            f"svds: `ncv` must be an integer satisfying `k < ncv < min(A.shape)`. It is {ncv}"
        )
    if tol < 0 or not math.isfinite(tol):
        raise ValueError(f"svds: `tol` must be a non-negative floating point value. It is {tol}")
    if str(which).upper() not in ("LM", "SM"):
        raise ValueError(f"svds: `which` must be in {{'LM', 'SM'}}, not {which!r}")
    if maxiter is not None and (_whole(maxiter, "maxiter") != maxiter or maxiter <= 0):
        raise ValueError(f"svds: `maxiter` must be a positive integer. It is {maxiter}")
    if vectors not in (True, False, "vh", "u"):
        raise ValueError(
            f"svds: `return_singular_vectors` must be in True, False, 'u' or 'vh', not {vectors!r}"
        )
