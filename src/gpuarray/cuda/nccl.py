"""NCCL: collective operations of several devices, by CuPy's names.

The wheel nvidia-nccl-cu12 or nvidia-nccl-cu13 has the library. Buffers are addresses
(``array.data.ptr``), streams are handles (``stream.ptr``), and counts are numbers of elements.

The emulated devices of a process have an NCCL of their own. There a call waits until the other
ranks have made theirs, where a GPU goes on and its stream waits.

Attributes
----------
available : bool
    Whether the library was found.

Examples
--------
>>> import gpuarray as cp
>>> from gpuarray.cuda import nccl
>>> comm = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
>>> comm.size(), comm.rank_id(), comm.device_id()
(1, 0, 0)
>>> comm.destroy()
"""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._ffi import driver, nccl
from gpuarray._namespace.missing_names import missing_name
from gpuarray._namespace.public_names import listing
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime import peers
from gpuarray._runtime.current_stream import need_context
from gpuarray._runtime.device import Device
from gpuarray.errors import NcclError

__all__ = [
    "NcclCommunicator", "NcclConfig", "NcclError", "available", "check_status",
    "get_build_version", "get_unique_id", "get_version", "groupEnd", "groupStart",
    "NCCL_SUM", "NCCL_PROD", "NCCL_MAX", "NCCL_MIN", "NCCL_AVG",
    "NCCL_INT8", "NCCL_CHAR", "NCCL_UINT8", "NCCL_INT32", "NCCL_INT", "NCCL_UINT32", "NCCL_INT64",
    "NCCL_UINT64", "NCCL_FLOAT16", "NCCL_HALF", "NCCL_FLOAT32", "NCCL_FLOAT", "NCCL_FLOAT64",
    "NCCL_DOUBLE", "NCCL_BFLOAT16",
]  # fmt: skip
__dir__ = listing(__name__)

NCCL_SUM = 0
NCCL_PROD = 1
NCCL_MAX = 2
NCCL_MIN = 3
NCCL_AVG = 4

NCCL_INT8 = NCCL_CHAR = 0
NCCL_UINT8 = 1
NCCL_INT32 = NCCL_INT = 2
NCCL_UINT32 = 3
NCCL_INT64 = 4
NCCL_UINT64 = 5
NCCL_FLOAT16 = NCCL_HALF = 6
NCCL_FLOAT32 = NCCL_FLOAT = 7
NCCL_FLOAT64 = NCCL_DOUBLE = 8
NCCL_BFLOAT16 = 9

_ID_BYTES = 128

if TYPE_CHECKING:
    available: bool
else:

    def __getattr__(name):
        if name == "available":  # asked for late: to find the library takes time
            return nccl.available()
        raise missing_name(__name__, name)


class _Group(threading.local):
    """How many groups a thread is in, and what NCCL writes to when the outermost ends."""

    def __init__(self) -> None:
        self.depth = 0
        self.held: list[Any] = []


_group = _Group()


def check_status(status: int) -> None:
    """Raise the error for a status of NCCL; 0 is none.

    Parameters
    ----------
    status : int
        A status.

    Raises
    ------
    NcclError
        The status is not 0.

    Examples
    --------
    >>> from gpuarray.cuda import nccl
    >>> nccl.check_status(0)
    """
    if status:
        raise NcclError("a call of NCCL", status, nccl.library.status_name(status))


def get_version() -> int:
    """The version of NCCL, 22703 for 2.27.3.

    Returns
    -------
    int
        The version.

    Examples
    --------
    >>> from gpuarray.cuda import nccl
    >>> nccl.get_version() > 20000
    True
    """
    return nccl.library.ncclGetVersion()


def get_build_version() -> int:
    """The version of NCCL: this package is not built for one, so it is that of `get_version`.

    Returns
    -------
    int
        The version.
    """
    return get_version()


