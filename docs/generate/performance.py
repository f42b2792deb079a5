"""The tables and plots of docs/performance.md, of the figures in docs/figures.

    python benchmarks/peers.py --json peers.json
    python docs/generate/performance.py peers.json random.json ...

Each file is known by its name, which is that of a benchmark: `performance_tables.TABLES` lists
them (`random.json` is of benchmarks/random_numbers.py). It goes to docs/figures, with five digits a
figure, and everything is made anew: tables between ``<!-- name -->`` and ``<!-- end -->``, and
plots, which need matplotlib. What is written around them stays. Without an argument everything is
made of the files that are there.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(Path(__file__).resolve().parent)]

from performance_tables import (  # noqa: E402 - the path comes first
    LIBRARIES,
    TABLES,
    Row,
    random_rows,
    sparse_rows,
)

_COLOURS = {"gpuarray": "#2a6f4e", "cupy": "#7d7d7d", "torch": "#d98c5f", "numpy": "#5f7fd9"}
_MARKERS = {"cupy": "o", "torch": "s"}


def rounded(value: Any) -> Any:
    """Figures with five digits: more of them say nothing."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {name: rounded(x) for name, x in value.items()}
    return [rounded(x) for x in value] if isinstance(value, list) else value


def text_of(measured: dict[str, Any]) -> str:
    """JSON with a line for each row, so that changes are seen."""

    def lines(value: Any) -> str:
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return "[\n  " + ",\n  ".join(json.dumps(x) for x in value) + "\n ]"
        if isinstance(value, dict) and any(isinstance(x, dict) for x in value.values()):
            inner = [f"{json.dumps(name)}: {json.dumps(x)}" for name, x in value.items()]
            return "{\n  " + ",\n  ".join(inner) + "\n }"
        return json.dumps(value)

    members = [f" {json.dumps(name)}: {lines(value)}" for name, value in measured.items()]
    return "{\n" + ",\n".join(members) + "\n}\n"


def filled(text: str, tables: dict[str, str]) -> str:
    """A page with tables in their places.

    Raises
    ------
    ValueError
        If the page has no place for one.
    """
    for name, table in tables.items():
        text, found = re.subn(
            rf"(<!-- {re.escape(name)} -->\n).*?(\n<!-- end -->)",
            lambda match, table=table: match[1] + table + match[2],
            text,
            count=1,
            flags=re.DOTALL,
        )
        if not found:
            raise ValueError(f"the page has no place <!-- {name} --> ... <!-- end -->")
    return text


def page(text: str, figures: dict[str, Any]) -> str:
    """The page, made anew of all figures that there are."""
    for name, measured in figures.items():
        text = filled(text, TABLES[name](measured))
    return text


def plotted(figures: dict[str, Any]) -> dict[str, list[Row]]:
    """The plots by their files' names: what was measured, and microseconds of the libraries."""
    peers = figures.get("peers", {"rows": []})["rows"]
    plots = {"performance": [(row["name"], row["us"]) for row in peers if row["kind"] == "device"]}
    if "random" in figures:
        plots["performance-random"] = random_rows(figures["random"])
    if "sparse" in figures:
        plots["performance-sparse"] = sparse_rows(figures["sparse"])
    for name in ("ffts", "special"):
        if name in figures:
            plots[f"performance-{name}"] = list(figures[name]["device"].items())
    return plots


def plot(rows: list[Row], target: Path) -> None:
    """Times of the others as multiples of gpuarray's, on a logarithmic axis."""
    import matplotlib

    matplotlib.use("svg")
    # The same figures give the same file, and texts are texts.
    matplotlib.rcParams["svg.hashsalt"] = "gpuarray"
    matplotlib.rcParams["svg.fonttype"] = "none"
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    chosen = [(name, us) for name, us in rows if "gpuarray" in us and len(us) > 1][::-1]
    chosen = [(name, us) for name, us in chosen if set(us) & set(_MARKERS)]
    drawn, axes = plt.subplots(figsize=(9, 0.24 * len(chosen) + 1.2), layout="constrained")
    for library, marker in _MARKERS.items():
        places = [i for i, (_, us) in enumerate(chosen) if library in us]
        ratios = [us[library] / us["gpuarray"] for _, us in chosen if library in us]
        if places:
            axes.plot(
                ratios, places, marker, color=_COLOURS[library], markersize=5,
                label=LIBRARIES[library],
            )  # fmt: skip
            axes.hlines(places, 1, ratios, color=_COLOURS[library], linewidth=1, alpha=0.5)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator([0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.set_yticks(range(len(chosen)), [name for name, _ in chosen], fontsize=8)
    axes.set_xlabel("time as a multiple of gpuarray's (to the right gpuarray is faster)")
    axes.axvline(1, color=_COLOURS["gpuarray"], linewidth=1)
    axes.set_ylim(-0.8, len(chosen) - 0.2)
    axes.grid(axis="x", linewidth=0.3)
    axes.legend(loc="lower right", fontsize=8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    drawn.savefig(target, metadata={"Date": None})
    plt.close(drawn)


def read(folder: Path) -> dict[str, Any]:
    """The figures that there are, by the names of their files."""
    found = {}
    for name in TABLES:
        file = folder / f"{name}.json"
        if file.exists():
            found[name] = json.loads(file.read_text("utf-8"))
    return found


def main(arguments: list[str] | None = None, docs: Path = DOCS) -> int:
    """Take new files, and make the page and its plots anew."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="JSON")
    parser.add_argument("--no-plots", action="store_true", help="tables only")
    options = parser.parse_args(arguments)
    folder = docs / "figures"
    before = plotted(read(folder))
    for file in options.files:
        if file.stem not in TABLES:
            parser.error(f"{file.name}: a file is called after one of {', '.join(TABLES)}")
        measured = rounded(json.loads(file.read_text("utf-8")))
        TABLES[file.stem](measured)  # what is not such a file is refused before it is taken
        (folder / file.name).write_text(text_of(measured), "utf-8")
    figures = read(folder)
    path = docs / "performance.md"
    path.write_text(page(path.read_text("utf-8"), figures), "utf-8")
    if not options.no_plots:
        for name, rows in plotted(figures).items():
            target = docs / f"{name}.svg"
            if rows and (rows != before.get(name) or not target.exists()):
                plot(rows, target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
