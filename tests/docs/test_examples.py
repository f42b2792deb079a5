"""The examples in the documents and in the docstrings give what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    path
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    if ">>>" in path.read_text(encoding="utf-8")
)
FLAGS = doctest.ELLIPSIS


def _run(test: doctest.DocTest) -> None:
    report: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert not report, "".join(report)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_documents(path, xp):
    # A fence ends the output that is expected before it, as a blank line does.
    text = re.sub(r"(?m)^```.*$", "", path.read_text(encoding="utf-8"))
    _run(doctest.DocTestParser().get_doctest(text, {}, path.name, str(path), 0))


def _modules() -> list[str]:
    import gpuarray

    # The emulator's rooms are large and their docstrings have no examples.
    return ["gpuarray"] + [
        found.name
        for found in pkgutil.walk_packages(gpuarray.__path__, "gpuarray.")
        if found.name != "gpuarray.__main__" and ".emulator" not in found.name
    ]


def test_docstrings():
    import numpy as np

    import gpuarray

    tried = 0
    for name in _modules():
        module = importlib.import_module(name)
        names = {"np": np, "cp": gpuarray, "gpuarray": gpuarray}
        finder = doctest.DocTestFinder(exclude_empty=True)
        for test in finder.find(module, extraglobs=names):
            if test.examples:
                _run(test)
                tried += 1
    assert tried, "no docstring has an example"
