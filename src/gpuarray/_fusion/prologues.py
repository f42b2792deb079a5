"""Reductions of results that are still to be computed, which are then never stored.

A reduction reads what the operations before it read, where it gives the same bits: the order in
which a sum of floating-point numbers is added follows from how its operands lie in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from gpuarray import _dtypes, _layout
from gpuarray._fusion import chains
from gpuarray._fusion.chains import Kernel
from gpuarray._fusion.planning import rewrite
from gpuarray._fusion.steps import Use
from gpuarray._layout import Layout
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import reduction
from gpuarray.kernels.generator.expressions import Expression, Input, Scalar
from gpuarray.kernels.reduction.arguments import axes_of, reduced_shape, target_of
from gpuarray.kernels.reduction.rules import Reduction

#: Reductions whose order does not matter, for all dtypes.
_IN_ANY_ORDER = frozenset(["logical_or", "logical_and"])
#: And for integers.
_OF_INTEGERS = frozenset(["add", "multiply", "maximum", "minimum"])
#: How many bytes may be read for each byte that is not stored and read again.
MOST_READ = 3


class Reducing(NamedTuple):
    """The call of a reduction over an expression, and what it takes: see `Kernel`."""

    run: Callable[..., Any]
    takes: tuple[Any, ...]


def is_exact(function: Reduction, layout: Layout) -> bool:
    """Whether a reduction gives the same bits in whatever order elements are combined."""
    kind = layout.dtype.kind
    if function.nan or function.mean:
        return False
    if function.name in _IN_ANY_ORDER:
        return kind in "biufc"
    return function.name in _OF_INTEGERS and kind in "biu"


def reducing(
    function: Reduction, uses: tuple[Use, ...], axis: Any, keepdims: bool, stream: Stream
) -> Reducing | Literal[False]:
    """The call that reduces the result of the last operation; False where it is stored first."""
    layout = uses[-1].step.layout
    axes = axes_of(axis, layout.ndim, scalars=not function.mean or function.nan)
    plan = chains.Plan(uses, [False] * (len(uses) - 1) + [True])
    if len(plan.kernels) != 1 or not layout.size:
        return False
    (kernel,) = plan.kernels
    arrays = [i for i, x in enumerate(kernel.inputs) if isinstance(x, Layout)]
    if not is_exact(function, layout) and not _lies_alike(function, kernel, arrays, layout):
        return False
    if sum([kernel.inputs[i].nbytes for i in arrays]) > MOST_READ * layout.nbytes:
        return False
    return _make(function, kernel, arrays, layout, axes, keepdims, stream)


def _lies_alike(function: Reduction, kernel: Kernel, arrays: list[int], layout: Layout) -> bool:
    """Whether elements are read as those of the result would be."""
    if len(arrays) != 1 or function.nan or layout.dtype.kind not in "fc":
        return False
    only = kernel.inputs[arrays[0]]
    alike = only.shape == layout.shape and only.strides == layout.strides
    return alike and only.itemsize == layout.itemsize


def _make(
    function: Reduction,
    kernel: Kernel,
    arrays: list[int],
    layout: Layout,
    axes: tuple[int, ...],
    keepdims: bool,
    stream: Stream,
) -> Reducing:
    numbers = [i for i in range(len(kernel.inputs)) if i not in arrays]
    place = {i: k for k, i in enumerate([*arrays, *numbers])}

    def replace(node: Any) -> Expression:
        kind = Input if isinstance(node, Input) else Scalar
        return kind(place[node.index], node.dtype)

    source = rewrite(kernel.expressions[0], replace, {})
    loop, result = function._dtypes(layout.dtype, None, None)
    computation = function._computation(layout.dtype, loop, result, None)
    mapped = rewrite(computation.mapped, lambda node: source, {})
    shape = reduced_shape(layout.shape, axes, keepdims)
    target = target_of(function.name, layout, axes, shape, keepdims, result, None)
    run = reduction.launch.make_call(
        computation._replace(
            name=f"{kernel.name}_{function.name}"[-60:],
            mapped=mapped,
            scalars=tuple([_dtypes.code(kernel.inputs[i]) for i in numbers]),
            packed=None,
        ),
        [_layout.broadcast_to(kernel.inputs[i], layout.shape) for i in arrays],
        False,
        axes,
        target,
        False,
        stream,
    )
    return Reducing(run, tuple([kernel.takes[i] for i in [*arrays, *numbers]]))
