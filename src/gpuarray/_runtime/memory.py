"""Memory that arrays can live in."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

from gpuarray import errors
from gpuarray._ffi import driver
from gpuarray._runtime.current_stream import current, deferring_streams, run_all_deferred
from gpuarray._runtime.device import Device, lost_error
from gpuarray._runtime.event import check_stream
from gpuarray._runtime.release import give_back
from gpuarray._runtime.stream import Stream

#: What an address, and a size, can say at most.
MAX_BYTES = 2**63 - 1


def checked_size(name: str, size: object) -> int:
    """A number of bytes given by the user as a Python integer that an address can hold."""
    nbytes = operator.index(size)  # type: ignore[arg-type]  # anything but an int raises
    if nbytes < 0:
        raise ValueError(f"{name}: size must not be negative, got {nbytes}")
    if nbytes > MAX_BYTES:
        raise ValueError(f"{name}: {nbytes} bytes are more than the address space")
    return nbytes


def check_device_memory(name: object, pointer: int, size: int) -> int:
    """Refuse memory of others that a device cannot reach, or of which it has fewer bytes.

    Parameters
    ----------
    name : object
        What says where the memory is, as the text of error messages.
    pointer, size : int
        The address of the first byte, and how many there should be.

    Returns
    -------
    int
        The number of the device that the memory is on.
    """
    device_id = None
    end = pointer
    # Memory that was mapped in parts is one range of addresses, and several for the driver.
    while end < pointer + size:
        found = driver.pointer_attributes(_RANGE, end) if 0 < end < 1 << 64 else {}
        if not found.get("memory_type"):
            break
        if device_id is None:
            device_id = found["device_ordinal"]
        stop = found["range_start_addr"] + found["range_size"]
        if not found["range_size"] or stop <= end:  # the driver knows no end of such memory
            return device_id
        end = stop
    if device_id is None and pointer and current.stream.device.attribute("pageable_memory_access"):
        return current.stream.device.id  # which reads and writes all memory of the host
    if device_id is None:
        what = "is null" if not pointer else "is not device memory"
        raise ValueError(f"{name}: the address {pointer:#x} {what}")
    if end < pointer + size:
        raise ValueError(
            f"{name}: {size} bytes at {pointer:#x} go beyond the end of their allocation by "
            f"{pointer + size - end}"
        )
    return device_id


_RANGE = ("memory_type", "device_ordinal", "range_start_addr", "range_size")


class BaseMemory:
    """Memory that an array can live in.

    Derived classes of your own set ``ptr``, ``size`` and ``device_id``, and free the memory in
    ``__del__``.

    ``stream`` is the stream that reuse of the memory is ordered on, ``None`` where nobody in
    this process reuses it. ``writable`` is False where its owner said that nobody may write to it.
    ``foreign`` is False where this package allocated it, and no other object has the same bytes.

    Examples
    --------
    >>> import gpuarray as cp
    >>> memory = cp.zeros(4).data.mem
    >>> isinstance(memory, cp.cuda.BaseMemory)
    True
    >>> memory.record_stream(cp.cuda.get_current_stream())
    >>> memory.device_id
    0
    """

    __slots__ = ("__weakref__",)

    stream: Stream | None = None
    writable: bool = True
    foreign: bool = True
    pointer: int
    size: int
    device: Device

    @property
    def ptr(self) -> int:
        """The address of the first byte (CuPy's name)."""
        return self.pointer

    # Derived classes of a user's own set what CuPy's have.
    @ptr.setter
    def ptr(self, value: int) -> None:
        self.pointer = operator.index(value)  # type: ignore[misc]  # such classes have no slots

    @property
    def device_id(self) -> int:
        """The number of the device that the memory is on."""
        return self.device.id

    @device_id.setter
    def device_id(self, value: int) -> None:
        self.device = Device(value)  # type: ignore[misc]

    def __int__(self) -> int:
        return self.pointer

    def __repr__(self) -> str:
        name = type(self).__name__
        try:
            if self.lost:
                return f"<{name} of {self.size} bytes that was lost with device {self.device.id}>"
            return f"<{name} of {self.size} bytes at {self.pointer:#x} on device {self.device.id}>"
        except AttributeError:  # a user's class that has not set all of it
            return f"<{name} without memory>"

    @property
    def lost(self) -> bool:
        """Whether a reset of the device took the memory away."""
        return getattr(self, "generation", 0) != getattr(self.device, "generation", 0)

    def check(self) -> None:
        """Refuse a use of memory that a reset took away."""
        if self.lost:
            raise lost_error("the memory of an array", self.device)

    def expose(self) -> None:
        """Note that others know the address; of memory that is not the pool's nothing is noted."""

    def record_stream(self, stream: Stream) -> None:
        """Note that work on a stream uses the memory; it is not reused before that is done.

        Operations, kernels and copies of this package note it by themselves. For work that gets
        no more than the address, call it when the work has been queued, or before.

        Parameters
        ----------
        stream : Stream
            Where.
        """
        check_stream(stream)
        if self.stream is not stream:
            self.used_by(stream)

    def used_by(self, stream: Stream) -> None:
        """Note that work on another stream than the memory's own uses it."""
        self.check()
        if stream.device is not self.device:
            from gpuarray._runtime import peers  # where a second device is used, and not before

            peers.cross(self, stream)
        if stream.ongoing_capture is not None:
            stream.ongoing_capture.keep(self)
        else:
            self._note_user(stream)

    def copied_by(self, stream: Stream) -> None:
        """Note that a copy to or from another device, queued on a stream, uses the memory."""
        if deferring_streams:
            run_all_deferred()
        self.check()
        if stream.device is not self.device:
            from gpuarray._runtime import peers

            peers.follow(self, stream)
        if stream.ongoing_capture is not None:
            stream.ongoing_capture.keep(self)
        else:
            self._note_user(stream)

    def _note_user(self, stream: Stream) -> None:
        """Remember what has to end before the memory is used again."""


class DriverMemory:
    """What the driver allocated, at an address of its own: it is freed with the object.

    Subclasses have the attributes ``_slot``, where the driver stores the address, ``size``,
    ``device`` and ``generation``.
    """

    __slots__ = ()

    #: The driver's functions that allocate it, and free it.
    _ALLOCATE = "mem_alloc"
    _FREE = "mem_free"
    _slot: Any
    size: int
    device: Device
    generation: int

    def _allocate(self, size: int, *flags: int) -> None:
        self._slot = driver.address_slot()
        if size:
            driver.mem_alloc_to(self._slot, size, *flags, kind=self._ALLOCATE)

    @property
    def lost(self) -> bool:
        """Whether a reset of the device took the memory away."""
        return self.generation != self.device.generation

    @property
    def freed(self) -> bool:
        """Whether the memory is gone although the object is not.

        Where garbage with a circle has both the memory and what returns it to its pool, Python
        finalizes both.
        """
        return self.size > 0 and not self._slot.value

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        # At the end of the process this module's names may be gone, so it has the function.
        slot = getattr(self, "_slot", None)
        if slot is None or not slot.value or ending():
            return
        addresses = [slot.value]
        try:
            self._free(addresses)
        except KeyboardInterrupt:
            self._free(addresses)
            raise
        finally:
            slot.value = 0

    def _free(self, addresses: list[int]) -> None:
        """Free the memory; the list is empty then."""
        if not self.lost:  # the address may be another's by now
            give_back(self._free_all, addresses)

    @classmethod
    def _free_all(cls, addresses: list[int]) -> None:
        driver.mem_free_all(addresses, cls._FREE)


class Memory(DriverMemory, BaseMemory):
    """Memory allocated for itself, outside any pool.

    Parameters
    ----------
    size : int
        Bytes.

    Examples
    --------
    >>> import gpuarray as cp
    >>> memory = cp.cuda.Memory(64)
    >>> memory.size
    64
    """

    __slots__ = ("_slot", "device", "generation", "pointer", "size")

    foreign = False
    _FLAGS: tuple[int, ...] = ()

    def __init__(self, size: int):
        self.size = checked_size(type(self).__name__, size)
        self.device = current.stream.device
        self.generation = self.device.generation
        try:
            self._allocate(self.size, *self._FLAGS)
        except errors.DriverError as error:
            if error.status_name != "CUDA_ERROR_OUT_OF_MEMORY":
                raise
            raise errors.OutOfMemoryError(self.size, 0, 0, self.device.mem_info[0]) from None
        self.pointer = self._slot.value


class _NoMemory(BaseMemory):
    """The memory of arrays without elements: at address 0, on whatever device is current."""

    __slots__ = ()

    foreign = False
    pointer = 0
    size = 0

    @property
    def device(self) -> Device:  # type: ignore[override]
        return current.stream.device

    def used_by(self, stream: Stream) -> None:
        pass

    copied_by = used_by


NO_MEMORY = _NoMemory()
