"""What texture and surface objects read, and how: coordinates to elements to values.

The formulas are those of the CUDA Programming Guide's chapter on texture fetching. Coordinates are
computed in binary64, so that only the weights of linear filtering are rounded: to multiples of
1/256, as that chapter says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

nd = np.ndarray
WRAP, CLAMP, MIRROR, BORDER = range(4)  # CUaddress_mode

#: Coordinates beyond this are of no use: what they stand for is the same as at this one.
_FARTHEST = float(1 << 40)
_WEIGHT_STEPS = 256


@dataclass(frozen=True)
class Reading:
    """How a texture object reads."""

    modes: tuple[int, ...]
    filtered: bool
    normalized: bool
    #: Whether integers are read as fractions of the greatest one.
    as_float: bool
    srgb: bool
    border: tuple[float, ...]


@dataclass
class Image:
    """The elements that a texture or surface object reads: rows of a pitch in bytes."""

    address: int
    #: Elements in x, y and z, 1 where there is no such dimension.
    sizes: tuple[int, int, int]
    pitch: int
    dimensions: int
    dtype: str
    channels: int
    #: Whether z counts layers.
    layered: bool = False
    #: Whether it is linear memory, which is read by integers alone.
    linear: bool = False
    #: Whether texture gather may read it.
    gather: bool = False
    #: None for a surface object.
    reading: Reading | None = None

    @property
    def element(self) -> int:
        """The bytes of an element."""
        return int(self.dtype[1]) * self.channels

    @property
    def nbytes(self) -> int:
        """From the first byte to the end of the last row."""
        width, height, depth = self.sizes
        return (depth * height - 1) * self.pitch + width * self.element

    def addresses(self, x, y, z) -> nd:
        """The addresses of elements."""
        rows = np.asarray(z, np.int64) * self.sizes[1] + y
        return self.address + rows * self.pitch + np.asarray(x, np.int64) * self.element


def _placed(index: nd, size: int, mode: int) -> tuple[nd, nd | None]:
    """Indices within a dimension by its address mode; where they are, if some are in the border."""
    if mode == BORDER:
        inside = (index >= 0) & (index < size)
        return np.where(inside, index, 0), inside
    if mode == WRAP:
        return index % size, None
    if mode == MIRROR:
        index = index % (2 * size)
        return np.where(index < size, index, 2 * size - 1 - index), None
    return np.clip(index, 0, size - 1), None


def _scaled(coordinate: nd, size: int, normalized: bool) -> nd:
    """A coordinate in elements, in binary64."""
    found = np.nan_to_num(
        coordinate.astype(np.float64), nan=0.0, posinf=_FARTHEST, neginf=-_FARTHEST
    )
    return np.clip(found * size if normalized else found, -_FARTHEST, _FARTHEST)


class Sampler:
    """One fetch of all lanes.

    Parameters
    ----------
    image : Image
        Of a texture object.
    fetch : callable
        ``fetch(addresses, lanes)`` gives the elements at addresses, an array of a row a lane and a
        column a channel; `lanes` are positions, or None for all.
    """

    def __init__(self, image: Image, fetch: Callable[[nd, nd | None], nd]) -> None:
        assert image.reading is not None
        self.image, self.fetch = image, fetch
        self.reading: Reading = image.reading

    def sample(self, coordinates: Sequence[nd], layer: nd | None) -> nd:
        """The values at coordinates, as floats, or as integers of 32 bits."""
        image, reading = self.image, self.reading
        layer = self._layer(layer)
        if coordinates[0].dtype.kind != "f":
            indices = [c.astype(np.int64) for c in coordinates]
            return self._values(self._texels(indices, layer))
        sizes = image.sizes[: len(coordinates)]
        places = [
            _scaled(c, size, reading.normalized) for c, size in zip(coordinates, sizes, strict=True)
        ]
        if not reading.filtered:
            indices = [np.floor(place).astype(np.int64) for place in places]
            return self._values(self._texels(indices, layer))
        first, weights = [], []
        for place in places:
            place = place - 0.5
            low = np.floor(place)
            weights.append(np.rint((place - low) * _WEIGHT_STEPS) / _WEIGHT_STEPS)
            first.append(low.astype(np.int64))
        total: nd | None = None
        for corner in range(1 << len(places)):
            weight = np.ones(len(places[0]))
            indices = []
            for axis, (low, fraction) in enumerate(zip(first, weights, strict=True)):
                upper = corner >> axis & 1
                indices.append(low + upper)
                weight = weight * (fraction if upper else 1 - fraction)
            part = self._values(self._texels(indices, layer)).astype(np.float64) * weight[:, None]
            total = part if total is None else total + part
        assert total is not None
        return total.astype(np.float32)

    def gather(self, coordinates: Sequence[nd], layer: nd | None, component: int) -> nd:
        """One channel of the four elements that linear filtering would combine."""
        layer = self._layer(layer)
        sizes = self.image.sizes
        low = [
            np.floor(_scaled(c, size, self.reading.normalized) - 0.5).astype(np.int64)
            for c, size in zip(coordinates, sizes, strict=False)
        ]
        corners = ((0, 1), (1, 1), (1, 0), (0, 0))
        found = [
            self._values(self._texels([low[0] + right, low[1] + up], layer))[:, component]
            for right, up in corners
        ]
        return np.stack(found, axis=1)

    def _layer(self, layer: nd | None) -> nd | int:
        return 0 if layer is None else np.minimum(layer.astype(np.int64), self.image.sizes[2] - 1)

    def _texels(self, indices: Sequence[nd], layer: nd | int) -> tuple[nd, nd | None]:
        """The elements at indices, and where they are not in the border."""
        image = self.image
        inside: nd | None = None
        placed: list = []
        for axis, index in enumerate(indices):
            if image.linear:  # beyond its end there are zeros
                mode = BORDER
            else:
                mode = self.reading.modes[axis]
            where, within = _placed(index, image.sizes[axis], mode)
            placed.append(where)
            if within is not None:
                inside = within if inside is None else inside & within
        x, y, z = [*placed, *[0] * (3 - len(placed))]
        if len(placed) < 3:
            z = layer
        addresses = np.broadcast_to(image.addresses(x, y, z), indices[0].shape)
        if inside is None or inside.all():
            return self.fetch(addresses, None), None
        found = np.zeros((len(addresses), image.channels), image.dtype)
        lanes = np.flatnonzero(inside)
        if len(lanes):
            found[lanes] = self.fetch(addresses[lanes], lanes)
        return found, inside

    def _values(self, texels: tuple[nd, nd | None]) -> nd:
        """Four channels of each element, as they are read."""
        raw, inside = texels
        image, reading = self.image, self.reading
        integer = image.dtype[0] in "iu"
        if reading.as_float:
            values = _fractions(raw)
            if reading.srgb:
                values[:, :3] = _linear_light(values[:, :3])
        elif integer:
            values = raw.astype(f"{image.dtype[0]}4").view(np.uint32)
        else:
            values = raw.astype(np.float32)
        full = np.zeros((len(values), 4), values.dtype)
        full[:, 3] = 1
        full[:, : image.channels] = values
        if inside is not None:
            border = np.array(reading.border, np.float32)
            if image.linear:
                border[:] = 0
            # Of integers the border color has the bits, not the values.
            full[~inside] = border.view(np.uint32) if full.dtype.kind == "u" else border
        return full


def _fractions(raw: nd) -> nd:
    """Integers of 8 or 16 bits as fractions of the greatest one."""
    most = float(np.iinfo(raw.dtype).max)
    return np.maximum(raw.astype(np.float64) / most, -1.0).astype(np.float32)


def _linear_light(values: nd) -> nd:
    """sRGB to linear values."""
    wide = values.astype(np.float64)
    linear = np.where(wide <= 0.04045, wide / 12.92, ((wide + 0.055) / 1.055) ** 2.4)
    return linear.astype(np.float32)
