"""Views with given strides, and what helps to write functions of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.missing_names import suggesting
from gpuarray.lib import array_utils, stride_tricks

__all__ = ["array_utils", "stride_tricks"]

if not TYPE_CHECKING:
    __getattr__ = suggesting(__name__)
