"""Functions that record an operation, written for its operands.

Recording has to take less than a launch, so there is no loop over operands. What a function looks
up was decided before: its operands' numbers, and the place behind them in the trie of what is
recorded (see gpuarray._fusion.steps).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from gpuarray import _array
from gpuarray._fusion.deferred import Deferred
from gpuarray._fusion.steps import Step
from gpuarray._layout import Layout
from gpuarray._runtime import device as devices
from gpuarray._runtime import places

#: Whether operations are recorded, on all streams.
enabled = False


def enable(on: bool) -> None:
    """Record operations from now on, or run them at once."""
    global enabled
    enabled = _scope["enabled"] = on


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
            noted.forget_operands()
        return step.run(*operands)

    arguments = [x for x in step.inputs if isinstance(x, Layout | np.dtype)]
    kinds = "".join(["a" if isinstance(x, Layout) else "s" for x in arguments])
    record = _factory(kinds, given)(
        step, noted, noted.lock, noted.numbers, noted.leaf_numbers, noted.memories, noted.scalars,
        noted.arrays, noted.places, run, step.layout, _array.array_class,
        *[x for x in step.inputs if isinstance(x, Layout)], *[slot for _, slot in step.checks],
    )  # fmt: skip
    record.records = True  # type: ignore[attr-defined]  # functions take attributes
    if not only_pending:
        return record

    def follow(*operands: Any) -> Any:
        numbers = noted.numbers
        if any(id(x) in numbers for x in operands):
            return record(*operands)
        return run(*operands)

    follow.records = follow.only_meanwhile = True  # type: ignore[attr-defined]
    return follow


def _refuses() -> bool:
    """Whether operations run at once.

    What is recorded would not be ordered with what other threads do on a device.
    """
    if not enabled:
        return True
    threads = devices.threads
    if len(threads) > 1:
        threads.intersection_update([x.ident for x in threading.enumerate()])
    return len(threads) > 1


#: What the functions find by its name.
_scope: dict[str, Any] = {
    "__name__": __name__,
    "caller": places.caller,
    "count": sys.getrefcount,
    "devices": devices,
    "enabled": False,
    "getframe": sys._getframe,
    "new": object.__new__,
    "refuses": _refuses,
    "users_code": places.users_code,
}


@lru_cache(maxsize=64)
def _factory(kinds: str, given: bool) -> Callable[..., Callable[..., Any]]:
    """The function that closes a function for operands of these kinds over a step's values."""
    arguments = ", ".join([f"x{i}" for i in range(len(kinds))] + ["y"] * given)
    arrays = [i for i, kind in enumerate(kinds) if kind == "a"]
    scalars = [i for i, kind in enumerate(kinds) if kind == "s"]
    closed = ["step", "noted", "lock", "numbers", "leaf_numbers", "memories", "scalars", "arrays"]
    closed += ["places", "run", "layout", "cls"]
    closed += [f"layout{i}" for i in arrays] + [f"slot{i}" for i in scalars]
    operands = "".join([f"n{i}, " if kind == "a" else "None, " for i, kind in enumerate(kinds)])
    lines = [
        f"def record({arguments}):",
        "    if len(devices.threads) > 1 or not enabled:",
        "        if refuses():",
        f"            return run({arguments})",
    ]
    if scalars:
        lines += ["    try:", *[f"        slot{i}[0] = x{i}" for i in scalars]]
        lines += ["    except (TypeError, ValueError, OverflowError):"]
        lines += [f"        return run({arguments})  # which says what is wrong"]
    lines += ["    with lock:", "        node = noted.node"]
    for i in arrays:
        lines += [
            f"        n{i} = numbers.get(id(x{i}))",
            f"        if n{i} is None:",
            f"            n{i} = leaf_numbers.get((x{i}._pointer, layout{i}))",
            f"            if n{i} is None:",
            f"                n{i} = noted.operand(x{i}, layout{i})",
            f"                if n{i} is None:",
            f"                    return run({arguments})",
            "            if noted.node is not node:  # which may run what is recorded here, too",
            f"                return record({arguments})",
        ]
    if given:
        lines += [
            "        target = numbers.get(id(y))",
            "        if target is None:",
            "            target = noted.target(y, layout)",
            "            if target is None:",
            f"                return run({arguments})",
            "            if noted.node is not node:",
            f"                return record({arguments})",
        ]
    target = "target" if given else ""
    lines += [
        f"        following = node.children.get((step, {operands}{target}))",
        "        if following is None:",
        f"            following = noted.follow(step, ({operands}), {target})",
        "            if following is None:",
        f"                return record({arguments})",
        "        for memory, only in memories.values():",
        "            if count(memory) <= only:",
        "                if noted.holds_more(following):",
        "                    noted.run()",
        f"                    return record({arguments})",
        "                break",
        "        else:",
        "            most = noted.held + following.most",
        "            if most > noted.most:",
        "                noted.most = most",
        "        number = node.number",
        *[f"        scalars[node.scalars + {k}] = x{i}" for k, i in enumerate(scalars)],
        *["        array = new(cls)", "        array._layout = layout"] * (not given),
        "        frame = getframe(2)",  # the caller's of an operator
        "        place = frame.f_code, frame.f_lasti",
        "        if id(place[0]) not in users_code:",
        "            place = caller(2)",
        "        if not noted.begun:",
        "            noted.begin()",
        # A collection may have run what is recorded, for a finalizer.
        "        if noted.node is not node or not noted.begun:",
        f"            return record({arguments})",
        "        places[number] = place",
    ]
    if given:
        lines += [
            "        if not noted.store(following, y, target):",
            f"            return record({arguments})",
            "    return y",
        ]
    else:
        lines += [
            "        arrays[number] = array",
            "        noted.node = following",
            "        numbers[id(array)] = number",
            "    return array",
        ]
    code = [f"def factory({', '.join(closed)}):", *[f"    {line}" for line in lines]]
    code.append("    return record")
    found: dict[str, Any] = {}
    exec(compile("\n".join(code), f"<_fusion/record {kinds}>", "exec"), _scope, found)
    return found["factory"]
