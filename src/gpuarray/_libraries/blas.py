"""Matrix products by cuBLAS, as plans like any other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _calls, _dtypes, _layout
from gpuarray._ffi import cublas
from gpuarray._layout import Layout
from gpuarray._libraries.handles import BLAS
from gpuarray._libraries.precision import compute_type
from gpuarray._runtime.device import current
from gpuarray._runtime.library_call import BoundCall, RepeatedCall
from gpuarray._runtime.plans import find
from gpuarray._runtime.stream import Stream

__all__ = ["gemm", "gemm_call", "has_product", "is_readable", "product_call"]

#: By dtype of the result: the dtype of the factors alpha and beta.
_SCALES: dict[str, np.dtype] = {
    "f2": np.dtype("f4"),
    "bf2": np.dtype("f4"),
    "f4": np.dtype("f4"),
    "f8": np.dtype("f8"),
    "c8": np.dtype("c8"),
    "c16": np.dtype("c16"),
}

#: A stack whose strides cuBLAS cannot take in one call is at most so many calls, or more if each
#: has so many multiplications that the GPU works longer than the host's call takes.
_FEW_CALLS = 16
_WORTH_A_CALL = 1 << 26


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
    first, second = [_layout.broadcast_to(x, (*stacks, *x.shape[-2:])) for x in (a, b)]
    conjugated = "b" if conjugate else ""
    return product_call(
        first, second, target, stream, factor=factor, conjugated=conjugated, exact=True
    )


def has_product(operands: np.dtype, result: np.dtype) -> bool:
    """Whether cuBLAS multiplies matrices of a dtype to one of another."""
    code = _dtypes.code(result)
    return code in _SCALES if operands == result else _is_widened(operands, code)


def _is_widened(operands: np.dtype, result: str) -> bool:
    return result == "f4" and _dtypes.is_narrow_float(operands)


def is_readable(layout: Layout, conjugated: bool = False) -> bool:
    """Whether cuBLAS reads the matrices of a layout (..., rows, columns) where they are."""
    matrix = _matrix(layout)
    if matrix is None:
        return False
    # One algebra reads the matrix, the other its transpose.
    return any(_read(x, conjugated) is not None for x in (matrix, matrix.transposed()))


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
) -> Callable[..., Any] | None:
    """A call (see :mod:`gpuarray._calls`) of products of stacks of matrices, or None.

    Parameters
    ----------
    a, b : Layout
        Of shapes (..., m, k) and (..., k, n), of one dtype. The stacks have one shape; strides of
        0 broadcast.
    target : Layout
        Of shape (..., m, n) and a dtype that `has_product`. It overlaps no operand. Nothing is
        empty, and k is not 0.
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
    matrices = [_matrix(x) for x in (target, a, b)]
    if None in matrices:
        return None
    t, x, y = [matrix for matrix in matrices if matrix is not None]
    stack = _Stack.of(target, a, b)
    t, x, y = stack.fold(t, x, y)
    conjugates = [
        "a" == conjugated and a.dtype.kind == "c",
        "b" == conjugated and b.dtype.kind == "c",
    ]
    # A row-major matrix is the column-major form of its transpose, so of a row-major target the
    # transpose is computed: b.T @ a.T.
    swapped = True
    found = _arguments(y.transposed(), x.transposed(), t.transposed(), conjugates[::-1])
    if found is None:
        swapped = False
        found = _arguments(x, y, t, conjugates)
    if found is None:
        return None
    extent = (found["n"] - 1) * found["ldc"] + found["m"]
    batch, others = stack.split(extent)
    calls = math.prod([axis.length for axis in others])
    if calls > _FEW_CALLS and x.rows * x.columns * y.columns * batch.length < _WORTH_A_CALL:
        return None
    names = ("B", "A") if swapped else ("A", "B")
    scale = _SCALES[_dtypes.code(target.dtype)]
    found |= {
        "batchCount": batch.length, "alpha": scale.type(factor), "beta": scale.type(0),
        "Atype": a.dtype, "Btype": a.dtype, "Ctype": target.dtype,
        "strideC": batch.steps[0], f"stride{names[0]}": batch.steps[1],
        f"stride{names[1]}": batch.steps[2],
        "computeType": compute_type(a.dtype, target.dtype, stream, exact),
        "algo": "CUBLAS_GEMM_DEFAULT",
    }  # fmt: skip
    passed = {names[0]: "x0", names[1]: "x1", "C": "y0"}
    function, handles = "cublasGemmStridedBatchedEx_64", BLAS.on(stream)
    pointers = ("A", "B", "C")
    bound: BoundCall
    if calls == 1:
        bound = BoundCall(cublas.library, function, found, pointers, handles, stream)
    else:
        places = [1 + names.index("A"), 1 + names.index("B"), 0]
        offsets = stack.offsets(others, places)
        bound = RepeatedCall(cublas.library, function, found, pointers, handles, stream, offsets)
    new = None if given else target if result is None else result
    return _calls.make_call(stream, "aa", [new], [(bound, passed)])


class _Matrix(NamedTuple):
    """A matrix in memory; steps are in elements."""

    rows: int
    columns: int
    row_step: int
    column_step: int

    def transposed(self) -> _Matrix:
        return _Matrix(self.columns, self.rows, self.column_step, self.row_step)


