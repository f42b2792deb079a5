"""LU factors of sparse matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray.scipy.sparse._arguments import operand
from gpuarray.scipy.sparse._base import issparse
from gpuarray.scipy.sparse._csc import csc_array
from gpuarray.scipy.sparse._warnings import SparseEfficiencyWarning, warn
from gpuarray.scipy.sparse.linalg._dense_factors import DenseFactors, Parts
from gpuarray.scipy.sparse.linalg._direct_factors import DirectFactors, factorize
from gpuarray.scipy.sparse.linalg._factor_options import check_options
from gpuarray.scipy.sparse.linalg._operators import refuse_host_matrix

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray
    from gpuarray.scipy.sparse.linalg._incomplete_factors import IncompleteFactors

__all__ = ["SuperLU", "factorized", "splu", "square_csc"]


class SuperLU:
    """The LU factors of a sparse matrix, which `splu` and `spilu` make: ``Pr @ A @ Pc = L @ U``.

    Attributes
    ----------
    shape : tuple of int
        Of the matrix.
    perm_r, perm_c : ndarray of int32
        Where the rows and the columns go: row i of `A` is row ``perm_r[i]`` of ``L @ U``.
    L, U : csc_array
        The factors; L has ones on its diagonal. They are made when they are asked for.
    nnz : int
        The number of elements of both that are not zero.

    Differences from SciPy
    ----------------------
    `solve` takes lists, too. An infinite right-hand side makes NaN where the factors have zeros,
    which SuperLU skips. Columns are not exchanged in `L`, `U` and `perm_r`. The solver of a large
    matrix does not show its factors: those are of a dense factorisation then, made when they are
    asked for, while `nnz` counts the solver's own.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy.sparse import csc_array
    >>> factors = cp.scipy.sparse.linalg.splu(csc_array(cp.array([[0.0, 2.0], [4.0, 1.0]])))
    >>> factors.perm_r
    array([1, 0], dtype=int32)
    >>> factors.solve(cp.array([2.0, 5.0]))
    array([1., 1.])
    """

    _factors: DenseFactors | DirectFactors | IncompleteFactors
    _parts: Parts | None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError("SuperLU: cannot create instances; splu and spilu make them of a matrix")

    @classmethod
    def _of(cls, factors: DenseFactors | DirectFactors | IncompleteFactors) -> SuperLU:
        """The object of factors of any kind."""
        made = object.__new__(cls)
        made._factors, made._parts = factors, None
        return made

    def _made(self) -> Parts:
        if self._parts is None:
            self._parts = self._factors.parts()
        return self._parts

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<SuperLU of a matrix of {rows} x {columns}, {self._factors.dtype}>"

    @property
    def shape(self) -> tuple[int, int]:
        """Of the matrix."""
        return self._factors.shape

    @property
    def perm_r(self) -> ndarray:
        """Where the rows go."""
        return self._made()[2]

    @property
    def perm_c(self) -> ndarray:
        """Where the columns go."""
        return self._made()[3]

    @property
    def L(self) -> csc_array:
        """The lower triangle, with ones on its diagonal."""
        return self._made()[0]

    @property
    def U(self) -> csc_array:
        """The upper triangle."""
        return self._made()[1]

    @property
    def nnz(self) -> int:
        """The number of elements of both factors that are not zero."""
        if isinstance(self._factors, DirectFactors):
            return self._factors.nnz
        return int(self.L.nnz) + int(self.U.nnz)

    def solve(self, rhs: ArrayLike, trans: str = "N") -> ndarray:
        """The solution of linear equations.

        Parameters
        ----------
        rhs : array_like, shape (N,) or (N, K)
            The right-hand sides.
        trans : {'N', 'T', 'H'}, optional
            Whether the matrix is taken as it is, transposed, or also conjugated.

        Returns
        -------
        ndarray
            Of the shape of `rhs`.

        Raises
        ------
        ValueError
            If the shapes do not fit together, or `trans` is another letter.
        TypeError
            For right-hand sides that the dtype of the factors does not hold: complex ones of a real
            matrix, float64 or int32 for one of float32. `trans` that is no text.
        """
        b = operand(rhs, "SuperLU.solve", "rhs", TypeError)
        if not isinstance(trans, str):
            raise TypeError(f"SuperLU.solve: trans is 'N', 'T' or 'H', not {trans!r}")
        if trans not in ("N", "T", "H"):
            raise ValueError(f"SuperLU.solve: trans must be N, T, or H, not {trans!r}")
        dtype = self._factors.dtype
        if not np.can_cast(b.dtype, dtype):
            remedy = f"use astype({dtype.name!r}), or convert the matrix before it is factorised"
            if b.dtype.kind == "c" and dtype.kind != "c":
                remedy = "solve for the real and the imaginary parts"
            raise TypeError(
                f"SuperLU.solve: Cannot cast array data from {b.dtype} to the {dtype} of the "
                f"factors; {remedy}"
            )
        if b.ndim > 2:
            raise ValueError(
                f"SuperLU.solve: object too deep for desired array: rhs has shape {b.shape}, and "
                "one or two dimensions are allowed"
            )
        if b.ndim == 0 or b.shape[0] != self.shape[0]:
            raise ValueError(
                f"SuperLU.solve: rhs is of incompatible size: shape {b.shape} for a matrix of "
                f"shape {self.shape}"
            )
        return self._factors.solve(b.astype(dtype, copy=False), trans)


def square_csc(A: Any, name: str) -> Any:
    """A matrix in csc, or a warning that it had to be converted."""
    refuse_host_matrix(A, name)
    if not (issparse(A) and A.format == "csc"):
        warn(f"{name} converted its input to CSC format", SparseEfficiencyWarning)
        A = A.tocsc() if issparse(A) else csc_array(A)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"{name}: can only factor square matrices, not one of shape {A.shape}")
    return A


def splu(
    A: Any,
    permc_spec: str | None = None,
    diag_pivot_thresh: float | None = None,
    relax: int | None = None,
    panel_size: int | None = None,
    options: dict[str, Any] | None = None,
) -> SuperLU:
    """The LU factors of a sparse matrix.

    Parameters
    ----------
    A : sparse array or matrix, shape (N, N)
        In the format csc; others are converted, with a warning.
    permc_spec, diag_pivot_thresh, relax, panel_size, options : optional
        Checked as by SciPy and not used: they are about SuperLU's algorithm.

    Returns
    -------
    SuperLU
        The factors, which solve equations.

    Raises
    ------
    RuntimeError
        If the matrix is singular, or has NaN.
    ValueError
        If it is not square, or an option of SuperLU has no such value.
    TypeError
        If there is no such option, or its value has no such type.
    OutOfMemoryError
        If there is no room for the factors.

    Notes
    -----
    Matrices of more than 1024 rows are factorised by cuDSS where it is installed (the wheel
    nvidia-cudss-cu12 or nvidia-cudss-cu13). It orders rows and columns for few elements in the
    factors, which the host does. Right-hand sides are solved for one by one, so that results
    repeat, and solutions refined by a step. Other matrices are dense on the device:
    that is fast up to some 20000 rows, and needs memory for N times N elements, twice. So are
    matrices of which the library would have replaced pivots, or did not satisfy trial equations,
    which are looked at. Without cuDSS, matrices of more than 20000 rows have QR factors by cuSOLVER
    in an order by nested dissection, for which the host gets the places of the elements.

    Differences from SciPy
    ----------------------
    The orders of rows and columns, and with them the last digits, are others than SuperLU's:
    `permc_spec`, `diag_pivot_thresh`, `relax`, `panel_size` and `options` are checked, but nothing
    depends on them.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy.sparse import csc_array
    >>> factors = cp.scipy.sparse.linalg.splu(csc_array(cp.array([[4.0, 1.0], [1.0, 3.0]])))
    >>> factors.solve(cp.array([6.0, 7.0]))
    array([1., 2.])
    """
    A = square_csc(A, "splu")
    check_options(
        "splu",
        options,
        ColPerm=permc_spec,
        DiagPivotThresh=diag_pivot_thresh,
        Relax=relax,
        PanelSize=panel_size,
    )
    factors = factorize(A, "splu")
    if factors.singular:
        raise RuntimeError("splu: Factor is exactly singular")
    return SuperLU._of(factors)


def factorized(A: Any) -> Callable[..., ndarray]:
    """A function that solves linear equations of one matrix.

    Parameters
    ----------
    A : sparse array or matrix, shape (N, N)
        In the format csc; others are converted, with a warning.

    Returns
    -------
    callable
        Takes right-hand sides; returns solutions.

    Raises
    ------
    RuntimeError
        If the matrix is singular, or has NaN.
    ValueError
        If it is not square.

    Differences from SciPy
    ----------------------
    As for `splu`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy.sparse import csc_array
    >>> solve = cp.scipy.sparse.linalg.factorized(csc_array(cp.array([[4.0, 1.0], [1.0, 3.0]])))
    >>> solve(cp.array([6.0, 7.0]))
    array([1., 2.])
    """
    return splu(A).solve
