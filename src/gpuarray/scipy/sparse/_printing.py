"""Sparse arrays as text, in SciPy's form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuarray._ops.host_copies import asnumpy

if TYPE_CHECKING:
    from gpuarray.scipy.sparse._base import SparseBase

__all__ = ["summary", "text"]

_NAMES = {
    "coo": "COOrdinate",
    "csr": "Compressed Sparse Row",
    "csc": "Compressed Sparse Column",
    "dia": "DIAgonal",
    "bsr": "Block Sparse Row",
}


def summary(a: SparseBase) -> str:
    """Format, dtype, number of entries and shape."""
    from gpuarray.scipy.sparse._base import sparray

    kind = "array" if isinstance(a, sparray) else "matrix"
    more = getattr(a, "_described", "")
    return (
        f"<{_NAMES[a.format]} sparse {kind} of dtype '{a.dtype}'\n"
        f"\twith {a.nnz} stored elements{more} and shape {a.shape}>"
    )


def text(a: SparseBase) -> str:
    """The same and the entries; of more than ``maxprint`` the first and the last ones.

    Only what is shown is copied to the host.
    """
    result = summary(a)
    if a.nnz == 0:
        return result
    entries = a.tocoo()
    count = entries.nnz
    result += "\n  Coords\tValues\n"
    if a.nnz <= a.maxprint:
        return result + _lines(entries, slice(None))
    half = a.maxprint // 2
    first, last = slice(0, half), slice(max(count - (a.maxprint - half), 0), count)
    return result + f"{_lines(entries, first)}\n  :\t:\n{_lines(entries, last)}"


def _lines(entries: Any, part: slice) -> str:
    coords = [asnumpy(x[part]).tolist() for x in entries.coords]
    values = asnumpy(entries.data[part])
    pairs = zip(zip(*coords, strict=True), values, strict=True)
    return "\n".join([f"  {place}\t{value}" for place, value in pairs])
