"""Fixtures of tests of linear algebra."""

from __future__ import annotations

import pytest


@pytest.fixture
def by_libraries(monkeypatch):
    """Small matrices go the way of large ones, by functions of CUDA's libraries."""
    # The tests' settings have to come before it.
    from gpuarray._runtime.current_stream import current
    from gpuarray.kernels.small_matrix import launch

    monkeypatch.setattr(launch, "is_small", lambda layout: False)
    current.stream.drop_plans()
    yield
    current.stream.drop_plans()
