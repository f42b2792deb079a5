"""Structures for CUDA arrays, texture objects and surface objects.

Those whose names begin with ``CUDA_`` are cuda.h's, and go to the driver. Those of the CUDA runtime
are what programs describe a texture by: CuPy's objects have their addresses.
"""

from __future__ import annotations

import ctypes
from ctypes import c_float, c_int, c_size_t, c_uint, c_uint64

__all__ = [
    "CUDA_ARRAY3D_DESCRIPTOR",
    "CUDA_RESOURCE_DESC",
    "CUDA_TEXTURE_DESC",
    "cudaChannelFormatDesc",
    "cudaMemcpy3DParms",
    "cudaResourceDesc",
    "cudaTextureDesc",
]


class CUDA_ARRAY3D_DESCRIPTOR(ctypes.Structure):
    """The argument of cuArray3DCreate."""

    _fields_ = (
        ("Width", c_size_t),
        ("Height", c_size_t),
        ("Depth", c_size_t),
        ("Format", c_uint),
        ("NumChannels", c_uint),
        ("Flags", c_uint),
    )


class _ArrayResource(ctypes.Structure):
    _fields_ = (("hArray", c_uint64),)


class _LinearResource(ctypes.Structure):
    _fields_ = (
        ("devPtr", c_uint64),
        ("format", c_uint),
        ("numChannels", c_uint),
        ("sizeInBytes", c_size_t),
    )


class _PitchedResource(ctypes.Structure):
    _fields_ = (
        ("devPtr", c_uint64),
        ("format", c_uint),
        ("numChannels", c_uint),
        ("width", c_size_t),
        ("height", c_size_t),
        ("pitchInBytes", c_size_t),
    )


class _Resource(ctypes.Union):
    _fields_ = (
        ("array", _ArrayResource),
        ("linear", _LinearResource),
        ("pitch2D", _PitchedResource),
        ("reserved", c_int * 32),
    )


class CUDA_RESOURCE_DESC(ctypes.Structure):
    """What a texture or surface object reads."""

    _fields_ = (("resType", c_uint), ("res", _Resource), ("flags", c_uint))


class CUDA_TEXTURE_DESC(ctypes.Structure):
    """How a texture object reads it."""

    _fields_ = (
        ("addressMode", c_uint * 3),
        ("filterMode", c_uint),
        ("flags", c_uint),
        ("maxAnisotropy", c_uint),
        ("mipmapFilterMode", c_uint),
        ("mipmapLevelBias", c_float),
        ("minMipmapLevelClamp", c_float),
        ("maxMipmapLevelClamp", c_float),
        ("borderColor", c_float * 4),
        ("reserved", c_int * 12),
    )


class cudaChannelFormatDesc(ctypes.Structure):
    """The bits of each channel of an element, and the kind of its numbers."""

    _fields_ = tuple((name, c_int) for name in "xyzwf")


class _RuntimeArray(ctypes.Structure):
    _fields_ = (("array", c_uint64),)


class _RuntimeLinear(ctypes.Structure):
    _fields_ = (
        ("devPtr", c_uint64),
        ("desc", cudaChannelFormatDesc),
        ("sizeInBytes", c_size_t),
    )


class _RuntimePitched(ctypes.Structure):
    _fields_ = (
        ("devPtr", c_uint64),
        ("desc", cudaChannelFormatDesc),
        ("width", c_size_t),
        ("height", c_size_t),
        ("pitchInBytes", c_size_t),
    )


class _RuntimeResource(ctypes.Union):
    _fields_ = (
        ("array", _RuntimeArray),
        ("linear", _RuntimeLinear),
        ("pitch2D", _RuntimePitched),
    )


class cudaResourceDesc(ctypes.Structure):
    """The runtime's description of what a texture or surface object reads."""

    _fields_ = (("resType", c_uint), ("res", _RuntimeResource))


class cudaTextureDesc(ctypes.Structure):
    """The runtime's description of how a texture object reads it."""

    _fields_ = (
        ("addressMode", c_uint * 3),
        ("filterMode", c_uint),
        ("readMode", c_uint),
        ("sRGB", c_int),
        ("borderColor", c_float * 4),
        ("normalizedCoords", c_int),
        ("maxAnisotropy", c_uint),
        ("mipmapFilterMode", c_uint),
        ("mipmapLevelBias", c_float),
        ("minMipmapLevelClamp", c_float),
        ("maxMipmapLevelClamp", c_float),
        ("disableTrilinearOptimization", c_int),
        ("seamlessCubemap", c_int),
    )


class _Position(ctypes.Structure):
    _fields_ = (("x", c_size_t), ("y", c_size_t), ("z", c_size_t))


class _PitchedPointer(ctypes.Structure):
    _fields_ = (("ptr", c_uint64), ("pitch", c_size_t), ("xsize", c_size_t), ("ysize", c_size_t))


class _Extent(ctypes.Structure):
    _fields_ = (("width", c_size_t), ("height", c_size_t), ("depth", c_size_t))


class cudaMemcpy3DParms(ctypes.Structure):
    """The runtime's description of a copy of up to three dimensions."""

    _fields_ = (
        ("srcArray", c_uint64),
        ("srcPos", _Position),
        ("srcPtr", _PitchedPointer),
        ("dstArray", c_uint64),
        ("dstPos", _Position),
        ("dstPtr", _PitchedPointer),
        ("extent", _Extent),
        ("kind", c_uint),
    )
