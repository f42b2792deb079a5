"""Orthogonal polynomials as objects: `poly1d` with their nodes, weights and norm."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import gpuarray as cp
from gpuarray.scipy.special import _orthogonal, _quadrature

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = [
    "chebyc", "chebys", "chebyt", "chebyu", "gegenbauer", "genlaguerre", "hermite", "hermitenorm",
    "jacobi", "laguerre", "legendre", "sh_chebyt", "sh_chebyu", "sh_jacobi", "sh_legendre",
]  # fmt: skip


class orthopoly1d(cp.poly1d):
    """An orthogonal polynomial; what arithmetic makes of it is a `poly1d`.

    Attributes
    ----------
    weights : ndarray, shape (n, 3)
        The nodes of Gauss's quadrature, their weights, and these divided by the weight function.
    weight_func : callable
        The weight function, of an ndarray or a number.
    limits : tuple of float
        The interval.
    normcoef : float
        The root of the integral of the polynomial's square times the weight function.
    """

    weights: ndarray
    weight_func: Callable[[Any], Any]
    limits: tuple[float, float]
    normcoef: float
    _value: Callable[[Any], Any]

    def __call__(self, val: Any) -> Any:
        """The value at numbers, by the polynomials' recurrence; a polynomial of a polynomial."""
        return super().__call__(val) if isinstance(val, cp.poly1d) else self._value(val)


def _made(
    n: Any,
    monic: bool,
    roots: Callable[..., Any],
    value: Callable[..., Any],
    leading: float,
    square: float,
    weight: Callable[[Any], Any],
    limits: tuple[float, float],
    *parameters: float,
) -> orthopoly1d:
    """The polynomial of a leading coefficient, and the integral of its square."""
    degree = int(n)
    nodes, weights = roots(degree, *parameters) if degree else (cp.zeros(0), cp.zeros(0))
    # The product of the factors is made on the host, as the nodes are.
    coefficients = np.poly(nodes.get()) * (1.0 if monic else leading)
    found = orthopoly1d(cp.asarray(coefficients))
    found.weights = cp.stack([nodes, weights, weights / weight(nodes)], axis=1)
    found.weight_func, found.limits = weight, limits
    found.normcoef = math.sqrt(square) / (abs(leading) if monic else 1.0)

    def evaluate(x: Any) -> Any:
        values = value(degree, *parameters, x)
        return values / leading if monic else values

    found._value = evaluate
    return found


def _degree(n: Any) -> int:
    if n < 0:
        raise ValueError("n must be nonnegative.")
    if int(n) != n:
        raise ValueError(f"n must be an integer, not {n!r}")
    return int(n)


def _one(x: Any) -> Any:
    return cp.ones_like(cp.asarray(x, dtype=float))


def legendre(n: int, monic: bool = False) -> orthopoly1d:
    n = _degree(n)
    leading, square = math.comb(2 * n, n) / 2**n, 2 / (2 * n + 1)
    roots, value = _quadrature.roots_legendre, _orthogonal.eval_legendre
    return _made(n, monic, roots, value, leading, square, _one, (-1.0, 1.0))


def sh_legendre(n: int, monic: bool = False) -> orthopoly1d:
    n = _degree(n)
    leading, square = float(math.comb(2 * n, n)), 1 / (2 * n + 1)
    roots, value = _quadrature.roots_sh_legendre, _orthogonal.eval_sh_legendre
    return _made(n, monic, roots, value, leading, square, _one, (0.0, 1.0))


def chebyt(n: int, monic: bool = False) -> orthopoly1d:
    n = _degree(n)
    leading, square = (2.0 ** (n - 1), math.pi / 2) if n else (1.0, math.pi)
    roots, value = _quadrature.roots_chebyt, _orthogonal.eval_chebyt
    return _made(
        n, monic, roots, value, leading, square, lambda x: 1 / cp.sqrt(1 - x * x), (-1.0, 1.0)
    )


def chebyu(n: int, monic: bool = False) -> orthopoly1d:
    n = _degree(n)
    roots, value = _quadrature.roots_chebyu, _orthogonal.eval_chebyu
    return _made(
        n, monic, roots, value, 2.0**n, math.pi / 2, lambda x: cp.sqrt(1 - x * x), (-1.0, 1.0)
    )


