"""The figures of docs/performance.md from what the benchmarks measured.

    python benchmarks/peers.py --json peers.json
    python benchmarks/matrix.py --json matrix.json
    python benchmarks/functions.py --json functions.json
    python benchmarks/report.py peers.json matrix.json functions.json

A file that is not given stays as docs/performance.json has it. Tables stand between
`<!-- name -->` and `<!-- end -->`; what is written around them stays. The plot
(docs/performance.svg) needs matplotlib.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

_DOCS = Path(__file__).resolve().parents[1] / "docs"
_PEERS = ("gpuarray", "cupy", "torch")
#: What each benchmark's file is known by.
_FILES = {"peers": "startup", "matrix": "of_copy", "functions": "device_us"}
_COLOURS = {"gpuarray": "#2a6f4e", "cupy": "#b5b5b5", "torch": "#d98c5f"}


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def _peers(rows: list[dict[str, Any]], kind: str) -> str:
    head = ["call" if kind == "call" else "work", "gpuarray", "CuPy", "PyTorch"]
    head += ["of CuPy's"] if kind == "call" else ["of the copy"]
    head += ["at most", ""]
    lines = []
    for row in rows:
        if row["kind"] != kind:
            continue
        us = row["us"]
        if kind == "call":
            both = "gpuarray" in us and "cupy" in us
            share = f"{us['gpuarray'] / us['cupy']:.2f}" if both else ""
        else:
            share = f"{100 * row['of_copy']:.0f} %" if row["of_copy"] else ""
        met = {None: "", True: "", False: "missed"}[row["met"]]
        cells = [_figure(us.get(name)) for name in _PEERS]
        lines.append([f"`{row['name']}`", *cells, share, _figure(row["target_us"]), met])
    return _table(head, lines)


def _startup(rows: list[dict[str, Any]]) -> str:
    def milliseconds(row: dict[str, Any], name: str) -> str:
        return _figure(1e3 * row["seconds"][name]) if name in row["seconds"] else ""

    return _table(
        ["", "gpuarray", "CuPy"],
        [
            [row["name"], *(milliseconds(row, name) for name in ("gpuarray", "cupy"))]
            for row in rows
        ],
    )


def _rates(of_copy: dict[str, dict[str, dict[str, float]]]) -> str:
    dtypes = list(dict.fromkeys(d for row in of_copy.values() for d in row))

    def cell(rates: dict[str, float]) -> str:
        ours, theirs = (f"{100 * rates[n]:.0f}" if n in rates else "–" for n in _PEERS[:2])
        return f"{ours} ({theirs})"

    rows = [
        [f"`{name}`", *(cell(row.get(d, {})) for d in dtypes)]
        for name, row in of_copy.items()
        if row
    ]
    return _table(["work", *dtypes], rows)


def _small(small: dict[str, dict[str, dict[str, float]]], launches: dict[str, list[int]]) -> str:
    sizes = list(dict.fromkeys(size for row in small.values() for size in row))

    def cell(times: dict[str, float]) -> str:
        ours, theirs = (_figure(times[n]) if n in times else "–" for n in _PEERS[:2])
        return f"{ours} ({theirs})"

    rows = [
        [
            f"`{name}`",
            *(cell(row.get(s, {})) for s in sizes),
            ", ".join(map(str, dict.fromkeys(launches.get(name, [])))),
        ]
        for name, row in small.items()
        if row
    ]
    return _table(["function", *(f"{int(size):,}" for size in sizes), "launches"], rows)


def _functions(measured: dict[str, Any]) -> str:
    """The geometric means, then every call."""
    lines = []
    for kind, title in (("device_us", "Device time"), ("call_us", "The cost of a call")):
        of_kind = measured[kind]
        if of_kind["geometric_mean"] is None:  # one of the libraries was not there
            continue
        slower = [f"`{name}` ({ratio:.2f})" for name, ratio in of_kind["slower"].items()]
        lines.append(
            f"{title}: over {of_kind['rows']} rows the geometric mean is "
            f"{of_kind['geometric_mean']:.2f} times CuPy's speed; slower than CuPy's: "
            f"{', '.join(slower) or 'none'}.\n"
        )

    def cells(row: dict[str, Any], kind: str) -> list[str]:
        ours, theirs = (row.get(kind, {}).get(name) for name in _PEERS[:2])
        both = ours is not None and theirs is not None
        return [_figure(ours), _figure(theirs), _figure(theirs / ours) if both else ""]

    rows = [
        [f"`{row['name']}`", *cells(row, "device_us"), *cells(row, "call_us"), _launches(row)]
        for row in measured["rows"]
    ]
    head = ["call", "device, µs", "CuPy", "ratio", "call, µs", "CuPy", "ratio", "launches"]
    return "\n".join([*lines, _table(head, rows)])


def _launches(row: dict[str, Any]) -> str:
    return str(row.get("launches", ""))


def _plot(rows: list[dict[str, Any]], target: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "gpuarray"  # the same figures give the same file
    import matplotlib.pyplot as plt

    chosen = [row for row in rows if row["kind"] == "device" and "gpuarray" in row["us"]][::-1]
    figure, axes = plt.subplots(figsize=(9, 0.34 * len(chosen) + 1.2))
    height = 0.27
    for k, name in enumerate(_PEERS):
        places = [i + (1 - k) * height for i, row in enumerate(chosen) if name in row["us"]]
        speeds = [row["us"]["gpuarray"] / row["us"][name] for row in chosen if name in row["us"]]
        label = {"cupy": "CuPy", "torch": "PyTorch"}.get(name, name)
        axes.barh(places, speeds, height, color=_COLOURS[name], label=label)
    axes.set_yticks(range(len(chosen)), [row["name"] for row in chosen], fontsize=8)
    axes.set_xlabel("speed relative to gpuarray (longer is faster)")
    axes.axvline(1, color="#2a6f4e", linewidth=0.6)
    axes.set_ylim(-0.6, len(chosen) - 0.4)
    axes.legend(loc="lower right", fontsize=8, frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(target, metadata={"Date": None})


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="JSON")
    options = parser.parse_args()
    kept = json.loads((_DOCS / "performance.json").read_text())
    given = set()
    for file in options.files:
        measured = json.loads(file.read_text())
        name = next(name for name, key in _FILES.items() if key in measured)
        kept[name] = measured
        given.add(name)
    peers, matrix = kept["peers"], kept["matrix"]
    machine = ", ".join(f"{key} {value}" for key, value in peers["machine"].items())
    rate = peers["copy_bytes_per_s"]["cuMemcpyDtoD"] / 1e12
    tables = {
        "machine": f"{machine}. A device-to-device copy of 400 MB ran at {rate:.2f} TB/s.",
        "calls": _peers(peers["rows"], "call"),
        "device": _peers(peers["rows"], "device"),
        "startup": _startup(peers["startup"]),
        "matrix": _rates(matrix["of_copy"]),
        "small": _small(matrix["small_us"], matrix.get("small_launches", {})),
    }
    if "functions" in kept:
        tables["functions"] = _functions(kept["functions"])
    page = _DOCS / "performance.md"
    text = page.read_text()
    for name, table in tables.items():
        text, found = re.subn(
            rf"(<!-- {name} -->\n).*?(\n<!-- end -->)",
            lambda match, table=table: match[1] + table + match[2],
            text,
            count=1,
            flags=re.S,
        )
        if not found:
            print(f"{page} has no place for the table {name!r}", file=sys.stderr)
            return 1
    page.write_text(text)
    (_DOCS / "performance.json").write_text(json.dumps(kept) + "\n")
    if "peers" in given:
        _plot(peers["rows"], _DOCS / "performance.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
