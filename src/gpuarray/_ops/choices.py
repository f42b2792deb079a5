"""Indexing routines: each element from one of several arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _broadcasting, _dtypes, _layout, _memory_order
from gpuarray._array import ArrayBase
from gpuarray._config import config
from gpuarray._layout import Layout
from gpuarray._ops import advanced_indexing
from gpuarray._ops.casts import store_result
from gpuarray._ops.conversion import array
from gpuarray._ops.coordinates import BOUNDED, as_int64, check_mode, int64
from gpuarray._ops.joining import stack
from gpuarray._ops.manipulation import as_array
from gpuarray._ops.stored_values import as_host_scalar
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise, gather
from gpuarray.kernels import mask as mask_kernels
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import (
    Apply,
    Constant,
    Expression,
    Input,
    Scalar,
    cast,
)
from gpuarray.kernels.generator.operations import operation

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["choose", "piecewise", "select"]

#: Operands of one kernel: more are chosen among by several, or gathered.
_MOST = 24

_PYTHON = (bool, int, float, complex)
_NUMBERS = (int, float, complex, np.generic)
_BOOL = np.dtype(bool)


def choose(
    a: ArrayLike,
    choices: Sequence[ArrayLike] | ndarray,
    out: ndarray | None = None,
    mode: str = "raise",
) -> ndarray:
    """Each element from the array that an index names.

    Parameters
    ----------
    a : array_like of int
        For each element the number of the array that it is taken from.
    choices : sequence of array_like, or ndarray
        The arrays, which broadcast with `a`; those of an array lie along its first axis.
    out : ndarray, optional
        Where results are stored.
    mode : {'raise', 'wrap', 'clip'}, optional
        What becomes of numbers out of bounds.

    Returns
    -------
    ndarray
        Of the dtype that the choices promote to. One launch for up to 24 choices, and for those
        in one array.

    Raises
    ------
    ValueError
        With ``mode='raise'``, if a number of the host is out of bounds.

    Differences from NumPy
    ----------------------
    Numbers in device memory that are out of bounds wrap around on a GPU with ``mode='raise'``; they
    raise on the emulator and with ``GPUARRAY_DEBUG=1``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.choose(cp.array([1, 0, 1]), [cp.arange(3), -cp.arange(3)])
    array([ 0,  1, -2])
    """
    key: Any = None
    if isinstance(a, ArrayBase) and isinstance(choices, list | tuple) and type(mode) is str:
        kinds = [x._layout if isinstance(x, ArrayBase) else type(x) for x in choices]
        key = (choose, a._layout, mode, *kinds)
        run: Any = current.stream.plans.get(key)
        if run is not None:
            return store_result(run(a, *choices), out, "choose", "unsafe")
    given: Any = choices
    mode = check_mode(mode)
    if isinstance(choices, ArrayBase):
        if not choices._layout.ndim:
            raise TypeError("choose: choices must be a sequence or an array with dimensions")
        count = choices._layout.shape[0]
    else:
        choices = [x if isinstance(x, _NUMBERS) else as_array(x, "choose") for x in choices]
        count = len(choices)
    if not count:
        raise ValueError("choose: 0-length sequence of choices")
    numbers = _numbers(a, count, mode)
    if mode == "raise":
        mode = "check"
    if isinstance(choices, ArrayBase):
        result = _choose_in(choices, numbers, mode)
    elif count > _MOST:
        dtype = _promoted(choices)
        shape = _broadcasting.broadcast_shapes([np.shape(x) for x in choices])  # type: ignore[arg-type]
        parts = [_spread(array(x, dtype, copy=None), shape) for x in choices]
        result = _choose_in(stack(parts), numbers, mode)
    else:
        kinds = [x._layout if isinstance(x, ArrayBase) else type(x) for x in choices]
        dtype = _promoted(choices)
        run = _choose_call(current.stream, mode, dtype, numbers._layout, *kinds)
        result = run(numbers, *_passed(choices, dtype, "choose"))
        if key is not None and numbers is a and _are_kept(choices, given) and not config.debug:
            current.stream.keep_plan(key, run)
    if isinstance(out, ArrayBase) and out._layout.shape != result._layout.shape:
        raise TypeError(
            f"choose: invalid shape {out._layout.shape} for output array, the result has "
            f"{result._layout.shape}"
        )
    return store_result(result, out, "choose", "unsafe")


def _are_kept(operands: Sequence[Any], given: Sequence[Any]) -> bool:
    """Whether a plan for operands is found by their layouts and types, as they were given."""
    return all(
        x is one and (isinstance(x, ArrayBase) or type(x) in _PYTHON)
        for x, one in zip(operands, given, strict=True)
    )


def _invalid_entries(run: Callable[..., Any]) -> Callable[..., Any]:
    """A call whose kernel raises IndexError, with NumPy's error of `choose`."""

    def call(*args: Any) -> Any:
        try:
            return run(*args)
        except IndexError as error:
            raise ValueError(f"choose: {error}: invalid entry in choice array") from None

    return call


