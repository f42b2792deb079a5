"""``ufunc.at``: updates at indices, which take repeated ones as often as they occur."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _array, _broadcasting, _calls, _dtypes, _interchange, _layout
from gpuarray._array import ArrayBase
from gpuarray._config import config
from gpuarray._layout import Layout
from gpuarray._namespace.called_name import called_name
from gpuarray._ops import advanced_indexing, subscripts
from gpuarray._ops.sorting import argsort
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray._ufunc import methods as ufunc_methods
from gpuarray._ufunc import planning
from gpuarray.errors import HostArrayError
from gpuarray.kernels import update
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import Apply, Expression, Input, cast
from gpuarray.kernels.generator.operations import Operation

#: Importing the module gives ufuncs their method.
__all__: list[str] = []


def at(function: Any, a: Any, indices: Any, operands: Sequence[Any]) -> None:
    """``ufunc.at(a, indices, *operands)``."""
    if len(operands) == 1 and type(indices) is type(a) is type(operands[0]) is _array.array_class:
        # Of arrays whose memory is apart, by one array of indices: as it is kept below.
        (b,) = operands
        run = current.stream.plans.get((at, function, a._layout, indices._layout, b._layout))
        if run is not None and a._memory not in (indices._memory, b._memory):
            run(operands, (indices,), a)
            return
    name = f"{called_name(function.__name__)}.at"
    if function.nin > 2:
        raise ValueError(f"{name}: Only unary and binary ufuncs supported at this time")
    if function.nout != 1:
        raise ValueError(f"{name}: Only single output ufuncs supported at this time")
    if function.nin == 1 and operands:
        raise ValueError(f"{name}: second operand provided when ufunc is unary")
    if function.nin == 2 and len(operands) != 1:
        raise ValueError(f"{name}: second operand needed for ufunc")
    if isinstance(a, np.ndarray):
        raise HostArrayError(
            f"{name}: the updated array is a numpy.ndarray of shape {a.shape} in host memory; move "
            "it with gpuarray.asarray(...), or the operands with gpuarray.asnumpy(...)"
        )
    if not isinstance(a, ArrayBase):
        raise TypeError(f"{name}: first operand must be array, got {type(a).__name__}")
    array: Any = a
    _layout.check_writable(array._layout, name)
    b = _operand(operands[0], array._layout.dtype, name) if operands else None
    found = subscripts.selected(array._layout, indices)
    if not isinstance(found, advanced_indexing.Selection):
        target = _array.shifted(array, *found)
        inputs = [target] if b is None else [target, _spread(b, target._layout.shape, name)]
        function(*inputs, out=target, casting="unsafe")
        return
    if any(_array.overlap(one.array, array) for one in found.arrays):
        apart = [one._replace(array=copies.copy(one.array)) for one in found.arrays]
        found = found._replace(arrays=tuple(apart))
    base, read, arrays = advanced_indexing.spread(array, found)
    if b is not None:
        if _array.overlap(b, array):
            b = copies.copy(b)
        b = _spread(b, base._layout.shape, name)
    if not base._layout.size:
        return
    run = _plan(
        current.stream, function.row, None if b is None else b._layout, base._layout,
        array._layout, tuple(read),
    )  # fmt: skip
    run(() if b is None else (b,), arrays, base)
    given: Any = operands[0] if operands else None
    if arrays[0] is indices and isinstance(given, ArrayBase) and given._memory is b._memory:
        layouts = array._layout, indices._layout, given._layout
        if not (config.debug or any(x.foreign for x in layouts)):
            current.stream.keep_plan((at, function, *layouts), run)


def _operand(b: Any, dtype: np.dtype, name: str) -> Any:
    """The operand as an array.

    A number has its own dtype, as in NumPy, or that of the updated array, if that is no change.
    """
    b = _interchange.as_operand(b, name)
    if isinstance(b, ArrayBase):
        return b
    value = np.asarray(b)
    if value.dtype.kind in "biufc" and dtype.kind in "iufc" and dtype.kind >= value.dtype.kind:
        with np.errstate(all="ignore"):
            narrow = value.astype(dtype)
            if narrow == value:
                value = narrow
    return _interchange.scalar_array(value, _dtypes.canonical(value.dtype))


def _spread(b: Any, shape: tuple[int, ...], name: str) -> Any:
    """The operand in the shape of what is updated."""
    layout: Layout = b._layout
    if layout.ndim > len(shape) or not _broadcasting.broadcasts_to(layout.shape, shape):
        raise ValueError(
            f"{name}: array is not broadcastable to correct shape: the operand has shape "
            f"{layout.shape}, what the indices select {shape}"
        )
    return _array.view(b, _broadcasting.broadcast_to(layout, shape))


@planned
def _plan(
    stream: Stream,
    row: Operation,
    operand: Layout | None,
    indexed: Layout,
    whole: Layout,
    indices: tuple[tuple[Layout, int, int], ...],
) -> Callable[[Sequence[Any], Sequence[Any], Any], None]:
    """A call that takes the operand, if there is one, the index arrays, and the indexed array."""
    kinds: list[Any] = [indexed.dtype]
    if operand is not None:
        kinds.append(operand.dtype)
    loop = planning.loop_of(row, [*kinds, None], "unsafe", None)
    codes = [_dtypes.code(x) for x in loop]
    terms: list[Expression] = [Input(i, _dtypes.code(x)) for i, x in enumerate(kinds)]
    terms = [cast(code, x) for x, code in zip(terms, codes)]
    combined = Apply(row, tuple(terms), codes[-1])
    element = _dtypes.code(indexed.dtype)

    def made(kind: str) -> Callable[..., Any]:
        return update.launch.make_call(
            row.name, kind, combined, operand, indexed, whole, indices, stream
        )

    if update.spec.is_atomic(row.name, row.nin, element, codes[-1]):
        run = _atomically(made("atomic"))
    else:
        run = _in_order(made("locate"), made("ordered"))
    casts = zip((*kinds, loop[-1]), (*loop[:-1], indexed.dtype))
    if any(_calls.discards_imaginary(x, y) for x, y in casts):
        run = _calls.with_complex_warning(run)
    return run


def _atomically(update_all: Callable[..., Any]) -> Callable[..., None]:
    def run(operands: Sequence[Any], arrays: Sequence[Any], base: Any) -> None:
        update_all(*operands, *arrays, base)

    return run


def _in_order(locate: Callable[..., Any], update_sorted: Callable[..., Any]) -> Callable[..., None]:
    def run(operands: Sequence[Any], arrays: Sequence[Any], base: Any) -> None:
        targets = locate(*arrays)
        update_sorted(*operands, targets, argsort(targets), base)

    return run


ufunc_methods.update_at = at
