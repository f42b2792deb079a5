"""The keyword arguments axis and keepdims: what NumPy takes for them and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import raises_alike, raises_as_numpy, same

AXES = [None, 0, -1, 1, np.int8(0), np.array(0), np.array([0]), True, False, 1.0, "0", (0,), [0],
        (True,), (0, 0), ()]  # fmt: skip

REDUCTIONS = ["sum", "prod", "max", "min", "mean", "var", "std", "any", "all", "amax", "amin",
              "nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd", "median",
              "nanmedian", "ptp", "count_nonzero", "average"]  # fmt: skip
ALONG_ONE = ["argmax", "argmin", "cumsum", "cumprod", "nancumsum", "nancumprod", "cumulative_sum",
             "sort", "argsort", "squeeze", "flip", "unique"]  # fmt: skip

CALLS = {name: lambda xp, x, axis, name=name: getattr(xp, name)(x, axis=axis)
         for name in REDUCTIONS + ALONG_ONE}  # fmt: skip
CALLS |= {
    "quantile": lambda xp, x, axis: xp.quantile(x, 0.5, axis=axis),
    "take": lambda xp, x, axis: xp.take(x, 0, axis=axis),
    "take of a list": lambda xp, x, axis: xp.take(x, [0], axis=axis),
    "repeat": lambda xp, x, axis: xp.repeat(x, 2, axis=axis),
    "compress": lambda xp, x, axis: xp.compress([True], x, axis=axis),
    "partition": lambda xp, x, axis: xp.partition(x, 0, axis=axis),
    "argpartition": lambda xp, x, axis: xp.argpartition(x, 0, axis=axis),
    "add.reduce": lambda xp, x, axis: xp.add.reduce(x, axis=axis),
    "sorted in place": lambda xp, x, axis: x.sort(axis=axis),
    "partitioned in place": lambda xp, x, axis: x.partition(0, axis=axis),
    "concatenate": lambda xp, x, axis: xp.concatenate([x, x], axis=axis),
    "stack": lambda xp, x, axis: xp.stack([x, x], axis=axis),
    "split": lambda xp, x, axis: xp.split(x, 1, axis=axis)[0],
    "diff": lambda xp, x, axis: xp.diff(x, axis=axis),
    "size": lambda xp, x, axis: xp.size(x, axis),
    "transpose": lambda xp, x, axis: x.transpose(axis),
    "moveaxis": lambda xp, x, axis: xp.moveaxis(x, axis, 0),
    "swapaxes": lambda xp, x, axis: xp.swapaxes(x, axis, 0),
}
VALUES = [np.array(3.0), np.array([3.0, 1, 2]), np.array([[3.0, 1, 2], [1, 5, 4]])]


@pytest.mark.parametrize("name", CALLS)
def test_axis(name):
    for host in VALUES[:: 2 if name in REDUCTIONS[2:] else 1]:
        for axis in AXES:
            ours, theirs = cp.asarray(host), host.copy()
            try:
                expected = CALLS[name](np, theirs, axis)
            except Exception as error:
                # Where something else is wrong as well, that may be found first.
                others = (TypeError,) if host.ndim else (TypeError, ValueError)
                with pytest.raises((type(error), *others)):
                    CALLS[name](cp, ours, axis)
                continue
            if expected is None:
                CALLS[name](cp, ours, axis)
                same(ours, theirs, context=axis)
            else:
                same(CALLS[name](cp, ours, axis), expected, context=(host.ndim, axis), ulps=2)


def test_a_device_array_as_an_axis():
    x = cp.ones((2, 3))
    assert x.sum(axis=cp.array(1)).tolist() == [3.0, 3.0]


#: What equals True stands for it where a plan is kept: 1.0 is not among these.
FLAGS = [True, 1, 2, 0, np.array(1), np.int8(0), None, "a", "", 0.5, [], [1], np.array([1])]


@pytest.mark.parametrize("name", [*REDUCTIONS, "argmax", "quantile"])
def test_keepdims(name):
    host, x = VALUES[2], cp.asarray(VALUES[2])
    function = lambda xp, a, flag: getattr(xp, name)(  # noqa: E731
        a, *([0.5] if name == "quantile" else []), axis=0, keepdims=flag
    )
    for flag in FLAGS:
        try:
            expected = function(np, host, flag)
        except TypeError:
            raises_alike(lambda f=flag: function(np, host, f), lambda f=flag: function(cp, x, f))
            continue
        same(function(cp, x, flag), expected, context=flag, ulps=2)


test_keepdims_beyond_an_int = raises_as_numpy(
    lambda xp: xp.sum(xp.zeros(3), keepdims=2**31),
    lambda xp: xp.any(xp.zeros(3), keepdims=-(2**31) - 1),
    lambda xp: xp.var(xp.zeros(3), keepdims=2**63),
)
