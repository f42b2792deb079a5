"""A module of CuPy's without public names."""

from __future__ import annotations

__all__: list[str] = []
