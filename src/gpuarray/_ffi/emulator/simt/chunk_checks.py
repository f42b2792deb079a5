"""Checks of the accesses of a running launch: bounds, and what was never written."""

from __future__ import annotations

import numpy as np

from ...findings import Finding
from ..faults import INVALID_VALUE, NOT_SUPPORTED, DeviceFault
from ..stream_order import Operation
from . import source_lines
from .accesses import Access
from .affine import Affine
from .barrier_checks import BarrierChecks
from .checker import Checker
from .lanes import RANGE, RECTANGLE
from .ordering import Agents, Segments
from .race_checks import RaceChecks
from .shadow import SHIFT as _SHIFT
from .shadow import Shadow

nd = np.ndarray
_ALL_VALID = {1: 1, 2: 0x0101, 4: 0x01010101, 8: 0x0101010101010101}


class LaunchChecks:
    """The state that the chunks of a launch share."""

    def __init__(self, checker: Checker, kernel, dynamic_shared: int):
        self.checker = checker
        self.kernel = kernel
        self.bounds = kernel.shared_bounds(dynamic_shared)
        self.segments = Segments(checker.next_segment)
        #: The stream's operation that the launch is.
        self.operation = operation = checker.operation
        #: Earlier operations of other streams that it is not ordered with.
        self.others: list[Operation] = []
        if operation is not None:
            self.others = operation.others
            operation.first = operation.first or checker.next_segment
            operation.ptx = kernel.program.module.text

    def finish(self) -> None:
        self.checker.next_segment = self.segments.end
        if self.operation is not None:
            self.operation.end = self.segments.end

    def failed(self, fault: DeviceFault) -> None:
        """Count the fault that ends the launch, whatever the program does with its error."""
        if fault.status in (NOT_SUPPORTED, INVALID_VALUE):
            return  # a limit of the emulator; an IndexError, which a program may expect
        kernel = self.kernel.name
        place = f"at {fault.place}" if fault.place else ""
        self.checker.add(
            ("faults", kernel, fault.source or fault.place or fault.reason),
            Finding(
                "faults",
                fault.reason,
                kernel,
                fault.block,
                fault.thread,
                fault.address,
                place,
                fault.source,
            ),
        )


