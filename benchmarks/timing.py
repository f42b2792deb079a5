"""How the benchmarks measure: device time by events, the cost of a call by the host's clock.

One event clock serves every library: they share the device's primary context, and each runs on a
stream whose handle is known.
"""

from __future__ import annotations

import gc
import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

Work = Callable[[], Any]

#: Calls between two synchronisations when the cost of a call is measured. The launch queue holds
#: 1024 launches; a full one would make the host wait for the device.
CALLS_A_BATCH = 200


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    repeats: int = 9
    batches: int = 41
    seconds_a_batch: float = 0.02

    @classmethod
    def quick(cls) -> Effort:
        return cls(repeats=3, batches=3, seconds_a_batch=0.002)


def _repeat(work: Work, count: int) -> None:
    for _ in itertools.repeat(None, count):
        work()


class DeviceClock:
    """Times work on a stream with a pair of CUDA events."""

    def __init__(self) -> None:
        from gpuarray._ffi import driver

        self._driver = driver
        self._events = driver.event_create(0), driver.event_create(0)

    def seconds(self, work: Work, count: int, stream: int) -> float:
        """Device time of one of `count` calls of `work`, issued together on `stream`."""
        start, end = self._events
        self._driver.event_record(start, stream)
        _repeat(work, count)
        self._driver.event_record(end, stream)
        self._driver.event_synchronize(end)
        return self._driver.event_elapsed_time(start, end) / 1e3 / count


def device_times(
    works: dict[str, tuple[Work, int]], synchronize: Work, effort: Effort
) -> dict[str, list[float]]:
    """Seconds a call on the device: for each name of (work, stream), one figure a repeat.

    The libraries take turns in each repeat, so that a drift of the clocks hits all alike.
    """
    clock = DeviceClock()
    counts = {}
    for name, (work, stream) in works.items():
        _repeat(work, 3)  # compile, fill the memory pool
        synchronize()
        once = clock.seconds(work, 2, stream)
        counts[name] = max(1, min(500, int(effort.seconds_a_batch / max(once, 1e-6))))
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(effort.repeats):
        for name, (work, stream) in works.items():
            times[name].append(clock.seconds(work, counts[name], stream))
    return times


def call_costs(
    works: dict[str, Work], synchronize: Work, effort: Effort, calls: int = CALLS_A_BATCH
) -> dict[str, list[float]]:
    """Seconds that a call keeps the host busy: for each name, one figure a batch.

    Nothing waits for the device within a batch; between batches everything does. The garbage
    collector rests, as in `timeit`.
    """
    for work in works.values():
        _repeat(work, 20)
        synchronize()
    times: dict[str, list[float]] = {name: [] for name in works}
    collected = gc.isenabled()
    gc.disable()
    try:
        for _ in range(effort.batches):
            for name, work in works.items():
                synchronize()
                before = time.perf_counter()
                _repeat(work, calls)
                times[name].append((time.perf_counter() - before) / calls)
    finally:
        if collected:
            gc.enable()
    synchronize()
    return times


def spread(times: Sequence[float]) -> tuple[float, float, float]:
    """Median, least and greatest."""
    return median(times), min(times), max(times)
