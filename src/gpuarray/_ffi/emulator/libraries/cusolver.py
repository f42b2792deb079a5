"""The emulated functions of cuSOLVER."""

from __future__ import annotations

from ...library_kinds import Refusal
from ..capture import refuse_unsafe
from .cusolver_cholesky import *
from .cusolver_eigen import *
from .cusolver_lu import *
from .cusolver_qr import *
from .cusolver_sparse import *
from .cusolver_svd import *
from .decoding import LibraryCall, LibraryObject

#: 11.7.5, as 1000 * major + 100 * minor + patch.
_VERSION = 11705
#: The number of `cusolverDnXgetrf` among functions that have several algorithms.
_GETRF = 0
#: Device memory that a handle takes; on a GPU it is several times as much.
_HANDLE_BYTES = 1 << 20


def cusolverGetVersion(c: LibraryCall) -> int:
    return _VERSION


def cusolverGetProperty(c: LibraryCall) -> int:
    return (_VERSION // 1000, _VERSION // 100 % 10, _VERSION % 100)[c.type]


def cusolverDnCreate(c: LibraryCall) -> LibraryObject:
    refuse_unsafe(c.machine, "creating a handle of cuSOLVER")
    return LibraryObject(c.context, "cusolverDnHandle_t", _HANDLE_BYTES, stream=0)


def cusolverDnDestroy(c: LibraryCall) -> None:
    c.machine.forget(c.handle.number)


def cusolverDnSetStream(c: LibraryCall) -> None:
    c.handle.stream = c.streamId


def cusolverDnGetStream(c: LibraryCall) -> int:
    return c.handle.stream


def cusolverDnSetDeterministicMode(c: LibraryCall) -> None:
    c.handle.mode = c.mode


def cusolverDnCreateParams(c: LibraryCall) -> LibraryObject:
    return LibraryObject(c.context, "cusolverDnParams_t")


def cusolverDnDestroyParams(c: LibraryCall) -> None:
    c.machine.forget(c.params.number)


def cusolverDnSetAdvOptions(c: LibraryCall) -> None:
    if c.algo > (1 if c.function == _GETRF else 0):
        raise Refusal("value", f"function {c.function} has no algorithm {c.algo}")
    # Emulated, they are one.
