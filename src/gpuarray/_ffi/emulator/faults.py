"""Errors of emulated kernels."""

from __future__ import annotations

INVALID_VALUE = 1
ILLEGAL_ADDRESS = 700
ASSERT = 710
MISALIGNED_ADDRESS = 716
LAUNCH_TIMEOUT = 702
LAUNCH_FAILED = 719
NOT_SUPPORTED = 801


class DeviceFault(Exception):
    """A fault of a kernel, or of an access to the arena.

    ``status`` is the CUresult that the driver would report; ``message`` describes the fault, and
    its location once the launch has added it.
    """

    def __init__(self, status: int, message: str, lane: int | None = None, address: int = 0):
        super().__init__(message)
        self.status = status
        self.message = message
        #: The message without the location.
        self.reason = message
        #: Index of the faulting thread within its chunk of blocks, where one is known.
        self.lane = lane
        #: The block and the thread, the address, the line as a text and as (file, line), where
        #: they are known.
        self.block: tuple[int, int, int] | None = None
        self.thread: tuple[int, int, int] | None = None
        self.address = address
        self.place = ""
        self.source: tuple[str, int] | None = None

    def __str__(self) -> str:
        return self.message


class IndexFault(DeviceFault):
    """A kernel of the package found an index out of bounds: IndexError in the call that ran it."""

    def __init__(self, message: str, lane: int):
        super().__init__(INVALID_VALUE, message, lane)


class UnsupportedInstruction(DeviceFault):
    """An instruction that the emulator does not have was executed."""

    def __init__(self, message: str):
        super().__init__(NOT_SUPPORTED, message)
