"""Series of HermiteE polynomials.

The constants ``hermezero``, ``hermeone`` and ``hermex`` are made on the current device when they
are used; ``hermedomain`` is in the host's memory.

Examples
--------
>>> import gpuarray as cp
>>> cp.polynomial.hermite_e.hermeval(cp.asarray([0.0, 2.0]), [1.0, 2.0, 3.0])
array([-2., 14.])
>>> cp.polynomial.hermite_e.hermemulx([1.0, 2.0])
array([2., 1., 2.])
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
    "hermezero",
    "hermeone",
    "hermex",
    "hermedomain",
    "hermeline",
    "hermeadd",
    "hermesub",
    "hermemulx",
    "hermemul",
    "hermediv",
    "hermepow",
    "hermeval",
    "hermeder",
    "hermeint",
    "herme2poly",
    "poly2herme",
    "hermefromroots",
    "hermevander",
    "hermefit",
    "hermetrim",
    "hermeroots",
    "HermiteE",
    "hermeval2d",
    "hermeval3d",
    "hermevalnd",
    "hermegrid2d",
    "hermegrid3d",
    "hermevander2d",
    "hermevander3d",
    "hermecompanion",
    "hermegauss",
    "hermeweight",
]

_functions = SeriesFunctions("hermite_e", "herme", __name__)

hermedomain = np.array([-1.0, 1.0])

hermeline = _functions.function("line")
hermeadd = _functions.function("add")
hermesub = _functions.function("sub")
hermemulx = _functions.function("mulx")
hermemul = _functions.function("mul")
hermediv = _functions.function("div")
hermepow = _functions.function("pow")
hermeval = _functions.function("val")
hermeval2d = _functions.function("val2d")
hermeval3d = _functions.function("val3d")
hermevalnd = _functions.function("valnd")
hermegrid2d = _functions.function("grid2d")
hermegrid3d = _functions.function("grid3d")
hermeder = _functions.function("der")
hermeint = _functions.function("integ", "hermeint")
hermefromroots = _functions.function("fromroots")
hermevander = _functions.function("vander")
hermevander2d = _functions.function("vander2d")
hermevander3d = _functions.function("vander3d")
hermefit = _functions.function("fit")
hermetrim = _functions.function("trim")
hermeroots = _functions.function("roots")
hermecompanion = _functions.function("companion")
herme2poly = _functions.function("to_poly", "herme2poly")
poly2herme = _functions.function("from_poly", "poly2herme")
hermegauss = _functions.function("gauss")


def hermeweight(x: ArrayLike) -> ndarray:
    """The weight by which the basis is orthogonal: ``exp(-x**2 / 2)``.

    Parameters
    ----------
    x : array_like
        The points.

    Returns
    -------
    ndarray
        The weights.
    """
    x = as_array(x, "hermeweight")
    return exp(-0.5 * x**2)


class HermiteE(Series):
    """A series of Hermite's polynomials, the probabilists'.

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
    >>> p = cp.polynomial.HermiteE([1.0, 2.0, 3.0])
    >>> p.degree(), p.deriv().degree(), p.integ().degree()
    (2, 1, 3)
    >>> (p + p).coef
    array([2., 4., 6.])
    """

    functions = _functions
    domain = np.array(hermedomain)
    window = np.array(hermedomain)
    basis_name = "He"


if TYPE_CHECKING:
    hermezero: ndarray
    hermeone: ndarray
    hermex: ndarray
else:
    __getattr__ = _functions.constant
    __dir__ = listing(__name__)

without_annotations(globals())
