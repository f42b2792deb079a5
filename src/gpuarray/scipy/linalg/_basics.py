"""Equations, inverses and determinants, of the section of basics."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gpuarray import linalg
from gpuarray._layout import Layout
from gpuarray._libraries.checks import fail, linalg_raises, refuse_capture
from gpuarray._libraries.triangular import Triangle, triangular_call
from gpuarray._ops.creation import eye
from gpuarray._ops.indexing import diagonal
from gpuarray._ops.logic import equal
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import add, conj, divide
from gpuarray._ops.matrix_operands import check_square, common_dtype
from gpuarray._ops.triangles import tril, triu
from gpuarray._ops.truth import any
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.linalg._checked_plans import of_columns
from gpuarray.scipy.linalg._cholesky import cho_solve

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["det", "inv", "solve", "solve_triangular"]

_OPERATIONS = {0: "N", 1: "T", 2: "C", "N": "N", "T": "T", "C": "C"}

#: What is known of a matrix, by all the names that SciPy has for it.
_STRUCTURES = {
    None: "general",
    "general": "general",
    "gen": "general",
    "tridiagonal": "general",
    "banded": "general",
    "diagonal": "diagonal",
    "upper triangular": "upper",
    "lower triangular": "lower",
    "symmetric": "symmetric",
    "sym": "symmetric",
    "hermitian": "hermitian",
    "her": "hermitian",
    "positive definite": "positive",
    "pos": "positive",
}


def det(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> ndarray:
    """The determinants of matrices.

    Parameters
    ----------
    a : array_like, shape (..., M, M)
        A matrix or stacked ones.
    overwrite_a, check_finite : bool, optional
        Ignored: `a` stays as it is, and is not looked through.

    Returns
    -------
    ndarray, shape (...)
        The determinants.

    Raises
    ------
    LinAlgError
        If a matrix is not square.

    Differences from SciPy
    ----------------------
    The dtype is that of `gpuarray.linalg.det`, and one determinant is an array without dimensions.
    Infinities and NaN are no error.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.det(cp.array([[1.0, 2.0], [3.0, 4.0]]))
    array(-2.)
    """
    return linalg.det(a)


def inv(
    a: ArrayLike,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    assume_a: str | None = None,
    lower: bool = False,
) -> ndarray:
    """The inverses of matrices.

    Parameters
    ----------
    a : array_like, shape (..., M, M)
        A matrix or stacked ones.
    overwrite_a, check_finite : bool, optional
        Ignored: `a` stays as it is, and is not looked through.
    assume_a : str, optional
        What is known of `a`, as of `solve`; nothing by default.
    lower : bool, optional
        Which triangle is read of a matrix that is symmetric, Hermitian or positive definite.

    Returns
    -------
    ndarray, shape (..., M, M)
        The inverses.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or singular, or not positive definite where it is taken to be.
    ValueError
        If `assume_a` is no name that is known.

    Differences from SciPy
    ----------------------
    There is no warning of matrices that are nearly singular, and no structure is looked for.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.inv(cp.array([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    a = as_array(a, "inv")
    structure = _structure(assume_a, "inv")
    if structure == "general":
        return linalg.inv(a)
    check_square(a._layout)
    unit = eye(a._layout.shape[-1], dtype=common_dtype(a._layout))
    return _solve_structured(a, unit, structure, lower)


def solve(
    a: ArrayLike,
    b: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    assume_a: str | None = None,
    transposed: bool = False,
) -> ndarray:
    """The solutions of linear equations ``a @ x = b``.

    Parameters
    ----------
    a : array_like, shape (..., N, N)
        The coefficients: a matrix or stacked ones.
    b : array_like, shape (N,) or (..., N, K)
        The right-hand sides.
    lower : bool, optional
        Which triangle is read of a matrix that is symmetric, Hermitian or positive definite.
    overwrite_a, overwrite_b, check_finite : bool, optional
        Ignored: the operands stay as they are, and are not looked through.
    assume_a : str, optional
        What is known of `a`: 'diagonal', 'upper triangular', 'lower triangular', 'positive
        definite' ('pos'), 'symmetric' ('sym'), 'hermitian' ('her'); 'general' ('gen'), which is the
        default, 'tridiagonal' and 'banded' are the same here.
    transposed : bool, optional
        Solve ``a.T @ x = b``.

    Returns
    -------
    ndarray
        The solutions.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or singular, or not positive definite where it is taken to be.
    ValueError
        If `assume_a` is no name that is known, or the shapes do not fit together.

    Differences from SciPy
    ----------------------
    There is no warning of matrices that are nearly singular, and no structure is looked for.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a, b = cp.array([[4.0, 2.0], [2.0, 5.0]]), cp.array([8.0, 8.0])
    >>> cp.scipy.linalg.solve(a, b, assume_a="pos")
    array([1.5, 1. ])
    """
    a, b = as_array(a, "solve"), as_array(b, "solve")
    structure = _structure(assume_a, "solve")
    if structure != "general":
        check_square(a._layout)
    if transposed:
        a = linalg.matrix_transpose(a)
        lower = not lower
        structure = {"upper": "lower", "lower": "upper"}.get(structure, structure)
    return (
        linalg.solve(a, b) if structure == "general" else _solve_structured(a, b, structure, lower)
    )


def _structure(assume_a: Any, name: str) -> str:
    try:
        return _STRUCTURES[assume_a]
    except (KeyError, TypeError):
        known = ", ".join([repr(x) for x in _STRUCTURES if x is not None])
        raise ValueError(f"{name}: assume_a must be one of {known}; got {assume_a!r}") from None


def _solve_structured(a: Any, b: Any, structure: str, lower: bool) -> ndarray:
    if structure in ("upper", "lower"):
        return solve_triangular(a, b, lower=structure == "lower")
    if structure == "positive":
        return cho_solve((linalg.cholesky(a, upper=not lower), lower), b)
    if structure == "diagonal":
        common_dtype(a._layout, b._layout)
        shape, n = b._layout.shape, a._layout.shape[-1]
        if not shape or shape[-1 if len(shape) == 1 else -2] != n:
            raise ValueError(
                f"solve: the matrices are {n} x {n}, so b must have the shape ({n},) or "
                f"(..., {n}, k); it has {shape}"
            )
        entries = diagonal(a, 0, -2, -1)
        _refuse_zeros(entries, "solve")
        return divide(b, entries if b._layout.ndim == 1 else entries[..., None])
    # The other triangle follows from the one that is read.
    other = linalg.matrix_transpose(a)
    if structure == "hermitian":
        other = conj(other)
    whole = add(tril(a), triu(other, 1)) if lower else add(triu(a), tril(other, -1))
    return linalg.solve(whole, b)


def solve_triangular(
    a: ArrayLike,
    b: ArrayLike,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> ndarray:
    """The solutions of linear equations ``a @ x = b`` with triangular matrices.

    Parameters
    ----------
    a : array_like, shape (..., M, M)
        The coefficients, of which one triangle is read.
    b : array_like, shape (M,) or (..., M, N)
        The right-hand sides.
    trans : {0, 1, 2, 'N', 'T', 'C'}, optional
        Solve ``a @ x = b``, ``a.T @ x = b`` or ``a.conj().T @ x = b``.
    lower : bool, optional
        Which triangle is read; the upper one by default.
    unit_diagonal : bool, optional
        Take the diagonal for ones, without reading it.
    overwrite_b, check_finite : bool, optional
        Ignored: `b` stays as it is, and nothing is looked through.

    Returns
    -------
    ndarray
        The solutions.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or has a zero on its diagonal. To know that it waits for the
        device, unless the diagonal is not read; with ``errstate(linalg="ignore")`` solutions are
        infinite or NaN instead.
    ValueError
        If `trans` is something else, or the shapes do not fit together.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.array([[2.0, 0.0], [1.0, 1.0]])
    >>> cp.scipy.linalg.solve_triangular(a, cp.array([4.0, 5.0]), lower=True)
    array([2., 3.])
    """
    a, b = as_array(a, "solve_triangular"), as_array(b, "solve_triangular")
    try:
        operation = _OPERATIONS[trans]
    except (KeyError, TypeError):
        raise ValueError(
            f"solve_triangular: trans must be 0, 1, 2, 'N', 'T' or 'C'; got {trans!r}"
        ) from None
    triangle = Triangle(bool(lower), operation, bool(unit_diagonal))
    run = _plan_triangular(current.stream, a._layout, b._layout, *triangle)
    if not unit_diagonal:
        _refuse_zeros(diagonal(a, 0, -2, -1), "solve_triangular")
    return run(a, b)


def _refuse_zeros(entries: Any, name: str) -> None:
    """Raise if a diagonal has a zero, unless the thread ignores that."""
    if not linalg_raises():
        return
    refuse_capture(current.stream, name)
    if bool(any(equal(entries, 0))):
        fail("Singular matrix: there is a zero on the diagonal")


@planned
def _plan_triangular(
    stream: Stream, a: Layout, b: Layout, lower: bool, operation: str, unit: bool
) -> Callable[[Any, Any], Any]:
    check_square(a)
    dtype = common_dtype(a, b)
    if operation == "C" and dtype.kind != "c":
        operation = "T"
    triangle = Triangle(lower, operation, unit)

    def make(b: Layout) -> Callable[..., Any]:
        return triangular_call(stream, a, b, dtype, [triangle])

    return of_columns(stream, "solve_triangular", make, (a,), b, dtype)
