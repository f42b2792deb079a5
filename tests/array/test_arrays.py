"""The comparisons with NumPy notice what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import DTYPES, LAYOUTS, against_numpy, device_copy, pair, raises_alike, same


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: cp.asarray([1.0, 2.0, 4.0]),
        lambda: cp.asarray([1.0, 2.0]),
        lambda: cp.asarray([[1.0, 2.0, 3.0]]),
        lambda: cp.asarray([1, 2, 3]),
        lambda: cp.asarray([1.0, 2.0, 3.0], "f4"),
        lambda: cp.asarray([1.0, 2.0, np.nan]),
        lambda: np.array([1.0, 2.0, 3.0]),
        lambda: [1.0, 2.0, 3.0],
        lambda: (cp.asarray([1.0, 2.0, 3.0]),),
        lambda: None,
    ],
    ids=["value", "length", "dimensions", "kind", "width", "nan", "host", "list", "tuple", "None"],
)
def test_what_differs(wrong):
    expected, actual = np.array([1.0, 2.0, 3.0]), wrong()
    same(cp.asarray(expected), expected)
    with pytest.raises(AssertionError):
        same(actual, expected)
    with pytest.raises(AssertionError):
        same(actual, expected, ulps=4)
    with pytest.raises(AssertionError):
        same((cp.asarray(expected), actual), (expected, expected))
    with pytest.raises(AssertionError):
        same({"sum": actual}, {"sum": expected})


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("number", [0.0, 1.0, -3.0, 1e-4, 1000.0])
def test_units_in_the_last_place(number, dtype):
    expected = np.array([number], dtype)
    beside = np.nextafter(expected, np.array(np.inf, dtype))
    same(cp.asarray(beside), expected, ulps=1)
    same(cp.asarray(beside), expected, ulps={np.dtype(dtype).char: 1})
    same(cp.asarray(beside), expected, atol=float(abs(beside - expected)[0]))
    for tolerance in (0, {"l": 9}):
        with pytest.raises(AssertionError):
            same(cp.asarray(beside), expected, ulps=tolerance)
    further = np.nextafter(beside, np.array(np.inf, dtype))
    with pytest.raises(AssertionError, match="ulps"):
        same(cp.asarray(further), expected, ulps=1)


@pytest.mark.parametrize("wrong", [np.inf, -np.inf, np.nan, 1.0])
@pytest.mark.parametrize("right", [np.inf, -np.inf, np.nan, 1.0])
def test_infinity_and_nan_are_near_nothing(right, wrong):
    equal = right == wrong or (np.isnan(right) and np.isnan(wrong))
    for make in (np.float64, np.complex128):
        expected = np.array([make(right)])
        if equal:
            same(cp.asarray(expected), expected, ulps=9)
        else:
            with pytest.raises(AssertionError):
                same(cp.asarray([make(wrong)]), expected, ulps=9)


def test_what_is_no_array():
    same(3, 3)
    same("a", "a")
    same({"a": 1, "b": [2]}, {"a": 1, "b": [2]})
    for actual, expected in (
        ({"a": 1}, {"b": 1}),
        ([1], [1, 2]),
        (3, 4),
        (3, 3.0),
        (True, 1),
        (None, 0),
        (3, np.int64(3)),
    ):
        with pytest.raises(AssertionError):
            same(actual, expected)


def test_raising_alike():
    def fails(error):
        raise error

    raises_alike(lambda: fails(ValueError()), lambda: fails(np.exceptions.AxisError("x")))
    for on_host, on_device in (
        (lambda: fails(ValueError()), lambda: fails(TypeError())),
        (lambda: fails(ValueError()), lambda: None),
        (lambda: None, lambda: fails(ValueError())),
    ):
        with pytest.raises(AssertionError):
            raises_alike(on_host, on_device)


def ids(test):
    """The ids of the cases of a parametrised test."""
    (cases,) = [mark.args[1] for mark in test.pytestmark if mark.args[0] == ["dtype", "layout"]]
    return [case.id for case in cases]


def test_cases_of_dtypes_and_layouts():
    assert ids(against_numpy(lambda xp, x: x, dtypes=["i4", "f4", "c8"])) == [
        "int32-contiguous",
        *[f"float32-{layout}" for layout in LAYOUTS],
        "complex64-contiguous",
    ]
    crossed = against_numpy(lambda xp, x: x, dtypes=["?", "i4"], layouts_of=["?", "i4"])
    assert len(ids(crossed)) == 2 * len(LAYOUTS)
    mixed = against_numpy(lambda xp, x, y: x, dtypes=[("i1", "f4")])
    assert ids(mixed)[0] == "int8_float32-contiguous"


def test_cases_of_sweeps_over_all_dtypes():
    """One dtype of each kind is quick in each, and several have all."""
    quick, slow = set(), set()
    for _ in range(4):
        (mark,) = against_numpy(lambda xp, x: x).pytestmark
        one = {case.values[0] for case in mark.args[1] if not case.marks}
        assert {np.dtype(dtype).kind.replace("u", "i") for dtype in one} == set("bifc")
        quick |= one
        slow |= {case.values[0] for case in mark.args[1] if case.marks}
    assert quick | slow == set(DTYPES)
    assert len(quick) >= 9


def test_a_wrong_function_fails():
    def differs(xp, x):
        return x + (xp is cp)

    def raises(xp, x):
        if xp is cp:
            raise ValueError("only here")
        return x

    def raises_there(xp, x):
        raise (ValueError if xp is cp else TypeError)("elsewhere")

    case = {"dtype": "f4", "layout": "contiguous"}
    against_numpy(lambda xp, x, k: x + k, k=[1])(**case, k=1)
    against_numpy(lambda xp, x: x + x.shape[3], raises=IndexError)(**case)
    with pytest.raises(AssertionError):
        against_numpy(differs)(**case)
    with pytest.raises(ValueError, match="only here"):
        against_numpy(raises, raises=ValueError)(**case)
    with pytest.raises(AssertionError):
        against_numpy(raises_there, raises=TypeError)(**case)
    with pytest.raises(TypeError, match="elsewhere"):  # NumPy was not expected to raise
        against_numpy(raises_there)(**case)


test_two_operands = against_numpy(
    lambda xp, x, y, sign: (x + sign * y, x.dtype.name, (x.ndim, [y])),
    dtypes=["i4", "f4", ("i2", "f8")],
    sign=[1, -1],
)


def test_a_parametrised_test_stands_where_its_function_does():
    assert test_two_operands.__wrapped__.__code__.co_filename == __file__


@pytest.mark.parametrize("layout", LAYOUTS)
def test_pairs_and_copies_have_the_same_strides(layout):
    host, device = pair(layout, "i2")
    same(device, host)
    copy = device_copy(host)
    same(copy, host)
    for one in (device, copy):
        assert one.strides == host.strides or not host.size
