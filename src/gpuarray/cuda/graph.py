"""CuPy's names for graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.graph import Graph

__all__ = ["Graph"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)

without_annotations(globals())
