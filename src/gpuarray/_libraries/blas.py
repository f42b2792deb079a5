"""Matrix products by cuBLAS, as plans like any other."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _array, _broadcasting, _calls, _dtypes, _layout
from gpuarray._ffi import cublas
from gpuarray._layout import Layout
from gpuarray._libraries import blas_lt
from gpuarray._libraries.column_major import MatrixStack, gemm_arguments, matrix_of, read
from gpuarray._libraries.handles import BLAS
from gpuarray._libraries.precision import compute_type
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.launch import BoundLaunch
from gpuarray._runtime.library_call import BoundCall, RepeatedCall
from gpuarray._runtime.plans import find
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.generator.expressions import Cast, Input

__all__ = [
    "BYTES_ALIGNMENT",
    "Route",
    "gemm",
    "gemm_call",
    "has_aligned_rows",
    "has_product",
    "is_readable",
    "multiplies_bytes",
    "product_call",
]

#: By dtype of the result: the dtype of the factors alpha and beta.
_SCALES: dict[str, np.dtype] = {
    "f2": np.dtype("f4"),
    "bf2": np.dtype("f4"),
    "f4": np.dtype("f4"),
    "f8": np.dtype("f8"),
    "c8": np.dtype("c8"),
    "c16": np.dtype("c16"),
}

_GEMM = "cublasGemmStridedBatchedEx_64"

#: A stack whose strides cuBLAS cannot take in one call is at most so many calls, or more if each
#: has so many multiplications that the GPU works longer than the host's call takes.
_FEW_CALLS = 16
_WORTH_A_CALL = 1 << 26

#: Products of bytes that tensor cores compute sooner than our own kernel, with a copy of a factor
#: and the cast of the sums: of rows at multiples of so many bytes, of so many multiplications and
#: so many results. Fewer are not shared among all multiprocessors, more take 4 GiB for their sums.
BYTES_ALIGNMENT, _BYTES_WORK, _BYTES_RESULTS = 16, 1 << 29, (1 << 18, 1 << 30)

#: So long a sum of products of bytes never leaves int32, and is the same if a library saturates.
_LONGEST_BYTES = (2**31 - 1) // 2**14


class Route(NamedTuple):
    """Which library multiplies."""

    #: Whether it is cuBLASLt.
    light: bool = True
    #: How many of the algorithms that cuBLASLt's heuristic prefers are passed over.
    choice: int = 0


#: cuBLASLt runs the same kernels as cuBLAS, and takes 1 µs less for a call.
_ROUTE = Route()


def gemm(a: Any, b: Any) -> Any:
    """The matrix product of two arrays, or of stacks of matrices.

    Parameters
    ----------
    a, b : ndarray
        Of two or three dimensions and one floating or complex dtype; see :func:`gemm_call`.

    Returns
    -------
    ndarray
        Contiguous. Halves are summed in float32.
    """
    stream = current.stream
    key = (gemm, a._layout, b._layout)  # as key_of makes it
    run = stream.plans.get(key)
    if run is None:
        run = find(stream, key, gemm_call, a._layout, b._layout, stream)
        if run is None:
            raise ValueError(
                f"gemm: cuBLAS has no product of {a.dtype} {a.shape} with strides {a.strides} and "
                f"{b.dtype} {b.shape} with strides {b.strides}"
            )
    return run(a, b)


def gemm_call(
    a: Layout, b: Layout, stream: Stream, factor: float = 1, conjugate: bool = False
) -> Callable[..., Any] | None:
    """A call (see :mod:`gpuarray._calls`) of a matrix product, or None if cuBLAS has none.

    The product is multiplied by ``factor``, and with ``conjugate`` the second operand is
    conjugated. The precision that the user has set for products has no say.

    It has one for operands of one floating or complex dtype, of shapes (m, k) and (k, n) or stacks
    of one size of such matrices, where the elements of rows, or those of columns, lie behind one
    another.
    """
    if not (a.dtype == b.dtype and has_product(a.dtype, a.dtype)):
        return None
    stacks = {x.shape[0] for x in (a, b) if x.ndim == 3}
    if not {a.ndim, b.ndim} <= {2, 3} or len(stacks) > 1 or a.shape[-1] != b.shape[-2]:
        return None
    target = _layout.contiguous(a.dtype, (*stacks, a.shape[-2], b.shape[-1]))
    if not target.size or not a.shape[-1]:
        return _calls.make_call(stream, "aa", [target], [], cleared=bool(target.size))
    first, second = [_broadcasting.broadcast_to(x, (*stacks, *x.shape[-2:])) for x in (a, b)]
    conjugated = "b" if conjugate else ""
    return product_call(
        first, second, target, stream, factor=factor, conjugated=conjugated, exact=True
    )


def has_product(operands: np.dtype, result: np.dtype) -> bool:
    """Whether cuBLAS multiplies matrices of a dtype to one of another."""
    code = _dtypes.code(result)
    return code in _SCALES if operands == result else _is_widened(operands, code)


def multiplies_bytes(a: Layout, b: Layout, target: Layout) -> bool:
    """Whether cuBLAS multiplies matrices of bytes, of the shapes of `product_call`, and is faster.

    It does so on tensor cores, if rows and columns of the factors are at multiples of 16 bytes.
    """
    inner = a.shape[-1]
    return (
        target.dtype.kind in "iu"
        and target.dtype.itemsize == 1
        and a.dtype == b.dtype == target.dtype
        and inner <= _LONGEST_BYTES
        and inner % BYTES_ALIGNMENT == target.shape[-1] % BYTES_ALIGNMENT == 0
        and min(*target.shape[-2:], inner) >= 128
        and _BYTES_RESULTS[0] <= target.size <= _BYTES_RESULTS[1]
        and target.size * inner >= _BYTES_WORK
    )


def has_aligned_rows(layout: Layout) -> bool:
    """Whether the rows of matrices of bytes are as tensor cores want them."""
    *stack, rows, columns = layout.strides
    return (
        columns == 1
        and rows >= layout.shape[-1]
        and not any(stride % BYTES_ALIGNMENT for stride in (*stack, rows))
    )


def _is_widened(operands: np.dtype, result: str) -> bool:
    return result == "f4" and _dtypes.is_narrow_float(operands)


def is_readable(layout: Layout, conjugated: bool = False) -> bool:
    """Whether cuBLAS reads the matrices of a layout (..., rows, columns) where they are."""
    matrix = matrix_of(layout)
    if matrix is None:
        return False
    # One algebra reads the matrix, the other its transpose.
    return any(read(x, conjugated) is not None for x in (matrix, matrix.transposed()))


def product_call(
    a: Layout,
    b: Layout,
    target: Layout,
    stream: Stream,
    given: bool = False,
    result: Layout | None = None,
    *,
    factor: float = 1,
    conjugated: str = "",
    exact: bool = False,
    route: Route | None = None,
) -> Callable[..., Any] | None:
    """A call (see :mod:`gpuarray._calls`) of products of stacks of matrices, or None.

    Parameters
    ----------
    a, b : Layout
        Of shapes (..., m, k) and (..., k, n), of one dtype. The stacks have one shape; strides of
        0 broadcast.
    target : Layout
        Of shape (..., m, n) and a dtype that `has_product`, or bytes (see `multiplies_bytes`). It
        overlaps no operand. Nothing is empty, and k is not 0.
    stream : Stream
        Where to run.
    given : bool, optional
        Whether the caller passes the target.
    result : Layout, optional
        The layout of the new array that is made, where that is not the target's.
    factor : float, optional
        What the product is multiplied by.
    conjugated : {'', 'a', 'b'}, optional
        The operand whose conjugate is taken.
    exact : bool, optional
        Whether the precision that the user has set for products has no say.
    route : Route, optional
        Which library multiplies, where one call does it; cuBLASLt by default, unless it has no
        algorithm or an address is not aligned.

    Returns
    -------
    callable or None
        None where cuBLAS cannot read the operands, or write the target, where they are.

    Notes
    -----
    A matrix is read in place if one of its strides is one element and the other no less than a row
    or column. Matrices at equal distances are one call, and so are those that are multiplied by
    one and the same matrix and follow one another without a gap. Otherwise there are several calls.
    """
    sums = target
    if a.dtype.itemsize == 1:
        sums = _layout.contiguous(np.dtype(np.int32), target.shape)
    matrices = [matrix_of(x) for x in (sums, a, b)]
    if None in matrices:
        return None
    t, x, y = [matrix for matrix in matrices if matrix is not None]
    stack = MatrixStack.of(sums, a, b)
    t, x, y = stack.fold(t, x, y)
    conjugates = [
        "a" == conjugated and a.dtype.kind == "c",
        "b" == conjugated and b.dtype.kind == "c",
    ]
    # A row-major matrix is the column-major form of its transpose, so of a row-major target the
    # transpose is computed: b.T @ a.T.
    swapped = True
    found = gemm_arguments(y.transposed(), x.transposed(), t.transposed(), conjugates[::-1])
    if found is None:
        swapped = False
        found = gemm_arguments(x, y, t, conjugates)
    if found is None:
        return None
    extent = (found["n"] - 1) * found["ldc"] + found["m"]
    batch, others = stack.split(extent)
    calls = math.prod([axis.length for axis in others])
    if calls > _FEW_CALLS and x.rows * x.columns * y.columns * batch.length < _WORTH_A_CALL:
        return None
    names = ("B", "A") if swapped else ("A", "B")
    # Bytes are signed to the library: modulo 256 the products are the same.
    factors = np.dtype(np.int8) if a.dtype.itemsize == 1 else a.dtype
    scale = sums.dtype if sums is not target else _SCALES[_dtypes.code(target.dtype)]
    found |= {
        "batchCount": batch.length, "alpha": scale.type(factor), "beta": scale.type(0),
        "Atype": factors, "Btype": factors, "Ctype": sums.dtype,
        "strideC": batch.steps[0], f"stride{names[0]}": batch.steps[1],
        f"stride{names[1]}": batch.steps[2],
        "computeType": compute_type(a.dtype, target.dtype, stream, exact),
        "algo": "CUBLAS_GEMM_DEFAULT",
    }  # fmt: skip
    passed = {names[0]: "x0", names[1]: "x1", "C": "y0"}
    new = None if given else target if result is None else result
    if sums is not target:
        return _byte_call(found, passed, sums, target, new, stream, route) if calls == 1 else None
    if calls == 1:
        return _single_call(found, passed, new, stream, route)
    places = [1 + names.index("A"), 1 + names.index("B"), 0]
    offsets = stack.offsets(others, places)
    pointers, handles = ("A", "B", "C"), BLAS.on(stream)
    bound = RepeatedCall(cublas.library, _GEMM, found, pointers, handles, stream, offsets)
    return _calls.make_call(stream, "aa", [new], [(bound, passed)])


def _single_call(
    found: dict[str, Any],
    passed: dict[str, str],
    new: Layout | None,
    stream: Stream,
    route: Route | None,
    after: Sequence[Any] = (),
    scratch: Sequence[int] = (),
) -> Callable[..., Any]:
    """The call of a product, or of a stack, that is one call of a library.

    ``after`` are the steps behind it, with scratch memory of so many bytes.
    """

    @functools.cache
    def gemm() -> Callable[..., Any]:
        bound = BoundCall(cublas.library, _GEMM, found, ("A", "B", "C"), BLAS.on(stream), stream)
        return _calls.make_call(stream, "aa", [new], [(bound, passed), *after], scratch)

    light, choice = route or _ROUTE
    step = blas_lt.product_step(found, passed, stream, len(scratch), choice) if light else None
    if step is None:
        return gemm()
    steps = [(step.bound, step.passed), *after]
    run = _calls.make_call(stream, "aa", [new], steps, [*scratch, *step.scratch])
    return _array.where_aligned(
        blas_lt.ALIGNMENT, run, lambda *arrays: gemm()(*arrays), given=new is None
    )


def _byte_call(
    found: dict[str, Any],
    passed: dict[str, str],
    sums: Layout,
    target: Layout,
    new: Layout | None,
    stream: Stream,
    route: Route | None,
) -> Callable[..., Any]:
    """The call of a product of bytes, whose sums of int32 are cast."""
    code = _dtypes.code(target.dtype)
    cast = Cast(code, Input(0, _dtypes.code(sums.dtype)))
    plan = elementwise.launch.plan("cast", [cast], [sums], [target], stream)
    step = BoundLaunch(plan, stream, {}, "cast"), {"out0": "y0", "in0": "t0"}
    return _single_call(found, passed | {"C": "t0"}, new, stream, route, [step], [sums.nbytes])
