"""Products of vectors and matrices that multiply each element with others: outer, kron, cross."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray import _array, _broadcasting, _dtypes, _layout, _memory_order
from gpuarray._arguments import check_axis
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout
from gpuarray._ops.math import multiply
from gpuarray._ops.stored_values import as_values
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.generator.expressions import Apply, Expression, Input, cast
from gpuarray.kernels.generator.operations import operation

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["cross", "kron", "outer"]


def outer(a: ArrayLike, b: ArrayLike, out: ndarray | None = None) -> ndarray:
    """The products of each element of one array with each of another.

    Parameters
    ----------
    a, b : ndarray
        The operands, which are flattened.
    out : ndarray, optional
        Where results are stored.

    Returns
    -------
    ndarray
        Of shape ``(a.size, b.size)``.

    Notes
    -----
    One launch, and one more for each operand that is not C-contiguous.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.outer(cp.array([1, 2]), cp.array([1, 10, 100]))
    array([[  1,  10, 100],
           [  2,  20, 200]])
    """
    rows, columns = _flat(a), _flat(b)
    if out is None:
        return _plan_outer(current.stream, rows._layout, columns._layout)(rows, columns)
    return multiply(_array.view(rows, _as_column(rows._layout)), columns, out=out)


def _flat(x: Any) -> Any:
    x = x if isinstance(x, ArrayBase) else as_values(x, "outer")
    return x if x._layout.ndim == 1 else x.ravel()


@planned
def _plan_outer(stream: Stream, rows: Layout, columns: Layout) -> Callable[..., Any]:
    return _products([_as_column(rows), columns], stream)[0]


def _as_column(layout: Layout) -> Layout:
    return _layout.layout_of(layout.dtype, (layout.size, 1), (*layout.strides, 0))


def _products(
    factors: Sequence[Layout],
    stream: Stream,
    order_of: Callable[[Layout], Layout] = lambda target: target,
) -> tuple[Callable[..., Any], Layout]:
    """The call that multiplies two arrays that broadcast, and the layout of its result.

    ``order_of`` is told the layout in the operands' memory order, and returns the one to make.
    """
    row = operation("multiply")
    dtypes = [x.dtype for x in factors]
    loop = [_dtypes.canonical(x) for x in row.resolve_dtypes((*dtypes, None))]
    shape = _broadcasting.broadcast_shapes([x.shape for x in factors])
    target = order_of(_memory_order.like_order(loop[2], shape, factors))
    terms = [cast(_dtypes.code(loop[i]), Input(i, _dtypes.code(x))) for i, x in enumerate(dtypes)]
    products = Apply(row, tuple(terms), _dtypes.code(loop[2]))
    run = elementwise.launch.make_call("multiply", [products], factors, [target], [False], stream)
    return run, target


def kron(a: ArrayLike, b: ArrayLike) -> ndarray:
    """The Kronecker product: one array, each of whose elements is multiplied with all of another.

    Parameters
    ----------
    a, b : ndarray
        The operands; the one with fewer dimensions gets more of length 1 in front.

    Returns
    -------
    ndarray
        Along each axis as long as the product of the operands' lengths.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.kron(cp.eye(2, dtype=int), cp.array([[1, 2]]))
    array([[1, 2, 0, 0],
           [0, 0, 1, 2]])
    """
    x = a if isinstance(a, ArrayBase) else as_values(a, "kron")
    y = b if isinstance(b, ArrayBase) else as_values(b, "kron")
    if not (x._layout.ndim and y._layout.ndim):
        return multiply(x, y)
    run, joined = _plan_kron(current.stream, x._layout, y._layout)
    return _array.view(run(x, y), joined)


@planned
def _plan_kron(stream: Stream, a: Layout, b: Layout) -> tuple[Callable[..., Any], Layout]:
    """The call that multiplies all pairs, and the layout in which they are the product."""
    ndim = max(a.ndim, b.ndim)
    read = [_spread(a, ndim, 0), _spread(b, ndim, 1)]
    shape = _broadcasting.broadcast_shapes([x.shape for x in read])
    joined = tuple([shape[i] * shape[i + 1] for i in range(0, len(shape), 2)])

    def in_order(target: Layout) -> Layout:
        # The operands' memory order, if each pair of axes can be joined in it.
        if _layout.reshape_view(target, joined) is None:
            return _layout.contiguous(target.dtype, shape)
        return target

    run, target = _products(read, stream, in_order)
    view = _layout.reshape_view(target, joined)
    assert view is not None
    return run, view


def _spread(layout: Layout, ndim: int, at: int) -> Layout:
    """A view of 2 * ndim axes: number 2 i + at is the array's axis i, the others have length 1."""
    first = ndim - layout.ndim
    shape, strides = [1] * 2 * ndim, [0] * 2 * ndim
    for i in range(layout.ndim):
        shape[2 * (first + i) + at] = layout.shape[i]
        strides[2 * (first + i) + at] = layout.strides[i]
    return _layout.layout_of(layout.dtype, tuple(shape), tuple(strides))


