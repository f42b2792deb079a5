"""A pytest plugin: every operation of arrays is recorded, however small, and fused.

pytest -p tests.clients.fused_everywhere tests/array
pytest -p tests.clients.fused_everywhere --fused=on tests/array

Tests marked ``single_operations`` run without it.
"""

from __future__ import annotations

import sys

import pytest


def pytest_addoption(parser):
    parser.addoption("--fused", choices=("immediate", "on"), default="immediate", help="the mode")


@pytest.fixture(autouse=True, scope="session")
def _everywhere():
    from gpuarray._fusion import automatic, deferred
    from gpuarray._runtime import recording

    recording.LEAST_BYTES = 0
    deferred.USUAL = sys.maxsize  # also those that run alone
    yield
    automatic.set_mode("off")


@pytest.fixture(autouse=True)
def _fused(request):
    from gpuarray._fusion import automatic, running

    wanted = request.config.getoption("--fused")
    if request.node.get_closest_marker("single_operations"):
        wanted = "off"
    if automatic.current_mode() != wanted:
        automatic.set_mode(wanted)
    if wanted == "off":
        running.wait()  # kernels of the tests before are counted, where kernels are
