"""The method of conjugate gradients, and the squared one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray._ops.creation_like import empty_like
from gpuarray._ops.products import vdot
from gpuarray.scipy.sparse.linalg._progress import iterate, lag_of, read
from gpuarray.scipy.sparse.linalg._systems import (
    bound_product_and_vdot,
    bound_step,
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

__all__ = ["cg", "cgs"]


class _Cg(NamedTuple):
    """A step's vectors, and its numbers on the device.

    The solution is behind by the last direction, which is added to it with the next one being made:
    `_solution`.
    """

    x: Any
    r: Any
    rr: Any  # the square of the residual's norm
    p: Any
    rho: Any
    pq: Any


class _Turns:
    """Vectors that states have in turn, so that iterations ask for no memory."""

    def __init__(self, like: Any, states: int) -> None:
        pairs = [(empty_like(like), empty_like(like)) for _ in range(states)]
        self.pairs = cycle(pairs)  # solutions and directions
        self.q, self.r = empty_like(like), empty_like(like)


class _Launches:
    """The launches of an iteration without a preconditioner, looked up once.

    An iteration of a million unknowns takes the device some 45 microseconds: the host must not need
    them for itself.
    """

    def __init__(self, product: Callable[..., Any], turns: _Turns):
        self.turns, self.product = turns, product
        self.direction = bound_step("cg_direction", turns.r)
        self.residual = bound_step("cg_residual", turns.r)

    def advance(self, state: _Cg, address: int) -> tuple[_Cg, None]:
        """An iteration behind the first two, from which on all vectors take turns."""
        turns, (x, r, rho, p, before, pq) = self.turns, state
        x, p = self.direction(x, p, r, rho, before, pq, *next(turns.pairs))
        q, pq = self.product(p, p, turns.q)
        r, rr = self.residual(r, q, rho, pq, address, turns.r)
        return _Cg(x, r, rr, p, rho, pq), None


@fused
def _cg_solution(x: Any, p: Any, rho: Any, pq: Any) -> Any:
    return x + (rho / pq) * p


def _solution(state: _Cg) -> Any:
    if state.p is None:
        return state.x
    return _cg_solution(state.x, state.p, state.rho, state.pq)


def cg(
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
    """Solve linear equations by conjugate gradients.

    Parameters
    ----------
    A : ndarray, sparse array or LinearOperator, shape (N, N)
        Hermitian and positive definite.
    b : array_like, shape (N,) or (N, 1)
        The right-hand side.
    x0 : array_like or 'Mb', optional
        Where to begin; zeros by default, and with 'Mb' the product of `M` and `b`.
    rtol, atol : float, optional
        The end is a residual with a norm below ``max(rtol * norm(b), atol)``.
    maxiter : int, optional
        The most iterations; ten times N by default.
    M : ndarray, sparse array or LinearOperator, optional
        The preconditioner, an approximation of the inverse of `A`.
    callback : callable, optional
        Called with the current solution after each iteration.

    Returns
    -------
    x : ndarray, shape (N,)
        The solution.
    info : int
        0, or the number of iterations if the residual is still too large.

    Raises
    ------
    ValueError
        If `A` is not square, shapes do not fit together, or `atol` is negative.

    Differences from SciPy
    ----------------------
    The host reads one number of an iteration while the next two are under way, so that a matrix may
    be multiplied by two vectors more than it takes; a LinearOperator made of functions is not.
    Each call of `callback` has an array of its own.

    Notes
    -----
    M. R. Hestenes and E. Stiefel, Journal of Research of the National Bureau of Standards 49 (1952)
    409-436. An iteration is three launches where the matrix is in csr: the product with the dot
    product that it takes, the residual with its norm, and the solution with the next direction.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.array([[4.0, 1.0], [1.0, 3.0]])
    >>> x, info = cp.scipy.sparse.linalg.cg(a, cp.array([6.0, 7.0]))
    >>> x.round(6), info
    (array([1., 2.]), 0)
    """
    system = make_system(A, M, x0, b, "cg")
    norm = norm_of(system.b)
    tolerance = threshold("cg", norm, atol, rtol)
    if norm == 0:
        return system.b.copy(), 0
    if maxiter is None:
        maxiter = 10 * len(system.b)
    psolve = system.psolve
    preconditioned = system.is_preconditioned

    def advance(state: _Cg, i: int, address: int) -> tuple[_Cg, None]:
        if i > 1 and launches is not None:
            return launches.advance(state, address)
        z, rho = state.r, state.rr
        pair, q, targets = (next(turns.pairs), turns.q, (turns.r,)) if turns else ((), None, ())
        if preconditioned:
            z = psolve(z)
            rho = vdot(state.r, z)
        x, p = state.x, z
        if i > 0:
            x, p = step("cg_direction", (x, state.p, z), (rho, state.rho, state.pq), pair)
        q, pq = product_and_vdot(system.matrix, p, p, q)
        r, rr = step("cg_residual", (state.r, q), (rho, pq), targets, address)
        return _Cg(x, r, rr, p, rho, pq), None

    def judge(i: int, before: _Cg, after: _Cg, rr: Any) -> Any:
        if callback is not None:
            callback(_solution(after))
        return 0 if i < maxiter and np.sqrt(rr.real) < tolerance else None

    residual = system.residual()
    squares = vdot(residual, residual)
    if maxiter > 0 and (norm if system.begins_at_zero else norm_of(residual)) < tolerance:
        return system.x, 0
    state = _Cg(system.x, residual, squares, None, None, None)
    # A state that is judged has its own solution and direction; functions of users, which might
    # keep what they are given, have new vectors each time.
    lag = lag_of(system.matrix, system.preconditioner)
    turns = _Turns(system.x, lag + 1) if lag else None
    launches = None
    if turns is not None and callback is None and not preconditioned:
        product = bound_product_and_vdot(system.matrix, turns.r)
        launches = None if product is None else _Launches(product, turns)
    state, info = iterate(state, advance, judge, maxiter, lag, system.x.dtype)
    return _solution(state), maxiter if info is None else info


class _Cgs(NamedTuple):
    """A step's vectors, and its numbers on the device."""

    x: Any
    r: Any
    rho: Any
    p: Any
    q: Any
    before: Any  # the previous rho


