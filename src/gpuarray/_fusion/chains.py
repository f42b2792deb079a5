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

from gpuarray import _layout
from gpuarray._fusion import prologues
from gpuarray._fusion.planning import rewrite
from gpuarray._fusion.steps import Reduced, Use
from gpuarray._layout import Layout
from gpuarray._runtime.places import of_some
from gpuarray._runtime.plan_kinds import WATCHED
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise
from gpuarray.kernels.generator.expressions import Expression, Input, Scalar

#: Operands and results of a kernel at most: each is an address to keep in registers.
MOST_OPERANDS = 16
#: Operations of a kernel at most, those that are computed for several results counted once.
MOST_OPERATIONS = 64


class Kernel(NamedTuple):
    """One launch.

    Attributes
    ----------
    name : str
        The names of its operations.
    expressions : tuple of Expression
        One for each result, over the inputs.
    inputs : tuple of Layout or dtype
        What they are.
    takes : tuple of int
        Of each input the number of the operation that it is the result of, or that of a leaf from
        -1 downwards; a scalar's place among all scalars comes as a tuple of one.
    gives : tuple of int
        The operations whose results are stored.
    outputs : tuple of Layout
        Theirs.
    targets : tuple of (int or None)
        Of each the array in memory that it is stored to, as in ``takes``; None for a new one.
    computes : tuple of int
        The operations that it does.
    reduction : Reduced, optional
        What reduces elements of the expression: then there is one, and the reduction's own scalars
        are the last that are taken.
    """

    name: str
    expressions: tuple[Expression, ...]
    inputs: tuple[Any, ...]
    takes: tuple[Any, ...]
    gives: tuple[int, ...]
    outputs: tuple[Layout, ...]
    targets: tuple[int | None, ...]
    computes: tuple[int, ...]
    reduction: Reduced | None = None


