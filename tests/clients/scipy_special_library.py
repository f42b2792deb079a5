"""A pytest plugin that runs SciPy's own tests of special functions on gpuarray's.

The tests take their functions from ``scipy.special``, where this plugin puts thin stand-ins
before they are imported:

    pytest -p tests.clients.scipy_special_library --pyargs scipy.special.tests.test_basic
"""

from __future__ import annotations

import pytest


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    for marker in ("array_api_backends", "xslow", "slow", "fail_slow", "parallel_threads"):
        config.addinivalue_line("markers", f"{marker}: of SciPy's own configuration")
    # SciPy's modules are written for its own filters, these tests' make errors of warnings.
    config.addinivalue_line("filterwarnings", "default")
    # gpuarray reads its settings when it is imported: the tests' own conftest makes them first.
    import tests.clients.scipy_special_stand_ins  # noqa: F401
