"""Shapes of arrays in coordinate format: what moves entries without looking at their values."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, Self

from gpuarray.scipy.sparse import _linear, _shapes
from gpuarray.scipy.sparse._base import SparseBase, sparray
from gpuarray.scipy.sparse._coo_parts import CoordinateParts, in_index_dtype
from gpuarray.scipy.sparse._index_dtype import INT64, index_dtype

__all__ = ["CoordinateShapes"]


class CoordinateShapes(CoordinateParts):
    """Reshaping, resizing and transposing of entries in coordinates."""

    def reshape(self, *shape: Any, order: str = "C", copy: bool = False) -> SparseBase:
        found = _shapes.new_shape(shape, self._shape, self._dimensions)
        _shapes.order_of(order)
        if found == self._shape:
            return self.copy() if copy else self
        places = _linear.ravel(self.coords, self._shape, order)
        coords = _linear.unravel(places, found, order)
        index = INT64 if len(found) > 2 else index_dtype(self.coords, max(found))
        data = self.data.copy() if copy else self.data
        coords = [in_index_dtype(x, index, False) for x in coords]
        # In C order, what is sorted stays so.
        canonical = self.has_canonical_format and order == "C"
        return self._from_parts(data, coords, found, canonical=canonical)

    reshape.__doc__ = SparseBase.reshape.__doc__

    def resize(self, *shape: Any) -> None:
        """Change the shape in place: elements that are outside the new one are dropped.

        Waits for the device once where the array becomes smaller.

        Parameters
        ----------
        *shape : int, or a tuple of int
            The new shape, of one or two dimensions. If it has another number of them, elements are
            first laid out behind one another, row by row.

        Raises
        ------
        ValueError
            If the array or the shape has more dimensions than there can be.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> a = sparse.coo_array(cp.eye(3))
        >>> a.resize(2, 4)
        >>> a.toarray()
        array([[1., 0., 0., 0.],
               [0., 1., 0., 0.]])
        """
        given = shape[0] if len(shape) == 1 and not _shapes.is_integer(shape[0]) else shape
        found = _shapes.as_shape(given, self._dimensions)
        if self.ndim > 2:
            raise ValueError(f"only 1-D or 2-D input accepted, and not {self.ndim}-D")
        if len(found) > 2:
            raise ValueError(f"shape argument must be 1-D or 2-D, and not {found}")
        if len(found) != self.ndim:
            line: Any = self.reshape(-1)
            line.resize(math.prod(found))
            line = line.reshape(found)
            self._data, self._coords, self._shape = line._data, line._coords, found
            self.has_canonical_format = False
            return
        if any(new < old for new, old in zip(found, self._shape, strict=True)):
            inside: Any = self.coords[0] < found[0]
            for x, extent in zip(self.coords[1:], found[1:], strict=True):
                inside = inside & (x < extent)
            self.coords, self.data = tuple([x[inside] for x in self.coords]), self.data[inside]
        index = index_dtype(self.coords, max(found))
        self.coords = tuple([in_index_dtype(x, index, False) for x in self.coords])
        self._shape = found

    def transpose(self, axes: Sequence[int] | None = None, copy: bool = False) -> Self:
        """The dimensions in another order.

        Parameters
        ----------
        axes : sequence of int, optional
            Of an array, the dimensions in the order of the result; by default they are reversed.
            Of a matrix, nothing but ``(1, 0)``.
        copy : bool, optional
            Whether the result shares no memory with this array; else it does.

        Returns
        -------
        coo_array or coo_matrix
            Its entries have the order that they had.

        Raises
        ------
        ValueError
            If the axes are no order of the dimensions.

        Examples
        --------
        >>> import gpuarray as cp
        >>> from gpuarray.scipy import sparse
        >>> sparse.coo_array(cp.ones((2, 3, 4))).transpose((1, 0, 2)).shape
        (3, 2, 4)
        """
        order = self._order(axes)
        coords, data = [self.coords[axis] for axis in order], self.data
        if copy:
            coords, data = [x.copy() for x in coords], data.copy()
        return self._from_parts(data, tuple(coords), tuple([self._shape[axis] for axis in order]))

    def _order(self, axes: Any) -> Sequence[int]:
        """Where a transpose's axes come from: of arrays in any order, as SciPy's have it."""
        reverse = range(self.ndim)[::-1]
        if axes is None:
            return reverse
        cls: type = type(self)
        if not issubclass(cls, sparray):
            self._check_axes(axes)
            return reverse
        if not hasattr(axes, "__len__") or len(axes) != self.ndim:
            raise ValueError(
                f"axes don't match matrix dimensions: {axes!r} are not those of {self.ndim}"
            )
        order = [operator.index(axis) for axis in axes]
        order = [axis + self.ndim if axis < 0 else axis for axis in order]
        if not all(0 <= axis < self.ndim for axis in order):
            raise IndexError(f"transpose: axes {axes!r} of an array of {self.ndim} dimensions")
        if len(set(order)) < self.ndim:
            raise ValueError(f"repeated axis in transpose: {axes!r}")
        return order

    @property
    def mT(self) -> SparseBase:
        if self.ndim < 3:
            return super().mT
        return self.transpose((*range(self.ndim - 2), self.ndim - 1, self.ndim - 2))

    mT.__doc__ = SparseBase.mT.__doc__
