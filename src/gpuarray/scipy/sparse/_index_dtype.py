"""The dtypes of sparse matrices: those that elements may have, and how wide indices are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _dtypes
from gpuarray._array import ArrayBase
from gpuarray._ops.casts import astype
from gpuarray._ops.conversion import asarray
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.statistics import max as greatest
from gpuarray._ops.statistics import min as least

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, ndarray

__all__ = ["get_index_dtype", "safely_cast_index_arrays"]

INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)
_INT32_MIN, INT32_MAX = -(1 << 31), (1 << 31) - 1

#: What elements may be: what SciPy has but for long doubles, which no device has.
SUPPORTED = (
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32",
    "float64", "complex64", "complex128",
)  # fmt: skip


def get_index_dtype(
    arrays: Any = (), maxval: int | None = None, check_contents: bool = False
) -> type[np.signedinteger[Any]]:
    """The dtype of indices that can hold those of arrays, and a number.

    Parameters
    ----------
    arrays : ndarray or sequence of ndarray of int, optional
        Index arrays.
    maxval : int, optional
        The greatest number that an index must hold.
    check_contents : bool, optional
        Look at the indices of wide arrays, and take int32 where they fit. This waits for the
        device.

    Returns
    -------
    type
        ``numpy.int32``, or ``numpy.int64`` where that is too narrow.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> sparse.get_index_dtype((cp.arange(3),))
    <class 'numpy.int64'>
    >>> sparse.get_index_dtype((cp.arange(3),), check_contents=True)
    <class 'numpy.int32'>
    """
    if isinstance(arrays, ArrayBase | np.ndarray):
        arrays = (arrays,)
    if maxval is not None and int(maxval) > INT32_MAX:
        return np.int64
    for one in arrays:
        x: Any = one if isinstance(one, ArrayBase) else np.asarray(one)
        if np.can_cast(x.dtype, np.int32):
            continue
        if not check_contents or x.dtype.kind not in "iu":
            return np.int64
        if x.size and not _fits(x):
            return np.int64
    return np.int32


def _fits(x: Any) -> bool:
    if isinstance(x, np.ndarray):
        return bool(x.min() >= _INT32_MIN and x.max() <= INT32_MAX)
    return int(asnumpy(least(x))) >= _INT32_MIN and int(asnumpy(greatest(x))) <= INT32_MAX


def index_dtype(arrays: Iterable[Any] = (), maxval: int = 0) -> np.dtype:
    """The same as a dtype, by the dtypes of the arrays alone."""
    return INT64 if get_index_dtype(tuple(arrays), maxval) is np.int64 else INT32


def safely_cast_index_arrays(A: Any, idx_dtype: DTypeLike = np.int32, msg: str = "") -> Any:
    """The index arrays of a sparse array in another dtype, if its shape lets them fit.

    Parameters
    ----------
    A : sparse array
        Of any format.
    idx_dtype : dtype, optional
        The dtype wanted.
    msg : str, optional
        What follows "index arrays" in the message of an error.

    Returns
    -------
    ndarray or tuple of ndarrays
        ``(indices, indptr)`` of the formats csr, csc and bsr, ``coords`` of coo, ``offsets`` of
        dia; the arrays themselves where they have the dtype.

    Raises
    ------
    ValueError
        If an index may be too great for the dtype.
    TypeError
        If it is no sparse array, or the dtype none of integers.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> a = sparse.csr_array((cp.ones(1), cp.array([2]), cp.array([0, 1])), shape=(1, 3))
    >>> [x.dtype.name for x in sparse.safely_cast_index_arrays(a, "int32")]
    ['int32', 'int32']
    """
    dtype = _dtypes.parsed(idx_dtype)
    if dtype.kind not in "iu":
        raise TypeError(f"safely_cast_index_arrays: indices cannot have the dtype {dtype}")
    format = getattr(A, "format", None)
    if format not in ("csr", "csc", "bsr", "coo", "dia"):
        raise TypeError(
            f"safely_cast_index_arrays: a sparse array is needed, and not a {type(A).__name__}"
        )
    limit = np.iinfo(dtype).max
    name = f"index arrays {msg}" if msg else "index arrays"
    if format in ("csr", "csc", "bsr"):
        if A.nnz > limit:
            raise ValueError(f"{A.nnz} entries are too many for {name} of {dtype}")
        arrays: tuple[Any, ...] = (A.indices, A.indptr)
    elif format == "coo":
        arrays = A.coords
    else:
        arrays = (A.offsets,)
    if max(A.shape) > limit:
        raise ValueError(f"the shape {A.shape} is too large for {name} of {dtype}")
    cast = tuple([x if x.dtype == dtype else astype(x, dtype) for x in arrays])
    return cast[0] if format == "dia" else cast


def check_dtype(dtype: DTypeLike) -> np.dtype:
    """A dtype that elements may have."""
    found = _dtypes.parsed(dtype)
    if found.name not in SUPPORTED:
        raise ValueError(
            f"gpuarray.scipy.sparse does not support dtype {found}; the supported ones are "
            f"{', '.join(SUPPORTED)}"
        )
    return _dtypes.canonical(found)


def _on_device(x: Any) -> bool:
    return isinstance(x, ArrayBase) or hasattr(x, "__cuda_array_interface__")


def as_data(x: Any, dtype: DTypeLike | None, copy: bool) -> ndarray:
    """Values as an array on the device of a dtype that elements may have."""
    if dtype is not None:
        check_dtype(dtype)
    if not _on_device(x) and not (isinstance(x, list | tuple) and any(map(_on_device, x))):
        try:
            x = np.asarray(x, dtype)
        except TypeError:  # complex numbers in a list, as integers
            x = np.asarray(x).astype(dtype)
        check_dtype(x.dtype)
    found = asarray(x, dtype=dtype)
    check_dtype(found.dtype)
    return found.copy() if copy and found is x else found
