"""Orders and choices for `RandomState`: permutations, and elements picked at random."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _arguments, _array, _layout
from gpuarray._array import ArrayBase
from gpuarray._ops.conversion import asarray
from gpuarray._ops.cumulative import cumsum
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.math import divide
from gpuarray._ops.searching import searchsorted
from gpuarray._ops.sorting import argsort
from gpuarray._ops.stored_values import as_values
from gpuarray._ops.taking import take
from gpuarray.kernels.elementwise import copies
from gpuarray.random._parameters import fitted_shape, host_values
from gpuarray.random._variates import looks_at_arrays, variates

if TYPE_CHECKING:
    from gpuarray._types import ndarray

_INT64, _UINT64 = np.dtype(np.int64), np.dtype(np.uint64)

#: An order of so many elements at most is that of random words, which are sorted. The places of a
#: larger one are computed each by itself.
_SORTED = 1024


def permutation(source: Any, x: Any) -> ndarray:
    """A random order of a range, or of an array along its first axis."""
    if isinstance(x, int | np.integer):
        count = max(operator.index(x), 0)
        _check_count(count)
        return _order(source, count, count)
    x = as_values(x, "permutation")
    if not x._layout.ndim:
        raise IndexError("x must be an integer or at least 1-dimensional")
    count = x._layout.shape[0]
    return take(x, _order(source, count, count), axis=0)


def shuffle(source: Any, x: Any) -> None:
    """Put an array into a random order along its first axis."""
    if not isinstance(x, ArrayBase):
        raise TypeError(f"shuffle: the array is on the device, got {type(x).__name__}")
    if not x._layout.ndim:
        raise TypeError("Argument 'x' is not an array with at least one dimension")
    target: Any = x
    target[...] = permutation(source, x)


def _order(source: Any, population: int, count: int) -> Any:
    """The first ``count`` of the integers below ``population`` in a random order."""
    if population <= _SORTED:
        order = argsort(source._words(population))
        return order if count == population else order[:count].copy()
    target = _layout.contiguous(_INT64, (count,))
    return variates(_Order(source), "permuted_index", (population,), target, None)


def choice(source: Any, a: Any, size: Any, replace: bool, p: Any) -> ndarray:
    """Elements of an array or a range, picked at random."""
    if isinstance(a, int | np.integer):
        values, population = None, operator.index(a)
        _check_count(population)
        if population <= 0 and (size is None or 0 not in fitted_shape(size)):
            raise ValueError("a must be greater than 0 unless no samples are taken")
    else:
        values = as_values(a, "choice")
        if values._layout.ndim != 1:
            raise ValueError("a must be 1-dimensional")
        population = values._layout.shape[0]
        if not population and (size is None or 0 not in fitted_shape(size)):
            raise ValueError("'a' cannot be empty unless no samples are taken")
    shape = fitted_shape(size)
    count = math.prod(shape)
    if p is not None:
        p, most = _probabilities(p, population)
    if not replace and count > population:
        raise ValueError("Cannot take a larger sample than population when 'replace=False'")
    if p is not None and not replace and count > most:
        raise ValueError("Fewer non-zero entries in p than size")
    found = _picked(source, population, count, replace, p).reshape(shape)
    return found if values is None else take(values, found)


def _check_count(count: int) -> None:
    """Refuse what no index reaches."""
    if count > _arguments.INT64_MAX:
        raise ValueError(f"Maximum allowed size exceeded: {count} elements")


def _probabilities(p: Any, population: int) -> tuple[Any, int]:
    """Probabilities on the device, and how many are not 0, where that is known, or all.

    Those that the host has are checked.
    """
    known = host_values(p, np.float64)
    tolerance = math.sqrt(np.finfo(np.float64).eps)
    p = as_values(p, "choice") if known is None else asarray(known)
    if p._layout.dtype in (np.float16, np.float32):
        tolerance = math.sqrt(np.finfo(p._layout.dtype).eps)
    if p._layout.ndim != 1:
        raise ValueError("'p' must be 1-dimensional")
    if p._layout.shape[0] != population:
        raise ValueError("'a' and 'p' must have same size")
    if known is None and looks_at_arrays():
        known = asnumpy(p)
    if known is not None:
        total = math.fsum(known.astype(np.float64))
        if math.isnan(total):
            raise ValueError("probabilities contain NaN")
        if (known < 0).any():
            raise ValueError("probabilities are not non-negative")
        if abs(total - 1) > tolerance:
            raise ValueError("probabilities do not sum to 1")
    most = population if known is None else int(np.count_nonzero(known))
    return copies.copy(p, "C", np.dtype(np.float64)), most


def _picked(source: Any, population: int, count: int, replace: bool, p: Any) -> Any:
    """The numbers of the picked elements."""
    target = _layout.contiguous(_INT64, (count,))
    if not count:
        return _array.empty(target)
    if p is None and replace:
        return source.randint(0, population, count)
    if p is None:
        return _order(source, population, count)
    if replace:
        total = cumsum(p)
        return searchsorted(divide(total, total[-1]), source.random_sample(count), side="right")
    return argsort(divide(source.standard_exponential(population), p))[:count].copy()


class _Order:
    """A source of the places from 0 on, under the key of a random order."""

    def __init__(self, source: Any):
        place = source._places(1)
        if place is None:  # of a bit generator; the word is waited for
            self._key = int(asnumpy(source._words(1))[0])
            return
        key, number = place
        # Keys of two draws differ: the place is mixed into the key as SplitMix64 does (G. L. Steele
        # and others, OOPSLA 2014).
        word = (number + 1) * 0x9E3779B97F4A7C15 & (2**64 - 1)
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & (2**64 - 1)
        word = (word ^ word >> 27) * 0x94D049BB133111EB & (2**64 - 1)
        self._key = key ^ word ^ word >> 31

    def _places(self, count: int) -> tuple[int, int]:
        return self._key, 0
