"""Continuous distributions of `RandomState`: NumPy's arguments, and CuPy's ``dtype``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpuarray._namespace.shared_texts import sharing
from gpuarray.random._texts import TEXTS

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray


@sharing(TEXTS)
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
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}

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
        {df}
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}

        Notes
        -----
        Twice a gamma variate (G. Marsaglia and W. W. Tsang, ACM TOMS 26 (2000)).
        """
        return self._draw("chisquare", (df,), size, dtype)

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
        {dfnum}
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}

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
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}

        Notes
        -----
        G. Marsaglia and W. W. Tsang, ACM TOMS 26 (2000).
        """
        return self._draw("gamma", (shape, scale), size, dtype)

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
        {df}
        nonc : number or array_like
            Noncentrality, not negative.
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}

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
        {dfnum}
        nonc : number or array_like
            Noncentrality of the numerator, not negative.
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}

        Notes
        -----
        A quotient, as of `f`, of a noncentral and a central chi-square variate.
        """
        return self._draw("noncentral_f", (dfnum, dfden, nonc), size, dtype)

    def standard_t(
        self, df: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Variates of Student's t distribution.

        Parameters
        ----------
        {df}
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}

        Notes
        -----
        A normal variate over the root of a gamma variate (G. Marsaglia and W. W. Tsang, ACM TOMS 26
        (2000)).
        """
        return self._draw("standard_t", (df,), size, dtype)

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
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}

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
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}

        Notes
        -----
        J. R. Michael, W. R. Schucany and R. W. Haas, The American Statistician 30 (1976).
        """
        return self._draw("wald", (mean, scale), size, dtype)
