"""`RandomState` and the module's functions: fills, integers, orders, states, what is refused."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
import threading

import numpy as np
import pytest
from scipy import stats

import gpuarray as cp
from gpuarray.errors import HostArrayError

LEAST = 1e-4


@pytest.fixture
def state():
    return cp.random.RandomState(99)


# --- arrays filled


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    ("name", "known"),
    [("rand", stats.uniform()), ("randn", stats.norm()), ("standard_exponential", stats.expon())],
)
def test_fills(state, name, dtype, known):
    x = getattr(state, name)(20_001, dtype=dtype)
    assert x.dtype == dtype
    assert x.shape == (20_001,)
    x = cp.asnumpy(x)
    assert stats.kstest(x, known.cdf).pvalue > LEAST
    for lag in (1, 2, 3):
        assert abs(np.corrcoef(x[lag:], x[:-lag])[0, 1]) < 5 / math.sqrt(x.size)
    if name == "rand":
        assert x.min() >= 0
        assert x.max() < 1
        steps = x * 2 ** (24 if dtype == "f4" else 53)
        assert (steps == np.floor(steps)).all()


def test_fills_with_parameters(state):
    x = cp.asnumpy(state.uniform(-3, 5, 5001, dtype="f4"))
    assert x.min() >= -3
    assert x.max() < 5
    assert stats.kstest(x, stats.uniform(-3, 8).cdf).pvalue > LEAST
    x = cp.asnumpy(state.normal(10, 0.5, 5001, dtype="f4"))
    assert stats.kstest(x, stats.norm(10, 0.5).cdf).pvalue > LEAST
    x = cp.asnumpy(state.exponential(2.0, (3, 1667)))
    assert stats.kstest(x.ravel(), stats.expon(scale=2).cdf).pvalue > LEAST


def test_shapes(state):
    assert state.rand().shape == ()
    assert state.rand(2, 0, 3).shape == (2, 0, 3)
    assert state.random_sample((2, 3)).shape == (2, 3)
    assert state.random_sample(np.int64(4)).shape == (4,)
    assert state.gamma(2.0, size=(0, 3)).shape == (0, 3)
    assert state.gamma(cp.ones((0, 2))).shape == (0, 2)


# --- integers


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "u8"])
def test_randint(state, dtype):
    x = state.randint(3, 103, 10_000, dtype)
    assert x.dtype == dtype
    x = cp.asnumpy(x).astype(int)
    assert x.min() == 3
    assert x.max() == 102
    assert stats.chisquare(np.bincount(x - 3)).pvalue > LEAST


@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [
        (-(2**63), 2**63, "i8"),
        (0, 2**64, "u8"),
        (-5, 3 * 2**61, "i8"),
        (0, 2**32, "i8"),
        (-(2**31), 2**31, "i4"),
        (2**63, 2**63 + 3 * 2**30, "u8"),
        (-7, 2**32 - 6, "i8"),
    ],
)
def test_randint_of_great_ranges(state, low, high, dtype):
    x = [int(n) for n in cp.asnumpy(state.randint(low, high, 5000, dtype))]
    assert min(x) >= low
    assert max(x) < high
    shares = np.array([(n - low) / (high - low) for n in x])
    assert stats.kstest(shares, "uniform").pvalue > LEAST


def test_randint_has_no_favourites(state):
    """Of three quarters of the words: without rejection a third of the integers came twice."""
    n = 3 * 2**30
    x = cp.asnumpy(state.randint(0, n, 20_000, "u4")).astype(np.int64)
    assert stats.chisquare(np.bincount(x % 3)).pvalue > LEAST
    assert stats.kstest(x / n, "uniform").pvalue > LEAST


def test_randint_of_bools(state):
    x = state.randint(0, 2, 3000, bool)
    assert x.dtype == np.bool_
    assert 1350 < int(x.sum()) < 1650


def test_randint_between_arrays(state):
    low, high = cp.array([[0], [1000]]), [1, 5, 2000]
    x = cp.asnumpy(state.randint(low[:1], high, (200, 1, 3)))
    assert (x[:, 0, 0] == 0).all()
    assert set(x[:, 0, 1].tolist()) == {0, 1, 2, 3, 4}
    assert x[:, 0, 2].max() > 1500
    assert state.randint([5, 6], [7, 8]).shape == (2,)


def test_other_integers(state):
    x = cp.asnumpy(state.tomaxint(1000))
    assert x.min() >= 0
    assert stats.kstest(x / 2**63, "uniform").pvalue > LEAST
    with pytest.warns(DeprecationWarning, match=r"randint\(1, 3 \+ 1\)"):
        assert set(cp.asnumpy(state.random_integers(3, size=100)).tolist()) == {1, 2, 3}
    assert isinstance(state.bytes(11), bytes)
    assert len(state.bytes(11)) == 11
    assert state.bytes(0) == b""


# --- orders


def test_permutations(state):
    x = cp.asnumpy(state.permutation(1000))
    assert state.permutation(-1).shape == (0,)
    assert sorted(x.tolist()) == list(range(1000))
    assert x.tolist() != list(range(1000))
    rows = cp.arange(30).reshape(10, 3)
    y = cp.asnumpy(state.permutation(rows))
    assert sorted(map(tuple, y.tolist())) == sorted(map(tuple, cp.asnumpy(rows).tolist()))
    z = cp.arange(50)
    assert state.shuffle(z) is None
    assert sorted(cp.asnumpy(z).tolist()) == list(range(50))
    orders = np.array([cp.asnumpy(state.permutation(3)) for _ in range(60)]) @ [1, 3, 9]
    assert stats.chisquare(np.unique(orders, return_counts=True)[1]).pvalue > LEAST


def test_few_of_many_without_replacement(state):
    x = cp.asnumpy(state.choice(10**12, 5000, replace=False))
    assert np.unique(x).size == 5000
    assert x.min() >= 0
    assert x.max() < 10**12
    assert stats.kstest(x / 1e12, "uniform").pvalue > LEAST
    assert abs(np.corrcoef(x[1:], x[:-1])[0, 1]) < 5 / math.sqrt(x.size)
    # Each element of a small population is as likely.
    seen = np.concatenate([cp.asnumpy(state.choice(100, 6, replace=False)) for _ in range(60)])
    assert stats.chisquare(np.bincount(seen, minlength=100)).pvalue > LEAST


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 31, 1000])
def test_a_feistel_network_is_an_order(state, n):
    from gpuarray import _layout
    from gpuarray.random._orders import _Order
    from gpuarray.random._variates import variates

    target = _layout.contiguous(np.dtype(np.int64), (n,))
    x = variates(_Order(state), "permuted_index", (n,), target, None)
    assert sorted(cp.asnumpy(x).tolist()) == list(range(n))


def test_choice(state):
    values = cp.array([10, 20, 30, 40])
    x = cp.asnumpy(state.choice(values, (5, 4)))
    assert x.shape == (5, 4)
    assert set(x.ravel().tolist()) <= {10, 20, 30, 40}
    p = [0.1, 0.0, 0.6, 0.3]
    x = cp.asnumpy(state.choice(4, 3000, p=p))
    assert (
        stats.chisquare(np.bincount(x)[[0, 2, 3]], 3000 * np.array([0.1, 0.6, 0.3])).pvalue > LEAST
    )
    x = cp.asnumpy(state.choice(4, 3, replace=False, p=p))
    assert sorted(x.tolist()) == [0, 2, 3]
    first = [int(state.choice(3, 1, replace=False, p=[0.2, 0.3, 0.5])[0]) for _ in range(60)]
    assert stats.chisquare(np.bincount(first, minlength=3), [12, 18, 30]).pvalue > LEAST
    assert state.choice(5).shape == ()
    assert state.choice(0, 0).shape == (0,)


# --- states


def test_seeds():
    def drawn(seed):
        return cp.asnumpy(cp.random.RandomState(seed).randint(0, 2**62, 4)).tolist()

    assert drawn(1) == drawn(1) == drawn(np.int64(1)) != drawn(2)
    assert drawn([1, 2]) == drawn(np.array([1, 2])) != drawn([2, 1])
    assert drawn(None) != drawn(None)
    for bad in (-1, 2**32, 1.5, "x", [], [-1]):
        with pytest.raises((ValueError, TypeError)) as mine:
            cp.random.RandomState(bad)
        with pytest.raises((ValueError, TypeError)) as theirs:
            np.random.RandomState(bad)
        assert (type(mine.value), str(mine.value)) == (type(theirs.value), str(theirs.value))


def test_states(state):
    state.rand(5)
    kept = state.get_state()
    again = [pickle.loads(pickle.dumps(state)), copy.deepcopy(state)]
    x = cp.asnumpy(state.rand(7)).tolist()
    assert all(cp.asnumpy(other.rand(7)).tolist() == x for other in again)
    state.set_state(kept)
    assert cp.asnumpy(state.rand(7)).tolist() == x
    for bad in (3, {}, {**kept, "bit_generator": "MT19937"}, {**kept, "state": {"key": 1}},
                {**kept, "state": {"key": -1, "place": 0}}):  # fmt: skip
        with pytest.raises((TypeError, ValueError), match="state"):
            state.set_state(bad)
    assert state.get_state()["state"]["key"] == kept["state"]["key"]


def test_draws_of_threads_are_apart(state):
    found: list[np.ndarray] = []

    def draw():
        for _ in range(20):
            found.append(cp.asnumpy(state.tomaxint(50)))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.unique(np.concatenate(found)).size == 4 * 20 * 50


def test_a_capture_repeats_its_numbers(state):
    x = cp.empty(1000)
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        state.gamma(2.0, size=1000)  # planned before
        stream.synchronize()
        stream.begin_capture()
        x[...] = state.gamma(2.0, size=1000)
        graph = stream.end_capture()
        graph.launch(stream)
        stream.synchronize()
    first = cp.asnumpy(x)
    assert stats.kstest(first, stats.gamma(2).cdf).pvalue > LEAST
    graph.launch(stream)
    stream.synchronize()
    assert (cp.asnumpy(x) == first).all()


# --- the module


def test_functions_draw_from_the_devices_state():
    before = cp.random.get_random_state()
    try:
        mine = cp.random.RandomState(4)
        cp.random.set_random_state(mine)
        assert cp.random.get_random_state() is mine
        x = cp.asnumpy(cp.random.rand(3))
        assert (cp.asnumpy(cp.random.RandomState(4).rand(3)) == x).all()
        cp.random.seed(4)
        assert (cp.asnumpy(cp.random.random((3,))) == x).all()
        kept = cp.random.get_state()
        y = cp.asnumpy(cp.random.standard_normal(3))
        cp.random.set_state(kept)
        assert (cp.asnumpy(cp.random.randn(3)) == y).all()
        cp.random.reset_states()
        assert cp.random.get_random_state() is not mine
        with pytest.raises(TypeError, match="must be an instance of RandomState"):
            cp.random.set_random_state(np.random.RandomState(1))
    finally:
        cp.random.set_random_state(before)


def test_functions_are_the_methods():
    """Each function hands each argument on, under its own name and default."""
    from gpuarray.random import _module_functions as functions

    for name in functions.__all__:
        method = getattr(cp.random.RandomState, name, None)
        if method is None or name in ("random", "ranf", "sample"):
            continue
        mine = inspect.signature(getattr(cp.random, name)).parameters
        theirs = list(inspect.signature(method).parameters.values())[1:]
        assert [(x.name, x.default) for x in mine.values()] == [
            (x.name, x.default) for x in theirs
        ], name


def test_names_are_those_of_numpy():
    for name in dir(np.random.RandomState):
        if not name.startswith("_"):
            assert hasattr(cp.random.RandomState, name), name


# --- what is refused

BAD = [
    ("gamma", (-1,)),
    ("gamma", ([1, -1.0],)),
    ("gamma", ("a",)),
    ("gamma", (None,)),
    ("gamma", (1j,)),
    ("normal", (0, -1)),
    ("beta", (0, 1)),
    ("binomial", (-1, 0.5)),
    ("binomial", (10, 1.5)),
    ("binomial", (10, [0.5, math.nan])),
    ("poisson", (-1,)),
    ("poisson", (1e30,)),
    ("geometric", (0,)),
    ("hypergeometric", (2, 2, 5)),
    ("hypergeometric", (-1, 2, 1)),
    ("logseries", (1.5,)),
    ("negative_binomial", (0, 0.5)),
    ("zipf", (1.0,)),
    ("triangular", (0, 5, 3)),
    ("uniform", (0, math.inf)),
    ("vonmises", (0, -1)),
    ("wald", (0, 1)),
    ("randint", (5, 5)),
    ("randint", (5, 1)),
    ("randint", (0, 300, None, "u1")),
    ("randint", (-1, 3, None, "u1")),
    ("randint", ([5, 6], [7, 6])),
    ("choice", (0,)),
    ("choice", (-3,)),
    ("choice", (3, 5, False)),
    ("choice", (3, 1, True, [0.5, 0.5, 0.5])),
    ("choice", (3, 1, True, [1.5, -0.5, 0.0])),
    ("choice", (3, 1, True, [0.5, 0.5])),
    ("choice", ([[1, 2]],)),
    ("choice", ([],)),
]


@pytest.mark.parametrize(("name", "arguments"), BAD, ids=[f"{n}{a}" for n, a in BAD])
def test_errors_are_those_of_numpy(state, name, arguments):
    with pytest.raises(Exception) as theirs:
        getattr(np.random.RandomState(0), name)(*arguments)
    kept = state.get_state()
    with pytest.raises(type(theirs.value)) as mine:
        getattr(state, name)(*arguments)
    assert str(mine.value) == str(theirs.value)
    assert state.get_state() == kept


@pytest.mark.parametrize("size", [-1, (2, -1), 2.5, "x", (1.5,), {3}])
def test_sizes_that_are_none(state, size):
    with pytest.raises((TypeError, ValueError)) as theirs:
        np.random.RandomState(0).gamma(2.0, size=size)
    for draw in (lambda: state.gamma(2.0, size=size), lambda: state.random_sample(size)):
        with pytest.raises(type(theirs.value)):
            draw()


def test_other_arguments_that_are_refused(state):
    with pytest.raises(ValueError, match="shape mismatch|not compatible"):
        state.gamma(cp.ones(2), size=3)
    with pytest.raises(ValueError, match="not compatible"):
        state.gamma(cp.ones((2, 2)), size=2)
    with pytest.raises(HostArrayError):
        state.gamma(np.ones(3))
    with pytest.raises(TypeError, match="complex64"):
        state.gamma(cp.ones(3, "c8"))
    with pytest.raises(TypeError, match="Unsupported dtype"):
        state.rand(3, dtype="i4")
    with pytest.raises(TypeError, match="Unsupported dtype"):
        state.randint(3, dtype="f4")
    with pytest.raises(TypeError, match="on the device"):
        state.shuffle([1, 2])
