"""Conversions: a format has tocoo or tocsr, and those of its own that are faster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuarray._types import ndarray
    from gpuarray.scipy.sparse._bsr import BsrBase
    from gpuarray.scipy.sparse._coo import CooBase
    from gpuarray.scipy.sparse._csc import CscBase
    from gpuarray.scipy.sparse._csr import CsrBase
    from gpuarray.scipy.sparse._dia import DiaBase

__all__ = ["Conversions"]


class Conversions:
    """The conversions of all sparse arrays, by way of another format."""

    def tocoo(self: Any, copy: bool = False) -> CooBase:
        """The same in coordinate format.

        Parameters
        ----------
        copy : bool, optional
            Whether the result shares no memory with this array; else it may.

        Returns
        -------
        coo_array or coo_matrix
            An array for an array, a matrix for a matrix.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.eye(2)).tocoo().col
        array([0, 1], dtype=int32)
        """
        return self.tocsr().tocoo(copy=copy)

    def tocsr(self: Any, copy: bool = False) -> CsrBase:
        """The same in compressed sparse row format; entries at one place are added.

        Parameters
        ----------
        copy : bool, optional
            Whether the result shares no memory with this array; else it may.

        Returns
        -------
        csr_array or csr_matrix
            An array for an array, a matrix for a matrix. Of entries in coordinates: one sort of
            their indices, and it waits for the device to know how many are left.

        Raises
        ------
        ValueError
            If there are more than two dimensions.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> row, col = cp.array([1, 0, 1]), cp.array([0, 1, 0])
        >>> sparse.coo_array((cp.ones(3), (row, col)), shape=(2, 2)).tocsr().data
        array([1., 2.])
        """
        return self.tocoo().tocsr(copy=copy)

    def tocsc(self: Any, copy: bool = False) -> CscBase:
        """The same in compressed sparse column format.

        Parameters
        ----------
        copy : bool, optional
            Whether the result shares no memory with this array; else it may.

        Returns
        -------
        csc_array or csc_matrix
            An array for an array, a matrix for a matrix.

        Raises
        ------
        ValueError
            If there is one dimension only.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.array([[0, 1], [2, 3]])).tocsc().data
        array([2, 1, 3])
        """
        return self.tocsr().tocsc(copy=copy)

    def todia(self: Any, copy: bool = False) -> DiaBase:
        """The same in diagonal format.

        Parameters
        ----------
        copy : bool, optional
            Whether the result shares no memory with this array; else it may.

        Returns
        -------
        dia_array or dia_matrix
            An array for an array, a matrix for a matrix. It waits for the device to know how many
            diagonals there are.

        Raises
        ------
        ValueError
            If there are not two dimensions.

        Warns
        -----
        SparseEfficiencyWarning
            If there are more than 100.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.eye(3, k=1)).todia().offsets
        array([1], dtype=int32)
        """
        return self.tocoo().todia(copy=copy)

    def tobsr(self: Any, blocksize: tuple[int, int] | None = None, copy: bool = False) -> BsrBase:
        """The same in block sparse row format.

        Parameters
        ----------
        blocksize : (int, int), optional
            Rows and columns of a block, which divide the shape. By default, the largest blocks of
            some usual sizes that are filled well.
        copy : bool, optional
            Whether the result shares no memory with this array; else it may.

        Returns
        -------
        bsr_array or bsr_matrix
            An array for an array, a matrix for a matrix.

        Raises
        ------
        ValueError
            If the blocks do not divide the shape.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.eye(4)).tobsr((2, 2)).data.shape
        (2, 2, 2)
        """
        return self.tocsr().tobsr(blocksize=blocksize, copy=copy)

    def todok(self: Any, copy: bool = False) -> Any:
        """A dictionary of keys lives in host memory: use ``get().todok()``.

        Parameters
        ----------
        copy : bool, optional
            Whether the result never shares memory with the operand.

        Returns
        -------
        None
            Never.

        Raises
        ------
        NotImplementedError
            Always.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_array(cp.array([[0, 3], [1, 0]]))
        >>> a.get().todok().shape
        (2, 2)
        """
        raise NotImplementedError("todok: a dictionary has no device form; use get().todok()")

    def tolil(self: Any, copy: bool = False) -> Any:
        """Lists live in host memory: use ``get().tolil()``.

        Parameters
        ----------
        copy : bool, optional
            Whether the result never shares memory with the operand.

        Returns
        -------
        None
            Never.

        Raises
        ------
        NotImplementedError
            Always.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_array(cp.array([[0, 3], [1, 0]]))
        >>> a.get().tolil().shape
        (2, 2)
        """
        raise NotImplementedError("tolil: lists have no device form; use get().tolil()")

    def asformat(self: Any, format: str | None, copy: bool = False) -> Any:
        """The same in a format by its name.

        Parameters
        ----------
        format : str or None
            'coo', 'csr', 'csc', 'dia', 'bsr' or 'array'; None for that which it has.
        copy : bool, optional
            Whether the result shares no memory with this array; else it may.

        Returns
        -------
        sparse array or ndarray
            The array itself where it has the format.

        Raises
        ------
        ValueError
            If there is no such format.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.eye(2)).asformat("csc").format
        'csc'
        """
        if format is None or format == self.format:
            return self.copy() if copy else self
        convert = getattr(self, f"to{format}", None)
        if convert is None:
            raise ValueError(f"Format {format} is unknown.")
        return convert() if format in ("array", "dense") else convert(copy=copy)

    def toarray(self: Any, order: str | None = None, out: ndarray | None = None) -> ndarray:
        """A dense array of the elements; entries at one place are added.

        Parameters
        ----------
        order : {'C', 'F'}, optional
            The memory order; C by default.
        out : ndarray, optional
            An array of the same shape and dtype, which is filled and returned.

        Returns
        -------
        ndarray
            On the device.

        Raises
        ------
        ValueError
            If ``out`` has another shape or dtype, or an order is given beside it.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.coo_array((cp.array([5, 7]), ([0, 1], [1, 0])), shape=(2, 2)).toarray()
        array([[0, 5],
               [7, 0]])
        """
        return self.tocoo().toarray(order=order, out=out)

    def todense(self: Any, order: str | None = None, out: ndarray | None = None) -> ndarray:
        """A dense array of the elements, as `toarray`.

        Parameters
        ----------
        order : {'C', 'F'}, optional
            The memory order.
        out : ndarray, optional
            Where the result is stored.

        Returns
        -------
        ndarray
            The result.

        Differences from SciPy
        ----------------------
        Of a matrix, too, it is an ndarray: there is no class of dense matrices.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_array(cp.array([[0, 3], [1, 0]]))
        >>> a.todense()
        array([[0, 3],
               [1, 0]])
        """
        return self.toarray(order=order, out=out)

    def get(self: Any, stream: Any = None) -> Any:
        """The same as an object of SciPy in host memory.

        Parameters
        ----------
        stream : Stream, optional
            The stream to copy on; by default the current one.

        Returns
        -------
        scipy.sparse object
            Of the same format, an array for an array and a matrix for a matrix.

        Raises
        ------
        ImportError
            If SciPy is not installed.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> type(sparse.csr_matrix(cp.eye(2)).get()).__name__
        'csr_matrix'
        """
        import importlib

        from gpuarray.scipy.sparse._base import sparray  # whose base this class is

        kind = "array" if isinstance(self, sparray) else "matrix"
        found = getattr(importlib.import_module("scipy.sparse"), f"{self.format}_{kind}")
        return found(self._parts_on_host(stream), shape=self.shape)

    def _parts_on_host(self: Any, stream: Any) -> tuple[Any, ...]:
        raise NotImplementedError(f"get: not of the format {self.format}")
