"""Comparisons of draws with NumPy's, values and states."""

from __future__ import annotations

from typing import Any

import numpy as np


def same_state(found: Any, expected: Any) -> None:
    """Two states in NumPy's format are equal."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            same_state(found[name], value)
    else:
        np.testing.assert_array_equal(found, expected)


def same_draw(ours: Any, theirs: Any, ulps: int, name: str, /, *args: Any, **kwargs: Any) -> None:
    """A method of two generators gives equal values, within some ulps, and leaves equal states."""
    found = getattr(ours, name)(*args, **kwargs).get()
    # Single float32 numbers are Python's floats there.
    expected = np.asarray(getattr(theirs, name)(*args, **kwargs), kwargs.get("dtype"))
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if ulps:
        np.testing.assert_array_max_ulp(found, expected, ulps)
    else:
        np.testing.assert_array_equal(found, expected)
    same_state(ours.bit_generator.state, theirs.bit_generator.state)
