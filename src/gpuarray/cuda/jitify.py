"""CuPy's interface to Jitify, which this package does without.

Headers of the standard library are those of the wheel nvidia-cuda-cccl.

Attributes
----------
available : bool
    False, so that programs which ask go another way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.public_names import public_names

__all__ = ["available"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)

available = False
