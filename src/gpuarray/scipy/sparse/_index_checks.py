"""Index arrays of compressed formats: their dtypes, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuarray._ops.casts import astype
from gpuarray._ops.conversion import asarray
from gpuarray.kernels.sparse_format.launch import find_in_indices
from gpuarray.scipy.sparse._conversions import flat, of_one_dtype
from gpuarray.scipy.sparse._index_dtype import INT32, INT64
from gpuarray.scipy.sparse._warnings import warn

__all__ = ["as_index", "check_lines", "in_dtype", "of_one_width"]


def check_lines(
    count: int, indices: Any, indptr: Any, majors: int | None, minors: int | None
) -> dict[str, int]:
    """What is found of the arrays of a compressed format; refuses what is none.

    Waits for the device once.

    Parameters
    ----------
    count : int
        The number of stored values.
    indices, indptr : ndarray
        Minor indices and pointers, of one dtype.
    majors, minors : int or None
        The extents, where they are known.
    """
    if majors is not None and indptr.size != majors + 1:
        raise ValueError(f"index pointer size {indptr.size} should be {majors + 1}")
    if indices.size != count:
        raise ValueError(
            f"indices and data should have the same size, and not {indices.size} and {count}"
        )
    indices, indptr = of_one_dtype(flat(indices), flat(indptr))
    (found,) = find_in_indices([indices], indptr)
    if found["first_pointer"] != 0:
        raise ValueError("index pointer should start with 0")
    if found["last_pointer"] > indices.size:
        raise ValueError(
            "Last value of index pointer should be less than the size of index and data arrays"
        )
    if found["decreases"]:
        raise ValueError("indptr must be a non-decreasing sequence")
    if found["least"] < 0:
        raise ValueError("indices must be >= 0")
    if minors is not None and found["last_pointer"] and found["greatest"] >= minors:
        raise ValueError(f"indices must be < {minors}")
    return found


def of_one_width(indices: Any, indptr: Any) -> tuple[Any, Any, np.dtype]:
    """Both index arrays on the device, int32 or int64, and that dtype."""
    indices, indptr = as_index(indices, "indices array"), as_index(indptr, "indptr array")
    if indices.ndim != 1 or indptr.ndim != 1:
        raise ValueError("data, indices, and indptr should be 1-D")
    if indptr.size == 0:
        raise ValueError("index pointer size 0 should be 1 at least")
    width = INT64 if INT64 in (indices.dtype, indptr.dtype) else INT32
    return in_dtype(indices, width), in_dtype(indptr, width), width


def as_index(x: Any, name: str) -> Any:
    """An index array on the device, of int32 or int64."""
    found = asarray(x)
    if found.dtype in (INT32, INT64):
        return found
    if found.dtype.kind not in "iu" and found.size:
        warn(f"{name} has non-integer dtype ({found.dtype.name})", UserWarning)
    return astype(found, INT32 if np.can_cast(found.dtype, np.int32) else INT64)


def in_dtype(x: Any, dtype: np.dtype) -> Any:
    """An array in a dtype: itself where it has that."""
    return x if x.dtype == dtype else astype(x, dtype)
