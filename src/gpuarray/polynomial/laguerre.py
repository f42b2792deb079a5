"""Series of Laguerre polynomials.

The constants ``lagzero``, ``lagone`` and ``lagx`` are made on the current device when they are
used; ``lagdomain`` is in the host's memory.

Examples
--------
>>> import gpuarray as cp
>>> cp.polynomial.laguerre.lagval(cp.asarray([0.0, 2.0]), [1.0, 2.0, 3.0])
array([ 6., -4.])
>>> cp.polynomial.laguerre.lag2poly([0.0, 1.0])
array([ 1., -1.])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpuarray._namespace.public_names import listing
from gpuarray._namespace.signatures import without_annotations
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import exp
from gpuarray.polynomial._functions import SeriesFunctions
from gpuarray.polynomial._series_class import Series

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = [
    "lagzero",
    "lagone",
    "lagx",
    "lagdomain",
    "lagline",
    "lagadd",
    "lagsub",
    "lagmulx",
    "lagmul",
    "lagdiv",
    "lagpow",
    "lagval",
    "lagder",
    "lagint",
    "lag2poly",
    "poly2lag",
    "lagfromroots",
    "lagvander",
    "lagfit",
    "lagtrim",
    "lagroots",
    "Laguerre",
    "lagval2d",
    "lagval3d",
    "lagvalnd",
    "laggrid2d",
    "laggrid3d",
    "lagvander2d",
    "lagvander3d",
    "lagcompanion",
    "laggauss",
    "lagweight",
]

_functions = SeriesFunctions("laguerre", "lag", __name__)

lagdomain = np.array([0.0, 1.0])

lagline = _functions.function("line")
lagadd = _functions.function("add")
lagsub = _functions.function("sub")
lagmulx = _functions.function("mulx")
lagmul = _functions.function("mul")
lagdiv = _functions.function("div")
lagpow = _functions.function("pow")
lagval = _functions.function("val")
lagval2d = _functions.function("val2d")
lagval3d = _functions.function("val3d")
lagvalnd = _functions.function("valnd")
laggrid2d = _functions.function("grid2d")
laggrid3d = _functions.function("grid3d")
lagder = _functions.function("der")
lagint = _functions.function("integ", "lagint")
lagfromroots = _functions.function("fromroots")
lagvander = _functions.function("vander")
lagvander2d = _functions.function("vander2d")
lagvander3d = _functions.function("vander3d")
lagfit = _functions.function("fit")
lagtrim = _functions.function("trim")
lagroots = _functions.function("roots")
lagcompanion = _functions.function("companion")
lag2poly = _functions.function("to_poly", "lag2poly")
poly2lag = _functions.function("from_poly", "poly2lag")
laggauss = _functions.function("gauss")


def lagweight(x: ArrayLike) -> ndarray:
    """The weight by which the basis is orthogonal: ``exp(-x)``.

    Parameters
    ----------
    x : array_like
        The points.

    Returns
    -------
    ndarray
        The weights.
    """
    x = as_array(x, "lagweight")
    return exp(-x)


class Laguerre(Series):
    """A series of Laguerre's polynomials.

    Parameters
    ----------
    coef : array_like, 1-D
        Coefficients, from the lowest degree to the highest.
    domain : pair of numbers, optional
        What is mapped linearly to the window; [0.0, 1.0] by default.
    window : pair of numbers, optional
        The interval that the domain is mapped to; [0.0, 1.0] by default.
    symbol : str, optional
        What the variable is called.

    Examples
    --------
    >>> import gpuarray as cp
    >>> p = cp.polynomial.Laguerre([1.0, 2.0, 3.0])
    >>> p.degree(), p.deriv().degree(), p.integ().degree()
    (2, 1, 3)
    >>> (p + p).coef
    array([2., 4., 6.])
    """

    functions = _functions
    domain = np.array(lagdomain)
    window = np.array(lagdomain)
    basis_name = "L"


if TYPE_CHECKING:
    lagzero: ndarray
    lagone: ndarray
    lagx: ndarray
else:
    __getattr__ = _functions.constant
    __dir__ = listing(__name__)

without_annotations(globals())
