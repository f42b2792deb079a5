"""Indexing with integer arrays and masks, reading and writing."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray as cp
from gpuarray._ops import advanced_indexing
from tests.array.arrays import (
    DTYPES,
    KINDS,
    LAYOUTS,
    pair,
    raises_alike,
    raises_as_numpy,
    same,
    values,
)
from tests.slow import slow_except


def on_device(key):
    """The key with arrays moved to the device."""
    if isinstance(key, tuple):
        return tuple([on_device(part) for part in key])
    return cp.asarray(key) if isinstance(key, np.ndarray) else key


I, J = np.array([0, 2, -1]), np.array([[1], [-3], [0]])  # noqa: E741
MASK = np.arange(60).reshape(4, 5, 3) % 7 < 3
KEYS = [
    I, J, [0, 1, 3], [[0], [1]], (I, I), (J, I), (slice(None), I), (slice(None), I, 0), (0, slice(None), I),
    (I, slice(None), I), (I, Ellipsis), (Ellipsis, I), (I, None, I), (None, I), (slice(1, 3), I, I), (J, slice(None, None, -2), I),
    (I, I, I), ([0, 1], slice(None), [1]), [], np.array([], int), (slice(None), np.array(2)), np.array(1), (I, np.int8(1)),
    I.astype("i1"), I.astype("i4"), np.abs(I).astype("u1"), np.abs(I).astype("u8"), (1, I), (I, 1), (I, slice(2, 2)),
    MASK, MASK[:, :, 0], MASK[:, 0, 0], (slice(None), MASK[0]), (slice(None), MASK[0, :, 0]), (MASK[:, 0, 0], 1), (I, Ellipsis, MASK[0, 0]),
    np.zeros((4, 5, 3), bool), np.ones((4, 5, 3), bool), (Ellipsis, MASK[0, 0]), (None, MASK), [True, False, True, True],
    (MASK[:, 0, 0], slice(None), [0]), True, False, (I, True), np.array(True), np.array(False), (slice(None), None, I), (0, I, 0), (0, 0, I),
]  # fmt: skip


@pytest.mark.parametrize(
    ("number", "reverse"),
    [(number, reverse) for number in range(len(KEYS)) for reverse in (False, True)
     if not reverse or number % 3 == 0],
)  # fmt: skip
def test_reading_and_writing(number, reverse):
    key = KEYS[number]
    base = np.arange(60).reshape(4, 5, 3)
    device_key = on_device(key)
    host, device = base.copy(), cp.asarray(base)
    if reverse:
        host, device = host[:, ::-1], device[:, ::-1]
    expected = host[key]
    same(device[device_key], expected)
    for value in (-5, expected * 10 + 1, expected[..., :1] * 2.5 if expected.ndim else 2.5):
        host[key] = value
        device[device_key] = cp.asarray(value) if isinstance(value, np.ndarray) else value
        if not _repeats(key):
            same(device, host)


def _repeats(key) -> bool:
    """Whether an element is stored twice, so that the last one stored is undefined here."""
    seen = np.arange(60).reshape(4, 5, 3)[key]
    return np.unique(seen).size != np.size(seen)


@pytest.mark.parametrize("dtype", slow_except(KINDS, DTYPES))
def test_every_dtype(dtype):
    host = values((6, 4), dtype)
    device = cp.asarray(host)
    rows = np.array([5, 0, -2])
    same(device[cp.asarray(rows)], host[rows])
    same(device.T[:, cp.asarray(rows)], host.T[:, rows])
    mask = host != 0
    same(device[cp.asarray(mask)], host[mask])
    new = values((3, 4), dtype, 1)
    device[cp.asarray(rows)] = cp.asarray(new)
    host[rows] = new
    same(device, host)
    device[cp.asarray(mask)] = 1
    host[mask] = 1
    same(device, host)


def test_errors():
    host, device = np.zeros((4, 5)), cp.zeros((4, 5))
    for key in (
        [4], [-5], ([0, 1], [0, 5]), ([0, 1], [0, 1, 2]), [0.5], np.array([1.0]), (I, I, I), [[0, 1], [2]],
        np.zeros(3, bool), np.zeros((4, 4), bool), [True, False],
    ):  # fmt: skip
        raises_alike(lambda key=key: host[key], lambda key=key: device[on_device(key)])
        raises_alike(
            lambda key=key: host.__setitem__(key, 1),
            lambda key=key: device.__setitem__(on_device(key), 1),
        )
    raises_alike(
        lambda: host.__setitem__([0, 1], np.zeros(3)),
        lambda: device.__setitem__([0, 1], cp.zeros(3)),
    )
    raises_alike(lambda: np.zeros((0, 2))[np.array([0])], lambda: cp.zeros((0, 2))[cp.asarray([0])])
    with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 4"):
        device[[0, 9]]
    with pytest.raises(ValueError, match="read-only"):
        cp.broadcast_to(device[0, 0], (3,))[cp.asarray([0])] = 1


@pytest.mark.cuda
def test_positions_out_of_bounds_wrap_around():
    x = cp.arange(5)
    same(x[cp.asarray([5, -6, 12, -11])], np.array([0, 4, 2, 4]))
    x[cp.asarray([5])] = 9
    assert x[0] == 9


OUT_OF_BOUNDS = {
    "gather": lambda x, i: x[i],
    "again": lambda x, i: (x[i % 5], x[i]),  # by a plan that is kept
    "scatter": lambda x, i: x.__setitem__(i, x[:1]),
    "scalar": lambda x, i: x.__setitem__(i, 3),
    "take": lambda x, i: cp.take(x, i),
    "columns": lambda x, i: cp.stack([x, x])[:, i],
    "two arrays": lambda x, i: cp.stack([x, x])[i * 0, i],
    "take_along_axis": lambda x, i: cp.take_along_axis(x, i, 0),
    "put_along_axis": lambda x, i: cp.put_along_axis(x, i, 1, 0),
}


@pytest.mark.emulator
@pytest.mark.parametrize("wrong", [5, -6, 10**9])
@pytest.mark.parametrize("name", OUT_OF_BOUNDS)
def test_positions_out_of_bounds_raise_on_the_emulator(name, wrong):
    x = cp.arange(5)
    index = cp.asarray(np.array([0, 4, wrong], "i4"))
    with pytest.raises(IndexError, match=f"^index {wrong} is out of bounds for an axis of size 5$"):
        OUT_OF_BOUNDS[name](x, index)
    same(x, np.arange(5))  # nothing was stored, and the device goes on


def test_debug_mode_checks_positions(monkeypatch):
    monkeypatch.setattr(advanced_indexing, "config", SimpleNamespace(debug=True))
    x = cp.arange(5)
    same(x[cp.asarray([4, -5])], np.array([4, 0]))
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 5"):
        x[cp.asarray([[1, 7]]).T]


@pytest.mark.parametrize("size", [1, 255, 4095, 4096, 4097, 70000, 1_100_000])
def test_masks_over_many_blocks(size):
    mask = np.random.default_rng(size).random(size) < 0.01
    mask[-1] = True
    device = cp.asarray(mask)
    same(cp.flatnonzero(device), np.flatnonzero(mask))
    if size < 100000:
        x = np.arange(size)
        same(cp.asarray(x)[device], x[mask])


def test_mask_of_bytes_other_than_one():
    host = np.array([0, 2, 255, 0, 7], "u1")
    same(cp.arange(5)[cp.asarray(host).view(bool)], np.arange(5)[host != 0])


def test_overlapping_values():
    host = np.arange(8)
    device = cp.asarray(host)
    key = np.array([7, 6, 5, 4])
    host[key] = host[:4].copy()
    device[cp.asarray(key)] = device[:4]
    same(device, host)
    host[key[::-1]] = host[key].copy()
    device[cp.asarray(key[::-1].copy())] = device[cp.asarray(key)]
    same(device, host)


@settings(max_examples=30)
@given(
    st.lists(st.integers(-4, 3), min_size=0, max_size=6),
    st.sampled_from(["rows", "columns", "both", "masked"]),
    st.booleans(),
)
def test_any_positions(positions, kind, transposed):
    host = np.arange(16, dtype="i4").reshape(4, 4)
    device = cp.asarray(host)
    if transposed:
        host, device = host.T, device.T
    index = np.array(positions, dtype=int)
    mask = (index[:, None] == np.arange(4)).any(0)
    key = {
        "rows": index,
        "columns": (slice(1, None), index),
        "both": (index, index[::-1].copy()),
        "masked": (mask, slice(None, None, 2)),
    }[kind]
    same(device[on_device(key)], host[key])


def test_routines():
    host = values((4, 6), "i4")
    x = cp.asarray(host)
    for ours, theirs in zip(cp.nonzero(x), np.nonzero(host), strict=True):
        same(ours, theirs)
    same(cp.argwhere(x > 2), np.argwhere(host > 2))
    same(cp.flatnonzero(x.T), np.flatnonzero(host.T))
    index = np.array([[0, 3], [2, 1]])
    for axis in (None, 0, 1, -1):
        same(cp.take(x, cp.asarray(index), axis), np.take(host, index, axis))
        same(x.take([1, 0], axis), host.take([1, 0], axis))
    same(cp.take(x, 2, 1), np.take(host, 2, 1))
    for mode in ("wrap", "clip"):
        same(
            cp.take(x, cp.asarray(index * 9), 1, mode=mode), np.take(host, index * 9, 1, mode=mode)
        )
    same(cp.compress([True, False, True], x, 0), np.compress([True, False, True], host, 0))
    same(cp.extract(x > 0, x), np.extract(host > 0, host))
    out = cp.empty((2, 2), "i4")
    assert cp.take(x, cp.asarray(index), out=out) is out
    same(out, np.take(host, index))
    for k in (-2, 0, 1, 9):
        same(cp.diagonal(x, k), np.diagonal(host, k))
        same(cp.diag(x[0], k), np.diag(host[0], k))
    same(cp.diag(x), np.diag(host))
    cube = np.arange(60).reshape(3, 4, 5)
    same(cp.asarray(cube).diagonal(1, 2, 0), cube.diagonal(1, 2, 0))
    raises_alike(lambda: np.nonzero(np.array(1)), lambda: cp.nonzero(cp.array(1)))


#: Indices for `take` from five elements, on the host and on the device.
TAKEN = {
    "bools": lambda xp: xp.asarray([True, False]),
    "a list of bools": lambda xp: [True, False],
    "True": lambda xp: True,
    "a number": lambda xp: -2,
    "numpy's number": lambda xp: np.uint8(4),
    "an element": lambda xp: xp.asarray(3),
    "lists": lambda xp: [[0, 1], [2, -5]],
    "a tuple": lambda xp: (0, 4),
    "nothing": lambda xp: [],
    "no elements": lambda xp: xp.asarray([], "u8"),
    "narrow": lambda xp: xp.asarray([1, -2], "i1"),
    "unsigned": lambda xp: xp.asarray([4, 0], "u8"),
    "a number with a fraction": lambda xp: 1.5,
    "beyond": lambda xp: [7, -8],
    "beyond, narrow": lambda xp: xp.asarray([7, -8, 127], "i1"),
    "far beyond": lambda xp: xp.asarray([2**15, -(2**15)]),
    "a number beyond": lambda xp: 5,
}


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
@pytest.mark.parametrize("name", TAKEN)
def test_take(name, mode):
    indices, beyond = TAKEN[name], "beyond" in name
    for shape, axis in (((5,), None), ((2, 5), 1), ((5, 2), 0), ((5,), -1)):
        host = np.arange(10.0)[: np.prod(shape)].reshape(shape)
        if mode == "raise" and beyond:
            if isinstance(indices(cp), cp.ndarray):
                return  # such indices do not raise on a GPU
            for xp, x in ((np, host), (cp, cp.asarray(host))):
                with pytest.raises(IndexError):
                    xp.take(x, indices(xp), axis)
            continue
        x = cp.asarray(host)
        taken = cp.take(x, indices(cp), axis, mode=mode)
        same(taken, np.take(host, indices(np), axis, mode=mode))
        x.fill(-1)  # a copy is none of it
        same(taken, np.take(host, indices(np), axis, mode=mode))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_take_again(layout):
    """The second call of the same layouts takes the kept plan, and reads what is there then."""
    host, x = pair(layout, "f8")
    for axis in (None, *range(-host.ndim, host.ndim)):
        if not (host.size if axis is None else host.shape[axis]):
            continue
        for pattern in ([0, 0, -1], [-1, 0, 0], [[0, -1, 0]], [[-1, 0, -1]]):
            indices = np.array(pattern)
            expected = np.take(host, indices, axis)
            same(cp.take(x, cp.asarray(indices), axis), expected)
            out = cp.zeros(expected.shape)
            assert x.take(cp.asarray(indices), axis, out) is out
            same(out, expected)


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u8"])
def test_take_by_indices_narrower_than_the_axis_is_long(dtype, mode):
    host = np.arange(300.0 if np.dtype(dtype).itemsize == 1 else 70000.0)
    indices = np.array([127, 0, 5, 100], dtype)
    if dtype[0] == "i":
        indices[1] = -128
    found = cp.take(cp.asarray(host), cp.asarray(indices), mode=mode)
    same(found, np.take(host, indices, mode=mode))


test_what_take_refuses = raises_as_numpy(
    lambda xp: xp.take(xp.arange(3), None),
    lambda xp: xp.take(xp.arange(3), slice(0, 2)),
    lambda xp: xp.take(xp.arange(3), ...),
    lambda xp: xp.take(xp.arange(3), [0, None]),
    lambda xp: xp.take(xp.arange(3), "a"),
    lambda xp: xp.take(xp.arange(3), [1j]),
    lambda xp: xp.take(xp.arange(3), xp.asarray([0.0])),
    lambda xp: xp.take(xp.arange(3), 2**70),
    lambda xp: xp.take(xp.ones((0, 3)), [0], 0),
    lambda xp: xp.take(xp.ones((0, 3)), xp.asarray([0]), 0, mode="wrap"),
    lambda xp: xp.take(xp.ones((0, 3)), 0, mode="clip"),
    lambda xp: xp.take(xp.arange(3), [0], mode="x"),
)


def test_take_of_device_elements_in_a_list():
    x = cp.arange(10, 15)
    assert cp.take(x, [x[0] - 10, 2]).tolist() == [10, 12]


CONDITIONS = [
    [0, 1, 0, 0, 0, 0, 0], [0, 1], [1, 2, 0], [float("nan"), 0], [1j], [True, False, True], [],
    [False] * 9,
]  # fmt: skip


@pytest.mark.parametrize("condition", CONDITIONS, ids=str)
def test_conditions_of_other_lengths(condition):
    x, m = np.arange(10, 15), np.arange(15).reshape(5, 3)
    for one in (condition, cp.asarray(condition)):
        same(cp.compress(one, cp.asarray(x)), np.compress(condition, x))
        same(cp.compress(one, cp.asarray(m), 0), np.compress(condition, m, 0))
        same(cp.extract(one, cp.asarray(x)), np.extract(condition, x))


test_true_elements_beyond_the_end = raises_as_numpy(
    lambda xp: xp.compress([0, 0, 0, 0, 0, 1], xp.arange(5)),
    lambda xp: xp.compress(xp.asarray([1, 0, 0, 0, 0, 0, 1], "?"), xp.arange(5)),
    lambda xp: xp.compress([0, 0, 0, 1], xp.ones((3, 4)), 0),
    lambda xp: xp.compress([0, 0, 0, 0, 0, 0, 0, 1], xp.ones((2, 3))),
    lambda xp: xp.extract(xp.asarray([0, 0, 0, 0, 0, 1], "?"), xp.arange(5)),
    lambda xp: xp.extract([[0, 1], [1, 1]], xp.arange(3)),
    lambda xp: xp.compress([True], xp.ones((0, 3)), 0),
    lambda xp: xp.compress([[True]], xp.arange(3)),
)


#: Shapes of a target without elements and of values for it.
EMPTY = [
    ((0, 3), (2, 0)), ((0, 3), (0, 1)), ((0, 3), (2, 3)), ((0, 3), (0,)), ((0,), (0, 3)), ((0, 3), (1, 1, 3)),
    ((0, 3), ()), ((0,), (2,)), ((0,), (1,)), ((2, 0), (0, 3)), ((0, 3), (1, 0, 3)), ((3, 0), (3, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "given"), EMPTY)
def test_values_for_no_elements_have_to_fit(shape, given):
    for store in (
        lambda xp: xp.zeros(shape).__setitem__(..., xp.ones(given)),
        lambda xp: xp.copyto(xp.zeros(shape), xp.ones(given)),
        lambda xp: xp.zeros(shape).__setitem__(slice(None), xp.ones(given)),
        lambda xp: xp.zeros((4, *shape)).__setitem__(0, xp.ones(given)),
        lambda xp: xp.zeros((4, *shape)).__setitem__([], xp.ones(given)),
    ):
        try:
            store(np)
        except ValueError:
            raises_alike(lambda store=store: store(np), lambda store=store: store(cp))
        else:
            store(cp)


# -- calls that are kept for the layouts of one index array ------------------------------------


def test_a_kept_gather_reads_each_index_anew():
    host = np.arange(10.0)
    a = cp.asarray(host)
    for positions in ([1, 2, 3], [9, 0, -1], [5, 5, 5]):
        index = np.array(positions)
        same(a[cp.asarray(index)], host[index])
        same(a[2:][cp.asarray(index % 8)], host[2:][index % 8])


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("value", [1, True, 0.0, np.float32(1), np.int8(1)], ids=repr)
def test_storing_a_number(dtype, value):
    for _ in range(2):  # the second time with the kept call
        host = np.arange(12).astype(dtype)[::-2]
        a = cp.asarray(np.arange(12).astype(dtype))[::-2]
        index = np.array([[0, 3], [-1, 3]])
        host[index] = value
        a[cp.asarray(index)] = value
        same(a, host)


def test_numbers_beyond_the_dtype():
    a = cp.zeros(4, "u1")
    index = cp.asarray([0, 1])
    a[index] = 3
    with pytest.raises(OverflowError):
        a[index] = 300
    same(a, np.array([3, 3, 0, 0], "u1"))


def test_an_array_indexed_by_itself():
    host = np.array([3, 1, 0, 2] * 1000)
    for _ in range(2):
        a, expected = cp.asarray(host), host.copy()
        expected[expected] = 7
        a[a] = 7
        same(a, expected)
        a, expected = cp.asarray(host), host.copy()
        index = np.arange(4000)[::-1].copy()
        expected[index] = expected.copy()
        a[cp.asarray(index)] = a
        same(a, expected)
        same(a[a], expected[expected])


PARTS = [
    3,
    -1,
    np.int64(3),
    True,
    None,
    Ellipsis,
    slice(None),
    slice(1, 4),
    slice(-1, 0, -2),
    [2, 0],
]


@pytest.mark.parametrize("first", range(len(PARTS)))
def test_kept_calls_of_tuples(first):
    """Keys that are equal or alike to Python, and yet are other indices, one after the other."""
    base = np.arange(5 * 6 * 7.0).reshape(5, 6, 7)
    for turn in range(2):
        for part in (
            PARTS[first],
            1,
            np.bool(True),
            np.int64(1),
            np.int64(4),
            slice(np.int8(1), 4),
        ):
            index = np.array([0, 2, -1]) + turn
            for key in ((part, index), (index, part), (index, index, part), (index, part, index)):
                if np.ndim(part) and not isinstance(part, slice):
                    key = tuple([[2, 0, 1] if x is part else x for x in key])
                host, device = base.copy(), cp.asarray(base)
                expected = host[key]
                same(device[on_device(key)], expected)
                host[key] = 7
                device[on_device(key)] = 7
                same(device, host)
                value = np.arange(expected.size).reshape(expected.shape) * 0.5
                host[key] = value
                device[on_device(key)] = cp.asarray(value)
                if index.min() >= 0 or np.unique(index % 5).size == 3:
                    same(device, host)
