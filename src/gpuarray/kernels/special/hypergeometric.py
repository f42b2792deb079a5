"""Hypergeometric functions."""

from __future__ import annotations

from gpuarray.kernels.special.special_rows import special

# fmt: off
ROWS = (
    special(
        "hyp2f1", 4, "Gauss's hypergeometric function 2F1(a, b; c; z).", 1.0, 2.0, 3.0, [0.5, -4.0],
        loops="dddd->d dddD->D ffff->f fffF->F", header="special_hypergeometric_gauss",
        floats="special::hyp2f1(double(in0), double(in1), double(in2), double(in3))",
        complexes="special::hyp2f1(double(in0), double(in1), double(in2), wide(in3))",
        category_operand=3,
        result="array([1.54517744, 0.29882026])",
    ),
    special(
        "hyp1f1", 3,
        "Kummer's confluent hypergeometric function 1F1(a; b; x).", 1.5, 2.0, [0.5, -4.0],
        loops="fff->f ffF->F ddd->d ddD->D", header="special_hypergeometric",
        floats="special::hyp1f1(double(in0), double(in1), double(in2))",
        complexes="special::hyp1f1(double(in0), double(in1), wide(in2))",
        category_operand=2,
        result="array([1.4659272 , 0.09323903])",
    ),
    special(
        "hyp0f1", 2, "Confluent hypergeometric limit function 0F1(v; z).", 1.5, [0.5, -4.0],
        loops="ff->f fF->F dd->d dD->D", header="special_hypergeometric",
        floats="special::hyp0f1(double(in0), double(in1))",
        complexes="special::hyp0f1(double(in0), wide(in1))",
        category_operand=1,
        result="array([ 1.36829887, -0.18920062])",
    ),
    special(
        "hyperu", 3,
        "Tricomi's confluent hypergeometric function U(a, b, x).", 1.5, 2.0, [0.5, 4.0],
        loops="fff->f ddd->d", header="special_hypergeometric",
        floats="special::hyperu(double(in0), double(in1), double(in2))",
        result="array([1.59775259, 0.10827285])",
    ),
)
