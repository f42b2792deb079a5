"""A pytest plugin that makes gpuarray a backend of array-api-extra's test suite.

The suite has its backends from an enumeration, which is made anew with one more member, and fetches
arrays of each library that converts none implicitly in its own way.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest
from array_api_extra._lib import _backends
from array_api_extra.testing import _testing

import gpuarray

_listed = _backends.Backend


class _Backend(Enum):
    modname = _listed.modname
    like = _listed.like
    pytest_param = _listed.pytest_param


_backends.Backend = _Backend(
    "Backend", {**{member.name: member.value for member in _listed}, "GPUARRAY": "gpuarray"}
)

_as_numpy_array = _testing._as_numpy_array


def _fetched(array: Any, *, xp: Any) -> Any:
    return gpuarray.asnumpy(array) if xp is gpuarray else _as_numpy_array(array, xp=xp)


_testing._as_numpy_array = _fetched


def _skipped(item: pytest.Item) -> str | None:
    """Why a test of the suite does not fit arrays that are never converted implicitly, if so."""
    params = item.callspec.params if hasattr(item, "callspec") else {}
    if params.get("as_numpy"):
        return "device->host copy, as for CuPy"
    name = item.nodeid.partition("::")[2].partition("[")[0]
    return {
        "test_lazy_xp_function_cython_ufuncs": "converts to NumPy",
        "TestLazyXpFunctionClasses::test_lazy_xp_function_classes": "converts to NumPy",
        "TestNUnique::test_delegates": "array-agnostic fallback, as for array-api-strict",
    }.get(name)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        reason = _skipped(item)
        if reason is not None:
            item.add_marker(pytest.mark.skip(reason=reason))
