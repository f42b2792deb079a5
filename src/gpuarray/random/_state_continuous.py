"""Continuous distributions of `RandomState`: NumPy's arguments, and CuPy's ``dtype``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray


class ContinuousDistributions:
    """Continuous distributions of `RandomState`."""

    _draw: Any  # variates of a distribution

    def beta(
        self,
        a: ArrayLike,
        b: ArrayLike,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Beta variates, between 0 and 1.

        Parameters
        ----------
        a, b : number or array_like
            Shapes, greater than 0.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.

        Notes
        -----
        The first one's share of two gamma variates (G. Marsaglia and W. W. Tsang, ACM TOMS 26
        (2000)), by their logarithms where a shape is below 1, which may be tiny.
        """
        return self._draw("beta", (a, b), size, dtype)

    def chisquare(
        self, df: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Chi-square variates.

        Parameters
        ----------
        df : number or array_like
            Degrees of freedom, greater than 0.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.

        Notes
        -----
        Twice a gamma variate (G. Marsaglia and W. W. Tsang, ACM TOMS 26 (2000)).
        """
        return self._draw("chisquare", (df,), size, dtype)

    def exponential(
        self,
        scale: ArrayLike = 1.0,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Exponential variates.

        Parameters
        ----------
        scale : number or array_like
            The mean, not negative.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.
        """
        return self._draw("exponential", (scale,), size, dtype)

    def f(
        self,
        dfnum: ArrayLike,
        dfden: ArrayLike,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Variates of Fisher's F distribution.

        Parameters
        ----------
        dfnum, dfden : number or array_like
            Degrees of freedom of the numerator and of the denominator, greater than 0.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.

        Notes
        -----
        The quotient of two chi-square variates, each over its degrees of freedom (G. Marsaglia and
        W. W. Tsang, ACM TOMS 26 (2000)).
        """
        return self._draw("f", (dfnum, dfden), size, dtype)

    def gamma(
        self,
        shape: ArrayLike,
        scale: ArrayLike = 1.0,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Gamma variates.

        Parameters
        ----------
        shape, scale : number or array_like
            Shape and scale, not negative.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.

        Notes
        -----
        G. Marsaglia and W. W. Tsang, ACM TOMS 26 (2000).
        """
        return self._draw("gamma", (shape, scale), size, dtype)

    def gumbel(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Gumbel variates.

        Parameters
        ----------
        loc, scale : number or array_like
            Location, and scale, not negative.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.
        """
        return self._draw("gumbel", (loc, scale), size, dtype)

    def laplace(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Laplace variates.

        Parameters
        ----------
        loc, scale : number or array_like
            Location, and scale, not negative.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.
        """
        return self._draw("laplace", (loc, scale), size, dtype)

    def logistic(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Logistic variates.

        Parameters
        ----------
        loc, scale : number or array_like
            Location, and scale, not negative.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.
        """
        return self._draw("logistic", (loc, scale), size, dtype)

    def lognormal(
        self,
        mean: ArrayLike = 0.0,
        sigma: ArrayLike = 1.0,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Log-normal variates.

        Parameters
        ----------
        mean, sigma : number or array_like
            Mean and standard deviation of the logarithm; the latter is not negative.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.
        """
        return self._draw("lognormal", (mean, sigma), size, dtype)

    def noncentral_chisquare(
        self,
        df: ArrayLike,
        nonc: ArrayLike,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Noncentral chi-square variates.

        Parameters
        ----------
        df : number or array_like
            Degrees of freedom, greater than 0.
        nonc : number or array_like
            Noncentrality, not negative.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.

        Notes
        -----
        A chi-square variate of a degree less and the square of a shifted normal one; of one degree
        or less, a Poisson mixture of chi-square variates.
        """
        return self._draw("noncentral_chisquare", (df, nonc), size, dtype)

    def noncentral_f(
        self,
        dfnum: ArrayLike,
        dfden: ArrayLike,
        nonc: ArrayLike,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Noncentral F variates.

        Parameters
        ----------
        dfnum, dfden : number or array_like
            Degrees of freedom of the numerator and of the denominator, greater than 0.
        nonc : number or array_like
            Noncentrality of the numerator, not negative.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.

        Notes
        -----
        A quotient, as of `f`, of a noncentral and a central chi-square variate.
        """
        return self._draw("noncentral_f", (dfnum, dfden, nonc), size, dtype)

    def normal(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Normal variates.

        Parameters
        ----------
        loc, scale : number or array_like
            Mean, and standard deviation, which is not negative.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.

        Notes
        -----
        G. E. P. Box and M. E. Muller, Ann. Math. Statist. 29 (1958).
        """
        return self._draw("normal", (loc, scale), size, dtype)

    def pareto(
        self, a: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Variates of the Pareto II, or Lomax, distribution.

        Parameters
        ----------
        a : number or array_like
            Shape, greater than 0.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.
        """
        return self._draw("pareto", (a,), size, dtype)

    def power(
        self, a: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Variates of a power distribution, between 0 and 1.

        Parameters
        ----------
        a : number or array_like
            Exponent, greater than 0: the density is ``a * x**(a - 1)``.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.
        """
        return self._draw("power", (a,), size, dtype)

    def rayleigh(
        self,
        scale: ArrayLike = 1.0,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Rayleigh variates.

        Parameters
        ----------
        scale : number or array_like
            The mode, not negative.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.
        """
        return self._draw("rayleigh", (scale,), size, dtype)

    def standard_t(
        self, df: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Variates of Student's t distribution.

        Parameters
        ----------
        df : number or array_like
            Degrees of freedom, greater than 0.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.

        Notes
        -----
        A normal variate over the root of a gamma variate (G. Marsaglia and W. W. Tsang, ACM TOMS 26
        (2000)).
        """
        return self._draw("standard_t", (df,), size, dtype)

    def triangular(
        self,
        left: ArrayLike,
        mode: ArrayLike,
        right: ArrayLike,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Triangular variates.

        Parameters
        ----------
        left, mode, right : number or array_like
            The lower end, the peak, and the upper end.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.
        """
        return self._draw("triangular", (left, mode, right), size, dtype)

    def uniform(
        self,
        low: ArrayLike = 0.0,
        high: ArrayLike = 1.0,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Uniform variates.

        Parameters
        ----------
        low, high : number or array_like
            The ends of the interval; the upper one is not a part of it.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.
        """
        return self._draw("uniform", (low, high), size, dtype)

    def vonmises(
        self,
        mu: ArrayLike,
        kappa: ArrayLike,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Variates of the von Mises distribution on the circle, from -pi to pi.

        Parameters
        ----------
        mu : number or array_like
            The mode, in radians.
        kappa : number or array_like
            Concentration, not negative.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.

        Notes
        -----
        D. J. Best and N. I. Fisher, Applied Statistics 28 (1979); a normal variate on the circle
        beyond a concentration of 1e6.
        """
        return self._draw("vonmises", (mu, kappa), size, dtype)

    def wald(
        self,
        mean: ArrayLike,
        scale: ArrayLike,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Wald, or inverse Gaussian, variates.

        Parameters
        ----------
        mean, scale : number or array_like
            Mean and scale, greater than 0.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.

        Notes
        -----
        J. R. Michael, W. R. Schucany and R. W. Haas, The American Statistician 30 (1976).
        """
        return self._draw("wald", (mean, scale), size, dtype)

    def weibull(
        self, a: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Weibull variates of scale 1.

        Parameters
        ----------
        a : number or array_like
            Shape, not negative.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.
        dtype : dtype, optional
            The result's dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.
        """
        return self._draw("weibull", (a,), size, dtype)
