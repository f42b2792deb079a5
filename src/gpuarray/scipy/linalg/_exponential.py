"""The exponential of matrices.

Scaling and squaring with Padé approximants (A. H. Al-Mohy and N. J. Higham, A new scaling and
squaring algorithm for the matrix exponential, SIAM J. Matrix Anal. Appl. 31, 2009): norms of powers
of a matrix say by how much it is scaled, since its own norm may be much greater than they suggest.
Here they are norms of powers that are computed anyway, and bounds of those that are not.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import ones
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.manipulation import as_array, reshape
from gpuarray._ops.math import absolute, exp, multiply
from gpuarray._ops.matrix_operands import real_dtype
from gpuarray._ops.selection import where
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise.launch import Coordinates
from gpuarray.kernels.generator.expressions import Cast, Constant, Expression, Input, apply
from gpuarray.linalg._norms import vector_norm
from gpuarray.scipy.linalg._matrix_arithmetic import combination, product, solution, stacked
from gpuarray.scipy.linalg._structure import bandwidth

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["expm"]

#: Up to which norm the Padé approximant of a degree is exact to double precision.
_RADII = {
    3: 1.495585217958292e-2, 5: 2.539398330063230e-1, 7: 9.504178996162932e-1, 9: 2.097847961257068,
    13: 5.371920351148152,
}  # fmt: skip
#: The same for degree 13 and roots of norms of powers.
_RADIUS_OF_POWERS = 4.25


def coefficients(degree: int) -> list[float]:
    """Those of the numerator of a Padé approximant of the exponential, by ascending powers."""
    return [
        float(math.factorial(2 * degree - k) // (math.factorial(k) * math.factorial(degree - k)))
        for k in range(degree + 1)
    ]


def expm(A: ArrayLike) -> ndarray:
    """The exponential of matrices.

    Parameters
    ----------
    A : array_like, shape (..., n, n)
        The matrices. A number is a matrix of one element.

    Returns
    -------
    ndarray, shape (..., n, n)
        Of float64 for integers, of float32 for halves, else of the dtype of `A`.

    Raises
    ------
    LinAlgError
        If the array is neither a square matrix nor a stack of them.

    Notes
    -----
    Products and one solution by LU for all matrices together. The call waits for the device, for
    norms and the structure of the matrices. Triangular matrices have exact exponentials on the
    diagonal.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.scipy.linalg.expm(cp.array([[0.0, 1.0], [0.0, 0.0]]))
    array([[1., 1.],
           [0., 1.]])
    """
    a = as_array(A, "expm")
    layout = a._layout
    if layout.size == 1 and layout.ndim < 2:
        a = reshape(a, (1, 1))
        layout = a._layout
    if layout.ndim < 2:
        raise np.linalg.LinAlgError("The input array must be at least two-dimensional")
    if layout.shape[-1] != layout.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    dtype = function_dtype(layout.dtype)
    if not layout.size:
        return _array.empty(_layout.contiguous(dtype, layout.shape))
    if layout.shape[-1] == 1:
        return exp(a if layout.dtype == dtype else a.astype(dtype))
    return reshape(exponential(stacked(a, dtype)), layout.shape)


def function_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype that functions of matrices are computed in."""
    if _dtypes.is_narrow_float(dtype):
        return np.dtype("f4")
    if dtype.kind in "biu":
        return np.dtype("f8")
    if dtype.char in "fdFD":
        return dtype
    raise TypeError(f"array type {dtype} is unsupported in linalg")


def norms(a: Any) -> np.ndarray:
    """The 1-norms of stacked matrices, on the host."""
    return asnumpy(vector_norm(a, axis=-2, ord=1).max(axis=-1)).astype(np.float64)


def each(values: np.ndarray, dtype: np.dtype) -> Any:
    """Numbers for each matrix of a stack, as an array that broadcasts to it."""
    return asarray(values.astype(dtype)[:, None, None])


