"""CuPy's interface to Thrust, which this package does without.

Sorts have kernels of their own: `gpuarray.sort`, `gpuarray.argsort` and `gpuarray.lexsort`.

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
