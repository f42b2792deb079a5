"""What a new process waits for: imports, the first result, a kernel that the cache lacks.

    python benchmarks/startup.py            the table
    python benchmarks/startup.py --imports  only what needs no device

Each figure comes from processes of its own. A cache is "cold" in a fresh directory, "warm" when a
process before it has filled the directory.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

_IMPORT = """
import time, numpy
before = time.perf_counter()
import {module}
print(time.perf_counter() - before)
"""

_FIRST_RESULT = """
import time
before = time.perf_counter()
import numpy, {module} as xp
a = xp.asarray(numpy.arange(16, dtype="f4"))
assert xp.asnumpy(a + a)[3] == 6
print(time.perf_counter() - before)
"""

# The first kernel opens the compiler and the second does not.
_COLD_KERNEL = """
import time, numpy, {module} as xp
a = xp.asarray(numpy.arange(16, dtype="f4"))
assert xp.asnumpy(a)[3] == 3
before = time.perf_counter()
assert xp.asnumpy(a + a)[3] == 6
first = time.perf_counter() - before
before = time.perf_counter()
assert xp.asnumpy(a * a)[3] == 9
second = time.perf_counter() - before
print({which})
"""


def _environment(cache: str, bytecode: str) -> dict[str, str]:
    # An installed package has its bytecode; here a directory that a first process fills stands
    # for that, for every module alike.
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {
        **inherited,
        "PYTHONPYCACHEPREFIX": bytecode,
        "GPUARRAY_CACHE_DIR": os.path.join(cache, "gpuarray"),
        "CUPY_CACHE_DIR": os.path.join(cache, "cupy"),
    }


def _seconds(script: str, environment: dict[str, str]) -> float:
    result = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    if result.returncode:
        raise RuntimeError(f"a measured process failed:\n{result.stderr[-2000:]}")
    return float(result.stdout.split()[-1])


def _median(script: str, repeats: int, cold: bool) -> float:
    times = []
    with tempfile.TemporaryDirectory(prefix="gpuarray-startup-") as shared:
        bytecode = os.path.join(shared, "bytecode")
        _seconds(script, _environment(shared, bytecode))
        for turn in range(repeats):
            cache = os.path.join(shared, str(turn)) if cold else shared
            times.append(_seconds(script, _environment(cache, bytecode)))
    return median(times)


def import_time(module: str, repeats: int = 7) -> float:
    """Seconds that importing `module` adds to importing NumPy."""
    return _median(_IMPORT.format(module=module), repeats, cold=False)


def measure(modules: Sequence[str], repeats: int = 5, *, device: bool = True) -> list[dict]:
    """Rows of name and seconds for each module."""
    rows = [("import, beside NumPy's", _IMPORT, {}, False)]
    if device:
        rows += [
            ("import and first a + b, warm cache", _FIRST_RESULT, {}, False),
            ("first kernel, cold cache", _COLD_KERNEL, {"which": "first"}, True),
            ("next kernel, cold cache", _COLD_KERNEL, {"which": "second"}, True),
        ]
    return [
        {
            "name": name,
            "seconds": {
                module: _median(script.format(module=module, **details), repeats, cold)
                for module in modules
            },
        }
        for name, script, details, cold in rows
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--imports", action="store_true", help="only the import times")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("modules", nargs="*", default=["gpuarray"])
    options = parser.parse_args()
    for row in measure(options.modules, options.repeats, device=not options.imports):
        figures = "  ".join(f"{m} {1e3 * s:.1f} ms" for m, s in row["seconds"].items())
        print(f"{row['name']:36}  {figures}")


if __name__ == "__main__":
    # so that the measured processes find a checkout that is not installed
    source = str(Path(__file__).resolve().parents[1] / "src")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), source]))
    main()
