"""Text of arrays and numbers: NumPy's own formatting of the same values, with its options."""

from __future__ import annotations

import mmap
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import base_repr, binary_repr, get_printoptions, printoptions, set_printoptions

from gpuarray import _array, _layout
from gpuarray._array import ArrayBase
from gpuarray._ops.host_copies import asnumpy, on_host
from gpuarray._ops.host_functions import call
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from gpuarray._types import Operand, ndarray

__all__ = [
    "array2string", "array_repr", "array_str", "base_repr", "binary_repr",
    "format_float_positional", "format_float_scientific", "get_printoptions", "printoptions",
    "set_printoptions",
]  # fmt: skip

_MAP_NORESERVE = 0x4000  # Linux; the mmap module names it since Python 3.13


def array_repr(
    arr: ndarray,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """The text that ``repr`` gives of an array.

    Parameters
    ----------
    arr : ndarray
        The array.
    max_line_width, precision, suppress_small : optional
        As for ``numpy.array_repr``.

    Returns
    -------
    str
        NumPy's text of the same values.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.array_repr(cp.arange(3))
    'array([0, 1, 2])'
    """
    return np.array_repr(_shown(arr), max_line_width, precision, suppress_small)


def array_str(
    a: ndarray,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """The text that ``str`` gives of an array.

    Parameters
    ----------
    a : ndarray
        The array.
    max_line_width, precision, suppress_small : optional
        As for ``numpy.array_str``.

    Returns
    -------
    str
        NumPy's text of the same values.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.array_str(cp.arange(3))
    '[0 1 2]'
    """
    return np.array_str(_shown(a), max_line_width, precision, suppress_small)


def array2string(a: ndarray, *args: Any, **kwargs: Any) -> str:
    """The text of an array, with all options of ``numpy.array2string``.

    Parameters
    ----------
    a : ndarray
        The array.
    *args, **kwargs
        As for ``numpy.array2string``.

    Returns
    -------
    str
        NumPy's text of the same values.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.array2string(cp.arange(3), separator=", ")
    '[0, 1, 2]'
    """
    options = {name: kwargs[name] for name in ("threshold", "edgeitems")
               if kwargs.get(name) is not None}  # fmt: skip
    with np.printoptions(**options):
        shown = _shown(a)
    return np.array2string(shown, *args, **kwargs)


def format_float_positional(
    x: Operand,
    precision: int | None = None,
    unique: bool = True,
    fractional: bool = True,
    trim: Any = "k",
    sign: bool = False,
    pad_left: int | None = None,
    pad_right: int | None = None,
    min_digits: int | None = None,
) -> str:
    """The text of a float without an exponent.

    Parameters
    ----------
    x : ndarray of one element, or number
        The float.
    precision, unique, fractional, trim, sign, pad_left, pad_right, min_digits : optional
        As for ``numpy.format_float_positional``.

    Returns
    -------
    str
        NumPy's text of the same value.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.format_float_positional(cp.float32(1e-5) * cp.ones(()))
    '0.000009999999747378752'
    """
    return call(
        np.format_float_positional,
        on_host(x),
        precision,
        unique,
        fractional,
        trim,
        sign,
        pad_left,
        pad_right,
        min_digits,
    )


def format_float_scientific(
    x: Operand,
    precision: int | None = None,
    unique: bool = True,
    trim: Any = "k",
    sign: bool = False,
    pad_left: int | None = None,
    exp_digits: int | None = None,
    min_digits: int | None = None,
) -> str:
    """The text of a float with an exponent.

    Parameters
    ----------
    x : ndarray of one element, or number
        The float.
    precision, unique, trim, sign, pad_left, exp_digits, min_digits : optional
        As for ``numpy.format_float_scientific``.

    Returns
    -------
    str
        NumPy's text of the same value.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.format_float_scientific(cp.array(1500.0), exp_digits=3)
    '1.5e+003'
    """
    return call(
        np.format_float_scientific,
        on_host(x),
        precision,
        unique,
        trim,
        sign,
        pad_left,
        exp_digits,
        min_digits,
    )


def _shown(array: Any) -> np.ndarray:
    """A host array in which at least the elements that NumPy would print are right."""
    if not isinstance(array, ArrayBase):
        return np.asarray(array)
    layout = array._layout
    options = np.get_printoptions()
    edge = options["edgeitems"]
    if layout.size <= options["threshold"] or not any(n > 2 * edge for n in layout.shape):
        return asnumpy(array)
    with array._memory.device:
        corners = asnumpy(_corners(array, edge))
    host = _untouched(layout.dtype, layout.shape)
    host[np.ix_(*[_edges(length, edge) for length in layout.shape])] = corners
    return host


def _edges(length: int, edge: int) -> list[int]:
    if length <= 2 * edge:
        return list(range(length))
    return [*range(edge), *range(length - edge, length)]


def _corners(array: Any, edge: int) -> Any:
    """The first and last elements along each axis, in one small array."""
    layout = array._layout
    shape = tuple([min(length, 2 * edge) for length in layout.shape])
    result = _array.empty(_layout.contiguous(layout.dtype, shape))
    for source, target in _blocks(layout.shape, edge):
        copies.assign(result[target], array[source])
    return result


def _blocks(shape: tuple[int, ...], edge: int) -> Iterator[tuple[tuple, tuple]]:
    if not shape:
        yield (), ()
        return
    whole = slice(None)
    choices = [(whole, whole)]
    if shape[0] > 2 * edge:
        choices = [
            (slice(0, edge), slice(0, edge)),
            (slice(shape[0] - edge, None), slice(edge, None)),
        ]
    for source, target in _blocks(shape[1:], edge):
        for chosen_source, chosen_target in choices:
            yield (chosen_source, *source), (chosen_target, *target)


def _untouched(dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """A host array of any size: only pages that are written take memory."""
    size = int(np.prod(shape, dtype=object))
    if sys.platform != "linux":
        return np.zeros(shape, dtype)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE
    memory = mmap.mmap(-1, size * dtype.itemsize, flags=flags)
    return np.frombuffer(memory, dtype, size).reshape(shape)
