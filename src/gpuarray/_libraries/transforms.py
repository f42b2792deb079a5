"""Fourier transforms of arrays, as plans like any other (see `transform_passes`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from gpuarray import _array, _calls, _dtypes
from gpuarray._layout import Layout
from gpuarray._libraries.steps import Operand, Steps
from gpuarray._libraries.transform_passes import Transform, complex_of
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.generator.expressions import Constant

__all__ = ["factor_of", "fourier_call", "transform_steps"]


def fourier_call(
    stream: Stream,
    a: Layout,
    target: Layout,
    kind: str,
    axes: tuple[int, ...],
    lengths: tuple[int, ...],
    inverse: bool,
    factor: float = 1,
    conjugate: bool = False,
    given: bool = False,
) -> Callable[..., Any]:
    """A call (see :mod:`gpuarray._calls`) of the Fourier transform of an array.

    Parameters
    ----------
    stream : Stream
        Where to run.
    a, target : Layout
        Of as many dimensions. The target is of float32, float64, complex64 or complex128; its
        elements are at places of their own. The operand is of the same precision, or is cast to it.
    kind : {'c2c', 'r2c', 'c2r'}
        From complex to complex, from real to the first half of a Hermitian spectrum, and back.
    axes : tuple of int
        The distinct axes; the last one is the one that is halved.
    lengths : tuple of int
        For each axis the points that are transformed, at least one: the operand is cut, or filled
        with zeros.
    inverse : bool
        Whether the exponent is positive; 'r2c' is forward, 'c2r' inverse.
    factor : float, optional
        What the result is multiplied by.
    conjugate : bool, optional
        Whether the operand of 'c2r', or the result of 'r2c', is conjugated.
    given : bool, optional
        Whether the caller passes the target, which overlaps the operand nowhere, or is the operand.

    Returns
    -------
    callable
        Takes the operand, and the target if it is given. Both are at multiples of the size of a
        complex number, if they are views: `transform_steps` has what is to be done otherwise.
    """
    new = None if given else target
    if not target.size:
        return _calls.make_call(stream, "a", [new], [])
    if not a.size:
        steps = Steps(stream)
        steps.kernel(
            "fft", Constant(0, _dtypes.code(target.dtype)), [], steps.output(target, given)
        )
        run = steps.make()
        return lambda x, *out: run(*out)
    steps = Steps(stream, a)
    source, result = steps.inputs[0], steps.output(target, given)
    transform_steps(steps, source, result, kind, axes, lengths, inverse, factor, conjugate)
    run = steps.make()
    if not (a.is_view or a.foreign) or a.unaligned:
        return run
    # Views may begin where cuFFT does not read complex numbers: then the operand is copied.
    pair = complex_of(target.dtype).itemsize
    prepared: list[Callable[..., Any]] = []

    def call(x: Any, *out: Any) -> Any:
        if _array.is_aligned(x, pair):
            return run(x, *out)
        if not prepared:
            other = Steps(stream, a)
            operand, stored = other.inputs[0], other.output(target, given)
            transform_steps(
                other, operand, stored, kind, axes, lengths, inverse, factor, conjugate, True
            )
            prepared.append(other.make())
        return prepared[0](x, *out)

    return call


def transform_steps(
    steps: Steps,
    source: Operand,
    target: Operand,
    kind: str,
    axes: Sequence[int],
    lengths: Sequence[int],
    inverse: bool,
    factor: float = 1,
    conjugate: bool = False,
    prepare: bool = False,
) -> None:
    """Add the steps of a transform; see `fourier_call`.

    `prepare` is whether the source cannot be read by cuFFT where it is.
    """
    full = list(source.layout.shape)
    for axis, n in zip(axes, lengths, strict=True):
        full[axis] = n
    work = Transform(steps, target, full, inverse)
    if kind == "c2c":
        work.from_complex(source, axes, factor, prepare)
    elif kind == "r2c":
        work.from_real(source, axes, prepare)
        work.finish(factor, conjugate)
    else:
        work.to_real(source, axes, factor, conjugate, prepare)


def factor_of(norm: str | None, forward: bool, n: Sequence[int]) -> float:
    """The factor of a norm for a transform of so many points."""
    if norm is None or norm == "backward":
        return 1.0 if forward else 1.0 / math.prod(n)
    if norm == "ortho":
        return 1.0 / math.sqrt(math.prod(n))
    return 1.0 / math.prod(n) if forward else 1.0
