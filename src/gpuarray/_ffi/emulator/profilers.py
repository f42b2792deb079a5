"""Emulated functions for profilers, of which none watches the emulator."""

from __future__ import annotations

from .machine import Machine

__all__ = ["ProfilerCalls"]


class ProfilerCalls:
    """The methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def profiler_start(self) -> None:
        self._machine.current()

    def profiler_stop(self) -> None:
        self._machine.current()