def _matrix(layout: Layout) -> _Matrix | None:
    """The matrices of a layout, or None if elements are not at multiples of their size."""
    if layout.unaligned or any(stride % layout.itemsize for stride in layout.strides):
        return None
    row_step, column_step = [stride // layout.itemsize for stride in layout.strides[-2:]]
    return _Matrix(layout.shape[-2], layout.shape[-1], row_step, column_step)


def _read(x: _Matrix, conjugated: bool = False) -> tuple[str, int] | None:
    """How cuBLAS reads a matrix: the operation and the leading dimension."""
    # The step along an axis of one element says nothing.
    if (x.column_step == 1 or x.columns == 1) and (x.rows == 1 or x.row_step >= x.columns):
        leading = x.row_step if x.rows > 1 else x.columns
        transposed = "CUBLAS_OP_C" if conjugated else "CUBLAS_OP_T", leading
    else:
        transposed = None
    if conjugated:
        return transposed
    if (x.row_step == 1 or x.rows == 1) and (x.columns == 1 or x.column_step >= x.rows):
        return "CUBLAS_OP_N", x.column_step if x.columns > 1 else x.rows
    return transposed


def _arguments(
    first: _Matrix, second: _Matrix, target: _Matrix, conjugated: Sequence[bool]
) -> dict[str, Any] | None:
    """The arguments for a product of column-major matrices, or None if they are not."""
    a, b, c = _read(first, conjugated[0]), _read(second, conjugated[1]), _read(target)
    if a is None or b is None or c is None or c[0] != "CUBLAS_OP_N":
        return None
    return {
        "m": first.rows, "n": second.columns, "k": first.columns,
        "transa": a[0], "lda": a[1], "transb": b[0], "ldb": b[1], "ldc": c[1],
    }  # fmt: skip


class _Axis(NamedTuple):
    """A dimension of a stack: its length, and the distances of target, a and b in elements."""

    length: int
    steps: tuple[int, int, int]


class _Stack:
    """The dimensions of the stacks of target, a and b, joined where all three allow it."""

    def __init__(self, axes: list[_Axis], itemsizes: tuple[int, int, int]) -> None:
        self.axes = axes
        self.itemsizes = itemsizes

    @classmethod
    def of(cls, target: Layout, a: Layout, b: Layout) -> _Stack:
        layouts = target, a, b
        shape, strides = _layout.collapse(target.shape[:-2], [x.strides[:-2] for x in layouts])
        itemsizes = target.itemsize, a.itemsize, b.itemsize
        axes = []
        for i, length in enumerate(shape):
            t, x, y = [one[i] // size for one, size in zip(strides, itemsizes, strict=True)]
            if length > 1:
                axes.append(_Axis(length, (t, x, y)))
        return cls(axes, itemsizes)

    def fold(self, t: _Matrix, a: _Matrix, b: _Matrix) -> tuple[_Matrix, _Matrix, _Matrix]:
        """Take what is multiplied by one and the same matrix for rows, or columns, of one matrix.

        Returns the target, a and b with these, and drops the dimensions.
        """
        folded = True
        while folded:
            folded = False
            for axis in reversed(self.axes):
                t_step, a_step, b_step = axis.steps
                rows = _longer(t, axis.length, t_step), _longer(a, axis.length, a_step)
                # The columns are the rows of the transposes.
                columns = (
                    _longer(t.transposed(), axis.length, t_step),
                    _longer(b.transposed(), axis.length, b_step),
                )
                if b_step == 0 and rows[0] is not None and rows[1] is not None:
                    t, a = rows[0], rows[1]
                elif a_step == 0 and columns[0] is not None and columns[1] is not None:
                    t, b = columns[0].transposed(), columns[1].transposed()
                else:
                    continue
                self.axes.remove(axis)
                folded = True
                break
        return t, a, b

    def split(self, extent: int) -> tuple[_Axis, list[_Axis]]:
        """The dimension for one call, and the others, for whose indices there are several calls.

        ``extent`` is the number of elements that a matrix of the target spans: cuBLAS's results of
        one call do not reach into one another.
        """
        one = _Axis(1, (0, 0, 0))
        for axis in self.axes:
            if axis.length > one.length and min(axis.steps) >= 0 and axis.steps[0] >= extent:
                one = axis
        return one, [axis for axis in self.axes if axis is not one]

    def offsets(self, axes: Sequence[_Axis], places: Sequence[int]) -> list[tuple[int, ...]]:
        """For each index along axes, the bytes from the first matrix to that one.

        ``places`` says which of target, a and b the bytes are of.
        """
        found = []
        for index in itertools.product(*[range(axis.length) for axis in axes]):
            steps = [[i * step for step in axis.steps] for i, axis in zip(index, axes, strict=True)]
            found.append(tuple([sum([x[k] for x in steps]) * self.itemsizes[k] for k in places]))
        return found


def _longer(x: _Matrix, count: int, step: int) -> _Matrix | None:
    """A matrix whose rows are those of several at a distance; None if cuBLAS cannot read it."""
    if x.rows == 1:
        x = x._replace(row_step=step)
    elif step != x.rows * x.row_step:
        return None
    longer = x._replace(rows=x.rows * count)
    return longer if _read(longer) is not None else None
