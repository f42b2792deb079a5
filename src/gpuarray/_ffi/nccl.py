"""NCCL: the table of its functions."""

from __future__ import annotations

import ctypes
from ctypes import c_char, c_int, c_size_t
from typing import Any

import numpy as np

from gpuarray.errors import LibraryNotFoundError, MixedCUDAError, NcclError

from . import locate
from .driver_library import opened
from .library_kinds import (
    Declaration,
    Dimension,
    Enum,
    Enumeration,
    Handle,
    Kind,
    Number,
    Result,
    StreamHandle,
)
from .library_pointers import HostArray, Pointer
from .library_table import Row, TableLibrary

__all__ = [
    "ENUMERATIONS", "STATUSES", "STATUS_TYPE", "UNDEFINED", "Config", "available", "library",
    "unique_id",
]  # fmt: skip

STATUS_TYPE = "ncclResult_t"
STATUSES = {
    0: "ncclSuccess",
    1: "ncclUnhandledCudaError",
    2: "ncclSystemError",
    3: "ncclInternalError",
    4: "ncclInvalidArgument",
    5: "ncclInvalidUsage",
    6: "ncclRemoteError",
    7: "ncclInProgress",
}
_REFUSALS = {
    "handle": 4,
    "memory": 1,
    "value": 4,
    "failed": 1,
    "internal": 3,
    "unsupported": 4,
    "usage": 5,
    "aborted": 6,
}
DATA_TYPES = Enumeration(
    ("ncclDataType_t",),
    {
        "ncclInt8": 0,
        "ncclUint8": 1,
        "ncclInt32": 2,
        "ncclUint32": 3,
        "ncclInt64": 4,
        "ncclUint64": 5,
        "ncclFloat16": 6,
        "ncclFloat32": 7,
        "ncclFloat64": 8,
        "ncclBfloat16": 9,
    },
)
OPERATIONS = Enumeration(
    ("ncclRedOp_t",), {"ncclSum": 0, "ncclProd": 1, "ncclMax": 2, "ncclMin": 3, "ncclAvg": 4}
)
ENUMERATIONS = (DATA_TYPES, OPERATIONS)

_ID_BYTES = 128
#: NCCL_CONFIG_UNDEF_INT: let NCCL choose.
UNDEFINED = -(1 << 31)


class _UniqueIdStruct(ctypes.Structure):
    _fields_ = [("internal", c_char * _ID_BYTES)]


class _ConfigStruct(ctypes.Structure):
    """ncclConfig_t as far as NCCL 2.18 has it; NCCL takes the size and version for what it is.

    Newer versions have more after it. The last member is only padding in 2.18.
    """

    _fields_ = [
        ("size", c_size_t),
        ("magic", ctypes.c_uint),
        ("version", ctypes.c_uint),
        ("blocking", c_int),
        ("cgaClusterSize", c_int),
        ("minCTAs", c_int),
        ("maxCTAs", c_int),
        ("netName", ctypes.c_char_p),
        ("splitShare", c_int),
        ("trafficClass", c_int),
    ]


_MAGIC = 0xCAFEBEEF
_CONFIG_VERSION = 21800


class Config:
    """A configuration of a communicator.

    Attributes
    ----------
    address : int
        Of the structure, which lives as long as the object.
    """

    def __init__(self) -> None:
        unset = [UNDEFINED] * 4
        size = ctypes.sizeof(_ConfigStruct)
        self._struct = _ConfigStruct(
            size, _MAGIC, _CONFIG_VERSION, *unset, None, UNDEFINED, UNDEFINED
        )
        self.address = ctypes.addressof(self._struct)

    @property
    def split_share(self) -> int:
        """Whether communicators that are split off share resources."""
        return self._struct.splitShare

    @split_share.setter
    def split_share(self, value: int) -> None:
        self._struct.splitShare = value


def unique_id(data: bytes) -> Any:
    """The argument for the bytes of a unique id."""
    return _UniqueIdStruct.from_buffer_copy(data)


class _UniqueId(Kind):
    """A unique id, by value."""

    def __init__(self, name: str) -> None:
        super().__init__(name, _UniqueIdStruct)

    @property
    def declaration(self) -> Declaration:
        return Declaration(("ncclUniqueId",))

    def read(self, raw: Any, call: Any) -> bytes:
        return bytes(raw)