def cross(
    a: ArrayLike,
    b: ArrayLike,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> ndarray:
    """The cross products of vectors of three components.

    Parameters
    ----------
    a, b : ndarray
        The vectors; their other axes broadcast. Those of two components, which NumPy has
        deprecated, have a third one of 0.
    axisa, axisb, axisc : int, optional
        The axes of the components, in the operands and in the result.
    axis : int, optional
        All three of them.

    Returns
    -------
    ndarray
        The vectors; of two vectors of two components, their third components only.

    Raises
    ------
    ValueError
        If an operand has no dimensions, or vectors of another length.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cross(cp.array([1, 2, 3]), cp.array([4, 5, 6]))
    array([-3,  6, -3])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x = a if isinstance(a, ArrayBase) else as_values(a, "cross")
    y = b if isinstance(b, ArrayBase) else as_values(b, "cross")
    plan = _plan_cross(current.stream, x._layout, y._layout, axisa, axisb, axisc)
    if plan.planar:
        warnings.warn(
            "cross: NumPy 2 has deprecated vectors of two elements; append a zero to them",
            DeprecationWarning,
            stacklevel=2,
        )
    result = _array.empty(plan.result)
    plan.run(
        *[_array.view(x, plan.read[0], offset) for offset in plan.offsets[0]],
        *[_array.view(y, plan.read[1], offset) for offset in plan.offsets[1]],
        *[_array.view(result, plan.stored, offset) for offset in plan.offsets[2]],
    )
    return result if plan.moved is None else _array.view(result, plan.moved)


class _CrossPlan(NamedTuple):
    """The launch of a cross product; components of an array have one layout, at offsets."""

    run: Callable[..., Any]
    read: tuple[Layout, Layout]
    stored: Layout
    offsets: tuple[Sequence[int], Sequence[int], Sequence[int]]
    result: Layout  # as it is allocated
    moved: Layout | None  # with the components along the axis that was asked for
    planar: bool  # vectors of two components


@planned
def _plan_cross(
    stream: Stream, a: Layout, b: Layout, axisa: int, axisb: int, axisc: int
) -> _CrossPlan:
    if not (a.ndim and b.ndim):
        raise ValueError("cross: At least one array has zero dimension")
    axes = check_axis(axisa, a.ndim, "axisa"), check_axis(axisb, b.ndim, "axisb")
    counts = [layout.shape[axis] for layout, axis in zip((a, b), axes)]
    if not {*counts} <= {2, 3}:
        raise ValueError(
            "cross: incompatible dimensions for cross product (dimension must be 2 or 3), got "
            f"{counts[0]} and {counts[1]}"
        )
    read = [_without_axis(layout, axis) for layout, axis in zip((a, b), axes)]
    shape = _broadcasting.broadcast_shapes([x.shape for x in read])
    dtype = _dtypes.canonical(np.promote_types(a.dtype, b.dtype))
    terms: list[list[Expression]] = []
    inputs: list[Layout] = []
    for layout, count in zip(read, counts):
        terms.append(
            [
                cast(_dtypes.code(dtype), Input(len(inputs) + i, _dtypes.code(layout.dtype)))
                for i in range(count)
            ]
        )
        inputs += [layout] * count
    found = _components(terms[0], terms[1], _dtypes.code(dtype))
    result = _layout.contiguous(dtype, shape if len(found) == 1 else (*shape, 3))
    stored, moved = result, None
    if len(found) == 3:
        stored = _without_axis(result, len(shape))
        order = list(range(len(shape)))
        order.insert(check_axis(axisc, result.ndim, "axisc"), len(shape))
        moved = None if order[-1] == len(shape) else _layout.transpose(result, order)
    run = elementwise.launch.make_call(
        "cross", found, inputs, [stored] * len(found), [True] * len(found), stream
    )
    steps = [range(count) for count in (*counts, len(found))]
    strides = [a.strides[axes[0]], b.strides[axes[1]], dtype.itemsize]
    offsets = [tuple([i * stride for i in one]) for one, stride in zip(steps, strides)]
    return _CrossPlan(
        run,
        (read[0], read[1]),
        stored,
        (offsets[0], offsets[1], offsets[2]),
        result,
        moved,
        2 in counts,
    )


def _without_axis(layout: Layout, axis: int) -> Layout:
    shape = layout.shape[:axis] + layout.shape[axis + 1 :]
    strides = layout.strides[:axis] + layout.strides[axis + 1 :]
    return _layout.layout_of(layout.dtype, shape, strides)


def _components(a: list[Expression], b: list[Expression], code: str) -> list[Expression]:
    """The components of the product; a third component that is not there is 0."""

    def product(x: Expression, y: Expression) -> Expression:
        return Apply(operation("multiply"), (x, y), code)

    def difference(x: Expression, y: Expression) -> Expression:
        return Apply(operation("subtract"), (x, y), code)

    def negative(x: Expression) -> Expression:
        return Apply(operation("negative"), (x,), code)

    third = difference(product(a[0], b[1]), product(a[1], b[0]))
    if len(a) == len(b) == 2:
        return [third]
    if len(a) == 2:
        return [product(a[1], b[2]), negative(product(a[0], b[2])), third]
    if len(b) == 2:
        return [negative(product(a[2], b[1])), product(a[2], b[0]), third]
    return [
        difference(product(a[1], b[2]), product(a[2], b[1])),
        difference(product(a[2], b[0]), product(a[0], b[2])),
        third,
    ]
