"""Series of Chebyshev polynomials.

The constants ``chebzero``, ``chebone`` and ``chebx`` are made on the current device when they are
used; ``chebdomain`` is in the host's memory.

Examples
--------
>>> import gpuarray as cp
>>> cp.polynomial.chebyshev.chebval(cp.asarray([0.0, 0.5]), [1.0, 2.0, 3.0])
array([-2. ,  0.5])
>>> cp.polynomial.chebyshev.chebmul([0.0, 1.0], [0.0, 1.0])
array([0.5, 0. , 0.5])
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._libraries.blas import gemm
from gpuarray._namespace.public_names import listing
from gpuarray._namespace.signatures import without_annotations
from gpuarray._ops.conversion import asarray
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.math import sqrt
from gpuarray.polynomial._functions import SeriesFunctions
from gpuarray.polynomial._series_class import Series
from gpuarray.polynomial.polyutils import mapdomain

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = [
    "chebzero",
    "chebone",
    "chebx",
    "chebdomain",
    "chebline",
    "chebadd",
    "chebsub",
    "chebmulx",
    "chebmul",
    "chebdiv",
    "chebpow",
    "chebval",
    "chebder",
    "chebint",
    "cheb2poly",
    "poly2cheb",
    "chebfromroots",
    "chebvander",
    "chebfit",
    "chebtrim",
    "chebroots",
    "chebpts1",
    "chebpts2",
    "Chebyshev",
    "chebval2d",
    "chebval3d",
    "chebvalnd",
    "chebgrid2d",
    "chebgrid3d",
    "chebvander2d",
    "chebvander3d",
    "chebcompanion",
    "chebgauss",
    "chebweight",
    "chebinterpolate",
]

_functions = SeriesFunctions("chebyshev", "cheb", __name__)

chebdomain = np.array([-1.0, 1.0])

chebline = _functions.function("line")
chebadd = _functions.function("add")
chebsub = _functions.function("sub")
chebmulx = _functions.function("mulx")
chebmul = _functions.function("mul")
chebdiv = _functions.function("div")
chebpow = _functions.function("pow")
chebval = _functions.function("val")
chebval2d = _functions.function("val2d")
chebval3d = _functions.function("val3d")
chebvalnd = _functions.function("valnd")
chebgrid2d = _functions.function("grid2d")
chebgrid3d = _functions.function("grid3d")
chebder = _functions.function("der")
chebint = _functions.function("integ", "chebint")
chebfromroots = _functions.function("fromroots")
chebvander = _functions.function("vander")
chebvander2d = _functions.function("vander2d")
chebvander3d = _functions.function("vander3d")
chebfit = _functions.function("fit")
chebtrim = _functions.function("trim")
chebroots = _functions.function("roots")
chebcompanion = _functions.function("companion")
cheb2poly = _functions.function("to_poly", "cheb2poly")
poly2cheb = _functions.function("from_poly", "poly2cheb")
chebgauss = _functions.function("gauss")


def chebweight(x: ArrayLike) -> ndarray:
    """The weight by which the basis is orthogonal: ``1 / sqrt(1 - x**2)``.

    Parameters
    ----------
    x : array_like
        The points.

    Returns
    -------
    ndarray
        The weights.
    """
    x = as_array(x, "chebweight")
    return 1.0 / (sqrt(1.0 + x) * sqrt(1.0 - x))


def chebpts1(npts: int) -> ndarray:
    """The zeros of Chebyshev's polynomial of a degree, in ascending order.

    Parameters
    ----------
    npts : int
        How many: the degree.

    Returns
    -------
    ndarray, 1-D
        NumPy's values.
    """
    return asarray(np.polynomial.chebyshev.chebpts1(npts))


def chebpts2(npts: int) -> ndarray:
    """The points where Chebyshev's polynomial has its extrema, in ascending order.

    Parameters
    ----------
    npts : int
        How many: one more than the degree.

    Returns
    -------
    ndarray, 1-D
        NumPy's values.
    """
    return asarray(np.polynomial.chebyshev.chebpts2(npts))


def chebinterpolate(func: Callable[..., Any], deg: int, args: Sequence[Any] = ()) -> ndarray:
    """The series of a degree that has a function's values at the zeros of the next degree.

    Parameters
    ----------
    func : callable
        Takes an array of points and `args`; returns the values, or rows of them.
    deg : int
        The degree.
    args : sequence, optional
        Further arguments of the function.

    Returns
    -------
    ndarray
        Coefficients, from the lowest degree to the highest.

    Raises
    ------
    ValueError
        If the degree is negative.
    TypeError
        If it is no integer.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.polynomial.chebyshev.chebinterpolate(lambda x: 4 * x, 1).round(8)
    array([0., 4.])
    """
    try:
        degree = operator.index(deg)
    except TypeError:
        raise TypeError(f"chebinterpolate: deg is {deg!r}; give an integer") from None
    if degree < 0:
        raise ValueError(f"chebinterpolate: deg is {degree}; give 0 or more")
    order = degree + 1
    points = chebpts1(order)
    values = as_array(func(points, *args), "chebinterpolate").astype(np.float64)
    right = values if values.ndim == 2 else values[:, None]
    c = gemm(chebvander(points, degree).T, right)
    c[0] /= order
    c[1:] /= 0.5 * order
    return c if values.ndim == 2 else c[:, 0]


class Chebyshev(Series):
    """A series of Chebyshev's polynomials of the first kind.

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
    >>> Chebyshev = cp.polynomial.Chebyshev
    >>> p = Chebyshev([1.0, 2.0, 3.0])
    >>> p.degree(), p.cutdeg(1).degree(), p.truncate(1).degree(), p.trim().degree()
    (2, 1, 0, 2)
    >>> p.deriv().degree(), p.integ().degree(), len(p.roots())
    (1, 3, 2)
    >>> q = p.copy()
    >>> p.has_samecoef(q), p.has_samedomain(q), p.has_samewindow(q), p.has_sametype(q)
    (True, True, True, True)
    >>> Chebyshev.cast(p.convert(kind=Chebyshev)).degree(), Chebyshev.basis(3).degree()
    (2, 3)
    >>> Chebyshev.identity().degree()
    1
    >>> p.mapparms()
    (np.float64(0.0), np.float64(1.0))
    >>> x, y = p.linspace(5)
    >>> Chebyshev.fit(x, y, 2).degree(), Chebyshev.fromroots([0.0, 1.0]).degree()
    (2, 2)
    >>> Chebyshev.interpolate(cp.exp, 4).degree()
    4
    """

    functions = _functions
    domain = np.array(chebdomain)
    window = np.array(chebdomain)
    basis_name = "T"

    @classmethod
    def interpolate(
        cls, func: Callable[..., Any], deg: int, domain: Any = None, args: Sequence[Any] = ()
    ) -> Chebyshev:
        """The series that has a function's values at Chebyshev's points of a domain.

        Parameters
        ----------
        func : callable
            Takes an array of points and `args`.
        deg : int
            The degree.
        domain : pair of numbers, optional
            The domain, that of the class by default.
        args : sequence, optional
            Further arguments of the function.

        Returns
        -------
        Chebyshev
            The series.
        """
        domain = cls.domain if domain is None else domain
        coef = chebinterpolate(
            lambda x, *more: func(mapdomain(x, cls.window, domain), *more), deg, args
        )
        return cls(coef, domain=domain)


if TYPE_CHECKING:
    chebzero: ndarray
    chebone: ndarray
    chebx: ndarray
else:
    __getattr__ = _functions.constant
    __dir__ = listing(__name__)

without_annotations(globals())
