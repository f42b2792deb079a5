"""Plans of functions that raise LinAlgError where a matrix has no result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _array, _broadcasting, _calls, _layout
from gpuarray._layout import Layout
from gpuarray._libraries.checks import check, linalg_raises
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.stream import Stream

__all__ = ["of_columns", "result_of", "without_elements"]

_INT32 = np.dtype(np.int32)


def result_of(
    make: Callable[..., Callable[..., Any]], arrays: tuple[Any, ...], message: str, *options: Any
) -> Any:
    """The result of a plan.

    Parameters
    ----------
    make : callable
        Takes the stream, the arrays' layouts, the options, and whether a failure raises: the call
        then returns the result and the info, else the result.
    arrays : tuple of ndarray
        The operands.
    message : str
        What is raised for a matrix that failed.
    *options
        Static arguments.
    """
    raises = linalg_raises()
    layouts = [x._layout for x in arrays]
    run = make(current.stream, *layouts, *options, raises)
    if not raises:
        return run(*arrays)
    result, info = run(*arrays)
    check(info, message)
    return result


def without_elements(
    stream: Stream, inputs: str, target: Layout, raises: bool
) -> Callable[..., Any]:
    """A call whose result has no element; if it raises, with an info of nothing."""
    outputs = [target, _layout.contiguous(_INT32, (0,))] if raises else [target]
    return _calls.make_call(stream, inputs, outputs, [])


def of_columns(
    stream: Stream,
    name: str,
    make: Callable[[Layout], Callable[..., Any]],
    operands: tuple[Layout, ...],
    b: Layout,
    dtype: np.dtype,
    raises: bool = False,
) -> Callable[..., Any]:
    """A call for right-hand sides, which may be a vector.

    Parameters
    ----------
    stream, name
        Where it runs, and what messages name.
    make : callable
        Takes the layout of right-hand sides that are matrices' columns, and makes a call that
        takes the operands and these.
    operands : tuple of Layout
        The operands before `b`; the first has the matrices, (..., n, n).
    b : Layout
        The right-hand sides: (n,) or (..., n, k).
    dtype : dtype
        The result's.
    raises : bool, optional
        Whether the call returns the info as well.
    """
    n = operands[0].shape[-1]
    vector = b.ndim == 1
    if not b.ndim or b.shape[-1 if vector else -2] != n:
        raise ValueError(
            f"{name}: the matrices are {n} x {n}, so b must have the shape ({n},) or "
            f"(..., {n}, k); it has {b.shape}"
        )
    columns = b
    if vector:
        columns = _layout.layout_of(b.dtype, (n, 1), (*b.strides, b.itemsize), b.access)
    batch = _broadcasting.broadcast_shapes([operands[0].shape[:-2], columns.shape[:-2]])
    shape = (*batch, n) if vector else (*batch, *b.shape[-2:])
    target = _layout.contiguous(dtype, shape)
    if not target.size:
        return without_elements(stream, "a" * (len(operands) + 1), target, raises)
    run = make(columns)
    if not vector:
        return run

    def call(*arrays: Any) -> Any:
        found = run(*arrays[:-1], _array.view(arrays[-1], columns))
        if not raises:
            return _array.rearranged(found, target)
        return _array.rearranged(found[0], target), found[1]

    return call
