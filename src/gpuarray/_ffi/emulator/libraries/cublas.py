"""The emulated functions of cuBLAS."""

from __future__ import annotations

import numpy as np

from ...library_kinds import Refusal
from ..capture import refuse_unsafe
from ..copies import check_device_range
from ..statuses import Failure
from ..stream import stream_of
from .cublas_batched import *
from .decoding import LibraryCall, LibraryObject

#: 12.9.0, as 10000 * major + 100 * minor + patch.
_VERSION = 120900
_WORKSPACE_ALIGNMENT = 256
#: Device memory that a handle takes; on a GPU it is several times as much.
_HANDLE_BYTES = 1 << 20


def cublasCreate_v2(c: LibraryCall) -> LibraryObject:
    refuse_unsafe(c.machine, "creating a handle of cuBLAS")
    return LibraryObject(
        c.context,
        "cublasHandle_t",
        _HANDLE_BYTES,
        stream=0,
        pointer_mode=0,
        math_mode=0,
        workspace=None,
    )


def cublasDestroy_v2(c: LibraryCall) -> None:
    c.machine.forget(c.handle.number)


def cublasGetVersion_v2(c: LibraryCall) -> int:
    return _VERSION


def cublasGetProperty(c: LibraryCall) -> int:
    return (_VERSION // 10000, _VERSION // 100 % 100, _VERSION % 100)[c.type]


def cublasSetStream_v2(c: LibraryCall) -> None:
    stream_of(c.machine, c.streamId)  # it must be there, and in this context
    c.handle.stream, c.handle.workspace = c.streamId, None


def cublasGetStream_v2(c: LibraryCall) -> int:
    return c.handle.stream


def cublasSetWorkspace_v2(c: LibraryCall) -> None:
    if c.workspace % _WORKSPACE_ALIGNMENT:  # as the manual says; on a GPU no status does
        raise Refusal("value", f"the workspace at 0x{c.workspace:x} is not aligned to 256 bytes")
    if c.workspaceSizeInBytes:
        try:
            check_device_range(c.machine, c.workspace, c.workspaceSizeInBytes)
        except Failure as failure:
            raise Refusal("value", f"the workspace: {failure.detail}") from None
    c.handle.workspace = c.workspace, c.workspaceSizeInBytes


def cublasSetPointerMode_v2(c: LibraryCall) -> None:
    c.handle.pointer_mode = c.mode


def cublasGetPointerMode_v2(c: LibraryCall) -> int:
    return c.handle.pointer_mode


def cublasSetMathMode(c: LibraryCall) -> None:
    c.handle.math_mode = c.mode


def cublasGetMathMode(c: LibraryCall) -> int:
    return c.handle.math_mode


def cublasGemmStridedBatchedEx_64(c: LibraryCall) -> None:
    if c.handle.workspace is not None:
        address, nbytes = c.handle.workspace
        c.view("the workspace", address, np.dtype("u1"), (nbytes,), (1,), "")
    # Halves are summed in float32.
    wide = np.dtype("f4") if c.alpha.dtype == "f2" else c.alpha.dtype
    bits = FACTOR_BITS.get(c.computeType, 0)
    a, b = [rounded(x.astype(wide), bits) for x in (c.A, c.B)]
    result = c.alpha * (a @ b)
    if c.beta:
        result += c.beta * c.C
    c.C[...] = result


#: By compute type: how many of the 23 bits behind the point float32 factors keep.
FACTOR_BITS = {75: 7, 77: 10}


def rounded(x: np.ndarray, bits: int) -> np.ndarray:
    """Numbers of float32, or pairs of them, rounded to so many bits; all of them if it is 0."""
    if not bits:
        return x
    words = np.ascontiguousarray(x).view("u4")
    lost = 23 - bits
    nearest = (words + (1 << (lost - 1)) - 1 + (words >> lost & 1)) >> lost << lost
    finite = words & 0x7F800000 != 0x7F800000
    return np.where(finite, nearest, words).astype("u4").view(x.dtype).reshape(x.shape)
