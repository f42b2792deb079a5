"""The gamma function and its relatives."""

from __future__ import annotations

from gpuarray.kernels.special.special_rows import special

_HEADER = "special_gamma"

# fmt: off
ROWS = (
    special(
        "gammaln", 1, "Logarithm of the magnitude of the gamma function.", [1.0, 10.0],
        loops="d->d f->f", floats="in0 == -special::infinity() ? in0 : ::lgamma(in0)",
        result="array([ 0.        , 12.80182748])",
    ),
    special(
        "gammasgn", 1, "Sign of the gamma function.", [-1.5, 3.0],
        loops="d->d f->f", header=_HEADER, floats="special::gammasgn(in0)",
        result="array([1., 1.])",
    ),
)
