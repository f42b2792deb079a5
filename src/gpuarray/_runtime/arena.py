"""A memory pool's blocks on one stream: which memory is in use, and the best fit for a size.

An interrupt (Ctrl-C) may come between any two bytecodes, and must neither lose memory nor hand it
out twice. So what is true is in two dicts, ``segments`` and ``blocks``, each change of which is one
call of C; whatever else there is follows from them and is made anew after an interrupt. A block
that is dropped without being returned, as by an interrupt between ``pop`` and the store of its
result, leaves a note in ``lost``, which is one call of C as well.
"""

from __future__ import annotations

import bisect
import sys
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gpuarray import errors
from gpuarray._ffi import driver
from gpuarray._runtime.device import (
    Device,
    after_captures,
    captured_streams,
    current,
    later,
    need_context,
)

#: Lists of freed blocks that an arena may have before it looks for those that nobody uses.
_LEAST_BINS = 64
#: Before an arena takes another segment from the driver, it frees idle segments until it has at
#: most so many percent of the peak, which is the most memory that was in use at once.
_MOST_PERCENT = 115
#: Up to so many percent of the peak idle segments are split for any smaller block. That fragments
#: them, but freeing them instead would let the driver wait for the device.
_SPLIT_PERCENT = 108
#: Instead of being freed, idle segments are also split as long as the fragments, idle parts of
#: segments that are in use, have at most so many percent of the peak.
_FRAGMENTS_PERCENT = 12
#: Bytes that an arena may have beyond what is in use in any case.
_SLACK = 1 << 20
#: Bytes of a segment that is worth a message of level INFO: what takes long to get and to fill.
_LARGE = 1 << 28


class Block:
    """A run of a segment's memory that was handed out; free if it is in a list of the arena.

    ``guard`` dies with the block. The block itself cannot be watched: the garbage collector clears
    weak references to an object, and calls them back, before a finalizer brings it to life again.
    NumPy's arrays are unknown to the collector, so a reference to one lasts as long as the array.
    """

    __slots__ = ("guard", "pointer", "size")

    def __init__(self, pointer: int, size: int):
        self.pointer = pointer
        self.size = size
        self.guard = np.empty(0, np.uint8)


class _BlockRef(weakref.ref):
    """The arena's reference to a block's guard, which knows the memory when the block is gone."""

    __slots__ = ("pointer", "size")

    pointer: int
    size: int


class Segment(NamedTuple):
    """Memory from the driver, or from the pool's own allocator, whose object keeps it."""

    size: int
    owner: Any


def _references(bins: dict[int, list[Block]], size: int) -> int:
    return sys.getrefcount(bins[size])


#: The references to a list that only the dict of lists refers to.
_UNUSED = _references({0: []}, 0)


