"""Where operations can be recorded in place of being run: see gpuarray._fusion.automatic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from gpuarray._layout import Layout
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.generator.expressions import Expression

#: From so many bytes of the result on an operation is recorded, and a reduction by its operand. On
#: an H200 two that follow one another are quicker for it from 16 MiB on.
LEAST_BYTES = 16 << 20


class Recorder(Protocol):
    """Makes the plan that records an operation, or the one that runs it where that is quicker.

    Parameters
    ----------
    make : callable
        Makes what runs it: takes the operands, and the output if it is given; returns the result.
    name : str
        The function's name.
    expression : Expression
        Of the operands.
    inputs : sequence of Layout or dtype
        What the operands are.
    layout : Layout
        The result's.
    given : bool
        Whether the caller passes the output.
    stream : Stream
        Where it runs.
    """

    def __call__(
        self,
        make: Callable[[], Callable[..., Any]],
        name: str,
        expression: Expression,
        inputs: Sequence[Any],
        layout: Layout,
        given: bool,
        stream: Stream,
    ) -> Callable[..., Any]: ...


#: None while no program has asked for it.
recorder: Recorder | None = None


class ReductionRecorder(Protocol):
    """Makes the plan that records a reduction, or the one that runs it where that is quicker.

    A cumulative operation is one, too.

    Parameters
    ----------
    make : callable
        Makes what runs it: takes the operand and its numbers.
    function : Reduction, ArgReduction, Deviation or Accumulation
        What it is.
    operand, layout : Layout
        The operand's and the result's.
    options : tuple
        What its ``computed_call`` takes.
    numbers : tuple of dtype
        Of the numbers that it takes behind the operand.
    stream : Stream
        Where it runs.
    """

    def __call__(
        self,
        make: Callable[[], Callable[..., Any]],
        function: Any,
        operand: Layout,
        layout: Layout,
        options: tuple[Any, ...],
        numbers: tuple[np.dtype, ...],
        stream: Stream,
    ) -> Callable[..., Any]: ...


#: None while no program has asked for it.
reduction_recorder: ReductionRecorder | None = None


def record_from_the_first(begin: Callable[[], object]) -> None:
    """Call a function that sets the recorders when an operation is planned that is large enough.

    Programs of small arrays import nothing for it.
    """
    global recorder, reduction_recorder

    def first(
        make: Callable[[], Callable[..., Any]],
        name: str,
        expression: Expression,
        inputs: Sequence[Any],
        layout: Layout,
        given: bool,
        stream: Stream,
    ) -> Callable[..., Any]:
        if layout.nbytes < LEAST_BYTES:
            return make()
        begin()
        assert recorder is not None
        return recorder(make, name, expression, inputs, layout, given, stream)

    def first_reduction(
        make: Callable[[], Callable[..., Any]],
        function: Any,
        operand: Layout,
        layout: Layout,
        options: tuple[Any, ...],
        numbers: tuple[np.dtype, ...],
        stream: Stream,
    ) -> Callable[..., Any]:
        if operand.nbytes < LEAST_BYTES:
            return make()
        begin()
        assert reduction_recorder is not None
        return reduction_recorder(make, function, operand, layout, options, numbers, stream)

    recorder, reduction_recorder = first, first_reduction


def alike(plan: Callable[..., Any], other: Callable[..., Any]) -> Callable[..., Any]:
    """A plan that calls another one, as one that records its operation if the other does."""
    if records(plan):
        other.records = True  # type: ignore[attr-defined]  # functions take attributes
    return other


def harmless(plan: Callable[..., Any]) -> Callable[..., Any]:
    """A plan that touches no memory but what it allocates, whatever is recorded."""
    if recorder is not None:
        plan.records = True  # type: ignore[attr-defined]  # functions take attributes
    return plan


def records(plan: Any) -> bool:
    """Whether a plan does nothing but record an operation, or run it behind what is recorded."""
    return getattr(plan, "records", False)
