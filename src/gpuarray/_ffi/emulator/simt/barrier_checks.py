"""Checks of barriers of blocks, and of the member masks of warp-wide functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuarray._integers import ceil_div

from . import source_lines
from .lanes import LaneSet
from .shuffles import shuffle_sources

u4 = np.uint32
_ALL = u4(0xFFFFFFFF)


class BarrierChecks:
    """The part of the checks of a chunk that is about threads that wait for one another."""

    agents: Any
    checker: Any
    chunk: Any
    launch: Any
    _ptx: str
    _report: Any

    def __init__(self):
        #: Blocks that begin with ``__syncwarp``, as (routine, number).
        self._warp_barriers: set[tuple] = set()
        #: Bits of the lanes of each warp that waited at any ``__syncwarp`` when warps were let
        #: pass without all of their lanes.
        self._at_warp_barriers: np.ndarray | None = None
        #: Of each block where lanes wait for others of their warps, as (routine, number): the
        #: PTX line, a lane that waits and its mask, bits of the lanes that are waited for.
        self.awaited: dict[tuple, tuple[int, int, int, np.ndarray]] = {}

    # -------------------------------------------------------------- barriers of a block

    def barrier(self, parked, ident: int, everyone: bool) -> None:
        """Check a barrier that blocks pass; ``parked`` has (lanes, PTX line) of each group.

        Number 0 for everyone is ``__syncthreads``. Others are made for threads that come from
        different places, and for some of the block only.
        """
        self.agents.barrier([L for L, _ in parked], ident)
        if ident or not (self.checker.barriers and everyone):
            return
        if len({line for _, line in parked}) > 1:
            self._check_same_barrier(parked)
        if self.chunk.live < self.chunk.n:
            self._check_whole_warps(parked)

    def _check_same_barrier(self, parked) -> None:
        """Report threads of a block that wait at different barriers."""
        chunk = self.chunk
        lines = np.zeros(chunk.nb, np.int64)
        for L, line in parked:
            blocks = np.unique(L.thread_block[1])
            other = blocks[(lines[blocks] != 0) & (lines[blocks] != line)]
            if len(other):
                first = int(lines[other[0]])
                chunk.site = line
                location, _ = source_lines.describe(self._ptx, first)
                self._report(
                    ("barriers", self.launch.kernel.name, tuple(sorted((first, line)))),
                    "barriers",
                    "threads of a block meet at different barriers: others came to\n"
                    f"    {location}",
                    _lane_of_block(L, other[0]),
                )
            lines[blocks] = line

    def _check_whole_warps(self, parked) -> None:
        """Report a warp of which some threads have ended before the barrier, and others not.

        Warps that ended as a whole are no fault: a barrier waits for the threads that are left.
        """
        chunk = self.chunk
        per_block = ceil_div(chunk.T, 32)
        arrived = np.zeros(chunk.nb * per_block, np.int64)
        for L, _ in parked:
            thread, block = L.thread_block
            arrived += np.bincount(block * per_block + (thread >> 5), minlength=len(arrived))
        whole = np.full(per_block, 32)
        whole[-1] = chunk.T - 32 * (per_block - 1)
        parts = np.flatnonzero((arrived > 0) & (arrived < np.tile(whole, chunk.nb)))
        if not len(parts):
            return
        block, warp = divmod(int(parts[0]), per_block)
        for L, line in parked:
            thread, number = L.thread_block
            here = np.flatnonzero((number == block) & (thread >> 5 == warp))
            if len(here):
                first, chunk.site = int(L.ids[here[0]]), line
                break
        self._report(
            ("barriers", self.launch.kernel.name, line),
            "barriers",
            f"only {int(arrived[parts[0]])} of the {int(whole[warp])} threads of warp {warp} reach "
            "the barrier: the others have ended",
            first,
        )

    # -------------------------------------------------------------- member masks

    def warp_barrier_at(self, block: int) -> None:
        """A block of the running function that begins with ``__syncwarp`` is about to run."""
        self._warp_barriers.add((self.chunk.frame.function, block))

    def wait_for(self, L: LaneSet, block: int, mask: np.ndarray, missing: np.ndarray) -> None:
        """Lanes wait at a block until the missing lanes of their masks come."""
        if not self.checker.barriers:
            return
        first = int(np.flatnonzero(missing)[0])
        bits = np.zeros(self.chunk.nb * ceil_div(self.chunk.T, 32), u4)
        np.bitwise_or.at(bits, L.warps >> 5, missing)
        site = self.chunk.site, int(L.ids[first]), int(mask[first])
        self.awaited[self.chunk.frame.function, block] = *site, bits

    def pass_by(self, L: LaneSet, blocks: tuple[int, ...]) -> None:
        """Report lanes that are waited for at one of these blocks, and run what comes behind."""
        function = self.chunk.frame.function
        for block in blocks:
            if (function, block) not in self.awaited:
                continue
            line, lane, mask, bits = self.awaited[function, block]
            positions = np.arange(L.n) if L.warps is None else L.warps
            passing = self._bits(positions) & bits
            warps = np.flatnonzero(passing)
            if len(warps):
                site = self.chunk.site
                key = ("masks", self.launch.kernel.name, line)
                self._report_mask(key, line, _does_not_come(mask, passing[warps[0]]), lane)
                self.chunk.site = site

    def warps_pass(self, frames) -> None:
        """Warps that wait for lanes that do not come are about to be let pass.

        Lanes of a warp may meet in different calls of ``__syncwarp``, so lanes that wait in
        another one do come.
        """
        positions = [
            L.warps
            for frame in frames
            for block, groups in frame.waiting.items()
            if (frame.function, block) in self._warp_barriers
            for L, _ in groups
        ]
        positions = [found for found in positions if found is not None]
        self._at_warp_barriers = self._bits(np.concatenate(positions)) if positions else None

    def _bits(self, positions: np.ndarray) -> np.ndarray:
        """One bit mask for each warp."""
        present = np.zeros(self.chunk.nb * ceil_div(self.chunk.T, 32) * 32, bool)
        present[positions] = True
        return np.packbits(present, bitorder="little").view(u4)

    def members(self, L: LaneSet, mask, block: int, line: int, is_barrier: bool) -> None:
        """Check the member mask of a warp-wide function, which all lanes of `L` execute now."""
        self.awaited.pop((self.chunk.frame.function, block), None)
        if not self.checker.barriers:
            return
        if L.warps is None and np.all(mask == _ALL):
            return
        key = ("masks", self.launch.kernel.name, line)
        if self.checker.knows(key):
            return
        positions = np.arange(L.n) if L.warps is None else L.warps
        warp, lane = positions >> 5, (positions & 31).astype(u4)
        mask = np.ascontiguousarray(L.filled(mask)).view(u4)
        here = self._bits(positions)
        bad = np.flatnonzero((mask >> lane & u4(1)) == 0)
        if len(bad):
            what = f"lane {lane[bad[0]]} is not in its own member mask 0x{int(mask[bad[0]]):08x}"
            return self._report_mask(key, line, what, L.ids[bad[0]])
        missing = mask & self.chunk._live_warps()[warp] & ~here[warp]
        if is_barrier and self._at_warp_barriers is not None:
            missing &= ~self._at_warp_barriers[warp]
        bad = np.flatnonzero(missing)
        if len(bad):
            what = _does_not_come(mask[bad[0]], missing[bad[0]])
            return self._report_mask(key, line, what, L.ids[bad[0]])
        masks = np.zeros(len(here) * 32, u4)
        masks[positions] = mask
        first = np.zeros(len(here), u4)
        first[warp] = mask
        mixed = np.unique(warp[first[warp] != mask])
        if len(mixed):
            rows = masks.reshape(-1, 32)[mixed]
            shifts = np.arange(32, dtype=u4)
            met = (rows[:, :, None] & here[mixed][:, None, None]) >> shifts & u4(1)
            differ = (rows[:, :, None] != rows[:, None, :]) & met.astype(bool)
            rows_, lanes_, others = np.nonzero(differ)
            if len(rows_):
                number, other = mixed[rows_[0]] * 32 + lanes_[0], mixed[rows_[0]] * 32 + others[0]
                what = (
                    f"lanes that meet have different member masks: 0x{int(masks[number]):08x} "
                    f"here, 0x{int(masks[other]):08x} in lane {others[0]}"
                )
                self._report_mask(key, line, what, L.ids[positions == number][0])
        return None

    def sources(self, L: LaneSet, mode: str, lane, clamp, mask, line: int) -> None:
        """Check the lanes that a shuffle takes its values from."""
        if not self.checker.barriers:
            return
        if L.warps is None and np.all(mask == _ALL):
            return
        key = ("sources", self.launch.kernel.name, line)
        if self.checker.knows(key):
            return
        positions = np.arange(L.n) if L.warps is None else L.warps
        warp, own = positions >> 5, positions & 31
        source, valid = shuffle_sources(mode, own, np.asarray(lane), np.asarray(clamp))
        mask = np.ascontiguousarray(L.filled(mask)).view(u4)
        here = self._bits(positions)[warp]
        bits = u4(1) << source.astype(u4)
        bad = np.flatnonzero(valid & ((here & mask & bits) == 0))
        if len(bad):
            k = bad[0]
            why = "is not here: it has ended, or took another branch"
            if here[k] & bits[k]:
                why = f"is not in the member mask 0x{int(mask[k]):08x}"
            self._report_mask(key, line, f"a shuffle reads lane {source[k]}, which {why}", L.ids[k])

    def _report_mask(self, key: tuple, line: int, what: str, lane: int) -> None:
        self.chunk.site = line
        self._report(key, "barriers", what, int(lane))


def _does_not_come(mask, missing) -> str:
    return f"the member mask 0x{int(mask):08x} names {_lanes(missing)}, which do not come here"


def _lanes(bits) -> str:
    """Lanes of a warp as a text."""
    lanes = [lane for lane in range(32) if int(bits) >> lane & 1]
    if len(lanes) == 1:
        return f"lane {lanes[0]}"
    if lanes[-1] - lanes[0] == len(lanes) - 1:
        return f"lanes {lanes[0]} to {lanes[-1]}"
    return f"lanes {', '.join(map(str, lanes))}"


def _lane_of_block(L: LaneSet, block: int) -> int:
    """The number of the first lane that belongs to a block."""
    return int(L.ids[np.flatnonzero(L.thread_block[1] == block)[0]])
