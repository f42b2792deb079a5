"""Discrete distributions of `Generator`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpuarray._namespace.shared_texts import sharing
from gpuarray.random._texts import TEXTS
from gpuarray.random._variates import draw

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray


@sharing(TEXTS)
class DiscreteDistributions:
    """Discrete variates that have one word of the bit generator's stream each."""

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
        {size_or_broadcast}

        Returns
        -------
        {integer_variates}

        Raises
        ------
        {range_or_least}

        Notes
        -----
        Algorithm BTRS of W. Hörmann, J. Statist. Comput. Simulation 46 (1993), with C. Loader's
        probabilities (2000); by inversion where fewer than 10 are expected.

        Differences from NumPy
        ----------------------
        {other_numbers}

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).binomial(10, 0.5, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "binomial", (n, p), size)

    def geometric(self, p: ArrayLike, size: int | Sequence[int] | None = None) -> ndarray:
        """Geometric variates: how often is tried until the first success.

        Parameters
        ----------
        {p}
        {size_or_broadcast}

        Returns
        -------
        {integer_variates}

        Raises
        ------
        {range_or_least}

        Notes
        -----
        By inversion.

        Differences from NumPy
        ----------------------
        {other_numbers}

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
        {size_or_broadcast}

        Returns
        -------
        {integer_variates}

        Raises
        ------
        {range_or_least}

        Notes
        -----
        Algorithm HRUA of E. Stadlober, J. Comput. Appl. Math. 31 (1990); fewer than 10 items are
        taken one by one.

        Differences from NumPy
        ----------------------
        {other_numbers}

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
        {size_or_broadcast}

        Returns
        -------
        {integer_variates}

        Raises
        ------
        {range_or_least}

        Notes
        -----
        Algorithm LK of A. W. Kemp, Applied Statistics 30 (1981).

        Differences from NumPy
        ----------------------
        {other_numbers}

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
        {p}
        {size_or_broadcast}

        Returns
        -------
        {integer_variates}

        Raises
        ------
        {range_or_least}

        Notes
        -----
        A Poisson variate whose mean is a gamma variate; by inversion where fewer than 10 are
        expected and `p` is 0.4 at least.

        Differences from NumPy
        ----------------------
        {other_numbers}

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).negative_binomial(5, 0.3, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "negative_binomial", (n, p), size)

    def poisson(self, lam: ArrayLike = 1.0, size: int | Sequence[int] | None = None) -> ndarray:
        """Poisson variates.

        Parameters
        ----------
        lam : number or array_like
            The mean, not negative.
        {size_or_broadcast}

        Returns
        -------
        {integer_variates}

        Raises
        ------
        {range_or_least}

        Notes
        -----
        Algorithm PTRS of W. Hörmann, Insurance: Mathematics and Economics 12 (1993), with C.
        Loader's probabilities (2000); by inversion below a mean of 10.

        Differences from NumPy
        ----------------------
        {other_numbers}

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).poisson(4.5, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "poisson", (lam,), size)

    def zipf(self, a: ArrayLike, size: int | Sequence[int] | None = None) -> ndarray:
        """Zipf variates.

        Parameters
        ----------
        a : number or array_like
            Exponent, greater than 1.
        {size_or_broadcast}

        Returns
        -------
        {integer_variates}

        Raises
        ------
        {range_or_least}

        Notes
        -----
        L. Devroye, Non-Uniform Random Variate Generation (1986), page 551.

        Differences from NumPy
        ----------------------
        {other_numbers}

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).zipf(2.5, size=(2, 3)).shape
        (2, 3)
        """
        return draw(self, "zipf", (a,), size)
