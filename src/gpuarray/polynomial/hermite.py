"""Series of Hermite polynomials.

The constants ``hermzero``, ``hermone`` and ``hermx`` are made on the current device when they are
used; ``hermdomain`` is in the host's memory.

Examples
--------
>>> import gpuarray as cp
>>> cp.polynomial.hermite.hermval(cp.asarray([0.0, 0.5]), [1.0, 2.0, 3.0])
array([-5.,  0.])
>>> cp.polynomial.hermite.hermder([1.0, 2.0, 3.0])
array([ 4., 12.])
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
    "hermzero",
    "hermone",
    "hermx",
    "hermdomain",
    "hermline",
    "hermadd",
    "hermsub",
    "hermmulx",
    "hermmul",
    "hermdiv",
    "hermpow",
    "hermval",
    "hermder",
    "hermint",
    "herm2poly",
    "poly2herm",
    "hermfromroots",
    "hermvander",
    "hermfit",
    "hermtrim",
    "hermroots",
    "Hermite",
    "hermval2d",
    "hermval3d",
    "hermvalnd",
    "hermgrid2d",
    "hermgrid3d",
    "hermvander2d",
    "hermvander3d",
    "hermcompanion",
    "hermgauss",
    "hermweight",
]

_functions = SeriesFunctions("hermite", "herm", __name__)

hermdomain = np.array([-1.0, 1.0])

hermline = _functions.function("line")
hermadd = _functions.function("add")
hermsub = _functions.function("sub")
hermmulx = _functions.function("mulx")
hermmul = _functions.function("mul")
hermdiv = _functions.function("div")
hermpow = _functions.function("pow")
hermval = _functions.function("val")
hermval2d = _functions.function("val2d")
hermval3d = _functions.function("val3d")
hermvalnd = _functions.function("valnd")
hermgrid2d = _functions.function("grid2d")
hermgrid3d = _functions.function("grid3d")
hermder = _functions.function("der")
hermint = _functions.function("integ", "hermint")
hermfromroots = _functions.function("fromroots")
hermvander = _functions.function("vander")
hermvander2d = _functions.function("vander2d")
hermvander3d = _functions.function("vander3d")
hermfit = _functions.function("fit")
hermtrim = _functions.function("trim")
hermroots = _functions.function("roots")
hermcompanion = _functions.function("companion")
herm2poly = _functions.function("to_poly", "herm2poly")
poly2herm = _functions.function("from_poly", "poly2herm")
hermgauss = _functions.function("gauss")


def hermweight(x: ArrayLike) -> ndarray:
    """The weight by which the basis is orthogonal: ``exp(-x**2)``.

    Parameters
    ----------
    x : array_like
        The points.

    Returns
    -------
    ndarray
        The weights.
    """
    x = as_array(x, "hermweight")
    return exp(-(x**2))


class Hermite(Series):
    """A series of Hermite's polynomials, the physicists'.

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
    >>> p = cp.polynomial.Hermite([1.0, 2.0, 3.0])
    >>> p.degree(), p.deriv().degree(), p.integ().degree()
    (2, 1, 3)
    >>> (p + p).coef
    array([2., 4., 6.])
    """

    functions = _functions
    domain = np.array(hermdomain)
    window = np.array(hermdomain)
    basis_name = "H"


if TYPE_CHECKING:
    hermzero: ndarray
    hermone: ndarray
    hermx: ndarray
else:
    __getattr__ = _functions.constant
    __dir__ = listing(__name__)

without_annotations(globals())
