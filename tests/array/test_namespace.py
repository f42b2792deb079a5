"""The public namespaces: what is in them, and what they say of names that are not."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

import gpuarray as cp


@pytest.mark.parametrize(
    "module, name, nearest",
    [
        ("gpuarray", "arrange", "arange"),
        ("gpuarray", "Float32", "float32"),
        ("gpuarray", "elementwisekernel", "ElementwiseKernel"),
        ("gpuarray.cuda", "event", "Event"),
        ("gpuarray.cuda.runtime", "getdevicecount", "getDeviceCount"),
        ("gpuarray.jit", "syncthread", "syncthreads"),
        ("gpuarray.errors", "CompilError", "CompileError"),
    ],
)
def test_a_misspelt_name_suggests_the_nearest(module, name, nearest):
    with pytest.raises(AttributeError) as caught:
        getattr(import_module(module), name)
    assert str(caught.value) == (
        f"module {module!r} has no attribute {name!r}; did you mean {nearest!r}?"
    )


def test_a_name_like_no_other_suggests_nothing():
    with pytest.raises(AttributeError, match="has no attribute 'nosuch_thing'$"):
        cp.nosuch_thing  # noqa: B018


def test_a_name_that_numpy_has_is_said_to_be_missing():
    with pytest.raises(AttributeError, match=r"numpy.busday_count is not in gpuarray yet; .*asnum"):
        cp.busday_count  # noqa: B018


def test_special_names_are_refused_without_a_search(monkeypatch):
    monkeypatch.setitem(sys.modules, "difflib", None)  # importing it would raise
    assert not hasattr(cp, "__wrapped__")
    assert not hasattr(cp.cuda, "__wrapped__")


def test_star_import_gives_the_public_names():
    names: dict[str, object] = {}
    exec("from gpuarray import *", names)
    assert set(cp.__all__) <= set(names)
    assert len(set(cp.__all__)) == len(cp.__all__)
    assert "kernels" not in names
