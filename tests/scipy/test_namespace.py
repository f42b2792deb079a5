"""The package `gpuarray.scipy`: when it is loaded, and signatures like SciPy's."""

from __future__ import annotations

import inspect
import subprocess
import sys

import numpy as np
import pytest
import scipy.linalg

import gpuarray.scipy
from gpuarray.scipy import linalg

#: Parameters of SciPy's that are deprecated or have no meaning here. Those that a later SciPy than
#: 1.17 has added to a function, or deprecated there, are with its name.
NOT_HERE = {"disp", "blocksize", ("eigvals", "overwrite_b"), ("qr", "lwork")}

SCIPY = tuple(map(int, scipy.__version__.split(".")[:2]))
FUNCTIONS = [name for name in linalg.__all__ if inspect.isfunction(getattr(linalg, name))]


def test_packages_are_loaded_at_their_first_use():
    script = (
        "import sys, gpuarray as cp, gpuarray.scipy\n"
        "loaded = 'gpuarray.scipy.linalg' in sys.modules\n"
        "print(loaded, cp.scipy.linalg.__name__)"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert found.stdout.decode().split() == ["False", "gpuarray.scipy.linalg"]


def test_names_of_no_use():
    with pytest.raises(AttributeError, match="did you mean 'toeplitz'"):
        linalg.toplitz  # noqa: B018
    with pytest.raises(AttributeError, match=r"'gpuarray.scipy' has no attribute 'linlg'"):
        gpuarray.scipy.linlg  # noqa: B018


def test_exceptions():
    assert linalg.LinAlgError is np.linalg.LinAlgError
    assert issubclass(linalg.LinAlgWarning, RuntimeWarning)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures(name):
    """Parameters and defaults are SciPy's, without annotations."""
    parameters = inspect.signature(getattr(linalg, name)).parameters.values()
    assert all(x.annotation is x.empty for x in parameters)
    absent = NOT_HERE if SCIPY >= (1, 18) else {x for x in NOT_HERE if isinstance(x, str)}
    expected = inspect.signature(getattr(scipy.linalg, name)).parameters.values()
    # The functions that SciPy has compiled take their array by position only there.
    assert [(x.name, x.default) for x in parameters if (name, x.name) not in absent] == [
        (x.name, x.default) for x in expected if not {x.name, (name, x.name)} & absent
    ]
