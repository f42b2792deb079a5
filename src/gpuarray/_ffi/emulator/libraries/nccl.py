"""The emulated functions of NCCL, for the emulated devices of one process.

Work of a rank is a `Call`. Outside of a group it is posted when the function is called, inside of
one when the group ends; then the thread waits until every rank that takes part has posted its call.
A GPU would wait in the stream, and the function return at once. The emulator has done the work of a
stream when it is asked for more, so waiting here keeps the streams' order.
"""

from __future__ import annotations

import ctypes
import secrets
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...library_kinds import Refusal
from ..capture import refuse_implicit
from ..faults import DeviceFault
from ..machine import EmulatedContext, Machine
from ..statuses import CAPTURE_UNSUPPORTED, INVALID_HANDLE, Failure
from ..stream import EmulatedStream, any_stream
from .decoding import LibraryCall, LibraryObject

#: 2.27.3, as 10000 * major + 100 * minor + patch.
_VERSION = 22703
_ID_BYTES = 128
#: How long a rank waits for the others, whose kernels may have to be compiled first. A GPU waits
#: for ever.
PATIENCE_SECONDS = 60.0
_NO_COLOUR = -1

#: ncclDataType_t
_DTYPES = [np.dtype(code) for code in ["i1", "u1", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]]
_BFLOAT16 = len(_DTYPES)
_DTYPES.append(np.dtype("u2"))
#: ncclRedOp_t
_UFUNCS = (np.add, np.multiply, np.maximum, np.minimum, np.add)
_AVERAGE = 4


# --- what ranks have in common


class Call:
    """What a rank asks for, until it is done.

    Parameters
    ----------
    c : LibraryCall
        The call.
    rank : int
        Whose it is.
    terms : tuple
        What every rank has to give alike.
    stream : EmulatedStream, optional
        Where its work is queued.
    """

    def __init__(
        self, c: LibraryCall, rank: int, terms: tuple, stream: EmulatedStream | None = None
    ) -> None:
        self.c = c
        self.rank = rank
        self.terms = terms
        self.stream = stream
        self.done = False
        self.failure: BaseException | None = None

    @property
    def name(self) -> str:
        return str(self.c.row.name)

    def end(self, failure: BaseException | None = None) -> None:
        self.failure, self.done = failure, True


class Clique:
    """The ranks of a communicator, and the calls that wait for other ranks.

    Parameters
    ----------
    size : int
        How many.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.members: dict[int, LibraryObject] = {}
        #: Calls that all ranks make, by rank, in the order of each.
        self.waiting: list[deque[Call]] = [deque() for _ in range(size)]
        #: Sends and receives by their ranks.
        self.sends: defaultdict[tuple[int, int], deque[Call]] = defaultdict(deque)
        self.receives: defaultdict[tuple[int, int], deque[Call]] = defaultdict(deque)

    def post(self, call: Call) -> None:
        """Add a call, and do what nobody else has to be waited for."""
        if call.name in ("ncclSend", "ncclRecv"):
            self._post_to_peer(call)
            return
        self.waiting[call.rank].append(call)
        while all(self.waiting):
            together([queue.popleft() for queue in self.waiting])

    def _post_to_peer(self, call: Call) -> None:
        peer = call.c.peer
        pair = (call.rank, peer) if call.name == "ncclSend" else (peer, call.rank)
        sends, receives = self.sends[pair], self.receives[pair]
        (sends if call.name == "ncclSend" else receives).append(call)
        while sends and receives:
            together([sends.popleft(), receives.popleft()])

    def withdraw(self, call: Call) -> None:
        """Forget a call that nobody has met."""
        for queue in (*self.waiting, *self.sends.values(), *self.receives.values()):
            if call in queue:
                queue.remove(call)

    def absent(self, call: Call) -> str:
        """Who has not made the call's counterpart."""
        if call.name in ("ncclSend", "ncclRecv"):
            return f"rank {call.c.peer}"
        ranks = [str(rank) for rank, queue in enumerate(self.waiting) if not queue]
        return f"rank{'s' if len(ranks) > 1 else ''} {', '.join(ranks)}"


#: Cliques of which not every rank is there yet, by their unique id.
_beginning: dict[bytes, Clique] = {}


