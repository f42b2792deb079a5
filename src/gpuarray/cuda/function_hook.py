"""Hooks around launches of kernels and calls of C libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.missing_names import suggesting
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.function_hook import FunctionHook, get_function_hooks

__all__ = ["FunctionHook", "get_function_hooks"]

if not TYPE_CHECKING:
    __getattr__ = suggesting(__name__)


without_annotations(globals())
