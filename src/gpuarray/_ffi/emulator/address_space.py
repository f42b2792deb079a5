"""Which context may access which memory: one address space, and a window on it for each context.

As long as there is one device only, and no host memory was registered, kernels see the arena
itself. Otherwise each context gets a `Window`: an arena whose table holds what that context may
access. Once host memory is registered, the windows' views span the whole address space of the
process instead of the arena, so that this memory lies in them too.
"""

from __future__ import annotations

import bisect
import ctypes
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .memory import _DTYPES, Arena

__all__ = ["AddressSpace", "Window"]

#: The null page is never mapped; no system hands out addresses above 48 bits.
_LOWEST = 0x1000
_SPAN = (1 << 48) - 2 * _LOWEST


class AddressSpace:
    """The arena, the device that owns each of its allocations, and the windows on it."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        #: Allocations by address: bytes, and the device or memory pool that owns them, or None
        #: where all may access it.
        self._owners: dict[int, tuple[int, Any]] = {}
        self._windows: dict[Any, Window] = {}
        self._wide = False
        #: Addresses of memory that is mapped to reserved addresses, sorted.
        self.chunks: list[int] = []
        #: Host memory outside the arena that kernels may access: (start, end), sorted.
        self._mapped: list[tuple[int, int]] = []

    @property
    def has_windows(self) -> bool:
        """Whether contexts see different memory, each through a window of its own."""
        return bool(self._windows)

    def add_windows(self, contexts: Iterable[Any]) -> None:
        """Give each context a window; without effect if they have one."""
        if self._windows:
            return
        if self.arena.starts:  # allocated while there was one device only
            first = next(iter(contexts)).device
            for start, end in zip(self.arena.starts, self.arena.ends, strict=True):
                self._owners.setdefault(start, (end - start, first))
        for context in contexts:
            self._windows[context] = Window(self, context)
        self.refresh()

    def add_context(self, context: Any) -> None:
        """Give a context that was just created its window."""
        if self._windows:
            window = self._windows[context] = Window(self, context)
            if self._wide:
                window.widen()
            self.refresh()

    def remove_context(self, context: Any) -> None:
        self._windows.pop(context, None)

    def window(self, context: Any) -> Arena:
        """What kernels of a context run on."""
        return self._windows.get(context, self.arena)

    def refresh(self) -> None:
        """Rebuild the table of every window."""
        for window in self._windows.values():
            window.rebuild(self._owners, self._mapped, {*self.chunks})

    # --- memory

    def allocate(self, nbytes: int, owner: Any, *, for_host: bool = False) -> int:
        """Allocate memory of a device or a pool, or with None what every context may access.

        Under the checkers, memory that the host accesses, too, has pages of its own.
        """
        checker = self.arena.checker
        whole_pages = for_host and checker is not None and checker.host is not None
        address = self.arena.allocate(nbytes, whole_pages=whole_pages)
        nbytes = max(nbytes, 1)
        self._owners[address] = (nbytes, owner)
        for window in self._windows.values():
            if window.may_access(owner):
                window.insert(address, address + nbytes)
        return address

    def free(self, address: int, *, at_once: bool = True) -> None:
        self.arena.free(address, at_once=at_once)
        self._owners.pop(address, None)
        for window in self._windows.values():
            window.drop(address)

    def open_shared(
        self, offset: int, nbytes: int, owner: Any, process: int, runs: Sequence[Sequence[int]]
    ) -> int:
        """Map pages that another process shares, as memory of a device."""
        address = self.arena.open_shared(offset, nbytes, process, runs)
        self._owners[address] = (nbytes, owner)
        for window in self._windows.values():
            if window.may_access(owner):
                window.insert(address, address + nbytes)
        return address

    def close_shared(self, address: int) -> None:
        """Undo `open_shared`."""
        self.arena.close_shared(address)
        self._owners.pop(address, None)
        for window in self._windows.values():
            window.drop(address)

    def add_mapped(self, address: int, nbytes: int, owner: Any) -> None:
        """Let those who may access it access memory at reserved addresses."""
        self.drop_mapped(address, nbytes)  # what an interrupt left of an earlier call
        self._owners[address] = nbytes, owner
        bisect.insort(self.chunks, address)
        self.arena.add_run(address, address + nbytes)
        self.refresh()

    def drop_mapped(self, address: int, nbytes: int) -> None:
        """Undo `add_mapped`, or what an interrupt left of it."""
        if self.arena.holds(address, address + nbytes):
            self.arena.drop_run(address, address + nbytes)
        if address in self.chunks:
            self.chunks.remove(address)
        if self._owners.pop(address, None):
            self.refresh()

    def mapped_at(self, address: int) -> int | None:
        """Where the memory begins that is mapped at an address; None if none is."""
        index = bisect.bisect_right(self.chunks, address) - 1
        if index < 0:
            return None
        start = self.chunks[index]
        return start if address < start + self._owners[start][0] else None

    def map(self, address: int, nbytes: int) -> None:
        """Let kernels access host memory; there must be windows."""
        for window in self._windows.values():
            window.widen()
        self._wide = True
        bisect.insort(self._mapped, (address, address + nbytes))
        for window in self._windows.values():
            window.insert(address, address + nbytes)

    def unmap(self, address: int) -> None:
        self._mapped = [pair for pair in self._mapped if pair[0] != address]
        for window in self._windows.values():
            window.drop(address)

    def find(self, address: int) -> tuple[int, int] | None:
        """(start, bytes) of the allocation or the mapped memory that holds an address."""
        found = self.arena.find(address)
        if found is None:
            for start, end in self._mapped:
                if start <= address < end:
                    return start, end - start
        return found

    def overlaps_mapped(self, address: int, nbytes: int) -> bool:
        """Whether any of the bytes are mapped."""
        return any(start < address + nbytes and address < end for start, end in self._mapped)

    def owner(self, address: int) -> tuple[int, int, Any] | None:
        """(start, bytes, device or pool) of the allocation that holds an address."""
        found = self.arena.find(address)
        if found is None:
            return None
        start = self.mapped_at(address)
        if start is not None:
            return start, *self._owners[start]
        return (*found, self._owners[found[0]][1]) if found[0] in self._owners else None


def _joined(pairs: list[tuple[int, int]], chunks: set[int]) -> list[tuple[int, int]]:
    """Ranges, with chunks of mapped memory that lie side by side as one."""
    joined: list[tuple[int, int]] = []
    for start, end in pairs:
        if joined and joined[-1][1] == start and start in chunks:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    return joined


class Window(Arena):
    """What one context may access, with an arena's interface.

    Attributes that are not set here are the arena's own, so that whatever the arena comes to
    offer to kernels is offered by its windows as well.
    """

    def __init__(self, space: AddressSpace, context: Any) -> None:  # no memory of its own
        self._space = space
        self._context = context
        arena = space.arena
        self._mapping: Any = arena.mapping
        self.bytes, self.views = arena.bytes, arena.views
        self.base, self.size = arena.base, arena.size
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.writes = 0
        self.lock = arena.lock

    def widen(self) -> None:
        """Let the views span the whole address space of the process; no page is touched."""
        if self.base == _LOWEST:
            return
        self._mapping = (ctypes.c_uint8 * _SPAN).from_address(_LOWEST)
        self.bytes = np.frombuffer(self._mapping, np.uint8)
        self.base, self.size = _LOWEST, _SPAN
        self.views = {dtype.str[1:]: self.bytes.view(dtype) for dtype in _DTYPES}

    def __getattr__(self, name: str) -> Any:
        if name == "_space":  # before __init__ has set it
            raise AttributeError(name)
        return getattr(self._space.arena, name)

    def may_access(self, owner: Any) -> bool:
        """Whether the context may access memory of a device or a memory pool; None is memory that
        all may access."""
        context = self._context
        if owner is None or owner is context.device:
            return True
        accessible_from = getattr(owner, "accessible_from", None)
        if accessible_from is not None:  # mapped memory has a table of its own
            return accessible_from(context.device)
        access = getattr(owner, "access", None)
        if access is not None:  # peers have none to a pool's memory, which has a table of its own
            return owner.device is context.device or bool(access.get(context.device.ordinal))
        return any(peer.device is owner for peer in context.peers)

    def rebuild(
        self,
        owners: dict[int, tuple[int, Any]],
        mapped: list[tuple[int, int]],
        chunks: set[int],
    ) -> None:
        """Make the table of what the context may access."""
        pairs = [
            (start, start + nbytes)
            for start, (nbytes, owner) in owners.items()
            if self.may_access(owner)
        ]
        pairs = sorted(pairs + mapped)
        if chunks:
            pairs = _joined(pairs, chunks)
        # In place: kernels that are running hold these very lists.
        self.starts[:] = [start for start, _ in pairs]
        self.ends[:] = [end for _, end in pairs]

    def insert(self, start: int, end: int) -> None:
        index = bisect.bisect_left(self.starts, start)
        self.starts[index:index] = [start]  # as of the arena's own
        self.ends[index:index] = [end]

    def drop(self, start: int) -> None:
        index = bisect.bisect_left(self.starts, start)
        if index < len(self.starts) and self.starts[index] == start:
            del self.starts[index], self.ends[index]

    def allocate(self, nbytes: int) -> int:
        with self.lock:
            return self._space.allocate(int(nbytes), self._context.device)

    def free(self, address: int, *, at_once: bool = True) -> None:
        with self.lock:
            self._space.free(address, at_once=at_once)

    def divide(self, nbytes: int) -> int:
        # The arena's own: its free blocks are counted from its base, which may not be this one's.
        return self._space.arena.divide(nbytes)

    def free_divided(self, address: int) -> None:
        self._space.arena.free_divided(address)

    def describe(self, address: int) -> str:
        owned = self._space.owner(address)
        if owned is not None and not self.may_access(owned[2]):
            start, nbytes, owner = owned
            pool = hasattr(owner, "access")
            kind = "a memory pool of device" if pool else "device"
            ordinal = owner.device.ordinal if pool else owner.ordinal
            return (
                f"{address - start} bytes into the {nbytes}-byte allocation 0x{start:x} of {kind} "
                f"{ordinal}, which device {self._context.device.ordinal} has no peer "
                "access to"
            )
        return super().describe(address)
