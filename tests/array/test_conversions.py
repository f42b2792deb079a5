"""What Python and NumPy ask of an array: conversions, elements, text, pickles, derived classes."""

from __future__ import annotations

import copy
import math
import operator
import pickle
import warnings

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import raises_alike, same


def _outcome(call, xp):
    """What a call returns with a library, as host objects, with its warnings, or its error's type."""
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        try:
            result = call(xp)
        except Exception as error:
            return next(
                one
                for one in type(error).__mro__
                if one.__module__ in ("builtins", "numpy.exceptions")
            )
    if isinstance(result, cp.ndarray | np.ndarray | np.generic):
        result = (result.dtype, result.shape, result.tolist())
    return repr(result), [one.category for one in noted]


CONVERSIONS = [float, int, complex, bool, operator.index, str, repr, len, hash, iter, list, abs]
VALUES = {
    "int": lambda xp: xp.array(3),
    "float": lambda xp: xp.array(2.5),
    "complex": lambda xp: xp.array(1 + 2j),
    "bool": lambda xp: xp.array(True),
    "one int": lambda xp: xp.array([3]),
    "one float": lambda xp: xp.array([[2.5]]),
    "several": lambda xp: xp.arange(3),
    "none": lambda xp: xp.zeros(0),
    "nan": lambda xp: xp.array(float("nan")),
}


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("conversion", CONVERSIONS, ids=lambda x: x.__name__)
def test_conversions(conversion, value):
    if conversion in (iter, list) and value != "int":
        pytest.skip("what it gives are arrays here")
    make = VALUES[value]
    assert _outcome(lambda xp: conversion(make(xp)), cp) == _outcome(
        lambda xp: conversion(make(xp)), np
    )


def test_a_conversion_that_is_refused_fetches_nothing(monkeypatch):
    x = cp.arange(1000)
    monkeypatch.setattr("gpuarray._ops.attributes.asnumpy", None)
    for conversion in (float, int, complex, bool, lambda x: format(x, ".2f")):
        with pytest.raises((TypeError, ValueError)):
            conversion(x)


@pytest.mark.parametrize("spec", [".2f", "d", "10", "s", "x", ""])
@pytest.mark.parametrize("value", ["int", "float", "several", "one int", "complex"])
def test_format(value, spec):
    make = VALUES[value]
    assert _outcome(lambda xp: format(make(xp), spec), cp) == _outcome(
        lambda xp: format(make(xp), spec), np
    )


ITEMS = [
    (), (0,), (4,), (-1,), (6,), (-7,), (0, 1), ((0, 1),), (-1, -1), (1, 2, 3), (2, 0), ("a",),
    (1.0,), (None,), (True,), ([0, 1],), (np.int64(2),), ((),), (np.True_,),
]  # fmt: skip


@pytest.mark.parametrize("arguments", ITEMS, ids=repr)
@pytest.mark.parametrize(
    "make",
    [
        lambda xp: xp.arange(6.0).reshape(2, 3),
        lambda xp: xp.arange(6.0).reshape(3, 2).T,
        lambda xp: xp.arange(6),
        lambda xp: xp.array(5),
        lambda xp: xp.array([[5]]),
    ],
    ids=["2-d", "transposed", "1-d", "0-d", "one"],
)
def test_item(make, arguments):
    assert _outcome(lambda xp: make(xp).item(*arguments), cp) == _outcome(
        lambda xp: make(xp).item(*arguments), np
    )


@pytest.mark.parametrize("order", ["C", "F", "A", "K", None, "c", "X", 3])
def test_tobytes(order):
    for index in (slice(None), (slice(None), slice(None, None, 2)), (slice(None, None, -1), 1)):

        def call(xp, index=index):
            return xp.arange(6.0).reshape(2, 3)[index].T.tobytes(order)

        assert _outcome(call, cp) == _outcome(call, np), index

    def permuted(xp):
        return xp.arange(24, dtype="u1").reshape(2, 3, 4)[:, ::-1].transpose(1, 0, 2).tobytes(order)

    assert _outcome(permuted, cp) == _outcome(permuted, np)