def _passed(operands: Sequence[Any], dtype: np.dtype, name: str) -> list[Any]:
    """Operands of a kernel: numbers as Python's that the dtype holds."""
    return [x if isinstance(x, ArrayBase) else as_host_scalar(x, dtype, name) for x in operands]


def _spread(x: Any, shape: tuple[int, ...]) -> Any:
    return _array.view(x, _broadcasting.broadcast_to(x._layout, shape))


def _promoted(operands: Sequence[Any]) -> np.dtype:
    kinds = [x if type(x) in _PYTHON else x.dtype for x in operands]
    return _dtypes.canonical(np.result_type(*kinds))


def _numbers(a: Any, count: int, mode: str) -> ndarray:
    """The numbers of choices, in device memory."""
    if not isinstance(a, ArrayBase) and not hasattr(a, "__cuda_array_interface__"):
        host = np.asarray(a)
        if host.dtype.kind in "biu" and mode == "raise" and host.size:
            wrong = host[(host < 0) | (host >= count)]
            if wrong.size:
                raise ValueError(
                    f"choose: invalid entry in choice array: {wrong.flat[0]}, of {count} choices"
                )
        a = array(host)
    found = as_array(a, "choose")
    layout = found._layout
    if layout.dtype.kind not in "biu" or layout.dtype == np.uint64:
        raise TypeError(
            f"choose: Cannot cast array data from {layout.dtype!r} to {np.dtype(np.int64)!r} "
            "according to the rule 'safe'; the first argument has the numbers of choices"
        )
    if config.debug and mode == "raise":
        try:
            advanced_indexing.check_bounds(found, count, 0, counted=False)
        except IndexError as error:
            raise ValueError(f"choose: {error}: invalid entry in choice array") from None
    return found


def _choose_in(choices: Any, numbers: Any, mode: str) -> ndarray:
    """Elements of the parts of an array along its first axis: a gather."""
    layout, given = choices._layout, numbers._layout
    if given.dtype.kind == "b":
        numbers = copies.copy(numbers, dtype=np.dtype(np.int8))
        given = numbers._layout
    shape = _broadcasting.broadcast_shapes([layout.shape[1:], given.shape])
    part = _layout.layout_of(layout.dtype, layout.shape[1:], layout.strides[1:])
    target = _layout.contiguous(layout.dtype, shape)
    if not target.size:
        return _array.empty(target)
    base = _broadcasting.broadcast_to(part, shape)
    index = (_broadcasting.broadcast_to(given, shape), layout.shape[0], layout.strides[0])
    run = gather.launch.transfer(target, base, layout, [index], False, new=True, mode=mode)
    return _invalid_entries(run)(choices, numbers)


