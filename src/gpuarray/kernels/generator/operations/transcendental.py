"""Roots, exponents, logarithms, trigonometric and hyperbolic functions."""

from __future__ import annotations

from typing import Any

from gpuarray.kernels.generator.operations.rows import (
    COMPLEX_MATH,
    HEAVY,
    HUGE,
    MEDIUM,
    Operation,
    row,
)


def _math(
    name: str,
    summary: str,
    example: list[float],
    function: str = "",
    weight: int = MEDIUM,
    **other: Any,
) -> Operation:
    """A unary function of NVRTC's own maths library, with its complex form."""
    function = function or name
    return row(
        name, 1, summary, example,
        floats=f"::{function}(in0)", complexes=f"gpuarray::{function}(in0)",
        weight={"float": weight, "complex": HUGE}, headers={"complex": COMPLEX_MATH}, **other,
    )  # fmt: skip


_PI = "T(3.141592653589793238462643383279502884)"
_RADIANS, _DEGREES = f"in0 * ({_PI} / T(180))", f"in0 * (T(180) / {_PI})"

# fmt: off
ROWS = (
    _math("sqrt", "Square root that is not negative.", [1.0, 4.0, 9.0]),
    row("cbrt", 1, "Cube root.", [1.0, 8.0, 27.0], floats="::cbrt(in0)", weight=MEDIUM),

    _math("exp", "e to the power of the operand.", [0.0, 1.0]),
    _math("exp2", "2 to the power of the operand.", [0.0, 3.0]),
    _math("expm1", "exp(x) - 1 without cancellation near zero.", [0.0, 1e-10]),
    _math("log", "Natural logarithm.", [1.0, 10.0]),
    _math("log2", "Logarithm to base 2.", [1.0, 8.0]),
    _math("log10", "Logarithm to base 10.", [1.0, 1000.0]),
    _math("log1p", "log(1 + x) without cancellation near zero.", [0.0, 1e-10]),
    row(
        "logaddexp", 2, "log(exp(x1) + exp(x2)) without overflow.", [1000.0], [1000.0],
        floats="floating::logaddexp(in0, in1)", weight=HEAVY, neutral=float("-inf"),
        associative=True,
    ),
    row(
        "logaddexp2", 2, "log2(2**x1 + 2**x2) without overflow.", [2000.0], [2000.0],
        floats="floating::logaddexp2(in0, in1)", weight=HEAVY, neutral=float("-inf"),
        associative=True,
    ),

    _math("sin", "Sine of an angle in radians.", [0.0, 1.0], weight=HEAVY),
    _math("cos", "Cosine of an angle in radians.", [0.0, 1.0], weight=HEAVY),
    _math("tan", "Tangent of an angle in radians.", [0.0, 1.0], weight=HEAVY),
    _math("arcsin", "Inverse sine in radians.", [0.0, 1.0], "asin", aliases=("asin",)),
    _math("arccos", "Inverse cosine in radians.", [0.0, 1.0], "acos", aliases=("acos",)),
    _math("arctan", "Inverse tangent in radians.", [0.0, 1.0], "atan", aliases=("atan",)),
    row(
        "arctan2", 2, "Angle of the point (x2, x1) in radians.", [1.0, -1.0], [1.0, -1.0],
        floats="::atan2(in0, in1)", weight=HEAVY, aliases=("atan2",),
    ),
    row(
        "hypot", 2, "Length of the vector (x1, x2), without overflow.", [3.0, 5.0], [4.0, 12.0],
        floats="::hypot(in0, in1)", weight=MEDIUM, neutral=0, associative=True,
    ),
    row("deg2rad", 1, "Degrees to radians.", [0.0, 180.0], floats=_RADIANS),
    row("rad2deg", 1, "Radians to degrees.", [0.0, 1.0], floats=_DEGREES),
    row("radians", 1, "Degrees to radians.", [0.0, 180.0], floats=_RADIANS),
    row("degrees", 1, "Radians to degrees.", [0.0, 1.0], floats=_DEGREES),

    _math("sinh", "Hyperbolic sine.", [0.0, 1.0]),
    _math("cosh", "Hyperbolic cosine.", [0.0, 1.0]),
    _math("tanh", "Hyperbolic tangent.", [0.0, 1.0]),
    _math("arcsinh", "Inverse hyperbolic sine.", [0.0, 1.0], "asinh", HEAVY, aliases=("asinh",)),
    _math("arccosh", "Inverse hyperbolic cosine.", [1.0, 2.0], "acosh", HEAVY, aliases=("acosh",)),
    _math("arctanh", "Inverse hyperbolic tangent.", [0.0, 0.5], "atanh", HEAVY, aliases=("atanh",)),
)
