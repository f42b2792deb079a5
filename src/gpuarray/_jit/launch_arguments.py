"""The arguments of a launch: which are accepted, and their types for the translator."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuarray import _arguments, _array, _dtypes, _interchange, _layout
from gpuarray._jit.values import ArrayType, LiteralType, NumberType
from gpuarray.errors import HostArrayError


def as_argument(x: Any, position: int, kernel: str) -> Any:
    """An argument of a launch as an array of this package, a number or None."""
    if x is None or isinstance(x, _array.ArrayBase):
        return x
    if isinstance(x, np.generic):
        _dtypes.canonical(x.dtype)
        return x
    for base in (bool, int, float, complex):
        if isinstance(x, base):
            return x if type(x) is base else base(x)  # type: ignore[arg-type]
    if isinstance(x, np.ndarray | list):
        raise HostArrayError(
            f"{kernel}: argument {position} is a {type(x).__name__} in host memory, which the GPU "
            "cannot read: pass gpuarray.asarray(it), or a NumPy scalar to pass a value"
        )
    if hasattr(x, "__cuda_array_interface__"):
        return _interchange.from_interface(x)
    raise TypeError(
        f"{kernel}: argument {position} has type {type(x).__qualname__}; a kernel takes arrays, "
        "NumPy scalars, Python numbers and None"
    )


def type_of(x: Any, mode: str) -> Any:
    """The type of an argument as the translator knows it."""
    if x is None:
        return LiteralType(None)
    if isinstance(x, _array.ArrayBase):
        layout = x._layout
        _layout.check_aligned(layout, "jit")
        # Lengths and strides, in bytes, each fit into 32 bits.
        narrow = not _layout.needs_int64(layout.size, [layout]) and all(
            abs(stride) <= _arguments.INT32_MAX for stride in layout.strides
        )
        return ArrayType(_dtypes.code(layout.dtype), layout.ndim, layout.c_contiguous, narrow)
    if isinstance(x, np.generic):
        return NumberType(_dtypes.code(x.dtype))
    if isinstance(x, bool):
        return NumberType("b1")
    if isinstance(x, int):
        return NumberType("i8", True)
    cuda = mode == "cuda"
    if isinstance(x, float):
        return NumberType("f4" if cuda else "f8", True)
    return NumberType("c8" if cuda else "c16", True)
