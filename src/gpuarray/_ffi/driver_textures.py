"""CUDA arrays, texture objects and surface objects, described by the runtime's structures.

CuPy's functions take the addresses of those structures, so programs may make them as they like. The
driver has other structures for the same, which are made here. Few programs need them, so this
module is no part of `driver`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from gpuarray.errors import CUDARuntimeError

from .driver_enums import DEVICE_ATTRIBUTES
from .driver_library import library
from .driver_memory import memcpy_3d
from .texture_structs import (
    CUDA_ARRAY3D_DESCRIPTOR,
    CUDA_RESOURCE_DESC,
    CUDA_TEXTURE_DESC,
    cudaChannelFormatDesc,
    cudaMemcpy3DParms,
    cudaResourceDesc,
    cudaTextureDesc,
)

__all__ = [
    "array_create",
    "array_resource",
    "channel_format",
    "element_bytes",
    "linear_resource",
    "memcpy_3d_as_described",
    "pitched_resource",
    "structure_address",
    "surface_create",
    "texture_create",
    "texture_description",
]

# cudaResourceType, whose numbers are CUresourcetype's, too
_ARRAY, _MIPMAPPED, _LINEAR, _PITCHED = range(4)
_SIGNED, _UNSIGNED, _FLOAT = range(3)  # cudaChannelFormatKind
#: CUarray_format by kind and bits of a channel.
_FORMATS = {
    (_UNSIGNED, 8): 0x01, (_UNSIGNED, 16): 0x02, (_UNSIGNED, 32): 0x03,
    (_SIGNED, 8): 0x08, (_SIGNED, 16): 0x09, (_SIGNED, 32): 0x0A,
    (_FLOAT, 16): 0x10, (_FLOAT, 32): 0x20,
}  # fmt: skip
_BITS = {number: bits for (_, bits), number in _FORMATS.items()}
_READ_AS_INTEGER, _NORMALIZED, _SRGB = 0x01, 0x02, 0x10  # CU_TRSF_...
_NO_TRILINEAR_OPTIMIZATION, _SEAMLESS_CUBEMAP = 0x20, 0x40
_LINEAR_FILTER = 1
_WRAP, _CLAMP, _MIRROR = range(3)  # cudaAddressMode...
_SURFACE = 0x02  # CUDA_ARRAY3D_SURFACE_LDST
# Statuses of the runtime
_INVALID_VALUE, _INVALID_CHANNELS, _INVALID_FILTER, _INVALID_NORM = 1, 20, 26, 27
#: cudaMemcpyKind: where the target and the source are.
_COPY_KINDS = {
    0: ("host", "host"), 1: ("device", "host"), 2: ("host", "device"), 3: ("device", "device"),
    4: ("unified", "unified"),
}  # fmt: skip


def _refused(function: str, why: str, status: int = _INVALID_VALUE) -> CUDARuntimeError:
    return CUDARuntimeError(status, function, why)


# --- the runtime's structures


def structure_address(structure: Any) -> int:
    """The address of a structure, valid as long as the object lives."""
    return ctypes.addressof(structure)


def channel_format(x: int, y: int, z: int, w: int, f: int) -> cudaChannelFormatDesc:
    """The runtime's description of an element: bits of each channel, kind of its numbers."""
    return cudaChannelFormatDesc(x, y, z, w, f)


def array_resource(array: int) -> cudaResourceDesc:
    """The runtime's description of a CUDA array as what an object reads."""
    found = cudaResourceDesc(_ARRAY)
    found.res.array.array = array
    return found


def linear_resource(pointer: int, format_: Any, nbytes: int) -> cudaResourceDesc:
    """The runtime's description of linear memory as what a texture object reads."""
    found = cudaResourceDesc(_LINEAR)
    memory = found.res.linear
    memory.devPtr, memory.desc, memory.sizeInBytes = pointer, format_, nbytes
    return found


def pitched_resource(
    pointer: int, format_: Any, width: int, height: int, pitch: int
) -> cudaResourceDesc:
    """The runtime's description of pitched memory as what a texture object reads."""
    found = cudaResourceDesc(_PITCHED)
    memory = found.res.pitch2D
    memory.devPtr, memory.desc = pointer, format_
    memory.width, memory.height, memory.pitchInBytes = width, height, pitch
    return found


def texture_description(
    address_modes: Sequence[int], border: Sequence[float], **fields: Any
) -> cudaTextureDesc:
    """The runtime's description of how a texture object reads; fields have the runtime's names."""
    found = cudaTextureDesc(**fields)
    for place, mode in enumerate(address_modes):
        found.addressMode[place] = mode
    for place, value in enumerate(border):
        found.borderColor[place] = value
    return found


