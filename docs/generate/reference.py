"""The site's pages of public names, made from the package: one page a name, an index a namespace.

    python docs/generate/reference.py DIRECTORY

What there is follows from the modules' ``__all__``; their order and titles stand in reference.toml
beside this file. The main namespace is divided as NumPy's reference is: by the file that defines a
name.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent


class Name(NamedTuple):
    """A public name: where it is found, what it is, and the first sentence of its docstring."""

    full: str
    thing: Any

    @property
    def directive(self) -> str:
        """The directive of autodoc that documents it."""
        if inspect.isclass(self.thing):
            return "autoexception" if issubclass(self.thing, BaseException) else "autoclass"
        return "autofunction" if callable(self.thing) else "autodata"

    @property
    def summary(self) -> str:
        """The first sentence of the docstring."""
        paragraphs = (inspect.getdoc(self.thing) or "").strip().split("\n\n")
        first = paragraphs[0]
        if re.match(r"\w+\(.*\)$", first) and len(paragraphs) > 1:
            first = paragraphs[1]  # behind a signature, as NumPy writes it for ufuncs
        return _escaped(" ".join(first.split()))


def _escaped(text: str) -> str:
    """Text whose asterisks and bars mean themselves, outside of literals."""
    parts = re.split(r"(``.*?``|`[^`]+`)", text)
    return "".join([x if i % 2 else re.sub(r"([*|])", r"\\\1", x) for i, x in enumerate(parts)])


class Section(NamedTuple):
    """Names that are listed together."""

    title: str
    names: list[Name]


def documented(thing: Any) -> bool:
    """Whether a name has a page of ours; constants, modules and what is NumPy's have none."""
    if inspect.ismodule(thing) or isinstance(thing, (str, int, float, type(None))):
        return False
    module = getattr(thing, "__module__", None) or type(thing).__module__
    return module.split(".")[0] == "gpuarray" and callable(thing)


def names_of(module: Any) -> list[Name]:
    """The public names of a module that have pages."""
    listed = getattr(module, "__all__", None) or [x for x in dir(module) if not x.startswith("_")]
    found = [Name(f"{module.__name__}.{name}", getattr(module, name)) for name in sorted(listed)]
    return [name for name in found if documented(name.thing)]


def sections(module: Any, divisions: list[dict[str, Any]]) -> Iterator[Section]:
    """The names of a module; divided, if there are divisions, by the files that define them."""
    names = names_of(module)
    if not divisions:
        yield Section("", names)
        return
    left = {name.full: name for name in names}
    for division in divisions:
        chosen = [name for name in left.values() if _file_of(name.thing) in division["files"]]
        for name in chosen:
            del left[name.full]
        if chosen:
            yield Section(division["title"], chosen)
    if left:
        yield Section("Other names", list(left.values()))


def _file_of(thing: Any) -> str:
    """The module that defines a name, without the package; of a ufunc its page."""
    row = getattr(thing, "row", None)
    if row is not None:
        return "ufunc"
    return getattr(thing, "__module__", "").removeprefix("gpuarray.")


def _heading(text: str, line: str) -> list[str]:
    return [text, line * len(text), ""]


def page_of(name: Name) -> str:
    """The text of a name's page."""
    module, _, short = name.full.rpartition(".")
    lines = [*_heading(name.full, "="), f".. currentmodule:: {module}", ""]
    lines += [f".. {name.directive}:: {short}"]
    if inspect.isclass(name.thing):
        lines += [
            "   :members:",
            "   :inherited-members: object, Exception, BaseException, TestCase",
        ]
    # Nothing where no program of the gallery uses it.
    lines += ["", f".. minigallery:: {name.full}", "   :add-heading: Programs that use it"]
    lines += ["   :heading-level: -"]
    return "\n".join(lines) + "\n"


def index_of(title: str, module: str, found: list[Section]) -> str:
    """The text of a namespace's page."""
    lines = _heading(title, "=")
    text = (inspect.getdoc(importlib.import_module(module)) or "").split("\n\n")[0]
    lines += [f"``import {module}``", "", " ".join(text.split()), ""]
    for section in found:
        if section.title:
            lines += _heading(section.title, "-")
        lines += [".. list-table::", "   :widths: 30 70", "   :class: names", ""]
        for name in section.names:
            short = name.full.rpartition(".")[2]
            lines += [f"   * - :doc:`{short} <{name.full}>`", f"     - {name.summary}"]
        lines += [""]
    lines += [".. toctree::", "   :hidden:", ""]
    lines += [f"   {name.full}" for section in found for name in section.names]
    return "\n".join(lines) + "\n"


def write(directory: Path) -> None:
    """Write all pages."""
    table = tomllib.loads((HERE / "reference.toml").read_text("utf-8"))
    directory.mkdir(parents=True, exist_ok=True)
    indices = []
    for namespace in table["namespace"]:
        module = importlib.import_module(namespace["module"])
        found = list(sections(module, namespace.get("division", [])))
        index = f"index-{namespace['module']}"
        indices.append(index)
        _store(directory / f"{index}.rst", index_of(namespace["title"], module.__name__, found))
        for section in found:
            for name in section.names:
                _store(directory / f"{name.full}.rst", page_of(name))
    lines = [*_heading("Reference", "="), ".. toctree::", "   :maxdepth: 1", ""]
    pages = [*indices, "../differences"]
    _store(directory / "index.rst", "\n".join(lines + [f"   {page}" for page in pages]) + "\n")


def _store(path: Path, text: str) -> None:
    """Write a page, if it changed: Sphinx reads it again then."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1] / "src"))
    write(Path(sys.argv[1]))
