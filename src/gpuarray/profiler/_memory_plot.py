"""A picture of the memory that a recording used."""

from __future__ import annotations

import os
from typing import Any

from gpuarray.profiler._memory_use import Holder, Peak, Use, peaks, uses
from gpuarray.profiler._recorder import Recorder

#: How many holders are named.
_HOLDERS = 5
_LONGEST = 90
_FILL, _LINE = "#76b900", "#30363d"


def plot(recorder: Recorder, path: str) -> None:
    """Draw the use of memory over time, and name the largest holders at each peak."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            "memory_timeline draws with matplotlib, which is not installed: "
            "pip install matplotlib (memory_peaks() has the numbers without it)"
        ) from None
    found = uses(recorder)
    figure = Figure(figsize=(9, 3.6 * max(len(found), 1)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(max(len(found), 1), squeeze=False)[:, 0]
    for axis, peak in zip(axes, peaks(recorder)):
        _draw(axis, found[peak.device], peak, recorder.began)
    # A date would make the same picture another file.
    metadata = {"Date": None} if path.lower().endswith(".svg") else None
    figure.savefig(os.fspath(path), dpi=150, metadata=metadata)


def _draw(axis: Any, points: list[Use], peak: Peak, began: int) -> None:
    times = [(point.time - began) * 1e-9 for point in points]
    unit, divisor = _unit(max(point.reserved for point in points))
    used = [point.used / divisor for point in points]
    reserved = [point.reserved / divisor for point in points]
    axis.step(times, reserved, where="post", color=_LINE, label="held by pools", linewidth=1)
    axis.fill_between(times, used, step="post", color=_FILL, label="in use", linewidth=0)
    axis.plot([peak.seconds], [peak.used / divisor], "o", color=_LINE, markersize=4)
    axis.set_ylim(bottom=0)
    axis.margins(x=0)
    axis.set_ylabel(f"device {peak.device}: {unit}")
    lines = [f"at the peak, {peak.used / divisor:.1f} {unit} after {peak.seconds:.3f} s:"]
    lines += [_line(holder, unit, divisor) for holder in peak.holders[:_HOLDERS]]
    if len(peak.holders) > _HOLDERS:
        rest = sum([holder.nbytes for holder in peak.holders[_HOLDERS:]])
        lines.append(f"{rest / divisor:10.1f} {unit}  {len(peak.holders) - _HOLDERS} others")
    # A dollar sign would begin a formula.
    text = "\n".join(lines).replace("$", r"\$")
    axis.set_xlabel(f"seconds\n\n{text}", loc="left", family="monospace", fontsize=8)
    axis.legend(loc="upper left", bbox_to_anchor=(0, 1.15), ncols=2, frameon=False)


def _line(holder: Holder, unit: str, divisor: int) -> str:
    file, *rest = (holder.line or "from before the recording").partition(", in ")
    who = os.path.basename(file) + "".join(rest)
    if len(who) > _LONGEST:
        who = f"{who[: _LONGEST - 3]}..."
    blocks = f" ({holder.blocks} blocks)" if holder.blocks > 1 else ""
    return f"{holder.nbytes / divisor:10.1f} {unit}  {who}{blocks}"


def _unit(most: int) -> tuple[str, int]:
    for unit, divisor in (("GiB", 1 << 30), ("MiB", 1 << 20)):
        if most >= divisor:
            return unit, divisor
    return "KiB", 1 << 10
