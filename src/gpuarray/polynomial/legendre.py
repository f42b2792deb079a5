"""Series of Legendre polynomials.

The constants ``legzero``, ``legone`` and ``legx`` are made on the current device when they are
used; ``legdomain`` is in the host's memory.

Examples
--------
>>> import gpuarray as cp
>>> cp.polynomial.legendre.legval(cp.asarray([0.0, 1.0]), [1.0, 2.0, 4.0])
array([-1.,  7.])
>>> cp.polynomial.legendre.legder([1.0, 2.0, 3.0])
array([2., 9.])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpuarray._namespace.public_names import listing
from gpuarray._namespace.signatures import without_annotations
from gpuarray._ops.manipulation import as_array
from gpuarray.polynomial._functions import SeriesFunctions
from gpuarray.polynomial._series_class import Series

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = [
    "legzero",
    "legone",
    "legx",
    "legdomain",
    "legline",
    "legadd",
    "legsub",
    "legmulx",
    "legmul",
    "legdiv",
    "legpow",
    "legval",
    "legder",
    "legint",
    "leg2poly",
    "poly2leg",
    "legfromroots",
    "legvander",
    "legfit",
    "legtrim",
    "legroots",
    "Legendre",
    "legval2d",
    "legval3d",
    "legvalnd",
    "leggrid2d",
    "leggrid3d",
    "legvander2d",
    "legvander3d",
    "legcompanion",
    "leggauss",
    "legweight",
]

_functions = SeriesFunctions("legendre", "leg", __name__)

legdomain = np.array([-1.0, 1.0])

legline = _functions.function("line")
legadd = _functions.function("add")
legsub = _functions.function("sub")
legmulx = _functions.function("mulx")
legmul = _functions.function("mul")
legdiv = _functions.function("div")
legpow = _functions.function("pow")
legval = _functions.function("val")
legval2d = _functions.function("val2d")
legval3d = _functions.function("val3d")
legvalnd = _functions.function("valnd")
leggrid2d = _functions.function("grid2d")
leggrid3d = _functions.function("grid3d")
legder = _functions.function("der")
legint = _functions.function("integ", "legint")
legfromroots = _functions.function("fromroots")
legvander = _functions.function("vander")
legvander2d = _functions.function("vander2d")
legvander3d = _functions.function("vander3d")
legfit = _functions.function("fit")
legtrim = _functions.function("trim")
legroots = _functions.function("roots")
legcompanion = _functions.function("companion")
leg2poly = _functions.function("to_poly", "leg2poly")
poly2leg = _functions.function("from_poly", "poly2leg")
leggauss = _functions.function("gauss")


def legweight(x: ArrayLike) -> ndarray:
    """The weight by which the basis is orthogonal: 1, everywhere.

    Parameters
    ----------
    x : array_like
        The points.

    Returns
    -------
    ndarray
        The weights.
    """
    x = as_array(x, "legweight")
    return x * 0.0 + 1.0


class Legendre(Series):
    """A series of Legendre's polynomials.

    Parameters
    ----------
    coef : array_like, 1-D
        Coefficients, from the lowest degree to the highest.
    domain : pair of numbers, optional
        What is mapped linearly to the window; [-1.0, 1.0] by default.
    window : pair of numbers, optional
        The interval that the domain is mapped to; [-1.0, 1.0] by default.
    symbol : str, optional
        What the variable is called.

    Examples
    --------
    >>> import gpuarray as cp
    >>> p = cp.polynomial.Legendre([1.0, 2.0, 3.0])
    >>> p.degree(), p.deriv().degree(), p.integ().degree()
    (2, 1, 3)
    >>> (p + p).coef
    array([2., 4., 6.])
    """

    functions = _functions
    domain = np.array(legdomain)
    window = np.array(legdomain)
    basis_name = "P"


if TYPE_CHECKING:
    legzero: ndarray
    legone: ndarray
    legx: ndarray
else:
    __getattr__ = _functions.constant
    __dir__ = listing(__name__)

without_annotations(globals())
