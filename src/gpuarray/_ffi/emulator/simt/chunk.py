"""The scheduler: lane groups of a chunk of blocks, run so that divergent threads reconverge.

A *group* is a lane set that waits at a basic block with its registers. Always the lowest
pending block runs, and groups that wait at the same block run as one; blocks are numbered so
that this is where threads reconverge. A function call opens a *frame*, in which the callee's
groups run until all their lanes have returned.

A group that polls memory in a loop without seeing a change is *stalled*: others run first, then
the other chunks of the launch (each chunk is a generator, see :mod:`.launch`). So are, for a while,
those that run where many polls changed nothing: what polls there may be calls of a function, or
lanes that part in each turn of the loop, which nobody can see turn by turn.
"""

from __future__ import annotations

import heapq

import numpy as np

from ..faults import ILLEGAL_ADDRESS, DeviceFault
from .affine import Affine
from .chunk_checks import ChunkChecks
from .groups import (
    Unselected,
    merge,
    same,
    select_registers,
    selected,
    should_stay_split,
    unselected,
)
from .lanes import RANGE, RECTANGLE, LaneSet
from .local_memory import LocalMemory
from .rendezvous import Parked, Rendezvous

nd = np.ndarray
i8 = np.int64

#: Polls without a write or a stall after which whoever runs is set aside.
_PATIENCE = 64
#: What is remembered of a polling group: so many addresses of an instruction, as a loop over the
#: words of a message has them; of all groups together, so many lanes.
_POLLED_ADDRESSES = 16
_POLLED_LANES = 1 << 21


class Frame:
    """One activation of a function (or the kernel itself) by a lane set."""

    __slots__ = (
        "active", "caller", "code", "function", "heap", "lanes", "local", "ready", "resume",
        "returned", "stack", "waiting",
    )  # fmt: skip

    def __init__(self, function, caller, lanes: LaneSet, resume):
        self.function = function
        self.code = function.checked if lanes.state.checks is not None else function.code
        self.caller = caller
        self.lanes = lanes
        #: Where the caller resumes: (block, registers, shape of results), or None for a kernel.
        self.resume = resume
        self.active = lanes.n
        self.ready: dict[int, list] = {}
        self.heap: list[int] = []
        #: Groups that wait for other lanes of their warps, by block.
        self.waiting: dict[int, list] = {}
        self.returned: list[tuple[LaneSet, tuple]] = []
        self.local: LocalMemory | None = None
        #: Bytes of each thread's stack down to here: local variables, and a return address.
        self.stack: int = 0 if caller is None else caller.stack + 16 + function.local_bytes

    def push(self, block: int, lanes: LaneSet, registers: tuple) -> None:
        groups = self.ready.get(block)
        if groups is None:
            self.ready[block] = [(lanes, registers)]
            heapq.heappush(self.heap, block)
        else:
            groups.append((lanes, registers))


