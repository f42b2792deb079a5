"""Freed memory that is not used again for a while, so that accesses to it are noticed."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

#: Blocks that are kept at most, and their bytes of address space. The pages of all but the
#: smallest are returned to the system, so this costs 128 MiB of memory at most.
_MOST_BLOCKS = 16384
_MOST_BYTES = 1 << 30


class _Freed(NamedTuple):
    nbytes: int
    #: With the unused bytes behind it.
    block: int
    #: The line of Python that freed it.
    line: str


class Quarantine:
    """The blocks that were freed last, and where.

    Parameters
    ----------
    base : int
        The arena's first address: blocks are given back as (offset, bytes).
    """

    def __init__(self, base: int):
        self._base = base
        self._blocks: OrderedDict[int, _Freed] = OrderedDict()
        self._nbytes = 0

    def add(self, address: int, nbytes: int, block: int, line: str) -> list[tuple[int, int]]:
        """Keep a block; the oldest ones, which there is no room for any more."""
        self._blocks[address] = _Freed(nbytes, block, line)
        self._nbytes += nbytes
        old = []
        while len(self._blocks) > _MOST_BLOCKS or self._nbytes > _MOST_BYTES:
            first, freed = self._blocks.popitem(last=False)
            self._nbytes -= freed.nbytes
            old.append((first - self._base, freed.block))
        return old

    def clear(self) -> list[tuple[int, int]]:
        """All blocks, none of which is kept any more."""
        blocks = [(address - self._base, freed.block) for address, freed in self._blocks.items()]
        self._blocks.clear()
        self._nbytes = 0
        return blocks

    def describe(self, address: int) -> str:
        """Which freed block an address is in, for messages; empty if it is in none."""
        for start, (nbytes, _, line) in self._blocks.items():
            if start <= address < start + nbytes:
                where = f" at {line}" if line else ""
                return (
                    f"{address - start} bytes into the {nbytes}-byte allocation 0x{start:x}, which "
                    f"was freed{where}"
                )
        return ""
