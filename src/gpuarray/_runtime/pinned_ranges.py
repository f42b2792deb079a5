"""Which addresses of the host are page-locked by this package, and which work still uses them."""

from __future__ import annotations

import bisect
import contextlib
from typing import Any, NamedTuple

from gpuarray._runtime.device import Device
from gpuarray._runtime.stream import Stream
from gpuarray._runtime.stream_work import NotedWork, is_captured


class PinnedUses:
    """What has to end before page-locked memory may be used again."""

    __slots__ = ("captured", "works")

    def __init__(self) -> None:
        #: Streams with copies that nobody waited for.
        self.works = NotedWork()
        #: Whether a graph has a copy, which may run at any time.
        self.captured = False


class PinnedRange(NamedTuple):
    """Addresses that are pinned by this package."""

    start: int
    end: int
    owner: Device
    uses: PinnedUses


#: In order. Each change and each search is one call of C, which no interrupt divides and no other
#: thread sees half of. So there is no lock, which a finalizer might wait for that its own thread
#: has.
_ranges: list[PinnedRange] = []
#: Greater than the end of each range.
_ABOVE = 1 << 64


def note(pinned: PinnedRange) -> None:
    """Note a range that was pinned."""
    bisect.insort(_ranges, pinned)


def forget(address: int) -> None:
    """Forget the range that begins at an address."""
    found = find(address, 0)
    if found is not None:  # else an interrupt came before it was noted
        with contextlib.suppress(ValueError):
            _ranges.remove(found)


def find(address: int, size: int) -> PinnedRange | None:
    """The range that some bytes are in; None if this package has not pinned them all."""
    key: Any = (address, _ABOVE)
    while _ranges:
        at = bisect.bisect(_ranges, key)
        try:
            found = _ranges[at - 1]
        except IndexError:  # another thread has removed some
            continue
        if found[0] <= address and address + size <= found[1]:
            return found
        if bisect.bisect(_ranges, key) == at:  # else another thread has moved them
            return None
    return None


def _lose(device: Device) -> None:
    """A reset unpins the memory that the device pinned, and takes it away."""
    _ranges[:] = [pinned for pinned in _ranges if pinned.owner is not device]


Device.when_reset(_lose)


def is_pinned(address: int, size: int) -> bool:
    """Whether a range of host memory was pinned by this package."""
    return find(address, size) is not None


def used_by(address: int, stream: Stream) -> None:
    """Note that a copy from or to an address is queued on a stream, and not waited for.

    Of memory that this package has not pinned nothing is noted.
    """
    found = find(address, 0)
    if found is not None:
        note_use(found, stream)


def note_use(pinned: PinnedRange, stream: Stream) -> None:
    """Note that a copy from or to a range is queued on a stream, and not waited for."""
    if is_captured(stream):
        pinned.uses.captured = True
    else:
        work, works = stream.work, pinned.uses.works
        if works.latest is not work:
            work.noted = True
            works.add(work)
            works.latest = work
