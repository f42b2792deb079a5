"""Which operations of streams are ordered: by their streams, by events, by waits of the host.

Operations run at once, but on a GPU those of two streams run whenever they like. Each stream has
a *clock*: how many operations of every stream are known to have ended when its next operation
begins. An event keeps the clock of its stream, a wait takes it over, and so does the host when it
waits; what is submitted later begins after all that the host has waited for.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any

Clock = dict[Any, int]

#: Operations of a stream that are remembered while nothing waits for them.
_MOST_PENDING = 1024


class Operation:
    """A kernel, copy or fill of a stream."""

    __slots__ = ("clock", "end", "first", "line", "noun", "number", "others", "ptx", "stream")

    def __init__(self, stream: Any, number: int, clock: Clock, noun: str, line: str):
        self.stream = stream
        self.number = number
        #: What has ended before it begins.
        self.clock = clock
        #: What messages call it, and the line of Python that submitted it.
        self.noun = noun
        self.line = line
        #: Its segments, and the PTX of its kernel.
        self.first = self.end = 0
        self.ptx = ""
        #: Earlier operations that it is not ordered with.
        self.others: list[Operation] = []


class Branch:
    """Stands for a stream: a node of a graph that runs."""

    legacy = blocking = False
    context = None


def _merge(clock: Clock, other: Clock) -> None:
    for stream, number in other.items():
        if clock.get(stream, 0) < number:
            clock[stream] = number


class StreamOrder:
    """The clocks of all streams, and the operations that the host has not waited for."""

    def __init__(self, before_wait: Callable[[], None], after_wait: Callable[[], None]):
        #: Called when the host waits, while what it waits for is not over yet, and then.
        self._before_wait = before_wait
        self._after_wait = after_wait
        self._clocks: dict[Any, Clock] = {}
        self._events: weakref.WeakKeyDictionary[Any, Clock] = weakref.WeakKeyDictionary()
        self._host: Clock = {}
        self._pending: dict[Any, list[Operation]] = {}

    def _clock(self, stream: Any) -> Clock:
        """The clock with which the stream's next operation begins."""
        clock = dict(self._clocks.get(stream, ()))
        _merge(clock, self._host)
        for other, its_clock in self._clocks.items():
            # The legacy default stream and blocking ones wait for each other.
            waits = other.blocking if stream.legacy else stream.blocking and other.legacy
            if waits and other.context is stream.context:
                _merge(clock, its_clock)
        return clock

    def begin(self, stream: Any, noun: str, line: str, after: Iterable[Clock] = ()) -> Operation:
        """The next operation of a stream; it also begins after these clocks."""
        clock = self._clock(stream)
        for other in after:
            _merge(clock, other)
        number = clock.get(stream, 0) + 1
        operation = Operation(stream, number, clock, noun, line)
        for other, pending in self._pending.items():
            if other is not stream:
                ended = clock.get(other, 0)
                operation.others += [one for one in pending if one.number > ended]
        clock[stream] = number
        self._clocks[stream] = clock
        mine = self._pending.setdefault(stream, [])
        mine.append(operation)
        if len(mine) > _MOST_PENDING:
            del mine[0]
        return operation

    # -------------------------------------------------------------- events and waits

    def record(self, event: Any, stream: Any) -> None:
        """An event is recorded in a stream."""
        self._events[event] = self._clocks[stream] = self._clock(stream)

    def wait(self, stream: Any, event: Any) -> None:
        """A stream waits for an event."""
        clock = self._clock(stream)
        _merge(clock, self._events.get(event, {}))
        self._clocks[stream] = clock

    def host_waits(self, stream: Any) -> None:
        """The host waits for a stream."""
        self._host_reaches(self._clock(stream))

    def host_waits_for_event(self, event: Any) -> None:
        self._host_reaches(self._events.get(event, {}))

    def host_waits_for_all(self, context: Any) -> None:
        """The host waits for all streams of a context."""
        reached: Clock = {}
        for stream, clock in self._clocks.items():
            if stream.context is context:
                _merge(reached, clock)
        self._host_reaches(reached)

    def _host_reaches(self, clock: Clock) -> None:
        self._before_wait()
        _merge(self._host, clock)
        for stream, pending in list(self._pending.items()):
            ended = self._host.get(stream, 0)
            if pending and pending[-1].number <= ended:
                del self._pending[stream]
            else:
                self._pending[stream] = [one for one in pending if one.number > ended]

        self.forget_branches(0)
        self._after_wait()

    def forget_branches(self, most: int) -> None:
        """Forget nodes of graphs: those that ended, and the oldest of more than so many."""
        branches = [one for one in self._pending if type(one) is Branch]
        for old in branches[: max(len(branches) - most, 0)] if most else ():
            del self._pending[old]
        for clock in (self._host, *self._clocks.values(), *self._events.values()):
            for stream in [
                one for one in clock if type(one) is Branch and one not in self._pending
            ]:
                del clock[stream]

    def is_over(self, operation: Operation) -> bool:
        """Whether the host has waited for an operation."""
        return operation.number <= self._host.get(operation.stream, 0)


class GraphOrder:
    """The order of a graph's nodes in one launch of it: by their dependencies."""

    def __init__(self, order: StreamOrder, stream: Any, before: Clock):
        self._order = order
        self._stream = stream
        self._start = order._clock(stream)
        _merge(self._start, before)
        self._nodes: list[Branch] = []

    def begin(self, noun: str, line: str, dependencies: Iterable[int]) -> Operation:
        """The next node, which begins after nodes at these positions."""
        clocks = self._order._clocks
        node = Branch()
        after = [self._start, *[clocks[self._nodes[k]] for k in dependencies]]
        self._nodes.append(node)
        return self._order.begin(node, noun, line, after)

    def end(self) -> Clock:
        """What the stream does next begins after all nodes; what has ended then."""
        clocks = self._order._clocks
        for node in self._nodes:
            _merge(self._start, clocks.pop(node, {}))
        clocks[self._stream] = self._start
        self._order.forget_branches(_MOST_PENDING)
        pending = self._order._pending
        return {x: n for x, n in self._start.items() if type(x) is not Branch or x in pending}
