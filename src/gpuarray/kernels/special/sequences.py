"""What SciPy's functions of whole sequences consist of: rows that are no ufuncs of SciPy's."""

from __future__ import annotations

from gpuarray.kernels.generator.operations import HUGE
from gpuarray.kernels.special.special_rows import special

_Q = "special::legendre_q(in0, in1, {})"
_D = "special::pbdn(in0, wide(in1))"

ROWS = (
    special(
        "legendre_q", 3, "", loops="lld->dd llD->DD", header="special_legendre_second", nout=2,
        floats=tuple(f"{_Q.format('in2')}.{x}" for x in ("value", "slope")),
        complexes=tuple(f"{_Q.format('wide(in2)')}.{x}" for x in ("value", "slope")),
        category_operand=2, weight=HUGE,
    ),
    special(
        "pbdn", 2, "", loops="lD->DD", header="special_parabolic_complex", nout=2,
        complexes=(f"{_D}.value", f"{_D}.slope"), category_operand=1, weight=HUGE,
    ),
    # Of order m, parameter q, the index of a Fourier coefficient, 0 (even) or 1 (odd function).
    special(
        "mathieu_coefficient", 4, "", loops="dddd->d", header="special_mathieu",
        floats="special::mathieu_coefficient(in0, in1, in2, in3)", weight=HUGE,
    ),
)  # fmt: skip
