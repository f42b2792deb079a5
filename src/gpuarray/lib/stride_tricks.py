"""Views with given strides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.missing_names import suggesting
from gpuarray._namespace.signatures import without_annotations
from gpuarray._ops.stride_tricks import as_strided, sliding_window_view

__all__ = ["as_strided", "sliding_window_view"]

if not TYPE_CHECKING:
    __getattr__ = suggesting(__name__)

without_annotations(globals())
