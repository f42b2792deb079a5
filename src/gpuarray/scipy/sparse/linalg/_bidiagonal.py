"""The process of Golub and Kahan: a matrix made bidiagonal from a vector."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gpuarray._ops.creation import zeros
from gpuarray._ops.selection import where
from gpuarray.linalg._norms import norm
from gpuarray.scipy.sparse._arguments import operand
from gpuarray.scipy.sparse.linalg._operators import LinearOperator
from gpuarray.scipy.sparse.linalg._progress import read
from gpuarray.scipy.sparse.linalg._systems import fused

__all__ = ["REASONS", "Bidiagonal", "first_guess", "right_side", "rotation", "stopping_reason"]

REASONS = (
    "The exact solution is x = 0, or x = x0 if x0 was given",
    "Ax - b is small enough, given atol, btol",
    "The least-squares solution is good enough, given atol",
    "The estimate of cond(Abar) has exceeded conlim",
    "Ax - b is small enough for this machine",
    "The least-squares solution is good enough for this machine",
    "Cond(Abar) seems to be too large for this machine",
    "The iteration limit has been reached",
)


@fused
def _unit(x: Any, length: Any) -> Any:
    return where(length > 0, x / length, x)


@fused
def _left(product: Any, u: Any, alpha: Any) -> Any:
    return product - alpha * u


@fused
def _right(product: Any, v: Any, beta: Any) -> Any:
    return where(beta > 0, product - beta * v, v)


class Bidiagonal:
    """The vectors and numbers of the process, which stay on the device.

    C. C. Paige and M. A. Saunders, ACM Transactions on Mathematical Software 8 (1982) 43-71,
    section 2.

    Parameters
    ----------
    operator : LinearOperator
        The matrix.
    u : ndarray
        The first vector, not of length 1 yet.
    """

    def __init__(self, operator: LinearOperator, u: Any):
        self._operator = operator
        self.beta = norm(u)
        self._u = _unit(u, self.beta)
        v = operator.rmatvec(self._u)
        self.alpha = norm(v)
        self.v = _unit(v, self.alpha)

    def step(self) -> None:
        """Find the next vectors; where nothing is left of the one, the other stays."""
        u = _left(self._operator.matvec(self.v), self._u, self.alpha)
        self.beta = norm(u)
        self._u = _unit(u, self.beta)
        v = _right(self._operator.rmatvec(self._u), self.v, self.beta)
        self.alpha = norm(v)
        self.v = _unit(v, self.alpha)

    def numbers(self, *others: Any) -> list[float]:
        """Beta, alpha and other numbers of the device, by one copy."""
        numbers = [x.astype(np.float64, copy=False) for x in (self.beta, self.alpha, *others)]
        return [float(x) for x in read(*numbers)]


def rotation(a: float, b: float) -> tuple[float, float, float]:
    """c, s and r with ``[[c, s], [s, -c]] @ [a, b] == [r, 0]``, without overflow in between."""
    r = math.hypot(a, b)
    return (a / r, b / r, r) if r else (0.0, 0.0, 0.0)


def right_side(b: Any, name: str, rows: int) -> Any:
    """A right-hand side as a vector, or ValueError."""
    given = b if isinstance(b, (list, tuple)) else [b]
    texts = any(isinstance(x, (str, bytes)) for x in given)
    b = operand(b, name, "b", ValueError if texts else TypeError)  # SciPy's exceptions
    b = b.reshape(1) if b.ndim == 0 else b.squeeze() if b.ndim > 1 else b
    if b.shape != (rows,) and not (rows == 1 and b.shape == ()):
        raise ValueError(
            f"{name}: dimension mismatch: the matrix has {rows} rows, and b has shape {b.shape}"
        )
    return b.reshape(rows)


def first_guess(x0: Any, name: str, columns: int) -> Any:
    """Where to begin; zeros if that is not given."""
    if x0 is None:
        return zeros(columns)
    x = operand(x0, name, "x0")
    if x.shape != (columns,):
        raise ValueError(
            f"{name}: dimension mismatch: the matrix has {columns} columns, and x0 has shape "
            f"{x.shape}"
        )
    return x


def stopping_reason(
    tests: tuple[float, float, float],
    limits: tuple[float, float, float],
    machine: float,
    exhausted: bool,
) -> int:
    """Why to stop, as a number of `REASONS`, or 0.

    Parameters
    ----------
    tests, limits : tuple of float
        Of the residual, of its product with the matrix, and of the condition; and what is enough.
    machine : float
        The first test for what the machine can do.
    exhausted : bool
        Whether there is no iteration left.
    """
    for i in range(3):
        if tests[i] <= limits[i]:
            return i + 1
    for i, test in enumerate((machine, tests[1], tests[2])):
        if 1 + test <= 1:
            return i + 4
    return 7 if exhausted else 0
