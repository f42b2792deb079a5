"""Generators of random numbers: NumPy's numbers on the device."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuarray.random._bit_generators import BY_NAME, PCG64, BitGenerator
from gpuarray.random._continuous_distributions import ContinuousDistributions
from gpuarray.random._discrete_distributions import DiscreteDistributions
from gpuarray.random._integers import Integers
from gpuarray.random._permutations import Permutations
from gpuarray.random._stream_distributions import StreamDistributions

__all__ = ["Generator", "default_rng"]


class Generator(
    Integers, Permutations, StreamDistributions, ContinuousDistributions, DiscreteDistributions
):
    """Random numbers from a bit generator.

    Parameters
    ----------
    bit_generator : BitGenerator or numpy.random.BitGenerator
        Where the words come from. Of NumPy's, the present state is copied.

    Notes
    -----
    Draws of several threads are kept apart by the bit generator's lock. Nothing waits for the
    device; :attr:`bit_generator.state` does when it is read.

    Examples
    --------
    >>> import gpuarray as cp
    >>> rng = cp.random.Generator(cp.random.PCG64(3))
    >>> rng.random(2)
    array([0.08564917, 0.23681051])
    """

    def __init__(self, bit_generator: Any):
        self._bit_generator = as_bit_generator(bit_generator)

    def _words(self, count: int) -> Any:
        """So many words of the stream, for distributions that have one an element."""
        return self._bit_generator._words(count)

    @property
    def bit_generator(self) -> BitGenerator:
        """Where the words come from."""
        return self._bit_generator

    def spawn(self, n_children: int) -> list[Generator]:
        """New generators with independent streams: those that NumPy's `spawn` gives.

        Parameters
        ----------
        n_children : int
            How many.

        Returns
        -------
        list of Generator
            Of seeds that the seed's sequence spawns.

        Examples
        --------
        >>> import gpuarray as cp
        >>> [x.random().item() for x in cp.random.default_rng(1).spawn(2)]
        [0.6990345474368357, 0.4757645185899906]
        """
        return [type(self)(child) for child in self._bit_generator.spawn(n_children)]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._bit_generator,), None

    def __repr__(self) -> str:
        return f"{self} at 0x{id(self):X}"

    def __str__(self) -> str:
        return f"{type(self).__name__}({type(self._bit_generator).__name__})"


def as_bit_generator(found: Any) -> BitGenerator:
    """A bit generator of ours, or one in the state of NumPy's."""
    if isinstance(found, BitGenerator):
        return found
    if isinstance(found, np.random.BitGenerator) and type(found).__name__ in BY_NAME:
        return BY_NAME[type(found).__name__]._of(found)
    if isinstance(found, type):
        raise ValueError("Invalid bit generator. The bit generator must be instantiated.")
    raise TypeError(
        f"Generator: {type(found).__name__} is no bit generator; pass one such as "
        "gpuarray.random.PCG64(seed)"
    )


def default_rng(seed: Any = None) -> Generator:
    """A generator of the numbers that NumPy's `default_rng` with the same seed gives.

    Parameters
    ----------
    seed : None, int, array_like of int, SeedSequence, BitGenerator or Generator, optional
        As NumPy takes it. A `Generator` is returned as it is; of a bit generator or a generator of
        NumPy the present state is copied.

    Returns
    -------
    Generator
        With `PCG64`, unless `seed` has another bit generator.

    Examples
    --------
    >>> import numpy as np
    >>> import gpuarray as cp
    >>> cp.random.default_rng(2026).integers(1000, size=4)
    array([851, 178,  26, 639])
    >>> np.random.default_rng(2026).integers(1000, size=4)
    array([851, 178,  26, 639])
    """
    if isinstance(seed, Generator):
        return seed
    if isinstance(seed, BitGenerator | np.random.BitGenerator):
        return Generator(seed)
    if isinstance(seed, np.random.Generator):
        return Generator(seed.bit_generator)
    if isinstance(seed, np.random.RandomState):
        return Generator(seed._bit_generator)
    return Generator(PCG64(seed))
