"""Plans of functions that raise LinAlgError where a matrix has no result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _calls, _layout
from gpuarray._layout import Layout
from gpuarray._libraries.checks import check, linalg_raises
from gpuarray._runtime.device import current
from gpuarray._runtime.stream import Stream

__all__ = ["result_of", "without_elements"]

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
