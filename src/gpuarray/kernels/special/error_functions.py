"""The error function and its relatives, and the normal distribution."""

from __future__ import annotations

from gpuarray.kernels.special.special_rows import special

# fmt: off
ROWS = (
    special(
        "erfinv", 1, "Inverse of the error function.", [0.0, 0.5],
        loops="f->f d->d", floats="::erfinv(in0)",
        result="array([0.        , 0.47693628])",
    ),
    special(
        "erfcinv", 1, "Inverse of the complementary error function.", [1.0, 1e-10],
        loops="f->f d->d", floats="::erfcinv(in0)",
        result="array([0.        , 4.57282497])",
    ),
    special(
        "ndtri", 1, "Inverse of ndtr.", [0.5, 1e-10],
        loops="f->f d->d", floats="::normcdfinv(in0)",
        result="array([ 0.       , -6.3613409])",
    ),
)
