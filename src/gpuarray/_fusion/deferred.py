"""Operations that are recorded when they are called, and run when somebody looks at memory.

A plan of an operation on large arrays notes what it is called with and returns an array that has a
layout and no memory yet. When its memory is asked for, all that is noted on the stream runs, as few
kernels as possible (see gpuarray._fusion.chains).

Nothing on the path of a launch asks whether something is noted. An array without memory lacks the
two attributes, so that reading one of them leads to `_memory_of`. A stream on which something is
noted lacks its handle, without which no call of the driver can be made on it, and has a table of
plans with nothing but plans that read operands and give new arrays: whatever else is looked up
finds none, and asks here. So what stores to an array, waits, records an event or copies runs
everything first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from gpuarray import _array, _fork
from gpuarray._ffi import driver
from gpuarray._layout import Layout
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.device import current, deferring_streams
from gpuarray._runtime.launch import scalar_slot
from gpuarray._runtime.pool import Allocation
from gpuarray._runtime.stream import PLAN_LIMIT, Stream
from gpuarray._ufunc.function import ufunc
from gpuarray.kernels.generator.expressions import Expression
from gpuarray.kernels.reduction.moments import Deviation
from gpuarray.kernels.reduction.rules import Reduction

#: From so many bytes of the result on an operation is recorded: then its kernel takes longer than
#: the call.
LEAST_BYTES = 4 << 20
#: What is recorded at most before it runs.
MOST_OPERATIONS = 64

#: The descriptors of the attributes that an array without memory lacks.
_slots: dict[str, Any] = {name: vars(_array.ArrayBase)[name] for name in ("_memory", "_pointer")}

#: The operations whose results are pending, by the identity of those arrays.
_pending: dict[int, Recorded] = {}


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
    inputs : tuple of Layout or dtype
        What the operands are.
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
        scalars = [(i, x) for i, x in enumerate(inputs) if not isinstance(x, Layout)]
        buffer = driver.ArgumentBuffer(tuple([x.itemsize for _, x in scalars]))
        self.checks = tuple([(i, scalar_slot(buffer, k, x)) for k, (i, x) in enumerate(scalars)])

    def run(self, *operands: Any) -> Any:
        """Do it at once; returns the result."""
        run = self._run
        if run is None:
            run = self._run = self._make()
        return run(*operands)


#: Memory that an operation reads, the address there, and the layout: an array as it was when the
#: operation was recorded. (A plain tuple, since operations make several.)
Leaf = tuple[Any, int, Layout]


class Recorded:
    """An operation that was recorded.

    Attributes
    ----------
    step : Step
        Its plan.
    operands : list
        Of each operand a `Leaf`, the `Recorded` whose result it is, or a scalar.
    array : ndarray
        The result, without memory until it is computed.
    value : ndarray or None
        The result as it was computed, while later operations need it.
    number : int
        Its place among the operations that run together.
    is_reduced : bool
        Whether a reduction has read what it is computed from.
    """

    value: Any = None
    number = 0
    is_reduced = False

    def __init__(self, step: Step, operands: list[Any], array: Any, deferred: Deferred):
        self.step = step
        self.operands = operands
        self.array = array
        self.deferred = deferred

    def is_wanted(self) -> bool:
        """Whether somebody has the result."""
        return sys.getrefcount(self.array) > 2  # this object's own, and the argument

    def store(self, value: Any) -> None:
        """Give the result its memory, if it has not been given another's meanwhile."""
        array = self.array
        if not _has_memory(array):
            _array.fill_in(array, value)


