"""A run of many cases in several processes, which may crash or hang."""

from __future__ import annotations

import json
import mmap
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.fuzz.report import Report
from tests.fuzz.worker import PROGRESS

_ROOT = Path(__file__).parents[2]


class Settings(NamedTuple):
    """What a campaign runs."""

    cases: int
    seed: int = 0
    jobs: int = 1
    #: Cases of a recipe: the more, the fewer kernels are compiled for as many cases.
    repeat: int = 8
    sizes: str = "small"
    families: tuple[str, ...] = ()
    #: Which recipes and cases, where not all of them run: the ids of single cases.
    only: tuple[str, ...] = ()
    #: How long a case may take (s).
    hang_seconds: float = 300
    #: After this time (s) no recipe is begun any more (0: no limit).
    seconds: float = 0
    #: How many causes are shortened to a reproducer.
    shrink: int = 40
    #: Tasks after which a process is replaced, since kernels stay loaded.
    tasks_of_a_process: int = 200
    #: Deaths of processes after which the rest of a recipe is given up; a hang counts twice.
    deaths_of_a_recipe: int = 3


class Process:
    """A worker and the file in which it notes the present case."""

    def __init__(self, directory: Path, name: str):
        self._file = directory / f"{name}.progress"
        self._file.write_bytes(bytes(PROGRESS.size))
        self._log_path = directory / f"{name}.log"
        self._log = self._log_path.open("w")
        with self._file.open("r+b") as file:
            self._progress = mmap.mmap(file.fileno(), PROGRESS.size)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.worker", str(self._file)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True, cwd=_ROOT,
        )  # fmt: skip
        self._replies: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.tasks = 0

    def _read(self) -> None:
        for line in self._process.stdout:
            self._replies.put(line)
        self._replies.put("")

    def progress(self) -> tuple[int, int, int, int]:
        """Recipe, present case, first case that was not compared, and a counter."""
        return PROGRESS.unpack_from(self._progress, 0)

    def ask(self, task: dict[str, Any], hang_seconds: float) -> dict[str, Any]:
        """Send a task; return the reply, or ``{'died': why}`` if none came."""
        self.tasks += 1
        try:
            self._process.stdin.write(json.dumps(task) + "\n")
            self._process.stdin.flush()
        except OSError:
            pass
        seen, since = self.progress()[3], time.monotonic()
        while True:
            try:
                line = self._replies.get(timeout=5)
            except queue.Empty:
                if self.progress()[3] != seen:
                    seen, since = self.progress()[3], time.monotonic()
                elif time.monotonic() - since > hang_seconds:
                    self._process.send_signal(signal.SIGABRT)  # prints where it hangs
                    self._process.wait(60)
                    return {"died": "hang"}
                continue
            if line:
                return json.loads(line)
            status = self._process.wait()
            return {"died": "crash" if status < 0 else "exit", "status": status}

    def last_words(self) -> str:
        """The end of what it wrote to its standard error."""
        self._log.flush()
        return self._log_path.read_text(errors="replace")[-2000:]

    def end(self, how: int = signal.SIGTERM) -> None:
        """End it."""
        if self._process.poll() is None:
            self._process.send_signal(how)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._log.close()
        self._log_path.unlink(missing_ok=True)


class Campaign:
    """Runs the cases of its settings; the report has what was found."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self.report = Report(settings)
        self._lock = threading.Lock()
        self._tasks: Iterator[tuple[int, int, int]] = self._recipes()
        self._stop = False

    def _recipes(self) -> Iterator[tuple[int, int, int]]:
        settings = self.settings
        if settings.only:
            for id in settings.only:
                _seed, recipe, number = map(int, id.split("/"))
                yield recipe, number, number + 1
            return
        for recipe, done in enumerate(range(0, settings.cases, settings.repeat)):
            yield recipe, 0, min(settings.repeat, settings.cases - done)

    def run(self) -> Report:
        """Run all cases, then shorten the causes found to reproducers."""
        self.report.begin()
        with tempfile.TemporaryDirectory(prefix="gpuarray-fuzz-") as directory:
            self._in_threads(self._work, Path(directory))
            self.report.end()
            self._examples = iter(self.report.examples()[: self.settings.shrink])
            self._in_threads(self._shrink, Path(directory))
        return self.report

    def _in_threads(self, target, directory: Path) -> None:
        threads = [
            threading.Thread(target=target, args=(directory, f"{target.__name__}{number}"))
            for number in range(self.settings.jobs)
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt:
            self._stop = True
            for thread in threads:
                thread.join()

    def _work(self, directory: Path, name: str) -> None:
        process = None
        while not self._stop:
            with self._lock:
                task = next(self._tasks, None)
            if task is None or self._out_of_time():
                break
            parts, deaths = [(*task, False)], 0
            while parts and not self._stop:
                if process is None or process.tasks >= self.settings.tasks_of_a_process:
                    if process is not None:
                        process.end()
                    process = Process(directory, name)
                recipe, first, stop, careful = parts.pop()
                reply = process.ask(
                    self._task(recipe, first, stop, careful), self.settings.hang_seconds
                )
                if "died" not in reply and "fault" not in reply:
                    with self._lock:
                        self.report.add(reply)
                    continue
                parts += self._after_a_death(process, reply, recipe, first, stop, careful)
                process.end(signal.SIGKILL)
                process = None
                deaths += 2 if reply.get("died") == "hang" else "died" in reply or careful
                if deaths >= self.settings.deaths_of_a_recipe:
                    with self._lock:
                        self.report.given_up += sum(stop - first for _, first, stop, _ in parts)
                    break
        if process is not None:
            process.end()

    def _out_of_time(self) -> bool:
        limit = self.settings.seconds
        return bool(limit) and self.report.elapsed() > limit

    def _task(self, recipe: int, first: int, stop: int, careful: bool) -> dict[str, Any]:
        settings = self.settings
        return {
            "seed": settings.seed, "recipe": recipe, "first": first, "stop": stop, "careful": careful,
            "sizes": settings.sizes, "families": settings.families,
        }  # fmt: skip

    def _after_a_death(self, process, reply, recipe, first, stop, careful) -> list[tuple]:
        """Note what the process died of; return which cases are still to run."""
        _recipe, current, pending, _count = process.progress()
        if "fault" in reply:
            begin, end = reply["fault"]
            if not careful and end - begin > 1:
                # One of these broke the device: one at a time.
                return [(recipe, end, stop, False)] * (end < stop) + [(recipe, begin, end, True)] + (
                    [(recipe, first, begin, False)] * (first < begin))  # fmt: skip
            kind, current, pending = "device fault", begin, begin
        else:
            kind = reply["died"] + (f" {-reply['status']}" if reply.get("status", 0) < 0 else "")
        with self._lock:
            self.report.died(f"{self.settings.seed}/{recipe}/{current}", kind, process.last_words())
        before = [(recipe, pending, current, False)] if pending < current else []
        if first < pending:
            before.append((recipe, first, pending, False))
        after = [(recipe, current + 1, stop, careful)] if current + 1 < stop else []
        return after + before

    def _shrink(self, directory: Path, name: str) -> None:
        process = None
        while not self._stop:
            with self._lock:
                cause = next(self._examples, None)
            if cause is None:
                break
            if process is None:
                process = Process(directory, name)
            task = self._task(0, 0, 0, False) | {"shrink": cause["examples"][0]}
            reply = process.ask(task, self.settings.hang_seconds)
            if "script" in reply:
                with self._lock:
                    cause["script"], cause["detail"] = reply["script"], reply["detail"]
            else:
                process.end(signal.SIGKILL)
                process = None
        if process is not None:
            process.end()
