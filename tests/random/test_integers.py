"""Integers and bytes: NumPy's, whatever the words that are rejected."""

from __future__ import annotations

import numpy as np
import pytest

from tests.random.numpy_streams import same_draw, same_state
from tests.slow import slow_except

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
#: Greatest integers: some whose intervals reject nearly half of the words.
GREATEST = [0, 1, 5, 129, 255, 40000, 65535, 2**31, 2**32 - 1, 2**33 + 5, 2**63 + 2**61]


def _pair(xp, seed=7, name="PCG64"):
    ours = xp.random.Generator(getattr(xp.random, name)(seed))
    return ours, np.random.Generator(getattr(np.random, name)(seed))


@pytest.mark.parametrize("dtype", slow_except(["i2", "i8"], DTYPES))
def test_integers_are_numpys(xp, dtype):
    ours, theirs = _pair(xp)
    least, most = (0, 1) if dtype == "?" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    intervals = [(0, x) for x in GREATEST if x <= most] + [(least, most)]
    for low, high in intervals:
        for size in (3, 600, None):
            options = {"size": size, "dtype": dtype, "endpoint": True}
            same_draw(ours, theirs, 0, "integers", low, high, **options)
    if dtype != "?":
        same_draw(ours, theirs, 0, "integers", 100, size=(2, 3), dtype=dtype)


@pytest.mark.parametrize("name", ["Philox", "SFC64", "MT19937"])
def test_integers_of_every_bit_generator_are_numpys(xp, name):
    ours, theirs = _pair(xp, name=name)
    for greatest, dtype in ((2**31, "i8"), (2**62 + 2**61, "i8"), (200, "u1")):
        options = {"size": 300, "dtype": dtype, "endpoint": True}
        same_draw(ours, theirs, 0, "integers", 0, greatest, **options)


@pytest.mark.slow
@pytest.mark.parametrize(("greatest", "dtype"), [(2**31, "i8"), (99, "i1"), (2**62 + 2**61, "i8")])
def test_a_million_integers_are_numpys(xp, greatest, dtype):
    ours, theirs = _pair(xp)
    for size in (1, 8191, 100_003, 1_000_001):
        options = {"size": size, "dtype": dtype, "endpoint": True}
        same_draw(ours, theirs, 0, "integers", 0, greatest, **options)


@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [
        ([1, 2, 3], [10, 2**40, 2**63 - 1], "i8"),
        (0, [1, 300, 2**16], "u2"),
        ([-3, 0, 5], 100, "i1"),
        ([0, 0, 1], 2, "?"),
        ([-5, 0, 2], 2**31, "i4"),
    ],
)
def test_arrays_as_bounds(xp, low, high, dtype):
    ours, theirs = _pair(xp)
    same_draw(ours, theirs, 0, "integers", low, high, dtype=dtype)
    same_draw(ours, theirs, 0, "integers", low, high, size=(40, 3), dtype=dtype)
    bounds = [xp.asarray(x) if isinstance(x, list) else x for x in (low, high)]
    found = ours.integers(*bounds, size=(5, 3), dtype=dtype)
    expected = theirs.integers(low, high, size=(5, 3), dtype=dtype)
    np.testing.assert_array_equal(found.get(), expected)


def test_bytes_are_numpys(xp):
    ours, theirs = _pair(xp)
    for length in (0, 1, 4, 5, 1001):
        assert ours.bytes(length) == theirs.bytes(length)
    same_state(ours.bit_generator.state, theirs.bit_generator.state)


WRONG = [
    ((5, 5), {}), ((0,), {}), ((-1, 3), {"dtype": "u1"}), ((0, 300), {"dtype": "u1"}),
    (([3, 4], [4, 4]), {}), ((0, [300]), {"dtype": "u1"}), ((2,), {"dtype": "f8"}),
    ((2,), {"dtype": ">i4"}), (("a",), {}), ((5, 4), {"endpoint": True}),
]  # fmt: skip


@pytest.mark.parametrize(("args", "kwargs"), WRONG)
def test_intervals_are_refused_as_numpy_does(xp, args, kwargs):
    ours, theirs = _pair(xp)
    with pytest.raises((ValueError, TypeError)) as expected:
        theirs.integers(*args, **kwargs)
    with pytest.raises(expected.type) as found:
        ours.integers(*args, **kwargs)
    assert str(found.value) == str(expected.value)
    same_state(ours.bit_generator.state, np.random.default_rng(7).bit_generator.state)


@pytest.mark.slow
@pytest.mark.parametrize(
    "dtype, high", [("u4", 3 << 30), ("u2", 40000), ("u1", 200), ("i8", 10**9)]
)
@pytest.mark.parametrize("before", [0, 1])
@pytest.mark.parametrize("n", [1, 2, 3, 9001])
def test_a_half_that_is_left_comes_first(xp, dtype, high, before, n):
    ours, theirs = xp.random.default_rng(4), np.random.default_rng(4)
    for rng in (ours, theirs):
        rng.integers(0, 5, before, "i4")
    np.testing.assert_array_equal(
        ours.integers(0, high, n, dtype).get(), theirs.integers(0, high, n, dtype)
    )
    out = xp.empty(n + 1, "f4")[1:]  # at another address
    ours.random(dtype="f4", out=out)
    np.testing.assert_array_equal(out.get(), theirs.random(n, "f4"))
    np.testing.assert_array_equal(
        ours.integers(0, 2, n, bool).get(), theirs.integers(0, 2, n, bool)
    )
    same_state(ours.bit_generator.state, theirs.bit_generator.state)
