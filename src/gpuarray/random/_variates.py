"""Draws of variates from distributions with parameters that are numbers or arrays.

NumPy's own methods check the parameters: asked for no variates, they raise what they have to raise.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout
from gpuarray._ops.conversion import asarray
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.stored_values import as_values
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import distribution
from gpuarray.kernels.elementwise import copies
from gpuarray.random._parameters import (
    GENERATOR_CHECKS,
    LEGACY_CHECKS,
    are_numbers,
    checks_device_arrays,
    fitted_shape,
    host_values,
)

#: Parameters that every other one of a distribution goes with. They stand for arrays on the device
#: while the numbers beside them are checked.
_VALID: dict[str, tuple[float, ...]] = {
    "binomial": (1, 0.5),
    "geometric": (0.5,),
    "hypergeometric": (4 * 10**8, 4 * 10**8, 0),
    "logseries": (0.5,),
    "negative_binomial": (1, 0.5),
    "triangular": (0, 0, 1),
    "zipf": (2,),
}

#: What NumPy is asked to refuse.
_NO_NUMBERS = (str, bytes, complex, dict, set, frozenset, type)

_CASTS = {"f8": float, "i8": int}


def draw(
    source: Any,
    name: str,
    parameters: Sequence[Any],
    size: Any = None,
    dtype: np.dtype | None = None,
    out: Any = None,
    checks: Any = GENERATOR_CHECKS,
) -> Any:
    """Variates of a distribution.

    Parameters
    ----------
    source : object
        Where their bits are from: ``_places(count)`` is a key and the first of so many places, or
        None; then ``_words(count)`` is a word for each variate.
    name : str
        NumPy's name of the distribution.
    parameters : sequence of number or array_like
        Its parameters.
    size : int, tuple of int or None
        The result's shape; None for that of the parameters.
    dtype : dtype, optional
        The result's dtype, by default the distribution's.
    out : ndarray, optional
        The result, with the dtype and the shape.
    checks : np.random.Generator or np.random.RandomState
        Whose errors are raised.
    """
    row = distribution.spec.DISTRIBUTIONS[name]
    if out is None and are_numbers(parameters):
        numbers = _checked_numbers(name, checks is LEGACY_CHECKS, *parameters)
        return _of_numbers(source, name, numbers, fitted_shape(size), dtype)
    values, shape = _checked(name, parameters, row.parameters, checks)
    shape = fitted_shape(size, shape)
    dtype = _dtypes.dtype_of(row.result) if dtype is None else dtype
    return variates(source, name, values, _layout.contiguous(dtype, shape), out)


@functools.lru_cache(maxsize=1024, typed=True)
def _checked_numbers(name: str, legacy: bool, *numbers: float) -> tuple[float, ...]:
    """Parameters of the row's dtypes; numbers that were good once are good."""
    if numbers:
        getattr(LEGACY_CHECKS if legacy else GENERATOR_CHECKS, name)(*numbers, size=0)
    codes = distribution.spec.DISTRIBUTIONS[name].parameters
    return tuple([_CASTS[code](x) for x, code in zip(numbers, codes, strict=True)])


def _of_numbers(
    source: Any,
    name: str,
    numbers: tuple[float, ...],
    shape: tuple[int, ...],
    dtype: np.dtype | None,
) -> Any:
    """Variates for checked numbers as parameters: in a few steps, since these are most calls."""
    if dtype is None:
        dtype = _dtypes.dtype_of(distribution.spec.DISTRIBUTIONS[name].result)
    count = math.prod(shape)
    if not count:
        return _array.empty(_layout.contiguous(dtype, shape))
    places = source._places(count)
    run = _numbers_call(current.stream, name, dtype, shape, places is None)
    if places is not None:
        return run(*places, *numbers)
    words = source._words(count)
    if len(shape) != 1:
        words = _array.view(words, _layout.contiguous(words._layout.dtype, shape))
    return run(words, *numbers)


