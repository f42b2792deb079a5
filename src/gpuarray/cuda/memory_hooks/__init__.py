"""Memory hooks that are there already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.missing_names import suggesting
from gpuarray.cuda.memory_hooks import debug_print, line_profile
from gpuarray.cuda.memory_hooks.debug_print import DebugPrintHook
from gpuarray.cuda.memory_hooks.line_profile import LineProfileHook

__all__ = ["DebugPrintHook", "LineProfileHook", "debug_print", "line_profile"]

if not TYPE_CHECKING:
    __getattr__ = suggesting(__name__)
