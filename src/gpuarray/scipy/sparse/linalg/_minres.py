"""The method of minimal residuals for symmetric matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.creation_like import zeros_like
from gpuarray._ops.products import dot
from gpuarray.scipy.sparse.linalg._progress import read
from gpuarray.scipy.sparse.linalg._systems import fused, make_system, norm_of

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray
    from gpuarray.scipy.sparse.linalg._operators import LinearOperator

__all__ = ["minres"]

_REASONS = {
    -1: "beta2 = 0.  If M = I, b and x are eigenvectors",
    0: "The iteration limit is 0",
    1: "A solution to Ax = b was found, given rtol",
    2: "A least-squares solution was found, given rtol",
    3: "Reasonable accuracy achieved, given eps",
    4: "x has converged to an eigenvector, or acond has exceeded 0.1/eps",
    6: "The iteration limit was reached",
}


@fused
def _scaled(y: Any, factor: Any) -> Any:
    return y * factor


@fused
def _first(y: Any, v: Any, shift: Any) -> Any:
    return y - shift * v


@fused
def _shifted(y: Any, v: Any, r1: Any, shift: Any, ratio: Any) -> Any:
    return (y - shift * v) - ratio * r1


@fused
def _orthogonal(y: Any, r2: Any, alpha: Any, beta: Any) -> Any:
    return y - (alpha / beta) * r2


@fused
def _step(x: Any, v: Any, w1: Any, w2: Any, a: Any, b: Any, scale: Any, phi: Any) -> Any:
    w = (v - a * w1 - b * w2) * scale
    return w, x + phi * w


def minres(
    A: ArrayLike | LinearOperator | Any,
    b: ArrayLike,
    x0: ArrayLike | str | None = None,
    *,
    rtol: float = 1e-5,
    shift: float = 0.0,
    maxiter: int | None = None,
    M: ArrayLike | LinearOperator | Any = None,
    callback: Callable[[ndarray], Any] | None = None,
    show: bool = False,
    check: bool = False,
) -> tuple[ndarray, int]:
    """Solve linear equations of a symmetric matrix by minimal residuals.

    Parameters
    ----------
    A : ndarray, sparse array or LinearOperator, shape (N, N)
        Real and symmetric; it may be indefinite or singular.
    b : array_like, shape (N,) or (N, 1)
        The right-hand side.
    x0 : array_like or 'Mb', optional
        Where to begin; zeros by default, and with 'Mb' the product of `M` and `b`.
    rtol : float, optional
        The end is a residual that is so small beside the norms of `A` and of the solution.
    shift : float, optional
        The equations are ``(A - shift * I) @ x = b``.
    maxiter : int, optional
        The most iterations; five times N by default.
    M : ndarray, sparse array or LinearOperator, optional
        The preconditioner, positive definite.
    callback : callable, optional
        Called with the current solution after each iteration.
    show : bool, optional
        Print the progress.
    check : bool, optional
        Test first whether `A` and `M` are symmetric.

    Returns
    -------
    x : ndarray, shape (N,)
        The solution.
    info : int
        0, or `maxiter` if that was reached.

    Raises
    ------
    TypeError
        For complex numbers.
    ValueError
        If `A` is not square, shapes do not fit together, or a matrix proves not symmetric or not
        positive definite.

    Differences from SciPy
    ----------------------
    Complex numbers are refused, for which the method is not meant, and the solution of float32 is
    float32. What `show` prints is shorter.

    Notes
    -----
    C. C. Paige and M. A. Saunders, SIAM Journal on Numerical Analysis 12 (1975) 617-629. The host
    reads two numbers of an iteration and then one.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.array([[2.0, 1.0], [1.0, -1.0]])
    >>> x, info = cp.scipy.sparse.linalg.minres(a, cp.array([4.0, -1.0]))
    >>> x.round(6), info
    (array([1., 2.]), 0)
    """
    system = make_system(A, M, x0, b, "minres")
    x, dtype = system.x, system.x.dtype
    if dtype.kind == "c":
        raise TypeError(f"minres: the matrix has to be real, not {dtype}; use gmres or cg")
    matvec, psolve = system.matrix.matvec, system.psolve
    epsilon = float(np.finfo(dtype).eps)
    maxiter = 5 * len(system.b) if maxiter is None else maxiter
    r1 = system.residual()
    y = psolve(r1)
    square = float(read(dot(r1, y))[0])
    if square < 0:
        raise ValueError("minres: indefinite preconditioner")
    if square == 0:
        return x, 0
    if norm_of(system.b) == 0:
        return system.b.copy(), 0
    beta = start = math.sqrt(square)
    if check:
        _check_symmetric(matvec, y, y, epsilon, "non-symmetric matrix")
        _check_symmetric(psolve, y, r1, epsilon, "non-symmetric preconditioner")
    before, dbar, epsln, phibar = 0.0, 0.0, 0.0, start
    squares, largest, least = 0.0, 0.0, float(np.finfo(dtype).max)
    c, s, stop, iteration = -1.0, 0.0, 0, 0
    w2, w, r2 = zeros_like(x), zeros_like(x), r1
    while iteration < maxiter:
        iteration += 1
        v = _scaled(y, 1.0 / beta)
        y = matvec(v)
        if iteration > 1:
            y = _shifted(y, v, r1, shift, beta / before)
        elif shift:
            y = _first(y, v, shift)
        alpha_there = dot(v, y)
        y = _orthogonal(y, r2, alpha_there, beta)
        r1, r2 = r2, y
        y = psolve(r2)
        before = beta
        alpha, square = map(float, read(alpha_there, dot(r2, y)))
        if square < 0:
            raise ValueError("minres: non-symmetric matrix")
        beta = math.sqrt(square)
        squares += alpha**2 + before**2 + beta**2
        if iteration == 1 and beta / start <= 10 * epsilon:
            stop = -1  # b is an eigenvector
        # The rotation before, and this one.
        older, delta = epsln, c * dbar + s * alpha
        gbar = s * dbar - c * alpha
        epsln, dbar = s * beta, -c * beta
        root = math.hypot(gbar, dbar)
        gamma = max(math.hypot(gbar, beta), epsilon)
        c, s = gbar / gamma, beta / gamma
        phi, phibar = c * phibar, s * phibar
        w1, w2 = w2, w
        w, x = _step(x, v, w1, w2, older, delta, 1.0 / gamma, phi)
        largest, least = max(largest, gamma), min(least, gamma)
        norm, size = math.sqrt(squares), norm_of(x)
        product = norm * size
        test1 = phibar / product if product else math.inf
        test2 = root / norm if norm else math.inf
        if stop == 0:
            stop = _reason(
                test1, test2, largest / least, product * epsilon >= start, rtol, epsilon,
                iteration >= maxiter,
            )  # fmt: skip
        if show:
            print(f"minres {iteration:6g} {test1:10.3e} {test2:10.3e} {norm:8.1e}")  # noqa: T201
        if callback is not None:
            callback(x)
        if stop:
            break
    if show:
        print(f"minres: {_REASONS[stop]}, after {iteration} iterations")  # noqa: T201
    return x, maxiter if stop == 6 else 0


def _reason(
    test1: float,
    test2: float,
    condition: float,
    accurate: bool,
    rtol: float,
    epsilon: float,
    exhausted: bool,
) -> int:
    """Why to stop, or 0. What stands first here holds."""
    if test1 <= rtol:
        return 1
    if test2 <= rtol:
        return 2
    if accurate:
        return 3
    if condition >= 0.1 / epsilon:
        return 4
    if exhausted:
        return 6
    if 1 + test1 <= 1:
        return 1
    return 2 if 1 + test2 <= 1 else 0


def _check_symmetric(
    product: Callable[[Any], Any], y: Any, other: Any, epsilon: float, message: str
) -> None:
    """ValueError if <p(y), p(y)> differs from <y, p(p(y))>, as it does not if p is symmetric."""
    if other is y:
        w = product(y)
        s, t = map(float, read(dot(w, w), dot(y, product(w))))
    else:
        s, t = map(float, read(dot(y, y), dot(other, product(y))))
    if abs(s - t) > (s + epsilon) * epsilon ** (1 / 3):
        raise ValueError(f"minres: {message}")
