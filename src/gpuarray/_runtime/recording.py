"""Where operations can be recorded in place of being run: see gpuarray._fusion.automatic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from gpuarray._layout import Layout
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.generator.expressions import Expression


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