def exponential(a: Any) -> Any:
    """The exponentials of a contiguous stack of matrices of at least two rows."""
    norm = norms(a)
    powers = _powers(a)
    triangles = _Triangles(a)
    degree = next((m for m in (3, 5, 7, 9) if (norm <= _RADII[m]).all()), 13)
    squarings = np.zeros(len(norm), int)
    if degree == 13:
        squarings = _squarings(a, norm, powers)
        if squarings.any() or not np.isfinite(norm).all():
            # What is not finite becomes NaN as a whole.
            factors = np.where(np.isfinite(norm), np.ldexp(1.0, -squarings), np.nan)
            a = multiply(a, each(factors, real_dtype(a.dtype)))
            powers = _powers(a)
    x = _approximant(a, powers, degree)
    most = int(squarings.max())
    x = triangles.corrected(x, squarings)
    for count in range(1, most + 1):
        squared = product(x, x)
        wanted = squarings >= count
        x = squared if wanted.all() else where(each(wanted, np.dtype(bool)), squared, x)
        x = triangles.corrected(x, np.maximum(squarings - count, 0))
    return x


def _powers(a: Any) -> list[Any]:
    """The second, fourth and sixth power."""
    square = product(a, a)
    fourth = product(square, square)
    return [square, fourth, product(fourth, square)]


def _squarings(a: Any, norm: np.ndarray, powers: list[Any]) -> np.ndarray:
    """How often matrices are halved for degree 13."""
    known = np.where(np.isfinite(norm), norm, 0)
    with np.errstate(all="ignore"):
        plain = halvings(known / _RADII[13])
        if not plain.any():
            return plain
        second, fourth, sixth = [norms(x) for x in powers]
        fourth_root, sixth_root = fourth**0.25, sixth ** (1 / 6)
        # Norms of products are at most the products of norms.
        eighth_root = np.minimum(fourth_root, (second * sixth) ** 0.125)
        tenth_root = (fourth * sixth) ** 0.1
        suggested = np.min(
            [
                np.maximum(fourth_root, sixth_root),
                np.maximum(sixth_root, eighth_root),
                np.maximum(eighth_root, tenth_root),
            ],
            axis=0,
        )
        found = halvings(suggested / _RADIUS_OF_POWERS)
        fewer = np.isfinite(suggested) & (found < plain)
        found = np.where(fewer, found, plain)
        if fewer.any():
            found = np.where(fewer, np.minimum(found + _missing(a, found), plain), found)
    return found


def halvings(ratio: np.ndarray) -> np.ndarray:
    """How often numbers are halved until they are at most 1."""
    return np.maximum(np.ceil(np.log2(np.maximum(ratio, 1))), 0).astype(int)


def _missing(a: Any, squarings: np.ndarray) -> np.ndarray:
    """How many more halvings the first term of the backward error asks for.

    It is bounded by the norm of the 27th power of the absolute values.
    """
    real = real_dtype(a.dtype)
    magnitudes = absolute(multiply(a, each(np.ldexp(1.0, -squarings), real)))
    sums = product(ones((len(squarings), 1, a.shape[-1]), real), magnitudes)
    first = asnumpy(sums.max(axis=(1, 2))).astype(np.float64)
    for _ in range(26):
        sums = product(sums, magnitudes)
    last = asnumpy(sums.max(axis=(1, 2))).astype(np.float64)
    coefficient = 1 / (math.comb(26, 13) * math.factorial(27))
    error = coefficient * last / first / (np.finfo(real).eps / 2)
    needed = np.ceil(np.log2(np.maximum(error, 1)) / 26)
    return np.where(np.isfinite(needed), needed, 2**20).astype(int)


