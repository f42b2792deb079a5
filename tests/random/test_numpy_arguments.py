"""Arguments that NumPy takes, and those that it refuses: its exceptions and its shapes."""

from __future__ import annotations

import copy
import pickle
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.random import _parameters

nan, inf = float("nan"), float("inf")


def outcome(call: Any) -> Any:
    """The shape and the dtype of a result, or an exception's type and message."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = call()
    except Exception as error:
        return type(error), str(error)
    return np.shape(found)


class Pairs:
    """Generators of NumPy's and of ours by the names of their classes."""

    def __init__(self) -> None:
        self.generators = {
            "Generator": (np.random.default_rng(1), cp.random.default_rng(1)),
            "RandomState": (np.random.RandomState(1), cp.random.RandomState(1)),
        }

    def outcomes(self, kind: str, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        theirs, ours = self.generators[kind]
        return (
            outcome(lambda: np.asarray(getattr(theirs, name)(*args, **kwargs))),
            outcome(lambda: getattr(ours, name)(*args, **kwargs)),
        )


#: Distributions, with parameters that are good.
GOOD: dict[str, tuple[float, ...]] = {
    "beta": (1, 1), "binomial": (5, 0.5), "chisquare": (1,), "exponential": (1,), "f": (1, 1),
    "gamma": (1, 1), "geometric": (0.5,), "gumbel": (0, 1), "hypergeometric": (5, 6, 4),
    "laplace": (0, 1), "logistic": (0, 1), "lognormal": (0, 1), "logseries": (0.5,),
    "negative_binomial": (5, 0.5), "noncentral_chisquare": (1, 1), "noncentral_f": (1, 1, 1),
    "normal": (0, 1), "pareto": (1,), "poisson": (1,), "power": (1,), "rayleigh": (1,),
    "standard_gamma": (1,), "standard_t": (1,), "triangular": (0, 1, 2), "uniform": (0, 1),
    "vonmises": (0, 1), "wald": (1, 1), "weibull": (1,), "zipf": (2.0,),
}  # fmt: skip

#: Parameters at and beyond their ends, and what are no parameters.
VALUES = [
    0.5, 1, 2.0, 0, -1, -0.0, nan, inf, -inf, 1e-320, 1e308, 2**31, 2**63 - 1, 2**63, -(2**63) - 1,
    True, None, "a", b"a", 1j, {}, {1, 2}, ["a"], [1j], [None], [2**70], np.float32(0.5),
    np.int8(-3), np.float64(nan), np.bool_(True),
]  # fmt: skip


@pytest.mark.parametrize("kind", ["Generator", "RandomState"])
def test_parameters_are_refused_as_numpy_refuses_them(kind):
    pairs = Pairs()
    for name, good in GOOD.items():
        for position in range(len(good)):
            for value in VALUES:
                args = (*good[:position], value, *good[position + 1 :])
                theirs, ours = pairs.outcomes(kind, name, args, {"size": 0})
                assert ours == theirs, (name, args)


#: Calls that NumPy takes, or refuses: the class, the method, its arguments.
CALLS = [
    ("Generator", "integers", (None,)),
    ("Generator", "integers", (0, None)),
    ("Generator", "integers", (2.7, 10)),
    ("Generator", "integers", ("5",)),
    ("Generator", "integers", (b"3", 10)),
    ("Generator", "integers", ([0.5, 3], 10)),
    ("Generator", "integers", (["1"], 10)),
    ("Generator", "integers", ([nan], 10)),
    ("Generator", "choice", (2, 2, True, [1j, 0])),
    ("Generator", "choice", (2, 2, True, {})),
    ("Generator", "choice", (2, 2, False, [1, 0])),
    ("Generator", "multivariate_hypergeometric", ([], 0)),
    ("Generator", "multivariate_hypergeometric", ([1.5, 2.0], 1)),
    ("Generator", "binomial", ([0.5, 2.0], 0.5)),
    ("Generator", "binomial", ([], 0.5)),
    ("Generator", "normal", ([None],)),
    *[
        (owner, name, (*bounds, size))
        for owner, name in (("Generator", "integers"), ("RandomState", "randint"))
        for bounds in ((None, None), (5, 2), ("a", nan), ([1, 2], [[], []]), (0, 2**70))
        for size in (0, (0, 3), [2, 0])
    ],
    ("RandomState", "randint", (None,)),
    ("RandomState", "randint", (0, 1e6)),
    ("RandomState", "randint", (np.float32(2.5),)),
    ("RandomState", "randint", (nan, 10)),
    ("RandomState", "randint", (inf,)),
    ("RandomState", "randint", (5.0, 5.5)),
    ("RandomState", "randint", ("5",)),
    ("RandomState", "randint", ([0.5, 3], 10)),
    ("RandomState", "randint", ([0, 3], [2, 2**63])),
    ("RandomState", "randint", ([3], 3)),
    ("RandomState", "permutation", (True,)),
    ("RandomState", "choice", (True,)),
    ("RandomState", "choice", (2, 2, False, [1, 0])),
    ("RandomState", "choice", (2, 2, True, [1j, 0])),
    ("RandomState", "choice", (2, 2, True, [None, 1])),
    ("RandomState", "multivariate_normal", ([0.0, 0.0], [[1.0, 1.0], [1.0, 1.0]])),
    ("RandomState", "multivariate_normal", ([0.0], [[0.0]], 1)),
    ("RandomState", "multivariate_normal", ([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]], 1, "raise")),
]


