"""Mathematical functions: special functions, and values in place of NaN and infinities."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray import _array, _broadcasting, _dtypes, _interchange, _layout, _memory_order
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout
from gpuarray._ops.conversion import array
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray._ufunc import create_function
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import Apply, Input, Scalar
from gpuarray.kernels.generator.operations import operation

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["i0", "nan_to_num", "sinc"]

_i0, _sinc = create_function("i0"), create_function("sinc")
_nan_to_num = create_function("nan_to_num")


def i0(x: ArrayLike) -> ndarray:
    """The modified Bessel function of the first kind, order 0.

    Parameters
    ----------
    x : ndarray
        Real numbers.

    Returns
    -------
    ndarray
        Of the shape of `x`.

    Raises
    ------
    TypeError
        If `x` is complex.

    Differences from NumPy
    ----------------------
    Of an infinity it is an infinity, where NumPy has NaN.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.i0(cp.array([0.0, 1.0]))
    array([1.        , 1.26606588])
    """
    return _i0(x)


def sinc(x: ArrayLike) -> ndarray:
    """``sin(pi * x) / (pi * x)``, which is 1 at 0.

    Parameters
    ----------
    x : ndarray
        Numbers.

    Returns
    -------
    ndarray
        Of the shape of `x`.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.sinc(cp.array([0.0, 0.5]))
    array([1.        , 0.63661977])
    """
    return _sinc(x)


def nan_to_num(
    x: ArrayLike,
    copy: bool = True,
    nan: ArrayLike = 0.0,
    posinf: ArrayLike | None = None,
    neginf: ArrayLike | None = None,
) -> ndarray:
    """An array with numbers in place of NaN and of infinities.

    Parameters
    ----------
    x : ndarray
        The array.
    copy : bool, optional
        Without it, `x` itself is changed.
    nan : float or ndarray, optional
        Stands for NaN.
    posinf, neginf : float or ndarray, optional
        Stand for the infinities; by default the greatest and the least number of the dtype.

    Returns
    -------
    ndarray
        Of the dtype of `x`. In complex numbers each part is replaced.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.nan_to_num(cp.array([1.0, cp.nan, cp.inf]), posinf=9)
    array([1., 0., 9.])
    """
    source = x if isinstance(x, ArrayBase) else array(x, copy=copy)
    layout = source._layout
    if copy and layout.dtype.kind in "fc":
        # Python's numbers that the dtype holds: by a kept plan.
        plan = _plan_replacing(current.stream, layout)
        low, high = plan.limits
        numbers: list[Any] = [nan, posinf, neginf]
        numbers[1:] = [high if posinf is None else posinf, low if neginf is None else neginf]
        if all(type(x) in _PYTHON and low <= x <= high for x in numbers):
            if plan.parts is None:
                return plan.run(source, *numbers)
            result = _array.empty(plan.result)
            read, stored = [_array.view(x, y) for x, y in zip((source, result), plan.parts)]
            plan.run(read, *numbers, stored)
            return result
    if layout.dtype.kind not in "fc":
        return array(source, copy=True) if copy else source
    parts = layout.dtype if layout.dtype.kind == "f" else _part_dtype(layout.dtype)
    limits = np.finfo(parts)
    given = [nan, float(limits.max) if posinf is None else posinf,
             float(limits.min) if neginf is None else neginf]  # fmt: skip
    replacements = [_replacement(value, parts, layout) for value in given]
    result = _array.empty(_memory_order.like_order(layout.dtype, layout.shape, [layout]))
    if not copy:
        _layout.check_writable(layout, "nan_to_num")
        result = source
    read, stored = source, result
    if parts is not layout.dtype:
        read, stored = _as_parts(source, parts), _as_parts(result, parts)
    _nan_to_num(read, *replacements, out=stored)
    return result


#: The types of numbers that a kernel's argument takes as they are.
_PYTHON = frozenset([int, float, bool])


class _ReplacingPlan(NamedTuple):
    """The launch of `nan_to_num` with numbers."""

    run: Callable[..., Any]
    limits: tuple[float, float]  # the least and the greatest number of the dtype
    result: Layout
    parts: tuple[Layout, Layout] | None  # of complex numbers, in the operand and the result


@planned
def _plan_replacing(stream: Stream, layout: Layout) -> _ReplacingPlan:
    result = _memory_order.like_order(layout.dtype, layout.shape, [layout])
    read, stored, parts = layout, result, None
    if layout.dtype.kind == "c":
        dtype = _part_dtype(layout.dtype)
        parts = read, stored = _with_parts(layout, dtype), _with_parts(result, dtype)
    code = _dtypes.code(read.dtype)
    terms = (Input(0, code), Scalar(1, code), Scalar(2, code), Scalar(3, code))
    replaced = Apply(operation("nan_to_num"), terms, code)
    run = elementwise.launch.make_call(
        "nan_to_num", [replaced], [read, *[read.dtype] * 3], [stored], [parts is not None], stream
    )
    limits = np.finfo(read.dtype)
    return _ReplacingPlan(run, (float(limits.min), float(limits.max)), result, parts)


def _part_dtype(dtype: np.dtype) -> np.dtype:
    return _dtypes.canonical(np.dtype(f"f{dtype.itemsize // 2}"))


def _as_parts(x: Any, dtype: np.dtype) -> ndarray:
    """A view of complex numbers with a last axis of the two parts."""
    return _array.view(x, _with_parts(x._layout, dtype))


def _with_parts(layout: Layout, dtype: np.dtype) -> Layout:
    shape, strides = (*layout.shape, 2), (*layout.strides, dtype.itemsize)
    return _layout.layout_of(dtype, shape, strides)


def _replacement(value: Any, dtype: np.dtype, layout: Layout) -> Any:
    """What stands for NaN or an infinity, cast as NumPy casts what it stores."""
    value = _interchange.as_operand(value, "nan_to_num")
    kind = value._layout.dtype if isinstance(value, ArrayBase) else np.asarray(value).dtype
    if not np.can_cast(kind, dtype, "same_kind"):
        raise TypeError(
            f"nan_to_num: Cannot cast array data from {kind!r} to {dtype!r} according to the rule "
            "'same_kind'; pass real numbers"
        )
    if not isinstance(value, ArrayBase):
        with np.errstate(over="ignore"):
            return dtype.type(value)
    if value._layout.dtype is not dtype:
        value = copies.copy(value, "K", dtype)
    if layout.dtype.kind != "c":
        return value
    one = _broadcasting.broadcast_to(value._layout, layout.shape)
    return _array.view(value, _layout.layout_of(dtype, (*one.shape, 1), (*one.strides, 0)))