@planned
def _choose_call(
    stream: Stream, mode: str, dtype: np.dtype, numbers: Layout, *choices: Layout | type
) -> Callable[..., Any]:
    count = len(choices)
    layouts = [numbers, *[x for x in choices if isinstance(x, Layout)]]
    target = _layout.contiguous(dtype, _broadcasting.broadcast_shapes([x.shape for x in layouts]))
    number = int64(BOUNDED[mode], as_int64(0, numbers), Constant(count, "i8"))
    inputs: list[Any] = [numbers]
    terms = [_term(x, dtype, inputs) for x in choices]
    value = terms[-1]
    for i in range(count - 2, -1, -1):
        chosen = Apply(operation("equal"), (number, Constant(i, "i8")), "b1")
        value = Apply(operation("where"), (chosen, terms[i], value), _dtypes.code(dtype))
    if count == 1:
        always = Apply(operation("equal"), (number, Constant(0, "i8")), "b1")
        value = Apply(operation("where"), (always, value, value), _dtypes.code(dtype))
    run = elementwise.launch.make_call("choose", [value], inputs, [target], [False], stream)
    return _invalid_entries(run) if mode == "check" else run


def _term(kind: Any, dtype: np.dtype, inputs: list[Any]) -> Expression:
    """An operand of a choice, in memory or a number, in the dtype of the result."""
    i, code = len(inputs), _dtypes.code(dtype)
    if isinstance(kind, Layout):
        inputs.append(kind)
        own = _dtypes.code(kind.dtype)
        return cast(code, Input(i, own))
    inputs.append(dtype)
    return Scalar(i, code)


def select(
    condlist: Sequence[ArrayLike], choicelist: Sequence[ArrayLike], default: ArrayLike = 0
) -> ndarray:
    """Each element from the array whose condition is the first that is true.

    Parameters
    ----------
    condlist : sequence of ndarray of bool
        The conditions.
    choicelist : sequence of array_like
        For each condition what is taken; all of them broadcast.
    default : array_like, optional
        What is taken where no condition is true.

    Returns
    -------
    ndarray
        Of the dtype that the choices and the default promote to. One launch for up to 12
        conditions, and one more for each 11 further.

    Raises
    ------
    ValueError
        If the lists differ in length or are empty.
    TypeError
        If a condition is not of bool.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(6)
    >>> cp.select([x < 3, x > 3], [-x, x**2], 42)
    array([ 0, -1, -2, 42, 16, 25])
    """
    operands = [*condlist, *choicelist, default]
    kinds = [x._layout if isinstance(x, ArrayBase) else type(x) for x in operands]
    key = (select, len(condlist), *kinds)
    run: Any = current.stream.plans.get(key)
    if run is not None:
        return run(*operands)
    if len(condlist) != len(choicelist):
        raise ValueError(
            f"select: {len(condlist)} conditions and {len(choicelist)} choices; give one each"
        )
    if not condlist:
        raise ValueError("select: condlist is empty; give at least one condition")
    conditions = [as_array(x, "select") for x in condlist]
    for i, condition in enumerate(conditions):
        if condition._layout.dtype != bool:
            raise TypeError(
                f"select: condlist[{i}] is of {condition._layout.dtype}; give an array of bool"
            )
    given = (*choicelist, default)
    choices = [x if isinstance(x, _NUMBERS) else as_array(x, "select") for x in given]
    dtype = _promoted(choices)
    result, run = _select(conditions, _passed(choices, dtype, "select"), dtype)
    if run is not None and _are_kept([*conditions, *choices], operands):
        current.stream.keep_plan(key, run)
    return result


