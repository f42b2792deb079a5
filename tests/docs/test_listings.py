"""What tab completion shows: public names, and nothing that modules import for their own use."""

from __future__ import annotations

import rlcompleter

import numpy as np
import pytest

import gpuarray as cp
from tests.docs import public

MODULES = public.modules()


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_modules_list_their_public_names(module):
    shown = [name for name in dir(module) if not name.startswith("_")]
    # Packages that are imported when they are used are found there, too.
    packages = {
        x.__name__.rpartition(".")[2]
        for x in MODULES
        if x.__name__.rpartition(".")[0] == module.__name__
    }
    assert set(shown) - packages == {x for x in module.__all__ if x[0] != "_"} - packages
    for name in shown:
        assert hasattr(module, name), name


def test_completion_of_the_main_namespace():
    complete = rlcompleter.Completer({"cp": cp}).attr_matches
    found = {x.rstrip("()") for x in complete("cp.c")}
    assert {"cp.ceil", "cp.cuda", "cp.concatenate"} <= found
    assert "cp.lin" not in found
    assert {x.rstrip("()") for x in complete("cp.linalg.chol")} == {"cp.linalg.cholesky"}


#: Attributes of arrays that NumPy's do not have; the names are CuPy's.
FURTHER = {
    "get", "ptp", "record_stream", "reduced_view", "scatter_add", "scatter_max", "scatter_min",
    "set", "toDlpack",
}  # fmt: skip


def test_arrays_list_the_attributes_of_numpy_and_cupy():
    shown = {name for name in dir(cp.ndarray) if not name.startswith("_")}
    theirs = {name for name in dir(np.ndarray) if not name.startswith("_")}
    assert shown - theirs == FURTHER
