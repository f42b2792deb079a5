"""Views with given strides, and memory that is shared, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import raises_as_numpy, same

HOST = np.arange(24).reshape(4, 6)

VIEWS = {
    "all": lambda a: a,
    "even": lambda a: a[:, ::2],
    "odd": lambda a: a[:, 1::2],
    "backwards": lambda a: a[::-1],
    "top": lambda a: a[:2],
    "bottom": lambda a: a[2:],
    "empty": lambda a: a[:0],
    "thirds": lambda a: a[::3, ::3],
    "transposed": lambda a: a.T,
    "element": lambda a: a[1:2, 1].reshape(()),
}


@pytest.mark.parametrize(
    "arguments",
    [
        ((2, 2), (8, 16)),
        ((2, 2),),
        (None, (0, 8)),
        ((3, 2, 2), (8, 8, 0)),
        ((), ()),
        ((5,), (0,)),
    ],
)
def test_as_strided(arguments):
    for name in ("all", "even", "transposed"):
        host, device = VIEWS[name](HOST), VIEWS[name](cp.asarray(HOST))
        if arguments[0] is None and host.ndim != 2:
            continue
        expected = np.lib.stride_tricks.as_strided(host, *arguments)
        actual = cp.lib.stride_tricks.as_strided(device, *arguments)
        same(actual, expected)
        assert actual.strides == expected.strides
        assert actual._memory is device._memory


def test_as_strided_stays_in_the_memory():
    x = cp.arange(4)
    for shape, strides in (((1000,), (8,)), ((2,), (-8,)), ((2, 2), (1 << 40, 8))):
        with pytest.raises(ValueError, match="of the array's memory"):
            cp.lib.stride_tricks.as_strided(x, shape, strides)
    same(cp.lib.stride_tricks.as_strided(x[3:], (4,), (-8,)), np.array([3, 2, 1, 0]))
    cp.lib.stride_tricks.as_strided(x, (2,), (16,))[:] = 9
    assert x.tolist() == [9, 1, 9, 3]
    with pytest.raises(ValueError, match="read-only"):
        cp.lib.stride_tricks.as_strided(x, (2,), (16,), writeable=False)[:] = 1


@pytest.mark.parametrize(
    "arguments", [((2, 2),), (3, 1), (2, (0,)), ((2, 2), (0, 0)), ((1, 6),), (4, -2), (0, 0)]
)
def test_sliding_window_view(arguments):
    for name in ("all", "backwards"):
        host, device = VIEWS[name](HOST), VIEWS[name](cp.asarray(HOST))
        expected = np.lib.stride_tricks.sliding_window_view(host, *arguments)
        actual = cp.lib.stride_tricks.sliding_window_view(device, *arguments)
        same(actual, expected)
        assert not actual.flags.writeable
        assert actual._memory is device._memory
        same(actual.sum(-1), expected.sum(-1))


test_errors = raises_as_numpy(
    lambda xp: xp.lib.stride_tricks.sliding_window_view(xp.ones((2, 3)), 4, 1),
    lambda xp: xp.lib.stride_tricks.sliding_window_view(xp.ones((2, 3)), 2),
    lambda xp: xp.lib.stride_tricks.sliding_window_view(xp.ones((2, 3)), (2, 2), 0),
    lambda xp: xp.lib.stride_tricks.sliding_window_view(xp.ones((2, 3)), -1, 0),
    lambda xp: xp.lib.stride_tricks.sliding_window_view(xp.ones((2, 3)), 1, 2),
    lambda xp: xp.lib.stride_tricks.as_strided(xp.ones(4), (2, 2), (8,)),
    lambda xp: xp.shares_memory(xp.ones(3), xp.ones(3), max_work="a"),
)


@pytest.mark.parametrize("second", VIEWS)
@pytest.mark.parametrize("first", VIEWS)
def test_shared_memory(first, second):
    device = cp.asarray(HOST)
    a, b = VIEWS[first](HOST), VIEWS[second](HOST)
    x, y = VIEWS[first](device), VIEWS[second](device)
    assert cp.shares_memory(x, y) is np.shares_memory(a, b)
    assert cp.may_share_memory(x, y) is np.may_share_memory(a, b)
    assert not cp.shares_memory(x, b)
    low, high = cp.lib.array_utils.byte_bounds(x)
    if a.size:
        expected = np.lib.array_utils.byte_bounds(a)
        assert high - low == expected[1] - expected[0]


def test_too_hard():
    x = cp.zeros(20000, "i1")
    view = cp.lib.stride_tricks.as_strided
    a, b = view(x, (20, 20, 20), (340, 255, 205)), view(x, (20, 20, 20), (110, 125, 19))
    with pytest.raises(np.exceptions.TooHardError):
        cp.shares_memory(a, b[1:], max_work=1)
    assert cp.may_share_memory(a, b[1:], max_work=1)


def test_of_lib():
    assert cp.lib.array_utils.normalize_axis_tuple((-1, 0), 3) == (2, 0)
    with pytest.raises(np.exceptions.AxisError):
        cp.lib.array_utils.normalize_axis_index(3, 2)
    with pytest.raises(AttributeError, match="did you mean 'as_strided'"):
        cp.lib.stride_tricks.as_stride  # noqa: B018
