"""Reductions of views that hypothesis makes up, against NumPy."""

import numpy as np
import pytest

from tests.array.test_reductions import axes_of, check

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies

shapes = st.lists(st.integers(1, 7), min_size=1, max_size=4).map(tuple)


@st.composite
def cases(draw):
    """A permuted and sliced array, and an axis of it."""
    shape = draw(shapes)
    x = np.arange(np.prod(shape), dtype="i4").reshape(shape) % 7 - 3
    x = x.transpose(draw(st.permutations(range(x.ndim))))
    steps = [draw(st.sampled_from([1, -1, 2, -2])) for _ in range(x.ndim)]
    x = x[tuple(slice(None, None, step) for step in steps)]
    return x, draw(st.sampled_from(list(axes_of(x.ndim))))


@hypothesis.settings(max_examples=40)
@hypothesis.given(
    case=cases(), name=st.sampled_from(["sum", "max", "argmin"]), keepdims=st.booleans()
)
def test_any_view(case, name, keepdims):
    x, axis = case
    if name == "argmin" and isinstance(axis, tuple):
        axis = axis[0] if axis else None
    check(name, x, axis, keepdims=keepdims)
