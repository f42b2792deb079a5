"""The stabilised method of biconjugate gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray._ops.products import vdot
from gpuarray.scipy.sparse.linalg._conjugate_gradients import cgs
from gpuarray.scipy.sparse.linalg._progress import iterate, lag_of, read
from gpuarray.scipy.sparse.linalg._systems import (
    fused,
    make_system,
    norm_of,
    product_and_vdot,
    step,
    threshold,
)

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray
    from gpuarray.scipy.sparse.linalg._operators import LinearOperator

__all__ = ["bicgstab"]


class _State(NamedTuple):
    """A step's vectors, and its numbers on the device."""

    x: Any
    r: Any
    rho: Any
    p: Any = None
    v: Any = None
    before: Any = None  # the previous rho
    rv: Any = None
    ts: Any = None  # their quotient is omega
    tt: Any = None
    half: Any = None  # what the first half adds to x, over alpha


@fused
def _direction(r: Any, p: Any, v: Any, rho: Any, before: Any, rv: Any, ts: Any, tt: Any) -> Any:
    omega = ts / tt
    return (p - omega * v) * ((rho / before) * ((before / rv) / omega)) + r


@fused
def _half_step(x: Any, p: Any, rho: Any, rv: Any) -> Any:
    return x + (rho / rv) * p


@fused
def _step(x: Any, p: Any, s: Any, shat: Any, t: Any, rho: Any, rv: Any, ts: Any, tt: Any) -> Any:
    omega = ts / tt
    return (x + (rho / rv) * p) + omega * shat, s - omega * t


@sharing(texts_of(cgs))
def bicgstab(
    A: ArrayLike | LinearOperator | Any,
    b: ArrayLike,
    x0: ArrayLike | str | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: ArrayLike | LinearOperator | Any = None,
    callback: Callable[[ndarray], Any] | None = None,
) -> tuple[ndarray, int]:
    """Solve linear equations by stabilised biconjugate gradients.

    Parameters
    ----------
    {A}
    {b}
    {x0}
    {rtol}
    {maxiter}
    {M}
    {callback}

    {Returns}

    {Raises}

    Differences from SciPy
    ----------------------
    As for `cg`, a matrix may be multiplied by a few vectors more than it takes.

    Notes
    -----
    H. A. van der Vorst, SIAM Journal on Scientific and Statistical Computing 13 (1992) 631-644.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.array([[4.0, 1.0], [2.0, 3.0]])
    >>> x, info = cp.scipy.sparse.linalg.bicgstab(a, cp.array([6.0, 8.0]))
    >>> x.round(6), info
    (array([1., 2.]), 0)
    """
    system = make_system(A, M, x0, b, "bicgstab")
    norm = norm_of(system.b)
    tolerance = threshold("bicgstab", norm, atol, rtol)
    if norm == 0:
        return system.b.copy(), 0
    if maxiter is None:
        maxiter = 10 * len(system.b)
    smallest = float(np.finfo(system.x.dtype).eps) ** 2
    matvec, psolve = system.matrix.matvec, system.psolve
    shadow = residual = system.residual()

    def advance(state: _State, i: int) -> tuple[_State, list[Any]]:
        x, r, rho, p, v = state[:5]
        p = r if i == 0 else _direction(r, p, v, rho, *state[5:9])
        phat = psolve(p)
        v, rv = product_and_vdot(system.matrix, phat, shadow)
        s, ss = step("bicgstab_half", (r, v), (rho, rv), shown=0)
        shat = psolve(s)
        t = matvec(shat)
        ts, tt = vdot(t, s), vdot(t, t)
        x, r = _step(x, phat, s, shat, t, rho, rv, ts, tt)
        after = _State(x, r, vdot(shadow, r), p, v, rho, rv, ts, tt, phat)
        return after, [rv, ss, ts, tt, vdot(r, r), after.rho]

    def judge(i: int, before: _State, after: _State, numbers: Any) -> Any:
        rv, ss, ts, tt, rr, rho = numbers
        if rv == 0:
            return before.x, -11
        if np.sqrt(ss.real) < tolerance:
            return _half_step(before.x, after.half, before.rho, after.rv), 0
        if callback is not None:
            callback(after.x)
        if i == maxiter:
            return None
        info = verdict(rr, rho)
        if info is None and abs(ts) < smallest * abs(tt):
            info = -11
        return None if info is None else (after.x, info)

    def verdict(squares: Any, rho: Any) -> int | None:
        if np.sqrt(squares.real) < tolerance:
            return 0
        return -10 if abs(rho) < smallest else None

    rho = vdot(shadow, residual)
    (first,) = read(rho)
    info = verdict(first, first) if maxiter > 0 else None
    if info is not None:
        return system.x, info
    lag = lag_of(system.matrix, system.preconditioner)
    state, result = iterate(_State(system.x, residual, rho), advance, judge, maxiter, lag)
    return (state.x, maxiter) if result is None else result