def get_unique_id() -> bytes:
    """A name for communicators that belong together: one rank makes it and sends it to the others.

    Returns
    -------
    bytes
        128 bytes.

    Examples
    --------
    >>> from gpuarray.cuda import nccl
    >>> len(nccl.get_unique_id())
    128
    """
    need_context()
    return nccl.library.ncclGetUniqueId()


def groupStart() -> None:
    """Begin a group of calls, which NCCL makes together when `groupEnd` is called.

    A thread that calls for several devices has to make the calls of all ranks in one group. So
    has a rank that sends and receives at the same time.
    """
    nccl.library.ncclGroupStart()
    _group.depth += 1


def groupEnd() -> None:
    """End a group of calls: NCCL queues its work on the calls' streams."""
    _group.depth = max(0, _group.depth - 1)
    try:
        nccl.library.ncclGroupEnd()
    finally:
        if not _group.depth:
            _group.held.clear()


class NcclConfig:
    """Options of new communicators.

    Parameters
    ----------
    split_share : int, optional
        Whether communicators that are split off share the resources of the one that is split.
    """

    def __init__(self, split_share: int = 0) -> None:
        self._config = nccl.Config()
        self._config.split_share = split_share

    def __repr__(self) -> str:
        return f"NcclConfig(split_share={self.split_share})"

    @property
    def split_share(self) -> int:
        """Whether communicators that are split off share the resources of the one that is split."""
        return self._config.split_share


