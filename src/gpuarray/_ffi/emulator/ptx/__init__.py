"""A parser of PTX, NVIDIA's virtual instruction set, as NVRTC writes it."""

from .module import PTXModule
from .syntax import PTXError

__all__ = ["PTXModule", "PTXError"]
