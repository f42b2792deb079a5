"""Addresses and axes of arrays. The functions of axes are NumPy's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray._ops.stride_tricks import byte_bounds

__all__ = ["byte_bounds", "normalize_axis_index", "normalize_axis_tuple"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)

without_annotations(globals())
