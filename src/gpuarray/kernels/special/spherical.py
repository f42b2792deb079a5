"""Spherical Bessel functions: internal ufuncs of the functions and of their derivatives."""

from __future__ import annotations

from gpuarray.kernels.generator.operations import Operation
from gpuarray.kernels.special.special_rows import special


def _row(name: str, function: str, summary: str) -> Operation:
    loops = "ld->d lD->D lf->f lF->F"
    return special(
        name, 2, summary, [0, 2], 1.5,
        loops=loops, header="special_spherical", category_operand=1,
        floats=f"special::{function}(double(in0), double(in1))",
        complexes=f"special::{function}(double(in0), wide(in1))",
    )  # fmt: skip


# fmt: off
ROWS = (
    _row("_spherical_jn", "spherical_jn", "Spherical Bessel function, first kind."),
    _row("_spherical_jn_d", "spherical_jn_derivative", "Its derivative."),
    _row("_spherical_yn", "spherical_yn", "Spherical Bessel function, second kind."),
    _row("_spherical_yn_d", "spherical_yn_derivative", "Its derivative."),
    _row("_spherical_in", "spherical_in", "Spherical Bessel function, modified, first kind."),
    _row("_spherical_in_d", "spherical_in_derivative", "Its derivative."),
    _row("_spherical_kn", "spherical_kn", "Spherical Bessel function, modified, second kind."),
    _row("_spherical_kn_d", "spherical_kn_derivative", "Its derivative."),
)
