"""Which addresses of the host are page-locked by this package, and which work still uses them."""

from __future__ import annotations

import bisect
from typing import NamedTuple

from gpuarray import _fork
from gpuarray._ffi import driver
from gpuarray._runtime.device import Device
from gpuarray._runtime.stream import Stream, StreamWork


class PinnedUses:
    """What has to end before page-locked memory may be used again."""

    __slots__ = ("captured", "works")

    def __init__(self) -> None:
        #: Streams with copies that nobody waited for.
        self.works: set[StreamWork] = set()
        #: Whether a graph has a copy, which may run at any time.
        self.captured = False


class PinnedRange(NamedTuple):
    """Addresses that are pinned by this package."""

    start: int
    end: int
    owner: Device
    uses: PinnedUses


#: In order; each change is one call of C, which no interrupt divides.
_ranges: list[PinnedRange] = []
_lock = _fork.new_lock()


def _start_of(pinned: PinnedRange) -> int:
    return pinned.start


def note(pinned: PinnedRange) -> None:
    """Note a range that was pinned."""
    with _lock:
        index = bisect.bisect(_ranges, pinned.start, key=_start_of)
        _ranges.insert(index, pinned)


def forget(address: int) -> None:
    """Forget the range that begins at an address."""
    with _lock:
        found = _find(address)
        if found is not None:  # else an interrupt came before it was noted
            _ranges.remove(found)


def _find(address: int) -> PinnedRange | None:
    """The range that an address is in."""
    index = bisect.bisect(_ranges, address, key=_start_of) - 1
    return _ranges[index] if index >= 0 and address < _ranges[index].end else None


def _lose(device: Device) -> None:
    """A reset unpins the memory that the device pinned, and takes it away."""
    with _lock:
        _ranges[:] = [pinned for pinned in _ranges if pinned.owner is not device]


Device.when_reset(_lose)


def is_pinned(address: int, size: int) -> bool:
    """Whether a range of host memory was pinned by this package."""
    if not _ranges:
        return False
    with _lock:
        found = _find(address)
        return found is not None and address + size <= found.end


def used_by(address: int, stream: Stream) -> None:
    """Note that a copy from or to an address is queued on a stream, and not waited for.

    Of memory that this package has not pinned nothing is noted.
    """
    with _lock:
        found = _find(address)
        if found is None:
            return
        if driver.stream_is_capturing(stream.handle):
            found.uses.captured = True
        else:
            stream.work.noted = True
            found.uses.works.add(stream.work)
