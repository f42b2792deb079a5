"""Element-wise choices that NumPy has no ufunc for: where and clip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from gpuarray import _broadcasting, _calls, _dtypes, _interchange, _layout, _memory_order
from gpuarray._array import ArrayBase, overlap, same_elements
from gpuarray._layout import Layout
from gpuarray._namespace.called_name import called_name
from gpuarray._ops import math
from gpuarray._ops.nonzero import nonzero
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import find
from gpuarray._ufunc.planning import checking_numbers
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import (
    Apply,
    Cast,
    Expression,
    Input,
    Scalar,
    cast,
)
from gpuarray.kernels.generator.operations import operation

if TYPE_CHECKING:
    from gpuarray._types import Operand, ndarray

__all__ = ["clip", "where"]

_PYTHON = (bool, int, float, complex)
_BOOL = np.dtype(bool)


@overload
def where(condition: Operand, /) -> tuple[ndarray, ...]: ...


@overload
def where(condition: Operand, x: Operand, y: Operand, /) -> ndarray: ...


def where(
    condition: Operand, x: Operand | None = None, y: Operand | None = None, /
) -> ndarray | tuple[ndarray, ...]:
    """Elements of one array or another, by a condition.

    Parameters
    ----------
    condition : ndarray
        True where `x` is taken. Other dtypes than bool are compared with 0.
    x, y : ndarray or scalar, optional
        What to choose from; they broadcast.

    Returns
    -------
    ndarray
        Of the dtype that `x` and `y` promote to. Without them, as `nonzero`.

    Raises
    ------
    OverflowError
        If a Python integer does not fit in that dtype.

    Differences from NumPy
    ----------------------
    NumPy wraps a Python integer that does not fit.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(4)
    >>> cp.where(x > 1, x, -1)
    array([-1, -1,  2,  3])
    """
    # The key of a plan, written here to save a call on a fast path: layouts and types alone.
    table_key: Any = (
        where,
        condition._layout if isinstance(condition, ArrayBase) else type(condition),
        x._layout if isinstance(x, ArrayBase) else type(x),
        y._layout if isinstance(y, ArrayBase) else type(y),
    )
    run = current.stream.plans.get(table_key)
    if run is not None:
        return run(condition, x, y)
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    symbol = _interchange.symbol_among((condition, x, y))
    if symbol is not None:
        return symbol.fused_choice("where", (condition, x, y))
    operands = [_interchange.as_operand(one, "where") for one in (condition, x, y)]
    found = _promoted(operands[1:])
    if any(one is not given for one, given in zip(operands, (condition, x, y), strict=True)):
        table_key = None  # the next one of this type would have to be converted as well
    return _choose("where", operands, [_BOOL, found, found], None, "unsafe", table_key)


def clip(
    a: Operand,
    min: Operand | None = None,
    max: Operand | None = None,
    out: ndarray | None = None,
    *,
    a_min: Operand | None = None,
    a_max: Operand | None = None,
    **kwargs: Any,
) -> ndarray:
    """Limit the elements of an array.

    Parameters
    ----------
    a : ndarray
        The array.
    min, max : ndarray, scalar or None, optional
        The limits; None for none.
    out : ndarray, optional
        Where results are stored.
    a_min, a_max : optional
        NumPy's first names of the limits.
    **kwargs
        ``dtype`` and ``casting`` as for a ufunc.

    Returns
    -------
    ndarray
        ``minimum(maximum(a, min), max)``.

    Raises
    ------
    ValueError
        If a limit is given by both names.

    Differences from NumPy
    ----------------------
    As the array API standard asks, the first limit may be given by position and the second by the
    name ``max``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.clip(cp.arange(6), 1, 4)
    array([1, 1, 2, 3, 4, 4])
    """
    table_key: Any = None
    if out is None and not kwargs and a_min is None and a_max is None and isinstance(a, ArrayBase):
        # As in `where`.
        table_key = (
            clip,
            a._layout,
            min._layout if isinstance(min, ArrayBase) else type(min),
            max._layout if isinstance(max, ArrayBase) else type(max),
        )
        run = current.stream.plans.get(table_key)
        if run is not None:
            return run(a, min, max)
    low = min if a_min is None else _one_of(a_min, min, "min")
    high = max if a_max is None else _one_of(a_max, max, "max")
    if isinstance(a, ArrayBase) and a._layout.dtype.kind in "iu":
        # Python integers beyond the dtype's range limit nothing, as in NumPy.
        if type(low) is int or type(high) is int:
            table_key = None
        info = np.iinfo(a._layout.dtype)
        if type(low) is int and low <= info.min:
            low = None
        if type(high) is int and high >= info.max:
            high = None
    symbol = _interchange.symbol_among((a, low, high))
    if symbol is not None and low is not None and high is not None:
        return symbol.fused_choice("clip", (a, low, high))
    if low is None:
        if high is None:
            return math.positive(a, out=out, **kwargs)
        return math.minimum(a, high, out=out, **kwargs)
    if high is None:
        return math.maximum(a, low, out=out, **kwargs)
    operands = [_interchange.as_operand(one, "clip") for one in (a, low, high)]
    if any(one is not given for one, given in zip(operands, (a, low, high), strict=True)):
        table_key = None  # the next one of this type would have to be converted as well
    dtype = kwargs.pop("dtype", None)
    casting = kwargs.pop("casting", "same_kind")
    if kwargs:
        raise TypeError(f"clip() got an unexpected keyword argument {next(iter(kwargs))!r}")
    found = _promoted(operands) if dtype is None else _dtypes.canonical(dtype)
    return _choose("clip", operands, [found] * 3, out, casting, table_key)


def _one_of(value: Operand, other: Operand | None, name: str) -> Operand:
    if other is not None:
        raise ValueError(f"clip: {name} and a_{name} are two names of one limit; pass one of them")
    return value


def _promoted(operands: Sequence[Any]) -> np.dtype:
    kinds = [one if type(one) in _PYTHON else one.dtype for one in operands]
    return _dtypes.canonical(np.result_type(*kinds))


def _choose(
    name: str,
    operands: list[Any],
    loop: Sequence[np.dtype],
    out: Any,
    casting: str,
    table_key: Any = None,
) -> Any:
    """Run an operation whose result has the dtype of its last operand's loop.

    If a key is given, the call is kept under it for operands that need no look at all.
    """
    if out is not None and not isinstance(out, ArrayBase):
        raise TypeError(f"{called_name(name)}: out must be an ndarray, got {type(out).__name__}")
    if out is not None:
        if not _dtypes.can_cast(loop[-1], out._layout.dtype, casting):
            raise TypeError(
                f"Cannot cast {name} output from {loop[-1]!r} to {out._layout.dtype!r} with "
                f"casting rule '{casting}'"
            )
        operands = [_apart(one, out) for one in operands]
    if not any(isinstance(one, ArrayBase) for one in operands):
        operands[0] = _interchange.scalar_array(operands[0], loop[0])
        table_key = None
    # A scalar's value does not matter to the plan, its type does.
    kinds = [one._layout if isinstance(one, ArrayBase) else type(one) for one in operands]
    target = None if out is None else out._layout
    stream = current.stream
    key = (_choose, name, *kinds, target, loop[-1])  # all stand for themselves
    run = stream.plans.get(key)
    if run is None:
        run = find(stream, key, _plan, name, operands, loop, out)
    if table_key is not None:
        stream.keep_plan(table_key, run)
    return run(*operands) if out is None else run(*operands, out)


def _apart(x: Any, out: Any) -> Any:
    """An operand that the output does not overwrite before it has been read."""
    if isinstance(x, ArrayBase) and overlap(x, out) and not same_elements(x, out):
        return copies.copy(x)
    return x


def _plan(name: str, operands: Sequence[Any], loop: Sequence[np.dtype], out: Any) -> Any:
    layouts = [one._layout for one in operands if isinstance(one, ArrayBase)]
    shape = _broadcasting.broadcast_shapes([one.shape for one in layouts])
    if out is not None:
        _layout.check_writable(out._layout, name)
        shape = _broadcasting.broadcast_shapes([shape, out._layout.shape])
        if out._layout.shape != shape:
            raise ValueError(
                f"{called_name(name)}: "
                f"non-broadcastable output operand with shape {out._layout.shape} doesn't "
                f"match the broadcast shape {shape}"
            )
    inputs: list[Layout | np.dtype] = []
    terms: list[Expression] = []
    for i, (one, dtype) in enumerate(zip(operands, loop, strict=True)):
        code = _dtypes.code(dtype)
        if isinstance(one, ArrayBase):
            inputs.append(one._layout)
            term: Expression = Input(i, _dtypes.code(one._layout.dtype))
        else:
            dtype = _interchange.parameter_dtype(one, dtype)
            inputs.append(dtype)
            term = Scalar(i, _dtypes.code(dtype))
        terms.append(cast(code, term))
    code = _dtypes.code(loop[-1])
    result: Expression = Apply(operation(name), tuple(terms), code)
    target = _memory_order.like_order(loop[-1], shape, layouts) if out is None else out._layout
    if target.dtype != loop[-1]:
        result = Cast(_dtypes.code(target.dtype), result)
    given, stream = out is not None, current.stream
    if not _calls.discards_imaginary(loop[-1], target.dtype):
        run = elementwise.launch.recorded_call(name, result, inputs, target, given, stream)
        return run if target.size else checking_numbers(name, run, loop)
    run = elementwise.launch.make_call(name, [result], inputs, [target], [given], stream)
    return _calls.with_complex_warning(run)
