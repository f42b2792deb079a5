"""Reductions of sparse arrays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops import math as functions
from gpuarray._ops import searching, sums
from gpuarray._ops.conversion import ascontiguousarray
from gpuarray._ops.creation import zeros
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.manipulation import reshape
from gpuarray._ops.nonzero import nonzero
from gpuarray.kernels.sparse_rows import launch
from gpuarray.scipy.sparse import _linear, _merging
from gpuarray.scipy.sparse._axes import reduced_axes

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, ndarray
    from gpuarray.scipy.sparse._coo import CooBase

__all__ = ["Reductions"]

_INT64 = np.dtype(np.int64)


def _sum_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype that NumPy adds elements of a dtype in."""
    if dtype.kind == "u":
        return np.dtype(np.uint64)
    return _INT64 if dtype.kind in "bi" else dtype


class Reductions:
    """Sums, extremes and their places, over all elements or along an axis."""

    def sum(
        self: Any,
        axis: int | tuple[int, ...] | None = None,
        dtype: DTypeLike | None = None,
        out: ndarray | None = None,
    ) -> ndarray:
        """The sum of the elements, or of those along an axis.

        Parameters
        ----------
        axis : int or tuple of int, optional
            0 for the sum of each column, 1 for that of each row; by default that of all elements.
            Of an array of more dimensions, those that are added along.
        dtype : dtype, optional
            Elements are cast to it before they are added, as NumPy does. By default that of the
            elements, of integers and bools the widest.
        out : ndarray, optional
            Where to store it.

        Returns
        -------
        ndarray
            Without the axes; of a matrix with both, one of length 1. The same call always gives the
            same bits. Along an axis one launch, where the format is the fitting one of csr and csc.

        Raises
        ------
        ValueError
            If there is no such axis, or `out` has another shape.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.array([[1, 2], [0, 3]])).sum(axis=1)
        array([3, 3])
        """
        found = reduced_axes(axis, self.ndim)
        a = self if dtype is None else _cast(self, np.dtype(dtype))
        if found is None:
            flat = out.reshape(()) if out is not None and self._is_result(out) else out
            total = sums.sum(_elements(a), dtype=dtype, out=flat)
            return total if out is None else out
        return self._result(a._along(found, "add", _sum_dtype(a.dtype)), found, dtype, out)

    def mean(
        self: Any,
        axis: int | tuple[int, ...] | None = None,
        dtype: DTypeLike | None = None,
        out: ndarray | None = None,
    ) -> ndarray:
        """The mean of all elements, zeros included, or of those along an axis.

        Parameters
        ----------
        axis : int or tuple of int, optional
            0 for the mean of each column, 1 for that of each row; by default that of all elements.
            Of an array of more dimensions, those that it is taken along.
        dtype : dtype, optional
            Of the result. By default that of the elements; float64 of integers and bools, which are
            added as such.
        out : ndarray, optional
            Where to store it.

        Returns
        -------
        ndarray
            Without the axes; of a matrix with both, one of length 1.

        Raises
        ------
        ValueError
            If there is no such axis, or `out` has another shape.
        ZeroDivisionError
            If there are no elements.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.array([[1, 2], [0, 3]])).mean(axis=0)
        array([0.5, 2.5])
        """
        found = reduced_axes(axis, self.ndim)
        loop = np.dtype(np.float64) if self.dtype.kind in "bui" else self.dtype
        count = math.prod(self.shape if found is None else [self.shape[i] for i in found])
        scaled = self.astype(loop, copy=False).multiply(1.0 / count)
        result: ndarray = scaled.sum(axis=axis, dtype=loop, out=out)
        return result.astype(dtype, copy=False) if dtype is not None and out is None else result

    def _along(
        self: Any, axes: tuple[int, ...], name: str, loop: np.dtype, explicit: bool = True
    ) -> ndarray:
        """A reduction along axes: of each row or column, or of several dimensions as one."""
        if self.ndim > 2:
            matrix, shape = _linear.as_matrix(self, axes)
            return matrix._along((1,), name, loop, explicit).reshape(shape)
        (axis,) = axes
        a = self.tocsr() if axis == 1 else self.tocsc()
        if name != "add":
            a = _merging.canonical(a)
        index = _merging.index_dtype(a.indptr, a.indices, most=self.shape[axis])
        parts = _merging.structure(a, index)
        return launch.reduce_rows(name, *parts, self.shape[axis], loop, explicit)  # type: ignore[no-any-return]

    def _result(
        self: Any,
        values: ndarray,
        axes: tuple[int, ...],
        dtype: DTypeLike | None,
        out: ndarray | None,
    ) -> ndarray:
        """Values along axes in the shape that arrays or matrices have."""
        if not self._is_array():
            values = reshape(values, (1, -1) if axes == (0,) else (-1, 1))
        if out is None:
            return values if dtype is None else values.astype(dtype, copy=False)
        if out.shape != values.shape:
            raise ValueError(f"out dimensions do not match shape: {out.shape}, not {values.shape}")
        out[...] = values
        return out

    def _is_result(self: Any, out: ndarray) -> bool:
        """Whether an array can take the sum of all elements of a matrix, which has two axes."""
        return not self._is_array() and out.shape == (1, 1)

    def _is_array(self: Any) -> bool:
        from gpuarray.scipy.sparse._base import sparray  # whose base this class is

        return isinstance(self, sparray)

    def max(
        self: Any,
        axis: int | tuple[int, ...] | None = None,
        out: None = None,
        *,
        explicit: bool = False,
    ) -> ndarray | CooBase:
        """The greatest element, or that along an axis; NaN if one is.

        Parameters
        ----------
        axis : int or tuple of int, optional
            0 for each column, 1 for each row; by default of all elements.
        out : None, optional
            There for NumPy's sake: nothing else is taken.
        explicit : bool, optional
            Only elements that are stored count.

        Returns
        -------
        ndarray or sparse array
            Without dimensions for all elements; else without zeros, in coordinates.

        Raises
        ------
        ValueError
            If there are no elements, or no such axis.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.array([[1, 2], [0, -3]])).max(axis=1).toarray()
        array([2, 0])
        """
        return self._extreme(axis, out, "maximum", explicit)

    def min(
        self: Any,
        axis: int | tuple[int, ...] | None = None,
        out: None = None,
        *,
        explicit: bool = False,
    ) -> ndarray | CooBase:
        """The least element, or that along an axis; NaN if one is.

        Parameters
        ----------
        axis : int or tuple of int, optional
            0 for each column, 1 for each row; by default of all elements.
        out : None, optional
            There for NumPy's sake: nothing else is taken.
        explicit : bool, optional
            Only elements that are stored count.

        Returns
        -------
        ndarray or sparse array
            Without dimensions for all elements; else without zeros, in coordinates.

        Raises
        ------
        ValueError
            If there are no elements, or no such axis.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.array([[1, 2], [0, -3]])).min(axis=1).toarray()
        array([ 1, -3])
        """
        return self._extreme(axis, out, "minimum", explicit)

    def nanmax(
        self: Any,
        axis: int | tuple[int, ...] | None = None,
        out: None = None,
        *,
        explicit: bool = False,
    ) -> ndarray | CooBase:
        """The greatest element, or that along an axis, passing over NaN.

        Parameters
        ----------
        axis : int or tuple of int, optional
            0 for each column, 1 for each row; by default of all elements.
        out : None, optional
            There for NumPy's sake: nothing else is taken.
        explicit : bool, optional
            Only elements that are stored count.

        Returns
        -------
        ndarray or sparse array
            Without dimensions for all elements; else without zeros, in coordinates.

        Raises
        ------
        ValueError
            If there are no elements, or no such axis.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.array([[cp.nan, 2], [0, 1]])).nanmax()
        array(2.)
        """
        return self._extreme(axis, out, "fmax", explicit)

    def nanmin(
        self: Any,
        axis: int | tuple[int, ...] | None = None,
        out: None = None,
        *,
        explicit: bool = False,
    ) -> ndarray | CooBase:
        """The least element, or that along an axis, passing over NaN.

        Parameters
        ----------
        axis : int or tuple of int, optional
            0 for each column, 1 for each row; by default of all elements.
        out : None, optional
            There for NumPy's sake: nothing else is taken.
        explicit : bool, optional
            Only elements that are stored count.

        Returns
        -------
        ndarray or sparse array
            Without dimensions for all elements; else without zeros, in coordinates.

        Raises
        ------
        ValueError
            If there are no elements, or no such axis.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.array([[cp.nan, -2], [0, 1]])).nanmin()
        array(-2.)
        """
        return self._extreme(axis, out, "fmin", explicit)

    def _extreme(self: Any, axis: Any, out: None, name: str, explicit: bool) -> Any:
        if out is not None:
            raise ValueError("Sparse min/max does not support an 'out' parameter.")
        found = reduced_axes(axis, self.ndim)
        if 0 in (self.shape if found is None else [self.shape[i] for i in found]):
            raise ValueError(f"zero-size array to reduction operation {name}")
        if found is None:
            return self._extreme_of_all(name, explicit)
        values = self._along(found, name, self.dtype, explicit)
        return self._sparse_result(values, found)

    def _extreme_of_all(self: Any, name: str, explicit: bool) -> ndarray:
        a = _canonical(self)
        values = ascontiguousarray(a.data.ravel())
        if not values.size:
            return zeros((), dtype=self.dtype)
        found: ndarray = getattr(functions, name).reduce(values)
        if explicit or a.nnz == math.prod(self.shape):
            return found
        return getattr(functions, name)(found, zeros((), dtype=self.dtype))  # type: ignore[no-any-return]

    def _sparse_result(self: Any, values: ndarray, axes: tuple[int, ...]) -> Any:
        """Values along axes in coordinates, without zeros."""
        if self.ndim > 2:
            return type(self)(values)
        length = int(values.size)
        index = np.dtype(np.int32 if length < 1 << 31 else np.int64)
        (places,) = nonzero(values)
        kept = places.astype(index)
        data = values[places]
        cls = type(self)._class_of("coo")
        if self._is_array():
            return cls._from_parts(data, (kept,), (length,), canonical=True)
        line = zeros(kept.shape, dtype=index)
        coords, shape = ((line, kept), (1, length)) if axes == (0,) else ((kept, line), (length, 1))
        return cls._from_parts(data, coords, shape, canonical=True)

    def argmax(
        self: Any,
        axis: int | tuple[int, ...] | None = None,
        out: None = None,
        *,
        explicit: bool = False,
    ) -> int | ndarray:
        """The place of the greatest element, the first of several, or that along an axis.

        Parameters
        ----------
        axis : int or tuple of int, optional
            0 for each column, 1 for each row; by default the place in C order among all elements.
        out : None, optional
            There for NumPy's sake: nothing else is taken.
        explicit : bool, optional
            Only elements that are stored count. Along an axis without any, the place is 0; among
            all elements, it is that among those which are stored.

        Returns
        -------
        int or ndarray of int64
            Without the axes; of a matrix with both, one of length 1. A single place is waited for.

        Raises
        ------
        ValueError
            If there are no elements, or no such axis.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_array(cp.array([[1, 2], [0, -3]]))
        >>> a.argmax(), a.argmax(axis=1)
        (1, array([1, 0]))
        """
        return self._place(axis, out, "argmax", explicit)

    def argmin(
        self: Any,
        axis: int | tuple[int, ...] | None = None,
        out: None = None,
        *,
        explicit: bool = False,
    ) -> int | ndarray:
        """The place of the least element, the first of several, or that along an axis.

        Parameters
        ----------
        axis : int or tuple of int, optional
            0 for each column, 1 for each row; by default the place in C order among all elements.
        out : None, optional
            There for NumPy's sake: nothing else is taken.
        explicit : bool, optional
            Only elements that are stored count. Along an axis without any, the place is 0; among
            all elements, it is that among those which are stored.

        Returns
        -------
        int or ndarray of int64
            Without the axes; of a matrix with both, one of length 1. A single place is waited for.

        Raises
        ------
        ValueError
            If there are no elements, or no such axis.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.csr_array(cp.array([[1, 2], [0, -3]]))
        >>> a.argmin(), a.argmin(axis=1)
        (3, array([0, 1]))
        """
        return self._place(axis, out, "argmin", explicit)

    def _place(self: Any, axis: Any, out: None, name: str, explicit: bool) -> Any:
        if out is not None:
            raise ValueError(f"Sparse {name} does not support an 'out' parameter.")
        found = reduced_axes(axis, self.ndim)
        if found is not None:
            if 0 in [self.shape[i] for i in found]:
                raise ValueError(f"Cannot apply {name} along a zero-sized dimension.")
            places = self._along(found, name, self.dtype, explicit)
            return places if self._is_array() else self._result(places, found, None, None)
        if 0 in self.shape:
            raise ValueError(f"Cannot apply {name} to an empty matrix.")
        # Rows first: diagonals count zeros among their entries.
        a = _merging.canonical(self.tocoo() if self.ndim > 2 else self.tocsr())
        if a.nnz == 0:
            if explicit:
                raise ValueError(f"Cannot apply {name} to zero matrix when explicit=True.")
            return 0
        if explicit:
            return int(asnumpy(getattr(searching, name)(a.data)))
        return self._place_in_all(a, name)

    def _place_in_all(self: Any, a: Any, name: str) -> int:
        """The place among all elements of a canonical array, as if it were one row."""
        place = _linear.ravel(a.tocoo().coords, self.shape)
        indptr = _pair(int(place.size))
        found = launch.reduce_rows(
            name, indptr, ascontiguousarray(place), ascontiguousarray(a.data),
            math.prod(self.shape), self.dtype, False,
        )  # fmt: skip
        return int(asnumpy(found)[0])

    def trace(self: Any, offset: int = 0) -> ndarray:
        """The sum of the elements of a diagonal.

        Parameters
        ----------
        offset : int, optional
            Which diagonal, above (positive) or below the main one.

        Returns
        -------
        ndarray
            Without dimensions.

        Raises
        ------
        ValueError
            If there is no such diagonal.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.csr_array(cp.array([[1, 2], [0, 3]])).trace()
        array(4)
        """
        return sums.sum(self.diagonal(k=offset))


def _elements(a: Any) -> ndarray:
    """The stored elements, without what a format stores beside them."""
    if a.format == "coo" and a.dtype != _sum_dtype(a.dtype):
        a = _merging.canonical(a)  # those at one place are added in their own dtype, as bools are
    return (a.tocoo() if a.format == "dia" else a).data.ravel()  # type: ignore[no-any-return]


def _cast(a: Any, dtype: np.dtype) -> Any:
    """An array whose elements are cast before they are added, repeated ones as one."""
    if dtype in (a.dtype, np.float16):  # in float16, which no sparse array has, only sums are
        return a
    return (a if a.format == "dia" else _merging.canonical(a)).astype(dtype, copy=False)


def _canonical(a: Any) -> Any:
    """The array with each element stored once at most."""
    return _merging.canonical(_merging.compressed(a))


def _pair(last: int) -> ndarray:
    """The row pointers of a single row."""
    result = zeros(2, dtype=_INT64)
    result[1] = last
    return result
