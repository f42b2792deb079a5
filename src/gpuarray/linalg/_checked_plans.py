"""Plans of functions that raise LinAlgError where a matrix has no result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _calls, _layout
from gpuarray._layout import Layout
from gpuarray._libraries.checks import check, linalg_raises, refuse_capture
from gpuarray._runtime.device import current
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.elementwise import copies

__all__ = ["on_small", "result_of", "without_elements"]

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


def on_small(
    make: Callable[..., Callable[..., Any]],
    stream: Stream,
    name: str,
    dtype: np.dtype,
    raises: bool | None,
    layouts: tuple[Layout, ...],
    *options: Any,
) -> Callable[..., Any]:
    """A call of the kernels for small matrices, on operands that may have other dtypes.

    Parameters
    ----------
    make : callable
        Takes the stream, the function's name, layouts of that dtype, and the options.
    stream, name, dtype
        Where it runs, what messages name, and the dtype to compute in.
    raises : bool or None
        Whether the info is returned, for what a failure raises; None where there is no info.
    layouts : tuple of Layout
        Those of the operands.
    *options
        Further arguments of `make`.
    """
    if raises:
        refuse_capture(stream, name)
    copied = [x.dtype != dtype or x.unaligned for x in layouts]
    used = [
        _layout.contiguous(dtype, x.shape) if is_copied else x
        for x, is_copied in zip(layouts, copied)
    ]
    run = make(stream, name, *used, *options)
    if any(copied):
        converted = run

        def run(*arrays: Any) -> Any:
            given = zip(arrays, copied)
            return converted(*[copies.copy(x, "C", dtype) if copy else x for x, copy in given])

    if raises is not False:
        return run
    return lambda *arrays: run(*arrays)[0]


def without_elements(
    stream: Stream, inputs: str, target: Layout, raises: bool
) -> Callable[..., Any]:
    """A call whose result has no element; if it raises, with an info of nothing."""
    outputs = [target, _layout.contiguous(_INT32, (0,))] if raises else [target]
    return _calls.make_call(stream, inputs, outputs, [])
