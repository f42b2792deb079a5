"""Owen's T function, Kolmogorov's, Smirnov's and Tukey's distributions, Wright's function."""

from __future__ import annotations

from gpuarray.kernels.generator.operations import HUGE
from gpuarray.kernels.special.special_rows import special

_HEADER = "special_statistics"

# fmt: off
ROWS = (
    special(
        "owens_t", 2, "Owen's T function.", [0.0, 1.0], 0.5, loops="ff->f dd->d", header=_HEADER,
        floats="special::owens_t(in0, in1)", weight=HUGE,
        result="array([0.07379181, 0.04306469])",
    ),
    special(
        "kolmogorov", 1, "One minus Kolmogorov's distribution.", [0.5, 1.0],
        loops="f->f d->d", header=_HEADER, floats="special::kolmogorov(in0)", weight=HUGE,
        result="array([0.96394524, 0.26999967])",
    ),
    special(
        "kolmogi", 1, "Inverse of kolmogorov.", [0.1, 0.5], loops="f->f d->d", header=_HEADER,
        floats="special::kolmogi(in0)", weight=HUGE, result="array([1.22384787, 0.82757356])",
    ),
    special(
        "nrdtrimn", 3, "Mean of the normal distribution with a quantile, from p, deviation, x.",
        [0.1, 0.5], 1.0, 0.0, loops="fff->f ddd->d", header=_HEADER,
        floats="special::nrdtrimn(in0, in1, in2)", result="array([1.28155157, 0.        ])",
    ),
    special(
        "nrdtrisd", 3, "Deviation of the normal distribution with a quantile, from mean, p, x.",
        0.0, [0.6, 0.9], 1.0, loops="fff->f ddd->d", header=_HEADER,
        floats="special::nrdtrisd(in0, in1, in2)", result="array([3.94715388, 0.78030415])",
    ),
    special(
        "powm1", 2, "x1**x2 - 1 without cancellation.", [1.0, 1.2], 1e-10,
        loops="ff->f dd->d", header=_HEADER, floats="special::powm1(in0, in1)", weight=HUGE,
        result="array([0.00000000e+00, 1.82321557e-11])",
    ),
    special(
        "wright_bessel", 3, "Wright's generalized Bessel function.", 1.0, 1.0, [0.0, 1.0],
        loops="ddd->d fff->f", header="special_wright",
        floats="special::wright_bessel(in0, in1, in2)", weight=HUGE,
        result="array([1.       , 2.2795853])",
    ),
    special(
        "log_wright_bessel", 3, "Logarithm of Wright's generalized Bessel function.",
        1.0, 1.0, [1.0, 1e6], loops="ddd->d fff->f", header="special_wright",
        floats="special::log_wright_bessel(in0, in1, in2)", weight=HUGE,
        result="array([8.23993541e-01, 1.99528067e+03])",
    ),
    special(
        "tklmbda", 2, "Tukey's lambda distribution.", [0.0, 1.0], 0.5, loops="ff->f dd->d",
        header=_HEADER, floats="special::tklmbda(in0, in1)", weight=HUGE,
        result="array([0.5       , 0.83071891])",
    ),
    special(
        "smirnov", 2, "Upper tail of Smirnov's distribution.", 5, [0.2, 0.5],
        loops="ld->d ff->f dd->d", header=_HEADER, category_operand=1,
        floats="special::smirnov(in0, double(in1))", weight=HUGE,
        result="array([0.58528, 0.056  ])",
    ),
    special(
        "smirnovi", 2, "Inverse of smirnov.", 5, [0.1, 0.5],
        loops="ld->d ff->f dd->d", header=_HEADER, category_operand=1,
        floats="special::smirnovi(in0, double(in1))", weight=HUGE,
        result="array([0.44698006, 0.23455954])",
    ),
    special(
        "besselpoly", 3, "Integral of x**x2 J(x3; 2 x1 x) from 0 to 1.", [1.0, 5.0], 0.0, 1.0,
        loops="ddd->d fff->f", header=_HEADER,
        floats="special::besselpoly(in0, in1, in2)", weight=HUGE,
        result="array([0.38805461, 0.12459358])",
    ),
)
