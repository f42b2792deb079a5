"""The package's names: of the distribution, of its extras, and where its links lead."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import gpuarray
from gpuarray._version import DISTRIBUTION

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
TEXTS = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
    *Path(gpuarray.__file__).parent.rglob("*.py"),
    *ROOT.glob("examples/*.py"),
]


def test_the_distribution_has_one_name():
    assert PROJECT["project"]["name"] == DISTRIBUTION


def test_remedies_name_packages_and_extras_that_are_there():
    """On PyPI, `gpuarray` is another project."""
    extras = PROJECT["project"]["optional-dependencies"]
    for path in TEXTS:
        text = path.read_text("utf-8")
        assert not re.search(r"pip install[^\n]* ['\"]?gpuarray\b(?!-cuda)", text), path
        for named in re.findall(rf"{DISTRIBUTION}\[([\w,]+)\]", text):
            assert set(named.split(",")) <= set(extras), path


def test_links_of_the_readme_are_absolute_on_an_index():
    """The build puts the address of the repository before links into it."""
    hook = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    assert [part["path"] for part in hook["fragments"]] == ["README.md"]
    text = (ROOT / "README.md").read_text("utf-8")
    for change in hook["substitutions"]:
        text = re.sub(change["pattern"], change["replacement"], text)
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    assert links
    source = PROJECT["project"]["urls"]["Source"]
    assert all(link.startswith((f"{source}/blob/main/", "https://", "#")) for link in links)
    assert sum(link.startswith(source) for link in links) > 5
