"""The functions of the package: methods of a `RandomState` that each device has."""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpuarray._namespace.shared_texts import add_sections, texts_of
from gpuarray._namespace.signatures import without_annotations as _without_annotations
from gpuarray.random._device_states import get_random_state
from gpuarray.random._random_state import RandomState

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

__all__ = [
    "beta", "binomial", "bytes", "chisquare", "choice", "dirichlet", "exponential", "f", "gamma",
    "geometric", "gumbel", "hypergeometric",
    "laplace", "logistic", "lognormal", "logseries", "multinomial", "multivariate_normal",
    "negative_binomial", "noncentral_chisquare", "noncentral_f", "normal", "pareto", "permutation",
    "poisson", "power", "rand", "randint", "randn", "random", "random_integers", "random_sample",
    "ranf", "rayleigh", "sample",
    "shuffle", "standard_cauchy", "standard_exponential", "standard_gamma",
    "standard_normal", "standard_t", "triangular", "uniform", "vonmises", "wald", "weibull",
    "zipf",
]  # fmt: skip


def beta(
    a: ArrayLike, b: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
) -> ndarray:
    """Beta variates, between 0 and 1; see `RandomState.beta`."""
    return get_random_state().beta(a, b, size, dtype)


def binomial(
    n: ArrayLike, p: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = int
) -> ndarray:
    """Binomial variates; see `RandomState.binomial`."""
    return get_random_state().binomial(n, p, size, dtype)


def bytes(length: int) -> builtins.bytes:
    """Random bytes in memory of the host, which waits for the device; see `RandomState.bytes`."""
    return get_random_state().bytes(length)


def chisquare(
    df: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
) -> ndarray:
    """Chi-square variates; see `RandomState.chisquare`."""
    return get_random_state().chisquare(df, size, dtype)


def choice(
    a: int | ArrayLike,
    size: int | Sequence[int] | None = None,
    replace: bool = True,
    p: ArrayLike | None = None,
) -> ndarray:
    """Elements of an array, picked at random; see `RandomState.choice`."""
    return get_random_state().choice(a, size, replace, p)


def dirichlet(
    alpha: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
) -> ndarray:
    """Dirichlet variates: shares that sum to 1; see `RandomState.dirichlet`."""
    return get_random_state().dirichlet(alpha, size, dtype)


def exponential(
    scale: ArrayLike = 1.0, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
) -> ndarray:
    """Exponential variates; see `RandomState.exponential`."""
    return get_random_state().exponential(scale, size, dtype)


def f(
    dfnum: ArrayLike,
    dfden: ArrayLike,
    size: int | Sequence[int] | None = None,
    dtype: DTypeLike = float,
) -> ndarray:
    """Variates of Fisher's F distribution; see `RandomState.f`."""
    return get_random_state().f(dfnum, dfden, size, dtype)


def gamma(
    shape: ArrayLike,
    scale: ArrayLike = 1.0,
    size: int | Sequence[int] | None = None,
    dtype: DTypeLike = float,
) -> ndarray:
    """Gamma variates; see `RandomState.gamma`."""
    return get_random_state().gamma(shape, scale, size, dtype)


def geometric(
    p: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = int
) -> ndarray:
    """Geometric variates: how often is tried until the first success.

    See `RandomState.geometric`.
    """
    return get_random_state().geometric(p, size, dtype)


def gumbel(
    loc: ArrayLike = 0.0,
    scale: ArrayLike = 1.0,
    size: int | Sequence[int] | None = None,
    dtype: DTypeLike = float,
) -> ndarray:
    """Gumbel variates; see `RandomState.gumbel`."""
    return get_random_state().gumbel(loc, scale, size, dtype)


def hypergeometric(
    ngood: ArrayLike,
    nbad: ArrayLike,
    nsample: ArrayLike,
    size: int | Sequence[int] | None = None,
    dtype: DTypeLike = int,
) -> ndarray:
    """Hypergeometric variates: the good items of a sample without replacement.

    See `RandomState.hypergeometric`.
    """
    return get_random_state().hypergeometric(ngood, nbad, nsample, size, dtype)


def laplace(
    loc: ArrayLike = 0.0,
    scale: ArrayLike = 1.0,
    size: int | Sequence[int] | None = None,
    dtype: DTypeLike = float,
) -> ndarray:
    """Laplace variates; see `RandomState.laplace`."""
    return get_random_state().laplace(loc, scale, size, dtype)