PROTOCOLS = {
    "contains": lambda xp: [x in xp.arange(3) for x in (2, 7, None, "a", np.nan)],
    "an index of a list": lambda xp: [10, 20, 30][xp.array(1)],
    "a range": lambda xp: range(xp.array(3)),
    "a list times an array": lambda xp: [1] * xp.array(2),
    "floor": lambda xp: math.floor(xp.array(2.5)),
    "ceil": lambda xp: math.ceil(xp.array(2.5)),
    "trunc": lambda xp: math.trunc(xp.array(2.5)),
    "three-argument pow": lambda xp: pow(xp.arange(3), 2, 5),
    "reversed": lambda xp: next(reversed(xp.arange(3))),
    "del": lambda xp: operator.delitem(xp.arange(3), 0),
    "a new attribute": lambda xp: setattr(xp.arange(3), "nosuch", 1),
    "an attribute that is read-only": lambda xp: setattr(xp.arange(3), "size", 1),
    "None": lambda xp: xp.arange(3) == None,  # noqa: E711
    "text": lambda xp: xp.arange(3) != "a",
    "an order of text": lambda xp: xp.arange(3) < "a",
    "lengths that differ": lambda xp: xp.arange(2) == xp.arange(3),
    "bytes": lambda xp: bytes(xp.arange(3, dtype="u1")),
    "discarded parts": lambda xp: xp.array([1 + 2j]).astype("f8"),
    "discarded parts of a bool": lambda xp: xp.array([2j]).astype("?"),
    "assigned parts": lambda xp: operator.setitem(xp.zeros(1), 0, xp.array(1 + 2j)),
    "an assigned number": lambda xp: operator.setitem(xp.zeros(1), 0, 1j),
}


@pytest.mark.parametrize("call", PROTOCOLS.values(), ids=PROTOCOLS)
def test_protocols(call):
    assert _outcome(call, cp) == _outcome(call, np)


