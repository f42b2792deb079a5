"""Accesses of the host to memory that a stream is still writing.

Work is done when its call returns, so the host would always see its results. Until the host has
waited, pages of page-locked and managed memory that an operation wrote are therefore put aside:
they are returned to the system, which says later whether anything accessed them. A page is put
aside only if the rest of it is zeros, which is what the host reads of it meanwhile. Operations
that store with ``volatile`` or atomics may be telling the host by themselves that they are done.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..memory import PAGE, Arena
from ..stream_order import Operation, StreamOrder

#: Memory whose pages are put aside has at most this many bytes.
_MOST_BYTES = 256 << 20


class Written(NamedTuple):
    """Bytes that an operation wrote: all from `first` to `end`, or those that a mask says."""

    operation: Operation
    first: int
    end: int
    mask: np.ndarray | None


class HostMemory:
    """An allocation of page-locked or managed memory, which has pages of its own.

    Parameters
    ----------
    arena : Arena
        The device's memory.
    start, nbytes : int
        The allocation.
    kind : {'host', 'managed'}
        What it is.
    """

    def __init__(self, arena: Arena, start: int, nbytes: int, kind: str):
        self.arena = arena
        self.start = start
        self.nbytes = nbytes
        self.noun = "page-locked memory" if kind == "host" else "managed memory"
        self.pages = -(-nbytes // PAGE)
        #: What nobody has waited for.
        self.written: list[Written] = []
        #: What the running kernel has written so far, and whether it tells the host by itself.
        self.mask: np.ndarray | None = None
        self.tells = False
        self._aside: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None

    @property
    def is_aside(self) -> bool:
        return self._aside is not None

    def kernel_mask(self) -> np.ndarray:
        """Which bytes the running kernel has written."""
        if self.mask is None:
            self.mask = np.zeros(self.pages * PAGE, np.uint8)
        return self.mask

    def _rows(self) -> np.ndarray:
        low = self.start - self.arena.base
        return self.arena.bytes[low : low + self.pages * PAGE].reshape(-1, PAGE)

    def put_aside(self, order: StreamOrder) -> None:
        """Put pages aside that operations wrote which the host has not waited for."""
        self.written = [one for one in self.written if not order.is_over(one.operation)]
        if not self.written or self.nbytes > _MOST_BYTES:
            return
        covered = np.zeros(self.pages * PAGE, bool)
        for one in self.written:
            if one.mask is None:
                covered[one.first - self.start : one.end - self.start] = True
            else:
                covered |= one.mask.view(bool)
        covered = covered.reshape(-1, PAGE)
        rows = self._rows()
        chosen = np.flatnonzero(covered.any(axis=1) & ~((rows != 0) & ~covered).any(axis=1))
        if not len(chosen):
            return
        self._aside = chosen, covered[chosen], rows[chosen]
        for run in np.split(chosen, np.flatnonzero(np.diff(chosen) > 1) + 1):
            self.arena.drop_pages(self.start + int(run[0]) * PAGE, len(run) * PAGE)

    def take_back(self) -> tuple[int, Operation] | None:
        """Put the pages back; the first address that the host accessed, and what wrote it."""
        if self._aside is None:
            return None
        chosen, covered, saved = self._aside
        self._aside = None
        touched = self.arena.present_pages(self.start, self.pages)[chosen]
        rows = self._rows()
        now = rows[chosen]
        # The host may store beside what the operation writes.
        elsewhere = ((now != 0) & ~covered).any(axis=1)
        rows[chosen] = np.where(covered, saved, now)
        found = np.flatnonzero(touched & ~elsewhere)
        if not len(found):
            return None
        k = int(found[0])
        at = int(chosen[k]) * PAGE + int(covered[k].argmax())
        for one in reversed(self.written):
            inside = one.first <= self.start + at < one.end
            if inside if one.mask is None else one.mask[at]:
                return self.start + at, one.operation
        return None
