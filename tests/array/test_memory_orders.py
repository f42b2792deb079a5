"""The memory order of results: NumPy's, for operands in any order, with gaps or broadcast."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import same


def _axes(*order):
    return lambda xp, a: a.transpose(order)


#: Views of an array of shape (2, 3, 4).
VIEWS = {
    "C": lambda xp, a: a,
    "F": lambda xp, a: a.T,
    "permuted": _axes(1, 0, 2),
    "permuted back": _axes(1, 2, 0),
    "broadcast first": lambda xp, a: xp.broadcast_to(a[0], (2, 3, 4)),
    "broadcast middle": lambda xp, a: xp.broadcast_to(a[:, :1], (2, 3, 4)),
    "broadcast last": lambda xp, a: xp.broadcast_to(a[:, :, :1], (2, 3, 4)),
    "broadcast and of length one": lambda xp, a: xp.broadcast_to(a[:, None], (5, 2, 1, 3, 4)),
    "broadcast to the same": lambda xp, a: xp.broadcast_to(a[:, :1].transpose(2, 1, 0), (4, 1, 2)),
    "backwards": lambda xp, a: a[:, ::-1, ::-2],
    "permuted backwards": lambda xp, a: a.transpose(1, 2, 0)[::-1],
    "two axes": lambda xp, a: a[0].T,
    "rows of one": lambda xp, a: xp.broadcast_to(a[0, 0], (3, 4)).T,
    "length one": lambda xp, a: a[:, :1].T,
}
FUNCTIONS = {
    "copy": lambda xp, x: xp.copy(x),
    "copy in order A": lambda xp, x: x.copy("A"),
    "ndarray.copy": lambda xp, x: x.copy(),
    "astype": lambda xp, x: x.astype("f4"),
    "astype to the same": lambda xp, x: x.astype("f8"),
    "array": lambda xp, x: xp.array(x),
    "zeros_like": lambda xp, x: xp.zeros_like(x),
    "full_like of a shape": lambda xp, x: xp.full_like(x, 2, shape=x.shape[::-1]),
    "roll": lambda xp, x: xp.roll(x, 1, axis=0),
    "roll of two": lambda xp, x: xp.roll(x, (1, 2), axis=(0, -1)),
    "tile once": lambda xp, x: xp.tile(x, 1),
    "tile": lambda xp, x: xp.tile(x, 2),
    "concatenate": lambda xp, x: xp.concatenate([x, x]),
    "concatenate the last": lambda xp, x: xp.concatenate([x, x], axis=-1),
    "concatenate with another order": lambda xp, x: xp.concatenate([x, xp.ones(x.shape)]),
    "stack": lambda xp, x: xp.stack([x, x]),
    "stack the last": lambda xp, x: xp.stack([x, x], axis=-1),
    "vstack": lambda xp, x: xp.vstack([x, x]),
    "hstack": lambda xp, x: xp.hstack([x, x]),
    "dstack": lambda xp, x: xp.dstack([x, x]),
    "where": lambda xp, x: xp.where(x > 5, x, 0),
    "clip": lambda xp, x: xp.clip(x, 1, 5),
    "add": lambda xp, x: x + 1,
    "add of two orders": lambda xp, x: x + xp.ones(x.shape),
    "comparison": lambda xp, x: x < 3,
    "round": lambda xp, x: xp.round(x, 1),
    "repeat": lambda xp, x: xp.repeat(x, 2, axis=0),
    "take": lambda xp, x: xp.take(x, [0, 0], axis=-1),
    "cumsum": lambda xp, x: xp.cumsum(x, axis=0),
    "sum": lambda xp, x: xp.sum(x, axis=0),
    "gradient": lambda xp, x: xp.gradient(x, axis=0),
    "diff": lambda xp, x: xp.diff(x, axis=-1),
}


def _steps(x):
    """The strides that matter."""
    return [stride for length, stride in zip(x.shape, x.strides, strict=True) if length > 1]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results(name):
    host = np.arange(24.0).reshape(2, 3, 4)
    base = cp.asarray(host)
    for view, make in VIEWS.items():
        expected = FUNCTIONS[name](np, make(np, host))
        result = FUNCTIONS[name](cp, make(cp, base))
        same(result, expected, context=view)
        assert _steps(result) == _steps(expected), view


@pytest.mark.parametrize("order", ["K", "A", "C", "F"])
def test_transfers(order):
    host = np.arange(24.0).reshape(2, 3, 4)
    for make in VIEWS.values():
        expected = np.array(make(np, host), order=order)
        x = cp.array(make(np, host), order=order)
        same(x, expected)
        assert _steps(x) == _steps(expected)
        assert _steps(cp.asnumpy(make(cp, cp.asarray(host)), order=order)) == _steps(expected)
