"""Arrays of blocks, and joins of views in one launch, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpuarray as cp
from gpuarray._runtime import launch_history
from tests.array.arrays import raises_as_numpy, same, values

BLOCKS = {
    "rows": lambda xp: [[xp.ones((2, 2)), xp.zeros((2, 1))], [xp.asarray([[5.0, 6, 7]])]],
    "dtypes": lambda xp: [[xp.ones((2, 2)), xp.zeros((2, 1), "f4")], [xp.asarray([[5, 6, 7]])]],
    "numbers": lambda xp: [[1, 2.5], [3, 4]],
    "row": lambda xp: [xp.ones(2), 3],
    "one": lambda xp: xp.ones((2, 3)),
    "number": lambda xp: 5,
    "deep": lambda xp: [[[1], [2]], [[3], [4]]],
    "beyond": lambda xp: [xp.ones((2, 3, 4))[::-1], xp.zeros((2, 3, 1))],
    "views": lambda xp: [[xp.arange(6.0).reshape(2, 3).T, xp.ones((3, 4))[:, ::2]]],
    "fortran": lambda xp: [[xp.ones((3, 2), order="F"), xp.zeros((3, 2), order="F")]],
    "empty": lambda xp: [[xp.ones((2, 0)), xp.ones((2, 3))]],
    "large": lambda xp: [[xp.ones((300, 200)), xp.zeros((300, 300))], [xp.full((2, 500), 7.0)]],
    "many": lambda xp: [[i, i + 1] for i in range(12)],
}


@pytest.mark.parametrize("make", BLOCKS.values(), ids=BLOCKS)
def test_block(make):
    for _ in range(2):  # planned, then looked up
        same(cp.block(make(cp)), np.block(make(np)))


def test_block_is_a_copy():
    x = cp.ones((2, 2))
    cp.block(x)[...] = 5
    assert x.tolist() == [[1, 1], [1, 1]]


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=3),
    st.lists(st.integers(0, 4), min_size=1, max_size=3),
    st.sampled_from(["u1", "f8"]),
)
def test_any_grid(heights, widths, dtype):
    hosts = [[values((h, w), dtype, 7 * h + w) for w in widths] for h in heights]
    same(cp.block([[cp.asarray(x) for x in row] for row in hosts]), np.block(hosts))


test_errors = raises_as_numpy(
    lambda xp: xp.block([]),
    lambda xp: xp.block([[]]),
    lambda xp: xp.block([[1], 2]),
    lambda xp: xp.block((1, 2)),
    lambda xp: xp.block([(1,)]),
    lambda xp: xp.block([xp.ones((2, 2)), xp.ones(3)]),
    lambda xp: xp.block([[xp.ones((2, 2))], [xp.ones((2, 3))]]),
    lambda xp: xp.unstack(xp.asarray(1)),
    lambda xp: xp.unstack(xp.ones(2), axis=1),
)

#: Views of an array of shape (4, 6).
VIEWS = {
    "transposed": lambda a: a.T,
    "columns": lambda a: a[:, 1:5],
    "gaps": lambda a: a[::2, ::-3],
    "fortran": lambda a: a.T.copy().T,
}


def _launches(call) -> int:
    launch_history.forget()
    call()
    return sum(not isinstance(entry, launch_history._Ended) for entry in launch_history._recent)


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("dtype", ["u1", "f4", "c16"])
def test_joins_of_views(view, dtype):
    host = values((4, 6), dtype)
    x, y = view(host), view(cp.asarray(host))
    for axis in (0, 1):
        none = (slice(None),) * axis + (slice(0),)
        for _ in range(2):  # planned, then looked up
            expected = np.concatenate([x, x[none], x], axis)
            actual = cp.concatenate([y, y[none], y], axis)
            same(actual, expected)
            assert actual.strides == expected.strides
        assert _launches(lambda: cp.concatenate([y, y[none], y], axis)) == 1  # noqa: B023
        same(cp.stack([y, y, y], axis), np.stack([x, x, x], axis))
    same(cp.insert(y, 1, y[0], 0), np.insert(x, 1, x[0], 0))


def test_unstack():
    host = values((2, 3, 4), "f4")
    for axis in (0, 1, -1):
        same(cp.unstack(cp.asarray(host), axis=axis), np.unstack(host, axis=axis))
    assert cp.unstack(cp.asarray(host))[1]._memory is not None


def test_row_stack_is_deprecated():
    with pytest.warns(DeprecationWarning, match="vstack"):
        stacked = cp.row_stack([[1, 2], [3, 4]])
    same(stacked, np.array([[1, 2], [3, 4]]))
