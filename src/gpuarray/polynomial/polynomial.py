"""Polynomials: series of powers.

The constants ``polyzero``, ``polyone`` and ``polyx`` are made on the current device when they are
used; ``polydomain`` is in the host's memory.

Examples
--------
>>> import gpuarray as cp
>>> p = cp.polynomial.Polynomial([1.0, 2.0, 3.0])
>>> p(cp.asarray([0.0, 1.0, 2.0]))
array([ 1.,  6., 17.])
>>> cp.polynomial.polynomial.polymul([1.0, 2.0], [1.0, 3.0])
array([1., 5., 6.])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpuarray._namespace.public_names import listing
from gpuarray._namespace.signatures import without_annotations
from gpuarray._ops.manipulation import ndim
from gpuarray._ops.series_values import values
from gpuarray.polynomial._functions import SeriesFunctions
from gpuarray.polynomial._series_class import Series

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = [
    "polyzero",
    "polyone",
    "polyx",
    "polydomain",
    "polyline",
    "polyadd",
    "polysub",
    "polymulx",
    "polymul",
    "polydiv",
    "polypow",
    "polyval",
    "polyvalfromroots",
    "polyder",
    "polyint",
    "polyfromroots",
    "polyvander",
    "polyfit",
    "polytrim",
    "polyroots",
    "Polynomial",
    "polyval2d",
    "polyval3d",
    "polyvalnd",
    "polygrid2d",
    "polygrid3d",
    "polyvander2d",
    "polyvander3d",
    "polycompanion",
]

_functions = SeriesFunctions("power", "poly", __name__)

polydomain = np.array([-1.0, 1.0])

polyline = _functions.function("line")
polyadd = _functions.function("add")
polysub = _functions.function("sub")
polymulx = _functions.function("mulx")
polymul = _functions.function("mul")
polydiv = _functions.function("div")
polypow = _functions.function("pow_", "polypow")
polyval = _functions.function("val")
polyval2d = _functions.function("val2d")
polyval3d = _functions.function("val3d")
polyvalnd = _functions.function("valnd")
polygrid2d = _functions.function("grid2d")
polygrid3d = _functions.function("grid3d")
polyder = _functions.function("der")
polyint = _functions.function("integ", "polyint")
polyfromroots = _functions.function("fromroots")
polyvander = _functions.function("vander")
polyvander2d = _functions.function("vander2d")
polyvander3d = _functions.function("vander3d")
polyfit = _functions.function("fit")
polytrim = _functions.function("trim")
polyroots = _functions.function("roots")
polycompanion = _functions.function("companion")


def polyvalfromroots(x: ArrayLike, r: ArrayLike, tensor: bool = True) -> ndarray:
    """The values of polynomials that are given by their roots.

    Parameters
    ----------
    x : array_like
        The points.
    r : array_like
        Roots along the first axis; further dimensions are those of several polynomials.
    tensor : bool, optional
        Whether each polynomial is evaluated at each point; else the points broadcast with the
        polynomials.

    Returns
    -------
    ndarray
        One launch.

    Raises
    ------
    ValueError
        If `tensor` is False, and `x` has not fewer dimensions than `r`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.polynomial.polynomial.polyvalfromroots(cp.asarray([0.0, 3.0]), [1.0, 2.0])
    array([2., 2.])
    """
    if not tensor and ndim(x) >= max(ndim(r), 1):
        raise ValueError(
            "polyvalfromroots: with tensor=False x needs fewer dimensions than r; use tensor=True"
        )
    return values("roots", r, [x], tensor, "polyvalfromroots")


class Polynomial(Series):
    """A series of powers of x.

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
    >>> p = cp.polynomial.Polynomial([1.0, 2.0, 3.0])
    >>> p.degree(), p.deriv().degree(), p.integ().degree()
    (2, 1, 3)
    >>> (p + p).coef
    array([2., 4., 6.])
    """

    functions = _functions
    domain = np.array(polydomain)
    window = np.array(polydomain)
    basis_name = None


if TYPE_CHECKING:
    polyzero: ndarray
    polyone: ndarray
    polyx: ndarray
else:
    __getattr__ = _functions.constant
    __dir__ = listing(__name__)

without_annotations(globals())
