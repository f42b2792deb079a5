"""Sparse arrays in compressed sparse column format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray._ops.creation import zeros
from gpuarray.kernels.sparse_format.launch import line_pointers
from gpuarray.scipy.sparse._base import SparseBase, sparray
from gpuarray.scipy.sparse._compressed import CompressedBase
from gpuarray.scipy.sparse._matrix import spmatrix

if TYPE_CHECKING:
    from gpuarray._types import ndarray
    from gpuarray.scipy.sparse._csr import CsrBase, csr_matrix

__all__ = ["csc_array", "csc_matrix", "isspmatrix_csc"]


class CscBase(CompressedBase):
    """What arrays and matrices in compressed sparse column format share."""

    _format = "csc"

    @staticmethod
    def _swap(pair: tuple[Any, Any]) -> tuple[Any, Any]:
        return pair[1], pair[0]

    def tocsc(self, copy: bool = False) -> Self:
        return self.copy() if copy else self

    tocsc.__doc__ = SparseBase.tocsc.__doc__

    def tocsr(self, copy: bool = False) -> CsrBase:
        data, indices, indptr, canonical = self._other()
        made: CsrBase = self._class_of("csr")._from_parts(
            data, indices, indptr, self._shape, sorted=True, canonical=canonical or None
        )
        return made

    tocsr.__doc__ = SparseBase.tocsr.__doc__

    def transpose(self, axes: tuple[int, int] | None = None, copy: bool = False) -> CsrBase:
        self._check_axes(axes)
        a = self.copy() if copy else self
        made: CsrBase = self._class_of("csr")._from_parts(
            a.data, a.indices, a.indptr, self._shape[::-1],
            sorted=a._sorted, canonical=a._canonical,
        )  # fmt: skip
        return made

    transpose.__doc__ = SparseBase.transpose.__doc__

    def nonzero(self) -> tuple[ndarray, ...]:
        return self.tocsr().nonzero()  # in the order of rows

    nonzero.__doc__ = SparseBase.nonzero.__doc__

    def _getrow(self, i: int) -> CsrBase:
        row: CsrBase = self.transpose()._getcol(i).transpose().tocsr()  # type: ignore[assignment]
        return row

    def _getcol(self, j: int) -> Self:
        data, indices, _ = self._line(j)
        pointers = line_pointers(zeros(data.size, indices.dtype), 1, 1, indices.dtype)
        return self._from_parts(
            data, indices, pointers, (self._shape[0], 1), sorted=self._sorted or None,
            canonical=self._canonical or None,
        )  # fmt: skip

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tocsr())


class csc_array(sparray, CscBase):
    """A sparse array in compressed sparse column format: a column's entries behind one another.

    Parameters
    ----------
    arg1 : array_like, sparse array, or tuple
        A dense array of two dimensions; a sparse array of this package or of SciPy;
        ``(data, indices, indptr)``, where column ``j`` has the rows
        ``indices[indptr[j]:indptr[j + 1]]``; ``(data, (row, col))``, where entries at one place are
        added; a shape, of which all elements are zero. What is in host memory is copied to the
        device.
    shape : tuple of int, optional
        The shape; by default the least that has all indices.
    dtype : dtype, optional
        What elements are cast to.
    copy : bool, optional
        Whether arrays on the device are copied; else those that fit become parts of the result.
    maxprint : int, optional
        How many entries are printed.

    Attributes
    ----------
    data : ndarray
        The values.
    indices : ndarray
        The row of each entry, int32 or int64.
    indptr : ndarray
        Where columns start, of the same dtype.

    Raises
    ------
    ValueError
        If an index is out of bounds, pointers decrease, lengths differ, or elements cannot have the
        dtype.

    Notes
    -----
    Indices are checked, which waits for the device once.

    Differences from SciPy
    ----------------------
    Indices out of bounds and pointers that decrease are refused at once, not only by
    `check_format`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> data, indices, indptr = cp.array([1.0, 2, 3]), cp.array([0, 2, 1]), cp.array([0, 2, 3])
    >>> sparse.csc_array((data, indices, indptr), shape=(3, 2)).toarray()
    array([[1., 0.],
           [0., 3.],
           [2., 0.]])
    """


@sharing(texts_of(csc_array))
class csc_matrix(spmatrix, CscBase):
    """A sparse matrix in compressed sparse column format: `csc_array` with matrices' operators.

    ``*`` is the matrix product, and wide index arrays become int32 where their indices fit.

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
    >>> sparse.csc_matrix(cp.array([[0, 2], [0, 0]])).indptr
    array([0, 0, 1], dtype=int32)
    """

    def getrow(self, i: int) -> csr_matrix:
        """A copy of a row, as a csr matrix. Waits for the device.

        Parameters
        ----------
        i : int
            Which.

        Returns
        -------
        sparse matrix
            Of one row.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_matrix(cp.array([[0, 3], [1, 0]]))
        >>> a.getrow(1).toarray()
        array([[1, 0]])
        """
        row: Any = self._getrow(i)
        found: csr_matrix = row
        return found

    def getcol(self, j: int) -> csc_matrix:
        """A copy of a column, as a csc matrix. Waits for the device.

        Parameters
        ----------
        j : int
            Which.

        Returns
        -------
        sparse matrix
            Of one column.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_matrix(cp.array([[0, 3], [1, 0]]))
        >>> a.getcol(1).toarray()
        array([[3],
               [0]])
        """
        return self._getcol(j)


def isspmatrix_csc(x: object) -> bool:
    """Whether an object is a `csc_matrix`.

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
    >>> sparse.isspmatrix_csc(sparse.csc_matrix((2, 2)))
    True
    """
    return isinstance(x, csc_matrix)
