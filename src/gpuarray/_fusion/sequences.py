"""Sequences of operations as places in a trie, and where a log has what they were called with.

Programs record the same operations again and again. So what is recorded is a place in a trie, to
which each operation adds a step, and whatever is worked out for a sequence of operations is kept at
its place.

What the operations were called with is in a list, the log. Each operation adds its result, the
place of its call, memory and address of each array in memory that is new to the sequence, and its
scalars. So the trie knows where everything is, and an operation that is recorded as the last time
only compares: is that operand the object at this place of the log, is that one at this address?
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any, NamedTuple

from gpuarray._fusion.steps import Step, Use, View
from gpuarray._layout import Layout

#: Where an operand is, if it is not at a place of the log (a result), or at an address that has the
#: place ``~source``: in memory that is new to the sequence, or the same object as operand
#: ``source - SAME``, which is new.
NEW = -10_000
SAME = -20_000
#: As `NEW`, in memory that an array of the sequence has: that is at the place ``SHARED - source``.
SHARED = -30_000


class Leaf(NamedTuple):
    """An array in memory that a sequence reads, or stores to.

    Attributes
    ----------
    layout : Layout
        Its layout.
    memory : int
        The place of its memory in the log: its own, or that of another array in the same memory.
    address : int
        The place of its address.
    """

    layout: Layout
    memory: int
    address: int


class Node:
    """A sequence of operations.

    Attributes
    ----------
    parent : Node or None
        The sequence without the last operation.
    use : Use or None
        The last operation.
    step : Step, View or None
        Its plan.
    number : int
        How many operations there are: the number of the next one.
    joined : bool
        Whether there are several operations, besides views.
    length : int
        Of the log.
    results, scalars : tuple of int
        The places of the results and of the scalars in the log.
    leaves : tuple of Leaf
        The arrays in memory.
    newest : int
        The place of the memory that came last; 0 without any.
    sources : tuple of int or None
        Where the arrays among the last operation's operands are, and then its target; None if
        recording it takes more than comparing them.
    next : Node
        The sequence that was recorded last that is longer by an operation, if it has sources.
    children : dict
        Longer sequences, by the step and its operands.
    most : int
        Bytes that running the last operation at once holds at least, but for arrays in memory.
    stores : dict
        The last operation that stores to an array in memory, by the number of the array.
    given_up : frozenset of int
        Operations whose results a later one updates.
    viewed : frozenset of int
        Views, and the operations whose results they show.
    checked : bool
        Whether recording the last operation has to look first if that would hold too much memory.
    calls : dict
        What runs the sequence, by which of the results somebody has.
    counted : callable or None
        What `find_counted` has found.
    known : dict
        What runs the sequence, by the numbers of references to what `counted` finds.
    """

    __slots__ = (
        "_uses", "calls", "checked", "children", "counted", "given_up", "joined", "known", "leaves",
        "length", "most", "newest", "next", "number", "parent", "results", "scalars", "sources",
        "step", "stores", "use", "viewed",
    )  # fmt: skip

    parent: Node | None
    use: Use | None
    step: Step | View | None
    next: Node

    def __init__(self) -> None:
        self.parent = self.use = self.step = None
        self.number = self.length = self.most = self.newest = 0
        self.joined = False
        self.results: tuple[int, ...] = ()
        self.scalars: tuple[int, ...] = ()
        self.leaves: tuple[Leaf, ...] = ()
        self.sources: tuple[int, ...] | None = None
        self.next = NOTHING
        self.stores: dict[int, int] = {}
        self.given_up: frozenset[int] = frozenset()
        self.viewed: frozenset[int | None] = frozenset()
        self.checked = False
        self.children: dict[tuple[Any, ...], Node] = {}
        self.calls: dict[tuple[bool, ...], Any] = {}
        self.known: dict[Any, Any] = {}
        self._uses: tuple[Use, ...] | None = None
        self.counted: Callable[[list[Any]], tuple[Any, ...]] | None = None

    def uses(self) -> tuple[Use, ...]:
        """The operations, in the order of their calls."""
        found = self._uses
        if found is None:
            found = () if self.parent is None or self.use is None else (
                *self.parent.uses(), self.use
            )  # fmt: skip
            self._uses = found
        return found

    def at(self, number: int) -> Use:
        """The operation of a number."""
        return self.uses()[number]

    def before(self, number: int) -> Node:
        """The sequence of the first operations, so many of them."""
        node = self
        while node.number > number:
            assert node.parent is not None
            node = node.parent
        return node

    def find_counted(self) -> Callable[[list[Any]], tuple[Any, ...]]:
        """What finds the results that somebody may have, and the memory of arrays, in a log."""
        places = [self.results[i] for i in self.own_results()] + self.memories()
        if len(places) > 1:
            self.counted = itemgetter(*places)
        else:
            self.counted = lambda log: tuple([log[x] for x in places])
        return self.counted

    def own_results(self) -> list[int]:
        """The operations that have a result of their own."""
        uses = self.uses()
        return [
            i
            for i, use in enumerate(uses)
            if i not in self.given_up and (use.target is None or use.target >= 0)
        ]

    def memories(self) -> list[int]:
        """The places of arrays' memory, each once."""
        return [x.memory for x in self.leaves if x.memory == x.address - 1]

    def child(
        self,
        use: Use,
        fresh: tuple[tuple[Layout, int | None], ...] = (),
    ) -> Node:
        """The sequence with one more operation.

        Parameters
        ----------
        use : Use
            The operation.
        fresh : tuple of (Layout, int or None)
            Arrays in memory that the sequence does not have yet, and the place of their memory, if
            it has that.
        """
        made = Node()
        made.parent, made.use, made.step = self, use, use.step
        number, target = self.number, use.target
        made.number = number + 1
        made.joined = self.joined or (number > 0 and not isinstance(use.step, View))
        made.results = (*self.results, self.length)
        length = self.length + 2
        leaves = list(self.leaves)
        for layout, memory in fresh:
            leaves.append(Leaf(layout, length if memory is None else memory, length + 1))
            length += 2
        made.leaves = tuple(leaves)
        made.newest = max(self.newest, *[x.memory for x in leaves], 0)
        scalars = use.operands.count(None)
        made.scalars = (*self.scalars, *range(length, length + scalars))
        made.length = length + scalars
        made.most = use.step.nbytes if target is None else 0
        made.stores, made.viewed, made.given_up = self.stores, self.viewed, self.given_up
        if isinstance(use.step, View):
            made.viewed = self.viewed | {*use.operands, number}
        elif target is not None and target < 0:
            made.stores = {**self.stores, target: number}
        elif target is not None:
            made.given_up = self.given_up | {target}
        for x in set(use.operands):
            if x is not None and x >= 0:
                made.most += self.at(x).step.nbytes
        made.sources = self._sources(made, use)
        return made

    def _sources(self, made: Node, use: Use) -> tuple[int, ...] | None:
        known, sources = len(self.leaves), []
        new: dict[int, int] = {}
        arrays = [x for x in (*use.operands, use.target) if x is not None]
        for k, x in enumerate(arrays):
            if x >= 0:
                stored = self.at(x).target
                if stored is None or stored >= 0:
                    sources.append(self.results[x])
                    continue
                x = stored
            leaf = made.leaves[~x]
            if ~x < known:
                sources.append(~leaf.address)
            elif x in new:
                sources.append(SAME + new[x])
            else:
                new[x] = k
                if leaf.memory == leaf.address - 1:
                    sources.append(NEW)
                elif leaf.memory >= self.length or made.stores:
                    return None  # memory that is new itself; elements that may be stored to
                else:
                    sources.append(SHARED - leaf.memory)
        if use.target is not None and use.target < 0:
            leaf = made.leaves[~use.target]
            if [x.memory for x in made.leaves].count(leaf.memory) > 1:
                return None  # others may overlap the target
        return tuple(sources)


#: Stands for the next sequence where none is known.
NOTHING: Node = object.__new__(Node)
NOTHING.step = NOTHING.sources = None
