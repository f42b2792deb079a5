"""What the tests of compilations share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def core_headers():
    """CUDA's core libraries, which come with the package, but not with every toolkit in wheels."""
    from gpuarray._ffi import locate  # which the tests' settings have to come before

    folders = locate.include_directories()
    if not any(Path(folder, "cuda/std/cstdint").is_file() for folder in folders):
        pytest.skip("the headers of CUDA's core libraries (CCCL) are not installed")
