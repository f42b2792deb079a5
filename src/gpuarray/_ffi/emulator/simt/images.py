"""What texture and surface objects read, and how: coordinates to elements to values.

The formulas are those of the CUDA Programming Guide's chapter on texture fetching, computed in
binary64. What is rounded, and how, is an H200's way: docs/design/emulator.md has a list.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

nd = np.ndarray
WRAP, CLAMP, MIRROR, BORDER = range(4)  # CUaddress_mode

#: Coordinates beyond this are of no use: what they stand for is the same as at this one.
_FARTHEST = float(1 << 40)
_WEIGHT_STEPS = 256
#: Normalized coordinates are rounded down to multiples of 1 / this.
_COORDINATE_STEPS = 1 << 21
#: Of binary32; coordinates and filtered values that are nearer to 0 are 0.
_LEAST_NORMAL = 2.0**-126


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

    def addresses(self, x, y, z):
        """The addresses of elements."""
        return self.address + (z * self.sizes[1] + y) * self.pitch + x * self.element


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
    found[np.abs(found) < _LEAST_NORMAL] = 0
    if normalized:
        found = np.clip(found, -_FARTHEST / size, _FARTHEST / size)
        found = np.floor(found * _COORDINATE_STEPS) / _COORDINATE_STEPS * size
    return np.clip(found, -_FARTHEST, _FARTHEST)


def _between(place: nd) -> tuple[nd, nd]:
    """The element below a place in elements, and how far above its middle the place is, in steps.

    A place between two steps is rounded to the nearest, halves up.
    """
    steps = np.floor((place - 0.5) * _WEIGHT_STEPS + 0.5).astype(np.int64)
    return steps // _WEIGHT_STEPS, steps % _WEIGHT_STEPS


def _rounded(product: nd) -> nd:
    """A product of two numbers of steps in steps, halves up."""
    return (product + _WEIGHT_STEPS // 2) // _WEIGHT_STEPS


def _corner_weights(fractions: Sequence[nd]) -> dict[tuple[int, ...], nd]:
    """What the elements around a place weigh, by (below 0, above 1) in x, y, z, in steps.

    The unit's 256 steps are divided between the elements in z, their shares then in x, and those in
    y, each share into whole numbers of steps.
    """
    x, y, z = [*fractions, *[np.zeros_like(fractions[0])] * (3 - len(fractions))]
    found = {}
    for behind, layer in ((0, _WEIGHT_STEPS - z), (1, z)):
        right = _rounded(x * layer)
        above = _rounded(right * y)
        found[1, 0, behind], found[1, 1, behind] = right - above, above
        left = layer - right
        below = _rounded(left * (_WEIGHT_STEPS - y))
        found[0, 0, behind], found[0, 1, behind] = below, left - below
    n = len(fractions)
    return {corner[:n]: weight for corner, weight in found.items() if not any(corner[n:])}


class Sampler:
    """One fetch of all lanes.

    Parameters
    ----------
    image : Image
        Of a texture object.
    fetch : callable
        ``fetch(addresses, lanes)`` gives the elements at addresses as an array for each channel;
        `lanes` are positions, or None for all.
    """

    def __init__(self, image: Image, fetch: Callable[[nd, nd | None], list[nd]]) -> None:
        assert image.reading is not None
        self.image, self.fetch = image, fetch
        self.reading: Reading = image.reading

    def sample(self, coordinates: Sequence[nd], layer: nd | None) -> list:
        """Four channels at coordinates, as floats, or as integers of 32 bits."""
        if coordinates[0].dtype.kind != "f":
            indices = [c.astype(np.int64) for c in coordinates]
            return self._four(self._read(self._within(indices), layer))
        places = self._places(coordinates)
        if not self.reading.filtered:
            indices = [np.floor(place).astype(np.int64) for place in places]
            return self._four(self._read(self._within(indices), layer))
        if len(places) == 1 and layer is None and self.reading.modes[1] == BORDER:
            places.append(np.zeros_like(places[0]))  # one dimension is the edge of a row above
        first, fractions = self._neighbours(places)
        # In each dimension the element below and the one above.
        above = self._within([i + 1 for i in first])
        pairs = list(zip(self._within(first), above, strict=True))
        weights = _corner_weights(fractions)
        total: list[nd] = []
        for corner in itertools.product((0, 1), repeat=len(pairs)):
            share = weights[corner] / _WEIGHT_STEPS
            values = self._read([pair[k] for pair, k in zip(pairs, corner, strict=True)], layer)
            values = [self._addend(value, channel) for channel, value in enumerate(values)]
            # What weighs nothing may be infinite or no number.
            parts = [np.where(share > 0, value, 0) * share for value in values]
            total = [a + b for a, b in zip(total, parts, strict=True)] if total else parts
        return self._four([self._sum(one, channel) for channel, one in enumerate(total)])

    def _addend(self, value: nd, channel: int) -> nd:
        """A channel of an element as linear filtering adds it: fractions in steps."""
        steps = self._steps(channel)
        wide = value.astype(np.float64)
        if not steps:
            return wide
        # Signed fractions of 8 bits lie between steps.
        return wide * steps if self.image.dtype == "i1" else np.rint(wide * steps)

    def _sum(self, total: nd, channel: int) -> nd:
        """A filtered channel: fractions and half precision are rounded to 16 bits, halves up."""
        steps = self._steps(channel)
        if steps:
            return np.maximum(np.floor(total + 0.5) / steps, -1.0).astype(np.float32)
        if self.image.dtype == "f2":
            total = _half_precision(total)
        found = total.astype(np.float32)
        return np.where(np.abs(found) < _LEAST_NORMAL, np.float32(0), found)

    def _steps(self, channel: int) -> int:
        """Of how many steps 1 has where fractions are filtered, or 0."""
        if not self.reading.as_float or (self.reading.srgb and channel < 3):
            return 0
        return 65535 if self.image.dtype[0] == "u" else 32767

    def _neighbours(self, places: Sequence[nd]) -> tuple[list[nd], list[nd]]:
        """In each dimension the element below a place, and the weight of the one above in steps."""
        first, fractions = [], []
        for place, size, mode in zip(places, self.image.sizes, self.reading.modes, strict=False):
            below, fraction = _between(place)
            if mode == CLAMP:
                # Beyond the middles of the outermost elements there is one element, not two.
                fraction = np.where((below < 0) | (below >= size - 1), 0, fraction)
                below = np.clip(below, 0, size - 1)
            first.append(below)
            fractions.append(fraction)
        return first, fractions

    def gather(self, coordinates: Sequence[nd], layer: nd | None, component: int) -> list:
        """One channel of the four elements that linear filtering would combine."""
        x, y = (_between(place)[0] for place in self._places(coordinates))
        corners = [(x, y + 1), (x + 1, y + 1), (x + 1, y), (x, y)]
        return [
            self._four(self._read(self._within(corner), layer))[component] for corner in corners
        ]

    def _places(self, coordinates: Sequence[nd]) -> list[nd]:
        """Coordinates in elements."""
        sizes = self.image.sizes
        normalized = self.reading.normalized
        return [_scaled(c, size, normalized) for c, size in zip(coordinates, sizes, strict=False)]

    def _within(self, indices: Sequence[nd]) -> list[tuple[nd, nd | None]]:
        """Indices of each dimension within it, and where they are not in the border."""
        # Beyond the end of linear memory there are zeros.
        modes = (BORDER,) if self.image.linear else self.reading.modes
        return [
            _placed(index, size, mode)
            for index, size, mode in zip(indices, self.image.sizes, modes, strict=False)
        ]

    def _read(self, placed: Sequence[tuple[nd, nd | None]], layer: nd | None) -> list[nd]:
        """The channels of elements, as they are read; the border has its color."""
        image = self.image
        x, y, z = [*(index for index, _ in placed), *[0] * (3 - len(placed))]
        if layer is not None:
            z = np.minimum(layer.astype(np.int64), image.sizes[2] - 1)
        addresses = image.addresses(x, y, z)
        masks = [mask for _, mask in placed if mask is not None]
        inside = functools.reduce(np.logical_and, masks) if masks else None
        if inside is None or inside.all():
            return [self._value(raw, k) for k, raw in enumerate(self.fetch(addresses, None))]
        lanes = np.flatnonzero(inside)
        values = [np.zeros(0, image.dtype)] * image.channels
        if len(lanes):
            values = self.fetch(addresses[lanes], lanes)
        found = []
        for k, raw in enumerate(values):
            value = self._value(raw, k)
            color = np.float32(0 if image.linear else self.reading.border[k])
            # Of integers the border color has the bits, not the value.
            full = np.full(len(addresses), color.view(value.dtype), value.dtype)
            full[lanes] = value
            found.append(full)
        return found

    def _value(self, raw: nd, channel: int) -> nd:
        """A channel of elements as it is read."""
        image, reading = self.image, self.reading
        if reading.as_float:
            value = _fractions(raw, clamped=not reading.filtered)
            return _linear_light(value) if reading.srgb and channel < 3 else value
        if image.dtype[0] in "iu":
            return raw.astype(f"{image.dtype[0]}4").view(np.uint32)
        return raw.astype(np.float32, copy=False)

    def _four(self, values: list[nd]) -> list:
        """Four channels: those that elements do not have are 0, the last one 1."""
        n, dtype = len(values[0]), values[0].dtype
        missing = [np.full(n, k == 3, dtype) for k in range(len(values), 4)]
        return [*values, *missing]


def _fractions(raw: nd, clamped: bool) -> nd:
    """Integers of 8 or 16 bits as fractions of the greatest one; the least is not -1 exactly."""
    found = raw.astype(np.float64) / float(np.iinfo(raw.dtype).max)
    return (np.maximum(found, -1.0) if clamped else found).astype(np.float32)


def _half_precision(values: nd) -> nd:
    """Numbers rounded to binary16, halves away from zero."""
    _, exponent = np.frexp(values)
    step = np.exp2(np.maximum(exponent - 11, -24))
    with np.errstate(invalid="ignore"):
        return np.trunc(np.abs(values) / step + 0.5) * step * np.sign(values)


def _linear_light(values: nd) -> nd:
    """sRGB to linear values."""
    wide = values.astype(np.float64)
    linear = np.where(wide <= 0.04045, wide / 12.92, ((wide + 0.055) / 1.055) ** 2.4)
    return linear.astype(np.float32)
