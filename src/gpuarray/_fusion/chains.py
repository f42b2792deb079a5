"""Recorded operations as kernels: which are computed together, and their launches.

What runs together is found once for operations of the same plans that use one another in the same
way and whose same results are wanted. A kernel computes results of one shape that share operands;
a result that nobody wants is no output of any. Where a kernel would have too many operands or
operations, or a result is broadcast to another shape, that result is stored, and read.

Results have the bits of the single operations: the expressions are theirs, and the kernels are
compiled alike, without contraction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _broadcasting, _layout, _memory_order
from gpuarray._fusion import prologues, row_programs
from gpuarray._fusion.kernel import Kernel, Terms
from gpuarray._fusion.planning import rewrite
from gpuarray._fusion.row_programs import Rows
from gpuarray._fusion.steps import Reduced, Step, Use, View
from gpuarray._fusion.viewing import Viewed, viewed
from gpuarray._layout import Layout
from gpuarray._runtime.places import of_some
from gpuarray._runtime.plan_kinds import WATCHED
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise.launch import Coordinates
from gpuarray.kernels.generator.expressions import Apply, Expression, Input, Scalar
from gpuarray.kernels.generator.operations import operation

#: Operands and results of a kernel at most: each is an address to keep in registers.
MOST_OPERANDS = 16
#: Operations of a kernel at most, those that are computed for several results counted once.
MOST_OPERATIONS = 64


class Plan:
    """Which kernels compute recorded operations; pure but for the layouts.

    Parameters
    ----------
    uses : sequence of Use
        The operations, in the order in which they were called.
    wanted : sequence of bool
        Of each whether somebody has the result, or what it is stored to.
    anywhere : bool
        Whether arrays in memory may begin at any address, which decides in which order a reduction
        combines their elements.

    Attributes
    ----------
    in_order : bool
        Whether arrays are read before an operation that was called later stores to them; if not,
        the operations have to run one by one.
    aligned : set of int
        Arrays in memory that have to begin where new arrays do; if one does not, there is another
        plan, for arrays ``anywhere``.
    """

    def __init__(self, uses: Sequence[Use], wanted: Sequence[bool], anywhere: bool = False):
        self.uses = uses
        #: Of operations that store to arrays in memory the number of the array: the last for each.
        self.targets: dict[int, int] = {}
        last: dict[int, int] = {}
        self.wanted = list(wanted)
        for i, use in enumerate(uses):
            if use.target is not None and use.target < 0 and wanted[i]:
                if use.target in last:
                    self.wanted[last[use.target]] = False
                last[use.target] = i
        self.targets = {i: target for target, i in last.items()}
        self.aligned: set[int] = set()
        self._anywhere = anywhere
        self._in_turn = False
        self._number_scalars()
        self._find_stored()
        self.kernels: list[Kernel] = []
        there: frozenset[int] = frozenset()
        groups = self._groups()
        for group in groups if anywhere else row_programs.merge(self, groups):
            for kernel in self._kernels(group, there):
                self.kernels.append(kernel)
                there |= frozenset(kernel.gives)
                if kernel.rows is not None:
                    self.aligned |= kernel.rows.aligned
        self.in_order = not self._in_turn and self._is_in_order()

    def _number_scalars(self) -> None:
        count = 0
        #: By operation and operand.
        self._scalars: dict[tuple[int, int], int] = {}
        for i, use in enumerate(self.uses):
            for k, x in enumerate(use.operands):
                if x is None:
                    self._scalars[i, k] = count
                    count += 1

    def _find_stored(self) -> None:
        """Decide which results are stored: the wanted ones, and those a kernel cannot hold."""
        uses = self.uses
        needed: set[int] = set()
        for i in reversed(range(len(uses))):
            if self.wanted[i] or i in needed:
                needed.add(i)
                needed.update([x for x in uses[i].operands if x is not None and x >= 0])
        #: Results that others read from memory.
        self._cut: set[int] = set()
        #: Of each operation, the operations in its expression and what that reads.
        self._inside: dict[int, frozenset[int]] = {}
        self._reads: dict[int, frozenset[int]] = {}
        self._find_views(needed)
        for i in sorted(needed):
            step = uses[i].step
            if isinstance(step, View):
                continue
            shape = step.inputs[0].shape if isinstance(step, Reduced) else step.layout.shape
            before = [x for x in uses[i].operands if x is not None and x >= 0]
            for x in before:
                root = self.root(x)
                if not self._fits(x, shape) or (isinstance(step, Reduced) and root in self.targets):
                    self._cut.add(root)
            while True:
                inside, reads = self._extent(i)
                rest = [self.root(x) for x in before if self.root(x) not in self._cut]
                if not rest or (len(inside) <= MOST_OPERATIONS and len(reads) < MOST_OPERANDS):
                    break
                self._cut.add(max(rest, key=lambda x: len(self._inside[x])))
            self._inside[i], self._reads[i] = inside, reads
            if isinstance(step, Reduced):
                self._find_place(i)
                if rest and not self._pays(i):
                    self._cut.update(rest)
                    self._inside[i], self._reads[i] = self._extent(i)
                self._cut.add(i)
        self.stored = self._cut | {
            i for i in needed if self.wanted[i] and not isinstance(uses[i].step, View)
        }

    def _find_place(self, i: int) -> None:
        """See whether a reduction's operand is to be as if it were where an array in memory is."""
        (x, *_), layout = self.uses[i].operands, self.uses[i].step.inputs[0]
        root = -1 if x is None or x < 0 else self.root(x)
        target = None if root < 0 else self.uses[root].target
        if target is not None and target < 0 and root not in self.targets:
            # What is stored there is lost behind it: a later operation stores to the same array.
            self._in_turn |= self._anywhere or not prologues.is_gapless(layout)
            self.aligned.add(target)

    def _pays(self, i: int) -> bool:
        """Whether a reduction may compute its operand, and not have it stored."""
        use = self.uses[i]
        (x, *_), layout = use.operands, use.step.inputs[0]
        assert x is not None
        step = self.uses[x].step
        if not prologues.is_gapless(layout) or (isinstance(step, View) and step.offset % 16):
            return False  # vectors of the result would begin elsewhere than those of a new array
        return prologues.pays(self._kernel([i], frozenset(self._cut)))

    def root(self, x: int) -> int:
        """The operation whose result an operand is, or is a view of."""
        use = self.uses[x]
        if isinstance(use.step, View):
            assert use.operands[0] is not None
            return use.operands[0]
        return x

    def _find_views(self, needed: set[int]) -> None:
        """Cut results that are seen whole, or in more than one way."""
        #: Views that somebody has, by the operations whose results they show.
        self.views: dict[int, list[tuple[int, View]]] = {}
        seen: dict[int, set[Any]] = {}
        for i in sorted(needed):
            use = self.uses[i]
            if isinstance(use.step, View):
                root = self.root(i)
                if self.wanted[i]:
                    self.views.setdefault(root, []).append((i, use.step))
                if self.wanted[i] or self.wanted[root]:
                    self._cut.add(root)
                continue
            for x in use.operands:
                if x is not None and x >= 0:
                    step = self.uses[x].step
                    way = (step.layout, step.offset) if isinstance(step, View) else None
                    seen.setdefault(self.root(x), set()).add(way)
        for root, ways in seen.items():
            if len(ways) > 1 and self.uses[root].operands.count(None) < len(
                self.uses[root].operands
            ):
                self._cut.add(root)

    def _fits(self, x: int, shape: tuple[int, ...]) -> bool:
        """Whether an operand may be computed where it is used."""
        root, step = self.root(x), self.uses[x].step
        if root in self._cut:
            return True
        if step.layout.shape != shape and self._reads[root]:
            return False
        if len(self._inside[root]) > 3 and step.layout.shape != shape:
            return False
        return not isinstance(step, View) or self._can_view(root, step.layout, step.offset, set())

    def _can_view(self, i: int, view: Layout, offset: int, seen: set[Any]) -> bool:
        """Whether a view of a result can be computed from views of the operands.

        ``seen`` has the views of results that can.
        """
        if (i, view, offset) in seen:
            return True
        step, operands, _ = self.uses[i]
        assert isinstance(step, Step)
        for k, kind in enumerate(step.inputs):
            if isinstance(kind, np.dtype):
                continue
            if k >= len(operands):
                if step.layout.size > _INDEX_LIMIT or not viewed(
                    _indices(step.layout, kind), step.layout, view, offset
                ):
                    return False
                continue
            x = operands[k]
            assert x is not None
            layout, start = self._seen(x, kind)
            broadcast = _broadcasting.broadcast_to(layout, step.layout.shape)
            found = viewed(broadcast, step.layout, view, offset)
            if found is None:
                return False
            if x >= 0 and self.root(x) not in self._cut:
                if not self._can_view(self.root(x), found[0], found[1] + start, seen):
                    return False
        seen.add((i, view, offset))
        return True

    def _seen(self, x: int, kind: Layout) -> tuple[Layout, int]:
        """An operand's layout, and where it begins in the result that it is a view of."""
        if x < 0:
            return kind, 0
        step = self.uses[x].step
        return (step.layout, step.offset) if isinstance(step, View) else (self.layout_of(x), 0)

    def _extent(self, i: int) -> tuple[frozenset[int], frozenset[int]]:
        inside, reads = {i}, set()
        for x in self.uses[i].operands:
            if x is None:
                continue
            root = x if x < 0 else self.root(x)
            if x < 0 or root in self._cut:
                reads.add(root)
            else:
                inside |= self._inside[root]
                reads |= self._reads[root]
        return frozenset(inside), frozenset(reads)

    def _groups(self) -> list[list[int]]:
        """The stored results of each kernel, in an order in which they can run."""
        groups: list[list[int]] = []
        for i in sorted(self.stored):
            # It comes behind the last group that it reads from.
            first = max([g + 1 for g in self._which(groups, self._reads[i])], default=0)
            if i in self.targets:
                readers = [x for x in self._reads if self.targets[i] in self._reads[x]]
                first = max([first, *self._which(groups, readers)])
            for g, group in enumerate(groups):
                if self._joins(i, group) and (g >= first or self._can_wait(group, groups[g + 1 :])):
                    group.append(i)
                    if g < first:
                        groups.append(groups.pop(g))
                    break
            else:
                groups.append([i])
        return groups

    @staticmethod
    def _which(groups: Sequence[Sequence[int]], numbers: Collection[int]) -> list[int]:
        """The groups that have some of these results."""
        return [g for g, group in enumerate(groups) if any(x in group for x in numbers)]

    def _can_wait(self, group: Sequence[int], behind: Sequence[Sequence[int]]) -> bool:
        """Whether a group may run behind others that came after it."""
        others = list(chain(*behind))
        if any(x in self.targets for x in (*group, *others)):
            return False
        return self._of_all(self._reads, others).isdisjoint(group)

    def layout_of(self, i: int) -> Layout:
        """The layout of a result that is stored."""
        use = self.uses[i]
        layout = use.step.layout
        if use.target is None or use.target >= 0 or i in self.targets:
            return layout
        return _memory_order.like_prototype(layout.dtype, layout.shape, layout)

    def _joins(self, i: int, group: Sequence[int]) -> bool:
        """Whether a result is computed by the kernel of others, with which it shares operands."""
        one, other = self.uses[group[0]].step, self.uses[i].step
        if isinstance(one, Reduced) or isinstance(other, Reduced):
            return False
        if one.layout.shape != other.layout.shape:
            return False
        if i in self.targets or any(x in self.targets for x in group):
            # Each thread reads the elements that it stores: those of all results lie alike.
            if len({_steps(self.layout_of(x)) for x in (i, *group)}) > 1:
                return False
        reads, inside = self._of_all(self._reads, group), self._of_all(self._inside, group)
        if not (reads & self._reads[i] or inside & self._inside[i]):
            return False
        operands = len(reads | self._reads[i]) + len(group) + 1
        return operands <= MOST_OPERANDS and len(inside | self._inside[i]) <= MOST_OPERATIONS

    @staticmethod
    def _of_all(sets: dict[int, frozenset[int]], group: Sequence[int]) -> frozenset[int]:
        return frozenset[int]().union(*[sets[i] for i in group])

    def scalar(self, i: int, k: int) -> int:
        """The place of an operation's scalar among all."""
        return self._scalars[i, k]

    def needed_behind(self, group: Sequence[int]) -> set[int]:
        """Which results are wanted, or read by kernels of others."""
        others = self._of_all(self._reads, [i for i in self.stored if i not in group])
        return {i for i in group if self.wanted[i] or i in self.views or i in others}

    def reads_of(self, group: Sequence[int]) -> frozenset[int]:
        """What the expressions of a group read."""
        return self._of_all(self._reads, group)

    def expressions(
        self, group: Sequence[int], before: frozenset[int], terms: Terms
    ) -> list[Expression]:
        """The expressions of results; ``before`` are the results that are there."""
        uses = self.uses
        first = uses[group[0]].step
        ndim = (first.inputs[0] if isinstance(first, Reduced) else first.layout).ndim
        done: dict[Any, Expression] = {}

        def index(layout: Layout, offset: int) -> Expression:
            """The index of an element that is computed from it."""
            steps = (0,) * (ndim - layout.ndim) + tuple(
                [0 if n == 1 else x // 8 for n, x in zip(layout.shape, layout.strides)]
            )
            number = Input(terms.place(("index", steps), Coordinates(*steps)), "i8")
            if not offset:
                return number
            start = Constant(offset // 8)
            first = Scalar(terms.place(start, np.dtype(np.int64)), "i8")
            return Apply(operation("add"), (number, first), "i8")

        def compute(i: int, view: tuple[Layout, int] | None) -> Expression:
            """The expression of a result, or of a view of it."""
            found = done.get((i, view))
            if found is not None:
                return found
            step, operands, _ = uses[i]
            assert isinstance(step, Step)

            def replace(node: Any) -> Expression:
                k = node.index
                kind = step.inputs[k]
                if isinstance(node, Scalar):
                    return Scalar(terms.place((self._scalars[i, k],), kind), node.dtype)
                x = operands[k] if k < len(operands) else None
                if x is None:
                    layout, start = _indices(step.layout, kind), 0
                else:
                    layout, start = self._seen(x, kind)
                if view is not None:
                    layout = _broadcasting.broadcast_to(layout, step.layout.shape)
                    seen = viewed(layout, step.layout, *view)
                    assert seen is not None  # as `_can_view` has seen
                    layout, start = seen[0], start + seen[1]
                if x is None:
                    return index(layout, start)
                root = x if x < 0 else self.root(x)
                whole = view is None and root == x
                if root >= 0 and root not in before:
                    return compute(root, None if whole else (layout, start))
                taken = x if whole else Viewed(root, layout, start)
                return Input(terms.place(taken, layout), node.dtype)

            found = done[i, view] = rewrite(step.expression, replace, {})
            return found

        expressions = [compute(i, None) for i in group]
        terms.computes.update([i for i, _ in done])
        return expressions

    def kernel(
        self, terms: Terms, expressions: Sequence[Expression], gives: Sequence[int]
    ) -> Kernel:
        """The kernel of expressions, one for each result that is stored."""
        names = [self.uses[i].step.name for i in sorted(terms.computes)]
        return Kernel(
            "_".join(dict.fromkeys(names))[-60:],
            tuple(expressions),
            tuple(terms.inputs),
            tuple([x for x in terms.takes if type(x) is not tuple or x[0] != "index"]),
            tuple(gives),
            tuple([self.layout_of(i) for i in gives]),
            tuple([self.targets.get(i) for i in gives]),
            tuple(sorted(terms.computes)),
        )

    def _kernel(self, group: Sequence[int], before: frozenset[int]) -> Kernel:
        """The kernel of a group; ``before`` are the results that are there when it runs."""
        terms = Terms()
        kernel = self.kernel(terms, self.expressions(group, before, terms), group)
        step = self.uses[group[0]].step
        if isinstance(step, Reduced):
            own = [(self._scalars[group[0], k],) for k in range(1, len(step.inputs))]
            kernel = prologues.arranged(kernel)._replace(reduction=step)
            return kernel._replace(
                inputs=(*kernel.inputs, *step.inputs[1:]), takes=(*kernel.takes, *own)
            )
        return kernel

    def _kernels(self, group: list[int] | Rows, before: frozenset[int]) -> list[Kernel]:
        """The kernels of what `row_programs.merge` returns."""
        if isinstance(group, list):
            return [self._kernel(group, before)]
        kernel = row_programs.kernel(group, before)
        if kernel is not None:
            return [kernel]
        found = []
        for one in group.groups:
            found.append(self._kernel(one, before))
            before |= frozenset(one)
        return found

    def _is_in_order(self) -> bool:
        """Whether arrays are read before they are stored to, or at the same elements."""
        stored: set[int] = set()
        for kernel in self.kernels:
            now = {x for x in kernel.targets if x is not None}
            if any(type(x) is Viewed and x.array in now for x in kernel.takes):
                return False
            if stored.intersection(arrays_of(kernel.takes)):
                return False
            stored |= now
        return True


#: Indices beyond it are not found from coordinates of 32 bits.
_INDEX_LIMIT = 2**31 - 1


class Constant(NamedTuple):
    """A number that a kernel takes, which follows from the layouts."""

    value: int
    #: What tells it from the place of a scalar, which is a tuple of one number.
    kind: str = "constant"


def arrays_of(takes: Sequence[Any]) -> list[int]:
    """The arrays that a kernel takes, or takes a part of."""
    return [x.array if type(x) is Viewed else x for x in takes if type(x) in (int, Viewed)]


def _indices(layout: Layout, kind: Any) -> Layout:
    """Indices of elements as if they were an array of int64: sums of multiples of coordinates.

    ``kind`` is those `Coordinates`, or the index in the order of memory.
    """
    steps = kind.factors if isinstance(kind, Coordinates) else _steps(layout)
    strides = tuple([8 * x for x in steps])
    return _layout.layout_of(np.dtype(np.int64), layout.shape, strides)


def _steps(layout: Layout) -> tuple[int, ...]:
    """How many elements lie between two along each axis."""
    return tuple([x // layout.itemsize for x in layout.strides])


def make_call(kernel: Kernel, stream: Stream) -> Callable[..., Any]:
    """The call of a kernel: takes its inputs and targets, returns its results."""
    if kernel.rows is not None:
        run = row_programs.make_call(kernel, kernel.rows, stream)
    elif kernel.reduction is not None:
        run = prologues.make_call(kernel, kernel.reduction, stream)
    else:
        run = elementwise.launch.make_call(
            kernel.name,
            kernel.expressions,
            kernel.inputs,
            kernel.outputs,
            [x is not None for x in kernel.targets],
            stream,
        )
    return of_some(run, kernel.computes) if stream.plan_kind & WATCHED else run


def load(kernel: Kernel, stream: Stream) -> None:
    """Compile and load a kernel, whose call is made later."""
    if kernel.rows is not None:
        row_programs.make_call(kernel, kernel.rows, stream, "load")
        return
    if kernel.reduction is not None:
        prologues.make_call(kernel, kernel.reduction, stream, "load")
        return
    elementwise.launch.plan(kernel.name, kernel.expressions, kernel.inputs, kernel.outputs, stream)
