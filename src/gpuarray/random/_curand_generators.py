"""Bit generators by CuPy's names, with the recurrences that cuRAND's of these names have."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.random import SeedSequence

from gpuarray import _fork
from gpuarray._namespace.signatures import without_annotations as _without_annotations
from gpuarray.random._bit_generators import BitGenerator

__all__ = ["MRG32k3a", "Philox4x3210", "XORWOW"]

_UINT64 = np.dtype(np.uint64)


class _OwnStream(BitGenerator):
    """A bit generator that NumPy does not have."""

    #: The names of the words of the state.
    _names: ClassVar[tuple[str, ...]]
    #: Below what each of them is.
    _limits: ClassVar[tuple[int, ...]]

    #: cuRAND's number of the generator.
    generator: ClassVar[int]

    def __init__(self, seed: Any = None, *, size: int = -1):
        self._lock = _fork.new_lock()
        self._seed_seq = seed if hasattr(seed, "generate_state") else SeedSequence(seed)
        self._begin(self._seeded(self._seed_seq))

    def _seeded(self, sequence: Any) -> dict[str, Any]:
        """The first state of a seed."""
        numbers = sequence.generate_state(len(self._names), np.uint64)
        words = [int(x) % limit for x, limit in zip(numbers, self._limits)]
        words[0] = words[0] or 1
        words[-1] = words[-1] or 1
        return {"state": dict(zip(self._names, words))}

    def _engine_words(self, state: dict[str, Any]) -> Any:
        return np.array([state["state"][name] for name in self._names], _UINT64)

    def _engine_state(self, words: np.ndarray) -> dict[str, Any]:
        return {"state": dict(zip(self._names, words.tolist()))}

    @property
    def state(self) -> dict[str, Any]:
        """The state as a dict; reading it waits."""
        with self._lock:
            return self._state_of(self._fetch())

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        if not isinstance(value, dict):
            raise TypeError("state must be a dict")
        name = type(self).__name__
        if value.get("bit_generator") != name:
            raise ValueError(f"state must be for a {name} PRNG")
        inner = value.get("state")
        words = [inner.get(x) for x in self._names] if isinstance(inner, dict) else []
        if not words or not all(
            isinstance(x, int) and 0 <= x < limit for x, limit in zip(words, self._limits)
        ):
            raise ValueError(f"the state of a {name} has the integers {', '.join(self._names)}")
        with self._lock:
            self._begin(value)

    def __reduce__(self) -> tuple:
        return _restored, (type(self), self._seed_seq, self.state)


def _restored(kind: type[_OwnStream], sequence: Any, state: dict[str, Any]) -> _OwnStream:
    """A bit generator that was pickled."""
    made = kind(sequence)
    made.state = state
    return made


class Philox4x3210(_OwnStream):
    """Philox4x32-10, drawn from by many threads at once.

    Parameters
    ----------
    seed : None, int, array_like of int or SeedSequence, optional
        With None, of the system's entropy.
    size : int, optional
        Ignored: CuPy's number of states.

    Notes
    -----
    J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random numbers: as easy as 1,
    2, 3", SC 2011. A block of 128 bits is two words.

    Differences from CuPy
    ---------------------
    The recurrence is the same, the seeds' streams are others.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.random.Generator(cp.random.Philox4x3210(1)).random((2, 3)).shape
    (2, 3)
    """

    _engine = "philox4x32"
    _names = ("key", "number")
    _limits = (2**64, 2**64)
    generator = 161

    def _seeded(self, sequence: Any) -> dict[str, Any]:
        return {"state": {"key": int(sequence.generate_state(1, np.uint64)[0]), "number": 0}}


class MRG32k3a(_OwnStream):
    """MRG32k3a, a combined multiple recursive generator, drawn from by many threads at once.

    Parameters
    ----------
    seed : None, int, array_like of int or SeedSequence, optional
        With None, of the system's entropy.
    size : int, optional
        Ignored: CuPy's number of states.

    Notes
    -----
    P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number
    generators", Operations Research 47 (1999). A thread begins where it is to read by products of
    matrices. A word is two of the recurrence's numbers, scaled to 32 bits each: of 2**32 values 209
    are never taken.

    Differences from CuPy
    ---------------------
    The recurrence is the same, the seeds' streams are others.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.random.Generator(cp.random.MRG32k3a(1)).random((2, 3)).shape
    (2, 3)
    """

    _engine = "mrg32k3a"
    _names = ("s10", "s11", "s12", "s20", "s21", "s22")
    _limits = (4294967087,) * 3 + (4294944443,) * 3
    generator = 121


class XORWOW(_OwnStream):
    """XORWOW, drawn from by one thread: for a certain stream, not for many numbers.

    Parameters
    ----------
    seed : None, int, array_like of int or SeedSequence, optional
        With None, of the system's entropy.
    size : int, optional
        Ignored: CuPy's number of states.

    Notes
    -----
    G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003). A word is two of the
    recurrence's numbers.

    Differences from CuPy
    ---------------------
    The recurrence is the same, the seeds' streams are others, and there is one for all threads:
    `Philox4x3210` and `PCG64` are hundreds of times as fast.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.random.Generator(cp.random.XORWOW(1)).random((2, 3)).shape
    (2, 3)
    """

    _engine = "xorwow"
    _names = ("x", "y", "z", "w", "v", "d")
    _limits = (2**32,) * 6
    generator = 101


_without_annotations(globals())
