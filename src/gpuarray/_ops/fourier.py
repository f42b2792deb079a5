"""Fourier transforms: NumPy's rules for their arguments, and the plans that keep them."""

from __future__ import annotations

import operator
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _array, _dtypes, _layout, _memory_order
from gpuarray._arguments import check_axis
from gpuarray._layout import Layout
from gpuarray._libraries.transform_passes import complex_of
from gpuarray._libraries.transforms import factor_of, fourier_call
from gpuarray._namespace.called_name import called_name
from gpuarray._ops.manipulation import as_array
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import find, planned
from gpuarray._runtime.stream import Stream
from gpuarray.errors import HostArrayError
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies

__all__ = [
    "COMPLEX", "COMPLEX_INVERSE", "FROM_REAL", "FROM_REAL_INVERSE", "TO_REAL", "TO_REAL_FORWARD",
    "Kind", "along_axes", "along_axis", "check_axes_and_lengths", "check_norm", "kept_call",
    "kept_call_of_axes",
]  # fmt: skip


class Kind(NamedTuple):
    """What a transform goes from and to."""

    name: str  # as of `fourier_call`
    forward: bool
    #: Whether the operand of a transform to reals, or the result of one from reals, is conjugated.
    conjugate: bool = False


COMPLEX, COMPLEX_INVERSE = Kind("c2c", True), Kind("c2c", False)
#: Those of real arrays: the spectrum of a real array, and of one that is a spectrum.
FROM_REAL, FROM_REAL_INVERSE = Kind("r2c", True), Kind("r2c", False, True)
TO_REAL, TO_REAL_FORWARD = Kind("c2r", False), Kind("c2r", True, True)

_NORMS = (None, "backward", "ortho", "forward")
_PRECISIONS = {"f2": np.dtype("f4"), "f4": np.dtype("f4"), "c8": np.dtype("f4")}


_INT = frozenset([int])


def kept_call(
    function: Callable[..., Any], a: Any, n: Any, axis: Any, norm: Any
) -> Callable[[Any], Any] | None:
    """The call that `along_axis` has kept for such arguments, if it has one."""
    if type(a) is _array.array_class and type(axis) is int and (n is None or type(n) is int):
        try:
            return current.stream.plans.get((function, a._layout, n, axis, norm))
        except TypeError:  # a norm without a hash
            pass
    return None


def kept_call_of_axes(
    function: Callable[..., Any], a: Any, s: Any, axes: Any, norm: Any
) -> Callable[[Any], Any] | None:
    """The call that `along_axes` has kept for such arguments, if it has one."""
    if s is None and type(a) is _array.array_class:
        if axes is None or (type(axes) is tuple and _INT.issuperset(map(type, axes))):
            try:
                return current.stream.plans.get((function, a._layout, axes, norm))
            except TypeError:  # a norm without a hash
                pass
    return None


def check_norm(norm: Any) -> str | None:
    """A norm that there is."""
    try:
        known = norm in _NORMS
    except Exception:  # an object that compares as it likes
        known = False
    if not known or not (norm is None or isinstance(norm, str)):
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    return None if norm is None else str(norm)


def along_axis(
    function: Callable[..., Any],
    kind: Kind,
    a: Any,
    n: Any,
    axis: Any,
    norm: Any,
    out: Any = None,
    single: bool = False,
) -> Any:
    """The transform along one axis.

    Parameters
    ----------
    function : callable
        The public function, under which the plan is kept for the next call.
    kind : Kind
        What it is.
    a, n, axis, norm, out
        As the user gave them.
    single : bool, optional
        Whether the result for halves is single, also where it is real.
    """
    a = _operand(a, function.__name__)
    layout = a._layout
    given_n, given_axis = n, axis
    # The first fault is the one that NumPy finds first.
    if n is None:
        axis = check_axis(axis, layout.ndim)
        n = layout.shape[axis]
        if kind.name == "c2r":
            n = 2 * (n - 1)
    if kind.conjugate:
        norm = check_norm(norm)
    _check_points(n)
    norm = check_norm(norm)
    axis = check_axis(axis, layout.ndim)
    n = operator.index(n)
    _check_real(layout, function.__name__, kind)
    if out is not None:
        return _into(a, kind, (axis,), (n,), norm, out, single)
    if type(given_axis) is not int or not (given_n is None or type(given_n) is int):
        return _new_call(current.stream, layout, kind, (axis,), (n,), norm, single)(a)
    key = (function, layout, given_n, given_axis, norm)
    run = find(
        current.stream, key, _make_new_call, current.stream, layout, kind, (axis,), (n,), norm,
        single,
    )  # fmt: skip
    return run(a)


