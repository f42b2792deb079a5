"""Variates against SciPy's distributions: goodness of fit, tails, edges, broadcasting.

Seeds are fixed, so that no test fails by chance.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import gpuarray as cp
from gpuarray import _layout
from gpuarray._runtime.current_stream import current
from gpuarray.kernels.distribution import launch, spec
from gpuarray.kernels.distribution.launch import variates_call
from tests.slow import slow_except

#: What a fixed seed's goodness of fit must exceed.
LEAST = 1e-4

QUICK, SLOW, ON_GPU = 5000, 200_000, 1_000_000

slow = pytest.mark.slow


def _cases():
    """Name, parameters, SciPy's distribution; of every second name the first is quick, too."""
    table = {
        "beta": [((2, 3), stats.beta(2, 3)), ((0.05, 2), stats.beta(0.05, 2)),
                 ((1e4, 2e4), stats.beta(1e4, 2e4))],
        "chisquare": [((3,), stats.chi2(3)), ((0.1,), stats.chi2(0.1))],
        "exponential": [((2.5,), stats.expon(scale=2.5))],
        "f": [((3, 10), stats.f(3, 10)), ((0.7, 0.9), stats.f(0.7, 0.9))],
        "gamma": [((2.5, 2), stats.gamma(2.5, scale=2)), ((0.01, 1), stats.gamma(0.01)),
                  ((1, 3), stats.expon(scale=3)), ((1e9, 1), stats.norm(1e9, math.sqrt(1e9)))],
        "gumbel": [((1, 2), stats.gumbel_r(1, 2))],
        "laplace": [((1, 2), stats.laplace(1, 2))],
        "logistic": [((1, 2), stats.logistic(1, 2))],
        "lognormal": [((0.5, 2), stats.lognorm(2, scale=math.exp(0.5)))],
        "noncentral_chisquare": [((3, 2), stats.ncx2(3, 2)), ((0.5, 4), stats.ncx2(0.5, 4)),
                                 ((2, 0), stats.chi2(2))],
        "noncentral_f": [((3, 10, 1), stats.ncf(3, 10, 1))],
        "normal": [((1, 2), stats.norm(1, 2))],
        "pareto": [((3,), stats.lomax(3)), ((0.3,), stats.lomax(0.3))],
        "power": [((2,), stats.powerlaw(2)), ((0.1,), stats.powerlaw(0.1))],
        "rayleigh": [((2,), stats.rayleigh(scale=2))],
        "standard_t": [((5,), stats.t(5)), ((0.5,), stats.t(0.5))],
        "triangular": [((-1, 1, 3), stats.triang(0.5, -1, 4)), ((0, 0, 2), stats.triang(0, 0, 2)),
                       ((0, 2, 2), stats.triang(1, 0, 2))],
        "uniform": [((2, 5), stats.uniform(2, 3))],
        "vonmises": [((0, 2), stats.vonmises(2)), ((0, 50), stats.vonmises(50)),
                     ((0, 1e-6), stats.uniform(-math.pi, 2 * math.pi)),
                     ((0, 1e-9), stats.uniform(-math.pi, 2 * math.pi)),
                     ((0, 1e8), stats.norm(0, 1e-4))],
        "wald": [((1, 2), stats.invgauss(0.5, scale=2)),
                 ((100, 0.1), stats.invgauss(1000, scale=0.1))],
        "weibull": [((2,), stats.weibull_min(2)), ((0.4,), stats.weibull_min(0.4))],
        "standard_cauchy": [((), stats.cauchy())],
        "standard_exponential": [((), stats.expon())],
        "standard_gamma": [((0.7,), stats.gamma(0.7))],
        "standard_normal": [((), stats.norm())],
        "random_sample": [((), stats.uniform())],
        "binomial": [((100, 0.3), stats.binom(100, 0.3)), ((20, 0.1), stats.binom(20, 0.1)),
                     ((2**31, 0.7), stats.binom(2**31, 0.7)), ((50, 0.5), stats.binom(50, 0.5)),
                     ((10**6, 1e-5), stats.binom(10**6, 1e-5)), ((1, 0.9), stats.binom(1, 0.9))],
        "geometric": [((0.2,), stats.geom(0.2)), ((0.9,), stats.geom(0.9)),
                      ((1e-6,), stats.geom(1e-6))],
        "hypergeometric": [((50, 60, 40), stats.hypergeom(110, 50, 40)),
                           ((5, 60, 60), stats.hypergeom(65, 5, 60)),
                           ((6, 5, 4), stats.hypergeom(11, 6, 4)),
                           ((10**9, 10**9, 9), stats.binom(9, 0.5)),
                           ((50000, 60, 400), stats.hypergeom(50060, 50000, 400))],
        "logseries": [((0.7,), stats.logser(0.7)), ((0.9,), stats.logser(0.9))],
        "negative_binomial": [((5, 0.3), stats.nbinom(5, 0.3)),
                              ((0.2, 0.05), stats.nbinom(0.2, 0.05)),
                              ((5, 0.4), stats.nbinom(5, 0.4)),
                              ((0.3, 0.9), stats.nbinom(0.3, 0.9)),
                              ((9000, 0.999), stats.nbinom(9000, 0.999))],
        "poisson": [((30,), stats.poisson(30)), ((0.5,), stats.poisson(0.5)),
                    ((9.9,), stats.poisson(9.9)), ((10,), stats.poisson(10)),
                    ((1e6,), stats.poisson(1e6))],
        "zipf": [((2.5,), stats.zipf(2.5)), ((5,), stats.zipf(5))],
    }  # fmt: skip
    for number, (name, cases) in enumerate(table.items()):
        for i, (parameters, known) in enumerate(cases):
            label = f"{name}-{'-'.join(map(str, parameters))}"
            if i == 0 and number % 2 == 0:
                yield pytest.param(name, parameters, known, QUICK, id=label)
            yield pytest.param(name, parameters, known, SLOW, id=f"{label}-many", marks=slow)


