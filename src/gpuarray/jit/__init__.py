"""Kernels written in Python (CuPy's ``cupyx.jit``).

A function with the decorator `rawkernel` is translated to CUDA C++ and launched with a grid and a
block. What else is here has a meaning inside of such functions.

Examples
--------
>>> import gpuarray as cp
>>> from gpuarray import jit
>>> @jit.rawkernel()
... def add(x, y, z, size):
...     i = jit.grid(1)
...     if i < size:
...         z[i] = x[i] + y[i]
>>> x = cp.arange(4)
>>> z = cp.empty_like(x)
>>> add[1, 4](x, x, z, cp.uint32(4))
>>> z[1:]
array([2, 4, 6])
"""

from __future__ import annotations

import typing as _typing

from gpuarray._jit.intrinsics import (
    activemask,
    all_sync,
    any_sync,
    atomic_add,
    atomic_and,
    atomic_cas,
    atomic_dec,
    atomic_exch,
    atomic_inc,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_sub,
    atomic_xor,
    ballot_sync,
    blockDim,
    blockIdx,
    grid,
    gridDim,
    gridsize,
    laneid,
    max,
    min,
    range,
    shared_memory,
    shfl_down_sync,
    shfl_sync,
    shfl_up_sync,
    shfl_xor_sync,
    syncthreads,
    syncwarp,
    threadfence,
    threadIdx,
    warpsize,
)
from gpuarray._jit.kernel import rawkernel
from gpuarray._namespace.missing_names import missing_name as _missing_name
from gpuarray._namespace.public_names import listing as _listing
from gpuarray._namespace.signatures import without_annotations as _without_annotations

__all__ = [
    "rawkernel",
    "activemask", "all_sync", "any_sync", "atomic_add", "atomic_and", "atomic_cas", "atomic_dec",
    "atomic_exch", "atomic_inc", "atomic_max", "atomic_min", "atomic_or", "atomic_sub",
    "atomic_xor", "ballot_sync", "blockDim", "blockIdx", "grid", "gridDim", "gridsize", "laneid",
    "max", "min", "range", "shared_memory", "shfl_down_sync", "shfl_sync", "shfl_up_sync",
    "shfl_xor_sync", "syncthreads", "syncwarp", "threadIdx", "threadfence", "warpsize",
]  # fmt: skip

_MISSING = {
    "cg": "cooperative groups",
    "cub": "CUB's block and warp collectives",
    "thrust": "Thrust's algorithms",
}

_without_annotations(globals())

if not _typing.TYPE_CHECKING:
    __dir__ = _listing(__name__)

    # A __getattr__ would have type checkers believe in any name.

    def __getattr__(name: str) -> _typing.Any:
        if name in _MISSING:
            raise AttributeError(
                f"gpuarray.jit has no {name} ({_MISSING[name]}): use jit's shuffles, atomics and "
                "shared memory, or write the kernel in C++ with gpuarray.RawKernel, which can "
                "include their headers"
            )
        raise _missing_name(__name__, name)
