"""What is recorded on a stream, as it runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from gpuarray import _array
from gpuarray._fusion.steps import Node
from gpuarray._runtime.places import Place

#: The descriptors of the attributes that an array without memory lacks.
SLOTS: dict[str, Any] = {name: vars(_array.ArrayBase)[name] for name in ("_memory", "_pointer")}

#: References to an object that nothing but a list has, as they are counted for all of a list.
ONLY_LISTED = next(map(sys.getrefcount, [object()]))
_one = [object()]
#: And as they are counted for an element of a list.
_ONLY_ELEMENT = sys.getrefcount(_one[0])


#: Stands for the result of an operation that stores to an array in memory.
STORED = object()


class Batch:
    """What is recorded on a stream, as it runs.

    Attributes
    ----------
    node : Node
        The operations.
    arrays : list of ndarray
        Their results, without memory until they are computed.
    leaves : list of ndarray
        Arrays in memory that they read, as they were when the operation was recorded.
    scalars : list
        Their scalars, in order.
    places : list of Place
        Where the operations were called.
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

    def __init__(
        self,
        node: Node,
        arrays: list[Any],
        leaves: list[Any],
        scalars: list[Any],
        places: list[Place],
    ):
        self.places = places
        self.node = node
        self.arrays = arrays
        self.leaves = leaves
        self.scalars = scalars
        self.values: dict[int, Any] = {}

    def wanted(self) -> tuple[bool, ...]:
        """Of each result whether somebody has it."""
        only = ONLY_LISTED
        wanted = [count > only for count in map(sys.getrefcount, self.arrays)]
        if self.unseen:
            for number in self.unseen:
                wanted[number] = False
        return tuple(wanted)

    def is_wanted(self, number: int) -> bool:
        """Whether somebody has a result."""
        return sys.getrefcount(self.arrays[number]) > _ONLY_ELEMENT

    def store(self, number: int, value: Any) -> None:
        """Note a result, and give the array its memory."""
        self.values[number] = value
        array = self.arrays[number]
        if array is not STORED:
            _array.fill_in(array, value)

    def missing(self) -> set[int]:
        """The operations that have to be done still: somebody has what depends on them.

        It gives memory to what was computed right before an interrupt.
        """
        for number, value in list(self.values.items()):
            array = self.arrays[number]
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
