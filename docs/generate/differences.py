"""The page docs/differences.md: every public name of NumPy, CuPy and SciPy, and what it is here.

    python docs/generate/differences.py            write the page
    python docs/generate/differences.py --check    exit with 1 if the page is out of date

Which names there are stands in names.json beside this file; why one is absent, in absent.toml. How
one that is there differs is what its docstring says under "Differences from NumPy", "Differences
from CuPy" or "Differences from SciPy". Of SciPy there are the packages that gpuarray has.
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib
import inspect
import json
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "differences.md"
NAMES: dict[str, dict[str, list[str]]] = json.loads((HERE / "names.json").read_text("utf-8"))
_NOT_THERE = object()  # None is the value of newaxis
TITLES = {"numpy": "NumPy", "cupy": "CuPy", "scipy": "SciPy"}

_HEADING = """# Differences from NumPy, CuPy and SciPy

Every public name of NumPy {numpy}, of CuPy {cupy} and of SciPy's packages that are here ({scipy}),
and what it is in gpuarray. The page is made from the docstrings by
`python docs/generate/differences.py`; a test compares it with them.

What holds everywhere: results without dimensions are arrays in device memory, not scalars; operands
of a ufunc are in device memory or are Python's and NumPy's numbers, and a host array raises
`HostArrayError`; where elements are assigned to one place several times, any of them may stay;
strings and objects have no device form.

