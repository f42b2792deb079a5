"""Distributions of `RandomState` by an expression of one number that is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpuarray._namespace.shared_texts import sharing
from gpuarray.random._texts import TEXTS

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray


@sharing(TEXTS)
class ClosedForms:
    """Distributions of `RandomState` by an expression of one number."""

    _draw: Any  # variates of a distribution

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
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}
        """
        return self._draw("exponential", (scale,), size, dtype)

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
        {location_and_scale}
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}
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
        {location_and_scale}
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}
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
        {location_and_scale}
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}
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
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}
        """
        return self._draw("lognormal", (mean, sigma), size, dtype)

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
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}
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
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}
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
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}
        """
        return self._draw("rayleigh", (scale,), size, dtype)

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
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}
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
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}
        """
        return self._draw("uniform", (low, high), size, dtype)

    def weibull(
        self, a: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Weibull variates of scale 1.

        Parameters
        ----------
        a : number or array_like
            Shape, not negative.
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_nan}
        """
        return self._draw("weibull", (a,), size, dtype)
