"""What functions of linear algebra ask of their operands, with NumPy's errors."""

from __future__ import annotations

import numpy as np

from gpuarray._layout import Layout

_DOUBLE = np.dtype(np.float64)


def common_dtype(*layouts: Layout) -> np.dtype:
    """The dtype that operands are computed in: integers and bool are float64.

    Raises
    ------
    TypeError
        For what is no number, and for floats of another precision than single and double.
    """
    return np.result_type(*[_dtype(layout.dtype) for layout in layouts])


def _dtype(dtype: np.dtype) -> np.dtype:
    if dtype.char in "fdFD":
        return dtype
    if dtype.kind in "biu":
        return _DOUBLE
    raise TypeError(f"array type {dtype.name} is unsupported in linalg")


def real_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype of the real part of a number."""
    return np.empty(0, dtype).real.dtype


def check_stacked(*layouts: Layout) -> None:
    """Raise for an operand that is neither a matrix nor a stack of them."""
    for layout in layouts:
        if layout.ndim < 2:
            raise np.linalg.LinAlgError(
                f"{layout.ndim}-dimensional array given. Array must be at least two-dimensional"
            )


def check_square(*layouts: Layout) -> None:
    """Raise for an operand that is neither a square matrix nor a stack of them."""
    check_stacked(*layouts)
    for layout in layouts:
        if layout.shape[-1] != layout.shape[-2]:
            raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
