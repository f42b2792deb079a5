"""What tests of recorded operations have in common."""

from __future__ import annotations

import sys
import threading

import pytest


@pytest.fixture(autouse=True)
def fused(monkeypatch):
    """Record operations of all sizes, and compile at once."""
    # The tests are configured before the package is imported.
    import gpuarray as cp
    from gpuarray._fusion import deferred
    from gpuarray._runtime import current_stream, recording

    monkeypatch.setattr(recording, "LEAST_BYTES", 0)
    monkeypatch.setattr(deferred, "USUAL", sys.maxsize)  # also those that run alone
    # Threads of other tests may still be ending.
    monkeypatch.setattr(current_stream, "threads", {threading.get_ident()})
    with cp.fusion("immediate"):
        cp.cuda.Stream.null.drop_plans()  # plans of operations on small arrays record nothing
        yield
    cp.cuda.Stream.null.drop_plans()


@pytest.fixture
def ran(monkeypatch):
    """The kernels of each sequence that runs, as lists of names; of single operations theirs."""
    from gpuarray._fusion import running

    found = []

    def fused_of(plan, *where):
        call = fused(plan, *where)

        def run(batch):
            found.append([x.name for x in plan.kernels])
            call(batch)

        return run

    def alone(node):
        call = single(node)

        def run(batch):
            if call is not running._one_by_one:
                found.append([node.use.step.name])
            call(batch)

        return run

    def one_by_one(batch, *only):
        found.append([x.step.name for x in batch.node.uses()])
        each(batch, *only)

    fused, single, each = running._fused, running._alone, running._one_by_one
    monkeypatch.setattr(running, "_fused", fused_of)
    monkeypatch.setattr(running, "_alone", alone)
    monkeypatch.setattr(running, "_one_by_one", one_by_one)
    return found