def together(calls: Sequence[Call]) -> None:
    """Do what calls of all ranks, or of two, ask for."""
    try:
        names = {call.name.removesuffix("Config") for call in calls}
        if names != {"ncclSend", "ncclRecv"} and len(names) > 1:
            raise Refusal("usage", f"ranks do not make the same call: {', '.join(sorted(names))}")
        first = calls[0]
        for call in calls[1:]:
            if call.terms != first.terms:
                raise Refusal(
                    "value",
                    f"ranks {first.rank} and {call.rank} do not agree: {first.terms} and "
                    f"{call.terms}",
                )
        _DONE_BY[first.name](calls)
    except Exception as error:  # each rank's call fails
        for call in calls:
            call.end(error)
    else:
        for call in calls:
            call.end()


# --- groups


class _Group(threading.local):
    """The calls of a thread's group."""

    depth = 0

    def __init__(self) -> None:
        self.calls: list[tuple[Clique, Call]] = []


_group = _Group()


def ncclGroupStart(c: LibraryCall) -> None:
    _group.depth += 1


def ncclGroupEnd(c: LibraryCall) -> None:
    if not _group.depth:
        raise Refusal("usage", "there is no group to end")
    _group.depth -= 1
    if not _group.depth:
        calls, _group.calls = _group.calls, []
        _meet(c.machine, calls)


def _ask(clique: Clique, call: Call) -> None:
    """Make a call now, or at the end of the group."""
    if _group.depth:
        _group.calls.append((clique, call))
    else:
        _meet(call.c.machine, [(clique, call)])


def _meet(machine: Machine, calls: Sequence[tuple[Clique, Call]]) -> None:
    """Post calls, and wait until other ranks have made theirs."""
    for clique, call in calls:
        clique.post(call)
    machine.arrivals.notify_all()
    until = time.monotonic() + PATIENCE_SECONDS
    try:
        for clique, call in calls:
            while not call.done:
                alone = threading.active_count() == 1
                if alone or not machine.arrivals.wait(until - time.monotonic()):
                    raise _nobody(clique, call, alone)
    finally:
        for clique, call in calls:
            if not call.done:
                clique.withdraw(call)
    for _, call in calls:
        if call.failure is not None:
            raise call.failure.with_traceback(None)


def _nobody(clique: Clique, call: Call, alone: bool) -> Refusal:
    why = (
        "and there is no other thread that could: put the calls of all ranks between "
        "ncclGroupStart and ncclGroupEnd"
        if alone
        else f"in {PATIENCE_SECONDS:g} seconds; it would be waited for on a GPU for ever"
    )
    return Refusal(
        "usage",
        f"{call.name} of rank {call.rank}: {clique.absent(call)} did not make the call, {why}",
    )


# --- communicators


def ncclGetVersion(c: LibraryCall) -> int:
    return _VERSION


def ncclGetUniqueId(c: LibraryCall) -> bytes:
    name = secrets.token_bytes(_ID_BYTES)
    _beginning[name] = Clique(0)
    return name


def ncclCommInitRank(c: LibraryCall) -> None:
    _check_sizes(c.nranks, c.rank)
    clique = _beginning.get(c.commId)
    if clique is None:
        raise Refusal(
            "value", "the unique id is of another process, or of ranks that have all met already"
        )
    if not clique.size:  # the first rank says how many there are
        clique = _beginning[c.commId] = Clique(c.nranks)
    if clique.size != c.nranks or clique.waiting[c.rank]:
        raise Refusal("value", f"nranks is {c.nranks} and rank is {c.rank}, but another rank said "
                      f"{clique.size} ranks, or is rank {c.rank}, too")  # fmt: skip
    _ask(clique, Call(c, c.rank, ()))


ncclCommInitRankConfig = ncclCommInitRank


def _check_sizes(ranks: int, rank: int) -> None:
    if ranks < 1 or not 0 <= rank < ranks:
        raise Refusal("value", f"rank is {rank} of {ranks} ranks")


def _begin(calls: Sequence[Call]) -> None:
    contexts = {call.rank: call.c.context for call in calls}
    clique = _beginning.pop(calls[0].c.commId)
    handles = _make(calls[0].c.machine, clique, contexts)
    for call in calls:
        _store(call.c.comm, [handles[call.rank]])


def ncclCommInitAll(c: LibraryCall) -> None:
    devices = range(c.ndev) if c.devlist is None else c.devlist.tolist()
    contexts = {}
    for rank, ordinal in enumerate(devices):
        context = c.machine.device(ordinal).primary
        if not context.alive:
            raise Refusal("failed", f"device {ordinal} has not been used yet")
        contexts[rank] = context
    handles = _make(c.machine, Clique(c.ndev), contexts)
    _store(c.comm, [handles[rank] for rank in range(c.ndev)])


