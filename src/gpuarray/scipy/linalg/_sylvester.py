"""Equations of Sylvester and Lyapunov.

SciPy solves them by the Schur decomposition, which no library has on the device. Here eigenvectors
make an equation diagonal, and what is left of it is solved for again, until only rounding errors
are left. Where eigenvectors are too near to one another for that, the equation is solved as one for
all elements of the solution, if there are not too many.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _broadcasting, _layout
from gpuarray._ops.creation import eye
from gpuarray._ops.dimensions import atleast_2d, broadcast_to
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import stack
from gpuarray._ops.manipulation import as_array, reshape
from gpuarray._ops.math import add, conj, divide, multiply, subtract
from gpuarray._ops.matrix_operands import common_dtype
from gpuarray._ops.vector_products import kron
from gpuarray.kernels.elementwise import copies
from gpuarray.linalg._eigenvalues import eig
from gpuarray.linalg._equations import solve
from gpuarray.linalg._norms import vector_norm
from gpuarray.scipy.linalg._matrix_arithmetic import product, solution, stacked

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = [
    "solve_continuous_lyapunov", "solve_discrete_lyapunov", "solve_lyapunov", "solve_sylvester",
]  # fmt: skip

#: So many elements of a solution are solved for at once: their matrix has this squared.
_MOST_UNKNOWNS = 4096

#: How often what is left of an equation is solved for, and residuals in relation to the precision
#: and the size that count as rounding.
_REFINEMENTS, _ROUNDING = 3, 4

#: A function of a solution, or of what stands on an equation's right side.
_Function = Callable[[Any], Any]


def solve_sylvester(a: ArrayLike, b: ArrayLike, q: ArrayLike) -> ndarray:
    """The solutions X of Sylvester's equation ``a @ X + X @ b = q``.

    Parameters
    ----------
    a : array_like, shape (..., M, M)
        The factor on the left.
    b : array_like, shape (..., N, N)
        The factor on the right.
    q : array_like, shape (..., M, N)
        The right-hand side.

    Returns
    -------
    ndarray, shape (..., M, N)
        The solutions.

    Raises
    ------
    ValueError
        If the shapes do not fit together.
    LinAlgError
        If there is no solution, or none that is accurate was found.

    Differences from SciPy
    ----------------------
    There is no Schur decomposition on the device. Solutions of more than 4096 elements are found by
    eigenvectors alone, which fails where these are too near to one another.

    Notes
    -----
    One equation after the other; it waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> a, b = cp.array([[2.0, 0.0], [0.0, 3.0]]), cp.array([[1.0]])
    >>> cp.scipy.linalg.solve_sylvester(a, b, cp.array([[6.0], [8.0]]))
    array([[2.],
           [2.]])
    """
    given = [as_array(x, "solve_sylvester") for x in (a, b, q)]
    shapes = [x._layout.shape for x in given]
    m, n = [s[-1] if len(s) > 1 and s[-1] == s[-2] else -1 for s in shapes[:2]]
    if shapes[2][-2:] != (m, n):
        raise ValueError(
            f"solve_sylvester: a, b and q of shapes {shapes[0]}, {shapes[1]} and {shapes[2]} do "
            "not fit together; give them (..., M, M), (..., N, N) and (..., M, N)"
        )
    return _of_each(_sylvester, "solve_sylvester", *given)


def solve_continuous_lyapunov(a: ArrayLike, q: ArrayLike) -> ndarray:
    """The solutions X of Lyapunov's continuous equation ``a @ X + X @ a.conj().T = q``.

    Parameters
    ----------
    a : array_like, shape (..., M, M)
        The factor.
    q : array_like, shape (..., M, M)
        The right-hand side.

    Returns
    -------
    ndarray, shape (..., M, M)
        The solutions.

    Raises
    ------
    ValueError
        If the matrices are not square, or of different sizes.
    LinAlgError
        If there is no solution, or none that is accurate was found.

    Differences from SciPy
    ----------------------
    As of `solve_sylvester`. An equation without a solution raises; SciPy changes its coefficients.

    Notes
    -----
    One equation after the other; it waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.solve_continuous_lyapunov(cp.eye(2), cp.eye(2))
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    return _of_each(_continuous, "solve_continuous_lyapunov", *_squares(a, q, "lyapunov"))


#: SciPy's older name.
solve_lyapunov = solve_continuous_lyapunov


def solve_discrete_lyapunov(a: ArrayLike, q: ArrayLike, method: str | None = None) -> ndarray:
    """The solutions X of Lyapunov's discrete equation ``a @ X @ a.conj().T - X + q = 0``.

    Parameters
    ----------
    a : array_like, shape (..., M, M)
        The factor.
    q : array_like, shape (..., M, M)
        The right-hand side.
    method : {None, 'direct', 'bilinear'}, optional
        'direct' solves for all elements at once. By default, and for 'bilinear', eigenvectors are
        tried first.

    Returns
    -------
    ndarray, shape (..., M, M)
        The solutions.

    Raises
    ------
    ValueError
        If the matrices are not square, or of different sizes, or the method is unknown.
    LinAlgError
        If there is no solution, or none that is accurate was found.

    Differences from SciPy
    ----------------------
    As of `solve_sylvester`: the method 'bilinear' has no transformation of the equation. Solutions
    of float32 are float32.

    Notes
    -----
    One equation after the other; it waits for the device.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.solve_discrete_lyapunov(cp.eye(2) / 2, 3 * cp.eye(2))
    array([[4., 0.],
           [0., 4.]])
    """
    if method is not None and method not in ("direct", "bilinear"):
        raise ValueError(f"Unknown solver {method}")
    solver = _discrete_directly if method == "direct" else _discrete
    return _of_each(solver, "solve_discrete_lyapunov", *_squares(a, q, "lyapunov"))


