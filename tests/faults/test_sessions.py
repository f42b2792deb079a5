"""A session of tests in which a kernel's fault takes the device."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.limits import HANG_SECONDS

ROOT = Path(__file__).parents[2]
TESTS = """
import gpuarray as cp

fail = cp.RawKernel('extern "C" __global__ void fail() { __trap(); }', "fail")


def test_a_fault():
    fail((1,), (1,), ())
    cp.cuda.runtime.deviceSynchronize()


def test_another():
    assert (cp.arange(3) + 1).tolist() == [1, 2, 3]
"""


def session(folder, *options):
    """The exit status and the output of a session of these tests."""
    path = folder / "test_two.py"
    path.write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", *options, str(path)]
    # It warns where tests run in several processes, and warnings are errors.
    command += ["-p", "no:benchmark"]
    command += [f"--rootdir={ROOT}", f"--config-file={ROOT / 'pyproject.toml'}"]
    done = subprocess.run(
        [*command, f"--kernel-cache={folder}"],
        cwd=ROOT,
        env={**os.environ, "GPUARRAY_STICKY_FAULTS": "1"},
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    return done.returncode, done.stdout


@pytest.mark.slow
def test_it_ends_where_it_has_one_process(tmp_path):
    status, text = session(tmp_path)
    assert status == 1, text
    assert "no test can use the device after " in text
    assert "::test_a_fault: the next call failed with CUDA_ERROR_" in text
    assert "1 failed in" in text


@pytest.mark.slow
def test_another_worker_runs_the_rest(tmp_path):
    pytest.importorskip("xdist")
    status, text = session(tmp_path, "-n", "1")
    assert status == 1, text
    assert "replacing crashed worker gw0" in text
    assert "2 failed, 1 passed in" in text  # the fault, and the worker that it took
