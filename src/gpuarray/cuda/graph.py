"""CuPy's names for graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.missing_names import suggesting
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.graph import Graph

__all__ = ["Graph"]

if not TYPE_CHECKING:
    __getattr__ = suggesting(__name__)

without_annotations(globals())
