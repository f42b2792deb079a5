"""Tables that the opcode modules fill: handlers, and the functions that generated code calls."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .types import SCALARS

#: Opcode -> function(emitter, instruction) that emits Python for it.
HANDLERS: dict[str, Callable] = {}

#: The global namespace of generated code.
NAMESPACE: dict[str, object] = {"np": np, "nd": np.ndarray, **SCALARS}

#: Name of an external device function -> function(state, lanes, slots) -> slots.
EXTERNALS: dict[str, Callable] = {}


def handles(*opcodes: str) -> Callable[[Callable], Callable]:
    """Register the generator of one or several opcodes."""

    def register(function: Callable) -> Callable:
        for opcode in opcodes:
            HANDLERS[opcode] = function
        return function

    return register


def runtime(function: Callable) -> Callable:
    """Let generated code call this function by its name."""
    NAMESPACE[function.__name__] = function
    return function


def external(name: str) -> Callable[[Callable], Callable]:
    """Register the implementation of a function that PTX only declares, such as vprintf."""

    def register(function: Callable) -> Callable:
        EXTERNALS[name] = function
        return function

    return register
