"""Lambert's W function and Wright's omega function."""

from __future__ import annotations

from gpuarray.kernels.generator.operations import HUGE
from gpuarray.kernels.special.special_rows import special

_HEADER = "special_lambert"

ROWS = (
    special(
        "wrightomega", 1, "Solution w of w + log(w) = x.", [0.0, 1.0], loops="f->f d->d F->F D->D",
        header=_HEADER, floats="special::wrightomega(in0)",
        complexes="special::wrightomega(wide(in0))", weight=HUGE,
        result="array([0.56714329, 1.        ])",
    ),
    # What `lambertw` calls: point, branch, tolerance.
    special(
        "_lambertw", 3, "", loops="Dld->D", header=_HEADER,
        complexes="special::lambertw(wide(in0), in1, double(in2))", weight=HUGE,
    ),
)  # fmt: skip
