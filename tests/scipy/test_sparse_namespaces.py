"""The names of sparse.linalg and sparse.csgraph: signatures like SciPy's, loaded when used."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest
import scipy.sparse.csgraph
import scipy.sparse.linalg

from gpuarray.scipy.sparse import csgraph, linalg

#: An older name of SciPy's for `rng`.
NOT_HERE = {"random_state"}

FUNCTIONS = [
    (module, theirs, name)
    for module, theirs in ((linalg, scipy.sparse.linalg), (csgraph, scipy.sparse.csgraph))
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
]


def test_packages_are_loaded_at_their_first_use():
    script = (
        "import sys, gpuarray as cp, gpuarray.scipy.sparse\n"
        "names = ['gpuarray.scipy.sparse.linalg', 'gpuarray.scipy.sparse.csgraph']\n"
        "loaded = [x for x in names if x in sys.modules]\n"
        "print(loaded, cp.scipy.sparse.csgraph.__name__)"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert found.stdout.decode().split() == ["[]", "gpuarray.scipy.sparse.csgraph"]


@pytest.mark.parametrize("module, theirs, name", FUNCTIONS, ids=[x[2] for x in FUNCTIONS])
def test_signatures(module, theirs, name):
    """Parameters and defaults are SciPy's, without annotations."""
    parameters = list(inspect.signature(getattr(module, name)).parameters.values())
    assert all(x.annotation is x.empty for x in parameters)
    if parameters[-1].name == "random_state":  # which SciPy takes and does not show
        assert parameters.pop().kind is inspect.Parameter.KEYWORD_ONLY
    expected = inspect.signature(getattr(theirs, name)).parameters.values()
    assert [(x.name, x.default) for x in parameters] == [
        (x.name, x.default) for x in expected if x.name not in NOT_HERE
    ]


def test_exceptions():
    assert issubclass(linalg.ArpackNoConvergence, linalg.ArpackError)
    assert issubclass(linalg.ArpackError, RuntimeError)
    assert issubclass(linalg.MatrixRankWarning, UserWarning)
    assert issubclass(csgraph.NegativeCycleError, Exception)
    with pytest.raises(AttributeError, match="did you mean 'spsolve'"):
        linalg.spsolv  # noqa: B018
