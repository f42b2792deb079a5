"""The checkers that run on request: races, reads of memory that nobody wrote, barriers.

A :class:`Checker` belongs to the arena while checks are on. Launches then run a variant of the
generated code whose loads, stores and atomics come through :mod:`.checked_access` to
:mod:`.chunk_checks`; without a checker nothing of these modules is reached.
"""

from __future__ import annotations

import bisect
import sys

import numpy as np

from ...findings import Finding
from . import source_lines
from .shadow import Shadow


class Checker:
    """What is checked, what memory looks like to the checkers, and what was found.

    Parameters
    ----------
    arena : Arena
        Device memory.
    checks : frozenset of str
        Of 'races', 'uninit', 'barriers', 'leaks'.
    by_lane : bool
        Whether threads of one warp race with each other too.
    outer : Checker, optional
        The checker that this one takes the place of, for a time.
    """

    def __init__(
        self,
        arena,
        checks: frozenset[str],
        by_lane: bool = False,
        outer: Checker | None = None,
    ):
        self.arena = arena
        #: What was checked before, and will be again afterwards.
        self.outer = outer
        self.races = "races" in checks
        self.uninit = "uninit" in checks
        self.barriers = "barriers" in checks
        self.leaks = "leaks" in checks
        self.by_lane = by_lane
        self.shadows: dict[int, Shadow] = {}
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

    # -------------------------------------------------------------- memory

    def fresh(self, address: int, nbytes: int) -> Shadow:
        """An allocation that nobody has written to yet."""
        shadow = self.shadows[address] = Shadow(address, nbytes, self.uninit)
        return shadow

    def host_allocated(self, address: int, nbytes: int, *, fresh: bool) -> None:
        """Memory that the host asked the driver for, and the line that did, for leaks."""
        shadow = self.shadows[address] = Shadow(address, nbytes, fresh and self.uninit)
        shadow.source = _python_line() if self.leaks else None
        if shadow.source is not None:
            file, line = shadow.source
            text = source_lines.text_of(file, line)
            shadow.origin = f"{file}:{line}{': ' + text if text else ''}"

    def kernel_allocated(self, address: int, nbytes: int, place: str, source) -> None:
        """Memory from the device heap."""
        shadow = self.fresh(address, nbytes)
        shadow.origin, shadow.source = place, source

    def forget(self, address: int) -> None:
        self.shadows.pop(address, None)

    def wrote(self, address: int, nbytes: int) -> None:
        """The host, or a copy, wrote to memory."""
        shadow = self.shadow_at(address, nbytes)
        if shadow is not None:
            shadow.fill(address, nbytes)

    def copied(self, target: int, source: int, nbytes: int) -> None:
        """A copy on the device: what was not written before still is not."""
        to, origin = self.shadow_at(target, nbytes), self.shadow_at(source, nbytes)
        if to is None or to.valid is None:
            return
        low = target - to.start
        to.valid[low : low + nbytes] = 1 if origin is None else origin.is_valid(source, nbytes)

    def library_reads(self, call: str, argument: str, address: int, nbytes: int) -> None:
        """A library's function reads memory, which should have been written before."""
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
        """The shadow of the allocation that holds these bytes; None if none holds them all."""
        arena = self.arena
        index = bisect.bisect_right(arena.starts, first) - 1
        if index < 0 or first + nbytes > arena.ends[index]:
            return None
        start = arena.starts[index]
        shadow = self.shadows.get(start)
        if shadow is None:
            shadow = self.shadows[start] = Shadow(start, arena.ends[index] - start, False)
        return shadow

    def report_leaks(self) -> None:
        """Memory that is still allocated and that no Python object is going to free."""
        for shadow in list(self.shadows.values()):
            if not shadow.origin:
                continue
            self.add(
                ("leaks", shadow.start, shadow.origin),
                Finding(
                    "leaks",
                    f"{shadow.nbytes} bytes at 0x{shadow.start:x} were allocated and not freed",
                    address=shadow.start,
                    place=f"allocated at {shadow.origin}",
                    source=shadow.source,
                ),
            )


#: Modules whose objects own what they allocate and free it when they die.
_OWNERS = ("gpuarray._runtime.memory", "gpuarray._runtime.pinned_memory")


def _python_line() -> tuple[str, int] | None:
    """The innermost line of Python outside of this package; None if an object owns the memory."""
    frame = sys._getframe(1)
    while frame.f_back is not None:
        name = frame.f_globals.get("__name__", "")
        if name in _OWNERS:
            return None
        if name != "gpuarray" and not name.startswith(("gpuarray.", "ctypes", "_ctypes")):
            break
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno
