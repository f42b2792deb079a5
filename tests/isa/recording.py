"""Files of results: every row's, in full or as digests small enough to be kept with the tests.

A digest file has 16 bits for each group of lanes of a row, which tell the group that differs; the
results of approximate instructions are kept in full, since they are compared with a tolerance.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.isa.comparison import Bound, unlike_recorded
from tests.isa.execution import FAMILIES, Outcome, rows_of
from tests.isa.rows import LANES, Row

#: Lanes of a digest.
GROUP = 8

#: The results of an H200 that the emulator is compared with.
HARDWARE = Path(__file__).with_name("h200.npz")


def digests(results: list[np.ndarray]) -> np.ndarray:
    """16 bits for each group of lanes, over all results."""
    lanes = [r.view(np.uint8).reshape(LANES // GROUP, -1) for r in results]
    together = np.concatenate(lanes, axis=1)
    return np.array([zlib.crc32(group.tobytes()) & 0xFFFF for group in together], np.uint16)


@dataclass
class Recording:
    """The results of a device, by family and row."""

    about: dict = field(default_factory=dict)
    full: dict[str, dict[str, list[np.ndarray]]] = field(default_factory=dict)
    digests: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)
    errors: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, family: str, outcome: Outcome) -> None:
        """Take the results of a family."""
        self.full[family] = outcome.results
        self.digests[family] = {name: digests(r) for name, r in outcome.results.items()}
        self.errors[family] = outcome.errors

    def unlike(
        self, family: str, row: Row, operands: list[np.ndarray], results: list[np.ndarray]
    ) -> np.ndarray | None:
        """Lanes that differ from this recording; None if it does not have the row."""
        if row.name in self.full.get(family, {}):
            return unlike_recorded(row, operands, results, self.full[family][row.name])
        if row.name in self.digests.get(family, {}):
            return (digests(results) != self.digests[family][row.name]).repeat(GROUP)
        return None

    def save(self, path: Path, everything: bool) -> None:
        """Write the file, with all results or only those that need to be there in full."""
        arrays: dict[str, np.ndarray] = {}
        index: dict = {"about": self.about, "errors": self.errors, "rows": {}, "full": {}}
        for family, found in self.digests.items():
            index["rows"][family] = list(found)
            if found:
                arrays[f"{family} digests"] = np.stack(list(found.values()))
            rows = {row.name: row for row in rows_of(family)}
            kept = [n for n in found if everything or isinstance(rows[n].compare, Bound)]
            index["full"][family] = kept
            for number, name in enumerate(kept):
                for k, result in enumerate(self.full[family][name]):
                    arrays[f"{family} {number} {k}"] = result
        arrays["index"] = np.frombuffer(json.dumps(index).encode(), np.uint8)
        np.savez_compressed(path, **arrays)

    @classmethod
    def load(cls, path: Path) -> Recording:
        """Read a file."""
        with np.load(path) as file:
            arrays = dict(file)
        index = json.loads(arrays["index"].tobytes())
        recording = cls(index["about"], errors=index["errors"])
        for family in (f for f in FAMILIES if f in index["rows"]):
            names = index["rows"][family]
            rows = arrays.get(f"{family} digests", ())
            recording.digests[family] = dict(zip(names, rows, strict=True))
            full: dict[str, list[np.ndarray]] = {}
            for number, name in enumerate(index["full"][family]):
                full[name] = []
                while (key := f"{family} {number} {len(full[name])}") in arrays:
                    full[name].append(arrays[key])
            recording.full[family] = full
        return recording