| namespace | names | here | of them with differences |
| --- | ---: | ---: | ---: |
{summary}
"""


class Absence(NamedTuple):
    """A reason, and the names that it holds for as patterns of full names."""

    reason: str
    names: list[str]


class Entry(NamedTuple):
    """A name of another library: whether it is here, and the text on what differs."""

    name: str
    there: bool
    difference: str


def absences() -> list[Absence]:
    """The reasons of absent.toml in order; the first that names something is its reason."""
    table = tomllib.loads((HERE / "absent.toml").read_text("utf-8"))
    return [Absence(entry["reason"], entry["names"]) for entry in table["absent"]]


def reason_for(full_name: str) -> Absence | None:
    """Why a name such as ``numpy.char.add`` is absent."""
    for absence in absences():
        if any(fnmatch.fnmatchcase(full_name, pattern) for pattern in absence.names):
            return absence
    return None


def here(namespace: str) -> Any:
    """What stands for a namespace or class of NumPy, CuPy or SciPy in gpuarray, or None."""
    library, *parts = namespace.split(".")
    if library == "scipy":
        parts = ["scipy", *parts]
    if library == "cupyx" and parts[:1] not in (["scipy"], ["jit"], ["profiler"], ["linalg"], []):
        parts = ["x", *parts]
    target: Any = importlib.import_module("gpuarray")
    for part in parts:
        found = getattr(target, part, None)
        if found is None and inspect.ismodule(target):
            try:
                found = importlib.import_module(f"{target.__name__}.{part}")
            except ImportError:
                return None
        if found is None:
            return None
        target = found
    return target


def instance(namespace: str) -> Any:
    """An object of a class some of whose attributes only its objects have."""
    import gpuarray as cp

    match namespace:
        case "cupy.ElementwiseKernel":
            return cp.ElementwiseKernel("T x", "T y", "y = x")
        case "cupy.ReductionKernel":
            return cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0")
        case "cupy.RawKernel":
            return cp.RawKernel("", "f")
        case "cupy.RawModule":
            return cp.RawModule(code="")
        case "cupy.vectorize":
            return cp.vectorize(abs)
        case "cupy.cuda.PinnedMemoryPointer":
            return cp.cuda.alloc_pinned_memory(1)
        case "cupy.cuda.memory_hooks.DebugPrintHook":
            return cp.cuda.memory_hooks.DebugPrintHook()
        case "cupy.cuda.runtime.PointerAttributes":
            return cp.cuda.runtime.PointerAttributes(0, 0, 0)
    return None


def difference(thing: Any, title: str) -> str:
    """The section of a docstring on what differs from a library, as one paragraph."""
    if not (callable(thing) or isinstance(thing, property)):
        return ""
    lines = inspect.cleandoc(getattr(thing, "__doc__", None) or "").splitlines()
    title = f"Differences from {title}"
    if title not in lines:
        return ""
    start = lines.index(title) + 2
    text = []
    for number, line in enumerate(lines[start:], start):
        if number + 1 < len(lines) and re.fullmatch("-{3,}", lines[number + 1]):
            break
        text.append(line.strip())
    return " ".join(filter(None, text)).replace("|", "\\|")


def entries(library: str, namespace: str) -> list[Entry]:
    """The names of one namespace."""
    target = here(namespace)
    one = instance(namespace)
    title = TITLES[library]
    found = []
    for name in NAMES[library][namespace]:
        # An attribute of a class is looked up without calling what computes it.
        get = inspect.getattr_static if inspect.isclass(target) else getattr
        thing = _NOT_THERE if target is None else get(target, name, _NOT_THERE)
        there = thing is not _NOT_THERE or (one is not None and name in dir(one))
        # What a class declares, its objects have.
        there = there or any(
            name in vars(cls).get("__annotations__", {}) for cls in getattr(target, "__mro__", ())
        )
        found.append(Entry(name, there, difference(thing, title) if there else ""))
    return found


def sections(library: str) -> Iterator[tuple[str, list[Entry]]]:
    """The namespaces of a library with their names; of CuPy those that the others have not."""
    for namespace in NAMES[library]:
        found = entries(library, namespace)
        if library == "cupy":
            others = NAMES["numpy"].get(namespace.replace("cupy", "numpy", 1), [])
            others = others + NAMES["scipy"].get(namespace.removeprefix("cupyx."), [])
            found = [entry for entry in found if entry.name not in others]
        if found:
            yield namespace, found


def _quoted(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _section(library: str, namespace: str, found: list[Entry]) -> list[str]:
    lines = [f"### {namespace}", ""]
    same = [entry.name for entry in found if entry.there and not entry.difference]
    if same:
        lines += [f"As {TITLES[library]}'s: {_quoted(same)}.", ""]
    by_text = defaultdict(list)
    for entry in found:
        if entry.difference:
            by_text[entry.difference].append(entry.name)
    if by_text:
        lines += ["| name | what differs |", "| --- | --- |"]
        lines += [f"| {_quoted(names)} | {text} |" for text, names in by_text.items()]
        lines += [""]
    by_reason = defaultdict(list)
    for entry in found:
        if not entry.there:
            absence = reason_for(f"{namespace}.{entry.name}")
            by_reason[absence.reason if absence else "no reason is known"].append(entry.name)
    for reason, names in by_reason.items():
        lines += [f"Absent, {reason}: {_quoted(names)}.", ""]
    return lines


def page() -> str:
    """The text of the page."""
    summary, body = [], []
    versions = NAMES["versions"]
    for library, title in TITLES.items():
        body += [f"## {title}", ""]
        for namespace, found in sections(library):
            there = [entry for entry in found if entry.there]
            differing = [entry for entry in there if entry.difference]
            anchor = re.sub(r"[^\w\- ]", "", namespace.lower())
            cells = (f"[{namespace}](#{anchor})", len(found), len(there), len(differing))
            summary.append("| " + " | ".join(map(str, cells)) + " |")
            body += _section(library, namespace, found)
    head = _HEADING.format(summary="\n".join(summary), **versions)
    return head + "\n" + "\n".join(body).rstrip() + "\n"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Write docs/differences.md from the docstrings.")
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    arguments = parser.parse_args(words)
    text = page()
    if arguments.check:
        return int(PAGE.read_text("utf-8") != text)
    PAGE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1] / "src"))
    sys.exit(main(sys.argv[1:]))
