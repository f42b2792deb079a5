"""Sparse arrays in files of the format npz, which SciPy reads and writes as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.host_copies import asnumpy
from gpuarray.scipy.sparse._base import _CLASSES, SparseBase, sparray
from gpuarray.scipy.sparse._foreign import from_foreign

if TYPE_CHECKING:
    from gpuarray.scipy.sparse._matrix import spmatrix

__all__ = ["load_npz", "save_npz"]

#: The names of a format's index arrays in a file.
_INDICES = {
    "csr": ("indices", "indptr"),
    "csc": ("indices", "indptr"),
    "bsr": ("indices", "indptr"),
    "dia": ("offsets",),
    "coo": ("row", "col"),
}


def save_npz(file: Any, matrix: Any, compressed: bool = True) -> None:
    """Store a sparse array in a file.

    Parameters
    ----------
    file : str, path or file
        Where to; a name gets the ending ``.npz`` if it has it not.
    matrix : sparse array
        Of any format.
    compressed : bool, optional
        Whether the file is compressed.

    Raises
    ------
    TypeError
        If it is no sparse array.
    NotImplementedError
        If it is one of SciPy's of a format for the host (dok or lil).

    See Also
    --------
    load_npz : the reverse; so is ``scipy.sparse.load_npz``.

    Examples
    --------
    >>> import io
    >>> import gpuarray as cp
    >>> from gpuarray.scipy import sparse
    >>> file = io.BytesIO()
    >>> sparse.save_npz(file, sparse.csr_array(cp.eye(2)))
    >>> _ = file.seek(0)
    >>> sparse.load_npz(file).toarray()
    array([[1., 0.],
           [0., 1.]])
    """
    if getattr(matrix, "format", None) in ("dok", "lil"):
        raise NotImplementedError(
            f"Save is not implemented for sparse matrix of format {matrix.format}: convert it with "
            "tocoo() first"
        )
    a = from_foreign(matrix)
    if not isinstance(a, SparseBase):
        raise TypeError(f"save_npz: a sparse array is needed, and not a {type(matrix).__name__}")
    if a.ndim != 2 and a.format == "coo":
        parts: dict[str, Any] = {"coords": np.stack([asnumpy(x) for x in a.tocoo().coords])}
    else:
        parts = {name: asnumpy(getattr(a, name)) for name in _INDICES[a.format]}
    parts |= {"format": a.format.encode("ascii"), "shape": a.shape, "data": asnumpy(a.data)}
    if isinstance(a, sparray):
        parts["_is_array"] = True
    (np.savez_compressed if compressed else np.savez)(file, **parts)


def load_npz(file: Any) -> sparray | spmatrix:
    """A sparse array from a file that `save_npz` or SciPy has written.

    Parameters
    ----------
    file : str, path or file
        Where from.

    Returns
    -------
    sparse array or matrix
        Of the class that was stored.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it has no sparse array, or one of another format.

    Examples
    --------
    >>> import io, scipy.sparse
    >>> from gpuarray.scipy import sparse
    >>> file = io.BytesIO()
    >>> scipy.sparse.save_npz(file, scipy.sparse.coo_array(np.eye(2)))
    >>> _ = file.seek(0)
    >>> sparse.load_npz(file).row
    array([0, 1], dtype=int32)
    """
    with np.load(file, allow_pickle=False) as loaded:
        if "format" not in loaded:
            raise ValueError(f"The file {file} does not contain a sparse array or matrix.")
        name = loaded["format"].item()
        format = name if isinstance(name, str) else name.decode("ascii")
        if format not in _INDICES:
            raise ValueError(f'Unknown format "{format}"')
        is_array = "_is_array" in loaded and bool(loaded["_is_array"])
        if "coords" in loaded:
            parts = tuple(loaded["coords"])
        else:
            parts = tuple([loaded[name] for name in _INDICES[format]])
        shape, data = tuple(loaded["shape"].tolist()), loaded["data"]
    given = (data, *parts) if format in ("csr", "csc", "bsr") else (data, parts)
    if format == "dia":
        given = (data, parts[0])
    return _CLASSES[format, is_array](given, shape=shape)
