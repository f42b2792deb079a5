"""Discrete cosine and sine transforms: SciPy's rules for their arguments, and their plans."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _array, _dtypes, _memory_order
from gpuarray._layout import Layout
from gpuarray._libraries.cosine_transforms import cosine_call
from gpuarray._libraries.transforms import factor_of
from gpuarray._namespace.called_name import called_name
from gpuarray._ops.fourier import check_axes_and_lengths, check_norm
from gpuarray._ops.manipulation import as_array
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import find, planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.elementwise import copies

__all__ = ["cosine_transform"]

#: The type of the inverse of each type.
_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}

_class, _INT = type, frozenset([int])


def cosine_transform(
    name: str,
    x: Any,
    type: Any,
    s: Any,
    axes: Any,
    norm: Any,
    orthogonalize: Any,
    forward: bool,
    sine: bool,
) -> Any:
    """A cosine or sine transform along axes; the arguments are those that the user gave."""
    stream = current.stream
    key = None
    if (
        x.__class__ is _array.array_class
        and type.__class__ is int
        and (s is None or s.__class__ is int)
        and (axes is None or (axes.__class__ is tuple and _INT.issuperset(map(_class, axes))))
        and (norm is None or norm.__class__ is str)
        and (orthogonalize is None or orthogonalize.__class__ is bool)
    ):
        key = (cosine_transform, name, x._layout, type, s, axes, norm, orthogonalize)
        run = stream.plans.get(key)
        if run is not None:
            return run(x)
    x = as_array(x, name)
    dtype = x._layout.dtype
    if dtype.kind not in "biufc" or dtype.name == "bfloat16":
        raise TypeError(
            f"{called_name(name)}: there is no transform of {dtype}; cast the array to float32 or "
            "float64 first"
        )
    try:
        kind = operator.index(type)
    except TypeError:
        raise TypeError(f"{called_name(name)}: type is 1, 2, 3 or 4, got {type!r}") from None
    if kind not in _INVERSE:
        raise ValueError(f"{called_name(name)}: type is 1, 2, 3 or 4, got {kind}")
    norm = check_norm(norm)
    if not forward:
        kind = _INVERSE[kind]
    lengths, found = check_axes_and_lengths(x._layout, s, axes)
    if not found:
        return x
    smallest = 2 if kind == 1 and not sine else 1
    if min(lengths) < smallest:
        raise ValueError(
            f"{called_name(name)}: invalid number of data points ({min(lengths)}) specified: a "
            f"transform of type {kind} has at least {smallest}"
        )
    orthogonal = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
    given = (sine, kind, found, lengths, norm, forward, orthogonal)
    if dtype.kind != "c":
        if dtype not in ("f4", "f8"):
            x = copies.copy(x, "K", np.dtype("f4" if dtype == "f2" else "f8"))
        elif key is not None:
            return find(stream, key, _transform_call, stream, x._layout, *given)(x)
        return _transform_call(stream, x._layout, *given)(x)
    # SciPy's transforms of complex numbers are those of their parts.
    parts = [_transform_call(stream, one._layout, *given)(one) for one in (x.real, x.imag)]
    layout = parts[0]._layout
    result = _array.empty(_memory_order.like_prototype(dtype, layout.shape, layout))
    for target, part in zip((result.real, result.imag), parts, strict=True):
        copies.assign(target, part)
    return result


@planned
def _transform_call(
    stream: Stream,
    layout: Layout,
    sine: bool,
    kind: int,
    axes: tuple[int, ...],
    lengths: tuple[int, ...],
    norm: str | None,
    forward: bool,
    orthogonal: bool,
) -> Callable[[Any], Any]:
    shape = list(layout.shape)
    for axis, n in zip(axes, lengths, strict=True):
        shape[axis] = n
    # The matrix of type 1 has the inverse that one of 2 n - 2 or 2 n + 2 points has.
    more = 0 if kind != 1 else 1 if sine else -1
    factors = tuple([factor_of(norm, forward, [2 * (n + more)]) for n in lengths])
    dtype = _dtypes.canonical(layout.dtype)
    target = _memory_order.like_prototype(dtype, tuple(shape), layout)
    if not layout.size and target.size:
        raise ValueError("an axis without elements has no cosine transform")
    return cosine_call(
        stream, layout, target, sine, kind, axes, lengths, factors, orthogonal
    )  # fmt: skip