def logistic(
    loc: ArrayLike = 0.0,
    scale: ArrayLike = 1.0,
    size: int | Sequence[int] | None = None,
    dtype: DTypeLike = float,
) -> ndarray:
    """Logistic variates; see `RandomState.logistic`."""
    return get_random_state().logistic(loc, scale, size, dtype)


def lognormal(
    mean: ArrayLike = 0.0,
    sigma: ArrayLike = 1.0,
    size: int | Sequence[int] | None = None,
    dtype: DTypeLike = float,
) -> ndarray:
    """Log-normal variates; see `RandomState.lognormal`."""
    return get_random_state().lognormal(mean, sigma, size, dtype)


def logseries(
    p: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = int
) -> ndarray:
    """Variates of the logarithmic series distribution; see `RandomState.logseries`."""
    return get_random_state().logseries(p, size, dtype)


def multinomial(n: int, pvals: ArrayLike, size: int | Sequence[int] | None = None) -> ndarray:
    """Multinomial variates: how many of n items fall into each category.

    See `RandomState.multinomial`.
    """
    return get_random_state().multinomial(n, pvals, size)


def multivariate_normal(
    mean: ArrayLike,
    cov: ArrayLike,
    size: int | Sequence[int] | None = None,
    check_valid: str = "ignore",
    tol: float = 1e-08,
    method: str = "cholesky",
    dtype: DTypeLike = float,
) -> ndarray:
    """Vectors of normal variates with a covariance; see `RandomState.multivariate_normal`."""
    return get_random_state().multivariate_normal(mean, cov, size, check_valid, tol, method, dtype)


def negative_binomial(
    n: ArrayLike, p: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = int
) -> ndarray:
    """Negative binomial variates: the failures before so many successes.

    See `RandomState.negative_binomial`.
    """
    return get_random_state().negative_binomial(n, p, size, dtype)


def noncentral_chisquare(
    df: ArrayLike,
    nonc: ArrayLike,
    size: int | Sequence[int] | None = None,
    dtype: DTypeLike = float,
) -> ndarray:
    """Noncentral chi-square variates; see `RandomState.noncentral_chisquare`."""
    return get_random_state().noncentral_chisquare(df, nonc, size, dtype)


def noncentral_f(
    dfnum: ArrayLike,
    dfden: ArrayLike,
    nonc: ArrayLike,
    size: int | Sequence[int] | None = None,
    dtype: DTypeLike = float,
) -> ndarray:
    """Noncentral F variates; see `RandomState.noncentral_f`."""
    return get_random_state().noncentral_f(dfnum, dfden, nonc, size, dtype)


def normal(
    loc: ArrayLike = 0.0,
    scale: ArrayLike = 1.0,
    size: int | Sequence[int] | None = None,
    dtype: DTypeLike = float,
) -> ndarray:
    """Normal variates; see `RandomState.normal`."""
    return get_random_state().normal(loc, scale, size, dtype)


def pareto(
    a: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
) -> ndarray:
    """Variates of the Pareto II, or Lomax, distribution; see `RandomState.pareto`."""
    return get_random_state().pareto(a, size, dtype)


def permutation(x: int | ArrayLike) -> ndarray:
    """A random order of a range, or of an array's first axis; see `RandomState.permutation`."""
    return get_random_state().permutation(x)


def poisson(
    lam: ArrayLike = 1.0, size: int | Sequence[int] | None = None, dtype: DTypeLike = int
) -> ndarray:
    """Poisson variates; see `RandomState.poisson`."""
    return get_random_state().poisson(lam, size, dtype)


def power(
    a: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
) -> ndarray:
    """Variates of a power distribution, between 0 and 1; see `RandomState.power`."""
    return get_random_state().power(a, size, dtype)


def rand(*size: int, dtype: DTypeLike = float) -> ndarray:
    """Uniform variates in [0, 1), of a shape that is given by its lengths.

    See `RandomState.rand`.
    """
    return get_random_state().rand(*size, dtype=dtype)


def randint(
    low: int | ArrayLike,
    high: int | ArrayLike | None = None,
    size: int | Sequence[int] | None = None,
    dtype: DTypeLike = int,
) -> ndarray:
    """Integers of a range, each as likely as the others; see `RandomState.randint`."""
    return get_random_state().randint(low, high, size, dtype)


def randn(*size: int, dtype: DTypeLike = float) -> ndarray:
    """Standard normal variates, of a shape that is given by its lengths.

    See `RandomState.randn`.
    """
    return get_random_state().randn(*size, dtype=dtype)