def _approximant(a: Any, powers: list[Any], degree: int) -> Any:
    """The Padé approximant of a degree; ``powers`` are the second, the fourth and the sixth."""
    b = coefficients(degree)
    if degree == 13:
        high = powers[::-1]
        odd = product(powers[2], combination(high, b[13:7:-2]))
        odd = combination([odd, *high], [1, *b[7:1:-2]], b[1])
        even = product(powers[2], combination(high, b[12:6:-2]))
        even = combination([even, *high], [1, *b[6:0:-2]], b[0])
    else:
        used = powers[: degree // 2]
        if degree == 9:
            used = [*powers, product(powers[1], powers[1])]
        odd = combination(used, b[3::2], b[1])
        even = combination(used, b[2::2], b[0])
    odd = product(a, odd)
    return solution(combination([even, odd], [1, -1]), combination([even, odd], [1, 1]))


class _Triangles:
    """The triangular matrices of a stack, whose diagonals and those beside are known exactly.

    Squaring alone would not keep small elements of the diagonal.
    """

    def __init__(self, a: Any) -> None:
        lower, upper = [asnumpy(x) for x in bandwidth(a)]
        self.matrices = a
        self.upper, self.lower = lower == 0, upper == 0
        self.any = bool((self.upper | self.lower).any())
        if self.any:
            self.flags = [each(x, np.dtype(bool)) for x in (self.upper, self.lower)]

    def corrected(self, x: Any, halvings: np.ndarray) -> Any:
        """Exponentials of the matrices, halved so often, with what is known of the triangular."""
        if not self.any:
            return x
        a = self.matrices
        scale = each(np.ldexp(1.0, -halvings), real_dtype(a.dtype))
        diagonal = a.diagonal(axis1=1, axis2=2)
        operands = [x, a, diagonal[:, :, None], diagonal[:, None, :], scale, *self.flags]
        return _plan_correction(current.stream, *[one._layout for one in operands])(*operands)


@planned
def _plan_correction(stream: Stream, *layouts: Layout) -> Any:
    dtype = layouts[0].dtype
    code, real = _dtypes.code(dtype), _dtypes.code(real_dtype(dtype))
    number = Input(7, "i8")  # of the diagonal
    scale: Expression = Input(4, real)
    scale = scale if real == code else Cast(code, scale)

    def scaled(i: int) -> Expression:
        return apply("multiply", code, Input(i, code), scale)

    def is_number(k: int) -> Expression:
        return apply("equal", "b1", number, Constant(k, "i8"))

    def both(x: Expression, y: Expression) -> Expression:
        return apply("logical_and", "b1", x, y)

    upper, lower = Input(5, "b1"), Input(6, "b1")
    beside = apply("logical_or", "b1", both(upper, is_number(1)), both(lower, is_number(-1)))
    below = apply("less", "b1", number, Constant(0, "i8"))
    above = apply("less", "b1", Constant(0, "i8"), number)
    outside = apply("logical_or", "b1", both(upper, below), both(lower, above))
    on_diagonal = both(apply("logical_or", "b1", upper, lower), is_number(0))
    divided = apply(
        "multiply", code, scaled(1), _divided_difference(code, real, scaled(2), scaled(3))
    )
    value: Expression = Input(0, code)
    value = apply("where", code, beside, divided, value)
    value = apply("where", code, outside, Constant(0, code), value)
    value = apply("where", code, on_diagonal, apply("exp", code, scaled(2)), value)
    inputs: list[Any] = [*layouts, Coordinates(0, -1, 1)]
    target = _layout.contiguous(dtype, layouts[0].shape)
    return elementwise.launch.make_call("expm", [value], inputs, [target], [False], stream)


def _divided_difference(code: str, real: str, x: Expression, y: Expression) -> Expression:
    """``(exp(y) - exp(x)) / (y - x)``, which is ``exp(x)`` where they are equal."""

    def of(name: str, *operands: Expression) -> Expression:
        return apply(name, code, *operands)

    half = Constant(0.5, code)
    far = of("subtract", y, x)
    quotient = of("divide", of("subtract", of("exp", y), of("exp", x)), far)
    near = of("multiply", far, half)
    is_near = apply("less", "b1", apply("absolute", real, near), Constant(1, real))
    is_zero = apply("equal", "b1", near, Constant(0, code))
    ratio = of("where", is_zero, Constant(1, code), of("divide", of("sinh", near), near))
    middle = of("multiply", of("exp", of("multiply", of("add", x, y), half)), ratio)
    return of("where", is_near, middle, quotient)
