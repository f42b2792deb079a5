"""The way to the host and back, and Python's protocols."""

from __future__ import annotations

import copy
import operator
import pickle

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.errors import HostArrayError
from tests.array.arrays import DTYPES, LAYOUTS, pair, raises_alike, same


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_get(layout, dtype):
    host, device = pair(layout, dtype)
    for order in "CFAK":
        got = device.get(order=order)
        expected = np.array(host, order=order)
        np.testing.assert_array_equal(got, expected)
        assert got.dtype == host.dtype
        if order in "CF":
            assert got.flags[f"{order}_CONTIGUOUS"]
    out = np.empty(host.shape, dtype)
    assert device.get(out=out) is out
    np.testing.assert_array_equal(out, host)
    assert device.tolist() == host.tolist()
    assert device.tobytes() == host.tobytes()
    same(pickle.loads(pickle.dumps(device)), host)
    same(copy.deepcopy(device), host)
    same(copy.copy(device), host)


def test_asnumpy_of_host_data():
    x = np.arange(3)
    assert cp.asnumpy(x) is x
    np.testing.assert_array_equal(cp.asnumpy([1, 2]), [1, 2])


def test_get_into_the_wrong_array():
    x = cp.arange(6)
    for out, error in (
        (np.empty(5, "i8"), ValueError),
        (np.empty(6, "i4"), TypeError),
        ([0] * 6, TypeError),
    ):
        with pytest.raises(error):
            x.get(out=out)
    strided = np.zeros(12, "i8")[::2]
    same(cp.asarray(x.get(out=strided)), np.arange(6))


@pytest.mark.parametrize(
    "layout", ["contiguous", "transposed", "negative-stride", "offset", "0-d", "empty"]
)
def test_set(layout):
    host, device = pair(layout, "f4")
    new = np.asarray(host * 2 + 1)
    device.set(new)
    same(device, new)
    device.set(np.array(new, order="F"), stream=cp.cuda.get_current_stream())
    same(device, new)
    with pytest.raises(TypeError, match="astype"):
        device.set(new.astype("f8"))
    with pytest.raises(ValueError, match="shape"):
        device.set(np.zeros((9, 9), "f4"))


def test_large_copies_are_staged():
    host = np.random.default_rng(0).integers(0, 255, (17 << 20) + 12345, dtype="u1")
    device = cp.asarray(host)
    assert (device.get() == host).all()
    stream = cp.cuda.Stream(non_blocking=True)
    device.set(host[::-1].copy(), stream=stream)
    assert (device.get(stream=stream) == host[::-1]).all()


def test_scalars():
    for value in (3, -2.5, True, 1 + 2j):
        x, host = cp.array(value), np.array(value)
        assert x.item() == value
        assert bool(x) is bool(value)
        assert complex(x) == complex(value)
        if not isinstance(value, complex):
            assert float(x) == float(value)
            assert int(x) == int(value)
        if isinstance(value, bool | float | complex):
            raises_alike(lambda host=host: operator.index(host), lambda x=x: operator.index(x))
        assert f"{x}" == f"{host}"
    assert operator.index(cp.array(3)) == 3
    assert [10, 20, 30][cp.array(1)] == 20
    assert f"{cp.array(2.5):.3f}" == "2.500"
    x = cp.arange(6).reshape(2, 3)
    assert (x.item(4), x.item(1, 0), x.item((0, 2))) == (4, 3, 2)
    host = np.arange(6).reshape(2, 3)
    for wrong in (bool, operator.methodcaller("item"), operator.index, len, iter):
        if wrong in (len, iter):
            raises_alike(lambda w=wrong: w(np.array(1)), lambda w=wrong: w(cp.array(1)))
        else:
            raises_alike(lambda w=wrong: w(host), lambda w=wrong: w(x))
    raises_alike(lambda: bool(np.empty(0)), lambda: bool(cp.empty(0)))


def test_sequence_protocol():
    x = cp.arange(6).reshape(3, 2)
    assert len(x) == 3
    rows = list(x)
    assert all(row.data.ptr == x.data.ptr + 16 * i for i, row in enumerate(rows))
    assert 4 in x
    assert 9 not in x


def test_no_implicit_conversion():
    x = cp.arange(3)
    for convert in (np.asarray, np.array, lambda x: np.add.at(np.zeros(3), [0], x)):
        with pytest.raises(TypeError, match="asnumpy"):
            convert(x)
    with pytest.raises(HostArrayError):
        np.zeros(3)[:] = x


def test_attributes():
    x = cp.arange(12, dtype="f4").reshape(3, 4)
    assert (x.size, x.ndim, x.nbytes, x.itemsize, x.shape) == (12, 2, 48, 4, (3, 4))
    assert x.flags.c_contiguous
    assert not x.T.flags["C_CONTIGUOUS"]
    assert x.T.flags["F"]
    assert x.T.flags.fnc
    assert "C_CONTIGUOUS : True" in repr(x.flags)
    with pytest.raises(KeyError):
        x.flags["NONE"]
    assert cp.empty(3).flags.owndata
    assert not x[1:].flags.owndata
    assert x.device == cp.cuda.Device(0)
    assert int(x[1].data) == x.data.ptr + 16
    assert x.data.mem.size >= x.nbytes
    x.shape = (4, -1)
    same(x, np.arange(12, dtype="f4").reshape(4, 3))
    with pytest.raises(AttributeError):
        x.T.shape = 12
    with pytest.raises(ValueError, match="size"):
        x.shape = 5


def test_constructor():
    memory = cp.cuda.alloc(96)
    x = cp.ndarray((3, 4), "i8", memptr=memory, order="F")
    assert x.strides == (8, 24)
    x.fill(5)
    y = cp.ndarray(4, "i8", memptr=memory + 8, strides=(16,))
    same(y, np.full(4, 5))
    assert cp.ndarray(3).dtype == "f8"
    backwards = cp.ndarray(3, "i8", strides=(-8,))
    backwards[...] = cp.arange(3)
    same(backwards, np.arange(3))
    with pytest.raises(ValueError, match="memory"):
        cp.ndarray(100, "i8", memptr=memory)
    with pytest.raises(ValueError, match="strides"):
        cp.ndarray((2, 2), strides=(8,))


def test_view_as_another_dtype():
    host = np.arange(24, dtype="u1").reshape(4, 6)
    x = cp.asarray(host)
    for dtype in ("i1", "?", "u2", "i2"):
        same(x.view(dtype), host.view(dtype))
    same(x.view("u2").view("u1"), host)
    same(x[:, ::2].view("i1"), host[:, ::2].view("i1"))
    for wrong in (
        lambda a: a.view("u4"),
        lambda a: a.T.view("u2"),
        lambda a: a[0, 0:1].reshape(()).view("u2"),
    ):
        raises_alike(lambda w=wrong: w(host), lambda w=wrong: w(x))