def random_integers(
    low: int, high: int | None = None, size: int | Sequence[int] | None = None
) -> ndarray:
    """Integers of a range with both its ends; deprecated, as in NumPy.

    See `RandomState.random_integers`.
    """
    if high is None:
        low, high = 1, low
    warnings.warn(
        f"This function is deprecated. Please call randint({low}, {high} + 1) instead",
        DeprecationWarning,
        stacklevel=2,
    )
    return get_random_state().randint(low, int(high) + 1, size)


def random_sample(size: int | Sequence[int] | None = None, dtype: DTypeLike = float) -> ndarray:
    """Uniform variates in [0, 1): multiples of 2**-53, in float32 of 2**-24.

    See `RandomState.random_sample`.
    """
    return get_random_state().random_sample(size, dtype)


def rayleigh(
    scale: ArrayLike = 1.0, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
) -> ndarray:
    """Rayleigh variates; see `RandomState.rayleigh`."""
    return get_random_state().rayleigh(scale, size, dtype)


def shuffle(x: ndarray) -> None:
    """Put an array's first axis into a random order, in place; see `RandomState.shuffle`."""
    get_random_state().shuffle(x)


def standard_cauchy(size: int | Sequence[int] | None = None, dtype: DTypeLike = float) -> ndarray:
    """Cauchy variates of location 0 and scale 1; see `RandomState.standard_cauchy`."""
    return get_random_state().standard_cauchy(size, dtype)


def standard_exponential(
    size: int | Sequence[int] | None = None, dtype: DTypeLike = float
) -> ndarray:
    """Exponential variates of mean 1; see `RandomState.standard_exponential`."""
    return get_random_state().standard_exponential(size, dtype)


def standard_gamma(
    shape: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
) -> ndarray:
    """Gamma variates of scale 1; see `RandomState.standard_gamma`."""
    return get_random_state().standard_gamma(shape, size, dtype)


def standard_normal(size: int | Sequence[int] | None = None, dtype: DTypeLike = float) -> ndarray:
    """Normal variates of mean 0 and standard deviation 1; see `RandomState.standard_normal`."""
    return get_random_state().standard_normal(size, dtype)


def standard_t(
    df: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
) -> ndarray:
    """Variates of Student's t distribution; see `RandomState.standard_t`."""
    return get_random_state().standard_t(df, size, dtype)


def triangular(
    left: ArrayLike,
    mode: ArrayLike,
    right: ArrayLike,
    size: int | Sequence[int] | None = None,
    dtype: DTypeLike = float,
) -> ndarray:
    """Triangular variates; see `RandomState.triangular`."""
    return get_random_state().triangular(left, mode, right, size, dtype)


def uniform(
    low: ArrayLike = 0.0,
    high: ArrayLike = 1.0,
    size: int | Sequence[int] | None = None,
    dtype: DTypeLike = float,
) -> ndarray:
    """Uniform variates; see `RandomState.uniform`."""
    return get_random_state().uniform(low, high, size, dtype)


def vonmises(
    mu: ArrayLike,
    kappa: ArrayLike,
    size: int | Sequence[int] | None = None,
    dtype: DTypeLike = float,
) -> ndarray:
    """Variates of the von Mises distribution on the circle, from -pi to pi.

    See `RandomState.vonmises`.
    """
    return get_random_state().vonmises(mu, kappa, size, dtype)


def wald(
    mean: ArrayLike,
    scale: ArrayLike,
    size: int | Sequence[int] | None = None,
    dtype: DTypeLike = float,
) -> ndarray:
    """Wald, or inverse Gaussian, variates; see `RandomState.wald`."""
    return get_random_state().wald(mean, scale, size, dtype)


def weibull(
    a: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = float
) -> ndarray:
    """Weibull variates of scale 1; see `RandomState.weibull`."""
    return get_random_state().weibull(a, size, dtype)


def zipf(a: ArrayLike, size: int | Sequence[int] | None = None, dtype: DTypeLike = int) -> ndarray:
    """Zipf variates; see `RandomState.zipf`."""
    return get_random_state().zipf(a, size, dtype)


random = ranf = sample = random_sample

# What they take and return is what the methods of their names do.
for _name in __all__:
    if _name not in ("random", "ranf", "sample"):  # other names of `random_sample`
        add_sections(globals()[_name], texts_of(getattr(RandomState, _name)))

_without_annotations(globals())
