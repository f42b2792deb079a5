"""A SIMT machine on NumPy: runs PTX kernels, many threads to one array operation."""

from ..faults import DeviceFault, UnsupportedInstruction
from ..ptx.syntax import PTXError
from . import opcodes as _opcodes  # registers every instruction
from .launch import launch
from .program import Program
from .routine import Routine as Kernel

__all__ = [
    "DeviceFault", "Kernel", "PTXError", "Program", "UnsupportedInstruction", "launch",
]  # fmt: skip
del _opcodes
