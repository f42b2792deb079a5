"""How recorded operations run: fused where the kernels exist, else one by one meanwhile.

To compile takes longer than most programs' operations. So a chain that is seen for the first time
runs operation by operation, with kernels that exist, while a thread compiles the fused ones.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Collection, Sequence
from sys import getrefcount
from typing import Any

from gpuarray import _array, _fork, _log
from gpuarray._fusion import chains, holding
from gpuarray._fusion.batches import ONLY_LOGGED, Batch
from gpuarray._fusion.chains import Plan
from gpuarray._fusion.sequences import Node
from gpuarray._fusion.steps import Step, View
from gpuarray._fusion.viewing import Viewed
from gpuarray._runtime.current_stream import work_for_another_thread
from gpuarray._runtime.device import Device
from gpuarray._runtime.interrupts import held_back
from gpuarray._runtime.memory import NO_MEMORY
from gpuarray._runtime.stream import Stream
from gpuarray.errors import CompileError

#: Whether a chain's kernels are compiled when it is first seen, before it runs.
immediate = False

#: Numbers of references with which a sequence is known.
_MOST_KNOWN = 64

#: New arrays begin at multiples of it, and no access is longer.
_VECTOR_BYTES = 16


class _Compiling:
    """Kernels that a thread compiles, and then what was made of them."""

    __slots__ = ("device", "done", "make", "made")

    def __init__(self, device: Device, make: Callable[[], Any]):
        self.device = device
        self.make = make
        self.made: Any = None
        self.done = False


def run(stream: Stream, batch: Batch) -> None:
    """Run recorded operations, and give their results memory."""
    node = batch.node
    if node.stores:  # what was stored must not be stored again
        with held_back():
            _run(stream, batch)
        return
    find = node.counted
    if find is not None and not batch.began:
        call = node.known.get(tuple(map(getrefcount, find(batch.log))))
        if call is not None:
            batch.began = True
            call(batch)
            return
    _run(stream, batch)


def _run(stream: Stream, batch: Batch) -> None:
    node = batch.node
    if batch.began:  # it failed, or was interrupted
        if batch.resume is None:
            _one_by_one(batch, batch.missing())
        else:
            batch.missing()
            batch.resume(batch)
        return
    find = node.counted or node.find_counted()
    counts = tuple(map(getrefcount, find(batch.log)))
    memories = node.memories()
    dropped = {
        place
        for place, count in zip(memories, counts[len(counts) - len(memories) :])
        if count <= ONLY_LOGGED
    }
    batch.unseen = tuple(
        [number for target, number in node.stores.items() if node.leaves[~target].memory in dropped]
    )
    batch.began = True
    if dropped:
        number = holding.first_that_holds_more(batch, dropped)
        if number is not None:
            holding.check(node, number)
            _one_by_one(batch)
            return
    wanted = batch.wanted()
    call = node.calls.get(wanted)
    if call is None or type(call) is _Compiling:
        call = _call_of(stream, node, wanted, call)
    if not node.stores and call is node.calls[wanted]:
        if len(node.known) >= _MOST_KNOWN:
            node.known.clear()
        node.known[counts] = call if not dropped else _where_as_large(call, batch)
    call(batch)


def _where_as_large(call: Callable[[Batch], None], batch: Batch) -> Callable[[Batch], None]:
    """A function that runs a batch if its arrays' memory is as large as this one's.

    Otherwise to run it might hold too much memory.
    """
    places = batch.node.memories()
    sizes = [batch.log[x].size for x in places]

    def call_if(other: Batch) -> None:
        if [other.log[x].size for x in places] == sizes:
            call(other)
        else:
            other.began = False
            _run(other.stream, other)

    return call_if


def _call_of(
    stream: Stream, node: Node, wanted: tuple[bool, ...], compiling: _Compiling | None
) -> Callable[[Batch], None]:
    """What runs a sequence of operations: one by one while its kernels are compiled."""

    def make() -> Plan:
        plan = Plan(node.uses(), wanted)
        for kernel in plan.kernels:
            chains.load(kernel, stream)
        return plan

    if node.number == 1:
        call = node.calls[wanted] = _alone(node) if wanted[0] else _one_by_one
        return call
    if immediate:
        plan = Plan(node.uses(), wanted)
    elif compiling is None:
        compiling = node.calls[wanted] = _Compiling(stream.device, make)
        _compile_later(compiling)
        return _one_by_one
    elif not compiling.done:
        return _one_by_one
    else:
        plan = compiling.made
    try:
        call = _fused(plan, stream, node)
    except CompileError as error:  # the operations go on, one by one
        _log.log(_log.INFO, "fusion", "not compiled: %s", error)
        call = _one_by_one
    node.calls[wanted] = call
    return call


def taken(takes: Sequence[Any], leaves: Sequence[Any], scalars: Any, values: Any) -> list[Any]:
    """What a kernel takes: arrays and numbers."""
    found = []
    for x in takes:
        if type(x) is int:
            found.append(leaves[~x] if x < 0 else values[x])
        elif type(x) is Viewed:
            array = leaves[~x.array] if x.array < 0 else values[x.array]
            found.append(_array.shifted(array, x.layout, x.offset))
        elif type(x) is chains.Constant:
            found.append(x.value)
        else:
            found.append(scalars[x[0]])
    return found


def _fused(plan: Plan, stream: Stream, node: Node) -> Callable[[Batch], None]:
    """A function that launches the kernels of a plan."""
    if not plan.in_order:
        return _one_by_one
    if plan.aligned:
        return _where_aligned(plan, stream, node)
    return _launching(plan, stream, node)


def _where_aligned(plan: Plan, stream: Stream, node: Node) -> Callable[[Batch], None]:
    """A function that launches the kernels of a plan where some arrays begin at vectors."""
    run, aligned = _launching(plan, stream, node), plan.aligned
    others: list[Callable[[Batch], None]] = []

    def call(batch: Batch) -> None:
        log, leaves = batch.log, batch.node.leaves
        if any(log[leaves[~x].address] % _VECTOR_BYTES for x in aligned):
            if not others:
                other = Plan(plan.uses, plan.wanted, anywhere=True)
                others.append(_fused(other, stream, node))
            others[0](batch)
        else:
            run(batch)

    return call


def _launching(plan: Plan, stream: Stream, node: Node) -> Callable[[Batch], None]:
    """As `_fused`, wherever arrays begin."""
    launches = [
        (
            chains.make_call(x, stream),
            (*x.takes, *[target for target in x.targets if target is not None]),
            x.gives,
        )
        for x in plan.kernels
    ]
    # Behind the last kernel that reads it a result that nobody wants is dropped.
    last: dict[int, int] = {}
    for k, (_, takes, _) in enumerate(launches):
        last.update({x: k for x in chains.arrays_of(takes) if x >= 0})
    drops = [[x for x, k in last.items() if k == i] for i in range(len(launches))]
    wanted = plan.wanted

    def call(batch: Batch) -> None:
        leaves, scalars, values = batch.leaves, batch.scalars, batch.values
        if plan.targets:  # what was stored to an array is not done again
            batch.resume = call
        for k in range(batch.done, len(launches)):
            run, takes, gives = launches[k]
            found = run(*taken(takes, leaves, scalars, values))
            batch.done = k + 1
            if len(gives) == 1:
                values[gives[0]] = found
            else:
                values.update(zip(gives, found))
            for x in gives:
                if wanted[x]:
                    batch.store(x, values[x])
                for view, step in plan.views.get(x, ()):
                    batch.store(view, _array.shifted(values[x], step.layout, step.offset))
            for x in drops[k]:
                values.pop(x, None)

    if len(launches) != 1 or plan.targets or plan.views:
        return call
    ((run, takes, gives),) = launches
    if not all(type(x) is int or type(x) is tuple for x in takes):
        return call
    if node.given_up.intersection(gives):
        return call
    return _one_launch(run, takes, gives, node)


def _one_launch(
    run: Callable[..., Any], takes: Sequence[Any], gives: Sequence[int], node: Node
) -> Callable[[Batch], None]:
    """A function written for the operands of the only launch."""
    values: dict[str, Any] = {"run": run, "none": NO_MEMORY}
    before, after, operands = [], [], []
    for i, x in enumerate(takes):
        if isinstance(x, tuple):
            operands.append(f"log[{node.scalars[x[0]]}]")
            continue
        layout, memory, address = node.leaves[~x]
        # One thread runs what is recorded, so that these can be used again.
        values[f"x{i}"] = _array.wrap(NO_MEMORY, 0, layout)
        operands.append(f"x{i}")
        before.append(f"x{i}._memory, x{i}._pointer = log[{memory}], log[{address}]")
        after.append(f"    x{i}._memory = none")
    found = [f"y{i}" for i in range(len(gives))]
    call = f"{', '.join(found)} = run({', '.join(operands)})"
    if after:
        lines = [*before, "try:", f"    {call}", "finally:", *after]
    else:
        lines = [call]
    # There is no interrupt from here on: all have memory, or none.
    for y, x in zip(found, gives):
        lines += [
            f"array = log[{node.results[x]}]",
            f"array._memory, array._pointer = {y}._memory, {y}._pointer",
        ]
    code = [f"def factory({', '.join(values)}):", "    def call(batch):", "        log = batch.log"]
    code += [*[f"        {line}" for line in lines], "    return call"]
    scope: dict[str, Any] = {}
    exec(compile("\n".join(code), "<_fusion/run>", "exec"), scope)  # nothing of it is the user's
    return scope["factory"](*values.values())


def _alone(node: Node) -> Callable[[Batch], None]:
    """What runs a single operation."""
    step, numbers, target = node.at(0)
    assert isinstance(step, Step)
    if target is not None:
        return _one_by_one
    scalars = iter(range(len(numbers)))
    takes = [(next(scalars),) if x is None else x for x in numbers]
    return _one_launch(step.run, takes, [0], node)


def _one_by_one(batch: Batch, only: Collection[int] | None = None) -> None:
    """Run operations as they were called, and free what nobody wants behind its last use.

    With ``only`` the others are left out: they are done. What nobody needs is never done.
    """
    if only is None:
        only = batch.missing()
    uses, values = batch.node.uses(), batch.values
    last: dict[int, int] = {}
    for i, use in enumerate(uses):
        last.update({x: i for x in (*use.operands, use.target) if x is not None})
    first = 0
    for i, (step, numbers, target) in enumerate(uses):
        scalars = iter(batch.scalars[first:])
        first += numbers.count(None)
        if i not in only:
            continue
        operands = [
            next(scalars) if x is None else values[x] if x >= 0 else batch.leaves[~x]
            for x in numbers
        ]
        if target is not None:
            operands.append(values[target] if target >= 0 else batch.leaves[~target])
        if isinstance(step, View):
            value = _array.shifted(operands[0], step.layout, step.offset)
        else:
            value = step.run(*operands)
        if batch.is_wanted(i):
            batch.store(i, value)
        elif i in last:
            values[i] = value
        del operands, value
        for x in {*numbers, target}:
            if x is None or last[x] != i:
                continue
            if x < 0:
                batch.free(~x)
            elif not batch.is_wanted(x):
                values.pop(x, None)


# ---- compiling in the background -----------------------------------------------------------------

_lock = _fork.new_lock()
_waiting: list[_Compiling] = []
_thread: threading.Thread | None = None


def _compile_later(compiling: _Compiling) -> None:
    global _thread
    with _lock:
        _waiting.append(compiling)
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_compile_all, name="gpuarray fusion", daemon=True)
            _thread.start()


def _compile_all() -> None:
    global _thread
    while True:
        with _lock:
            if not _waiting:
                _thread = None
                return
            compiling = _waiting.pop(0)
        try:
            work_for_another_thread(compiling.device)
            compiling.made = compiling.make()
            compiling.done = True
        except Exception as error:  # the operations go on, one by one
            _log.log(_log.INFO, "fusion", "not compiled: %s", error)


def wait() -> None:
    """Wait until what is being compiled is ready."""
    while (thread := _thread) is not None:
        thread.join()


def _finish() -> None:
    """At the end of the process, which takes the compiler apart, wait for what it is doing."""
    _waiting.clear()
    wait()


atexit.register(_finish)


def _lose() -> None:
    """A child of a fork has no thread."""
    global _thread
    _thread = None
    _waiting.clear()


_fork.in_child(_lose)
