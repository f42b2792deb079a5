"""Views with given strides, files, and what helps to write functions of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.public_names import public_names
from gpuarray.lib import array_utils, npyio, stride_tricks

__all__ = ["array_utils", "npyio", "stride_tricks"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)
