"""Values between two ends, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import raises_as_numpy, same

ENDS = [
    (1, 9), (2.5, np.float32(4)), (1, np.array([2.0, 5.0], "f4")), (np.array([[1], [7]]), 3.0),
    (np.array([[1.5], [2]]), np.array([3.0, 9, 2])), (np.array([1 + 1j, 2]), 4), (np.array(2), np.array(3.0)),
]  # fmt: skip


def on_device(x):
    return cp.asarray(x) if isinstance(x, np.ndarray) else x


@pytest.mark.parametrize(
    ("ends", "num", "axis"),
    [
        *[(ends, 7, 0) for ends in ENDS],
        *[(ENDS[4], num, -1) for num in (7, 1, 0, 2)],
        *[pytest.param(ends, 7, -1, marks=pytest.mark.slow) for ends in ENDS[1:4]],
    ],
    ids=str,
)
def test_between(ends, num, axis):
    device = [on_device(x) for x in ends]
    for endpoint in (True, False):
        for name in ("linspace", "logspace", "geomspace")[: 3 if endpoint else 1]:
            expected = getattr(np, name)(*ends, num, endpoint, axis=axis)
            actual = getattr(cp, name)(*device, num, endpoint, axis=axis)
            same(actual, expected, ulps=16 if name != "linspace" else 2)
            if name == "linspace":
                assert actual.flags.c_contiguous == expected.flags.c_contiguous
        _, step = cp.linspace(*device, num, endpoint, retstep=True, axis=axis)
        expected, step_expected = np.linspace(*ends, num, endpoint, retstep=True, axis=axis)
        np.testing.assert_allclose(cp.asnumpy(step), step_expected, rtol=1e-7)


def test_dtypes():
    low, high = np.array([0.0, 1]), np.array([5.5, -3])
    for dtype in ("i4", "u8", "f2", "c8"):
        same(
            cp.linspace(on_device(low), on_device(np.abs(high)), 6, dtype=dtype),
            np.linspace(low, np.abs(high), 6, dtype=dtype),
        )
    same(cp.logspace(0, 3, 4, dtype=int), np.logspace(0, 3, 4, dtype=int))
    same(cp.linspace([0, 1], [5, 9], 4), np.linspace([0, 1], [5, 9], 4))


def test_bases():
    base = np.array([2.0, 10.0])
    same(cp.logspace(0, 3, 4, base=2), np.logspace(0, 3, 4, base=2), ulps=4)
    same(cp.logspace(0, 3, 4, base=np.float32(2)), np.logspace(0, 3, 4, base=np.float32(2)), ulps=4)
    for axis in (0, -1):
        expected = np.logspace(0, np.array([[1.0], [2]]), 4, base=base, axis=axis)
        actual = cp.logspace(0, cp.array([[1.0], [2]]), 4, base=on_device(base), axis=axis)
        same(actual, expected, ulps=4)


def test_a_step_that_underflows():
    tiny = np.array([5e-324, 1.0])
    same(cp.linspace(0, on_device(tiny), 4), np.linspace(0, tiny, 4))


def test_negative_and_complex_sequences():
    for start, stop in ((-1, -1000), (1j, -1000), (1000, 1), (-2.5, -1e-3)):
        same(cp.geomspace(start, stop, 5), np.geomspace(start, stop, 5), ulps=16)


test_errors = raises_as_numpy(
    lambda xp: xp.linspace(0, 1, -1),
    lambda xp: xp.logspace(0, 1, -1),
    lambda xp: xp.geomspace(1, 2, -1),
    lambda xp: xp.geomspace(0, 2),
    lambda xp: xp.geomspace(1, xp.asarray([1.0, 0.0])),
    lambda xp: xp.linspace(0, xp.ones(2), axis=2),
    lambda xp: xp.linspace(xp.ones(3), xp.ones(2)),
    lambda xp: xp.linspace(0, 1, 2.5),
)
