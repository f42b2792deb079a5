"""Elements chosen among arrays, and elements that are changed."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import KINDS, LAYOUTS, pair, raises_as_numpy, same, values
from tests.slow import slow_off_axes


def moved(x):
    """Host arrays on the device, also in lists."""
    if isinstance(x, list):
        return [moved(one) for one in x]
    return cp.asarray(x) if isinstance(x, np.ndarray) else x


A = np.array([[0, 1, 2], [2, 1, 0]])
CHOICES = [
    [np.arange(6.0).reshape(2, 3), 7, np.array([1, 2, 3], "i4")],
    [np.float32([1, 2, 3]), 2.5, np.float32(3)],
    [1, 2, 3],
    [np.arange(3, dtype="i1"), np.array(5, "u1"), [[1], [2]]],
    [np.array([True, False, True]), True, False],
    np.arange(18).reshape(3, 2, 3),
    np.arange(9).reshape(3, 3).T,
    np.arange(3),
]


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
@pytest.mark.parametrize("number", range(len(CHOICES)))
def test_choose(number, mode):
    choices = CHOICES[number]
    index = A if mode == "raise" else A * 5 - 4
    expected = np.choose(index, choices, mode=mode)
    for _ in range(2):
        for given in (cp.asarray(index), index, index.tolist()):
            same(cp.choose(given, moved(choices), mode=mode), expected)
        same(cp.asarray(index).choose(moved(choices), mode=mode), expected)
        out = cp.zeros(expected.shape, "c16")
        assert cp.choose(cp.asarray(index), moved(choices), out, mode) is out
        same(out, expected.astype("c16"))


def test_choose_other_forms():
    bools = np.array([True, False])
    same(cp.choose(cp.asarray(bools), [cp.array([1, 2]), 3]), np.choose(bools, [[1, 2], 3]))
    same(
        cp.choose(cp.asarray(bools), cp.array([[1, 2], [3, 4]])), np.choose(bools, [[1, 2], [3, 4]])
    )
    many = [np.full(4, i) for i in range(40)]
    index = np.array([[39], [0], [17]])
    same(cp.choose(cp.asarray(index), moved(many)), np.choose(index, many))
    same(cp.choose(0, [cp.arange(3)]), np.choose(0, [np.arange(3)]))
    same(cp.choose(cp.zeros((0, 3), int), [1, 2]), np.choose(np.zeros((0, 3), int), [1, 2]))


test_what_choose_refuses = raises_as_numpy(
    lambda xp: xp.choose([0, 3], [1, 2, 3]),
    lambda xp: xp.choose([0, -1], [1, 2, 3]),
    lambda xp: xp.choose(xp.asarray([0.5]), [1, 2]),
    lambda xp: xp.choose(xp.asarray([0], "u8"), [1, 2]),
    lambda xp: xp.choose([0], []),
    lambda xp: xp.choose([0], [1, 2], mode="wrong"),
    lambda xp: xp.choose([0, 1], [xp.zeros(3), xp.zeros(2)]),
    lambda xp: xp.choose([0, 1], [1, 2], out=xp.zeros(3)),
)


@pytest.mark.emulator
@pytest.mark.parametrize("wrong", [3, -1])
@pytest.mark.parametrize("choices", [[1, 2, 3], [np.arange(2), 2, 3], np.arange(3)])
def test_choose_out_of_bounds_on_the_emulator(choices, wrong):
    for _ in range(2):
        with pytest.raises(ValueError, match=f"choose: index {wrong} is out of bounds"):
            cp.choose(cp.array([0, wrong]), moved(choices))


@pytest.mark.cuda
def test_choose_wraps_on_a_gpu():
    index = np.array([3, -1, 2, -5])
    same(cp.choose(cp.asarray(index), [1, 2, 3]), np.choose(index % 3, [1, 2, 3]))
    same(cp.choose(cp.asarray(index), cp.arange(3)), np.choose(index % 3, np.arange(3)))


@pytest.mark.parametrize(("dtype", "layout"), slow_off_axes(["f4", "i8", "c8"], LAYOUTS))
def test_select(dtype, layout):
    host, device = pair(layout, dtype)
    for default in (0, -1.5, True):
        for _ in range(2):
            expected = np.select([host > 0, host < -1], [host, host * 2], default)
            same(cp.select([device > 0, device < -1], [device, device * 2], default), expected)
    same(
        cp.select([device > 0], [7], device[..., :1] if host.ndim else 3),
        np.select([host > 0], [7], host[..., :1] if host.ndim else 3),
    )


def test_select_of_many():
    x = np.arange(100)
    for count in (12, 13, 24):
        conditions = [x % 50 == i for i in range(count)]
        choices = [x * i for i in range(count)]
        same(cp.select(moved(conditions), moved(choices), -1), np.select(conditions, choices, -1))
    rows, columns = np.array([[True], [False]]), np.array([True, False, True])
    same(cp.select([cp.asarray(rows), cp.asarray(columns)], [1, cp.arange(3)], 9.5),
         np.select([rows, columns], [1, np.arange(3)], 9.5))  # fmt: skip


test_what_select_refuses = raises_as_numpy(
    lambda xp: xp.select([], []),
    lambda xp: xp.select([xp.asarray([True])], [1, 2]),
    lambda xp: xp.select([xp.asarray([1, 0])], [1]),
    lambda xp: xp.select([xp.asarray([True, False])], [xp.zeros(3)]),
)

PIECES = [
    (lambda x: [x < 0, x >= 0], [-1, 1]),
    (lambda x: [x < 0, x > 1], [-1, 1, 5]),
    (lambda x: [x < 1, x > 0], [-1, 1]),  # overlap
    (lambda x: [x < 0, x >= 0], [lambda x: -x, lambda x: x + 1]),
    (lambda x: [x < 0, x > 1], [lambda x: -x, 2.5, lambda x: x * 10]),
    (lambda x: [x < 1, x > 0, x > 2], [3, lambda x: x * x, lambda x: x - 1]),
    (lambda x: [x > 0], [lambda x, by, to=0: x * by + to, 7]),
    (lambda x: [x > 100], [lambda x: 1 / 0, 7]),
    (lambda x: [x > 0], [lambda x: 3]),
]


@pytest.mark.parametrize(("number", "layout"), slow_off_axes(range(len(PIECES)), LAYOUTS))
def test_piecewise(number, layout):
    conditions, functions = PIECES[number]
    more = {"by": 2, "to": 1} if number == 6 else {}
    for dtype in ("f8", "i4"):
        host, device = pair(layout, dtype)
        expected = np.piecewise(host, conditions(host), functions, **more)
        same(cp.piecewise(device, conditions(device), functions, **more), expected)


def test_piecewise_other_forms():
    x = np.arange(6.0).reshape(2, 3)
    device = cp.asarray(x)
    for conditions in ([x > 2], [(x > 2).tolist()], [x, x > 4], np.stack([x > 2, x < 1])):
        expected = np.piecewise(x, conditions, [1, 2])
        same(cp.piecewise(device, conditions, [1, 2]), expected)
        if not isinstance(conditions[0], list):
            same(cp.piecewise(device, moved(conditions), [1, 2]), expected)
    for conditions in (x[0] > 1, (x[0] > 1).tolist()):
        expected = np.piecewise(x[0], conditions, [1, 2])
        same(cp.piecewise(device[0], moved(conditions), [1, 2]), expected)
    same(cp.piecewise(3, [True, False], [5, 6]), np.piecewise(3, [True, False], [5, 6]))
    same(cp.piecewise(cp.array(3), cp.array(3) > 2, [lambda x: x + 1]), np.array(4))


test_what_piecewise_refuses = raises_as_numpy(
    lambda xp: xp.piecewise(xp.arange(3), [xp.arange(3) > 1], [1, 2, 3]),
    lambda xp: xp.piecewise(xp.arange(3), [xp.arange(3) > 1, xp.arange(3) > 2], [1]),
    lambda xp: xp.piecewise(xp.arange(3), [xp.arange(4) > 1], [1]),
)

# ---- elements that are changed ------------------------------------------------------------------

WRITABLE = [x for x in LAYOUTS if x != "broadcast"]


def copies_of(layout, dtype):
    """Arrays of a layout that may be written to; the memory is each one's own."""
    host, device = pair(layout, dtype)
    return host.copy(order="K"), device.copy(order="K")


