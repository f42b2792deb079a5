"""The functions of the modules of this package, once for all bases.

A module binds them to its basis under its own names: ``legadd = _functions.function("add")``. Names
in the descriptions here are those without a prefix.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops import series, series_fits, series_values
from gpuarray._ops.conversion import asarray
from gpuarray.polynomial.polyutils import trimcoef

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray


class SeriesFunctions:
    """The functions of series in one basis.

    Parameters
    ----------
    basis : str
        Its name in the kernels: 'power', 'chebyshev' and so on.
    prefix : str
        What the names of its functions begin with.
    module : str
        Where they are.
    """

    def __init__(self, basis: str, prefix: str, module: str) -> None:
        self.basis = basis
        self.prefix = prefix
        self.module = module

    def function(self, method: str, name: str | None = None) -> Callable[..., Any]:
        """A method as a function of the module, under its name with the prefix."""
        bound = getattr(self, method)

        def call(*args: Any, **kwargs: Any) -> Any:
            return bound(*args, **kwargs)

        parameters = inspect.signature(bound).parameters.values()
        plain = [one.replace(annotation=inspect.Parameter.empty) for one in parameters]
        call.__signature__ = inspect.Signature(plain)  # type: ignore[attr-defined]  # `help` asks
        call.__doc__ = bound.__doc__
        call.__name__ = call.__qualname__ = name or self.prefix + method.rstrip("_")
        call.__module__ = self.module
        return call

    def constant(self, name: str) -> ndarray:
        """The series 0, 1 and x, on the current device, by a module's name for them."""
        if name == f"{self.prefix}zero":
            return asarray([0])
        if name == f"{self.prefix}one":
            return asarray([1])
        if name == f"{self.prefix}x":
            slope, offset = series_fits.FIRST_ELEMENTS[self.basis]
            return asarray([-offset // slope, 1 if slope == 1 else 1 / slope if slope == 2 else -1])
        raise AttributeError(f"module {self.module!r} has no attribute {name!r}")

    # --- coefficients

    def line(self, off: complex, scl: complex) -> ndarray:
        """The series of a straight line, ``off + scl * x``.

        Parameters
        ----------
        off, scl : scalar
            The value at 0, and the slope.

        Returns
        -------
        ndarray, 1-D
            One coefficient if the slope is 0, else two.
        """
        slope, offset = series_fits.FIRST_ELEMENTS[self.basis]
        if scl == 0:
            return asarray([off])
        first = off - scl * offset / slope if offset else off
        return asarray([first, scl if slope == 1 else scl / slope if slope == 2 else -scl])

    def add(self, c1: ArrayLike, c2: ArrayLike) -> ndarray:
        """The sum of two series.

        Parameters
        ----------
        c1, c2 : array_like, 1-D
            Coefficients, from the lowest degree to the highest.

        Returns
        -------
        ndarray, 1-D
            Coefficients without zeros at the end; the call waits for the device to know how many.
        """
        return series.add_series(c1, c2, f"{self.prefix}add")

    def sub(self, c1: ArrayLike, c2: ArrayLike) -> ndarray:
        """The difference of two series.

        Parameters
        ----------
        c1, c2 : array_like, 1-D
            Coefficients, from the lowest degree to the highest.

        Returns
        -------
        ndarray, 1-D
            Coefficients without zeros at the end; the call waits for the device to know how many.
        """
        return series.subtract_series(c1, c2, f"{self.prefix}sub")

    def mulx(self, c: ArrayLike) -> ndarray:
        """A series times x.

        Parameters
        ----------
        c : array_like, 1-D
            Coefficients, from the lowest degree to the highest.

        Returns
        -------
        ndarray, 1-D
            One coefficient more.
        """
        return series.multiply_by_x(self.basis, c, f"{self.prefix}mulx")

    def mul(self, c1: ArrayLike, c2: ArrayLike) -> ndarray:
        """The product of two series, in one launch.

        Parameters
        ----------
        c1, c2 : array_like, 1-D
            Coefficients, from the lowest degree to the highest.

        Returns
        -------
        ndarray, 1-D
            Coefficients without zeros at the end; the call waits for the device to know how many.
        """
        return series.multiply_series(self.basis, c1, c2, f"{self.prefix}mul")

    def div(self, c1: ArrayLike, c2: ArrayLike) -> tuple[ndarray, ndarray]:
        """The quotient of two series and what remains, in one launch.

        Parameters
        ----------
        c1, c2 : array_like, 1-D
            Coefficients, from the lowest degree to the highest.

        Returns
        -------
        quo, rem : ndarray, 1-D
            ``c1 = quo * c2 + rem``.

        Raises
        ------
        ZeroDivisionError
            If ``c2`` is zero.
        """
        return series.divide_series(self.basis, c1, c2, f"{self.prefix}div")

    def pow(self, c: ArrayLike, pow: int, maxpower: int | None = 16) -> ndarray:
        """A series to a power.

        Parameters
        ----------
        c : array_like, 1-D
            Coefficients, from the lowest degree to the highest.
        pow : int
            The power, not negative.
        maxpower : int, optional
            The greatest power that is allowed; None for any.

        Returns
        -------
        ndarray, 1-D
            Coefficients; a launch for each factor.
        """
        return series.power_of_series(self.basis, c, pow, maxpower, f"{self.prefix}pow")

    def pow_(self, c: ArrayLike, pow: int, maxpower: int | None = None) -> ndarray:
        """A polynomial to a power.

        Parameters
        ----------
        c : array_like, 1-D
            Coefficients, from the lowest degree to the highest.
        pow : int
            The power, not negative.
        maxpower : int, optional
            The greatest power that is allowed; None for any.

        Returns
        -------
        ndarray, 1-D
            Coefficients; a launch for each factor.
        """
        return self.pow(c, pow, maxpower)

    def fromroots(self, roots: ArrayLike) -> ndarray:
        """The series with given roots, whose leading power of x has the factor 1.

        Parameters
        ----------
        roots : array_like, 1-D
            The roots.

        Returns
        -------
        ndarray, 1-D
            One coefficient more than there are roots. One launch, beside the sort of the roots.
        """
        return series.from_roots(self.basis, roots, f"{self.prefix}fromroots")

    def trim(self, c: ArrayLike, tol: float = 0) -> ndarray:
        """Coefficients without small ones at the end.

        Parameters
        ----------
        c : array_like, 1-D
            Coefficients, from the lowest degree to the highest.
        tol : float, optional
            Of which magnitude those are at most that go.

        Returns
        -------
        ndarray, 1-D
            At least one coefficient.
        """
        return trimcoef(c, tol)

    # --- values

    def val(self, x: ArrayLike, c: ArrayLike, tensor: bool = True) -> ndarray:
        """The values of series at points.

        Parameters
        ----------
        x : array_like
            The points.
        c : array_like
            Coefficients of degree n are ``c[n]``; further dimensions are those of several series.
        tensor : bool, optional
            Whether each series is evaluated at each point; else the points broadcast with the
            series.

        Returns
        -------
        ndarray
            One launch. Halves are computed in float32.
        """
        return series_values.values(self.basis, c, [x], tensor, f"{self.prefix}val")

    def val2d(self, x: ArrayLike, y: ArrayLike, c: ArrayLike) -> ndarray:
        """The values of series in two variables at points.

        Parameters
        ----------
        x, y : array_like
            The points' coordinates, of one shape.
        c : array_like
            ``c[i, j]`` has the factor of degree i in x and j in y.

        Returns
        -------
        ndarray
            One launch.
        """
        return series_values.values(self.basis, c, [x, y], True, f"{self.prefix}val2d")

    def val3d(self, x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike) -> ndarray:
        """The values of series in three variables at points.

        Parameters
        ----------
        x, y, z : array_like
            The points' coordinates, of one shape.
        c : array_like
            ``c[i, j, k]`` has the factor of degree i in x, j in y and k in z.

        Returns
        -------
        ndarray
            One launch.
        """
        return series_values.values(self.basis, c, [x, y, z], True, f"{self.prefix}val3d")

    def valnd(self, pts: Sequence[ArrayLike] | ndarray, c: ArrayLike) -> ndarray:
        """The values of series in any number of variables at points.

        Parameters
        ----------
        pts : sequence of array_like
            The points' coordinates in each variable, of one shape.
        c : array_like
            The first axes of the coefficients are those of the variables.

        Returns
        -------
        ndarray
            One launch.
        """
        return series_values.values(self.basis, c, list(pts), True, f"{self.prefix}valnd")

    def grid2d(self, x: ArrayLike, y: ArrayLike, c: ArrayLike) -> ndarray:
        """The values of series in two variables on the grid of all pairs of coordinates.

        Parameters
        ----------
        x, y : array_like
            Coordinates.
        c : array_like
            ``c[i, j]`` has the factor of degree i in x and j in y.

        Returns
        -------
        ndarray
            Of the shapes of x and y behind one another. A launch for each variable.
        """
        return series_values.grid_values(self.basis, c, [x, y], f"{self.prefix}grid2d")

    def grid3d(self, x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike) -> ndarray:
        """The values of series in three variables on the grid of all triples of coordinates.

        Parameters
        ----------
        x, y, z : array_like
            Coordinates.
        c : array_like
            ``c[i, j, k]`` has the factor of degree i in x, j in y and k in z.

        Returns
        -------
        ndarray
            Of the shapes of x, y and z behind one another. A launch for each variable.
        """
        return series_values.grid_values(self.basis, c, [x, y, z], f"{self.prefix}grid3d")

    def vander(self, x: ArrayLike, deg: int) -> ndarray:
        """The values of the elements of the basis at points.

        Parameters
        ----------
        x : array_like
            The points.
        deg : int
            The greatest degree.

        Returns
        -------
        ndarray
            ``[..., k]`` are the values of the element of degree k. One launch.
        """
        return series_values.basis_values(self.basis, x, deg, f"{self.prefix}vander")

    def vander2d(self, x: ArrayLike, y: ArrayLike, deg: Sequence[int]) -> ndarray:
        """The values of the products of elements of the basis in two variables.

        Parameters
        ----------
        x, y : array_like
            The points' coordinates, of one shape.
        deg : pair of int
            The greatest degrees.

        Returns
        -------
        ndarray
            The products are along the last axis, the degree in y counting fastest.
        """
        return series_values.basis_products(self.basis, [x, y], deg, f"{self.prefix}vander2d")

    def vander3d(self, x: ArrayLike, y: ArrayLike, z: ArrayLike, deg: Sequence[int]) -> ndarray:
        """The values of the products of elements of the basis in three variables.

        Parameters
        ----------
        x, y, z : array_like
            The points' coordinates, of one shape.
        deg : triple of int
            The greatest degrees.

        Returns
        -------
        ndarray
            The products are along the last axis, the degree in z counting fastest.
        """
        return series_values.basis_products(self.basis, [x, y, z], deg, f"{self.prefix}vander3d")

    # --- derivatives, integrals, roots, fits

    def der(self, c: ArrayLike, m: int = 1, scl: complex = 1, axis: int = 0) -> ndarray:
        """The derivative of series.

        Parameters
        ----------
        c : array_like
            Coefficients along an axis.
        m : int, optional
            How many times it is taken: a launch each.
        scl : scalar, optional
            What each derivative is multiplied by.
        axis : int, optional
            The axis.

        Returns
        -------
        ndarray
            The derivative's coefficients.
        """
        return series.differentiate(self.basis, c, m, scl, axis, f"{self.prefix}der")

    def integ(
        self,
        c: ArrayLike,
        m: int = 1,
        k: Any = [],  # noqa: B006  # NumPy's default, which is not changed
        lbnd: complex = 0,
        scl: complex = 1,
        axis: int = 0,
    ) -> ndarray:
        """The integral of series.

        Parameters
        ----------
        c : array_like
            Coefficients along an axis.
        m : int, optional
            How many times it is taken: a launch each.
        k : scalar or sequence of scalars, optional
            The value of each integral at ``lbnd``, 0 where none is given.
        lbnd : scalar, optional
            The bound.
        scl : scalar, optional
            What each integral is multiplied by before its constant is added.
        axis : int, optional
            The axis.

        Returns
        -------
        ndarray
            The integral's coefficients.
        """
        return series.integrate(self.basis, c, m, k, lbnd, scl, axis, f"{self.prefix}int")

    def companion(self, c: ArrayLike) -> ndarray:
        """The matrix whose eigenvalues are the roots of a series.

        Parameters
        ----------
        c : array_like, 1-D
            Coefficients, two at least.

        Returns
        -------
        ndarray, 2-D
            Symmetric but for the last column, where the basis has norms to scale it by.
        """
        return series_fits.companion(self.basis, c, f"{self.prefix}companion")

    def roots(self, c: ArrayLike) -> ndarray:
        """The roots of a series.

        Parameters
        ----------
        c : array_like, 1-D
            Coefficients, from the lowest degree to the highest.

        Returns
        -------
        ndarray, 1-D
            In ascending order; complex unless all are real.

        Raises
        ------
        LinAlgError
            If a coefficient is infinite or NaN.

        Notes
        -----
        The eigenvalues of the companion matrix, by cuSOLVER, which has them from CUDA 12.6.2 on.
        The call waits for the device.
        """
        return series_fits.roots(self.basis, c, f"{self.prefix}roots")

    def fit(
        self,
        x: ArrayLike,
        y: ArrayLike,
        deg: Any,
        rcond: float | None = None,
        full: bool = False,
        w: ArrayLike | None = None,
    ) -> Any:
        """The series that fits points best, by least squares.

        Parameters
        ----------
        x : array_like, 1-D
            The points.
        y : array_like
            The values at the points; columns of two dimensions are fitted one by one.
        deg : int or sequence of int
            The greatest degree, or the degrees that the series has.
        rcond : float, optional
            Singular values that are smaller in relation to the greatest are taken for zero; by
            default the number of points times the precision.
        full : bool, optional
            Return how well it fits, too.
        w : array_like, 1-D, optional
            What the residual of each point is multiplied by.

        Returns
        -------
        coef : ndarray
            Coefficients, from the lowest degree to the highest.
        [residuals, rank, singular_values, rcond] : list
            Only with ``full``.

        Warns
        -----
        RankWarning
            If the rank is too low, unless ``full`` is true.

        Notes
        -----
        A QR factorisation of the points' matrix and the singular values of R, by cuSOLVER. The call
        waits for the device.
        """
        return series_fits.fit(self.basis, x, y, deg, rcond, full, w, f"{self.prefix}fit")

    # --- other bases

    def to_poly(self, c: ArrayLike) -> ndarray:
        """The polynomial of a series: coefficients of powers.

        Parameters
        ----------
        c : array_like, 1-D
            Coefficients, from the lowest degree to the highest.

        Returns
        -------
        ndarray, 1-D
            Coefficients of powers, from the lowest to the highest. One launch.
        """
        return self._converted(c, self.basis, "power", f"{self.prefix}2poly")

    def from_poly(self, pol: ArrayLike) -> ndarray:
        """The series of a polynomial.

        Parameters
        ----------
        pol : array_like, 1-D
            Coefficients of powers, from the lowest to the highest.

        Returns
        -------
        ndarray, 1-D
            Coefficients, from the lowest degree to the highest. One launch.
        """
        return self._converted(pol, "power", self.basis, f"poly2{self.prefix}")

    def _converted(self, c: ArrayLike, outer: str, basis: str, name: str) -> ndarray:
        [coefficients] = series.as_series([c], name=name)
        one = asarray([1], coefficients._layout.dtype)
        return series.compose(outer, basis, coefficients, one)

    def gauss(self, deg: int) -> tuple[ndarray, ndarray]:
        """The nodes and weights of Gauss' quadrature.

        Parameters
        ----------
        deg : int
            How many there are; integrals of degree ``2 * deg - 1`` are exact.

        Returns
        -------
        x, y : ndarray, 1-D
            Nodes and weights: NumPy's, since they do not depend on data.
        """
        found = getattr(getattr(np.polynomial, self.basis), f"{self.prefix}gauss")(deg)
        return asarray(found[0]), asarray(found[1])