@planned
def _numbers_call(
    stream: Stream, name: str, dtype: np.dtype, shape: tuple[int, ...], has_words: bool
) -> Callable[..., Any]:
    """The call of `_of_numbers`: see `variates_call`."""
    layouts = tuple([_dtypes.dtype_of(x) for x in distribution.spec.DISTRIBUTIONS[name].parameters])
    words = _layout.contiguous(np.dtype(np.uint64), shape) if has_words else None
    target = _layout.contiguous(dtype, shape)
    return distribution.launch.variates_call(stream, name, layouts, target, False, words)


def variates(source: Any, name: str, values: Sequence[Any], target: Layout, out: Any) -> Any:
    """Variates for parameters that are checked: arrays, and numbers of the row's dtypes."""
    if not target.size:
        return _array.empty(target) if out is None else out
    row = distribution.spec.DISTRIBUTIONS[name]
    if out is not None:
        # A kernel would read elements that it has stored others to.
        values = [
            copies.copy(x) if isinstance(x, ArrayBase) and _array.overlap(x, out) else x
            for x in values
        ]
    layouts = tuple(
        [
            x._layout if isinstance(x, ArrayBase) else _dtypes.dtype_of(code)
            for x, code in zip(values, row.parameters, strict=True)
        ]
    )
    places = source._places(target.size)
    given = out is not None
    results = (out,) if given else ()
    if places is not None:
        run = distribution.launch.variates_call(current.stream, name, layouts, target, given, None)
        return run(*places, *values, *results)
    words = source._words(target.size)
    words = _array.view(words, _layout.contiguous(words._layout.dtype, target.shape))
    run = distribution.launch.variates_call(
        current.stream, name, layouts, target, given, words._layout
    )
    return run(words, *values, *results)


def _checked(
    name: str, parameters: Sequence[Any], codes: Sequence[str], checks: Any
) -> tuple[list[Any], tuple[int, ...]]:
    """Parameters as numbers and device arrays, and the shape that they broadcast to."""
    values: list[Any] = []
    host: list[Any] = []  # what NumPy checks
    unknown = False
    valid = _VALID.get(name, (1,) * len(codes))
    if checks is LEGACY_CHECKS and name == "hypergeometric":
        valid = (*valid[:2], 1)  # a sample has an item at least
    for x, stand_in, code in zip(parameters, valid, codes, strict=True):
        if isinstance(x, int | float | np.number | np.bool):
            values.append(x)
            host.append(x)
            continue
        if x is None or isinstance(x, _NO_NUMBERS):
            getattr(checks, name)(*host, x, *valid[len(host) + 1 :], size=0)  # raises
        known = host_values(x, code)
        given: Any = x
        x = as_values(given, name) if known is None else asarray(known)
        if x._layout.dtype.kind not in "biuf":
            raise TypeError(
                f"{name}: Cannot cast array data from {x._layout.dtype!r} to dtype('float64') "
                "according to the rule 'safe'; parameters are real numbers"
            )
        values.append(x)
        if known is None and looks_at_arrays():
            known = asnumpy(x)
        unknown = unknown or known is None
        host.append(stand_in if known is None else known)
    if not any(isinstance(x, ArrayBase) for x in values):
        if values:
            getattr(checks, name)(*host, size=0)
        return [_CASTS[code](x) for x, code in zip(values, codes, strict=True)], ()
    shape = np.broadcast_shapes(*[x._layout.shape for x in values if isinstance(x, ArrayBase)])
    if not (unknown and name == "triangular"):
        # No variates: an axis of length 0 in front of those of the parameters.
        known_shape = np.broadcast_shapes(*[np.shape(x) for x in host])
        getattr(checks, name)(*host, size=(0, *known_shape))
    return [
        x if isinstance(x, ArrayBase) else _CASTS[code](x)
        for x, code in zip(values, codes, strict=True)
    ], shape


def looks_at_arrays() -> bool:
    """Whether the elements of parameters on the device are checked; a capture has none yet."""
    return checks_device_arrays() and current.stream.ongoing_capture is None