@pytest.mark.parametrize(("name", "dtype"), slow_off_axes(["place", "putmask"], KINDS))
def test_values_where_a_mask_is_true(name, dtype):
    for layout in WRITABLE if dtype == "f4" else WRITABLE[:1]:
        for given in (0, 1, 2, 5, 6, 24, 50) if layout == "contiguous" else (5, 24):
            host, device = copies_of(layout, dtype)
            mask = np.arange(host.size).reshape(host.shape) % 3 != 0
            new = values(given, dtype, 3)
            for where in (mask, mask.astype("i4"), ~mask & mask, mask.reshape(-1)):
                if name == "place" and not given and where.any():
                    continue
                getattr(np, name)(host, where, new)
                getattr(cp, name)(device, cp.asarray(where), cp.asarray(new))
                same(device, host, context=(layout, given))
            getattr(np, name)(host, mask.tolist(), new.tolist() or [1])
            getattr(cp, name)(device, mask.tolist(), new.tolist() or [1])
            same(device, host)


def test_masks_and_values_that_are_the_array():
    for name in ("place", "putmask"):
        host = np.array([3, 0, 5, 0, 7, 1])
        device = cp.asarray(host)
        getattr(cp, name)(device, device > 0, device[::-1])
        getattr(np, name)(host, host > 0, host[::-1].copy())
        same(device, host)
    bools = np.array([True, False, True, True])
    device = cp.asarray(bools)
    cp.putmask(device, device, device[::-1])
    np.putmask(bools, bools.copy(), bools[::-1].copy())
    same(device, bools)


