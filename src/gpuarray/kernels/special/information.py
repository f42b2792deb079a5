"""Information theory and robust losses."""

from __future__ import annotations

from gpuarray.kernels.special.special_rows import special

# fmt: off
ROWS = (
    special(
        "entr", 1, "Entropy -x log(x), 0 at zero and -inf below it.", [0.0, 0.5],
        loops="f->f d->d",
        header="special_logarithms", floats="special::entr(in0)",
        result="array([0.        , 0.34657359])",
    ),
    special(
        "rel_entr", 2, "Relative entropy x log(x / y).", [0.0, 2.0], [1.0, 1.0],
        loops="ff->f dd->d", header="special_logarithms", floats="special::rel_entr(in0, in1)",
        result="array([0.        , 1.38629436])",
    ),
    special(
        "kl_div", 2, "Kullback-Leibler divergence x log(x / y) - x + y.", [0.0, 2.0], [1.0, 1.0],
        loops="ff->f dd->d", header="special_logarithms", floats="special::kl_div(in0, in1)",
        result="array([1.        , 0.38629436])",
    ),
    special(
        "huber", 2, "Huber's loss of a residual: quadratic up to delta, linear beyond.",
        1.0, [0.5, 3.0], loops="ff->f dd->d", header="special_elementary",
        floats="special::huber(in0, in1)",
        result="array([0.125, 2.5  ])",
    ),
    special(
        "pseudo_huber", 2, "Huber's loss made smooth, delta**2 (sqrt(1 + (r / delta)**2) - 1).",
        1.0, [0.0, 3.0], loops="ff->f dd->d", header="special_elementary",
        floats="special::pseudo_huber(in0, in1)",
        result="array([0.        , 2.16227766])",
    ),
)
