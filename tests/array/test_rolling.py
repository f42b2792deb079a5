"""`roll` against NumPy: one launch, whatever the axes and the shifts."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._runtime import launch_history
from tests.array.arrays import raises_alike, same, values

#: Shape -> views of an array of that shape.
VIEWS = {
    "line": ((1003,), lambda xp, a: a),
    "part": ((1003,), lambda xp, a: a[3:]),
    "rows": ((37, 131), lambda xp, a: a),
    "inner": ((37, 131), lambda xp, a: a[1:-1, 1:-1]),
    "transposed": ((37, 131), lambda xp, a: a.T),
    "gaps": ((37, 131), lambda xp, a: a[:, ::2]),
    "backwards": ((37, 131), lambda xp, a: a[::-1, ::-1]),
    "cube": ((4, 5, 64), lambda xp, a: a),
    "permuted": ((4, 5, 64), lambda xp, a: a.transpose(1, 0, 2)),
    "short": ((50, 3), lambda xp, a: a),
    "repeated": ((3, 40), lambda xp, a: xp.broadcast_to(a[:, None], (3, 2, 40))),
    "empty": ((3, 0), lambda xp, a: a),
    "none": ((), lambda xp, a: a),
}

SHIFTS = [(7, None), ((1, -5), None), (-1, 0), (1, -1), (1000, -1), ((1, 2), 0)]
SHIFTS_OF_TWO = [((1, -2), (0, 1)), ((2, 1), (1, 0)), (3, (0, 1)), ((1, 2), (-1, -1)), (1, ())]


@pytest.mark.parametrize(
    ("dtype", "view"),
    [
        *[("f4", view) for view in VIEWS],
        *[("u1", view) for view in ("line", "part", "rows", "transposed", "short")],
        *[
            pytest.param(dtype, view, marks=pytest.mark.slow)
            for dtype in ("f2", "c16")
            for view in ("part", "rows", "inner", "permuted")
        ],
    ],
)
def test_as_numpy(view, dtype):
    shape, of = VIEWS[view]
    host = values(shape, dtype)
    expected, x = of(np, host), of(cp, cp.asarray(host))
    calls = [call for call in SHIFTS if expected.ndim or call[1] is None]
    for shift, axis in calls + SHIFTS_OF_TWO * (expected.ndim > 1):
        rolled = np.roll(expected, shift, axis)
        for _ in range(2):  # planned, then looked up
            same(cp.roll(x, shift, axis), rolled)


def _launches(call) -> int:
    launch_history.forget()
    call()
    return sum(not isinstance(entry, launch_history._Ended) for entry in launch_history._recent)


@pytest.mark.single_operations
@pytest.mark.parametrize("shift, axis", [(1, None), (1, 0), ((1, -1), (0, 1))])
def test_one_launch(shift, axis):
    x = cp.zeros((20, 30))
    assert _launches(lambda: cp.roll(x, shift, axis)) == 1


def test_shifts_share_a_plan():
    x = cp.arange(12).reshape(3, 4)
    expected = np.arange(12).reshape(3, 4)
    same(cp.roll(x, 1, 0), np.roll(expected, 1, 0))
    same(cp.roll(x, (1, 2), (0, 1)), np.roll(expected, (1, 2), (0, 1)))
    plans = len(cp.cuda.get_current_stream().plans)
    for shift in (2, -1, 0, 10**20):
        same(cp.roll(x, shift, 0), np.roll(expected, shift % 3, 0))
        same(cp.roll(x, (shift, 1), (0, 1)), np.roll(expected, (shift % 3, 1), (0, 1)))
    assert len(cp.cuda.get_current_stream().plans) == plans


def test_a_shift_on_the_device():
    host = np.arange(12).reshape(3, 4)
    x = cp.asarray(host)
    same(cp.roll(x, cp.asarray(5)), np.roll(host, 5))
    same(cp.roll(x, cp.asarray(-1), 1), np.roll(host, -1, 1))
    same(cp.roll(x, cp.asarray([1, 2]), (0, 1)), np.roll(host, [1, 2], (0, 1)))
    same(cp.roll(x, cp.asarray([1, 2])), np.roll(host, [1, 2]))
    with pytest.raises(TypeError, match="integers"):
        cp.roll(x, cp.asarray(1.5))


def test_shifts_on_the_host():
    host = np.arange(12).reshape(3, 4)
    x = cp.asarray(host)
    for shift, axis in [(np.int8(1), 0), (np.array([1, 2]), (0, 1)), ([1, 2], [0, 1]), (1.5, 0)]:
        same(cp.roll(x, shift, axis), np.roll(host, shift, axis))


@pytest.mark.parametrize(
    "shift, axis",
    [(1, 2), ((1, 2), (0, 2)), ((1, 2, 3), (0, 1)), ([[1]], 0), (1, 1.0), ("a", 0), (None, 0)],
    ids=str,
)
def test_errors_are_numpys(shift, axis):
    host = np.arange(6).reshape(2, 3)
    cp.roll(cp.asarray(host), 1, 1)
    raises_alike(lambda: np.roll(host, shift, axis), lambda: cp.roll(cp.asarray(host), shift, axis))


def test_the_result_is_writable_and_new():
    x = cp.broadcast_to(cp.asarray(3), (4,))
    rolled = cp.roll(x, 1)
    rolled[0] = 5
    assert rolled.tolist() == [5, 3, 3, 3]
    assert x.tolist() == [3, 3, 3, 3]
