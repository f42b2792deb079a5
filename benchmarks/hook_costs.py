"""What memory, pinned memory and small copies cost by themselves and with hooks, beside CuPy's.

    python benchmarks/hook_costs.py              the table
    python benchmarks/hook_costs.py --json FILE  and the figures as JSON

Each row is the host's time for a call, a median over batches, with the least and the greatest; the
libraries take turns. Without a hook an allocation and a launch should cost what they did before
there were hooks, and the rows behind the hooked ones what the first ones cost. CuPy has no
`FunctionHook`; it is left out where it is not installed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "src"))

import numpy as np

from benchmarks import libraries
from benchmarks.stream_costs import print_table
from benchmarks.timing import Effort, Work, call_costs, spread

_CALLS = 100
_BYTES = 1024


def works_of(xp: Any) -> dict[str, Work]:
    """The rows without hooks, in CuPy's names."""
    a, b = xp.ones(_BYTES // 4, "f4"), xp.ones(_BYTES // 4, "f4")
    pointer, source = xp.cuda.alloc(_BYTES), xp.cuda.alloc(_BYTES)
    host = np.zeros(_BYTES, "u1")
    pinned = xp.cuda.alloc_pinned_memory(_BYTES)
    address, pinned_address = host.ctypes.data, pinned.ptr
    # Defaults keep what has these addresses.
    return {
        "empty": lambda: xp.empty(_BYTES, "u1"),
        "a + b": lambda: a + b,
        "cuda.alloc": lambda: xp.cuda.alloc(_BYTES),
        "pointer + 4": lambda: pointer + 4,
        "alloc_pinned_memory": lambda: xp.cuda.alloc_pinned_memory(_BYTES),
        "1 KB, copy_from_host": lambda host=host: pointer.copy_from_host(address, _BYTES),
        "1 KB, copy_to_host": lambda: pointer.copy_to_host(address, _BYTES),
        "1 KB, copy_from_host_async, pinned": lambda pinned=pinned: pointer.copy_from_host_async(
            pinned_address, _BYTES
        ),
        "1 KB, copy_to_host_async, pinned": lambda: pointer.copy_to_host_async(
            pinned_address, _BYTES
        ),
        "1 KB, copy_from_device_async": lambda: pointer.copy_from_device_async(source, _BYTES),
        "1 KB, memset_async": lambda: pointer.memset_async(0, _BYTES),
    }


def hooks_of(xp: Any) -> dict[str, Any]:
    """The hooks, by what the rows inside of them are called."""
    found = {
        "MemoryHook": xp.cuda.MemoryHook(),
        "LineProfileHook": xp.cuda.memory_hooks.LineProfileHook(),
    }
    if hasattr(xp.cuda, "FunctionHook"):
        found["FunctionHook"] = xp.cuda.FunctionHook()
    return found


def measure(effort: Effort) -> dict[str, dict[str, tuple[float, ...]]]:
    """Median, least and greatest seconds a call, by row and library."""
    found, missing = libraries.available(("gpuarray", "cupy"))
    for name, reason in missing.items():
        print(f"{name} is left out: {reason}")
    modules = {name: library.module for name, library in found.items()}
    works = {name: works_of(module) for name, module in modules.items()}
    hooks = {name: hooks_of(module) for name, module in modules.items()}
    synchronize = modules["gpuarray"].cuda.Device().synchronize
    figures: dict[str, dict[str, tuple[float, ...]]] = {}

    def take(title: str, row: str, names: list[str]) -> None:
        of_row = {name: works[name][row] for name in names}
        costs = call_costs(of_row, synchronize, effort, _CALLS)
        figures[title] = {name: spread(times) for name, times in costs.items()}

    for row in works["gpuarray"]:
        take(row, row, [*works])
    for hook in hooks["gpuarray"]:
        names = [name for name in hooks if hook in hooks[name]]
        with contextlib.ExitStack() as entered:
            for name in names:
                entered.enter_context(hooks[name][hook])
            for row in ("empty", "a + b"):
                take(f"in {hook}: {row}", row, names)
    for row in ("empty", "a + b"):
        take(f"behind the hooks: {row}", row, [*works])
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--json", metavar="FILE", help="write the figures here as well")
    options = parser.parse_args()
    figures = measure(Effort.quick() if options.quick else Effort())
    print_table(figures)
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
