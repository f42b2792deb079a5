"""Grids of coordinates and functions along axes, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import LAYOUTS_3D, pair, raises_as_numpy, same


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_meshgrid(count, indexing):
    hosts = [np.arange(i + 2, dtype=["i4", "f8", "c8"][i])[:: -1 if i else 1] for i in range(count)]
    devices = [cp.asarray(x[::-1])[::-1] for x in hosts]
    for copy in (True, False):
        for sparse in (True, False):
            expected = np.meshgrid(*hosts, copy=copy, sparse=sparse, indexing=indexing)
            actual = cp.meshgrid(*devices, copy=copy, sparse=sparse, indexing=indexing)
            assert isinstance(actual, tuple)
            same(actual, tuple(expected))
            for x, y in zip(actual, devices, strict=True):
                assert (x._memory is y._memory) != copy


def test_meshgrid_of_other_things():
    for arguments in (([1, 2], 3), ([[1, 2], [3, 4]], [5.5]), ([], [1, 2])):
        expected = np.meshgrid(*[np.asarray(x, float) for x in arguments])
        same(cp.meshgrid(*[cp.asarray(x, float) for x in arguments]), tuple(expected))
    many = np.meshgrid(*[np.arange(2)] * 9)
    same(cp.meshgrid(*[cp.arange(2)] * 9), tuple(many))


def test_fromfunction():
    for shape, dtype in (((2, 3), float), ((4,), int), ((2, 1, 3), "f4")):

        def function(*axes, more=1):
            return sum(axes) * 10 + more

        same(cp.fromfunction(function, shape, dtype=dtype), np.fromfunction(function, shape, dtype=dtype))  # fmt: skip
        same(cp.fromfunction(function, shape, more=5), np.fromfunction(function, shape, more=5))


FUNCTIONS = {
    "number": lambda xp: lambda v: v.sum(),
    "vector": lambda xp: lambda v: v[::-1] * 2,
    "matrix": lambda xp: lambda v: xp.stack([v, v + 1]),
    "python": lambda xp: lambda v: 1.5,
}


@pytest.mark.parametrize("make", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize("layout", ["contiguous", "permuted", "2-d", "1-d-strided", "0-d", "empty"])
def test_apply_along_axis(layout, make):
    host, device = pair(layout, "i8", shape=(2, 4, 6), layouts=LAYOUTS_3D)
    for axis in range(-host.ndim, host.ndim):
        try:
            expected = np.apply_along_axis(make(np), axis, host)
        except ValueError:
            with pytest.raises(ValueError, match="no slice is there"):
                cp.apply_along_axis(make(cp), axis, device)
            continue
        same(cp.apply_along_axis(make(cp), axis, device), expected)


def test_arguments_of_the_function():
    x = np.arange(6).reshape(2, 3)

    def function(v, scale, add=0):
        return v * scale + add

    expected = np.apply_along_axis(function, 0, x, 3, add=1)
    same(cp.apply_along_axis(function, 0, cp.asarray(x), 3, add=1), expected)


def test_apply_over_axes():
    host = np.arange(24).reshape(2, 3, 4)
    for axes in ([0, -1], 1, [0, 1, 2], np.array([2])):
        same(
            cp.apply_over_axes(cp.sum, cp.asarray(host), axes),
            np.apply_over_axes(np.sum, host, axes),
        )


test_errors = raises_as_numpy(
    lambda xp: xp.meshgrid(xp.ones(2), indexing="zz"),
    lambda xp: xp.fromfunction(lambda i: i, (-1,)),
    lambda xp: xp.apply_along_axis(xp.sort, 2, xp.ones((2, 2))),
    lambda xp: xp.apply_over_axes(lambda a, axis: xp.ones(3), xp.ones((2, 2, 2)), 0),
)
