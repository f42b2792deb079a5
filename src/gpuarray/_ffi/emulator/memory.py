"""Device memory of the emulator: one large mapping, so that a device address is a host address."""

from __future__ import annotations

import bisect
import contextlib
import ctypes
import functools
import mmap
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpuarray._integers import round_up

from .faults import ILLEGAL_ADDRESS, DeviceFault
from .shared_pages import SharedPages

if TYPE_CHECKING:
    from .simt.checker import Checker
    from .simt.images import Image

#: Allocations begin at multiples of this, which suits textures, too, as with the CUDA driver.
ALIGNMENT = 512
PAGE = mmap.PAGESIZE
#: The pages of a freed block of at least this size are returned to the system.
_RETURNED_PAGES = 64 << 20

_DTYPES = tuple(
    np.dtype(code)
    for code in ("b1", "i1", "u1", "i2", "u2", "f2", "i4", "u4", "f4", "i8", "u8", "f8")
)


def _keep_freed_memory() -> None:
    """Let the C library keep freed memory instead of mapping it afresh for every temporary.

    The emulator makes arrays of a few hundred kilobytes at a great rate; page faults would
    cost several times what the arithmetic does. Only glibc has these settings.
    """
    trim_threshold, mmap_threshold = -1, -3
    with contextlib.suppress(OSError, AttributeError, TypeError):
        library = ctypes.CDLL(None)
        library.mallopt(mmap_threshold, 1 << 30)
        library.mallopt(trim_threshold, 1 << 30)


#: An address this close to 0 comes from a null pointer: no memory is anywhere near.
_NULL_BYTES = 1 << 30


def _mincore(address: int, nbytes: int, found: int) -> int:
    function = ctypes.CDLL(None).mincore
    function.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p
    return function(address, nbytes, found)


@functools.cache
def _pages_are_watched() -> bool:
    """Whether the system tells a page that was accessed from one that was not."""
    try:
        arena = Arena(4 * PAGE)
        arena.bytes[:] = 1
        arena.drop_pages(arena.base, 4 * PAGE)
        before = arena.present_pages(arena.base, 4)
        read = int(arena.bytes[PAGE])
        after = arena.present_pages(arena.base, 4)
    except (OSError, AttributeError):
        return False
    return not before.any() and read == 0 and after.tolist() == [False, True, False, False]


