"""Orders and choices: NumPy's up to documented sizes, and uniform beyond."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from gpuarray.kernels.random import launch
from gpuarray.random import _permutations
from gpuarray.random._permutations import SAME_ORDER
from tests.random.numpy_streams import same_draw, same_state

VALUES = np.arange(60).reshape(3, 4, 5)


def _pair(xp, seed=7, name="PCG64"):
    ours = xp.random.Generator(getattr(xp.random, name)(seed))
    return ours, np.random.Generator(getattr(np.random, name)(seed))


@pytest.mark.parametrize("name", ["PCG64", "MT19937"])
def test_orders_are_numpys(xp, name):
    ours, theirs = _pair(xp, name=name)
    for count in (0, 1, 2, 5, np.int64(7), SAME_ORDER):
        same_draw(ours, theirs, 0, "permutation", count)
    for axis in (0, 1, -1):
        found = ours.permutation(xp.asarray(VALUES), axis=axis).get()
        np.testing.assert_array_equal(found, theirs.permutation(VALUES, axis=axis))
        found, expected = xp.asarray(VALUES), VALUES.copy()
        ours.shuffle(found, axis=axis)
        theirs.shuffle(expected, axis=axis)
        np.testing.assert_array_equal(found.get(), expected)
    for axis in (None, 0, 1, -1):
        found = ours.permuted(xp.asarray(VALUES), axis=axis).get()
        np.testing.assert_array_equal(found, theirs.permuted(VALUES, axis=axis))
    out = xp.asarray(VALUES)
    assert ours.permuted(out, axis=1, out=out) is out
    np.testing.assert_array_equal(out.get(), theirs.permuted(VALUES, axis=1))
    same_state(ours.bit_generator.state, theirs.bit_generator.state)


def test_long_orders_have_every_element_once(xp, monkeypatch):
    ours, _ = _pair(xp)
    count = SAME_ORDER + 1
    first, second = ours.permutation(count).get(), ours.permutation(count).get()
    assert (first != second).any()
    monkeypatch.setattr(_permutations, "SAME_ORDERS", 0)
    lines = np.arange(7000).reshape(-1, 7)
    many = ours.permuted(xp.asarray(lines), axis=1).get()
    np.testing.assert_array_equal(np.sort(many, axis=1), lines)
    assert 0.09 < (many[:, 0] % 7 == 3).mean() < 0.2  # within five standard deviations
    for order in (first, second, ours.permuted(xp.arange(3 * count).reshape(3, -1), axis=1).get()):
        np.testing.assert_array_equal(np.sort(order, axis=None), np.arange(order.size))


CHOICES = [
    (10, 3), (10, None), (10, 10), (1000, (4, 5)), (10**9, 300), (2**40, 100), (20000, 300),
    (10**4 + 1, 250), (5, 0), (0, 0),
]  # fmt: skip


@pytest.mark.parametrize("replace", [True, False])
def test_choices_are_numpys(xp, replace):
    ours, theirs = _pair(xp)
    for population, size in CHOICES:
        for shuffle in (True, False):
            options = {"replace": replace, "shuffle": shuffle}
            same_draw(ours, theirs, 0, "choice", population, size, **options)


@pytest.mark.parametrize("name", ["PCG64", "Philox", "SFC64"])
def test_choices_by_many_threads_are_numpys(xp, name):
    """Numbers of 32 and 64 bits, half of them rejected; and those that one thread chooses, of 32
    bits and of more in one choice."""
    ours, theirs = _pair(xp, name=name)
    ours.random(1, np.float32)
    theirs.random(1, np.float32)  # a half is left
    few = [(2**31 + 9, 40), (2**32, 9), (2**33, 40), (2**62 + 9, 9), (2**32 + 5, 9), (10001, 1)]
    for population, count in few if name == "PCG64" else few[:3]:
        same_draw(ours, theirs, 0, "choice", population, count, replace=False)
        same_draw(ours, theirs, 0, "choice", population, count, replace=False, shuffle=False)


@pytest.mark.parametrize("population", [300, 330, 2000])
def test_numbers_chosen_before_are_replaced(xp, population):
    """Floyd's algorithm, as NumPy's integers have it."""
    ours, theirs = _pair(xp)
    count = 300
    found = ours.bit_generator._draw(launch.choose_call, (count, True), population).get()
    expected = []
    for i in range(population - count, population):
        drawn = theirs.integers(i, endpoint=True)
        expected.append(i if drawn in expected else drawn)
    for i in range(count - 1, 0, -1):
        k = theirs.integers(i, endpoint=True)
        expected[i], expected[k] = expected[k], expected[i]
    np.testing.assert_array_equal(found, expected)
    same_state(ours.bit_generator.state, theirs.bit_generator.state)


def test_choices_of_arrays_and_with_probabilities_are_numpys(xp):
    ours, theirs = _pair(xp)
    p = [0.1, 0.2, 0.3, 0.4]
    same_draw(ours, theirs, 0, "choice", 4, 100, p=p)
    same_draw(ours, theirs, 0, "choice", 4, 3, replace=False, p=p)
    same_draw(ours, theirs, 0, "choice", [5.0, 6, 7, 8], (2, 2), p=p)
    found = ours.choice(4, 100, p=xp.asarray(p)).get()
    np.testing.assert_array_equal(found, theirs.choice(4, 100, p=p))
    found = ours.choice(xp.asarray(VALUES), (2, 3), axis=1).get()
    np.testing.assert_array_equal(found, theirs.choice(VALUES, (2, 3), axis=1))
    found = ours.choice(xp.asarray(VALUES), 2, axis=2, replace=False).get()
    np.testing.assert_array_equal(found, theirs.choice(VALUES, 2, axis=2, replace=False))
    same_state(ours.bit_generator.state, theirs.bit_generator.state)


@pytest.mark.parametrize(("population", "count"), [(10**6, 3000), (10**5, 20000)])
def test_many_choices_differ_from_one_another(xp, population, count):
    ours, _ = _pair(xp)
    found = ours.choice(population, count, replace=False).get()
    assert np.unique(found).size == count
    assert 0 <= found.min()
    assert found.max() < population
    # The mean of numbers without repetition, within 6 standard deviations.
    deviation = population / np.sqrt(12 * count)
    assert abs(found.mean() - population / 2) < 6 * deviation


WRONG = [
    ("choice", (0, 2), {}), ("choice", ([], 2), {}), ("choice", (3, 4), {"replace": False}),
    ("choice", (3, 2), {"p": [0.5, 0.5]}), ("choice", (2, 2), {"p": [0.5, 0.6]}),
    ("choice", (2, 2), {"p": [-0.5, 1.5]}), ("choice", (2, 2), {"p": [[0.5, 0.5]]}),
    ("choice", (2, 2), {"p": [np.nan, 1]}), ("choice", (-3,), {}), ("choice", (2.5,), {}),
    ("choice", (3, 3), {"replace": False, "p": [0.5, 0.5, 0]}),
]  # fmt: skip


@pytest.mark.parametrize(("method", "args", "kwargs"), WRONG)
def test_choices_are_refused_as_numpy_does(xp, method, args, kwargs):
    ours, theirs = _pair(xp)
    with pytest.raises(ValueError) as expected:
        getattr(theirs, method)(*args, **kwargs)
    with pytest.raises(ValueError) as found:
        getattr(ours, method)(*args, **kwargs)
    assert str(found.value) == str(expected.value)


def test_orders_are_refused(xp):
    ours, _ = _pair(xp)
    with pytest.raises(np.exceptions.AxisError):
        ours.permutation(2.5)
    with pytest.raises(np.exceptions.AxisError):
        ours.permutation(xp.ones((2, 3)), axis=2)
    with pytest.raises(TypeError, match="device array, not list"):
        ours.shuffle([1, 2, 3])
    with pytest.raises(TypeError, match="at least one dimension"):
        ours.shuffle(xp.asarray(1))
    with pytest.raises(ValueError, match="same shape"):
        ours.permuted(xp.ones(3), out=xp.ones(4))


def _is_odd(order):
    """Whether an odd number of swaps makes an order."""
    odd, seen = False, np.zeros(len(order), bool)
    for start in range(len(order)):
        place, length = start, 0
        while not seen[place]:
            seen[place] = True
            place = order[place]
            length += 1
        odd ^= length % 2 == 0 and length > 0
    return odd


@pytest.mark.parametrize("n", [1025, 1089, 1500])  # 1089 is 33 * 33
def test_long_orders_are_random(xp, n):
    """Each place is computed by a Feistel network, whose orders of squares would all be even."""
    rng = xp.random.default_rng(7)
    orders = np.array([rng.permutation(n).get() for _ in range(120)])
    np.testing.assert_array_equal(np.sort(orders, axis=1), np.tile(np.arange(n), (120, 1)))
    odd = sum(_is_odd(order) for order in orders)
    assert 30 < odd < 90
    # Where elements are, whether neighbours are still side by side, and in which order.
    counts = np.bincount((orders[:, :50] * 10 // n).ravel(), minlength=10)
    assert stats.chisquare(counts, counts.sum() * np.bincount(np.arange(n) * 10 // n) / n)[1] > 1e-4
    rises = (orders[:, 1:] > orders[:, :-1]).sum()
    total = 120 * (n - 1)
    assert abs(rises - total / 2) < 5 * np.sqrt(120 * (n + 1) / 12)
    beside = (np.diff(orders, axis=1) == 1).sum()
    assert abs(beside - 120) < 5 * np.sqrt(120)


@pytest.mark.parametrize("n", [2**32 - 5, 2**32 + 7, 10**15, 2**62 + 1])
def test_places_of_huge_orders(xp, n):
    found = xp.random.default_rng(3).choice(n, 4000, replace=False).get()
    assert len(set(found.tolist())) == 4000
    assert found.min() >= 0
    assert found.max() < n
    assert stats.kstest(found / n, "uniform").pvalue > 1e-4
