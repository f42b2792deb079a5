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


def _function(name: str, words: str, x: float, result: str) -> Operation:
    given = name.endswith("_cv")
    count, value = (5, "given characteristic value") if given else (4, "parameter c")
    operands = ", ".join(f"double(in{k})" for k in range(count))
    example = [1.0, 2.0, 2.0, *([6.0] if given else []), [x]]
    return special(
        name, count, f"{words} spheroidal function of m, n and {value}, and its derivative.",
        *example, loops=f"{'f' * count}->ff {'d' * count}->dd",
        header="special_spheroidal_functions",
        floats=(f"special::{name}({operands}).value", f"special::{name}({operands}).slope"),
        nout=2, weight=HUGE, result=result,
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
    _function(
        "pro_ang1", "Prolate angular", 0.5,
        "(array([1.21195103]), array([1.27701344]))",
    ),
    _function(
        "pro_ang1_cv", "Prolate angular", 0.5,
        "(array([1.22032737]), array([1.32042372]))",
    ),
    _function(
        "obl_ang1", "Oblate angular", 0.5,
        "(array([1.39801071]), array([2.27118024]))",
    ),
    _function(
        "obl_ang1_cv", "Oblate angular", 0.5,
        "(array([1.41443232]), array([2.3613538]))",
    ),
    _function(
        "pro_rad1", "Prolate radial", 1.5,
        "(array([0.27080161]), array([0.24384296]))",
    ),
    _function(
        "pro_rad1_cv", "Prolate radial", 1.5,
        "(array([0.26507285]), array([0.23728249]))",
    ),
    _function(
        "obl_rad1", "Oblate radial", 1.5,
        "(array([0.29642911]), array([0.01587869]))",
    ),
    _function(
        "obl_rad1_cv", "Oblate radial", 1.5,
        "(array([0.28862035]), array([0.01297817]))",
    ),
    _function(
        "pro_rad2", "Prolate radial", 1.5,
        "(array([-0.44988762]), array([1.07199535]))",
    ),
    _function(
        "pro_rad2_cv", "Prolate radial", 1.5,
        "(array([-0.46942987]), array([0.84296435]))",
    ),
    _function(
        "obl_rad2", "Oblate radial", 1.5,
        "(array([-0.15927159]), array([0.51046649]))",
    ),
    _function(
        "obl_rad2_cv", "Oblate radial", 1.5,
        "(array([-0.08390866]), array([0.48270526]))",
    ),
)  # fmt: skip
