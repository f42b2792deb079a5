"""Sparse arrays of random numbers at random places."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray._array import ArrayBase
from gpuarray._ops.conversion import asarray
from gpuarray._ops.creation import zeros
from gpuarray._ops.joining import concatenate
from gpuarray.random import Generator, RandomState, default_rng
from gpuarray.scipy.sparse import _linear
from gpuarray.scipy.sparse._coo import coo_array, coo_matrix
from gpuarray.scipy.sparse._index_dtype import INT64, check_dtype, index_dtype
from gpuarray.scipy.sparse._shapes import MANY, MOST, as_shape

if TYPE_CHECKING:
    from gpuarray._types import DTypeLike
    from gpuarray.scipy.sparse._base import sparray
    from gpuarray.scipy.sparse._matrix import spmatrix

__all__ = ["rand", "random", "random_array"]


def random_array(
    shape: tuple[int, ...],
    *,
    density: float = 0.01,
    format: str = "coo",
    dtype: DTypeLike | None = None,
    rng: Any = None,
    data_sampler: Callable[..., Any] | None = None,
    random_state: Any = None,
) -> sparray:
    """A sparse array with elements at random places.

    Parameters
    ----------
    shape : tuple of int
        Of one dimension to 64.
    density : float, optional
        The part of the elements that is stored, from 0 to 1.
    format : str, optional
        The result's.
    dtype : dtype, optional
        By default float64. Integers are drawn from the dtype's range, floats and the parts of
        complex numbers from 0 to 1.
    rng : int or Generator, optional
        A seed, or what draws; by default a generator with a seed of its own. The numbers are those
        that SciPy draws from NumPy's generator with the same seed.
    data_sampler : callable, optional
        Called with ``size=``, it returns the values instead.
    random_state : int or RandomState, optional
        The older name of `rng`: a seed of a RandomState.

    Returns
    -------
    sparse array
        In the format.

    Raises
    ------
    ValueError
        If the density is not from 0 to 1.
    TypeError
        If both `rng` and `random_state` are given.

    Differences from SciPy
    ----------------------
    Of more than 2^63 elements, the places are those of another stream of random numbers.

    Examples
    --------
    >>> from gpuarray.scipy import sparse
    >>> sparse.random_array((10, 20), density=0.25, rng=1).nnz
    50
    """
    shape = as_shape(shape, MANY)
    drawing = _drawing("random_array", rng, random_state)
    data, coords = _draw(shape, density, dtype, drawing, data_sampler)
    return coo_array._from_parts(data, coords, shape, canonical=False).asformat(format)


def random(
    m: int,
    n: int | None,
    density: float = 0.01,
    format: str = "coo",
    dtype: DTypeLike | None = None,
    rng: Any = None,
    data_rvs: Callable[[int], Any] | None = None,
    *,
    random_state: Any = None,
) -> spmatrix:
    """A sparse matrix with elements at random places; for an array, see `random_array`.

    Parameters
    ----------
    m, n : int
        The shape; None for a square one.
    density : float, optional
        The part of the elements that is stored, from 0 to 1.
    format : str, optional
        The result's.
    dtype : dtype, optional
        By default float64. Integers are drawn from the dtype's range, floats and the parts of
        complex numbers from 0 to 1.
    rng : int or Generator, optional
        A seed, or what draws; by default a generator with a seed of its own.
    data_rvs : callable, optional
        Called with a number, it returns as many values instead.
    random_state : int or RandomState, optional
        The older name: a seed of a RandomState.

    Returns
    -------
    sparse matrix
        In the format.

    Raises
    ------
    ValueError
        If the density is not from 0 to 1.
    TypeError
        If both `rng` and `random_state` are given.

    Examples
    --------
    >>> from gpuarray.scipy import sparse
    >>> sparse.random(10, 20, density=0.25, rng=1).nnz
    50
    """
    drawing = _drawing("random", rng, random_state)
    shape = (int(m), int(m if n is None else n))
    sampler = None if data_rvs is None else (lambda size: data_rvs(size))
    data, coords = _draw(shape, density, dtype, drawing, sampler)
    return coo_matrix._from_parts(data, coords, shape, canonical=False).asformat(format)


def rand(
    m: int,
    n: int,
    density: float = 0.01,
    format: str = "coo",
    dtype: DTypeLike | None = None,
    rng: Any = None,
    *,
    random_state: Any = None,
) -> spmatrix:
    """A sparse matrix with elements from 0 to 1 at random places, as `random` makes it.

    Parameters
    ----------
    m, n : int
        The shape.
    density : float, optional
        The part of the elements that is stored, from 0 to 1.
    format : str, optional
        The result's.
    dtype : dtype, optional
        By default float64.
    rng : int or Generator, optional
        A seed, or what draws; by default a generator with a seed of its own.
    random_state : int or RandomState, optional
        The older name: a seed of a RandomState.

    Returns
    -------
    sparse matrix
        In the format.

    Examples
    --------
    >>> from gpuarray.scipy import sparse
    >>> sparse.rand(10, 20, density=0.25, rng=1).nnz
    50
    """
    return random(m, n, density, format, dtype, rng, random_state=random_state)


def _drawing(name: str, rng: Any, random_state: Any) -> Any:
    """What draws, for either argument."""
    if random_state is None:
        return rng if isinstance(rng, Generator | RandomState) else default_rng(rng)
    if rng is not None:
        raise TypeError(f"{name}: random_state and rng are the same; give one of them")
    if isinstance(random_state, Generator | RandomState):
        return random_state
    return RandomState(random_state)


def _draw(
    shape: tuple[int, ...], density: float, dtype: Any, rng: Any, sampler: Any
) -> tuple[Any, tuple[Any, ...]]:
    """Values, and a coordinate of each for each dimension; places differ from one another."""
    if not 0 <= density <= 1:
        raise ValueError(f"density expected to be 0 <= density <= 1, not {density}")
    total = math.prod(shape)
    count = round(density * total)
    dtype = np.dtype(np.float64 if dtype is None else check_dtype(dtype))
    index = INT64 if len(shape) > 2 else index_dtype(maxval=max(shape))
    if total > MOST:
        coords = _different_places(shape, count, rng)
    else:
        places = rng.choice(total, size=count, replace=False).astype(np.int64, copy=False)
        coords = _linear.unravel(places, shape, "F")  # SciPy's first coordinate runs fastest
    coords = [x.astype(index, copy=False) for x in coords]
    values = _values(count, dtype, rng) if sampler is None else sampler(size=count)
    data: Any = values if isinstance(values, ArrayBase) else asarray(np.asarray(values))
    return data.astype(dtype, copy=False), tuple(coords)


def _different_places(shape: tuple[int, ...], count: int, rng: Any) -> list[Any]:
    """Coordinates of places that differ from one another, among more than indices can count."""
    draw = rng.randint if isinstance(rng, RandomState) else rng.integers
    coords: list[Any] = [zeros(0, np.int64) for _ in shape]
    while (missing := count - int(coords[0].size)) > 0:
        new = [draw(0, extent, size=missing, dtype=np.int64) for extent in shape]
        joined = [concatenate(pair) for pair in zip(coords, new, strict=True)]
        coords, _ = _linear.summed(joined, zeros(joined[0].shape, np.int8), shape)
    return coords


def _values(count: int, dtype: np.dtype, rng: Any) -> Any:
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if isinstance(rng, RandomState):
            return rng.randint(limits.min, limits.max, size=count, dtype=dtype)
        return rng.integers(limits.min, limits.max, size=count, dtype=dtype)
    if dtype.kind == "c":
        return rng.uniform(size=count) + rng.uniform(size=count) * 1j
    return rng.uniform(size=count)
