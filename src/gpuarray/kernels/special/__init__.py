"""Special functions: rows of SciPy's ufuncs, and the device code that they call.

A page (a module here) has the rows of a chapter of SciPy's reference; ``special_*.cuh`` are the
functions in C++, in namespace ``gpuarray::special``. A function of many branches is
``__noinline__``: inlined it would be compiled for each of a thread's elements, which takes seconds.
Functions compute in double, most of those with results of float64 in pairs of doubles where digits
would cancel; results of float32 have functions of their own (``special_*_single.cuh``), or the same
template without the pairs. All formulas are from the DLMF (https://dlmf.nist.gov), or from papers
that are named beside them.
"""

from __future__ import annotations

from gpuarray.kernels.generator.operations import Operation
from gpuarray.kernels.special import (
    airy,
    bessel,
    bessel_integrals,
    bessel_orders01,
    convenience,
    elementary,
    elliptic,
    error_functions,
    gamma_functions,
    hypergeometric,
    incomplete_beta,
    incomplete_gamma,
    information,
    integrals,
    lambert,
    mathieu,
    noncentral,
    orthogonal,
    parabolic,
    spherical,
    spheroidal,
    statistics,
    struve,
)

__all__ = ["ROWS"]

_PAGES = (
    airy,
    bessel,
    bessel_integrals,
    bessel_orders01,
    convenience,
    elementary,
    elliptic,
    error_functions,
    gamma_functions,
    hypergeometric,
    incomplete_beta,
    incomplete_gamma,
    information,
    integrals,
    lambert,
    mathieu,
    noncentral,
    orthogonal,
    parabolic,
    spherical,
    spheroidal,
    statistics,
    struve,
)

#: Every row by its name.
ROWS: dict[str, Operation] = {x.name: x for page in _PAGES for x in page.ROWS}
