"""LU factors of a sparse matrix as dense ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ffi import locate
from gpuarray._ops.creation import eye
from gpuarray._ops.indexing import diagonal
from gpuarray._ops.logic import isnan
from gpuarray._ops.ranges import arange
from gpuarray._ops.triangles import tril, triu
from gpuarray._runtime.current_stream import current
from gpuarray.errors import OutOfMemoryError
from gpuarray.scipy.linalg._lu import _plan_row_order, lu_factor, lu_solve
from gpuarray.scipy.sparse._csc import csc_array
from gpuarray.scipy.sparse.linalg._systems import least_floating

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["DenseFactors", "Parts", "dense_of", "room_for", "with_remedy"]

#: L, U, and where rows and columns go.
Parts = tuple[csc_array, csc_array, "ndarray", "ndarray"]


def dense_of(A: Any, name: str, dtype: Any = None) -> Any:
    """A square sparse matrix as a dense array of floats.

    Raises
    ------
    OutOfMemoryError
        With what to do instead.
    """
    dtype = least_floating(A.dtype) if dtype is None else np.dtype(dtype)
    # What cannot be had is not begun with: pools would give up all that they keep.
    if not room_for(A.shape[0], dtype):
        free = current.stream.device.mem_info[0]
        needed = 2 * A.shape[0] * A.shape[1] * dtype.itemsize
        raise with_remedy(OutOfMemoryError(needed, free=free), name, A.shape)
    try:
        return A.astype(dtype).toarray()
    except OutOfMemoryError as error:
        raise with_remedy(error, name, A.shape) from None


def room_for(rows: int, dtype: np.dtype) -> bool:
    """Whether the device could have dense factors, and the matrix beside them."""
    return 2 * rows * rows * dtype.itemsize <= current.stream.device.mem_info[1]


def with_remedy(error: OutOfMemoryError, name: str, shape: Any) -> OutOfMemoryError:
    """The exception with what to do instead."""
    error.add_note(
        f"{name}: there is no room for the factors of a matrix of shape {shape}; install cuDSS, "
        f"whose are the smallest (pip install {locate.wheel('cudss')}), or use cg, minres, gmres "
        "or bicgstab, with a preconditioner"
    )
    return error


class DenseFactors:
    """The LU factors of a matrix, with rows exchanged for the greatest pivots.

    Parameters
    ----------
    A : sparse array, shape (N, N)
        The matrix.
    name : str
        The function, for messages.
    dtype : dtype, optional
        What its elements are converted to.

    Raises
    ------
    OutOfMemoryError
        With what to do instead.
    """

    def __init__(self, A: Any, name: str, dtype: Any = None) -> None:
        dense = dense_of(A, name, dtype)
        try:
            self._factors, self._pivots = lu_factor(dense)
        except OutOfMemoryError as error:
            raise with_remedy(error, name, A.shape) from None
        self.shape: tuple[int, int] = dense.shape
        self.dtype: np.dtype = dense.dtype
        #: Whether a pivot is zero, or an element NaN, as SuperLU has it. One number is read.
        self.singular = False
        if dense.size:
            zero = (diagonal(self._factors) == 0).any()
            self.singular = bool(zero | isnan(dense).any())

    def solve(self, right: Any, trans: str = "N") -> ndarray:
        """The solutions for right-hand sides of the factors' dtype."""
        return lu_solve((self._factors, self._pivots), right, "NTH".index(trans))

    def parts(self) -> Parts:
        """The factors as sparse arrays, and where rows and columns go: each column stays."""
        rows = self.shape[0]
        if rows:
            order = _plan_row_order(current.stream, self._pivots._layout, rows)(self._pivots)
        else:
            order = arange(0)
        places = arange(rows, dtype=np.int32)
        perm_r = places.copy()
        perm_r[order] = places
        lower = csc_array(tril(self._factors, -1) + eye(rows, dtype=self.dtype))
        return lower, csc_array(triu(self._factors)), perm_r, places