@fused
def _cgs_directions(r: Any, p: Any, q: Any, rho: Any, before: Any) -> Any:
    beta = rho / before
    u = r + beta * q
    return u, u + beta * (q + beta * p)


@fused
def _cgs_middle(u: Any, v: Any, rho: Any, rv: Any) -> Any:
    q = u - (rho / rv) * v
    return q, u + q


@fused
def _cgs_step(x: Any, u: Any, rho: Any, rv: Any) -> Any:
    return x + (rho / rv) * u


@sharing(texts_of(cg))
def cgs(
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
    """Solve linear equations by conjugate gradients squared.

    Parameters
    ----------
    A : ndarray, sparse array or LinearOperator, shape (N, N)
        Any matrix that is not singular.
    {b}
    {x0}
    {rtol}
    {maxiter}
    {M}
    {callback}

    Returns
    -------
    x : ndarray, shape (N,)
        The solution.
    info : int
        0; the number of iterations if the residual is still too large; -10 or -11 if a product that
        is divided by vanishes.

    {Raises}

    Differences from SciPy
    ----------------------
    As for `cg`, a matrix may be multiplied by a few vectors more than it takes.

    Notes
    -----
    P. Sonneveld, SIAM Journal on Scientific and Statistical Computing 10 (1989) 36-52. The residual
    is that of the solution, not that of a recurrence.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a = cp.array([[4.0, 1.0], [2.0, 3.0]])
    >>> x, info = cp.scipy.sparse.linalg.cgs(a, cp.array([6.0, 8.0]))
    >>> x.round(6), info
    (array([1., 2.]), 0)
    """
    system = make_system(A, M, x0, b, "cgs")
    norm = norm_of(system.b)
    tolerance = threshold("cgs", norm, atol, rtol)
    if norm == 0:
        return system.b.copy(), 0
    if maxiter is None:
        maxiter = 10 * len(system.b)
    smallest = float(np.finfo(system.x.dtype).eps) ** 2
    matvec, psolve = system.matrix.matvec, system.psolve
    right = system.b
    shadow = residual = system.residual()

    def advance(state: _Cgs, i: int) -> tuple[_Cgs, list[Any]]:
        u = p = state.r
        if i > 0:
            u, p = _cgs_directions(state.r, state.p, state.q, state.rho, state.before)
        v, rv = product_and_vdot(system.matrix, psolve(p), shadow)
        q, total = _cgs_middle(u, v, state.rho, rv)
        x = _cgs_step(state.x, psolve(total), state.rho, rv)
        r = right - matvec(x)
        rho = vdot(shadow, r)
        return _Cgs(x, r, rho, p, q, state.rho), [rv, vdot(r, r), rho]

    def judge(i: int, before: _Cgs, after: _Cgs, numbers: Any) -> Any:
        if numbers[0] == 0:
            return before.x, -11
        if callback is not None:
            callback(after.x)
        info = verdict(numbers[1], numbers[2]) if i < maxiter else None
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
    state = _Cgs(system.x, residual, rho, None, None, None)
    lag = lag_of(system.matrix, system.preconditioner)
    state, result = iterate(state, advance, judge, maxiter, lag)
    return (state.x, maxiter) if result is None else result
