"""Distributions whose numbers are NumPy's: one expression of what is drawn from the stream."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import gpuarray as cp
from gpuarray._fusion import fuse
from gpuarray._namespace.shared_texts import sharing
from gpuarray.random._bit_generators import scaled_call
from gpuarray.random._parameters import as_parameter, check, result_shape
from gpuarray.random._stream_standard import Size, StandardStreamDistributions
from gpuarray.random._texts import TEXTS

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

_FLOAT64 = np.dtype(np.float64)

# Expressions. They are NumPy's, in its order of operations.


@fuse(kernel_name="gpuarray_random_scaled")
def _scaled(x: Any, loc: Any, scale: Any) -> Any:
    return loc + scale * x


@fuse(kernel_name="gpuarray_random_lognormal")
def _lognormal(x: Any, mean: Any, sigma: Any) -> Any:
    return cp.exp(mean + sigma * x)


@fuse(kernel_name="gpuarray_random_rayleigh")
def _rayleigh(x: Any, scale: Any) -> Any:
    return scale * cp.sqrt(2.0 * x)


@fuse(kernel_name="gpuarray_random_laplace")
def _laplace(u: Any, loc: Any, scale: Any) -> Any:
    return cp.where(u >= 0.5, loc - scale * cp.log(2.0 - u - u), loc + scale * cp.log(u + u))


@fuse(kernel_name="gpuarray_random_gumbel")
def _gumbel(u: Any, loc: Any, scale: Any) -> Any:
    return loc - scale * cp.log(-cp.log(1.0 - u))


@fuse(kernel_name="gpuarray_random_logistic")
def _logistic(u: Any, loc: Any, scale: Any) -> Any:
    return loc + scale * cp.log(u / (1.0 - u))


@fuse(kernel_name="gpuarray_random_pareto")
def _pareto(x: Any, a: Any) -> Any:
    return cp.expm1(x / a)


@fuse(kernel_name="gpuarray_random_weibull")
def _weibull(x: Any, a: Any) -> Any:
    return cp.power(x, 1.0 / a)


@fuse(kernel_name="gpuarray_random_power")
def _power(x: Any, a: Any) -> Any:
    return cp.power(-cp.expm1(-x), 1.0 / a)


@fuse(kernel_name="gpuarray_random_triangular")
def _triangular(u: Any, left: Any, mode: Any, right: Any) -> Any:
    base = right - left
    below = mode - left
    return cp.where(
        u <= below / base,
        left + cp.sqrt(u * (below * base)),
        right - cp.sqrt((1.0 - u) * ((right - mode) * base)),
    )


@fuse(kernel_name="gpuarray_random_quotients")
def _quotients(x: Any, y: Any) -> Any:
    return x / y


@sharing(TEXTS)
class StreamDistributions(StandardStreamDistributions):
    """Methods of `Generator` whose numbers are those of NumPy's `Generator`."""

    def _scaled(self, draw: str, shape: tuple[int, ...], loc: Any, scale: Any) -> Any:
        """``loc + scale * x`` for each number of a standard draw; in its kernel for two numbers."""
        loc, scale = [float(x) if isinstance(x, int) else x for x in (loc, scale)]
        if isinstance(loc, float) and isinstance(scale, float):
            return self._bit_generator._draw(scaled_call, (draw, shape), loc, scale)
        return _scaled(self._standard(draw, shape, _FLOAT64, None), loc, scale)

    def _derived(
        self,
        name: str,
        draw: str,
        expression: Callable[..., Any],
        size: Any,
        parameters: dict[str, Any],
    ) -> Any:
        """An expression of a standard draw and of parameters."""
        check(name, *parameters.values())
        values = [as_parameter(x, f"{name}: {label}") for label, x in parameters.items()]
        shape = result_shape(size, *values)
        drawn = self._standard(draw, shape, _FLOAT64, None)
        # Integers as float64: NumPy computes with these.
        values = [float(x) if isinstance(x, int) else x for x in values]
        return expression(drawn, *values)

    def uniform(self, low: ArrayLike = 0.0, high: ArrayLike = 1.0, size: Size = None) -> ndarray:
        """Numbers in [low, high): those of NumPy's, bit by bit.

        Parameters
        ----------
        low, high : float or array_like of float, optional
            The ends.
        size : int or tuple of int, optional
            The result's shape; by default that of `low` and `high`.

        Returns
        -------
        ndarray
            ``low + (high - low) * random(size)``, of float64.

        Raises
        ------
        OverflowError
            If `high` less `low` is not finite; of device arrays where `GPUARRAY_DEBUG` is set.
        ValueError
            If `high` is less than `low`, likewise.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).uniform(2, [4, 6])
        array([3.02364325, 5.80185479])
        """
        check("uniform", low, high)
        least = as_parameter(low, "uniform: low")
        most = as_parameter(high, "uniform: high")
        shape = result_shape(size, least, most)
        if isinstance(least, int):
            least = float(least)
        return self._scaled("uniform", shape, least, most - least)

    def normal(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Size = None) -> ndarray:
        """Normally distributed numbers: NumPy's, as `standard_normal` has them.

        Parameters
        ----------
        {mean}
        scale : float or array_like of float, optional
            The standard deviation, not negative.
        {size_of_parameters}

        Returns
        -------
        ndarray
            ``loc + scale * standard_normal(size)``, of float64.

        Raises
        ------
        {negative_scale}

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).normal(10, 2, size=3)
        array([10.69116838, 11.64323629, 10.66087415])
        """
        check("normal", loc, scale)
        mean, deviation = as_parameter(loc, "normal: loc"), as_parameter(scale, "normal: scale")
        return self._scaled("normal", result_shape(size, mean, deviation), mean, deviation)

    def lognormal(
        self, mean: ArrayLike = 0.0, sigma: ArrayLike = 1.0, size: Size = None
    ) -> ndarray:
        """Numbers whose logarithms are normally distributed: NumPy's.

        Parameters
        ----------
        mean, sigma : float or array_like of float, optional
            Mean and standard deviation of the logarithm; `sigma` is not negative.
        {size_of_parameters}

        Returns
        -------
        ndarray
            ``exp(normal(mean, sigma, size))``: NumPy's but for the rounding of `exp`.

        Raises
        ------
        ValueError
            If `sigma` is negative; of a device array where `GPUARRAY_DEBUG` is set.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).lognormal(size=2)
        array([1.41281503, 2.27417681])
        """
        parameters = {"mean": mean, "sigma": sigma}
        return self._derived("lognormal", "normal", _lognormal, size, parameters)

    def exponential(self, scale: ArrayLike = 1.0, size: Size = None) -> ndarray:
        """Exponentially distributed numbers: NumPy's, as `standard_exponential` has them.

        Parameters
        ----------
        scale : float or array_like of float, optional
            The mean, not negative.
        size : int or tuple of int, optional
            The result's shape; by default that of `scale`.

        Returns
        -------
        ndarray
            ``scale * standard_exponential(size)``, of float64.

        Raises
        ------
        {negative_scale}

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).exponential(2.0, size=2)
        array([2.14605805, 0.61690629])
        """
        check("exponential", scale)
        mean = as_parameter(scale, "exponential: scale")
        return self._scaled("exponential", result_shape(size, mean), 0.0, mean)

    def rayleigh(self, scale: ArrayLike = 1.0, size: Size = None) -> ndarray:
        """Rayleigh-distributed numbers: NumPy's.

        Parameters
        ----------
        scale : float or array_like of float, optional
            The mode, not negative.
        size : int or tuple of int, optional
            The result's shape; by default that of `scale`.

        Returns
        -------
        ndarray
            ``scale * sqrt(2 * standard_exponential(size))``, of float64.

        Raises
        ------
        {negative_scale}

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).rayleigh(size=2)
        array([1.46494302, 0.78543382])
        """
        return self._derived("rayleigh", "exponential", _rayleigh, size, {"scale": scale})

    def laplace(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Size = None) -> ndarray:
        """Laplace-distributed numbers: NumPy's but for the rounding of logarithms.

        Parameters
        ----------
        {mean}
        scale : float or array_like of float, optional
            The exponential decay, not negative.
        {size_of_parameters}

        Returns
        -------
        {inverse_variates}

        Raises
        ------
        {negative_scale}

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).laplace(size=2)
        array([0.02392724, 2.31190229])
        """
        return self._derived("laplace", "open", _laplace, size, {"loc": loc, "scale": scale})

    def gumbel(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Size = None) -> ndarray:
        """Gumbel-distributed numbers: NumPy's but for the rounding of logarithms.

        Parameters
        ----------
        loc : float or array_like of float, optional
            The mode.
        scale : float or array_like of float, optional
            The scale, not negative.
        {size_of_parameters}

        Returns
        -------
        {inverse_variates}

        Raises
        ------
        {negative_scale}

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).gumbel(size=2)
        array([ 0.33257565, -1.10029403])
        """
        return self._derived("gumbel", "open", _gumbel, size, {"loc": loc, "scale": scale})

    def logistic(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Size = None) -> ndarray:
        """Logistically distributed numbers: NumPy's but for the rounding of logarithms.

        Parameters
        ----------
        {mean}
        scale : float or array_like of float, optional
            The scale, not negative.
        {size_of_parameters}

        Returns
        -------
        {inverse_variates}

        Raises
        ------
        {negative_scale}

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).logistic(size=2)
        array([0.04729531, 2.95424416])
        """
        return self._derived("logistic", "open", _logistic, size, {"loc": loc, "scale": scale})

    def pareto(self, a: ArrayLike, size: Size = None) -> ndarray:
        """Pareto II (Lomax) distributed numbers: NumPy's but for the rounding of `expm1`.

        Parameters
        ----------
        a : float or array_like of float
            The shape, positive.
        {size_of_a}

        Returns
        -------
        ndarray
            ``expm1(standard_exponential(size) / a)``, of float64.

        Raises
        ------
        ValueError
            If `a` is not positive; of a device array where `GPUARRAY_DEBUG` is set.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).pareto(3.0, size=2)
        array([0.43000271, 0.10828937])
        """
        return self._derived("pareto", "exponential", _pareto, size, {"a": a})

    def weibull(self, a: ArrayLike, size: Size = None) -> ndarray:
        """Weibull-distributed numbers: NumPy's but for the rounding of powers.

        Parameters
        ----------
        a : float or array_like of float
            The shape, not negative. With a number of 0 the results are 0, and nothing is drawn.
        {size_of_a}

        Returns
        -------
        ndarray
            ``standard_exponential(size) ** (1 / a)``, of float64.

        Raises
        ------
        ValueError
            If `a` is negative; of a device array where `GPUARRAY_DEBUG` is set.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).weibull(2.0, size=2)
        array([1.03587114, 0.55538558])
        """
        if isinstance(a, int | float) and a == 0 and not math.copysign(1.0, a) < 0:
            return cp.zeros(result_shape(size))
        return self._derived("weibull", "exponential", _weibull, size, {"a": a})

    def power(self, a: ArrayLike, size: Size = None) -> ndarray:
        """Numbers in [0, 1] of a power distribution: NumPy's but for the rounding of powers.

        Parameters
        ----------
        a : float or array_like of float
            One more than the exponent of the density, positive.
        {size_of_a}

        Returns
        -------
        ndarray
            ``(-expm1(-standard_exponential(size))) ** (1 / a)``, of float64.

        Raises
        ------
        ValueError
            If `a` is not positive; of a device array where `GPUARRAY_DEBUG` is set.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).power(2.0, size=2)
        array([0.8111898 , 0.51518698])
        """
        return self._derived("power", "exponential", _power, size, {"a": a})

    def triangular(
        self, left: ArrayLike, mode: ArrayLike, right: ArrayLike, size: Size = None
    ) -> ndarray:
        """Numbers of a triangular distribution: those of NumPy's, bit by bit.

        Parameters
        ----------
        left, mode, right : float or array_like of float
            The ends and the peak: ``left <= mode <= right``, and not all of them equal.
        {size_of_parameters}

        Returns
        -------
        {inverse_variates}

        Raises
        ------
        ValueError
            If the parameters are not in order; of device arrays where `GPUARRAY_DEBUG` is set.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).triangular(0, 1, 4, size=2)
        array([1.57964042, 3.22900347])
        """
        parameters = {"left": left, "mode": mode, "right": right}
        return self._derived("triangular", "uniform", _triangular, size, parameters)

    def standard_cauchy(self, size: Size = None) -> ndarray:
        """Cauchy-distributed numbers: quotients of NumPy's normally distributed ones.

        Parameters
        ----------
        {size_or_scalar}

        Returns
        -------
        ndarray
            Of float64.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).standard_cauchy(2)
        array([ 0.42061412, -0.25356654])
        """
        shape = result_shape(size)
        pairs = self._standard("normal", (*shape, 2), _FLOAT64, None)
        return _quotients(pairs[..., 0], pairs[..., 1])
