"""A stream of places for Philox4x32-10: a key, and how many places have been taken."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuarray import _fork

_MASK = 2**64 - 1


class PhiloxStream:
    """Places that no two draws share, in any thread.

    The bits of a place follow from the key and its number (``kernels/distribution/draws.cuh``), so
    the device has no state.
    """

    __slots__ = ("_lock", "key", "place")

    def __init__(self, key: int, place: int = 0):
        self.key = key
        self.place = place
        self._lock = _fork.new_lock()

    def take(self, count: int) -> tuple[int, int]:
        """The key, and the first of so many places, which are no other draw's."""
        with self._lock:
            place = self.place
            self.place = (place + count) & _MASK
            return self.key, place

    def set(self, key: int, place: int) -> None:
        """Go on elsewhere."""
        with self._lock:
            self.key, self.place = key, place


def key_of(seed: Any) -> int:
    """The key of a seed, which is anything that NumPy's `SeedSequence` takes."""
    sequence = seed if hasattr(seed, "generate_state") else np.random.SeedSequence(seed)
    return int(sequence.generate_state(1, np.uint64)[0])


def legacy_key_of(seed: Any) -> int:
    """The key of a seed of `RandomState`: None, an integer of 32 bits, or several."""
    if seed is None:
        return key_of(None)
    np.random.RandomState(seed)  # raises what NumPy does
    return key_of(np.asarray(seed).ravel().tolist())
