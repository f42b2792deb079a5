"""Combinations, permutations, Stirling numbers; Bernoulli's and Euler's numbers."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

import gpuarray as cp
from gpuarray._array import ArrayBase
from gpuarray._fusion import fuse
from gpuarray._ops.stored_values import as_values
from gpuarray.scipy.special._gamma_functions import binom, poch

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["bernoulli", "comb", "euler", "perm", "stirling2"]


def comb(N: Any, k: Any, *, exact: bool = False, repetition: bool = False) -> Any:
    """How many sets of `k` things there are among `N`.

    Parameters
    ----------
    N, k : array_like
        Numbers. With `exact` integers, no arrays.
    exact : bool, optional
        Return Python's integer, from Python's integers.
    repetition : bool, optional
        Things may be taken repeatedly.

    Returns
    -------
    ndarray or int
        0 where `k` is greater than `N` or one of them negative; float64, or float32 if both are.

    Raises
    ------
    ValueError
        If numbers are no integers, and `exact`.

    Differences from SciPy
    ----------------------
    Results of numbers are arrays without dimensions.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.comb(cp.array([5, 10]), 3)
    array([ 10., 120.])
    >>> cp.scipy.special.comb(100, 50, exact=True)
    100891344545564193334812497256
    """
    if exact:
        n, taken = _integer(N, "comb"), _integer(k, "comb")
        if repetition:
            if taken == 0 and n >= 0:
                return 1
            n += taken - 1
        return math.comb(n, taken) if n >= 0 and taken >= 0 else 0
    count = _multisets if repetition else _sets
    return count(as_values(N, "comb"), as_values(k, "comb"))


@fuse(kernel_name="gpuarray_comb")
def _sets(n: Any, k: Any) -> Any:
    return cp.where((k <= n) & (n >= 0) & (k >= 0), binom(n, k), 0)


@fuse(kernel_name="gpuarray_comb_repetition")
def _multisets(n: Any, k: Any) -> Any:
    return cp.where((k == 0) & (n >= 0), 1, binom(n + k - 1, k))


def perm(N: Any, k: Any, exact: bool = False) -> Any:
    """How many sequences of `k` different things there are among `N`.

    Parameters
    ----------
    N, k : array_like
        Numbers. With `exact` integers, no arrays.
    exact : bool, optional
        Return Python's integer, from Python's integers.

    Returns
    -------
    ndarray or int
        0 where `k` is greater than `N` or one of them negative; float64, or float32 if both are.

    Raises
    ------
    ValueError
        If numbers are no integers, or more than one, and `exact`.

    Differences from SciPy
    ----------------------
    Results of numbers are arrays without dimensions.

    Notes
    -----
    One launch.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.perm(cp.array([5, 10]), 3)
    array([ 60., 720.])
    """
    if exact:
        if np.size(_shape_of(N)) or np.size(_shape_of(k)):
            raise ValueError("`N` and `k` must be scalar integers with `exact=True`.")
        n, taken = _integer(N, "perm"), _integer(k, "perm")
        return math.perm(n, taken) if n >= 0 and taken >= 0 else 0
    return _sequences(as_values(N, "perm"), as_values(k, "perm"))


@fuse(kernel_name="gpuarray_perm")
def _sequences(n: Any, k: Any) -> Any:
    return cp.where((k <= n) & (n >= 0) & (k >= 0), poch(n - k + 1, k), 0)


def _shape_of(x: Any) -> tuple[int, ...]:
    """The shape but for lengths of 1."""
    shape: tuple[int, ...] = x.shape if hasattr(x, "shape") else np.shape(x)
    return tuple([n for n in shape if n != 1])


def _integer(x: Any, name: str) -> int:
    """A number as Python's integer, if it is one."""
    if getattr(x, "size", 0) == 1:
        x = x.item()
    found = int(x)
    if found != x:
        raise ValueError(
            f"{name}: Non-integer `N` and `k` with `exact=True` is not supported; {x} is none"
        )
    return found