class Plan:
    """Which kernels compute recorded operations; pure but for the layouts.

    Parameters
    ----------
    uses : sequence of Use
        The operations, in the order in which they were called.
    wanted : sequence of bool
        Of each whether somebody has the result, or what it is stored to.

    Attributes
    ----------
    in_order : bool
        Whether arrays are read before an operation that was called later stores to them; if not,
        the operations have to run one by one.
    """

    def __init__(self, uses: Sequence[Use], wanted: Sequence[bool]):
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
        self.in_order = True
        self._number_scalars()
        self._find_stored()
        self.kernels: list[Kernel] = []
        there: frozenset[int] = frozenset()
        for group in self._groups():
            self.kernels.append(self._kernel(group, there))
            there |= frozenset(group)

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
        for i in sorted(needed):
            step = uses[i].step
            before = [x for x in uses[i].operands if x is not None and x >= 0]
            for x in before:
                if isinstance(step, Reduced):
                    if x in self.targets:
                        self._cut.add(x)
                elif uses[x].step.layout.shape != step.layout.shape:
                    self._cut.add(x)
            while True:
                inside, reads = self._extent(i)
                rest = [x for x in before if x not in self._cut]
                if not rest or (len(inside) <= MOST_OPERATIONS and len(reads) < MOST_OPERANDS):
                    break
                self._cut.add(max(rest, key=lambda x: len(self._inside[x])))
            self._inside[i], self._reads[i] = inside, reads
            if isinstance(step, Reduced):
                if rest and not prologues.pays(self._kernel([i], frozenset(self._cut))):
                    self._cut.update(rest)
                    self._inside[i], self._reads[i] = self._extent(i)
                self._cut.add(i)
        self.stored = self._cut | {i for i in needed if self.wanted[i]}

    def _extent(self, i: int) -> tuple[frozenset[int], frozenset[int]]:
        inside, reads = {i}, set()
        for x in self.uses[i].operands:
            if x is None:
                continue
            if x < 0 or x in self._cut:
                reads.add(x)
            else:
                inside |= self._inside[x]
                reads |= self._reads[x]
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
        where = {x: g for g, group in enumerate(groups) for x in group}
        for i, target in self.targets.items():
            if any(where[x] > where[i] for x in where if target in self._reads[x]):
                self.in_order = False
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

    def _layout_of(self, i: int) -> Layout:
        """The layout of a result that is stored."""
        use = self.uses[i]
        layout = use.step.layout
        if use.target is None or use.target >= 0 or i in self.targets:
            return layout
        return _layout.like_prototype(layout.dtype, layout.shape, layout)

    def _joins(self, i: int, group: Sequence[int]) -> bool:
        """Whether a result is computed by the kernel of others, with which it shares operands."""
        one, other = self.uses[group[0]].step, self.uses[i].step
        if isinstance(one, Reduced) or isinstance(other, Reduced):
            return False
        if one.layout.shape != other.layout.shape:
            return False
        if i in self.targets or any(x in self.targets for x in group):
            # Each thread reads the elements that it stores: those of all results lie alike.
            if len({_steps(self._layout_of(x)) for x in (i, *group)}) > 1:
                return False
        reads, inside = self._of_all(self._reads, group), self._of_all(self._inside, group)
        if not (reads & self._reads[i] or inside & self._inside[i]):
            return False
        operands = len(reads | self._reads[i]) + len(group) + 1
        return operands <= MOST_OPERANDS and len(inside | self._inside[i]) <= MOST_OPERATIONS

    @staticmethod
    def _of_all(sets: dict[int, frozenset[int]], group: Sequence[int]) -> frozenset[int]:
        return frozenset[int]().union(*[sets[i] for i in group])

    def _computed(self, group: Sequence[int], before: frozenset[int]) -> set[int]:
        """The operations that a group's kernel does."""
        found: set[int] = set()
        pending = list(group)
        while pending:
            i = pending.pop()
            if i not in found:
                found.add(i)
                operands = self.uses[i].operands
                pending += [x for x in operands if x is not None and x >= 0 and x not in before]
        return found

    def _kernel(self, group: Sequence[int], before: frozenset[int]) -> Kernel:
        """The kernel of a group; ``before`` are the results that are there when it runs."""
        uses = self.uses
        takes: list[Any] = []
        inputs: list[Any] = []
        places: dict[Any, int] = {}
        done: dict[int, Expression] = {}

        def place(taken: Any, kind: Any) -> int:
            found = places.get(taken)
            if found is None:
                found = places[taken] = len(takes)
                takes.append(taken)
                inputs.append(kind)
            return found

        names: list[str] = []
        # In the order of the calls, so that what an operation takes is there.
        for i in sorted(self._computed(group, before)):
            use = uses[i]

            def replace(node: Any, i: int = i, use: Use = use) -> Expression:
                x, kind = use.operands[node.index], use.step.inputs[node.index]
                if isinstance(node, Scalar):
                    return Scalar(place((self._scalars[i, node.index],), kind), node.dtype)
                if x in done:
                    return done[x]
                return Input(place(x, self._layout_of(x) if x >= 0 else kind), node.dtype)

            done[i] = rewrite(use.step.expression, replace, {})
            names.append(use.step.name)
        kernel = Kernel(
            "_".join(dict.fromkeys(names))[-60:],
            tuple([done[i] for i in group]),
            tuple(inputs),
            tuple(takes),
            tuple(group),
            tuple([self._layout_of(i) for i in group]),
            tuple([self.targets.get(i) for i in group]),
            tuple(sorted(done)),
        )
        step = uses[group[0]].step
        if isinstance(step, Reduced):
            own = [(self._scalars[group[0], k],) for k in range(1, len(step.inputs))]
            kernel = prologues.arranged(kernel)._replace(reduction=step)
            return kernel._replace(
                inputs=(*kernel.inputs, *step.inputs[1:]), takes=(*kernel.takes, *own)
            )
        return kernel


def _steps(layout: Layout) -> tuple[int, ...]:
    """How many elements lie between two along each axis."""
    return tuple([x // layout.itemsize for x in layout.strides])


def make_call(kernel: Kernel, stream: Stream) -> Callable[..., Any]:
    """The call of a kernel: takes its inputs and targets, returns its results."""
    if kernel.reduction is not None:
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
    if kernel.reduction is not None:
        prologues.make_call(kernel, kernel.reduction, stream, only_load=True)
        return
    elementwise.launch.plan(kernel.name, kernel.expressions, kernel.inputs, kernel.outputs, stream)
