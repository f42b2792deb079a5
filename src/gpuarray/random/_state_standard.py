"""Distributions of `RandomState` that have one form only, and uniform variates by other names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpuarray._namespace.shared_texts import sharing
from gpuarray.random._texts import TEXTS

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray


@sharing(TEXTS)
class StandardDistributions:
    """Distributions of `RandomState` without location and scale."""

    _draw: Any  # variates of a distribution

    def random_sample(
        self, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Uniform variates in [0, 1): multiples of 2**-53, in float32 of 2**-24.

        Parameters
        ----------
        {size}
        {dtype}

        Returns
        -------
        {of_dtype}
        """
        return self._draw("random", (), size, dtype)

    random = random_sample

    def rand(self, *size: int, dtype: DTypeLike = float) -> ndarray:
        """Uniform variates in [0, 1), of a shape that is given by its lengths.

        Parameters
        ----------
        *size : int
            The lengths.
        {dtype}

        Returns
        -------
        {of_dtype}
        """
        return self._draw("random", (), size, dtype)

    def randn(self, *size: int, dtype: DTypeLike = float) -> ndarray:
        """Standard normal variates, of a shape that is given by its lengths.

        Parameters
        ----------
        *size : int
            The lengths.
        {dtype}

        Returns
        -------
        {of_dtype}
        """
        return self._draw("standard_normal", (), size, dtype)

    def standard_normal(
        self, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Normal variates of mean 0 and standard deviation 1.

        Parameters
        ----------
        {size}
        {dtype}

        Returns
        -------
        {of_dtype}

        Notes
        -----
        G. E. P. Box and M. E. Muller, Ann. Math. Statist. 29 (1958); those of float32 have
        magnitudes of at most 6.7.
        """
        return self._draw("standard_normal", (), size, dtype)

    def standard_exponential(
        self, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Exponential variates of mean 1.

        Parameters
        ----------
        {size}
        {dtype}

        Returns
        -------
        {of_dtype}
        """
        return self._draw("standard_exponential", (), size, dtype)

    def standard_cauchy(
        self, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
    ) -> ndarray:
        """Cauchy variates of location 0 and scale 1.

        Parameters
        ----------
        {size}
        {dtype}

        Returns
        -------
        {of_dtype}
        """
        return self._draw("standard_cauchy", (), size, dtype)

    def standard_gamma(
        self,
        shape: ArrayLike,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Gamma variates of scale 1.

        Parameters
        ----------
        shape : number or array_like
            Shape, not negative.
        size : int or tuple of int, optional
            The result's shape; that of the parameter by default.
        {dtype}

        Returns
        -------
        {of_dtype}

        Notes
        -----
        G. Marsaglia and W. W. Tsang, ACM TOMS 26 (2000).
        """
        return self._draw("standard_gamma", (shape,), size, dtype)
