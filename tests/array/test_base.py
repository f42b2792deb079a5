"""Flags, bases, and methods that change an array in place."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import LAYOUTS, pair, raises_alike, same

VIEWS = {
    "slice": lambda xp, x: x[1:],
    "all": lambda xp, x: x[:],
    "integer": lambda xp, x: x[1],
    "ellipsis": lambda xp, x: x[...],
    "newaxis": lambda xp, x: x[None],
    "T": lambda xp, x: x.T,
    "mT": lambda xp, x: x.mT,
    "transpose": lambda xp, x: x.transpose(1, 0),
    "swapaxes": lambda xp, x: x.swapaxes(0, 1),
    "reshape": lambda xp, x: x.reshape(6, 4),
    "reshape -1": lambda xp, x: x.reshape(-1),
    "ravel": lambda xp, x: x.ravel(),
    "view": lambda xp, x: x.view(),
    "view of a dtype": lambda xp, x: x.view("u4"),
    "real": lambda xp, x: x.view("c8").real,
    "diagonal": lambda xp, x: x.diagonal(),
    "broadcast_to": lambda xp, x: xp.broadcast_to(x, (2, 4, 6)),
    "view of a view": lambda xp, x: x.T[1:].T[1:],
    "expand_dims": lambda xp, x: xp.expand_dims(x, 0),
    "flip": lambda xp, x: xp.flip(x),
    "split": lambda xp, x: xp.split(x, 2)[1],
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_views_know_their_base(view):
    host, device = pair("contiguous", "f4")
    expected, actual = view(np, host), view(cp, device)
    assert expected.base is host
    assert actual.base is device
    assert view(cp, device).base is device  # the view that is kept for the layout, too
    assert actual.flags.owndata is expected.flags.owndata is False
    same(actual, expected)


COPIES = {
    "copy": lambda xp, x: x.copy(),
    "of a view": lambda xp, x: x[1:].copy(),
    "flatten": lambda xp, x: x.T.flatten(),
    "sum": lambda xp, x: x[1:] + x[1:],
    "in another order": lambda xp, x: x.T.copy("F"),
    "sort": lambda xp, x: xp.sort(x, axis=0),
    "astype": lambda xp, x: x.T.astype("f8"),
    "index": lambda xp, x: x[xp.asarray([1, 0])],
    "take": lambda xp, x: x.T.take(xp.asarray([1, 0]), axis=0),
    "concatenate": lambda xp, x: xp.concatenate([x, x]),
    "ravel": lambda xp, x: x.T.ravel(),
    "median": lambda xp, x: xp.median(x, axis=0),
    "percentile": lambda xp, x: xp.percentile(x, 30, axis=1),
    "cumsum": lambda xp, x: x.T.cumsum(axis=0),
}


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_other_arrays_have_no_base(make):
    host, device = pair("contiguous", "f4")
    for x in (make(np, host), make(cp, device)):
        assert x.base is None
        assert x.flags.owndata


def test_a_view_keeps_the_memory_of_a_base_that_is_gone():
    view = cp.arange(12).reshape(3, 4)[1:]
    base = view.base
    assert base.base is None
    same(base, np.arange(12))
    assert view[1:].base is base
    base[4] = 40
    assert view[0, 0] == 40
    odd = cp.arange(16, dtype="u1")[1:].view("u1")[1:]
    assert odd.base.dtype == np.uint8
    assert odd.base.shape == (16,)
    empty = cp.zeros((0, 3))[:, 1:]
    assert empty.base.size == 0


def test_bases_hold_no_memory():
    x = cp.arange(1000)
    memory = weakref.ref(x._memory)
    view = x[1:]
    assert view.base is x
    del x
    assert view.base.size == 1000
    del view
    gc.collect()
    assert memory() is None


FLAGS = [
    "C", "F", "O", "W", "A", "X", "B", "CA", "FA", "FNC", "FORC", "CONTIGUOUS", "FORTRAN",
    "C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY", "BEHAVED",
    "CARRAY", "FARRAY",
]  # fmt: skip
ATTRIBUTES = [
    "aligned", "behaved", "c_contiguous", "carray", "contiguous", "f_contiguous", "fnc",
    "forc", "fortran", "num", "owndata", "writeable", "writebackifcopy",
]  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_flags(layout):
    host, device = pair(layout, "f4")
    if layout in ("empty", "0-d"):  # NumPy's view of a view owns nothing either
        assert device.flags.num == host.flags.num
    if layout == "broadcast":
        host.flags.writeable = False  # NumPy warns of the first write instead
    for name in FLAGS:
        if name in ("FA", "FARRAY"):  # NumPy's is True where one of the flags that it needs is
            assert device.flags[name] is (host.flags.fnc and host.flags.behaved)
            continue
        assert device.flags[name] is host.flags[name], name
    for name in ATTRIBUTES:
        assert getattr(device.flags, name) == getattr(host.flags, name), name
    assert repr(device.flags) == repr(host.flags)
    assert device.flags == device.flags
    assert (device.flags == device.T.flags) == (host.flags == host.T.flags)
    assert (device.flags == 3) is False


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.flags["c"],
        lambda x: x.flags["num"],
        lambda x: x.flags["NOSUCH"],
        lambda x: x.flags[3],
        lambda x: x.flags.__setitem__("C", True),
        lambda x: setattr(x.flags, "c_contiguous", True),
        lambda x: setattr(x.flags, "owndata", True),
        lambda x: setattr(x, "flags", 3),
        lambda x: x.setflags(uic=True),
        lambda x: hash(x.flags),
    ],
)
def test_flags_that_cannot_be_set(call):
    raises_alike(lambda: call(np.ones(3)), lambda: call(cp.ones(3)))


def test_setting_writeable():
    x = cp.ones(3)
    x.flags["W"] = False
    assert not x.flags.behaved
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    x.setflags(write=True, align=True, uic=False)
    x[0] = 1


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "u4", "i8", "f2", "f4", "f8", "c8", "c16"])
def test_byteswap(dtype):
    for layout, view in LAYOUTS.items():
        if layout != "contiguous" and dtype not in ("f4", "c16"):
            continue
        host, device = pair(layout, dtype)
        expected, actual = host.byteswap(), device.byteswap()
        assert actual.tobytes() == expected.tobytes(), layout
        if host.size:
            assert actual.strides == expected.strides, layout
        if layout != "broadcast":
            whole = cp.asarray(np.arange(24).reshape(4, 6).astype(dtype))
            again = cp.asnumpy(whole)
            part = view(cp, whole)
            assert part.byteswap(inplace=True) is part
            view(np, again).byteswap(inplace=True)
            assert whole.tobytes() == again.tobytes(), layout


@pytest.mark.parametrize("aligned", [False, True])
def test_byteswap_of_fields(aligned):
    dtype = np.dtype([("a", "i2"), ("b", "f8"), ("c", "c8", (2,)), ("d", "M8[s]")], align=aligned)
    host = np.zeros(3, dtype)
    host["a"], host["b"], host["c"], host["d"] = [1, 2, 3], 0.5, 1 + 2j, 77
    device = cp.asarray(host)
    assert device.byteswap().tobytes() == host.byteswap().tobytes()
    assert device[::2].byteswap(inplace=True).tobytes() == host[::2].byteswap(True).tobytes()
    assert device.tobytes() == host.tobytes()


def test_byteswap_writes_to_no_read_only_array():
    x = cp.broadcast_to(cp.ones(1), 3)
    with pytest.raises(ValueError, match="read-only"):
        x.byteswap(True)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(5, 6), (2, 3), 7, (), (0, 4), (4, 3)])
def test_resize(shape, order):
    host = np.array(np.arange(12.0).reshape(3, 4), order=order)
    device = cp.asarray(host)
    host.resize(shape, refcheck=False)
    device.resize(shape)
    same(device, host)
    assert device.strides == host.strides
    assert device.flags.owndata
    device.fill(3)
    assert float(device.sum()) == 3 * host.size


def test_resize_with_lengths_as_arguments():
    x = cp.arange(3)
    x.resize(2, 2)
    same(x, np.array([[0, 1], [2, 0]]))
    x.resize()
    x.resize(None)
    assert x.shape == (2, 2)


def test_resize_refuses_memory_that_others_have():
    x = cp.arange(6)
    view = x[:]
    with pytest.raises(ValueError, match="refcheck=False"):
        x.resize(7)
    with pytest.raises(ValueError, match="does not own its data"):
        view.resize(7)
    x.resize(7, refcheck=False)
    x[0] = 9
    same(view, np.arange(6))
    with pytest.raises(ValueError, match="single-segment"):
        cp.zeros((4, 4))[:, ::2].resize(3)
    with pytest.raises(ValueError, match="negative"):
        x.resize(-1)


def test_class_getitem():
    assert cp.ndarray[int, np.dtype[np.float32]].__origin__ is cp.ndarray
    raises_alike(lambda: np.ndarray[()], lambda: cp.ndarray[()])
    raises_alike(lambda: np.ndarray[1, 2, 3], lambda: cp.ndarray[1, 2, 3])
