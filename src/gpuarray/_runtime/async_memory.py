"""Memory that the driver allocates and frees in the order of a stream, and the driver's pools."""

from __future__ import annotations

import operator
import sys
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from gpuarray import errors
from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device
from gpuarray._runtime.event import check_stream
from gpuarray._runtime.memory import checked_size
from gpuarray._runtime.memory_limit import bytes_of_limit, default_limit
from gpuarray._runtime.memory_pointer import MemoryPointer
from gpuarray._runtime.ordered_memory import OrderedMemory
from gpuarray._runtime.release import give_back
from gpuarray._runtime.stream import Stream

#: A release threshold that the driver never reaches.
_NO_LIMIT = 2**64 - 1
#: What the pool rounds sizes up to, as `MemoryPool` does.
_UNIT = 512

#: Memory whose last reference went while its stream was being captured: the capture would have
#: recorded that it is freed.
_left: list[tuple[int, Stream, int]] = []


class MemoryAsync(OrderedMemory):
    """Memory that the driver allocates and frees in the order of a stream.

    Parameters
    ----------
    size : int
        Bytes.
    stream : Stream
        Where it is allocated and freed. Work of other streams that has used the memory comes
        before it is freed.

    Raises
    ------
    OutOfMemoryError
        If the driver has not so much.
    RuntimeError
        If the device has no memory pools.

    Examples
    --------
    >>> import gpuarray as cp
    >>> memory = cp.cuda.MemoryAsync(1000, cp.cuda.Stream.null)
    >>> memory.size
    1000
    """

    __slots__ = ("_captured", "_slot")

    def __init__(self, size: int, stream: Stream):
        check_stream(stream)
        _check_supported(stream.device)
        nbytes = checked_size("MemoryAsync", size)
        with stream.device:  # a default stream's handle stands for that of the current device
            self._allocate(nbytes, stream)

    @classmethod
    def _of_pool(cls, size: int, stream: Stream, pool: int) -> MemoryAsync:
        """Memory from a pool other than the device's current one."""
        made = object.__new__(cls)
        made._allocate(size, stream, pool)
        return made

    def _allocate(self, size: int, stream: Stream, pool: int = 0) -> None:
        _free_what_was_left()
        self._slot = driver.address_slot()
        self._captured = driver.stream_takes_part_in_capture(stream.handle)
        if size:
            kind = "mem_alloc_from_pool_async" if pool else "mem_alloc_async"
            from_ = (pool, stream.handle) if pool else (stream.handle,)
            try:
                driver.mem_alloc_to(self._slot, size, *from_, kind=kind)
            except errors.DriverError as error:
                if error.status_name != "CUDA_ERROR_OUT_OF_MEMORY":
                    raise
                free = stream.device.mem_info[0]
                raise errors.OutOfMemoryError(size, 0, 0, free) from None
        self._own(self._slot.value, size, stream)

    @property
    def stream_ref(self) -> weakref.ref[Stream]:
        """A weak reference to the stream."""
        return weakref.ref(self.stream)

    def _release(self, pointer: int, stream: Stream) -> None:
        captured = driver.stream_takes_part_in_capture(stream.handle)
        if captured and not self._captured:
            _left.append((pointer, stream, self.generation))
        else:
            driver.mem_free_async(pointer, stream.handle)


def _free_what_was_left() -> None:
    for _ in range(len(_left)):
        try:
            pointer, stream, generation = _left.pop(0)
        except IndexError:  # another thread has it
            return
        if stream.lost or generation != stream.device.generation:
            continue
        with stream.device:
            if driver.stream_takes_part_in_capture(stream.handle):
                _left.append((pointer, stream, generation))
            else:
                driver.mem_free_async(pointer, stream.handle)


def _check_supported(device: Device) -> None:
    if not device.attribute("memory_pools_supported"):
        raise RuntimeError(
            f"malloc_async: {device} has no memory pools of the driver; cuda.MemoryPool works on it"
        )


