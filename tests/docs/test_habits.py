"""Habits of the project: subjects of commits, fragments of changes, the tools of CI."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
fault = runpy.run_path(str(ROOT / ".ci" / "commit_subject.py"))["fault"]


@pytest.mark.parametrize(
    "message",
    [
        "sparse: products of two matrices\n\nWhy.\n",
        "scipy.linalg, fft: names",
        "small matrices: one kernel",
        "Merge branch 'main'",
        'Revert "sparse: products"',
        "# a comment of git's\ntests: " + "x" * 65,
    ],
)
def test_subjects_that_are_right(message):
    assert fault(message) is None


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("", "begins with an area"),
        ("Products of sparse matrices", "begins with an area"),
        ("sparse:products", "begins with an area"),
        ("tests: " + "x" * 66, "73 characters"),
        ("tests: a point.", "full stop"),
        ("tests: one line\nand another", "is empty"),
    ],
)
def test_subjects_that_are_wrong(message, said):
    assert said in fault(message)


def test_fragments_of_changes_have_kinds():
    kinds = "|".join(kind["directory"] for kind in PROJECT["tool"]["towncrier"]["type"])
    for path in (ROOT / "changes").iterdir():
        if path.name != "README.md":
            assert re.fullmatch(rf"(\+[\w-]+|\d+)\.({kinds})\.md", path.name), path.name
            assert path.read_text("utf-8").strip(), path.name


def test_commits_are_checked_by_the_tools_of_ci():
    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    for requirement in PROJECT["dependency-groups"]["lint"]:
        assert f'additional_dependencies: ["{requirement}"]' in hooks
