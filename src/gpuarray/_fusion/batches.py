"""What is recorded on a stream, as it runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from gpuarray import _array
from gpuarray._fusion.sequences import Node
from gpuarray._runtime.places import Place
from gpuarray._runtime.stream import Stream

#: The descriptors of the attributes that an array without memory lacks.
SLOTS: dict[str, Any] = {name: vars(_array.ArrayBase)[name] for name in ("_memory", "_pointer")}

#: References to an object that nothing but a log has, as they are counted for a tuple of it.
ONLY_LOGGED = next(map(sys.getrefcount, (object(),))) + 1
_one = [object()]
#: And as they are counted for an element of a list.
_ONLY_ELEMENT = sys.getrefcount(_one[0])


#: Stands for the result of an operation that stores to an array in memory.
STORED = object()


class Batch:
    """What is recorded on a stream, as it runs.

    Attributes
    ----------
    stream : Stream
        Where it runs.
    node : Node
        The operations.
    log : list
        Their results, without memory until they are computed, arrays in memory and scalars: see
        `gpuarray._fusion.sequences`.
    most : int
        Bytes that running the operations at once would have held, if that was looked at.
    values : dict
        Results as they were computed, by number.
    began : bool
        Whether it has begun to run: then a part of it may be done.
    failures : int
        How often it has failed. After the second time it is given up.
    resume : callable or None
        What goes on with it, if it has stored to arrays that exist, or may have.
    done : int
        The kernels that ran.
    unseen : tuple of int
        Operations that store to memory that nobody has any more.
    """

    began = False
    failures = 0
    done = 0
    resume: Callable[[Batch], None] | None = None
    unseen: tuple[int, ...] = ()
    _leaves: list[Any] | None = None

    def __init__(self, stream: Stream, node: Node, log: list[Any], most: int):
        self.stream = stream
        self.node = node
        self.log = log
        self.most = most
        self.values: dict[int, Any] = {}

    @property
    def leaves(self) -> list[Any]:
        """The arrays in memory, as they were when the operations were recorded."""
        found = self._leaves
        if found is None:
            log = self.log
            found = self._leaves = [
                _array.wrap(log[memory], log[address], layout)
                for layout, memory, address in self.node.leaves
            ]
        return found

    @property
    def scalars(self) -> list[Any]:
        """The scalars, in order."""
        return [self.log[x] for x in self.node.scalars]

    @property
    def places(self) -> list[Place]:
        """Where the operations were called."""
        return [self.log[x + 1] for x in self.node.results]

    def wanted(self) -> tuple[bool, ...]:
        """Of each result whether somebody has it."""
        return tuple([self.is_wanted(i) for i in range(self.node.number)])

    def is_wanted(self, number: int) -> bool:
        """Whether somebody has a result, or the memory that it is stored to."""
        if number in self.unseen or number in self.node.given_up:
            return False
        return sys.getrefcount(self.log[self.node.results[number]]) > _ONLY_ELEMENT

    def store(self, number: int, value: Any) -> None:
        """Note a result, and give the array its memory."""
        self.values[number] = value
        array = self.log[self.node.results[number]]
        if array is not STORED and array is not None:
            _array.fill_in(array, value)

    def free(self, leaf: int) -> None:
        """Let go of an array in memory, of which nothing is read any more."""
        _, memory, address = self.node.leaves[leaf]
        if self._leaves is not None:
            self._leaves[leaf] = None
        if memory == address - 1 and [x.memory for x in self.node.leaves].count(memory) == 1:
            self.log[memory] = None

    def missing(self) -> set[int]:
        """The operations that have to be done still: somebody has what depends on them.

        It gives memory to what was computed right before an interrupt.
        """
        for number, value in list(self.values.items()):
            array = self.log[self.node.results[number]]
            if isinstance(array, _array.ArrayBase) and not has_memory(array):
                _array.fill_in(array, value)
        uses, needed = self.node.uses(), set()
        for number, wanted in reversed(list(enumerate(self.wanted()))):
            if (wanted or number in needed) and number not in self.values:
                needed.add(number)
                taken = (*uses[number].operands, uses[number].target)
                needed.update([x for x in taken if x is not None and x >= 0])
        return needed.difference(self.values)


def has_memory(array: Any) -> bool:
    try:
        SLOTS["_memory"].__get__(array)
    except AttributeError:
        return False
    return True
