"""A pytest plugin that runs SciPy's own tests of sparse arrays on gpuarray's.

The tests take their classes and functions from ``scipy.sparse``, where this plugin puts thin
stand-ins before they are imported:

    pytest -p tests.clients.scipy_sparse_library --pyargs scipy.sparse.tests.test_construct
"""

from __future__ import annotations

import pytest

#: Why tests do not fit, by parts of their names.
SKIPPED: dict[str, tuple[str, ...]] = {
    "dok and lil are formats of the host": ("DOK", "LIL", "dok", "lil"),
}


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "array_api_backends: of SciPy's own configuration")
    # SciPy's modules are imported with the warnings of these tests, which are errors.
    config.addinivalue_line("filterwarnings", "ignore:Passing a non-Collection iterable")
    # gpuarray reads its settings when it is imported: the tests' own conftest makes them first.
    import tests.clients.scipy_linalg_stand_ins  # noqa: F401


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for cause, parts in SKIPPED.items():
            if any(part in item.nodeid for part in parts):
                item.add_marker(pytest.mark.skip(reason=cause))
