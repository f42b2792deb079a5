"""What a failed decomposition becomes: numpy.linalg.LinAlgError, or NaN.

Functions of libraries, and kernels of our own, leave an ``info`` for each matrix on the device: an
int32 that is 0 where all went well. By default the function that was called fetches it, which waits
for the device, and raises. After ``errstate(linalg="ignore")`` nothing waits, and the results of
matrices that failed become NaN on the device.

A plan is made for one of the two, so `linalg_raises` belongs into its key::

    raises = linalg_raises()
    run = _plan(current.stream, a._layout, raises)
    if not raises:
        return run(a)
    result, info = run(a)
    check(info, "Singular matrix")
    return result

and in the plan, which `refuse_capture` begins where it raises::

    steps = Steps(stream, layout)
    if raises:
        refuse_capture(stream, "inv")
    result = steps.output(...)
    info = info_of(steps, (), raises)
    ...
    if not raises:
        fill_failed(steps, info, result)
    return steps.make()
"""

from __future__ import annotations

import math
import threading
from typing import Any, NoReturn

import numpy as np

from gpuarray import _dtypes, _layout, _transfers
from gpuarray._libraries.steps import Operand, Steps
from gpuarray._runtime.stream import Stream
from gpuarray.errors import CaptureError
from gpuarray.kernels import matrix_factors
from gpuarray.kernels.generator.expressions import Apply, Constant, Input
from gpuarray.kernels.generator.operations import operation

__all__ = [
    "check", "error_state", "fail", "fill_failed", "find_nan", "info_of", "linalg_raises",
    "refuse_capture",
]  # fmt: skip

_INT32 = np.dtype(np.int32)


class _ErrorState(threading.local):
    """What is done about errors on the device, for each thread."""

    linalg = "raise"


error_state = _ErrorState()


def linalg_raises() -> bool:
    """Whether a failed decomposition raises in this thread."""
    return error_state.linalg == "raise"


def refuse_capture(stream: Stream, name: str) -> None:
    """Raise if the stream is captured: a function that raises for its info needs a value."""
    if stream.ongoing_capture is not None:
        raise CaptureError(
            f"{name} waits for the device, to raise LinAlgError, and cannot be captured so; "
            'call it inside of gpuarray.errstate(linalg="ignore")'
        )


def info_of(steps: Steps, batch: tuple[int, ...], raises: bool) -> Operand:
    """The info of a matrix or of stacked ones: the call's next output if it is to be checked."""
    layout = _layout.contiguous(_INT32, batch)
    return steps.output(layout) if raises else steps.scratch(layout)


def check(info: Any, message: str) -> None:
    """Wait for an info, and raise if a matrix failed."""
    found = np.empty(info._layout.shape, _INT32)
    _transfers.download(info, found, None, True)
    if found.any():
        fail(message)


def fail(message: str) -> NoReturn:
    raise np.linalg.LinAlgError(message)


def find_nan(steps: Steps, matrices: Operand) -> Operand:
    """Which of gapless matrices, a stack of them, have NaN: int32, of shape (count,).

    cuSOLVER's LU factorisation may lose NaN, and return numbers.
    """
    count, *shape = matrices.layout.shape
    flags = steps.scratch(_layout.contiguous(_INT32, (count,)))
    steps.zeros(flags)
    bound = matrix_factors.launch.elements(
        "find_nan", matrices.layout, math.prod(shape), steps.stream
    )
    steps.launch(bound, {"matrices": matrices, "flags": flags})
    return flags


def fill_failed(steps: Steps, info: Operand, result: Operand) -> None:
    """Store NaN into the results of the matrices that failed.

    The leading dimensions of the result are those of the info.
    """
    if not result.layout.size:
        return
    missing = result.layout.ndim - info.layout.ndim
    shape = (*info.layout.shape, *[1] * missing)
    each = info.seen_as(_layout.contiguous(_INT32, shape))
    code = _dtypes.code(result.layout.dtype)
    nan = complex(np.nan, np.nan) if result.layout.dtype.kind == "c" else np.nan
    failed = Apply(operation("not_equal"), (Input(0, "i4"), Constant(0, "i4")), "b1")
    values = Apply(operation("where"), (failed, Constant(nan, code), Input(1, code)), code)
    steps.kernel("fill_failed", values, [each, result], result)
