"""Recorded operations as kernels: which are computed together, and their launches.

What runs together is found once for operations of the same plans that use one another in the same
way and whose same results are wanted. A kernel computes results of one shape that share operands;
a result that nobody wants is no output of any. Where a kernel would have too many operands or
operations, or a result is broadcast to another shape, that result is stored, and read.

Results have the bits of the single operations: the expressions are theirs, and the kernels are
compiled alike, without contraction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gpuarray import _layout
from gpuarray._fusion.planning import rewrite
from gpuarray._fusion.steps import Use
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
    """

    name: str
    expressions: tuple[Expression, ...]
    inputs: tuple[Any, ...]
    takes: tuple[Any, ...]
    gives: tuple[int, ...]
    outputs: tuple[Layout, ...]
    targets: tuple[int | None, ...]
    computes: tuple[int, ...]


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
            shape = uses[i].step.layout.shape
            before = [x for x in uses[i].operands if x is not None and x >= 0]
            for x in before:
                if uses[x].step.layout.shape != shape:
                    self._cut.add(x)
            while True:
                inside, reads = self._extent(i)
                rest = [x for x in before if x not in self._cut]
                if not rest or (len(inside) <= MOST_OPERATIONS and len(reads) < MOST_OPERANDS):
                    break
                self._cut.add(max(rest, key=lambda x: len(self._inside[x])))
            self._inside[i], self._reads[i] = inside, reads
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
        where: dict[int, int] = {}
        for i in sorted(self.stored):
            first = max([where[x] + 1 for x in self._reads[i] if x >= 0], default=0)
            if i in self.targets:
                readers = [x for x in where if self.targets[i] in self._reads[x]]
                first = max([first, *[where[x] for x in readers]])
            for g in range(first, len(groups)):
                if self._joins(i, groups[g]):
                    groups[g].append(i)
                    where[i] = g
                    break
            else:
                where[i] = len(groups)
                groups.append([i])
        for i, target in self.targets.items():
            if any(where[x] > where[i] for x in where if target in self._reads[x]):
                self.in_order = False
        return groups

    def _layout_of(self, i: int) -> Layout:
        """The layout of a result that is stored."""
        use = self.uses[i]
        layout = use.step.layout
        if use.target is None or use.target >= 0 or i in self.targets:
            return layout
        return _layout.like_prototype(layout.dtype, layout.shape, layout)

    def _joins(self, i: int, group: Sequence[int]) -> bool:
        """Whether a result is computed by the kernel of others, with which it shares operands."""
        if self.uses[group[0]].step.layout.shape != self.uses[i].step.layout.shape:
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
        return Kernel(
            "_".join(dict.fromkeys(names))[:60],
            tuple([done[i] for i in group]),
            tuple(inputs),
            tuple(takes),
            tuple(group),
            tuple([self._layout_of(i) for i in group]),
            tuple([self.targets.get(i) for i in group]),
            tuple(sorted(done)),
        )


def _steps(layout: Layout) -> tuple[int, ...]:
    """How many elements lie between two along each axis."""
    return tuple([x // layout.itemsize for x in layout.strides])


def make_call(kernel: Kernel, stream: Stream) -> Callable[..., Any]:
    """The call of a kernel: takes its inputs and targets, returns its results."""
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
    elementwise.launch.plan(kernel.name, kernel.expressions, kernel.inputs, kernel.outputs, stream)