class ChunkChecks(BarrierChecks, RaceChecks):
    """The checks of one chunk of blocks. Generated code reaches it as ``S.checks``."""

    def __init__(self, launch: LaunchChecks, chunk):
        self.launch = launch
        self.checker = launch.checker
        self.segments = launch.segments
        self.chunk = chunk
        self.agents = Agents(launch.segments, chunk, launch.checker.by_lane)
        self.base = launch.segments.base << _SHIFT
        #: Kernels among the operations that the launch is not ordered with.
        self.kernels = [one for one in launch.others if one.end]
        super().__init__()

    # -------------------------------------------------------------- accesses

    def touch(self, L, a, offset: int, size: int, *, reads=False, value=None, sync=0):
        """Check an access of ``size`` bytes a lane; a write if there is a ``value``.

        Called before the access, which checks bounds itself: addresses outside of memory are
        ignored here.
        """
        run = self._run(L, a, offset, size)
        if run is not None:
            shadow = self.checker.shadow_at(run, size * L.n)
            if shadow is None or (run - shadow.start) % min(size, 4):
                return
            self._check(Access(shadow, L, run, size, None, None, reads, value, sync))
            return
        addresses = self._addresses(L, a, offset)
        lanes = None
        if len(addresses) == 1 and L.n > 1:
            if type(value) is nd or type(value) is tuple:
                addresses = np.full(L.n, addresses[0])
            else:  # one value for all, or a read: two agents stand for all of them
                lanes = np.array([0, L.n - 1])
                addresses = addresses.repeat(2)
        if addresses.dtype != np.int64:
            addresses = addresses.view(np.int64)
        if int(np.bitwise_or.reduce(addresses)) & (min(size, 16) - 1):
            return
        low, high = int(addresses.min()), int(addresses.max())
        shadow = self.checker.shadow_at(low, high - low + size)
        if shadow is not None:
            self._check(Access(shadow, L, addresses, size, lanes, None, reads, value, sync))
            return
        arena = self.checker.arena
        starts = np.array(sorted([*arena.starts, *arena.divided]), np.int64)
        index = np.searchsorted(starts, addresses, "right")
        for allocation in np.unique(index).tolist():
            which = np.flatnonzero(index == allocation)
            selected = addresses[which]
            low, high = int(selected.min()), int(selected.max())
            shadow = self.checker.shadow_at(low, high - low + size)
            if shadow is not None:
                chosen = which if lanes is None else lanes[which]
                access = Access(shadow, L, selected, size, chosen, which, reads, value, sync)
                self._check(access)

    def _run(self, L, a, offset: int, size: int) -> int | None:
        """The first address, where neighbouring lanes access neighbouring memory; else None."""
        if type(a) is not Affine or a.st != size:
            return None
        if L.kind == RECTANGLE:
            if L.nb > 1 and a.sb != size * L.T:
                return None
            return a.c + offset + size * L.t0 + a.sb * L.b0
        if L.kind == RANGE and (a.sb == size * self.chunk.T or self.chunk.nb == 1):
            return a.c + offset + size * L.b0
        return None

    @staticmethod
    def _addresses(L, a, offset: int) -> np.ndarray:
        if type(a) is Affine:
            if a.st or a.sb:
                return L.array_of(a) + offset
            a = a.c
        if type(a) is nd:
            return a + offset
        return np.array([int(a) + offset], np.int64)

    def _check(self, access: Access) -> None:
        checker, shadow = self.checker, access.shadow
        if shadow.window and not self._check_shared_bounds(access):
            return
        if shadow.host is not None:
            if shadow.host.is_aside:
                checker.take_back(shadow.host)
            if access.writes:
                self._mark_bytes(shadow.host.kernel_mask(), access)
                shadow.host.tells |= bool(access.sync)
        if checker.uninit and shadow.valid is not None:
            if access.reads:
                self._check_valid(access)
            if access.writes:
                self._mark_bytes(shadow.valid, access)
        if checker.races and not shadow.private:
            self._check_races(access)

    # -------------------------------------------------------------- bounds of shared variables

    def _check_shared_bounds(self, access: Access) -> bool:
        """Whether all lanes access shared variables, not the gaps between them."""
        shadow, size = access.shadow, access.size
        bounds = self.launch.bounds
        where = access.where
        if access.is_run:
            first = (where - shadow.start) % shadow.window
            if bounds.is_inside(first, size * access.L.n):
                return True
            where = where + np.arange(access.L.n) * size
        offsets = where - self._windows_of(access)
        low, high = int(offsets.min()), int(offsets.max())
        if low >= 0 and bounds.is_inside(low, high - low + size):
            return True
        bad = bounds.outside(offsets, size)
        if not len(bad):
            return True
        line = source_lines.key_of(self._ptx, self.chunk.site)
        key = ("bounds", self.launch.kernel.name, line)
        if self.checker.bounds and not self.checker.knows(key):
            position = int(bad[0])
            count = len(np.unique(bad))
            more = f" ({count} threads here)" if count > 1 else ""
            action = (
                "atomic"
                if access.sync and access.writes and access.reads
                else ("write" if access.writes else "read")
            )
            address = access.address(position)
            self._report(
                key,
                "bounds",
                f"a {size}-byte {action} at {self._name_of(shadow, address)}, "
                f"{bounds.describe(int(offsets[position]))}{more}",
                access.lane(position),
                address,
            )
        return False

    @staticmethod
    def _windows_of(access: Access) -> np.ndarray:
        """Where the shared memory of each lane's block begins."""
        L, shadow = access.L, access.shadow
        starts = L._arrays.get("windows")
        if starts is None:
            if L.kind == RECTANGLE:
                blocks = np.arange(L.b0, L.b0 + L.nb).repeat(L.T)
            else:
                blocks = L.thread_block[1]
            starts = L._arrays["windows"] = blocks * shadow.window + shadow.start
        return starts if access.lanes is None else starts[access.lanes]

    # -------------------------------------------------------------- uninitialised reads

    def _check_valid(self, access: Access) -> None:
        shadow, where, size = access.shadow, access.where, access.size
        if access.is_run:
            low = where - shadow.start
            bytes_ = shadow.valid[low : low + size * access.L.n]
            if bytes_.all():
                return
            bad = np.flatnonzero(bytes_ == 0) // size
        else:
            step = min(size, 8)
            view = shadow.valid.view(f"u{step}")
            index = (where - shadow.start) // step
            missing = view[index] != _ALL_VALID[step]
            for k in range(1, size // step):
                missing |= view[index + k] != _ALL_VALID[step]
            bad = np.flatnonzero(missing)
            if not len(bad):
                return
        line = source_lines.key_of(self._ptx, self.chunk.site)
        key = ("uninit", self.launch.kernel.name, line)
        if self.checker.knows(key):
            return
        position = int(bad[0])
        address = access.address(position)
        count = len(np.unique(bad))
        more = f" ({count} threads here)" if count > 1 else ""
        self._report(
            key,
            "uninit",
            f"a {size}-byte read of memory that was never written: "
            f"{self._name_of(shadow, address)}{more}",
            access.lane(position),
            address,
        )

    @staticmethod
    def _mark_bytes(table: np.ndarray, access: Access) -> None:
        """Mark the bytes of an access in a table with a byte for each of the allocation."""
        shadow, where, size = access.shadow, access.where, access.size
        if access.is_run:
            low = where - shadow.start
            table[low : low + size * access.L.n] = 1
            return
        step = min(size, 8)
        view = table.view(f"u{step}")
        index = (where - shadow.start) // step
        for k in range(size // step):
            view[index + k] = _ALL_VALID[step]

    # -------------------------------------------------------------- the device heap

    def allocated(self, addresses: list[int], sizes: list[int]) -> None:
        """Record the allocations of ``malloc`` in a kernel."""
        place, source = source_lines.describe(self._ptx, self.chunk.site)
        place = f"{place} in kernel {self.launch.kernel.name}"
        for address, nbytes in zip(addresses, sizes, strict=True):
            if address:
                self.checker.kernel_allocated(address, nbytes, place, source)

    # -------------------------------------------------------------- reports

    @property
    def _ptx(self) -> str:
        return self.launch.kernel.program.module.text

    def _block(self, number: int) -> tuple[int, int, int]:
        gx, gy, _ = self.chunk.grid
        return number % gx, number // gx % gy, number // (gx * gy)

    def _thread(self, number: int) -> tuple[int, int, int]:
        bx, by, _ = self.chunk.block
        return number % bx, number // bx % by, number // (bx * by)

    def _name_of(self, shadow: Shadow, address: int) -> str:
        if shadow.window:
            offset = self.launch.bounds.plain((address - shadow.start) % shadow.window)
            return f"offset {offset} of shared memory"
        where = address - shadow.start
        if shadow.private:
            return f"offset {where % (shadow.nbytes // self.chunk.n)} of the thread's local memory"
        return (
            f"0x{address:x} ({where} bytes into the {shadow.nbytes}-byte allocation "
            f"0x{shadow.start:x})"
        )

    def _report(self, key: tuple, kind: str, message: str, lane: int, address: int = 0) -> None:
        block, thread = divmod(lane, self.chunk.T)
        place, source = source_lines.describe(self._ptx, self.chunk.site)
        self.checker.add(
            key,
            Finding(
                kind,
                message,
                self.launch.kernel.name,
                self._block(self.chunk.b0 + block),
                self._thread(thread),
                address,
                f"at {place}",
                source,
            ),
        )