def _format_of(function: str, description: Any) -> tuple[int, int]:
    """The driver's format and number of channels of the runtime's channel format."""
    bits = [description.x, description.y, description.z, description.w]
    count = len([one for one in bits if one])
    number = _FORMATS.get((description.f, bits[0]))
    if number is None or count == 3 or bits != [bits[0]] * count + [0] * (4 - count):
        raise _refused(
            function,
            f"there are no elements of {bits} bits of kind {description.f}: an element has 1, 2 or "
            "4 channels of 8, 16 or 32 bits (float: 16 or 32), the first ones, all alike",
            _INVALID_CHANNELS,
        )
    return number, count


# --- CUDA arrays


def array_create(
    function: str, description: int, width: int, height: int, depth: int, flags: int
) -> int:
    """Allocate a CUDA array; the handle.

    Parameters
    ----------
    function : str
        What was called, for messages.
    description : int
        The address of a ``cudaChannelFormatDesc``.
    width, height, depth : int
        Elements in each direction; 0 for a direction that the array does not have.
    flags : int
        ``cudaArray...``, whose numbers are those of ``CUDA_ARRAY3D_...``.
    """
    number, channels = _format_of(function, cudaChannelFormatDesc.from_address(description))
    return library.array_3d_create(
        ctypes.byref(
            CUDA_ARRAY3D_DESCRIPTOR(
                Width=width,
                Height=height,
                Depth=depth,
                Format=number,
                NumChannels=channels,
                Flags=flags,
            )
        )
    )


def _array_description(array: int) -> CUDA_ARRAY3D_DESCRIPTOR:
    found = CUDA_ARRAY3D_DESCRIPTOR()
    library.array_3d_get_descriptor(ctypes.byref(found), array)
    return found


def element_bytes(array: int) -> int:
    """The bytes of an element of a CUDA array."""
    found = _array_description(array)
    bits = _BITS.get(found.Format)
    if bits is None:
        raise _refused("cudaMemcpy", f"CUDA arrays of format {found.Format:#x} are not supported")
    return bits // 8 * found.NumChannels


def memcpy_3d_as_described(address: int, stream: int | None) -> None:
    """Do the copy that a ``cudaMemcpy3DParms`` describes; without a stream, wait for it."""
    copy = cudaMemcpy3DParms.from_address(address)
    kinds = _COPY_KINDS.get(copy.kind)
    if kinds is None:
        raise _refused("cudaMemcpy3D", f"there is no kind {copy.kind} of a copy")
    scales = [element_bytes(array) if array else None for array in (copy.dstArray, copy.srcArray)]
    elements = {scale for scale in scales if scale is not None}
    if len(elements) > 1:
        raise _refused(
            "cudaMemcpy3D", f"the arrays have elements of {scales[0]} and {scales[1]} bytes"
        )
    element = elements.pop() if elements else 1
    sides = []
    for name, kind, scale in zip(("dst", "src"), kinds, scales, strict=True):
        array, pointer = getattr(copy, f"{name}Array"), getattr(copy, f"{name}Ptr")
        if bool(array) == bool(pointer.ptr):
            raise _refused("cudaMemcpy3D", f"exactly one of {name}Array and {name}Ptr is needed")
        place = getattr(copy, f"{name}Pos")
        sides.append(
            (
                array or pointer.ptr,
                (pointer.pitch, pointer.ysize),
                "array" if array else kind,
                (place.x * (scale or 1), place.y, place.z),
            )
        )
    (target, to_shape, to_kind, to), (source, from_shape, from_kind, origin) = sides
    extent = copy.extent
    memcpy_3d(
        target,
        to_shape,
        source,
        from_shape,
        (extent.width * element, extent.height, extent.depth),
        kinds=(to_kind, from_kind),
        places=(to, origin),
        stream=stream,
    )


# --- texture objects and surface objects


