"""Dense arrays that sparse ones are stored in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._ops.creation import zeros
from gpuarray.errors import HostArrayError

if TYPE_CHECKING:
    from gpuarray.scipy.sparse._base import SparseBase

__all__ = ["dense_result"]


def dense_result(a: SparseBase, order: str | None, out: Any) -> tuple[Any, Any]:
    """Zeros to store a sparse array in, and the same memory with two dimensions if it has fewer."""
    if out is None:
        result: Any = zeros(a.shape, a.dtype, order or "C")
    else:
        if order is not None:
            raise ValueError("order cannot be specified if out is not None")
        if isinstance(out, np.ndarray):
            raise HostArrayError(
                f"toarray: out is a NumPy array of shape {out.shape} in host memory; it has to be "
                "on the device, or use get().toarray(out=out)"
            )
        layout = getattr(out, "_layout", None)
        if layout is None or layout.shape != a.shape or layout.dtype != a.dtype:
            raise ValueError("out array must be same dtype and shape as sparse array")
        if len(layout.shape) > 2 and not (layout.c_contiguous or layout.f_contiguous):
            raise ValueError("Output array must be C or F contiguous")
        result = out
        result[...] = 0
    if result.ndim == 2:
        return result, result
    if result.ndim > 2:
        return result, None
    layout = result._layout
    row = _layout.layout_of(layout.dtype, (1, *layout.shape), (layout.nbytes, *layout.strides))
    return result, _array.view(result, row)
