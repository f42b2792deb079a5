"""Structures as the numbers that they consist of: casts from one structure to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _broadcasting, _calls, _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray.kernels import elementwise
from gpuarray.kernels.generator.expressions import Cast, Input

if TYPE_CHECKING:
    from gpuarray._runtime.stream import Stream

#: Fields that one kernel casts.
_FIELDS = 12


def cast_call(source: Layout, target: Layout, given: bool, stream: Stream) -> Callable[..., Any]:
    """A call that stores structures as others, field by field in their order."""
    _check(source.dtype, target.dtype)
    new = None if given else _calls.make_call(stream, "", [target], [], cleared=target.size > 0)
    if not target.size:
        return (lambda x, y: y) if new is None else (lambda x: new())
    stored = list(leaves(target, target.dtype, 0))
    read = list(leaves(source, source.dtype, 0))
    if source.dtype.names is None:
        read *= len(stored)  # NumPy stores a number in all fields
    runs = []
    for first in range(0, len(stored), _FIELDS):
        outputs, inputs = stored[first : first + _FIELDS], read[first : first + _FIELDS]
        casts = []
        for i, ((x, _), (y, _)) in enumerate(zip(inputs, outputs)):
            expression: Any = Input(i, _dtypes.code(x.dtype))
            casts.append(
                expression if x.dtype == y.dtype else Cast(_dtypes.code(y.dtype), expression)
            )
        run = elementwise.launch.make_call(
            "copy",
            casts,
            [_broadcasting.broadcast_to(x, target.shape) for x, _ in inputs],
            [y for y, _ in outputs],
            [True] * len(outputs),
            stream,
        )
        runs.append((inputs, outputs, run))

    def store(x: Any, y: Any) -> Any:
        for inputs, outputs, run in runs:
            run(
                *[_array.shifted(x, layout, offset) for layout, offset in inputs],
                *[_array.shifted(y, layout, offset) for layout, offset in outputs],
            )
        return y

    return store if new is None else lambda x: store(x, new())


def _check(source: np.dtype, target: np.dtype) -> None:
    """NumPy's error for dtypes between which there is no cast."""
    np.zeros((), source).astype(target)
    if target.names is None or (source.names is None and source.kind == "V"):
        raise TypeError(
            f"structures of dtype {source} are not cast to {target} on the device; use a view or "
            "the fields"
        )


def leaves(layout: Layout, dtype: np.dtype, offset: int) -> Iterator[tuple[Layout, int]]:
    """The numbers that structures consist of: for each its layout in all of them, and its place."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        for i in range(int(np.prod(shape))):
            yield from leaves(layout, base, offset + i * base.itemsize)
    elif dtype.names is not None and dtype.fields is not None:
        for name in dtype.names:
            field = dtype.fields[name]
            yield from leaves(layout, field[0], offset + field[1])
    elif _dtypes.is_raw(dtype):
        for i in range(dtype.itemsize):
            yield field_at(layout, np.dtype(np.uint8), offset + i), offset + i
    else:
        found = _dtypes.canonical(dtype)
        yield field_at(layout, found, offset), offset


def field_at(layout: Layout, dtype: np.dtype, offset: int) -> Layout:
    """The layout of the numbers that begin ``offset`` bytes into each structure."""
    found = _layout.layout_of(dtype, layout.shape, layout.strides, layout.access)
    size = 1 if layout.unaligned else _dtypes.alignment(layout.dtype)
    for step in (offset, *layout.strides):
        size = min(size, (step & -step) or size)
    if size % dtype.itemsize:
        return _layout.unaligned(found)
    return _layout.with_access(found, found.access & ~_layout.UNALIGNED)
