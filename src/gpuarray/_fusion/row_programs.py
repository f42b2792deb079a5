"""Which kernels of a sequence are one: reductions of rows, and what is computed of the same rows.

``e = exp(x - x.max(axis=1, keepdims=True)); e / e.sum(axis=1, keepdims=True)`` reads each row three
times. A kernel whose threads own rows reads it once (gpuarray.kernels.reduction.rows).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray._fusion import prologues
from gpuarray._fusion.kernel import Terms
from gpuarray._fusion.planning import rewrite
from gpuarray._fusion.steps import Reduced, View
from gpuarray._fusion.viewing import Viewed
from gpuarray._layout import Layout
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import reduction
from gpuarray.kernels.generator.expressions import Expression, Input, Scalar
from gpuarray.kernels.reduction.arguments import axes_of, reduced_shape
from gpuarray.kernels.reduction.computed import Source
from gpuarray.kernels.reduction.rows import RowStep
from gpuarray.kernels.reduction.spec import ReductionSpec, unroll

if TYPE_CHECKING:
    from gpuarray._fusion.chains import Plan
    from gpuarray._fusion.kernel import Kernel


class RowProgram(NamedTuple):
    """The steps of a kernel over rows.

    Attributes
    ----------
    steps : tuple of RowStep
        Over the arrays, the numbers and the rows' results.
    layout : Layout
        The elements'.
    length : int
        Of a row.
    own : int
        How many of the kernel's inputs are numbers of reductions.
    aligned : frozenset of int
        Arrays in memory that are reduced as they are, or stored to. Where their vectors begin
        decides the order in which they are combined: the program is for those at addresses like a
        new array's.
    """

    steps: tuple[RowStep, ...]
    layout: Layout
    length: int
    own: int
    aligned: frozenset[int]


class Rows:
    """Groups of results that one kernel over rows may compute."""

    def __init__(self, plan: Plan, first: int, step: Reduced, spec: ReductionSpec):
        self.plan = plan
        self.layout: Layout = step.inputs[0]
        axes = self.axes = _axes(step)
        #: The shape of results for rows that broadcast along them, and without the axes.
        self.shape = reduced_shape(self.layout.shape, axes, True)
        self.short = reduced_shape(self.layout.shape, axes)
        self.length = math.prod([self.layout.shape[i] for i in axes])
        self.reading = _reading(spec)
        self.groups = [[first]]
        self.specs = {first: spec}
        #: Results for rows, and those of elements.
        self.rows = {first}
        self.elements: set[int] = set()

    def take(self, group: list[int], outside: set[int]) -> bool:
        """Add a group, if it can be; ``outside`` are results that are not there before."""
        plan = self.plan
        reads = plan.reads_of(group)
        if reads & outside or reads & self.elements:
            return False
        step = plan.uses[group[0]].step
        if isinstance(step, Reduced):
            spec = _spec_of(plan, group[0])
            if spec is None or _reading(spec) != self.reading:
                return False
            if not _alike(step.inputs[0], self.layout):
                return False
            axes = _axes(step)
            if reduced_shape(self.layout.shape, axes, True) != self.shape:
                return False
            self.specs[group[0]] = spec
            self.rows.update(group)
        else:
            layouts = [plan.layout_of(i) for i in group]
            if all(_alike(x, self.layout) for x in layouts):
                self.elements.update(group)
            elif any(i in plan.targets for i in group):
                return False
            elif reads & self.rows and all(x.shape == self.shape for x in layouts):
                self.rows.update(group)
            elif reads & self.rows and all(x.shape == self.short for x in layouts):
                if any(x < 0 or x not in self.rows for x in reads):
                    return False  # an array of that shape does not broadcast along rows
                self.rows.update(group)
            else:
                return False
        self.groups.append(group)
        return True

    def result_of(self, taken: Any) -> int | None:
        """The result for rows that is taken, if one is, perhaps with its axes put back."""
        if type(taken) is int:
            return taken if taken in self.rows else None
        if type(taken) is not Viewed or taken.array not in self.rows:
            return None
        view, layout = taken.layout, self.plan.layout_of(taken.array)
        if taken.offset or view.shape != self.shape or layout.shape != self.short:
            return None
        # The axes that are left lie as they do in the result.
        left = iter(layout.strides)
        kept = [i for i in range(len(self.shape)) if i not in self.axes]
        alike = all(view.strides[i] == next(left) or self.shape[i] == 1 for i in kept)
        return taken.array if alike else None

    def pays(self) -> bool:
        """Whether rows would be read more than once by the kernels alone."""
        reading = [x for x in self.groups if x[0] in self.specs or x[0] in self.elements]
        return len(reading) > 1


def merge(plan: Plan, groups: list[list[int]]) -> list[list[int] | Rows]:
    """The groups of results that are a kernel each, in an order in which they can run."""
    merged: list[list[int] | Rows] = []
    rest = list(groups)
    while rest:
        first = rest.pop(0)
        step = plan.uses[first[0]].step
        spec = _spec_of(plan, first[0])
        if spec is None or not isinstance(step, Reduced):
            merged.append(first)
            continue
        rows = Rows(plan, first[0], step, spec)
        outside: set[int] = set()
        left: list[list[int]] = []
        for group in rest:
            # What groups read that stay behind must not be stored to before.
            waits = plan.reads_of([i for one in left for i in one])
            stores = {plan.targets[i] for i in group if i in plan.targets}
            if stores & waits or not rows.take(group, outside):
                outside.update(group)
                left.append(group)
        if rows.pays():
            merged.append(rows)
            rest = left
        else:
            merged.append(first)
    return merged


def kernel(rows: Rows, before: frozenset[int]) -> Kernel | None:
    """The kernel of groups that `merge` has put together; None if it would read too much.

    ``before`` are the results that are there when it runs.
    """
    plan = rows.plan
    terms = Terms()
    members = [i for group in rows.groups for i in group]
    members.sort(key=lambda i: i in rows.elements)  # which store behind all that reads
    storing = [i for i in members if i in plan.targets]
    stored = plan.needed_behind(members)
    results: list[int] = []
    made: list[tuple[int, Expression]] = []
    own: list[tuple[Any, Any]] = []
    reduced = set()
    for i in members:
        if i in rows.elements and i not in stored:
            continue
        made.append((i, plan.expressions([i], before | frozenset(results), terms)[0]))
        if i not in rows.elements:
            results.append(i)
        step = plan.uses[i].step
        if isinstance(step, Reduced):
            own += [((plan.scalar(i, k),), x) for k, x in enumerate(step.inputs) if k]
            reduced.add(_array_of(plan, i))
    if not all(isinstance(x, Layout | np.dtype) for x in terms.inputs):
        return None  # indices of elements
    of_rows = {x: rows.result_of(x) for x in terms.takes}
    taken = [(x, kind) for x, kind in zip(terms.takes, terms.inputs) if of_rows[x] is None]
    if any(type(x) is Viewed and x.array in rows.rows for x, _ in taken):
        return None
    taken.sort(key=lambda one: not isinstance(one[1], Layout))
    place = {x: k for k, (x, _) in enumerate(taken)}

    def replace(node: Any) -> Expression:
        x = terms.takes[node.index]
        of_row = of_rows[x]
        if of_row is not None:
            return Scalar(len(taken) + results.index(of_row), node.dtype)
        return (Scalar if isinstance(node, Scalar) else Input)(place[x], node.dtype)

    steps = []
    for i, expression in made:
        spec = rows.specs.get(i)
        over = rewrite(expression, replace, {})
        steps.append(RowStep(over, over.dtype, spec, i in rows.elements, i in stored))
    gives = tuple([i for i, _ in made if i in stored])
    arrays = tuple([kind for _, kind in taken if isinstance(kind, Layout)])
    if not prologues.reads_well(arrays, [x.expression for x in steps], rows.layout):
        return None
    found = plan.kernel(terms, [x.expression for x in steps], gives)
    return found._replace(
        inputs=tuple([x for _, x in (*taken, *own)]),
        takes=tuple([x for x, _ in (*taken, *own)]),
        rows=RowProgram(
            tuple(steps),
            rows.layout,
            rows.length,
            len(own),
            frozenset([x for x in reduced if x is not None])
            | frozenset([plan.targets[i] for i in storing]),
        ),
    )


def make_call(
    kernel: Kernel, program: RowProgram, stream: Stream, purpose: str = "call"
) -> Callable[..., Any]:
    """The call of a kernel over rows, which takes its inputs."""
    inputs = kernel.inputs[: len(kernel.inputs) - program.own]
    source = Source(
        kernel.expressions[-1],
        tuple([x for x in inputs if isinstance(x, Layout)]),
        tuple([x for x in inputs if not isinstance(x, Layout)]),
        stream,
        purpose,
    )
    return reduction.row_launch.make_call(
        kernel.name,
        program.steps,
        source,
        program.layout,
        program.length,
        kernel.outputs,
        [x is not None for x in kernel.targets],
        stream,
    )


def _array_of(plan: Plan, i: int) -> int | None:
    """The array in memory that a reduction reads, perhaps stored to before; None for a new one."""
    (x, *_) = plan.uses[i].operands
    if x is None or x < 0:
        return x
    target = plan.uses[plan.root(x)].target
    return target if target is not None and target < 0 else None


def _spec_of(plan: Plan, i: int) -> ReductionSpec | None:
    """How a result's reduction reads an array in memory, if it is one and threads own its rows."""
    step, (x, *_) = plan.uses[i].step, plan.uses[i].operands
    if not isinstance(step, Reduced) or step.accumulates:
        return None
    seen = None if x is None or x < 0 else plan.uses[x].step
    if isinstance(seen, View) and seen.offset % 16:
        return None  # its vectors do not begin where those of a new array do
    return spec_of(step)


