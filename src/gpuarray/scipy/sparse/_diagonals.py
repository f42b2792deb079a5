"""Sparse arrays by their diagonals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._array import ArrayBase
from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import ones, zeros
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.manipulation import ravel
from gpuarray._ops.ranges import arange
from gpuarray._ufunc.core_dimensions import NO_VALUE
from gpuarray.scipy.sparse._coo import coo_array, coo_matrix
from gpuarray.scipy.sparse._csc import csc_array, csc_matrix
from gpuarray.scipy.sparse._csr import csr_array, csr_matrix
from gpuarray.scipy.sparse._dia import dia_array, dia_matrix
from gpuarray.scipy.sparse._index_dtype import check_dtype, index_dtype
from gpuarray.scipy.sparse._warnings import warn

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike
    from gpuarray.scipy.sparse._base import sparray
    from gpuarray.scipy.sparse._matrix import spmatrix

__all__ = ["diags", "diags_array", "eye", "eye_array", "identity", "spdiags"]

_COMPRESSED: dict[tuple[str, bool], Any] = {
    ("csr", True): csr_array, ("csr", False): csr_matrix,
    ("csc", True): csc_array, ("csc", False): csc_matrix,
}  # fmt: skip


def spdiags(
    data: Any, diags: Any, m: Any = None, n: int | None = None, format: str | None = None
) -> spmatrix:
    """A sparse matrix of the diagonals in the rows of an array.

    Parameters
    ----------
    data : array_like, shape (k, length)
        The diagonals: column j has the elements of the matrix's column j.
    diags : sequence of int
        Which diagonals, above (positive) or below the main one.
    m, n : int, optional
        The shape, or `m` a tuple of both; by default square of the length of a row.
    format : str, optional
        The result's; by default 'dia'.

    Returns
    -------
    sparse matrix
        For an array, see `diags_array`.

    Raises
    ------
    ValueError
        If a diagonal is there twice, or the numbers of diagonals differ.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> sparse.spdiags(cp.array([[1, 2, 3]]), [1], 3, 3).toarray()
    array([[0, 2, 0],
           [0, 0, 3],
           [0, 0, 0]])
    """
    _refuse_mapping("spdiags", data)
    if m is None and n is None:
        m = n = len(data[0])
    elif n is None:
        m, n = m
    return dia_matrix((data, diags), shape=(m, n)).asformat(format)


def diags_array(
    diagonals: Any,
    /,
    *,
    offsets: Any = 0,
    shape: tuple[int, int] | None = None,
    format: str | None = None,
    dtype: DTypeLike | None = NO_VALUE,
) -> sparray:
    """A sparse array of diagonals.

    Parameters
    ----------
    diagonals : sequence of array_like
        The elements of each diagonal; a number, or an array of one element, is repeated if the
        shape is given.
    offsets : int or sequence of int, optional
        Which diagonals, above (positive) or below the main one, which is the default. For a single
        number, `diagonals` are the elements of that diagonal.
    shape : tuple of int, optional
        By default square, as large as the first diagonal needs.
    format : str, optional
        The result's; by default 'dia'.
    dtype : dtype, optional
        None is what all diagonals fit. Without it integers become float64, with a warning.

    Returns
    -------
    sparse array
        In the format.

    Raises
    ------
    ValueError
        If a diagonal's length does not fit, or it is outside the shape.

    Warns
    -----
    FutureWarning
        If integers become float64: `dtype` says what is meant, None that they stay.

    Differences from SciPy
    ----------------------
    Bools stay without `dtype`, too.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> sparse.diags_array([[1, 2, 3], [4, 5]], offsets=[0, 1], dtype=None).toarray()
    array([[1, 4, 0],
           [0, 2, 5],
           [0, 0, 3]])
    """
    _refuse_mapping("diags", diagonals)
    if np.ndim(offsets) == 0 and not isinstance(offsets, list | tuple):
        if len(diagonals) and np.ndim(diagonals[0]) > 0:
            raise ValueError("Different number of diagonals and offsets.")
        diagonals = [diagonals]
    given = [_line(x) for x in diagonals]
    places = np.atleast_1d(asnumpy(offsets) if isinstance(offsets, ArrayBase) else offsets)
    if len(given) != len(places):
        raise ValueError(
            f"Different number of diagonals and offsets: {len(given)} and {len(places)}."
        )
    if shape is None:
        side = len(given[0]) + abs(int(places[0]))
        shape = (side, side)
    dtype = _diagonals_dtype([x.dtype for x in given], dtype)
    m, n = (int(x) for x in shape)
    width = max([min(m + x, n - x) + max(0, x) for x in places.tolist()], default=0)
    rows = (len(given), max(0, width))
    on_device = any(isinstance(x, ArrayBase) for x in given)
    data: Any = zeros(rows, dtype=dtype) if on_device else np.zeros(rows, dtype=dtype)
    for i, (line, offset) in enumerate(zip(given, places.tolist(), strict=True)):
        length = min(m + offset, n - offset, m, n)
        if length < 0:
            raise ValueError(f"Offset {offset} (index {i}) out of bounds")
        if len(line) < length and len(line) != 1:
            raise ValueError(
                f"Diagonal length (index {i}: {len(line)} at offset {offset}) does not agree with "
                f"array size ({m}, {n})."
            )
        first = max(0, offset)
        data[i, first : first + length] = line[:length]
    return dia_array((asarray(data), places), shape=(m, n)).asformat(format)


def _diagonals_dtype(dtypes: list[np.dtype], wanted: Any) -> np.dtype:
    """The dtype of diagonals that have some, if another may be wanted."""
    if wanted is not NO_VALUE and wanted is not None:
        return check_dtype(wanted)
    fitting = np.result_type(*dtypes)
    numbers = [np.empty(0, x) for x in dtypes if x.kind != "b"]
    if wanted is None or not numbers:
        return fitting
    dtype = np.dtype(np.common_type(*numbers))
    if dtype != fitting:
        warn(
            # SciPy's words in the middle, which filters of warnings look for.
            f"diags: of {fitting} the output has been cast to {dtype}, which will change with "
            "SciPy; pass dtype=None to keep what diagonals are, or the dtype that you want",
            FutureWarning,
        )
    return dtype


def _refuse_mapping(name: str, diagonals: Any) -> None:
    if isinstance(diagonals, Mapping):  # whose items would be found by number
        raise TypeError(f"{name}: the diagonals are a sequence, not {type(diagonals).__name__}")


def _line(x: Any) -> Any:
    """A diagonal as an array of one dimension, on the device if it is there."""
    if not isinstance(x, ArrayBase):
        return np.ravel(x)
    dense: Any = x
    return ravel(dense)


def diags(
    diagonals: Any,
    offsets: Any = 0,
    shape: tuple[int, int] | None = None,
    format: str | None = None,
    dtype: DTypeLike | None = NO_VALUE,
) -> spmatrix:
    """A sparse matrix of diagonals; for an array, see `diags_array`.

    Parameters
    ----------
    diagonals : sequence of array_like
        The elements of each diagonal; a number, or an array of one element, is repeated if the
        shape is given.
    offsets : int or sequence of int, optional
        Which diagonals, above (positive) or below the main one, which is the default.
    shape : tuple of int, optional
        By default square, as large as the first diagonal needs.
    format : str, optional
        The result's; by default 'dia'.
    dtype : dtype, optional
        None is what all diagonals fit. Without it integers become float64, with a warning.

    Returns
    -------
    sparse matrix
        In the format.

    Raises
    ------
    ValueError
        If a diagonal's length does not fit, or it is outside the shape.

    Warns
    -----
    FutureWarning
        If integers become float64: `dtype` says what is meant, None that they stay.

    Differences from SciPy
    ----------------------
    Bools stay without `dtype`, too.

    Examples
    --------
    >>> from gpuarray.scipy import sparse
    >>> sparse.diags([1.0, 2.0], 1).toarray()
    array([[0., 1., 0.],
           [0., 0., 2.],
           [0., 0., 0.]])
    """
    found = diags_array(diagonals, offsets=offsets, shape=shape, dtype=dtype)
    return dia_matrix(found).asformat(format)


def identity(n: int, dtype: DTypeLike = "d", format: str | None = None) -> spmatrix:
    """A square sparse matrix with ones on the main diagonal; for an array, see `eye_array`.

    Parameters
    ----------
    n : int
        Rows and columns.
    dtype : dtype, optional
        By default float64.
    format : str, optional
        The result's; by default 'dia'.

    Returns
    -------
    sparse matrix
        In the format.

    Examples
    --------
    >>> from gpuarray.scipy import sparse
    >>> sparse.identity(2).toarray()
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, n, dtype=dtype, format=format)