def goodness(x: np.ndarray, known) -> float:
    """The p-value of Kolmogorov and Smirnov's test, or of a chi-square test of integers."""
    if x.dtype.kind == "f":
        return stats.kstest(x, known.cdf).pvalue
    ends = np.unique(known.ppf(np.linspace(0.002, 0.998, 60)))
    shares = np.diff(np.concatenate([[0.0], known.cdf(ends), [1.0]]))
    counts = np.bincount(np.searchsorted(ends, x), minlength=len(shares))
    # Classes of few expected variates are one.
    many = shares * x.size > 8
    counts = np.append(counts[many], counts[~many].sum())
    shares = np.append(shares[many], shares[~many].sum())
    if shares[-1] * x.size <= 8:
        counts = np.append(counts[:-2], counts[-2:].sum())
        shares = np.append(shares[:-2], shares[-2:].sum())
    return stats.chisquare(counts, shares / shares.sum() * x.size).pvalue


@pytest.mark.parametrize(("name", "parameters", "known", "count"), list(_cases()))
def test_goodness_of_fit(name, parameters, known, count, backend):
    if count == SLOW and backend == "cuda":
        count = ON_GPU
    state = cp.random.RandomState(2024)
    x = cp.asnumpy(getattr(state, name)(*parameters, size=count))
    assert goodness(x, known) > LEAST
    # The tails, which a test of the whole hardly sees.
    for tail in (0.01, 0.001):
        expected = count * tail
        if known.ppf(tail) != known.support()[0] and x.dtype.kind == "f":
            below = (x < known.ppf(tail)).sum()
            assert abs(below - expected) < 5 * math.sqrt(expected) + 1
        if x.dtype.kind == "f":
            above = (x > known.isf(tail)).sum()
            assert abs(above - expected) < 5 * math.sqrt(expected) + 1
    mean, deviation = known.mean(), known.std()
    if math.isfinite(deviation) and deviation:
        assert abs(x.mean() - mean) < 5 * deviation / math.sqrt(count)


