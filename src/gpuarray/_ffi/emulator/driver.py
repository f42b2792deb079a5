"""The emulated driver: C function pointers with libcuda's names, to bind in its place."""

from __future__ import annotations

import importlib
from typing import Any

from ..driver_enums import STATUS_NAMES
from ..driver_prototypes import PROTOTYPES
from ..findings import Finding
from .address_ranges import AddressRangeCalls
from .allocations import AllocationCalls
from .arrays import ArrayCalls
from .binding import callback, foreign_function, last_error, watch_interrupts
from .captures import CaptureCalls
from .contexts import ContextCalls
from .copies import CopyCalls
from .devices import DeviceCalls
from .events import EventCalls
from .fills import FillCalls
from .graphs import GraphCalls
from .host_memory import HostMemoryCalls
from .ipc import IpcCalls
from .launches import LaunchCalls
from .machine import Machine
from .modules import ModuleCalls
from .pools import PoolCalls
from .profilers import ProfilerCalls
from .statuses import INVALID_VALUE, Failure
from .streams import StreamCalls
from .textures import TextureCalls

__all__ = ["EmulatedDriver"]

_ROWS = {c_name: (name, arguments) for name, (c_name, arguments) in PROTOTYPES.items()}


class EmulatedDriver:
    """What ``ctypes.CDLL("libcuda.so.1")`` is for a real driver.

    Parameters
    ----------
    device_count : int
        How many devices there are.
    sticky_faults : bool
        Whether the fault of a kernel leaves its device unusable, as that of a GPU.
    """

    def __init__(self, device_count: int, sticky_faults: bool = False) -> None:
        self._machine = Machine(device_count, sticky_faults)
        machine = self._machine
        self._groups = (
            _ErrorCalls(machine),
            DeviceCalls(machine),
            ContextCalls(machine),
            AllocationCalls(machine),
            AddressRangeCalls(machine),
            HostMemoryCalls(machine),
            PoolCalls(machine),
            IpcCalls(machine),
            CopyCalls(machine),
            ArrayCalls(machine),
            TextureCalls(machine),
            FillCalls(machine),
            ModuleCalls(machine),
            StreamCalls(machine),
            EventCalls(machine),
            CaptureCalls(machine),
            GraphCalls(machine),
            LaunchCalls(machine),
            ProfilerCalls(machine),
        )
        #: Keeps callbacks alive: ctypes frees the C function of one that is garbage collected.
        self._callbacks: dict[str, Any] = {}
        self._libraries: dict[str, Any] = {}
        watch_interrupts()

    def __getitem__(self, c_name: str) -> Any:
        function = self._callbacks.get(c_name)
        if function is None:
            if c_name not in _ROWS:
                raise AttributeError(f"the emulated driver has no function {c_name}")
            name, arguments = _ROWS[c_name]
            function = callback(self._method(name), arguments, self._machine.lock)
            function = self._callbacks.setdefault(c_name, function)
        return foreign_function(function)

    def _method(self, name: str) -> Any:
        for group in self._groups:
            method = getattr(group, name, None)
            if method is not None:
                return method
        raise AttributeError(f"the emulated driver has no function {name}")

    def library(self, table: Any) -> Any:
        """The emulated counterpart of a library, to bind a `TableLibrary` to."""
        from .libraries.decoding import EmulatedLibrary

        found = self._libraries.get(table.file)
        if found is None:
            functions = importlib.import_module(f".libraries.{table.file.lower()}", __package__)
            found = EmulatedLibrary(self._machine, table, functions)
            found = self._libraries.setdefault(table.file, found)
        return found

    def take_interruption(self) -> BaseException | None:
        """What interrupted this thread's last call, once: the caller raises it."""
        return last_error.take_interruption()

    # --- the checkers, which no other driver has

    def start_checks(self, checks: frozenset[str], by_lane: bool) -> None:
        """Check every launch until :meth:`stop_checks`."""
        from .simt.checker import Checker

        with self._machine.lock:
            arena = self._machine.arena
            if arena.checker is not None:
                arena.checker.pause()
            arena.checker = Checker(arena, checks, by_lane, outer=arena.checker)

    def findings(self, leaks: bool) -> list[Finding]:
        """What was found since; with `leaks` also what is allocated and not owned now."""
        with self._machine.lock:
            checker = self._machine.arena.checker
            if checker is None:
                return []
            checker.look_at_host()
            if leaks and checker.leaks:
                checker.report_leaks()
            return checker.findings

    def stop_checks(self) -> None:
        """Go back to the checker before :meth:`start_checks`."""
        with self._machine.lock:
            arena = self._machine.arena
            if arena.checker is not None:
                arena.checker.pause()
                arena.end_quarantine()
                arena.checker = arena.checker.outer


class _ErrorCalls:
    """Names and texts of statuses."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._names = {number: name.encode() for number, name in STATUS_NAMES.items()}

    def get_error_name(self, status: int) -> bytes:
        try:
            return self._names[status]
        except KeyError:
            raise Failure(INVALID_VALUE, f"there is no status {status}") from None

    def get_error_string(self, status: int) -> bytes:
        """The detail of this thread's last failure if it had this status, or of what made its
        context unusable, else the name."""
        if status == last_error.status and last_error.detail:
            return last_error.detail
        context = self._machine.current_or_none()
        if context is not None and context.fault is not None and context.fault.status == status:
            return context.fault.detail.encode(errors="replace")
        return self.get_error_name(status)
