"""Memory hooks that are there already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.public_names import public_names
from gpuarray.cuda.memory_hooks import debug_print, line_profile
from gpuarray.cuda.memory_hooks.debug_print import DebugPrintHook
from gpuarray.cuda.memory_hooks.line_profile import LineProfileHook

__all__ = ["DebugPrintHook", "LineProfileHook", "debug_print", "line_profile"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)