def along_axes(
    function: Callable[..., Any],
    kind: Kind,
    a: Any,
    s: Any,
    axes: Any,
    norm: Any,
    out: Any = None,
    single: bool = False,
    deprecated: bool = True,
) -> Any:
    """The transform along several axes; see `along_axis`.

    ``deprecated`` is whether the rules are NumPy's, with its warnings of what it will refuse;
    SciPy's otherwise.
    """
    a = _operand(a, function.__name__)
    layout = a._layout
    if deprecated:
        shape, found = _lengths(layout, s, axes, kind.name == "c2r", True)
    else:
        shape, found = check_axes_and_lengths(layout, s, axes, kind.name == "c2r")
    if not found:
        if kind.name != "c2c":
            raise IndexError(f"{called_name(function.__name__)}: there is no axis to transform")
        return a if out is None else _into(a, kind, (), (), None, out, single)
    _check_points(shape[-1])
    norm = check_norm(norm)
    _check_real(layout, function.__name__, kind)
    for n in shape:
        _check_points(n)
    if len({*found}) < len(found):
        return _one_after_another(kind, a, shape, found, norm, out, single)
    if out is not None:
        return _into(a, kind, found, shape, norm, out, single)
    if s is None and (axes is None or (type(axes) is tuple and _INT.issuperset(map(type, axes)))):
        key = (function, layout, axes, norm)  # as `kept_call_of_axes` looks for it
        run = find(
            current.stream, key, _make_new_call, current.stream, layout, kind, found, shape, norm,
            single,
        )  # fmt: skip
        return run(a)
    return _new_call(current.stream, layout, kind, found, shape, norm, single)(a)


