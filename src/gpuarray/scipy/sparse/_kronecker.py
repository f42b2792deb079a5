"""Kronecker products and sums of sparse arrays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.creation import zeros
from gpuarray._ops.manipulation import ravel, reshape
from gpuarray._ops.math import add, multiply
from gpuarray.scipy.sparse._base import issparse, sparray
from gpuarray.scipy.sparse._coo import coo_array, coo_matrix
from gpuarray.scipy.sparse._diagonals import eye, eye_array
from gpuarray.scipy.sparse._index_dtype import INT64, index_dtype

if TYPE_CHECKING:
    from gpuarray.scipy.sparse._matrix import spmatrix

__all__ = ["kron", "kronsum"]


def _class(A: Any, B: Any) -> Any:
    """Coordinates as an array if one of the operands is one."""
    return coo_array if isinstance(A, sparray) or isinstance(B, sparray) else coo_matrix


def _in_coordinates(cls: Any, x: Any) -> Any:
    return cls(x.tocoo(copy=False)) if issparse(x) else cls(x)


def kron(A: Any, B: Any, format: str | None = None) -> sparray | spmatrix:
    """The Kronecker product: the second array times each element of the first.

    Parameters
    ----------
    A, B : sparse array or array_like
        Of any dimensions; those that one of them lacks have length 1.
    format : str, optional
        The result's. By default bsr if at least half of the elements of `B` are stored, else coo.

    Returns
    -------
    sparse array or sparse matrix
        An array if one of the operands is.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> a = sparse.csr_array(cp.array([[0, 2]]))
    >>> sparse.kron(a, cp.array([[1, 3]])).toarray()
    array([[0, 0, 2, 6]])
    """
    cls = _class(A, B)
    second = _in_coordinates(cls, B)
    first = _in_coordinates(cls, A)
    ndim = max(first.ndim, second.ndim)
    shapes = [(1,) * (ndim - x.ndim) + tuple(x.shape) for x in (first, second)]
    shape = tuple([m * n for m, n in zip(*shapes, strict=True)])
    if first.nnz == 0 or second.nnz == 0:
        return cls(shape).asformat(format)
    if format in (None, "bsr") and first.ndim == second.ndim == 2:
        if 2 * second.nnz >= math.prod(second.shape):
            rows = first.tocsr()
            data = multiply(rows.data[:, None, None], second.toarray()[None])
            blocks = cls._class_of("bsr")
            return blocks((data, rows.indices, rows.indptr), shape=shape)
    index = INT64 if ndim > 2 else index_dtype([*first.coords, *second.coords], max(shape))
    coords = []
    for axis in range(ndim):
        pair: list[Any] = []
        for x in (first, second):
            place = axis - (ndim - x.ndim)
            pair.append(None if place < 0 else x.coords[place].astype(index, copy=False))
        coords.append(_combined(pair[0], pair[1], shapes[1][axis], first.nnz, second.nnz, index))
    data = ravel(multiply(first.data[:, None], second.data[None, :]))
    return cls._from_parts(data, tuple(coords), shape).asformat(format)


def _combined(a: Any, b: Any, extent: int, count: int, other: int, index: np.dtype) -> Any:
    """The coordinates of products along one dimension, which an operand may lack."""
    a = zeros(count, dtype=index) if a is None else a
    b = zeros(other, dtype=index) if b is None else b
    return reshape(add((a * index.type(extent))[:, None], b[None, :]), -1)


def kronsum(A: Any, B: Any, format: str | None = None) -> sparray | spmatrix:
    """The Kronecker sum: ``kron(I_n, A) + kron(B, I_m)`` with identities of fitting sizes.

    Parameters
    ----------
    A, B : sparse array or array_like
        Square.
    format : str, optional
        The result's; by default 'csr'.

    Returns
    -------
    sparse array or sparse matrix
        An array if one of the operands is.

    Raises
    ------
    ValueError
        If an operand is not square.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> a = sparse.csr_array(cp.array([[1, 2], [0, 3]]))
    >>> sparse.kronsum(a, cp.array([[10]])).toarray()
    array([[11,  2],
           [ 0, 13]])
    """
    cls = _class(A, B)
    first, second = _in_coordinates(cls, A), _in_coordinates(cls, B)
    for name, x in (("A", first), ("B", second)):
        if x.ndim != 2:
            raise ValueError(f"kronsum requires 2D inputs. `{name}` is {x.ndim}D.")
    for name, x in (("A", first), ("B", second)):
        if x.shape[0] != x.shape[1]:
            raise ValueError(f"{name} is not square")
    dtype = np.result_type(first.dtype, second.dtype)
    identity = eye_array if cls is coo_array else eye
    left = kron(identity(second.shape[0], dtype=dtype, format="coo"), first, format="coo")
    right = kron(second, identity(first.shape[0], dtype=dtype, format="coo"), format="coo")
    return (left + right).asformat(format)
