"""What is recorded: plans of operations, how they use one another, and a trie of such sequences.

Programs record the same operations again and again. So what is recorded is a place in a trie, to
which each operation adds a step along a dict, and whatever is worked out for a sequence of
operations is kept at its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _dtypes
from gpuarray._ffi import driver
from gpuarray._layout import Layout
from gpuarray._runtime.launch import scalar_slot
from gpuarray.kernels.generator.expressions import Expression, Input
from gpuarray.kernels.scan.rules import Accumulation


class Step:
    """The plan of an operation that can be recorded.

    Attributes
    ----------
    make : callable
        Makes what does it at once, which is seldom needed.
    name : str
        The function's.
    expression : Expression
        Of the operands as inputs and scalars.
    inputs : tuple of Layout, dtype, ElementIndex or Coordinates
        What the operands are. Indices of an element are no operands of a call, and come last.
    layout : Layout
        The result's.
    checks : tuple of (int, memoryview)
        Scalars among the operands, with what refuses a value that does not fit.
    """

    __slots__ = ("_make", "_run", "checks", "expression", "inputs", "layout", "name", "nbytes")

    def __init__(
        self,
        make: Callable[[], Callable[..., Any]],
        name: str,
        expression: Expression,
        inputs: Sequence[Any],
        layout: Layout,
    ):
        self._make = make
        self._run: Callable[..., Any] | None = None
        self.name = name
        self.expression = expression
        self.inputs = tuple(inputs)
        self.layout = layout
        self.nbytes = layout.nbytes
        scalars = [(i, x) for i, x in enumerate(inputs) if isinstance(x, np.dtype)]
        buffer = driver.ArgumentBuffer(tuple([x.itemsize for _, x in scalars]))
        self.checks = tuple([(i, scalar_slot(buffer, k, x)) for k, (i, x) in enumerate(scalars)])

    def run(self, *operands: Any) -> Any:
        """Do it at once; returns the result."""
        run = self._run
        if run is None:
            run = self._run = self._make()
        return run(*operands)


#: What users call the reductions of ufuncs.
_NAMES = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_or": "any",
    "logical_and": "all",
}  # fmt: skip
_CUMULATIVE = {"add": "cumsum", "multiply": "cumprod"}


class Reduced(Step):
    """The plan of a reduction, or of a cumulative operation.

    Its expression is its operand's. Scalars among its inputs are its own.

    Attributes
    ----------
    function : Reduction, CountReduction, ArgReduction, Deviation or Accumulation
        What it is.
    options : tuple
        Its axis, and what else its ``computed_call`` takes.
    accumulates : bool
        Whether it is cumulative, with a result for each element.
    """

    __slots__ = ("accumulates", "function", "options")

    def __init__(
        self,
        make: Callable[[], Callable[..., Any]],
        function: Any,
        options: tuple[Any, ...],
        inputs: Sequence[Any],
        layout: Layout,
    ):
        operand = Input(0, _dtypes.code(inputs[0].dtype))
        name = "mean" if getattr(function, "mean", False) else function.name
        self.accumulates = isinstance(function, Accumulation)
        names = _CUMULATIVE if self.accumulates else _NAMES
        super().__init__(make, names.get(name, name), operand, inputs, layout)
        self.function = function
        self.options = options


class View:
    """A view of a result that is not computed, as a step.

    Attributes
    ----------
    layout : Layout
        The view's.
    offset : int
        Bytes from the result's first element to the view's.
    """

    __slots__ = ("layout", "offset")

    name = "view"
    nbytes = 0
    inputs: tuple[Any, ...] = ()

    def __init__(self, layout: Layout, offset: int):
        self.layout = layout
        self.offset = offset


class Use(NamedTuple):
    """An operation in a sequence: its plan, what its operands are, and where its result is stored.

    An operand is the number of an operation, or of an array in memory from -1 downwards, or None
    for a scalar. The target is an array in memory, or an operation whose result is given up for
    this one; None for a new array.
    """

    step: Step | View
    operands: tuple[int | None, ...]
    target: int | None = None


class Node:
    """A sequence of operations, as a place in a trie.

    Attributes
    ----------
    parent : Node or None
        The sequence without the last operation.
    use : Use or None
        The last operation.
    number : int
        How many operations there are: the number of the next one.
    scalars : int
        How many scalars they have.
    most : int
        Bytes that running the last operation at once holds at least, but for arrays in memory.
    children : dict
        Longer sequences, by the step and its operands.
    stores : dict
        The last operation that stores to an array in memory, by the number of the array.
    viewed : frozenset of int
        Views, and the operations whose results they show.
    calls : dict
        What runs the sequence, by which of the results somebody has.
    """

    __slots__ = (
        "_uses", "calls", "children", "most", "number", "parent", "scalars", "stores", "use",
        "viewed",
    )  # fmt: skip

    def __init__(self, parent: Node | None = None, use: Use | None = None):
        self.parent = parent
        self.use = use
        self.number = self.scalars = self.most = 0
        self.stores: dict[int, int] = {}
        self.viewed: frozenset[int | None] = frozenset()
        self.children: dict[tuple[Any, ...], Node] = {}
        self.calls: dict[tuple[bool, ...], Any] = {}
        self._uses: tuple[Use, ...] | None = None
        if parent is not None and use is not None:
            self.number = parent.number + 1
            self.scalars = parent.scalars + use.operands.count(None)
            self.most = use.step.nbytes if use.target is None else 0
            self.stores, self.viewed = parent.stores, parent.viewed
            if isinstance(use.step, View):
                self.viewed = self.viewed | {*use.operands, parent.number}
            if use.target is not None and use.target < 0:
                self.stores = {**parent.stores, use.target: parent.number}
            for x in set(use.operands):
                if x is not None and x >= 0:
                    self.most += parent.at(x).step.nbytes

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
