"""How much memory of a device was used in a recording, when it was most, and who had it then."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gpuarray.profiler._recorder import Recorder


class Use(NamedTuple):
    """Bytes of a device at a time in ns: in use by arrays, and held by memory pools."""

    time: int
    used: int
    reserved: int


class Holder(NamedTuple):
    """A line of a program, and the memory that it had allocated.

    Attributes
    ----------
    line : str
        File, line and function, with the line's text; empty for what was there before.
    nbytes : int
        Bytes of all its blocks.
    blocks : int
        How many blocks these are; 0 where that is not known.
    """

    line: str
    nbytes: int
    blocks: int


class Peak(NamedTuple):
    """The greatest use of a device's memory.

    Attributes
    ----------
    device : int
        The device.
    seconds : float
        When, since the recording began.
    used, reserved : int
        Bytes that were in use, and that memory pools held.
    holders : tuple of Holder
        Who had them, the largest first.
    """

    device: int
    seconds: float
    used: int
    reserved: int
    holders: tuple[Holder, ...]


def uses(recorder: Recorder) -> dict[int, list[Use]]:
    """The use of each device's memory, at the start, after each change and at the end."""
    found: dict[int, list[Use]] = {
        device: [Use(recorder.began, *at_start)] for device, at_start in recorder.at_start.items()
    }
    for change in recorder.memory:
        points = found.setdefault(change.device, [Use(recorder.began, 0, 0)])
        _, used, reserved = points[-1]
        if change.kind in ("malloc", "free"):
            used = max(0, used + (change.size if change.kind == "malloc" else -change.size))
        else:
            reserved += change.size if change.kind == "reserve" else -change.size
        points.append(Use(change.time, used, reserved))
    for points in found.values():
        points.append(points[-1]._replace(time=recorder.ended))
    return found


def peaks(recorder: Recorder) -> list[Peak]:
    """The peak of each device."""
    found = []
    for device, points in uses(recorder).items():
        top = max(points, key=lambda point: point.used)
        seconds = (top.time - recorder.began) * 1e-9
        holders = _holders(recorder, device, top)
        found.append(Peak(device, seconds, top.used, top.reserved, holders))
    return found


def _holders(recorder: Recorder, device: int, top: Use) -> tuple[Holder, ...]:
    living: dict[int, tuple[str, int]] = {}  # address -> line, bytes
    for change in recorder.memory:
        if change.time > top.time:
            break
        if change.device != device:
            continue
        if change.kind == "malloc":
            living[change.address] = str(change.line or "a line of no program"), change.size
        elif change.kind == "free":
            living.pop(change.address, None)
    lines: dict[str, list[int]] = {}
    for line, size in living.values():
        lines.setdefault(line, []).append(size)
    holders = [Holder(line, sum(sizes), len(sizes)) for line, sizes in lines.items()]
    before = top.used - sum([holder.nbytes for holder in holders])
    if before > 0:
        holders.append(Holder("", before, 0))
    return tuple(sorted(holders, key=lambda holder: holder.nbytes, reverse=True))