class _NewUniqueId(Result):
    """A unique id for the host."""

    def __init__(self, name: str) -> None:
        super().__init__(name, c_char * _ID_BYTES)

    @property
    def declaration(self) -> Declaration:
        return Declaration(("ncclUniqueId",), 1)


class _Created(Pointer):
    """Where handles are stored: at once, or when a group of calls ends.

    It is no result like others, since the memory has to outlive the call.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, ("ncclComm_t",))


class _Communicator(Handle):
    """A communicator; work with it belongs to its device, whichever is current."""

    def __init__(self, *, const: bool = False) -> None:
        super().__init__("comm", "ncclComm_t")
        self.const = const

    @property
    def declaration(self) -> Declaration:
        return Declaration((self.type,), const=self.const)

    def read(self, raw: int, call: Any) -> Any:
        found = call.object(raw, self.type, anywhere=True)
        call.context = found.context
        return found


class _Status(Result):
    @property
    def declaration(self) -> Declaration:
        return Declaration((STATUS_TYPE,), 1)


_COMM = _Communicator()
_SEND, _RECV = Pointer("sendbuff", const=True), Pointer("recvbuff")
_TYPE, _OP, _ROOT = Enum("datatype", DATA_TYPES), Enum("op", OPERATIONS), Number("root", c_int)
_COUNT, _STREAM = Dimension("count", c_size_t), StreamHandle("stream")
_NEW, _CONFIG = _Created("comm"), Pointer("config", ("ncclConfig_t",))
_DEVICES, _COLOR = HostArray("devlist", "ndev", np.dtype("i4")), Number("color", c_int)
_RANKS, _RANK = Number("nranks", c_int), Number("rank", c_int)


def _work(name: str, *kinds: Kind) -> Row:
    # The emulated function itself queues its work, since it waits for other ranks.
    return Row(name, *kinds, _COMM, _STREAM, queued=False)


_ROWS = (
    Row("ncclGetVersion", Result("version")),
    Row("ncclGetUniqueId", _NewUniqueId("uniqueId")),
    Row("ncclCommInitRank", _NEW, _RANKS, _UniqueId("commId"), _RANK),
    Row("ncclCommInitRankConfig", _NEW, _RANKS, _UniqueId("commId"), _RANK, _CONFIG),
    Row("ncclCommInitAll", _NEW, Number("ndev", c_int), _DEVICES),
    Row("ncclCommDestroy", _COMM),
    Row("ncclCommAbort", _COMM),
    Row("ncclCommSplit", _COMM, _COLOR, Number("key", c_int), _Created("newcomm"), _CONFIG),
    Row("ncclCommGetAsyncError", _COMM, _Status("asyncError")),
    Row("ncclCommCount", _Communicator(const=True), Result("count")),
    Row("ncclCommCuDevice", _Communicator(const=True), Result("device")),
    Row("ncclCommUserRank", _Communicator(const=True), Result("rank")),
    Row("ncclGroupStart"),
    Row("ncclGroupEnd"),
    _work("ncclReduce", _SEND, _RECV, _COUNT, _TYPE, _OP, _ROOT),
    _work("ncclBcast", Pointer("buff"), _COUNT, _TYPE, _ROOT),
    _work("ncclBroadcast", _SEND, _RECV, _COUNT, _TYPE, _ROOT),
    _work("ncclAllReduce", _SEND, _RECV, _COUNT, _TYPE, _OP),
    _work("ncclReduceScatter", _SEND, _RECV, Dimension("recvcount", c_size_t), _TYPE, _OP),
    _work("ncclAllGather", _SEND, _RECV, Dimension("sendcount", c_size_t), _TYPE),
    _work("ncclSend", _SEND, _COUNT, _TYPE, Number("peer", c_int)),
    _work("ncclRecv", _RECV, _COUNT, _TYPE, Number("peer", c_int)),
)  # fmt: skip

library = TableLibrary(
    "NCCL",
    "nccl",
    _ROWS,
    STATUSES,
    _REFUSALS,
    NcclError,
    last_error="ncclGetLastError",
)


def available() -> bool:
    """Whether there is an NCCL to call: the emulated one, or the wheel's."""
    if opened().name == "emulator":
        return True
    try:
        locate.library("nccl")
    except (LibraryNotFoundError, MixedCUDAError):
        return False
    return True
