"""What the classes of series have in common, each of which has a basis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from gpuarray._array import ArrayBase
from gpuarray._ops import series
from gpuarray._ops.conversion import asarray
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.samples import linspace
from gpuarray.polynomial._series_arithmetic import SeriesArithmetic
from gpuarray.polynomial._series_creation import SeriesCreation
from gpuarray.polynomial.polyutils import (
    as_series,
    ends_of,
    line_values,
    mapdomain,
    mapparms,
    trimcoef,
)

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray
    from gpuarray.polynomial._functions import SeriesFunctions

#: How series are printed: 'ascii', 'unicode', or None for NumPy's choice.
_style: str | None = None


def set_default_printstyle(style: str) -> None:
    """Choose how series are printed.

    Parameters
    ----------
    style : {'unicode', 'ascii'}
        With subscripts and superscripts, or without.

    Raises
    ------
    ValueError
        If there is no such style.

    Examples
    --------
    >>> import gpuarray as cp
    >>> print(format(cp.polynomial.Polynomial([1, 2, 3]), "ascii"))
    1.0 + 2.0 x + 3.0 x**2
    """
    global _style
    if style not in ("unicode", "ascii"):
        raise ValueError(
            f"set_default_printstyle: no style is called {style!r}; use 'ascii' or 'unicode'"
        )
    _style = style


def _domain(ends: Any, name: str) -> np.ndarray:
    """A domain or a window on the host: two numbers."""
    found = ends_of(ends)
    dtype = found.dtype if found.dtype.kind in "fc" else np.dtype(np.float64)
    found = np.array(found, dtype, ndmin=1)
    if found.ndim != 1:
        raise ValueError(f"{name}: an array of shape {found.shape}; give two numbers")
    if found.size != 2:
        raise ValueError(f"{name}: {found.size} numbers; give two")
    return found


class Series(SeriesArithmetic, SeriesCreation):
    """A series of polynomials: coefficients, the domain of its variable, and a symbol for it.

    Parameters
    ----------
    coef : array_like, 1-D
        Coefficients, from the lowest degree to the highest.
    domain : pair of numbers, optional
        What is mapped linearly to the window: values at x are those of the basis at its image.
    window : pair of numbers, optional
        The interval that the domain is mapped to.
    symbol : str, optional
        What the variable is called.

    Attributes
    ----------
    coef : ndarray
        The coefficients, in device memory.
    domain, window : numpy.ndarray
        In the host's memory: no launch needs more than two numbers of them.
    """

    # Operators of arrays leave it to this class what they do.
    __array_ufunc__ = None
    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]  # as of all that is compared by value

    maxpower = 100
    #: The functions of the basis.
    functions: ClassVar[SeriesFunctions]
    domain: np.ndarray
    window: np.ndarray
    coef: ndarray
    #: The letter of the basis' elements where the series is printed.
    basis_name: ClassVar[str | None] = None

    def __init__(
        self, coef: ArrayLike, domain: Any = None, window: Any = None, symbol: str = "x"
    ) -> None:
        [self.coef] = as_series([coef], trim=False)
        if domain is not None:
            self.domain = _domain(domain, "Domain")
        if window is not None:
            self.window = _domain(window, "Window")
        try:
            identifier = symbol.isidentifier()
        except AttributeError:
            raise TypeError(f"symbol={symbol!r} is no name; give a str") from None
        if not identifier:
            raise ValueError(
                f"symbol={symbol!r} is no name; give one that Python takes as an identifier"
            )
        self._symbol = symbol

    @property
    def symbol(self) -> str:
        """What the variable is called."""
        return self._symbol

    def _like(self, coef: Any) -> Self:
        return type(self)(coef, self.domain, self.window, self.symbol)

    # --- text

    def _on_host(self) -> Any:
        """NumPy's series with the same coefficients, for its text."""
        cls = getattr(np.polynomial, self._numpy_class())
        return cls(asnumpy(self.coef), self.domain, self.window, self.symbol)

    @classmethod
    def _numpy_class(cls) -> str:
        return next(one.__name__ for one in cls.__mro__ if "functions" in vars(one))

    def __repr__(self) -> str:
        text = repr(self._on_host())
        return type(self).__name__ + text[text.index("(") :]

    def __str__(self) -> str:
        return str(self._on_host()) if _style is None else format(self._on_host(), _style)

    def __format__(self, fmt_str: str) -> str:
        return format(self._on_host(), fmt_str) if fmt_str else str(self)

    def _repr_latex_(self) -> str:
        return self._on_host()._repr_latex_()

    # --- comparison

    def has_samecoef(self, other: Series) -> bool:
        """Whether another series has the same coefficients.

        Parameters
        ----------
        other : Series
            The other one.

        Returns
        -------
        bool
            Whether.
        """
        return len(self) == len(other) and bool((self.coef == other.coef).all())

    def has_samedomain(self, other: Series) -> bool:
        """Whether another series has the same domain.

        Parameters
        ----------
        other : Series
            The other one.

        Returns
        -------
        bool
            Whether.
        """
        return bool(np.all(self.domain == other.domain))

    def has_samewindow(self, other: Series) -> bool:
        """Whether another series has the same window.

        Parameters
        ----------
        other : Series
            The other one.

        Returns
        -------
        bool
            Whether.
        """
        return bool(np.all(self.window == other.window))

    def has_sametype(self, other: object) -> bool:
        """Whether an object is a series of this class.

        Parameters
        ----------
        other : object
            The other one.

        Returns
        -------
        bool
            Whether.
        """
        return isinstance(other, self.__class__)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, self.__class__)
            and self.has_samedomain(other)
            and self.has_samewindow(other)
            and self.symbol == other.symbol
            and self.has_samecoef(other)
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    # --- values

    def __call__(self, arg: Any) -> Any:
        """The values at points, or the series of another one's values."""
        offset, scale = self.mapparms()
        if not isinstance(arg, Series):
            if not isinstance(arg, ArrayBase):
                arg = asarray(arg)
            return self.functions.val(line_values(arg, offset, scale), self.coef)
        inner = offset + scale * arg
        return inner._like(_composed(self.functions.basis, self.coef, inner))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.coef)

    def __len__(self) -> int:
        return len(self.coef)

    def linspace(self, n: int = 100, domain: Any = None) -> tuple[ndarray, ndarray]:
        """Points at equal distances in a domain, and the values there.

        Parameters
        ----------
        n : int, optional
            How many.
        domain : pair of numbers, optional
            The first and the last point; those of the series' domain by default.

        Returns
        -------
        x, y : ndarray, 1-D
            Points and values.
        """
        ends = self.domain if domain is None else ends_of(domain)
        x = linspace(ends[0], ends[1], n)
        return x, self(x)

    def roots(self) -> ndarray:
        """The roots of the series in its domain's terms; see the function of the same name.

        Returns
        -------
        ndarray, 1-D
            Complex, where one of them is.
        """
        return mapdomain(self.functions.roots(self.coef), self.window, self.domain)

    # --- coefficients

    def copy(self) -> Self:
        """A series with coefficients of its own.

        Returns
        -------
        Series
            Of the same class.
        """
        return self._like(self.coef)

    def degree(self) -> int:
        """The degree: one less than there are coefficients.

        Returns
        -------
        int
            The degree.
        """
        return len(self) - 1

    def cutdeg(self, deg: int) -> Self:
        """The series without coefficients of a greater degree.

        Parameters
        ----------
        deg : int
            The greatest degree that stays.

        Returns
        -------
        Series
            Of the same class.
        """
        return self.truncate(deg + 1)

    def trim(self, tol: float = 0) -> Self:
        """The series without coefficients at the end of a magnitude up to a limit.

        Parameters
        ----------
        tol : float, optional
            The limit.

        Returns
        -------
        Series
            Of the same class.
        """
        return self._like(trimcoef(self.coef, tol))

    def truncate(self, size: int) -> Self:
        """The series of the first coefficients.

        Parameters
        ----------
        size : int
            How many coefficients stay.

        Returns
        -------
        Series
            Of the same class.

        Raises
        ------
        ValueError
            If the size is no positive integer.
        """
        count = int(size)
        if count != size or count < 1:
            raise ValueError(f"truncate: size is {size}; give a positive integer")
        return self._like(self.coef[:count])

    def mapparms(self) -> tuple[Any, Any]:
        """The offset and the scale of the map from the domain to the window.

        Returns
        -------
        off, scl : scalar
            Of the map ``off + scl * x``.
        """
        return mapparms(self.domain, self.window)

    def integ(self, m: int = 1, k: Any = [], lbnd: Any = None) -> Self:  # noqa: B006
        """The integral.

        Parameters
        ----------
        m : int, optional
            How many times it is taken.
        k : scalar or sequence of scalars, optional
            The value of each integral at the bound.
        lbnd : scalar, optional
            The bound.

        Returns
        -------
        Series
            Of the same class.
        """
        offset, scale = self.mapparms()
        bound = 0 if lbnd is None else offset + scale * lbnd
        return self._like(self.functions.integ(self.coef, m, k, bound, 1.0 / scale))

    def deriv(self, m: int = 1) -> Self:
        """The m-th derivative.

        Parameters
        ----------
        m : int, optional
            How often it is derived.

        Returns
        -------
        Series
            Of the same class.
        """
        return self._like(self.functions.der(self.coef, m, self.mapparms()[1]))

    def convert(
        self, domain: Any = None, kind: type[Series] | None = None, window: Any = None
    ) -> Any:
        """The series in another basis, another domain or another window.

        Parameters
        ----------
        domain : pair of numbers, optional
            The new domain, by default that of the class.
        kind : type, optional
            The new class, by default the same.
        window : pair of numbers, optional
            The new window, by default that of the class.

        Returns
        -------
        Series
            Its values are the same but for rounding. One launch.
        """
        kind = self.__class__ if kind is None else kind
        domain = kind.domain if domain is None else ends_of(domain)
        window = kind.window if window is None else ends_of(window)
        # From the new window by the domain to the old window.
        first, second = mapparms(window, domain), self.mapparms()
        offset, scale = second[0] + second[1] * first[0], second[1] * first[1]
        dtype = np.result_type(self.coef.dtype, offset, scale)
        one = asarray([1], dtype)
        coef = series.compose(
            self.functions.basis, kind.functions.basis, self.coef.astype(dtype), one,
            dtype.type(offset).item(), dtype.type(scale).item(),
        )  # fmt: skip
        return kind(series.trimmed(coef), domain, window, self.symbol)

    @classmethod
    def cast(cls, series: Series, domain: Any = None, window: Any = None) -> Self:
        """A series of any class as one of this class; see `convert`.

        Parameters
        ----------
        series : Series
            The series.
        domain, window : pair of numbers, optional
            Those of the class by default.

        Returns
        -------
        Series
            Of this class.
        """
        return series.convert(domain, cls, window)


