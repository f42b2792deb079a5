"""Arrays to test with, the same for both libraries."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import gpuarray
from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray.testing._assertions import on_host

__all__ = [
    "generate_matrix", "shaped_arange", "shaped_linspace", "shaped_random",
    "shaped_reverse_arange", "shaped_sparse_random",
]  # fmt: skip


def shaped_arange(
    shape: Sequence[int], xp: Any = gpuarray, dtype: Any = np.float32, order: str = "C"
) -> Any:
    """An array of the numbers 1, 2, 3 and so on.

    Parameters
    ----------
    shape : tuple of int
        Its shape.
    xp : module, optional
        The library whose array it is.
    dtype : dtype, optional
        Of bool, even numbers are True; of complex numbers, the parts are equal.
    order : {'C', 'F'}, optional
        Memory order.

    Returns
    -------
    ndarray
        Of the library.

    Examples
    --------
    >>> from gpuarray import testing
    >>> testing.shaped_arange((2, 3), dtype=int)
    array([[1, 2, 3],
           [4, 5, 6]])
    """
    numbers = np.arange(1, math.prod(shape) + 1)
    return xp.array(_of_dtype(numbers, dtype).reshape(shape), order=order)


@sharing(texts_of(shaped_arange))
def shaped_reverse_arange(shape: Sequence[int], xp: Any = gpuarray, dtype: Any = np.float32) -> Any:
    """An array of as many numbers as it has elements, down to 1.

    Parameters
    ----------
    {shape}
    {xp}
    {dtype}

    Returns
    -------
    ndarray
        Of the library.

    Examples
    --------
    >>> from gpuarray import testing
    >>> testing.shaped_reverse_arange((2, 2), dtype=int)
    array([[4, 3],
           [2, 1]])
    """
    numbers = np.arange(math.prod(shape), 0, -1)
    return xp.array(_of_dtype(numbers, dtype).reshape(shape))


def _of_dtype(numbers: np.ndarray, dtype: Any) -> np.ndarray:
    found = np.dtype(dtype)
    if found.kind == "b":
        return numbers % 2 == 0
    return (numbers + 1j * numbers if found.kind == "c" else numbers).astype(found)


@sharing(texts_of(shaped_arange))
def shaped_linspace(
    start: float, stop: float, shape: Sequence[int], xp: Any = gpuarray, dtype: Any = np.float32
) -> Any:
    """An array of evenly spaced numbers, within what the dtype holds.

    Parameters
    ----------
    start, stop : float
        The first and the last number.
    {shape}
    {xp}
    {dtype}

    Returns
    -------
    ndarray
        Of the library.

    Examples
    --------
    >>> from gpuarray import testing
    >>> testing.shaped_linspace(0.0, 1.0, (2, 2), dtype=float).shape
    (2, 2)
    """
    found = np.dtype(dtype)
    if found.kind in "bu":
        start = max(start, 0)
    if found.kind == "b":
        stop = min(stop, 1)
    numbers = np.linspace(start, stop, math.prod(shape))
    return xp.array(numbers.astype(found).reshape(shape))


@sharing(texts_of(shaped_arange))
def shaped_random(
    shape: Sequence[int],
    xp: Any = gpuarray,
    dtype: Any = np.float32,
    scale: float = 10,
    seed: int = 0,
    order: str = "C",
) -> Any:
    """An array of random numbers, the same in each run.

    Parameters
    ----------
    {shape}
    {xp}
    {dtype}
    scale : float, optional
        Numbers are from 0 to this one; of bool, True and False are as likely.
    seed : int, optional
        Which numbers.
    order : {'C', 'F'}, optional
        Memory order.

    Returns
    -------
    ndarray
        Of the library.

    Examples
    --------
    >>> from gpuarray import testing
    >>> testing.shaped_random((2, 3), seed=1).shape
    (2, 3)
    """
    numbers = np.random.RandomState(seed)
    found = np.dtype(dtype)
    if found.kind == "b":
        host: Any = numbers.randint(2, size=shape)
    elif found.kind == "c":
        host = scale * (numbers.rand(*shape) + 1j * numbers.rand(*shape))
    else:
        host = scale * numbers.rand(*shape)
    return xp.asarray(np.asarray(host).astype(found), order=order)


def shaped_sparse_random(
    shape: Sequence[int],
    sp: Any = None,
    dtype: Any = np.float32,
    density: float = 0.01,
    format: str = "coo",
    seed: int = 0,
) -> Any:
    """A sparse matrix with random numbers, the same in each run.

    Parameters
    ----------
    shape : tuple of int
        Its shape.
    sp : module, optional
        ``scipy.sparse``, or the module for the device.
    dtype : dtype, optional
        The dtype of its elements.
    density : float, optional
        The part of the elements that are not zero.
    format : str, optional
        How it is stored.
    seed : int, optional
        Which numbers.

    Returns
    -------
    sparse matrix
        Of the module.

    Examples
    --------
    >>> from gpuarray import testing
    >>> testing.shaped_sparse_random((3, 4), density=0.5).shape
    (3, 4)
    """
    scipy_sparse = importlib.import_module("scipy.sparse")
    if sp is None:
        sp = importlib.import_module("gpuarray.scipy.sparse")
    rows, columns = shape
    host = scipy_sparse.random(rows, columns, density, random_state=seed).astype(dtype)
    return sp.coo_matrix(host).asformat(format)


def generate_matrix(
    shape: Sequence[int],
    xp: Any = gpuarray,
    dtype: Any = np.float32,
    *,
    singular_values: Any = None,
) -> Any:
    """A random matrix, or a stack of them, with given singular values.

    Parameters
    ----------
    shape : tuple of int
        Of at least two dimensions; the last two are those of a matrix.
    xp : module, optional
        The library whose array it is.
    dtype : dtype, optional
        Of floats or complex numbers.
    singular_values : array_like
        As many as the lesser side of a matrix, for all matrices or for each.

    Returns
    -------
    ndarray
        Of the library.

    Raises
    ------
    ValueError
        If the shape is not that of a matrix, or a singular value is negative.
    TypeError
        If there are no singular values, or the dtype has none.

    Examples
    --------
    >>> from gpuarray import testing
    >>> testing.generate_matrix((2, 2), singular_values=[1.0, 2.0]).shape
    (2, 2)
    """
    if len(shape) < 2:
        raise ValueError(f"generate_matrix: shape {tuple(shape)} is not that of a matrix")
    if singular_values is None:
        raise TypeError("generate_matrix: singular_values is missing")
    found = np.dtype(dtype)
    if found.kind not in "fc":
        raise TypeError(
            f"generate_matrix: dtype {found} is neither of floats nor of complex numbers"
        )
    values = np.asarray(on_host(singular_values))
    if values.dtype.kind == "c":
        raise TypeError("generate_matrix: singular values are real")
    if (values < 0).any():
        raise ValueError("generate_matrix: singular values are not negative")
    numbers = np.random.default_rng()
    matrix = numbers.standard_normal(shape)
    if found.kind == "c":
        matrix = matrix + 1j * numbers.standard_normal(shape)
    left, own, right = np.linalg.svd(matrix, full_matrices=False)
    values = np.broadcast_to(values, own.shape)
    return xp.asarray(((left * values[..., None, :]) @ right).astype(found))
