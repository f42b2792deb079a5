"""``python -m gpuarray cache info|list|clear``."""

from __future__ import annotations

import time

from gpuarray._commands import terminal
from gpuarray.kernels.cache import CacheInfo, default_cache


def summary(state: CacheInfo) -> str:
    """One line about the cache."""
    if state.directory is None:
        reason = state.note or "GPUARRAY_CACHE_IN_MEMORY is set"
        return f"in memory only: {reason}"
    kernels = "1 kernel" if state.entries == 1 else f"{state.entries:,} kernels"
    line = (
        f"{state.directory}: {kernels}, {terminal.size(state.bytes)} "
        f"of at most {terminal.size(state.capacity)}"
    )
    return line if state.writable else f"{line}, not writable"


def _age(seconds: float) -> str:
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            count = int(seconds // length)
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "now"


def run(action: str) -> int:
    """Run one action and return the exit status."""
    cache = default_cache()
    if action == "info":
        print(summary(cache.info()))
    elif action == "list":
        rows = [["kernel", "for", "kind", "compiler", "size", "used", "key"]]
        now = time.time()
        for entry in cache.entries():
            label = entry.label
            rows.append(
                [
                    label.name or "?",
                    label.architecture,
                    label.kind,
                    label.compiler,
                    terminal.size(entry.bytes),
                    _age(now - entry.used),
                    entry.key[:12],
                ]
            )
        print(terminal.table(rows, left=4))
    else:
        before = cache.info()
        cache.clear()
        left = cache.info()
        print(f"removed {before.entries - left.entries:,} of {before.entries:,} kernels")
        if left.entries:
            print(f"the others in {left.directory} could not be removed: check who owns it")
            return 1
    return 0