def _select(conditions: list[Any], choices: list[Any], dtype: np.dtype) -> tuple[ndarray, Any]:
    """The choices by the first condition that is true, and the call where there was one alone.

    The last choice is the default.
    """
    most = _MOST // 2
    rest = choices[-1]
    arrays = [x for x in (*conditions, *choices) if isinstance(x, ArrayBase)]
    shape = _broadcasting.broadcast_shapes([x._layout.shape for x in arrays])
    last = len(conditions)
    while last > 0:
        first = max(0, last - (most if rest is choices[-1] else most - 1))
        kinds = [
            x._layout if isinstance(x, ArrayBase) else type(x)
            for x in (*conditions[first:last], *choices[first:last], rest)
        ]
        run = _select_call(current.stream, dtype, shape, last - first, *kinds)
        rest = run(*conditions[first:last], *choices[first:last], rest)
        alone, last = last - first == len(conditions), first
    return rest, run if alone else None


@planned
def _select_call(
    stream: Stream, dtype: np.dtype, shape: tuple[int, ...], count: int, *operands: Layout | type
) -> Callable[..., Any]:
    inputs: list[Any] = []
    conditions = [_term(x, _BOOL, inputs) for x in operands[:count]]
    *terms, value = [_term(x, dtype, inputs) for x in operands[count:]]
    for condition, term in zip(conditions[::-1], terms[::-1], strict=True):
        value = Apply(operation("where"), (condition, term, value), _dtypes.code(dtype))
    target = _layout.contiguous(dtype, shape)
    return elementwise.launch.make_call("select", [value], inputs, [target], [False], stream)


def piecewise(
    x: ArrayLike,
    condlist: Sequence[ArrayLike] | ArrayLike,
    funclist: Sequence[Any],
    *args: Any,
    **kw: Any,
) -> ndarray:
    """A function that is defined piece by piece.

    Parameters
    ----------
    x : array_like
        Where the function is computed.
    condlist : sequence of array_like of bool
        Which elements belong to each piece.
    funclist : sequence of callable or number
        For each piece a function of its elements, or a number; one more is for elements that belong
        to none (0 by default).
    *args, **kw
        Further arguments of the functions.

    Returns
    -------
    ndarray
        Like `x`. Where conditions overlap, the last one counts. Numbers alone take one launch;
        a function's piece waits for the device, since how many elements it gets depends on the
        values, and takes three beside the function's own.

    Raises
    ------
    ValueError
        If there is not one function a condition, or one more.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.array([-2.5, -1.0, 0.5, 2.0])
    >>> cp.piecewise(x, [x < 0, x >= 0], [lambda x: -x, lambda x: x + 1])
    array([2.5, 1. , 1.5, 3. ])
    """
    x = as_array(x, "piecewise")
    layout = x._layout
    conditions = _conditions(condlist, layout)
    count = len(conditions)
    functions = list(funclist)
    if len(functions) == count + 1:
        otherwise = functions.pop()
    elif len(functions) == count:
        otherwise = 0
    else:
        raise ValueError(
            f"piecewise: {len(functions)} functions for {count} conditions; give one each "
            "or one more"
        )
    if not any(callable(one) for one in (*functions, otherwise)):
        values = [as_host_scalar(one, layout.dtype, "piecewise") for one in functions[::-1]]
        values.append(as_host_scalar(otherwise, layout.dtype, "piecewise"))
        return _numbers_of_pieces(layout, conditions[::-1], values)
    if callable(otherwise):
        none = _none_of(layout, conditions)
        conditions, functions = [*conditions, none], [*functions, otherwise]
        otherwise = 0
    first = as_host_scalar(otherwise, layout.dtype, "piecewise")
    y = _numbers_of_pieces(layout, [], [first])
    for condition, function in zip(conditions, functions, strict=True):
        if callable(function):
            _store_piece(y, x, condition, functools.partial(_applied, function, args, kw))
        else:
            y[condition] = function
    return y


def _applied(function: Callable[..., Any], args: Any, kw: Any, part: Any) -> Any:
    return function(part, *args, **kw)


