"""What tests of recorded operations have in common."""

from __future__ import annotations

import threading

import pytest


@pytest.fixture(autouse=True)
def fused(monkeypatch):
    """Record operations of all sizes, and compile at once."""
    # The tests are configured before the package is imported.
    import gpuarray as cp
    from gpuarray._fusion import deferred
    from gpuarray._runtime import device as devices

    monkeypatch.setattr(deferred, "LEAST_BYTES", 0)
    # Threads of other tests may still be ending.
    monkeypatch.setattr(devices, "threads", {threading.get_ident()})
    with cp.fusion("immediate"):
        cp.cuda.Stream.null.drop_plans()  # plans of operations on small arrays record nothing
        yield
    cp.cuda.Stream.null.drop_plans()
