"""A memory pool's blocks on one stream: which memory is in use, and the best fit for a size.

An interrupt (Ctrl-C) may come between any two bytecodes, and must neither lose memory nor hand it
out twice. So what is true is in dicts, ``segments``, ``blocks`` and the ``chunks`` of a range, each
change of which is one call of C; whatever else there is follows from them and is made anew after an
interrupt. A block that is dropped without being returned, as by an interrupt between ``pop`` and
the store of its result, leaves a note in ``lost``, which is one call of C as well.
"""

from __future__ import annotations

import sys
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gpuarray import errors
from gpuarray._config import config
from gpuarray._ffi import driver
from gpuarray._runtime.address_range import AddressRange, Growth
from gpuarray._runtime.current_stream import captured_streams, current, need_context
from gpuarray._runtime.device import Device
from gpuarray._runtime.idle_memory import IdleMemory
from gpuarray._runtime.release import after_captures, later

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
#: The same of an arena whose memory lies side by side: it seldom grows then, and what is idle
#: serves whatever comes.
_MOST_PERCENT_OF_RANGE = 120
#: An arena of up to so many bytes has segments of just what its blocks need.
_LEAST_RANGE = 1 << 20
#: How many sizes that came once are remembered: blocks of a size that comes again have a list.
_MOST_SIZES = 256
#: Of so many merges an arena remembers the sizes of the blocks that they took from lists.
_MERGES_REMEMBERED = 4
#: For smaller blocks, which would lie scattered, only the last merge counts.
_LEAST_CUT_AGAIN = 1 << 16
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
        """Have no memory; a reset of the device took away what there was.

        Arrays that are still there append their blocks to lists that nobody reads again.
        """
        # Size in bytes -> blocks freed with that size. Bound launches hold the lists' pop and
        # append.
        self.bins: dict[int, list[Block]] = {}
        #: Blocks freed of sizes that came once, and sizes that did.
        self.loose: list[Block] = []
        self._sizes: set[int] = set()
        #: Of the last merges: size -> blocks that were taken from its list and not cut again.
        self._merged: deque[dict[int, int]] = deque(maxlen=_MERGES_REMEMBERED)
        self._most_bins = _LEAST_BINS
        # What is true: segments by address, and blocks that were handed out, freed ones among
        # them. The rest of the segments is idle.
        self.segments: dict[int, Segment] = {}
        self.blocks: dict[int, _BlockRef] = {}
        #: Addresses that get memory as the arena grows; False where there are none.
        self.range: AddressRange | bool | None = None
        #: Blocks that died without being freed: work may still be using their memory.
        self.lost: list[_BlockRef] = []
        #: Blocks from the bins that are not idle yet.
        self._freed: list[Block] = []
        # What follows from that: idle memory, and the bytes of all.
        self._idle = IdleMemory(self.segments, False)
        self._total = 0
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

    def home(self, size: int) -> list[Block]:
        """The list that blocks of a size which has none yet are to be freed to.

        Sizes that never come again would make many lists, and merging looks at each.
        """
        if size in self._sizes:
            return self.bin(size)
        if len(self._sizes) >= _MOST_SIZES:
            self._sizes.clear()
        self._sizes.add(size)
        return self.loose

    @property
    def total(self) -> int:
        """Bytes from the driver, or from the pool's own allocator."""
        with self.lock:
            self._recover()
            return self._total

    def pieces(self) -> list[tuple[int, int]]:
        """Address and bytes of each piece of memory from the driver."""
        found = [(address, segment.size) for address, segment in list(self.segments.items())]
        range_ = self.range
        return found + (list(range_.chunks.items()) if isinstance(range_, AddressRange) else [])

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
            sizes = list(self._idle.sizes.values())
            for blocks in [self._freed, self.loose, *list(self.bins.values())]:
                sizes += [block.size for block in list(blocks)]
            sizes += [ref.size for ref in list(self.lost) if self.blocks.get(ref.pointer) is ref]
        return sum(sizes), len(sizes)

    def find(self, size: int) -> Block | None:
        """The best fitting memory that is idle, or is so after freed blocks were merged.

        A whole segment can go back to the driver, one with a block in use cannot: so an arena of
        segments that has nearly as much as it may have splits none for a block that is much
        smaller, unless such remainders are few.
        """
        if not self._settled or self._condemned:
            self._recover()
        if self.loose:
            _move(self.loose, self._freed)
            self._return_freed()
        near = size + (size >> 3)
        block = self._take(size, near, near)
        if block is None and self._comes_again(size) and self._splits_any():
            block = self._take(size, sys.maxsize, sys.maxsize)
        if block is None:
            self.merge()
            self._note_peak(size)
            split = self._splits_any()
            block = self._take(size, sys.maxsize, sys.maxsize if split else size + size // 4)
        if block is None and not self.range and self._excess(Growth(0, size), size) > 0:
            parts = self._idle.nbytes - sum([whole for whole, _ in self._idle.segments()])
            room = self._peak * _FRAGMENTS_PERCENT // 100 - parts
            if room > 0:
                block = self._take(size, sys.maxsize, size + room)
        return block

    def _comes_again(self, size: int) -> bool:
        """Whether the list of a size lost a block to one of the last merges; only once for each.

        Each merge empties the lists. In a loop that frees and asks for a few sizes in turn, each
        would need another merge, for ever, if what comes again were not cut from idle memory as
        soon as it does.
        """
        merges = list(self._merged)
        if size < _LEAST_CUT_AGAIN:
            merges = merges[-1:]
        for taken in merges:
            if taken.get(size):
                taken[size] -= 1
                return True
        return False

    def _splits_any(self) -> bool:
        """Whether large segments are split for small blocks."""
        if self.range or self.private or self._idle.nbytes <= _SLACK:
            return True
        return self._total * 100 <= self._peak * _SPLIT_PERCENT

    def _take(self, size: int, most: int, most_of_whole: int) -> Block | None:
        """A block of the idle memory that fits, which is not too large, nor too large a segment."""
        idle = self._idle
        place = idle.fit(size, most, most_of_whole)
        if place < 0:
            return None
        address = idle.address_of(place, size)
        block = Block(address, size)
        ref = _BlockRef(block.guard, self.lost.append)
        ref.pointer, ref.size = address, size
        self._settled = False
        self.blocks[address] = ref
        idle.cut(place, address, size)
        self._settled = True
        return block

    def merge(self) -> None:
        """Make freed blocks idle, merging neighbours."""
        self._recover()
        taken = {}
        for blocks in list(self.bins.values()):
            if blocks:
                taken[blocks[0].size] = len(blocks)
                _move(blocks, self._freed)
        if taken:
            self._merged.append(taken)
        _move(self.loose, self._freed)
        self._return_freed()
        if self.lost:
            self._return_lost()
        if len(self.bins) > self._most_bins:
            for size in list(self.bins):
                if not self.bins[size] and _references(self.bins, size) == _UNUSED:
                    del self.bins[size]
            self._most_bins = max(_LEAST_BINS, 2 * len(self.bins))

    def _return_freed(self) -> None:
        freed = self._freed
        self._settled = False
        while freed:
            block = freed[-1]
            self._return(block.pointer, block.size)
            freed.pop()
        self._settled = True

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
        self._idle.put(address, size)

    def growth(self, size: int, most: int = sys.maxsize) -> Growth:
        """What to get for a block of a size: chunks of a range, if they have at most so many bytes.

        They continue idle memory where that is possible.
        """
        self._recover()
        if self._total + size > _LEAST_RANGE and self.allocator is None and not self.private:
            if self.range is None:
                self.range = _range_of(self.device)
                self._idle.gathers = bool(self.range)
            if isinstance(self.range, AddressRange):
                found = self.range.growth(size, self._idle.sizes, self._idle.ends)
                if found is not None and found.size <= most:
                    return found
        return Growth(0, size)

    def grow(self, growth: Growth) -> int:
        """Get memory, which is idle then; the address of its first byte."""
        self._recover()
        address, size = growth
        if address:
            self._grow_range(growth)
        elif self.allocator is None:
            self._settled = False
            slot = driver.address_slot()
            self._incoming = slot, size
            driver.mem_alloc_to(slot, size)
            address = slot.value
            self._adopt(address, size, None)
            self._incoming = None
            self._settled = True
        else:
            pointer = self.allocator(size)
            address = pointer.ptr
            self._settled = False
            self._adopt(address, size, pointer)
            self._settled = True
        _log_segment(size, self.device)
        return address

    def _adopt(self, address: int, size: int, owner: Any) -> None:
        if address in self.segments:
            return
        self.segments[address] = Segment(size, owner)
        self._total += size
        self._idle.add(address, size)

    def _grow_range(self, growth: Growth) -> None:
        range_ = self.range
        assert isinstance(range_, AddressRange)
        for part in range_.parts(growth):
            self._settled = False
            range_.map(part)
            self._total += part.size
            self._idle.put(*part)
            self._settled = True

    def trim_for(self, growth: Growth, size: int) -> None:
        """Give idle memory back, the largest first, where growing would leave too much idle."""
        excess = self._excess(growth, size)
        if excess > 0:
            self.free_segments(excess, growth)

    def _note_peak(self, size: int) -> None:
        """The peak counts a block of a size that will be in use."""
        used = self._total - self._idle.nbytes + size
        if used > self._peak:
            self._peak = used

    def _excess(self, growth: Growth, size: int) -> int:
        """Bytes that an arena which grows for a block of a size has too many."""
        self._recover()
        self._note_peak(size)
        percent, slack = _MOST_PERCENT, _SLACK
        if isinstance(self.range, AddressRange):
            percent, slack = _MOST_PERCENT_OF_RANGE, self.range.granularity
        return self._total + growth.size - max(self._peak * percent // 100, self._peak + slack)

    def free_segments(self, least: int = sys.maxsize, growth: Growth | None = None) -> None:
        """Give whole idle segments and chunks back to the driver: as many bytes as are wanted.

        What a growth will continue is kept. If all go back, what was in use before counts no more
        for how much may be idle.
        """
        if self.private or captured_streams:
            return
        self.merge()
        self._settled = False
        for size, address in self._idle.segments():
            if least <= 0:
                break
            if self.allocator is None:
                self._condemned.append(address)
            self._idle.remove(address, size)
            del self.segments[address]
            self._total -= size
            least -= size
        if isinstance(self.range, AddressRange):
            least = self._free_chunks(self.range, least, growth)
        self._settled = True
        if least > 0:
            self._peak = 0
        self._free_condemned()
        if growth is None and isinstance(self.range, AddressRange) and self.range.is_empty:
            self.range = None  # there are not addresses for ever so many pools and streams
            self._idle.gathers = False

    def _free_chunks(self, range_: AddressRange, least: int, growth: Growth | None) -> int:
        """Condemn whole idle chunks of a range; how many bytes are still wanted."""
        for address, size in self._idle.largest_first():
            if least <= 0:
                break
            if growth and growth.address in (address + size, address - growth.size):
                continue
            start = address
            for chunk, nbytes in range_.chunks_in(address, size):
                if least <= 0:
                    break
                if start == address:
                    self._idle.remove(address, size)
                range_.condemned.append((chunk, nbytes))
                del range_.chunks[chunk]
                self._total -= nbytes
                least -= nbytes
                if start < chunk:
                    self._idle.add(start, chunk - start)
                start = chunk + nbytes
            if address < start < address + size:
                self._idle.add(start, address + size - start)
        return least

    def _free_condemned(self) -> None:
        if self._condemned:
            need_context()
            driver.mem_free_all(self._condemned)
        if isinstance(self.range, AddressRange):
            self.range.unmap_condemned()

    def _recover(self) -> None:
        """Finish what was interrupted."""
        if self._settled and not self._condemned:
            return
        if self._incoming is not None:
            slot, size = self._incoming
            if slot.value and slot.value not in self.segments:
                self.segments[slot.value] = Segment(size, None)
            self._incoming = None
        if isinstance(self.range, AddressRange):
            self.range.recover()
        if not self._settled:
            self._rebuild()
        self._free_condemned()

    def _regions(self) -> list[tuple[int, int]]:
        """Begin and end of memory in which idle neighbours are one."""
        found = [(start, start + segment.size) for start, segment in self.segments.items()]
        return sorted(found + (self.range.runs() if isinstance(self.range, AddressRange) else []))

    def _rebuild(self) -> None:
        """Make all that follows from the segments, the chunks and the blocks anew."""
        self._condemned[:] = [x for x in self._condemned if x not in self.segments]
        self._freed[:] = [block for block in self._freed if self.has(block)]
        self._idle = IdleMemory(self.segments, bool(self.range))
        self._total = 0
        blocks = sorted([(ref.pointer, ref.size) for ref in list(self.blocks.values())])
        index = 0
        for start, stop in self._regions():
            self._total += stop - start
            while index < len(blocks) and blocks[index][0] < stop:
                address, size = blocks[index]
                if start < address:
                    self._idle.add(start, address - start)
                start = address + size
                index += 1
            if start < stop:
                self._idle.add(start, stop - start)
        self._settled = True


def _range_of(device: Device) -> AddressRange | bool:
    """Addresses for an arena; False where the driver, or the device, has none."""
    if not config.address_ranges or not device.attribute("virtual_address_management_supported"):
        return False
    try:
        return AddressRange(device)
    except errors.DriverError as error:
        if driver.is_sticky(error.status):
            raise
        return False  # many streams have reserved all there are


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
