"""Sparse arrays in compressed sparse row format."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self

from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import zeros
from gpuarray._ops.host_copies import asnumpy
from gpuarray.kernels.sparse_format.launch import line_pointers
from gpuarray.scipy.sparse._base import SparseBase, sparray
from gpuarray.scipy.sparse._compressed import CompressedBase
from gpuarray.scipy.sparse._matrix import spmatrix

if TYPE_CHECKING:
    from gpuarray.scipy.sparse._bsr import BsrBase
    from gpuarray.scipy.sparse._csc import CscBase

__all__ = ["csr_array", "csr_matrix", "isspmatrix_csr"]


class CsrBase(CompressedBase):
    """What arrays and matrices in compressed sparse row format share."""

    _format = "csr"
    _dimensions: ClassVar[tuple[int, ...]] = (1, 2)

    def tocsr(self, copy: bool = False) -> Self:
        return self.copy() if copy else self

    tocsr.__doc__ = SparseBase.tocsr.__doc__

    def tocsc(self, copy: bool = False) -> CscBase:
        if self.ndim != 2:
            raise ValueError("Cannot convert a 1d sparse array to csc format")
        data, indices, indptr, canonical = self._other()
        made: CscBase = self._class_of("csc")._from_parts(
            data, indices, indptr, self._shape, sorted=True, canonical=canonical or None
        )
        return made

    tocsc.__doc__ = SparseBase.tocsc.__doc__

    def tobsr(self, blocksize: tuple[int, int] | None = None, copy: bool = False) -> BsrBase:
        from gpuarray.scipy.sparse._blocks import blocks_of

        found = blocks_of(self, blocksize)
        return found.copy() if copy and found.blocksize == (1, 1) else found

    tobsr.__doc__ = SparseBase.tobsr.__doc__

    def transpose(self, axes: tuple[int, int] | None = None, copy: bool = False) -> Self | CscBase:
        self._check_axes(axes)
        a = self.copy() if copy else self
        if self.ndim == 1:
            return a
        made: CscBase = self._class_of("csc")._from_parts(
            a.data, a.indices, a.indptr, self._shape[::-1],
            sorted=a._sorted, canonical=a._canonical,
        )  # fmt: skip
        return made

    transpose.__doc__ = SparseBase.transpose.__doc__

    def _getrow(self, i: int) -> Self:
        if self.ndim == 1:
            if i not in (0, -1):
                raise IndexError(f"index ({i}) out of range")
            a = self.copy()
            a._shape = self._shape_2d
            return a
        data, indices, count = self._line(i)
        indptr = asarray([0, count], dtype=indices.dtype)
        shape = (1, self._shape[1])
        return self._from_parts(
            data, indices, indptr, shape, sorted=self._sorted or None,
            canonical=self._canonical or None,
        )  # fmt: skip

    def _getcol(self, j: int) -> Self:
        if self.ndim == 1:
            raise ValueError("getcol not provided for 1d arrays. Use indexing A[j]")
        data, rows = self._across(j)
        indptr = line_pointers(rows, self._shape[0], 1, self.indptr.dtype)
        return self._from_parts(
            data, zeros(data.size, self.indices.dtype), indptr, (self._shape[0], 1)
        )

    def __iter__(self) -> Iterator[Any]:
        if self.ndim == 1:
            yield from self.toarray()
            return
        starts = asnumpy(self.indptr).tolist()
        is_array = isinstance(self, sparray)
        shape = self._shape[1:] if is_array else (1, self._shape[1])
        for start, end in pairwise(starts):
            indptr = asarray([0, end - start], dtype=self.indptr.dtype)
            yield self._from_parts(
                self.data[start:end].copy(), self.indices[start:end].copy(), indptr, shape,
                sorted=self._sorted or None, canonical=self._canonical or None,
            )  # fmt: skip


class csr_array(sparray, CsrBase):
    """A sparse array in compressed sparse row format: the entries of a row behind one another.

    Parameters
    ----------
    arg1 : array_like, sparse array, or tuple
        A dense array of one or two dimensions; a sparse array of this package or of SciPy;
        ``(data, indices, indptr)``, where row ``i`` has the columns
        ``indices[indptr[i]:indptr[i + 1]]``; ``(data, (row, col))``, where entries at one place are
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
        The column of each entry, int32 or int64.
    indptr : ndarray
        Where rows start, of the same dtype.

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
    >>> sparse.csr_array((data, indices, indptr), shape=(2, 3)).toarray()
    array([[1., 0., 2.],
           [0., 3., 0.]])
    """


@sharing(texts_of(csr_array))
class csr_matrix(spmatrix, CsrBase):
    """A sparse matrix in compressed sparse row format: `csr_array` with the operators of matrices.

    It always has two dimensions, ``*`` is the matrix product, and wide index arrays become int32
    where their indices fit.

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
    >>> sparse.csr_matrix(cp.array([[0, 2], [0, 0]])).indptr
    array([0, 1, 1], dtype=int32)
    """

    _dimensions = (2,)


def isspmatrix_csr(x: object) -> bool:
    """Whether an object is a `csr_matrix`.

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
    >>> sparse.isspmatrix_csr(sparse.csr_matrix((2, 2)))
    True
    """
    return isinstance(x, csr_matrix)