def _make(machine: Machine, clique: Clique, contexts: dict[int, EmulatedContext]) -> dict[int, int]:
    """Handles of the communicators of a clique, by rank."""
    devices = [context.device.ordinal for context in contexts.values()]
    if len(set(devices)) < len(devices):
        raise Refusal("usage", f"two ranks have the same device: {devices}")
    handles = {}
    for rank, context in contexts.items():
        comm = LibraryObject(context, "ncclComm_t", clique=clique, rank=rank)
        clique.members[rank] = comm
        handles[rank] = comm.number = machine.add(comm)
    return handles


def _store(address: int, handles: Sequence[int]) -> None:
    (ctypes.c_uint64 * len(handles)).from_address(address)[:] = handles


def ncclCommDestroy(c: LibraryCall) -> None:
    c.machine.forget(c.comm.number)


def ncclCommAbort(c: LibraryCall) -> None:
    clique = c.comm.clique
    for queue in (*clique.waiting, *clique.sends.values(), *clique.receives.values()):
        for call in queue:
            call.end(Refusal("aborted", f"{call.name}: rank {c.comm.rank} has aborted"))
        queue.clear()
    c.machine.arrivals.notify_all()
    c.machine.forget(c.comm.number)


def ncclCommSplit(c: LibraryCall) -> None:
    if c.color < 0 and c.color != _NO_COLOUR:
        raise Refusal("value", f"color is {c.color}: -1, or not negative")
    _ask(c.comm.clique, Call(c, c.comm.rank, ()))


def _split(calls: Sequence[Call]) -> None:
    for colour in {call.c.color for call in calls}:
        chosen = [call for call in calls if call.c.color == colour]
        if colour == _NO_COLOUR:
            handles = dict.fromkeys(range(len(chosen)), 0)
        else:
            chosen.sort(key=lambda call: (call.c.key, call.rank))
            contexts = {rank: call.c.comm.context for rank, call in enumerate(chosen)}
            handles = _make(calls[0].c.machine, Clique(len(chosen)), contexts)
        for rank, call in enumerate(chosen):
            _store(call.c.newcomm, [handles[rank]])


def ncclCommGetAsyncError(c: LibraryCall) -> int:
    return 0


def ncclCommCount(c: LibraryCall) -> int:
    return c.comm.clique.size


def ncclCommCuDevice(c: LibraryCall) -> int:
    return c.comm.device.ordinal


def ncclCommUserRank(c: LibraryCall) -> int:
    return c.comm.rank


# --- work


def _queue(c: LibraryCall, *terms: Any) -> None:
    """Ask for work on a communicator's device."""
    comm, clique = c.comm, c.comm.clique
    for name in ("root", "peer"):
        rank = getattr(c, name, 0)
        if not 0 <= rank < clique.size:
            raise Refusal("value", f"{name} is {rank} of {clique.size} ranks")
    stream = _stream(c)
    if stream.capture is not None:
        raise stream.capture.invalidate(CAPTURE_UNSUPPORTED, "the emulated NCCL cannot be captured")
    refuse_implicit(c.machine, stream)
    _ask(clique, Call(c, comm.rank, (*terms, c.datatype), stream))


def _stream(c: LibraryCall) -> EmulatedStream:
    """The stream of a call: its default stream is that of the communicator's device."""
    if c.stream > 2:
        stream = any_stream(c.machine, c.stream)
    else:
        c.machine.push(c.comm.context)
        try:
            stream = any_stream(c.machine, c.stream)
        finally:
            c.machine.pop()
    if stream.context is not c.comm.context:
        raise Failure(
            INVALID_HANDLE,
            f"stream 0x{c.stream:x} is of device {stream.device.ordinal}, the communicator of "
            f"device {c.comm.device.ordinal}",
        )
    return stream


def ncclAllReduce(c: LibraryCall) -> None:
    _queue(c, c.count, c.op)


def ncclReduce(c: LibraryCall) -> None:
    _queue(c, c.count, c.op, c.root)


def ncclBroadcast(c: LibraryCall) -> None:
    _queue(c, c.count, c.root)


ncclBcast = ncclBroadcast


def ncclReduceScatter(c: LibraryCall) -> None:
    _queue(c, c.recvcount, c.op)


def ncclAllGather(c: LibraryCall) -> None:
    _queue(c, c.sendcount)


def ncclSend(c: LibraryCall) -> None:
    _queue(c, c.count)


