"""Fusion: operations as one kernel, or as few as there have to be.

`fuse` is a decorator for a function of arrays; `gpuarray._fusion.automatic` records operations as
they are called.
"""

from __future__ import annotations

from importlib import import_module

from gpuarray._config import config
from gpuarray._fusion.fuse import fuse
from gpuarray._runtime import recording

__all__ = ["fuse"]

if config.fusion != "off":
    recording.record_from_the_first(lambda: import_module("gpuarray._fusion.automatic"))