def texture_create(resource: int, description: int) -> int:
    """Create a texture object; the handle that kernels take.

    Parameters
    ----------
    resource, description : int
        The addresses of a ``cudaResourceDesc`` and of a ``cudaTextureDesc``.
    """
    function = "cudaCreateTextureObject"
    found = _resource(function, resource)
    texture = cudaTextureDesc.from_address(description)
    flags = 0
    if not texture.readMode:
        flags |= _READ_AS_INTEGER
    if texture.normalizedCoords:
        flags |= _NORMALIZED
    if texture.sRGB:
        flags |= _SRGB
    if texture.disableTrilinearOptimization:
        flags |= _NO_TRILINEAR_OPTIMIZATION
    if texture.seamlessCubemap:
        flags |= _SEAMLESS_CUBEMAP
    if found.resType != _LINEAR:  # of which the filter mode is ignored
        _check_reading(function, _number_format(found), texture)
    result = CUDA_TEXTURE_DESC(
        filterMode=texture.filterMode,
        flags=flags,
        maxAnisotropy=texture.maxAnisotropy,
        mipmapFilterMode=texture.mipmapFilterMode,
        mipmapLevelBias=texture.mipmapLevelBias,
        minMipmapLevelClamp=texture.minMipmapLevelClamp,
        maxMipmapLevelClamp=texture.maxMipmapLevelClamp,
    )
    for place, mode in enumerate(texture.addressMode):
        # The runtime reads with the mode clamp where coordinates that are not normalized could
        # not wrap around; the driver does not promise to.
        beyond = not texture.normalizedCoords and mode in (_WRAP, _MIRROR)
        result.addressMode[place] = _CLAMP if beyond else mode
    result.borderColor[:] = texture.borderColor[:]
    return library.texture_object_create(ctypes.byref(found), ctypes.byref(result), None)


def surface_create(resource: int) -> int:
    """Create a surface object on a CUDA array; the handle that kernels take.

    Parameters
    ----------
    resource : int
        The address of a ``cudaResourceDesc``.
    """
    function = "cudaCreateSurfaceObject"
    found = _resource(function, resource)
    if found.resType != _ARRAY:
        raise _refused(function, "a surface object needs a CUDA array, resType 0")
    if not _array_description(found.res.array.hArray).Flags & _SURFACE:
        raise _refused(function, "the CUDA array was made without cudaArraySurfaceLoadStore")
    return library.surface_object_create(ctypes.byref(found))


def _resource(function: str, address: int) -> CUDA_RESOURCE_DESC:
    """The driver's structure for the runtime's one."""
    given = cudaResourceDesc.from_address(address)
    found = CUDA_RESOURCE_DESC(resType=given.resType)
    if given.resType == _ARRAY:
        found.res.array.hArray = given.res.array.array
    elif given.resType == _LINEAR:
        memory, source = found.res.linear, given.res.linear
        memory.devPtr, memory.sizeInBytes = source.devPtr, source.sizeInBytes
        memory.format, memory.numChannels = _format_of(function, source.desc)
        _check_alignment(function, "devPtr", source.devPtr, "texture_alignment")
    elif given.resType == _PITCHED:
        memory, source = found.res.pitch2D, given.res.pitch2D
        memory.devPtr = source.devPtr
        memory.width, memory.height = source.width, source.height
        memory.pitchInBytes = source.pitchInBytes
        memory.format, memory.numChannels = _format_of(function, source.desc)
        _check_alignment(function, "devPtr", source.devPtr, "texture_alignment")
        _check_alignment(function, "pitchInBytes", source.pitchInBytes, "texture_pitch_alignment")
    else:
        what = "mipmapped arrays are not supported" if given.resType == _MIPMAPPED else "none"
        raise _refused(function, f"resType {given.resType}: {what}; use 0, 2 or 3")
    return found


def _check_alignment(function: str, name: str, value: int, attribute: str) -> None:
    """Refuse an address or a pitch that textures of the current device cannot have."""
    number = DEVICE_ATTRIBUTES[attribute]
    step = library.device_attribute(number, library.context_get_device())
    if value % step:
        raise _refused(
            function, f"{name} = {value} is no multiple of {step}, the device's {attribute}"
        )


def _number_format(resource: CUDA_RESOURCE_DESC) -> int:
    """The driver's format of what a texture reads."""
    if resource.resType == _PITCHED:
        return resource.res.pitch2D.format
    return _array_description(resource.res.array.hArray).Format


def _check_reading(function: str, format_: int, texture: cudaTextureDesc) -> None:
    """Refuse what the runtime refuses and the driver may take."""
    integer = format_ in (0x01, 0x02, 0x03, 0x08, 0x09, 0x0A)
    normalized = texture.readMode == 1
    if normalized and _BITS.get(format_) == 32 and integer:
        raise _refused(
            function,
            "cudaReadModeNormalizedFloat is for integers of 8 and 16 bits, and these have 32",
            _INVALID_NORM,
        )
    if integer and not normalized and texture.filterMode == _LINEAR_FILTER:
        raise _refused(
            function,
            "cudaFilterModeLinear needs a texture that reads floats; use cudaFilterModePoint, or "
            "cudaReadModeNormalizedFloat",
            _INVALID_FILTER,
        )