def _squares(a: Any, q: Any, name: str) -> list[Any]:
    given = [atleast_2d(as_array(x, name)) for x in (a, q)]
    for x, letter in zip(given, "aq"):
        if x._layout.shape[-1] != x._layout.shape[-2]:
            raise ValueError(f"Matrix {letter} should be square.")
    if given[0]._layout.shape[-1] != given[1]._layout.shape[-1]:
        raise ValueError("Matrix a and q should have the same shape.")
    return given


def _of_each(solver: Callable[..., Any], name: str, *given: Any) -> Any:
    """The solutions of stacked equations."""
    layouts = [x._layout for x in given]
    dtype = common_dtype(*layouts)
    batch = _broadcasting.broadcast_shapes([x.shape[:-2] for x in layouts])
    shape = (*batch, *layouts[-1].shape[-2:])
    if 0 in shape:
        return _array.empty(_layout.contiguous(dtype, shape))
    stacks = [stacked(broadcast_to(x, (*batch, *x._layout.shape[-2:])), dtype) for x in given]
    found = [solver(name, *matrices) for matrices in zip(*stacks, strict=True)]
    return reshape(stack(found), shape)


def _sylvester(name: str, a: Any, b: Any, q: Any) -> Any:
    left, right = _Basis(a), _Basis(b)
    sums = add(left.values[:, None], right.values)

    def apply(x: Any) -> Any:
        return add(product(a, x), product(x, b))

    def approximate(r: Any) -> Any:
        inner = product(product(left.inverse, r), right.vectors)
        return product(product(left.vectors, divide(inner, sums)), right.inverse)

    def system() -> Any:
        m, n = q._layout.shape
        return add(kron(a, eye(n, dtype=a.dtype)), kron(eye(m, dtype=a.dtype), b.T))

    scale = vector_norm(a) + vector_norm(b)
    return _solution(name, q, scale, apply, approximate, system)


def _continuous(name: str, a: Any, q: Any) -> Any:
    return _sylvester(name, a, copies.copy(conj(a).T, "C"), q)


def _discrete(name: str, a: Any, q: Any) -> Any:
    basis = _Basis(a)
    adjoint = copies.copy(conj(a).T, "C")
    basis_adjoint, inverse_adjoint = [
        copies.copy(conj(x).T, "C") for x in (basis.vectors, basis.inverse)
    ]
    factors = subtract(1, multiply(basis.values[:, None], conj(basis.values)))

    def apply(x: Any) -> Any:
        return subtract(x, product(product(a, x), adjoint))

    def approximate(r: Any) -> Any:
        inner = divide(product(product(basis.inverse, r), inverse_adjoint), factors)
        return product(product(basis.vectors, inner), basis_adjoint)

    scale = 1 + vector_norm(a) ** 2
    return _solution(name, q, scale, apply, approximate, lambda: _discrete_system(a))


def _discrete_directly(name: str, a: Any, q: Any) -> Any:
    return _directly(name, q, lambda: _discrete_system(a))


def _discrete_system(a: Any) -> Any:
    size = a._layout.size
    return subtract(eye(size, dtype=a.dtype), kron(a, conj(a)))


class _Basis:
    """The eigenvectors of a matrix, as a basis."""

    def __init__(self, matrix: Any) -> None:
        values, vectors = eig(matrix)
        dtype = np.result_type(matrix.dtype, np.complex64)
        self.values = values.astype(dtype)
        self.vectors = vectors.astype(dtype)
        # NaN where they are linearly dependent; then the residual is NaN, too.
        self.inverse = solution(self.vectors, eye(len(values), dtype=dtype))


def _solution(
    name: str, q: Any, scale: Any, apply: _Function, approximate: _Function, system: Any
) -> Any:
    """What a linear function maps to ``q``, of an approximation of its inverse.

    Parameters
    ----------
    name : str
        The function, for messages.
    q : ndarray
        The right-hand side.
    scale : ndarray
        The norm of the linear function.
    apply, approximate : callable
        The linear function; its approximate inverse, of complex matrices.
    system : callable
        Makes the matrix of the function, for the elements row by row.
    """
    dtype = q.dtype
    complex_dtype = np.result_type(dtype, np.complex64)
    rest: Any = q
    x: Any = None
    for _ in range(1 + _REFINEMENTS):
        step = approximate(rest.astype(complex_dtype))
        if dtype.kind == "f":
            step = copies.copy(step.real, "C")
        x = step if x is None else add(x, step)
        rest = subtract(q, apply(x))
    error, size = vector_norm(rest), vector_norm(x) * scale + vector_norm(q)
    bound = _ROUNDING * np.finfo(dtype).eps * sum(q._layout.shape)
    if bool(asnumpy(error <= bound * size)):  # not so of NaN
        return x
    return _directly(name, q, system)


def _directly(name: str, q: Any, system: Any) -> Any:
    count = q._layout.size
    if count > _MOST_UNKNOWNS:
        raise np.linalg.LinAlgError(
            f"{name}: the eigenvectors are too near to one another for an accurate solution, and "
            f"its {count} elements are more than the {_MOST_UNKNOWNS} that are solved for at once"
        )
    return reshape(solve(system(), reshape(q, (count,))), q._layout.shape)
