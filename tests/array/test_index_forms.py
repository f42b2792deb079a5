"""Every form of index that NumPy accepts, and host arrays as indices and as what is stored."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray as cp
from tests.array.arrays import LAYOUTS, pair, raised, raises_alike, raises_as_numpy, same, values

#: What becomes of the arrays of an index on the way to the device's library.
MOVES = {
    "device": cp.asarray,
    "host": lambda x: x,
    "list": lambda x: x.tolist() if x.size and x.ndim else x,
}


def moved(key, move):
    """The same index with its arrays in device memory, in host memory, or as lists."""
    if isinstance(key, tuple):
        return tuple([moved(part, move) for part in key])
    return MOVES[move](key) if isinstance(key, np.ndarray) else key


def compare(host, device, key, move):
    """The element or the elements, and the array after a store of each kind."""
    device_key = moved(key, move)
    try:
        expected = host[key]
    except Exception as error:
        if move == "device" and (not host.size or "out of bounds" in str(error)):
            return  # indices in device memory are looked at where they are used
        raises_alike(lambda: host[key], lambda: device[device_key])
        before = host.copy()
        raises_alike(lambda: host.__setitem__(key, 1), lambda: device.__setitem__(device_key, 1))
        same(device, before)
        return
    same(device[device_key], expected, context=(key, move))
    shape = np.shape(expected)
    stored = [-1.5, np.float32(7), np.full(shape, 3.0)]
    if shape:
        stored.append(np.arange(shape[-1]) * 0.5 if _rows_are_distinct(host, key) else 2.0)
    for value in stored:
        host[key] = value
        device[device_key] = value
        same(device, host, context=(key, move, value))
    if np.ndim(stored[-1]):
        device[device_key] = cp.asarray(stored[-1] + 1)
        host[key] = stored[-1] + 1
        same(device, host, context=(key, move))


def _rows_are_distinct(host, key):
    """Whether no element is stored to twice, where any of the values may stay."""
    numbers = np.arange(host.size).reshape(host.shape)[key]
    return np.unique(numbers).size == np.size(numbers)


slices = st.builds(
    slice,
    st.none() | st.integers(-6, 6),
    st.none() | st.integers(-6, 6),
    st.none() | st.integers(-3, 3).filter(bool),
)


@st.composite
def indices(draw):
    """A shape and an index of it: some of its items do not fit."""
    shape = tuple(draw(st.lists(st.integers(0, 4), min_size=0, max_size=4)))
    items: list = []
    rest = list(shape)
    common = draw(st.sampled_from([(), (1,), (3,), (2, 3), (0,)]))
    while rest:
        kind = draw(st.sampled_from(["slice", "int", "array", "mask", "end"]))
        length = rest[0]
        if kind == "end":
            break
        if kind == "mask":
            ndim = draw(st.integers(1, len(rest)))
            lengths, rest = rest[:ndim], rest[ndim:]
            seed = draw(st.integers(0, 100))
            chosen = np.random.default_rng(seed).random(lengths) < 0.5
            if common == (3,) and chosen.size >= 3:  # one that broadcasts with the other arrays
                chosen[...] = False
                chosen.reshape(-1)[[0, chosen.size // 2, chosen.size - 1]] = True
            items.append(chosen)
            continue
        rest = rest[1:]
        if kind == "slice" or not length:
            items.append(draw(slices))
        elif kind == "int":
            number = draw(st.integers(-length, length - 1))
            items.append(draw(st.sampled_from([number, np.int16(number), np.array(number)])))
        else:
            lengths = common[draw(st.integers(0, len(common))) :]
            seed = draw(st.integers(0, 100))
            dtype = draw(st.sampled_from(["i8", "i4", "i1"]))
            items.append(
                np.random.default_rng(seed).integers(-length, length, lengths).astype(dtype)
            )
    # NumPy passes over indices that are out of bounds where a False leaves no element.
    arrays = any(isinstance(item, np.ndarray) and item.dtype.kind == "i" for item in items)
    for extra in (None, Ellipsis, None, True, np.array(True), np.array(False), np.bool(True)):
        if arrays and isinstance(extra, np.ndarray) and not extra:
            continue
        if draw(st.integers(0, 3 if extra is None or extra is Ellipsis else 9)) == 0:
            items.insert(draw(st.integers(0, len(items))), extra)
    if len(items) == 1 and draw(st.booleans()):
        return shape, items[0]
    return shape, tuple(items)


@settings(max_examples=100)
@given(indices(), st.sampled_from(list(MOVES)), st.booleans())
def test_any_index(case, move, transposed):
    shape, key = case
    host = np.arange(float(np.prod(shape))).reshape(shape)
    device = cp.asarray(host)
    if transposed:
        host, device = host.T.copy().T, cp.asarray(host.T.copy()).T
    compare(host, device, key, move)


@pytest.mark.slow
@settings(max_examples=500)
@given(indices(), st.sampled_from(list(MOVES)))
def test_many_indices(case, move):
    shape, key = case
    host = np.arange(float(np.prod(shape))).reshape(shape)
    compare(host, cp.asarray(host), key, move)


SEPARATED = [
    (0, slice(None), np.array([0, 1])), (np.array([0, 1]), slice(None), 0), (np.array([0, 1]), None, np.array([0, 1])),
    (slice(None), np.array([0, 1]), Ellipsis, np.array([0, 1])), (np.array([0, 1]), Ellipsis, np.array([[0], [1]])),
    (slice(None), 1, np.array([0, 2])), (None, 1, np.array([0, 2])), (0, None, np.array([0, 1])), (np.array(1), slice(None), np.array(2)),
    (np.array(1), slice(None), 2), (True, slice(None), np.array([0, 1])), (slice(None), np.array(True), np.array([0, 1])),
    (np.array([True, False, True]), slice(None), np.array([1, 0])), (np.ones((3, 4), bool), None), (np.ones((3, 4), bool), slice(None), True),
]  # fmt: skip


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("number", range(len(SEPARATED)))
def test_where_the_dimensions_of_index_arrays_go(number, move):
    host = np.arange(3 * 4 * 5.0).reshape(3, 4, 5)
    compare(host, cp.asarray(host), SEPARATED[number], move)


EMPTY = [[], [[]], np.array([], int), (slice(None), []), ([], []), np.zeros(0, bool), (np.zeros((0, 3), int),),
         np.zeros((3, 4), bool), (), ((),), range(0)]  # fmt: skip


@pytest.mark.parametrize("number", range(len(EMPTY)))
def test_indices_of_no_elements(number):
    host = np.arange(12.0).reshape(3, 4)
    for move in MOVES:
        compare(host, cp.asarray(host), EMPTY[number], move)


test_what_is_no_index = raises_as_numpy(
    lambda xp: xp.zeros(3)[np.array([0.5])],
    lambda xp: xp.zeros(3)[np.array([], float)],
    lambda xp: xp.zeros(3)[np.array(1.0)],
    lambda xp: xp.zeros(3)[np.array(["a"])],
    lambda xp: xp.zeros(3)["a"],
    lambda xp: xp.zeros(3)[[0.0]],
    lambda xp: xp.zeros(3)[np.array([3])],
    lambda xp: xp.zeros(3)[np.array([-4], "i1")],
    lambda xp: xp.zeros(3)[np.array([2**63], "u8")],
    lambda xp: xp.zeros(3)[np.array([True])],
    lambda xp: xp.zeros((3, 2))[np.array([0]), np.array([[0, 1, 2]])],
    lambda xp: xp.zeros((3, 2))[np.array([0, 1]), np.array([0, 1, 0])],
    lambda xp: xp.zeros(())[np.array([0])],
    lambda xp: xp.zeros(3)[..., ..., np.array([0])],
    lambda xp: xp.zeros(3)[np.array([0]), np.array([0])],
    lambda xp: xp.zeros(3)[[0, [1]]],
)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", ">i8"])
def test_integers_of_the_host(dtype):
    host = np.arange(12.0).reshape(3, 4)
    device = cp.asarray(host)
    for _ in range(2):  # the second time with the kept call
        for index in (np.array([2, 0, 1], dtype), np.array([[2, 0]], dtype)[:, ::-1]):
            same(device[index], host[index])
            same(device[:, index], host[:, index])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "?"])
def test_host_arrays_are_stored(layout, dtype):
    for index in (Ellipsis, slice(None), slice(1, 3), (slice(None, None, -1),)):
        host, device = pair(layout, "f4", 1)
        host, device = host.copy(order="K"), device.copy(order="K")
        if not host.ndim and index is not Ellipsis:
            continue
        value = values(host[index].shape, dtype, 2)
        device[index] = value
        host[index] = value
        same(device, host, context=index)


def test_host_arrays_are_stored_in_views():
    host = np.arange(24.0).reshape(4, 6)
    device = cp.asarray(host)
    value = np.arange(6.0)
    for key in ((slice(None), slice(1, 3)), (1,), (slice(None, None, 2), slice(None, None, -1)), 3):
        source = value[: host[key].shape[-1]]
        host[key] = source
        device[key] = source
        same(device, host)
        device.T[::-1][...] = host.T[::-1] * 2
        host.T[::-1][...] = host.T[::-1] * 2
        same(device, host)


def test_host_arrays_are_stored_by_index_arrays_again():
    host = np.arange(6.0)
    for move in MOVES:
        device = cp.asarray(host)
        for key in (np.array([0, 2]), np.array([3, 1]), host > 3, host < 2, (np.array([1, 5]),)):
            for _ in range(3):
                value = np.arange(host[key].size) + host[0]
                host[key] = value
                device[moved(key, move)] = value
                same(device, host)
                host[key] = value.tolist()
                device[moved(key, move)] = value.tolist()
                same(device, host)


def test_a_large_host_array_is_stored():
    source = np.arange(3_000_000.0)
    device = cp.zeros(3_000_000)
    device[...] = source
    source[...] = -1  # the device has its copy
    same(device, np.arange(3_000_000.0))


def test_stores_of_host_arrays_are_ordered():
    device = cp.zeros(1000)
    with cp.cuda.Stream():
        for number in range(5):
            device += 1
            device[:500] = np.full(500, number)
            device[500:] += device[:500]
        found = cp.asnumpy(device)
    np.testing.assert_array_equal(found, [4.0] * 500 + [15.0] * 500)


def test_a_store_that_fails_changes_nothing():
    device = cp.arange(12.0).reshape(3, 4)
    index = np.array([0, 1])
    for key, value in (
        (index, np.zeros((3, 4))), (index, np.array(["a", "b"])), ((index, [0, 9]), 1), (Ellipsis, np.zeros(5)),
        (np.ones((3, 4), bool), np.zeros(5)), (cp.ones((3, 4), bool), np.zeros(5)), (cp.asarray(index), np.zeros((3, 4))),
        ([0, 3], 1), (index, [1, 2, 3, 4, 5]), (slice(0, 2), np.zeros((3, 4))), (np.ones((3, 5), bool), 1),
    ):  # fmt: skip
        assert isinstance(raised(lambda key=key, value=value: device.__setitem__(key, value)),
                          (ValueError, IndexError, TypeError)), key  # fmt: skip
        same(device, np.arange(12.0).reshape(3, 4))
    locked = cp.arange(3.0)
    locked.flags.writeable = False
    for key in (Ellipsis, slice(None), 0, [0], np.array([0]), cp.array([0]), locked > 0, (0,)):
        for value in (1, np.ones(1), cp.ones(1), locked[:1]):
            with pytest.raises(ValueError, match="read-only"):
                locked[key] = value
    with pytest.raises(ValueError, match="read-only"):
        locked[1:] = locked[1:]
    same(locked, np.arange(3.0))


def test_a_view_is_stored_where_it_is():
    host = np.arange(24.0).reshape(4, 6)
    for key in (
        slice(1, 3),
        (slice(1, -1), slice(1, -1)),
        2,
        (1, 2),
        Ellipsis,
        (slice(None, None, -1), 0),
        None,
    ):
        device, expected = cp.asarray(host), host.copy()
        for _ in range(2):
            device[key] += 1
            expected[key] += 1
            same(device, expected)
        # A view of the same layout elsewhere is no such store.
        if key == slice(1, 3):
            device[key] = device[2:4]
            expected[key] = expected[2:4]
            device[2:4] = device[key]
            expected[2:4] = expected[key].copy()
            same(device, expected)


def test_an_index_that_is_the_target():
    for move in MOVES:
        host = np.array([3, 1, 0, 2])
        device = cp.asarray(host)
        index = np.array([3, 1, 0, 2])
        host[index] = index
        device[moved(index, move)] = device
        same(device, host)


def test_numbers_without_dimensions():
    x, device = np.arange(4.0), cp.arange(4.0)
    for number in (np.float64(2), np.array(2.5), np.array(3), np.int8(1), np.array(True)):
        same(device * number, x * number)
        same(number + device, number + x)
        same(cp.where(device > number, device, number), np.where(x > number, x, number))
        same(cp.clip(device, number, None), np.clip(x, number, None))
        y, own = x.copy(), device.copy()
        y[1:3] = number
        own[1:3] = number
        same(own, y)
        y[np.array([0, 3])] = number
        own[np.array([0, 3])] = number
        same(own, y)
        y[x > 2] = number
        own[device > 2] = number
        same(own, y)
        y.fill(number)
        own.fill(number)
        same(own, y)
        same(cp.full(3, number), np.full(3, number))


def test_steps_beyond_the_address_space():
    for host in (np.arange(5), np.arange(1), np.arange(0)):
        for step in (-(2**63), 2**63 - 1, -(2**62)):
            found = cp.asarray(host)[::step]
            np.testing.assert_array_equal(found.get(), host[::step])