def chebyc(n: int, monic: bool = False) -> orthopoly1d:
    n = _degree(n)
    leading, square = (1.0, 4 * math.pi) if n else (2.0, 8 * math.pi)
    roots, value = _quadrature.roots_chebyc, _orthogonal.eval_chebyc
    return _made(
        n, monic, roots, value, leading, square, lambda x: 1 / cp.sqrt(1 - x * x / 4), (-2.0, 2.0)
    )


def chebys(n: int, monic: bool = False) -> orthopoly1d:
    n = _degree(n)
    roots, value = _quadrature.roots_chebys, _orthogonal.eval_chebys
    return _made(
        n, monic, roots, value, 1.0, math.pi, lambda x: cp.sqrt(1 - x * x / 4), (-2.0, 2.0)
    )


def sh_chebyt(n: int, monic: bool = False) -> orthopoly1d:
    n = _degree(n)
    leading, square = (4.0**n / 2, math.pi / 2) if n else (1.0, math.pi)
    roots, value = _quadrature.roots_sh_chebyt, _orthogonal.eval_sh_chebyt
    return _made(
        n, monic, roots, value, leading, square, lambda x: 1 / cp.sqrt(x - x * x), (0.0, 1.0)
    )


def sh_chebyu(n: int, monic: bool = False) -> orthopoly1d:
    n = _degree(n)
    roots, value = _quadrature.roots_sh_chebyu, _orthogonal.eval_sh_chebyu
    return _made(
        n, monic, roots, value, 4.0**n, math.pi / 8, lambda x: cp.sqrt(x - x * x), (0.0, 1.0)
    )


def jacobi(n: int, alpha: float, beta: float, monic: bool = False) -> orthopoly1d:
    n, both = _degree(n), alpha + beta + 1
    if alpha <= -1 or beta <= -1:
        raise ValueError("alpha and beta must be greater than -1.")
    first, second = math.lgamma(n + alpha + 1), math.lgamma(n + beta + 1)
    if n:
        third = math.lgamma(n + both)
        leading = math.exp(math.lgamma(2 * n + both) - math.lgamma(n + 1) - third) / 2**n
        square = math.exp(first + second - math.lgamma(n + 1) - third) / (2 * n + both)
    else:
        leading, square = 1.0, math.exp(first + second - math.lgamma(both + 1))
    roots, value = _quadrature.roots_jacobi, _orthogonal.eval_jacobi
    return _made(
        n, monic, roots, value, leading, square * 2**both,
        lambda x: (1 - x) ** alpha * (1 + x) ** beta, (-1.0, 1.0), alpha, beta,
    )  # fmt: skip


def sh_jacobi(n: int, p: float, q: float, monic: bool = False) -> orthopoly1d:
    n = _degree(n)
    if p - q <= -1 or q <= 0:
        raise ValueError("(p - q) must be greater than -1, and q must be greater than 0.")
    parts = (n + 1, n + q, n + p, n + p - q + 1)
    square = math.exp(sum(map(math.lgamma, parts)) - 2 * math.lgamma(2 * n + p)) / (2 * n + p)
    roots, value = _quadrature.roots_sh_jacobi, _orthogonal.eval_sh_jacobi
    return _made(
        n, monic, roots, value, 1.0, square, lambda x: (1 - x) ** (p - q) * x ** (q - 1),
        (0.0, 1.0), p, q,
    )  # fmt: skip


def gegenbauer(n: int, alpha: float, monic: bool = False) -> orthopoly1d:
    n = _degree(n)
    if not (alpha > -0.5 and math.isfinite(alpha)) or alpha == 0:
        raise ValueError("alpha must be a finite number greater than -1/2, and not 0.")
    leading = 1.0
    for k in range(n):
        leading *= 2 * (alpha + k) / (k + 1)
    gammas = math.gamma(n + 2 * alpha) / math.gamma(alpha) ** 2
    square = math.pi * 2 ** (1 - 2 * alpha) * gammas / (math.gamma(n + 1) * (n + alpha))
    roots, value = _quadrature.roots_gegenbauer, _orthogonal.eval_gegenbauer
    return _made(
        n, monic, roots, value, leading, square, lambda x: (1 - x * x) ** (alpha - 0.5),
        (-1.0, 1.0), alpha,
    )  # fmt: skip


def laguerre(n: int, monic: bool = False) -> orthopoly1d:
    n = _degree(n)
    roots, value = _quadrature.roots_laguerre, _orthogonal.eval_laguerre
    leading = (-1) ** n / math.gamma(n + 1)
    return _made(n, monic, roots, value, leading, 1.0, lambda x: cp.exp(-x), (0.0, math.inf))


