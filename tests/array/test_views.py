"""Basic indexing and assignment, and the tables that make them quick."""

from __future__ import annotations

import gc
import sys
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray as cp
from tests.array.arrays import raises_alike, same

KEYS = [
    0, -1, 2, slice(None), slice(1, 3), slice(None, None, -1), slice(3, 0, -2), slice(5, 2), slice(-2, None),
    slice(100), Ellipsis, None, (), (1,), (1, 2), (slice(None), 1), (Ellipsis, 0), (0, Ellipsis, None),
    (None, 1, None, slice(1, 3)), (slice(None, None, 2), slice(None, None, -3)), np.int64(1), np.uint8(2),
    (np.int8(1), slice(0, 2)), slice(np.int64(1), np.int64(3)), (slice(0, 0), 1), (Ellipsis, None, None),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_views_share_memory(key):
    host = np.arange(60).reshape(4, 5, 3)
    device = cp.asarray(host)
    for view in (lambda a: a, lambda a: a.T, lambda a: a[::-1, 1:]):
        expected, source = view(host), view(device)
        for _ in range(2):  # worked out, then looked up
            actual = source[key]
            if isinstance(key, bool):
                same(actual, expected[key])
                continue
            same(actual, expected[key])
            if expected[key].ndim:
                assert actual.strides == expected[key].strides
                if actual.size:
                    start = expected[key].__array_interface__["data"][0]
                    offset = start - host.__array_interface__["data"][0]
                    assert actual.data.ptr == device.data.ptr + offset


@pytest.mark.parametrize(
    "key",
    [4, -5, (0, 5), (0, 0, 0, 0), 1.0, "a", (Ellipsis, Ellipsis), slice(1.0, 2), slice(0, 2, 0), 1j, (0, 1.0),
     {}, (0, "x"), [1.5], np.float64(1), slice("a")],
    ids=str,
)  # fmt: skip
def test_bad_indices(key):
    host = np.zeros((4, 5, 3))
    device = cp.zeros((4, 5, 3))
    for valid in (1, slice(1, 2), (0, 1)):  # equal keys are in the table
        device[valid]
    raises_alike(lambda: host[key], lambda: device[key])
    if not isinstance(key, slice):
        raises_alike(lambda: host.__setitem__(key, 1), lambda: device.__setitem__(key, 1))


def test_messages_name_axis_and_size():
    x = cp.zeros((4, 5))
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 1 with size 5"):
        x[0, 7]
    with pytest.raises(
        IndexError, match="too many indices for array: array is 2-dimensional, but 3"
    ):
        x[0, 0, 0]
    with pytest.raises(IndexError, match="only integers, slices"):
        x["a"]
    with pytest.raises(IndexError, match="0-dimensional"):
        x[0, 0][0]


def test_true_is_no_position():
    x, host = cp.arange(4), np.arange(4)
    assert x[1].shape == ()
    same(x[True], host[True])
    same(x[False], host[False])
    assert x[1].shape == ()


def test_tables_are_bounded():
    x = cp.arange(3000)
    for i in range(3000):
        assert x[i].data.ptr == x.data.ptr + 8 * i
    assert len(x._layout.views) <= 512


def test_views_do_not_leak():
    gc.collect()
    x = cp.arange(10)
    before = sys.getrefcount(x._memory)
    for _ in range(100):
        x[2:5], x[3], x.T, x.reshape(2, 5)
    after = sys.getrefcount(x._memory)
    assert after == before


VALUES = [7, 2.9, True, np.float32(3.5), [1, 2, 3]]


@pytest.mark.parametrize(
    "key", [0, slice(1, 3), (slice(None), 1), Ellipsis, (2, 3, 1), slice(None, None, -1)], ids=str
)
def test_assignment(key):
    for value in (*VALUES, np.arange(3) * 2, np.ones((1, 1, 5, 3), "f4")):
        host = np.arange(60).reshape(4, 5, 3)
        device = cp.asarray(host)
        try:
            host[key] = value
        except (ValueError, TypeError):
            with pytest.raises((ValueError, TypeError)):
                device[key] = cp.asarray(value) if isinstance(value, np.ndarray) else value
            continue
        device[key] = cp.asarray(value) if isinstance(value, np.ndarray) else value
        same(device, host)


def test_assignment_casts_and_overlaps():
    host = np.arange(10, dtype="i4")
    device = cp.asarray(host)
    for target, source in (
        (slice(2, None), slice(None, -2)),
        (slice(None, None, -1), slice(None)),
        (slice(None, -2), slice(2, None)),
        (slice(0, 5), slice(5, 10)),
    ):
        host[target] = host[source]
        device[target] = device[source]
        same(device, host)
    device[:] = cp.array(2.7)
    host[:] = 2.7
    same(device, host)
    device[1:3] += 5
    host[1:3] += 5
    same(device, host)
    with pytest.raises(OverflowError):
        device[0] = 2**40
    with pytest.raises(ValueError, match=r"from shape \(3,\) into shape \(10,\)"):
        device[:] = cp.arange(3)
    repeated = cp.broadcast_to(device[0], (3,))
    with pytest.raises(ValueError, match="read-only"):
        repeated[:] = 0


slices = st.builds(
    slice,
    st.none() | st.integers(-7, 7),
    st.none() | st.integers(-7, 7),
    st.none() | st.integers(-3, 3).filter(bool),
)


@st.composite
def indexed(draw):
    shape = tuple(draw(st.lists(st.integers(0, 5), min_size=1, max_size=3)))
    key = [
        draw(slices | (st.integers(-length, length - 1) if length else slices)) for length in shape
    ]
    key = key[: draw(st.integers(0, len(key)))]
    if draw(st.booleans()):
        key.insert(draw(st.integers(0, len(key))), None)
    if draw(st.booleans()):
        key.insert(draw(st.integers(0, len(key))), Ellipsis)
    return shape, tuple(key)


@settings(max_examples=30)
@given(indexed())
def test_any_basic_index(case):
    shape, key = case
    host = np.arange(int(np.prod(shape)), dtype="i4").reshape(shape)
    device = cp.asarray(host)
    try:
        expected = np.asarray(host[key])
    except IndexError:  # an ellipsis has moved an integer to another axis
        with pytest.raises(IndexError):
            device[key]
        return
    actual = device[key]
    same(actual, expected)
    chained = actual[::-1] if actual.ndim else actual[()]
    same(chained, expected[::-1] if expected.ndim else expected)


@settings(max_examples=20)
@given(st.lists(st.integers(1, 4), max_size=3), st.data())
def test_any_reshape(shape, data):
    host = np.arange(int(np.prod(shape)), dtype="i4").reshape(shape)
    axes = data.draw(st.permutations(range(len(shape))))
    host_view, device_view = host.transpose(axes), cp.asarray(host).transpose(axes)
    divisors = [n for n in range(1, host.size + 1) if host.size % n == 0]
    first = data.draw(st.sampled_from(divisors))
    for target in ((-1,), (first, -1), (first, host.size // first), host.size):
        for order in "CFA":
            same(device_view.reshape(target, order=order), host_view.reshape(target, order=order))


def test_reshape():
    host = np.arange(24)
    x = cp.asarray(host)
    for shape in ((4, 6), (2, 3, 4), (-1,), (24, 1, 1), [6, 4], np.int64(24)):
        for _ in range(2):
            same(x.reshape(shape), host.reshape(shape))
    for _ in range(2):
        same(x.reshape(4, 6), host.reshape(4, 6))
        same(x.reshape(np.int64(4), -1), host.reshape(4, -1))
        same(x[0].reshape(()), host[0].reshape(()))
        same(x[:1].reshape(), host[:1].reshape(()))
    for bad in ((4.0, 6), (4, 6.0), (5, 5), (-1, -1), ("a",), (None, 24)):
        raises_alike(lambda bad=bad: host.reshape(bad), lambda bad=bad: x.reshape(bad))
        raises_alike(lambda bad=bad: host.reshape(*bad), lambda bad=bad: x.reshape(*bad))
    raises_alike(lambda: host.reshape(4, 6, order="X"), lambda: x.reshape(4, 6, order="X"))
    assert x.reshape(4, 6).data.ptr == x.data.ptr
    assert x.reshape(4, 6, copy=True).data.ptr != x.data.ptr
    with pytest.raises(ValueError, match="copy=None"):
        x.reshape(4, 6).T.reshape(24, copy=False)


#: Views that are kept for a layout, called with integers, and what equals these and is refused.
KEPT_VIEWS = {
    "expand_dims": (lambda xp, a, i: xp.expand_dims(a, i), [0, 1, -1, (0, 2)], [1.0, (0, 1.0)]),
    "squeeze": (lambda xp, a, i: xp.squeeze(a[:, :1], i), [1, -2, (1,), None], [True, 1.0, (1.0,)]),
    "transpose": (
        lambda xp, a, i: xp.transpose(a, i),
        [(1, 0, 2), (2, 0, 1), (0, -1, 1)],
        [(True, 0, 2), (1.0, 0, 2)],
    ),
    "swapaxes": (lambda xp, a, i: a.swapaxes(i, 2), [0, 1, -2], [1.0, None]),
    "moveaxis": (lambda xp, a, i: xp.moveaxis(a, i, 0), [1, -1, 2, (1,)], [1.0, (1.0,)]),
    "rollaxis": (lambda xp, a, i: xp.rollaxis(a, i), [1, 2, -2], [1.0]),
    "matrix_transpose": (lambda xp, a, i: xp.matrix_transpose(a[i:]), [0, 1], []),
    "reshape": (lambda xp, a, i: xp.reshape(a[:4], i), [(4, -1), -1, (2, 2, -1)], [(4.0, -1), 1.0]),
    "ravel": (lambda xp, a, i: xp.ravel(a[1]), [None], []),
    "flip": (lambda xp, a, i: xp.flip(a, i), [0, -1, (0, 2), None], [(0, 0), 1.0]),
    "flipud": (lambda xp, a, i: xp.flipud(a[i]), [0, 1], []),
    "fliplr": (lambda xp, a, i: xp.fliplr(a[i]), [0, 1], []),
    "rot90": (lambda xp, a, i: xp.rot90(a, i), [0, 1, 2, 3, -1], []),
    "diagonal": (lambda xp, a, i: a.diagonal(i, 0, 2), [0, 1, -1, 9], [1.0]),
    "view": (
        lambda xp, a, i: a.view(i),
        ["i4", np.int32, np.dtype("u4"), "f8", "u1", "i8", np.dtype("i8"), None],
        ["q4", 1.0],
    ),
}


@pytest.mark.parametrize("name", KEPT_VIEWS)
def test_kept_views(name):
    make, keys, wrong = KEPT_VIEWS[name]
    base = np.arange(120.0).reshape(4, 5, 6)
    for part in (slice(None), slice(None, None, -1), (slice(1, None), slice(None), slice(2, None))):
        host, device = base[part], cp.asarray(base)[part]
        for key in keys:
            for _ in range(3):
                found, expected = make(cp, device, key), make(np, host, key)
                same(found, expected)
                assert found.strides == expected.strides or 1 in expected.shape
                if np.shares_memory(expected, host):
                    assert found._memory is device._memory
                if name == "diagonal":
                    assert not found.flags.writeable
        for key in wrong:
            raises_alike(partial(make, np, host, key), partial(make, cp, device, key))
    locked = cp.asarray(base)
    locked.flags.writeable = False
    assert not make(cp, locked, keys[0]).flags.writeable
    assert make(cp, cp.asarray(base), keys[0]).flags.writeable is (name != "diagonal")


def test_a_kept_view_of_larger_elements_looks_at_the_address():
    x = cp.zeros(10, "f4")
    for _ in range(2):
        assert x[:4].view("f8").shape == (2,)
        with pytest.raises(ValueError, match="multiple of 8"):
            x[1:5].view("f8")
