"""What a campaign found, counted and grouped by cause."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.fuzz.case import as_python
from tests.fuzz.families import cases_of


class Report:
    """Counts of cases, and differences by function and kind."""

    #: Ids of cases that are kept for a cause.
    EXAMPLES = 5

    def __init__(self, settings: Any):
        self._settings = settings
        self.cases = self.steps = self.restarts = self.given_up = 0
        self.seconds = self.busy_seconds = 0.0
        self.families: Counter[str] = Counter()
        self.known: Counter[str] = Counter()
        self.known_examples: dict[str, str] = {}
        self.causes: dict[tuple[str, str], dict[str, Any]] = {}
        self.kernels = 0
        self._begun = 0.0

    def begin(self) -> None:
        """Start the clock."""
        self.kernels = compiled_kernels()
        self._begun = time.perf_counter()

    def elapsed(self) -> float:
        """Seconds since the campaign began."""
        return time.perf_counter() - self._begun

    def end(self) -> None:
        """Stop the clock."""
        self.seconds = self.elapsed()
        self.kernels = compiled_kernels() - self.kernels

    def add(self, reply: dict[str, Any]) -> None:
        """Count what a worker has run."""
        self.cases += reply["cases"]
        self.steps += reply["steps"]
        self.busy_seconds += reply["seconds"]
        self.families[reply["family"]] += reply["cases"]
        for difference in reply["differences"]:
            if difference["known"]:
                self.known[difference["known"]] += 1
                self.known_examples.setdefault(difference["known"], difference["id"])
            else:
                self._found(difference)

    def died(self, id: str, kind: str, last_words: str) -> None:
        """Count a case that ended its process."""
        _seed, recipe, number = map(int, id.split("/"))
        settings = self._settings
        (case,) = cases_of(
            settings.seed, recipe, range(number, number + 1), settings.sizes, settings.families
        )
        self.restarts += 1
        self.cases += 1
        self.families[case.family] += 1
        self._found({
            "id": id, "family": case.family, "function": case.function, "kind": kind,
            "detail": last_words, "script": as_python(case),
        })  # fmt: skip

    def _found(self, difference: dict[str, Any]) -> None:
        key = difference["function"], difference["kind"]
        cause = self.causes.get(key)
        if cause is None:
            cause = self.causes[key] = {
                "function": key[0], "kind": key[1], "family": difference["family"], "count": 0,
                "examples": [], "detail": difference["detail"], "script": difference["script"],
            }  # fmt: skip
        cause["count"] += 1
        if len(cause["examples"]) < self.EXAMPLES:
            cause["examples"].append(difference["id"])

    def examples(self) -> list[dict[str, Any]]:
        """Causes whose first case can be shortened, the most frequent first."""
        return [x for x in self._sorted() if not x["kind"].startswith(("crash", "hang", "exit"))]

    def _sorted(self) -> list[dict[str, Any]]:
        return sorted(self.causes.values(), key=lambda x: -x["count"])

    @property
    def findings(self) -> int:
        """How many cases differ and are not known to."""
        return sum(cause["count"] for cause in self.causes.values())

    def as_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "settings": self._settings._asdict(),
            "cases": self.cases, "steps": self.steps, "findings": self.findings,
            "causes": len(self.causes), "seconds": round(self.seconds, 1),
            "seconds_of_workers": round(self.busy_seconds, 1), "restarts": self.restarts,
            "given_up": self.given_up, "compiled_kernels": self.kernels, "families": dict(self.families),
            "kinds": dict(Counter({
                kind: sum(x["count"] for x in self.causes.values() if x["kind"] == kind)
                for kind in sorted({x["kind"] for x in self.causes.values()})
            }).most_common()),
            "known": {
                name: {"count": count, "example": self.known_examples[name]}
                for name, count in self.known.most_common()
            },
            "found": self._sorted(),
        }  # fmt: skip

    def write(self, path: Path) -> None:
        """Write the report as JSON."""
        path.write_text(json.dumps(self.as_dict(), indent=1) + "\n")

    def text(self, most: int = 60) -> str:
        """The report for people: counts, then a reproducer for each cause."""
        lines = [
            f"{self.cases:,} cases ({self.steps:,} comparisons) in {self.seconds:.0f} s",
            f"{self.kernels:,} images of kernels, {self.restarts} processes lost",
            f"{self.given_up:,} cases given up after processes that died of the same recipe",
            ", ".join(f"{name} {count:,}" for name, count in self.families.most_common()),
            f"intended differences: {sum(self.known.values()):,}",
            *(f"    {count:7,}  {name} (such as {self.known_examples[name]})"
              for name, count in self.known.most_common()),
            f"findings: {self.findings:,} of {len(self.causes)} causes",
        ]  # fmt: skip
        for cause in self._sorted()[:most]:
            lines.append("")
            lines.append(f"{cause['count']:7,}  {cause['function']}: {cause['kind']}")
            lines.append(f"    {cause['detail'].strip()[:400]}")
            lines.append(f"    cases {', '.join(cause['examples'])}")
            lines += ["        " + line[:400] for line in cause["script"].splitlines()]
        if len(self.causes) > most:
            lines.append(f"\n{len(self.causes) - most} more causes are in the JSON report")
        return "\n".join(lines)


def compiled_kernels() -> int:
    """How many images the kernel cache has (for the emulator, two for each kernel)."""
    directory = os.environ.get("GPUARRAY_CACHE_DIR")
    return sum(1 for _ in Path(directory).rglob("*.image")) if directory else 0
