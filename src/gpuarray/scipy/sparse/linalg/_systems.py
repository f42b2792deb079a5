"""What the solvers of linear equations begin with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray import _fusion
from gpuarray._ops.creation import zeros
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.products import vdot
from gpuarray.scipy.sparse.linalg._operators import (
    IdentityOperator,
    LinearOperator,
    aslinearoperator,
)
from gpuarray.scipy.sparse.linalg._progress import read

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["System", "as_vector", "make_system", "norm_of", "threshold"]

_FLOATS = "fdFD"


class System(NamedTuple):
    """Linear equations, a preconditioner and a first guess, all of one dtype."""

    matrix: LinearOperator
    preconditioner: LinearOperator
    x: ndarray
    b: ndarray
    begins_at_zero: bool

    @property
    def is_preconditioned(self) -> bool:
        """Whether the preconditioner changes anything."""
        return not isinstance(self.preconditioner, IdentityOperator)

    def residual(self) -> ndarray:
        """What the first guess leaves."""
        if self.begins_at_zero:
            return self.b
        return self.b - self.matrix.matvec(self.x)


def floating(dtype: Any) -> np.dtype:
    """The dtype of calculations with numbers of a dtype: float64 but for SciPy's four."""
    dtype = np.dtype(dtype)
    return dtype if dtype.char in _FLOATS else np.dtype(np.float64)


def as_vector(b: Any, length: int, name: str, what: str, shape: tuple[int, int]) -> Any:
    """An array of one column, or ValueError."""
    b = as_array(b, name)
    if b.shape not in ((length,), (length, 1)):
        raise ValueError(
            f"{name}: shapes of A {shape} and {what} {b.shape} are incompatible; {what} has one "
            f"column of {length} elements"
        )
    return b


def make_system(A: Any, M: Any, x0: Any, b: Any, name: str) -> System:
    """The operands of a solver.

    Parameters
    ----------
    A, M, x0, b : object
        The solver's arguments.
    name : str
        The solver's, for messages.

    Returns
    -------
    System
        A new array `x`; `b` is the argument itself if it fits.
    """
    operator = aslinearoperator(A)
    if operator.shape[0] != operator.shape[1]:
        raise ValueError(f"{name}: expected square matrix, but got shape={operator.shape}")
    length = operator.shape[0]
    right = as_vector(b, length, name, "b", operator.shape)
    found = operator.dtype
    if found is None:
        found = operator.matvec(right).dtype
    dtype = np.result_type(floating(found), floating(right.dtype))
    right = right.astype(dtype, copy=False).reshape(length)
    if M is None:
        M = _own_preconditioner(A, operator)
    else:
        M = aslinearoperator(M)
        if M.shape != operator.shape:
            raise ValueError(
                f"{name}: matrix and preconditioner have different shapes: {operator.shape} and "
                f"{M.shape}"
            )
    if x0 is None:
        return System(operator, M, zeros(length, dtype), right, True)
    if isinstance(x0, str):
        if x0 != "Mb":
            raise ValueError(f"{name}: x0 is an array, None or 'Mb', not {x0!r}")
        return System(operator, M, M.matvec(right), right, False)
    x = as_vector(x0, length, name, "x0", operator.shape)
    return System(operator, M, x.astype(dtype, copy=True).reshape(length), right, False)


def _own_preconditioner(A: Any, operator: LinearOperator) -> LinearOperator:
    """That of an object that has one, or none."""
    psolve, rpsolve = getattr(A, "psolve", None), getattr(A, "rpsolve", None)
    if psolve is None and rpsolve is None:
        return IdentityOperator(operator.shape, operator.dtype)
    return LinearOperator(
        operator.shape,
        matvec=psolve or _unchanged,
        rmatvec=rpsolve or _unchanged,
        dtype=operator.dtype,
    )


def _unchanged(x: Any) -> Any:
    return x


def norm_of(x: Any) -> float:
    """The Euclidean norm on the host."""
    return float(np.sqrt(read(vdot(x, x))[0].real))


def threshold(name: str, norm: float, atol: Any, rtol: Any) -> float:
    """The norm of the residual below which a solver ends."""
    if atol is None or isinstance(atol, str) or atol < 0:
        raise ValueError(
            f"'scipy.sparse.linalg.{name}' called with invalid `atol`={atol}; if set, `atol` must "
            "be a real, non-negative number."
        )
    return max(float(atol), float(rtol) * norm)


def fused(function: Callable[..., Any]) -> Any:
    """A function of vectors and of numbers on the device, as one kernel."""
    return _fusion.fuse(function)