def _conditions(condlist: Any, layout: Layout) -> list[Any]:
    """The conditions of `piecewise` as masks of the array's shape."""
    given: list[Any]
    if isinstance(condlist, _array.array_class | np.ndarray):
        several = condlist.ndim > 1 or (condlist.ndim == 1 and not layout.ndim)
        given = [condlist[i] for i in range(len(condlist))] if several else [condlist]
    elif np.isscalar(condlist):
        given = [condlist]
    elif not isinstance(condlist, list | tuple):
        raise TypeError(
            f"piecewise: condlist is a list of masks or an array, got {type(condlist).__name__}"
        )
    else:
        nested = bool(condlist) and isinstance(condlist[0], ArrayBase | np.ndarray | list | tuple)
        given = list(condlist) if nested or not layout.ndim else [condlist]
    conditions = []
    for one in given:
        mask = one if isinstance(one, ArrayBase) else array(np.asarray(one, bool))
        if mask._layout.dtype != bool:
            mask = copies.copy(mask, dtype=_BOOL)
        if mask._layout.shape != layout.shape:
            advanced_indexing.check_mask(mask._layout.shape, layout)
        conditions.append(mask)
    return conditions


def _numbers_of_pieces(layout: Layout, conditions: list[Any], values: list[Any]) -> ndarray:
    """An array like another with a number for the first condition that is true."""
    target = _memory_order.like_prototype(layout.dtype, layout.shape, layout)
    masks = [_behind(mask._layout, layout.ndim) for mask in conditions]
    run = _pieces_call(current.stream, target, *masks)
    return run(*conditions, *values)


def _behind(mask: Layout, ndim: int) -> Layout:
    """A mask of the first axes as one that broadcasts along the others."""
    more = ndim - mask.ndim
    return _layout.layout_of(mask.dtype, mask.shape + (1,) * more, mask.strides + (0,) * more)


@planned
def _pieces_call(stream: Stream, target: Layout, *masks: Layout) -> Callable[..., Any]:
    inputs: list[Any] = []
    conditions = [_term(x, _BOOL, inputs) for x in masks]
    *terms, value = [_term(float, target.dtype, inputs) for _ in range(len(masks) + 1)]
    for condition, term in zip(conditions[::-1], terms[::-1], strict=True):
        value = Apply(operation("where"), (condition, term, value), _dtypes.code(target.dtype))
    return elementwise.launch.make_call("piecewise", [value], inputs, [target], [False], stream)


def _none_of(layout: Layout, conditions: list[Any]) -> Any:
    """A mask of the elements for which no condition is true."""
    masks = [_behind(mask._layout, layout.ndim) for mask in conditions]
    return _none_call(current.stream, layout.shape, *masks)(*conditions)


@planned
def _none_call(stream: Stream, shape: tuple[int, ...], *masks: Layout) -> Callable[..., Any]:
    inputs: list[Any] = []
    value: Expression = Constant(True, "b1")
    for mask in masks:
        no = Apply(operation("logical_not"), (_term(mask, _BOOL, inputs),), "b1")
        value = Apply(operation("logical_and"), (value, no), "b1")
    target = _layout.contiguous(_BOOL, shape)
    return elementwise.launch.make_call("piecewise", [value], inputs, [target], [False], stream)


def _store_piece(y: Any, x: Any, condition: Any, function: Callable[[Any], Any]) -> None:
    """Store a function of the elements for which a condition is true; it is counted once."""
    if condition._layout.shape != x._layout.shape or not x._layout.ndim:
        part = x[condition]
        if part.size:
            y[condition] = function(part)
        return
    counted = mask_kernels.launch.count(condition, keep=True)
    if not counted.total:
        return
    values = function(mask_kernels.launch.compress_counted(x, counted))
    if not isinstance(values, ArrayBase) or values._layout.ndim > 1:
        y[condition] = values
        return
    if values._layout.dtype is not y._layout.dtype:
        values = copies.copy(values, "K", y._layout.dtype)
    mask_kernels.launch.place_counted(y, counted, values)