class Deferred:
    """What is recorded on a stream and has not run."""

    __slots__ = (
        "__weakref__", "_argument", "_handle", "_held", "_leaves", "_lock", "_most", "_plans",
        "_stream", "recorded", "run_recorded", "run_reduction", "table",
    )  # fmt: skip

    def __init__(
        self,
        stream: Stream,
        run_recorded: Callable[[Stream, list[Recorded]], None],
        run_reduction: Callable[..., Any],
    ):
        self._stream = stream
        self.run_reduction = run_reduction
        self._lock = _fork.new_rlock()
        self.recorded: list[Recorded] = []
        #: Plans that may be found while something is recorded.
        self.table: dict[Any, Any] = {}
        self.run_recorded = run_recorded
        #: Memory that is read, with the number of leaves, by its identity.
        self._leaves: dict[int, list[Any]] = {}
        #: Its bytes, and what running at once would have held at most, at least.
        self._held = self._most = 0

    # ---- recording -----------------------------------------------------------------------------

    def record(self, step: Step, operands: Sequence[Any]) -> Any:
        """Note an operation; its result, without memory."""
        for i, slot in step.checks:
            try:
                slot[0] = operands[i]
            except (TypeError, ValueError, OverflowError):
                return step.run(*operands)  # which says what is wrong
        stream = self._stream
        with self._lock:
            if len(self.recorded) >= MOST_OPERATIONS:
                self.run()
            taken: list[Any] = []
            most = step.nbytes  # that running at once holds at least
            for x, kind in zip(operands, step.inputs):
                if type(kind) is not Layout:
                    taken.append(x)
                    continue
                before = _pending.get(id(x))
                if before is not None:
                    if before.deferred is self and x._layout is before.step.layout:
                        taken.append(before)
                        most += before.step.nbytes
                        continue
                    before.deferred.run()
                memory, pointer = _array.place(x)
                if (
                    type(memory) is not Allocation
                    or memory.stream is not stream
                    or getattr(memory, "exposed", False)
                ):
                    return step.run(*operands)  # others may store there without being seen
                taken.append((memory, pointer, kind))
            if self._is_too_much(taken, most, step.nbytes):
                self.run()
                return self.record(step, operands)
            array = object.__new__(_array.array_class)
            array._layout = step.layout
            made = Recorded(step, taken, array, self)
            if not self.recorded:
                self._begin()
            _pending[id(array)] = made
            self.recorded.append(made)
        return array

    def _is_too_much(self, operands: Sequence[Any], most: int, nbytes: int) -> bool:
        """Whether running everything at the end would hold more memory than running at once.

        An operand that nobody has any more is freed later than if its operation had run. That must
        not be seen in what is in use at most.
        """
        leaves = self._leaves
        for x in operands:
            if type(x) is tuple:
                memory = x[0]
                counted = leaves.get(id(memory))
                if counted is None:
                    leaves[id(memory)] = [memory, 1]
                    self._held += memory.size
                else:
                    counted[1] += 1
        for memory, count in leaves.values():
            # The references of leaves, of the list, of the loop, and of the argument.
            if sys.getrefcount(memory) <= count + 3:
                break
        else:
            if self._most < self._held + most:
                self._most = self._held + most
            return False
        wanted = sum([x.step.nbytes for x in self.recorded if x.is_wanted()])
        return bool(self.recorded) and self._held + wanted + nbytes > self._most

    # ---- a stream on which something is recorded -----------------------------------------------

    def _begin(self) -> None:
        # An interrupt between these lines leaves what `_end` puts right.
        stream = self._stream
        self._plans, self._handle, self._argument = stream.plans, stream.handle, stream.argument
        deferring_streams[id(stream)] = self
        stream.plans = self.table
        del stream.handle
        del stream.argument

    def _end(self) -> None:
        stream = self._stream
        if id(stream) in deferring_streams:
            stream.handle, stream.argument = self._handle, self._argument
            stream.plans = self._plans
            del deferring_streams[id(stream)]

    def find(self, key: tuple) -> Any:
        """A plan that is not in the table, as `Stream.older_plan` has to find it."""
        with self._lock:
            stream = self._stream
            if self.recorded and not _only_reads(key):
                self.run()
            if not self.recorded:
                plan = stream.plans.get(key)
                return stream.older_plan(key) if plan is None else plan
            plan = self._plans.get(key)
            if plan is None:
                plan = stream.older_plans.pop(key, None)
                if plan is None:
                    return None
                self._plans[key] = plan
            return self._meanwhile(key, plan)

    def keep(self, key: tuple, plan: Any) -> None:
        """Keep a plan that was made while something is recorded."""
        self._plans[key] = plan
        if _only_reads(key):
            self._meanwhile(key, plan)

    def _meanwhile(self, key: tuple, plan: Any) -> Any:
        """Keep a plan in the table, as what takes results that are not computed."""
        if type(key[0]) is Reduction:  # those derived from it compute something else
            plan = self._reducing(key, plan)
        if len(self.table) >= PLAN_LIMIT:
            self.table.clear()
        self.table[key] = plan
        return plan

    def _reducing(self, key: tuple, plan: Callable[..., Any]) -> Callable[..., Any]:
        """The plan of a reduction, which reads what its operand is computed from."""

        def reduce(a: Any) -> Any:
            one = _pending.get(id(a))
            if one is None or one.deferred is not self or a._layout is not one.step.layout:
                return plan(a)
            with self._lock:
                return self.run_reduction(self._stream, one, key, plan)

        return reduce

    def forget_plans(self) -> None:
        """Run what is recorded, before the stream has other plans."""
        self.run()
        self.table.clear()

    # ---- running -------------------------------------------------------------------------------

    def run(self) -> None:
        """Run what is recorded."""
        with self._lock:
            self._end()
            recorded = self.recorded
            if not recorded:
                return
            self.recorded = []
            self._leaves = {}
            self._held = self._most = 0
            try:
                stream = self._stream
                if current.stream.device is stream.device:
                    self.run_recorded(stream, recorded)
                else:
                    with stream.device:
                        self.run_recorded(stream, recorded)
            finally:
                self._finish(recorded)

    def _finish(self, recorded: list[Recorded]) -> None:
        """Forget what was computed; what was not, since it failed, can be tried again."""
        rest = [x for x in recorded if x.is_wanted() and not _has_memory(x.array)]
        needed = set(rest)
        for x in reversed(recorded):
            if x in needed and x.value is None:
                needed.update([y for y in x.operands if type(y) is Recorded])
        for x in recorded:
            if x not in needed or x.value is not None:
                _pending.pop(id(x.array), None)
        self.recorded = [x for x in recorded if x in needed and x.value is None]
        if self.recorded:
            self._begin()


