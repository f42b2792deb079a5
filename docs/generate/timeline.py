"""The picture docs/profiling.svg: a trace of a small program on the emulator.

    GPUARRAY_BACKEND=emulator python docs/generate/timeline.py

The slices, arrows and bytes are those of the trace's file; a viewer shows the same.
"""

from __future__ import annotations

import html
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "src"))
PICTURE = HERE.parent / "profiling.svg"

WIDTH, LEFT, ROW, GAP = 960, 150, 22, 10
COLORS = {
    "range": "#d0d7de", "kernel": "#76b900", "copy": "#4a90d9", "wait": "#f2b134",
    "compile": "#b07cc6", "library": "#3a7d44", "graph": "#3a7d44",
}  # fmt: skip


def record() -> list[dict[str, Any]]:
    """Run the program and return the events of its trace."""
    import numpy as np

    import gpuarray as cp
    from gpuarray.profiler import time_range, trace

    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(2)]
    host = np.linspace(0, 1, 1 << 13, dtype=np.float32)

    def program() -> None:
        for number, stream in enumerate(streams):
            with stream, time_range(f"part {number}"):
                x = cp.asarray(host)
                for _ in range(2):
                    x = cp.sin(x) * 2
                x.get()

    program()  # what is compiled is compiled now
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        with trace(path):
            program()  # a trace has plans of its own, which are made now
            program()
        with open(path) as file:
            events = json.load(file)["traceEvents"]
    begins = [x["ts"] for x in events if x.get("cat") == "range" and x["name"] == "part 0"]
    return [x for x in events if x.get("ts", begins[-1]) >= begins[-1]]


def draw(events: list[dict[str, Any]]) -> str:
    """The picture of a trace."""
    slices = [x for x in events if x["ph"] == "X"]
    first = min(x["ts"] for x in slices)
    last = max(x["ts"] + x["dur"] for x in slices)
    scale = (WIDTH - LEFT - 20) / (last - first)

    def at(ts: float) -> float:
        return LEFT + (ts - first) * scale

    names = {
        (x["pid"], x["tid"]): x["args"]["name"] for x in events if x.get("name") == "thread_name"
    }
    tracks = sorted({(x["pid"], x["tid"]) for x in slices})
    parts, places = [], {}
    top = 10
    for number, track in enumerate(tracks):
        own = sorted(
            [x for x in slices if (x["pid"], x["tid"]) == track], key=lambda x: (x["ts"], -x["dur"])
        )
        host = track[0] == 1
        title = "host" if host else f"device 0, stream {number}"
        parts.append(_text(8, top + 15, title if not host else f"host, {names[track]}", "#24292f"))
        depth = 0
        open_ends: list[float] = []
        for x in own:
            while open_ends and open_ends[-1] <= x["ts"] + 1e-3:
                open_ends.pop()
            level = len(open_ends)
            open_ends.append(x["ts"] + x["dur"])
            depth = max(depth, level)
            y = top + level * ROW
            places[track, x["ts"]] = y
            parts.append(_slice(at(x["ts"]), y, max(x["dur"] * scale, 1), x))
        top += (depth + 1) * ROW + GAP
    starts = {x["id"]: x for x in events if x["ph"] == "s"}
    for end in [x for x in events if x["ph"] == "f"]:
        start = starts[end["id"]]
        y0 = places[(start["pid"], start["tid"]), start["ts"]] + ROW - 3
        y1 = places[(end["pid"], end["tid"]), end["ts"]]
        parts.append(
            f'<line x1="{at(start["ts"]):.1f}" y1="{y0}" x2="{at(end["ts"]):.1f}" y2="{y1}" '
            'stroke="#57606a" stroke-width="0.7"/>'
        )
    memory = [(x["ts"], x["args"]["used"]) for x in events if x["ph"] == "C"]
    most = max(used for _, used in memory)
    parts.append(_text(8, top + 25, f"memory, {most >> 10} KiB", "#24292f"))
    steps = []
    for (ts, used), (after, _) in zip(memory, [*memory[1:], (last, 0)]):
        y = top + 50 - 45 * used / most
        steps += [
            f"{at(min(max(ts, first), last)):.1f},{y:.1f}",
            f"{at(min(after, last)):.1f},{y:.1f}",
        ]
    points = " ".join([f"{LEFT},{top + 50}", *steps, f"{at(last):.1f},{top + 50}"])
    parts.append(f'<polygon points="{points}" fill="#d9ead3" stroke="#76b900"/>')
    top += 60
    length = f"{(last - first) / 1000:.1f} ms, on the emulator"
    parts.append(_text(LEFT, top + 10, length, "#57606a"))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top + 20}" '
        'font-family="sans-serif" font-size="11">\n<rect width="100%" height="100%" fill="#fff"/>\n'
    )
    return head + "\n".join(parts) + "\n</svg>\n"


def _slice(x: float, y: float, width: float, event: dict[str, Any]) -> str:
    fill = COLORS[event["cat"]]
    box = (
        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 3}" fill="{fill}" rx="2">'
        f"<title>{html.escape(event['name'])}, {event['dur']:.0f} µs</title></rect>"
    )
    name = event["name"].removeprefix("gpuarray_").partition("__")[0]
    if len(name) * 6 + 6 > width:
        return box
    return box + _text(x + 3, y + 14, name, "#24292f")


def _text(x: float, y: float, text: str, color: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}">{html.escape(text)}</text>'


if __name__ == "__main__":
    PICTURE.write_text(draw(record()), encoding="utf-8")
