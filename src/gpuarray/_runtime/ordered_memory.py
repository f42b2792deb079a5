"""Memory that is freed in the order of a stream, and the streams that have used it besides."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from functools import partial

from gpuarray import _fork
from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device
from gpuarray._runtime.memory import BaseMemory, check_device_memory, checked_size
from gpuarray._runtime.release import give_back
from gpuarray._runtime.stream import Stream
from gpuarray._runtime.stream_work import NotedWork, StreamWork, of_another_thread, put_off

_users_lock = _fork.new_lock()


def note_user(users: NotedWork, work: StreamWork) -> None:
    """Add the work of a stream to that of others which has to end before memory is reused."""
    if work not in users:
        with _users_lock:
            work.noted = True
            # Streams come and go, and an array may outlive many of them.
            users.difference_update([x for x in users if x.event is not None and x.done])
            users.add(work)
    users.latest = work


class OrderedMemory(BaseMemory):
    """Memory that goes back where it is from behind the work of its stream.

    Work of other streams that has used it comes before that as well. Subclasses say in `_release`
    how it goes back.
    """

    __slots__ = ("_users", "device", "generation", "pointer", "size", "stream")

    foreign = False
    stream: Stream

    def _own(self, pointer: int, size: int, stream: Stream) -> None:
        """Have memory that was allocated on a stream."""
        self.stream = stream
        self.device: Device = stream.device
        self.generation = stream.device.generation
        self._users = NotedWork()
        self.size = size
        self.pointer = pointer

    def _note_user(self, stream: Stream) -> None:
        """Note that work on another stream uses the memory: it is freed behind that."""
        if stream.work is not self.stream.work:
            note_user(self._users, stream.work)

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        # At the end of the process this module's names may be gone, so it has the function.
        pointer = getattr(self, "pointer", 0)
        if not pointer or ending() or driver.forked() or self.lost:
            return
        give_back(partial(_give_back, self._release, self.stream, self._users), pointer)

    def _release(self, pointer: int, stream: Stream) -> None:
        """Let the memory go behind the work of a stream, whose device is current."""
        raise NotImplementedError


class UnownedMemory(BaseMemory):
    """Memory that belongs to somebody else.

    Parameters
    ----------
    ptr : int
        Address on the device.
    size : int
        Bytes.
    owner : object
        Kept alive as long as the memory is in use.
    device_id : int, optional
        Asked of the driver by default (and for a negative number, as CuPy's), and with it whether
        all of the memory is there.
    writable : bool, optional
        Whether arrays over the memory may be written to.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(4)
    >>> memory = cp.cuda.UnownedMemory(x.data.ptr, x.nbytes, x)
    >>> cp.ndarray(4, x.dtype, cp.cuda.MemoryPointer(memory, 0))
    array([0, 1, 2, 3])
    """

    __slots__ = (
        "_users", "device", "generation", "owner", "pointer", "size", "stream", "writable",
    )  # fmt: skip

    stream: Stream | None

    def __init__(
        self,
        ptr: int,
        size: int,
        owner: object,
        device_id: int | None = None,
        *,
        writable: bool = True,
    ):
        pointer = operator.index(ptr)
        if not 0 <= pointer < 1 << 64:
            raise ValueError(f"UnownedMemory: no memory has the address {pointer}")
        nbytes = checked_size("UnownedMemory", size)
        if device_id is not None and device_id < 0:
            device_id = None
        if device_id is None and pointer:
            device_id = check_device_memory("UnownedMemory", pointer, nbytes or 1)
        self.device = Device(device_id)
        self.generation = self.device.generation
        self.pointer = pointer
        self.size = nbytes
        self.owner = owner
        self.writable = writable
        self.stream = None
        self._users = NotedWork()

    @property
    def _owner(self) -> object:  # what code for CuPy reads
        return self.owner

    def allocated_on(self, stream: Stream) -> None:
        """Let the owner have the memory back behind the work of other streams that has used it.

        Parameters
        ----------
        stream : Stream
            On which the owner allocated the memory, and frees it.
        """
        if self.stream is None and stream.device is self.device:
            self.stream = stream

    def _note_user(self, stream: Stream) -> None:
        """Note that work on another stream uses the memory."""
        if self.stream is not None and stream.work is not self.stream.work:
            note_user(self._users, stream.work)

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        users = getattr(self, "_users", None)
        if users and not (ending() or driver.forked() or self.lost or self.stream is None):
            give_back(partial(precede, users), self.stream)


def precede(users: set[StreamWork], owner: Stream) -> None:
    """Let what is queued on a stream from now on wait for the work of others.

    The last reference to memory may go in a thread that works on another device, where the handle
    of a default stream stands for that device's.
    """
    if current.stream.device is not owner.device:
        with owner.device:
            precede(users, owner)
        return
    if put_off(partial(precede, users, owner), owner, users):
        return
    for work in users:
        work.precede(owner)


def _give_back(
    release: Callable[[int, Stream], object],
    owner: Stream,
    users: set[StreamWork],
    pointer: int,
) -> None:
    if put_off(partial(_give_back, release, owner, users, pointer), owner, users):
        return
    with owner.device:
        for work in users:
            work.precede(owner)
        if of_another_thread(owner):
            owner.device.synchronize()
            owner = owner.device.default_stream
        release(pointer, owner)
