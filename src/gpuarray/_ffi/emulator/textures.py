"""Emulated functions for texture objects and surface objects."""

from __future__ import annotations

from dataclasses import dataclass

from ..driver_enums import DEVICE_ATTRIBUTES
from ..texture_structs import CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC
from .arrays import FORMATS, GATHER, LAYERED, SURFACE, EmulatedArray
from .attributes import ATTRIBUTES, TEXTURE_ALIGNMENT, TEXTURE_PITCH_ALIGNMENT
from .copies import check_device_range
from .machine import ContextObject, Machine
from .simt.images import CLAMP, MIRROR, WRAP, Image, Reading
from .statuses import INVALID_VALUE, NOT_SUPPORTED, Failure

__all__ = ["TextureCalls"]

_ARRAY, _MIPMAPPED, _LINEAR, _PITCHED = range(4)  # CUresourcetype
_READ_AS_INTEGER, _NORMALIZED, _SRGB = 0x01, 0x02, 0x10  # CU_TRSF_...
_IGNORED = 0x20 | 0x40  # of mipmaps, of cubemaps
_FILTERS = range(2)
_MODES = range(4)


@dataclass(eq=False)
class EmulatedTexture(ContextObject):
    """A texture object."""

    noun = "texture object"
    machine: Machine
    handle: int = 0

    def close(self) -> None:
        self.machine.arena.images.pop(self.handle, None)


@dataclass(eq=False)
class EmulatedSurface(EmulatedTexture):
    """A surface object."""

    noun = "surface object"


