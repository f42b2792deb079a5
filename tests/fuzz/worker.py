"""A process that runs cases: it may crash, and the campaign goes on.

It reads tasks from its standard input and writes a reply for each to its standard output, JSON
a line. Which case it is at, it notes in a file that is mapped into memory, so that the campaign
knows after a crash.
"""

from __future__ import annotations

import faulthandler
import json
import mmap
import os
import struct
import sys
import time
import warnings
from typing import Any

import numpy as np

from tests.fuzz.case import Case, Interpreter, Outcome, as_python
from tests.fuzz.comparison import Difference, compare, fetch
from tests.fuzz.families import cases_of
from tests.fuzz.known import known_difference

#: How many cases run before their results are fetched: each fetch waits for the device.
BATCH = 24
#: Recipe, the case that runs, the first case that is not yet compared, a counter.
PROGRESS = struct.Struct("<qqqq")


class DeviceFault(Exception):
    """The device no longer works: the process has to end."""


class Runner:
    """Runs cases with both libraries and compares them.

    Parameters
    ----------
    progress : buffer, optional
        Where the present case is noted.
    """

    def __init__(self, progress: Any = None):
        import gpuarray

        self._library = gpuarray
        self._device = Interpreter(gpuarray)
        self._host = Interpreter(np)
        self._progress = progress if progress is not None else bytearray(PROGRESS.size)
        self._count = 0
        self.steps = 0

    def note(self, recipe: int, current: int, pending: int) -> None:
        """Note the case that runs."""
        self._count += 1
        PROGRESS.pack_into(self._progress, 0, recipe, current, pending, self._count)

    def differences(
        self, cases: list[Case], recipe: int = 0, first: int = 0, batch: int = BATCH
    ) -> list[tuple[Case, Difference]]:
        """Compare cases; return those that differ.

        Raises
        ------
        DeviceFault
            With the positions of the cases among which one broke the device.
        """
        found: list[tuple[Case, Difference]] = []
        for start in range(0, len(cases), batch):
            part = cases[start : start + batch]
            pending: list[tuple[Case, Outcome, Outcome]] = []
            for position, case in enumerate(part, start):
                self.note(recipe, first + position, first + start)
                try:
                    memories = [operand.memory() for operand in case.operands]
                    ours = self._device.run(case, memories)
                    pending.append((case, self._host.run(case, memories), ours))
                except Exception as error:  # the operands could not be made
                    if self._broken():
                        raise DeviceFault(first + start, first + position + 1) from error
                    found.append((case, Difference("operands", f"{type(error).__name__}: {error}")))
                self.steps += len(case.program) if case.stateful else 1
            found += self._compared(pending, first + start, first + start + len(part))
        return found

    def _compared(
        self, pending: list[tuple[Case, Outcome, Outcome]], start: int, stop: int
    ) -> list[tuple[Case, Difference]]:
        found = []
        for case, expected, actual in pending:
            try:
                fetched = Outcome(
                    fetch(actual.result, self._library.ndarray),
                    [
                        {name: fetch(x, self._library.ndarray) for name, x in memory.items()}
                        for memory in actual.memory
                    ],
                    actual.views,
                )
            except self._library.errors.CUDAError as error:
                if self._broken():
                    raise DeviceFault(start, stop) from error
                found.append((case, Difference("CUDA error", f"{error!s:.300}")))
                continue
            except Exception as error:  # a result that cannot be read
                if self._broken():
                    raise DeviceFault(start, stop) from error
                found.append((case, Difference(f"internal {type(error).__name__}", str(error))))
                continue
            difference = compare(case, expected, fetched)
            if difference is not None:
                if "CUDA" in difference.kind or "DriverError" in difference.kind:
                    if self._broken():
                        raise DeviceFault(start, stop)
                found.append((case, difference))
        if self._broken():  # by a launch that nothing has waited for
            raise DeviceFault(start, stop)
        return found

    def _broken(self) -> bool:
        try:
            return self._library.arange(3).get().tolist() != [0, 1, 2]
        except Exception:
            return True


def describe(case: Case, difference: Difference) -> dict[str, Any]:
    """What a report has of a difference."""
    known = known_difference(case, difference)
    return {
        "id": case.id,
        "family": case.family,
        "function": case.function,
        "kind": difference.kind,
        "detail": difference.detail,
        "known": known.name if known else "",
        "script": as_python(case),
    }


def prepare() -> None:
    """Silence the warnings of the oracle."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")


def main() -> None:
    """Serve tasks until the input ends."""
    faulthandler.enable()
    prepare()
    with open(sys.argv[1], "r+b") as file:
        progress = mmap.mmap(file.fileno(), PROGRESS.size)
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what cases print is no reply
    runner = Runner(progress)
    for line in sys.stdin:
        task = json.loads(line)
        reply = _shrunk(runner, task) if "shrink" in task else _answer(runner, task)
        replies.write(json.dumps(reply) + "\n")
        replies.flush()
        if "fault" in reply:
            os._exit(3)  # nothing of the device can be closed


def _answer(runner: Runner, task: dict[str, Any]) -> dict[str, Any]:
    begun, steps = time.perf_counter(), runner.steps
    numbers = range(task["first"], task["stop"])
    runner.note(task["recipe"], task["first"], task["first"])
    cases = cases_of(task["seed"], task["recipe"], numbers, task["sizes"], tuple(task["families"]))
    reply: dict[str, Any] = {"differences": []}
    try:
        found = runner.differences(
            cases, task["recipe"], task["first"], 1 if task["careful"] else BATCH
        )
    except DeviceFault as fault:
        reply["fault"] = list(fault.args)
        return reply
    reply["differences"] = [describe(case, difference) for case, difference in found]
    reply["cases"] = len(cases)
    reply["steps"] = runner.steps - steps
    reply["family"] = cases[0].family
    reply["seconds"] = time.perf_counter() - begun
    return reply


def _shrunk(runner: Runner, task: dict[str, Any]) -> dict[str, Any]:
    from tests.fuzz.shrinking import shrink

    _seed, recipe, number = map(int, task["shrink"].split("/"))
    runner.note(recipe, number, number)
    (case,) = cases_of(
        task["seed"], recipe, range(number, number + 1), task["sizes"], tuple(task["families"])
    )
    try:
        case, difference = shrink(case, runner)
    except DeviceFault as fault:
        return {"fault": list(fault.args)}
    if difference is None:
        return {"script": as_python(case), "detail": "not seen when it ran alone"}
    return {"script": as_python(case), "detail": difference.detail}


if __name__ == "__main__":
    main()
