"""Sort keys: the unsigned integers that stand for elements in sorts, searches and histograms."""

from __future__ import annotations

from gpuarray._dtypes import category, itemsize
from gpuarray.kernels.generator.parameters import Field, KernelParameter, structure


def key_type(dtype: str) -> str:
    """Return the C++ type that says how the keys of a dtype are ordered."""
    kind, bits = category(dtype), 8 * itemsize(dtype)
    if kind == "bool":
        return "BoolKeys"
    if kind == "time":
        return "TimeKeys"
    if dtype == "bf2":
        return "BfloatKeys"
    if kind == "complex":
        return f"ComplexKeys<uint{bits // 2}_t>"
    if kind == "raw":
        raise TypeError(
            f"structures and voids of {itemsize(dtype)} bytes have no order on the device; sort "
            "indices by a field: x[argsort(x['name'])]"
        )
    return f"{kind.capitalize()}Keys<uint{bits}_t>"


#: Most results at ranks of a sorted row (`Ranks::of`).
MAX_RANKS = 32


def ranks_parameter(ranks: int) -> KernelParameter:
    """The struct Ranks: ranks in ascending order, and for each result which of them it has."""
    fields = [Field("at", "uint64_t", ranks), Field("of", "uint8_t", MAX_RANKS)]
    return structure("ranks", f"Ranks<{ranks}>", fields)
