"""CUDA arrays, and the texture and surface objects by which kernels read and write them."""

from __future__ import annotations

from gpuarray._texture.cuda_array import CUDAarray
from gpuarray._texture.descriptors import ResourceDescriptor, TextureDescriptor
from gpuarray._texture.formats import ChannelFormatDescriptor
from gpuarray._texture.kernel_objects import KernelObject, SurfaceObject, TextureObject

__all__ = [
    "CUDAarray",
    "ChannelFormatDescriptor",
    "KernelObject",
    "ResourceDescriptor",
    "SurfaceObject",
    "TextureDescriptor",
    "TextureObject",
]
