"""Promotion, casting and limits of dtypes, beside NumPy, and arguments that name a memory order."""

import itertools
import warnings

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import DTYPES, KINDS

NAMES = ["bool", "i1", "u4", "f2", "f8", "c8", "M8[s]", "m8[D]", ">f4", "V3"]


def outcome(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error)


def test_result_type_of_arrays_and_dtypes():
    operands = [*KINDS, "M8[s]", "m8[ms]"]
    for a, b in itertools.product(operands, repeat=2):
        expected = outcome(np.result_type, np.zeros(1, a), np.zeros((), b))
        assert outcome(cp.result_type, cp.zeros(1, a), cp.zeros((), b)) == expected
        assert outcome(cp.result_type, cp.zeros(1, a), b) == expected
        assert outcome(cp.promote_types, a, b) == outcome(np.promote_types, a, b)
    for a, number in itertools.product(DTYPES, [True, 1, 300, -1, 2**40, 1.5, 1j]):
        expected = outcome(np.result_type, np.zeros(1, a), number)
        assert outcome(cp.result_type, cp.zeros(1, a), number) == expected
    with pytest.raises(TypeError):
        cp.result_type("\ud800")


def test_can_cast():
    for a, b in itertools.product(NAMES, repeat=2):
        for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
            assert cp.can_cast(a, b, casting) == np.can_cast(a, b, casting)
            if a != ">f4":
                array = cp.zeros(2, a)
                assert cp.can_cast(array, b, casting) == np.can_cast(np.dtype(a), b, casting)
    for wrong in (1, 1.5, "\ud800"):
        assert outcome(cp.can_cast, wrong, "f4") is TypeError
    with pytest.raises(ValueError, match="casting"):
        cp.can_cast("f4", "f8", "nonsense")


def test_common_type():
    for a, b in itertools.product(DTYPES, repeat=2):
        expected = outcome(np.common_type, np.zeros(1, a), np.zeros(1, b))
        assert outcome(cp.common_type, cp.zeros(1, a), cp.zeros(1, b)) == expected
    assert cp.common_type() is np.common_type()
    assert outcome(cp.common_type, cp.zeros(1, "M8[s]")) is TypeError


def test_min_scalar_type_and_names():
    for value in (0, 255, 256, -1, -129, 2**40, 1.5, 1e300, True, 1j):
        assert cp.min_scalar_type(value) == np.min_scalar_type(value)
    assert cp.min_scalar_type(cp.zeros(2, "f4")) == np.dtype("f4")
    assert cp.mintypecode("fd") == np.mintypecode("fd")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of NumPy 2.5
        assert cp.typename("d") == np.typename("d")
    assert cp.issubdtype(cp.float32, cp.floating)
    assert not cp.issubdtype(cp.datetime64, cp.number)


def test_limits():
    for dtype in ("f2", "f4", "f8", "c8", "c16"):
        limits, expected = cp.finfo(dtype), np.finfo(dtype)
        for name in ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution",
                     "precision", "nmant", "maxexp", "epsneg", "dtype"):  # fmt: skip
            assert getattr(limits, name) == getattr(expected, name)
        assert type(limits.eps) is float
        assert str(limits) == str(expected)
        assert cp.finfo(cp.zeros(2, dtype)) is limits
    assert cp.finfo(1.5) is cp.finfo(float)
    for dtype in ("i1", "u8", "i4"):
        assert cp.iinfo(dtype).max == np.iinfo(dtype).max
        assert cp.iinfo(cp.zeros(1, dtype)).min == np.iinfo(dtype).min
    assert outcome(cp.finfo, "i4") is ValueError
    assert outcome(cp.iinfo, "f4") is ValueError


def test_isdtype():
    kinds = ["bool", "signed integer", "unsigned integer", "integral", "real floating",
             "complex floating", "numeric"]  # fmt: skip
    for dtype, kind in itertools.product(DTYPES, kinds):
        assert cp.isdtype(np.dtype(dtype), kind) == np.isdtype(np.dtype(dtype), kind)
    assert cp.isdtype(cp.float32, (cp.float64, "integral")) is False
    assert cp.isdtype(np.dtype("M8[s]"), "numeric") is False
    assert cp.isdtype(np.dtype("V4"), "numeric") is False
    assert outcome(cp.isdtype, cp.float32, "nonsense") is ValueError


