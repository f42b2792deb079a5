"""The architecture document lists the rooms that there are."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def _rooms() -> set[str]:
    """Files and folders at the top of the package, and the folders of kernels."""
    package = ROOT / "src" / "gpuarray"
    found = set()
    for entry in [*package.iterdir(), *(package / "kernels").iterdir()]:
        name = str(entry.relative_to(package))
        if entry.is_dir():
            if entry.name != "kernels" and [*entry.rglob("*.py"), *entry.glob("*.cuh")]:
                found.add(f"{name}/")
        elif entry.suffix in (".py", ".pyi"):
            found.add(name)
    return found


def test_every_room_is_listed():
    text = (ROOT / "docs" / "design" / "architecture.md").read_text(encoding="utf-8")
    table = re.search(r"(?ms)^\| room \|.*?\n\n", text)
    assert table is not None
    listed = re.findall(
        r"`([^`]+)`", " ".join(row.lstrip("|").split("|")[0] for row in table[0].split("\n|"))
    )
    assert sorted(listed) == sorted(_rooms())