def eye_array(
    m: int, n: int | None = None, *, k: int = 0, dtype: DTypeLike = float, format: str | None = None
) -> sparray:
    """A sparse array with ones on a diagonal.

    Parameters
    ----------
    m : int
        Rows.
    n : int, optional
        Columns, by default as many.
    k : int, optional
        Which diagonal, above (positive) or below the main one, which is the default.
    dtype : dtype, optional
        By default float64.
    format : str, optional
        The result's; by default 'dia'.

    Returns
    -------
    sparse array
        In the format.

    Examples
    --------
    >>> from gpuarray.scipy import sparse
    >>> sparse.eye_array(2, 3, k=1).toarray()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    return _eye(m, n, k, dtype, format, True)


def eye(
    m: int, n: int | None = None, k: int = 0, dtype: DTypeLike = float, format: str | None = None
) -> spmatrix:
    """A sparse matrix with ones on a diagonal; for an array, see `eye_array`.

    Parameters
    ----------
    m : int
        Rows.
    n : int, optional
        Columns, by default as many.
    k : int, optional
        Which diagonal, above (positive) or below the main one, which is the default.
    dtype : dtype, optional
        By default float64.
    format : str, optional
        The result's; by default 'dia'.

    Returns
    -------
    sparse matrix
        In the format.

    Examples
    --------
    >>> from gpuarray.scipy import sparse
    >>> sparse.eye(2).toarray()
    array([[1., 0.],
           [0., 1.]])
    """
    return _eye(m, n, k, dtype, format, False)


def _eye(m: int, n: int | None, k: int, dtype: Any, format: str | None, array: bool) -> Any:
    m, n = int(m), int(m if n is None else n)
    if m == n and k == 0 and format in ("csr", "csc", "coo"):
        index = index_dtype(maxval=n)
        data, places = ones(n, dtype=dtype), arange(n, dtype=index)
        if format == "coo":
            cls = coo_array if array else coo_matrix
            return cls._from_parts(data, (places, places.copy()), (n, n), canonical=True)
        pointers = arange(n + 1, dtype=index)
        found = _COMPRESSED[format, array]
        return found._from_parts(data, places, pointers, (n, n), sorted=True, canonical=True)
    lines = ones((1, max(0, min(m + k, n))), dtype=dtype)
    make = diags_array if array else diags
    return make(lines, offsets=[k], shape=(m, n), dtype=dtype).asformat(format)