def spec_of(step: Reduced) -> ReductionSpec | None:
    """How a reduction of an array in memory reads it, if threads own its rows."""
    layout = step.inputs[0]
    if not prologues.is_gapless(layout):
        return None
    source = Source(Input(0, "f4"), (), (), None, "spec")
    spec: ReductionSpec = step.function.computed_call(layout, source, *step.options)
    if spec.variant != "rows" or spec.split or spec.reduced != 1 or spec.finds_index:
        return None
    return spec if spec.kept == 1 and _are_last(layout, _axes(step)) else None


def _axes(step: Reduced) -> tuple[int, ...]:
    return axes_of(step.options[0], step.inputs[0].ndim)


def _are_last(layout: Layout, axes: Sequence[int]) -> bool:
    """Whether the elements of a row lie behind one another, and rows as well."""
    inner = [i for i in range(layout.ndim) if i in axes and layout.shape[i] > 1]
    outer = [i for i in range(layout.ndim) if i not in axes and layout.shape[i] > 1]
    if not inner or not outer:
        return False
    return max(layout.strides[i] for i in inner) < min(layout.strides[i] for i in outer)


def _reading(spec: ReductionSpec) -> tuple[Any, ...]:
    """In what reductions of the same rows have to agree."""
    return spec.width, spec.vector, unroll(spec)


def _alike(layout: Layout, other: Layout) -> bool:
    """Whether elements of two arrays lie in the same order."""
    if layout.shape != other.shape:
        return False
    pairs = zip(layout.shape, layout.strides, other.strides)
    return all(n == 1 or a * other.itemsize == b * layout.itemsize for n, a, b in pairs)
