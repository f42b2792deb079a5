"""Complex transforms by our own kernels of lines, where these move fewer bytes than cuFFT."""

from __future__ import annotations

from collections.abc import Sequence

from gpuarray import _dtypes, _layout
from gpuarray._libraries import fft_costs, line_layouts
from gpuarray._libraries.steps import Operand, Steps
from gpuarray.kernels import fourier

__all__ = ["line_transform"]


def line_transform(
    steps: Steps,
    read: Operand,
    into: Operand,
    axes: Sequence[int],
    inverse: bool,
    factor: float,
    seconds: float,
) -> bool:
    """Add the steps of a transform from complex to complex, or none where they would not pay.

    Parameters
    ----------
    steps : Steps
        Where they are added.
    read, into : Operand
        Of one shape and complex dtype, at multiples of its size. They are apart, or the same
        elements in one layout.
    axes : sequence of int
        The axes to transform.
    inverse : bool
        Whether the exponent is positive.
    factor : float
        What the result is multiplied by.
    seconds : float
        What it takes otherwise.

    Returns
    -------
    bool
        Whether they were added.
    """
    layout, itemsize = into.layout, into.layout.itemsize
    if layout.nbytes < fft_costs.LEAST_LINE_BYTES:
        return False
    source, target = [[step // itemsize for step in x.layout.strides] for x in (read, into)]
    passes = line_layouts.solve(layout.shape, source, target, axes, fourier.spec.is_line)
    if passes is None or (factor == 1 and _is_gapless_axis([source, target], axes)):
        return False
    dtype, device = _dtypes.code(layout.dtype), steps.stream.device
    forms = []
    for one in passes:
        form = fourier.launch.form_of(dtype, one.line, one.others, device)
        if form is None:
            return False
        forms.append(form)
    parts = [(one, (form.lines, form.radices)) for one, form in zip(passes, forms, strict=True)]
    if not fft_costs.lines_pay(parts, layout.nbytes, itemsize, seconds):
        return False
    places = {"source": read, "target": into}
    if any(one.stores == "scratch" for one in passes):
        places["scratch"] = steps.scratch(_layout.contiguous(layout.dtype, layout.shape))
    for i, one in enumerate(passes):
        launch = fourier.launch.bound(
            dtype,
            one.line,
            one.others,
            inverse,
            factor if i == len(passes) - 1 else 1,
            steps.stream,
            column=one.column,
            form=forms[i],
        )
        steps.launch(launch, {"target": places[one.stores], "source": places[one.reads]})
    return True


def _is_gapless_axis(sides: Sequence[Sequence[int]], axes: Sequence[int]) -> bool:
    """Whether cuFFT is at its best: it moves no element more often than it must."""
    return len(axes) == 1 and all(steps[axes[0]] == 1 for steps in sides)
