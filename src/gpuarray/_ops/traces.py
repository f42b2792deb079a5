"""Sums along diagonals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuarray._array import ArrayBase
from gpuarray._ops.indexing import diagonal
from gpuarray._ops.stored_values import as_values
from gpuarray._ops.sums import sum

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

__all__ = ["trace"]


def trace(
    a: ArrayLike,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """The sum of a diagonal.

    Parameters
    ----------
    a : ndarray
        Of at least two dimensions.
    offset : int, optional
        How far above the main diagonal.
    axis1, axis2 : int, optional
        The axes of the matrices.
    dtype : dtype, optional
        The dtype to sum in; as for `sum` by default.
    out : ndarray, optional
        Where the result is stored.

    Returns
    -------
    ndarray
        Without the two axes.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.trace(cp.arange(9).reshape(3, 3))
    array(12)
    """
    x: Any = a if isinstance(a, ArrayBase) else as_values(a, "trace")
    return sum(diagonal(x, offset, axis1, axis2), -1, dtype, out)