@slow
@pytest.mark.parametrize(
    ("name", "parameters", "mean", "deviation"),
    [
        ("binomial", (10**15, 0.999), 999e12, math.sqrt(999e9)),
        ("binomial", (2**62, 0.5), 2.0**61, 2.0**30),
        ("poisson", (1e12,), 1e12, 1e6),
        ("poisson", (1e18,), 1e18, 1e9),
    ],
)
def test_great_integers_are_nearly_normal(name, parameters, mean, deviation):
    x = getattr(cp.random.RandomState(1), name)(*parameters, size=100_000)
    # Between integers the distribution is uniform.
    smooth = cp.asnumpy(x) - mean + np.random.default_rng(0).uniform(-0.5, 0.5, x.size)
    assert stats.kstest(smooth / deviation, "norm").pvalue > LEAST


def test_great_hypergeometric_is_nearly_normal():
    good, bad, sample = 10**8, 3 * 10**8, 10**6
    x = cp.asnumpy(cp.random.RandomState(1).hypergeometric(good, bad, sample, size=3000))
    mean = sample / 4
    deviation = math.sqrt(sample * 3 / 16 * (good + bad - sample) / (good + bad - 1))
    smooth = x + np.random.default_rng(0).uniform(-0.5, 0.5, x.size)
    assert stats.kstest((smooth - mean) / deviation, "norm").pvalue > LEAST


@pytest.mark.parametrize(
    ("name", "parameters", "value"),
    [
        ("binomial", (7, 0.0), 0),
        ("binomial", (7, 1.0), 7),
        ("binomial", (0, 0.3), 0),
        ("binomial", (2**63 - 1, 1.0), 2**63 - 1),
        ("poisson", (0.0,), 0),
        ("geometric", (1.0,), 1),
        ("hypergeometric", (5, 0, 3), 3),
        ("hypergeometric", (0, 5, 3), 0),
        ("hypergeometric", (40, 30, 70), 40),
        ("negative_binomial", (3, 1.0), 0),
        ("logseries", (1e-300,), 1),
        ("zipf", (2000.0,), 1),
        ("gamma", (0.0, 1.0), 0.0),
        ("gamma", (3.0, 0.0), 0.0),
        ("gamma", (1e-300, 1.0), 0.0),
        ("normal", (2.0, 0.0), 2.0),
    ],
)
def test_edges(name, parameters, value):
    x = getattr(cp.random.RandomState(3), name)(*parameters, size=40)
    assert cp.asnumpy(x).tolist() == [value] * 40


