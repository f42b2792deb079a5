"""Reductions of results that are still to be computed, which are then never stored.

A reduction computes the elements of its operand where it would read them, in the order in which it
would read them from memory: it has the same bits (gpuarray.kernels.reduction.computed).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _layout
from gpuarray._fusion.planning import rewrite
from gpuarray._layout import Layout
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.generator.expressions import Expression, Input, Scalar
from gpuarray.kernels.generator.operations import HUGE
from gpuarray.kernels.generator.render import Body
from gpuarray.kernels.reduction.computed import Source, arrange

if TYPE_CHECKING:
    from gpuarray._fusion.kernel import Kernel
    from gpuarray._fusion.steps import Reduced

#: How many bytes of operands a thread may hold for an element: it has some elements in flight, and
#: what does not fit into registers goes to memory.
MOST_BYTES = 32
#: Elements of an operand that is read along another dimension may be so many bytes apart: beyond
#: that each is an access of its own.
MOST_APART = 16


def arranged(kernel: Kernel) -> Kernel:
    """A kernel whose arrays are in front of its numbers."""
    if not _takes_all(kernel):
        return kernel
    arrays = [i for i, x in enumerate(kernel.inputs) if isinstance(x, Layout)]
    order = [*arrays, *[i for i in range(len(kernel.inputs)) if i not in arrays]]
    place = {i: k for k, i in enumerate(order)}

    def replace(node: Any) -> Expression:
        kind = Input if isinstance(node, Input) else Scalar
        return kind(place[node.index], node.dtype)

    done: dict[int, Expression] = {}
    return kernel._replace(
        expressions=tuple([rewrite(x, replace, done) for x in kernel.expressions]),
        inputs=tuple([kernel.inputs[i] for i in order]),
        takes=tuple([kernel.takes[i] for i in order]),
    )


def make_call(
    kernel: Kernel, step: Reduced, stream: Stream, purpose: str = "call"
) -> Callable[..., Any]:
    """The call of a reduction's kernel, which takes its inputs.

    For the purpose 'load' the kernel is compiled and loaded, as another thread may do.
    """
    source = _source_of(kernel, step, stream, purpose)
    given = kernel.inputs[0] if isinstance(source.expression, Input) else None
    if isinstance(given, Layout) and _layout.own(given) is _layout.own(step.inputs[0]):
        return step.run  # its operand is in memory
    return step.function.computed_call(step.inputs[0], source, *step.options)


def _source_of(
    kernel: Kernel, step: Reduced, stream: Stream | None, purpose: str = "call"
) -> Source:
    inputs = kernel.inputs[: len(kernel.inputs) - (len(step.inputs) - 1)]
    return Source(
        kernel.expressions[0],
        tuple([x for x in inputs if isinstance(x, Layout)]),
        tuple([x for x in inputs if not isinstance(x, Layout)]),
        stream,
        purpose,
    )


def _takes_all(kernel: Kernel) -> bool:
    """Whether there is no input that is computed from the indices of elements."""
    return all(isinstance(x, Layout | np.dtype) for x in kernel.inputs)


def pays(kernel: Kernel) -> bool:
    """Whether elements are as quick to compute as to read."""
    step = kernel.reduction
    assert step is not None
    if not _takes_all(kernel):
        return False
    source = _source_of(kernel, step, None)
    return reads_well(source.arrays, [source.expression], step.inputs[0])


def reads_well(
    arrays: tuple[Layout, ...], expressions: Sequence[Expression], layout: Layout
) -> bool:
    """Whether a thread that meets elements in memory order can compute them."""
    if sum([x.itemsize for x in arrays]) > MOST_BYTES:
        return False
    found = arrange(Source(expressions[0], arrays), layout)
    for strides, i in zip(found.strides, found.computed.apart):
        if abs(strides[-1]) * arrays[i].itemsize > MOST_APART:
            return False
    body = Body()
    for x in expressions:
        body.value(x)
    return body.weight < HUGE


def is_gapless(layout: Layout) -> bool:
    """Whether elements lie as those of a new array of some order."""
    expected = layout.itemsize
    for stride, length in sorted(zip(layout.strides, layout.shape)):
        if length > 1:
            if stride != expected:
                return False
            expected *= length
    return True
