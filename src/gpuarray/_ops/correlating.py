"""Correlation and convolution of sequences (of the page on statistics)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _broadcasting, _layout
from gpuarray._ops.manipulation import as_array
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.reduction.products import sum_of_products

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["convolve", "correlate"]

_MODES = ("valid", "same", "full")


def correlate(a: ArrayLike, v: ArrayLike, mode: str = "valid") -> ndarray:
    """Cross-correlation of two sequences: sums of ``a[n + k] * conj(v[n])``.

    Parameters
    ----------
    a, v : ndarray, 1-D
        The sequences.
    mode : {'valid', 'same', 'full'}, optional
        Where the sums are taken: where the sequences overlap completely, at as many offsets as the
        longer one has, or wherever they overlap.

    Returns
    -------
    ndarray, 1-D
        The sums.

    Notes
    -----
    The sums are computed as they are defined, in one launch: the work is the product of the
    lengths. Temporary memory: for 'same' and 'full' a copy of the longer sequence between zeros.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.correlate(cp.asarray([1, 2, 3]), cp.asarray([0, 1, 2]), "full")
    array([2, 5, 8, 3, 0])
    """
    a, v = _sequences(a, v, "correlate")
    if a._layout.size >= v._layout.size:
        return _slide(a, v, mode, "correlate")
    # Where the second is the longer one, the roles change, and with them the direction.
    result = _slide(v, a, mode, "correlate")[::-1]
    return result.conj() if result._layout.dtype.kind == "c" else copies.copy(result, "C")


def convolve(a: ArrayLike, v: ArrayLike, mode: str = "full") -> ndarray:
    """Convolution of two sequences: sums of ``a[k - n] * v[n]``.

    Parameters
    ----------
    a, v : ndarray, 1-D
        The sequences.
    mode : {'full', 'same', 'valid'}, optional
        Where the sums are taken, as for `correlate`.

    Returns
    -------
    ndarray, 1-D
        The sums.

    See Also
    --------
    correlate : For launches and memory.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.convolve(cp.asarray([1, 2, 3]), cp.asarray([0, 1, 2]))
    array([0, 1, 4, 7, 6])
    """
    a, v = _sequences(a, v, "convolve")
    if a._layout.size < v._layout.size:
        a, v = v, a
    v = v[::-1]
    return _slide(a, v.conj() if v._layout.dtype.kind == "c" else v, mode, "convolve")


def _sequences(a: ArrayLike, v: ArrayLike, name: str) -> tuple[ndarray, ndarray]:
    a, v = as_array(a, name), as_array(v, name)
    if a._layout.ndim > 1 or v._layout.ndim > 1:
        raise ValueError("object too deep for desired array")
    a, v = [x if x._layout.ndim else x.reshape(1) for x in (a, v)]
    for x, label in ((a, "a" if name == "convolve" else "first array argument"),
                    (v, "v" if name == "convolve" else "second array argument")):  # fmt: skip
        if not x._layout.size:
            raise ValueError(f"{label} cannot be empty")
    return a, v


def _slide(a: Any, v: Any, mode: str, name: str) -> ndarray:
    """The sums of products of a sequence with parts of one that is at least as long."""
    if mode not in _MODES:
        raise ValueError(f"{name}: mode {mode!r} is not one of {', '.join(_MODES)}")
    size, width = a._layout.size, v._layout.size
    dtype = np.promote_types(a._layout.dtype, v._layout.dtype)
    before = {"valid": 0, "same": width // 2, "full": width - 1}[mode]
    count = {"valid": size - width + 1, "same": size, "full": size + width - 1}[mode]
    behind = count + width - 1 - size - before
    if before or behind:
        padded = _array.empty(_layout.contiguous(a._layout.dtype, (before + size + behind,)))
        padded[:before] = 0
        padded[before : before + size] = a
        padded[before + size :] = 0
        a = padded
    layout = a._layout
    step = layout.strides[0]
    # Every window is a view: neighbours overlap.
    windows = _array.view(a, _layout.layout_of(layout.dtype, (count, width), (step, step)))
    repeated = _array.view(v, _broadcasting.broadcast_to(v._layout, (count, width)))
    return sum_of_products(windows, repeated, (1,), dtype)
