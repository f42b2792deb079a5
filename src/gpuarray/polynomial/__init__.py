"""Series of polynomials with coefficients in device memory: NumPy's ``numpy.polynomial``.

A class for each basis, and a module of functions of coefficients. Evaluation, products, derivatives
and changes of the basis are one launch each. Where zeros at the end are dropped, the number of
coefficients depends on their values: the call waits for the device, as it does in fits and for
roots.

Examples
--------
>>> import gpuarray as cp
>>> p = cp.polynomial.Chebyshev([1.0, 2.0, 3.0])
>>> p.deriv()
Chebyshev([ 2., 12.], domain=[-1.,  1.], window=[-1.,  1.], symbol='x')
"""

from __future__ import annotations

from gpuarray._namespace.public_names import listing
from gpuarray.polynomial import (
    chebyshev,
    hermite,
    hermite_e,
    laguerre,
    legendre,
    polynomial,
    polyutils,
)
from gpuarray.polynomial._series_class import set_default_printstyle
from gpuarray.polynomial.chebyshev import Chebyshev
from gpuarray.polynomial.hermite import Hermite
from gpuarray.polynomial.hermite_e import HermiteE
from gpuarray.polynomial.laguerre import Laguerre
from gpuarray.polynomial.legendre import Legendre
from gpuarray.polynomial.polynomial import Polynomial

__all__ = [
    "Chebyshev", "Hermite", "HermiteE", "Laguerre", "Legendre", "Polynomial",
    "chebyshev", "hermite", "hermite_e", "laguerre", "legendre", "polynomial", "polyutils",
    "set_default_printstyle",
]  # fmt: skip
__dir__ = listing(__name__)
