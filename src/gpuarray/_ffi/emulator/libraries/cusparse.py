"""The emulated functions of cuSPARSE: handles, and descriptions of matrices for cuSOLVER."""

from __future__ import annotations

from ..capture import refuse_unsafe
from .decoding import LibraryCall, LibraryObject

#: 12.5.9, as 1000 * major + 100 * minor + patch.
_VERSION = 12509
_HANDLE_BYTES = 1 << 20


def cusparseGetProperty(c: LibraryCall) -> int:
    return (_VERSION // 1000, _VERSION // 100 % 10, _VERSION % 100)[c.type]


def cusparseGetVersion(c: LibraryCall) -> int:
    return _VERSION


def cusparseCreate(c: LibraryCall) -> LibraryObject:
    refuse_unsafe(c.machine, "creating a handle of cuSPARSE")
    return LibraryObject(c.context, "cusparseHandle_t", _HANDLE_BYTES, stream=0, pointer_mode=0)


def cusparseDestroy(c: LibraryCall) -> None:
    c.machine.forget(c.handle.number)


def cusparseSetStream(c: LibraryCall) -> None:
    c.handle.stream = c.streamId


def cusparseGetStream(c: LibraryCall) -> int:
    return c.handle.stream


def cusparseSetPointerMode(c: LibraryCall) -> None:
    c.handle.pointer_mode = c.mode


def cusparseGetPointerMode(c: LibraryCall) -> int:
    return c.handle.pointer_mode


def cusparseCreateMatDescr(c: LibraryCall) -> LibraryObject:
    return LibraryObject(c.context, "cusparseMatDescr_t")


def cusparseDestroyMatDescr(c: LibraryCall) -> None:
    c.machine.forget(c.descrA.number)