def test_angles():
    state = cp.random.RandomState(3)
    x = cp.asnumpy(state.vonmises(0.0, 1e300, size=40))
    assert 0 < abs(x).max() < 1e-148
    for kappa in (0.0, 1e-3, 3.0, 1e7):
        for turns in (0, 1, -3):
            x = cp.asnumpy(state.vonmises(3.0 + 2 * math.pi * turns, kappa, size=400))
            assert (abs(x) <= math.pi).all()
            if kappa == 3.0:
                assert abs(np.exp(1j * (x - 3.0)).mean() - 0.81) < 0.1  # I1(3) / I0(3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("poisson", (4.5,)), ("poisson", (100.0,)),
        ("binomial", (9, 0.3)), ("binomial", (400, 0.6)),
        ("hypergeometric", (50, 60, 40)), ("beta", (0.5, 2.0)), ("f", (3.0, 1.5)),
        ("gamma", (2.5, 3.0)), ("noncentral_chisquare", (3.0, 2.0)), ("standard_t", (1.5,)),
        ("vonmises", (3.0, 2.0)), ("zipf", (1.3,)), ("geometric", (0.1,)), ("binomial", (3, 0.5)),
        ("poisson", (1e-9,)), ("hypergeometric", (5, 6, 4)), ("noncentral_f", (2.0, 3.0, 1.5)),
        ("negative_binomial", (0.5, 0.1)),
        pytest.param("negative_binomial", (5.0, 0.4), marks=slow),
        pytest.param("noncentral_chisquare", (0.5, 2.0), marks=slow),
        pytest.param("standard_gamma", (0.3,), marks=slow),
        pytest.param("chisquare", (5.0,), marks=slow),
    ],
)  # fmt: skip
def test_numbers_as_parameters_give_what_arrays_do(name, parameters, monkeypatch):
    """Threads that draw many variates each, by tables or not, and those that draw one."""
    row = spec.DISTRIBUTIONS[name]
    target = _layout.contiguous(np.dtype(row.result), (300,))
    places = cp.arange(1000, 1300).astype("u8")
    arrays = [cp.full(300, x, code) for x, code in zip(parameters, row.parameters, strict=True)]
    layouts = tuple(x._layout for x in arrays)
    expected = variates_call(current.stream, name, layouts, target, False, None)(0, 1000, *arrays)
    monkeypatch.setattr(launch, "grid_for", lambda blocks: (1, 1, 1))
    for size in (10**6, 0)[: 1 + (name in spec.TABLED)]:
        monkeypatch.setattr(launch, "TABLED_SIZE", size)
        call = launch._sampled(current.stream, name, target, False, size == 0)
        found = call(places, *parameters) if size == 0 else call(0, 1000, *parameters)
        np.testing.assert_array_equal(found.get(), expected.get())


@pytest.mark.slow
def test_numbers_that_are_equal_are_checked_each():
    """A scale of -0.0 is a negative one, and True is no number that was seen as 1."""
    state, generator = cp.random.RandomState(1), cp.random.default_rng(1)
    for draws in (state, generator):
        for name in ("normal", "gamma"):
            method = getattr(draws, name)
            assert (method(2.0, 0.0, size=3) == method(2, 0, size=3)).all()
            for _ in range(2):
                with pytest.raises(ValueError, match="scale < 0"):
                    method(2.0, -0.0, size=3)
            assert method(True, 1, size=()).shape == ()


def test_shapes_that_underflow():
    # Gamma variates of such shapes are 0: the share is one of the two, with odds of 3 to 1.
    x = cp.asnumpy(cp.random.RandomState(0).beta(3e-310, 1e-310, size=2000))
    assert set(x.tolist()) == {0.0, 1.0}
    assert 1430 < x.sum() < 1570


def test_exponents_near_one():
    x = cp.asnumpy(cp.random.RandomState(0).zipf(1 + 1e-9, size=2000))
    assert x.min() >= 1
    # Nearly as many in each power of two.
    assert stats.kstest(np.log(x) / math.log(2**63), "uniform").pvalue > LEAST


@pytest.mark.parametrize("bad", [math.nan, -1.0, math.inf])
@pytest.mark.parametrize("name", ["beta", "gamma", "binomial", "poisson", "vonmises", "zipf"])
def test_parameters_without_a_meaning_end(name, bad):
    """Whatever an array on the device holds, a kernel ends, and integers are in their range."""
    state = cp.random.RandomState(0)
    one = cp.full(8, bad)
    arguments = {"binomial": (10, one), "beta": (one, 2.0), "gamma": (one, 2.0)}.get(name, (one,))
    if name == "vonmises":
        arguments = (0.0, one)
    x = cp.asnumpy(_drawn(state, name, arguments))
    if x.dtype.kind == "f" and not bad > 0:
        assert np.isnan(x).all()
    if name == "binomial":
        assert ((x >= 0) & (x <= 10)).all()


