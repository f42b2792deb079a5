"""Iterations that run ahead of the host, which reads of each a few numbers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.joining import stack
from gpuarray._ops.pinned_arrays import empty_pinned
from gpuarray._runtime import pinned_ranges
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.event import Event
from gpuarray.kernels.join.launch import to_host_call
from gpuarray.scipy.sparse.linalg._matrix_operators import IdentityOperator, MatrixLinearOperator
from gpuarray.scipy.sparse.linalg._operators import LinearOperator

__all__ = ["iterate", "lag_of", "read"]

#: Iterations that are queued before the host waits for the numbers of an earlier one. One would
#: do if the host were always on time.
_AHEAD = 2

_State = TypeVar("_State")


class _Slot(NamedTuple):
    """Where numbers arrive, and when."""

    numbers: np.ndarray
    address: int
    arrived: Event


class _Pending(NamedTuple):
    """An iteration whose numbers are on their way."""

    before: Any
    after: Any
    slot: _Slot


def lag_of(*operators: LinearOperator) -> int:
    """How many iterations may be queued before one is judged.

    Functions of users are called only as often as by SciPy, where iterations end with a test.
    """
    known = (IdentityOperator, MatrixLinearOperator)
    return _AHEAD if all(isinstance(x, known) for x in operators) else 0


def iterate(
    state: _State,
    advance: Callable[..., tuple[_State, Sequence[Any] | None]],
    judge: Callable[[int, _State, _State, np.ndarray], Any],
    count: int,
    lag: int,
    shown: np.dtype | None = None,
) -> tuple[_State, Any]:
    """Run iterations, a few of which are queued before the numbers of the first are known.

    Nothing is changed in place, so that the iterations behind the one that turns out to be the
    last are dropped.

    Parameters
    ----------
    state : object
        The state before the first iteration.
    advance : callable
        Takes a state and the number of the iteration; returns the next state, and device arrays
        without dimensions that the host has to know.
    judge : callable
        Takes the number of an iteration, from 1, the states before and after it, and its numbers;
        returns a result, or None to go on. It is called in the order of the iterations.
    count : int
        How many iterations there are at most.
    lag : int
        How many iterations are queued before the first is judged.
    shown : dtype, optional
        Of the only number, if `advance` has the device store it on the host: it takes the address
        as well then, and returns None for the numbers.

    Returns
    -------
    state : object
        The last one, if nothing was returned.
    result : object
        What ``judge`` returned, or None.
    """
    pending: deque[_Pending] = deque()
    slots: list[_Slot | None] = [None] * (lag + 1)
    judged = 0
    for i in range(count):
        place = i % (lag + 1)
        slot = slots[place]
        if shown is not None:
            if slot is None:
                slot = slots[place] = _new_slot((), shown)
            after, _ = advance(state, i, slot.address)
        else:
            after, numbers = advance(state, i)
            assert numbers is not None
            slot = slots[place] = _send(numbers, slot)
        pinned_ranges.used_by(slot.address, current.stream)
        slot.arrived.record()
        pending.append(_Pending(state, after, slot))
        state = after
        while len(pending) > (lag if i + 1 < count else 0):
            before, after, slot = pending.popleft()
            slot.arrived.synchronize()
            judged += 1
            result = judge(judged, before, after, slot.numbers)
            if result is not None:
                return after, result
    return state, None


def _send(numbers: Sequence[Any], slot: _Slot | None) -> _Slot:
    """Have the device store numbers in a slot, or in a new one if they do not fit."""
    if any(x.dtype != numbers[0].dtype for x in numbers):
        numbers = [stack(numbers)]
    shape = numbers[0].shape if len(numbers) == 1 else (len(numbers),)
    if slot is None or slot.numbers.shape != shape:
        slot = _new_slot(shape, numbers[0].dtype)
    send = to_host_call(current.stream, tuple([x._layout for x in numbers]))
    send(*numbers, slot.address)
    return slot


def _new_slot(shape: tuple[int, ...], dtype: np.dtype) -> _Slot:
    numbers = empty_pinned(shape, dtype)
    address = numbers.__array_interface__["data"][0]
    return _Slot(numbers, address, Event(disable_timing=True))


def read(*numbers: Any) -> list[Any]:
    """Numbers of the device on the host, by one copy."""
    if len(numbers) == 1:
        return [asnumpy(numbers[0])[()]]
    return list(asnumpy(stack(numbers)))
