"""Which loops and casts a ufunc's call takes: the rules are NumPy's for every ufunc."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ufunc import planning, ufuncs
from tests.array.arrays import INTEGERS, same
from tests.slow import slow_off_axes

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


#: Floats that no integer dtype holds, or only a wide one.
FLOATS = [1e20, -1e20, np.nan, np.inf, -np.inf, 300.7, -1.5, -300, 2.0**63, 2.0**64, 2.0**31,
          70000, -(2.0**31), -(2.0**31) - 1, -(2.0**63), 2.0**32, 0.9, -0.9, 65504]  # fmt: skip


@pytest.mark.parametrize(("source", "dtype"), slow_off_axes(["f8", "f4", "f2"], INTEGERS))
def test_floats_out_of_range(source, dtype):
    """NumPy leaves them to the machine: here they saturate, wherever they are converted."""
    with np.errstate(over="ignore"):
        host = np.array(FLOATS).astype(source)
    expected = cp.asarray(host).astype(dtype)
    same(cp.array(host, dtype=dtype), expected.get())
    same(cp.stack([cp.array(x, dtype=dtype) for x in host]), expected.get())
    for number, cast in zip(host, expected.tolist(), strict=True):
        x = cp.zeros((), dtype)
        cp.copyto(x, number, casting="unsafe")
        assert x.item() == cast
    if dtype in ("i4", "i8") and source != "f2":
        info = np.iinfo(dtype)
        assert expected[:2].tolist() == [info.max, info.min]


@pytest.mark.parametrize(
    ("number", "dtype"),
    slow_off_axes(
        [2.5, -1.0, np.float64(2.5), np.float32(1e20), 1e20, 2j], ["i1", "u2", "i4", "f4"]
    ),
)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_scalars_are_cast_as_arrays(number, dtype):
    x = cp.array([1, 2], dtype)
    for name in ("add", "maximum"):
        function = getattr(cp, name)
        expected = function(x, cp.array(number), dtype=dtype, casting="unsafe")
        same(function(x, number, dtype=dtype, casting="unsafe"), expected.get())
    clipped = cp.clip(x, number, 3, dtype=dtype, casting="unsafe")
    same(clipped, cp.clip(x, cp.array(number), 3, dtype=dtype, casting="unsafe").get())
