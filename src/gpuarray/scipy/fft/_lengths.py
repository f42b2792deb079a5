"""Lengths whose transforms are fast."""

from __future__ import annotations

import bisect
import functools
import operator

__all__ = ["next_fast_len", "prev_fast_len"]

#: cuFFT has kernels of its own for powers of these and their products.
_PRIMES = (2, 3, 5, 7)


def next_fast_len(target: int, real: bool = False) -> int:
    """The next length whose transform is fast.

    Parameters
    ----------
    target : int
        A length, at least 1.
    real : bool, optional
        Whether real numbers are transformed; it makes no difference to cuFFT.

    Returns
    -------
    int
        The least number from `target` on without prime factors above 7.

    Raises
    ------
    ValueError
        If the length is less than 1.

    Examples
    --------
    >>> import gpuarray.scipy.fft
    >>> gpuarray.scipy.fft.next_fast_len(11)
    12
    """
    target = _checked(target, "next_fast_len")
    lengths = _fast_lengths(target.bit_length())
    return lengths[bisect.bisect_left(lengths, target)]


def prev_fast_len(target: int, real: bool = False) -> int:
    """The last length up to a given one whose transform is fast.

    Parameters
    ----------
    target : int
        A length, at least 1.
    real : bool, optional
        Whether real numbers are transformed; it makes no difference to cuFFT.

    Returns
    -------
    int
        The greatest number up to `target` without prime factors above 7.

    Raises
    ------
    ValueError
        If the length is less than 1.

    Examples
    --------
    >>> import gpuarray.scipy.fft
    >>> gpuarray.scipy.fft.prev_fast_len(11)
    10
    """
    target = _checked(target, "prev_fast_len")
    lengths = _fast_lengths(target.bit_length())
    return lengths[bisect.bisect_right(lengths, target) - 1]


def _checked(target: int, name: str) -> int:
    try:
        found = operator.index(target)
    except TypeError:
        raise TypeError(f"{name}: target is an integer, got {target!r}") from None
    if not 1 <= found < 1 << 62:
        raise ValueError(f"{name}: target is a length from 1 to 2**62 - 1, got {target}")
    return found


@functools.lru_cache(maxsize=8)
def _fast_lengths(bits: int) -> list[int]:
    """All up to 2 to the power of the bits."""
    limit = 1 << bits
    found = [1]
    for prime in _PRIMES:
        power, more = 1, list(found)
        while power * prime <= limit:
            power *= prime
            more += [power * x for x in found if power * x <= limit]
        found = more
    return sorted(found)
