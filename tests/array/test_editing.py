"""Adding and removing elements, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpuarray as cp
from tests.array.arrays import KINDS, LAYOUTS_3D, against_numpy, pair, raises_as_numpy, same, values

VIEWS = ["permuted", "negative-stride", "broadcast", "2-d", "0-d", "empty"]

test_append = against_numpy(
    lambda xp, x, y, axis: xp.append(x, y, axis),
    dtypes=[*KINDS, ("u1", "f4")],
    axis=[None, 0, -1],
    raises=ValueError,
)
test_resize = against_numpy(
    lambda xp, x, new_shape: xp.resize(x, new_shape),
    dtypes=KINDS,
    new_shape=[5, (2, 3), (7, 40), (0, 3), (), (3, 0)],
)


@pytest.mark.parametrize("layout", VIEWS)
def test_delete(layout):
    host, device = pair(layout, "f4", shape=(4, 6, 5), layouts=LAYOUTS_3D)
    for axis in (None, *range(host.ndim)):
        length = host.size if axis is None else host.shape[axis]
        if not length:
            continue
        for obj in (0, -1, length - 1, slice(1, 3), slice(None, None, 2), slice(None, None, -3),
                    slice(3, 1), [0, -1], [], np.arange(length) % 2 == 0):  # fmt: skip
            expected = np.delete(host, obj, axis)
            for given_obj in (obj, cp.asarray(obj)) if isinstance(obj, np.ndarray) else (obj,):
                same(cp.delete(device, given_obj, axis), expected)
        same(cp.delete(device, cp.asarray([0, -1]), axis), np.delete(host, [0, -1], axis))


@pytest.mark.parametrize("layout", VIEWS)
def test_insert(layout):
    host, device = pair(layout, "f4", shape=(4, 6, 5), layouts=LAYOUTS_3D)
    for axis in (None, *range(host.ndim)):
        length = host.size if axis is None else host.shape[axis]
        for obj in (
            0,
            -1,
            length,
            [length],
            slice(0, 2),
            [0, length, 0],
            [],
            np.arange(length) % 2 == 0,
        ):
            try:
                expected = np.insert(host, obj, 7.5, axis)
            except (IndexError, ValueError):
                continue
            for given_obj in (obj, cp.asarray(obj)) if isinstance(obj, np.ndarray) else (obj,):
                same(cp.insert(device, given_obj, 7.5, axis), expected)
        if length:
            expected = np.insert(host, [0, -1], 7.5, axis)
            same(cp.insert(device, cp.asarray([0, -1]), 7.5, axis), expected)


@st.composite
def edits(draw):
    shape = tuple(draw(st.lists(st.integers(1, 7), min_size=1, max_size=3)))
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    index = st.integers(-shape[axis], shape[axis] - 1)
    return shape, axis, draw(st.one_of(index, st.lists(index, max_size=4), st.builds(
        slice, st.none() | index, st.none() | index, st.sampled_from([None, 1, 2, -1, -3]))))  # fmt: skip


@given(edits(), st.sampled_from(["u1", "f8", "c16"]))
def test_any_index(edit, dtype):
    shape, axis, obj = edit
    host = values(shape, dtype)
    device = cp.asarray(host)
    same(cp.delete(device, obj, axis), np.delete(host, obj, axis))
    same(cp.insert(device, obj, 3, axis), np.insert(host, obj, 3, axis))


def test_values_that_are_inserted():
    host = np.arange(6).reshape(2, 3)
    device = cp.asarray(host)
    for obj, new, axis in ((1, [7, 8], 1), ([1], [[7], [8]], 1), ([0, 2], [7.9, 8.1], 1), (1, [1, 2, 3], 0),
                           ([0, 1], [[1, 2, 3], [4, 5, 6]], 0), (slice(0, 2), [[9], [8]], 0), (2, [5, 6], None)):  # fmt: skip
        expected = np.insert(host, obj, new, axis)
        same(cp.insert(device, obj, new, axis), expected)
        same(cp.insert(device, obj, cp.asarray(new), axis), expected)
    same(cp.insert([1, 2], 1, 5), np.insert([1, 2], 1, 5))
    fortran = np.asfortranarray(host)
    assert cp.insert(cp.asarray(fortran), 1, 5, 1).flags.f_contiguous
    assert cp.delete(cp.asarray(fortran), 1, 1).flags.f_contiguous


def test_many_indices():
    host = values((40, 9), "f4")
    device = cp.asarray(host)
    for count in (3, 15, 16, 30):
        indices = (np.arange(count) * 7 % 40).tolist() + [-1, -1]
        for axis in (0, None):
            same(cp.delete(device, indices, axis), np.delete(host, indices, axis))
            same(cp.insert(device, indices, 5, axis), np.insert(host, indices, 5, axis))
    new = values((18, 9), "f4", 1)
    indices = [*range(0, 36, 2)]
    same(cp.insert(device, indices, cp.asarray(new), 0), np.insert(host, indices, new, 0))


def test_long_rows_without_some():
    for dtype in ("u1", "c16"):
        host = values((6, 131), dtype)
        device = cp.asarray(host)
        for obj in (0, 60, slice(3, 70), slice(None, None, 5), slice(100, None, 3)):
            for axis in (0, 1):
                same(
                    cp.delete(device, obj if axis else 2, axis),
                    np.delete(host, obj if axis else 2, axis),
                )


@pytest.mark.parametrize("trim", ["fb", "f", "b", "BF"])
@pytest.mark.parametrize("axis", [None, 0, -1, ()])
def test_trim_zeros(trim, axis):
    for host in (
        np.array([0, 0, 1, 0, 2, 0, 0]), np.zeros(4), np.zeros(0), np.array([0, 0.0, np.nan, 0]),
        np.pad(np.ones((2, 3)), ((1, 2), (0, 4))), np.zeros((2, 3)), np.array([False, True, False]),
    ):  # fmt: skip
        same(cp.trim_zeros(cp.asarray(host), trim, axis), np.trim_zeros(host, trim, axis))


def test_trim_zeros_is_a_view():
    x = cp.array([0, 0, 1, 0])
    cp.trim_zeros(x)[0] = 5
    assert x.tolist() == [0, 0, 5, 0]
    assert cp.trim_zeros([0, 1, 0]) == [1]
    assert cp.trim_zeros((0, 1, 0)) == (1,)


test_errors = raises_as_numpy(
    lambda xp: xp.delete(xp.ones(3), 3),
    lambda xp: xp.delete(xp.ones(3), [4, 0]),
    lambda xp: xp.delete(xp.ones(3), [True, False]),
    lambda xp: xp.delete(xp.ones(3), 1.5),
    lambda xp: xp.delete(xp.ones((3, 3)), 1, 2),
    lambda xp: xp.insert(xp.ones(3), 4, 1),
    lambda xp: xp.insert(xp.ones(3), -4, 1),
    lambda xp: xp.insert(xp.ones(3), [0, 5], 1),
    lambda xp: xp.insert(xp.ones(3), [[0, 1]], 1),
    lambda xp: xp.insert(xp.ones((2, 3)), 1, [1, 2, 3], 1),
    lambda xp: xp.append(xp.ones((2, 3)), xp.ones(3), 0),
    lambda xp: xp.resize(xp.ones(3), -1),
    lambda xp: xp.trim_zeros(xp.ones(3), "x"),
    lambda xp: xp.trim_zeros(xp.ones(3), axis=1),
)


def test_the_index_is_no_part_of_the_plan():
    x = cp.arange(9)
    cp.delete(x, 0)
    plans = len(cp.cuda.get_current_stream().plans)
    for index in range(9):
        same(cp.delete(x, index), np.delete(np.arange(9), index))
    assert len(cp.cuda.get_current_stream().plans) == plans
