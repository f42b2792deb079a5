"""A pytest plugin: every operation of arrays is recorded, however small, and fused at once.

pytest -p tests.clients.fused_everywhere tests/array
"""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True, scope="session")
def _fused():
    from gpuarray._fusion import automatic, deferred

    deferred.LEAST_BYTES = 0
    automatic.set_mode("immediate")
    yield
    automatic.set_mode("off")
