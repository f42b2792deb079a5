"""Shapes as users give them: plain integers when they get into a layout, or an error."""

from __future__ import annotations

import enum
import itertools

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import raises_as_numpy, same

#: Lengths that no layout has had yet, so that each case would be the one that makes it.
_FRESH = itertools.count(1009, 2)


class Foreign:
    def __init__(self, interface):
        self.__cuda_array_interface__ = interface


def _set_shape(x, shape):
    x.shape = shape
    return x


def _interface(x, shape):
    return cp.asarray(Foreign(dict(x.__cuda_array_interface__, shape=shape)))


def _interface_strides(x, shape):
    a, b = shape
    interface = dict(x.__cuda_array_interface__, shape=(2, x.size // 2), strides=(b * 8, a * 4))
    return cp.asarray(Foreign(interface))


#: Ways for a shape of two lengths, the first of which is 2, to get into a layout.
ENTRIES = {
    "shape =": _set_shape,
    "reshape": lambda x, shape: cp.reshape(x, shape),
    "method reshape": lambda x, shape: x.reshape(shape),
    "method reshape of lengths": lambda x, shape: x.reshape(*shape),
    "ndarray": lambda x, shape: cp.ndarray(shape),
    "ndarray over memory": lambda x, shape: cp.ndarray(shape, "i8", x.data),
    "strides": lambda x, shape: cp.ndarray((2, 3), "i8", strides=[8 * n for n in shape]),
    "interface": _interface,
    "interface strides": _interface_strides,
    "empty": lambda x, shape: cp.empty(shape),
    "zeros": lambda x, shape: cp.zeros(shape, "i4"),
    "ones": lambda x, shape: cp.ones(shape),
    "full": lambda x, shape: cp.full(shape, 1),
    "empty_like": lambda x, shape: cp.empty_like(x, shape=shape),
    "zeros_like": lambda x, shape: cp.zeros_like(x, shape=shape),
    "ones_like": lambda x, shape: cp.ones_like(x, shape=shape),
    "full_like": lambda x, shape: cp.full_like(x, 3, shape=shape),
    "eye": lambda x, shape: cp.eye(*shape),
    "broadcast_to": lambda x, shape: cp.broadcast_to(x[:1], shape),
    "broadcast_shapes": lambda x, shape: cp.empty(cp.broadcast_shapes(shape, 1)),
    "tile": lambda x, shape: cp.tile(x[:1], shape),
    "repeat": lambda x, shape: cp.repeat(cp.repeat(x[:1], shape[1])[None], shape[0], axis=0),
    "split": lambda x, shape: cp.array_split(x, shape[0])[0],
    "linspace": lambda x, shape: cp.linspace(0, 1, shape[1]),
    "bincount": lambda x, shape: cp.bincount(x[:1] * 0, minlength=shape[1]),
    "identity": lambda x, shape: cp.identity(shape[0]),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_lengths_are_integers(name):
    entry = ENTRIES[name]
    for number in (float, np.float32, str, lambda n: None, complex):
        length = next(_FRESH)
        x = cp.zeros(2 * length, "i8")
        for shape in ((number(2), number(length)),):
            with pytest.raises(TypeError):
                entry(x, shape)
        # Nothing that was refused is found by the next one who uses these lengths.
        y = cp.zeros((2, length))
        assert y.shape == (2, length)
        assert [type(n) for n in y.shape] == [int, int]
        same((y + 1)[0, :3], np.ones(3))


class Two(enum.IntEnum):
    TWO = 2


@pytest.mark.parametrize("name", ENTRIES)
def test_other_integers_become_plain_ones(name):
    entry = ENTRIES[name]
    for number in (np.int64, np.uint16):
        length = next(_FRESH)
        x = cp.zeros(2 * length, "i8")
        for shape in ((number(2), number(length)), (Two.TWO, number(length))):
            result = entry(x.copy(), shape)
            assert {type(n) for n in (*result.shape, *result.strides)} == {int}
            assert {type(n) for n in cp.zeros((2, length)).shape} == {int}


test_what_is_no_shape = raises_as_numpy(
    *[
        lambda xp, make=make, shape=shape: make(xp, iter([4]) if shape is iter else shape)
        for make in (
            lambda xp, shape: xp.zeros(shape),
            lambda xp, shape: xp.full(shape, 1),
            lambda xp, shape: xp.zeros_like(xp.zeros(4), shape=shape),
            lambda xp, shape: xp.zeros(4).reshape(shape),
            lambda xp, shape: xp.broadcast_shapes(shape),
        )
        for shape in ({}, {4}, {4: 1}, iter, True, (True, 4), [True], "4")
    ],
    lambda xp: xp.eye(False),
    lambda xp: xp.eye(3, True),
    lambda xp: xp.identity(True),
    lambda xp: xp.broadcast_to(xp.zeros(1), True),
    lambda xp: xp.broadcast_to(xp.zeros(1), (True, 1237)),
    lambda xp: xp.broadcast_to(xp.zeros(1), {}),
    lambda xp: xp.broadcast_shapes(2**63),
    lambda xp: xp.broadcast_shapes((1, 2**70), 1),
)


def test_broadcast_to_takes_iterables():
    assert cp.broadcast_to(cp.zeros(1), iter([3])).shape == (3,)  # as NumPy's, and no other


def test_arrays_in_host_memory_are_shapes():
    assert cp.zeros(np.array([2, 3])).shape == cp.ones(np.array([2, 3])).shape == (2, 3)
    assert cp.full(np.array(2), 7).shape == (2,)
    with pytest.raises(TypeError):
        cp.empty(np.array([2.0, 3]))


def test_setting_a_shape():
    x = cp.arange(6)
    x.shape = [3, -1]
    assert x.shape == (3, 2)
    x.shape = np.int8(6)
    assert x.shape == (6,)
    for wrong, error in (((2.0, 3), TypeError), ((-2, -3), ValueError), ((4, 2), ValueError)):
        with pytest.raises(error):
            x.shape = wrong
    assert x.shape == (6,)
