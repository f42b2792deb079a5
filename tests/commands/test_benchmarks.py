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
    listed = _run("benchmarks/peers.py", "--list").splitlines()
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
