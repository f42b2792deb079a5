"""Logic functions: comparisons, logical operations and tests of single elements."""

from __future__ import annotations

from gpuarray._ufunc import create

__all__ = [
    "equal", "greater", "greater_equal", "isfinite", "isinf", "isnan", "less", "less_equal",
    "logical_and", "logical_not", "logical_or", "logical_xor", "not_equal",
]  # fmt: skip

equal = create("equal", "Whether operands are equal.", [1, 2, 3], 2)
not_equal = create("not_equal", "Whether operands differ.", [1, 2, 3], 2)
less = create("less", "Whether the first operand is less.", [1, 2, 3], 2)
less_equal = create("less_equal", "Whether the first operand is less or equal.", [1, 2, 3], 2)
greater = create("greater", "Whether the first operand is greater.", [1, 2, 3], 2)
greater_equal = create(
    "greater_equal", "Whether the first operand is greater or equal.", [1, 2, 3], 2
)

logical_and = create("logical_and", "Whether both operands are true.", [True, False], True)
logical_or = create("logical_or", "Whether an operand is true.", [True, False], False)
logical_xor = create("logical_xor", "Whether exactly one operand is true.", [True, False], True)
logical_not = create("logical_not", "Whether the operand is false.", [True, False])

isnan = create("isnan", "Whether elements are NaN.", [1.0, 2.5])
isinf = create("isinf", "Whether elements are infinite.", [1.0, 2.5])
isfinite = create("isfinite", "Whether elements are neither infinite nor NaN.", [1.0, 1e308])
