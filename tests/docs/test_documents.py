"""Links lead somewhere; every document can be reached; what is public is documented."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def _prose(path: Path) -> str:
    """The document without its code."""
    text = re.sub(r"(?ms)^```.*?^```", "", path.read_text(encoding="utf-8"))
    return re.sub(r"`[^`]*`", "", text)


def _links(path: Path) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", _prose(path))


def _anchors(path: Path) -> set[str]:
    headings = re.findall(r"(?m)^#+ +(.+)$", path.read_text(encoding="utf-8"))
    return {
        re.sub(r"[^\w\- ]", "", heading.lower().replace("`", "")).strip().replace(" ", "-")
        for heading in headings
    }


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links(path):
    for link in _links(path):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), f"{path.name} links to {link}, which is not there"
        if anchor and target.suffix == ".md":
            assert anchor in _anchors(target), f"{path.name}: {target.name} has no #{anchor}"


def test_every_document_can_be_reached():
    reached = {ROOT / "README.md"}
    waiting = list(reached)
    while waiting:
        path = waiting.pop()
        for link in _links(path):
            target = (path.parent / link.partition("#")[0]).resolve()
            if target.suffix == ".md" and target.exists() and target not in reached:
                reached.add(target)
                waiting.append(target)
    assert set(DOCUMENTS) <= reached


def _public():
    import gpuarray

    for name in gpuarray.__all__:
        thing = getattr(gpuarray, name)
        # dtypes, constants and modules are documented where they come from
        ours = getattr(thing, "__module__", "").split(".")[0] == "gpuarray"
        if callable(thing) and (ours or type(thing).__module__.startswith("gpuarray")):
            yield f"gpuarray.{name}", thing
        if inspect.isclass(thing) and ours:
            for key, member in vars(thing).items():
                if not key.startswith("_") and (callable(member) or isinstance(member, property)):
                    yield f"gpuarray.{name}.{key}", member


def _fault(thing) -> str | None:
    text = inspect.getdoc(thing) or ""
    summary = text.strip().split("\n\n")[0].strip()
    if not summary:
        return "has no docstring"
    first = summary.splitlines()[0]
    # NumPy's convention for functions that are not written in Python: the signature first.
    if re.match(r"\w+\(.*\)$", first):
        summary = text.strip().split("\n\n")[1] if "\n\n" in text.strip() else ""
    if not summary.rstrip().endswith((".", ":", "?")):
        return "does not start with a sentence"
    return None


def test_public_names_are_documented():
    faults = [f"{name} {fault}" for name, thing in _public() if (fault := _fault(thing))]
    assert not faults, "\n".join(faults)


def _passages(path: Path) -> set[str]:
    """The longer sentences of a document, and its code, four lines at a time."""
    text = path.read_text(encoding="utf-8")
    prose = re.sub(r"(?ms)^```.*?^```", "\n\n", text)
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n|\n(?=[*|#])", prose)]
    sentences = [s for part in paragraphs for s in re.split(r"(?<=[.:;]) ", part)]
    found = {s for s in sentences if len(s) > 70 and not s.startswith("|")}
    for block in re.findall(r"(?ms)^```.*?^```", text):
        lines = [line for line in block.splitlines()[1:-1] if line.strip()]
        found |= {"\n".join(lines[i : i + 4]) for i in range(len(lines) - 3)}
    return found


def test_no_page_repeats_another():
    pages: dict[str, Path] = {}
    repeated = []
    for path in (ROOT / "docs").rglob("*.md"):
        for passage in _passages(path):
            if pages.setdefault(passage, path) != path:
                repeated.append(f"{path.name} and {pages[passage].name}: {passage}")
    assert not repeated, "\n".join(repeated)


def test_every_setting_is_in_the_table():
    read = re.findall(
        r"\bGPUARRAY_[A-Z_]+[A-Z]\b", (ROOT / "src/gpuarray/_config.py").read_text("utf-8")
    )
    rows = (ROOT / "docs/settings.md").read_text("utf-8")
    assert read
    assert not [name for name in read if f"| `{name}` |" not in rows]
