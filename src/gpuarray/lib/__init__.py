"""Views with given strides, files, and what helps to write functions of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.missing_names import suggesting
from gpuarray.lib import array_utils, npyio, stride_tricks

__all__ = ["array_utils", "npyio", "stride_tricks"]

if not TYPE_CHECKING:
    __getattr__ = suggesting(__name__)
