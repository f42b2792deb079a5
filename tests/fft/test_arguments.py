"""Arguments that NumPy refuses."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn", "fft2"])
def test_a_length_that_is_no_sequence(name):
    for axes in (None, (0, 1), (0,)):
        for library in (np, cp):
            with pytest.raises(TypeError, match="not iterable"):
                getattr(library.fft, name)(library.ones((2, 2)), 3, axes)
    if name != "fft2":
        assert getattr(cp.scipy.fft, name)(cp.ones(2), 3).size > 1  # as SciPy's
