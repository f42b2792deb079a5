"""What is recorded: plans of operations, and how they use one another."""

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
    single : callable or None
        What does it at once, if that has been made.
    """

    __slots__ = ("_make", "checks", "expression", "inputs", "layout", "name", "nbytes", "single")

    def __init__(
        self,
        make: Callable[[], Callable[..., Any]],
        name: str,
        expression: Expression,
        inputs: Sequence[Any],
        layout: Layout,
    ):
        self._make = make
        self.single: Callable[..., Any] | None = None
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
        run = self.single
        if run is None:
            run = self.single = self._make()
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