def malloc_async(size: int) -> MemoryPointer:
    """Memory of the driver's current pool, in the order of the current stream.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    MemoryPointer
        Its first byte.

    Examples
    --------
    >>> import gpuarray as cp
    >>> with cp.cuda.using_allocator(cp.cuda.malloc_async):
    ...     x = cp.arange(4)
    >>> type(x.data.mem).__name__
    'MemoryAsync'
    """
    return MemoryPointer(MemoryAsync(checked_size("malloc_async", size), current.stream), 0)


class MemoryAsyncPool:
    """Memory from the driver's own pools, for all devices.

    The driver keeps freed memory and hands it out in the order of streams. Its pools are shared
    with other libraries of the process, such as PyTorch and RMM, if they use them, too. An
    allocation takes a call of the driver, which costs more than `MemoryPool` takes for one.

    Parameters
    ----------
    pool_handles : str, int or sequence, optional
        Which pool: ``'current'`` and ``'default'`` are those of the device, a number is the handle
        of another, such as `cuda.runtime.memPoolCreate` returns, and ``'create'`` makes one. A
        sequence has one of these for each device. The pool becomes the current one of its device.

    Raises
    ------
    RuntimeError
        If a device has no memory pools.

    Examples
    --------
    >>> import gpuarray as cp
    >>> pool = cp.cuda.MemoryAsyncPool()
    >>> with cp.cuda.using_allocator(pool.malloc):
    ...     x = cp.zeros(1000)
    >>> pool.used_bytes() >= x.nbytes
    True
    >>> pool.total_bytes() == pool.used_bytes() + pool.free_bytes()
    True
    >>> pool.set_limit(size=1 << 20)
    >>> pool.get_limit()
    1048576
    >>> pool.set_limit()
    >>> pool.free_all_blocks()
    >>> pool.n_free_blocks()
    Traceback (most recent call last):
        ...
    NotImplementedError: MemoryAsyncPool.n_free_blocks: ...
    """

    #: CuPy's name for whether the driver tells how much memory a pool has: each does, from 11.3 on.
    memoryAsyncHasStat = True

    def __init__(self, pool_handles: Any = "current"):
        count = driver.device_count()
        if isinstance(pool_handles, Sequence) and not isinstance(pool_handles, str | bytes):
            handles = list(pool_handles)
            if len(handles) != count:
                raise ValueError(
                    f"MemoryAsyncPool: {len(handles)} pool handles for {count} devices; give one "
                    "for each"
                )
        else:
            handles = [pool_handles] * count
        #: Whether the driver tells how much memory a pool has (since CUDA 11.3).
        self.memoryAsyncHasStat = driver.driver_version() >= 11030
        #: Device number -> pool, and the devices whose pool this object made.
        self._pools: dict[int, int] = {}
        self._own: list[tuple[Device, int]] = []
        self._limits: dict[int, int] = {}
        for number, handle in enumerate(handles):
            device = Device(number)
            _check_supported(device)
            with device:
                self._pools[number] = pool = self._open(device, handle)
                driver.device_set_mem_pool(device.handle, pool)
                self.set_limit(default_limit(device))

    def _open(self, device: Device, handle: Any) -> int:
        if handle == "default":
            return driver.device_get_default_mem_pool(device.handle)
        if handle == "current":
            return driver.device_get_mem_pool(device.handle)
        if handle == "create":
            self._own.append((device, device.generation))
            return driver.mem_pool_create(device.id)
        try:
            return operator.index(handle)
        except TypeError:
            raise ValueError(
                f"MemoryAsyncPool: pool_handles={handle!r} is none of 'current', 'default', "
                "'create' and the handle of a pool"
            ) from None

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        # The driver keeps a pool until the last of its memory is freed.
        for device, generation in getattr(self, "_own", ()):
            if not (ending() or driver.forked()) and device.generation == generation:
                give_back(driver.mem_pool_destroy, self._pools[device.id])

    @property
    def _pool(self) -> int:
        return self._pools[current.stream.device.id]

    def _statistic(self, name: str) -> int:
        if not self.memoryAsyncHasStat:
            raise RuntimeError("MemoryAsyncPool: the driver is too old to tell; update it")
        return driver.mem_pool_get_attribute(self._pool, name)

    def malloc(self, size: int) -> MemoryPointer:
        """Memory in the order of the current stream.

        Parameters
        ----------
        size : int
            Bytes; rounded up to a multiple of 512.

        Returns
        -------
        MemoryPointer
            Its first byte.

        Raises
        ------
        OutOfMemoryError
            If the limit or the device's memory is reached.
        """
        asked = checked_size("MemoryAsyncPool.malloc", size)
        nbytes = -(-asked // _UNIT) * _UNIT
        stream, pool = current.stream, self._pool
        limit = self.get_limit()
        if limit != _NO_LIMIT and self.memoryAsyncHasStat:
            self._check(nbytes, limit)
        try:
            return MemoryPointer(MemoryAsync._of_pool(nbytes, stream, pool), 0)
        except errors.OutOfMemoryError:
            if driver.stream_takes_part_in_capture(stream.handle):
                raise
        # What was freed on any stream is the pool's again when those have done their work.
        stream.device.synchronize()
        try:
            return MemoryPointer(MemoryAsync._of_pool(nbytes, stream, pool), 0)
        except errors.OutOfMemoryError:
            raise self._out_of_memory(nbytes, limit) from None

    def _check(self, nbytes: int, limit: int) -> None:
        if self.used_bytes() + nbytes > limit:
            current.stream.synchronize()  # what it frees counts as used until then
            if self.used_bytes() + nbytes > limit:
                raise self._out_of_memory(nbytes, limit)

    def _out_of_memory(self, nbytes: int, limit: int) -> errors.OutOfMemoryError:
        total = self.total_bytes() if self.memoryAsyncHasStat else 0
        free = current.stream.device.mem_info[0]
        return errors.OutOfMemoryError(nbytes, total, 0 if limit == _NO_LIMIT else limit, free)

    def free_all_blocks(self, stream: Stream | None = None) -> None:
        """Wait for a stream, and give the memory that is free then back to the device.

        Parameters
        ----------
        stream : Stream, optional
            Which; the current one by default.
        """
        if stream is not None:
            check_stream(stream)
        _free_what_was_left()
        (stream or current.stream).synchronize()
        driver.mem_pool_trim_to(self._pool, 0)

    def n_free_blocks(self) -> int:
        """Not known: the driver does not tell.

        Returns
        -------
        int
            Never.

        Raises
        ------
        NotImplementedError
            Always.
        """
        raise NotImplementedError(
            "MemoryAsyncPool.n_free_blocks: the driver does not tell how many blocks its pool has; "
            "free_bytes() tells how much they are"
        )

    def __repr__(self) -> str:
        device = current.stream.device.id
        if not self.memoryAsyncHasStat:
            return f"<MemoryAsyncPool on device {device}>"
        used, total = self.used_bytes(), self.total_bytes()
        return f"<MemoryAsyncPool: {used} bytes used of {total} held on device {device}>"

    def used_bytes(self) -> int:
        """Bytes in use on the current device, by all who use the pool.

        Returns
        -------
        int
            How many.
        """
        return self._statistic("used_mem_current")

    def free_bytes(self) -> int:
        """Bytes that the pool holds and nobody uses, on the current device.

        Returns
        -------
        int
            How many.
        """
        return self.total_bytes() - self.used_bytes()

    def total_bytes(self) -> int:
        """Bytes that the pool has from the current device.

        Returns
        -------
        int
            How many.
        """
        return self._statistic("reserved_mem_current")

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        """Limit what this object takes from the pool of the current device.

        The driver gives what the pool holds beyond it back at each synchronisation. Others who use
        the same pool of the driver do not keep the limit.

        Parameters
        ----------
        size : int, optional
            Bytes; 0, or neither parameter, takes the limit away.
        fraction : float, optional
            Of the device's total memory, between 0 and 1.
        """
        device = current.stream.device
        limit = bytes_of_limit(device, size, fraction) or _NO_LIMIT
        driver.mem_pool_set_attribute(self._pool, "release_threshold", limit)
        self._limits[device.id] = limit

    def get_limit(self) -> int:
        """The limit on the current device in bytes.

        Returns
        -------
        int
            How many; without a limit the greatest number of 64 bits.
        """
        return self._limits[current.stream.device.id]
