"""CuPy's names for textures and surfaces of kernels of your own.

Examples
--------
>>> import gpuarray as cp
>>> from gpuarray.cuda import texture
>>> floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, 2)
>>> array = texture.CUDAarray(floats, 4, 2)
>>> source = texture.ResourceDescriptor(0, cuArr=array)
>>> source.get_resource_desc()["resType"]
0
>>> how = texture.TextureDescriptor(filterMode=1)
>>> how.get_texture_desc()["filterMode"]
1
>>> texture.TextureObject(source, how)
<TextureObject 0x...>
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.public_names import public_names
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
    __getattr__, __dir__ = public_names(__name__)


without_annotations(globals())
