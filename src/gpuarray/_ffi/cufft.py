"""cuFFT: the table of its functions."""

from __future__ import annotations

import copy
from ctypes import c_int, c_size_t
from typing import Any

import numpy as np

from gpuarray.errors import CuFFTError

from .library_kinds import (
    LIBRARY_PROPERTY,
    DataType,
    Dimension,
    Enum,
    Handle,
    New,
    Number,
    Result,
    StreamHandle,
)
from .library_pointers import HostArray, Pointer
from .library_table import Row, TableLibrary

__all__ = ["ENUMERATIONS", "FORWARD", "INVERSE", "STATUSES", "STATUS_TYPE", "library"]

STATUS_TYPE = "cufftResult"
#: Those of CUDA 12 and of 13.
STATUSES = {
    0: "CUFFT_SUCCESS",
    1: "CUFFT_INVALID_PLAN",
    2: "CUFFT_ALLOC_FAILED",
    3: "CUFFT_INVALID_TYPE",
    4: "CUFFT_INVALID_VALUE",
    5: "CUFFT_INTERNAL_ERROR",
    6: "CUFFT_EXEC_FAILED",
    7: "CUFFT_SETUP_FAILED",
    8: "CUFFT_INVALID_SIZE",
    9: "CUFFT_UNALIGNED_DATA",
    10: "CUFFT_INCOMPLETE_PARAMETER_LIST",
    11: "CUFFT_INVALID_DEVICE",
    12: "CUFFT_PARSE_ERROR",
    13: "CUFFT_NO_WORKSPACE",
    14: "CUFFT_NOT_IMPLEMENTED",
    15: "CUFFT_LICENSE_ERROR",
    16: "CUFFT_NOT_SUPPORTED",
    17: "CUFFT_MISSING_DEPENDENCY",
    18: "CUFFT_NVRTC_FAILURE",
    19: "CUFFT_NVJITLINK_FAILURE",
    20: "CUFFT_NVSHMEM_FAILURE",
}
_REFUSALS = {
    "handle": 1,
    "memory": 2,
    "value": 4,
    "failed": 6,
    "internal": 5,
    "unsupported": 16,
}
ENUMERATIONS = ()


class _PlanInUse(Handle):
    """A plan as it is when a transform is asked for: its work area may be another one later."""

    def settle(self, value: Any, call: Any) -> Any:
        return copy.copy(value)


_PLAN = Handle("plan", "cufftHandle", c_int)
_PLAN_IN_USE = _PlanInUse("plan", "cufftHandle", c_int)
_C_TYPES = {
    "C": "cufftComplex",
    "R": "cufftReal",
    "Z": "cufftDoubleComplex",
    "D": "cufftDoubleReal",
}


def _execute(kinds: str) -> Row:
    source, target = (
        Pointer("idata", (_C_TYPES[kinds[0]],)),
        Pointer("odata", (_C_TYPES[kinds[2]],)),
    )
    direction = [Number("direction", c_int)] if kinds[0] == kinds[2] else []
    return Row(f"cufftExec{kinds}", _PLAN_IN_USE, source, target, *direction, queued=True)


_LENGTHS = {
    name: HostArray(name, "rank", np.dtype(np.int64), const=False)
    for name in ("n", "inembed", "onembed")
}

_ROWS = (
    Row("cufftGetVersion", Result("version"), on_host=True),
    Row("cufftGetProperty", Enum("type", LIBRARY_PROPERTY), Result("value"), on_host=True),
    Row("cufftCreate", New("handle", "cufftHandle", c_int)),
    Row("cufftDestroy", _PLAN),
    Row("cufftSetStream", _PLAN, StreamHandle("stream")),
    Row("cufftSetAutoAllocation", _PLAN, Number("autoAllocate", c_int)),
    Row(
        "cufftXtMakePlanMany",
        _PLAN,
        Dimension("rank", c_int),
        _LENGTHS["n"],
        _LENGTHS["inembed"],
        Number("istride"),
        Number("idist"),
        DataType("inputtype"),
        _LENGTHS["onembed"],
        Number("ostride"),
        Number("odist"),
        DataType("outputtype"),
        Number("batch"),
        Result("workSize", c_size_t),
        DataType("executiontype"),
    ),
    Row("cufftSetWorkArea", _PLAN, Pointer("workArea")),
    Row(
        "cufftXtExec",
        _PLAN_IN_USE,
        Pointer("input"),
        Pointer("output"),
        Number("direction", c_int),
        queued=True,
    ),
    *[_execute(kinds) for kinds in ("C2C", "R2C", "C2R", "Z2Z", "D2Z", "Z2D")],
)

#: The sign of the exponent of a transform.
FORWARD, INVERSE = -1, 1

library = TableLibrary("cuFFT", "cufft", _ROWS, STATUSES, _REFUSALS, CuFFTError)
