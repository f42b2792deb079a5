"""LSMR: least squares by the bidiagonal process and minimal residuals of the normal equations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ops.creation import zeros
from gpuarray._ops.creation_like import zeros_like
from gpuarray._ops.manipulation import as_array
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

__all__ = ["lsmr"]


@fused
def _step(x: Any, v: Any, h: Any, hbar: Any, back: Any, along: Any, turn: Any) -> Any:
    hbar = h - back * hbar
    return x + along * hbar, v - turn * h, hbar


class _ResidualNorm:
    """The norm of the residual, from the rotations alone (section 5 of the paper)."""

    def __init__(self, beta: float):
        self._betadd, self._betad, self._rhod, self._tau = beta, 0.0, 1.0, 0.0
        self._theta, self._zeta, self._d = 0.0, 0.0, 0.0

    def turn(
        self,
        damping: tuple[float, float],
        c: float,
        s: float,
        thetabar: float,
        rhobar: float,
        zeta: float,
    ) -> float:
        """Apply the rotations of one more iteration."""
        acute, check = damping[0] * self._betadd, -damping[1] * self._betadd
        hat, self._betadd = c * acute, -s * acute
        c_old, s_old, rho_old = rotation(self._rhod, thetabar)
        theta_old, self._theta = self._theta, s_old * rhobar
        self._rhod = c_old * rhobar
        self._betad = -s_old * self._betad + c_old * hat
        self._tau = (self._zeta - theta_old * self._tau) / rho_old
        self._zeta = zeta
        tau = (zeta - self._theta * self._tau) / self._rhod
        self._d += check * check
        return math.sqrt(self._d + (self._betad - tau) ** 2 + self._betadd**2)


def lsmr(
    A: ArrayLike | LinearOperator | Any,
    b: ArrayLike,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    maxiter: int | None = None,
    show: bool = False,
    x0: ArrayLike | None = None,
) -> tuple[ndarray, int, int, float, float, float, float, float]:
    """Solve linear equations, or a problem of least squares, by LSMR.

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
    maxiter : int, optional
        The most iterations; the lesser of M and N by default.
    show : bool, optional
        Print the progress.
    x0 : array_like, shape (N,), optional
        Where to begin; zeros by default.

    Returns
    -------
    x : ndarray, shape (N,)
        The solution.
    istop : int
        Why the end came, as for `lsqr`.
    itn : int
        The number of iterations.
    normr, normar : float
        The norm of the residual, and of its product with `A`.
    norma, conda : float
        Estimates of the norm of `A` and of its condition.
    normx : float
        The norm of the solution.

    Raises
    ------
    ValueError
        If the shapes do not fit together.

    Differences from SciPy
    ----------------------
    What `show` prints is shorter. The matrix is multiplied once more than it takes, since the host
    reads the numbers of an iteration with those of the next.

    Notes
    -----
    D. C.-L. Fong and M. A. Saunders, SIAM Journal on Scientific Computing 33 (2011) 2950-2971.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> x, istop, itn, *_ = cp.scipy.sparse.linalg.lsmr(a, cp.array([1.0, 0.0, -1.0]))
    >>> x.round(6), istop, itn
    (array([ 1., -1.]), 1, 1)
    """
    operator = solver_operator(A)
    rows, columns = operator.shape
    u = right_side(b, "lsmr", rows)
    maxiter = min(rows, columns) if maxiter is None else maxiter
    bnorm = norm_of(u)
    if x0 is None:
        x = zeros(columns, np.result_type(operator.dtype, u.dtype, np.float64))
    else:
        x = first_guess(x0, "lsmr", columns).copy()
        u = u - operator.matvec(as_array(x0, "lsmr"))
    process = Bidiagonal(operator, u)
    beta, alpha = process.numbers()
    if beta == 0:
        alpha = 0.0
    h, hbar = process.v, zeros_like(process.v)
    zetabar, alphabar = alpha * beta, alpha
    rho = rhobar = cbar = 1.0
    sbar = normx = 0.0
    residual = _ResidualNorm(beta)
    square = alpha * alpha
    largest, least = 0.0, 1e100
    norma, conda, normr, normar = math.sqrt(square), 1.0, beta, alpha * beta
    istop = itn = 0
    limit = 1 / conlim if conlim > 0 else 0.0
    if normar and bnorm == 0:
        return zeros_like(x), istop, itn, normr, normar, norma, conda, normx
    if show:
        print(f"lsmr: {rows} rows, {columns} columns, damp = {damp:.6e}")  # noqa: T201
    new_beta = new_alpha = 0.0
    if normar and maxiter > 0:
        process.step()
        new_beta, new_alpha = process.numbers()
    while normar and itn < maxiter:
        itn += 1
        beta = new_beta
        if beta > 0:
            alpha = new_alpha
        v = process.v
        damping_c, damping_s, turned = rotation(alphabar, damp)
        rho_old, rhobar_old = rho, rhobar
        c, s, rho = rotation(turned, beta)
        theta, alphabar = s * alpha, c * alpha
        thetabar, turned = sbar * rho, cbar * rho
        cbar, sbar, rhobar = rotation(turned, theta)
        zeta, zetabar = cbar * zetabar, -sbar * zetabar
        back = thetabar * rho / (rho_old * rhobar_old)
        x, h, hbar = _step(x, v, h, hbar, back, zeta / (rho * rhobar), theta / rho)
        length = norm(x)
        if itn < maxiter:
            process.step()
        new_beta, new_alpha, normx = process.numbers(length)
        normr = residual.turn((damping_c, damping_s), c, s, thetabar, rhobar, zeta)
        square += beta * beta
        norma = math.sqrt(square)
        square += alpha * alpha
        largest = max(largest, rhobar_old)
        if itn > 1:
            least = min(least, rhobar_old)
        conda = max(largest, turned) / min(least, turned)
        normar = abs(zetabar)
        product = norma * normr
        tests = (normr / bnorm, normar / product if product else math.inf, 1 / conda)
        scale = norma * normx / bnorm
        limits = (btol + atol * scale, atol, limit)
        istop = stopping_reason(tests, limits, tests[0] / (1 + scale), itn >= maxiter)
        if show:
            print(f"lsmr {itn:6g} {normr:10.3e} {normar:10.3e} {norma:8.1e} {conda:8.1e}")  # noqa: T201
        if istop:
            break
    if show:
        print(f"lsmr: {REASONS[istop]}, after {itn} iterations")  # noqa: T201
    return x, istop, itn, normr, normar, norma, conda, normx
