"""Functions that take indices and functions that make them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray as cp
from gpuarray._ops import advanced_indexing, along_axis, coordinates, taking
from tests.array.arrays import LAYOUTS, pair, raises_alike, raises_as_numpy, same

WHERE = {"device": cp.asarray, "host": np.asarray, "list": lambda x: np.asarray(x).tolist()}


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_take(layout, where, mode):
    host, device = pair(layout, "f4")
    for axis in (None, 0, -1):
        length = host.size if axis is None else host.shape[axis] if host.ndim else 1
        far = 1 if mode == "raise" else 3
        for index in (np.arange(-length * far, length * far), np.zeros((2, 0), int), np.array(-1)):
            if not length and index.size:
                continue
            for _ in range(2):  # the second time with the kept call
                expected = np.take(host, index, axis, mode=mode)
                same(cp.take(device, WHERE[where](index), axis, mode=mode), expected)
            out = cp.zeros(expected.shape, "f4")
            assert cp.take(device, WHERE[where](index), axis, out, mode) is out
            same(out, expected)


def test_take_into_what_it_reads():
    host = np.arange(12.0)
    for _ in range(2):
        device = cp.asarray(host)
        cp.take(device, cp.arange(11, -1, -1), out=device)
        same(device, host[::-1])
        index = cp.array([3, 2, 0, 1])
        cp.take(index, index, out=index)
        same(index, np.array([1, 0, 3, 2]))
        wide = cp.zeros(4, "c16")
        cp.take(cp.asarray(host), cp.arange(4), out=wide, mode="wrap")
        same(wide, host[:4].astype("c16"))


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("layout", [x for x in LAYOUTS if x != "broadcast"])
def test_put(layout, where, mode):
    host, device = pair(layout, "f4")
    host, device = host.copy(order="K"), device.copy(order="K")
    if layout == "negative-stride":  # not one gapless piece of memory
        host, device = np.repeat(host, 2, 1)[:, ::2], cp.asarray(np.repeat(host, 2, 1))[:, ::2]
    size = host.size
    far = size if mode == "raise" else 3 * size + 1
    index = np.random.default_rng(1).permutation(np.arange(-size, 0))[: max(size - 3, 1)]
    if mode == "wrap":
        index = index + far - far % max(size, 1)
    if mode == "clip":
        index = np.concatenate([np.arange(size)[1:-1], [far]])[:size]
    if not size:
        index = index[:0]
    for values in (7, np.arange(1.0, 4), np.arange(50.0), 2.5, np.zeros(0), np.float32(3), [1, 2]):
        for _ in range(2):
            np.put(host, index, values, mode)
            moved = cp.asarray(values) if isinstance(values, np.ndarray) else values
            cp.put(device, WHERE[where](index), moved, mode)
            same(device, host)
    if size:
        np.put(host, [0], np.arange(3.0))
        device.put([0], np.arange(3.0))
        same(device, host)


def test_put_of_its_own_elements():
    for _ in range(2):
        host = np.array([3, 1, 0, 2])
        device = cp.asarray(host)
        cp.put(device, device, device[::-1])
        np.put(host, host.copy(), host[::-1].copy())
        same(device, host)


test_what_take_and_put_refuse = raises_as_numpy(
    lambda xp: xp.take(xp.arange(3), [3]),
    lambda xp: xp.take(xp.arange(3), np.array([-4])),
    lambda xp: xp.take(xp.arange(3), np.array([0.0])),
    lambda xp: xp.take(xp.arange(3), xp.array([0.0])),
    lambda xp: xp.take(xp.arange(3), [0], axis=1),
    lambda xp: xp.take(xp.arange(3), [0], mode="wrong"),
    lambda xp: xp.take(xp.arange(3), [0], mode=3),
    lambda xp: xp.take(xp.arange(3), [0], out=xp.zeros(2)),
    lambda xp: xp.take(xp.zeros(0), [0]),
    lambda xp: xp.take(xp.zeros(0), xp.array([0])),
    lambda xp: xp.put(xp.arange(3), [3], 1),
    lambda xp: xp.put(xp.arange(3), [0], 1, mode="wrong"),
    lambda xp: xp.put([1, 2], [0], 1),
    lambda xp: xp.put(xp.arange(3), [0.5, "a"], 1),
    lambda xp: xp.put(xp.zeros(0), [0], 1),
    lambda xp: xp.put(xp.broadcast_to(xp.arange(3), (2, 3)), [0], 1),
    lambda xp: xp.unravel_index([6], (2, 3)),
    lambda xp: xp.unravel_index([-1], (2, 3)),
    lambda xp: xp.unravel_index([0.5], (2, 3)),
    lambda xp: xp.unravel_index([], (2, 3)),
    lambda xp: xp.unravel_index([0], (0, 3)),
    lambda xp: xp.unravel_index(xp.array([0]), (0, 3)),
    lambda xp: xp.unravel_index([0], (2, 3), order="K"),
    lambda xp: xp.unravel_index([0], (2, 3), order=1),
    lambda xp: xp.ravel_multi_index(([0], [0]), (2, 3), order="A"),
    lambda xp: xp.unravel_index([0], ()),
    lambda xp: xp.ravel_multi_index(([2], [0]), (2, 3)),
    lambda xp: xp.ravel_multi_index(([0], [-1]), (2, 3)),
    lambda xp: xp.ravel_multi_index(([0], [0], [0]), (2, 3)),
    lambda xp: xp.ravel_multi_index(([0.5], [0]), (2, 3)),
    lambda xp: xp.ravel_multi_index(([0], [0]), (2, 3), mode="wrong"),
    lambda xp: xp.ravel_multi_index(([0], [0]), (2, 3), mode=("raise",)),
    lambda xp: xp.ravel_multi_index(([0, 1], [0, 1, 2]), (2, 3)),
    lambda xp: xp.ravel_multi_index(([0], [0]), (0, 3)),
    lambda xp: xp.tril_indices_from(xp.zeros(3)),
    lambda xp: xp.diag_indices_from(xp.zeros(3)),
    lambda xp: xp.diag_indices_from(xp.zeros((2, 3))),
    lambda xp: xp.indices((2, -3)),
)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", ["i8", "u1", "i4"])
@pytest.mark.parametrize("shape", [(7,), (7, 6), (3, 4, 5), (2, 1, 3, 2), 7])
def test_unravel_and_ravel(shape, dtype, order):
    size = int(np.prod(shape))
    numbers = np.random.default_rng(0).integers(0, size, (4, 3)).astype(dtype)
    expected = np.unravel_index(numbers, shape, order)
    for move in WHERE.values():
        found = cp.unravel_index(move(numbers), shape, order)
        same(found, expected)
    for moved in (tuple(x.T for x in found), [x.get().T for x in found]):
        dims = (shape,) if isinstance(shape, int) else shape
        back = cp.ravel_multi_index(moved, dims, order=order)
        same(back, numbers.T.astype("i8"))
        assert (
            back.strides
            == np.ravel_multi_index(tuple(x.T for x in expected), dims, order=order).strides
        )


def test_unravel_other_forms():
    for order in ("c", "f", None):
        same(cp.unravel_index(22, (7, 6), order), np.unravel_index(22, (7, 6), order))
        same(cp.ravel_multi_index((1, 2), (7, 6), order=order), np.array(
            np.ravel_multi_index((1, 2), (7, 6), order=order)))  # fmt: skip
    same(cp.unravel_index(22, (7, 6)), np.unravel_index(22, (7, 6)))
    same(cp.unravel_index(cp.array(22), (7, 6)), np.unravel_index(22, (7, 6)))
    assert cp.unravel_index(0, ()) == np.unravel_index(0, ())
    numbers = np.arange(-9, 9)
    for mode in ("wrap", "clip", ("wrap", "clip"), ("clip", "wrap")):
        given = (numbers, numbers[::-1] * 2)
        moved = tuple([cp.asarray(x) for x in given])
        expected = np.ravel_multi_index(given, (4, 5), mode)
        same(cp.ravel_multi_index(moved, (4, 5), mode), expected)
        same(cp.ravel_multi_index(given, (4, 5), mode), expected)
    pairs = np.array([[1, 2, 0], [0, 4, 3]])
    same(cp.ravel_multi_index(cp.asarray(pairs), (4, 5)), np.ravel_multi_index(pairs, (4, 5)))
    same(cp.ravel_multi_index((1, cp.arange(3)[:, None]), (4, 5)),
         np.ravel_multi_index((1, np.arange(3)[:, None]), (4, 5)))  # fmt: skip
    # Beyond 32 bits.
    great = np.array([5_000_000_000, 2**40 + 12345])
    same(
        cp.unravel_index(cp.asarray(great), (2**21, 2**21)), np.unravel_index(great, (2**21, 2**21))
    )


@pytest.mark.parametrize("dtype", ["i8", "i4", "u1", "f4", "f8", "c8"])
def test_indices(dtype):
    for shape in ((4,), (3, 4), (2, 3, 4), (2, 0, 3), (1, 5, 1, 2), ()):
        same(cp.indices(shape, dtype), np.indices(shape, dtype))
        same(cp.indices(shape, dtype, sparse=True), np.indices(shape, dtype, sparse=True))


@settings(max_examples=40)
@given(st.integers(0, 9), st.integers(-11, 11), st.none() | st.integers(0, 9))
def test_any_triangle(n, k, m):
    same(cp.tril_indices(n, k, m), np.tril_indices(n, k, m))
    same(cp.triu_indices(n, k, m), np.triu_indices(n, k, m))
    a = np.zeros((n, n if m is None else m))
    same(cp.tril_indices_from(cp.asarray(a), k), np.tril_indices_from(a, k))
    same(cp.triu_indices_from(cp.asarray(a), k), np.triu_indices_from(a, k))


def test_a_large_triangle():
    same(cp.tril_indices(-1), np.tril_indices(-1))
    same(cp.tril_indices(700, 5, 600), np.tril_indices(700, 5, 600))
    same(cp.triu_indices(700, -5, 800), np.triu_indices(700, -5, 800))


def test_diagonals():
    for n, ndim in ((3, 2), (4, 3), (0, 2), (2, 1)):
        same(cp.diag_indices(n, ndim), np.diag_indices(n, ndim))
    same(cp.diag_indices_from(cp.zeros((3, 3, 3))), np.diag_indices_from(np.zeros((3, 3, 3))))
    same(cp.mask_indices(4, lambda a, k: a * cp.asarray(np.triu(np.ones((4, 4), int), k)), 1),
         np.mask_indices(4, np.triu, 1))  # fmt: skip


ALONG = [
    (np.array([[0], [2]]), 1),
    (np.array([[1, 0, 1]]), 0),
    (np.array([[-1, 2, 1], [0, 0, 0]]), -1),
]


@pytest.mark.parametrize("where", ["device", "host", "list"])
def test_along_axis(where):
    base = np.arange(6.0).reshape(2, 3)
    for index, axis in ALONG:
        for _ in range(2):
            host, device = base.copy(), cp.asarray(base)
            moved = WHERE[where](index)
            same(cp.take_along_axis(device, moved, axis), np.take_along_axis(host, index, axis))
            for values in (9, np.float64(8.5), np.array([[3.5]])):
                np.put_along_axis(host, index, values, axis)
                cp.put_along_axis(device, moved, values, axis)
                same(device, host)
                if isinstance(values, np.ndarray):
                    cp.put_along_axis(device, moved, cp.asarray(values * 2), axis)
                    np.put_along_axis(host, index, values * 2, axis)
                    same(device, host)
    flat = np.array([5, -6])
    same(cp.take_along_axis(device, WHERE[where](flat), None), np.take_along_axis(host, flat, None))
    raises_alike(
        lambda: np.take_along_axis(base, np.array([[3]]), 1),
        lambda: cp.take_along_axis(cp.asarray(base), np.array([[3]]), 1),
    )


# ---- out of bounds ------------------------------------------------------------------------------

#: Functions of an index array in device memory: what they raise, and what they do to 6 elements.
OUT_OF_BOUNDS = {
    "take": (IndexError, lambda x, i: cp.take(x, i)),
    "take again": (IndexError, lambda x, i: (cp.take(x, i % 6), cp.take(x, i))),
    "take out": (IndexError, lambda x, i: cp.take(x, i, out=cp.zeros_like(i, dtype=x.dtype))),
    "take axis": (IndexError, lambda x, i: cp.take(x.reshape(1, 6), i, 1)),
    "put": (IndexError, lambda x, i: cp.put(x, i, cp.zeros(3))),
    "put number": (IndexError, lambda x, i: cp.put(x, i, 0)),
    "put strided": (IndexError, lambda x, i: cp.put(cp.zeros((3, 4))[:, :2], i, 0)),
    "take_along_axis": (IndexError, lambda x, i: cp.take_along_axis(x, i, 0)),
    "put_along_axis": (IndexError, lambda x, i: cp.put_along_axis(x, i, 0, 0)),
    "put_along_axis values": (IndexError, lambda x, i: cp.put_along_axis(x, i, cp.zeros(3), 0)),
    "unravel_index": (ValueError, lambda x, i: cp.unravel_index(i, (2, 3))),
    "unravel_index one axis": (ValueError, lambda x, i: cp.unravel_index(i, 6)),
    "ravel_multi_index": (ValueError, lambda x, i: cp.ravel_multi_index((i, i % 6), (6, 6))),
}


@pytest.mark.emulator
@pytest.mark.parametrize("wrong", [6, -7, 10**9])
@pytest.mark.parametrize("name", OUT_OF_BOUNDS)
def test_out_of_bounds_on_the_emulator(name, wrong):
    error, work = OUT_OF_BOUNDS[name]
    x = cp.arange(6.0)
    index = cp.asarray(np.array([0, 5, wrong], "i4"))
    with pytest.raises(error, match=f"index {wrong} is out of bounds for an axis of size 6"):
        work(x, index)
    same(x, np.arange(6.0))


@pytest.mark.cuda
@pytest.mark.parametrize("wrong", [6, -7, 10**9])
@pytest.mark.parametrize("name", OUT_OF_BOUNDS)
def test_out_of_bounds_wraps_on_a_gpu(name, wrong):
    work = OUT_OF_BOUNDS[name][1]
    x, y = cp.arange(6.0), cp.arange(6.0)
    index = np.array([0, 5, wrong], "i4")
    found, expected = work(x, cp.asarray(index)), work(y, cp.asarray(index % 6))
    same(x, y.get())
    if expected is not None:
        for one, other in zip(*[z if isinstance(z, tuple) else (z,) for z in (found, expected)]):
            same(one, other.get())


@pytest.mark.parametrize("name", OUT_OF_BOUNDS)
def test_out_of_bounds_in_debug_mode(name, monkeypatch):
    for module in (advanced_indexing, taking, along_axis, coordinates):
        monkeypatch.setattr(module, "config", SimpleNamespace(debug=True))
    error, work = OUT_OF_BOUNDS[name]
    x = cp.arange(6.0)
    for wrong in (6, -7):
        with pytest.raises(error, match=f"index {wrong} is out of bounds for axis . with size 6"):
            work(x, cp.asarray(np.array([0, 5, wrong])))
    same(x, np.arange(6.0))


test_negative_indices_are_out_of_bounds = raises_as_numpy(
    lambda xp: xp.unravel_index(np.array([-1]), (2, 3)),
    lambda xp: xp.ravel_multi_index((np.array([-1]), np.array([0])), (2, 3)),
)