#: P[k + 1] = (a * x + b) * P[k] - c * P[k - 1], on the host: a, b and c for k.
_RECURRENCES: dict[str, Callable[[int], tuple[float, float, float]]] = {
    "power": lambda k: (1, 0, 0),
    "chebyshev": lambda k: (2 if k else 1, 0, 1),
    "legendre": lambda k: ((2 * k + 1) / (k + 1), 0, k / (k + 1)),
    "hermite": lambda k: (2, 0, 2 * k),
    "hermite_e": lambda k: (1, 0, k),
    "laguerre": lambda k: (-1 / (k + 1), (2 * k + 1) / (k + 1), k / (k + 1)),
}


def _composed(basis: str, coef: Any, inner: Series) -> Any:
    """The coefficients of a series of another one: Clenshaw's method, product by product."""
    functions, recurrence = inner.functions, _RECURRENCES[basis]
    here: Any = coef[-1:]
    before: Any = None
    for k in range(len(coef) - 2, -1, -1):
        a, b, c = *recurrence(k)[:2], recurrence(k + 1)[2]
        product = functions.mul(here, inner.coef)
        value = functions.add(coef[k : k + 1], product if a == 1 else product * a)
        if b:
            value = functions.add(value, here * b)
        if c and before is not None:
            value = functions.sub(value, before * c)
        before, here = here, value
    return here
