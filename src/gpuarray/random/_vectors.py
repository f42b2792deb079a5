"""Vectors that `Generator` draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpuarray._namespace.shared_texts import sharing
from gpuarray.random import _multivariate
from gpuarray.random._parameters import GENERATOR_CHECKS
from gpuarray.random._texts import TEXTS

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray


@sharing(TEXTS)
class VectorDistributions:
    """Vectors of variates, along the last axis of results."""

    def dirichlet(self, alpha: ArrayLike, size: int | Sequence[int] | None = None) -> ndarray:
        """Dirichlet variates: shares that sum to 1.

        Parameters
        ----------
        alpha : array_like, 1-D
            Shapes of the shares, not negative.
        {vectors}

        Returns
        -------
        ndarray
            float64, the shares along the last axis.

        Raises
        ------
        ValueError
            As NumPy's, for numbers out of range.

        Notes
        -----
        Gamma variates (G. Marsaglia and W. W. Tsang, ACM TOMS 26 (2000)) over their sum, by their
        logarithms: shapes may be tiny.

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each share has one word of the bit
        generator's stream.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).dirichlet([1, 2, 3], 2).shape
        (2, 3)
        """
        return _multivariate.dirichlet(self, alpha, size, GENERATOR_CHECKS)

    def multinomial(
        self, n: ArrayLike, pvals: ArrayLike, size: int | Sequence[int] | None = None
    ) -> ndarray:
        """Multinomial variates: how many of n items fall into each category.

        Parameters
        ----------
        n : int or array_like of int
            How many items.
        pvals : array_like
            Probabilities of the categories along the last axis. The last one gets what the others
            leave.
        size : int or tuple of int, optional
            How many vectors; by default what `n` and the other axes of `pvals` broadcast to.

        Returns
        -------
        {counts}

        Raises
        ------
        ValueError
            As NumPy's, for numbers out of range and for probabilities of more than 1 in all.

        Notes
        -----
        One binomial variate after another, of the items and the probability that are left.

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each vector has one word of the bit
        generator's stream.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).multinomial(10, [0.5, 0.5], 4).sum(axis=1)
        array([10, 10, 10, 10])
        """
        return _multivariate.multinomial(self, n, pvals, size, GENERATOR_CHECKS)

    def multivariate_hypergeometric(
        self,
        colors: ArrayLike,
        nsample: int,
        size: int | Sequence[int] | None = None,
        method: str = "marginals",
    ) -> ndarray:
        """Counts of each colour in a sample without replacement.

        Parameters
        ----------
        colors : array_like of int, 1-D
            How many items of each colour there are.
        nsample : int
            How many items are taken out.
        {vectors}
        method : {'marginals', 'count'}, optional
            As NumPy's; the variates are found by marginals in any case.

        Returns
        -------
        {counts}

        Raises
        ------
        ValueError
            As NumPy's, for numbers out of range and a sample larger than all items.

        Notes
        -----
        One hypergeometric variate after another, of the items that are left.

        Differences from NumPy
        ----------------------
        The distribution is the same, the numbers are others: each vector has one word of the bit
        generator's stream.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).multivariate_hypergeometric([3, 4], 7)
        array([3, 4])
        """
        return _multivariate.multivariate_hypergeometric(
            self, colors, nsample, size, method, GENERATOR_CHECKS
        )

    def multivariate_normal(
        self,
        mean: ArrayLike,
        cov: ArrayLike,
        size: int | Sequence[int] | None = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        *,
        method: str = "svd",
    ) -> ndarray:
        """Vectors of normal variates with a covariance.

        Parameters
        ----------
        mean : array_like, 1-D
            The mean.
        cov : array_like, 2-D
            The covariance, symmetric and positive semidefinite.
        {vectors}
        check_valid : {'warn', 'raise', 'ignore'}, optional
            What happens where the covariance is not positive semidefinite. To know waits for the
            device.
        tol : float, optional
            How far it may be from it.
        method : {'svd', 'eigh', 'cholesky'}, optional
            How the covariance is factorised. The last one is the fastest, and wants it positive
            definite.

        Returns
        -------
        ndarray
            float64, the vectors along the last axis.

        Raises
        ------
        ValueError
            As NumPy's, for shapes that do not go together and for what `check_valid` asks.

        Differences from NumPy
        ----------------------
        The normal variates are NumPy's; factors of a covariance may differ by the signs of
        columns, and the vectors with them.

        Examples
        --------
        >>> import gpuarray as cp
        >>> rng = cp.random.default_rng(1)
        >>> rng.multivariate_normal([0, 0], [[2, 1], [1, 2]], 4, method="cholesky").shape
        (4, 2)
        """
        source: Any = self
        return _multivariate.multivariate_normal(source, mean, cov, size, check_valid, tol, method)
