"""Fusion: operations as one kernel, or as few as there have to be.

`fuse` is a decorator for a function of arrays; `gpuarray._fusion.automatic` records operations as
they are called.
"""

from __future__ import annotations

from gpuarray._config import config
from gpuarray._fusion.fuse import fuse

__all__ = ["fuse"]

if config.fusion != "off":
    from gpuarray._fusion.automatic import set_mode

    set_mode(config.fusion)
