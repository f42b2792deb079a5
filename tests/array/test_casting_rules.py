"""Which loops and casts a ufunc's call takes: the rules are NumPy's for every ufunc."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ufunc import planning, ufuncs

CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]
#: Dtypes of arrays, and Python's numbers.
OPERANDS = [np.dtype("i1"), np.dtype("f4"), np.dtype("c16"), True, 1, 1.5, 1j]
SHARED = [name for name in ufuncs if isinstance(getattr(np, name, None), np.ufunc)]


def _numpys_dtypes(name, operands, casting, dtype):
    arguments = [np.ones(2, x) if isinstance(x, np.dtype) else x for x in operands]
    with np.errstate(all="ignore"):
        try:
            result = getattr(np, name)(*arguments, casting=casting, dtype=dtype)
        except TypeError:
            return None
    return tuple([x.dtype for x in (result if isinstance(result, tuple) else (result,))])


def _our_dtypes(name, operands, casting, dtype):
    row = ufuncs[name].row
    arrays = [cp.empty(2, x) if isinstance(x, np.dtype) else x for x in operands]
    kinds = planning.kinds_of(arrays, [None] * row.nout)
    try:
        return planning.loop_of(row, kinds, casting, dtype)[row.nin :]
    except TypeError:
        return None


@pytest.mark.parametrize("casting", CASTINGS)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_casts_of_every_ufunc(casting):
    for name in SHARED:
        for operands in itertools.product(OPERANDS, repeat=ufuncs[name].nin):
            for dtype in (None, "f4"):
                case = name, operands, casting, dtype
                assert _our_dtypes(*case) == _numpys_dtypes(*case), case


def test_a_number_under_the_rule_equiv():
    """NumPy's ``resolve_dtypes`` crashes where it is asked for this."""
    x = cp.array([1], "i1")
    with pytest.raises(TypeError, match="cannot cast Python int to int8 under the casting rule"):
        cp.add(x, 1, casting="equiv")
    assert cp.add(cp.array([1.5]), 1.0, casting="equiv").tolist() == [2.5]
    assert cp.less(x, 2, casting="equiv").tolist() == [True]


def test_two_python_integers():
    """NumPy compares them as objects."""
    for function in (cp.equal, cp.less_equal):
        assert bool(function(3, 3))
    assert not cp.not_equal(3, 3)
