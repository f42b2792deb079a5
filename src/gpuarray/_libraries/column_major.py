"""Matrices in memory as cuBLAS takes them: column-major, with leading dimensions and strides."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from gpuarray import _layout
from gpuarray._layout import Layout

__all__ = ["Matrix", "MatrixStack", "gemm_arguments", "matrix_of", "read"]


class Matrix(NamedTuple):
    """A matrix in memory; steps are in elements."""

    rows: int
    columns: int
    row_step: int
    column_step: int

    def transposed(self) -> Matrix:
        return Matrix(self.columns, self.rows, self.column_step, self.row_step)


def matrix_of(layout: Layout) -> Matrix | None:
    """The matrices of a layout, or None if elements are not at multiples of their size."""
    if layout.unaligned or any(stride % layout.itemsize for stride in layout.strides):
        return None
    row_step, column_step = [stride // layout.itemsize for stride in layout.strides[-2:]]
    return Matrix(layout.shape[-2], layout.shape[-1], row_step, column_step)


def read(x: Matrix, conjugated: bool = False) -> tuple[str, int] | None:
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


def gemm_arguments(
    first: Matrix, second: Matrix, target: Matrix, conjugated: Sequence[bool]
) -> dict[str, Any] | None:
    """The arguments for a product of column-major matrices, or None if they are not."""
    a, b, c = read(first, conjugated[0]), read(second, conjugated[1]), read(target)
    if a is None or b is None or c is None or c[0] != "CUBLAS_OP_N":
        return None
    return {
        "m": first.rows, "n": second.columns, "k": first.columns,
        "transa": a[0], "lda": a[1], "transb": b[0], "ldb": b[1], "ldc": c[1],
    }  # fmt: skip


class StackAxis(NamedTuple):
    """A dimension of a stack: its length, and the distances of target, a and b in elements."""

    length: int
    steps: tuple[int, int, int]


class MatrixStack:
    """The dimensions of the stacks of target, a and b, joined where all three allow it."""

    def __init__(self, axes: list[StackAxis], itemsizes: tuple[int, int, int]) -> None:
        self.axes = axes
        self.itemsizes = itemsizes

    @classmethod
    def of(cls, target: Layout, a: Layout, b: Layout) -> MatrixStack:
        layouts = target, a, b
        shape, strides = _layout.collapse(target.shape[:-2], [x.strides[:-2] for x in layouts])
        itemsizes = target.itemsize, a.itemsize, b.itemsize
        axes = []
        for i, length in enumerate(shape):
            t, x, y = [one[i] // size for one, size in zip(strides, itemsizes, strict=True)]
            if length > 1:
                axes.append(StackAxis(length, (t, x, y)))
        return cls(axes, itemsizes)

    def fold(self, t: Matrix, a: Matrix, b: Matrix) -> tuple[Matrix, Matrix, Matrix]:
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

    def split(self, extent: int) -> tuple[StackAxis, list[StackAxis]]:
        """The dimension for one call, and the others, for whose indices there are several calls.

        ``extent`` is the number of elements that a matrix of the target spans: cuBLAS's results of
        one call do not reach into one another.
        """
        one = StackAxis(1, (0, 0, 0))
        for axis in self.axes:
            if axis.length > one.length and min(axis.steps) >= 0 and axis.steps[0] >= extent:
                one = axis
        return one, [axis for axis in self.axes if axis is not one]

    def offsets(self, axes: Sequence[StackAxis], places: Sequence[int]) -> list[tuple[int, ...]]:
        """For each index along axes, the bytes from the first matrix to that one.

        ``places`` says which of target, a and b the bytes are of.
        """
        found = []
        for index in itertools.product(*[range(axis.length) for axis in axes]):
            steps = [[i * step for step in axis.steps] for i, axis in zip(index, axes, strict=True)]
            found.append(tuple([sum([x[k] for x in steps]) * self.itemsizes[k] for k in places]))
        return found


def _longer(x: Matrix, count: int, step: int) -> Matrix | None:
    """A matrix whose rows are those of several at a distance; None if cuBLAS cannot read it."""
    if x.rows == 1:
        x = x._replace(row_step=step)
    elif step != x.rows * x.row_step:
        return None
    longer = x._replace(rows=x.rows * count)
    return longer if read(longer) is not None else None
