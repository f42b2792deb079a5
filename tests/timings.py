"""Where the time of the tests goes: a plugin of pytest, and a table of what it wrote.

    pytest -p tests.timings --timings=FOLDER -n 2 -m "not slow"
    python -m tests.timings FOLDER --by function --top 60

Times are CPU seconds, which a loaded machine changes little: those of the process and of the
children that it waited for. Of them are told apart NVRTC, what the emulator makes of its PTX, and
running kernels. The first test that needs a kernel pays for it, in a session with a cache of its
own. Of the kernels that a row's tests *compile*, *only* counts those that no other row uses.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import hashlib
import json
import os
import resource
import sys
import time
from pathlib import Path

#: What is counted of a test, in seconds.
PARTS = ("cpu", "children", "nvrtc", "prepare", "run")


class Record:
    """What the process has done since the last test ended."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.file = (folder / f"{os.getpid()}.jsonl").open("a")
        self.begin = (0.0, 0.0)  # the first line is of what came before the first test
        self.forget()

    def forget(self) -> None:
        """Begin with nothing."""
        self.seconds = collections.Counter()
        self.compiled: dict[str, float] = {}
        self.used: set[str] = set()

    @staticmethod
    def _now() -> tuple[float, float]:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time(), children.ru_utime + children.ru_stime

    def write(self, test: str) -> None:
        """Add a line about the test that has ended."""
        now = self._now()
        cpu, children = (after - before for after, before in zip(now, self.begin, strict=True))
        seconds = {**self.seconds, "cpu": cpu, "children": children}
        line = {name: round(seconds.get(name, 0), 5) for name in PARTS}
        line |= {"test": test, "compiled": self.compiled, "used": sorted(self.used)}
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()
        self.begin = now
        self.forget()

    @contextlib.contextmanager
    def part(self, name: str):
        """Count the time of this thread in here for one part, and not for what surrounds it."""
        begin, inner = time.thread_time(), self.seconds.total()
        try:
            yield
        finally:
            inner = self.seconds.total() - inner
            self.seconds[name] += time.thread_time() - begin - inner


_record: Record | None = None


def pytest_addoption(parser):
    """Add the option."""
    parser.addoption(
        "--timings", metavar="FOLDER", default="timings", help="where to write, a file a process"
    )


def pytest_collection_finish(session):
    """Begin, in the processes that run tests."""
    global _record
    _record = Record(Path(session.config.getoption("--timings")).resolve())
    _record.write("collection")
    _watch(_record)


def pytest_runtest_logfinish(nodeid):
    """Note a test, in the process that ran it."""
    if _record is not None:
        _record.write(nodeid)


def _watch(record: Record) -> None:
    """Surround what is told apart. The package is imported here, not before it is configured."""
    from gpuarray._ffi import nvrtc
    from gpuarray._ffi.emulator import launches
    from gpuarray._ffi.emulator.simt.routine import Routine
    from gpuarray.kernels.compiler import compilation

    compile, run, emit = nvrtc.compile, launches.KernelLaunch.run, Routine._emit
    make_image = compilation._compile

    def timed_compile(*arguments, **options):
        with record.part("nvrtc"):
            return compile(*arguments, **options)

    def noted_image(*arguments):
        before = record.seconds["nvrtc"]
        image = make_image(*arguments)
        record.compiled[_digest(image.data)] = round(record.seconds["nvrtc"] - before, 5)
        return image

    def timed_run(self, machine):
        record.used.add(self.function.kernel.program.digest.hex()[:16])
        with record.part("run"):
            return run(self, machine)

    def timed_emit(self, checked):
        with record.part("prepare"):
            return emit(self, checked)

    nvrtc.compile = timed_compile
    compilation._compile = noted_image
    launches.KernelLaunch.run = timed_run
    Routine._emit = timed_emit


def _digest(image: bytes) -> str:
    """What `PTXProgram.digest` begins with for this image."""
    return hashlib.sha256(image.rstrip(b"\0")).hexdigest()[:16]


# ---- the table -----------------------------------------------------------------------------------


def group(test: str, rank: str) -> str:
    """The row of a test: its folder, file, function or itself."""
    path, _, name = test.partition("::")
    if rank == "folder":
        return str(Path(path).parent)
    if rank == "file":
        return path
    return test if rank == "test" else f"{path}::{name.partition('[')[0]}"


def table(lines: list[dict], rank: str) -> list[dict]:
    """A row for each group of tests, the dearest first."""
    rows: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    used: dict[str, set[str]] = collections.defaultdict(set)
    costs: dict[str, float] = {}
    for line in lines:
        name = group(line["test"], rank)
        row = rows[name]
        row.update({part: line[part] for part in PARTS})
        row["tests"] += 1
        row["compiles"] += len(line["compiled"])
        costs |= line["compiled"]
        used[name] |= {*line["used"], *line["compiled"]}
    users = collections.Counter(digest for digests in used.values() for digest in digests)
    for name, row in rows.items():
        row["total"] = row["cpu"] + row["children"]
        only = [digest for digest in used[name] if users[digest] == 1 and digest in costs]
        row["only"] = len(only)
        row["kernels"] = len(used[name])
    return [
        {"name": name, **row} for name, row in sorted(rows.items(), key=lambda x: -x[1]["total"])
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--by", choices=("folder", "file", "function", "test"), default="file")
    parser.add_argument("--top", type=int, default=50, help="how many rows")
    parser.add_argument("--match", default="", help="only tests with this in their names")
    options = parser.parse_args()
    files = [file for folder in options.folders for file in sorted(folder.glob("*.jsonl"))]
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    lines = [line for line in lines if options.match in line["test"]]
    columns = ("total", *PARTS, "tests", "compiles", "kernels", "only")
    rows = table(lines, options.by)
    total = {"name": "all", **{c: sum(row.get(c, 0) for row in rows) for c in columns}}
    out = sys.stdout.write
    out(" ".join(f"{c:>8}" for c in columns) + "  name\n")
    for row in [total, *rows[: options.top]]:
        cells = (row.get(c, 0) for c in columns)
        out(" ".join(f"{c:8.2f}" if isinstance(c, float) else f"{c:8d}" for c in cells))
        out(f"  {row['name']}\n")


if __name__ == "__main__":
    main()
