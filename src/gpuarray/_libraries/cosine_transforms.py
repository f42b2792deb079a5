"""Discrete cosine and sine transforms by cuFFT's transforms of reals, as plans like any other.

One kernel rearranges the operand, which it also cuts or fills with zeros, and one makes the result
of the spectrum. Types 2 and 3 are transforms of as many reals (J. Makhoul, IEEE Trans. Acoust.
Speech Signal Process. 28, 27-34, 1980), type 1 of the mirrored operand. Type 4 of an even length is
a complex transform of half the length (e.g. H. S. Malvar, Signal Processing with Lapped Transforms,
1992), of an odd one a complex transform of twice the length.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gpuarray import _calls, _memory_order
from gpuarray._layout import Layout
from gpuarray._libraries.steps import Operand, Steps
from gpuarray._libraries.transform_passes import Transform, complex_of
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import transform

__all__ = ["cosine_call"]

_HALF, _TWICE = math.sqrt(0.5), math.sqrt(2.0)


def cosine_call(
    stream: Stream,
    a: Layout,
    target: Layout,
    sine: bool,
    type: int,
    axes: tuple[int, ...],
    lengths: tuple[int, ...],
    factors: tuple[float, ...],
    orthogonal: bool,
) -> Callable[[Any], Any]:
    """A call (see :mod:`gpuarray._calls`) of cosine or sine transforms.

    Parameters
    ----------
    stream : Stream
        Where to run.
    a, target : Layout
        Of float32 or float64 both, and of as many dimensions.
    sine : bool
        Whether it is a sine transform.
    type : int
        1 to 4.
    axes : tuple of int
        The axes to transform.
    lengths : tuple of int
        For each how many points are transformed, at least one; of type 1 of the cosine two.
    factors : tuple of float
        What the result is multiplied by for each axis.
    orthogonal : bool
        Whether the first and last points have the factors that make the matrix orthogonal.
    """
    if not target.size:
        return _calls.make_call(stream, "a", [target], [])
    steps = Steps(stream, a)
    source, result = steps.inputs[0], steps.output(target)
    for axis, n, factor in zip(axes, lengths, factors, strict=True):
        one = _Cosine(steps, source, result, axis, n, sine, factor)
        (one.first, one.second, one.third, one.fourth)[type - 1](orthogonal)
        source = result
    return steps.make()


class _Cosine:
    """The transform along one axis, while it is planned."""

    def __init__(
        self,
        steps: Steps,
        source: Operand,
        result: Operand,
        axis: int,
        n: int,
        sine: bool,
        factor: float,
    ) -> None:
        self.steps, self.source, self.result = steps, source, result
        self.axis, self.n, self.sine, self.factor = axis, n, sine, factor

    def first(self, orthogonal: bool) -> None:
        n, factor = self.n, self.factor
        if self.sine:
            real, spectrum = self._scratch(2 * n + 2), self._scratch(n + 2, True)
            self._launch("odd", self.source, real)
            self._forward(real, spectrum)
            self._launch("imaginary_part", spectrum, self.result, factor)
            return
        real, spectrum = self._scratch(2 * n - 2), self._scratch(n, True)
        self._launch("even", self.source, real, 1, _TWICE if orthogonal else 1)
        self._forward(real, spectrum)
        edge = factor * (_HALF if orthogonal else 1)
        self._launch("real_part", spectrum, self.result, factor, edge)

    def second(self, orthogonal: bool) -> None:
        real, spectrum = self._scratch(self.n), self._scratch(self.n // 2 + 1, True)
        self._launch("fold", self.source, real)
        self._forward(real, spectrum)
        edge = self.factor * (_HALF if orthogonal else 1)
        self._launch("cosine", spectrum, self.result, self.factor, edge)

    def third(self, orthogonal: bool) -> None:
        real, spectrum = self._scratch(self.n), self._scratch(self.n // 2 + 1, True)
        edge = self.factor * (_TWICE if orthogonal else 1)
        self._launch("uncosine", self.source, spectrum, self.factor, edge)
        Transform(self.steps, real, real.layout.shape, True).from_half(spectrum, [self.axis])
        self._launch("unfold", real, self.result)

    def fourth(self, orthogonal: bool) -> None:
        pairs = self.n % 2 == 0
        spectrum = self._scratch(self.n // 2 if pairs else 2 * self.n, True)
        self._launch("pairs" if pairs else "turned", self.source, spectrum)
        work = Transform(self.steps, spectrum, spectrum.layout.shape, False)
        work.from_complex(spectrum, [self.axis], 1)
        rule = "unpairs" if pairs else "unturned"
        self._launch(rule, spectrum, self.result, self.factor)

    def _forward(self, real: Operand, spectrum: Operand) -> None:
        Transform(self.steps, spectrum, real.layout.shape, False).from_real(real, [self.axis])

    def _scratch(self, length: int, complex_numbers: bool = False) -> Operand:
        """Memory like the result, but for the length along the axis."""
        layout = self.result.layout
        shape = list(layout.shape)
        shape[self.axis] = length
        dtype = complex_of(layout.dtype) if complex_numbers else layout.dtype
        return self.steps.scratch(_memory_order.like_prototype(dtype, tuple(shape), layout))

    def _launch(
        self,
        rule: str,
        read: Operand,
        into: Operand,
        factor: float = 1,
        edge_factor: float | None = None,
    ) -> None:
        launch = transform.launch.bound(
            rule, read.layout, into.layout, self.axis, self.steps.stream,
            n=self.n, factor=factor, edge_factor=edge_factor, sine=self.sine,
        )  # fmt: skip
        self.steps.launch(launch, {"target": into, "source": read})
