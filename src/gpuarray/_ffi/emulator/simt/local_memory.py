"""Local memory: of one activation of a function, a part for each thread of the chunk.

The parts lie behind one another, so that a local variable's address is affine. Each thread may
access its own part only: what runs over its end must not change the next thread's. The arena's
table knows nothing of this memory, so that an access to it fails there and is looked at here.
"""

from __future__ import annotations

import hashlib

import numpy as np

from gpuarray._integers import round_up

from .affine import Affine, end_points

nd = np.ndarray
i8 = np.int64
_ALIGNMENT = 16


class LocalMemory:
    """The local memory of an activation.

    Parameters
    ----------
    arena : Arena
        Where it is allocated.
    nbytes : int
        Bytes of each thread.
    T, nb : int
        Threads of a block, and blocks of the chunk.
    """

    __slots__ = ("T", "_arena", "base", "nbytes", "step", "total")

    def __init__(self, arena, nbytes: int, T: int, nb: int):
        self._arena = arena
        self.nbytes = nbytes
        self.T = T
        #: From one thread's part to the next.
        self.step = round_up(nbytes, _ALIGNMENT)
        self.total = self.step * T * nb
        self.base: int = arena.divide(self.total)

    def release(self) -> None:
        self._arena.free_divided(self.base)

    def address(self, offset: int) -> Affine:
        """The address of a local variable at this offset."""
        return Affine(self.base + offset, self.step, self.step * self.T, i8)

    def digest(self, L) -> bytes:
        """What tells the contents of these lanes' parts from others."""
        parts = self._arena.bytes[self.base - self._arena.base :][: self.total]
        parts = parts.reshape(-1, self.step)
        if L.n < len(parts):
            parts = parts[L.ids]
        return hashlib.blake2b(parts, digest_size=16).digest()

    def covers(self, address):
        """Whether addresses lie in this memory, in whosever part."""
        return (address >= self.base) & (address < self.base + self.total)

    def offsets(self, addresses: np.ndarray, L) -> np.ndarray:
        """The addresses from the beginning of each lane's own part."""
        return addresses - L.array_of(self.address(0))

    def owns(self, addresses: np.ndarray, L, size: int) -> np.ndarray:
        """Which lanes access their own part."""
        offsets = self.offsets(addresses, L)
        return (offsets >= 0) & (offsets + size <= self.nbytes)

    def own(self, cache: dict, L, a, offset: int, size: int) -> bool:
        """Whether all lanes access their own part, at a register plus an offset."""
        if type(a) is Affine:
            low, high = end_points(a.c - self.base, a.st - self.step, a.sb - self.step * self.T, L)
        else:
            # As of bounds of memory, a register is used with many offsets.
            key = (id(a), -self.base)
            found = cache.get(key)
            if found is None:
                offsets = self.offsets(a, L)
                low, high = np.minimum.reduce(offsets), np.maximum.reduce(offsets)
                found = cache[key] = (a, int(low), int(high))
            _, low, high = found
        return low + offset >= 0 and high + offset + size <= self.nbytes

    def describe(self, address: int, lane: int) -> str:
        """Where an address that a lane must not access lies; empty if that is elsewhere."""
        if not -self.step <= address - self.base < self.total + self.step:
            return ""
        offset = address - self.base - lane * self.step
        return f"offset {offset} of the thread's {self.nbytes} bytes of local memory"


def in_own_part(S, L, a, offset: int, size: int) -> bool:
    """Whether all lanes access their own local memory, of one activation."""
    if type(a) is nd:
        first = int(a[0]) + offset
    elif type(a) is Affine:
        first = a.c + a.st * L.t_low + a.sb * L.b_low + offset
    else:
        return False
    for memory in S.locals:
        if memory.covers(first):
            return memory.own(S.address_cache, L, a, offset, size)
    return False
