"""Functions that record an operation, written for its operands.

Recording has to take less than a launch. So a function takes what was recorded last at this place
of the sequence, and compares: if it is this operation with these operands, all that follows from it
is known (see gpuarray._fusion.sequences). There is no loop over operands, and no lock (see
gpuarray._fusion.deferred). Everything else is `noting.note`'s.

To record an operation and then run it alone takes longer than to launch it. So a function counts,
for each place where it is called, how often in a row its operation began a sequence and nothing
joined it; after some times it launches at once there, and records one call of many, to see whether
that is still so.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from gpuarray import _array
from gpuarray._fusion import deferred, holding, noting, sequences
from gpuarray._fusion.batches import STORED
from gpuarray._fusion.deferred import Deferred
from gpuarray._fusion.steps import Step
from gpuarray._layout import Layout
from gpuarray._runtime import places
from gpuarray._runtime.pool import Allocation, exposed


def recorder_of(
    step: Step, noted: Deferred, given: bool = False, only_pending: bool = False
) -> Callable[..., Any]:
    """A function that records a step and returns its result without memory.

    Parameters
    ----------
    step : Step
        The operation.
    noted : Deferred
        What is recorded on its stream.
    given : bool
        Whether the caller passes the output, last.
    only_pending : bool
        Whether it is recorded only where an operand is pending, and else done at once.
    """

    def run(*operands: Any) -> Any:
        if given or noted.node.stores:
            noted.run()
        return step.run(*operands)

    arguments = [x for x in step.inputs if isinstance(x, Layout | np.dtype)]
    kinds = "".join(["a" if isinstance(x, Layout) else "s" for x in arguments])
    record = _factory(kinds, given)(
        step, noted, noted.stream, run, partial(noting.note, noted, step, given, only_pending, run),
        step.layout, _array.array_class, {}, deferred.USUAL, *[slot for _, slot in step.checks],
    )  # fmt: skip
    record.records = True  # type: ignore[attr-defined]  # functions take attributes
    if only_pending:
        record.only_meanwhile = True  # type: ignore[attr-defined]
    return record


#: Places of calls that a function counts at most.
_MOST_CALLS = 1024

#: What the functions find by its name.
_scope: dict[str, Any] = {
    "__name__": __name__,
    "Allocation": Allocation,
    "MOST_CALLS": _MOST_CALLS,
    "NEW": sequences.NEW,
    "ONLY_RECORDED": holding.ONLY_RECORDED,
    "PROBED": deferred.PROBED,
    "SAME": sequences.SAME,
    "SHARED": sequences.SHARED,
    "STORED": STORED,
    "caller": places.caller,
    "count": sys.getrefcount,
    "exposed": exposed,
    "getframe": sys._getframe,
    "new": object.__new__,
    "users_code": places.users_code,
}


def _compared(i: int, arrays: list[str], otherwise: str) -> list[str]:
    """Lines that see whether an array is where it was the last time.

    In memory that is new to the sequence, or at an address that is, it has an ``address``.
    """
    x, source = arrays[i], f"at_{arrays[i]}"
    listed = "".join([f"{y}, " for y in arrays])
    others = "".join([f" or memory_{x} is memory_{y}" for y in arrays[:i]])
    return [
        f"if {source} >= 0:",
        f"    if log[{source}] is not {x}:",
        f"        {otherwise}",
        f"elif {source} > NEW:",
        f"    if {x}._held is None or log[~{source}] != {x}._pointer:",
        f"        {otherwise}",
        f"elif {source} == NEW:",
        f"    memory_{x} = {x}._held",
        f"    if (memory_{x}.__class__ is not Allocation or memory_{x}.stream is not stream",
        f"        or memory_{x} in memories{others}",
        f"        or (exposed and id(memory_{x}) in exposed)",
        "        or (node.newest and count(log[node.newest]) <= ONLY_RECORDED)):",
        f"        {otherwise}",
        f"    address_{x} = {x}._pointer",
        f"elif {source} > SHARED:",
        f"    if ({listed})[{source} - SAME] is not {x}:",
        f"        {otherwise}",
        "else:",
        f"    if {x}._held is not log[SHARED - {source}]:",
        f"        {otherwise}",
        f"    address_{x} = {x}._pointer",
    ]


def _entry(arrays: list[str], read: str, scalars: str) -> list[str]:
    """Lines that put together what the log gets, where ``read`` are the new arrays so far."""
    if not arrays:
        return [f"entry = result, place{read}{scalars}"]
    x, *rest = arrays
    return [
        f"if address_{x} is None:",
        *[f"    {line}" for line in _entry(rest, read, scalars)],
        "else:",
        *[f"    {line}" for line in _entry(rest, f"{read}, memory_{x}, address_{x}", scalars)],
    ]


def _noted_memory(arrays: list[str]) -> list[str]:
    """Lines that note where memory is in the log."""
    lines = ["place = node.length + 2"]
    for x in arrays:
        lines += [
            f"if address_{x} is not None:",
            f"    if memory_{x} is not None:",
            f"        memories[memory_{x}] = place",
            "    place += 2",
        ]
    return lines


@lru_cache(maxsize=64)
def _factory(kinds: str, given: bool) -> Callable[..., Callable[..., Any]]:
    """The function that closes a function for operands of these kinds over a step's values."""
    names = [f"x{i}" for i in range(len(kinds))] + ["y"] * given
    arguments = ", ".join(names)
    arrays = [f"x{i}" for i, kind in enumerate(kinds) if kind == "a"] + ["y"] * given
    scalars = [f"x{i}" for i, kind in enumerate(kinds) if kind == "s"]
    taken = "".join([f", {x}" for x in scalars])
    sources = [f"at_{x}" for x in arrays]
    news = " = ".join([f"{name}_{x}" for name in ("memory", "address") for x in arrays])
    any_new = " or ".join([f"address_{x} is not None" for x in arrays])
    otherwise = f"return note(place, {arguments})"
    closed = ["step", "noted", "stream", "run", "note", "layout", "cls", "alone", "usual"]
    closed += [f"slot_{x}" for x in scalars]
    lines = [
        "frame = getframe(2)",  # the caller's of an operator
        "code, offset = frame.f_code, frame.f_lasti",
        "if not noted.begun:",
        "    call = id(code) + offset",  # a number for each instruction of the code that there is
        "    times = alone.get(call, 0)",
        "    if times >= usual and times % PROBED:",
        "        alone[call] = times + 1",
        f"        return (step.single or run)({arguments})",
        "    if not noted.begin():",
        f"        return run({arguments})",
        "    if not times and len(alone) >= MOST_CALLS:",
        "        alone.clear()",
        "    alone[call] = times + 1",
        "    noted.first = alone, call",
    ]
    for x in scalars:  # what fitted once fits again
        lines += [
            f"if {x} is not last_{x}:",
            "    try:",
            f"        slot_{x}[0] = {x}",
            "    except (TypeError, ValueError, OverflowError):",
            f"        return run({arguments})  # which says what is wrong",
            f"    last_{x} = {x}",
        ]
    lines += [
        "place = code, offset",
        "if code is not noted.code:",
        "    if id(code) not in users_code:",
        "        place = caller(2)",
        "    else:",
        "        noted.code = code",
        "log, node, memories = noted.log, noted.node, noted.memories",
        "following = node.next",
        "if following.step is not step:",
        f"    {otherwise}",
    ]
    if arrays:
        lines += [f"{news} = None", f"{', '.join(sources)}, = following.sources"]
    for i in range(len(arrays)):
        lines += _compared(i, arrays, otherwise)
    if given:
        lines += ["result = y if at_y >= 0 else STORED"]
    else:
        lines += ["result = new(cls)", "result._layout = layout"]
    if arrays:
        lines += [f"if {any_new}:", *[f"    {line}" for line in _entry(arrays, "", taken)]]
        lines += ["else:", f"    entry = result, place{taken}"]
    else:
        lines += [f"entry = result, place{taken}"]
    lines += ["if noted.log is log and noted.node is node and noted.begun:"]
    # There is no interrupt from here on.
    if arrays:
        lines += [f"    if {any_new}:", *[f"        {line}" for line in _noted_memory(arrays)]]
    lines += ["    log += entry"]
    if given:
        lines += [
            "    if at_y >= 0:",
            "        log[at_y] = None",
            "    else:",
            "        stream.plans = noted.storing",
        ]
    lines += ["    noted.node = following", f"    return {'y' if given else 'result'}", otherwise]
    code = [f"def factory({', '.join(closed)}):"]
    code += [f"    last_{x} = None" for x in scalars]
    code += [f"    def record({arguments}):"]
    code += [f"        nonlocal {', '.join([f'last_{x}' for x in scalars])}"] if scalars else []
    code += [f"        {line}" for line in lines]
    code.append("    return record")
    found: dict[str, Any] = {}
    exec(compile("\n".join(code), f"<_fusion/record {kinds}>", "exec"), _scope, found)
    return found["factory"]