class Arena:
    """One pool's blocks on one stream.

    Parameters
    ----------
    device : Device
        The stream's device.
    allocator : callable or None
        The pool's: takes bytes, returns a `MemoryPointer`; the driver's memory for None.
    lock : context manager
        The pool's. Whoever finds, merges, grows or frees holds it.
    """

    def __init__(self, device: Device, allocator: Any, lock: Any):
        self.device = device
        self.allocator = allocator
        self.lock = lock
        #: Whether the memory belongs to a graph, which may use what is free.
        self.private = False
        self.forget()

    def forget(self) -> None:
        """Have no memory; what there was is not freed, since a reset of the device took it away.

        Arrays that are still there append their blocks to lists that nobody reads again.
        """
        # Size in bytes -> blocks freed with that size. Bound launches hold the lists' pop and
        # append.
        self.bins: dict[int, list[Block]] = {}
        self._most_bins = _LEAST_BINS
        # What is true: segments by address, and blocks that were handed out, freed ones among
        # them. The rest of the segments is idle.
        self.segments: dict[int, Segment] = {}
        self.blocks: dict[int, _BlockRef] = {}
        #: Blocks that died without being freed: work may still be using their memory.
        self.lost: list[_BlockRef] = []
        #: Blocks from the bins that are not idle yet.
        self._freed: list[Block] = []
        # What follows from that: idle memory as address -> size, as end -> address, and in the
        # order of sizes, parts of segments and whole ones.
        self._idle: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        self._parts: list[tuple[int, int]] = []
        self._wholes: list[tuple[int, int]] = []
        #: Bytes that are, or were, in use at once.
        self._peak = 0
        #: Whether it follows: not so during a change, and after one that was interrupted.
        self._settled = True
        #: Where the driver writes the address of a new segment, and its size.
        self._incoming: tuple[Any, int] | None = None
        #: Addresses of the driver's that are no segments any more, but not freed yet.
        self._condemned: list[int] = []

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        # At the end of the process this module's names may be gone, so it has the function.
        # The stream is gone, and with it every allocation made on it.
        self.private = False
        if ending() or driver.forked():
            return
        if not (later(self.free_segments) or after_captures(self.free_segments)):
            self.free_segments()

    def bin(self, size: int) -> list[Block]:
        """The list of freed blocks of a size."""
        found = self.bins.get(size)
        if found is None:
            with self.lock:  # lists are dropped under it
                found = self.bins.setdefault(size, [])
        return found

    @property
    def total(self) -> int:
        """Bytes of all segments."""
        with self.lock:
            self._recover()
            return sum([segment.size for segment in self.segments.values()])

    @property
    def idle(self) -> int:
        """Bytes that were never handed out, or merged after that."""
        return sum(list(self._idle.values()))

    def has(self, block: Block) -> bool:
        """Whether a block was handed out here."""
        ref = self.blocks.get(block.pointer)
        return ref is not None and ref() is block.guard

    def owner_of(self, block: Block) -> Any:
        """What keeps the segment of a block; None for memory from the driver."""
        for address, segment in list(self.segments.items()):
            if address <= block.pointer < address + segment.size:
                return segment.owner
        return None

    def counts(self) -> tuple[int, int]:
        """Free bytes and free blocks."""
        with self.lock:
            self._recover()
            sizes = list(self._idle.values())
            for blocks in [self._freed, *list(self.bins.values())]:
                sizes += [block.size for block in list(blocks)]
            sizes += [ref.size for ref in list(self.lost) if self.blocks.get(ref.pointer) is ref]
        return sum(sizes), len(sizes)

    def find(self, size: int) -> Block | None:
        """The best fitting memory that is idle, or is so after freed blocks were merged.

        A whole segment can go back to the driver, one with a block in use cannot: so an arena that
        has nearly as much as it may have splits none for a block that is much smaller, unless such
        remainders are few.
        """
        self._recover()
        near = size + size // 8
        block = self._take(size, near, near)
        if block is None:
            self.merge()
            total = self._total_for(size)
            few = self.idle <= _SLACK or total * 100 <= self._peak * _SPLIT_PERCENT
            split = self.private or few
            block = self._take(size, sys.maxsize, sys.maxsize if split else size + size // 4)
        if block is None and self._excess(size) > 0:
            room = self._peak * _FRAGMENTS_PERCENT // 100 - sum([part for part, _ in self._parts])
            if room > 0:
                block = self._take(size, sys.maxsize, size + room)
        return block

    def _take(self, size: int, most: int, most_of_whole: int) -> Block | None:
        """A block of the smallest idle part of a segment, or whole one, that is large enough."""
        found, address = min(
            _best_fit(self._parts, size, most), _best_fit(self._wholes, size, most_of_whole)
        )
        if not address:
            return None
        block = Block(address, size)
        ref = _BlockRef(block.guard, self.lost.append)
        ref.pointer, ref.size = address, size
        self._settled = False
        self.blocks[address] = ref
        self._remove_idle(address, found)
        if found > size:
            self._add_idle(address + size, found - size)
        self._settled = True
        return block

    def merge(self) -> None:
        """Make freed blocks idle, merging neighbours."""
        self._recover()
        freed = self._freed
        for blocks in list(self.bins.values()):
            if blocks:
                _move(blocks, freed)
        self._settled = False
        while freed:
            block = freed[-1]
            self._return(block.pointer, block.size)
            freed.pop()
        self._settled = True
        if self.lost:
            self._return_lost()
        if len(self.bins) > self._most_bins:
            for size in list(self.bins):
                if not self.bins[size] and _references(self.bins, size) == _UNUSED:
                    del self.bins[size]
            self._most_bins = max(_LEAST_BINS, 2 * len(self.bins))

    def _return_lost(self) -> None:
        """Make the memory of blocks that died idle, as soon as nothing can be using it."""
        count = len(self.lost)
        try:
            if captured_streams or driver.stream_is_capturing(current.stream.handle):
                return
            self.device.synchronize()
        except errors.DriverError:
            return
        self._settled = False
        for _ in range(count):
            ref = self.lost[0]
            if self.blocks.get(ref.pointer) is ref:
                self._return(ref.pointer, ref.size)
            del self.lost[0]
        self._settled = True

    def _return(self, address: int, size: int) -> None:
        del self.blocks[address]
        end = address + size
        behind = self._idle.get(end)
        if behind is not None and end not in self.segments:
            self._remove_idle(end, behind)
            size += behind
        before = self._ends.get(address)
        if before is not None and address not in self.segments:
            size += self._idle[before]
            self._remove_idle(before, self._idle[before])
            address = before
        self._add_idle(address, size)

    def grow(self, size: int) -> None:
        """Get a segment of that size, which is idle then."""
        self._recover()
        if self.allocator is None:
            slot = driver.address_slot()
            self._incoming = slot, size
            driver.mem_alloc_to(slot, size)
            self._adopt(slot.value, size, None)
            self._incoming = None
        else:
            pointer = self.allocator(size)
            self._adopt(pointer.ptr, size, pointer)
        _log_segment(size, self.device)

    def _adopt(self, address: int, size: int, owner: Any) -> None:
        if address in self.segments:
            return
        self._settled = False
        self.segments[address] = Segment(size, owner)
        self._add_idle(address, size)
        self._settled = True

    def trim_for(self, size: int) -> None:
        """Give segments back, the largest first, where growing would leave too much idle."""
        excess = self._excess(size)
        if excess > 0:
            self.free_segments(excess)

    def _total_for(self, size: int) -> int:
        """Bytes of all segments; the peak counts a block of a size that will be in use."""
        total = self.total
        self._peak = max(self._peak, total - self.idle + size)
        return total

    def _excess(self, size: int) -> int:
        """Bytes that an arena which grows has too many."""
        total = self._total_for(size)
        most = max(self._peak * _MOST_PERCENT // 100, self._peak + _SLACK)
        return total + size - most

    def free_segments(self, least: int = sys.maxsize) -> None:
        """Give whole idle segments back to the driver: as many as there are bytes wanted.

        If all go back, what was in use before counts no more for how much may be idle.
        """
        if self.private or captured_streams:
            return
        self.merge()
        self._settled = False
        while self._wholes and least > 0:
            size, address = self._wholes[-1]
            if self.allocator is None:
                self._condemned.append(address)
            self._remove_idle(address, size)
            del self.segments[address]
            least -= size
        self._settled = True
        if least > 0:
            self._peak = 0
        self._free_condemned()

    def _free_condemned(self) -> None:
        if self._condemned:
            need_context()
            driver.mem_free_all(self._condemned)

    def _recover(self) -> None:
        """Finish what was interrupted."""
        if self._incoming is not None:
            slot, size = self._incoming
            if slot.value and slot.value not in self.segments:
                self.segments[slot.value] = Segment(size, None)
                self._settled = False
            self._incoming = None
        if not self._settled:
            self._rebuild()
        if self._condemned:
            self._free_condemned()

    def _rebuild(self) -> None:
        """Make all that follows from the segments and the blocks anew."""
        self._condemned[:] = [x for x in self._condemned if x not in self.segments]
        self._freed[:] = [block for block in self._freed if self.has(block)]
        self._idle, self._ends, self._parts, self._wholes = {}, {}, [], []
        blocks = sorted([(ref.pointer, ref.size) for ref in list(self.blocks.values())])
        index = 0
        for start, segment in sorted(self.segments.items()):
            stop = start + segment.size
            while index < len(blocks) and blocks[index][0] < stop:
                address, size = blocks[index]
                if start < address:
                    self._add_idle(start, address - start)
                start = address + size
                index += 1
            if start < stop:
                self._add_idle(start, stop - start)
        self._settled = True

    def _add_idle(self, address: int, size: int) -> None:
        self._idle[address] = size
        self._ends[address + size] = address
        bisect.insort(self._in_order(address, size), (size, address))

    def _remove_idle(self, address: int, size: int) -> None:
        del self._idle[address]
        del self._ends[address + size]
        blocks = self._in_order(address, size)
        del blocks[bisect.bisect_left(blocks, (size, address))]

    def _in_order(self, address: int, size: int) -> list[tuple[int, int]]:
        """The list that idle memory is in."""
        segment = self.segments.get(address)
        return self._parts if segment is None or segment.size != size else self._wholes


#: What no idle memory is.
_NO_FIT = sys.maxsize, 0


def _best_fit(blocks: list[tuple[int, int]], size: int, most: int) -> tuple[int, int]:
    """Size and address of the smallest block of at least a size, and at most another."""
    index = bisect.bisect_left(blocks, (size,))
    return blocks[index] if index < len(blocks) and blocks[index][0] <= most else _NO_FIT


def _log_segment(size: int, device: Device) -> None:
    from gpuarray import _log  # importing the package does not need it

    level = _log.INFO if size >= _LARGE else _log.DEBUG
    _log.log(level, "memory", "device %d: %d bytes from the driver", device.id, size)


def _move(blocks: list[Block], target: list[Block]) -> None:
    """Move all blocks of a list that other threads change, with no step between two lists."""
    try:
        target.extend(iter(blocks.pop, None))
    except IndexError:  # the list is empty, and what was popped is in the other
        pass
