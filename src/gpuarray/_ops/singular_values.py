"""Singular value decompositions: which driver decomposes, and what is done about failures."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _array, _layout
from gpuarray._layout import Layout
from gpuarray._libraries import checks
from gpuarray._libraries.svd import left_vectors_call, square_call, svd_call
from gpuarray._ops.creation import eye
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.logic import isfinite, isnan
from gpuarray._ops.matrix_operands import check_stacked, common_dtype, real_dtype
from gpuarray._ops.selection import where
from gpuarray._ops.small_matrices import on_small
from gpuarray._ops.truth import all, any
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import small_matrix
from gpuarray.kernels.elementwise import copies

#: NumPy's message.
NOT_CONVERGED = "SVD did not converge"

#: Up to so many rows QR iterations are as fast as a polar decomposition.
_SMALL = 32


def decompose(
    a: Any, vectors: bool, full: bool, name: str, message: str = NOT_CONVERGED
) -> tuple[Any, ...]:
    """The singular value decompositions of matrices: ``(u, s, vh)``, or ``(s,)``.

    Parameters
    ----------
    a : ndarray
        The matrices.
    vectors, full : bool
        Whether singular vectors are wanted, and all of them.
    name, message : str
        The function, and what it says if a matrix has no decomposition.
    """
    layout = a._layout
    dtype, is_small = _operand(current.stream, layout)
    if not layout.size:
        return _of_nothing(layout.shape, dtype, vectors, full)
    raises = checks.linalg_raises()
    if raises:
        checks.refuse_capture(current.stream, name)
    if is_small:
        *found, info = _small_call(current.stream, layout, dtype, vectors, full)(a)
        if raises:
            checks.check(info, message)
        return tuple(found)
    known = None
    if layout.dtype.kind in "fc":
        # The library's functions may end in an error, or not at all.
        finite = all(isfinite(a), axis=(-2, -1))
        if not raises:
            known = finite
        elif not bool(all(finite)):
            if bool(any(isnan(a))):
                checks.fail(message)
            known = finite
    if known is not None:
        a = where(known[..., None, None], a, 0)
    m, n = layout.shape[-2:]
    if m == n:
        found = _of_squares(a, dtype, vectors, raises, message)
    else:
        found = _of_long_matrices(a, dtype, vectors, full, raises, message)
    if known is None:
        return found
    return tuple([where(known[(..., *[None] * (x.ndim - known.ndim))], x, np.nan) for x in found])


@planned
def _operand(stream: Stream, a: Layout) -> tuple[np.dtype, bool]:
    """The dtype to compute in, and whether the matrices are small."""
    check_stacked(a)
    dtype = common_dtype(a)
    return dtype, small_matrix.launch.is_small(_layout.contiguous(dtype, a.shape))


@planned
def _small_call(
    stream: Stream, a: Layout, dtype: np.dtype, vectors: bool, full: bool
) -> Callable[[Any], Any]:
    kernels = small_matrix.launch
    if vectors:
        return on_small(kernels.svd_call, stream, "svd", dtype, None, (a,), full)
    return on_small(kernels.svdvals_call, stream, "svdvals", dtype, None, (a,))


def _of_long_matrices(
    a: Any, dtype: np.dtype, vectors: bool, full: bool, raises: bool, message: str
) -> tuple[Any, ...]:
    """Decompose matrices by a QR factorisation of them, or of their transposes."""
    stream = current.stream
    m, n = a._layout.shape[-2:]
    r, columns, tau = square_call(stream, a._layout, dtype)(a)
    found = _of_squares(r, dtype, vectors, raises, message)
    if not vectors:
        return found
    u, s, vh = found
    count = max(m, n) if full else min(m, n)
    run = left_vectors_call(stream, columns._layout, tau._layout, u._layout, count, m < n)
    left = run(columns, tau, u)
    # The right vectors of the transposed matrix are conjugates of left ones of the matrix.
    return (left, s, vh) if m >= n else (copies.copy(vh.swapaxes(-1, -2), "C"), s, left)


def _of_squares(
    a: Any, dtype: np.dtype, vectors: bool, raises: bool, message: str
) -> tuple[Any, ...]:
    layout = a._layout
    if small_matrix.launch.is_small(layout):
        *found, info = _small_call(current.stream, layout, dtype, vectors, False)(a)
        if raises:
            checks.check(info, message)
        return tuple(found)
    if layout.shape[-1] <= _SMALL:
        return _by_iterations(a, dtype, vectors, raises, message)
    return _by_polar_decomposition(a, dtype, vectors, raises, message)


def _by_iterations(
    a: Any, dtype: np.dtype, vectors: bool, raises: bool, message: str
) -> tuple[Any, ...]:
    run = svd_call(current.stream, a._layout, dtype, "gesvd", vectors, not raises)
    *found, info = run(a)
    if raises:
        checks.check(info, message)
    return tuple(found)


def _by_polar_decomposition(
    a: Any, dtype: np.dtype, vectors: bool, raises: bool, message: str
) -> tuple[Any, ...]:
    """Decompose, and decompose matrices again whose result is not good enough.

    It waits for the device, as the library's function does itself.
    """
    batch = a._layout.shape[:-2]
    run = svd_call(current.stream, a._layout, dtype, "gesvdp", vectors, False)
    away = np.zeros(batch)
    *found, info = run(a, away.ctypes.data)
    again = asnumpy(info) != 0
    if np.any(away):
        s = found[1] if vectors else found[0]
        again |= ~(away <= np.finfo(dtype).eps * asnumpy(s[..., 0]))
    if not np.any(again):
        return tuple(found)
    if not batch:
        return _by_iterations(a, dtype, vectors, raises, message)
    for index in zip(*np.nonzero(again), strict=True):
        place = tuple(map(int, index))
        better = _by_iterations(a[place], dtype, vectors, raises, message)
        for target, result in zip(found, better, strict=True):
            target[place] = result
    return tuple(found)


def _of_nothing(
    shape: tuple[int, ...], dtype: np.dtype, vectors: bool, full: bool
) -> tuple[Any, ...]:
    """The decompositions of matrices without elements, or of none."""
    *batch, m, n = shape
    k = min(m, n)
    s = _array.empty(_layout.contiguous(real_dtype(dtype), (*batch, k)))
    if not vectors:
        return (s,)
    return (
        identities(tuple(batch), m, m if full else k, dtype),
        s,
        identities(tuple(batch), n if full else k, n, dtype),
    )


def identities(batch: tuple[int, ...], rows: int, columns: int, dtype: np.dtype) -> Any:
    """Stacked matrices with ones on the diagonal."""
    result = _array.empty(_layout.contiguous(dtype, (*batch, rows, columns)))
    if math.prod(result._layout.shape):
        result[...] = eye(rows, columns, dtype=dtype)
    return result
