"""Discrete distributions of `RandomState`: NumPy's arguments, and CuPy's ``dtype``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpuarray._namespace.shared_texts import sharing
from gpuarray.random._texts import TEXTS

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray


@sharing(TEXTS)
class DiscreteDistributions:
    """Discrete distributions of `RandomState`."""

    _draw: Any  # variates of a distribution

    def binomial(
        self,
        n: ArrayLike,
        p: ArrayLike,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = int,
    ) -> ndarray:
        """Binomial variates.

        Parameters
        ----------
        n : number or array_like
            How often is tried, not negative.
        p : number or array_like
            Probability of success, from 0 to 1.
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_least}

        Notes
        -----
        Algorithm BTRS of W. Hörmann, J. Statist. Comput. Simulation 46 (1993), with C. Loader's
        probabilities (2000); by inversion where fewer than 10 are expected.
        """
        return self._draw("binomial", (n, p), size, dtype)

    def geometric(
        self, p: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = int
    ) -> ndarray:
        """Geometric variates: how often is tried until the first success.

        Parameters
        ----------
        {p}
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_least}

        Notes
        -----
        By inversion.
        """
        return self._draw("geometric", (p,), size, dtype)

    def hypergeometric(
        self,
        ngood: ArrayLike,
        nbad: ArrayLike,
        nsample: ArrayLike,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = int,
    ) -> ndarray:
        """Hypergeometric variates: the good items of a sample without replacement.

        Parameters
        ----------
        ngood, nbad : number or array_like
            How many items are good, and how many are not.
        nsample : number or array_like
            How many are taken out.
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_least}

        Notes
        -----
        Algorithm HRUA of E. Stadlober, J. Comput. Appl. Math. 31 (1990); fewer than 10 items are
        taken one by one.
        """
        return self._draw("hypergeometric", (ngood, nbad, nsample), size, dtype)

    def logseries(
        self, p: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = int
    ) -> ndarray:
        """Variates of the logarithmic series distribution.

        Parameters
        ----------
        p : number or array_like
            From 0 to below 1.
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_least}

        Notes
        -----
        Algorithm LK of A. W. Kemp, Applied Statistics 30 (1981).
        """
        return self._draw("logseries", (p,), size, dtype)

    def negative_binomial(
        self,
        n: ArrayLike,
        p: ArrayLike,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = int,
    ) -> ndarray:
        """Negative binomial variates: the failures before so many successes.

        Parameters
        ----------
        n : number or array_like
            How many successes, greater than 0.
        {p}
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_least}

        Notes
        -----
        A Poisson variate whose mean is a gamma variate; by inversion where fewer than 10 are
        expected and `p` is 0.4 at least.
        """
        return self._draw("negative_binomial", (n, p), size, dtype)

    def poisson(
        self, lam: ArrayLike = 1.0, size: int | Sequence[int] | None = None, dtype: DTypeLike = int
    ) -> ndarray:
        """Poisson variates.

        Parameters
        ----------
        lam : number or array_like
            The mean, not negative.
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_least}

        Notes
        -----
        Algorithm PTRS of W. Hörmann, Insurance: Mathematics and Economics 12 (1993), with C.
        Loader's probabilities (2000); by inversion below a mean of 10.
        """
        return self._draw("poisson", (lam,), size, dtype)

    def zipf(
        self, a: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = int
    ) -> ndarray:
        """Zipf variates.

        Parameters
        ----------
        a : number or array_like
            Exponent, greater than 1.
        {size_or_broadcast}
        {dtype}

        Returns
        -------
        {variates}

        Raises
        ------
        {range_or_least}

        Notes
        -----
        L. Devroye, Non-Uniform Random Variate Generation (1986), page 551.
        """
        return self._draw("zipf", (a,), size, dtype)
