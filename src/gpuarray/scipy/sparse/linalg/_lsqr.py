"""LSQR: least squares by the bidiagonal process."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.creation import zeros
from gpuarray._ops.math import absolute
from gpuarray.linalg._norms import norm
from gpuarray.scipy.sparse.linalg._bidiagonal import (
    REASONS,
    Bidiagonal,
    first_guess,
    right_side,
    rotation,
    stopping_reason,
)
from gpuarray.scipy.sparse.linalg._matrix_operators import solver_operator
from gpuarray.scipy.sparse.linalg._systems import fused, norm_of

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray
    from gpuarray.scipy.sparse.linalg._operators import LinearOperator

__all__ = ["lsqr"]

_EPSILON = float(np.finfo(np.float64).eps)


@fused
def _step(x: Any, v: Any, w: Any, along: Any, back: Any) -> Any:
    return x + along * w, v + back * w


@fused
def _variance(var: Any, w: Any, factor: Any) -> Any:
    step = absolute(w) * factor
    return var + step * step


def lsqr(
    A: ArrayLike | LinearOperator | Any,
    b: ArrayLike,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    iter_lim: int | None = None,
    show: bool = False,
    calc_var: bool = False,
    x0: ArrayLike | None = None,
) -> tuple[ndarray, int, int, float, float, float, float, float, float, ndarray]:
    """Solve linear equations, or a problem of least squares, by LSQR.

    The solution is that of least ``norm(b - A @ x)**2 + damp**2 * norm(x - x0)**2``.

    Parameters
    ----------
    A : ndarray, sparse array or LinearOperator, shape (M, N)
        Any matrix.
    b : array_like, shape (M,)
        The right-hand side.
    damp : float, optional
        The weight of the solution's size.
    atol, btol : float, optional
        The end is a residual of at most ``atol * norm(A) * norm(x) + btol * norm(b)``, or one whose
        product with `A` is at most ``atol * norm(A)`` times it.
    conlim : float, optional
        The end is an estimate of the condition that exceeds this.
    iter_lim : int, optional
        The most iterations; 2 N by default.
    show : bool, optional
        Print the progress.
    calc_var : bool, optional
        Estimate the variances.
    x0 : array_like, shape (N,), optional
        Where to begin; zeros by default.

    Returns
    -------
    x : ndarray, shape (N,)
        The solution.
    istop : int
        Why the end came: 1, ``A @ x = b``; 2, least squares; 3 and 6, the condition; 4 and 5, as 1
        and 2, as exactly as possible; 7, no iterations left; 0, nothing to do.
    itn : int
        The number of iterations.
    r1norm, r2norm : float
        The norm of the residual, without and with the damped part.
    anorm, acond : float
        Estimates of the norm of `A` with the damped part, and of its condition.
    arnorm : float
        Estimate of the norm of the product of `A` and the residual.
    xnorm : float
        The norm of the solution.
    var : ndarray, shape (N,)
        With `calc_var` estimates of the diagonal of ``inv(A.T @ A + damp**2 * I)``, else zeros.

    Raises
    ------
    ValueError
        If the shapes do not fit together.

    Differences from SciPy
    ----------------------
    What `show` prints is shorter.

    Notes
    -----
    C. C. Paige and M. A. Saunders, ACM Transactions on Mathematical Software 8 (1982) 43-71 and
    195-209. The host reads the numbers of an iteration at once.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> x, istop, itn, r1norm, *_ = cp.scipy.sparse.linalg.lsqr(a, cp.array([1.0, 0.0, -1.0]))
    >>> x.round(6), istop, itn
    (array([ 1., -1.]), 1, 1)
    """
    operator = solver_operator(A)
    rows, columns = operator.shape
    u = right_side(b, "lsqr", rows)
    iter_lim = 2 * columns if iter_lim is None else iter_lim
    bnorm = norm_of(u)
    x, var = first_guess(x0, "lsqr", columns), zeros(columns)
    if x0 is not None:
        u = u - operator.matvec(x)
    process = Bidiagonal(operator, u)
    w = process.v
    beta, alpha = process.numbers()
    if beta == 0:
        alpha = 0.0
    istop = itn = 0
    anorm = acond = ddnorm = res2 = xnorm = xxnorm = z = 0.0
    cs2, sn2 = -1.0, 0.0
    damped = damp**2
    rhobar, phibar = alpha, beta
    r1norm = r2norm = beta
    arnorm = alpha * beta
    limit = 1 / conlim if conlim > 0 else 0.0
    if show:
        print(f"lsqr: {rows} rows, {columns} columns, damp = {damp:.6e}")  # noqa: T201
    while arnorm and itn < iter_lim:
        itn += 1
        process.step()
        beta, found, length = process.numbers(norm(w))
        if beta > 0:
            anorm = math.sqrt(anorm**2 + alpha**2 + beta**2 + damped)
            alpha = found
        # Take the damping away, then what is below the diagonal.
        turned, psi = rhobar, 0.0
        if damp > 0:
            turned = math.sqrt(rhobar**2 + damped)
            phibar, psi = rhobar / turned * phibar, damp / turned * phibar
        cs, sn, rho = rotation(turned, beta)
        theta, rhobar = sn * alpha, -cs * alpha
        phi, phibar = cs * phibar, sn * phibar
        if calc_var:
            var = _variance(var, w, 1 / rho)
        x, w = _step(x, process.v, w, phi / rho, -theta / rho)
        ddnorm += (length / rho) ** 2
        # The norm of the solution, by rotations from the right.
        delta, gambar, rhs = sn2 * rho, -cs2 * rho, phi
        rhs -= delta * z
        xnorm = math.sqrt(xxnorm + (rhs / gambar) ** 2)
        gamma = math.sqrt(gambar**2 + theta**2)
        cs2, sn2, z = gambar / gamma, theta / gamma, rhs / gamma
        xxnorm += z**2
        acond = anorm * math.sqrt(ddnorm)
        res2 += psi**2
        rnorm = math.sqrt(phibar**2 + res2)
        arnorm = alpha * abs(sn * phi)
        r1norm = r2norm = rnorm
        if damp > 0:
            square = rnorm**2 - damped * xxnorm
            r1norm = math.copysign(math.sqrt(abs(square)), square)
        ratio = rnorm / bnorm if bnorm else math.inf
        scale = anorm * xnorm / bnorm if bnorm else math.inf
        tests = (ratio, arnorm / (anorm * rnorm + _EPSILON), 1 / (acond + _EPSILON))
        machine = ratio / (1 + scale) if bnorm else math.nan
        limits = (btol + atol * scale, atol, limit)
        istop = stopping_reason(tests, limits, machine, itn >= iter_lim)
        if show:
            print(f"lsqr {itn:6g} {r1norm:10.3e} {r2norm:10.3e} {anorm:8.1e} {acond:8.1e}")  # noqa: T201
        if istop:
            break
    if show:
        print(f"lsqr: {REASONS[istop]}, after {itn} iterations")  # noqa: T201
    return x, istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm, var
