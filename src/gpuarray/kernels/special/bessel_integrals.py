"""Integrals of Bessel, Struve and Airy functions."""

from __future__ import annotations

from gpuarray.kernels.special.special_rows import special

# fmt: off
ROWS = (
    special(
        "itj0y0", 1, "Integrals of j0 and y0 from 0 to x.", [1.0, 50.0],
        loops="f->ff d->dd", header="special_integrals",
        floats=("special::itj0y0(in0).first", "special::itj0y0(in0).second"),
        nout=2,
        result="(array([0.91973041, 0.90141212]), array([-0.63706938, -0.05481407]))",
    ),
    special(
        "iti0k0", 1, "Integrals of i0 and k0 from 0 to x.", [1.0, 10.0],
        loops="f->ff d->dd", header="special_integrals",
        floats=("special::iti0k0(in0).first", "special::iti0k0(in0).second"),
        nout=2,
        result="(array([1.08652110e+00, 2.99304454e+03]), array([1.24250985, 1.57077931]))",
    ),
    special(
        "it2j0y0", 1,
        "Integrals of (1 - j0(t)) / t from 0 to x, of y0(t) / t from x to infinity.", [1.0, 50.0],
        loops="f->ff d->dd", header="special_integrals",
        floats=("special::it2j0y0(in0).first", "special::it2j0y0(in0).second"),
        nout=2,
        result="(array([0.12116525, 3.79808313]), array([0.3952729, 0.0010559]))",
    ),
    special(
        "it2i0k0", 1,
        "Integrals of (i0(t) - 1) / t from 0 to x, of k0(t) / t from x to infinity.", [1.0, 10.0],
        loops="f->ff d->dd", header="special_integrals",
        floats=("special::it2i0k0(in0).first", "special::it2i0k0(in0).second"),
        nout=2,
        result="(array([1.28979442e-01, 3.40815367e+02]), array([2.08518291e-01, 1.56292814e-06]))",
    ),
    special(
        "itstruve0", 1, "Integral of the Struve function of order 0 from 0 to x.", [1.0, 50.0],
        loops="f->f d->d", header="special_integrals",
        floats="special::itstruve0(in0)",
        result="array([0.30109043, 3.24452233])",
    ),
    special(
        "it2struve0", 1,
        "Integral of the Struve function of order 0 over t from x to infinity.", [1.0, 50.0],
        loops="f->f d->d", header="special_integrals",
        floats="special::it2struve0(in0)",
        result="array([0.95719735, 0.01378661])",
    ),
    special(
        "itmodstruve0", 1,
        "Integral of the modified Struve function of order 0 from 0 to x.", [1.0, 10.0],
        loops="f->f d->d", header="special_integrals",
        floats="special::itmodstruve0(in0)",
        result="array([3.36472629e-01, 2.99077330e+03])",
    ),
    special(
        "itairy", 1, "Integrals of Ai(t), Bi(t), Ai(-t) and Bi(-t) from 0 to x.", [1.0, 5.0],
        loops="f->ffff d->dddd", header="special_integrals",
        floats=(
            "special::itairy(in0).apt",
            "special::itairy(in0).bpt",
            "special::itairy(in0).ant",
            "special::itairy(in0).bnt",
        ),
        nout=4,
        result=(
            "(array([0.23631734, 0.33328759]), array([  0.87276912, 321.47831857]), "
            "array([0.46567398, 0.7178822 ]), array([0.37300501, 0.15873094]))"
        ),
    ),
)
