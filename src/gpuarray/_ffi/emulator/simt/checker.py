"""The checkers that run on request: races, uninitialised reads, bounds, barriers, host, leaks.

A :class:`Checker` belongs to the arena while checks are on. Launches then run a variant of the
generated code whose loads, stores and atomics come through :mod:`.checked_access` to
:mod:`.chunk_checks`; without a checker nothing of these modules is reached.
"""

from __future__ import annotations

import linecache
import sys
from types import FrameType

import numpy as np

from ...findings import Finding
from ..memory import PAGE
from ..stream_order import GraphOrder, Operation, StreamOrder
from .host_accesses import HostMemory, Written
from .quarantine import Quarantine
from .shadow import Range, Shadow

#: Copies and fills that are remembered of an allocation, each with a range of addresses.
_MOST_RANGES = 64


class Checker:
    """The checks that are on, the shadow of memory, and the findings.

    Parameters
    ----------
    arena : Arena
        Device memory.
    checks : frozenset of str
        Of 'races', 'uninit', 'bounds', 'barriers', 'host', 'leaks'.
    by_lane : bool
        Whether threads of one warp race with each other too.
    outer : Checker, optional
        The checker that this one replaces until it stops.
    """

    def __init__(
        self,
        arena,
        checks: frozenset[str],
        by_lane: bool = False,
        outer: Checker | None = None,
    ):
        self.arena = arena
        #: The checker that takes over again when this one stops.
        self.outer = outer
        self.races = "races" in checks
        self.uninit = "uninit" in checks
        self.barriers = "barriers" in checks
        self.leaks = "leaks" in checks
        self.bounds = "bounds" in checks
        #: Memory that the host accesses, too; None without that check.
        self.host: list[HostMemory] | None = None
        if "host" in checks and arena.watch_pages():
            self.host = []
        self.by_lane = by_lane
        self.shadows: dict[int, Shadow] = {}
        self.quarantine = Quarantine(arena.base)
        self.order = StreamOrder(self._before_wait, self._after_wait)
        #: What a stream is doing now.
        self.operation: Operation | None = None
        self.next_segment = 1
        self._found: dict[tuple, Finding] = {}

    @property
    def findings(self) -> list[Finding]:
        """Each distinct finding, in the order in which they were made."""
        return list(self._found.values())

    def add(self, key: tuple, finding: Finding) -> None:
        self._found.setdefault(key, finding)

    def knows(self, key: tuple) -> bool:
        return key in self._found

    # -------------------------------------------------------------- operations of streams

    def begin(self, stream, noun: str, *, is_kernel: bool = False) -> None:
        """A stream begins an operation. A kernel's own accesses take pages back one by one."""
        if self.host and not is_kernel:
            self._before_wait()
        line, _ = _python_line()
        self.operation = self.order.begin(stream, noun, "" if line is None else _quoted(line))

    def begin_node(self, graph: GraphOrder, noun: str, dependencies: list[int]) -> None:
        """A node of a graph begins."""
        self._before_wait()
        line, _ = _python_line()
        self.operation = graph.begin(noun, "" if line is None else _quoted(line), dependencies)

    def ended(self) -> None:
        """The operation has ended."""
        for memory in self.host or ():
            if memory.mask is not None:
                if not memory.tells and self.operation is not None:
                    memory.written.append(Written(self.operation, 0, 0, memory.mask))
                memory.mask, memory.tells = None, False
        self._after_wait()

    def _before_wait(self) -> None:
        """The host is about to wait, or memory is about to be accessed by a copy."""
        for memory in self.host or ():
            self.take_back(memory)

    def _after_wait(self) -> None:
        for memory in self.host or ():
            if memory.written and not memory.is_aside:
                memory.put_aside(self.order)

    def take_back(self, memory: HostMemory) -> None:
        """Put the pages of memory back, and report an access of the host to them."""
        found = memory.take_back()
        if found is None:
            return
        address, operation = found
        line, _ = _python_line()
        self.add(
            ("host", operation.noun, operation.line),
            Finding(
                "host",
                f"the host accessed {memory.noun} that {operation.noun} writes, without waiting "
                f"for it: the page of 0x{address:x} ({self.arena.describe(address)})\n"
                f"    submitted at {operation.line}",
                address=address,
                place="" if line is None else f"accessed before {_quoted(line)}",
                source=line,
            ),
        )

    def pause(self) -> None:
        """Leave memory as it is without checks, until there is something to do again."""
        self._before_wait()

    def look_at_host(self) -> None:
        """Look for accesses of the host so far."""
        self._before_wait()
        self._after_wait()

    def touched(self, address: int, nbytes: int, *, writes: bool) -> None:
        """The current operation, which is no kernel, accesses memory."""
        operation = self.operation
        shadow = self.shadow_at(address, nbytes) if operation is not None else None
        if shadow is None:
            return
        end = address + nbytes
        if writes and shadow.host is not None:
            shadow.host.written.append(Written(operation, address, end, None))
        if not self.races:
            return
        if operation.others:
            for other, earlier in shadow.touched_by(address, end, operation.others, writes):
                self._unordered(operation, other, address, nbytes, earlier, writes)
        ranges = [
            one
            for one in shadow.ranges
            if not (
                one.operation.stream is operation.stream
                and (one.first, one.end, one.writes) == (address, end, writes)
            )
        ]
        if len(ranges) >= _MOST_RANGES:
            ranges = [one for one in ranges if not self.order.is_over(one.operation)]
        shadow.ranges = [*ranges[1 - _MOST_RANGES :], Range(address, end, writes, operation)]

    def _unordered(self, operation, other, address, nbytes, earlier: str, writes: bool) -> None:
        action = "written" if writes else "read"
        self.add(
            ("races", operation.noun, operation.line, other.noun, other.line),
            Finding(
                "races",
                f"{operation.noun}: {nbytes} bytes at 0x{address:x} are {action} "
                f"({self.arena.describe(address)}), which is not ordered with the {earlier} by "
                f"{other.noun} in another stream\n    submitted at {other.line}",
                address=address,
                place=f"submitted at {operation.line}",
            ),
        )

    # -------------------------------------------------------------- memory

    def add_uninitialised(self, address: int, nbytes: int) -> Shadow:
        """Add an allocation that was not written to yet."""
        shadow = self.shadows[address] = Shadow(address, nbytes, self.uninit)
        return shadow

    def host_allocated(self, address: int, nbytes: int, *, fresh: bool, kind: str) -> None:
        """Add memory that the host allocated, with the line of Python that did.

        It is of kind 'host' or 'managed' if the host accesses it, too.
        """
        shadow = self.shadows[address] = Shadow(address, nbytes, fresh and self.uninit)
        if kind and self.host is not None and address % PAGE == 0:
            shadow.host = HostMemory(self.arena, address, nbytes, kind)
            self.host.append(shadow.host)
        line, owned = _python_line() if self.leaks else (None, True)
        if line is not None and not owned:
            shadow.source, shadow.origin = line, _quoted(line)

    def kernel_allocated(self, address: int, nbytes: int, place: str, source) -> None:
        """Add memory of the device heap, with the line of the kernel that allocated it."""
        shadow = self.add_uninitialised(address, nbytes)
        shadow.origin, shadow.source = place, source

    def forget(self, address: int) -> None:
        shadow = self.shadows.pop(address, None)
        if shadow is not None and shadow.host is not None:
            self.take_back(shadow.host)
            self.host.remove(shadow.host)

    def freed(self, address: int, nbytes: int, block: int) -> list[tuple[int, int]]:
        """Put freed memory into quarantine; the blocks that leave it."""
        line, _ = _python_line()
        return self.quarantine.add(address, nbytes, block, "" if line is None else _quoted(line))

    def wrote(self, address: int, nbytes: int) -> None:
        """Mark bytes as written by the host, or by a copy from it."""
        shadow = self.shadow_at(address, nbytes)
        if shadow is not None:
            shadow.fill(address, nbytes)
        self.touched(address, nbytes, writes=True)

    def copied(self, target: int, source: int, nbytes: int) -> None:
        """Mark the target of a copy: bytes are as initialised as those of the source."""
        self.touched(source, nbytes, writes=False)
        self.touched(target, nbytes, writes=True)
        to, origin = self.shadow_at(target, nbytes), self.shadow_at(source, nbytes)
        if to is None or to.valid is None:
            return
        low = target - to.start
        to.valid[low : low + nbytes] = 1 if origin is None else origin.is_valid(source, nbytes)

    def library_reads(self, call: str, argument: str, address: int, nbytes: int) -> None:
        """A library's function reads memory, which should have been written before."""
        self.touched(address, nbytes, writes=False)
        shadow = self.shadow_at(address, nbytes)
        if not self.uninit or shadow is None or shadow.valid is None:
            return
        missing = np.flatnonzero(shadow.is_valid(address, nbytes) == 0)
        if len(missing):
            first = address + int(missing[0])
            self.add(
                ("uninit", call, argument),
                Finding(
                    "uninit",
                    f"{argument} is read where it was never written: {self.arena.describe(first)}",
                    kernel=call,
                    address=first,
                ),
            )

    def shadow_at(self, first: int, nbytes: int) -> Shadow | None:
        """The shadow of the allocation that holds all of these bytes, or None."""
        found = self.arena.find(first)
        if found is None or first + nbytes > sum(found):
            return None
        start, size = found
        shadow = self.shadows.get(start)
        if shadow is None:
            shadow = self.shadows[start] = Shadow(start, size, False)
        return shadow

    def report_leaks(self) -> None:
        """Report memory that is still allocated and that no Python object will free.

        There is one finding for each line that allocated some.
        """
        lost: dict[str, list[Shadow]] = {}
        for shadow in self.shadows.values():
            if shadow.origin:
                lost.setdefault(shadow.origin, []).append(shadow)
        for origin, shadows in lost.items():
            first = shadows[0]
            nbytes = sum(shadow.nbytes for shadow in shadows)
            where = f"at 0x{first.start:x}"
            if len(shadows) > 1:
                where = f"in {len(shadows)} allocations, the first {where},"
            self.add(
                ("leaks", origin),
                Finding(
                    "leaks",
                    f"{nbytes} bytes {where} were allocated and not freed",
                    address=first.start,
                    place=f"allocated at {origin}",
                    source=first.source,
                ),
            )


#: Modules whose objects free their allocations when they are deleted.
_OWNERS = (
    "gpuarray._runtime.arena",
    "gpuarray._runtime.memory",
    "gpuarray._runtime.pinned_memory",
    "gpuarray._texture.handles",
)


def _python_line() -> tuple[tuple[str, int] | None, bool]:
    """The innermost line of Python outside of this package, and whether an object owns memory
    that is allocated there."""
    owned = False
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        owned = owned or name in _OWNERS
        if name != "gpuarray" and not name.startswith(("gpuarray.", "ctypes", "_ctypes")):
            return (frame.f_code.co_filename, frame.f_lineno), owned
        frame = frame.f_back
    return None, owned


def _quoted(line: tuple[str, int]) -> str:
    """A line of Python with its text."""
    text = linecache.getline(*line).strip()
    return f"{line[0]}:{line[1]}{': ' + text if text else ''}"
