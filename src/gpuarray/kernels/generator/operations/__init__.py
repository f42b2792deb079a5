"""The table of operations: a row for each ufunc, with its C++ for each category of dtypes.

A row (`Operation`) has everything that is known of a ufunc: its name and aliases, a line of
documentation and an example, its neutral value, its loops where NumPy has none, and what a loop
computes. Reductions, scans, fused functions and `jit` read the same row. In its code

* ``in0``, ``in1``, ``in2`` are the operands, already cast to the dtypes of the loop;
* ``T`` is the type that the loop computes in (``float`` for float16, which is rounded once after
  every operation), ``R`` the type of the result, ``V`` the real type of a complex ``T`` and ``W``
  the unsigned type that wraps around as an integer ``T`` does.

Categories: ``bool``, ``signed``, ``unsigned``, ``float``, ``complex``; ``half`` where float16 needs
code of its own; ``mixed`` for the exact comparisons of int64 with uint64; ``time`` for times and
their differences, ``scaled`` for these with a number behind them, ``scaling`` with one before them;
``raw`` for structures, which are only moved. C++ integers below 32
bits are promoted to int, so code for integers says where the result is narrowed again: the caller
converts to R.
"""

from __future__ import annotations

from typing import Any

from gpuarray.kernels.generator.operations import (
    arithmetic,
    choosing,
    composed,
    floating,
    logic,
    transcendental,
)
from gpuarray.kernels.generator.operations.rows import (
    HEAVY,
    HUGE,
    LIGHT,
    MEDIUM,
    Code,
    Extreme,
    Operation,
    row,
)

__all__ = [
    "ALIASES", "FURTHER", "HEAVY", "HUGE", "LIGHT", "MEDIUM", "OPERATIONS",
    "Code", "Extreme", "Operation", "operation", "row", "with_one_exponent",
]  # fmt: skip

_PAGES = (arithmetic, choosing, logic, transcendental, floating, composed)

#: Every row by its name.
OPERATIONS: dict[str, Operation] = {x.name: x for page in _PAGES for x in page.ROWS}

#: Other names under which NumPy has the same ufunc.
ALIASES = {alias: x.name for x in OPERATIONS.values() for alias in x.aliases}

#: Rows of ufuncs that other public modules have, by all their names. Such a module adds its rows
#: when it is imported, so that a program without it does not pay for them.
FURTHER: dict[str, Operation] = {}


def operation(name: str) -> Operation:
    """Return the row of a ufunc by any of its names; those of the main namespace come first."""
    found = OPERATIONS.get(ALIASES.get(name, name)) or FURTHER.get(name)
    if found is None:
        raise KeyError(f"no device code for an operation named {name!r}")
    return found


def with_one_exponent(power: Operation, dtype: str, kind: Any) -> Operation:
    """Return the row of a power whose exponent is one number for all elements.

    ``dtype`` is that of the loop, ``kind`` what `Operation.resolve_dtypes` takes for the number.
    """
    real = dtype[0] == "f" or (dtype[0] == "c" and kind is float)
    return OPERATIONS["power_of_number"] if real else power
