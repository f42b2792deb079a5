"""Owen's T function, Kolmogorov's distribution, parameters of the normal one, Wright's function."""

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
)
