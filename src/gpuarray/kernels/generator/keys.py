"""Sort keys: the unsigned integers that stand for elements in sorts, searches and histograms."""

from __future__ import annotations

from gpuarray._dtypes import category, itemsize


def key_type(dtype: str) -> str:
    """Return the C++ type that says how the keys of a dtype are ordered."""
    kind, bits = category(dtype), 8 * itemsize(dtype)
    if kind == "bool":
        return "BoolKeys"
    if kind == "complex":
        return f"ComplexKeys<uint{bits // 2}_t>"
    return f"{kind.capitalize()}Keys<uint{bits}_t>"
