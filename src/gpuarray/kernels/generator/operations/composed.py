"""Element-wise functions that NumPy composes of ufuncs: one kernel each."""

from __future__ import annotations

from gpuarray.kernels.generator.operations.rows import (
    COMPLEX_MATH,
    HEAVY,
    HUGE,
    MEDIUM,
    Operation,
    row,
)

_REAL = ("?->?", "b->?", "h->?", "i->?", "l->?", "B->?", "H->?", "I->?", "L->?",
         "e->?", "f->?", "d->?")  # fmt: skip
_ALL = (*_REAL, "F->?", "D->?")
_TO_REAL = ("?->d", "e->e", "f->f", "d->d", "F->f", "D->d")

_IS_INFINITY = "gpuarray::isinf(in0) && {}gpuarray::signbit(in0)"
_REPLACED = "in0 != in0 ? in1 : !gpuarray::isinf(in0) ? in0 : gpuarray::signbit(in0) ? in3 : in2"


def _angle(name: str, half_turn: str, of_half: str, factor: str) -> Operation:
    """An angle: of real numbers it is nothing or half a turn, in float16 ``of_half``."""
    real = f"in0 != in0 ? in0 : gpuarray::signbit(in0) ? T({half_turn}) : T(0)"
    half = f"float(in0) != float(in0) ? in0 : float16(gpuarray::signbit(in0) ? {of_half}f : 0.0f)"
    return row(
        name, 1, bools="0", floats=real, half=half,
        complexes=f"::atan2(in0.imag, in0.real){factor}", weight={"complex": HEAVY},
        headers={"complex": COMPLEX_MATH}, loops=_TO_REAL,
    )  # fmt: skip


# fmt: off
ROWS = (
    _angle("angle", "3.141592653589793238462643383279502884", "3.140625", ""),
    # In float16 the angle is rounded before it is multiplied.
    _angle("angle_in_degrees", "180", "179.875", " * V(57.29577951308232)"),
    row(
        "sinc", 1, floats="floating::sinc(in0)", complexes="gpuarray::sinc(in0)",
        weight={"float": HEAVY, "complex": HUGE}, headers={"complex": COMPLEX_MATH},
        loops=("d->d", "e->e", "f->f", "D->D", "F->F"),
    ),
    row(
        "i0", 1, floats="::cyl_bessel_i0(gpuarray::absolute(in0))", weight=HEAVY,
        loops=("d->d", "e->e", "f->f"),
    ),
    row("iscomplex", 1, everything="false", complexes="in0.imag != V(0)", loops=_ALL),
    row("isreal", 1, everything="true", complexes="in0.imag == V(0)", loops=_ALL),
    row("isposinf", 1, everything="false", floats=_IS_INFINITY.format("!"), loops=_REAL),
    row("isneginf", 1, everything="false", floats=_IS_INFINITY.format(""), loops=_REAL),
    row(
        "nan_to_num", 4, floats=_REPLACED, weight=MEDIUM,
        loops=("eeee->e", "ffff->f", "dddd->d"),
    ),
)
