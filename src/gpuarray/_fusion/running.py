"""How recorded operations run: fused where the kernels exist, else one by one meanwhile.

To compile takes longer than most programs' operations. So a chain that is seen for the first time
runs operation by operation, with kernels that exist, while a thread compiles the fused ones.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gpuarray import _array, _fork, _log
from gpuarray._fusion import chains, prologues
from gpuarray._fusion.chains import Chain, Plan, Use
from gpuarray._fusion.deferred import Recorded
from gpuarray._runtime.device import Device
from gpuarray._runtime.plans import find
from gpuarray._runtime.stream import Stream

#: Whether a chain's kernels are compiled when it is first seen, before it runs.
immediate = False


class _Compiling:
    """Kernels that a thread compiles, and then what was made of them."""

    __slots__ = ("device", "done", "make", "made")

    def __init__(self, device: Device, make: Callable[[], Any]):
        self.device = device
        self.make = make
        self.made: Any = None
        self.done = False


#: Kernels that are being compiled, or have not run since, by the device and the chain.
_compiling: dict[Any, _Compiling] = {}
#: How many of them are kept: chains that do not come again would stay for ever.
_MOST_COMPILING = 256


def _made(device: Device, key: Any, make: Callable[[], Any]) -> Any:
    """What a function makes that compiles kernels; None while a thread does."""
    compiling = _compiling.get(key)
    if compiling is None:
        if len(_compiling) >= _MOST_COMPILING:
            _compiling.pop(next(iter(_compiling)), None)
        compiling = _compiling[key] = _Compiling(device, make)
        _compile_later(compiling)
        return None
    if compiling.done:
        _compiling.pop(key, None)
    return compiling.made


def run(stream: Stream, recorded: list[Recorded]) -> None:
    """Run recorded operations, and give their results memory."""
    if len(recorded) == 1:
        _one_by_one(recorded)
        return
    chain = chains.read(recorded)
    call = find(stream, (_call_of, chain.uses), _call_of, stream, chain.uses)
    if call is None:
        _one_by_one(recorded)
    else:
        call(recorded, chain)


def _call_of(stream: Stream, uses: tuple[Use, ...]) -> Callable[..., None] | None:
    """What runs a chain fused; None while that is compiled."""

    def make() -> Plan:
        plan = Plan(uses)
        for kernel in plan.kernels:
            chains.load(kernel, stream)
        return plan

    if immediate:
        return _fused(Plan(uses), stream)
    plan = _made(stream.device, (stream.device, uses), make)
    return None if plan is None else _fused(plan, stream)


def reduce(stream: Stream, one: Recorded, key: tuple, plan: Callable[..., Any]) -> Any:
    """Reduce a result that is not computed; ``plan`` does it for one that is."""
    array, deferred = one.array, one.deferred
    if one.is_reduced:  # the second time it is quicker to read it
        return plan(array)
    chain = chains.read(chains.ancestors(one), only=one)
    function, _, axis, keepdims = key
    kept = reduce, key, chain.uses
    found = deferred.table.get(kept)
    if not found:
        result = plan(array)
        if found is None:
            # Its call is made when nothing is recorded any more: it needs the stream's handle.
            make = partial(prologues.reducing, function, chain.uses, axis, keepdims, stream)
            found = make() if immediate else _made(stream.device, kept, make)
            if found is not None:
                deferred.table[kept] = found
        return result
    one.is_reduced = True
    leaves = [_array.wrap(*x) for x in chain.leaves]
    operands = [chain.scalars[x[0]] if type(x) is tuple else leaves[~x] for x in found.takes]
    return found.run(*operands)


def _fused(plan: Plan, stream: Stream) -> Callable[[Sequence[Recorded], Chain], None]:
    """A function that launches the kernels of a plan."""
    launches = [(chains.make_call(x, stream), x.takes, x.gives) for x in plan.kernels]
    # Behind the last kernel that reads it a result that nobody wants is dropped.
    last: dict[int, int] = {}
    for k, (_, takes, _) in enumerate(launches):
        last.update({x: k for x in takes if type(x) is int and x >= 0})
    drops = [[x for x, k in last.items() if k == i] for i in range(len(launches))]

    def call(recorded: Sequence[Recorded], chain: Chain) -> None:
        leaves = [_array.wrap(*x) for x in chain.leaves]
        scalars = chain.scalars
        values: dict[int, Any] = {}
        for (run, takes, gives), dropped in zip(launches, drops):
            found = run(
                *[
                    scalars[x[0]] if type(x) is tuple else leaves[~x] if x < 0 else values[x]
                    for x in takes
                ]
            )
            if len(gives) == 1:
                values[gives[0]] = found
            else:
                values.update(zip(gives, found))
            for x in gives:
                one = recorded[x]
                if chain.uses[x].wanted:
                    one.value = values[x]
                    one.store(values[x])
            for x in dropped:
                del values[x]

    return call


def _one_by_one(recorded: Sequence[Recorded]) -> None:
    """Run operations as they were called, and free what nobody wants behind its last use."""
    last: dict[Recorded, Recorded] = {}
    for one in recorded:
        for x in one.operands:
            if type(x) is Recorded:
                last[x] = one
    for one in recorded:
        operands = []
        for x in one.operands:
            if type(x) is tuple:
                operands.append(_array.wrap(*x))
            else:
                operands.append(x.value if type(x) is Recorded else x)
        value = one.step.run(*operands)
        if one.is_wanted():
            one.store(value)
        if one in last or one.is_wanted():
            one.value = value
        del operands, value
        for x in one.operands:
            if type(x) is Recorded and last.get(x) is one and not x.is_wanted():
                x.value = None


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
            compiling.device.use()
            compiling.made = compiling.make()
            compiling.done = True
        except Exception as error:  # the operations go on, one by one
            _log.log(_log.INFO, "fusion", "not compiled: %s", error)


def wait() -> None:
    """Wait until what is being compiled is ready."""
    while (thread := _thread) is not None:
        thread.join()


def _lose() -> None:
    """A child of a fork has no thread."""
    global _thread
    _thread = None
    _waiting.clear()


_fork.in_child(_lose)
