"""Operations that give one of their operands: extrema, limits, choices."""

from __future__ import annotations

from gpuarray.kernels.generator.operations.rows import Extreme, row

# fmt: off
# NumPy's rule for extrema: the first operand if it is the extreme, equal or NaN. What +0 against
# -0 gives depends on the vector unit in NumPy itself.
ROWS = (
    row(
        "maximum", 2, "The greater of two operands; NaN if one is.", [1, 5], [3, 2],
        bools="in0 || in1", integers="in0 >= in1 ? in0 : in1",
        floats="in0 >= in1 || in0 != in0 ? in0 : in1",
        complexes="gpuarray::isnan(in0) || in0 >= in1 ? in0 : in1",
        times="datetime::maximum(in0, in1)", neutral=Extreme(greatest=False), associative=True,
    ),
    row(
        "minimum", 2, "The lesser of two operands; NaN if one is.", [1, 5], [3, 2],
        bools="in0 && in1", integers="in0 <= in1 ? in0 : in1",
        floats="in0 <= in1 || in0 != in0 ? in0 : in1",
        complexes="gpuarray::isnan(in0) || in0 <= in1 ? in0 : in1",
        times="datetime::minimum(in0, in1)", neutral=Extreme(greatest=True), associative=True,
    ),
    # Any number wins against NaN.
    row(
        "fmax", 2, "The greater of two operands, passing over NaN.", [1.0, 5.0], [3.0, 2.0],
        bools="in0 || in1", integers="in0 >= in1 ? in0 : in1",
        floats="in0 >= in1 || in1 != in1 ? in0 : in1",
        complexes="gpuarray::isnan(in1) || in0 >= in1 ? in0 : in1",
        times="datetime::fmax(in0, in1)",
        neutral=Extreme(greatest=False, nan=True), associative=True,
    ),
    row(
        "fmin", 2, "The lesser of two operands, passing over NaN.", [1.0, 5.0], [3.0, 2.0],
        bools="in0 && in1", integers="in0 <= in1 ? in0 : in1",
        floats="in0 <= in1 || in1 != in1 ? in0 : in1",
        complexes="gpuarray::isnan(in1) || in0 <= in1 ? in0 : in1",
        times="datetime::fmin(in0, in1)",
        neutral=Extreme(greatest=True, nan=True), associative=True,
    ),
    row(
        "clip", 3,
        bools="(in0 || in1) && in2",
        integers="(in0 > in1 ? in0 : in1) < in2 ? (in0 > in1 ? in0 : in1) : in2",
        floats="floating::clip(in0, in1, in2)", complexes="gpuarray::clip(in0, in1, in2)",
        times="datetime::minimum(datetime::maximum(in0, in1), in2)",
    ),
    row(
        "where", 3, everything="in0 ? in1 : in2", half="in0 ? in1 : in2", raw="in0 ? in1 : in2",
        category_operand=1,
    ),
    row(
        "heaviside", 2, "Step function: 0 below zero, 1 above, x2 at zero.", [-1.5, 0.0, 2.0], 0.5,
        floats="in0 != in0 ? in0 : in0 == 0 ? in1 : in0 < 0 ? T(0) : T(1)",
    ),
    row("copy", 1, everything="in0", half="in0", raw="in0"),
)