OPERANDS = {
    "a float to integers": (lambda xp: xp.arange(1, 4), 1.5),
    "floats to integers": (lambda xp: xp.arange(1, 4), lambda xp: xp.ones(3)),
    "wide to narrow floats": (lambda xp: xp.ones(3, "f4"), lambda xp: xp.ones(3)),
    "a complex number to floats": (lambda xp: xp.ones(3), 1j),
    "out of range": (lambda xp: xp.ones(3, "u1"), 300),
    "negative": (lambda xp: xp.ones(3, "u1"), -1),
    "an integer to bools": (lambda xp: xp.ones(3, bool), 1),
    "shapes": (lambda xp: xp.arange(3), lambda xp: xp.arange(2)),
    "a larger operand": (lambda xp: xp.arange(3), lambda xp: xp.ones((2, 3), int)),
    "wide to narrow integers": (lambda xp: xp.ones(3, "i1"), lambda xp: xp.ones(3, "i8")),
}
IN_PLACE = ["iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "ilshift", "iand"]


@pytest.mark.parametrize("name", OPERANDS)
def test_casting_rules_in_place(name):
    left, right = OPERANDS[name]
    for operation in IN_PLACE:

        def call(xp, operation=operation):
            in_place = getattr(operator, operation)
            return in_place(left(xp), right(xp) if callable(right) else right)

        assert _outcome(call, cp) == _outcome(call, np), operation


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(protocol):
    base = cp.arange(6).reshape(2, 3)
    for x in (base, base.T, base[:, ::2], base[1, 1], base[:0], cp.broadcast_to(base[0], (2, 3))):
        again = pickle.loads(pickle.dumps(x, protocol))
        same(again, cp.asnumpy(x))
        if x.size:
            host = np.asarray(cp.asnumpy(x, order="K"))
            assert again.flags.f_contiguous == host.flags.f_contiguous
        assert again.flags.writeable
        assert again.base is None


def test_methods_of_cupy():
    x = cp.asarray(np.arange(24.0).reshape(2, 3, 4))
    same(x.ptp(axis=1), np.ptp(cp.asnumpy(x), axis=1))
    for view, shape in [
        (x, (24,)), (x[:, ::2], (2, 2, 4)), (x[:, :2], (2, 8)), (x[:1, :, :1], (3,)), (x.T, (4, 3, 2)),
        (x[:0], (0,)), (x[:1, :1, :1], (1,)), (x[0, 0, 0], ()), (x[..., None], (24,)),
    ]:  # fmt: skip
        reduced = view.reduced_view()
        same(reduced, cp.asnumpy(view).reshape(shape))
        assert not view.size or reduced is view or reduced.base is x
    with pytest.raises(ValueError, match="reduced_view"):
        x.reduced_view("i4")
    y = cp.zeros(3)
    y.scatter_add(cp.array([0, 0, 2]), 1)
    y.scatter_max(1, 5)
    y.scatter_min(2, -1)
    same(y, np.array([2.0, 5, -1]))
    cp.scatter_add(y, ([0, 0],), [1, 2])
    cp.scatter_max(y, slice(1, 3), 3)
    cp.scatter_min(y, [2, 2], [1, 0])
    same(y, np.array([5.0, 5, 0]))
    assert bytes(cp.array(3, "i2")) == b"\x03\0"


# ---- derived classes ---------------------------------------------------------------------------


class Named(cp.ndarray):
    """As NumPy's documentation derives a class."""

    def __new__(cls, values, name=None):
        made = cp.asarray(values).view(cls)
        made.name = name
        return made

    def __array_finalize__(self, obj):
        self.name = getattr(obj, "name", None)


class NamedHost(np.ndarray):
    __new__ = None  # type: ignore[assignment]

    def __array_finalize__(self, obj):
        self.name = getattr(obj, "name", None)


OF_THE_CLASS = {
    "slice": lambda x: x[1:],
    "item": lambda x: x[1],
    "mask": lambda x: x[x > 2],
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "reshape": lambda x: x.reshape(3, 2),
    "ravel": lambda x: x.ravel(),
    "transpose": lambda x: x.transpose(),
    "view": lambda x: x.view(),
    "view of a dtype": lambda x: x.view("i8"),
    "copy": lambda x: x.copy(),
    "copy.copy": lambda x: copy.copy(x),
    "deepcopy": lambda x: copy.deepcopy(x),
    "astype": lambda x: x.astype("f4"),
    "add": lambda x: x + 1,
    "radd": lambda x: 1 + x,
    "add itself": lambda x: x + x,
    "divmod": lambda x: divmod(x, 2)[1],
    "less": lambda x: x < 3,
    "negative": lambda x: -x,
    "sum of an axis": lambda x: x.sum(axis=0),
    "clip": lambda x: x.clip(1, 2),
    "real": lambda x: x.real,
    "in place": lambda x: operator.iadd(x, 1),
}


@pytest.mark.parametrize("name", OF_THE_CLASS)
def test_views_and_results_are_of_the_derived_class(name):
    host = np.arange(6.0).reshape(2, 3).view(NamedHost)
    host.name = "n"
    device = Named(np.arange(6.0).reshape(2, 3), "n")
    call = OF_THE_CLASS[name]
    expected, actual = call(host), call(device)
    if name != "item":
        assert type(expected) is NamedHost
    assert type(actual) is Named
    assert actual.name == "n"
    same(actual, np.asarray(expected))
    same(device, np.asarray(host))


def test_derived_classes():
    x = Named([1, 2, 3], name="n")
    assert x.name == "n"
    assert x.base is not None
    assert type(x.view(cp.ndarray)) is type(x.view("f8", cp.ndarray)) is cp.ndarray
    assert type(cp.ones(3).view(Named)) is type(cp.ones(3).view(type=Named)) is Named
    assert cp.ones(3).view("i8", Named).dtype == np.int64
    assert type(x.get()) is np.ndarray
    assert x.tolist() == [1, 2, 3]
    assert x.argmax().item() == 2
    x[0] = 5
    assert x.sum() == 10
    assert type(cp.add(x, 1)) is cp.ndarray  # functions give ndarray's
    again = pickle.loads(pickle.dumps(x))
    assert type(again) is Named
    assert again.name == "n"
    same(again, np.array([5, 2, 3]))
    wrapped = x.__array_wrap__(cp.ones(2))
    assert (type(wrapped), wrapped.name) == (Named, "n")
    plain = cp.ones(2)
    assert cp.ones(3).__array_wrap__(plain) is plain
    assert plain.__array_finalize__(None) is None


def test_a_class_of_a_derived_class_and_methods_of_its_own():
    class Length(Named):
        def sum(self, axis=None):
            return 7

        def __mul__(self, other):
            return "times"

    x = Length([1.0, 2.0])
    assert type(x + 1) is type(x[1:]) is Length
    assert x.sum() == 7
    assert x * 2 == "times"

    class Mixin:
        def __add__(self, other):
            return "mixed"

    class Mixed(Mixin, cp.ndarray):
        pass

    y = Mixed((2,), dtype="f4")
    assert y.dtype == np.float32
    assert y + 1 == "mixed"
    assert type(y - 1) is Mixed


def test_finalize_is_called_for_each_new_array():
    seen = []

    class Noting(cp.ndarray):
        def __array_finalize__(self, obj):
            seen.append(type(obj))

    x = Noting(3)
    x.fill(1)
    x[1:]
    cp.ones(2).view(Noting)
    assert seen == [type(None), Noting, cp.ndarray]


def test_ndarray_itself_stays_as_it_is():
    before = dict(vars(cp.ndarray))
    cp.ones(1).__init_subclass__()
    assert dict(vars(cp.ndarray)) == before


def test_views_of_other_classes_are_refused():
    raises_alike(lambda: np.arange(3).view(type=3), lambda: cp.arange(3).view(type=3))
    raises_alike(lambda: np.arange(3).view(int, int), lambda: cp.arange(3).view(int, int))
    raises_alike(
        lambda: np.arange(3).view(NamedHost, NamedHost), lambda: cp.arange(3).view(Named, Named)
    )
