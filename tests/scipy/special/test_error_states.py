"""SciPy's names for actions at singularities."""

from __future__ import annotations

import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special


def test_actions_are_scipys_by_default():
    assert special.geterr() == scipy.special.geterr()
    assert special.seterr(all="ignore") == special.geterr()
    with special.errstate(singular="ignore", memory="raise"):
        assert cp.isinf(special.gammaln(cp.asarray([0.0]))).all()


def test_what_a_device_cannot_do():
    for action in ("warn", "raise"):
        with pytest.raises(NotImplementedError, match="look for NaN"):
            special.seterr(overflow=action)
        with pytest.raises(NotImplementedError), special.errstate(all=action):
            pass


@pytest.mark.parametrize("actions", [{"nothing": "ignore"}, {"singular": "shout"}])
def test_arguments(actions):
    for module in (special, scipy.special):
        with pytest.raises(KeyError):
            module.seterr(**actions)
