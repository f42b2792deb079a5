"""From a line of PTX to the line of CUDA C++ it comes from, where ``-lineinfo`` was given."""

from __future__ import annotations

import functools
import linecache
import os
import pathlib
import re

_LOC = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)\s+\d+(?:.*inlined_at\s+(\d+)\s+(\d+))?")
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', re.M)
#: The device code of this package, which NVRTC knows by the names of its headers.
_KERNELS = pathlib.Path(__file__).resolve().parents[3] / "kernels"
_OWN_PREFIX = "gpuarray/"
#: Where NVRTC declares CUDA's functions: nobody can read it.
_BUILTIN = "__nv_nvrtc_builtin_header.h"


def _real(file: str) -> str:
    """NVRTC puts the current directory before the names of headers in memory."""
    if _OWN_PREFIX in file:
        for candidate in _KERNELS.glob(f"*/{file.rpartition(_OWN_PREFIX)[2]}"):
            return str(candidate)
    return file


@functools.lru_cache(4096)
def source_lines(ptx: str, line: int) -> tuple[tuple[str, int], ...]:
    """(file, line) of the CUDA source for a line of PTX; empty without ``-lineinfo``.

    For code of an inlined function the line that it was inlined at follows.
    """
    for text in reversed(ptx.splitlines()[: line - 1]):
        match = _LOC.match(text)
        if match is not None:
            files = dict(_FILE.findall(ptx))
            if files.get(match[1], "").endswith(_BUILTIN):
                continue  # the line before it is the one that called the function
            found = [(_real(files.get(match[1], "?")), int(match[2]))]
            if match[3]:
                found.append((_real(files.get(match[3], "?")), int(match[4])))
            return tuple(found)
        if text.startswith("{"):  # the beginning of the function
            break
    return ()


def text_of(file: str, line: int) -> str:
    """The source line itself, where the file can be read."""
    # A source in memory has a name without a directory, and linecache looks for such names.
    return linecache.getline(file, line).strip() if os.path.isabs(file) else ""


def _in_ptx(ptx: str, line: int) -> str:
    lines = ptx.splitlines()
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    return f"PTX line {line}: {' '.join(text.split())}"


def _in_source(found: tuple[tuple[str, int], ...]) -> tuple[str, str]:
    """The CUDA line with its text, and where its function was inlined."""
    file, number = found[0]
    quoted = text_of(file, number)
    inlined = "".join(f", inlined at {file}:{number}" for file, number in found[1:])
    return f"{file}:{number}{': ' + quoted if quoted else ''}", inlined


def named(ptx: str, line: int) -> str:
    """The CUDA line of a line of PTX, or else the PTX line."""
    found = source_lines(ptx, line)
    return "".join(_in_source(found)) if found else _in_ptx(ptx, line)


def describe(ptx: str, line: int) -> tuple[str, tuple[str, int] | None]:
    """A text that names the CUDA and the PTX line, and the CUDA source's file and line."""
    where = _in_ptx(ptx, line)
    found = source_lines(ptx, line)
    if not found:
        return where, None
    text, inlined = _in_source(found)
    return f"{text} ({where}{inlined})", found[0]


def key_of(ptx: str, line: int):
    """The key of a code location in findings: its CUDA lines, or else its PTX line."""
    return source_lines(ptx, line) or line
