"""The idle memory of an arena: by address, by end, and in the order of sizes for the best fit."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Mapping
from typing import Protocol

#: In the order of sizes a number is ``size << _SIZE_SHIFT | address``.
_SIZE_SHIFT = 64
_ADDRESS = (1 << _SIZE_SHIFT) - 1
#: Where small blocks gather, blocks of at least so many bytes are cut from the end of idle memory,
#: smaller ones from the beginning of that at the lowest address among so many that fit best. So
#: what is idle between them is not in small pieces.
_LARGE_BLOCK = 1 << 18
_FITS = 8


class _Sized(Protocol):
    @property
    def size(self) -> int: ...


class IdleMemory:
    """Memory that nobody uses.

    Parameters
    ----------
    segments : mapping
        The arena's segments by address. What lies behind a segment's beginning is never merged
        with what lies before it.
    gathers : bool
        Whether small blocks gather at low addresses.
    """

    __slots__ = ("_segments", "ends", "gathers", "nbytes", "order", "sizes")

    def __init__(self, segments: Mapping[int, _Sized], gathers: bool):
        self._segments = segments
        self.gathers = gathers
        #: Address -> size, and end -> address.
        self.sizes: dict[int, int] = {}
        self.ends: dict[int, int] = {}
        self.order: list[int] = []
        #: All of it.
        self.nbytes = 0

    def segments(self) -> list[tuple[int, int]]:
        """Size and address of each segment that is idle as a whole, the largest first."""
        sizes = self.sizes
        found = [(x.size, at) for at, x in self._segments.items() if sizes.get(at) == x.size]
        return sorted(found, reverse=True)

    def largest_first(self) -> Iterator[tuple[int, int]]:
        """Address and size of each piece that there is now."""
        for fit in self.order[::-1]:
            yield fit & _ADDRESS, fit >> _SIZE_SHIFT

    def fit(self, size: int, most: int, most_of_segment: int) -> int:
        """The place in the order of what to take a block from; -1 if there is nothing.

        It has at most so many bytes, and others if it is a whole segment.
        """
        order = self.order
        first = bisect.bisect_left(order, size << _SIZE_SHIFT)
        if self.gathers and size < _LARGE_BLOCK:
            if first == len(order) or order[first] >> _SIZE_SHIFT > most:
                return -1
            lowest = min(order[first : first + _FITS], key=_ADDRESS.__and__)
            return order.index(lowest, first)
        for place in range(first, len(order)):
            found = order[place] >> _SIZE_SHIFT
            if found <= most_of_segment:
                return place
            if found > most:
                break
            segment = self._segments.get(order[place] & _ADDRESS)
            if segment is None or segment.size != found:
                return place
        return -1

    def address_of(self, place: int, size: int) -> int:
        """Where a block begins that is cut from what has a place in the order."""
        fit = self.order[place]
        if self.gathers and size >= _LARGE_BLOCK:
            return (fit & _ADDRESS) + (fit >> _SIZE_SHIFT) - size
        return fit & _ADDRESS

    def cut(self, place: int, address: int, size: int) -> None:
        """Take a block at the beginning or the end of what has a place in the order."""
        fit = self.order.pop(place)
        start = fit & _ADDRESS
        left = (fit >> _SIZE_SHIFT) - size
        self.nbytes -= size
        if not left:
            del self.sizes[start], self.ends[start + size]
            return
        if address == start:
            del self.sizes[start]
            start += size
        else:
            del self.ends[address + size]
        self.sizes[start] = left
        self.ends[start + left] = start
        bisect.insort(self.order, left << _SIZE_SHIFT | start)

    def put(self, address: int, size: int) -> None:
        """Add memory, as one with what lies beside it."""
        sizes, ends, order = self.sizes, self.ends, self.order
        self.nbytes += size
        end = address + size
        behind = sizes.get(end)
        if behind is not None and end not in self._segments:
            del sizes[end]
            del order[bisect.bisect_left(order, behind << _SIZE_SHIFT | end)]
            size += behind
        before = ends.get(address)
        if before is not None and address not in self._segments:
            del ends[address]
            more = sizes[before]
            del order[bisect.bisect_left(order, more << _SIZE_SHIFT | before)]
            size += more
            address = before
        sizes[address] = size
        ends[address + size] = address
        bisect.insort(order, size << _SIZE_SHIFT | address)

    def add(self, address: int, size: int) -> None:
        """Add memory that nothing idle lies beside."""
        self.sizes[address] = size
        self.ends[address + size] = address
        self.nbytes += size
        bisect.insort(self.order, size << _SIZE_SHIFT | address)

    def remove(self, address: int, size: int) -> None:
        """Take away a piece as a whole."""
        del self.sizes[address]
        del self.ends[address + size]
        self.nbytes -= size
        del self.order[bisect.bisect_left(self.order, size << _SIZE_SHIFT | address)]