def check_axes_and_lengths(
    layout: Layout, s: Any, axes: Any, to_real: bool = False
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """How many points are transformed along which axes, as SciPy has it.

    Raises
    ------
    ValueError
        If there is no such axis, an axis comes twice, or there are other lengths than axes.
    """
    lengths, found = _lengths(layout, s, axes, to_real, False)
    if len({*found}) < len(found):
        raise ValueError("all axes must be unique")
    return lengths, found


def _operand(a: Any, name: str) -> Any:
    a = as_array(a, name)
    if a._layout.dtype.kind not in "biufc" or a._layout.dtype.name == "bfloat16":
        raise TypeError(
            f"{called_name(name)}: there is no transform of {a._layout.dtype}; cast the array to "
            "float32, float64, complex64 or complex128 first"
        )
    return a


def _check_real(layout: Layout, name: str, kind: Kind) -> None:
    if kind.name == "r2c" and layout.dtype.kind == "c":
        raise TypeError(
            f"{called_name(name)}: the transform of reals does not take {layout.dtype}; use "
            "that of complex numbers, or the real part"
        )


def _check_points(n: Any) -> None:
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")


def _lengths(
    layout: Layout, s: Any, axes: Any, to_real: bool, deprecated: bool
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """How many points are transformed along which axes."""
    ndim = layout.ndim
    if axes is not None:
        try:
            axes = [operator.index(axes)]
        except TypeError:
            axes = [operator.index(axis) for axis in axes]
    if s is None:
        found = [check_axis(axis, ndim) for axis in (range(ndim) if axes is None else axes)]
        lengths = [layout.shape[axis] for axis in found]
        if to_real and lengths:
            lengths[-1] = 2 * (lengths[-1] - 1)
        return tuple(lengths), tuple(found)
    if deprecated:
        s = list(s)  # a number is for SciPy only
    else:
        try:
            s = [operator.index(s)]
        except TypeError:
            s = list(s)
    if axes is None:
        if deprecated:
            _warn(
                "`axes` should not be `None` if `s` is not `None` (Deprecated in NumPy 2.0). In a "
                "future version of NumPy, this will raise an error and `s[i]` will correspond to "
                "the size along the transformed axis specified by `axes[i]`. To retain current "
                "behaviour, pass a sequence [0, ..., k-1] to `axes` for an array of dimension k."
            )
        axes = range(-len(s), 0)
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    found = [check_axis(axis, ndim) for axis in axes]
    if None in s and deprecated:
        _warn(
            "Passing an array containing `None` values to `s` is deprecated in NumPy 2.0 and will "
            "raise an error in a future version of NumPy. To use the default behaviour of the "
            "corresponding 1-D transform, pass the value matching the default for its `n` "
            "parameter. To use the default behaviour for every axis, the `s` argument can be "
            "omitted."
        )
    lengths = []
    for i, (length, axis) in enumerate(zip(s, found, strict=True)):
        if length is None:
            length = layout.shape[axis]
            if to_real and i == len(found) - 1:
                length = 2 * (length - 1)
        else:
            length = operator.index(length)
            if length == -1:
                length = layout.shape[axis]
        lengths.append(length)
    return tuple(lengths), tuple(found)


def _warn(text: str) -> None:
    """Warn in the user's line."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("gpuarray."):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, DeprecationWarning, stacklevel=level)


def _one_after_another(
    kind: Kind,
    a: Any,
    shape: Sequence[int],
    axes: Sequence[int],
    norm: str | None,
    out: Any,
    single: bool,
) -> Any:
    """The transform where an axis comes more than once."""
    steps = [(COMPLEX if kind.forward else COMPLEX_INVERSE, n, k) for n, k in zip(shape, axes)]
    steps[-1] = (kind, shape[-1], axes[-1])
    if kind.name != "c2r":
        steps.reverse()
    for i, (one, n, axis) in enumerate(steps):
        last = out if i == len(steps) - 1 else None
        if last is not None:
            return _into(a, one, (axis,), (n,), norm, last, single)
        a = _new_call(current.stream, a._layout, one, (axis,), (n,), norm, single)(a)
    return a


def _result(
    layout: Layout, kind: Kind, axes: Sequence[int], lengths: Sequence[int], single: bool
) -> tuple[Layout, np.dtype]:
    """The layout of a transform's result as it is computed, and the dtype that it gets."""
    real = _PRECISIONS.get(_dtypes.code(layout.dtype), np.dtype(np.float64))
    dtype = real if kind.name == "c2r" else complex_of(real)
    shape = list(layout.shape)
    for axis, n in zip(axes, lengths):
        shape[axis] = n
    if kind.name == "r2c":
        shape[axes[-1]] = lengths[-1] // 2 + 1
    # Of several axes the others have made complex64 of it.
    half = kind.name == "c2r" and not single and layout.dtype == np.float16 and len(axes) == 1
    found = _memory_order.like_prototype(dtype, tuple(shape), layout)
    return found, np.dtype(np.float16) if half else dtype


def _make_new_call(
    stream: Stream,
    layout: Layout,
    kind: Kind,
    axes: tuple[int, ...],
    lengths: tuple[int, ...],
    norm: str | None,
    single: bool,
) -> Callable[[Any], Any]:
    """A call that makes a new array."""
    target, dtype = _result(layout, kind, axes, lengths, single)
    run = fourier_call(
        stream, layout, target, kind.name, axes, lengths,
        *_direction(kind), factor_of(norm, kind.forward, lengths), kind.conjugate,
    )  # fmt: skip
    if dtype == target.dtype:
        return run
    store = _cast_call(stream, target, dtype)
    return lambda a: store(run(a))


def _cast_call(stream: Stream, layout: Layout, dtype: np.dtype) -> Callable[[Any], Any]:
    """A call that casts arrays of a layout."""
    target = _memory_order.like_prototype(dtype, layout.shape, layout)
    return elementwise.launch.copy_call(layout, target, False, stream)


def _direction(kind: Kind) -> tuple[bool]:
    """Whether the exponent is positive, before anything is conjugated."""
    return (kind.name == "c2r" or (kind.name == "c2c" and not kind.forward),)


@planned
def _new_call(
    stream: Stream,
    layout: Layout,
    kind: Kind,
    axes: tuple[int, ...],
    lengths: tuple[int, ...],
    norm: str | None,
    single: bool,
) -> Callable[[Any], Any]:
    return _make_new_call(stream, layout, kind, axes, lengths, norm, single)


def _into(
    a: Any,
    kind: Kind,
    axes: tuple[int, ...],
    lengths: tuple[int, ...],
    norm: str | None,
    out: Any,
    single: bool,
) -> Any:
    """The transform into an array that the user gave."""
    name = called_name("fft")
    if not isinstance(out, _array.ArrayBase):
        if isinstance(out, np.ndarray):
            raise HostArrayError(
                f"{name}: out is a numpy.ndarray in host memory; results are stored in device "
                "arrays, such as gpuarray.empty makes"
            )
        raise TypeError(f"{name}: out must be an ndarray, got {type(out).__name__}")
    layout, given = a._layout, out._layout
    target, dtype = _result(layout, kind, axes, lengths, single) if axes else (layout, layout.dtype)
    if given.shape != target.shape:
        raise ValueError(
            f"output array has wrong shape. {name}: the result has shape {target.shape}, and out "
            f"has {given.shape}"
        )
    if not np.can_cast(dtype, given.dtype, "same_kind"):
        raise TypeError(
            f"Cannot cast ufunc '{name}' output from {dtype!r} to {given.dtype!r} with casting "
            "rule 'same_kind'"
        )
    _layout.check_writable(given, name)
    in_place = kind.name == "c2c" and layout is given and _array.same_elements(a, out)
    apart = not _array.overlap(a, out) and a._memory.device is out._memory.device
    pair = complex_of(target.dtype).itemsize
    aligned = given.dtype == target.dtype and _array.is_aligned(out, pair)
    if axes and aligned and not given.unaligned and (in_place or apart):
        _into_call(current.stream, layout, given, kind, axes, lengths, norm)(a, out)
        return out
    result = _new_call(current.stream, layout, kind, axes, lengths, norm, single)(a) if axes else a
    copies.assign(out, result)
    return out


@planned
def _into_call(
    stream: Stream,
    layout: Layout,
    target: Layout,
    kind: Kind,
    axes: tuple[int, ...],
    lengths: tuple[int, ...],
    norm: str | None,
) -> Callable[[Any, Any], Any]:
    return fourier_call(
        stream, layout, target, kind.name, axes, lengths,
        *_direction(kind), factor_of(norm, kind.forward, lengths), kind.conjugate, True,
    )  # fmt: skip
