"""The benchmarks run: their figures mean nothing here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _run(*arguments: str) -> str:
    result = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.slow
def test_peers_measures_every_row(tmp_path):
    figures = tmp_path / "figures.json"
    table = _run(
        "benchmarks/peers.py", "--quick", "--kind=call", "--kind=device", f"--json={figures}"
    )
    listed = _run("benchmarks/peers.py", "--list", "--quick").splitlines()
    result = json.loads(figures.read_text())
    assert [row["name"] for row in result["rows"]] == [line[8:] for line in listed]
    assert all(row["us"]["gpuarray"] > 0 and not row["faults"] for row in result["rows"])
    assert result["copy_bytes_per_s"]["cuMemcpyDtoD"] > 0
    assert "add(a, b, out=)" in table


def test_only_chooses_rows():
    listed = _run("benchmarks/peers.py", "--list", "--only=a + b", "--only=/^exp.a/")
    assert [line[8:] for line in listed.splitlines()] == [
        "a + b",
        "exp(a)",
        "a + b",
        "exp(a, out=)",
    ]


@pytest.mark.slow
def test_the_matrix(tmp_path):
    figures = tmp_path / "figures.json"
    table = _run(
        "benchmarks/matrix.py", "--quick", "--dtypes", "f4", "i1", "--only=sum", f"--json={figures}"
    )
    result = json.loads(figures.read_text())
    rates = {name: row for name, row in result["of_copy"].items() if row}
    assert "sum, axis 0" in rates
    assert "cumsum" in result["small_us"]
    assert all(set(row) == {"f4", "i1"} for row in rates.values())
    assert all(rate["gpuarray"] > 0 for row in rates.values() for rate in row.values())
    assert "per cent of the copy" in table


@pytest.mark.slow
def test_library_calls(tmp_path):
    figures = tmp_path / "figures.json"
    table = _run("benchmarks/library_calls.py", "--quick", f"--json={figures}")
    for rows in json.loads(figures.read_text()).values():
        assert all(0 < least <= middle <= most for middle, least, most in rows.values())
    assert "beside the bare call" in table


def test_the_report_fills_its_tables(tmp_path, monkeypatch):
    from benchmarks import report

    page = tmp_path / "performance.md"
    names = ("machine", "device", "matrix", "calls", "small", "startup")
    page.write_text("".join(f"{name}:\n<!-- {name} -->\nold\n<!-- end -->\n" for name in names))
    kept = json.loads((ROOT / "docs" / "performance.json").read_text())
    files = [tmp_path / "peers.json", tmp_path / "matrix.json"]
    for file, key in zip(files, ("peers", "matrix"), strict=True):
        file.write_text(json.dumps(kept[key]))
    monkeypatch.setattr(report, "_DOCS", tmp_path)
    monkeypatch.setattr(report, "_plot", lambda rows, target: None)  # needs matplotlib
    monkeypatch.setattr(sys, "argv", ["report.py", *map(str, files)])
    assert report.main() == 0
    text = page.read_text()
    assert "\nold\n" not in text
    assert text.count("<!-- end -->") == len(names)
    assert "| `a + b` |" in text
    assert "| `cumsum` |" in text
