"""Functions of linear algebra by our own kernels, for stacks of small matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _layout
from gpuarray._layout import Layout
from gpuarray._libraries.checks import refuse_capture
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.elementwise import copies

__all__ = ["on_small"]


def on_small(
    make: Callable[..., Callable[..., Any]],
    stream: Stream,
    name: str,
    dtype: np.dtype,
    raises: bool | None,
    layouts: tuple[Layout, ...],
    *options: Any,
) -> Callable[..., Any]:
    """A call of the kernels for small matrices, on operands that may have other dtypes.

    Parameters
    ----------
    make : callable
        Takes the stream, the function's name, layouts of that dtype, and the options.
    stream, name, dtype
        Where it runs, what messages name, and the dtype to compute in.
    raises : bool or None
        Whether the info is returned, for what a failure raises; None where there is no info.
    layouts : tuple of Layout
        Those of the operands.
    *options
        Further arguments of `make`.
    """
    if raises:
        refuse_capture(stream, name)
    copied = [x.dtype != dtype or x.unaligned for x in layouts]
    used = [
        _layout.contiguous(dtype, x.shape) if is_copied else x
        for x, is_copied in zip(layouts, copied)
    ]
    run = make(stream, name, *used, *options)
    if any(copied):
        converted = run

        def run(*arrays: Any) -> Any:
            given = zip(arrays, copied)
            return converted(*[copies.copy(x, "C", dtype) if copy else x for x, copy in given])

    if raises is not False:
        return run

    def without_info(*arrays: Any) -> Any:
        *results, _ = run(*arrays)
        return results[0] if len(results) == 1 else tuple(results)

    return without_info
