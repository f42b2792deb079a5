"""Sparse arrays of other libraries: SciPy's in host memory, and those on the device."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuarray._array import ArrayBase
from gpuarray._ops.conversion import asarray
from gpuarray.scipy.sparse._base import _CLASSES, SparseBase

__all__ = ["from_foreign"]

#: The parts of a format, as a constructor takes them.
_PARTS = {
    "coo": lambda x: (asarray(x.data), tuple([asarray(i) for i in x.coords])),
    "csr": lambda x: (asarray(x.data), asarray(x.indices), asarray(x.indptr)),
    "dia": lambda x: (asarray(x.data), asarray(x.offsets)),
}
_PARTS["csc"] = _PARTS["bsr"] = _PARTS["csr"]


def from_foreign(x: Any) -> Any:
    """Our form of another library's sparse array; anything else as it is.

    Another library's has a format and methods that convert it; one of a format that is not here
    becomes csr.
    """
    if isinstance(x, SparseBase | ArrayBase | np.ndarray | tuple | list | np.generic):
        return x
    format = getattr(x, "format", None)
    if not isinstance(format, str) or not hasattr(x, "tocsr") or not hasattr(x, "nnz"):
        return x
    if format not in _PARTS:
        x = x.tocsr()
        format = "csr"
    if format == "coo" and not hasattr(x, "coords"):
        return _CLASSES["coo", False]((asarray(x.data), (asarray(x.row), asarray(x.col))), x.shape)
    made = _CLASSES[format, True](_PARTS[format](x), shape=x.shape)
    if type(x).__name__.endswith("_array"):
        return made
    return _CLASSES[format, False](made)  # with wide indices, where it has these
