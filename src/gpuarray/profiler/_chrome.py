"""A recording in the trace event format, which Perfetto and Chrome show."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from collections.abc import Iterator
from typing import Any

from gpuarray._version import __version__
from gpuarray.profiler._memory_use import Use, uses
from gpuarray.profiler._recorder import Recorder, Slice

#: The process in the trace that stands for the host; that of device i is i + 1 more.
_HOST = 1
_PHASE_COMPLETE = "X"


def write(recorder: Recorder, path: str) -> None:
    """Write a recording to a file, which is compressed if its name ends in ``.gz``."""
    content = json.dumps(
        {
            "traceEvents": list(_events(recorder)),
            "displayTimeUnit": "ns",
            "otherData": {"producer": f"gpuarray {__version__}"},
        },
        separators=(",", ":"),
    ).encode()
    if path.endswith(".gz"):
        content = gzip.compress(content)
    folder, name = os.path.split(os.path.abspath(path))
    handle, partial = tempfile.mkstemp(dir=folder, prefix=f".{name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(partial, 0o666 & ~mask)
        os.replace(partial, path)
    except BaseException:
        os.unlink(partial)
        raise


def _events(recorder: Recorder) -> Iterator[dict[str, Any]]:
    def micro(ns: int) -> float:
        return (ns - recorder.began) / 1000

    yield from _named("process", _HOST, 0, "host", 0)
    for number, name in recorder.threads.items():
        yield from _named("thread", _HOST, number, name, 0)
    for one in sorted(recorder.slices, key=lambda x: (x.start, -x.end)):
        yield _complete(one, micro)
        if one.flow:
            yield {
                "ph": "s", "id": one.flow, "name": "queued", "cat": "queued", "pid": _HOST,
                "tid": one.thread, "ts": micro(one.start),
            }  # fmt: skip
    for mark in recorder.marks:
        event: dict[str, Any] = {
            "ph": mark.phase, "name": mark.name, "cat": "range", "pid": _HOST,
            "tid": mark.thread, "ts": micro(mark.time), "args": _colored({}, mark.color),
        }  # fmt: skip
        if mark.phase == "i":
            event["s"] = "t"
        else:
            event["id"] = mark.number
        yield event
    yield from _device_events(recorder, micro)
    yield from _memory_events(recorder, micro)


def _named(what: str, process: int, thread: int, name: str, order: int) -> Iterator[dict[str, Any]]:
    place = {"ph": "M", "pid": process, "tid": thread}
    yield {**place, "name": f"{what}_name", "args": {"name": name}}
    yield {**place, "name": f"{what}_sort_index", "args": {"sort_index": order}}


def _complete(one: Slice, micro: Any) -> dict[str, Any]:
    return {
        "ph": _PHASE_COMPLETE, "name": one.name, "cat": one.category, "pid": _HOST,
        "tid": one.thread, "ts": micro(one.start), "dur": (one.end - one.start) / 1000,
        "args": _colored(one.details, one.color),
    }  # fmt: skip


def _colored(details: dict[str, Any], color: int | None) -> dict[str, Any]:
    return details if color is None else {**details, "color": f"#{color & 0xFFFFFF:06x}"}


def _device_events(recorder: Recorder, micro: Any) -> Iterator[dict[str, Any]]:
    """The slices of devices: a process for each device, a thread for each stream."""
    tracks: dict[tuple[int, tuple[int, int]], int] = {}
    ends: dict[int, int] = {}
    for work, start, end in sorted(recorder.device_work, key=lambda x: x[1]):
        place = work.device, work.track
        process = _HOST + 1 + work.device
        if place not in tracks:
            if not any(device == work.device for device, _ in tracks):
                yield from _named("process", process, 0, f"device {work.device}", process)
            tracks[place] = len(tracks) + 1
            yield from _named("thread", process, tracks[place], _stream_name(work.track), 0)
        track = tracks[place]
        # Work of a stream does not overlap, but for what events round.
        start = max(start, ends.get(track, start))
        ends[track] = end = max(start, end)
        yield {
            "ph": _PHASE_COMPLETE, "name": work.name, "cat": work.category, "pid": process,
            "tid": track, "ts": micro(start), "dur": (end - start) / 1000, "args": work.details,
        }  # fmt: skip
        yield {
            "ph": "f", "bp": "e", "id": work.flow, "name": "queued", "cat": "queued",
            "pid": process, "tid": track, "ts": micro(start),
        }  # fmt: skip


def _stream_name(track: tuple[int, int]) -> str:
    handle, thread = track
    if thread:
        return f"default stream of thread {thread}"
    if handle in (0, 1):
        return "default stream"
    return f"stream {handle:#x}"


def _memory_events(recorder: Recorder, micro: Any) -> Iterator[dict[str, Any]]:
    """Counters of each device, and a mark for each change."""
    for device, points in uses(recorder).items():
        for point in points:
            yield _counter(device, point, micro)
    for change in recorder.memory:
        details = {"bytes": change.size, "address": f"{change.address:#x}"}
        if change.line is not None:
            details["line"] = str(change.line)
        yield {
            "ph": "i", "s": "t", "name": change.kind, "cat": "memory", "pid": _HOST,
            "tid": change.thread, "ts": micro(change.time), "args": details,
        }  # fmt: skip


def _counter(device: int, point: Use, micro: Any) -> dict[str, Any]:
    return {
        "ph": "C", "name": "memory", "pid": _HOST + 1 + device, "ts": micro(point.time),
        "args": {"used": point.used, "reserved": point.reserved},
    }  # fmt: skip