class TextureCalls:
    """Texture and surface objects; the methods have the names of the table of prototypes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def texture_object_create(
        self, resource: int | None, texture: int | None, view: int | None
    ) -> int:
        self._machine.current()
        if not resource or not texture:
            raise Failure(INVALID_VALUE, "a description of the texture is null")
        if view:
            raise Failure(NOT_SUPPORTED, "views of a texture's resource are not emulated")
        image = self._image(CUDA_RESOURCE_DESC.from_address(resource))
        image.reading = _reading(CUDA_TEXTURE_DESC.from_address(texture), image)
        return self._add(EmulatedTexture, image)

    def texture_object_destroy(self, handle: int) -> None:
        self._machine.current()
        self._machine.remove(handle, EmulatedTexture).close()

    def surface_object_create(self, resource: int | None) -> int:
        self._machine.current()
        if not resource:
            raise Failure(INVALID_VALUE, "the description of the surface is null")
        given = CUDA_RESOURCE_DESC.from_address(resource)
        if given.resType != _ARRAY:
            raise Failure(INVALID_VALUE, "a surface object needs a CUDA array")
        array = self._machine.get(given.res.array.hArray, EmulatedArray)
        if not array.flags & SURFACE:
            raise Failure(
                INVALID_VALUE,
                "the CUDA array was made without the flag for surfaces "
                "(cudaArraySurfaceLoadStore, CUDA_ARRAY3D_SURFACE_LDST)",
            )
        return self._add(EmulatedSurface, self._image(given))

    def surface_object_destroy(self, handle: int) -> None:
        self._machine.current()
        self._machine.remove(handle, EmulatedSurface).close()

    def _add(self, type_: type[EmulatedTexture], image: Image) -> int:
        machine = self._machine
        made = type_(machine.current(), machine)
        made.handle = machine.add(made)
        machine.arena.images[made.handle] = image
        return made.handle

    def _image(self, given: CUDA_RESOURCE_DESC) -> Image:
        """The elements of a resource, and where they lie."""
        if given.flags:
            raise Failure(INVALID_VALUE, f"the flags of a resource must be 0, not {given.flags}")
        if given.resType == _ARRAY:
            array = self._machine.get(given.res.array.hArray, EmulatedArray)
            layered = bool(array.flags & LAYERED)
            dimensions = 1 if not array.height else 2 if layered or not array.depth else 3
            return Image(
                address=array.address,
                sizes=(array.width, array.rows, array.planes),
                pitch=array.pitch,
                dimensions=dimensions,
                layered=layered,
                dtype=FORMATS[array.format],
                channels=array.channels,
                gather=bool(array.flags & GATHER),
            )
        if given.resType == _LINEAR:
            return self._linear(given.res.linear)
        if given.resType == _PITCHED:
            return self._pitched(given.res.pitch2D)
        if given.resType == _MIPMAPPED:
            raise Failure(NOT_SUPPORTED, "mipmapped arrays are not emulated")
        raise Failure(INVALID_VALUE, f"there is no resource type {given.resType}")

    def _linear(self, memory) -> Image:
        element = _element(memory)
        width = memory.sizeInBytes // element
        _check_limit("texture1d_linear_width", width)
        self._check_memory(memory.devPtr, memory.sizeInBytes)
        return Image(
            address=memory.devPtr,
            sizes=(width, 1, 1),
            pitch=width * element,
            dimensions=1,
            dtype=FORMATS[memory.format],
            channels=memory.numChannels,
            linear=True,
        )

    def _pitched(self, memory) -> Image:
        element = _element(memory)
        width, height, pitch = memory.width, memory.height, memory.pitchInBytes
        if pitch % TEXTURE_PITCH_ALIGNMENT:
            raise Failure(
                INVALID_VALUE,
                f"rows of {pitch} bytes: pitchInBytes must be a multiple of "
                f"{TEXTURE_PITCH_ALIGNMENT}, the device's texture_pitch_alignment",
            )
        if not width or not height or width * element > pitch:
            raise Failure(
                INVALID_VALUE,
                f"{height} rows of {width} elements of {element} bytes do not fit a pitch of "
                f"{pitch} bytes",
            )
        for name, size in (("width", width), ("height", height), ("pitch", pitch)):
            _check_limit(f"texture2d_linear_{name}", size)
        self._check_memory(memory.devPtr, (height - 1) * pitch + width * element)
        return Image(
            address=memory.devPtr,
            sizes=(width, height, 1),
            pitch=pitch,
            dimensions=2,
            dtype=FORMATS[memory.format],
            channels=memory.numChannels,
        )

    def _check_memory(self, pointer: int, nbytes: int) -> None:
        if pointer % TEXTURE_ALIGNMENT:
            raise Failure(
                INVALID_VALUE,
                f"0x{pointer:x} is no multiple of {TEXTURE_ALIGNMENT}, the device's "
                "texture_alignment",
            )
        check_device_range(self._machine, pointer, max(nbytes, 1))


def _check_limit(name: str, size: int) -> None:
    most = ATTRIBUTES[DEVICE_ATTRIBUTES[f"maximum_{name}"]]
    if size > most:
        raise Failure(INVALID_VALUE, f"the device's maximum_{name} is {most}, not {size}")


def _element(memory) -> int:
    """The bytes of an element."""
    if memory.format not in FORMATS:
        raise Failure(NOT_SUPPORTED, f"textures of format {memory.format:#x} are not emulated")
    if memory.numChannels not in (1, 2, 4):
        raise Failure(INVALID_VALUE, f"elements of {memory.numChannels} channels: 1, 2 or 4")
    return int(FORMATS[memory.format][1]) * memory.numChannels


def _reading(texture: CUDA_TEXTURE_DESC, image: Image) -> Reading:
    """How a texture object reads."""
    flags = texture.flags
    known = _READ_AS_INTEGER | _NORMALIZED | _SRGB | _IGNORED
    if flags & ~known:
        raise Failure(INVALID_VALUE, f"there are no flags {flags & ~known:#x} of a texture")
    modes = tuple(texture.addressMode)
    if texture.filterMode not in _FILTERS or not all(mode in _MODES for mode in modes):
        raise Failure(
            INVALID_VALUE, f"no filter mode {texture.filterMode} or address modes {modes}"
        )
    normalized = bool(flags & _NORMALIZED)
    if not normalized:
        modes = tuple(CLAMP if mode in (WRAP, MIRROR) else mode for mode in modes)
    integer = image.dtype[0] in "iu"
    as_float = integer and image.dtype[1] in "12" and not flags & _READ_AS_INTEGER
    linear = bool(texture.filterMode) and not image.linear
    if linear and integer and not as_float:
        raise Failure(INVALID_VALUE, "integers that are read as such cannot be filtered")
    return Reading(
        modes=modes,
        filtered=linear,
        normalized=normalized,
        as_float=as_float,
        srgb=bool(flags & _SRGB) and as_float and image.dtype == "u1",
        border=tuple(texture.borderColor),
    )