ncclRecv = ncclSend


def _work(call: Call, run: Callable[[LibraryCall], Any]) -> Any:
    """One rank's part of the work, as an operation of its stream."""
    c = call.c
    checker = c.machine.arena.checker
    if checker is not None:
        checker.begin(call.stream, call.name)
    c.written = []
    try:
        return run(c)
    except DeviceFault as fault:
        c.machine.note_fault(c.context.device, fault)
        raise
    finally:
        for array in c.written:
            c.machine.arena.wrote(array.ctypes.data, array.nbytes)
        if checker is not None:
            checker.ended()


def _read(call: Call, name: str, count: int) -> np.ndarray:
    """A copy of what a rank gives."""

    def run(c: LibraryCall) -> np.ndarray:
        return c.view(name, getattr(c, name), _DTYPES[c.datatype], (count,), (1,), "r").copy()

    found: np.ndarray = _work(call, run)
    return found


def _write(call: Call, name: str, values: np.ndarray) -> None:
    """Store what a rank gets."""

    def run(c: LibraryCall) -> None:
        c.view(name, getattr(c, name), values.dtype, values.shape, (1,), "w")[...] = values

    _work(call, run)


def _reduced(parts: Sequence[np.ndarray], c: LibraryCall) -> np.ndarray:
    """What an operation makes of the arrays of all ranks."""
    ufunc, dtype = _UFUNCS[c.op], parts[0].dtype
    bfloat = c.datatype == _BFLOAT16
    if bfloat:
        parts = [(part.astype("u4") << 16).view("f4") for part in parts]
    elif dtype == "f2":
        parts = [part.astype("f4") for part in parts]
    with np.errstate(all="ignore"):
        result = parts[0]
        for part in parts[1:]:
            result = ufunc(result, part)
        if c.op == _AVERAGE:
            if result.dtype.kind == "f":
                result = result / result.dtype.type(len(parts))
            else:  # towards zero, as C divides
                result = result - np.fmod(result, len(parts)).astype(dtype)
                result = result // dtype.type(len(parts))
        if not bfloat:
            return result.astype(dtype)
    bits = np.ascontiguousarray(result, "f4").view("u4")
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(result), 0x7FC0, rounded).astype("u2")


def _all_reduce(calls: Sequence[Call]) -> None:
    c = calls[0].c
    values = _reduced([_read(call, "sendbuff", c.count) for call in calls], c)
    for call in calls:
        _write(call, "recvbuff", values)


def _reduce(calls: Sequence[Call]) -> None:
    c = calls[0].c
    values = _reduced([_read(call, "sendbuff", c.count) for call in calls], c)
    _write(calls[c.root], "recvbuff", values)


def _broadcast(calls: Sequence[Call]) -> None:
    c = calls[0].c
    values = _read(calls[c.root], "sendbuff", c.count)
    for call in calls:
        _write(call, "recvbuff", values)


def _broadcast_in_place(calls: Sequence[Call]) -> None:
    c = calls[0].c
    values = _read(calls[c.root], "buff", c.count)
    for call in calls:
        if call.rank != c.root:
            _write(call, "buff", values)


def _reduce_scatter(calls: Sequence[Call]) -> None:
    c = calls[0].c
    count = c.recvcount * len(calls)
    values = _reduced([_read(call, "sendbuff", count) for call in calls], c)
    for call in calls:
        start = call.rank * c.recvcount
        _write(call, "recvbuff", values[start : start + c.recvcount])


def _all_gather(calls: Sequence[Call]) -> None:
    count = calls[0].c.sendcount
    values = np.concatenate([_read(call, "sendbuff", count) for call in calls])
    for call in calls:
        _write(call, "recvbuff", values)


def _send(calls: Sequence[Call]) -> None:
    sender, receiver = calls
    _write(receiver, "recvbuff", _read(sender, "sendbuff", sender.c.count))


#: By the name of the first call of those that met.
_DONE_BY: dict[str, Callable[[Sequence[Call]], None]] = {
    "ncclCommInitRank": _begin,
    "ncclCommInitRankConfig": _begin,
    "ncclCommSplit": _split,
    "ncclAllReduce": _all_reduce,
    "ncclReduce": _reduce,
    "ncclBroadcast": _broadcast,
    "ncclBcast": _broadcast_in_place,
    "ncclReduceScatter": _reduce_scatter,
    "ncclAllGather": _all_gather,
    "ncclSend": _send,
}
