"""Integers and bytes of `RandomState`."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._array import ArrayBase
from gpuarray._namespace.shared_texts import sharing
from gpuarray._ops.conversion import asarray
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.math import subtract
from gpuarray._ops.stored_values import as_values
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import distribution
from gpuarray.kernels.elementwise import copies
from gpuarray.random._parameters import (
    LEGACY_CHECKS,
    fitted_shape,
    host_integers,
    is_empty,
    is_number,
)
from gpuarray.random._texts import TEXTS
from gpuarray.random._variates import looks_at_arrays, variates

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

_INT64, _UINT64 = np.dtype(np.int64), np.dtype(np.uint64)
_MASK = 2**64 - 1

#: By dtype: its least and its greatest integer.
_LIMITS: dict[np.dtype, tuple[int, int]] = {
    np.dtype(code): (int(np.iinfo(code).min), int(np.iinfo(code).max))
    for code in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
}
_LIMITS[np.dtype(bool)] = (0, 1)


@sharing(TEXTS)
class IntegerDistributions:
    """Integers and bytes of `RandomState`."""

    _stream: Any  # places of Philox4x32-10
    _bit_generator: Any  # what is drawn from in their place, or None

    def randint(
        self,
        low: int | ArrayLike,
        high: int | ArrayLike | None = None,
        size: int | Sequence[int] | None = None,
        dtype: DTypeLike = int,
    ) -> ndarray:
        """Integers of a range, each as likely as the others.

        Parameters
        ----------
        low : int or array_like
            The least integer; without `high`, the end of a range from 0.
        high : int or array_like, optional
            The end of the range, which is not a part of it.
        size : int or tuple of int, optional
            The result's shape; that to which the ends broadcast by default.
        dtype : dtype, optional
            The result's dtype, an integer one or bool.

        Returns
        -------
        {of_dtype}

        Raises
        ------
        ValueError
            As NumPy's: an empty range, or one beyond the dtype. Arrays on the device are looked at
            on the emulator and under ``GPUARRAY_DEBUG=1``.

        Notes
        -----
        D. Lemire, "Fast random integer generation in an interval", 2019, with rejection, on words
        of 32 bits where the range allows.
        """
        found = _INT64 if dtype is int else _dtypes.canonical(dtype)
        limits = _LIMITS.get(found)
        if limits is None:
            raise TypeError(f"Unsupported dtype {found!r} for randint")
        if is_empty(size):
            return _array.empty(_layout.contiguous(found, fitted_shape(size)))
        if high is None:
            low, high = 0, low
        if type(low) is not int or type(high) is not int:
            if not (is_number(low) and is_number(high)):
                return self._between(low, high, size, found)
            ends: list[Any] = [low, high]
            # NumPy raises for None where it is `low`; what it takes is good for `int`.
            LEGACY_CHECKS.randint(*(ends if ends[1] is not None else [None]), dtype=found)
            low, high = [int(x) for x in ends]
        first, last = low, high - 1
        if not limits[0] <= first <= last <= limits[1]:
            LEGACY_CHECKS.randint(low, high, dtype=found)  # raises
        shape = fitted_shape(size)
        count = last - first + 1
        if self._bit_generator is not None:
            target = _layout.contiguous(found, shape)
            return variates(self, "integers", (first & _MASK, count - 1), target, None)
        wide = count > 2**32
        run, places = distribution.launch.integers_call(current.stream, found, shape, wide)
        least = (2**64 if wide else 2**32) % count
        return run(first & _MASK, count - 1, least, *self._stream.take(places))

    def _between(self, low: Any, high: Any, size: Any, dtype: np.dtype) -> Any:
        """Integers of ranges that are arrays."""
        ends: list[Any] = []
        for x in (low, high):
            known = asnumpy(x) if isinstance(x, ArrayBase) and looks_at_arrays() else x
            ends.append(None if isinstance(known, ArrayBase) else known)
        if None not in [type(x) if x is not None else None for x in ends]:
            LEGACY_CHECKS.randint(*ends, dtype=dtype)  # raises
        kind = _UINT64 if dtype == _UINT64 else _INT64
        if not any(isinstance(x, ArrayBase) for x in (low, high)):
            least, greatest = host_integers(low), host_integers(high)
            words = [x & _MASK for x in np.broadcast_arrays(least, greatest - least - 1)]
            first, last = [asarray(np.array(x, _UINT64).view(kind)) for x in words]
            target = _layout.contiguous(dtype, fitted_shape(size, first._layout.shape))
            return variates(self, "integers", (first, last), target, None)
        first, end = [as_values(x, "randint") for x in (low, high)]
        for x in (first, end):
            if x._layout.dtype.kind not in "biu":
                raise TypeError(
                    f"randint: Cannot cast array data from {x._layout.dtype!r} to {kind!r} "
                    "according to the rule 'safe'; the ends are integers"
                )
        first, end = [copies.copy(x, "C", kind) for x in (first, end)]
        one: Any = kind.type(1)
        last = subtract(subtract(end, first), one)
        shape = np.broadcast_shapes(first._layout.shape, end._layout.shape)
        target = _layout.contiguous(dtype, fitted_shape(size, shape))
        return variates(self, "integers", (first, last), target, None)

    def random_integers(
        self, low: int, high: int | None = None, size: int | Sequence[int] | None = None
    ) -> ndarray:
        """Integers of a range with both its ends; deprecated, as in NumPy.

        Parameters
        ----------
        low : int
            The least integer; without `high`, the greatest one of a range from 1.
        high : int, optional
            The greatest integer.
        {size}

        Returns
        -------
        ndarray
            int64.
        """
        if high is None:
            low, high = 1, low
        warnings.warn(
            f"This function is deprecated. Please call randint({low}, {high} + 1) instead",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.randint(low, int(high) + 1, size)

    def tomaxint(self, size: int | Sequence[int] | None = None) -> ndarray:
        """Integers from 0 to the greatest int64.

        Parameters
        ----------
        {size}

        Returns
        -------
        ndarray
            int64.
        """
        return self.randint(0, 2**63, size, np.int64)

    def bytes(self, length: int) -> bytes:
        """Random bytes in memory of the host, which waits for the device.

        Parameters
        ----------
        length : int
            How many.

        Returns
        -------
        bytes
            The bytes.

        Raises
        ------
        ValueError
            If the number is negative.
        """
        length = operator.index(length)
        if length < 0:
            raise ValueError("negative dimensions are not allowed")
        return asnumpy(self.randint(0, 256, length, np.uint8)).tobytes()