def _drawn(state, name, arguments):
    """Variates without the checks of their parameters."""
    kinds = tuple(
        [
            x._layout if isinstance(x, cp.ndarray) else np.dtype("i8" if type(x) is int else "f8")
            for x in arguments
        ]
    )
    result = "i8" if name in ("binomial", "poisson", "zipf") else "f8"
    target = _layout.contiguous(np.dtype(result), (8,))
    run = variates_call(current.stream, name, kinds, target, False, None)
    return run(*state._places(8), *arguments)


# --- arguments


def test_parameters_broadcast():
    state = cp.random.RandomState(5)
    loc, scale = cp.array([[0.0], [1000.0]]), cp.array([0.0, 1.0, 2.0])
    x = cp.asnumpy(state.normal(loc, scale))
    assert x.shape == (2, 3)
    assert x[:, 0].tolist() == [0.0, 1000.0]
    assert (abs(x - [[0.0], [1000.0]]) < 20).all()
    y = state.gamma([[1.0], [1e6]], 1.0, size=(5, 2, 3))
    assert y.shape == (5, 2, 3)
    assert bool((y[:, 1] > 9e5).all())
    assert bool((y[:, 0] < 100).all())
    # Views: every other one of a reversed array, and integers for floats.
    n = cp.arange(10)[::-2]
    assert cp.asnumpy(state.binomial(n, 1.0)).tolist() == [9, 7, 5, 3, 1]
    assert cp.asnumpy(state.normal(n, 0.0)).tolist() == [9, 7, 5, 3, 1]


@pytest.mark.parametrize("dtype", ["f4", pytest.param("f2", marks=slow)])
def test_dtypes_of_floats(dtype):
    one, other = [cp.random.RandomState(5) for _ in range(2)]
    x = one.gamma(2.0, 3.0, size=100, dtype=dtype)
    assert x.dtype == dtype
    assert (cp.asnumpy(x) == cp.asnumpy(other.gamma(2.0, 3.0, size=100)).astype(dtype)).all()


def test_dtypes_of_integers():
    x = cp.random.RandomState(5).poisson(4.0, size=100, dtype="u1")
    assert x.dtype == np.uint8
    with pytest.raises(TypeError, match="Unsupported dtype dtype\\('int32'\\) for gamma"):
        cp.random.RandomState(5).gamma(2.0, dtype="i4")


def test_results_do_not_depend_on_chunks():
    whole, parts = [cp.random.RandomState(11) for _ in range(2)]
    x = cp.asnumpy(whole.gamma(0.7, 2.0, size=1000))
    sizes = [1, 3, (4, 5), 0, 300, (1, 676)]
    y = np.concatenate([cp.asnumpy(parts.gamma(0.7, 2.0, size=n)).ravel() for n in sizes])
    assert (x == y).all()
    z = cp.asnumpy(cp.random.RandomState(11).gamma(cp.full((1000,), 0.7), cp.array([2.0])))
    assert (x == z).all()


def test_correlations_of_neighbours():
    x = cp.asnumpy(cp.random.RandomState(2).gamma(2.0, size=4096))
    assert abs(np.corrcoef(x[1:], x[:-1])[0, 1]) < 5 / math.sqrt(x.size)


# --- vectors


def test_dirichlet():
    state = cp.random.RandomState(7)
    x = cp.asnumpy(state.dirichlet([1, 2, 3], (4, 500)))
    assert x.shape == (4, 500, 3)
    assert abs(x.sum(axis=-1) - 1).max() < 1e-15 * 4
    for k, a in enumerate((1, 2, 3)):
        assert stats.kstest(x[..., k].ravel(), stats.beta(a, 6 - a).cdf).pvalue > LEAST
    # One has all where shapes are tiny, each in its share of the cases.
    y = cp.asnumpy(state.dirichlet([1e-4, 3e-4], 1000))
    assert abs(y.sum(axis=-1) - 1).max() < 1e-15 * 4
    assert 190 < y[:, 0].sum() < 310
    with pytest.raises(ValueError, match="alpha <= 0"):
        state.dirichlet([1, -1])


