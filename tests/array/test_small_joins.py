"""concatenate and stack of small arrays, which take one launch."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._runtime import launch_history
from gpuarray.kernels import join as join_kernels
from tests.array.arrays import same, values


@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "f4", "i8", "c16"])
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_concatenate(dtype, axis):
    shapes = [(3, 5, 2)] * 4
    hosts = []
    for shape, length in zip(shapes, (1, 4, 0, 7), strict=True):
        shape = list(shape)
        shape[axis] = length
        hosts.append(values(tuple(shape), dtype, length))
    arrays = [cp.asarray(one) for one in hosts]
    for n in range(1, 5):
        for _ in range(2):  # the second time with the kept call
            same(cp.concatenate(arrays[:n], axis), np.concatenate(hosts[:n], axis))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("count", [1, 2, 16, 17])
def test_stack(axis, count, rng):
    hosts = [rng.random((3, 4)) for _ in range(count)]
    for _ in range(2):
        arrays = [cp.asarray(one) for one in hosts]
        same(cp.stack(arrays, axis), np.stack(hosts, axis))
        hosts = hosts[::-1]


def test_more_than_a_tile():
    hosts = [values((300, width), "f4", width) for width in (200, 1, 99)]
    same(cp.concatenate([cp.asarray(one) for one in hosts], 1), np.concatenate(hosts, 1))


def test_what_is_not_joined_in_one_launch(rng, monkeypatch):
    made = []
    for name in ("make_call", "make_places_call"):
        make = getattr(join_kernels.launch, name)

        def noted(*args, make=make):
            made.append(make(*args))
            return made[-1]

        monkeypatch.setattr(join_kernels.launch, name, noted)
    a, b = rng.random((4, 62)), rng.random((4, 62))
    x, y = cp.asarray(a), cp.asarray(b)
    same(cp.concatenate((x, y.astype("f4"))), np.concatenate((a, b.astype("f4"))))
    same(cp.concatenate((x[:0], y[:0])), np.concatenate((a[:0], b[:0])))
    large = rng.random(join_kernels.launch.MOST_BYTES // 8)
    same(cp.concatenate((cp.asarray(large), x[0])), np.concatenate((large, a[0])))
    assert made == [None] * 6
    same(cp.concatenate((x, y)), np.concatenate((a, b)))
    assert made[-1] is not None
    same(cp.concatenate((x[:, ::2], y), 1), np.concatenate((a[:, ::2], b), 1))
    assert made[-2] is None
    assert made[-1] is not None


@pytest.mark.emulator
def test_no_findings_of_the_checkers(rng):
    hosts = [values((30, width), "f4", width) for width in (20, 1, 99)]
    arrays = [cp.asarray(one) for one in hosts]
    with cp.cuda.check("races", "uninit", "barriers"):
        same(cp.concatenate(arrays, 1), np.concatenate(hosts, 1))
        same(cp.stack(arrays[:1] * 3), np.stack(hosts[:1] * 3))


@pytest.mark.parametrize("axis", [1.0, np.float64(0)])
def test_an_axis_that_is_only_equal_to_one(axis, rng):
    host = rng.random((2, 3))
    pair = [cp.asarray(host)] * 2
    for join in ("concatenate", "stack"):
        getattr(cp, join)(pair, int(axis))  # this call is kept
        with pytest.raises(TypeError):
            getattr(np, join)([host] * 2, axis)
        with pytest.raises(TypeError):
            getattr(cp, join)(pair, axis)


@pytest.mark.parametrize("count", [2, 3, 4, 8, 9])
@pytest.mark.parametrize("dtype", ["?", "u1", "f2", "f4", "i8", "c16"])
def test_columns_of_large_results(dtype, count, monkeypatch):
    monkeypatch.setattr(join_kernels.launch, "MOST_BYTES", 0)
    hosts = [values((13,), dtype, k) for k in range(count)]
    devices = [cp.asarray(one) for one in hosts]
    same(cp.column_stack(devices), np.column_stack(hosts))
    same(cp.stack([x[::-2] for x in devices], -1), np.stack([x[::-2] for x in hosts], -1))
    matrices = [values((5, 4), dtype, k) for k in range(count)]
    expected = np.stack([x.T for x in matrices], -1)
    same(cp.stack([cp.asarray(x).T for x in matrices], -1), expected)
    same(cp.concatenate([cp.asarray(x)[:, :1] for x in matrices], 1),
         np.concatenate([x[:, :1] for x in matrices], 1))  # fmt: skip


def test_columns_into_an_array(monkeypatch):
    monkeypatch.setattr(join_kernels.launch, "MOST_BYTES", 0)
    x, y = np.arange(5, dtype="f4"), np.arange(5, 10, dtype="f4")
    out = cp.empty(11, "f4")[1:].reshape(5, 2)
    cp.stack([cp.asarray(x), cp.asarray(y)], 1, out=out)
    same(out, np.stack([x, y], 1))


def test_many_small_arrays_take_a_launch_for_each_sixteen():
    host = [np.arange(3) + i for i in range(40)]
    arrays = [cp.asarray(x) for x in host]
    for join, axis in (("stack", 0), ("stack", 1), ("concatenate", 0)):
        for _ in range(2):  # planned, then looked up
            launch_history.forget()
            result = getattr(cp, join)(arrays, axis=axis)
            kernels = [
                x for x in launch_history._recent if not isinstance(x, launch_history._Ended)
            ]
            same(result, getattr(np, join)(host, axis=axis))
            assert len(kernels) == 4, (join, axis)
