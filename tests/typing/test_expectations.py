"""Types as mypy infers them; ``nox -s types`` checks the same file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_expectations(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    result = subprocess.run(
        [sys.executable, "-m", "mypy", f"--cache-dir={tmp_path}", "tests/typing/expectations.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
