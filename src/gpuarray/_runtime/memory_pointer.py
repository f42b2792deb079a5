"""Pointers into device memory, with their copies and fills."""

from __future__ import annotations

import operator
from typing import Any

from gpuarray._ffi import driver
from gpuarray._runtime import pinned_ranges
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device
from gpuarray._runtime.event import check_stream
from gpuarray._runtime.host_address import host_address
from gpuarray._runtime.memory import MAX_BYTES, BaseMemory, Memory, checked_size
from gpuarray._runtime.stream import Stream
from gpuarray._runtime.stream_work import captured_error, is_captured

_new = object.__new__


class MemoryPointer:
    """An address inside a memory object.

    Parameters
    ----------
    mem : BaseMemory
        The memory.
    offset : int
        Bytes from its beginning.

    Attributes
    ----------
    mem : BaseMemory
        The memory, which lives as long as the pointer.
    ptr : int
        The address.

    Examples
    --------
    >>> import gpuarray as cp
    >>> pointer = cp.cuda.alloc(8)
    >>> pointer.memset(0, 8)
    >>> (pointer + 4).copy_from_host(np.float32(2.5).tobytes(), 4)
    >>> cp.ndarray(2, "f4", pointer)
    array([0. , 2.5], dtype=float32)
    >>> other = cp.cuda.alloc(8)
    >>> other.copy_from(pointer, 8)
    >>> other.copy_from_device(pointer, 4)
    >>> host = np.empty(2, "f4")
    >>> other.copy_to_host(host.ctypes.data, 8)
    >>> host
    array([0. , 2.5], dtype=float32)

    Those that do not wait take page-locked memory:

    >>> stream = cp.cuda.get_current_stream()
    >>> pinned = cp.cuda.alloc_pinned_memory(8)
    >>> pointer.memset_async(0, 8, stream)
    >>> pointer.copy_to_host_async(pinned.ptr, 8, stream)
    >>> pointer.copy_from_host_async(pinned.ptr, 8, stream)
    >>> pointer.copy_from_async(other, 8, stream)
    >>> pointer.copy_from_device_async(other, 8, stream)
    >>> stream.synchronize()
    """

    __slots__ = ("mem", "ptr")

    def __init__(self, mem: BaseMemory, offset: int):
        if not isinstance(mem, BaseMemory):
            raise TypeError(
                f"MemoryPointer: mem must be a gpuarray.cuda.BaseMemory, got {type(mem).__name__}"
            )
        self.mem = mem
        self.ptr = mem.pointer + operator.index(offset)

    @property
    def device(self) -> Device:
        """The device that the memory is on."""
        return self.mem.device

    @property
    def device_id(self) -> int:
        """The number of that device."""
        return self.mem.device.id

    def __int__(self) -> int:
        return self.ptr

    def __add__(self, offset: int) -> MemoryPointer:
        ptr = self.ptr
        moved = _new(MemoryPointer)
        moved.mem = self.mem
        moved.ptr = ptr + (offset if ptr and type(offset) is int else self._offset(offset))
        return moved

    __radd__ = __add__

    def __sub__(self, offset: int) -> MemoryPointer:
        return self + -operator.index(offset)

    def __iadd__(self, offset: int) -> MemoryPointer:
        self.ptr += self._offset(offset)
        return self

    def __isub__(self, offset: int) -> MemoryPointer:
        self.ptr -= self._offset(offset)
        return self

    def _offset(self, offset: int) -> int:
        nbytes = operator.index(offset)
        if nbytes and not self.ptr:
            raise ValueError(f"MemoryPointer: the null pointer has no offset, got {nbytes}")
        return nbytes

    def __repr__(self) -> str:
        return f"<MemoryPointer {self.ptr:#x} on device {self.device_id}>"

    # The functions that wait do their work on the current stream, where CuPy's take the default
    # stream: so they are in order with what was queued before.

    def copy_from(self, mem: Any, size: int) -> None:
        """Copy bytes from another device pointer or from the host, and wait.

        Parameters
        ----------
        mem : MemoryPointer, int, ctypes pointer or buffer
            The source; everything but a `MemoryPointer` is the host's, see `copy_from_host`.
        size : int
            How many bytes.
        """
        copy = self.copy_from_device if isinstance(mem, MemoryPointer) else self.copy_from_host
        copy(mem, size)

    def copy_from_async(self, mem: Any, size: int, stream: Stream | None = None) -> None:
        """Queue a copy of bytes from another device pointer or from the host.

        Parameters
        ----------
        mem : MemoryPointer, int, ctypes pointer or buffer
            The source; everything but a `MemoryPointer` is the host's, see
            `copy_from_host_async`.
        size : int
            How many bytes.
        stream : Stream, optional
            Where; the current stream by default.
        """
        copy = self.copy_from_device_async if isinstance(mem, MemoryPointer) else None
        (copy or self.copy_from_host_async)(mem, size, stream)

    def copy_from_device(self, src: MemoryPointer, size: int) -> None:
        """Copy bytes from another device pointer, and wait; the devices may differ.

        Parameters
        ----------
        src : MemoryPointer
            The source.
        size : int
            How many bytes.
        """
        if isinstance(src, MemoryPointer) and src.device is not self.device:
            with src.device:  # nothing orders its stream with ours
                current.stream.synchronize()
        self._copy_from_device("copy_from_device", src, size, None, True)

    def copy_from_device_async(
        self, src: MemoryPointer, size: int, stream: Stream | None = None
    ) -> None:
        """Queue a copy of bytes from another device pointer; the devices may differ.

        Parameters
        ----------
        src : MemoryPointer
            The source.
        size : int
            How many bytes.
        stream : Stream, optional
            Where; the current stream by default.
        """
        self._copy_from_device("copy_from_device_async", src, size, stream, False)

    def _copy_from_device(
        self, name: str, src: MemoryPointer, size: int, stream: Stream | None, wait: bool
    ) -> None:
        if not isinstance(src, MemoryPointer):
            raise TypeError(
                f"MemoryPointer.{name}: the source is a MemoryPointer, not {src!r}; "
                "copy_from_host takes addresses on the host"
            )
        nbytes = self._checked(name, size)
        src._checked(name, nbytes)
        queue = self._queue(name, nbytes, stream, wait)
        if queue is None:
            with self.device if stream is None else stream.device:
                self._copy_from_device(name, src, nbytes, stream, wait)
        elif nbytes:
            if src.mem.stream is not queue:
                src.mem.used_by(queue)
            driver.memcpy_async(self.ptr, src.ptr, nbytes, queue.handle)
            if wait:
                queue.synchronize()

    def copy_from_host(self, mem: Any, size: int) -> None:
        """Copy bytes from the host, and wait.

        Parameters
        ----------
        mem : int, ctypes pointer, numpy.ndarray or buffer
            The source: its address, or an object whose bytes are copied.
        size : int
            How many bytes.
        """
        self._copy_from_host("copy_from_host", mem, size, None, True)

    def copy_from_host_async(self, mem: Any, size: int, stream: Stream | None = None) -> None:
        """Queue a copy of bytes from the host.

        Parameters
        ----------
        mem : int, ctypes pointer, numpy.ndarray or buffer
            The source, which stays valid until the copy ends. The copy overlaps with other work
            only if it is page-locked memory.
        size : int
            How many bytes.
        stream : Stream, optional
            Where; the current stream by default.
        """
        self._copy_from_host("copy_from_host_async", mem, size, stream, False)

    def _copy_from_host(
        self, name: str, mem: Any, size: int, stream: Stream | None, wait: bool
    ) -> None:
        nbytes = self._checked(name, size)
        address = mem
        if type(mem) is not int:
            address = host_address(f"MemoryPointer.{name}", mem, nbytes)
        queue = self._queue(name, nbytes, stream, wait)
        if queue is None:
            with self.device if stream is None else stream.device:
                self._copy_from_host(name, mem, nbytes, stream, wait)
        elif nbytes:
            if not wait:
                pinned_ranges.used_by(address, queue)
            driver.memcpy_htod_async(self.ptr, address, nbytes, queue.handle)
            if wait:
                queue.synchronize()

    def copy_to_host(self, mem: Any, size: int) -> None:
        """Copy bytes to the host, and wait.

        Parameters
        ----------
        mem : int, ctypes pointer, numpy.ndarray or buffer
            The target: its address, or an object whose bytes are replaced.
        size : int
            How many bytes.
        """
        self._copy_to_host("copy_to_host", mem, size, None, True)

    def copy_to_host_async(self, mem: Any, size: int, stream: Stream | None = None) -> None:
        """Queue a copy of bytes to the host.

        Parameters
        ----------
        mem : int, ctypes pointer, numpy.ndarray or buffer
            The target, which stays valid until the copy ends. The copy overlaps with other work
            only if it is page-locked memory.
        size : int
            How many bytes.
        stream : Stream, optional
            Where; the current stream by default.
        """
        self._copy_to_host("copy_to_host_async", mem, size, stream, False)

    def _copy_to_host(
        self, name: str, mem: Any, size: int, stream: Stream | None, wait: bool
    ) -> None:
        nbytes = self._checked(name, size)
        address = mem
        if type(mem) is not int:
            address = host_address(f"MemoryPointer.{name}", mem, nbytes, stored=True)
        queue = self._queue(name, nbytes, stream, wait)
        if queue is None:
            with self.device if stream is None else stream.device:
                self._copy_to_host(name, mem, nbytes, stream, wait)
        elif nbytes:
            if not wait:
                pinned_ranges.used_by(address, queue)
            driver.memcpy_dtoh_async(address, self.ptr, nbytes, queue.handle)
            if wait:
                queue.synchronize()

    def memset(self, value: int, size: int) -> None:
        """Store one value in every byte, and wait.

        Parameters
        ----------
        value : int
            The value; its lowest byte is stored.
        size : int
            How many bytes.
        """
        self._memset("memset", value, size, None, True)

    def memset_async(self, value: int, size: int, stream: Stream | None = None) -> None:
        """Queue a fill of every byte with one value.

        Parameters
        ----------
        value : int
            The value; its lowest byte is stored.
        size : int
            How many bytes.
        stream : Stream, optional
            Where; the current stream by default.
        """
        self._memset("memset_async", value, size, stream, False)

    def _memset(self, name: str, value: int, size: int, stream: Stream | None, wait: bool) -> None:
        nbytes = self._checked(name, size)
        byte = operator.index(value) & 0xFF
        queue = self._queue(name, nbytes, stream, wait)
        if queue is None:
            with self.device if stream is None else stream.device:
                self._memset(name, byte, nbytes, stream, wait)
        elif nbytes:
            driver.memset_d8_async(self.ptr, byte, nbytes, queue.handle)
            if wait:
                queue.synchronize()

    def _checked(self, name: str, size: object) -> int:
        """A number of bytes that the memory has from here on."""
        nbytes: int = size  # type: ignore[assignment]  # the next line sees to it
        if type(size) is not int or not 0 <= size <= MAX_BYTES:
            nbytes = checked_size(f"MemoryPointer.{name}", size)
        mem = self.mem
        offset = self.ptr - mem.pointer
        if nbytes and not 0 <= offset <= mem.size - nbytes:
            raise ValueError(
                f"MemoryPointer.{name}: {nbytes} bytes at offset {offset} are not within the "
                f"memory, which has {mem.size}"
            )
        return nbytes

    def _queue(self, name: str, nbytes: int, stream: Stream | None, wait: bool) -> Stream | None:
        """Where work of some bytes is to be queued; that it uses the memory is noted.

        None if that is on another device than the current one, which has to be entered first.
        """
        here = current.stream
        mem = self.mem
        if stream is None:
            if here.device is not mem.device:
                return None
            queue = here
        else:
            if type(stream) is not Stream:
                check_stream(stream)
            if here.device is not stream.device:
                return None
            queue = stream.captured_as or stream
        if wait and is_captured(queue):
            raise captured_error(f"MemoryPointer.{name}", queue)
        if nbytes and mem.stream is not queue:
            mem.used_by(queue)
        return queue


def pointer_to(mem: BaseMemory, address: int) -> MemoryPointer:
    """A pointer to an address inside of memory."""
    made = _new(MemoryPointer)
    made.mem = mem
    made.ptr = address
    return made


def malloc(size: int) -> MemoryPointer:
    """Device memory of its own, without a pool."""
    return MemoryPointer(Memory(checked_size("malloc", size)), 0)