class NcclCommunicator:
    """A rank: the current device among several that work together.

    Every rank makes it, in a thread or process of its own or in a group; the call waits for the
    others. For several devices of one thread `initAll` is easier.

    Parameters
    ----------
    ndev : int
        How many ranks there are.
    commId : bytes
        What `get_unique_id` returned to one rank.
    rank : int
        Which rank this is.
    config : NcclConfig, optional
        Options.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.cuda import nccl
    >>> comm = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
    >>> x, y = cp.arange(3, dtype="f4"), cp.empty(3, dtype="f4")
    >>> stream = cp.cuda.get_current_stream()
    >>> comm.allReduce(x.data.ptr, y.data.ptr, 3, nccl.NCCL_FLOAT, nccl.NCCL_SUM, stream.ptr)
    >>> y
    array([0., 1., 2.], dtype=float32)
    >>> comm.destroy()
    """

    def __init__(
        self,
        ndev: int,
        commId: bytes | Sequence[int],
        rank: int,
        config: NcclConfig | None = None,
    ) -> None:
        name = commId if isinstance(commId, bytes) else bytes([byte & 0xFF for byte in commId])
        if len(name) != _ID_BYTES:
            raise ValueError(f"NcclCommunicator: commId has {len(name)} bytes, not {_ID_BYTES}")
        need_context()
        self._handle = _handles(1)
        address = self._handle.ctypes.data
        unique = nccl.unique_id(name)
        if config is None:
            nccl.library.ncclCommInitRank(address, ndev, unique, rank)
        else:
            _hold(config)
            nccl.library.ncclCommInitRankConfig(address, ndev, unique, rank, config._config.address)

    @classmethod
    def _of(cls, handle: np.ndarray) -> NcclCommunicator:
        self = cls.__new__(cls)
        self._handle = handle
        return self

    @staticmethod
    def initAll(devices: int | Sequence[int]) -> list[NcclCommunicator]:
        """Communicators of several devices of this process.

        Parameters
        ----------
        devices : int or list of int
            How many devices, or their numbers.

        Returns
        -------
        list of NcclCommunicator
            One for each, by rank.
        """
        numbers = list(range(devices)) if isinstance(devices, int) else list(devices)
        for number in numbers:
            with Device(number):
                need_context()
        need_context()
        for owner, user in itertools.permutations(map(Device, set(numbers)), 2):
            peers.connect(owner, user)  # NCCL may read the arrays of one from the other
        handles = _handles(len(numbers))
        listed = np.array(numbers, np.int32)
        nccl.library.ncclCommInitAll(handles.ctypes.data, len(numbers), listed.ctypes.data)
        return [NcclCommunicator._of(handles[rank : rank + 1]) for rank in range(len(numbers))]

    @property
    def comm(self) -> int:
        """NCCL's handle, 0 once it is destroyed."""
        return int(self._handle[0])

    def __repr__(self) -> str:
        if not self.comm:
            return "<NcclCommunicator that is destroyed>"
        rank = f"rank {self.rank_id()} of {self.size()}"
        return f"<NcclCommunicator {rank} on device {self.device_id()}>"

    def __del__(self, ending: Any = sys.is_finalizing) -> None:
        # At the end of a process other ranks may be gone, and in a child they never were.
        if not ending() and not driver.forked() and getattr(self, "_handle", None) is not None:
            try:
                self.destroy()
            except NcclError:
                pass  # the device failed, or was reset

    def destroy(self) -> None:
        """Free the communicator, once its work is done."""
        if self.comm:
            handle, self._handle[0] = self.comm, 0
            nccl.library.ncclCommDestroy(handle)

    def abort(self) -> None:
        """Free the communicator, and give up its work that waits for other ranks."""
        if self.comm:
            handle, self._handle[0] = self.comm, 0
            nccl.library.ncclCommAbort(handle)

    def device_id(self) -> int:
        """The number of the device.

        Returns
        -------
        int
            Its number.
        """
        return nccl.library.ncclCommCuDevice(self.comm)

    def rank_id(self) -> int:
        """Which rank it is.

        Returns
        -------
        int
            The rank.
        """
        return nccl.library.ncclCommUserRank(self.comm)

    def size(self) -> int:
        """How many ranks there are.

        Returns
        -------
        int
            Ranks.
        """
        return nccl.library.ncclCommCount(self.comm)

    def check_async_error(self) -> None:
        """Raise the error of work that failed later than its call.

        Raises
        ------
        NcclError
            Work failed; abort the communicator.
        """
        check_status(nccl.library.ncclCommGetAsyncError(self.comm))

    def commSplit(
        self, color: int, key: int, config: NcclConfig | None = None
    ) -> NcclCommunicator | None:
        """Split the ranks into several sets; every rank calls it.

        Parameters
        ----------
        color : int
            Ranks of one colour belong together; -1 is for ranks that belong to none.
        key : int
            The order of the new ranks.
        config : NcclConfig, optional
            Options.

        Returns
        -------
        NcclCommunicator or None
            The rank among those of its colour; None for -1.
        """
        handle = _handles(1)
        _hold(config)
        address = None if config is None else config._config.address
        nccl.library.ncclCommSplit(self.comm, color, key, handle.ctypes.data, address)
        return None if color == -1 else NcclCommunicator._of(handle)

    def allReduce(
        self, sendbuf: int, recvbuf: int, count: int, datatype: int, op: int, stream: int
    ) -> None:
        """Combine arrays of all ranks; each gets the result.

        Parameters
        ----------
        sendbuf, recvbuf : int
            Addresses; they may be the same.
        count : int
            Elements.
        datatype : int
            One of the constants, such as ``NCCL_FLOAT``.
        op : int
            One of the constants, such as ``NCCL_SUM``.
        stream : int
            A stream's handle.
        """
        nccl.library.ncclAllReduce(sendbuf, recvbuf, count, datatype, op, self.comm, stream)

    def reduce(
        self, sendbuf: int, recvbuf: int, count: int, datatype: int, op: int, root: int, stream: int
    ) -> None:
        """Combine arrays of all ranks; one gets the result.

        Parameters
        ----------
        sendbuf, recvbuf : int
            Addresses; they may be the same.
        count : int
            Elements.
        datatype : int
            One of the constants, such as ``NCCL_FLOAT``.
        op : int
            One of the constants, such as ``NCCL_SUM``.
        root : int
            The rank that gets the result.
        stream : int
            A stream's handle.
        """
        nccl.library.ncclReduce(sendbuf, recvbuf, count, datatype, op, root, self.comm, stream)

    def broadcast(
        self, sendbuff: int, recvbuff: int, count: int, datatype: int, root: int, stream: int
    ) -> None:
        """Send an array of one rank to all.

        Parameters
        ----------
        sendbuff, recvbuff : int
            Addresses; they may be the same. Only the root's `sendbuff` is read.
        count : int
            Elements.
        datatype : int
            One of the constants, such as ``NCCL_FLOAT``.
        root : int
            The rank that sends.
        stream : int
            A stream's handle.
        """
        nccl.library.ncclBroadcast(sendbuff, recvbuff, count, datatype, root, self.comm, stream)

    def bcast(self, buff: int, count: int, datatype: int, root: int, stream: int) -> None:
        """Send an array of one rank to all, in place.

        Parameters
        ----------
        buff : int
            An address.
        count : int
            Elements.
        datatype : int
            One of the constants, such as ``NCCL_FLOAT``.
        root : int
            The rank that sends.
        stream : int
            A stream's handle.
        """
        nccl.library.ncclBcast(buff, count, datatype, root, self.comm, stream)

    def reduceScatter(
        self, sendbuf: int, recvbuf: int, recvcount: int, datatype: int, op: int, stream: int
    ) -> None:
        """Combine arrays of all ranks; each gets its part of the result.

        Parameters
        ----------
        sendbuf, recvbuf : int
            Addresses.
        recvcount : int
            Elements of a part; what is sent has as many for each rank.
        datatype : int
            One of the constants, such as ``NCCL_FLOAT``.
        op : int
            One of the constants, such as ``NCCL_SUM``.
        stream : int
            A stream's handle.
        """
        nccl.library.ncclReduceScatter(sendbuf, recvbuf, recvcount, datatype, op, self.comm, stream)

    def allGather(self, sendbuf: int, recvbuf: int, count: int, datatype: int, stream: int) -> None:
        """Send the arrays of all ranks to all, one behind the other.

        Parameters
        ----------
        sendbuf, recvbuf : int
            Addresses.
        count : int
            Elements that each rank sends.
        datatype : int
            One of the constants, such as ``NCCL_FLOAT``.
        stream : int
            A stream's handle.
        """
        nccl.library.ncclAllGather(sendbuf, recvbuf, count, datatype, self.comm, stream)

    def send(self, sendbuf: int, count: int, datatype: int, peer: int, stream: int) -> None:
        """Send an array to one rank, which has to receive it.

        Parameters
        ----------
        sendbuf : int
            An address.
        count : int
            Elements.
        datatype : int
            One of the constants, such as ``NCCL_FLOAT``.
        peer : int
            The rank that receives.
        stream : int
            A stream's handle.
        """
        nccl.library.ncclSend(sendbuf, count, datatype, peer, self.comm, stream)

    def recv(self, recvbuf: int, count: int, datatype: int, peer: int, stream: int) -> None:
        """Receive an array of one rank, which has to send it.

        Parameters
        ----------
        recvbuf : int
            An address.
        count : int
            Elements.
        datatype : int
            One of the constants, such as ``NCCL_FLOAT``.
        peer : int
            The rank that sends.
        stream : int
            A stream's handle.
        """
        nccl.library.ncclRecv(recvbuf, count, datatype, peer, self.comm, stream)


def _handles(count: int) -> np.ndarray:
    """Where NCCL stores handles: in a group when it ends."""
    handles = np.zeros(count, np.uint64)
    _hold(handles)
    return handles


def _hold(thing: Any) -> None:
    """Keep alive, until the group ends, what NCCL was given the address of."""
    if _group.depth:
        _group.held.append(thing)


without_annotations(globals())
