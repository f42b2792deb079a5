"""Sparse arrays in diagonal format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpuarray import _array, _layout
from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray._ops.casts import astype
from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import zeros
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.searching import count_nonzero
from gpuarray._ops.taking import take
from gpuarray._ops.unique import unique
from gpuarray.kernels.sparse_format.launch import align_diagonals, line_pointers
from gpuarray.scipy.sparse import _conversions, _shapes
from gpuarray.scipy.sparse._base import SparseBase, issparse, sparray
from gpuarray.scipy.sparse._data import DataBase
from gpuarray.scipy.sparse._foreign import from_foreign
from gpuarray.scipy.sparse._index_checks import as_index, in_dtype
from gpuarray.scipy.sparse._index_dtype import INT64, as_data, check_dtype, index_dtype
from gpuarray.scipy.sparse._matrix import spmatrix
from gpuarray.scipy.sparse._warnings import SparseEfficiencyWarning, warn

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, ndarray
    from gpuarray.scipy.sparse._coo import CooBase
    from gpuarray.scipy.sparse._csr import CsrBase

__all__ = ["dia_array", "dia_matrix", "isspmatrix_dia"]

#: Diagonals from which on the format is slow.
_MANY = 100


class DiaBase(DataBase):
    """What arrays and matrices in diagonal format share."""

    _format = "dia"

    _offsets: ndarray
    _known: np.ndarray | None  # the offsets in host memory

    def __init__(
        self,
        arg1: Any,
        shape: Any = None,
        dtype: DTypeLike | None = None,
        copy: bool = False,
        *,
        maxprint: int | None = None,
    ) -> None:
        self._start(arg1, maxprint)
        arg1 = from_foreign(arg1)
        if isinstance(arg1, tuple):
            if _shapes.is_shape(arg1, (2,)):
                self._shape = _shapes.as_shape(arg1, (2,))
                self.data = zeros((0, 0), check_dtype(np.float64 if dtype is None else dtype))
                self.offsets = zeros(0, index_dtype(maxval=max(self._shape)))
            else:
                self._take_diagonals(arg1, shape, dtype, copy)
            return
        if not issparse(arg1):
            dense = as_data(arg1, dtype, False)
            if dense.ndim != 2 and isinstance(self, dia_array):
                raise ValueError(f"DIA arrays don't support {dense.ndim}D input. Use 2D")
            arg1 = self._class_of("coo")(dense, shape=shape)
        found = arg1.todia(copy=copy)
        if dtype is not None:
            found = found.astype(dtype, copy=False)
        self.data, self._shape = found.data, found._shape
        self._offsets, self._known = found._offsets, found._known

    def _take_diagonals(self, arg1: tuple[Any, ...], shape: Any, dtype: Any, copy: bool) -> None:
        try:
            values, offsets = arg1
        except ValueError as e:
            raise ValueError(
                f"unrecognized form for {type(self).__name__} constructor; give (data, offsets)"
            ) from e
        if shape is None:
            raise ValueError("expected a shape argument")
        self._shape = _shapes.as_shape(shape, (2,))
        data = as_data(values, dtype, copy)
        self.data = data.reshape(1, -1) if data.ndim < 2 else data
        found = in_dtype(as_index(offsets, "offsets"), index_dtype(maxval=max(self._shape)))
        self.offsets = found.reshape(1) if found.ndim == 0 else found
        if copy:
            self.offsets = self.offsets.copy()
        if self.offsets.ndim != 1:
            raise ValueError("offsets array must have rank 1")
        if self.data.ndim != 2:
            raise ValueError("data array must have rank 2")
        if self.data.shape[0] != self.offsets.size:
            raise ValueError(
                f"number of diagonals ({self.data.shape[0]}) does not match the number of offsets "
                f"({self.offsets.size})"
            )
        known = self._offsets_on_host()
        if np.unique(known).size != known.size:
            raise ValueError("offset array contains duplicate values")

    @classmethod
    def _from_parts(cls, data: ndarray, offsets: ndarray, shape: tuple[int, ...]) -> Self:
        """An array of parts that are known to be sound; nothing is checked or copied."""
        made = cls.__new__(cls)
        made._start(None, None)
        made.data, made._offsets, made._known, made._shape = data, offsets, None, tuple(shape)
        return made

    @property
    def offsets(self) -> ndarray:
        """The number of each diagonal: 0 is the main one, those above are positive."""
        return self._offsets

    @offsets.setter
    def offsets(self, offsets: ndarray) -> None:
        self._offsets, self._known = offsets, None

    def _offsets_on_host(self) -> np.ndarray:
        """The offsets in host memory, read once."""
        if self._known is None:
            self._known = asnumpy(self._offsets)
        return self._known

    @property
    def _described(self) -> str:
        return f" ({self.data.shape[0]} diagonals)"

    def _with_data(self, data: ndarray, copy: bool = True) -> Self:
        made = self._from_parts(data, self.offsets.copy() if copy else self.offsets, self._shape)
        made._known = self._known
        return made

    def _parts_on_host(self, stream: Any) -> tuple[Any, ...]:
        return asnumpy(self.data, stream), asnumpy(self.offsets, stream)

    def _getnnz(self, axis: int | None = None) -> Any:
        if axis is not None:
            raise NotImplementedError("getnnz over an axis is not implemented for DIA format")
        rows, columns = self._shape_2d
        offsets, end = self._offsets_on_host().astype(np.int64), min(self.data.shape[1], columns)
        lengths = np.minimum(rows + offsets, end) - np.maximum(offsets, 0)
        return int(np.maximum(lengths, 0).sum())

    def count_nonzero(self, axis: int | None = None) -> int | ndarray:
        if axis is not None:
            raise NotImplementedError(
                "count_nonzero over an axis is not implemented for DIA format"
            )
        return int(asnumpy(count_nonzero(self._aligned(self.offsets, self.data, by_row=False))))

    count_nonzero.__doc__ = SparseBase.count_nonzero.__doc__

    def _aligned(self, offsets: Any, data: Any, by_row: bool) -> Any:
        data, offsets = _conversions.flat(data), _conversions.flat(offsets)
        return align_diagonals(data, offsets, self._shape_2d, by_row)

    # ---- conversions ----

    def todia(self, copy: bool = False) -> Self:
        return self.copy() if copy else self

    todia.__doc__ = SparseBase.todia.__doc__

    def tocsr(self, copy: bool = False) -> CsrBase:
        rows, columns = self._shape_2d
        container = self._class_of("csr")
        if 0 in self._shape or not self.offsets.size:
            empty: CsrBase = container(self._shape, dtype=self.dtype)
            return empty
        data, offsets = self.data, self.offsets
        order = np.argsort(self._offsets_on_host())
        if (np.diff(order) < 0).any():
            ranks = asarray(order)
            data, offsets = take(data, ranks, 0), take(offsets, ranks)
        # Row by row, and in a row by column: the order of csr.
        lines = self._aligned(offsets, data, by_row=True)
        index = index_dtype(maxval=max(rows * offsets.size, columns))
        (row, diagonal), values = _conversions.dense_entries(lines, INT64)
        index = index_dtype(maxval=max(values.size, rows, columns))
        column = astype(row + take(offsets, diagonal), index)
        pointers = line_pointers(row, rows, 1, index)
        made: CsrBase = container._from_parts(values, column, pointers, self._shape, canonical=True)
        return made

    tocsr.__doc__ = SparseBase.tocsr.__doc__

    def tocoo(self, copy: bool = False) -> CooBase:
        return self.tocsr().tocoo(copy=False)

    tocoo.__doc__ = SparseBase.tocoo.__doc__

    def transpose(self, axes: tuple[int, int] | None = None, copy: bool = False) -> Self:
        self._check_axes(axes)
        aligned = self._aligned(self.offsets, self.data, by_row=False)
        return self._from_parts(aligned, -self.offsets, self._shape[::-1])

    transpose.__doc__ = SparseBase.transpose.__doc__

    # ---- shape and diagonals ----

    def resize(self, *shape: Any) -> None:
        """Change the shape in place: elements that are outside the new one are dropped.

        Parameters
        ----------
        *shape : int, or a tuple of int
            The new shape.

        Raises
        ------
        ValueError
            If there are not two dimensions.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.dia_array((cp.array([[1, 2, 3]]), [0]), shape=(3, 3))
        >>> a.resize(2, 2)
        >>> a.toarray()
        array([[1, 0],
               [0, 2]])
        """
        given = shape[0] if len(shape) == 1 and not _shapes.is_integer(shape[0]) else shape
        rows, columns = _shapes.as_shape(given, (2,))
        data = self.data[:, :columns].copy()
        if rows > self._shape[0] and data.size:
            # What was below the last row comes into sight.
            last = _column(self.offsets) + self._shape[0]
            column = asarray(np.arange(data.shape[1]))
            data[column >= last] = 0
        self.data, self._shape = data, (rows, columns)

    def diagonal(self, k: int = 0) -> ndarray:
        rows, columns = self._shape_2d
        if k <= -rows or k >= columns:
            return zeros(0, self.dtype)
        first, last = max(0, k), min(rows + k, columns)
        result = zeros(last - first, self.dtype)
        (found,) = np.nonzero(self._offsets_on_host() == k)
        if found.size:
            values = self.data[int(found[0]), first:last]
            result[: values.size] = values
        return result

    diagonal.__doc__ = SparseBase.diagonal.__doc__

    def setdiag(self, values: Any, k: int = 0) -> None:
        given, length = self._diagonal_values(values, k)
        if given.ndim:
            given = given[:length]
        first = max(k, 0)
        offsets = self._offsets_on_host()
        count, width = self.data.shape
        (found,) = np.nonzero(offsets == k)
        more = 0 if found.size else 1
        data = zeros((count + more, max(width, first + length)), self.dtype)
        data[:count, :width] = self.data
        data[int(found[0]) if found.size else count, first : first + length] = given
        if more:
            self.offsets = asarray(np.append(offsets, offsets.dtype.type(k)))
        self.data = data

    setdiag.__doc__ = SparseBase.setdiag.__doc__


def _column(x: Any) -> Any:
    """An array of one dimension as a column."""
    return x.reshape(-1, 1)


def diagonals_of(a: CooBase) -> DiaBase:
    """Coordinates in diagonal format."""
    if a.ndim != 2:
        raise ValueError(f"Cannot convert. DIA format must be 2D. Got {a.ndim}D")
    a.sum_duplicates()
    index = index_dtype(a.coords, max(a.shape))
    container = a._class_of("dia")
    if not a.nnz:
        data = _array.empty(_layout.contiguous(a.dtype, (0, 0)))
        nothing: DiaBase = container._from_parts(data, zeros(0, index), a.shape)
        return nothing
    difference = astype(a.col, INT64) - a.row
    offsets, which = unique(difference, return_inverse=True)
    if offsets.size > _MANY:
        warn(
            f"Constructing a DIA matrix with {offsets.size} diagonals is inefficient",
            SparseEfficiencyWarning,
        )
    data = zeros((offsets.size, int(asnumpy(a.col.max())) + 1), a.dtype)
    data[which, a.col] = a.data
    made: DiaBase = container._from_parts(data, astype(offsets, index), a.shape)
    return made


class dia_array(sparray, DiaBase):
    """A sparse array in diagonal format: the elements of some diagonals.

    Parameters
    ----------
    arg1 : array_like, sparse array, or tuple
        A dense array of two dimensions; a sparse array of this package or of SciPy;
        ``(data, offsets)``, where ``data[d, j]`` is the element of column ``j`` on the diagonal
        ``offsets[d]``; a shape, of which all elements are zero. What is in host memory is copied to
        the device.
    shape : tuple of int, optional
        The shape, which diagonals need.
    dtype : dtype, optional
        What elements are cast to.
    copy : bool, optional
        Whether arrays on the device are copied; else those that fit become parts of the result.
    maxprint : int, optional
        How many entries are printed.

    Attributes
    ----------
    data : ndarray, shape (diagonals, columns)
        The values.
    offsets : ndarray
        The number of each diagonal.

    Raises
    ------
    ValueError
        If a diagonal is there twice, or numbers of diagonals differ.

    Notes
    -----
    Offsets are read once, which waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> data, offsets = cp.array([[1, 2, 3], [4, 5, 6]]), cp.array([0, 1])
    >>> sparse.dia_array((data, offsets), shape=(3, 3)).toarray()
    array([[1, 5, 0],
           [0, 2, 6],
           [0, 0, 3]])
    """


@sharing(texts_of(dia_array))
class dia_matrix(spmatrix, DiaBase):
    """A sparse matrix in diagonal format: `dia_array` with the operators of matrices.

    Parameters
    ----------
    {arg1}
    {shape}
    {dtype}
    {copy}
    {maxprint}

    {Raises}

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> sparse.dia_matrix(cp.eye(3, k=1)).offsets
    array([1], dtype=int32)
    """


def isspmatrix_dia(x: object) -> bool:
    """Whether an object is a `dia_matrix`.

    Parameters
    ----------
    x : object
        What is asked about.

    Returns
    -------
    bool
        Whether.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> sparse.isspmatrix_dia(sparse.dia_matrix((2, 2)))
    True
    """
    return isinstance(x, dia_matrix)