@pytest.mark.parametrize("kind", ["Generator", "RandomState"])
def test_calls_end_as_numpys(kind):
    pairs = Pairs()
    for owner, name, args in CALLS:
        if owner == kind:
            theirs, ours = pairs.outcomes(kind, name, args, {})
            assert ours == theirs, (name, args)


def test_bounds_in_lists_are_integers_of_numpys():
    for low, high in (([0.5, 3.9], 10), (["1", "2"], 5), ([True, False], 3)):
        expected = np.random.default_rng(3).integers(low, high, size=(9, 2))
        found = cp.random.default_rng(3).integers(low, high, size=(9, 2))
        np.testing.assert_array_equal(found.get(), expected)
    found = cp.random.RandomState(3).randint([0, 2**63], [1, 2**64], dtype="u8").get()
    assert found[0] == 0
    assert found[1] >= 2**63


@pytest.mark.parametrize("size", [[2, 3], np.array([2, 3]), np.array([], int), np.int8(2)])
def test_sizes_are_sequences_of_every_kind(size):
    for name in ("random", "standard_normal", "standard_exponential"):
        expected = getattr(np.random.default_rng(3), name)(size)
        found = getattr(cp.random.default_rng(3), name)(size)
        assert found.shape == np.shape(expected)
        np.testing.assert_allclose(found.get(), expected, rtol=1e-15)
    expected = np.random.default_rng(3).integers(9, size=size)
    np.testing.assert_array_equal(cp.random.default_rng(3).integers(9, size=size).get(), expected)
    raw = np.random.PCG64(3).random_raw(size)
    np.testing.assert_array_equal(cp.random.PCG64(3).random_raw(size).get(), raw)


def test_orders_of_too_many():
    for call in (cp.random.default_rng(1).permutation, cp.random.RandomState(1).permutation):
        with pytest.raises(ValueError, match="Maximum allowed size exceeded"):
            call(2**70)


def test_probabilities_of_single_precision_sum_to_one_in_it(monkeypatch):
    # As with GPUARRAY_DEBUG=1: a GPU is not waited for else.
    monkeypatch.setattr(_parameters, "config", SimpleNamespace(debug=True))
    p = np.float32([0.1] * 10) * np.float32(1 + 2e-6)
    assert abs(float(p.astype(float).sum()) - 1) > 1.5e-8
    for ours in (cp.random.RandomState(1), cp.random.default_rng(1)):
        assert ours.choice(10, p=cp.asarray(p)).shape == ()
        with pytest.raises(ValueError, match="do not sum to 1"):
            ours.choice(10, p=cp.asarray(p.astype(float)))


def test_permuted_does_not_cast_what_it_would_change():
    rng = cp.random.default_rng(1)
    with pytest.raises(TypeError, match="at least one dimension"):
        rng.permuted(5)
    with pytest.raises(TypeError, match="Cannot cast array data"):
        rng.permuted(cp.arange(10.0), out=cp.empty(10, np.int64))
    assert rng.permuted(cp.arange(10), out=cp.empty(10, np.float64)).dtype == np.float64


@pytest.mark.parametrize("name", ["random", "standard_normal"])
def test_out_in_fortran_order_is_filled_as_memory_goes_on(name):
    host, device = np.empty((3, 5), order="F"), cp.empty((3, 5), order="F")
    getattr(np.random.default_rng(4), name)(out=host)
    assert getattr(cp.random.default_rng(4), name)(out=device) is device
    np.testing.assert_array_equal(device.get(), host)
    with pytest.raises(ValueError, match="must be contiguous"):
        cp.random.default_rng(4).standard_gamma(1.0, out=device)


def test_generators_are_made_of_instances():
    with pytest.raises(ValueError, match="must be instantiated"):
        cp.random.Generator(cp.random.PCG64)


@pytest.mark.parametrize("copied", [copy.copy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_have_the_state_and_the_seed(copied):
    bits = cp.random.PCG64(6)
    cp.random.Generator(bits).random(3)
    state, seeds = bits.__getstate__()
    again = copied(bits)
    assert again.state == bits.state == state
    assert again.seed_seq.entropy == seeds.entropy == 6
    make, arguments, _ = cp.random.Generator(bits).__reduce__()
    assert make(*arguments).bit_generator is bits
