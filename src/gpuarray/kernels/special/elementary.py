"""Exponentials, logarithms and powers, and the functions of statistics that are made of them."""

from __future__ import annotations

from gpuarray.kernels.special.special_rows import special

# fmt: off
ROWS = (
    special(
        "expit", 1, "Logistic sigmoid 1 / (1 + exp(-x)).", [-1.0, 0.0, 1.0],
        loops="d->d f->f", floats="T(1) / (T(1) + ::exp(-in0))",
        result="array([0.26894142, 0.5       , 0.73105858])",
    ),
    special(
        "logit", 1, "Logarithm of the odds, log(x / (1 - x)), the inverse of expit.", [0.25, 0.5],
        loops="d->d f->f", header="special_logarithms", floats="special::logit(in0)",
        result="array([-1.09861229,  0.        ])",
    ),
    special(
        "log_expit", 1, "Logarithm of expit without overflow.", [-800.0, 0.0],
        loops="d->d f->f",
        header="special_logarithms", floats="special::log_expit(in0)",
        result="array([-8.00000000e+02, -6.93147181e-01])",
    ),
    special(
        "expm1", 1, "exp(x) - 1 without cancellation near zero.", [0.0, 1e-10],
        loops="d->d f->f D->D F->F", header="special_elementary", floats="::expm1(in0)",
        complexes="gpuarray::expm1(wide(in0))",
        result="array([0.e+00, 1.e-10])",
    ),
    special(
        "log1p", 1, "log(1 + x) without cancellation near zero.", [0.0, 1e-10],
        loops="d->d f->f D->D F->F", header="special_elementary", floats="::log1p(in0)",
        complexes="gpuarray::log1p(wide(in0))",
        result="array([0.e+00, 1.e-10])",
    ),
    special(
        "cosm1", 1, "cos(x) - 1 without cancellation near zero.", [0.0, 1e-8],
        loops="d->d f->f", header="special_elementary", floats="special::cosm1(in0)",
        result="array([-0.e+00, -5.e-17])",
    ),
    special(
        "exp2", 1, "2 to the power of x.", [0.0, 3.0], loops="d->d f->f", floats="::exp2(in0)",
        result="array([1., 8.])",
    ),
    special(
        "exp10", 1, "10 to the power of x.", [0.0, 3.0], loops="d->d f->f", floats="::exp10(in0)",
        result="array([   1., 1000.])",
    ),
    special(
        "cbrt", 1, "Cube root.", [1.0, 8.0], loops="d->d f->f", floats="::cbrt(in0)",
        result="array([1., 2.])",
    ),
    special(
        "exprel", 1, "(exp(x) - 1) / x, and its limit 1 at zero.", [0.0, 1.0],
        loops="d->d f->f", header="special_elementary", floats="special::exprel(in0)",
        result="array([1.        , 1.71828183])",
    ),
    special(
        "xlogy", 2, "x log(y), and 0 where x is 0.", [0.0, 2.0], [0.0, 3.0],
        loops="dd->d ff->f DD->D FF->F", header="special_elementary",
        floats="in0 == 0 && in1 == in1 ? T(0) : in0 * ::log(in1)",
        complexes="special::xlogy(wide(in0), wide(in1))",
        result="array([0.        , 2.19722458])",
    ),
    special(
        "xlog1py", 2, "x log(1 + y), and 0 where x is 0.", [0.0, 2.0], [-1.0, 3.0],
        loops="dd->d ff->f DD->D FF->F", header="special_elementary",
        floats="in0 == 0 && in1 == in1 ? T(0) : in0 * ::log1p(in1)",
        complexes="special::xlog1py(wide(in0), wide(in1))",
        result="array([0.        , 2.77258872])",
    ),
    special(
        "boxcox", 2, "Box-Cox transformation (x**lmbda - 1) / lmbda.", [1.0, 4.0], 0.5,
        loops="ff->f dd->d", header="special_elementary",
        floats="special::boxcox(in0, in1)",
        result="array([0., 2.])",
    ),
    special(
        "boxcox1p", 2, "Box-Cox transformation of 1 + x.", [0.0, 3.0], 0.5,
        loops="ff->f dd->d", header="special_elementary",
        floats="special::boxcox1p<special::Wide<T>>(in0, in1)",
        result="array([0., 2.])",
    ),
    special(
        "inv_boxcox", 2, "Inverse of the Box-Cox transformation.", [0.0, 2.0], 0.5,
        loops="ff->f dd->d", header="special_elementary",
        floats="special::inv_boxcox<special::Wide<T>>(in0, in1)",
        result="array([1., 4.])",
    ),
    special(
        "inv_boxcox1p", 2, "Inverse of the Box-Cox transformation of 1 + x.", [0.0, 2.0], 0.5,
        loops="ff->f dd->d", header="special_elementary",
        floats="special::inv_boxcox1p<special::Wide<T>>(in0, in1)",
        result="array([0., 3.])",
    ),
)