def stirling2(N: Any, K: Any, *, exact: bool = False) -> Any:
    """Stirling numbers of the second kind: partitions of `N` things into `K` sets.

    Parameters
    ----------
    N, K : array_like of int
        How many things, and sets.
    exact : bool, optional
        Return integers: of arrays int64, of numbers Python's.

    Returns
    -------
    ndarray or int
        float64, but for `exact`.

    Raises
    ------
    TypeError
        If a dtype is none of integers.
    OverflowError
        If an exact number of an array does not fit int64, which those of up to 25 things do.

    Differences from SciPy
    ----------------------
    Numbers of more than 50 things are rounded once; SciPy's are approximations. With ``exact=True``
    arrays have int64 instead of objects.

    Notes
    -----
    The triangle of the numbers is made on the host with Python's integers, up to the greatest `N`,
    which is read from the device; then one launch picks elements.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.stirling2(cp.array([3, 4, 5]), 2)
    array([ 3.,  7., 15.])
    """
    numbers = [isinstance(x, int | np.integer) for x in (N, K)]
    if exact and all(numbers):
        n, k = int(N), int(K)
        return _triangle(n)[n][k] if 0 <= k <= n else 0
    things, sets = as_values(N, "stirling2"), as_values(K, "stirling2")
    for values, name in ((things, "N"), (sets, "K")):
        if values.dtype.kind not in "iu":
            raise TypeError(f"Argument `{name}` must contain only integers")
    things, sets = cp.broadcast_arrays(things.astype(np.int64), sets.astype(np.int64))
    most = max(int(cp.max(things)), 0) if things.size else 0
    if exact and most > 25:
        raise OverflowError(
            f"stirling2: numbers of {most} things do not fit int64; pass at most 25, Python's "
            "integers, or exact=False"
        )
    table = np.zeros((most + 1, most + 1), np.int64 if exact else np.float64)
    for n, row in enumerate(_triangle(most)):
        table[n, : n + 1] = [_as_float(x) for x in row] if not exact else row
    valid = (sets >= 0) & (sets <= things)
    picked = cp.asarray(table)[cp.where(valid, things, 0), cp.where(valid, sets, 0)]
    return cp.where(valid, picked, 0)


def _as_float(x: int) -> float:
    try:
        return float(x)
    except OverflowError:
        return math.inf


def _triangle(n: int) -> list[list[int]]:
    """Rows 0 to n of Stirling numbers, DLMF 26.8.22."""
    rows = [[1]]
    for i in range(1, n + 1):
        last = [*rows[-1], 0]
        rows.append([0, *[k * last[k] + last[k - 1] for k in range(1, i + 1)]])
    return rows


def bernoulli(n: int) -> ndarray:
    """Bernoulli's numbers up to one.

    Parameters
    ----------
    n : int
        The index of the last number.

    Returns
    -------
    ndarray
        Of ``n + 1`` numbers, from 1 and -1/2 on.

    Raises
    ------
    ValueError
        If `n` is no number or negative.

    Differences from SciPy
    ----------------------
    Numbers are fractions on the host, rounded once.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.bernoulli(4)
    array([ 1.        , -0.5       ,  0.16666667,  0.        , -0.03333333])
    """
    n = _index(n)
    return cp.asarray(_continued(_bernoulli_numbers(), n, 1))


@functools.cache
def _bernoulli_numbers() -> np.ndarray:
    """Those that a double holds."""
    # The algorithm of Akiyama and Tanigawa, which has the other sign of the second number.
    found: list[float] = []
    row: list[Fraction] = []
    for m in range(259):
        row.append(Fraction(1, m + 1))
        for j in range(m, 0, -1):
            row[j - 1] = j * (row[j - 1] - row[j])
        found.append(float(row[0]))
    found[1] = -0.5
    return np.asarray(found)


def _continued(numbers: np.ndarray, n: int, first: int) -> np.ndarray:
    """The numbers up to `n`: infinite ones beyond those given; `first` is the sign of index 2."""
    found = np.zeros(n + 1)
    found[: len(numbers)] = numbers[: n + 1]
    beyond = np.arange(len(numbers) + len(numbers) % 2, n + 1, 2)
    found[beyond] = np.where(beyond % 4 == 2, first, -first) * math.inf
    return found


def euler(n: int) -> ndarray:
    """Euler's numbers up to one.

    Parameters
    ----------
    n : int
        The index of the last number.

    Returns
    -------
    ndarray
        Of ``n + 1`` numbers.

    Raises
    ------
    ValueError
        If `n` is no number or negative.

    Differences from SciPy
    ----------------------
    Numbers are integers on the host, rounded once.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.euler(4)
    array([ 1.,  0., -1.,  0.,  5.])
    """
    n = _index(n)
    return cp.asarray(_continued(_euler_numbers(), n, -1))


@functools.cache
def _euler_numbers() -> np.ndarray:
    """Those that a double holds."""
    # DLMF 24.5.3: a sum of those before, times binomials, is 0.
    numbers = [1]
    for m in range(2, 187, 2):
        numbers.append(-sum(math.comb(m, 2 * j) * x for j, x in enumerate(numbers)))
    found = np.zeros(187)
    found[::2] = numbers
    return found


def _index(n: Any) -> int:
    if isinstance(n, ArrayBase) or np.ndim(n) or n < 0:
        raise ValueError("n must be a non-negative integer.")
    return int(n)
