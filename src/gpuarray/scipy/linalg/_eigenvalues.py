"""Eigenvalues and eigenvectors, as SciPy returns them."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray import linalg
from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray._ops import eigenvalues
from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import eye
from gpuarray._ops.creation_like import ones_like
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import stack
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import conj
from gpuarray._ops.matrix_operands import check_square, common_dtype
from gpuarray._ops.products import matmul
from gpuarray._ops.searching import searchsorted
from gpuarray._ops.selection import where
from gpuarray._ops.triangles import tril, triu
from gpuarray.kernels.elementwise import copies
from gpuarray.scipy.linalg._basics import solve_triangular

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuarray._types import ArrayLike, ndarray

__all__ = ["eig", "eigh", "eigvals", "eigvalsh"]


def eig(
    a: ArrayLike,
    b: None = None,
    left: bool = False,
    right: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> Any:
    """The eigenvalues and right eigenvectors of square matrices.

    Parameters
    ----------
    a : (..., M, M) array_like
        The matrices.
    b : None
        For the generalised problem, of which cuSOLVER has none.
    left : bool
        Must be False: cuSOLVER has right eigenvectors only.
    right : bool, optional
        Whether eigenvectors are returned.
    overwrite_a, overwrite_b, check_finite : bool, optional
        Without a meaning here: `a` is kept, and infinities and NaN are always looked for.
    homogeneous_eigvals : bool, optional
        Whether eigenvalues are returned as quotients: a row of numerators, and one of ones.

    Returns
    -------
    w : ndarray, of shape (..., M)
        The eigenvalues, complex, in no particular order.
    vr : ndarray, of shape (..., M, M)
        The eigenvectors, of norm 1, as columns, if `right`. Real where all are.

    Raises
    ------
    LinAlgError
        If a matrix is not square, has an infinity or NaN, or if the algorithm does not converge.
    NotImplementedError
        With `b` or `left`.

    See Also
    --------
    gpuarray.linalg.eig : It says how they are computed.

    Examples
    --------
    >>> import gpuarray as cp
    >>> w, v = cp.scipy.linalg.eig(cp.array([[2.0, 0.0], [0.0, 3.0]]))
    >>> cp.sort(w)
    array([2.+0.j, 3.+0.j])
    """
    _refuse_general_problem(b, "eig")
    if left:
        raise NotImplementedError(
            "scipy.linalg.eig: cuSOLVER has right eigenvectors only; the left ones are the right "
            "ones of a.conj().T"
        )
    matrices = as_array(a, "scipy.linalg.eig")
    if not right:
        return _complex(eigenvalues.general(matrices, False), homogeneous_eigvals)
    values, vectors = eigenvalues.general(matrices, True, True)
    return _complex(values, homogeneous_eigvals), vectors


@sharing(texts_of(eig))
def eigvals(
    a: ArrayLike,
    b: None = None,
    overwrite_a: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> ndarray:
    """The eigenvalues of square matrices.

    Parameters
    ----------
    {a}
    {b}
    overwrite_a, check_finite : bool, optional
        Without a meaning here: `a` is kept, and infinities and NaN are always looked for.
    {homogeneous_eigvals}

    Returns
    -------
    ndarray, of shape (..., M)
        Complex, in no particular order.

    Raises
    ------
    LinAlgError
        If a matrix is not square, has an infinity or NaN, or if the algorithm does not converge.
    NotImplementedError
        With `b`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.sort(cp.scipy.linalg.eigvals(cp.array([[0.0, 1.0], [-1.0, 0.0]])).imag)
    array([-1.,  1.])
    """
    _refuse_general_problem(b, "eigvals")
    values = eigenvalues.general(as_array(a, "scipy.linalg.eigvals"), False)
    return _complex(values, homogeneous_eigvals)


def eigh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[float] | None = None,
    driver: str | None = None,
) -> Any:
    """The eigenvalues and eigenvectors of symmetric or Hermitian matrices.

    Parameters
    ----------
    a : (..., M, M) array_like
        The matrices. Integers are computed in float64.
    b : (..., M, M) array_like, optional
        Positive definite matrices, for the generalised problem.
    lower : bool, optional
        Whether the lower triangles are read, or the upper ones.
    eigvals_only : bool, optional
        Whether eigenvalues alone are returned.
    type : {1, 2, 3}, optional
        The generalised problem: ``a @ v = w * b @ v``, ``a @ b @ v = w * v`` or
        ``b @ a @ v = w * v``.
    subset_by_index : sequence of two int, optional
        The first and the last eigenvalue that is returned, from 0.
    subset_by_value : sequence of two float, optional
        Eigenvalues greater than the first and up to the second are returned, of a single matrix.
    overwrite_a, overwrite_b, check_finite, driver : optional
        Without a meaning here: `a` and `b` are kept, and there is one driver.

    Returns
    -------
    w : ndarray, of shape (..., N)
        The eigenvalues, real, in ascending order.
    v : ndarray, of shape (..., M, N)
        The eigenvectors as columns, unless `eigvals_only`. They are orthonormal; those of the
        generalised problem in the sense that ``v.conj().T @ b @ v``, or with type 3
        ``v.conj().T @ inv(b) @ v``, is the identity.

    Raises
    ------
    LinAlgError
        If a matrix is not square, `b` is not positive definite, or the algorithm does not converge.
    ValueError
        If shapes do not fit, or for a subset that is none.

    See Also
    --------
    gpuarray.linalg.eigh : It says how they are computed.

    Notes
    -----
    All eigenvalues are computed, and the subset is taken of them. `subset_by_value` waits for the
    device.

    Differences from SciPy
    ----------------------
    Infinities and NaN are not looked for: results are NaN, or the algorithm does not converge.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.diag(cp.array([3.0, 1.0, 2.0]))
    >>> cp.scipy.linalg.eigh(a, eigvals_only=True, subset_by_index=(1, 2))
    array([2., 3.])
    """
    subset = _subset(subset_by_index, subset_by_value, driver, b)
    return _hermitian(a, b, lower, not eigvals_only, type, subset, "scipy.linalg.eigh")


@sharing(texts_of(eigh))
def eigvalsh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    lower: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[float] | None = None,
    driver: str | None = None,
) -> ndarray:
    """The eigenvalues of symmetric or Hermitian matrices.

    Parameters
    ----------
    {a}
    {b}
    {lower}
    {overwrite_a}
    {type}
    {subset_by_index}
    {subset_by_value}

    Returns
    -------
    ndarray, of shape (..., N)
        The eigenvalues, real, in ascending order.

    Raises
    ------
    LinAlgError, ValueError
        As `eigh`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.eigvalsh(cp.diag(cp.array([3.0, 1.0, 2.0])))
    array([1., 2., 3.])
    """
    subset = _subset(subset_by_index, subset_by_value, driver, b)
    return _hermitian(a, b, lower, False, type, subset, "scipy.linalg.eigvalsh")


#: SciPy's names of drivers, with whether one takes a subset, and whether it takes `b`.
_DRIVERS = {
    "ev": (False, False), "evd": (False, False), "evr": (True, False), "evx": (True, False),
    "gv": (False, True), "gvd": (False, True), "gvx": (True, True),
}  # fmt: skip


class _Subset(NamedTuple):
    """Which eigenvalues are wanted: those between two indices, or between two values, or all."""

    indices: tuple[int, int] | None = None
    values: tuple[float, float] | None = None


def _subset(indices: Any, values: Any, driver: Any, b: Any) -> _Subset:
    if driver is not None:
        if driver not in _DRIVERS:
            known = '", "'.join(["None", *_DRIVERS])
            raise ValueError(f'"{driver}" is unknown. Possible values are "{known}".')
        takes_subset, takes_b = _DRIVERS[driver]
        if takes_b is (b is None):
            raise ValueError(
                f"{driver} requires input b array to be supplied for generalized eigenvalue "
                "problems."
                if takes_b
                else f'"{driver}" does not accept input b array for standard eigenvalue problems.'
            )
        if not takes_subset and (indices is not None or values is not None):
            raise ValueError(f'"{driver}" cannot compute subsets of eigenvalues')
    if indices is not None and values is not None:
        raise ValueError("Either index or value subset can be requested.")
    if indices is not None:
        first, last = [operator.index(x) for x in indices]
        return _Subset(indices=(first, last))
    if values is not None:
        low, high = [float(x) for x in values]
        if not low < high:
            raise ValueError(
                "Requested eigenvalue bounds are not valid. Valid range is (-inf, inf) and "
                f"low < high, but low={values[0]}, high={values[1]} is given"
            )
        return _Subset(values=(low, high))
    return _Subset()


def _hermitian(
    a: Any, b: Any, lower: bool, vectors: bool, type: int, subset: _Subset, name: str
) -> Any:
    matrices = as_array(a, name)
    layout = matrices._layout
    check_square(layout)
    n = layout.shape[-1]
    if type not in (1, 2, 3):
        raise ValueError('"type" keyword only accepts 1, 2, and 3.')
    if subset.indices is not None and not 0 <= subset.indices[0] <= subset.indices[1] < n:
        first, last = subset.indices
        raise ValueError(
            f"Requested eigenvalue indices are not valid. Valid range is [0, {n - 1}] and "
            f"start <= end, but start={first}, end={last} is given"
        )
    if subset.values is not None and layout.ndim != 2:
        raise ValueError(
            f"{name}: subset_by_value is for one matrix, and a has shape {layout.shape}"
        )
    if b is None:
        found = eigenvalues.hermitian(matrices, lower, vectors)
    else:
        found = _generalized(matrices, as_array(b, name), lower, vectors, type)
    results = found if vectors else (found,)
    if subset.indices is not None:
        wanted = slice(subset.indices[0], subset.indices[1] + 1)
    elif subset.values is not None:
        limits = asarray(np.array(subset.values, results[0]._layout.dtype))
        wanted = slice(*asnumpy(searchsorted(results[0], limits, "right")).tolist())
    else:
        return found
    chosen = [copies.copy(x[..., wanted], "C") for x in results]
    return tuple(chosen) if vectors else chosen[0]


def _generalized(a: Any, b: Any, lower: bool, vectors: bool, type: int) -> Any:
    """The problem for a positive definite `b`, by its Cholesky factor."""
    check_square(b._layout)
    if a._layout.shape[-1] != b._layout.shape[-1]:
        raise ValueError(
            f"wrong b dimensions {b._layout.shape[-2:]}, should be {a._layout.shape[-2:]}"
        )
    dtype = common_dtype(a._layout, b._layout)
    factor = linalg.cholesky(b if lower else conj(_transpose(b))).astype(dtype)
    full = _filled(a.astype(dtype), lower)
    if type == 1:
        half = solve_triangular(factor, full, lower=True)
        problem = solve_triangular(factor, conj(_transpose(half)), lower=True)
    else:
        problem = matmul(conj(_transpose(factor)), matmul(full, factor))
    found = eigenvalues.hermitian(problem, True, vectors)
    if not vectors:
        return found
    values, right = found
    if type == 3:
        return values, matmul(factor, right)
    return values, solve_triangular(factor, right, trans="C", lower=True)


def _filled(a: Any, lower: bool) -> Any:
    """Hermitian matrices that one of their triangles stands for."""
    strict = tril(a, -1) if lower else triu(a, 1)
    is_diagonal = eye(a._layout.shape[-1], dtype=bool)
    return where(is_diagonal, a.real, strict + conj(_transpose(strict)))


def _transpose(a: Any) -> Any:
    return linalg.matrix_transpose(a)


def _refuse_general_problem(b: Any, name: str) -> None:
    if b is not None:
        raise NotImplementedError(
            f"scipy.linalg.{name}: cuSOLVER has no generalised problem of general matrices; with a "
            f"well-conditioned b, take {name}(solve(b, a)), or eigh if both are Hermitian and b is "
            "positive definite"
        )


def _complex(values: Any, homogeneous: bool) -> Any:
    """Eigenvalues as SciPy returns them."""
    dtype = values._layout.dtype
    if dtype.kind != "c":
        values = values.astype(np.result_type(dtype, np.complex64))
    return stack([values, ones_like(values)], axis=-2) if homogeneous else values
