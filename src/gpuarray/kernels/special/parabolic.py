"""Parabolic cylinder functions."""

from __future__ import annotations

from gpuarray.kernels.special.special_rows import special

# fmt: off
ROWS = (
    special(
        "pbdv", 2, "Parabolic cylinder function D of order v, and its derivative.", [0.0, 1.5], 2.0,
        loops="ff->ff dd->dd", header="special_parabolic",
        floats=(
            "special::pbdv(double(in0), double(in1)).value",
            "special::pbdv(double(in0), double(in1)).slope",
        ),
        nout=2,
        result="(array([0.36787944, 0.94651845]), array([-0.36787944, -0.14549753]))",
    ),
    special(
        "pbvv", 2,
        "Parabolic cylinder function V(-v - 1/2, x), and its derivative.", [0.0, 1.5], 2.0,
        loops="ff->ff dd->dd", header="special_parabolic",
        floats=(
            "special::pbvv(double(in0), double(in1)).value",
            "special::pbvv(double(in0), double(in1)).slope",
        ),
        nout=2,
        result="(array([1.3880542, 0.2105273]), array([0.7808209 , 0.81060582]))",
    ),
    special(
        "pbwa", 2, "Parabolic cylinder function W(a, x), and its derivative.", [0.0, 1.5], 2.0,
        loops="ff->ff dd->dd", header="special_parabolic",
        floats=(
            "special::pbwa(double(in0), double(in1)).value",
            "special::pbwa(double(in0), double(in1)).slope",
        ),
        nout=2,
        result="(array([-0.08731255,  0.09769589]), array([-0.63587881, -0.0681536 ]))",
    ),
)
