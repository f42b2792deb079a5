"""Shapes, axes, joining, splitting and rearranging against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpuarray as cp
from gpuarray.errors import HostArrayError
from tests.array.arrays import LAYOUTS, pair, raises_alike, raises_as_numpy, same

HOST = np.arange(24, dtype="i4").reshape(2, 3, 4)

#: (name, arguments): called on HOST and on its copy on the device.
CALLS = [
    ("reshape", (6, 4)), ("reshape", -1), ("ravel",), ("ravel", "F"), ("ravel", "K"), ("transpose",), ("transpose", (1, 0, 2)),
    ("transpose", (-1, 0, 1)), ("swapaxes", 0, -1), ("moveaxis", 0, -1), ("moveaxis", (0, 1), (-1, 0)), ("rollaxis", 2), ("rollaxis", 0, 3),
    ("rollaxis", 1, 2), ("expand_dims", 0), ("expand_dims", (0, -1)), ("matrix_transpose",), ("permute_dims", (2, 1, 0)),
    ("flip",), ("flip", 1), ("flip", (0, -1)), ("flipud",), ("fliplr",), ("rot90",), ("rot90", 2), ("rot90", -1, (1, 2)), ("rot90", 4),
    ("roll", 5), ("roll", 1, 0), ("roll", -3, 2), ("roll", (1, 2), (0, 1)), ("roll", 2, (0, 2)), ("roll", 0), ("tile", 2), ("tile", (2, 1, 3)), ("tile", (2, 1, 1, 2)),
    ("tile", (0, 2)), ("repeat", 2), ("repeat", 3, 1), ("repeat", [1, 0, 2], 1), ("repeat", 0, 0), ("atleast_3d",), ("broadcast_to", (5, 2, 3, 4)),
    ("squeeze",), ("shape",), ("ndim",), ("size",), ("size", 1), ("copy",), ("copy", "F"), ("array_split", 3, 2), ("array_split", [1, 3], 2),
    ("split", 2, 2), ("split", [1, 1, 2], 1), ("vsplit", 2), ("hsplit", 3), ("dsplit", 2), ("dsplit", [1]),
]  # fmt: skip


VIEWS = {"contiguous": lambda a: a, "permuted": lambda a: a.transpose(1, 0, 2)[::-1]}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_as_numpy(call, view):
    name, *args = call
    host, device = view(HOST), view(cp.asarray(HOST))
    try:
        expected = getattr(np, name)(host, *args)
    except ValueError:
        with pytest.raises(ValueError):
            getattr(cp, name)(device, *args)
        return
    same(getattr(cp, name)(device, *args), expected)


BAD = [
    ("transpose", (0, 0, 1)), ("transpose", (0, 1)), ("transpose", (0, 1, 3)), ("swapaxes", 0, 3), ("moveaxis", 0, 3), ("moveaxis", (0, 1), (0,)),
    ("moveaxis", (0, 0), (1, 2)), ("rollaxis", 3), ("rollaxis", 0, 4), ("expand_dims", 5), ("expand_dims", (0, 0)), ("expand_dims", None), ("expand_dims", (0, None)),
    ("moveaxis", None, 0), ("moveaxis", None, None), ("rot90", 1, None), ("swapaxes", None, 0), ("rollaxis", None), ("squeeze", 0), ("squeeze", 3),
    ("flip", 3), ("flip", (0, 0)), ("rot90", 1, (0, 0)), ("rot90", 1, (0,)), ("roll", 1, 3), ("repeat", -1), ("repeat", [1, 2], 0 + 1),
    ("broadcast_to", (2, 3)), ("broadcast_to", (2, 3, 5)), ("split", 5), ("array_split", 0), ("size", 3), ("reshape", (5, 5)),
]  # fmt: skip


@pytest.mark.parametrize("call", BAD, ids=str)
def test_errors_are_numpys(call):
    name, *args = call
    raises_alike(
        lambda: getattr(np, name)(HOST, *args),
        lambda: getattr(cp, name)(cp.asarray(HOST), *args),
    )


def test_methods():
    x = cp.asarray(HOST)
    same(x.T, HOST.T)
    same(x.T.T, HOST)
    same(x.mT, HOST.mT)
    same(x.transpose(2, 0, 1), HOST.transpose(2, 0, 1))
    same(x.transpose((2, 0, 1)), HOST.transpose(2, 0, 1))
    same(x.transpose(None), HOST.T)
    same(x.flatten(), HOST.flatten())
    assert x.flatten().data.ptr != x.data.ptr
    same(x.T.flatten("K"), HOST.T.flatten("K"))
    same(x[:1].squeeze(0), HOST[:1].squeeze(0))
    same(x.ravel(), HOST.ravel())
    assert x.ravel().data.ptr == x.data.ptr
    same(x.swapaxes(0, 1), HOST.swapaxes(0, 1))
    same(x.repeat(2, 0), HOST.repeat(2, 0))
    same(x[:0].repeat([], 0), HOST[:0].repeat([], 0))
    raises_alike(lambda: HOST[0, 0].mT, lambda: x[0, 0].mT)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_copies_keep_the_order(layout):
    host, device = pair(layout, "f4")
    for order in "CFA":
        copied = device.copy(order)
        same(copied, host)
        assert copied.flags.c_contiguous == host.copy(order).flags.c_contiguous


JOINED = [
    [(2, 3), (2, 3)], [(2, 3), (4, 3)], [(2, 1), (2, 3)], [(3,), (3,), (3,)], [(3,), (2,)], [(0, 3), (2, 3)], [()], [(2, 2, 2), (2, 2, 2)],
]  # fmt: skip


@pytest.mark.parametrize(
    "name", ["concatenate", "stack", "vstack", "hstack", "dstack", "column_stack"]
)
@pytest.mark.parametrize("shapes", JOINED, ids=str)
def test_joining(name, shapes):
    dtypes = ["i4", "f4", "i2"]
    hosts = [
        np.arange(np.prod(s, dtype=int)).reshape(s).astype(d)
        for s, d in zip(shapes, dtypes, strict=False)
    ]
    devices = [cp.asarray(host) for host in hosts]
    ours, theirs = getattr(cp, name), getattr(np, name)
    for args in ((), (1,), (-1,)) if name in ("concatenate", "stack") else ((),):
        try:
            expected = theirs(hosts, *args)
        except ValueError as error:
            with pytest.raises(type(error)):
                ours(devices, *args)
            continue
        same(ours(devices, *args), expected)


def test_concatenate_options():
    x, y = cp.arange(3), cp.arange(3.0)
    host = [np.arange(3), np.arange(3.0)]
    same(cp.concatenate([x, y], dtype="f4"), np.concatenate(host, dtype="f4"))
    out = cp.empty(6, "f4")
    assert cp.concatenate([x, y], out=out) is out
    same(out, np.concatenate(host, out=np.empty(6, "f4")))
    same(cp.concatenate([x[:, None], y[:, None]], axis=None), np.concatenate(host))
    same(cp.concatenate(cp.ones((2, 3))), np.ones(6))
    same(cp.concat([x, x]), np.concatenate([host[0]] * 2))
    fortran = cp.ones((2, 3), order="F")
    assert cp.concatenate([fortran, fortran]).flags.f_contiguous
    for wrong in (lambda xp, a: xp.concatenate([]), lambda xp, a: xp.concatenate(a, dtype="i4", casting="safe"),
                  lambda xp, a: xp.concatenate(a, axis=1), lambda xp, a: xp.concatenate(3)):  # fmt: skip
        raises_alike(lambda w=wrong: w(np, host), lambda w=wrong: w(cp, [x, y]))
    with pytest.raises(HostArrayError):
        cp.concatenate([x, host[0]])


@given(st.lists(st.lists(st.integers(1, 3), max_size=3).map(tuple), min_size=1, max_size=3))
def test_broadcasting(shapes):
    hosts = [np.arange(int(np.prod(s)), dtype="i4").reshape(s) for s in shapes]
    devices = [cp.asarray(host) for host in hosts]
    try:
        expected = np.broadcast_arrays(*hosts)
    except ValueError:
        with pytest.raises(ValueError, match="broadcast"):
            cp.broadcast_arrays(*devices)
        with pytest.raises(ValueError, match="broadcast"):
            cp.broadcast_shapes(*shapes)
        return
    for x, y in zip(cp.broadcast_arrays(*devices), expected, strict=True):
        same(x, y)
    assert cp.broadcast_shapes(*shapes) == np.broadcast_shapes(*shapes)


def test_atleast():
    for host in (np.array(1), np.arange(3), HOST[0], HOST):
        for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
            same(getattr(cp, name)(cp.asarray(host)), getattr(np, name)(host))
    assert [x.ndim for x in cp.atleast_2d(cp.array(1), cp.arange(3))] == [2, 2]


def test_copyto():
    for where in (True, False, np.array([True, False, True]), np.array([[True], [False]])):
        for source in (7, 2.5, np.arange(3), np.arange(6.0).reshape(2, 3), True):
            host = np.zeros((2, 3), "f4")
            device = cp.zeros((2, 3), "f4")
            np.copyto(host, source, where=where)
            cp.copyto(
                device,
                cp.asarray(source) if isinstance(source, np.ndarray) else source,
                where=cp.asarray(where) if isinstance(where, np.ndarray) else where,
            )
            same(device, host)
    raises_alike(lambda: np.copyto(np.zeros(2, int), 1.5), lambda: cp.copyto(cp.zeros(2, int), 1.5))
    raises_alike(
        lambda: np.copyto(np.zeros(2, int), np.ones(2)),
        lambda: cp.copyto(cp.zeros(2, int), cp.ones(2)),
    )
    for dtype in ("i1", "f4", "c8"):
        host, device = np.zeros(3, dtype), cp.zeros(3, dtype)
        flags, mask = np.array([True, False, True]), np.array([True, True, False])
        np.copyto(host, flags, where=mask)
        cp.copyto(device, cp.asarray(flags), where=cp.asarray(mask))
        same(device, host)
    flags = cp.zeros(3, bool)
    cp.copyto(flags, cp.array([True, True, False]), where=cp.array([True, False, True]))
    same(flags, np.array([True, False, False]))


test_what_is_too_deep_or_too_great = raises_as_numpy(
    lambda xp: xp.repeat(xp.zeros(3), ((1,),)),
    lambda xp: xp.repeat(xp.zeros(3), np.array([[1]])),
    lambda xp: xp.diagonal(xp.zeros((3, 3)), 2**31),
    lambda xp: xp.diag(xp.zeros((3, 3)), -(2**40)),
)


COUNTS = [0, 3, [1, 0, 2], [2], True, np.array([2, 0, 1], "i1")]


@pytest.mark.parametrize("axis", [None, 1, -2])
@pytest.mark.parametrize("counts", COUNTS, ids=str)
def test_repeat_by_arrays(counts, axis):
    for host in (HOST[0], HOST[0].T.copy().T, HOST[0, :, :3]):
        device = cp.asarray(host)
        for _ in range(2):  # planned, then looked up
            try:
                expected = np.repeat(host, counts, axis)
            except ValueError:
                with pytest.raises(ValueError, match="broadcast"):
                    cp.repeat(device, counts, axis)
                with pytest.raises(ValueError, match="broadcast"):
                    cp.repeat(device, cp.asarray(counts), axis)
                continue
            same(cp.repeat(device, counts, axis), expected)
            same(cp.repeat(device, cp.asarray(counts), axis), expected)


def test_counts_on_the_device_are_checked():
    with pytest.raises(ValueError, match="negative"):
        cp.repeat(cp.arange(2), cp.array([1, -1]))
    with pytest.raises(TypeError, match="integers"):
        cp.repeat(cp.arange(2), cp.array([1.0, 2.0]))
    same(cp.repeat(cp.arange(0), cp.arange(0)), np.repeat(np.arange(0), np.arange(0)))


def test_array_likes_of_arrays():
    nested = [cp.array([1, 2]), cp.array([3, 4])]
    assert cp.shape(nested) == (2, 2)
    assert (cp.ndim(nested), cp.size(nested), cp.size(nested, 1)) == (2, 4, 2)
    same(cp.flipud(nested), np.array([[3, 4], [1, 2]]))
    same(cp.fliplr(nested), np.array([[2, 1], [4, 3]]))
    same(cp.zeros_like(nested), np.zeros((2, 2), int))
    same(cp.vsplit(nested, 2)[1], np.array([[3, 4]]))


def test_fields_that_are_not_aligned():
    host = np.zeros(12, [("a", "u1"), ("b", "f4")])
    host["b"] = np.arange(12)
    x, y = host["b"], cp.asarray(host)["b"]
    same(cp.roll(y, 2), np.roll(x, 2))
    same(cp.pad(y, 2, "reflect"), np.pad(x, 2, "reflect"))
    same(cp.delete(y, [0, 5]), np.delete(x, [0, 5]))
    same(cp.delete(y, 5), np.delete(x, 5))
    same(cp.meshgrid(y, y)[0], np.meshgrid(x, x)[0])
    same(cp.linspace(y, 5, 3), np.linspace(x, 5, 3))
    same(cp.tile(y, 2), np.tile(x, 2))
    same(cp.repeat(y, 2), np.repeat(x, 2))
    same(cp.concatenate([y, y[::2]]), np.concatenate([x, x[::2]]))
