"""What describes elements, what a texture or surface reads, and how."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpuarray import _array
from gpuarray._ffi import driver_textures
from gpuarray._runtime.stream import Stream
from gpuarray._texture.cuda_array import CUDAarray
from gpuarray._texture.formats import ChannelFormatDescriptor

if TYPE_CHECKING:
    from gpuarray._ndarray import ndarray

# cudaResourceType
_ARRAY, _MIPMAPPED, _LINEAR, _PITCHED = range(4)


class ResourceDescriptor:
    """What a texture or surface object reads: ``cudaResourceDesc``.

    Parameters
    ----------
    restype : int
        One of ``cuda.runtime``'s constants ``cudaResourceType...``.
    cuArr : CUDAarray, optional
        For ``cudaResourceTypeArray``.
    arr : ndarray, optional
        For ``cudaResourceTypeLinear`` and ``cudaResourceTypePitch2D``. Its first element must be
        at a multiple of the device's ``texture_alignment``, as that of every new array is.
    chDesc : ChannelFormatDescriptor, optional
        What the elements of `arr` are.
    sizeInBytes : int, optional
        The bytes of linear memory.
    width, height : int, optional
        Elements of a row, and rows, of pitched memory.
    pitchInBytes : int, optional
        The distance of its rows, a multiple of the device's ``texture_pitch_alignment``.

    Raises
    ------
    ValueError
        Something is missing, or goes beyond the array's memory.
    NotImplementedError
        For a mipmapped array.
    """

    __slots__ = ("_structure", "arr", "chDesc", "cuArr")

    def __init__(
        self,
        restype: int,
        cuArr: CUDAarray | None = None,
        arr: ndarray | None = None,
        chDesc: ChannelFormatDescriptor | None = None,
        sizeInBytes: int = 0,
        width: int = 0,
        height: int = 0,
        pitchInBytes: int = 0,
    ):
        self.cuArr, self.arr, self.chDesc = cuArr, arr, chDesc
        restype = operator.index(restype)
        if restype == _MIPMAPPED:
            raise NotImplementedError(
                "ResourceDescriptor: mipmapped arrays are not supported; use a CUDAarray"
            )
        if restype not in (_ARRAY, _LINEAR, _PITCHED):
            raise ValueError(f"ResourceDescriptor: there is no restype {restype}; use 0, 2 or 3")
        if restype == _ARRAY:
            if not isinstance(cuArr, CUDAarray):
                raise ValueError(f"ResourceDescriptor: restype 0 needs a CUDAarray, not {cuArr!r}")
            self._structure = driver_textures.array_resource(cuArr.ptr)
            return
        if not isinstance(arr, _array.ArrayBase) or not isinstance(chDesc, ChannelFormatDescriptor):
            raise ValueError(
                f"ResourceDescriptor: restype {restype} needs an array of gpuarray as arr= and a "
                "ChannelFormatDescriptor as chDesc="
            )
        address = _array.address_of(arr)
        if restype == _LINEAR:
            last = size = operator.index(sizeInBytes)
            self._structure = driver_textures.linear_resource(address, chDesc._structure, size)
        else:
            columns, rows, pitch = map(operator.index, (width, height, pitchInBytes))
            last = (rows - 1) * pitch + columns * chDesc._element
            self._structure = driver_textures.pitched_resource(
                address, chDesc._structure, columns, rows, pitch
            )
        memory: Any = arr._memory
        end = memory.pointer + memory.size
        if last < 1 or address + last > end:
            raise ValueError(
                f"ResourceDescriptor: {last} bytes are described, but the array's memory has "
                f"{end - address} from its first element on"
            )

    def __repr__(self) -> str:
        given = self._structure
        if given.resType == _ARRAY:
            return f"<ResourceDescriptor of {self.cuArr!r}>"
        if given.resType == _LINEAR:
            what = f"{given.res.linear.sizeInBytes} bytes of linear memory"
        else:
            sides = given.res.pitch2D
            what = f"{sides.width} x {sides.height} elements of pitched memory"
        return f"<ResourceDescriptor of {what} of {self.chDesc!r}>"

    @property
    def ptr(self) -> int:
        """The address of the structure."""
        return driver_textures.structure_address(self._structure)

    def get_resource_desc(self) -> dict[str, Any]:
        """What is in the structure.

        Returns
        -------
        dict
            ``resType``, and a dict under ``array``, ``linear`` or ``pitch2D``.
        """
        given = self._structure
        found: dict[str, Any] = {"resType": given.resType}
        if given.resType == _ARRAY:
            found["array"] = {"array": given.res.array.array}
            return found
        assert self.chDesc is not None
        format_ = self.chDesc.get_channel_format()
        if given.resType == _LINEAR:
            linear = given.res.linear
            found["linear"] = {
                "devPtr": linear.devPtr, "desc": format_, "sizeInBytes": linear.sizeInBytes,
            }  # fmt: skip
        else:
            pitched = given.res.pitch2D
            found["pitch2D"] = {
                "devPtr": pitched.devPtr, "desc": format_, "width": pitched.width,
                "height": pitched.height, "pitchInBytes": pitched.pitchInBytes,
            }  # fmt: skip
        return found

    def _used_by(self, stream: Stream) -> None:
        """Note that work which is queued on a stream reads or writes the resource."""
        if self.cuArr is not None:
            self.cuArr._handle.used_by(stream, "a CUDAarray")
        elif self.arr is not None:
            _array.address_of(self.arr, stream)


class TextureDescriptor:
    """How a texture object reads: ``cudaTextureDesc``.

    Parameters
    ----------
    addressModes : sequence of int, optional
        What coordinates beyond the edge read, for up to three dimensions: ``cuda.runtime``'s
        constants ``cudaAddressMode...``. Wrap and mirror are for normalized coordinates; with
        others they mean clamp.
    filterMode : int, optional
        ``cudaFilterModePoint`` (the default) or ``cudaFilterModeLinear``.
    readMode : int, optional
        ``cudaReadModeElementType`` (the default), or ``cudaReadModeNormalizedFloat``, which reads
        integers of 8 and 16 bits as fractions of the greatest one.
    sRGB : int, optional
        Whether to convert sRGB to linear values.
    borderColors : sequence of float, optional
        The channels of what ``cudaAddressModeBorder`` reads. For integers they are the bits of a
        float.
    normalizedCoords : int, optional
        Whether coordinates go from 0 to 1.
    maxAnisotropy : int, optional
        The limit of the anisotropy.
    """

    __slots__ = ("_structure",)

    def __init__(
        self,
        addressModes: Sequence[int] | None = None,
        filterMode: int = 0,
        readMode: int = 0,
        sRGB: int | None = None,
        borderColors: Sequence[float] | None = None,
        normalizedCoords: int | None = None,
        maxAnisotropy: int | None = None,
    ):
        modes = () if addressModes is None else tuple(map(operator.index, addressModes))
        border = () if borderColors is None else tuple(map(float, borderColors))
        for name, given, most in (("addressModes", modes, 3), ("borderColors", border, 4)):
            if len(given) > most:
                raise ValueError(
                    f"TextureDescriptor: {name} has {len(given)} elements, more than {most}"
                )
        self._structure = driver_textures.texture_description(
            modes,
            border,
            filterMode=operator.index(filterMode),
            readMode=operator.index(readMode),
            sRGB=operator.index(sRGB or 0),
            normalizedCoords=operator.index(normalizedCoords or 0),
            maxAnisotropy=operator.index(maxAnisotropy or 0),
        )

    def __repr__(self) -> str:
        given = ", ".join([f"{name}={value}" for name, value in self.get_texture_desc().items()])
        return f"<TextureDescriptor: {given}>"

    @property
    def ptr(self) -> int:
        """The address of the structure."""
        return driver_textures.structure_address(self._structure)

    def get_texture_desc(self) -> dict[str, Any]:
        """What is in the structure.

        Returns
        -------
        dict
            Under ``addressMode``, ``filterMode``, ``readMode``, ``sRGB``, ``borderColor``,
            ``normalizedCoords`` and ``maxAnisotropy``.
        """
        names = ("filterMode", "readMode", "sRGB", "normalizedCoords", "maxAnisotropy")
        found: dict[str, Any] = {"addressMode": tuple(self._structure.addressMode)}
        found.update({name: int(getattr(self._structure, name)) for name in names})
        found["borderColor"] = tuple(self._structure.borderColor)
        return found
