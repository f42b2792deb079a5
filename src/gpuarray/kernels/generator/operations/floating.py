"""Rounding, and the parts of floating-point numbers."""

from __future__ import annotations

from gpuarray.kernels.generator.operations.rows import MEDIUM, Operation, row


def _rounding(name: str, summary: str, *example: list[float]) -> Operation:
    return row(name, 1, summary, *example, bools="in0", integers="in0", floats=f"::{name}(in0)")


# fmt: off
ROWS = (
    row(
        "rint", 1, "Nearest integer, halves to even, as a float.", [0.5, 1.5, -2.7],
        bools="in0", integers="in0", floats="::rint(in0)",
        complexes="T(::rint(in0.real), ::rint(in0.imag))",
    ),
    _rounding("floor", "Largest integer not above the operand.", [1.7, -1.7]),
    _rounding("ceil", "Smallest integer not below the operand.", [1.2, -1.2]),
    _rounding("trunc", "Nearest integer towards zero.", [1.7, -1.7]),
    row(
        "signbit", 1, "Whether the sign bit is set, also of -0.0 and NaN.", [-1.0, 0.0],
        floats="gpuarray::signbit(in0)", half="gpuarray::signbit(in0)",
    ),
    row(
        "copysign", 2, "First operand with the sign of the second.", [1.0, 2.0], -1.0,
        floats="gpuarray::copysign(in0, in1)", half="gpuarray::copysign(in0, in1)",
    ),
    row(
        "nextafter", 2, "The next float towards the second operand.", [1.0], [2.0],
        floats="::nextafter(in0, in1)", half="gpuarray::nextafter(in0, in1)",
        weight=MEDIUM,
    ),
    row(
        "spacing", 1, "Distance to the next float away from zero.", [1.0, 1e10],
        floats="gpuarray::spacing(in0)", half="gpuarray::spacing(in0)", weight=MEDIUM,
    ),
    row(
        "ldexp", 2, "x1 times 2 to the power of x2.", [1.0, 3.0], [4, -1],
        floats="floating::ldexp(in0, in1)", weight=MEDIUM,
    ),
    row(
        "frexp", 1, "Mantissa in [0.5, 1) and exponent of 2.", [8.0, 0.75], nout=2,
        floats=("floating::frexp_mantissa(in0)", "floating::frexp_exponent(in0)"),
    ),
    row(
        "modf", 1, "Fractional and integral part, with the sign of the operand.", [1.5, -2.25],
        nout=2,
        floats=("floating::modf_fraction(in0)", "::trunc(in0)"),
    ),
)