class Chunk(Rendezvous):
    """The state of some consecutive blocks of a launch. Generated code calls it ``S``."""

    def __init__(self, launch, first_block: int, nb: int):
        self.launch = launch
        self.arena = launch.arena
        self.program = launch.kernel.program
        self.grid = launch.grid
        self.block = bx, by, bz = launch.block
        self.T = bx * by * bz
        self.b0 = first_block
        self.nb = nb
        self.n = self.T * nb
        self.linear = by == 1 and bz == 1
        self.P = launch.arguments
        self.full = LaneSet(self, RECTANGLE, self.n, 0, nb, 0, self.T)
        #: The PTX line being executed, under the checkers.
        self.site = 0
        self.checks = ChunkChecks(launch.checks, self) if launch.checks is not None else None
        self.live = self.n
        self._live_counts = None
        self._exited: list[LaneSet] = []
        self._alive: np.ndarray | None = None
        self._alive_bits: np.ndarray | None = None
        self.frames: list[Frame] = []
        self.frame: Frame = None  # type: ignore[assignment]
        self.parked: dict[int, list[Parked]] = {}
        self._arrived: dict[int, np.ndarray] = {}
        self.stalled: list[tuple] = []
        #: What polling instructions read last, by place and lanes: [(address, value), ...].
        self._polls: dict[tuple, list[tuple]] = {}
        self._polled_lanes = 0
        #: Polls since something was written or set aside, and the writes until then.
        self.quiet = 0
        self._writes_at_poll = -1
        #: Whether incomplete warps may pass, since nothing else can run.
        self.lenient = False
        self._waiting_lanes: tuple | None = None
        self._live_at_retry = self.n
        self._stalls: dict = {}
        #: Whether something changed since the chunk last yielded.
        self.progressed = True
        #: Indices and bounds of address registers; see :mod:`.access`.
        self.address_cache: dict[tuple[int, int], tuple] = {}
        self.allocations: list[int] = []
        #: Local memory of the frames that use some.
        self.locals: list[LocalMemory] = []
        self.shared_bytes = launch.shared_bytes
        self.shared_base = 0
        if self.shared_bytes:
            self.shared_base = self._allocate(launch.shared_bytes * nb)
            if self.checks is not None:
                checker = launch.checks.checker
                shadow = checker.add_uninitialised(self.shared_base, launch.shared_bytes * nb)
                shadow.window = launch.shared_bytes
        self.shared = (
            Affine(self.shared_base, 0, self.shared_bytes, i8) if nb > 1 else i8(self.shared_base)
        )

    # -------------------------------------------------------------- memory of the chunk

    def _allocate(self, nbytes: int) -> int:
        address = self.arena.allocate(nbytes)
        self.allocations.append(address)
        return address

    def release(self) -> None:
        """Free shared and local memory, and drop all registers.

        Lane sets refer to the chunk, so without this the arrays would live until the garbage
        collector runs.
        """
        for address in self.allocations:
            self.arena.free(address)
        self.allocations = []
        while self.locals:
            self.locals.pop().release()
        self.full = self.frame = self.checks = None
        for table in (
            self.frames, self.parked, self.stalled, self._polls, self._stalls, self.address_cache,
        ):  # fmt: skip
            table.clear()
        self._exited.clear()

    def local(self, offset: int) -> Affine:
        """The address of the running frame's local memory."""
        frame = self.frame
        memory = frame.local
        if memory is None:
            memory = LocalMemory(self.arena, frame.function.local_bytes, self.T, self.nb)
            frame.local = memory
            self.locals.append(memory)
            if self.checks is not None:
                checker = self.launch.checks.checker
                checker.add_uninitialised(memory.base, memory.total).private = True
        return memory.address(offset)

    # -------------------------------------------------------------- lane sets

    def lane_range(self, start: int, n: int) -> LaneSet:
        """Consecutive lanes, as a rectangle where they are one."""
        T = self.T
        if n == self.n:
            return self.full
        if start % T == 0 and n % T == 0:
            return LaneSet(self, RECTANGLE, n, start // T, n // T, 0, T)
        if start // T == (start + n - 1) // T:
            return LaneSet(self, RECTANGLE, n, start // T, 1, start % T, n)
        return LaneSet(self, RANGE, n, start)

    @property
    def live_counts(self) -> np.ndarray:
        """Threads of each block that have not exited."""
        if self._live_counts is None:
            self._live_counts = np.full(self.nb, self.T)
        return self._live_counts

    # -------------------------------------------------------------- ends of blocks

    def branch(self, L, guard, if_true, true_registers, if_false, false_registers):
        """Follow one successor, or split the group where its lanes disagree."""
        if type(guard) is not nd:
            return (if_true, L, true_registers) if guard else (if_false, L, false_registers)
        taken = np.count_nonzero(guard)
        if taken == L.n:
            return if_true, L, true_registers
        if taken == 0:
            return if_false, L, false_registers
        taken, select_taken, other, select_other = L.split(guard)
        self.frame.push(if_true, taken, unselected(select_taken, true_registers))
        self.frame.push(if_false, other, unselected(select_other, false_registers))
        return None

    def switch(self, L, index, targets):
        """Follow an indexed branch through a table of (block, registers)."""
        if type(index) is not nd:
            block, registers = targets[int(index)]
            return block, L, registers
        for value in np.unique(index).tolist():
            part, select = L.pick(np.flatnonzero(index == value))
            block, registers = targets[value]
            self.frame.push(block, part, select_registers(select, registers))
        return None

    def leave(self, L, results: tuple):
        """``ret``: the group's lanes leave the frame (of the kernel: they exit)."""
        frame = self.frame
        if frame.caller is None:
            return self.exit(L)
        frame.returned.append((L, results))
        frame.active -= L.n
        if not frame.active:
            self._return_lanes(frame)
        return None

    def exit(self, L):
        """The threads end."""
        self.live -= L.n
        if self.live:
            counts = self.live_counts
            if L.kind == RECTANGLE:
                counts[L.b0 : L.b0 + L.nb] -= L.T
            else:
                counts -= np.bincount(L.thread_block[1], minlength=self.nb)
            self._exited.append(L)
        frame = self.frame
        while frame is not None:
            frame.active -= L.n
            if not frame.active and frame.caller is not None:
                self._return_lanes(frame)
            frame = frame.caller
        return None

    def call(self, L, target, slots: dict, resume_block: int, registers: tuple, results):
        """Enter a function.

        ``results`` lists (index in the resuming registers, offset, code) of what is read of
        the returned value.
        """
        caller = self.frame
        if type(target) is nd:
            groups = [(int(a), np.flatnonzero(target == a)) for a in np.unique(target).tolist()]
            if len(groups) > 1:
                for address, positions in groups:
                    part, select = L.pick(positions)
                    self._enter(
                        caller,
                        part,
                        self.program.function_at(address),
                        {key: select(v) if type(v) is nd else v for key, v in slots.items()},
                        (resume_block, select_registers(select, registers), results),
                    )
                return None
            target = groups[0][0]
        if type(target) is not str:
            target = self.program.function_at(int(target))
        self._enter(caller, L, target, slots, (resume_block, registers, results))
        return None

    def _enter(self, caller, L, name: str, slots: dict, resume) -> None:
        function = self.program.compiled(name)
        frame = Frame(function, caller, L, resume)
        if frame.stack > self.launch.stack_bytes:
            self._check_recursion(frame)
        self.frames.append(frame)
        frame.push(0, L, function.entry_registers(L, slots))
        self.frame = frame

    def _check_recursion(self, frame: Frame) -> None:
        """Refuse recursion that the stack has no room for: other calls get what they need."""
        name, outer, calls = frame.function.function.name, frame.caller, 1
        while outer is not None:
            calls += outer.function is frame.function
            outer = outer.caller
        if calls > 1:
            raise DeviceFault(
                ILLEGAL_ADDRESS,
                f"stack overflow: {calls} nested calls of {name} need more than the "
                f"{self.launch.stack_bytes} bytes that each thread's stack has; "
                "cuda.runtime.deviceSetLimit(0, bytes) sets more",
            )

    def _return_lanes(self, frame: Frame) -> None:
        """Resume the caller with the lanes that returned from a call, and their results.

        That is when all have returned, or earlier when the others wait for something.
        """
        caller = frame.caller
        if not frame.active:
            self.frames.remove(frame)
            self.frame = caller
            if frame.local is not None:
                self.locals.remove(frame.local)
                frame.local.release()
        if not frame.returned:
            return
        L, results = merge(frame.returned)
        frame.returned = []
        block, registers, results_read = frame.resume
        if L.n == frame.lanes.n:
            L = frame.lanes
        else:
            positions = L.positions_in(frame.lanes)
            registers = select_registers(lambda x: x[positions], registers)
        slots = dict(zip(frame.function.result_keys, results, strict=True))
        registers = list(registers)
        for index, offset, code in results_read:
            registers[index] = read_slot(slots, 0, offset, code, L)
        caller.push(block, L, tuple(registers))

    def _return_early(self) -> bool:
        """When nothing can run, resume callers with the lanes that have returned so far."""
        frames = [f for f in self.frames if f.returned]
        for frame in frames:
            self._return_lanes(frame)
        return bool(frames)

    # -------------------------------------------------------------- polling

    def poll(self, site: str, L, address, value) -> None:
        """Record what a polling access read; the same value again means that the group may wait."""
        writes = self.arena.writes
        if writes != self._writes_at_poll:
            self._writes_at_poll = writes
            self.quiet = 0
        self.quiet += 1
        key = (site, L.key)
        known = self._polls.get(key)
        if known is None:
            known = self._polls[key] = []
        for k, last in enumerate(known):
            if _equal(last[0], address):
                L.spinning = _equal(last[1], value)
                known[k] = address, value
                return
        L.spinning = False
        if len(known) == _POLLED_ADDRESSES:
            del known[0]
        else:
            self._polled_lanes += L.n
            if self._polled_lanes > _POLLED_LANES:
                self._polls = {key: known}
                self._polled_lanes = L.n * (len(known) + 1)
        known.append((address, value))

    def _stall(self, block: int, L, registers: tuple) -> None:
        """Set a group aside, and record whether what it alone sees changed since last time."""
        self.quiet = 0
        L.spinning = False
        # What its calls return to belongs to it as well: the loop may be the caller's.
        state, digests, frame = list(registers), [], self.frame
        while frame is not None:
            if frame.local is not None:
                digests.append(frame.local.digest(L))
            if frame.resume is not None:
                state += frame.resume[1]
            frame = frame.caller
        key = (id(self.frame.code), block, L.key)
        last = self._stalls.get(key)
        if (
            last is None
            or digests != last[1]
            or len(state) != len(last[0])
            or not all(map(_equal, last[0], state))
        ):
            self.progressed = True
        if len(self._stalls) > 16384:
            self._stalls.clear()
        self._stalls[key] = state, digests
        self.stalled.append((self.frame, block, L, registers))

    # -------------------------------------------------------------- the scheduler

    def start(self) -> None:
        kernel = self.launch.kernel
        frame = Frame(kernel, None, self.full, None)
        self.frames.append(frame)
        self.frame = frame
        frame.push(0, self.full, kernel.entry_registers(self.full, {}))

    def run(self):
        """A generator that yields when every group waits for something outside of the chunk."""
        while True:
            frame = self.frame
            code, heap, ready, waiting = frame.code, frame.heap, frame.ready, frame.waiting
            while heap:
                block = heapq.heappop(heap)
                groups = ready.pop(block)
                if waiting and block in waiting:
                    groups += waiting.pop(block)
                elif len(groups) > 1 and should_stay_split(groups):
                    ready[block] = groups[1:]
                    heapq.heappush(heap, block)
                    groups = groups[:1]
                L, registers = groups[0] if len(groups) == 1 else merge(groups)
                if type(registers) is Unselected:
                    registers = selected(L, registers)
                if self.quiet > _PATIENCE:
                    self._stall(block, L, registers)
                    continue
                while True:
                    following = code[block](self, L, *registers)
                    if following is None:
                        break
                    target = following[0]
                    if target <= block and (L.spinning or self.quiet > _PATIENCE):
                        self._stall(*following)
                        break
                    if (heap and heap[0] <= target) or (waiting and target in waiting):
                        frame.push(*following)
                        break
                    block, L, registers = following
                if self.frame is not frame:
                    break
            else:
                ended = yield from self._find_work()
                if ended:
                    return

    def _find_work(self):
        """Choose the next frame to run when the current one has nothing ready; True at the end."""
        while True:
            for frame in reversed(self.frames):
                if frame.heap:
                    self.frame = frame
                    return False
            if (self.parked and self._release_barriers()) or self._return_early():
                continue
            if not self.stalled:
                if self._release_warps_once():
                    continue
                if self.parked:
                    raise self._barrier_deadlock()
                return True
            # Polling lanes may still join the groups that wait for them; exited ones will not.
            if self.live != self._live_at_retry:
                self._live_at_retry = self.live
                if self._release_warps():
                    continue
            stalled, self.stalled = self.stalled, []
            yield
            for frame, block, L, registers in stalled:
                frame.push(block, L, registers)
            self.lenient = False


def _equal(a, b) -> bool:
    if type(a) is nd and type(b) is nd:
        if a is b:
            return True
        if a.dtype.kind == "f" and a.dtype == b.dtype:  # as in `same`
            a, b = a.view(f"u{a.itemsize}"), b.view(f"u{b.itemsize}")
        return a.shape == b.shape and bool((a == b).all())
    return same(a, b)


def read_slot(slots: dict, parameter: int, offset: int, code: str, L):
    """Read a value from parameters, which are stored as {(parameter, offset): value}."""
    dtype = np.dtype("?" if code == "b1" else code)
    value = slots.get((parameter, offset))
    if value is not None:
        if type(value) is Affine:
            if dtype.kind == "i" and np.dtype(value.dt) == dtype:
                return value
            value = L.array_of(value)
        if value.dtype.itemsize == dtype.itemsize:
            return value.view(dtype)
    size = dtype.itemsize
    raw = np.zeros((L.n, size), np.uint8)
    for (p, start), value in slots.items():
        if p != parameter:
            continue
        value = L.filled(value)
        width = value.dtype.itemsize
        low, high = max(start, offset), min(start + width, offset + size)
        if low < high:
            data = np.ascontiguousarray(value).view(np.uint8).reshape(L.n, width)
            raw[:, low - offset : high - offset] = data[:, low - start : high - start]
    return raw.reshape(-1).view(dtype)
