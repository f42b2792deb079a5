"""What sparse matrices have that sparse arrays have not: the methods of NumPy's matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np

from gpuarray.scipy.sparse import _shapes
from gpuarray.scipy.sparse._matmul import MatrixProducts

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray
    from gpuarray.scipy.sparse._base import SparseBase
    from gpuarray.scipy.sparse._bsr import bsr_matrix
    from gpuarray.scipy.sparse._coo import coo_matrix
    from gpuarray.scipy.sparse._csc import csc_matrix
    from gpuarray.scipy.sparse._csr import csr_matrix
    from gpuarray.scipy.sparse._dia import dia_matrix

    _Sparse = SparseBase
else:
    _Sparse = object

__all__ = ["isspmatrix", "spmatrix"]


class spmatrix(MatrixProducts, _Sparse):
    """What all sparse matrices are: `coo_matrix`, `csr_matrix`, `csc_matrix` and so on.

    It cannot be made itself. Products with ``*`` are matrix products.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> isinstance(sparse.csr_matrix(cp.eye(2)), sparse.spmatrix)
    True
    """

    if TYPE_CHECKING:
        # Conversions of a matrix are matrices.

        def tocoo(self, copy: bool = ...) -> coo_matrix: ...

        def tocsr(self, copy: bool = ...) -> csr_matrix: ...

        def tocsc(self, copy: bool = ...) -> csc_matrix: ...

        def todia(self, copy: bool = ...) -> dia_matrix: ...

        def tobsr(
            self, blocksize: tuple[int, int] | None = ..., copy: bool = ...
        ) -> bsr_matrix: ...

        @overload
        def asformat(self, format: Literal["coo"], copy: bool = ...) -> coo_matrix: ...

        @overload
        def asformat(self, format: Literal["csr"], copy: bool = ...) -> csr_matrix: ...

        @overload
        def asformat(self, format: Literal["csc"], copy: bool = ...) -> csc_matrix: ...

        @overload
        def asformat(self, format: Literal["dia"], copy: bool = ...) -> dia_matrix: ...

        @overload
        def asformat(self, format: Literal["bsr"], copy: bool = ...) -> bsr_matrix: ...

        @overload
        def asformat(self, format: Literal["array", "dense"], copy: bool = ...) -> ndarray: ...

        @overload
        def asformat(self, format: None, copy: bool = ...) -> Self: ...

        @overload
        def asformat(self, format: str, copy: bool = ...) -> Any: ...

        def asformat(self, format: str | None, copy: bool = ...) -> Any: ...

        @property
        def T(self) -> spmatrix: ...

        @property
        def mT(self) -> spmatrix: ...

        @overload
        def __matmul__(self, other: SparseBase) -> spmatrix: ...

        @overload
        def __matmul__(self, other: ArrayLike) -> ndarray: ...

        def __matmul__(self, other: Any) -> Any: ...

        @overload
        def dot(self, other: SparseBase) -> spmatrix: ...

        @overload
        def dot(self, other: ArrayLike) -> ndarray: ...

        def dot(self, other: Any) -> Any: ...

        @overload
        def __add__(self, other: SparseBase) -> spmatrix: ...

        @overload
        def __add__(self, other: ArrayLike) -> Any: ...

        def __add__(self, other: Any) -> Any: ...

        @overload
        def __sub__(self, other: SparseBase) -> spmatrix: ...

        @overload
        def __sub__(self, other: ArrayLike) -> Any: ...

        def __sub__(self, other: Any) -> Any: ...

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
    def H(self) -> Any:
        """The complex conjugate of the transpose."""
        return self.getH()

    def getH(self) -> Any:
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
        return found.transpose()

    def asfptype(self) -> Any:
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

    def getnnz(self, axis: int | None = None) -> Any:
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
        return self._getnnz(axis)

    def getrow(self, i: int) -> Any:
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

    def getcol(self, j: int) -> Any:
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
