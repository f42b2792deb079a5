"""What the tests of compilations share."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuarray._ffi import locate


@pytest.fixture
def core_headers():
    """CUDA's core libraries, which come with the package, but not with every toolkit in wheels."""
    folders = locate.include_directories()
    if not any(Path(folder, "cuda/std/cstdint").is_file() for folder in folders):
        pytest.skip("the headers of CUDA's core libraries (CCCL) are not installed")
