"""Which accesses of a launch are ordered by barriers, fences and synchronising accesses.

An *agent* may race with another agent: it is a warp, or with lane granularity a thread. An agent's
time is cut into *segments*: a new one begins at each barrier, and after each fence. An access is
recorded as the segment it was made in, so that order is a property of segments:

* Of one block: an access is ordered before all that follow the next barrier (its ``epoch`` is
  smaller). With lane granularity ``__syncwarp`` orders threads of a warp likewise.
* Between any two agents: a segment is *covered* by a fence of its own agent, or by a fence of
  its block behind a later barrier. The block's next synchronising write (an atomic, or a
  volatile, relaxed or release store) *publishes* the segments that are covered, at that time. An
  agent that makes a synchronising read at that time or later has *seen* them, and a barrier
  passes on to the whole block what its agents have seen.

That approximates happens-before and misses some races: a synchronising read counts as having
seen everything published so far, whether or not it read the value that was written.
"""

from __future__ import annotations

import numpy as np

from gpuarray._integers import ceil_div

NEVER = np.iinfo(np.int64).max
_WARP = 32


class Segments:
    """All segments of a launch. Numbers begin at ``base``: smaller ones are of earlier launches."""

    def __init__(self, base: int):
        self.base = base
        self.count = 0
        self.agent = np.empty(1024, np.int64)
        self.block = np.empty(1024, np.int64)
        self.epoch = np.empty(1024, np.int32)
        self.warp_epoch = np.empty(1024, np.int32)
        self.covered = np.empty(1024, bool)
        self.published = np.empty(1024, np.int64)
        self.now = 1

    def add(self, agent, block, epoch, warp_epoch) -> np.ndarray:
        """New segments; their numbers."""
        first, count = self.count, self.count + len(agent)
        if count > len(self.agent):
            size = max(2 * len(self.agent), count)
            for name in ("agent", "block", "epoch", "warp_epoch", "covered", "published"):
                old = getattr(self, name)
                grown = np.empty(size, old.dtype)
                grown[:first] = old[:first]
                setattr(self, name, grown)
        self.agent[first:count] = agent
        self.block[first:count] = block
        self.epoch[first:count] = epoch
        self.warp_epoch[first:count] = warp_epoch
        self.covered[first:count] = False
        self.published[first:count] = NEVER
        self.count = count
        return np.arange(first + self.base, count + self.base)

    @property
    def end(self) -> int:
        return self.base + self.count


