"""The time of a function on the host and on devices."""

from __future__ import annotations

import math
import operator
import time
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device
from gpuarray._runtime.event import Event, get_elapsed_time


class BenchmarkResult:
    """What `benchmark` has measured. As text, it is a line with means and extremes.

    Attributes
    ----------
    name : str
        What was timed.
    cpu_times : numpy.ndarray
        Seconds that each call took on the host, shape (n_repeat,).
    gpu_times : numpy.ndarray
        Seconds between the beginning and the end of each call's work on each device, shape
        (n_devices, n_repeat).
    devices : tuple of int
        The numbers of the devices.
    """

    def __init__(
        self,
        name: str,
        cpu_times: np.ndarray,
        gpu_times: np.ndarray,
        devices: tuple[int, ...],
    ):
        self.name = name
        self.cpu_times = cpu_times
        self.gpu_times = gpu_times
        self.devices = devices

    def to_str(self, show_gpu: bool = False) -> str:
        """The result as a line.

        Parameters
        ----------
        show_gpu : bool, optional
            Whether the times of the devices are in it.

        Returns
        -------
        str
            Microseconds: the mean, and of several calls the standard deviation, the least and the
            greatest.
        """
        parts = [_described("CPU", self.cpu_times)]
        if show_gpu:
            parts += [
                _described(f"GPU-{device}", times)
                for device, times in zip(self.devices, self.gpu_times)
            ]
        return f"{self.name:<20s}:{' '.join(parts)}"

    def __str__(self) -> str:
        return self.to_str(show_gpu=True)

    __repr__ = __str__


def _described(name: str, seconds: np.ndarray) -> str:
    """The statistics of one row, in CuPy's format."""
    times = seconds * 1e6
    text = f"    {name}:{times.mean():9.3f} us"
    if times.size > 1:
        text += f"   +/-{times.std():6.3f} (min:{times.min():9.3f} / max:{times.max():9.3f}) us"
    return text


def benchmark(
    func: Callable[..., Any],
    args: tuple = (),
    kwargs: Mapping[str, Any] = {},  # CuPy's default, which is only read
    n_repeat: int = 10000,
    *,
    name: str | None = None,
    n_warmup: int = 10,
    max_duration: float = math.inf,
    devices: tuple[int, ...] | None = None,
) -> BenchmarkResult:
    """Time the calls of a function on the host and on devices.

    The time on a device is that between two events on its current stream, recorded before and
    behind the call. Each call begins when the one before has ended on all the devices.

    Parameters
    ----------
    func : callable
        What is timed.
    args : tuple, optional
        Its arguments.
    kwargs : dict, optional
        Its arguments by name.
    n_repeat : int, optional
        How many calls are timed.
    name : str, optional
        The name in the result; the function's own by default.
    n_warmup : int, optional
        How many calls come before, and are not timed.
    max_duration : float, optional
        Seconds after which no further call begins; there is at least one.
    devices : tuple of int, optional
        The devices that are timed; the current one by default.

    Returns
    -------
    BenchmarkResult
        With the arrays ``cpu_times`` and ``gpu_times``.

    Raises
    ------
    ValueError
        If an argument has another type than that, or there is nothing to time.

    See Also
    --------
    trace : What a program spends its time on.

    Notes
    -----
    On the emulator, the times of the device are those that the emulator takes. They say nothing
    about a GPU.

    Examples
    --------
    >>> from gpuarray.profiler import benchmark
    >>> result = benchmark(cp.sqrt, (cp.arange(10.0),), n_repeat=3)
    >>> result.cpu_times.shape, result.gpu_times.shape
    ((3,), (1, 3))
    >>> print(result)  # doctest: +SKIP
    sqrt                :    CPU:    8.432 us   +/- 0.310 (min:    8.113 / max:    9.521) us ...
    """
    if not callable(func):
        raise ValueError(f"benchmark: func must be callable, not {type(func).__name__}")
    if name is None:
        name = getattr(func, "__name__", type(func).__name__)
    if devices is None:
        devices = (current.stream.device.id,)
    for argument, value, type_ in (
        ("args", args, tuple),
        ("kwargs", kwargs, Mapping),
        ("name", name, str),
        ("max_duration", max_duration, Real),
        ("devices", devices, tuple),
    ):
        if not isinstance(value, type_):
            raise ValueError(
                f"benchmark: {argument} must be a {type_.__name__.lower()}, "
                f"not {type(value).__name__}"
            )
    n_repeat = _count("n_repeat", n_repeat, 1)
    n_warmup = _count("n_warmup", n_warmup, 0)
    timed = [Device(device) for device in devices]
    starts, ends = _events(timed), _events(timed)
    # A result is kept until an event is recorded: what is only recorded of it would never run else.
    for _ in range(n_warmup):
        result = func(*args, **kwargs)
        _record(ends)
        del result
    _record(starts)
    for event in starts:
        event.synchronize()
    cpu_times: list[float] = []
    gpu_times: list[list[float]] = []
    duration = 0.0
    for _ in range(n_repeat):
        _record(starts)
        before = time.perf_counter()
        result = func(*args, **kwargs)
        after = time.perf_counter()
        _record(ends)
        del result
        for event in ends:
            event.synchronize()
        cpu_times.append(after - before)
        gpu_times.append([get_elapsed_time(a, b) * 1e-3 for a, b in zip(starts, ends)])
        duration += time.perf_counter() - before
        if duration > max_duration:
            break
    on_devices = np.array(gpu_times, np.float64).reshape(len(cpu_times), len(timed)).T
    return BenchmarkResult(
        name, np.array(cpu_times, np.float64), on_devices, tuple([x.id for x in timed])
    )


def _count(argument: str, value: Any, least: int) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        raise ValueError(
            f"benchmark: {argument} must be an integer, not {type(value).__name__}"
        ) from None
    if count < least:
        raise ValueError(f"benchmark: {argument} must be at least {least}, got {count}")
    return count


def _events(devices: list[Device]) -> list[Event]:
    events = []
    for device in devices:
        with device:
            events.append(Event())
    return events


def _record(events: list[Event]) -> None:
    """Record each event on the current stream of its device."""
    for event in events:
        if event.device is current.stream.device:
            event.record()
        else:
            with event.device:
                event.record()
