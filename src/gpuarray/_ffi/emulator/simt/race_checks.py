"""Checks of accesses against earlier ones: of the same launch, and of other streams."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..stream_order import Operation
from . import source_lines
from .accesses import Access
from .shadow import SHIFT as _SHIFT

_LINE_MASK = (1 << _SHIFT - 1) - 1


class RaceChecks:
    """The part of the checks of a chunk that is about the order of accesses."""

    agents: Any
    base: int
    checker: Any
    chunk: Any
    kernels: list[Operation]
    launch: Any
    segments: Any
    _ptx: str
    _block: Any
    _name_of: Any
    _report: Any
    _thread: Any

    def _check_races(self, access: Access) -> None:
        shadow, L, size = access.shadow, access.L, access.size
        if shadow.written is None or size < shadow.granule:
            shadow.track(size)
        granule = shadow.granule
        repeats = size // granule
        agents = self.agents.of(L)
        segments = self.agents.segments_of(L)
        if access.lanes is not None:
            agents, segments = agents[access.lanes], segments[access.lanes]
        marks = (segments << _SHIFT) | (self.chunk.site << 1 | access.sync)
        index = (access.where - shadow.start) // granule
        if self.launch.others and shadow.ranges:
            self._check_ranges(access)
        if access.is_run:
            if repeats > 1:
                agents, marks = agents.repeat(repeats), marks.repeat(repeats)
            self._mark(access, slice(index, index + L.n * repeats), agents, marks, repeats)
            return
        for k in range(repeats):
            self._mark(access, index + k if k else index, agents, marks, 1)

    def _mark(self, access: Access, index, agents, marks, repeats: int) -> None:
        """Check granules (one of each lane's access, or all of a run) and mark them."""
        shadow, writes, sync = access.shadow, access.writes, access.sync
        # An atomic and a plain read of global memory are not reported: it may be intended.
        lenient = 1 if sync or not (writes or shadow.window) else 0
        base = max(self.base, self.agents.settled << _SHIFT) if shadow.window else self.base
        written = shadow.written[index]
        if self.kernels and not shadow.window:
            self._check_streams(access, index, written, lenient, repeats)
        if len(written) and int(written.max()) >= base:
            bad = self._conflicts(written, agents, base, lenient if not writes else sync)
            if bad is not None and writes and not sync:
                bad = bad[~self._unchanged(access)[bad // repeats]]
            if bad is not None and len(bad):
                self._race(access, bad, written, "write", repeats)
        if writes:
            self._mark_write(access, index, agents, marks, base, repeats)
            return
        before = shadow.read[index]
        if int(before.max()) >= base:
            other = (before >> _SHIFT) != (marks >> _SHIFT)
            if other.all():
                shadow.read_before[index] = before
            elif other.any():
                shadow.read_before[index] = np.where(other, before, shadow.read_before[index])
        shadow.read[index] = marks
        if type(index) is not slice:  # of several agents that read one granule the last is kept
            lost = np.flatnonzero(shadow.read[index] != marks)
            if len(lost):
                shadow.read_before[index[lost]] = marks[lost]

    def _check_ranges(self, access: Access) -> None:
        """Check an access against copies and fills that the launch is not ordered with."""
        where = access.where
        end = where + access.size * (access.L.n if access.is_run else 1)
        for one in access.shadow.ranges:
            if (access.writes or one.writes) and one.operation in self.launch.others:
                bad = np.flatnonzero(np.atleast_1d((where < one.end) & (end > one.first)))
                if len(bad):
                    position = int(bad[0])
                    if access.is_run:
                        position = max(one.first - access.where, 0) // access.size
                    action = "write" if one.writes else "read"
                    self._stream_race(access, position, one.operation, action, "")

    def _check_streams(self, access: Access, index, written, lenient: int, repeats: int) -> None:
        """Check granules against kernels of streams that the launch is not ordered with."""
        shadow, sync = access.shadow, access.sync
        tables = [("write", written, lenient if not access.writes else sync)]
        if access.writes and not sync:
            tables += [("read", shadow.read[index], 0), ("read", shadow.read_before[index], 0)]
        for action, marks, exempt in tables:
            segments = marks >> _SHIFT
            for other in self.kernels:
                bad = (segments >= other.first) & (segments < other.end)
                if exempt:
                    bad &= (marks & 1) == 0
                positions = np.flatnonzero(bad)
                if len(positions):
                    k = int(positions[0])
                    line = int(marks[k]) >> 1 & _LINE_MASK
                    location, _ = source_lines.describe(other.ptx, line)
                    self._stream_race(access, k // repeats, other, action, f"\n    at {location}")

    def _stream_race(
        self, access: Access, position: int, other: Operation, earlier: str, location: str
    ) -> None:
        """Report an access and one of an operation in another stream."""
        name = self.launch.kernel.name
        line = source_lines.key_of(self._ptx, self.chunk.site)
        key = ("races", name, line, other.noun, other.line)
        if self.checker.knows(key):
            return
        address = access.address(position)
        action = "atomic" if access.sync else "write" if access.writes else "read"
        mine = self.launch.operation.line
        self._report(
            key,
            "races",
            f"a {access.size}-byte {action} at {self._name_of(access.shadow, address)} is not "
            f"ordered with the {earlier} by {other.noun} in another stream{location}\n"
            f"    submitted at {other.line}\n    and this kernel at {mine}",
            access.lane(position),
            address,
        )

    def _mark_write(self, access: Access, index, agents, marks, base: int, repeats: int) -> None:
        """Check a write against earlier reads and against other lanes, and mark it."""
        shadow, sync = access.shadow, access.sync
        for readers in (shadow.read, shadow.read_before):
            seen = readers[index]
            if len(seen) and int(seen.max()) >= base:
                if sync and not shadow.window:
                    continue  # an atomic after plain reads
                bad = self._conflicts(seen, agents, base, sync)
                if bad is not None and len(bad):
                    self._race(access, bad, seen, "read", repeats)
        shadow.written[index] = marks
        if type(index) is not slice and not sync:
            lost = np.flatnonzero(shadow.written[index] != marks)
            if len(lost):
                self._collision(access, index, lost, repeats)

    def _conflicts(self, marks, agents, base: int, exempt: int):
        """Positions where an earlier access races with this one; None if there are none."""
        recent = marks >= base
        if exempt:  # both synchronise
            recent &= (marks & 1) == 0
        positions = np.flatnonzero(recent)
        if not len(positions):
            return None
        bad = self.agents.unordered(marks[positions] >> _SHIFT, agents[positions])
        return positions[bad] if bad.any() else None

    def _unchanged(self, access: Access) -> np.ndarray:
        """Lanes whose write leaves memory as it is, which does not differ from no write."""
        arena = self.chunk.arena
        where, size = access.where, access.size
        elements = list(access.elements())
        step = size // len(elements)
        if access.is_run:
            where = where + np.arange(access.L.n) * size
        same = np.ones(len(where), bool)
        for k, element in enumerate(elements):
            if element.ndim and len(element) != len(where):
                return np.zeros(len(where), bool)
            bits = np.ascontiguousarray(element).view(f"u{step}")
            found = arena.views[f"u{step}"].take((where + k * step - arena.base) // step)
            same &= found == bits
        return same

    def _collision(self, access: Access, index, lost, repeats: int) -> None:
        """Check lanes of several agents that wrote to one granule in a single instruction."""
        differ = np.zeros(len(index), bool)
        _, inverse = np.unique(index, return_inverse=True)
        for element in access.elements():
            if not element.ndim:
                continue
            bits = np.ascontiguousarray(element)
            bits = bits.view(f"u{bits.itemsize}")
            last = np.empty(int(inverse.max()) + 1, bits.dtype)
            last[inverse] = bits
            differ |= last[inverse] != bits
        lost = lost[differ[lost]]
        if len(lost):
            self._race(access, lost, access.shadow.written[index], "write", repeats)

    def _race(self, access: Access, bad, marks, earlier: str, repeats: int) -> None:
        """Report the first of the granules `bad`, whose marks are those of an earlier access."""
        chunk = self.chunk
        k = int(bad[0])
        mark = int(marks[k])
        line = mark >> 1 & _LINE_MASK
        lines = (source_lines.key_of(self._ptx, number) for number in (chunk.site, line))
        key = ("races", self.launch.kernel.name, frozenset(lines))
        if self.checker.knows(key):
            return
        position = k // repeats
        address, lane = access.address(position), access.lane(position)
        index = (mark >> _SHIFT) - self.segments.base
        number, agent = int(self.segments.block[index]), int(self.segments.agent[index])
        agent -= number * self.agents.per_block
        block = self._block(number)
        if self.agents.by_lane:
            other = "thread ({},{},{})".format(*self._thread(agent))
        else:
            other = f"warp {agent} (threads {agent * 32} to {min(agent * 32 + 31, chunk.T - 1)})"
        if number - chunk.b0 != lane // chunk.T:
            other += " of block ({},{},{})".format(*block)
        action = "atomic" if access.sync else "write" if access.writes else "read"
        earlier = ("synchronising " if mark & 1 else "") + earlier
        location, _ = source_lines.describe(self._ptx, line)
        self._report(
            key,
            "races",
            f"a {access.size}-byte {action} at {self._name_of(access.shadow, address)} is not "
            f"ordered with the {earlier} by {other}\n    at {location}",
            lane,
            address,
        )
