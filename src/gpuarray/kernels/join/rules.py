"""NumPy's rules for joins of arrays: shapes, dtypes, ``out`` and casts."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout, _memory_order
from gpuarray._arguments import check_axis
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout, layout_of
from gpuarray._namespace.called_name import called_name
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels import join as join_kernels
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import Apply, Cast, Constant, Expression, Input
from gpuarray.kernels.generator.operations import operation

#: Columns that one launch stores.
_MOST_COLUMNS = 8

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike, ndarray


def concatenate(
    arrays: Sequence[ndarray],
    axis: int,
    out: ndarray | None = None,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
    plan_key: tuple[Any, ...] | None = None,
) -> ndarray:
    """Join arrays along an axis that they have.

    Parameters
    ----------
    arrays : sequence of ndarray
        At least one.
    axis : int
        The axis.
    out, dtype, casting
        As for `gpuarray.concatenate`.
    plan_key : tuple, optional
        Where to keep the plan of a join in one launch.

    Returns
    -------
    ndarray
        The joined array.
    """
    layouts = [a._layout for a in arrays]
    first = layouts[0]
    most = join_kernels.spec.MOST_ARRAYS
    small = first.nbytes * len(arrays) <= join_kernels.launch.MOST_BYTES
    if plan_key is not None and len(arrays) > most and small and {*layouts} == {first}:
        # Of many small arrays a launch joins so many, and then what these have made.
        parts = [arrays[i : i + most] for i in range(0, len(arrays), most)]
        arrays = [_joined(part, axis) for part in parts]
        return _joined(arrays, axis)
    axis = axis if isinstance(axis, bool) else operator.index(axis)
    if not first.ndim:
        raise ValueError("zero-dimensional arrays cannot be concatenated; use stack")
    axis = check_axis(axis, first.ndim, bools=False)
    shape = _joined_shape(layouts, axis)
    if out is not None:
        if dtype is not None:
            raise TypeError(f"{called_name('concatenate')}: only one of out and dtype may be given")
        if not isinstance(out, ArrayBase):
            raise TypeError(
                f"{called_name('concatenate')}: out must be an ndarray, got {type(out).__name__}"
            )
        _layout.check_writable(out._layout, "concatenate")
        if out._layout.shape != shape:
            raise ValueError(
                f"{called_name('concatenate')}: "
                f"out has shape {out._layout.shape}, but the result has {shape}"
            )
        target = out
        # What is stored first must not be read as an operand that follows.
        arrays = [copies.copy(a) if _array.overlap(a, out) else a for a in arrays]
    else:
        found = _dtypes.canonical(
            np.result_type(*[x.dtype for x in layouts]) if dtype is None else dtype
        )
        if plan_key is not None:
            stream = current.stream
            target_layout = _memory_order.joined_order(found, shape, layouts)
            if target_layout.c_contiguous:
                run = join_kernels.launch.make_call(layouts, axis, target_layout, stream)
            else:
                run = None
            if run is None:
                ends = accumulate([0, *[x.shape[axis] for x in layouts[:-1]]])
                places = [[0] * axis + [at] + [0] * (len(shape) - axis - 1) for at in ends]
                run = join_kernels.launch.make_places_call(layouts, places, target_layout, stream)
            if run is None:
                _check_casts(layouts, found, casting)
                run = _parts_call(stream, layouts, axis, target_layout)
            stream.keep_plan(plan_key, run)
            return run(*arrays)
        target = _array.empty(_memory_order.joined_order(found, shape, layouts))
    _check_casts(layouts, target._layout.dtype, casting)
    if out is None and _are_columns(layouts, axis, target._layout):
        _columns_call(current.stream, tuple(layouts), target._layout)(*arrays, target)
    else:
        _store(arrays, axis, target)
    return target


def _joined(arrays: Sequence[ndarray], axis: int) -> ndarray:
    stream = current.stream
    plan_key = (_joined, axis, *[a._layout for a in arrays])
    run = stream.plans.get(plan_key)
    return concatenate(arrays, axis, plan_key=plan_key) if run is None else run(*arrays)


def stack(
    arrays: Sequence[ndarray],
    axis: int,
    out: ndarray | None = None,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> ndarray:
    """Join arrays of one shape along a new axis.

    Parameters
    ----------
    arrays : sequence of ndarray
        At least one.
    axis : int
        Where the new axis is in the result.
    out, dtype, casting
        As for `gpuarray.stack`.

    Returns
    -------
    ndarray
        With one dimension more.
    """
    stream = current.stream
    plan_key = None
    if out is None and dtype is None and type(axis) is int:
        if all(a._memory.device is stream.device for a in arrays):
            plan_key = (stack, axis, *[a._layout for a in arrays])
            run = stream.plans.get(plan_key)
            if run is not None:
                return run(*arrays)
    shapes = {a._layout.shape for a in arrays}
    if len(shapes) != 1:
        raise ValueError(f"all input arrays must have the same shape, got {sorted(shapes)}")
    axis = check_axis(axis, arrays[0]._layout.ndim + 1)
    # The plan takes the arrays as they are as well: their elements lie where those of views do.
    views = [_array.view(a, _with_new_axis(a._layout, axis)) for a in arrays]
    return concatenate(views, axis, out, dtype, casting, plan_key)


def _joined_shape(layouts: Sequence[Layout], axis: int) -> tuple[int, ...]:
    """The shape of the result; raises ValueError if shapes differ along another axis."""
    first = layouts[0]
    for number, layout in enumerate(layouts):
        if layout.ndim != first.ndim:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match "
                f"exactly, but the array at index 0 has {first.ndim} dimension(s) and the array "
                f"at index {number} has {layout.ndim} dimension(s)"
            )
        for i, (length, expected) in enumerate(zip(layout.shape, first.shape, strict=True)):
            if i != axis and length != expected:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must "
                    f"match exactly, but along dimension {i}, the array at index 0 has size "
                    f"{expected} and the array at index {number} has size {length}"
                )
    total = sum([x.shape[axis] for x in layouts])
    return first.shape[:axis] + (total,) + first.shape[axis + 1 :]


def _with_new_axis(layout: Layout, axis: int) -> Layout:
    shape = layout.shape[:axis] + (1,) + layout.shape[axis:]
    view = _layout.reshape_view(layout, shape)
    assert view is not None  # a dimension of length 1 never needs a copy
    return view


def _check_casts(sources: Sequence[Layout], target: np.dtype, casting: str) -> None:
    for source in sources:
        if not _dtypes.can_cast(source.dtype, target, casting):
            raise TypeError(
                f"Cannot cast array data from {source.dtype!r} to {target!r} according to the "
                f"rule '{casting}'"
            )


def _are_columns(layouts: Sequence[Layout], axis: int, target: Layout) -> bool:
    """Whether arrays are columns of a gapless result, an element of each row."""
    return (
        1 < len(layouts) <= _MOST_COLUMNS
        and target.size > 0
        and target.c_contiguous
        and axis == target.ndim - 1
        and not _dtypes.is_raw(target.dtype)
        and all(x.shape[axis] == 1 and x.dtype is target.dtype for x in layouts)
    )


def _parts_call(
    stream: Stream, layouts: Sequence[Layout], axis: int, target: Layout
) -> Callable[..., Any]:
    """A call that makes the result, and copies each array to its part of it."""
    if _are_columns(layouts, axis, target):
        columns = _columns_call(stream, tuple(layouts), target)

        def join_columns(*arrays: Any) -> Any:
            result = _array.empty(target)
            columns(*arrays, result)
            return result

        return join_columns
    copy_call = elementwise.launch.copy_call
    parts: list[tuple[Callable[..., Any] | None, Layout, int]] = []
    offset = 0
    for layout in layouts:
        length = layout.shape[axis]
        shape = (*target.shape[:axis], length, *target.shape[axis + 1 :])
        part = layout_of(target.dtype, shape, target.strides)
        if part.size:
            parts.append((copy_call(layout, part, True, stream), part, offset))
        else:
            parts.append((None, part, offset))
        offset += length * target.strides[axis]

    def join(*arrays: Any) -> Any:
        result = _array.empty(target)
        for (run, part, start), a in zip(parts, arrays, strict=True):
            if run is not None:
                run(a, _array.shifted(result, part, start))
        return result

    return join


@planned
def _columns_call(stream: Stream, layouts: tuple[Layout, ...], target: Layout) -> Any:
    """A call that stores columns, whole rows at a time."""
    rows, dtype = target.shape[:-1], target.dtype
    inputs = [layout_of(x.dtype, rows, x.strides[:-1], x.access) for x in layouts]
    count, bits = len(layouts), 8 * dtype.itemsize
    make = elementwise.launch.make_call
    if count * bits in (16, 32, 64) and not any(x.unaligned for x in layouts):
        # A row is a word.
        narrow, wide = np.dtype(f"u{dtype.itemsize}"), np.dtype(f"u{count * dtype.itemsize}")
        code = _dtypes.code(wide)
        inputs = [layout_of(narrow, rows, x.strides) for x in inputs]
        word: Expression | None = None
        for k in range(count):
            part: Expression = Cast(code, Input(k, _dtypes.code(narrow)))
            if k:
                shift = Constant(k * bits, code)
                part = Apply(operation("left_shift"), (part, shift), code)
            word = part if word is None else Apply(operation("bitwise_or"), (word, part), code)
        assert word is not None
        outputs = [_layout.contiguous(wide, rows)]
        return make("concatenate", [word], inputs, outputs, [True], stream)
    values = [Input(k, _dtypes.code(dtype)) for k in range(count)]
    column = layout_of(dtype, rows, target.strides[:-1])
    # One array for each column: the call takes the result, and finds them in it.
    run = make("concatenate", values, inputs, [column] * count, [True] * count, stream)
    step = dtype.itemsize

    def store(*arguments: Any) -> None:
        *arrays, result = arguments
        run(*arrays, *[_array.view(result, column, k * step) for k in range(count)])

    return store


def _store(arrays: Sequence[ndarray], axis: int, target: ndarray) -> None:
    """Copy each array to its part of the target, a launch each."""
    layout = target._layout
    before, behind = layout.shape[:axis], layout.shape[axis + 1 :]
    offset = 0
    for a in arrays:
        length = a._layout.shape[axis]
        part = _layout.layout_of(layout.dtype, before + (length,) + behind, layout.strides)
        if part.size:
            copies.assign(_array.view(target, part, offset), a)
        offset += length * layout.strides[axis]
