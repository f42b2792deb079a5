"""What importing the package does, and does not do."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def _python(script: str, **environment: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_import_opens_nothing():
    opened = _python(
        "import gpuarray\n"
        "maps = open('/proc/self/maps').read()\n"
        "print([name for name in ('libcuda', 'libnvrtc', 'libcublas') if name in maps])"
    )
    assert opened == "[]"


def test_import_loads_no_kernel_generator():
    """A rule that keeps the import quick, whatever modules come: what makes kernels comes later."""
    loaded = _python(
        "import sys, numpy\n"
        "before = set(sys.modules)\n"
        "import gpuarray\n"
        "mine = set(sys.modules) - before\n"
        "made = ('spec', 'user', 'variants', 'reduction.functions', 'tables', 'render', 'source',"
        " 'headers', 'keys', 'user_code')\n"
        "heavy = {x for x in mine if x.startswith('gpuarray.kernels.compiler.')"
        " or x.startswith('gpuarray.kernels.') and x.endswith(made)"
        " or x.startswith('gpuarray.cuda') or 'texture' in x}\n"
        "print(sorted(heavy | mine & {'dataclasses', 'inspect', 'hashlib', 'subprocess'}))"
    )
    assert loaded == "[]"


def test_cuda_imports_its_libraries_when_they_are_used():
    loaded = _python(
        "import sys, gpuarray\n"
        "before = set(sys.modules)\n"
        "import gpuarray.cuda\n"
        "late = gpuarray.cuda._LAZY + ('_driver_constants',)\n"
        "heavy = {f'gpuarray.cuda.{name}' for name in late} | {'gpuarray._ffi.nvrtc',"
        " 'gpuarray._ffi.locate', 'dataclasses', 'subprocess', 'tempfile'}\n"
        "print(sorted(heavy & (set(sys.modules) - before)))"
    )
    assert loaded == "[]"


def test_import_leaves_out_what_only_running_needs():
    loaded = _python(
        "import sys, gpuarray\n"
        "heavy = ('gpuarray._ffi.emulator', 'cuda.pathfinder', 'hashlib', 'gpuarray._commands')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    # NumPy itself may load hashlib (through secrets, in numpy.random); do not blame us for it.
    theirs = _python("import sys, numpy; print('hashlib' in sys.modules)")
    assert loaded in (["[]"] if theirs == "False" else ["[]", "['hashlib']"])


@pytest.mark.parametrize("backend", ["", "gpu"])
def test_settings_are_checked_at_import(backend):
    script = "import gpuarray"
    if not backend:
        assert _python(script, GPUARRAY_BACKEND=backend) == ""
        return
    with pytest.raises(AssertionError, match=r"GPUARRAY_BACKEND='gpu'.*auto, cuda, emulator"):
        _python(script, GPUARRAY_BACKEND=backend)
