"""Structures of cuda.h that are passed by address."""

from __future__ import annotations

import ctypes

__all__ = [
    "CUDA_HOST_NODE_PARAMS",
    "CUDA_KERNEL_NODE_PARAMS",
    "CUDA_MEMCPY2D",
    "CUDA_MEMCPY3D",
    "CUDA_MEMCPY3D_PEER",
    "CUDA_MEMSET_NODE_PARAMS",
    "LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION",
    "LAUNCH_ATTRIBUTE_COOPERATIVE",
    "CUgraphExecUpdateResultInfo",
    "CUipcHandle",
    "CUlaunchAttribute",
    "CUlaunchAttributeValue",
    "CUlaunchConfig",
    "CUmemAccessDesc",
    "CUmemAllocationProp",
    "CUmemLocation",
    "CUmemPoolProps",
]

#: CUlaunchAttributeID
LAUNCH_ATTRIBUTE_COOPERATIVE = 2
LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4


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


#: The fields of a launch's shape, which CUlaunchConfig and a kernel node of a graph share.
_LAUNCH_SHAPE = (
    ("gridDimX", ctypes.c_uint),
    ("gridDimY", ctypes.c_uint),
    ("gridDimZ", ctypes.c_uint),
    ("blockDimX", ctypes.c_uint),
    ("blockDimY", ctypes.c_uint),
    ("blockDimZ", ctypes.c_uint),
    ("sharedMemBytes", ctypes.c_uint),
)


class CUlaunchConfig(ctypes.Structure):
    """The first argument of cuLaunchKernelEx."""

    _fields_ = (
        *_LAUNCH_SHAPE,
        ("hStream", ctypes.c_uint64),
        ("attrs", ctypes.POINTER(CUlaunchAttribute)),
        ("numAttrs", ctypes.c_uint),
    )


def _side(prefix: str) -> tuple:
    """One side of a 2-D copy."""
    return (
        (f"{prefix}XInBytes", ctypes.c_size_t),
        (f"{prefix}Y", ctypes.c_size_t),
        (f"{prefix}MemoryType", ctypes.c_uint),
        (f"{prefix}Host", ctypes.c_uint64),
        (f"{prefix}Device", ctypes.c_uint64),
        (f"{prefix}Array", ctypes.c_uint64),
        (f"{prefix}Pitch", ctypes.c_size_t),
    )


def _side_3d(prefix: str, after_array: str) -> tuple:
    """One side of a 3-D copy; the field after the array differs between the structures."""
    first, second, *middle, pitch = _side(prefix)
    return (
        first,
        second,
        (f"{prefix}Z", ctypes.c_size_t),
        (f"{prefix}LOD", ctypes.c_size_t),
        *middle,
        (after_array, ctypes.c_uint64),
        pitch,
        (f"{prefix}Height", ctypes.c_size_t),
    )


class CUDA_MEMCPY2D(ctypes.Structure):
    """The argument of cuMemcpy2D."""

    _fields_ = (
        *_side("src"),
        *_side("dst"),
        ("WidthInBytes", ctypes.c_size_t),
        ("Height", ctypes.c_size_t),
    )


class CUDA_MEMCPY3D(ctypes.Structure):
    """The argument of cuMemcpy3D and of a graph's copy node."""

    _fields_ = (
        *_side_3d("src", "reserved0"),
        *_side_3d("dst", "reserved1"),
        ("WidthInBytes", ctypes.c_size_t),
        ("Height", ctypes.c_size_t),
        ("Depth", ctypes.c_size_t),
    )


class CUDA_MEMCPY3D_PEER(ctypes.Structure):
    """The argument of cuMemcpy3DPeer."""

    _fields_ = (
        *_side_3d("src", "srcContext"),
        *_side_3d("dst", "dstContext"),
        ("WidthInBytes", ctypes.c_size_t),
        ("Height", ctypes.c_size_t),
        ("Depth", ctypes.c_size_t),
    )


class CUmemLocation(ctypes.Structure):
    """The location of memory; type 1 is a device."""

    _fields_ = (("type", ctypes.c_uint), ("id", ctypes.c_int))


class CUmemAccessDesc(ctypes.Structure):
    """The access of a device to the memory of a pool, or of a range of addresses."""

    _fields_ = (("location", CUmemLocation), ("flags", ctypes.c_uint))


class CUmemAllocationProp(ctypes.Structure):
    """The properties of memory to create; the last four fields are ``allocFlags``."""

    _fields_ = (
        ("type", ctypes.c_uint),
        ("requestedHandleTypes", ctypes.c_uint),
        ("location", CUmemLocation),
        ("win32HandleMetaData", ctypes.c_uint64),
        ("compressionType", ctypes.c_ubyte),
        ("gpuDirectRDMACapable", ctypes.c_ubyte),
        ("usage", ctypes.c_ushort),
        ("reserved", ctypes.c_ubyte * 4),
    )


class CUmemPoolProps(ctypes.Structure):
    """The properties of a memory pool to create."""

    _fields_ = (
        ("allocType", ctypes.c_uint),
        ("handleTypes", ctypes.c_uint),
        ("location", CUmemLocation),
        ("win32SecurityAttributes", ctypes.c_uint64),
        ("maxSize", ctypes.c_size_t),
        ("usage", ctypes.c_ushort),
        ("reserved", ctypes.c_ubyte * 54),
    )


class CUipcHandle(ctypes.Structure):
    """CUipcMemHandle and CUipcEventHandle: 64 bytes, passed by value."""

    _fields_ = (("reserved", ctypes.c_ubyte * 64),)


class CUDA_KERNEL_NODE_PARAMS(ctypes.Structure):
    """A kernel node of a graph."""

    _fields_ = (
        ("func", ctypes.c_uint64),
        *_LAUNCH_SHAPE,
        ("kernelParams", ctypes.c_uint64),
        ("extra", ctypes.c_uint64),
        ("kern", ctypes.c_uint64),
        ("ctx", ctypes.c_uint64),
    )


class CUDA_MEMSET_NODE_PARAMS(ctypes.Structure):
    """A fill node of a graph."""

    _fields_ = (
        ("dst", ctypes.c_uint64),
        ("pitch", ctypes.c_size_t),
        ("value", ctypes.c_uint),
        ("elementSize", ctypes.c_uint),
        ("width", ctypes.c_size_t),
        ("height", ctypes.c_size_t),
    )


class CUDA_HOST_NODE_PARAMS(ctypes.Structure):
    """A host function node of a graph."""

    _fields_ = (("fn", ctypes.c_uint64), ("userData", ctypes.c_uint64))


class CUgraphExecUpdateResultInfo(ctypes.Structure):
    """Why cuGraphExecUpdate refused."""

    _fields_ = (
        ("result", ctypes.c_uint),
        ("errorNode", ctypes.c_uint64),
        ("errorFromNode", ctypes.c_uint64),
    )
