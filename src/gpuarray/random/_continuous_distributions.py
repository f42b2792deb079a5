"""Continuous distributions of `Generator` whose variates are not those of NumPy's streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _dtypes
from gpuarray._namespace.shared_texts import sharing
from gpuarray.random._parameters import check_out
from gpuarray.random._texts import TEXTS
from gpuarray.random._variates import draw
from gpuarray.random._vectors import VectorDistributions

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray


@sharing(TEXTS)
class ContinuousDistributions(VectorDistributions):
    """Continuous variates that have one word of the bit generator's stream each."""

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
        {size_or_broadcast}

        Returns
        -------
        {float_variates}

        Raises
        ------
        {range_or_nan}

        Notes
        -----
        The first one's share of two gamma variates (G. Marsaglia and W. W. Tsang, ACM TOMS 26
        (2000)), by their logarithms where a shape is below 1, which may be tiny.

        Differences from NumPy
        ----------------------
        {other_numbers}

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).beta(2, 3, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "beta", (a, b), size)

    def chisquare(self, df: ArrayLike, size: int | Sequence[int] | None = None) -> ndarray:
        """Chi-square variates.

        Parameters
        ----------
        {df}
        {size_or_broadcast}

        Returns
        -------
        {float_variates}

        Raises
        ------
        {range_or_nan}

        Notes
        -----
        Twice a gamma variate (G. Marsaglia and W. W. Tsang, ACM TOMS 26 (2000)).

        Differences from NumPy
        ----------------------
        {other_numbers}

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
        {dfnum}
        {size_or_broadcast}

        Returns
        -------
        {float_variates}

        Raises
        ------
        {range_or_nan}

        Notes
        -----
        The quotient of two chi-square variates, each over its degrees of freedom (G. Marsaglia and
        W. W. Tsang, ACM TOMS 26 (2000)).

        Differences from NumPy
        ----------------------
        {other_numbers}

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
        {size_or_broadcast}

        Returns
        -------
        {float_variates}

        Raises
        ------
        {range_or_nan}

        Notes
        -----
        G. Marsaglia and W. W. Tsang, ACM TOMS 26 (2000).

        Differences from NumPy
        ----------------------
        {other_numbers}

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).gamma(2.5, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "gamma", (shape, scale), size)

    def noncentral_chisquare(
        self, df: ArrayLike, nonc: ArrayLike, size: int | Sequence[int] | None = None
    ) -> ndarray:
        """Noncentral chi-square variates.

        Parameters
        ----------
        {df}
        nonc : number or array_like
            Noncentrality, not negative.
        {size_or_broadcast}

        Returns
        -------
        {float_variates}

        Raises
        ------
        {range_or_nan}

        Notes
        -----
        A chi-square variate of a degree less and the square of a shifted normal one; of one degree
        or less, a Poisson mixture of chi-square variates.

        Differences from NumPy
        ----------------------
        {other_numbers}

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
        {dfnum}
        nonc : number or array_like
            Noncentrality of the numerator, not negative.
        {size_or_broadcast}

        Returns
        -------
        {float_variates}

        Raises
        ------
        {range_or_nan}

        Notes
        -----
        A quotient, as of `f`, of a noncentral and a central chi-square variate.

        Differences from NumPy
        ----------------------
        {other_numbers}

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).noncentral_f(3, 10, 1, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "noncentral_f", (dfnum, dfden, nonc), size)

    def standard_t(self, df: ArrayLike, size: int | Sequence[int] | None = None) -> ndarray:
        """Variates of Student's t distribution.

        Parameters
        ----------
        {df}
        {size_or_broadcast}

        Returns
        -------
        {float_variates}

        Raises
        ------
        {range_or_nan}

        Notes
        -----
        A normal variate over the root of a gamma variate (G. Marsaglia and W. W. Tsang, ACM TOMS 26
        (2000)).

        Differences from NumPy
        ----------------------
        {other_numbers}

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
        {size_or_broadcast}

        Returns
        -------
        {float_variates}

        Raises
        ------
        {range_or_nan}

        Notes
        -----
        D. J. Best and N. I. Fisher, Applied Statistics 28 (1979); a normal variate on the circle
        beyond a concentration of 1e6.

        Differences from NumPy
        ----------------------
        {other_numbers}

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
        {size_or_broadcast}

        Returns
        -------
        {float_variates}

        Raises
        ------
        {range_or_nan}

        Notes
        -----
        J. R. Michael, W. R. Schucany and R. W. Haas, The American Statistician 30 (1976).

        Differences from NumPy
        ----------------------
        {other_numbers}

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).wald(1, 2, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "wald", (mean, scale), size)

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
        {float_dtype}
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
