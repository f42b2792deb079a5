"""Exponential, sine and cosine integrals, and the dilogarithm."""

from __future__ import annotations

from gpuarray.kernels.special.special_rows import special

_HEADER = "special_exponential_integrals"


# fmt: off
ROWS = (
    special(
        "exp1", 1, "Exponential integral E1.", [0.5, 1.0], loops="f->f d->d F->F D->D",
        header=_HEADER, floats="special::exp1(in0)", complexes="special::exp1(wide(in0))",
        result="array([0.55977359, 0.21938393])",
    ),
    special(
        "expi", 1, "Exponential integral Ei.", [0.5, 1.0], loops="f->f d->d F->F D->D",
        header=_HEADER, floats="special::expi(in0)", complexes="special::expi(wide(in0))",
        result="array([0.4542199 , 1.89511782])",
    ),
    special(
        "expn", 2, "Generalized exponential integral of an integer order.", [1, 2], 1.0,
        loops="ld->d ff->f dd->d", header=_HEADER, category_operand=1,
        floats="special::expn(in0, double(in1))",
        result="array([0.21938393, 0.14849551])",
    ),
    special(
        "shichi", 1, "Hyperbolic sine and cosine integrals.", [0.5, 1.0],
        loops="f->ff d->dd F->FF D->DD", header=_HEADER, nout=2,
        floats=("special::shi(double(in0))", "special::chi(double(in0))"),
        complexes=("special::shi(wide(in0))", "special::chi(wide(in0))"),
        result="(array([0.50699675, 1.05725088]), array([-0.05277684,  0.83786694]))",
    ),
    special(
        "sici", 1, "Sine and cosine integrals.", [0.5, 1.0],
        loops="f->ff d->dd F->FF D->DD", header=_HEADER, nout=2,
        floats=("special::si(double(in0))", "special::ci(double(in0))"),
        complexes=("special::si(wide(in0))", "special::ci(wide(in0))"),
        result="(array([0.49310742, 0.94608307]), array([-0.17778408,  0.33740392]))",
    ),
    special(
        "spence", 1, "Dilogarithm of 1 - x.", [0.0, 1.0, 2.0], loops="f->f d->d F->F D->D",
        header=_HEADER, floats="special::spence(double(in0))",
        complexes="special::spence(wide(in0))",
        result="array([ 1.64493407, -0.        , -0.82246703])",
    ),
)
