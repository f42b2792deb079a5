"""Arrays in coordinate format: how they are made of what a caller gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from gpuarray._ops.casts import astype
from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import zeros
from gpuarray.kernels.sparse_format.launch import find_in_indices
from gpuarray.scipy.sparse import _conversions, _shapes
from gpuarray.scipy.sparse._base import issparse, sparray
from gpuarray.scipy.sparse._data import DataBase
from gpuarray.scipy.sparse._foreign import from_foreign
from gpuarray.scipy.sparse._index_checks import as_index
from gpuarray.scipy.sparse._index_dtype import INT64, as_data, check_dtype, index_dtype

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, ndarray

__all__ = ["CoordinateParts", "in_index_dtype"]


class CoordinateParts(DataBase):
    """Values and their coordinates, from any of the forms that a constructor takes."""

    _format = "coo"
    _dimensions: ClassVar[Sequence[int]] = _shapes.MANY

    _coords: tuple[ndarray, ...]
    #: Whether it is known that entries are sorted by row and column, and no two are at one place.
    has_canonical_format: bool = False

    @property
    def coords(self) -> tuple[ndarray, ...]:
        """The indices, an array for each dimension. Others may be assigned."""
        return self._coords

    @coords.setter
    def coords(self, coords: Sequence[ndarray]) -> None:
        self._coords = tuple(coords)

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
        if issparse(arg1):
            self._take_sparse(arg1, dtype, copy)
        elif isinstance(arg1, tuple):
            if _shapes.is_shape(arg1, self._dimensions):
                self._take_shape(arg1, dtype)
            else:
                self._take_coordinates(arg1, shape, dtype, copy)
        else:
            self._take_dense(arg1, shape, dtype, copy)

    @classmethod
    def _from_parts(
        cls,
        data: ndarray,
        coords: Sequence[ndarray],
        shape: tuple[int, ...],
        *,
        canonical: bool = False,
    ) -> Self:
        """An array of parts that are known to be sound; nothing is checked or copied."""
        made = cls.__new__(cls)
        made._start(None, None)
        made.data, made.coords, made._shape = data, tuple(coords), tuple(shape)
        made.has_canonical_format = canonical
        return made

    def _take_sparse(self, a: Any, dtype: DTypeLike | None, copy: bool) -> None:
        found = a.tocoo(copy=copy)
        _shapes.as_shape(found.shape, self._dimensions)
        self.coords, self.data, self._shape = found.coords, found.data, found.shape
        self.has_canonical_format = found.has_canonical_format
        if dtype is not None and check_dtype(dtype) != self.data.dtype:
            self.data = astype(self.data, check_dtype(dtype))

    def _take_shape(self, shape: tuple[Any, ...], dtype: DTypeLike | None) -> None:
        self._shape = _shapes.as_shape(shape, self._dimensions)
        index = _index_for(self._shape)
        self.coords = tuple([zeros(0, index) for _ in self._shape])
        self.data = zeros(0, check_dtype(np.float64 if dtype is None else dtype))
        self.has_canonical_format = True

    def _take_coordinates(self, arg1: Any, shape: Any, dtype: Any, copy: bool) -> None:
        try:
            values, coords = arg1
            coords = list(coords)
        except (TypeError, ValueError) as e:
            raise TypeError("invalid input format") from e
        if shape is None:
            coords = [asarray(x) for x in coords]
            kinds = [x.dtype.name for x in coords if x.size and x.dtype.kind in "fc"]
            if kinds and all(x.size for x in coords):
                raise TypeError(f"a shape is needed beside indices of {kinds[0]}, no integers")
        coords = [as_index(x, f"index array {i}") for i, x in enumerate(coords)]
        if shape is not None:
            shape = _shapes.as_shape(shape, self._dimensions)
            if len(shape) != len(coords):
                raise ValueError(
                    "mismatching number of index arrays for shape; got "
                    f"{len(coords)}, expected {len(shape)}"
                )
        elif any(x.size == 0 for x in coords):
            raise ValueError("cannot infer dimensions from zero sized index arrays")
        data = as_data(values, dtype, copy)
        if data.ndim != 1 or any(x.ndim != 1 for x in coords):
            raise ValueError("coordinates and data arrays must be 1-D")
        if any(x.size != data.size for x in coords):
            raise ValueError("all index and data arrays must have the same length")
        found = _check_indices(coords, shape)
        shape = _shapes.as_shape(found if shape is None else shape, self._dimensions)
        # Indices are below the shape: they fit what that fits.
        wide = isinstance(self, sparray) and any(not _fits_int32(x) for x in coords)
        index = INT64 if wide else _index_for(shape)
        self.coords = tuple([in_index_dtype(x, index, copy) for x in coords])
        self.data, self._shape = data, shape
        self.has_canonical_format = False

    def _take_dense(self, arg1: Any, shape: Any, dtype: Any, copy: bool) -> None:
        dense = as_data(arg1, dtype, False)
        if not isinstance(self, sparray):
            if dense.ndim > 2:
                raise TypeError(f"expected 2D array or matrix, not {dense.ndim}D")
            if dense.ndim < 2:
                dense = dense.reshape(1, -1)
        self._shape = _shapes.as_shape(dense.shape, self._dimensions)
        if shape is not None and _shapes.as_shape(shape, self._dimensions) != self._shape:
            raise ValueError(f"inconsistent shapes: {shape} != {self._shape}")
        coords, self.data = _conversions.dense_entries(dense, _index_for(self._shape))
        self.coords = tuple(coords)
        self.has_canonical_format = True


def _index_for(shape: tuple[int, ...]) -> np.dtype:
    """The dtype of an array's indices: as SciPy's, int64 of three dimensions and more."""
    return INT64 if len(shape) > 2 else index_dtype(maxval=max(shape))


def _fits_int32(x: Any) -> bool:
    return bool(np.can_cast(x.dtype, np.int32))


def in_index_dtype(x: Any, dtype: np.dtype, copy: bool = False) -> Any:
    """An index array in a dtype, copied only where that is needed or asked for."""
    if x.dtype == dtype:
        return x.copy() if copy else x
    return astype(x, dtype)


def _check_indices(coords: Sequence[Any], shape: tuple[int, ...] | None) -> tuple[int, ...]:
    """Refuse indices out of bounds; the least shape that they fit. Waits for the device once."""
    least_shape = []
    for i, found in enumerate(find_in_indices([_conversions.flat(x) for x in coords])):
        if coords[i].size and found["least"] < 0:
            raise ValueError(f"negative axis {i} index: {found['least']}")
        if coords[i].size and shape is not None and found["greatest"] >= shape[i]:
            raise ValueError(
                f"axis {i} index {found['greatest']} exceeds matrix dimension {shape[i]}"
            )
        least_shape.append(found["greatest"] + 1)
    return tuple(least_shape)
