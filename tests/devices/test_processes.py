"""Tests of two devices, in a process that has them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.emulator
def test_with_two_emulated_devices(pytestconfig):
    result = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly",
            "--backend=emulator", f"--kernel-cache={os.environ['GPUARRAY_CACHE_DIR']}",
            str(Path(__file__).with_name("test_two_devices.py")),
        ],
        env={**os.environ, "GPUARRAY_EMULATED_DEVICES": "2"},
        cwd=pytestconfig.rootpath,
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
    assert "skipped" not in result.stdout
