"""Where operations can be recorded in place of being run: see gpuarray._fusion.automatic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, Protocol

import numpy as np

from gpuarray._layout import Layout
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.generator.expressions import Expression

#: From so many bytes of the result on an operation is recorded, and a reduction by its operand. On
#: an H200 two that follow one another are quicker for it from 16 MiB on.
LEAST_BYTES = 16 << 20

_Plan = Callable[..., Any]
_Make = Callable[[], _Plan]
_Rest = ParamSpec("_Rest")  # what recorders of one kind take behind the layout that is weighed


class Recorder(Protocol):
    """Makes the plan that records an operation, or the one that runs it where that is quicker.

    Parameters
    ----------
    make : callable
        Makes what runs it: takes the operands, and the output if it is given; returns the result.
    layout : Layout
        The result's.
    name : str
        The function's name.
    expression : Expression
        Of the operands.
    inputs : sequence of Layout or dtype
        What the operands are.
    given : bool
        Whether the caller passes the output.
    stream : Stream
        Where it runs.
    """

    def __call__(
        self,
        make: _Make,
        layout: Layout,
        /,
        name: str,
        expression: Expression,
        inputs: Sequence[Any],
        given: bool,
        stream: Stream,
    ) -> _Plan: ...


#: None while no program has asked for it.
recorder: Recorder | None = None


class ReductionRecorder(Protocol):
    """Makes the plan that records a reduction, or the one that runs it where that is quicker.

    A cumulative operation is one, too.

    Parameters
    ----------
    make : callable
        Makes what runs it: takes the operand and its numbers.
    operand : Layout
        The operand's.
    function : Reduction, ArgReduction, Deviation or Accumulation
        What it is.
    layout : Layout
        The result's.
    options : tuple
        What its ``computed_call`` takes.
    numbers : tuple of dtype
        Of the numbers that it takes behind the operand.
    stream : Stream
        Where it runs.
    """

    def __call__(
        self,
        make: _Make,
        operand: Layout,
        /,
        function: Any,
        layout: Layout,
        options: tuple[Any, ...],
        numbers: tuple[np.dtype, ...],
        stream: Stream,
    ) -> _Plan: ...


#: None while no program has asked for it.
reduction_recorder: ReductionRecorder | None = None


def record_from_the_first(begin: Callable[[], object]) -> None:
    """Call a function that sets the recorders when an operation is planned that is large enough.

    Programs of small arrays import nothing for it.
    """
    global recorder, reduction_recorder
    recorder = _first(begin, lambda: recorder)
    reduction_recorder = _first(begin, lambda: reduction_recorder)


def _first(
    begin: Callable[[], object],
    following: Callable[[], Callable[Concatenate[_Make, Layout, _Rest], _Plan] | None],
) -> Callable[Concatenate[_Make, Layout, _Rest], _Plan]:
    """A recorder of either kind that calls a function before the first large operation."""

    def first(make: _Make, weighed: Layout, /, *rest: _Rest.args, **named: _Rest.kwargs) -> _Plan:
        if weighed.nbytes < LEAST_BYTES:
            return make()
        begin()
        record = following()
        assert record is not None
        return record(make, weighed, *rest, **named)

    return first


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
