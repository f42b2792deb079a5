"""What an element of a texture consists of."""

from __future__ import annotations

import operator

import numpy as np

from gpuarray._ffi import driver_textures

#: Kinds of dtypes by cudaChannelFormatKind.
_DTYPE_KINDS = "iuf"


class ChannelFormatDescriptor:
    """What an element of a texture consists of: ``cudaChannelFormatDesc``.

    Parameters
    ----------
    x, y, z, w : int
        The bits of each channel, 0 for one that is not there. An element has 1, 2 or 4 channels of
        8, 16 or 32 bits, all alike.
    f : int
        The kind of numbers, one of ``cuda.runtime``'s constants ``cudaChannelFormatKind...``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.cuda import texture
    >>> texture.ChannelFormatDescriptor(32, 0, 0, 0, 2).get_channel_format()
    {'x': 32, 'y': 0, 'z': 0, 'w': 0, 'f': 2}
    """

    __slots__ = ("_structure",)

    def __init__(self, x: int, y: int, z: int, w: int, f: int):
        self._structure = driver_textures.channel_format(*map(operator.index, (x, y, z, w, f)))

    def __repr__(self) -> str:
        given = ", ".join([f"{name}={value}" for name, value in self.get_channel_format().items()])
        return f"ChannelFormatDescriptor({given})"

    @property
    def ptr(self) -> int:
        """The address of the structure."""
        return driver_textures.structure_address(self._structure)

    def get_channel_format(self) -> dict[str, int]:
        """The arguments by name.

        Returns
        -------
        dict
            Under ``x``, ``y``, ``z``, ``w`` and ``f``.
        """
        return {name: int(getattr(self._structure, name)) for name in "xyzwf"}

    @property
    def _channels(self) -> int:
        """How many channels an element has."""
        return sum([bool(getattr(self._structure, name)) for name in "xyzw"])

    @property
    def _element(self) -> int:
        """The bytes of an element."""
        return sum([getattr(self._structure, name) for name in "xyzw"]) // 8

    @property
    def _dtype(self) -> np.dtype:
        """The dtype of a channel."""
        return np.dtype(f"{_DTYPE_KINDS[self._structure.f]}{self._structure.x // 8}")
