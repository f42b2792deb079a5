"""Integers and bytes: NumPy's, bit by bit."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

import gpuarray as cp
from gpuarray import _arguments, _dtypes, _layout
from gpuarray._array import ArrayBase
from gpuarray._ops.host_copies import asnumpy
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import random as kernels
from gpuarray.random._bit_generators import BitGenerator
from gpuarray.random._parameters import (
    checks_device_arrays,
    fitted_shape,
    host_integers,
    is_empty,
    is_number,
    judged,
    result_shape,
    size_of_plan,
)

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

_INT64, _UINT64 = np.dtype(np.int64), np.dtype(np.uint64)

#: The least and the greatest integer of each dtype.
_LIMITS: dict[np.dtype, tuple[int, int]] = {np.dtype(bool): (0, 1)}
_LIMITS |= {
    np.dtype(char): (int(np.iinfo(char).min), int(np.iinfo(char).max)) for char in "bBhHiIlLqQ"
}
#: Dtypes by the types that name them.
_BY_TYPE: dict[Any, np.dtype] = {dtype.type: dtype for dtype in _LIMITS}

_WORD = (1 << 64) - 1


@lru_cache(maxsize=4096)
def _method(dtype: np.dtype, width: int) -> tuple[int, int, int, int, int]:
    """How integers up to ``width`` are drawn.

    The bits of a unit of the stream and of a piece of it, how many integers there are (0: as many
    as pieces), which rests are rejected, and the most of these among 256.
    """
    piece = 1 if dtype.kind == "b" else 8 * dtype.itemsize
    if piece == 64 and width <= 0xFFFFFFFF:
        piece = 32
    span = width + 1 if width + 1 < 1 << piece else 0
    threshold = ((1 << piece) - span) % span if span else 0
    return max(piece, 32), piece, span, threshold, -(-256 * threshold >> piece)


@planned
def _sized_call(
    stream: Stream, engine: str, size: Any, dtype: np.dtype, unit: int, piece: int, rejected: int
) -> Any:
    """A call that draws integers: see `bounded_call`."""
    layout = _layout.contiguous(dtype, _arguments.check_shape(size))
    return kernels.launch.bounded_call(stream, engine, layout, unit, piece, rejected)


class Integers:
    """Methods of `Generator` that draw integers and bytes."""

    _bit_generator: BitGenerator

    def integers(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: int | tuple[int, ...] | None = None,
        dtype: DTypeLike = np.int64,
        endpoint: bool = False,
    ) -> ndarray:
        """Integers in an interval: those of NumPy's, bit by bit.

        Parameters
        ----------
        low : int or array_like of int
            The least integer; without `high`, that is 0, and this is `high`.
        high : int or array_like of int, optional
            One more than the greatest integer.
        size : int or tuple of int, optional
            The result's shape; by default that of `low` and `high`.
        dtype : dtype, optional
            The result's: an integer dtype or bool.
        endpoint : bool, optional
            `high` itself is the greatest integer.

        Returns
        -------
        ndarray
            The integers. NumPy returns a Python integer where `dtype` is ``int`` and the result has
            no dimensions.

        Raises
        ------
        ValueError
            As NumPy's: for intervals that are empty or beyond the dtype; of device arrays where
            `GPUARRAY_DEBUG` is set.

        Notes
        -----
        Lemire, "Fast Random Integer Generation in an Interval", 2019. Words that the method rejects
        are left out of the stream by a scan. With arrays as bounds each word's meaning depends on
        how many were rejected before: one thread draws these, so that numbers are much faster.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.random.default_rng(1).integers(10, size=5)
        array([4, 5, 7, 9, 0])
        >>> cp.random.default_rng(1).integers(0, [1, 10, 100])
        array([ 0,  4, 51])
        """
        known: Any = dtype
        found = _BY_TYPE.get(known) if type(known) is type else None
        if found is None:
            found = _dtypes.parsed(dtype)
            if found not in _LIMITS:
                judged("integers", 0, 1, dtype=found)
                raise TypeError(f"Unsupported dtype {found!r} for integers")
        if is_empty(size):
            return cp.empty(fitted_shape(size), found)
        if high is None:
            low, high = 0, low
        ends: list[Any] = [low, high]
        if type(low) is not int or type(high) is not int:
            if not (is_number(low) and is_number(high)):
                return self._bounded_each(low, high, size, found, endpoint)
            # NumPy raises for None where it is `low`.
            good = ends if ends[1] is not None else [None]
            judged("integers", *good, dtype=found, endpoint=endpoint)
            ends = [int(x) for x in ends]
        lowest, greatest = ends[0], ends[1] - (not endpoint)
        least, most = _LIMITS[found]
        if not least <= lowest <= greatest <= most:
            judged("integers", *ends, dtype=found, endpoint=endpoint)
        width = greatest - lowest
        if width <= 0:  # nothing is drawn
            return cp.full(result_shape(size), max(lowest, least), found)
        unit, piece, span, threshold, rejected = _method(found, width)
        static = (size_of_plan(size), found, unit, piece, rejected)
        return self._bit_generator._draw(_sized_call, static, lowest & _WORD, span, threshold)

    def _bounded_each(self, low: Any, high: Any, size: Any, dtype: np.dtype, endpoint: bool) -> Any:
        """Integers in an interval for each element."""
        device = [isinstance(x, ArrayBase) for x in (low, high)]
        shape = result_shape(size, low, high)
        if not math.prod(shape):
            return cp.empty(shape, dtype)
        if not any(device) or checks_device_arrays():
            host = [asnumpy(x) if there else x for there, x in zip(device, (low, high))]
            judged("integers", *host, size=None, dtype=dtype, endpoint=endpoint)
        if any(device):
            ends = [cp.asarray(x).astype(_INT64).view(_UINT64) for x in (low, high)]
            from_, width = ends[0], ends[1] - ends[0] - np.uint64(not endpoint)
        else:
            numbers = [host_integers(x) for x in (low, high)]
            numbers = [numbers[0], numbers[1] - numbers[0] - (not endpoint)]
            from_, width = [cp.asarray(np.asarray(x & _WORD, _UINT64)) for x in numbers]
        arrays = [cp.ascontiguousarray(cp.broadcast_to(x, shape)) for x in (from_, width)]
        layout = _layout.contiguous(dtype, shape)
        bits = 1 if dtype.kind == "b" else 8 * dtype.itemsize
        return self._bit_generator._draw(kernels.launch.each_call, (layout, bits), *arrays)

    def bytes(self, length: int) -> bytes:
        """Random bytes in host memory: NumPy's.

        Parameters
        ----------
        length : int
            How many.

        Returns
        -------
        bytes
            Fetched from the device, which is waited for.

        Examples
        --------
        >>> import gpuarray as cp
        >>> list(cp.random.default_rng(1).bytes(4))
        [255, 228, 34, 121]
        """
        words = self.integers(0, 1 << 32, max(length - 1, 0) // 4 + 1, np.uint32)
        return asnumpy(words).astype("<u4").tobytes()[:length]