test_what_place_and_putmask_refuse = raises_as_numpy(
    lambda xp: xp.place([1], [1], 1),
    lambda xp: xp.putmask([1], [1], 1),
    lambda xp: xp.place(xp.arange(3), [1, 0], [1]),
    lambda xp: xp.putmask(xp.arange(3), [1, 0], [1]),
    lambda xp: xp.place(xp.arange(3), [1, 0, 1], []),
    lambda xp: xp.place(xp.broadcast_to(xp.arange(3), (2, 3)), xp.ones((2, 3), bool), 1),
    lambda xp: xp.putmask(xp.broadcast_to(xp.arange(3), (2, 3)), xp.ones((2, 3), bool), 1),
    lambda xp: xp.fill_diagonal(xp.zeros(3), 1),
    lambda xp: xp.fill_diagonal(xp.zeros((2, 3, 2)), 1),
    lambda xp: xp.copyto(xp.zeros(3), xp.zeros(2), where=xp.ones(3, bool)),
    lambda xp: xp.copyto(xp.zeros(3), 1, where=xp.ones(2, bool)),
    lambda xp: xp.copyto(xp.zeros(3, int), 1.5, where=xp.ones(3, bool)),
    lambda xp: xp.copyto(xp.zeros(3, int), xp.ones(3), where=xp.ones(3, bool)),
    lambda xp: xp.copyto(xp.zeros(3, "i1"), 300, where=xp.ones(3, bool)),
)


@pytest.mark.parametrize("shape", [(3, 3), (7, 3), (3, 7), (4, 3), (3, 3, 3), (0, 3), (2, 2, 2, 2)])
@pytest.mark.parametrize("wrap", [False, True])
def test_fill_diagonal(shape, wrap):
    for value in (4, [1.5], [1, 2], np.arange(20.0)):
        for view in (lambda a: a, lambda a: a.T, lambda a: a[::-1], lambda a: a[..., ::2]):
            if len(shape) > 2 and len(set(view(np.zeros(shape)).shape)) > 1:
                continue
            host, device = np.zeros(shape), cp.zeros(shape)
            np.fill_diagonal(view(host), value, wrap)
            cp.fill_diagonal(view(device), moved(value), wrap)
            same(device, host, context=value)


@pytest.mark.parametrize("dtype", ["f4", "i8", "?", "c8"])
@pytest.mark.parametrize("layout", WRITABLE)
def test_copyto_where(layout, dtype):
    host, device = copies_of(layout, "f4" if dtype == "?" else dtype)
    host, device = host.astype(dtype), device.astype(dtype)
    mask = np.arange(host.size).reshape(host.shape) % 3 != 0
    row = np.ones(host.shape[-1:], dtype)
    sources = [host[::-1].copy(), row, row[:1], 1, np.int8(3)] if host.ndim else [host, 1, True]
    for source in sources:
        for where in (
            mask,
            mask[..., :1] if host.ndim else mask,
            True,
            [True] if host.ndim else False,
        ):
            for _ in range(2):
                np.copyto(host, source, where=where, casting="unsafe")
                cp.copyto(device, moved(source), where=moved(where), casting="unsafe")
                same(device, host)
                np.copyto(host, source, where=where, casting="unsafe")
                cp.copyto(device, source, where=where, casting="unsafe")  # from the host
                same(device, host)


def test_copyto_where_of_itself():
    for _ in range(2):
        host = np.arange(6.0)
        device = cp.asarray(host)
        np.copyto(host, host[::-1].copy(), where=host > 2)
        cp.copyto(device, device[::-1], where=device > 2)
        same(device, host)
        bools = cp.array([True, False, True])
        cp.copyto(bools, False, where=bools)
        same(bools, np.zeros(3, bool))
        for number in (1.5, 2, 1e300, 7):
            cp.copyto(narrow := cp.zeros(3, "f4"), number, where=cp.ones(3, bool))
            np.copyto(other := np.zeros(3, "f4"), number, where=np.ones(3, bool))
            same(narrow, other)
