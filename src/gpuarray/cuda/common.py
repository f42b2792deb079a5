"""A module of CuPy's without public names."""

from __future__ import annotations

from gpuarray._namespace.public_names import listing

__all__: list[str] = []
__dir__ = listing(__name__)
