"""Fusion: a Python function of arrays as one kernel, or as few as there have to be."""

from __future__ import annotations

from gpuarray._fusion.fuse import fuse

__all__ = ["fuse"]