class Arena:
    """Device memory and its allocation table.

    The mapping is reserved, not committed: pages cost nothing until they are touched. Every
    allocation is followed by at least one unused byte, so that running over the end of one
    never lands in the next unnoticed.
    """

    def __init__(self, size: int = 8 << 30):
        _keep_freed_memory()
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0x4000)
        self._mapping = mmap.mmap(-1, size, flags=flags)
        self.bytes = np.frombuffer(self._mapping, np.uint8)
        self.size = size
        self.base: int = self.bytes.ctypes.data
        #: The whole arena as an array of each element type: loads index into these.
        self.views = {dtype.str[1:]: self.bytes.view(dtype) for dtype in _DTYPES}
        #: Start and end addresses of live allocations, sorted.
        self.starts: list[int] = []
        self.ends: list[int] = []
        #: Start and bytes of memory that is divided among threads and is in no such table.
        self.divided: dict[int, int] = {}
        #: Sorted offsets of free blocks below ``_top``, and the size of each.
        self._free_offsets: list[int] = []
        self._free_sizes: dict[int, int] = {}
        self._top = PAGE  # address 0 of the arena is never valid
        #: Block sizes of allocations that have pages of their own.
        self._page_blocks: dict[int, int] = {}
        #: Offset and bytes of what is reserved, by address.
        self._reserved: dict[int, tuple[int, int]] = {}
        #: Pages that other processes can open; start and bytes of those of other processes.
        self.shared = SharedPages()
        self._opened: dict[int, tuple[int, int, int]] = {}
        self.used = 0
        #: Counts the writes of kernels that other threads can see, by which the scheduler tells
        #: progress from a livelock.
        self.writes = 0
        #: Checks accesses for more than bounds, while the checkers are on.
        self.checker: Checker | None = None
        #: Texture and surface objects by handle.
        self.images: dict[int, Image] = {}
        #: Held while a kernel runs, and while the table changes.
        self.lock = threading.RLock()

    @property
    def mapping(self) -> mmap.mmap:
        return self._mapping

    def allocate(self, nbytes: int, *, whole_pages: bool = False) -> int:
        """Reserve ``nbytes`` and return the address; the content is not initialised.

        With `whole_pages` it is zeros, and no other allocation lies in the same pages.
        """
        nbytes = max(int(nbytes), 1)
        with self.lock:
            start = self._place(nbytes, whole_pages)
            index = len(self.starts)
            if index and start < self.starts[-1]:
                index = bisect.bisect_left(self.starts, start)
            # An interrupt comes behind a call, and here is none: both or neither.
            self.starts[index:index] = [start]
            self.ends[index:index] = [start + nbytes]
            self.used += nbytes
            return start

    def _place(self, nbytes: int, whole_pages: bool = False) -> int:
        """The address of free memory."""
        block = (nbytes + ALIGNMENT) & -ALIGNMENT  # always leaves at least one unused byte
        if whole_pages:
            block = round_up(block, PAGE) + PAGE
        try:
            offset = self._take_block(block)
        except MemoryError:
            if not self.end_quarantine():
                raise
            offset = self._take_block(block)
        if whole_pages:
            before = -offset % PAGE
            if before:
                self._return_block(offset, before)
            offset, block = offset + before, block - before
            self._page_blocks[self.base + offset] = block
            self.drop_pages(self.base + offset, block)
        return self.base + offset

    def reserve(self, nbytes: int, alignment: int) -> int:
        """Keep addresses free, to which memory is mapped by `add_run`."""
        with self.lock:
            block = nbytes + alignment
            offset = self._take_block(block)
            address = round_up(self.base + offset, alignment)
            self._reserved[address] = offset, block
            return address

    def end_reservation(self, address: int) -> None:
        """Undo `reserve`."""
        with self.lock:
            self._return_block(*self._reserved.pop(address))

    def add_run(self, start: int, end: int) -> None:
        """Let reserved addresses be accessed. They join those beside them."""
        with self.lock:
            low = high = bisect.bisect_left(self.starts, start)
            change = end - start
            if low and self.ends[low - 1] == start:
                low -= 1
                start = self.starts[low]
            if high < len(self.starts) and self.starts[high] == end:
                end = self.ends[high]
                high += 1
            self._replace_runs(low, high, [start], [end], change)

    def drop_run(self, start: int, end: int) -> None:
        """Undo `add_run` for a part of a run."""
        with self.lock:
            index = bisect.bisect_right(self.starts, start) - 1
            starts, ends = [], []
            if self.starts[index] < start:
                starts, ends = [self.starts[index]], [start]
            if end < self.ends[index]:
                starts, ends = [*starts, end], [*ends, self.ends[index]]
            self._replace_runs(index, index + 1, starts, ends, start - end)

    def _replace_runs(
        self, low: int, high: int, starts: list[int], ends: list[int], change: int
    ) -> None:
        if self.checker is not None:  # what it knows is by run
            for address in {*self.starts[low:high], *starts}:
                self.checker.forget(address)
        # Without calls, behind which an interrupt could come.
        self.starts[low:high] = starts
        self.ends[low:high] = ends
        self.used += change

    def divide(self, nbytes: int) -> int:
        """Allocate memory of which each thread may access its own part only.

        For `holds` nothing is there: who accesses it has to know the parts.
        """
        with self.lock:
            start = self._place(nbytes)
            self.divided[start] = nbytes
            self.used += nbytes
            return start

    def free_divided(self, address: int) -> None:
        """Free what `divide` allocated."""
        with self.lock:
            nbytes = self.divided.pop(address)
            self.used -= nbytes
            if self.checker is not None:
                self.checker.forget(address)
            self._return_block(address - self.base, (nbytes + ALIGNMENT) & -ALIGNMENT)

    def free(self, address: int, *, at_once: bool = True) -> None:
        """Free the allocation that begins at ``address``; KeyError if there is none.

        Where it need not be at once, the checkers keep the memory from being used again for a
        while, so that an access to it is noticed.
        """
        with self.lock:
            index = bisect.bisect_left(self.starts, address)
            if index == len(self.starts) or self.starts[index] != address:
                raise KeyError(address)
            nbytes = self.ends[index] - address
            del self.starts[index], self.ends[index]
            self.used -= nbytes
            block = self._page_blocks.pop(address, (nbytes + ALIGNMENT) & -ALIGNMENT)
            kept = self.checker is not None and not at_once
            if self.checker is not None:
                self.checker.forget(address)
            if nbytes >= (2 * PAGE if kept else _RETURNED_PAGES):
                self.drop_pages(address, nbytes)
            if kept:
                for old in self.checker.freed(address, nbytes, block):
                    self._return_block(*old)
                return
            self._return_block(address - self.base, block)

    def drop_pages(self, address: int, nbytes: int) -> None:
        """Return the whole pages in a range to the system; they read as zeros."""
        first = (address - self.base + PAGE - 1) & -PAGE
        last = (address - self.base + nbytes) & -PAGE
        if last > first and hasattr(mmap, "MADV_DONTNEED"):
            self._mapping.madvise(mmap.MADV_DONTNEED, first, last - first)
            if self.shared:  # a file keeps what the pages held
                self.shared.clear(self.base + first, self.base + last)

    def open_shared(
        self, offset: int, nbytes: int, process: int, runs: Sequence[Sequence[int]]
    ) -> int:
        """Map pages that another process shares; the address of the range in them."""
        span = sum([count for _, _, count in runs]) * PAGE
        with self.lock:
            block = span + 2 * PAGE
            start = self._take_block(block)
            first = round_up(self.base + start, PAGE)
            try:
                self.shared.map_runs(first, process, runs)
            except BaseException:
                self.shared.unmap(first, span)
                self._return_block(start, block)
                raise
            address = first + offset
            index = bisect.bisect_left(self.starts, address)
            self.starts[index:index] = [address]
            self.ends[index:index] = [address + nbytes]
            self.used += nbytes
            self._opened[address] = start, block, span
            self.wrote(address, nbytes)
            return address

    def close_shared(self, address: int) -> None:
        """Undo `open_shared`."""
        with self.lock:
            start, block, span = self._opened.pop(address)
            index = bisect.bisect_left(self.starts, address)
            self.used -= self.ends[index] - address
            del self.starts[index], self.ends[index]
            if self.checker is not None:
                self.checker.forget(address)
            self.shared.unmap(round_up(self.base + start, PAGE), span)
            self._return_block(start, block)

    def present_pages(self, address: int, count: int) -> np.ndarray:
        """Which of so many pages from an address on are in memory: a page that was returned to
        the system is again once it was accessed."""
        found = np.zeros(count, np.uint8)
        status = _mincore(address, count * PAGE, found.ctypes.data)
        return (found & 1).astype(bool) if not status else np.zeros(count, bool)

    def watch_pages(self) -> bool:
        """Let accesses to single pages be noticed; whether the system can."""
        if not hasattr(mmap, "MADV_NOHUGEPAGE") or not _pages_are_watched():
            return False
        with contextlib.suppress(OSError):  # a system without huge pages
            self._mapping.madvise(mmap.MADV_NOHUGEPAGE)
        return True

    def end_quarantine(self) -> bool:
        """Let freed memory that the checkers kept be used again; whether there was some."""
        if self.checker is None:
            return False
        blocks = self.checker.quarantine.clear()
        for block in blocks:
            self._return_block(*block)
        return bool(blocks)

    def wrote(self, address: int, nbytes: int) -> None:
        """The host wrote to memory: it counts as initialised from now on."""
        if self.checker is not None:
            self.checker.wrote(address, nbytes)

    def copied(self, target: int, source: int, nbytes: int) -> None:
        """Memory was copied, initialised or not."""
        if self.checker is not None:
            self.checker.copied(target, source, nbytes)

    def view(self, address: int, nbytes: int) -> np.ndarray:
        """The bytes at ``address`` as an array that shares the arena's memory."""
        if nbytes == 0:
            return self.bytes[:0]
        found = self.find(address)
        if found is None or address + nbytes > found[0] + found[1]:
            raise DeviceFault(
                ILLEGAL_ADDRESS,
                f"{nbytes} bytes at 0x{address:x} are not device memory ({self.describe(address)})",
            )
        offset = address - self.base
        return self.bytes[offset : offset + nbytes]

    def find(self, address: int) -> tuple[int, int] | None:
        """(start, nbytes) of the live allocation that holds ``address``."""
        index = bisect.bisect_right(self.starts, address) - 1
        if index >= 0 and address < self.ends[index]:
            return self.starts[index], self.ends[index] - self.starts[index]
        for start, nbytes in self.divided.items():
            if start <= address < start + nbytes:
                return start, nbytes
        return None

    def holds(self, first: int, last: int) -> bool:
        """Whether one live allocation holds all bytes of [first, last)."""
        index = bisect.bisect_right(self.starts, first) - 1
        return index >= 0 and last <= self.ends[index]

    def describe(self, address: int) -> str:
        """Where ``address`` lies with respect to live allocations, for messages."""
        if address < _NULL_BYTES:
            return f"{address} bytes behind the null pointer" if address else "the null pointer"
        if address >= 2**64 - _NULL_BYTES:
            return f"{2**64 - address} bytes before the null pointer"
        freed = self.checker and self.checker.quarantine.describe(address)
        if freed:
            return freed
        index = bisect.bisect_right(self.starts, address) - 1
        parts = []
        if index >= 0:
            start, end = self.starts[index], self.ends[index]
            if address < end:
                return f"{address - start} bytes into the {end - start}-byte allocation 0x{start:x}"
            parts.append(
                f"{address - end} bytes past the {end - start}-byte allocation 0x{start:x}"
            )
        if index + 1 < len(self.starts):
            start, end = self.starts[index + 1], self.ends[index + 1]
            parts.append(
                f"{start - address} bytes before the {end - start}-byte allocation 0x{start:x}"
            )
        if len(parts) == 2 and address - self.ends[index] > self.starts[index + 1] - address:
            parts.reverse()
        return "nearest: " + parts[0] if parts else "nothing is allocated"

    def _take_block(self, block: int) -> int:
        """Offset of a free block: the first that fits, else from the untouched end."""
        for index, offset in enumerate(self._free_offsets):
            size = self._free_sizes[offset]
            if size >= block:
                del self._free_sizes[offset]
                if size > block:
                    self._free_offsets[index] = offset + block
                    self._free_sizes[offset + block] = size - block
                else:
                    del self._free_offsets[index]
                return offset
        offset = self._top
        if offset + block > self.size:
            raise MemoryError(
                f"the emulated device has {self.size} bytes and cannot hold {block} more"
            )
        self._top += block
        return offset

    def _return_block(self, offset: int, block: int) -> None:
        """Add a free block, joined with free neighbours."""
        offsets, sizes = self._free_offsets, self._free_sizes
        index = bisect.bisect_left(offsets, offset)
        if index < len(offsets) and offsets[index] == offset + block:
            block += sizes[offsets[index]]  # without calls, behind which an interrupt could come
            del sizes[offsets[index]], offsets[index]
        if index and offsets[index - 1] + sizes[offsets[index - 1]] == offset:
            sizes[offsets[index - 1]] += block
            offset = offsets[index - 1]
            index -= 1
            block = sizes[offset]
        else:
            offsets[index:index] = [offset]
            sizes[offset] = block
        if offset + block == self._top:
            del offsets[index], sizes[offset]
            self._top = offset