def genlaguerre(n: int, alpha: float, monic: bool = False) -> orthopoly1d:
    n = _degree(n)
    if alpha <= -1:
        raise ValueError("alpha must be > -1")
    leading = (-1) ** n / math.gamma(n + 1)
    square = math.exp(math.lgamma(n + alpha + 1) - math.lgamma(n + 1))
    roots, value = _quadrature.roots_genlaguerre, _orthogonal.eval_genlaguerre
    return _made(
        n, monic, roots, value, leading, square, lambda x: cp.exp(-x) * x**alpha, (0.0, math.inf),
        alpha,
    )  # fmt: skip


def hermite(n: int, monic: bool = False) -> orthopoly1d:
    n = _degree(n)
    square = 2.0**n * math.gamma(n + 1) * math.sqrt(math.pi)
    roots, value = _quadrature.roots_hermite, _orthogonal.eval_hermite
    return _made(
        n, monic, roots, value, 2.0**n, square, lambda x: cp.exp(-x * x), (-math.inf, math.inf)
    )


def hermitenorm(n: int, monic: bool = False) -> orthopoly1d:
    n = _degree(n)
    square = math.gamma(n + 1) * math.sqrt(2 * math.pi)
    roots, value = _quadrature.roots_hermitenorm, _orthogonal.eval_hermitenorm
    return _made(
        n, monic, roots, value, 1.0, square, lambda x: cp.exp(-x * x / 2), (-math.inf, math.inf)
    )


def _documented(function: Any, polynomials: str, interval: str, parameters: str = "") -> None:
    given = 0 if not parameters else 2 if "," in parameters else 1
    example = ", ".join(["2", "1.5", "1.0"][: 1 + given])
    more = f"    {parameters} : float\n        The polynomials' parameters.\n" if parameters else ""
    function.__doc__ = f"""{polynomials} as an object.

    Parameters
    ----------
    n : int
        The degree.
{more}    monic : bool, optional
        Whether the leading coefficient is 1.

    Returns
    -------
    orthopoly1d
        A `poly1d` that is evaluated by the recurrence of the polynomials, orthogonal on {interval},
        with attributes `weights`, `weight_func`, `limits` and `normcoef`.

    Raises
    ------
    ValueError
        If `n` is negative or no integer, or a parameter is out of range.

    Differences from SciPy
    ----------------------
    Of degree 0 limits and norm are those of the family. Gegenbauer polynomials of the parameter 0
    raise ValueError. Values at Python's numbers are arrays without dimensions.

    Notes
    -----
    Coefficients are the product of the factors, made on the host: of degrees above about 20 they
    have few digits, and so have values of what arithmetic makes of the object. Norm and leading
    coefficient: DLMF 18.3.1.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> p = cp.scipy.special.{function.__name__}({example})
    >>> p.order, p.weights.shape
    (2, (2, 3))
    """


_documented(legendre, "A Legendre polynomial", "[-1, 1]")
_documented(sh_legendre, "A Legendre polynomial of 2x - 1", "[0, 1]")
_documented(chebyt, "A Chebyshev polynomial of the first kind", "[-1, 1]")
_documented(chebyu, "A Chebyshev polynomial of the second kind", "[-1, 1]")
_documented(chebyc, "A Chebyshev polynomial of the first kind of x / 2, twice", "[-2, 2]")
_documented(chebys, "A Chebyshev polynomial of the second kind of x / 2", "[-2, 2]")
_documented(sh_chebyt, "A Chebyshev polynomial of the first kind of 2x - 1", "[0, 1]")
_documented(sh_chebyu, "A Chebyshev polynomial of the second kind of 2x - 1", "[0, 1]")
_documented(jacobi, "A Jacobi polynomial", "[-1, 1]", "alpha, beta")
_documented(sh_jacobi, "A shifted Jacobi polynomial", "[0, 1]", "p, q")
_documented(gegenbauer, "A Gegenbauer polynomial", "[-1, 1]", "alpha")
_documented(laguerre, "A Laguerre polynomial", "[0, inf)")
_documented(genlaguerre, "A generalized Laguerre polynomial", "[0, inf)", "alpha")
_documented(hermite, "A Hermite polynomial", "the real line")
_documented(hermitenorm, "A Hermite polynomial of the weight exp(-x**2 / 2)", "the real line")
