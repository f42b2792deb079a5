"""The page of differences is what the docstrings and the table of absences say."""

from __future__ import annotations

import fnmatch
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def differences():
    path = ROOT / "docs" / "generate" / "differences.py"
    spec = importlib.util.spec_from_file_location("differences", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def absent(differences):
    return {
        f"{namespace}.{entry.name}"
        for library in differences.TITLES
        for namespace, found in differences.sections(library)
        for entry in found
        if not entry.there
    }


def test_page_is_up_to_date(differences):
    assert differences.PAGE.read_text("utf-8") == differences.page(), (
        "run python docs/generate/differences.py"
    )


def test_each_absent_name_has_a_reason(differences, absent):
    assert [name for name in sorted(absent) if differences.reason_for(name) is None] == []


def test_each_reason_is_of_an_absent_name(differences, absent):
    patterns = [name for absence in differences.absences() for name in absence.names]
    unused = [one for one in patterns if not fnmatch.filter(absent, one)]
    assert unused == []
