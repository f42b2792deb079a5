"""The page of figures is what its generator makes of the files in docs/figures."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def performance():
    sys.path.insert(0, str(DOCS / "generate"))
    try:
        import performance as module

        yield module
    finally:
        sys.path.remove(str(DOCS / "generate"))


def test_the_page_has_the_figures_that_are_kept(performance):
    text = (DOCS / "performance.md").read_text("utf-8")
    figures = performance.read(DOCS / "figures")
    assert set(figures) == set(performance.TABLES) == {
        path.stem for path in (DOCS / "figures").iterdir()
    }  # fmt: skip
    assert performance.page(text, figures) == text
    for name, rows in performance.plotted(figures).items():
        assert rows
        assert (DOCS / f"{name}.svg").exists()
        assert f"({name}.svg)" in text


def test_a_new_file_is_taken(performance, tmp_path):
    (tmp_path / "figures").mkdir()
    page = tmp_path / "performance.md"
    page.write_text("<!-- special -->\nold\n<!-- end -->\nkept\n")
    measured = {"device": {"erf": {"gpuarray": 196.888812345, "cupy": 475.7}}, "first": {}}
    new = tmp_path / "special.json"
    new.write_text(json.dumps(measured))
    assert performance.main([str(new), "--no-plots"], tmp_path) == 0
    text = page.read_text()
    assert "| `erf` | 197 | 476 |" in text
    assert text.endswith("<!-- end -->\nkept\n")
    kept = json.loads((tmp_path / "figures" / "special.json").read_text())
    assert kept["device"]["erf"] == {"gpuarray": 196.89, "cupy": 475.7}


def test_what_is_no_file_of_a_benchmark_is_refused(performance, tmp_path):
    (tmp_path / "figures").mkdir()
    for name, text in (("cats.json", "{}"), ("special.json", "{}")):
        (tmp_path / name).write_text(text)
        with pytest.raises((SystemExit, KeyError)):
            performance.main([str(tmp_path / name), "--no-plots"], tmp_path)
    assert not list((tmp_path / "figures").iterdir())


def test_a_page_without_a_place_is_refused(performance):
    with pytest.raises(ValueError, match="no place <!-- special -->"):
        performance.filled("nothing", {"special": "| |"})
