"""Generator: NumPy's numbers, and NumPy's state after each draw."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray
from gpuarray.random import _parameters
from tests.random.numpy_streams import same_draw, same_state

#: Methods with arguments, and how many units in the last place the device's functions may differ.
STANDARD = [
    ("random", (), {}, 0),
    ("random", (), {"dtype": "f4"}, 0),
    ("standard_normal", (), {}, 1),
    ("standard_normal", (), {"dtype": "f4"}, 1),
    ("standard_exponential", (), {}, 1),
    ("standard_exponential", (), {"dtype": "f4"}, 1),
    ("standard_exponential", (), {"method": "inv"}, 1),
    ("standard_exponential", (), {"method": "inv", "dtype": "f4"}, 2),
]
DERIVED = [
    ("uniform", (1, 3.5), 0),
    ("normal", (1, 3.5), 1),
    ("lognormal", (0.5, 0.25), 2),
    ("exponential", (2,), 1),
    ("rayleigh", (2,), 1),
    ("pareto", (3,), 4),
    ("weibull", (2,), 2),
    ("power", (1.5,), 4),
    ("triangular", (0, 1, 4), 0),
    ("standard_cauchy", (), 2),
]
#: Sums that can cancel.
SUMS = [("laplace", (1, 2)), ("gumbel", (1, 2)), ("logistic", (1, 2))]


def _pair(xp, seed=7):
    return xp.random.default_rng(seed), np.random.default_rng(seed)


@pytest.mark.parametrize(("method", "args", "kwargs", "ulps"), STANDARD)
def test_standard_draws_are_numpys(xp, method, args, kwargs, ulps):
    ours, theirs = _pair(xp)
    for size in (1, None, (3, 5), 2000, 0):
        same_draw(ours, theirs, ulps, method, *args, size=size, **kwargs)
    out = xp.empty((4, 5), kwargs.get("dtype", "f8"))
    assert getattr(ours, method)(*args, out=out, **kwargs) is out
    expected = getattr(theirs, method)(*args, size=(4, 5), **kwargs)
    np.testing.assert_array_max_ulp(out.get(), expected, max(1, ulps))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["PCG64", "PCG64DXSM", "Philox"])
@pytest.mark.parametrize(("method", "args", "kwargs", "ulps"), STANDARD)
def test_millions_of_draws_in_many_sizes_are_numpys(xp, name, method, args, kwargs, ulps):
    ours = xp.random.Generator(getattr(xp.random, name)(99))
    theirs = np.random.Generator(getattr(np.random, name)(99))
    for size in (1, 31, 33, 511, 513, 8191, 8193, 100_003, 1_000_001):
        same_draw(ours, theirs, ulps, method, *args, size=size, **kwargs)


@pytest.mark.parametrize(("method", "args", "ulps"), DERIVED)
def test_derived_draws_are_numpys(xp, method, args, ulps):
    ours, theirs = _pair(xp)
    same_draw(ours, theirs, ulps, method, *args)
    same_draw(ours, theirs, ulps, method, *args, size=(7, 100))


@pytest.mark.parametrize(("method", "args"), SUMS)
def test_derived_sums_are_numpys(xp, method, args):
    ours, theirs = _pair(xp)
    found = getattr(ours, method)(*args, size=1000).get()
    np.testing.assert_allclose(found, getattr(theirs, method)(*args, size=1000), 1e-14, 1e-15)
    same_state(ours.bit_generator.state, theirs.bit_generator.state)


def test_parameters_broadcast(xp):
    ours, theirs = _pair(xp)
    same_draw(ours, theirs, 0, "uniform", [0.0, 1, 2], 5)
    same_draw(ours, theirs, 1, "normal", 1, [[1.0], [2]], size=(2, 3))
    found = ours.exponential(xp.asarray([1.0, 2]), size=(3, 2)).get()
    np.testing.assert_array_max_ulp(found, theirs.exponential([1, 2], size=(3, 2)), 1)
    with pytest.raises(ValueError):
        ours.normal([1.0, 2], 1, size=3)
    assert not ours.weibull(0, size=3).get().any()
    same_state(ours.bit_generator.state, theirs.bit_generator.state)


WRONG = [
    ("normal", (0, -1)), ("normal", (0, [1.0, -1.0])), ("normal", (0, -0.0)),
    ("exponential", (-1,)),
    ("uniform", (2, 1)), ("uniform", (0, float("inf"))), ("triangular", (3, 1, 2)),
    ("triangular", (1, 1, 1)), ("pareto", (0,)), ("weibull", (-1,)), ("power", (-2,)),
    ("lognormal", (0, -1)), ("rayleigh", (-1,)), ("laplace", (0, -1)), ("gumbel", (0, -1)),
    ("logistic", (0, -1)),
]  # fmt: skip


@pytest.mark.parametrize(("method", "args"), WRONG)
def test_parameters_are_refused_as_numpy_does(xp, method, args):
    ours, theirs = _pair(xp)
    with pytest.raises((ValueError, OverflowError)) as expected:
        getattr(theirs, method)(*args, size=4 if isinstance(args[-1], float) else None)
    with pytest.raises(expected.type) as found:
        getattr(ours, method)(*args)
    assert str(found.value) == str(expected.value)
    same_state(ours.bit_generator.state, np.random.default_rng(7).bit_generator.state)


def test_numbers_beside_device_arrays_are_checked(xp, monkeypatch):
    """As on a GPU, where nothing is asked of values in device memory."""
    monkeypatch.setattr(_parameters, "checks_device_arrays", lambda: False)
    ours, theirs = _pair(xp)
    low = xp.asarray([-5.0, -3.0])
    expected = theirs.uniform([-5.0, -3.0], 0)
    np.testing.assert_array_equal(ours.uniform(low, 0).get(), expected)
    expected = theirs.triangular(-7, [-5.0, -3.0], 0)
    np.testing.assert_array_equal(ours.triangular(-7, low, 0).get(), expected)
    for scale in (-1, [1.0, -1.0]):
        with pytest.raises(ValueError, match="scale < 0"):
            ours.normal(low, scale)
        with pytest.raises(ValueError, match="scale < 0"):
            ours.normal(0, scale)
    assert ours.exponential(low).shape == (2,)  # whatever they are


def test_sizes_dtypes_and_outputs_are_refused(xp):
    ours, _ = _pair(xp)
    with pytest.raises(ValueError, match="negative dimensions"):
        ours.random(-1)
    with pytest.raises(TypeError):
        ours.random(2.5)
    with pytest.raises(TypeError, match="Unsupported dtype dtype\\('int32'\\) for random"):
        ours.random(2, dtype="i4")
    with pytest.raises(ValueError, match="must be contiguous"):
        ours.random(out=xp.empty((4, 4))[:, ::2])
    with pytest.raises(TypeError, match="wrong type. Expected float64, got float32"):
        ours.random(out=xp.empty(4, "f4"))
    with pytest.raises(ValueError, match="size must match out.shape"):
        ours.random(3, out=xp.empty(4))
    with pytest.raises(TypeError, match="device array"):
        ours.random(out=np.empty(4))


def test_seeds_of_every_kind(xp):
    sequence = np.random.SeedSequence(5)
    for seed in (3, [1, 2, 3], np.arange(4), sequence, np.random.PCG64DXSM(4), np.int64(8)):
        expected = np.random.default_rng(copy_of(seed)).random(3)
        np.testing.assert_array_equal(xp.random.default_rng(seed).random(3).get(), expected)
    theirs = np.random.default_rng(6)
    ours = xp.random.default_rng(theirs)
    np.testing.assert_array_equal(ours.random(3).get(), theirs.random(3))
    assert xp.random.default_rng(ours) is ours
    assert xp.random.default_rng(ours.bit_generator).bit_generator is ours.bit_generator
    legacy = np.random.RandomState(3)
    expected = np.random.Generator(np.random.RandomState(3)._bit_generator).random(3)
    np.testing.assert_array_equal(xp.random.default_rng(legacy).random(3).get(), expected)
    first, second = xp.random.default_rng().random(2).get()
    assert first != second
    with pytest.raises(TypeError, match="no bit generator"):
        xp.random.Generator(3)


def copy_of(seed):
    return type(seed)(4) if isinstance(seed, np.random.BitGenerator) else seed


def test_pickles_and_spawned_generators(xp):
    ours, theirs = _pair(xp)
    ours.random(3)
    theirs.random(3)
    again = pickle.loads(pickle.dumps(ours))
    assert repr(again).startswith("Generator(PCG64) at 0x")
    np.testing.assert_array_equal(again.random(5).get(), theirs.random(5))
    for found, expected in zip(ours.spawn(2), theirs.spawn(2)):
        np.testing.assert_array_equal(found.random(2).get(), expected.random(2))


CALLS = st.lists(
    st.tuples(
        st.sampled_from(
            [(m, a, k, u) for m, a, k, u in STANDARD if "method" not in k]
            + [("integers", (n,), {"dtype": d}, 0) for n, d in ((2**31 + 5, "i8"), (200, "u1"))]
            + [("permutation", (), {}, 0)]
        ),
        st.sampled_from([1, 2, 33, 600]),
    ),
    min_size=1,
    max_size=5,
)


@pytest.mark.slow
@settings(max_examples=20)
@given(CALLS, st.integers(0, 2**64), st.sampled_from(["PCG64", "Philox"]))
def test_mixed_draws_are_numpys(calls, seed, name):
    ours = gpuarray.random.Generator(getattr(gpuarray.random, name)(seed))
    theirs = np.random.Generator(getattr(np.random, name)(seed))
    for (method, args, kwargs, ulps), size in calls:
        if method == "permutation":
            same_draw(ours, theirs, 0, method, size)
        else:
            same_draw(ours, theirs, ulps, method, *args, size=size, **kwargs)
