"""cuFFT: the table of its functions."""

from __future__ import annotations

from ctypes import c_int

from gpuarray.errors import CuFFTError

from .library_kinds import LIBRARY_PROPERTY, Enum, Handle, New, Number, Result, StreamHandle
from .library_pointers import Pointer
from .library_table import Row, TableLibrary

__all__ = ["ENUMERATIONS", "STATUSES", "STATUS_TYPE", "library"]

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

_PLAN = Handle("plan", "cufftHandle", c_int)
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
    return Row(f"cufftExec{kinds}", _PLAN, source, target, *direction, queued=True)


_ROWS = (
    Row("cufftGetVersion", Result("version"), on_host=True),
    Row("cufftGetProperty", Enum("type", LIBRARY_PROPERTY), Result("value"), on_host=True),
    Row("cufftCreate", New("handle", "cufftHandle", c_int)),
    Row("cufftDestroy", _PLAN),
    Row("cufftSetStream", _PLAN, StreamHandle("stream")),
    Row("cufftSetAutoAllocation", _PLAN, Number("autoAllocate", c_int)),
    *[_execute(kinds) for kinds in ("C2C", "R2C", "C2R", "Z2Z", "D2Z", "Z2D")],
)

library = TableLibrary("cuFFT", "cufft", _ROWS, STATUSES, _REFUSALS, CuFFTError, emulated=False)