class Agents:
    """The agents of one chunk of blocks, each with its current segment."""

    def __init__(self, segments: Segments, chunk, by_lane: bool):
        self.segments = segments
        self.chunk = chunk
        self.by_lane = by_lane
        T, nb = chunk.T, chunk.nb
        self.per_block = T if by_lane else ceil_div(T, _WARP)
        n = self.per_block * nb
        self.first = chunk.b0 * self.per_block
        numbers = np.arange(n)
        self.block_of = numbers // self.per_block
        self.epoch = np.zeros(n, np.int32)
        #: Counts __syncwarp, for lane granularity.
        self.warp_epoch = np.zeros(n, np.int32)
        self.seen = np.full(n, -1, np.int64)
        #: Of each block: whether a fence waits to be published, and the latest fence's epoch.
        self.pending = np.zeros(nb, bool)
        self.fence_epoch = np.zeros(nb, np.int32)
        #: Accesses of this chunk's blocks to their own memory, in segments before this one, are
        #: ordered before everything to come: all threads passed a barrier together.
        self.settled = 0
        #: Of each barrier's number: the latest epoch and what was seen, of the agents of each
        #: block that arrived there without waiting.
        self.arrived: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self.current = np.empty(n, np.int64)
        #: Counts changes of ``current``, for caches.
        self.version = 0
        self._renew(slice(None))

    def of(self, L) -> np.ndarray:
        """The agent of each lane."""
        found = L._arrays.get("agents")
        if found is None:
            if self.by_lane:
                found = L.ids
            else:
                thread, block = L.thread_block
                found = block * self.per_block + (thread >> 5)
            L._arrays["agents"] = found
        return found

    def segments_of(self, L) -> np.ndarray:
        """The current segment of each lane."""
        cached = L._arrays.get("segments")
        if cached is None or cached[0] != self.version:
            cached = L._arrays["segments"] = (self.version, self.current[self.of(L)])
        return cached[1]

    def _renew(self, which) -> None:
        numbers = self.block_of[which]
        agents = np.arange(len(self.current))[which]
        self.current[which] = self.segments.add(
            agents + self.first, numbers + self.chunk.b0, self.epoch[which], self.warp_epoch[which]
        )
        self.version += 1

    # -------------------------------------------------------------- events

    def arrive(self, L, ident: int) -> None:
        """These lanes count at a barrier that others wait at: ``bar.arrive``."""
        n = self.chunk.nb
        epoch, seen = self.arrived.setdefault(
            ident, (np.zeros(n, np.int32), np.full(n, -1, np.int64))
        )
        which = np.unique(self.of(L))
        blocks = self.block_of[which]
        np.maximum.at(epoch, blocks, self.epoch[which])
        np.maximum.at(seen, blocks, self.seen[which])
        self._renew(which)

    def barrier(self, lane_sets, ident: int = 0) -> None:
        """These lanes pass a barrier of their blocks together."""
        shape = (self.chunk.nb, self.per_block)
        together = sum(L.n for L in lane_sets) == self.chunk.n
        if together:
            which = slice(None)
            blocks = np.arange(self.chunk.nb)
            epoch = self.epoch.reshape(shape).max(axis=1)
            seen = self.seen.reshape(shape).max(axis=1)
        else:
            which = np.unique(np.concatenate([self.of(L) for L in lane_sets]))
            blocks = self.block_of[which]
            epoch = np.zeros(self.chunk.nb, np.int32)
            seen = np.full(self.chunk.nb, -1, np.int64)
            np.maximum.at(epoch, blocks, self.epoch[which])
            np.maximum.at(seen, blocks, self.seen[which])
        numbers = self.block_of[which]
        if ident in self.arrived:
            arrived = self.arrived[ident]
            passed = np.unique(numbers)
            epoch[passed] = np.maximum(epoch, arrived[0])[passed]
            seen[passed] = np.maximum(seen, arrived[1])[passed]
        self.epoch[which] = epoch[numbers] + 1
        self.seen[which] = seen[numbers]
        if together:
            self.settled = self.segments.end
        self._renew(which)

    def warp_barrier(self, L) -> None:
        """``__syncwarp``: with lane granularity it orders the lanes of a warp."""
        if not self.by_lane:
            return
        which = self.of(L)
        thread, block = L.thread_block
        warp = block * ceil_div(self.chunk.T, _WARP) + (thread >> 5)
        warp_epoch = np.zeros(int(warp.max()) + 1, np.int32)
        np.maximum.at(warp_epoch, warp, self.warp_epoch[which])
        seen = np.full(len(warp_epoch), -1, np.int64)
        np.maximum.at(seen, warp, self.seen[which])
        self.warp_epoch[which] = warp_epoch[warp] + 1
        self.seen[which] = seen[warp]
        self._renew(which)

    def fence(self, L) -> None:
        """Cover the accesses of these agents so far, and those before their last barrier."""
        which = np.unique(self.of(L))
        segments = self.segments
        segments.covered[self.current[which] - segments.base] = True
        blocks = self.block_of[which]
        self.pending[blocks] = True
        np.maximum.at(self.fence_epoch, blocks, self.epoch[which])
        self._renew(which)

    def synchronise(self, L, reads: bool, writes: bool) -> None:
        """A synchronising access: a write publishes what is covered, a read sees it."""
        segments = self.segments
        segments.now += 1
        which = self.of(L)
        if writes and self.pending.any():
            blocks = np.unique(self.block_of[which])
            blocks = blocks[self.pending[blocks]]
            if len(blocks):
                self._publish(blocks)
        if reads:
            self.seen[which] = segments.now

    def _publish(self, blocks: np.ndarray) -> None:
        segments, chunk = self.segments, self.chunk
        n = segments.count
        limit = np.full(chunk.nb, -1, np.int32)
        limit[blocks] = self.fence_epoch[blocks]
        block = segments.block[:n] - chunk.b0
        open_ = (segments.published[:n] == NEVER) & (block >= 0) & (block < chunk.nb)
        candidates = np.flatnonzero(open_)
        bound = limit[block[candidates]]
        covered = (segments.epoch[:n][candidates] < bound) | (
            segments.covered[:n][candidates] & (bound >= 0)
        )
        segments.published[candidates[covered]] = segments.now
        self.pending[blocks] = False

    # -------------------------------------------------------------- the question

    def unordered(self, earlier: np.ndarray, agents: np.ndarray) -> np.ndarray:
        """Whether accesses in earlier segments (of this launch) race with these agents now."""
        segments = self.segments
        index = earlier - segments.base
        other = segments.agent[index]
        mine = agents + self.first
        open_ = (other != mine) & (segments.published[index] > self.seen[agents])
        if not open_.any():
            return open_
        near = segments.block[index] == self.block_of[agents] + self.chunk.b0
        ordered = segments.epoch[index] < self.epoch[agents]
        if self.by_lane:
            width = self.per_block
            same_warp = near & ((other % width) >> 5 == (mine % width) >> 5)
            ordered |= same_warp & (segments.warp_epoch[index] < self.warp_epoch[agents])
        open_ &= ~(near & ordered)
        return open_
