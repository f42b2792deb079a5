"""Where threads wait for others: barriers of blocks, and member masks of warps."""

from __future__ import annotations

import numpy as np

from gpuarray._integers import round_up

from ..faults import LAUNCH_TIMEOUT, DeviceFault
from . import source_lines
from .groups import select_registers


class Parked:
    """A group at a block-wide barrier. ``vote`` is (mode, predicate, slot of the result)."""

    __slots__ = ("block", "count", "frame", "lanes", "line", "registers", "vote")

    def __init__(self, frame, block, lanes, registers, count, vote, line):
        self.frame = frame
        self.block = block
        self.lanes = lanes
        self.registers = registers
        self.count = count
        self.vote = vote
        #: The PTX line of the barrier, under the checkers.
        self.line = line

    def subset(self, lanes, select) -> Parked:
        """Some of the group's lanes, with their registers."""
        vote = self.vote
        if vote is not None:
            mode, predicate, slot = vote
            vote = (mode, *select_registers(select, (predicate,)), slot)
        registers = select_registers(select, self.registers)
        return Parked(self.frame, self.block, lanes, registers, self.count, vote, self.line)


class Rendezvous:
    """The part of a chunk that lets lanes wait for one another."""

    # -------------------------------------------------------------- barriers

    def barrier(self, L, block: int, registers: tuple, ident: int, count, vote=None):
        """A block-wide barrier; ``block`` runs behind it."""
        if L.n == self.live and not self.parked and (count is None or count == self.T):
            if self.checks is not None:
                self.checks.barrier([(L, self.site)], int(ident), count is None)
            if vote is None:
                return block, L, registers
            return block, L, self._voted(L, registers, vote, [(L, vote[1])])
        ident = int(ident)
        parked = Parked(self.frame, block, L, registers, count, vote, self.site)
        self.parked.setdefault(ident, []).append(parked)
        if count is not None:
            self._release_barriers()
        return None

    def arrive(self, L, ident: int, count: int) -> None:
        """``bar.arrive``: count at a barrier without waiting."""
        ident = int(ident)
        arrived = self._arrived.setdefault(ident, np.zeros(self.nb, np.int64))
        arrived += np.bincount(L.thread_block[1], minlength=self.nb)
        if self.checks is not None:
            self.checks.agents.arrive(L, ident)

    def _voted(self, L, registers: tuple, vote, ballots) -> tuple:
        mode, _, slot = vote
        if slot < 0:
            return registers
        yes = np.zeros(self.nb, np.int64)
        everyone = np.zeros(self.nb, np.int64)
        for lanes, guard in ballots:
            block = lanes.thread_block[1]
            yes += np.bincount(block[lanes.filled(guard)], minlength=self.nb)
            everyone += np.bincount(block, minlength=self.nb)
        if mode == "popc":
            result = yes.astype(np.int32)
        else:
            result = yes > 0 if mode == "or" else yes == everyone
        result = result[L.thread_block[1]]
        if self.nb == 1:
            result = result[0]
        return (*registers[:slot], result, *registers[slot + 1 :])

    def _release_barriers(self) -> bool:
        """Let blocks pass barriers that all their threads have reached."""
        released = False
        for ident, waiting in list(self.parked.items()):
            arrived = np.zeros(self.nb, np.int64)
            for p in waiting:
                arrived += np.bincount(p.lanes.thread_block[1], minlength=self.nb)
            if ident in self._arrived:
                arrived += self._arrived[ident]
            count = waiting[0].count
            expected = self.live_counts if count is None else np.minimum(count, self.T)
            complete = (arrived >= expected) & (arrived > 0)
            if not complete.any():
                continue
            through: list[Parked] = []
            remaining: list[Parked] = []
            for p in waiting:
                passes = complete[p.lanes.thread_block[1]]
                if passes.all():
                    through.append(p)
                elif not passes.any():
                    remaining.append(p)
                else:
                    passed, select_passed, rest, select_rest = p.lanes.split(passes)
                    through.append(p.subset(passed, select_passed))
                    remaining.append(p.subset(rest, select_rest))
            if not through:
                continue
            released = True
            if self.checks is not None:
                groups = [(p.lanes, p.line) for p in through]
                self.checks.barrier(groups, ident, count is None)
            if ident in self._arrived:
                self._arrived[ident][complete] = 0
            if remaining:
                self.parked[ident] = remaining
            else:
                del self.parked[ident]
            ballots = [(p.lanes, p.vote[1]) for p in through if p.vote]
            for p in through:
                registers = p.registers
                if p.vote:
                    registers = self._voted(p.lanes, registers, p.vote, ballots)
                p.frame.push(p.block, p.lanes, registers)
        return released

    # -------------------------------------------------------------- convergence of warps

    def _live_warps(self) -> np.ndarray:
        """Bits of the lanes that have not exited, for each warp."""
        per_block = round_up(self.T, 32)
        alive = self._alive
        if alive is None:
            alive = self._alive = np.zeros((self.nb, per_block), bool)
            alive[:, : self.T] = True
            self._alive_bits = None
        if self._exited or self._alive_bits is None:
            for L in self._exited:
                thread, block = L.thread_block
                alive[block, thread] = False
            self._exited.clear()
            self._alive_bits = np.packbits(alive, bitorder="little").view(np.uint32)
        return self._alive_bits

    def converge(self, L, mask, block: int, registers: tuple):
        """Wait for all lanes that member masks name, at the beginning of a block.

        Called where ``L`` is not made of whole warps. Returns the chunk itself if the lanes are
        all here. Otherwise the group is set aside, but for its complete warps, which run the
        block; the result is what the block returned.
        """
        live = self._live_warps()
        position = L.warps
        if position is None:
            return self
        present = np.zeros(len(live) * 32, bool)
        present[position] = True
        here = np.packbits(present, bitorder="little").view(np.uint32)
        mask = L.filled(mask)
        mask = mask if mask.dtype == np.uint32 else mask.view(np.uint32)
        warp = position >> 5
        missing = mask & live[warp] & ~here[warp]
        if not missing.any() or self.lenient:
            return self
        # All lanes of a warp wait together if any of them misses someone.
        incomplete = np.zeros(len(live), bool)
        incomplete[warp[missing != 0]] = True
        waits = incomplete[warp]
        frame = self.frame
        if self.checks is not None:
            self.checks.wait_for(L, block, mask, missing)
        if waits.all():
            frame.waiting.setdefault(block, []).append((L, registers))
            return None
        stay, select_stay, go, select_go = L.split(waits)
        frame.waiting.setdefault(block, []).append((stay, select_registers(select_stay, registers)))
        return frame.code[block](self, go, *select_registers(select_go, registers))

    def _release_warps(self) -> bool:
        """Let groups that wait for lanes of their warp check again, when nothing else can run."""
        frames = [f for f in self.frames if f.waiting]
        if not frames:
            return False
        for frame in frames:
            for block, groups in frame.waiting.items():
                for L, registers in groups:
                    frame.push(block, L, registers)
            frame.waiting = {}
        return True

    def _release_warps_once(self) -> bool:
        """Retry waiting warps; the second time in a row they pass without the missing lanes."""
        waiting = sum(L.n for f in self.frames for g in f.waiting.values() for L, _ in g)
        if not waiting:
            self.lenient = False
            self._waiting_lanes = None
            return False
        state = (waiting, self.live, self.arena.writes)
        self.lenient = self._waiting_lanes == state
        if self.lenient and self.checks is not None:
            self.checks.warps_pass(self.frames)
        self._waiting_lanes = state
        return self._release_warps()

    def _line_of(self, parked: Parked) -> str:
        """The source line of the barrier at which a group waits."""
        line = parked.frame.function.barrier_lines.get(parked.block)
        return f" ({source_lines.named(self.program.module.text, line)})" if line else ""

    def _barrier_deadlock(self) -> DeviceFault:
        where = []
        for ident, waiting in sorted(self.parked.items()):
            lanes = sum(p.lanes.n for p in waiting)
            where.append(f"{lanes} threads at barrier {ident}{self._line_of(waiting[0])}")
        return DeviceFault(
            LAUNCH_TIMEOUT,
            f"deadlock: {', '.join(where)} wait for threads that never come "
            f"({self.live} of {self.n} are alive)",
        )
