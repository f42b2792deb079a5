"""``ndarray.flat``, `broadcast`, and arrays that are written as an index."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import raises_as_numpy, same

#: Layouts whose elements are equally far apart, and others.
VIEWS = {
    "contiguous": lambda a: a,
    "transposed": lambda a: a.T,
    "columns": lambda a: a[:, ::2],
    "reversed": lambda a: a[::-1, ::-1],
    "row": lambda a: a[1],
    "0-d": lambda a: a[1, 2, ...],
    "empty": lambda a: a[:0],
}
KEYS = [0, 1, -1, slice(None), slice(1, 5), slice(None, None, 2), slice(-2, None, -1), slice(3, 3), Ellipsis, (1,), (),
        [0, 2, -1], np.array([[0, 1], [2, 0]]), np.int8(1), np.array(1), [], "mask"]  # fmt: skip


def moved(x):
    return cp.asarray(x) if isinstance(x, np.ndarray) and x.ndim else x


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("number", range(len(KEYS)))
def test_flat(number, view):
    base = np.arange(24.0).reshape(4, 6)
    host, device = VIEWS[view](base.copy()), VIEWS[view](cp.asarray(base))
    key = KEYS[number]
    if isinstance(key, str):
        mask = np.arange(host.size) % 3 == 1
        if not mask.size:
            return
        key = mask
    size = host.size
    ints = not isinstance(key, slice) and key is not Ellipsis and np.asarray(key).dtype.kind == "i"
    if ints and np.size(key) and not -size <= np.min(key) <= np.max(key) < size:
        with pytest.raises(IndexError):
            device.flat[moved(key) if not isinstance(key, np.ndarray) else key]
        return
    for given in (key, moved(key)):
        same(device.flat[given], host.flat[key])
    for value in (7, [1.5, 2.5], np.arange(30.0), np.float32(3), np.array(4)):
        # NumPy refuses an index of no dimensions, and to one element may go several values.
        if isinstance(key, tuple) and not key:
            continue
        if (
            isinstance(key, np.ndarray)
            and key.dtype.kind == "i"
            and (np.ndim(value) or not key.ndim)
        ):
            continue
        if np.ndim(value) and isinstance(np.empty(size).flat[key], float):
            with pytest.raises(ValueError, match="single item"):
                device.flat[key] = value
            continue
        for given, new in ((key, value), (moved(key), moved(value))):
            host.flat[key] = value
            device.flat[given] = new
            same(device, host, context=(key, value))


def test_flat_as_an_iterator():
    base = np.arange(6.0).reshape(2, 3).T
    device = cp.asarray(np.arange(6.0).reshape(2, 3)).T
    iterator, expected = device.flat, base.flat
    assert (len(iterator), iterator.index, iterator.coords) == (6, 0, (0, 0))
    assert iterator.base is device
    for _ in range(5):
        assert float(next(iterator)) == next(expected)
        assert (iterator.index, iterator.coords) == (expected.index, expected.coords)
    assert [float(x) for x in device.flat] == [float(x) for x in base.flat]
    same(device.flat.copy(), base.flat.copy())
    next(iterator)
    with pytest.raises(StopIteration):
        next(iterator)
    device.flat = [1, 2]
    base.flat = [1, 2]
    same(device, base)
    device.flat = 5
    same(device, np.full((3, 2), 5.0))
    assert isinstance(device.flat, cp.flatiter)


test_what_flat_refuses = raises_as_numpy(
    lambda xp: xp.zeros((2, 3)).flat[6],
    lambda xp: xp.zeros((2, 3)).flat[-7],
    lambda xp: xp.zeros((2, 3)).flat[[6]],
    lambda xp: xp.zeros((2, 3)).T.flat[[6]],
    lambda xp: xp.zeros((2, 3)).flat[0, 1],
    lambda xp: xp.zeros((2, 3)).flat[None],
    lambda xp: xp.zeros((2, 3)).flat.__setitem__(6, 1),
    lambda xp: xp.zeros((2, 3)).flat.__setitem__([6], 1),
    lambda xp: xp.zeros((2, 3)).flat.__setitem__(0, [1, 2]),
    lambda xp: xp.broadcast_to(xp.zeros(3), (2, 3)).flat.__setitem__(0, 1),
)


def test_broadcast():
    shapes = [(3, 1), (4,), (), (2, 1, 1)]
    host = np.broadcast(*[np.zeros(x) for x in shapes])
    device = cp.broadcast(*[cp.zeros(x) for x in shapes])
    for name in ("shape", "nd", "ndim", "size", "numiter", "index"):
        assert getattr(device, name) == getattr(host, name), name
    assert [x.shape for x in device.values] == [(2, 3, 4)] * 4
    assert len(device.iters) == 4
    a, b = np.array([[1], [2]]), np.array([3, 4, 5])
    found = cp.broadcast(cp.asarray(a), cp.asarray(b), 7)
    assert [tuple(map(int, x)) for x in found] == [
        tuple(map(int, x)) for x in np.broadcast(a, b, 7)
    ]
    assert found.index == 6
    found.reset()
    assert found.index == 0
    assert [int(x) for x in found.iters[1]] == [3, 4, 5, 3, 4, 5]
    assert cp.broadcast().shape == np.broadcast().shape


test_what_broadcast_refuses = raises_as_numpy(
    lambda xp: xp.broadcast(xp.zeros(3), xp.zeros(4)),
    lambda xp: xp.broadcast(*[xp.zeros(1)] * 65),
)

# ---- arrays that are written as an index ---------------------------------------------------------

GRIDS = [
    np.s_[0:3, 0:4], np.s_[0:3], np.s_[-1:1:5j], np.s_[0:2:0.5, 1:3], np.s_[0:1:3j, 0:4:2], np.s_[0:1:1j, 0:3:2j],
    np.s_[np.float32(0):np.float32(2):np.float32(0.5), 0:2], np.s_[0:2, 0:3, 0:4], np.s_[:3, 1:7:3], np.s_[5:1:-2, 0:2], np.s_[0:0, 0:2],
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(GRIDS)))
@pytest.mark.parametrize("name", ["mgrid", "ogrid"])
def test_grids(name, number):
    same(getattr(cp, name)[GRIDS[number]], getattr(np, name)[GRIDS[number]])


MATRIX, VECTOR = np.arange(6.0).reshape(2, 3), np.arange(3)
JOINED = [
    (VECTOR, 0, 4), (VECTOR,), np.s_[1:4, 0, 4], (VECTOR, 0, slice(1, 3)), (VECTOR, np.s_[0:1:4j]), ("0,2", VECTOR, VECTOR),
    ("0,2,0", VECTOR, VECTOR), ("1,2,0", VECTOR, VECTOR), ("0,3,1", VECTOR, VECTOR), ("0,3,-1", VECTOR, VECTOR), ("-1", MATRIX, MATRIX),
    ("1", MATRIX, MATRIX), ([1, 2], [3, 4]), (np.float32([1, 2]), 2.5), (np.float32([1, 2]), 1j), ("0,2", MATRIX, VECTOR),
    (VECTOR, np.s_[0:9000:1000]), np.s_[0:10000], ("0,2", [1, 2, 3], [4, 5, 6]), (np.int8([1]), 5), (np.float32(2), VECTOR),
    (VECTOR, "0"), ("a", VECTOR), ("0,2,0,1", VECTOR), (VECTOR, MATRIX), (MATRIX, MATRIX), (),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(JOINED)))
@pytest.mark.parametrize("name", ["r_", "c_"])
def test_joined(name, number):
    key = JOINED[number]
    given = tuple([moved(x) for x in key]) if isinstance(key, tuple) else key
    try:
        expected = getattr(np, name)[key]
    except Exception as error:
        with pytest.raises(type(error)):
            getattr(cp, name)[given]
        return
    same(getattr(cp, name)[given], expected)


def test_no_matrices():
    with pytest.raises(ValueError, match="matrix"):
        cp.r_["r", cp.arange(3)]


def test_ix_and_other_indices():
    a = np.arange(20).reshape(4, 5)
    for rows, columns in (
        ([0, 2], [1, 3]),
        (np.array([True, False, True, False]), np.array([4, 0])),
    ):
        expected = np.ix_(rows, columns)
        for one, other in ((rows, columns), (moved(np.asarray(rows)), moved(np.asarray(columns)))):
            found = cp.ix_(one, other)
            same(found, expected)
            same(cp.asarray(a)[found], a[expected])
    index = cp.arange(3)
    assert cp.ix_(index, [0])[0]._memory is index._memory
    same(cp.ix_([], [1]), np.ix_([], [1]))
    with pytest.raises(ValueError, match="ix_: an index of shape .1, 1.; give it one dimension"):
        cp.ix_([[1]])
    assert cp.s_[1:2, ..., None] == np.s_[1:2, ..., None]
    assert cp.index_exp[2] == (2,)
    assert list(cp.ndindex(2, 3)) == list(np.ndindex(2, 3))
    assert list(cp.ndenumerate(cp.asarray(a))) == list(np.ndenumerate(a))
    assert next(cp.ndenumerate(cp.asarray(a).T[1:])) == next(np.ndenumerate(a.T[1:]))
