"""Reductions of results that are still to be computed, which are then never stored.

A reduction computes the elements of its operand where it would read them, in the order in which it
would read them from memory: it has the same bits (gpuarray.kernels.reduction.computed).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from gpuarray._fusion import chains
from gpuarray._fusion.planning import rewrite
from gpuarray._fusion.steps import Use
from gpuarray._layout import Layout
from gpuarray.kernels.generator.expressions import Expression, Input, Scalar
from gpuarray.kernels.generator.operations import HUGE
from gpuarray.kernels.generator.render import Body
from gpuarray.kernels.reduction.computed import Source, arrange

#: How many bytes of operands a thread may hold for an element: it has some elements in flight, and
#: what does not fit into registers goes to memory.
MOST_BYTES = 32
#: Elements of an operand that is read along another dimension may be so many bytes apart: beyond
#: that each is an access of its own.
MOST_APART = 16


class Reducing(NamedTuple):
    """The call of a reduction over an expression, and what it takes: see `Kernel`."""

    run: Callable[..., Any]
    takes: tuple[Any, ...]


def reducing(
    function: Any, uses: tuple[Use, ...], options: tuple[Any, ...], only_load: bool = False
) -> Reducing | Literal[False]:
    """The call that reduces the result of the last operation; False where it is stored first.

    ``options`` are the reduction's own: axis, keepdims, and what more it has. With ``only_load``
    the kernel is compiled and loaded, as another thread may do.
    """
    layout = uses[-1].step.layout
    plan = chains.Plan(uses, [False] * (len(uses) - 1) + [True])
    if len(plan.kernels) != 1 or not layout.size:
        return False
    (kernel,) = plan.kernels
    arrays = [i for i, x in enumerate(kernel.inputs) if isinstance(x, Layout)]
    numbers = [i for i in range(len(kernel.inputs)) if i not in arrays]
    place = {i: k for k, i in enumerate([*arrays, *numbers])}

    def replace(node: Any) -> Expression:
        kind = Input if isinstance(node, Input) else Scalar
        return kind(place[node.index], node.dtype)

    source = Source(
        rewrite(kernel.expressions[0], replace, {}),
        tuple([kernel.inputs[i] for i in arrays]),
        tuple([kernel.inputs[i] for i in numbers]),
        only_load,
    )
    if not pays(source, layout):
        return False
    run = function.computed_call(layout, source, *options)
    return Reducing(run, tuple([kernel.takes[i] for i in [*arrays, *numbers]]))


def pays(source: Source, layout: Layout) -> bool:
    """Whether elements are as quick to compute as to read."""
    if sum([x.itemsize for x in source.arrays]) > MOST_BYTES:
        return False
    arranged = arrange(source, layout)
    computed = arranged.computed
    for strides, i in zip(arranged.strides, computed.apart):
        if abs(strides[-1]) * source.arrays[i].itemsize > MOST_APART:
            return False
    body = Body()
    body.value(source.expression)
    return body.weight < HUGE
