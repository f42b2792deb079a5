"""Arguments of reductions as NumPy takes them: axes, ``out``, ``where`` and ``keepdims``."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import (
    _arguments,
    _array,
    _broadcasting,
    _dtypes,
    _interchange,
    _layout,
    _memory_order,
)
from gpuarray._layout import Layout
from gpuarray._namespace.called_name import called_name
from gpuarray._runtime.current_stream import current
from gpuarray.errors import HostArrayError
from gpuarray.kernels import elementwise

#: What stands for an argument that was not given, as in NumPy (``None`` means something else).
NO_VALUE: Any = np._NoValue


def reduced_shape(
    shape: tuple[int, ...], axes: Sequence[int], keepdims: bool = False
) -> tuple[int, ...]:
    """A shape without its reduced axes, or with a length of 1 there."""
    if keepdims:
        return tuple([1 if i in axes else length for i, length in enumerate(shape)])
    return tuple([length for i, length in enumerate(shape) if i not in axes])


def operand(a: Any, name: str) -> Any:
    """An operand as an array; other data on the host than scalars is refused."""
    a = _interchange.as_operand(a, name)
    if not isinstance(a, _array.ArrayBase):
        value = np.asarray(a)
        a = _interchange.scalar_array(value, _dtypes.canonical(value.dtype))
    return a


def output(out: Any, name: str) -> Any:
    """The array given as ``out``, or ``None``."""
    if isinstance(out, tuple):
        if len(out) != 1:
            raise ValueError(
                f"{called_name(name)}: The 'out' tuple must have exactly one entry, got {len(out)}"
            )
        out = out[0]
    if out is None or isinstance(out, _array.ArrayBase):
        return out
    if isinstance(out, np.ndarray):
        raise HostArrayError(
            f"{called_name(name)}: "
            f"out is a numpy.ndarray of shape {out.shape}, but results are stored in "
            "device memory; pass a gpuarray array and fetch it with asnumpy"
        )
    raise TypeError(
        f"{called_name(name)}: return arrays must be of ArrayType, got {type(out).__name__}"
    )


def mask_of(where: Any, name: str) -> Any:
    """The mask of ``where=``, or ``None`` where every element takes part."""
    if where is True or where is NO_VALUE:
        return None
    where = _interchange.as_mask(where, name)
    if isinstance(where, bool):
        return None if where else _interchange.scalar_array(False, np.dtype(bool))
    return where


def check_inexact(name: str, source: np.dtype, dtype: Any, out: np.dtype | None) -> None:
    """Refuse integers as the dtype of a result that is NaN where there is nothing but NaN."""
    if _dtypes.kind(source) in "fc":
        for argument, given in (("dtype", dtype), ("out", out)):
            if given is not None and _dtypes.kind(_dtypes.canonical(given)) not in "fc":
                raise TypeError(
                    f"{called_name(name)}: "
                    f"If a is inexact, then {argument} must be inexact (got {given}); cast "
                    "the result, or pass no "
                    f"{argument}"
                )


def broadcast_mask(name: str, mask: Layout, shape: tuple[int, ...]) -> Layout:
    """The mask's layout in the shape of the operand."""
    if mask.ndim > len(shape) or _broadcasting.broadcast_shapes([mask.shape, shape]) != shape:
        raise ValueError(
            f"{called_name(name)}: "
            f"where of shape {mask.shape} cannot be broadcast to the operand's shape "
            f"{shape}"
        )
    return _broadcasting.broadcast_to(mask, shape)


def axes_of(axis: Any, ndim: int, scalars: bool = True) -> tuple[int, ...]:
    """The axes that an argument stands for.

    ``scalars`` is whether an array without dimensions has the axes 0 and -1.
    """
    if axis is not None and not isinstance(axis, tuple):
        # A bool is refused below, and a list here.
        axis = axis if isinstance(axis, bool) else operator.index(axis)
        if scalars and ndim == 0 and axis in (0, -1) and not isinstance(axis, bool):
            return ()
    return _arguments.check_axes(axis, ndim, duplicates="duplicate value in 'axis'", bools=False)


def target_of(
    name: str,
    layout: Layout,
    axes: Sequence[int],
    shape: tuple[int, ...],
    keepdims: bool,
    dtype: np.dtype,
    out: Any,
) -> Layout:
    """The layout of the result: that of ``out``, or a new one in the operand's order."""
    if out is None:
        strides = [s for i, s in enumerate(layout.strides) if keepdims or i not in axes]
        kept = _layout.layout_of(layout.dtype, shape, tuple(strides))
        return _memory_order.like_order(dtype, shape, [kept])
    target: Layout = out._layout
    _layout.check_writable(target, name)
    if target.ndim != len(shape):
        raise ValueError(
            f"output parameter for reduction operation {name} has the wrong number of dimensions: "
            f"Found {target.ndim} but expected {len(shape)}"
            + (" (must match the operand's when keepdims=True)" if keepdims else "")
        )
    if target.shape != shape:
        raise ValueError(
            f"output parameter for reduction operation {name} has shape {target.shape}, but the "
            f"result has shape {shape}"
        )
    return target


def keep_from_output(operands: list, out: Any) -> None:
    """Replace operands that the output would overwrite while they are read by copies."""
    if out is None:
        return
    for i, x in enumerate(operands):
        if _array.overlap(x, out):
            target = _array.contiguous_layout(x)
            operands[i] = elementwise.launch.copy_call(x._layout, target, False, current.stream)(x)


def read_arguments(
    name: str, arrays: Sequence[Any], axis: Any, out: Any, where: Any
) -> tuple[list[Any], bool, Any]:
    """The arguments of a reduction's call, checked.

    Returns
    -------
    operands : list of ndarray
        The arrays, and behind them the mask where there is one. None overlaps the output.
    masked : bool
        Whether there is a mask.
    out : ndarray or None
        The output that was given.
    """
    operands = [operand(a, name) for a in arrays]
    out = output(out, name)
    mask = mask_of(where, name)
    if mask is not None:
        operands.append(mask)
    if isinstance(axis, list):
        raise TypeError(
            f"{called_name(name)}: 'list' object cannot be interpreted as an integer; "
            "pass several axes as a tuple"
        )
    keep_from_output(operands, out)
    return operands, mask is not None, out


def with_warning(run: Callable, text: str) -> Callable:
    """A call that warns, in the line that called the public function."""

    def call(*args: Any) -> Any:
        warnings.warn(text, RuntimeWarning, stacklevel=5)
        return run(*args)

    return call
