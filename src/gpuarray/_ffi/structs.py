"""Structures of cuda.h that are passed by address."""

from __future__ import annotations

import ctypes

__all__ = [
    "LAUNCH_ATTRIBUTE_COOPERATIVE",
    "CUlaunchAttribute",
    "CUlaunchAttributeValue",
    "CUlaunchConfig",
]

#: CUlaunchAttributeID
LAUNCH_ATTRIBUTE_COOPERATIVE = 2


class CUlaunchAttributeValue(ctypes.Union):
    """The members in use; ``pad`` gives the union its size in cuda.h."""

    _fields_ = (
        ("pad", ctypes.c_char * 64),
        ("cooperative", ctypes.c_int),
        ("clusterDim", ctypes.c_uint * 3),
        ("priority", ctypes.c_int),
        ("align", ctypes.c_uint64),
    )


class CUlaunchAttribute(ctypes.Structure):
    """One launch attribute; cuda.h pads the id to 8 bytes."""

    _fields_ = (
        ("id", ctypes.c_uint),
        ("pad", ctypes.c_char * 4),
        ("value", CUlaunchAttributeValue),
    )


class CUlaunchConfig(ctypes.Structure):
    """The first argument of cuLaunchKernelEx."""

    _fields_ = (
        ("gridDimX", ctypes.c_uint),
        ("gridDimY", ctypes.c_uint),
        ("gridDimZ", ctypes.c_uint),
        ("blockDimX", ctypes.c_uint),
        ("blockDimY", ctypes.c_uint),
        ("blockDimZ", ctypes.c_uint),
        ("sharedMemBytes", ctypes.c_uint),
        ("hStream", ctypes.c_uint64),
        ("attrs", ctypes.POINTER(CUlaunchAttribute)),
        ("numAttrs", ctypes.c_uint),
    )
