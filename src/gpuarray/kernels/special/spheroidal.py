"""Characteristic values of spheroidal wave functions, and modified Fresnel integrals."""

from __future__ import annotations

from gpuarray.kernels.generator.operations import HUGE, Operation
from gpuarray.kernels.special.special_rows import special

_HEADER = "special_spheroidal"


def _value(name: str, kind: str, result: str) -> Operation:
    return special(
        name, 3, f"Characteristic value of {kind} spheroidal functions of m, n and c.",
        0.0, [1.0, 2.0], 3.0, loops="fff->f ddd->d", header=_HEADER,
        floats=f"special::{name}(in0, in1, in2)", weight=HUGE, result=result,
    )  # fmt: skip


def _integrals(name: str, sign: str, text: str, result: str) -> Operation:
    functions = ("modfresnel_first", "modfresnel_second")
    codes = [
        f"special::narrow<R::value_type>({text.format(f'special::{function}(in0)')})"
        for function in functions
    ]
    return special(
        name, 1, f"Modified Fresnel integrals F and K with the sign {sign}.", [0.0],
        loops="f->FF d->DD", header=_HEADER, floats=tuple(codes), nout=2, weight=HUGE,
        result=result,
    )  # fmt: skip


ROWS = (
    _value("pro_cv", "prolate", "array([ 6.82088833, 11.19293865])"),
    _value("obl_cv", "oblate", "array([-3.89940029,  2.25126921])"),
    _integrals(
        "modfresnelp", "plus", "{}", "(array([0.62665707+0.62665707j]), array([0.5+0.j]))"
    ),
    _integrals(
        "modfresnelm", "minus", "special::conjugated({})",
        "(array([0.62665707-0.62665707j]), array([0.5-0.j]))",
    ),
)  # fmt: skip
