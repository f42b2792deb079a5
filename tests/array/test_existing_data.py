"""Arrays from existing data, and with requirements, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import KINDS, raises_as_numpy, same, values


def test_from_host_data():
    same(cp.frombuffer(b"abcdefgh", "i2", 2, 2), np.frombuffer(b"abcdefgh", "i2", 2, 2))
    x = cp.frombuffer(bytearray(16))
    same(x, np.frombuffer(bytearray(16)))
    x[0] = 1  # a copy
    same(cp.fromstring("1 2 3", sep=" "), np.fromstring("1 2 3", sep=" "))
    same(cp.fromstring("1,2,3", int, 2, sep=","), np.fromstring("1,2,3", int, 2, sep=","))
    same(cp.frombuffer(b"abcdefgh", ">i4"), np.frombuffer(b"abcdefgh", ">i4").astype("i4"))
    same(cp.fromiter((i / 2 for i in range(5)), "f4", 3), np.fromiter((0, 0.5, 1), "f4"))


@pytest.mark.parametrize("dtype", KINDS)
def test_asarray_chkfinite(dtype):
    host = values((3, 4), dtype)
    device = cp.asarray(host)
    assert cp.asarray_chkfinite(device) is device
    same(cp.asarray_chkfinite(host.tolist(), dtype, "F"), np.asarray_chkfinite(host, order="F"))
    if host.dtype.kind in "fc":
        for bad in (np.nan, np.inf, -np.inf):
            device[1, 2] = bad
            with pytest.raises(ValueError, match="infinite or NaN"):
                cp.asarray_chkfinite(device)


@pytest.mark.parametrize(
    "requirements", [None, [], "C", "F", ["F", "O", "W"], ["CONTIGUOUS"], ["A", "E"], "W"]
)
def test_require(requirements):
    for host in (np.ones((2, 3)), np.ones((2, 3), order="F"), np.ones((4, 6))[::2, ::2]):
        device = cp.ndarray(host.shape, host.dtype, strides=host.strides)
        device[...] = 1
        for dtype in (None, "f4"):
            expected = np.require(host, dtype, requirements)
            actual = cp.require(device, dtype, requirements)
            same(actual, expected)
            assert actual.flags.c_contiguous == expected.flags.c_contiguous
            assert (actual is device) == (expected is host)


def test_require_what_can_be_written_to():
    x = cp.broadcast_to(cp.arange(3), (2, 3))
    assert cp.require(x, requirements="W").flags.writeable
    assert cp.require(cp.arange(6)[::2], requirements="O").flags.owndata


def test_unknown_requirements():
    with pytest.raises(ValueError, match="unknown requirement 'Q'"):
        cp.require(cp.ones(2), None, "Q")
    with pytest.raises(TypeError, match="requirements are texts"):
        cp.require(cp.ones(2), None, [1])


def test_questions():
    for host in (np.ones((2, 3)), np.ones((2, 3), order="F"), np.ones(3), np.ones((4, 4))[::2]):
        device = cp.asarray(host, order="K")
        if host.flags.forc:
            assert cp.isfortran(device) is np.isfortran(host)
    for x in (1, "a", [1], {}, None, np.ones(2), np.array(1)):
        assert cp.iterable(x) is bool(np.iterable(x))
        if isinstance(x, np.ndarray):
            assert cp.iterable(cp.asarray(x)) is bool(np.iterable(x))


test_errors = raises_as_numpy(
    lambda xp: xp.frombuffer(b"abc", "i2"),
    lambda xp: xp.frombuffer(b"abcd", "i2", 3),
    lambda xp: xp.fromiter([1, 2], float, 3),
    lambda xp: xp.require(xp.ones(2), None, ["C", "F"]),
)
