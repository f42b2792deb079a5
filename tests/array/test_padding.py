"""Padding against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray as cp
from tests.array.arrays import KINDS, against_numpy, raises_as_numpy, same, values
from tests.slow import slow_except

RULES = ["constant", "edge", "reflect", "symmetric", "wrap"]
STATISTICS = ["maximum", "mean", "median", "minimum"]
WIDTHS = [1, ((0, 3), (5, 0))]

test_rules = against_numpy(
    lambda xp, x, mode, width: xp.pad(x, width if x.ndim else 0, mode),
    dtypes=KINDS,
    mode=RULES,
    width=WIDTHS,
    raises=ValueError,
)
test_statistics = against_numpy(
    lambda xp, x, mode, length: xp.pad(x, 2, mode, stat_length=length),
    dtypes=["u1", "f4"],
    mode=STATISTICS,
    length=[None, 2, ((1, 3), (2, 5))],
    raises=ValueError,
    ulps=2,
)
test_statistics_of_wide_elements = pytest.mark.slow(
    against_numpy(
        lambda xp, x, mode: xp.pad(x, 2, mode, stat_length=2),
        dtypes=["i8", "f8"],
        layouts_of=(),
        mode=STATISTICS,
        ulps=2,
    )
)
test_ramps = against_numpy(
    lambda xp, x, ends: xp.pad(x, ((2, 1), (0, 3)), "linear_ramp", end_values=ends),
    dtypes=["u1", "i4", "f4", "c16"],
    layouts={"contiguous": lambda xp, a: a, "transposed": lambda xp, a: a.T},
    ends=[0, ((1, 2), (3, 4))],
    ulps=2,
)
test_odd = against_numpy(
    lambda xp, x, mode, width: xp.pad(x, width, mode, reflect_type="odd"),
    dtypes=["u1", "i8", "f4", "c16"],
    layouts={"contiguous": lambda xp, a: a, "column": lambda xp, a: a[:, :1]},
    mode=["reflect", "symmetric"],
    width=[2, ((13, 1), (0, 20))],
)


@st.composite
def paddings(draw):
    shape = tuple(draw(st.lists(st.integers(1, 9), min_size=1, max_size=3)))
    side = st.integers(0, 12)
    width = [(draw(side), draw(side)) for _ in shape]
    return shape, width, draw(st.sampled_from(RULES)), draw(st.sampled_from(["u1", "f8", "c16"]))


@settings(max_examples=20)
@given(paddings(), st.booleans())
def test_any_rule(case, transposed):
    shape, width, mode, dtype = case
    host = values(shape, dtype)
    device = cp.asarray(host)
    if transposed:
        host, device = host.T[::-1], device.T[::-1]
        width = width[::-1]
    expected, actual = np.pad(host, width, mode), cp.pad(device, width, mode)
    same(actual, expected)
    assert actual.flags.f_contiguous == expected.flags.f_contiguous


@pytest.mark.parametrize("shape", [(3,), (40, 33), (2, 3, 4)])
def test_numbers_of_each_side(shape):
    numbers = [(2 * axis + 1, 2 * axis + 2) for axis in range(len(shape))]
    for dtype in ("?", "f4") if len(shape) == 2 else ("i2", "c16"):
        host = values(shape, dtype)
        for one in (host, np.asfortranarray(host)):
            for given_values in (7, (1, 2), numbers):
                expected = np.pad(one, 2, constant_values=given_values)
                actual = cp.pad(cp.asarray(one), 2, constant_values=given_values)
                same(actual, expected)
                assert actual.strides == expected.strides
    same(cp.pad(cp.ones(2), 1, constant_values=cp.array([3, 4])), np.array([3.0, 1, 1, 4]))


@pytest.mark.parametrize("dtype", slow_except(["u1"], ["u1", "f4", "c16"]))
def test_long_rows(dtype):
    # Vectors within a row, at both ends, and rows that begin at any address.
    host = values((5, 211), dtype)
    device = cp.asarray(host)
    for part in (slice(None), slice(1, None), slice(None, None, -1)):
        for mode in RULES:
            for width in (((1, 2), (3, 70)), ((0, 0), (1, 0))):
                expected = np.pad(host[:, part], width, mode)
                same(cp.pad(device[:, part], width, mode), expected)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_without_elements(shape):
    host, device = np.zeros(shape, "f4"), cp.zeros(shape, "f4")
    for width in (0, 1, {0: (0, 1)}):
        same(
            cp.pad(device, width, constant_values=((1, 2),) * len(shape)),
            np.pad(host, width, constant_values=((1, 2),) * len(shape)),
        )
        assert cp.pad(device, width, "empty").shape == np.pad(host, width, "empty").shape
    for mode in (*RULES[1:], *STATISTICS, "linear_ramp"):
        same(cp.pad(device, 0, mode), np.pad(host, 0, mode))


def test_widths():
    host = np.arange(6).reshape(2, 3)
    for width in (
        2,
        (1,),
        (1, 2),
        [[1], [2]],
        [[1, 2], [3, 4]],
        np.array([1, 2]),
        {-1: 2, 0: (1, 0)},
    ):
        same(cp.pad(cp.asarray(host), width, "edge"), np.pad(host, width, "edge"))
    same(cp.pad([1, 2], 1), np.pad([1, 2], 1))
    same(cp.pad(3, 1), np.pad(3, 1))


def test_function():
    def frame(vector, width, axis, arguments):
        vector[: width[0]] = arguments.get("value", 5)
        vector[vector.size - width[1] :] = axis

    host = np.ones((2, 3))
    width = ((1, 2), (0, 1))
    same(cp.pad(cp.asarray(host), width, frame), np.pad(host, width, frame))
    same(cp.pad(cp.asarray(host), width, frame, value=4), np.pad(host, width, frame, value=4))


def test_empty_keeps_the_array():
    host = values((3, 4), "f4")
    padded = cp.pad(cp.asarray(host), ((1, 0), (2, 3)), "empty")
    assert padded.shape == (4, 9)
    same(padded[1:, 2:-3], host)


test_errors = raises_as_numpy(
    lambda xp: xp.pad(xp.ones(3), 1.5),
    lambda xp: xp.pad(xp.ones(3), -1),
    lambda xp: xp.pad(xp.ones(3), 1, "none"),
    lambda xp: xp.pad(xp.ones(3), 1, "edge", constant_values=1),
    lambda xp: xp.pad(xp.ones((3, 3)), [1, 2, 3]),
    lambda xp: xp.pad(xp.ones((3, 3)), 1, constant_values=[1, 2, 3]),
    lambda xp: xp.pad(xp.ones((0, 3)), 1, "edge"),
    lambda xp: xp.pad(xp.ones(3), 1, "maximum", stat_length=0),
    lambda xp: xp.pad(xp.ones(3), 1, "mean", stat_length=-1),
    lambda xp: xp.pad(xp.ones(3)),
)


def test_the_number_is_no_part_of_the_plan():
    x = cp.ones(5)
    cp.pad(x, 1, constant_values=1).get()
    plans = len(cp.cuda.get_current_stream().plans)
    for number in (2, 3.5, -1):
        same(cp.pad(x, 1, constant_values=number), np.pad(np.ones(5), 1, constant_values=number))
    assert len(cp.cuda.get_current_stream().plans) == plans


def test_widths_that_are_equal_are_the_same():
    x = cp.arange(3)
    cp.pad(x, 1)
    cp.pad(x, (1, 1))
    for wrong in (1.0, (1.0, 1), ((1, 1.0),)):
        with pytest.raises(TypeError, match="integral"):
            cp.pad(x, wrong)
    for _ in range(2):
        same(
            cp.pad(x, ((1, 2),), constant_values=5), np.pad(np.arange(3), (1, 2), constant_values=5)
        )
        same(cp.pad(x, ((1, 2),)), np.pad(np.arange(3), (1, 2)))
        same(cp.pad(x, (2, 0), "wrap"), np.pad(np.arange(3), (2, 0), "wrap"))
        with pytest.raises(ValueError, match="unsupported keyword"):
            cp.pad(x, 1, "edge", constant_values=3)
        with pytest.raises(ValueError, match="unsupported keyword"):
            cp.pad(x, 1, end_values=3)
    with pytest.raises(OverflowError):
        cp.pad(cp.arange(3, dtype="u1"), ((1, 2),), constant_values=300)
