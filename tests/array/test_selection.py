"""where, clip, round and the parts of complex numbers against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.errors import HostArrayError
from tests.array.arrays import DTYPES, against_numpy, raises_alike, same, values
from tests.slow import slow_except


@pytest.mark.parametrize("dtype", slow_except(["?", "u1", "i4", "f2", "f8", "c8"], DTYPES))
def test_where(dtype):
    host, other = values((3, 4), dtype), values((4,), dtype, 1)
    x, y = cp.asarray(host), cp.asarray(other)
    condition = host != other
    same(cp.where(cp.asarray(condition), x, y), np.where(condition, host, other))
    same(cp.where(x, x, y), np.where(host, host, other))
    same(cp.where(x == y, x, 1), np.where(host == other, host, 1))
    same(
        x.T.clip(y[:3], y[1:]) if dtype != "?" else x,
        host.T.clip(other[:3], other[1:]) if dtype != "?" else host,
    )


def test_where_promotes_and_broadcasts():
    c = np.array([[True], [False]])
    for a, b in (
        (1, 2.5),
        (np.float32(1), 2),
        (np.arange(3), 1.5),
        (np.arange(3, dtype="i1"), np.ones(3, "f2")),
        (1j, np.ones((2, 3), "f4")),
    ):
        on_device = [cp.asarray(v) if isinstance(v, np.ndarray) else v for v in (a, b)]
        same(cp.where(cp.asarray(c), *on_device), np.where(c, a, b))
    same(cp.where(True, cp.arange(3), 5), np.where(True, np.arange(3), 5))
    same(cp.where(cp.asarray(c))[0], np.where(c)[0])
    raises_alike(lambda: np.where(c, 1), lambda: cp.where(cp.asarray(c), 1))
    raises_alike(
        lambda: np.where(np.ones(3, bool), np.ones(2), 1),
        lambda: cp.where(cp.ones(3, bool), cp.ones(2), 1),
    )
    with pytest.raises(HostArrayError):
        cp.where(c, cp.ones(3), 1)
    same(cp.where(cp.zeros((0, 2), bool), 1, 2), np.where(np.zeros((0, 2), bool), 1, 2))


def test_the_names_of_clips_limits():
    x, host = cp.arange(6), np.arange(6)
    expected = host.clip(1, 4)
    for call in (
        lambda m, a: m.clip(a, 1, 4),
        lambda m, a: m.clip(a, a_min=1, a_max=4),
        lambda m, a: m.clip(a, min=1, max=4),
    ):
        same(call(cp, x), expected)
        assert (call(np, host) == expected).all()
    same(cp.clip(x, 1, max=4), expected)  # the array API standard's
    same(cp.clip(x, a_min=1, max=4), expected)
    raises_alike(lambda: np.clip(host, 1, 4, min=0), lambda: cp.clip(x, 1, 4, a_min=0))
    raises_alike(lambda: np.clip(host, 1, 4, max=0), lambda: cp.clip(x, 1, 4, a_max=0))


def test_clip():
    host = np.array([-3.0, -0.0, 1.5, np.nan, np.inf, 7])
    x = cp.asarray(host)
    for low, high in ((0, 5), (None, 2), (-1, None), (2, 1), (np.float32(0.5), 3)):
        same(cp.clip(x, low, high), np.clip(host, low, high))
        same(x.clip(low, high), host.clip(low, high))
    ints = np.arange(-5, 6)
    same(cp.asarray(ints).clip(-2, 3), ints.clip(-2, 3))
    same(cp.asarray(ints).clip(-1.5, 3), ints.clip(-1.5, 3))
    same(cp.clip(cp.asarray(ints), min=-1, max=2), np.clip(ints, min=-1, max=2))
    low, high = np.arange(11) - 8, np.arange(11) - 3
    same(cp.asarray(ints).clip(cp.asarray(low), cp.asarray(high)), ints.clip(low, high))
    out = cp.empty(11, int)
    assert cp.asarray(ints).clip(0, 2, out=out) is out
    same(out, ints.clip(0, 2))
    y = cp.asarray(ints)
    same(y[1:].clip(0, 3, out=y[:-1]), ints[1:].clip(0, 3))
    raises_alike(
        lambda: np.arange(3, dtype="u1").clip(-9, -2),
        lambda: cp.arange(3, dtype="u1").clip(-9, -2),
    )
    for mask in (np.ones(3, bool), np.ones(0, bool)):  # numbers count without elements, too
        with pytest.raises(OverflowError):
            np.clip(mask, -2, mask.astype("u1"))
        with pytest.raises(OverflowError, match="-2 out of bounds for uint8"):
            cp.clip(cp.asarray(mask), -2, cp.asarray(mask.astype("u1")))
    for limits in ((-1, 300), (1, 300), (-1, 1)):
        expected = np.arange(3, dtype="u1").clip(*limits)
        same(cp.arange(3, dtype="u1").clip(*limits), expected)
    raises_alike(
        lambda: ints.clip(0.5, 2, out=np.empty(11, int)),
        lambda: cp.asarray(ints).clip(0.5, 2, out=out),
    )


def test_round():
    host = np.array([0.5, 1.5, -2.5, 2.675, 123.456, np.nan, -np.inf])
    x = cp.asarray(host)
    for decimals in (0, 1, 2, -1, -2):
        same(cp.round(x, decimals), np.round(host, decimals))
        same(x.round(decimals), host.round(decimals))
        same(cp.round(x.astype("f4"), decimals), np.round(host.astype("f4"), decimals))
        ints = np.array([15, 25, -35, 149])
        same(cp.around(cp.asarray(ints), decimals), np.around(ints, decimals))
        same(cp.round(cp.asarray(host * 1j), decimals), np.round(host * 1j, decimals))
    out = cp.empty(7)
    assert cp.round(x, 1, out) is out
    same(out, np.round(host, 1))


test_parts = against_numpy(
    lambda xp, x: (x.real, x.imag, xp.real(x), xp.imag(x), x.conj()),
    dtypes=["c8", "c16", "f4", "i4"],
    layouts_of=["c8", "c16", "f4", "i4"],
)


def test_parts_are_assigned():
    z, host = cp.zeros(3, "c8"), np.zeros(3, "c8")
    z.real, host.real = cp.arange(3), np.arange(3)
    z.imag, host.imag = 5, 5
    same(z, host)
    raises_alike(lambda: setattr(np.zeros(3), "imag", 1), lambda: setattr(cp.zeros(3), "imag", 1))