def test_multinomial():
    state = cp.random.RandomState(7)
    p = [0.1, 0.2, 0.3, 0.4]
    x = cp.asnumpy(state.multinomial(20, p, 2000))
    assert x.shape == (2000, 4)
    assert (x.sum(axis=1) == 20).all()
    assert (x >= 0).all()
    for k in range(4):
        assert goodness(x[:, k], stats.binom(20, p[k])) > LEAST
    covariance = np.cov(x.T)
    assert abs(covariance - stats.multinomial(20, p).cov()).max() < 0.5
    assert cp.asnumpy(state.multinomial(5, [1.0])).tolist() == [5]
    assert cp.asnumpy(state.multinomial(5, [0.0, 1.0, 0.0])).tolist() == [0, 5, 0]
    with pytest.raises(ValueError, match=r"sum\(pvals\[:-1\]"):
        state.multinomial(5, [0.9, 0.9, 0.1])


@pytest.mark.parametrize("method", ["cholesky", "eigh", "svd"])
def test_multivariate_normal(method):
    state = cp.random.RandomState(8)
    mean, cov = [1.0, -2.0, 0.0], [[2.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 1.0]]
    x = cp.asnumpy(state.multivariate_normal(mean, cov, 4000, method=method))
    assert x.shape == (4000, 3)
    assert abs(x.mean(axis=0) - mean).max() < 0.15
    assert abs(np.cov(x.T) - cov).max() < 0.3
    white = np.linalg.solve(np.linalg.cholesky(cov), (x - mean).T)
    assert stats.kstest(white.ravel(), "norm").pvalue > LEAST


def test_covariances_that_are_none():
    state = cp.random.RandomState(8)
    bad = [[1.0, 2.0], [2.0, 1.0]]
    with pytest.warns(RuntimeWarning, match="not symmetric positive-semidefinite"):
        state.multivariate_normal([0, 0], bad, check_valid="warn", method="svd")
    with pytest.raises(ValueError, match="not symmetric positive-semidefinite"):
        state.multivariate_normal([0, 0], bad, check_valid="raise", method="eigh")
    with pytest.raises(np.linalg.LinAlgError):
        state.multivariate_normal([0, 0], bad)
    for arguments, message in [
        (([0.0], np.eye(2).tolist()), "mean and cov must have same length"),
        (([[0.0]], [[1.0]]), "mean must be 1 dimensional"),
        (([0.0], [[1.0, 2.0]]), "cov must be 2 dimensional and square"),
        (([0.0], [[1.0]], 3, "x"), "check_valid must equal"),
        (([0.0], [[1.0]], 3, "warn", 1e-8, "x"), "method must be one of"),
    ]:
        with pytest.raises(ValueError, match=message):
            state.multivariate_normal(*arguments)


# --- kernels


@pytest.mark.emulator
@pytest.mark.parametrize("size", slow_except([1027], [1, 5, 1027]))
def test_no_findings_of_the_checkers(size):
    with cp.cuda.check("races", "uninit", "bounds", "barriers"):
        state = cp.random.RandomState(1)
        for dtype in ("f4", "f8"):
            state.randn(size, dtype=dtype)
        for dtype, high in (("u1", 100), ("i4", 2**31), ("i8", 2**40)):
            state.randint(0, high, size, dtype)
        state.poisson(cp.full((size, 1), 30.0), (size, 1))
        state.gamma(cp.ones((3, 1)), cp.ones(size)[::-1])
        state.multinomial(20, [0.2, 0.3, 0.5], size)
        state.beta(0.5, 2.0, size)
        state.dirichlet([0.5, 2.0, 1.0], size)
        state.choice(10**6, min(size, 1000), replace=False)
        cp.random.default_rng(1).hypergeometric(50, 60, 40, size)
        cp.cuda.get_current_stream().synchronize()