def test_scalar_types():
    for name in ("long", "ulong", "True_", "False_", "datetime64", "timedelta64", "void"):
        assert getattr(cp, name) is getattr(np, name)


GREAT = [300, -1, 2**63, 2**64, -(2**63) - 1, 10**30]


def _stored(xp, dtype, value):
    x = xp.arange(4, dtype=dtype)
    x[1] = value
    return x


def _filled(xp, dtype, value):
    x = xp.arange(4, dtype=dtype)
    x.fill(value)
    return x


INTEGERS = {
    "add": lambda xp, d, v: xp.arange(4, dtype=d) + v,
    "reflected": lambda xp, d, v: v - xp.arange(4, dtype=d),
    "in place": lambda xp, d, v: xp.arange(4, dtype=d).__iadd__(v),
    "less": lambda xp, d, v: xp.arange(4, dtype=d) < v,
    "equal": lambda xp, d, v: xp.arange(4, dtype=d) == v,
    "full": lambda xp, d, v: xp.full(2, v, d),
    "full_like": lambda xp, d, v: xp.full_like(xp.arange(2, dtype=d), v),
    "clip": lambda xp, d, v: xp.clip(xp.arange(4, dtype=d), 0, v),
    "maximum": lambda xp, d, v: xp.maximum(xp.arange(4, dtype=d), v),
    "assignment": _stored,
    "fill": _filled,
    "array": lambda xp, d, v: xp.array([v], d),
    "searchsorted": lambda xp, d, v: xp.searchsorted(xp.arange(4, dtype=d), v),
    "initial": lambda xp, d, v: xp.max(xp.arange(4, dtype=d), initial=v),
}


@pytest.mark.parametrize("name", INTEGERS)
def test_great_integers(name):
    function = INTEGERS[name]
    for dtype, value in itertools.product(["u1", "i1", "i8", "u8", "f4"], GREAT):
        expected = outcome(function, np, dtype, value)
        found = outcome(function, cp, dtype, value)
        if isinstance(expected, type):
            assert found is expected, (dtype, value)
        else:
            assert found.dtype == expected.dtype, (dtype, value)
            assert found.tolist() == expected.tolist(), (dtype, value)


ORDERS = {
    "array": lambda xp, x, o: xp.array(x, order=o),
    "asarray": lambda xp, x, o: xp.asarray(x, order=o),
    "of a list": lambda xp, x, o: xp.array([[1, 2], [3, 4]], order=o),
    "empty": lambda xp, x, o: xp.empty((2, 3), order=o),
    "zeros": lambda xp, x, o: xp.zeros((2, 3), order=o),
    "ones": lambda xp, x, o: xp.ones((2, 3), order=o),
    "full": lambda xp, x, o: xp.full((2, 3), 1, order=o),
    "empty_like": lambda xp, x, o: xp.empty_like(x, order=o),
    "full_like": lambda xp, x, o: xp.full_like(x, 1, order=o),
    "copy": lambda xp, x, o: xp.copy(x, order=o),
    "method copy": lambda xp, x, o: x.copy(o),
    "ravel": lambda xp, x, o: xp.ravel(x, order=o),
    "flatten": lambda xp, x, o: x.flatten(o),
    "reshape": lambda xp, x, o: xp.reshape(x, (4, 6), order=o),
    "astype": lambda xp, x, o: x.astype("f4", order=o),
    "add": lambda xp, x, o: xp.add(x, 1, order=o),
    "ndarray": lambda xp, x, o: xp.ndarray((2, 3), order=o),
}


@pytest.mark.parametrize("name", ORDERS)
def test_names_of_memory_orders(name):
    function = ORDERS[name]
    host = np.arange(24).reshape(2, 3, 4).transpose(1, 0, 2)
    device = cp.arange(24).reshape(2, 3, 4).transpose(1, 0, 2)
    for order in ("C", "F", "A", "K", "c", "f", "a", "k", None, b"F", "x", "", 1, "CF", True):
        expected = outcome(function, np, host, order)
        found = outcome(function, cp, device, order)
        if isinstance(expected, type):
            assert found is expected, order
        else:
            assert found.shape == expected.shape, order
            assert found.strides == expected.strides, order
