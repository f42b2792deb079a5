"""Bessel functions of orders 0 and 1."""

from __future__ import annotations

from gpuarray.kernels.special.special_rows import special

# fmt: off
ROWS = (
    special(
        "j0", 1, "Bessel function of the first kind of order 0.", [0.0, 1.0, 10.0],
        loops="d->d f->f", header="special_bessel_orders01",
        floats="special::j0(in0)",
        result="array([ 1.        ,  0.76519769, -0.24593576])",
    ),
    special(
        "j1", 1, "Bessel function of the first kind of order 1.", [0.0, 1.0, 10.0],
        loops="d->d f->f", header="special_bessel_orders01",
        floats="special::j1(in0)",
        result="array([0.        , 0.44005059, 0.04347275])",
    ),
    special(
        "y0", 1, "Bessel function of the second kind of order 0.", [1.0, 10.0],
        loops="d->d f->f", header="special_bessel_orders01",
        floats="special::y0(in0)",
        result="array([0.08825696, 0.05567117])",
    ),
    special(
        "y1", 1, "Bessel function of the second kind of order 1.", [1.0, 10.0],
        loops="d->d f->f", header="special_bessel_orders01",
        floats="special::y1(in0)",
        result="array([-0.78121282,  0.24901542])",
    ),
    special(
        "i0", 1, "Modified Bessel function of the first kind of order 0.", [0.0, 1.0, 10.0],
        loops="d->d f->f", header="special_bessel_orders01",
        floats="special::i0(in0)",
        result="array([1.00000000e+00, 1.26606588e+00, 2.81571663e+03])",
    ),
    special(
        "i0e", 1, "exp(-abs(x)) i0(x).", [0.0, 1.0, 1e3],
        loops="d->d f->f", header="special_bessel_orders01",
        floats="special::i0e(in0)",
        result="array([1.        , 0.46575961, 0.01261724])",
    ),
    special(
        "i1", 1, "Modified Bessel function of the first kind of order 1.", [0.0, 1.0, 10.0],
        loops="d->d f->f", header="special_bessel_orders01",
        floats="special::i1(in0)",
        result="array([0.00000000e+00, 5.65159104e-01, 2.67098830e+03])",
    ),
    special(
        "i1e", 1, "exp(-abs(x)) i1(x).", [0.0, 1.0, 1e3],
        loops="d->d f->f", header="special_bessel_orders01",
        floats="special::i1e(in0)",
        result="array([0.        , 0.20791042, 0.01261093])",
    ),
    special(
        "k0", 1, "Modified Bessel function of the second kind of order 0.", [1.0, 10.0],
        loops="d->d f->f", header="special_bessel_orders01",
        floats="special::k0(in0)",
        result="array([4.21024438e-01, 1.77800623e-05])",
    ),
    special(
        "k0e", 1, "exp(x) k0(x).", [1.0, 1e3],
        loops="d->d f->f", header="special_bessel_orders01",
        floats="special::k0e(in0)",
        result="array([1.14446308, 0.03962832])",
    ),
    special(
        "k1", 1, "Modified Bessel function of the second kind of order 1.", [1.0, 10.0],
        loops="d->d f->f", header="special_bessel_orders01",
        floats="special::k1(in0)",
        result="array([6.01907230e-01, 1.86487735e-05])",
    ),
    special(
        "k1e", 1, "exp(x) k1(x).", [1.0, 1e3],
        loops="d->d f->f", header="special_bessel_orders01",
        floats="special::k1e(in0)",
        result="array([1.63615349, 0.03964813])",
    ),
)
