"""CuPy's interface to Jitify, which this package does without.

Headers of the standard library are those of the wheel nvidia-cuda-cccl.

Attributes
----------
available : bool
    False, so that programs which ask go another way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.missing_names import suggesting

__all__ = ["available"]

if not TYPE_CHECKING:
    __getattr__ = suggesting(__name__)

available = False
