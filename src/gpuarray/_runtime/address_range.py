"""Reserved addresses of a device that get memory where an arena grows.

Memory that is mapped side by side is one piece for kernels, copies and the best fit, whenever it
came. So an arena that grows by what is missing needs little more than what is in use at once, and
has no reason to give memory back while it works.
"""

from __future__ import annotations

import bisect
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from gpuarray import _fork
from gpuarray._ffi import driver
from gpuarray._integers import ceil_div, round_up
from gpuarray._runtime.current_stream import captured_streams, current, need_context
from gpuarray._runtime.device import Device
from gpuarray._runtime.release import give_back
from gpuarray.errors import DriverError

#: Memory is mapped in chunks of about this part of the range's. Each costs calls of the driver, but
#: none can be unmapped before all of it is idle.
_CHUNK_PART = 32
#: How many times a device's memory a range has addresses for: addresses without memory cost
#: nothing, and live blocks may leave few that are free side by side.
_ADDRESSES = 2

#: The devices, beside its own, that access the ranges of a device, by number.
_users: dict[int, set[int]] = {}
_ranges: weakref.WeakSet[AddressRange] = weakref.WeakSet()
#: Held while mappings change, and while access to them does.
_lock = _fork.new_lock()


class Growth(NamedTuple):
    """Bytes to get from the driver: mapped at an address, or with address 0 as a segment."""

    address: int
    size: int


class AddressRange:
    """Addresses of a device, and the memory that is mapped there.

    An interrupt may come between any two bytecodes. What is true is in ``chunks``; `recover` ends
    or undoes what was interrupted.
    """

    def __init__(self, device: Device):
        self.device = device
        self._gpu_direct = bool(device.attribute("gpu_direct_rdma_with_cuda_vmm_supported"))
        #: Sizes and addresses of chunks are multiples of this.
        self.granularity = driver.mem_get_allocation_granularity(
            device.handle, gpu_direct=self._gpu_direct
        )
        self._most = driver.device_total_mem(device.handle)
        self._size = round_up(_ADDRESSES * self._most, self.granularity)
        #: Bytes by address.
        self.chunks: dict[int, int] = {}
        #: What is a chunk no more, but is still mapped.
        self.condemned: list[tuple[int, int]] = []
        #: What is being mapped, and the handles of memory until that is done.
        self._mapping: tuple[int, int] | None = None
        self._handles: list[Any] = []
        self._place = driver.address_slot()
        _give_up_dead()
        driver.mem_address_reserve_to(self._place, self._size)
        _ranges.add(self)

    def __del__(self, ending: Any = sys.is_finalizing, forked: Any = driver.forked) -> None:
        if ending() or forked() or not getattr(self, "_place", None):
            return
        if self._place.value:
            chunks = [*self.chunks.items(), *self.condemned]
            give_back(partial(_give_up, self.device, chunks, self._size), self._place.value)

    @property
    def total(self) -> int:
        """Bytes that are mapped."""
        return sum(list(self.chunks.values()))

    @property
    def is_empty(self) -> bool:
        """Whether no memory is mapped."""
        return not (self.chunks or self.condemned or self._mapping)

    def runs(self) -> list[tuple[int, int]]:
        """Begin and end of what is mapped without a gap."""
        return _joined(list(self.chunks.items()))

    def growth(self, size: int, idle: Mapping[int, int], ends: Mapping[int, int]) -> Growth | None:
        """The least to map so that some idle memory has a size; None if the device has not so much.

        Parameters
        ----------
        size : int
            Bytes.
        idle, ends : mapping
            Idle memory, as address -> size and as end -> address.
        """
        unit = self.granularity
        best: Growth | None = None
        for start, stop in self._gaps():
            below = start - ends.get(start, start)
            above = idle.get(stop, 0)
            needed = round_up(max(size - below, unit), unit)
            if needed <= stop - start:
                found = Growth(start, needed)
                if above > below:
                    needed = round_up(max(size - above, unit), unit)
                    found = Growth(stop - needed, needed)
            elif below + (stop - start) + above >= size:
                found = Growth(start, stop - start)
            else:
                continue
            if found.size <= self._most and (best is None or found.size < best.size):
                best = found
        return best

    def _gaps(self) -> Iterator[tuple[int, int]]:
        """Begin and end of addresses that have no memory."""
        # Memory of others may begin or end where the addresses do; it is not ours to join.
        first = self._place.value + self.granularity
        last = self._place.value + self._size - self.granularity
        for start, stop in _joined([*self.chunks.items(), *self.condemned]):
            if first < start:
                yield first, start
            first = stop
        if first < last:
            yield first, last

    def parts(self, growth: Growth) -> Iterator[Growth]:
        """What is mapped one after the other."""
        part = ceil_div(max(self.total, growth.size), _CHUNK_PART)
        chunk = round_up(part, self.granularity)
        for done in range(0, growth.size, chunk):
            yield Growth(growth.address + done, min(chunk, growth.size - done))

    def map(self, part: Growth) -> None:
        """Map memory that the range's device and its peers access."""
        slot = driver.address_slot()
        self._handles.append(slot)
        self._mapping = part
        driver.mem_create_to(slot, part.size, self.device.handle, gpu_direct=self._gpu_direct)
        with _lock:
            users = [self.device.handle, *_users.get(self.device.id, ())]
            driver.mem_map_range(*part, slot.value, users)
            self.chunks[part.address] = part.size
        self._mapping = None
        self._release_handles()

    def _release_handles(self) -> None:
        """Release handles: what is mapped stays so without one."""
        self._handles[:] = [slot for slot in self._handles if slot.value]
        driver.mem_release_all(self._handles)

    def chunks_in(self, address: int, size: int) -> list[tuple[int, int]]:
        """The chunks that lie in some memory, by address."""
        starts = sorted(self.chunks)
        low = bisect.bisect_left(starts, address)
        found = [(x, self.chunks[x]) for x in starts[low : bisect.bisect(starts, address + size)]]
        return [(x, nbytes) for x, nbytes in found if x + nbytes <= address + size]

    def unmap_condemned(self) -> None:
        """Give memory back to the driver, once all work of the device is done."""
        if not self.condemned or captured_streams or _is_captured():
            return
        need_context()
        self.device.synchronize()  # freeing would wait, unmapping does not
        with _lock:
            while self.condemned:
                driver.mem_unmap_range(*self.condemned[-1])
                self.condemned.pop()

    def recover(self) -> None:
        """End or undo what was interrupted."""
        if self._mapping is not None:
            address, size = self._mapping
            if address not in self.chunks:
                driver.mem_unmap_range(address, size)
            self._mapping = None
        self._release_handles()
        self.condemned[:] = [chunk for chunk in self.condemned if chunk[0] not in self.chunks]
        self.unmap_condemned()


