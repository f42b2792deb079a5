"""Transforms of float16 in half precision, where the user wants them.

cuFFT has them for lengths that are powers of two, and for reals without gaps. What it stores are
pairs of float16; they are widened to the complex64 that the result has.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpuarray import _fork, _layout
from gpuarray._ffi import cufft
from gpuarray._ffi.library_kinds import COMPLEX_HALF
from gpuarray._layout import Layout
from gpuarray._libraries import fft_layouts
from gpuarray._libraries.fft_plans import Geometry, TransformCall
from gpuarray._libraries.steps import Operand, Steps
from gpuarray._runtime.plan_kinds import HALF_TRANSFORMS, plan_from_now_on
from gpuarray._runtime.stream import Stream

__all__ = ["add_steps", "get_half_precision", "set_half_precision", "takes"]

_HALF = np.dtype(np.float16)
_SINGLE = np.dtype(np.float32)
#: A transform in half precision is of fewer points than so many, all of its batch together.
_LIMIT = 1 << 32

_lock = _fork.new_lock()


def set_half_precision(enabled: bool) -> None:
    """Set whether float16 arrays are transformed in half precision, for the process.

    Parameters
    ----------
    enabled : bool
        Whether cuFFT computes in half precision where all lengths are powers of two. It does not
        at first: float16 is computed in single precision.

    Raises
    ------
    TypeError
        If it is no bool.

    Notes
    -----
    It holds for transforms of float16 to spectra along one to three axes: `fft`, `ifft`, `rfft`,
    `ihfft` and their likes. Results are complex64 as before. Other lengths, axes and dtypes are
    computed as always.

    Numbers in half precision have 11 bits, and are 65504 at most: what is greater in the spectrum
    is infinite or NaN, before the factor of `norm` is multiplied. Divide the array first.

    Plans of either precision are kept apart, so that calls pay nothing for the choice. Graphs keep
    that with which they were captured.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.config.set_half_precision(True)
    >>> cp.fft.rfft(cp.array([1, 2, 3, 4], dtype="float16"))
    array([10.+0.j, -2.+2.j, -2.+0.j], dtype=complex64)
    >>> cp.fft.rfft(cp.full(4, 40000, dtype="float16"))[0].real
    array(inf, dtype=float32)
    >>> cp.fft.config.set_half_precision(False)
    """
    if not isinstance(enabled, bool | np.bool_):
        raise TypeError(f"set_half_precision: enabled is True or False, got {enabled!r}")
    with _lock:
        if get_half_precision() != bool(enabled):
            plan_from_now_on(HALF_TRANSFORMS, bool(enabled))


def get_half_precision() -> bool:
    """Whether float16 arrays are transformed in half precision.

    Returns
    -------
    bool
        What was given to `set_half_precision`, False at first.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.fft.config.get_half_precision()
    False
    """
    return bool(Stream.new_plan_kind & HALF_TRANSFORMS)


def takes(stream: Stream, source: Layout, lengths: Sequence[int], axes: Sequence[int]) -> bool:
    """Whether a transform of reals is one in half precision."""
    return (
        bool(stream.plan_kind & HALF_TRANSFORMS)
        and source.dtype == _HALF
        and len(axes) <= fft_layouts.GREATEST_RANK
        and not any(lengths[axis] & (lengths[axis] - 1) for axis in axes)
        and int(np.prod(lengths, dtype=object)) < _LIMIT
    )


def add_steps(
    steps: Steps,
    source: Operand,
    target: Operand,
    lengths: Sequence[int],
    axes: Sequence[int],
    copied: bool = False,
) -> None:
    """Add the steps of a transform from float16 to half a spectrum of complex64.

    Parameters
    ----------
    steps : Steps
        Those of the plan.
    source, target : Operand
        Of as many dimensions.
    lengths : sequence of int
        Of each axis, what is transformed: the source is cut, or filled with zeros.
    axes : sequence of int
        The axes; the last one is halved.
    copied : bool, optional
        Whether the source cannot be read where it is.
    """
    halved = axes[-1]
    # NVIDIA promises transforms of reals without gaps alone, whose transformed axes are the
    # fastest, though cuFFT makes plans of others, too.
    order = [axis for axis in range(len(lengths)) if axis not in axes] + [*axes]
    reals = _ordered(_HALF, lengths, order)
    if copied or source.layout.shape != reals.shape or source.layout.strides != reals.strides:
        source = _copy(steps, source, reals)
    shape = list(lengths)
    shape[halved] = shape[halved] // 2 + 1
    numbers = _ordered(np.dtype(np.uint32), shape, order)  # as wide as a pair of float16
    spectrum = steps.scratch(_layout.layout_of(_HALF, (*shape, 2), (*numbers.strides, 2)))
    _call(steps, source, spectrum, lengths, axes)
    into = target.layout
    parts = _layout.layout_of(_SINGLE, (*into.shape, 2), (*into.strides, 4))
    steps.copy(spectrum, target.seen_as(parts))


def _ordered(dtype: np.dtype, shape: Sequence[int], order: Sequence[int]) -> Layout:
    """A layout without gaps whose axes are in memory in an order."""
    gapless = _layout.contiguous(dtype, tuple([shape[axis] for axis in order]))
    return _layout.transpose(gapless, [order.index(axis) for axis in range(len(order))])


def _copy(steps: Steps, source: Operand, reals: Layout) -> Operand:
    """The source in another layout, cut or filled with zeros."""
    copy = steps.scratch(reals)
    shape = tuple(map(min, source.layout.shape, reals.shape))
    if shape != reals.shape:
        steps.zeros(copy)
    first, second = [
        x.seen_as(_layout.layout_of(_HALF, shape, x.layout.strides)) for x in (source, copy)
    ]
    steps.copy(first, second)
    return copy


def _call(
    steps: Steps, source: Operand, spectrum: Operand, lengths: Sequence[int], axes: Sequence[int]
) -> None:
    """The call of cuFFT: both sides are gapless and in one order, so that it is one."""
    passes = fft_layouts.solve(
        lengths,
        [stride // 2 for stride in source.layout.strides],
        [stride // 4 for stride in spectrum.layout.strides[:-1]],
        axes,
        axes[-1],
    )
    assert passes is not None  # both are gapless, in one order
    (one,) = passes
    geometry = Geometry(
        one.n, *one.source._replace(embed=one.n), _HALF, *one.target, COMPLEX_HALF, one.batch
    )
    steps.transform(TransformCall(geometry, cufft.FORWARD, steps.stream), source, spectrum)
