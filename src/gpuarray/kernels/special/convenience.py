"""Functions of angles in degrees, and rounding."""

from __future__ import annotations

from gpuarray.kernels.generator.operations import LIGHT, Operation
from gpuarray.kernels.special.special_rows import special

_HEADER = "special_convenience"


def _degrees(name: str, summary: str, result: str) -> Operation:
    return special(
        name, 1, summary, [30.0, 45.0, 60.0], loops="d->d f->f", header=_HEADER,
        floats=f"special::{name}(in0)", result=result,
    )  # fmt: skip


ROWS = (
    _degrees(
        "sindg", "Sine of an angle in degrees.",
        "array([0.5       , 0.70710678, 0.8660254 ])",
    ),
    _degrees(
        "cosdg", "Cosine of an angle in degrees.",
        "array([0.8660254 , 0.70710678, 0.5       ])",
    ),
    _degrees(
        "tandg", "Tangent of an angle in degrees.",
        "array([0.57735027, 1.        , 1.73205081])",
    ),
    _degrees(
        "cotdg", "Cotangent of an angle in degrees.",
        "array([1.73205081, 1.        , 0.57735027])",
    ),
    special(
        "radian", 3, "Degrees, minutes and seconds in radians.", [90.0], 0.0, 0.0,
        loops="ddd->d fff->f", header=_HEADER, floats="special::radian(in0, in1, in2)",
        result="array([1.57079633])",
    ),
    special(
        "round", 1, "Nearest integer, halves to even, as a float.", [0.5, 1.5, -2.7],
        loops="f->f d->d", floats="::rint(in0)", weight=LIGHT, result="array([ 0.,  2., -3.])",
    ),
)  # fmt: skip
