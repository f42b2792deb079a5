"""Series made of points, of roots, of a degree, or of other series."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.math import divide
from gpuarray.polynomial.polyutils import (
    as_series,
    ends_of,
    getdomain,
    line_values,
    mapparms,
    on_line,
)

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike
    from gpuarray.polynomial._functions import SeriesFunctions


class SeriesCreation:
    """Class methods that make a series of one basis, by its functions."""

    functions: ClassVar[SeriesFunctions]
    domain: np.ndarray
    window: np.ndarray

    if TYPE_CHECKING:

        def __init__(
            self, coef: ArrayLike, domain: Any = ..., window: Any = ..., symbol: str = ...
        ) -> None: ...

    @classmethod
    def fit(
        cls,
        x: ArrayLike,
        y: ArrayLike,
        deg: Any,
        domain: Any = None,
        rcond: float | None = None,
        full: bool = False,
        w: ArrayLike | None = None,
        window: Any = None,
        symbol: str = "x",
    ) -> Any:
        """The series that fits points best, by least squares.

        Parameters
        ----------
        x, y : array_like, 1-D
            The points and the values there.
        deg : int or sequence of int
            The greatest degree, or the degrees that the series has.
        domain : pair of numbers, optional
            The domain: by default the smallest that has all points; [] for that of the class.
        rcond, full, w : optional
            As for the function of the same name.
        window : pair of numbers, optional
            The window.
        symbol : str, optional
            What the variable is called.

        Returns
        -------
        series : Series
            The fit.
        [residuals, rank, singular_values, rcond] : list
            Only with ``full``.
        """
        if domain is None:
            domain = asnumpy(getdomain(x))
            if domain[0] == domain[1]:
                domain = domain + np.array([-1, 1])
        elif isinstance(domain, list) and not domain:
            domain = cls.domain
        window = cls.window if window is None else window
        points = line_values(x, *mapparms(domain, window))
        found = cls.functions.fit(points, y, deg, w=w, rcond=rcond, full=full)
        if full:
            return cls(found[0], domain, window, symbol), found[1]
        return cls(found, domain, window, symbol)

    @classmethod
    def fromroots(
        cls,
        roots: ArrayLike,
        domain: Any = [],  # noqa: B006  # NumPy's default, which is not changed
        window: Any = None,
        symbol: str = "x",
    ) -> Self:
        """The series with given roots.

        Parameters
        ----------
        roots : array_like, 1-D
            The roots.
        domain : pair of numbers, optional
            The domain: that of the class by default, the smallest that has all roots for None.
        window : pair of numbers, optional
            The window.
        symbol : str, optional
            What the variable is called.

        Returns
        -------
        Series
            Its leading power of x has the factor 1.
        """
        [values] = as_series([roots], trim=False)
        if domain is None:
            domain = asnumpy(getdomain(values))
        elif isinstance(domain, list) and not domain:
            domain = cls.domain
        window = cls.window if window is None else ends_of(window)
        offset, scale = mapparms(domain, window)
        coef = cls.functions.fromroots(on_line(values, offset, scale))
        return cls(divide(coef, scale ** len(values)), domain, window, symbol)

    @classmethod
    def identity(cls, domain: Any = None, window: Any = None, symbol: str = "x") -> Self:
        """The series whose value is x, for all x.

        Parameters
        ----------
        domain, window : pair of numbers, optional
            Those of the class by default.
        symbol : str, optional
            What the variable is called.

        Returns
        -------
        Series
            Of degree 1.
        """
        domain = cls.domain if domain is None else domain
        window = cls.window if window is None else window
        offset, scale = mapparms(window, domain)
        return cls(cls.functions.line(offset, scale), domain, window, symbol)

    @classmethod
    def basis(cls, deg: int, domain: Any = None, window: Any = None, symbol: str = "x") -> Self:
        """The element of the basis of a degree.

        Parameters
        ----------
        deg : int
            The degree.
        domain, window : pair of numbers, optional
            Those of the class by default.
        symbol : str, optional
            What the variable is called.

        Returns
        -------
        Series
            With one coefficient that is not zero.

        Raises
        ------
        ValueError
            If the degree is no integer, or negative.
        """
        degree = int(deg)
        if degree != deg or degree < 0:
            raise ValueError(f"basis: deg is {deg}; give an integer that is not negative")
        return cls([0] * degree + [1], domain, window, symbol)
