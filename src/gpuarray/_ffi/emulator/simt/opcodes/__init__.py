"""The instructions, one module for each chapter of the PTX ISA manual.

Importing a module fills the tables of :mod:`..registry`; new instructions come as new modules
listed here.
"""

from . import (
    atomic,
    bits,
    compare,
    control,
    convert,
    floating,
    half,
    images,
    integer,
    logic,
    mbarrier,
    memory,
    move,
    special,
    warp,
)

__all__ = [
    "atomic", "bits", "compare", "control", "convert", "floating", "half", "images",
    "integer", "logic", "mbarrier", "memory", "move", "special", "warp",
]  # fmt: skip
