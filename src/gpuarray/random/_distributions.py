"""Distributions of `Generator` whose variates are not those of NumPy's streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _dtypes
from gpuarray.random._parameters import check_out
from gpuarray.random._variates import draw
from gpuarray.random._vectors import VectorDistributions

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray


class Distributions(VectorDistributions):
    """Variates that have one word of the bit generator's stream each."""

    def _words(self, count: int) -> Any:
        """So many words of the stream."""
        raise NotImplementedError

    def _places(self, count: int) -> None:
        """None: variates are drawn from words."""

    def beta(self, a: ArrayLike, b: ArrayLike, size: int | Sequence[int] | None = None) -> ndarray:
        """Beta variates, between 0 and 1.

        Parameters
        ----------
        a, b : number or array_like
            Shapes, greater than 0.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.

        Returns
        -------
        ndarray
            float64, one variate an element.

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

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each element has one word of the bit
        generator's stream, and Philox4x32-10 makes the bits of its variate of it.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).beta(2, 3, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "beta", (a, b), size)

    def binomial(
        self, n: ArrayLike, p: ArrayLike, size: int | Sequence[int] | None = None
    ) -> ndarray:
        """Binomial variates.

        Parameters
        ----------
        n : number or array_like
            How often is tried, not negative.
        p : number or array_like
            Probability of success, from 0 to 1.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.

        Returns
        -------
        ndarray
            int64, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is 0
            or the least.

        Notes
        -----
        Algorithm BTRS of W. Hörmann, J. Statist. Comput. Simulation 46 (1993), with C. Loader's
        probabilities (2000); by inversion where fewer than 10 are expected.

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each element has one word of the bit
        generator's stream, and Philox4x32-10 makes the bits of its variate of it.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).binomial(10, 0.5, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "binomial", (n, p), size)

    def chisquare(self, df: ArrayLike, size: int | Sequence[int] | None = None) -> ndarray:
        """Chi-square variates.

        Parameters
        ----------
        df : number or array_like
            Degrees of freedom, greater than 0.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.

        Returns
        -------
        ndarray
            float64, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.

        Notes
        -----
        Twice a gamma variate (G. Marsaglia and W. W. Tsang, ACM TOMS 26 (2000)).

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each element has one word of the bit
        generator's stream, and Philox4x32-10 makes the bits of its variate of it.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).chisquare(3, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "chisquare", (df,), size)

    def f(
        self, dfnum: ArrayLike, dfden: ArrayLike, size: int | Sequence[int] | None = None
    ) -> ndarray:
        """Variates of Fisher's F distribution.

        Parameters
        ----------
        dfnum, dfden : number or array_like
            Degrees of freedom of the numerator and of the denominator, greater than 0.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.

        Returns
        -------
        ndarray
            float64, one variate an element.

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

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each element has one word of the bit
        generator's stream, and Philox4x32-10 makes the bits of its variate of it.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).f(3, 10, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "f", (dfnum, dfden), size)

    def gamma(
        self, shape: ArrayLike, scale: ArrayLike = 1.0, size: int | Sequence[int] | None = None
    ) -> ndarray:
        """Gamma variates.

        Parameters
        ----------
        shape, scale : number or array_like
            Shape and scale, not negative.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.

        Returns
        -------
        ndarray
            float64, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.

        Notes
        -----
        G. Marsaglia and W. W. Tsang, ACM TOMS 26 (2000).

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each element has one word of the bit
        generator's stream, and Philox4x32-10 makes the bits of its variate of it.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).gamma(2.5, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "gamma", (shape, scale), size)

    def geometric(self, p: ArrayLike, size: int | Sequence[int] | None = None) -> ndarray:
        """Geometric variates: how often is tried until the first success.

        Parameters
        ----------
        p : number or array_like
            Probability of success, greater than 0 and at most 1.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.

        Returns
        -------
        ndarray
            int64, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is 0
            or the least.

        Notes
        -----
        By inversion.

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each element has one word of the bit
        generator's stream, and Philox4x32-10 makes the bits of its variate of it.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).geometric(0.2, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "geometric", (p,), size)

    def hypergeometric(
        self,
        ngood: ArrayLike,
        nbad: ArrayLike,
        nsample: ArrayLike,
        size: int | Sequence[int] | None = None,
    ) -> ndarray:
        """Hypergeometric variates: the good items of a sample without replacement.

        Parameters
        ----------
        ngood, nbad : number or array_like
            How many items are good, and how many are not.
        nsample : number or array_like
            How many are taken out.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.

        Returns
        -------
        ndarray
            int64, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is 0
            or the least.

        Notes
        -----
        Algorithm HRUA of E. Stadlober, J. Comput. Appl. Math. 31 (1990); fewer than 10 items are
        taken one by one.

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each element has one word of the bit
        generator's stream, and Philox4x32-10 makes the bits of its variate of it.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).hypergeometric(5, 6, 4, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "hypergeometric", (ngood, nbad, nsample), size)

    def logseries(self, p: ArrayLike, size: int | Sequence[int] | None = None) -> ndarray:
        """Variates of the logarithmic series distribution.

        Parameters
        ----------
        p : number or array_like
            From 0 to below 1.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.

        Returns
        -------
        ndarray
            int64, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is 0
            or the least.

        Notes
        -----
        Algorithm LK of A. W. Kemp, Applied Statistics 30 (1981).

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each element has one word of the bit
        generator's stream, and Philox4x32-10 makes the bits of its variate of it.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).logseries(0.7, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "logseries", (p,), size)

    def negative_binomial(
        self, n: ArrayLike, p: ArrayLike, size: int | Sequence[int] | None = None
    ) -> ndarray:
        """Negative binomial variates: the failures before so many successes.

        Parameters
        ----------
        n : number or array_like
            How many successes, greater than 0.
        p : number or array_like
            Probability of success, greater than 0 and at most 1.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.

        Returns
        -------
        ndarray
            int64, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is 0
            or the least.

        Notes
        -----
        A Poisson variate whose mean is a gamma variate; by inversion where fewer than 10 are
        expected and `p` is 0.4 at least.

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each element has one word of the bit
        generator's stream, and Philox4x32-10 makes the bits of its variate of it.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).negative_binomial(5, 0.3, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "negative_binomial", (n, p), size)

    def noncentral_chisquare(
        self, df: ArrayLike, nonc: ArrayLike, size: int | Sequence[int] | None = None
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

        Returns
        -------
        ndarray
            float64, one variate an element.

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

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each element has one word of the bit
        generator's stream, and Philox4x32-10 makes the bits of its variate of it.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).noncentral_chisquare(3, 2, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "noncentral_chisquare", (df, nonc), size)

    def noncentral_f(
        self,
        dfnum: ArrayLike,
        dfden: ArrayLike,
        nonc: ArrayLike,
        size: int | Sequence[int] | None = None,
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

        Returns
        -------
        ndarray
            float64, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.

        Notes
        -----
        A quotient, as of `f`, of a noncentral and a central chi-square variate.

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each element has one word of the bit
        generator's stream, and Philox4x32-10 makes the bits of its variate of it.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).noncentral_f(3, 10, 1, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "noncentral_f", (dfnum, dfden, nonc), size)

    def poisson(self, lam: ArrayLike = 1.0, size: int | Sequence[int] | None = None) -> ndarray:
        """Poisson variates.

        Parameters
        ----------
        lam : number or array_like
            The mean, not negative.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.

        Returns
        -------
        ndarray
            int64, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is 0
            or the least.

        Notes
        -----
        Algorithm PTRS of W. Hörmann, Insurance: Mathematics and Economics 12 (1993), with C.
        Loader's probabilities (2000); by inversion below a mean of 10.

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each element has one word of the bit
        generator's stream, and Philox4x32-10 makes the bits of its variate of it.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).poisson(4.5, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "poisson", (lam,), size)

    def standard_t(self, df: ArrayLike, size: int | Sequence[int] | None = None) -> ndarray:
        """Variates of Student's t distribution.

        Parameters
        ----------
        df : number or array_like
            Degrees of freedom, greater than 0.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.

        Returns
        -------
        ndarray
            float64, one variate an element.

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

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each element has one word of the bit
        generator's stream, and Philox4x32-10 makes the bits of its variate of it.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).standard_t(5, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "standard_t", (df,), size)

    def vonmises(
        self, mu: ArrayLike, kappa: ArrayLike, size: int | Sequence[int] | None = None
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

        Returns
        -------
        ndarray
            float64, one variate an element.

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

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each element has one word of the bit
        generator's stream, and Philox4x32-10 makes the bits of its variate of it.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).vonmises(0, 2, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "vonmises", (mu, kappa), size)

    def wald(
        self, mean: ArrayLike, scale: ArrayLike, size: int | Sequence[int] | None = None
    ) -> ndarray:
        """Wald, or inverse Gaussian, variates.

        Parameters
        ----------
        mean, scale : number or array_like
            Mean and scale, greater than 0.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.

        Returns
        -------
        ndarray
            float64, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is
            NaN.

        Notes
        -----
        J. R. Michael, W. R. Schucany and R. W. Haas, The American Statistician 30 (1976).

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each element has one word of the bit
        generator's stream, and Philox4x32-10 makes the bits of its variate of it.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).wald(1, 2, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "wald", (mean, scale), size)

    def zipf(self, a: ArrayLike, size: int | Sequence[int] | None = None) -> ndarray:
        """Zipf variates.

        Parameters
        ----------
        a : number or array_like
            Exponent, greater than 1.
        size : int or tuple of int, optional
            The result's shape; that to which the parameters broadcast by default.

        Returns
        -------
        ndarray
            int64, one variate an element.

        Raises
        ------
        ValueError
            NumPy's, where a number or a list is out of range. Arrays on the device are looked at on
            the emulator and under ``GPUARRAY_DEBUG=1``; elsewhere, such an element's variate is 0
            or the least.

        Notes
        -----
        L. Devroye, Non-Uniform Random Variate Generation (1986), page 551.

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each element has one word of the bit
        generator's stream, and Philox4x32-10 makes the bits of its variate of it.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).zipf(2.5, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "zipf", (a,), size)

    def standard_gamma(
        self,
        shape: ArrayLike,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = np.float64,
        out: ndarray | None = None,
    ) -> ndarray:
        """Gamma variates of scale 1.

        Parameters
        ----------
        shape : number or array_like
            Shape, not negative.
        size : int or tuple of int, optional
            The result's shape; that of the parameter by default.
        dtype : dtype, optional
            float64 or float32.
        out : ndarray, optional
            Where the variates go: contiguous, and of the dtype.

        Returns
        -------
        ndarray
            Of the dtype, one variate an element; `out` if it is given.

        Raises
        ------
        ValueError, TypeError
            As NumPy's: for a shape out of range, and for an `out` of another shape or dtype.

        Notes
        -----
        G. Marsaglia and W. W. Tsang, ACM TOMS 26 (2000).

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each element has one word of the bit
        generator's stream, and Philox4x32-10 makes the bits of its variate of it. Those of float32
        are rounded from float64.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).standard_gamma(2.5, size=(2, 3)).shape
        (2, 3)
        """
        found = _dtypes.canonical(dtype)
        if found not in (np.float32, np.float64):
            raise TypeError(f"Unsupported dtype {found!r} for standard_gamma")
        if out is not None:
            size = check_out(out, size, found)._layout.shape
        return draw(self, "standard_gamma", (shape,), size, found, out)
