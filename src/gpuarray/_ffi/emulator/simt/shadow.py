"""Shadow memory of the checkers: the state of each byte of an allocation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpuarray._integers import ceil_div, round_up

from ..stream_order import Operation

if TYPE_CHECKING:
    from .host_accesses import HostMemory

#: A mark is segment << SHIFT | PTX line << 1 | synchronising.
SHIFT = 22


class Range(NamedTuple):
    """What a copy or a fill accessed."""

    first: int
    end: int
    writes: bool
    operation: Operation


class Shadow:
    """The last write and the last two readers of each granule, and which bytes were written.

    Marks are explained in :mod:`.chunk_checks`. Granules have 4 bytes until an access is smaller.
    """

    __slots__ = (
        "end", "granule", "host", "nbytes", "origin", "private", "ranges", "read", "read_before",
        "source", "start", "valid", "window", "written",
    )  # fmt: skip

    def __init__(self, start: int, nbytes: int, fresh: bool):
        self.start = start
        self.nbytes = nbytes
        self.end = start + nbytes
        self.granule = 4
        #: Shared memory: bytes of each block's window; otherwise 0.
        self.window = 0
        #: Whether it is local memory, which no other thread accesses.
        self.private = False
        #: For leaks: the line that allocated it, as a text and as (file, line). Empty if the
        #: memory has an owner that will free it.
        self.origin = ""
        self.source: tuple[str, int] | None = None
        #: Where the host accesses the memory, too.
        self.host: HostMemory | None = None
        #: What copies and fills accessed.
        self.ranges: list[Range] = []
        self.written: np.ndarray | None = None
        self.read: np.ndarray | None = None
        self.read_before: np.ndarray | None = None
        #: One byte per byte, or None where everything counts as written.
        self.valid = np.zeros(round_up(nbytes, 16), np.uint8) if fresh else None

    def track(self, size: int) -> None:
        """Make room for marks of accesses of ``size`` bytes."""
        granule = min(self.granule, size)
        if self.written is None:
            count = ceil_div(self.nbytes, granule)
            self.written, self.read, self.read_before = np.zeros((3, count), np.int64)
        elif granule < self.granule:
            factor = self.granule // granule
            count = ceil_div(self.nbytes, granule)
            self.written = np.repeat(self.written, factor)[:count]
            self.read = np.repeat(self.read, factor)[:count]
            self.read_before = np.repeat(self.read_before, factor)[:count]
        self.granule = granule

    def fill(self, address: int, nbytes: int) -> None:
        """The host wrote these bytes."""
        if self.valid is not None:
            low = address - self.start
            self.valid[low : low + nbytes] = 1

    def is_valid(self, address: int, nbytes: int) -> np.ndarray:
        if self.valid is None:
            return np.ones(nbytes, np.uint8)
        low = address - self.start
        return self.valid[low : low + nbytes]

    def touched_by(
        self, first: int, end: int, others: list[Operation], writes: bool
    ) -> Iterator[tuple[Operation, str]]:
        """Which of some operations accessed these addresses, and how, if either access writes."""
        for one in self.ranges:
            if one.first < end and first < one.end and (writes or one.writes):
                if one.operation in others:
                    yield one.operation, "write" if one.writes else "read"
        if self.written is None or self.window:
            return
        low, high = (first - self.start) // self.granule, ceil_div(end - self.start, self.granule)
        tables = [("write", self.written)]
        if writes:
            tables += [("read", self.read), ("read", self.read_before)]
        for action, marks in tables:
            segments = marks[low:high] >> SHIFT
            for other in others:
                if other.end and ((segments >= other.first) & (segments < other.end)).any():
                    yield other, action