def _joined(chunks: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Begin and end of what lies side by side, of addresses and sizes."""
    joined: list[tuple[int, int]] = []
    for address, size in sorted(chunks):
        if joined and joined[-1][1] == address:
            joined[-1] = joined[-1][0], address + size
        else:
            joined.append((address, address + size))
    return joined


#: Ranges that died while a capture of another library's would have become invalid by waiting.
_dead: list[Callable[[], object]] = []


def _is_captured() -> bool:
    """Whether the current stream is captured by another library, or may not be asked for that."""
    try:
        return driver.stream_is_capturing(current.stream.handle) != 0
    except DriverError:  # of the default stream, while another one is captured
        return True


def _give_up_dead() -> None:
    for _ in range(len(_dead)):  # one that must wait again comes back at the end
        _dead.pop(0)()


def _give_up(device: Device, chunks: list[tuple[int, int]], size: int, address: int) -> None:
    if chunks:
        if _is_captured():
            _dead.append(partial(give_back, partial(_give_up, device, chunks, size), address))
            return
        device.synchronize()
    for chunk in chunks:
        driver.mem_unmap_range(*chunk)
    driver.mem_address_free(address, size)


def is_in_range(address: int) -> bool:
    """Whether an address is one of a range's that has memory."""
    return any(start <= address < stop for one in list(_ranges) for start, stop in one.runs())


def grant(owner: Device, user: Device) -> None:
    """Let a device access the ranges of another one, those of today and later ones."""
    with _lock:
        _users.setdefault(owner.id, set()).add(user.handle)
        _set_access(owner, user, 3)


def revoke(owner: Device, user: Device) -> None:
    """Undo `grant`."""
    with _lock:
        _users.get(owner.id, set()).discard(user.handle)
        _set_access(owner, user, 0)


def _set_access(owner: Device, user: Device, flags: int) -> None:
    for one in list(_ranges):
        if one.device is owner:
            for start, stop in one.runs():
                driver.mem_set_access(start, stop - start, [user.handle], flags)


def _forget(device: Device) -> None:
    """A device that was reset has no peers."""
    _users.pop(device.id, None)
    for users in list(_users.values()):
        users.discard(device.handle)


Device.when_reset(_forget)
