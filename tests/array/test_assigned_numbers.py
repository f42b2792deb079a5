"""Host values that become elements: what NumPy does not store raises."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import raises_alike, raises_as_numpy, same

#: Numbers and the dtypes of two elements that some of them do not fit.
NUMBERS = [
    0, 1, -1, 127, 128, 255, 256, 300, -129, 2**31, 2**63, 2**64, -(2**63) - 1, 2**70, True,
    1.5, -0.5, -1.5, 300.0, 1e10, -1e300, float("nan"), float("inf"), -float("inf"), 1j, 1 + 0j,
    complex("nan"),
]  # fmt: skip
DTYPES = ["?", "i1", "u1", "i4", "i8", "u8", "f2", "f4", "c8"]

#: Routes by which a Python number becomes an element.
ROUTES = {
    "x[0] = v": lambda xp, x, v: x.__setitem__(0, v),
    "x[:1] = v": lambda xp, x, v: x.__setitem__(slice(1), v),
    "x[...] = v": lambda xp, x, v: x.__setitem__(..., v),
    "x[list] = v": lambda xp, x, v: x.__setitem__([1], v),
    "x[indices] = v": lambda xp, x, v: x.__setitem__(xp.asarray([1]), v),
    "x[mask] = v": lambda xp, x, v: x.__setitem__(xp.asarray([True, False]), v),
    "x[mask list] = v": lambda xp, x, v: x.__setitem__([True, False], v),
    "x[None, mask] = v": lambda xp, x, v: x.__setitem__((None, xp.asarray([True, False])), v),
    "fill": lambda xp, x, v: x.fill(v),
    "put_along_axis": lambda xp, x, v: xp.put_along_axis(x, xp.asarray([1]), v, 0),
    "x[:] = [v, v]": lambda xp, x, v: x.__setitem__(slice(None), [v, v]),
    "x[list] = [v]": lambda xp, x, v: x.__setitem__([1], [v]),
    "x[mask] = [v]": lambda xp, x, v: x.__setitem__(xp.asarray([True, False]), [v]),
    "put_along_axis, list": lambda xp, x, v: xp.put_along_axis(x, xp.asarray([1]), [v], 0),
    "array": lambda xp, x, v: x.__setitem__(..., xp.array(v, x.dtype)),
    "array of a list": lambda xp, x, v: x.__setitem__(..., xp.array([v, 0], x.dtype)),
    "asarray of a device element and v": lambda xp, x, v: x.__setitem__(
        ..., xp.array([x[0], v], x.dtype) if xp is cp else np.array([x[0].item(), v], x.dtype)
    ),
    "array of rows": lambda xp, x, v: x.__setitem__(
        ..., (xp.array([x[:1], [v]], x.dtype) if xp is cp else np.array([[0], [v]], x.dtype))[:, 0]
    ),
}  # fmt: skip


def outcome(route, xp, dtype, value):
    x = xp.zeros(2, dtype)
    try:
        with np.errstate(all="ignore"):
            route(xp, x, value)
    except (ValueError, OverflowError, TypeError) as error:
        return type(error)
    return x


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *itertools.product(ROUTES, ["i1", "f2"]),
        *itertools.product(["x[0] = v", "fill", "x[mask] = [v]"], ["?", "u8"]),
        *[
            pytest.param(name, DTYPES[number % len(DTYPES)], marks=pytest.mark.slow)
            for number, name in enumerate(ROUTES)
            if DTYPES[number % len(DTYPES)] not in ("i1", "f2")
        ],
    ],
)
def test_python_numbers(name, dtype):
    route = ROUTES[name]
    for value in NUMBERS:
        expected = outcome(route, np, dtype, value)
        actual = outcome(route, cp, dtype, value)
        if isinstance(expected, type):
            assert isinstance(actual, type), (value, actual)
            assert issubclass(actual, expected), value
        else:
            assert not isinstance(actual, type), (value, actual)
            same(actual, expected, context=value)


@pytest.mark.parametrize("dtype", ["i1", "u4", "i8", "u8"])
@pytest.mark.parametrize(
    ("value", "error"),
    [
        (np.float64("nan"), ValueError), (np.float32("inf"), OverflowError), (np.array(np.nan), ValueError),
        (np.array(-np.inf), OverflowError), (np.float64(1e30), OverflowError), (np.float16("nan"), ValueError),
    ],
    ids=repr,
)  # fmt: skip
def test_numbers_of_numpys(dtype, value, error):
    """Converted as Python's: NumPy stores garbage by some of these routes and raises by others."""
    for route in ("x[0] = v", "x[...] = v", "x[list] = v", "x[mask] = v", "fill", "put_along_axis"):
        x = cp.zeros(2, dtype)
        with pytest.raises(error):
            ROUTES[route](cp, x, value)
        assert x.tolist() == [0, 0]
    for make in (cp.full, lambda n, v, d: cp.full_like(cp.zeros(n, d), v)):
        with pytest.raises(error):
            make(2, value, dtype)
        with pytest.raises(error):
            make(2, value.item(), dtype)


