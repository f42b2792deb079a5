"""A SIMT machine on NumPy: runs PTX kernels, many threads to one array operation."""

from ..faults import DeviceFault, UnsupportedInstruction
from ..ptx.syntax import PTXError
from . import opcodes as _opcodes  # registers every instruction
from .launch import launch
from .program import PTXProgram

__all__ = [
    "DeviceFault", "PTXError", "PTXProgram", "UnsupportedInstruction", "launch",
]  # fmt: skip
del _opcodes