def _has_memory(array: Any) -> bool:
    try:
        _slots["_memory"].__get__(array)
    except AttributeError:
        return False
    return True


def _only_reads(key: tuple) -> bool:
    """Whether the plan under a key reads arrays, and stores to none that exists."""
    function = key[0]
    if isinstance(function, ufunc):
        nin, nout = function.nin, function.nout
        if len(key) == 1 + nin:
            return True
        # The key of every call: inputs, perhaps a mask, outputs, dtype, casting and order.
        outputs = key[1 + nin : 1 + nin + nout]
        return len(key) == 4 + nin + nout and all(x is None for x in outputs)
    if isinstance(function, Reduction):
        return len(key) == 4  # longer with a mask or an output
    return isinstance(function, Deviation) and len(key) == 5


def memory_of(array: Any, name: str) -> Any:
    """What an array lacks: the memory or the address of a result that is still to be computed."""
    if name in _slots:
        found = _pending.get(id(array))
        if found is not None:
            found.deferred.run()
            return _slots[name].__get__(array)
    raise AttributeError(
        f"{type(array).__name__!r} object has no attribute {name!r}", name=name, obj=array
    )


def handle_of(stream: Stream, name: str) -> Any:
    """What a stream lacks on which something is recorded."""
    if name == "handle" or name == "argument":
        found = deferring_streams.get(id(stream))
        if found is not None:
            found.run()
            return object.__getattribute__(stream, name)
    raise AttributeError(
        f"{type(stream).__name__!r} object has no attribute {name!r}", name=name, obj=stream
    )


# They become methods of public classes.
without_annotations({"memory_of": memory_of, "handle_of": handle_of})
