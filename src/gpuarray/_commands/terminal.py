"""What the commands print with: tables, a progress bar, numbers with units."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TextIO, TypeVar

T = TypeVar("T")

_BAR_WIDTH = 30


def table(rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Align `rows` in columns; the first row is the header, the first `left` columns are text."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]

    def line(row: Sequence[str]) -> str:
        cells = [
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths))
        ]
        return "  ".join(cells).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([line(rows[0]), rule, *(line(row) for row in rows[1:])])


def progress(items: Sequence[T], names: Sequence[str], stream: TextIO | None = None) -> Iterator[T]:
    """Yield `items`, showing how far it is: a bar on a terminal, else a line for each item."""
    stream = sys.stderr if stream is None else stream
    bar = stream.isatty()
    for done, (item, name) in enumerate(zip(items, names)):
        if bar:
            filled = _BAR_WIDTH * done // len(items)
            shape = "#" * filled + "." * (_BAR_WIDTH - filled)
            # \x1b[K clears what a longer name left behind
            stream.write(f"\r[{shape}] {done}/{len(items)} {name}\x1b[K")
        else:
            stream.write(f"{done + 1}/{len(items)} {name}\n")
        stream.flush()
        yield item
    if bar:
        stream.write("\r\x1b[K")
        stream.flush()


def size(count: int) -> str:
    """A number of bytes for reading: ``size(3 << 20) == '3.0 MiB'``."""
    amount = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if amount < 1024:
            return f"{count} bytes" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} TiB"


def seconds(duration: float) -> str:
    """A duration with three digits and a fitting unit: ``seconds(0.00123) == '1.23 ms'``."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if duration * factor >= 1 or unit == "µs":
            value = duration * factor
            digits = 0 if value >= 100 else 1 if value >= 10 else 2
            return f"{value:.{digits}f} {unit}"
    raise AssertionError("unreachable: the last unit always fits")
