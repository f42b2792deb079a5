"""One Fourier transform while its steps are planned.

`fft_layouts` says how a transform is made of cuFFT's. One kernel (`kernels.transform`) prepares
what cuFFT cannot read, or would destroy: it casts, pads, multiplies by the norm's factor. Where
there is none, the factor is multiplied behind the transform, in place. Our own kernels
(`line_transforms`) stand in for passes of cuFFT that move more bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpuarray import _dtypes, _layout, _memory_order
from gpuarray._ffi import cufft
from gpuarray._layout import Layout
from gpuarray._libraries import fft_costs, fft_layouts, half_transforms
from gpuarray._libraries.fft_layouts import Pass
from gpuarray._libraries.fft_plans import Geometry, TransformCall
from gpuarray._libraries.line_transforms import line_transform
from gpuarray._libraries.steps import Operand, Steps
from gpuarray.kernels import transform
from gpuarray.kernels.generator.expressions import Apply, Input, Scalar
from gpuarray.kernels.generator.operations import operation

__all__ = ["Transform", "complex_of", "real_of"]


def complex_of(dtype: np.dtype) -> np.dtype:
    """The complex dtype of a real one, or itself."""
    return np.dtype(np.complex64) if dtype in ("f4", "c8") else np.dtype(np.complex128)


def real_of(dtype: np.dtype) -> np.dtype:
    """The real dtype of a complex one, or itself."""
    return np.dtype(np.float32) if dtype in ("f4", "c8") else np.dtype(np.float64)


class Transform:
    """One transform while its steps are planned."""

    def __init__(
        self, steps: Steps, target: Operand, lengths: Sequence[int], inverse: bool
    ) -> None:
        self.steps = steps
        self.target = target
        self.lengths = list(lengths)
        self.inverse = inverse
        self.complex_dtype = complex_of(target.layout.dtype)
        self.real_dtype = real_of(target.layout.dtype)

    # ---- kinds -----------------------------------------------------------------------------------

    def from_complex(
        self, source: Operand, axes: Sequence[int], factor: float, prepare: bool = False
    ) -> None:
        """From complex, or real, to complex, into the target."""
        read = self._cut(source)
        if read.layout.dtype.kind != "c":
            self._from_real_to_all(read, axes, factor, prepare)
            return
        passes = None if prepare else self._passes(read, self.target, axes)
        if passes is None:
            same = read.layout.dtype == self.complex_dtype and read.layout.shape == (*self.lengths,)
            if same and not prepare and self._lines_instead_of_copies(read, axes, factor):
                return
            if same:
                self.steps.copy(read, self.target)
            else:
                self._prepare(read, self.target, axes[-1], factor)
                factor = 1
            read = self.target
            passes = self._passes(read, self.target, axes)
            if passes is None:  # a target that cuFFT cannot write: one that is given
                self._aside(self.target, axes)
                self.finish(factor)
                return
        self.finish(self._run(passes, read, self.target, factor=factor))

    def _lines_instead_of_copies(self, read: Operand, axes: Sequence[int], factor: float) -> bool:
        """Add our own kernels' steps, where they take less than a copy that cuFFT can read."""
        target = self.target
        passes = self._passes(target, target, axes)
        if passes is None:
            return False
        nbytes, itemsize = target.layout.nbytes, target.layout.itemsize
        seconds = fft_costs.copy_seconds(nbytes)
        seconds += 0 if factor == 1 else fft_costs.factor_seconds(nbytes)
        seconds += sum([fft_costs.pass_seconds(one, nbytes, itemsize) for one in passes])
        return line_transform(self.steps, read, target, axes, self.inverse, factor, seconds)

    def _from_real_to_all(
        self, source: Operand, axes: Sequence[int], factor: float, prepare: bool
    ) -> None:
        """From real to a whole spectrum: half of it is transformed, the other one its mirror."""
        layout = self.target.layout
        halved = min(axes, key=lambda axis: abs(layout.strides[axis]))
        n = self.lengths[halved]
        shape = list(self.lengths)
        shape[halved] = n // 2 + 1
        half = self.target.seen_as(_layout.layout_of(layout.dtype, tuple(shape), layout.strides))
        others = [axis for axis in axes if axis != halved]
        work = Transform(self.steps, half, self.lengths, False)
        work.from_real(source, [*others, halved], prepare)
        rule = "whole_conjugate" if self.inverse else "whole"
        self._launch(rule, self.target, half, halved, factor, n, others)

    def from_real(self, source: Operand, axes: Sequence[int], prepare: bool = False) -> None:
        """From real to half a spectrum."""
        if half_transforms.takes(self.steps.stream, source.layout, self.lengths, axes):
            half_transforms.add_steps(self.steps, source, self.target, self.lengths, axes, prepare)
            return
        read, halved = self._cut(source), axes[-1]
        target = self.target
        passes = None if prepare else self._passes(read, target, axes, halved)
        if passes is None:
            real = self.steps.scratch(self._gapless(self.real_dtype, self.lengths, read.layout))
            self._prepare(read, real, halved, 1)
            read = real
            passes = self._passes(read, target, axes, halved)
        if passes is None:
            target = self.steps.scratch(
                self._gapless(self.complex_dtype, target.layout.shape, target.layout)
            )
            passes = self._passes(read, target, axes, halved)
            assert passes is not None  # both are gapless, in one order
        self._run(passes, read, target, halved)
        if target is not self.target:
            self.steps.copy(target, self.target)

    def to_real(
        self,
        source: Operand,
        axes: Sequence[int],
        factor: float,
        conjugate: bool,
        prepare: bool,
    ) -> None:
        """From half a spectrum to real. The source is left as it is, where cuFFT destroys it."""
        *others, halved = axes
        n = self.lengths[halved]
        shape = list(self.lengths)
        shape[halved] = n // 2 + 1
        spectrum = self.steps.scratch(self._gapless(self.complex_dtype, shape, source.layout))
        rule = "hermitian_conjugate" if conjugate else "hermitian"
        if source.layout.dtype == self.complex_dtype and self._passes(
            spectrum, self.target, axes, halved, True
        ):
            # cuFFT takes all axes at once, and what it reads for Hermitian along all of them.
            read = self._cut(source, shape)
            self._launch(rule, read, spectrum, halved, factor, n, others)
            self.from_half(spectrum, axes)
            return
        if others:
            inner = Transform(self.steps, spectrum, shape, not conjugate)
            inner.from_complex(source, others, 1, prepare)
            source = spectrum
        elif source.layout.dtype != self.complex_dtype:
            rule = "copy"  # of reals: nothing is to be conjugated
        read = self._cut(source, shape)
        if rule == "copy" and not self._prepares(read.layout.dtype):
            read = self._cast(read)
        self._launch(rule, read, spectrum, halved, factor, n)
        self.from_half(spectrum, [halved])

    def from_half(self, spectrum: Operand, axes: Sequence[int]) -> None:
        """From a spectrum that is halved along the last axis, and is destroyed, to real."""
        target, halved = self.target, axes[-1]
        passes = self._passes(spectrum, target, axes, halved, True)
        if passes is None:
            target = self.steps.scratch(
                self._gapless(self.real_dtype, target.layout.shape, spectrum.layout)
            )
            passes = self._passes(spectrum, target, axes, halved, True)
            assert passes is not None  # both are gapless, in one order
        self._run(passes, spectrum, target, halved, True)
        if target is not self.target:
            self.steps.copy(target, self.target)

    def finish(self, factor: float, conjugate: bool = False) -> None:
        """Multiply the target by a factor, in place."""
        target = self.target
        if conjugate:
            self._launch("conjugate", target, target, 0, factor)
        elif factor != 1:
            layout = target.layout
            if layout.dtype.kind == "c":
                half = layout.itemsize // 2
                layout = _layout.layout_of(
                    self.real_dtype, (*layout.shape, 2), (*layout.strides, half)
                )
            parts, code = target.seen_as(layout), _dtypes.code(self.real_dtype)
            number = self.steps.number(factor, self.real_dtype)
            scaled = Apply(operation("multiply"), (Input(0, code), Scalar(1, code)), code)
            self.steps.kernel("fft", scaled, [parts, number], parts)

    # ---- parts of them ---------------------------------------------------------------------------

    def _cut(self, source: Operand, lengths: Sequence[int] | None = None) -> Operand:
        """The source without the elements that are not transformed."""
        layout = source.layout
        shape = tuple(map(min, layout.shape, self.lengths if lengths is None else lengths))
        if shape == layout.shape:
            return source
        return source.seen_as(_layout.layout_of(layout.dtype, tuple(shape), layout.strides))

    def _gapless(self, dtype: np.dtype, shape: Sequence[int], like: Layout) -> Layout:
        return _memory_order.like_prototype(dtype, tuple(shape), like)

    def _prepares(self, dtype: np.dtype) -> bool:
        """Whether the kernel that prepares reads a dtype."""
        return dtype.kind in "biu" or dtype in (self.real_dtype, self.complex_dtype)

    def _cast(self, read: Operand) -> Operand:
        """A copy in the precision of the transform."""
        wanted = self.complex_dtype if read.layout.dtype.kind == "c" else self.real_dtype
        aside = self.steps.scratch(self._gapless(wanted, read.layout.shape, read.layout))
        self.steps.copy(read, aside)
        return aside

    def _prepare(self, read: Operand, into: Operand, axis: int, factor: float) -> None:
        """Cast, pad and multiply into an operand."""
        if not self._prepares(read.layout.dtype):
            if factor == 1 and read.layout.shape == into.layout.shape:
                self.steps.copy(read, into)
                return
            read = self._cast(read)
        self._launch("copy", read, into, axis, factor)

    def _launch(
        self,
        rule: str,
        read: Operand,
        into: Operand,
        axis: int,
        factor: float,
        n: int = 0,
        mirrored: Sequence[int] = (),
    ) -> None:
        launch = transform.launch.bound(
            rule,
            read.layout,
            into.layout,
            axis,
            self.steps.stream,
            n=n,
            factor=factor,
            mirrored=mirrored,
        )
        self.steps.launch(launch, {"target": into, "source": read})

    def _passes(
        self,
        read: Operand,
        into: Operand,
        axes: Sequence[int],
        halved: int | None = None,
        halved_source: bool = False,
    ) -> list[Pass] | None:
        """The passes from an operand to another, or None if cuFFT cannot do it where they are."""
        wanted = into.layout.dtype if halved is None else self.complex_dtype
        if halved is not None and not halved_source:
            wanted = self.real_dtype
        lengths = list(self.lengths)
        expected = list(lengths)
        if halved_source and halved is not None:
            expected[halved] = lengths[halved] // 2 + 1
        if read.layout.dtype != wanted or read.layout.shape != (*expected,):
            return None
        steps = [[stride // x.layout.itemsize for stride in x.layout.strides] for x in (read, into)]
        return fft_layouts.solve(lengths, steps[0], steps[1], axes, halved, halved_source)

    def _run(
        self,
        passes: Sequence[Pass],
        read: Operand,
        into: Operand,
        halved: int | None = None,
        halved_source: bool = False,
        factor: float = 1,
    ) -> float:
        """Add the passes' calls, or what takes less, and return what is still to be multiplied."""
        nbytes, itemsize = into.layout.nbytes, into.layout.itemsize
        for one in passes:
            if one.in_place:
                read, halved = into, None
            last = factor if one is passes[-1] else 1
            seconds = fft_costs.pass_seconds(one, nbytes, itemsize)
            if last != 1:
                seconds += fft_costs.factor_seconds(nbytes)
            if halved is None and line_transform(
                self.steps, read, into, one.axes, self.inverse, last, seconds
            ):
                factor = 1 if one is passes[-1] else factor
            elif fft_costs.is_slow(one, nbytes, itemsize, self._is_odd(one, read, into)):
                self._transposed(one, read, into, halved, halved_source)
            else:
                self._call(one, read, into)
            if not one.in_place:
                read = into
        return factor

    def _is_odd(self, one: Pass, read: Operand, into: Operand) -> bool:
        """Whether there are calls that begin at no multiple of the size of a complex number."""
        return any(
            x.layout.dtype.kind == "f" and loop[distance] % 2
            for x, distance in ((read, 1), (into, 2))
            for loop in one.loops
        )

    def _call(self, one: Pass, read: Operand, into: Operand) -> None:
        source, target = one.source, one.target
        geometry = Geometry(
            one.n, source.embed, source.stride, source.distance, read.layout.dtype,
            target.embed, target.stride, target.distance, into.layout.dtype, one.batch,
        )  # fmt: skip
        sizes = read.layout.itemsize, into.layout.itemsize
        offsets = [(first * sizes[0], second * sizes[1]) for first, second in one.offsets()]
        direction = cufft.INVERSE if self.inverse else cufft.FORWARD
        bound = TransformCall(geometry, direction, self.steps.stream, offsets)
        self.steps.transform(bound, read, into)

    def _transposed(
        self, one: Pass, read: Operand, into: Operand, halved: int | None, halved_source: bool
    ) -> None:
        """A pass between copies whose transformed axes are the fastest."""
        order = [axis for axis in range(len(self.lengths)) if axis not in one.axes] + [*one.axes]
        sides = []
        for x in (read, into):
            shape = tuple([x.layout.shape[axis] for axis in order])
            gapless = _layout.contiguous(x.layout.dtype, shape)
            back = [order.index(axis) for axis in range(len(order))]
            sides.append(self.steps.scratch(_layout.transpose(gapless, back)))
        first, second = sides
        self.steps.copy(read, first)
        if read.layout.dtype == into.layout.dtype and halved is None:
            second = first
        lengths = list(self.lengths)
        if halved is None and one.in_place:
            lengths = list(into.layout.shape)
        steps = [
            [stride // x.layout.itemsize for stride in x.layout.strides] for x in (first, second)
        ]
        passes = fft_layouts.solve(lengths, steps[0], steps[1], one.axes, halved, halved_source)
        assert passes is not None  # both are gapless, in one order
        for inner in passes:
            self._call(inner, second if inner.in_place else first, second)
        self.steps.copy(second, into)

    def _aside(self, target: Operand, axes: Sequence[int]) -> None:
        """Transform a target that cuFFT cannot write in a copy."""
        layout = _layout.contiguous(target.layout.dtype, target.layout.shape)
        aside = self.steps.scratch(layout)
        self.steps.copy(target, aside)
        passes = self._passes(aside, aside, axes)
        assert passes is not None  # it is gapless
        self._run(passes, aside, aside)
        self.steps.copy(aside, target)
