"""From a line of PTX to the line of CUDA C++ it comes from, where ``-lineinfo`` was given."""

from __future__ import annotations

import linecache
import pathlib
import re

_LOC = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)\s+\d+(.*inlined_at\s+(\d+)\s+(\d+))?")
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', re.M)
#: The device code of this package, which NVRTC knows by the names of its headers.
_OWN_HEADERS = pathlib.Path(__file__).resolve().parents[3] / "kernels" / "cuda"
_OWN_PREFIX = "gpuarray/"


def source_line(ptx: str, line: int) -> tuple[str, int] | None:
    """(file, line) of the CUDA source for a line of PTX, or None without ``-lineinfo``."""
    lines = ptx.splitlines()
    for text in reversed(lines[: line - 1]):
        match = _LOC.match(text)
        if match is not None:
            files = dict(_FILE.findall(ptx))
            return files.get(match[1], "?"), int(match[2])
        if text.startswith("{"):  # the beginning of the function
            return None
    return None


def text_of(file: str, line: int) -> str:
    """The source line itself, where the file can be read."""
    if _OWN_PREFIX in file:
        candidate = _OWN_HEADERS / file.rpartition(_OWN_PREFIX)[2]
        if candidate.is_file():
            file = str(candidate)
    return linecache.getline(file, line).strip()


def describe(ptx: str, line: int) -> tuple[str, tuple[str, int] | None]:
    """A text for both lines, and the CUDA source's file and line."""
    lines = ptx.splitlines()
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    where = f"PTX line {line}: {text}"
    found = source_line(ptx, line)
    if found is None:
        return where, None
    file, number = found
    quoted = text_of(file, number)
    return f"{file}:{number}{': ' + quoted if quoted else ''} ({where})", found
