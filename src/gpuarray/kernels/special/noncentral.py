"""The noncentral chi-squared, F and t distributions."""

from __future__ import annotations

from typing import Any

from gpuarray.kernels.generator.operations import HUGE, Operation
from gpuarray.kernels.special.special_rows import special


def _row(name: str, summary: str, *example: Any, code: str, **other: Any) -> Operation:
    count = len(example)
    return special(
        name, count, summary, *example, loops=f"{'f' * count}->f {'d' * count}->d",
        header="special_noncentral_t" if name.startswith("nct") else "special_noncentral",
        floats=f"special::{code}", weight=HUGE, **other,
    )  # fmt: skip


# fmt: off
ROWS = (
    _row(
        "chndtr", "Distribution function of noncentral chi-squared, from x, freedom, nc.",
        [1.0, 2.0], 3.0, 0.5, code="chndtr(in0, in1, in2)",
        result="array([0.16220059, 0.36337637])",
    ),
    _row(
        "chndtrix", "Inverse of chndtr in x.", [0.25, 0.5], 3.0, 0.5,
        code="chi_root(1, in1, in2, in0, 0)",
        result="array([1.4272877 , 2.77625571])",
    ),
    _row(
        "chndtridf", "Inverse of chndtr in the degrees of freedom.", 2.0, [0.25, 0.5], 0.5,
        code="chi_root(in0, 1, in2, in1, 1)",
        result="array([3.77253282, 2.23582152])",
    ),
    _row(
        "chndtrinc", "Inverse of chndtr in the noncentrality.", 5.0, 3.0, [0.25, 0.5],
        code="chi_root(in0, in1, 1, in2, 2)",
        result="array([6.10716057, 2.89852999])",
    ),
    _row(
        "ncfdtr", "Distribution function of noncentral F, from freedoms, nc, f.",
        2.0, 3.0, 0.5, [0.5, 1.0], code="ncfdtr(in0, in1, in2, in3)",
        result="array([0.29453772, 0.46972021])",
    ),
    _row(
        "ncfdtri", "Inverse of ncfdtr in f.", 2.0, 3.0, 0.5, [0.25, 0.5],
        code="f_root(in0, in1, in2, 1, in3, 3)",
        result="array([0.40416832, 1.11496031])",
    ),
    _row(
        "ncfdtridfn", "Inverse of ncfdtr in the numerator's degrees of freedom.",
        [0.42, 0.45], 3.0, 0.5, 1.0, code="f_root(1, in1, in2, in3, in0, 0)",
        result="array([7.10838343, 2.96816466])",
    ),
    _row(
        "ncfdtridfd", "Inverse of ncfdtr in the denominator's degrees of freedom.",
        2.0, [0.45, 0.5], 0.5, 1.0, code="f_root(in0, 1, in2, in3, in1, 1)",
        result="array([2.24342074, 5.4433921 ])",
    ),
    _row(
        "ncfdtrinc", "Inverse of ncfdtr in the noncentrality.", 2.0, 3.0, [0.25, 0.5], 2.0,
        code="f_root(in0, in1, 1, in3, in2, 2)",
        result="array([5.9920407 , 2.12760708])",
    ),
    _row(
        "nctdtr", "Distribution function of noncentral t, from freedom, nc, t.",
        3.0, 0.5, [0.0, 1.0], code="nctdtr(in0, in1, in2)",
        result="array([0.30853754, 0.65152833])",
    ),
    _row(
        "nctdtrit", "Inverse of nctdtr in t.", 3.0, 0.5, [0.25, 0.5],
        code="t_root(in0, in1, 0, in2, 2)",
        result="array([-0.19143605,  0.54349693])",
    ),
    _row(
        "nctdtridf", "Inverse of nctdtr in the degrees of freedom.", [0.6, 0.65], 0.5, 1.0,
        code="t_root(1, in1, in2, in0, 0)",
        result="array([1.10924531, 2.87718093])",
    ),
    _row(
        "nctdtrinc", "Inverse of nctdtr in the noncentrality.", 3.0, [0.25, 0.5], 1.0,
        code="t_root(in0, 0, in2, in1, 1)",
        result="array([1.64263247, 0.91714458])",
    ),
)