def test_what_fits_of_numpys():
    for value in (
        np.int64(7),
        np.float32(7.5),
        np.uint8(7),
        np.bool(True),
        np.array(7),
        np.array(7.5),
    ):
        for dtype in DTYPES:
            expected = np.zeros(2, dtype)
            expected[:] = value
            for route in ("x[...] = v", "fill", "array"):
                x = cp.zeros(2, dtype)
                ROUTES[route](cp, x, value)
                same(x, expected)
            same(cp.full(2, value, dtype), expected)


def test_a_complex_number_of_numpys_loses_its_imaginary_part_with_a_warning():
    for xp in (np, cp):
        x = xp.zeros(2)
        with pytest.warns(np.exceptions.ComplexWarning):
            x[0] = np.complex128(2 + 3j)
        assert float(x[0]) == 2


test_what_numpy_refuses = raises_as_numpy(
    lambda xp: xp.full(2, 300, "i1"),
    lambda xp: xp.full(2, -1, "u8"),
    lambda xp: xp.full_like(xp.zeros(2, "u1"), 256),
    lambda xp: xp.array([300, 1], "i1"),
    lambda xp: xp.array([[1, float("nan")]], "i4"),
    lambda xp: xp.copyto(xp.zeros(2, "i1"), 300),
    lambda xp: xp.copyto(xp.zeros(2, "i1"), 300, casting="unsafe"),
    lambda xp: xp.copyto(xp.zeros(2, "i1"), float("nan")),
    lambda xp: xp.add.reduce(xp.zeros(2, "i1"), initial=300, dtype="i1"),
    lambda xp: xp.zeros(2).__setitem__(0, [1.5]),
    lambda xp: xp.zeros(2).__setitem__(0, [1.5, 2.5]),
    lambda xp: xp.zeros(2, "i1").__setitem__(0, [1]),
    lambda xp: xp.zeros(2, "c8").__setitem__((0,), (1,)),
    lambda xp: xp.zeros((), "f4").__setitem__(..., [1.5]),
)


def test_a_sequence_as_one_bool():
    for value, expected in ([0], True), ([], False), ((1, 2), True):
        x = np.zeros(2, "?")
        x[0] = value
        assert x[0] == expected
        y = cp.zeros(2, "?")
        y[0] = value
        same(y, x)


def test_copyto_casts_what_its_rule_allows():
    for value, dtype, casting in [
        (np.int64(300), "i1", "same_kind"), (1.75, "i4", "unsafe"), (np.float64(2.5), "f4", "same_kind"),
        (2.5, "c8", "safe"), (np.float32(1e10), "f2", "same_kind"),
    ]:  # fmt: skip
        x, y = np.zeros(2, dtype), cp.zeros(2, dtype)
        with np.errstate(all="ignore"):
            np.copyto(x, value, casting=casting)
        cp.copyto(y, value, casting=casting)
        same(y, x)
    with pytest.warns(np.exceptions.ComplexWarning):
        cp.copyto(y, 2 + 3j, casting="unsafe")


def test_items_of_arrays_have_dtypes_of_their_own():
    """Numbers in a list are no weak operands: 300 beside int8 makes int64, as in NumPy."""
    one = np.ones((), "i1")
    for host in ([one, 300], [one, 2.5], [[one, 2], [3, 4]], [np.ones(2, "f4"), [1.5, 2]],
                 [np.ones(2, "i1"), [300, -1]], [(one, True), (False, one)]):  # fmt: skip

        def on_device(x):
            return (
                type(x)(map(on_device, x))
                if isinstance(x, list | tuple)
                else cp.asarray(x)
                if isinstance(x, np.ndarray)
                else x
            )

        same(cp.array(on_device(host)), np.array(host))
        same(cp.array(on_device(host), "f4"), np.array(host, "f4"))


def test_messages_name_the_operation_the_value_and_the_dtype():
    x = cp.zeros(2, "i1")
    with pytest.raises(OverflowError, match="assignment: 300 cannot be stored as int8"):
        x[0] = 300
    with pytest.raises(OverflowError, match="fill: 300 cannot be stored as int8"):
        x.fill(300)
    with pytest.raises(ValueError, match=r"assignment: \[nan\] cannot be stored as int8"):
        x[:] = [float("nan")]
    with pytest.raises(TypeError, match="put_along_axis: 1j cannot be stored as int8"):
        cp.put_along_axis(x, cp.array([0]), 1j, 0)


def test_arrays_are_cast():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = cp.zeros(2, "i1")
        x[:] = cp.array([300, 1])
        x[cp.array([1])] = cp.array([257])
        assert x.tolist() == [44, 1]
        raises_alike(lambda: np.zeros(2, "i1").fill(1j), lambda: x.fill(1j))
