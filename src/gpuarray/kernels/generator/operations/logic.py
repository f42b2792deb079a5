"""Comparisons, logical and bit-wise operations, tests of single elements."""

from __future__ import annotations

import numpy as np

from gpuarray.kernels.generator.operations.rows import Operation, row

_NAT = "in0 == datetime::NAT"


def _comparison(name: str, sign: str, summary: str, times: str) -> Operation:
    infix = f"in0 {sign} in1"
    return row(
        name, 2, summary, [1, 2, 3], 2,
        bools=infix, integers=infix, floats=infix, complexes=infix,
        mixed=f"integer::compare(in0, in1) {sign} 0", times=times,
    )  # fmt: skip


def _test(
    name: str, of_integers: str, summary: str, *example: list[float], times: str
) -> Operation:
    call = f"gpuarray::{name}(in0)"
    return row(
        name, 1, summary, *example,
        everything=of_integers, floats=call, complexes=call, times=times,
    )  # fmt: skip


# fmt: off
ROWS = (
    _comparison("equal", "==", "Whether operands are equal.", "datetime::equal(in0, in1)"),
    _comparison("not_equal", "!=", "Whether operands differ.", "!datetime::equal(in0, in1)"),
    _comparison(
        "less", "<", "Whether the first operand is less.", "datetime::less(in0, in1)",
    ),
    _comparison(
        "less_equal", "<=", "Whether the first operand is less or equal.",
        "datetime::less_equal(in0, in1)",
    ),
    _comparison(
        "greater", ">", "Whether the first operand is greater.", "datetime::less(in1, in0)",
    ),
    _comparison(
        "greater_equal", ">=", "Whether the first operand is greater or equal.",
        "datetime::less_equal(in1, in0)",
    ),
    row(
        "logical_and", 2, "Whether both operands are true.", [True, False], True,
        everything="in0 != T(0) && in1 != T(0)", bools="in0 && in1",
        neutral=True, associative=True,
    ),
    row(
        "logical_or", 2, "Whether an operand is true.", [True, False], False,
        everything="in0 != T(0) || in1 != T(0)", bools="in0 || in1",
        neutral=False, associative=True,
    ),
    row(
        "logical_xor", 2, "Whether exactly one operand is true.", [True, False], True,
        everything="(in0 != T(0)) != (in1 != T(0))", bools="in0 != in1",
        neutral=False, associative=True,
    ),
    row(
        "logical_not", 1, "Whether the operand is false.", [True, False],
        everything="in0 == T(0)", bools="!in0",
    ),
    row(
        "bitwise_and", 2, "Bits set in both operands.", [12, 10], 6,
        bools="in0 && in1", integers="in0 & in1", neutral=-1, associative=True,
    ),
    row(
        "bitwise_or", 2, "Bits set in an operand.", [12, 10], 3,
        bools="in0 || in1", integers="in0 | in1", neutral=0, associative=True,
    ),
    row(
        "bitwise_xor", 2, "Bits set in exactly one operand.", [12, 10], 6,
        bools="in0 != in1", integers="in0 ^ in1", neutral=0, associative=True,
    ),
    row(
        "invert", 1, "All bits flipped.", [0, 1, -3],
        bools="!in0", integers="~in0", aliases=("bitwise_not", "bitwise_invert"),
    ),
    row(
        "left_shift", 2, "Bits shifted to the left.", [1, 2, 3], 2,
        integers="integer::left_shift(in0, in1)", aliases=("bitwise_left_shift",),
    ),
    row(
        "right_shift", 2, "Bits shifted to the right.", [8, -8], 1,
        integers="integer::right_shift(in0, in1)", aliases=("bitwise_right_shift",),
    ),
    row(
        "bitwise_count", 1, "Number of bits set in the absolute value.", [7, -8],
        integers="integer::bitwise_count(in0)",
    ),
    _test("isnan", "false", "Whether elements are NaN.", [1.0, 2.5], times=_NAT),
    _test("isinf", "false", "Whether elements are infinite.", [1.0, 2.5], times="false"),
    _test(
        "isfinite", "true", "Whether elements are neither infinite nor NaN.", [1.0, 1e308],
        times=f"!({_NAT})",
    ),
    row(
        "isnat", 1, "Whether elements are NaT, not a time.",
        [np.datetime64("2020-01-01"), np.datetime64("NaT", "D")], times=_NAT,
    ),
)
