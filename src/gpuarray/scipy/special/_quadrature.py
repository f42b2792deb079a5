"""Nodes and weights of Gauss's quadrature for orthogonal polynomials."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import gpuarray as cp

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = [
    "c_roots", "cg_roots", "h_roots", "he_roots", "j_roots", "js_roots", "l_roots", "la_roots",
    "p_roots", "ps_roots", "roots_chebyc", "roots_chebys", "roots_chebyt", "roots_chebyu",
    "roots_gegenbauer", "roots_genlaguerre", "roots_hermite", "roots_hermitenorm", "roots_jacobi",
    "roots_laguerre", "roots_legendre", "roots_sh_chebyt", "roots_sh_chebyu", "roots_sh_jacobi",
    "roots_sh_legendre", "s_roots", "t_roots", "ts_roots", "u_roots", "us_roots",
]  # fmt: skip


class _Rule(NamedTuple):
    """On the host: nodes, weights, and the integral of the weight function."""

    nodes: np.ndarray
    weights: np.ndarray
    total: float


def _count(n: Any) -> int:
    count = int(n)
    if count < 1 or count != n:
        raise ValueError("n must be a positive integer.")
    return count


def _on_device(rule: _Rule, mu: bool) -> tuple[Any, ...]:
    nodes, weights = cp.asarray(rule.nodes), cp.asarray(rule.weights)
    return (nodes, weights, rule.total) if mu else (nodes, weights)


def _rule(diagonal: np.ndarray, squares: np.ndarray, total: float, even: bool) -> _Rule:
    """A rule from the recurrence of monic polynomials: G. H. Golub and J. H. Welsch (1969).

    ``squares`` are the factors of the last but one polynomial, from the second on. Nodes are the
    eigenvalues of the tridiagonal matrix, after a step of Newton's; weights are Christoffel's
    numbers, which are sums of squares.
    """
    n, beside = len(diagonal), np.sqrt(squares)
    matrix = np.diag(diagonal) + np.diag(beside[: n - 1], 1) + np.diag(beside[: n - 1], -1)
    x = np.linalg.eigvalsh(matrix)
    for last in (False, True):
        # Orthonormal polynomials but for a factor, and their derivatives.
        before, value = np.zeros(n), np.ones(n)
        slope_before, slope = np.zeros(n), np.zeros(n)
        sums, scale = np.zeros(n), np.zeros(n)
        for k in range(n):
            sums += value * value
            below = beside[k - 1] if k else 0.0
            above = beside[k] if k < n - 1 else 1.0
            following = ((x - diagonal[k]) * value - below * before) / above
            slope_following = ((x - diagonal[k]) * slope + value - below * slope_before) / above
            before, value = value, following
            slope_before, slope = slope, slope_following
            great = np.abs(value) + np.abs(slope) > 1e100
            if great.any():
                factor = np.where(great, 1e-100, 1.0)
                before, value, slope_before, slope = (
                    y * factor for y in (before, value, slope_before, slope)
                )
                sums *= factor * factor
                scale += 200 * great
        if not last:
            x = x - value / slope
    weights = 10.0 ** (-(scale - scale.min())) / sums
    if even:
        x, weights = (x - x[::-1]) / 2, (weights + weights[::-1]) / 2
    return _Rule(x, weights * (total / weights.sum()), total)


def _moved(rule: _Rule, total: float) -> _Rule:
    """A rule on [-1, 1] as one on [0, 1]."""
    return _Rule((rule.nodes + 1) / 2, rule.weights * (total / rule.total), total)


def _doubled(rule: _Rule) -> _Rule:
    """A rule on [-1, 1] as one on [-2, 2]."""
    return _Rule(2 * rule.nodes, 2 * rule.weights, 2 * rule.total)


def _jacobi(n: Any, alpha: float, beta: float) -> _Rule:
    count = _count(n)
    if alpha <= -1 or beta <= -1:
        raise ValueError("alpha and beta must be greater than -1.")
    if alpha == beta:
        return _gegenbauer_of(count, alpha + 0.5) if alpha != -0.5 else _chebyt(count)
    both = alpha + beta
    logarithm = math.lgamma(alpha + 1) + math.lgamma(beta + 1) - math.lgamma(both + 2)
    total = math.exp((both + 1) * math.log(2) + logarithm)
    k = np.arange(count, dtype=float)
    diagonal = np.full(count, (beta - alpha) / (both + 2))
    t = 2 * k[1:] + both
    diagonal[1:] = (beta * beta - alpha * alpha) / (t * (t + 2))
    k = np.arange(1, count, dtype=float)
    squares = np.empty(count - 1)
    if count > 1:
        squares[0] = 4 * (1 + alpha) * (1 + beta) / ((2 + both) ** 2 * (3 + both))
        k = k[1:]
        t = 2 * k + both
        squares[1:] = 4 * k * (k + alpha) * (k + beta) * (k + both) / (t * t * (t + 1) * (t - 1))
    return _rule(diagonal, squares, total, False)


def _gegenbauer_of(count: int, alpha: float) -> _Rule:
    """For alpha other than 0."""
    total = math.sqrt(math.pi) * math.exp(math.lgamma(alpha + 0.5) - math.lgamma(alpha + 1))
    k = np.arange(1, count, dtype=float)
    with np.errstate(invalid="ignore"):
        squares = k * (k + 2 * alpha - 1) / (4 * (k + alpha) * (k + alpha - 1))
    return _rule(np.zeros(count), squares, total, True)


def _chebyt(count: int) -> _Rule:
    nodes = np.cos(np.arange(2 * count - 1, 0, -2) * (math.pi / (2 * count)))
    nodes = (nodes - nodes[::-1]) / 2
    return _Rule(nodes, np.full(count, math.pi / count), math.pi)


def _chebyu(count: int) -> _Rule:
    angles = np.arange(count, 0, -1) * (math.pi / (count + 1))
    nodes = np.cos(angles)
    weights = math.pi * np.sin(angles) ** 2 / (count + 1)
    return _Rule((nodes - nodes[::-1]) / 2, weights, math.pi / 2)


def _legendre(count: int) -> _Rule:
    k = np.arange(1, count, dtype=float)
    return _rule(np.zeros(count), k * k / (4 * k * k - 1), 2.0, True)


def _laguerre(count: int, alpha: float) -> _Rule:
    k = np.arange(count, dtype=float)
    squares = k[1:] * (k[1:] + alpha)
    return _rule(2 * k + alpha + 1, squares, math.gamma(alpha + 1), False)


def _hermite(count: int, factor: float) -> _Rule:
    squares = np.arange(1, count) * factor
    return _rule(np.zeros(count), squares, math.sqrt(2 * math.pi * factor), True)


def _document(
    name: str,
    polynomials: str,
    interval: str,
    weight: str,
    parameters: str = "",
    condition: str = "",
) -> str:
    """The docstring of a function."""
    more = f"    {parameters}\n" if parameters else ""
    given = 0 if not parameters else 2 if "," in parameters.partition(":")[0] else 1
    example = ", ".join(["3", "1.5", "1.0"][: 1 + given])
    also = f", or {condition}" if condition else ""
    return f"""Nodes and weights of Gauss's quadrature with {polynomials}.

    The interval is {interval}, and the weight function {weight}.

    Parameters
    ----------
    n : int
        How many nodes.
{more}    mu : bool, optional
        Return the sum of the weights, too.

    Returns
    -------
    tuple of ndarray
        Nodes, from the least, and weights, in float64; the sum of the weights is a float.

    Raises
    ------
    ValueError
        If `n` is no positive integer{also}.

    Notes
    -----
    The rule is made on the host, by an eigenvalue problem where there is no formula, and copied to
    the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> nodes, weights = cp.scipy.special.{name}({example})
    >>> nodes.shape, weights.shape
    ((3,), (3,))
    """


def _documented(function: Any, *parts: str) -> None:
    function.__doc__ = _document(function.__name__, *parts)


def roots_legendre(n: int, mu: bool = False) -> tuple[ndarray, ...]:
    return _on_device(_legendre(_count(n)), mu)


def roots_chebyt(n: int, mu: bool = False) -> tuple[ndarray, ...]:
    return _on_device(_chebyt(_count(n)), mu)


def roots_chebyu(n: int, mu: bool = False) -> tuple[ndarray, ...]:
    return _on_device(_chebyu(_count(n)), mu)


def roots_chebyc(n: int, mu: bool = False) -> tuple[ndarray, ...]:
    return _on_device(_doubled(_chebyt(_count(n))), mu)


def roots_chebys(n: int, mu: bool = False) -> tuple[ndarray, ...]:
    return _on_device(_doubled(_chebyu(_count(n))), mu)


def roots_sh_chebyt(n: int, mu: bool = False) -> tuple[ndarray, ...]:
    return _on_device(_moved(_chebyt(_count(n)), math.pi), mu)


def roots_sh_chebyu(n: int, mu: bool = False) -> tuple[ndarray, ...]:
    return _on_device(_moved(_chebyu(_count(n)), math.pi / 8), mu)


def roots_sh_legendre(n: int, mu: bool = False) -> tuple[ndarray, ...]:
    return _on_device(_moved(_legendre(_count(n)), 1.0), mu)


def roots_jacobi(n: int, alpha: float, beta: float, mu: bool = False) -> tuple[ndarray, ...]:
    return _on_device(_jacobi(n, alpha, beta), mu)


def roots_sh_jacobi(n: int, p1: float, q1: float, mu: bool = False) -> tuple[ndarray, ...]:
    if p1 - q1 <= -1 or q1 <= 0:
        raise ValueError("(p - q) must be greater than -1, and q must be greater than 0.")
    rule = _jacobi(n, p1 - q1, q1 - 1)
    return _on_device(_moved(rule, rule.total / 2**p1), mu)


def roots_gegenbauer(n: int, alpha: float, mu: bool = False) -> tuple[ndarray, ...]:
    count = _count(n)
    if alpha < -0.5:
        raise ValueError("alpha must be greater than -0.5.")
    return _on_device(_gegenbauer_of(count, alpha) if alpha != 0 else _chebyt(count), mu)


def roots_laguerre(n: int, mu: bool = False) -> tuple[ndarray, ...]:
    return _on_device(_laguerre(_count(n), 0.0), mu)


def roots_genlaguerre(n: int, alpha: float, mu: bool = False) -> tuple[ndarray, ...]:
    count = _count(n)
    if alpha < -1:
        raise ValueError("alpha must be greater than -1.")
    return _on_device(_laguerre(count, alpha), mu)


def roots_hermite(n: int, mu: bool = False) -> tuple[ndarray, ...]:
    return _on_device(_hermite(_count(n), 0.5), mu)


def roots_hermitenorm(n: int, mu: bool = False) -> tuple[ndarray, ...]:
    return _on_device(_hermite(_count(n), 1.0), mu)


_ALPHA = "alpha : float\n        The parameter."
_documented(roots_legendre, "Legendre polynomials", "[-1, 1]", "1")
_documented(
    roots_chebyt, "Chebyshev polynomials of the first kind", "[-1, 1]", "1 / sqrt(1 - x**2)"
)
_documented(roots_chebyu, "Chebyshev polynomials of the second kind", "[-1, 1]", "sqrt(1 - x**2)")
_documented(
    roots_chebyc, "Chebyshev polynomials of the first kind", "[-2, 2]", "1 / sqrt(1 - (x / 2)**2)"
)
_documented(
    roots_chebys, "Chebyshev polynomials of the second kind", "[-2, 2]", "sqrt(1 - (x / 2)**2)"
)
_documented(
    roots_sh_chebyt, "Chebyshev polynomials of the first kind", "[0, 1]", "1 / sqrt(x - x**2)"
)
_documented(roots_sh_chebyu, "Chebyshev polynomials of the second kind", "[0, 1]", "sqrt(x - x**2)")
_documented(roots_sh_legendre, "Legendre polynomials", "[0, 1]", "1")
_documented(
    roots_jacobi, "Jacobi polynomials", "[-1, 1]", "(1 - x)**alpha * (1 + x)**beta",
    "alpha, beta : float\n        The parameters, greater than -1.", "a parameter too small",
)  # fmt: skip
_documented(
    roots_sh_jacobi, "Jacobi polynomials", "[0, 1]", "(1 - x)**(p1 - q1) * x**(q1 - 1)",
    "p1, q1 : float\n        The parameters; `q1` is positive and less than ``p1 + 1``.",
    "a parameter out of range",
)  # fmt: skip
_documented(
    roots_gegenbauer, "Gegenbauer polynomials", "[-1, 1]", "(1 - x**2)**(alpha - 1/2)",
    _ALPHA.replace("parameter", "parameter, greater than -1/2"), "`alpha` too small",
)  # fmt: skip
_documented(roots_laguerre, "Laguerre polynomials", "[0, inf)", "exp(-x)")
_documented(
    roots_genlaguerre, "generalized Laguerre polynomials", "[0, inf)", "x**alpha * exp(-x)",
    _ALPHA.replace("parameter", "parameter, greater than -1"), "`alpha` too small",
)  # fmt: skip
_documented(roots_hermite, "Hermite polynomials", "the real axis", "exp(-x**2)")
_documented(roots_hermitenorm, "Hermite polynomials", "the real axis", "exp(-x**2 / 2)")

p_roots, ps_roots = roots_legendre, roots_sh_legendre
t_roots, ts_roots, c_roots = roots_chebyt, roots_sh_chebyt, roots_chebyc
u_roots, us_roots, s_roots = roots_chebyu, roots_sh_chebyu, roots_chebys
j_roots, js_roots, cg_roots = roots_jacobi, roots_sh_jacobi, roots_gegenbauer
l_roots, la_roots = roots_laguerre, roots_genlaguerre
h_roots, he_roots = roots_hermite, roots_hermitenorm
