"""Legendre functions of integer degree, and spherical harmonics.

SciPy's functions of these names take the order of the derivative as a keyword, and are no ufuncs:
a row is one derivative.
"""

from __future__ import annotations

from gpuarray.kernels.generator.operations import HUGE, Operation
from gpuarray.kernels.special.special_rows import special

_HEADER = "special_legendre"


def _associated(derivative: int, normalized: bool) -> Operation:
    function = f"special::assoc_legendre_p<{'true' if normalized else 'false'}, {derivative}>"
    return special(
        f"assoc_legendre_p_{'normalized_' if normalized else ''}{derivative}", 4, "",
        loops="lldl->d llfl->f llDl->D llFl->F", header=_HEADER,
        floats=f"{function}(in0, in1, double(in2), in3)",
        complexes=f"{function}(in0, in1, wide(in2), in3)",
        category_operand=2, weight=HUGE,
    )  # fmt: skip


def _spherical(derivative: int) -> Operation:
    return special(
        f"sph_legendre_p_{derivative}", 3, "", loops="lld->d llf->f", header=_HEADER,
        floats=f"special::sph_legendre_p<{derivative}>(in0, in1, double(in2))",
        category_operand=2, weight=HUGE,
    )  # fmt: skip


def _harmonic(theta: int, phi: int) -> Operation:
    value = f"special::sph_harm_y<{theta}, {phi}>(in0, in1, double(in2), double(in3))"
    return special(
        f"sph_harm_y_{theta}{phi}", 4, "", loops="lldd->D llff->F", header=_HEADER,
        floats=f"special::narrow<R::value_type>({value})", category_operand=2, weight=HUGE,
    )  # fmt: skip


#: The derivatives that SciPy has.
DERIVATIVES = range(3)

ROWS = (
    *[_associated(k, normalized) for normalized in (False, True) for k in DERIVATIVES],
    *[_spherical(k) for k in DERIVATIVES],
    *[_harmonic(j, k) for j in DERIVATIVES for k in DERIVATIVES],
)
