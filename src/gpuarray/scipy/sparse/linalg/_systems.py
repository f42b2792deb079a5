"""What the solvers of linear equations begin with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray import _fusion, _layout
from gpuarray._ops.conversion import ascontiguousarray
from gpuarray._ops.creation import zeros
from gpuarray._ops.products import vdot
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import krylov
from gpuarray.scipy.sparse import _products
from gpuarray.scipy.sparse._arguments import operand
from gpuarray.scipy.sparse.linalg._matrix_operators import (
    IdentityOperator,
    MatrixLinearOperator,
    solver_operator,
)
from gpuarray.scipy.sparse.linalg._operators import LinearOperator
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

    def psolve(self, x: Any) -> Any:
        """The preconditioner's product, in the dtype of the system."""
        return _narrowed(self.preconditioner.matvec(x), self.x.dtype)

    def residual(self) -> ndarray:
        """What the first guess leaves."""
        if self.begins_at_zero:
            return self.b
        return self.b - self.matrix.matvec(self.x)


def _narrowed(x: Any, dtype: np.dtype) -> Any:
    """What a preconditioner returned, in the dtype of a system; TypeError for complex in real."""
    if x.dtype is dtype:
        return x
    if not np.can_cast(x.dtype, dtype, "same_kind"):
        raise TypeError(
            f"the preconditioner M gives {x.dtype} for a system of {dtype}; convert A or b to "
            "complex numbers"
        )
    return x.astype(dtype, copy=False)


def floating(dtype: Any) -> np.dtype:
    """The dtype of calculations with numbers of a dtype: float64 but for SciPy's four."""
    dtype = np.dtype(dtype)
    return dtype if dtype.char in _FLOATS else np.dtype(np.float64)


def least_floating(dtype: Any) -> np.dtype:
    """The least dtype for factors of a matrix: float32 for bools and integers up to 16 bits."""
    return np.promote_types(dtype, np.float32)


def as_vector(b: Any, length: int, name: str, what: str, shape: tuple[int, int]) -> Any:
    """An array of one column, or ValueError."""
    b = operand(b, name, what)
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
    operator = solver_operator(A)
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
        M = solver_operator(M)
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
        return System(operator, M, _narrowed(M.matvec(right), dtype), right, False)
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


def step(
    name: str,
    vectors: Sequence[Any],
    numbers: Sequence[Any],
    targets: Sequence[Any] = (),
    shown: int | None = None,
) -> Any:
    """A step of `gpuarray.kernels.krylov`: what vectors become, and a dot product. One launch.

    Of a step with a dot product `shown` is where that is stored in page-locked memory, or 0.

    Numbers are on the device. All have the dtype of the first vector; of others, which are products
    with functions of users, a copy is made. What vectors become is new, or `targets`, contiguous
    and of that dtype, which may be the vectors.
    """
    layout = _layout.contiguous(vectors[0].dtype, vectors[0].shape)
    run = krylov.launch.step_call(current.stream, name, layout, bool(targets))
    operands = [*vectors, *numbers]
    for i, x in enumerate(operands):
        if x._layout is not layout and not (x.dtype is layout.dtype and x._layout.c_contiguous):
            operands[i] = ascontiguousarray(x.astype(layout.dtype, copy=False))
    return run(*operands, *targets) if shown is None else run(*operands, shown, *targets)


def bound_step(name: str, like: Any) -> Callable[..., Any]:
    """A `step` of many vectors, looked up beforehand.

    Takes its vectors, its numbers and its targets, all of which have the dtype of `like`, as many
    elements as it, or one, and no gaps; with a dot product an address before the targets.
    """
    layout = _layout.contiguous(like.dtype, like.shape)
    return krylov.launch.step_call(current.stream, name, layout, True)


def bound_product_and_vdot(operator: LinearOperator, like: Any) -> Callable[..., Any] | None:
    """`product_and_vdot` of many vectors, looked up beforehand, or None if it is no single launch.

    Takes the vector, the other one and the target, all like `like`, which has no gaps.
    """
    if isinstance(operator, MatrixLinearOperator) and _is_csr(operator.A):
        return _products.bound_matvec_and_vdot(operator.A, like)
    return None


def product_and_vdot(
    operator: LinearOperator, x: Any, other: Any, target: Any = None
) -> tuple[Any, Any]:
    """The product with a vector, and ``vdot(other, product)``.

    One launch, if the operator is a matrix in csr; then the product is `target`, if there is one,
    contiguous and of its dtype.
    """
    if isinstance(operator, MatrixLinearOperator) and _is_csr(operator.A):
        return _products.matvec_and_vdot(operator.A, x, other, target)
    found = operator.matvec(x)
    return found, vdot(other, found)


def _is_csr(matrix: Any) -> bool:
    return getattr(matrix, "format", "") == "csr" and matrix.ndim == 2
