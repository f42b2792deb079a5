"""``python -m gpuarray cache info|list|clear|export|import|warmup``."""

from __future__ import annotations

import argparse
import re
import sys
import time

from gpuarray._commands import terminal
from gpuarray.kernels.compiler import archive as cache_archive
from gpuarray.kernels.compiler.cache import CacheInfo, SharedInfo, default_cache
from gpuarray.kernels.compiler.entry import printable

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def _age(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d*)?)([smhdw])", text.strip().lower(), re.ASCII)
    if match is None or float(match[1]) == 0:
        raise ValueError(f"--older {text!r} is not an age: write 30d, 12h or 90m (s, m, h, d, w)")
    return float(match[1]) * _UNITS[match[2]]


def summary(state: CacheInfo) -> str:
    """One line about the cache."""
    if state.directory is None:
        reason = state.note or "GPUARRAY_CACHE_IN_MEMORY is set"
        return f"in memory only: {reason}"
    line = (
        f"{state.directory}: {_kernels(state.entries)}, {terminal.size(state.bytes)} "
        f"of at most {terminal.size(state.capacity)}"
    )
    return line if state.writable else f"{line}, not writable"


def _shared(state: SharedInfo) -> str:
    line = f"{state.directory}: {_kernels(state.entries)}, {terminal.size(state.bytes)}, read only"
    if state.distrusted:
        line += (
            f"; {state.distrusted:,} ignored, which belong to somebody else than you and root or "
            "which others can write"
        )
    return line


def _kernels(count: int) -> str:
    return "1 kernel" if count == 1 else f"{count:,} kernels"


def _since(seconds: float) -> str:
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            count = int(seconds // length)
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "now"


def run(options: argparse.Namespace) -> int:
    """Run one action and return the exit status."""
    actions = {
        "info": _info,
        "list": _list,
        "clear": _clear,
        "export": _export,
        "import": _import,
        "warmup": _warmup,
    }
    try:
        return actions[options.action](options)
    except (OSError, ValueError) as error:
        print(f"cache {options.action}: {error}", file=sys.stderr)
        return 1


def _info(options: argparse.Namespace) -> int:
    state = default_cache().info()
    print(summary(state))
    for directory in state.shared:
        print(_shared(directory))
    return 0


def _list(options: argparse.Namespace) -> int:
    cache = default_cache()
    rows = [["kernel", "for", "kind", "compiler", "size", "used", "key"]]
    if cache.shared:
        rows[0].append("in")
    now = time.time()
    for entry in cache.entries():
        label = entry.label
        if not cache_archive.selects(options.patterns, label.name, entry.key):
            continue
        row = [
            printable(label.name) or "?",
            printable(label.architecture),
            printable(entry.kind),
            printable(label.compiler.partition(" (")[0]),
            terminal.size(entry.bytes),
            _since(now - entry.used),
            entry.key[:12],
        ]
        rows.append([*row, printable(entry.directory)] if cache.shared else row)
    print(terminal.table(rows, left=4))
    return 0 if len(rows) > 1 or not options.patterns else 1


def _clear(options: argparse.Namespace) -> int:
    cache = default_cache()
    unused_for = _age(options.older) if options.older is not None else 0.0
    before = cache.info()
    cache.clear(unused_for)
    left = cache.info()
    print(f"removed {before.entries - left.entries:,} of {_kernels(before.entries)}")
    if left.entries and options.older is None:
        print(f"the others in {left.directory} could not be removed: check who owns it")
        return 1
    return 0


def _export(options: argparse.Namespace) -> int:
    count = cache_archive.write_archive(default_cache(), options.file, options.patterns)
    print(f"wrote {_kernels(count)} to {options.file}")
    return 0 if count else 1


def _import(options: argparse.Namespace) -> int:
    report = cache_archive.read_archive(default_cache(), options.file)
    for problem in report.problems:
        print(f"ignored {problem}", file=sys.stderr)
    print(
        f"imported {_kernels(report.imported)}; {report.present:,} were there, "
        f"{len(report.problems):,} ignored"
    )
    return 1 if report.problems else 0


def _warmup(options: argparse.Namespace) -> int:
    from gpuarray.cuda.compiler import warmup

    report = warmup(options.file, threads=options.threads, architecture=options.architecture)
    for name, error in report.failed:
        print(f"{printable(name)} does not compile: {printable(error)}", file=sys.stderr)
    print(
        f"compiled {_kernels(report.compiled)} in {report.seconds:.1f} s; "
        f"{report.found:,} were there, {len(report.failed):,} failed"
    )
    if report.outdated:
        print(f"{report.outdated:,} were recorded with another version of gpuarray: record again")
    return 1 if report.failed or report.outdated else 0
