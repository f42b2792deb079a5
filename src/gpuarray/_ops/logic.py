"""Logic functions: comparisons, logical operations and tests of single elements."""

from __future__ import annotations

from gpuarray._ufunc import create

__all__ = [
    "equal", "greater", "greater_equal", "isfinite", "isinf", "isnan", "less", "less_equal",
    "logical_and", "logical_not", "logical_or", "logical_xor", "not_equal",
]  # fmt: skip

equal = create("equal")
not_equal = create("not_equal")
less = create("less")
less_equal = create("less_equal")
greater = create("greater")
greater_equal = create("greater_equal")

logical_and = create("logical_and")
logical_or = create("logical_or")
logical_xor = create("logical_xor")
logical_not = create("logical_not")

isnan = create("isnan")
isinf = create("isinf")
isfinite = create("isfinite")
