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
from gpuarray.scipy.sparse.linalg._lobpcg import lobpcg
from gpuarray.scipy.sparse.linalg._matrix_operators import aslinearoperator
from gpuarray.scipy.sparse.linalg._operators import LinearOperator

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
) -> Any:
    """Some singular values and singular vectors of a matrix.

    Parameters
    ----------
    A : ndarray, sparse array or LinearOperator, shape (M, N)
        The matrix, of floats or complex numbers.
    k : int, optional
        How many; fewer than the lesser of M and N.
    ncv : int, optional
        How many vectors are kept, as for `eigsh`.
    tol : float, optional
        The accuracy; 0 is that of the dtype.
    which : {'LM', 'SM'}, optional
        The largest or the smallest.
    v0 : array_like, optional
        Where to begin, of the lesser of M and N elements.
    maxiter : int, optional
        The most restarts or iterations.
    return_singular_vectors : {True, False, 'u', 'vh'}, optional
        Whether to return both kinds of vectors, none, or one kind.
    solver : {'arpack', 'lobpcg'}, optional
        The method of `eigsh` or of `lobpcg`.
    rng : Generator or int, optional
        For a random start.
    options : dict, optional
        Ignored.

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
    NotImplementedError
        For the solver 'propack'.

    Differences from SciPy
    ----------------------
    The solver 'propack' is not there. A random start is the same each time, unless `rng` is given.

    Notes
    -----
    Eigenvectors of the smaller one of ``A.conj().T @ A`` and ``A @ A.conj().T``, which is never
    made; then the singular values of `A` within the space that they span. So values below about
    1e-8 of the greatest are less accurate.

    Examples
    --------
    >>> import gpuarray as cp
    >>> u, s, vh = cp.scipy.sparse.linalg.svds(cp.diag(cp.arange(30.0)), k=2)
    >>> s.round(6)
    array([28., 29.])
    """
    solver = str(solver).lower()
    if solver == "propack":
        raise NotImplementedError("svds: no solver 'propack' is here; use 'arpack' or 'lobpcg'")
    if solver not in ("arpack", "lobpcg"):
        raise ValueError(f"svds: solver must be one of 'arpack' and 'lobpcg', not {solver!r}")
    operator = aslinearoperator(A)
    smaller = min(operator.shape)
    _check(operator, k, ncv, tol, which, maxiter, return_singular_vectors, smaller)
    if v0 is not None:
        v0 = as_array(v0, "svds")
        if v0.dtype.kind not in "fc":
            raise ValueError(
                f"svds: `v0` must be of floating or complex floating data type, not {v0.dtype}"
            )
        if v0.shape != (smaller,):
            raise ValueError(f"svds: `v0` must have shape {(smaller,)}, not {v0.shape}")
    tall = operator.shape[0] >= operator.shape[1]
    across = operator if tall else operator.H
    gram = LinearOperator(
        (smaller, smaller),
        matvec=lambda x: across.rmatvec(across.matvec(x)),
        matmat=lambda x: across.rmatmat(across.matmat(x)),
        dtype=operator.dtype,
    )
    which = str(which).upper()
    k = int(k)
    if solver == "lobpcg":
        if k == 1 and v0 is not None:
            start: Any = v0.reshape(-1, 1)
        else:
            seed = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng or 0)
            start = asarray(seed.standard_normal((smaller, k)))
        found: Any = lobpcg(gram, start, tol=tol**2 or None, maxiter=maxiter, largest=which == "LM")
    else:
        # None is negative, so that the smallest magnitudes are an end of the spectrum.
        end = "LA" if which == "LM" else "SA"
        found = eigsh(gram, k=k, tol=tol**2, maxiter=maxiter, ncv=ncv, which=end, v0=v0, rng=rng)
    vectors: Any = qr(found[1])[0]
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


def _check(
    operator: LinearOperator,
    k: Any,
    ncv: Any,
    tol: float,
    which: Any,
    maxiter: Any,
    vectors: Any,
    smaller: int,
) -> None:
    """ValueError for arguments that make no sense."""
    if operator.dtype is None or operator.dtype.kind not in "iufc":
        raise ValueError(f"svds: `A` must be of numeric data type, not {operator.dtype}")
    if not smaller:
        raise ValueError(f"svds: `A` must not be empty. Its shape is {operator.shape}")
    if int(k) != k or not 0 < k < smaller:
        raise ValueError(
            f"svds: `k` must be an integer satisfying `0 < k < min(A.shape)`. It is {k}, and the "
            f"shape {operator.shape}"
        )
    if ncv is not None and (int(ncv) != ncv or not k < ncv < smaller):
        raise ValueError(
            f"svds: `ncv` must be an integer satisfying `k < ncv < min(A.shape)`. It is {ncv}"
        )
    if tol < 0 or not math.isfinite(tol):
        raise ValueError(f"svds: `tol` must be a non-negative floating point value. It is {tol}")
    if str(which).upper() not in ("LM", "SM"):
        raise ValueError(f"svds: `which` must be in {{'LM', 'SM'}}, not {which!r}")
    if maxiter is not None and (int(maxiter) != maxiter or maxiter <= 0):
        raise ValueError(f"svds: `maxiter` must be a positive integer. It is {maxiter}")
    if vectors not in (True, False, "vh", "u"):
        raise ValueError(
            f"svds: `return_singular_vectors` must be in True, False, 'u' or 'vh', not {vectors!r}"
        )
