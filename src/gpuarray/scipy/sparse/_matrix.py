"""What sparse matrices have that sparse arrays have not: the methods of NumPy's matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np

from gpuarray.scipy.sparse import _shapes
from gpuarray.scipy.sparse._matmul import MatrixProducts

if TYPE_CHECKING:
    from gpuarray._types import ndarray
    from gpuarray.scipy.sparse._base import SparseBase
    from gpuarray.scipy.sparse._bsr import bsr_matrix
    from gpuarray.scipy.sparse._coo import coo_matrix
    from gpuarray.scipy.sparse._csc import csc_matrix
    from gpuarray.scipy.sparse._csr import csr_matrix
    from gpuarray.scipy.sparse._dia import dia_matrix
    from gpuarray.scipy.sparse._signatures import MatrixSignatures

    class _Sparse(
        MatrixSignatures["spmatrix", coo_matrix, csr_matrix, csc_matrix, dia_matrix, bsr_matrix],
        SparseBase,
    ):
        """What operations of matrices return."""
else:
    _Sparse = MatrixProducts

__all__ = ["isspmatrix", "spmatrix"]


class spmatrix(_Sparse):
    """What all sparse matrices are: `coo_matrix`, `csr_matrix`, `csc_matrix` and so on.

    It cannot be made itself. Products with ``*`` are matrix products.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> isinstance(sparse.csr_matrix(cp.eye(2)), sparse.spmatrix)
    True
    """

    #: How many entries are printed.
    maxprint: int = 50

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns; a new shape of the same size may be assigned."""
        return self._shape_2d

    @shape.setter
    def shape(self, shape: Any) -> None:
        self.set_shape(shape)

    def get_shape(self) -> tuple[int, int]:
        """The numbers of rows and columns.

        Returns
        -------
        tuple of int
            The shape.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_matrix(cp.array([[0, 3], [1, 0]]))
        >>> a.get_shape()
        (2, 2)
        """
        return self._shape_2d

    def set_shape(self, shape: Any) -> None:
        """Change the shape in place to one of the same size; see `reshape`.

        Parameters
        ----------
        shape : tuple of int
            The new shape.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_matrix(cp.array([[0, 3], [1, 0]]))
        >>> a.set_shape((2, 2))
        """
        found = _shapes.new_shape((shape,), self._shape, (2,))
        if found != self._shape:
            self.__dict__ = self.reshape(found).asformat(self.format).__dict__

    @property
    def A(self) -> ndarray:
        """A dense array of the elements, as `toarray`."""
        return self.toarray()

    @property
    def H(self) -> spmatrix:
        """The complex conjugate of the transpose."""
        return self.getH()

    def getH(self) -> spmatrix:
        """The complex conjugate of the transpose.

        Returns
        -------
        sparse array
            Of the same class.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_matrix(cp.array([[0, 3], [1, 0]]))
        >>> a.getH().toarray()
        array([[0, 1],
               [3, 0]])
        """
        found: Any = self.conjugate()  # type: ignore[attr-defined]
        transpose: spmatrix = found.transpose()
        return transpose

    def asfptype(self) -> Self:
        """The matrix with elements that are floating-point numbers.

        Itself, if they are; else of the least float dtype that holds those of the dtype.

        Returns
        -------
        sparse array
            Of the same class.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_matrix(cp.ones((2, 2), "int16")).asfptype().dtype
        dtype('float32')
        """
        if self.dtype.kind in "fc":
            return self
        narrow = np.can_cast(self.dtype, np.float32)
        return self.astype(np.float32 if narrow else np.float64)

    def getformat(self) -> str:
        """The format: 'coo', 'csr', 'csc', 'dia' or 'bsr'.

        Returns
        -------
        str
            The format's name.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_matrix(cp.array([[0, 3], [1, 0]]))
        >>> a.getformat()
        'csr'
        """
        return self.format

    def getmaxprint(self) -> int:
        """How many entries are printed.

        Returns
        -------
        int
            How many.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_matrix(cp.array([[0, 3], [1, 0]]))
        >>> a.getmaxprint()
        50
        """
        return self.maxprint

    @overload
    def getnnz(self, axis: None = None) -> int: ...

    @overload
    def getnnz(self, axis: int) -> ndarray: ...

    def getnnz(self, axis: int | None = None) -> int | ndarray:
        """The number of stored entries, zeros among them.

        Parameters
        ----------
        axis : int, optional
            0 for the number in each column, 1 for that in each row; by default that of all.

        Returns
        -------
        int or ndarray

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_matrix(cp.array([[0, 1], [2, 3]])).getnnz(1)
        array([1, 2], dtype=int32)
        """
        found: int | ndarray = self._getnnz(axis)
        return found

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
        >>> sparse.csr_matrix(cp.array([[0, 1], [2, 3]])).getrow(1).toarray()
        array([[2, 3]])
        """
        return self.tocsr()._getrow(i)

    def getcol(self, j: int) -> csr_matrix | csc_matrix:
        """A copy of a column, as a csr matrix; of csc in that format. Waits for the device.

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
        >>> sparse.csr_matrix(cp.array([[0, 1], [2, 3]])).getcol(1).toarray()
        array([[1],
               [3]])
        """
        return self.tocsr()._getcol(j)


def isspmatrix(x: object) -> bool:
    """Whether an object is a sparse matrix of this package, and not a sparse array.

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
    >>> sparse.isspmatrix(sparse.csr_matrix((2, 2))), sparse.isspmatrix(sparse.csr_array((2, 2)))
    (True, False)
    """
    return isinstance(x, spmatrix)
