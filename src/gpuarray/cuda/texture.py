"""CuPy's names for textures and surfaces of kernels of your own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.missing_names import suggesting
from gpuarray._namespace.signatures import without_annotations
from gpuarray._texture import (
    ChannelFormatDescriptor,
    CUDAarray,
    ResourceDescriptor,
    SurfaceObject,
    TextureDescriptor,
    TextureObject,
)

__all__ = [
    "CUDAarray",
    "ChannelFormatDescriptor",
    "ResourceDescriptor",
    "SurfaceObject",
    "TextureDescriptor",
    "TextureObject",
]

if not TYPE_CHECKING:
    __getattr__ = suggesting(__name__)


without_annotations(globals())
