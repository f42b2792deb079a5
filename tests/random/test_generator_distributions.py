"""Distributions of `Generator` with streams of their own: chunks, `out`, what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import gpuarray as cp
from tests.random.test_distributions import LEAST, goodness

CASES = {
    "beta": ((2, 3), stats.beta(2, 3)),
    "binomial": ((100, 0.3), stats.binom(100, 0.3)),
    "chisquare": ((3,), stats.chi2(3)),
    "f": ((3, 10), stats.f(3, 10)),
    "gamma": ((2.5, 2), stats.gamma(2.5, scale=2)),
    "geometric": ((0.2,), stats.geom(0.2)),
    "hypergeometric": ((50, 60, 40), stats.hypergeom(110, 50, 40)),
    "logseries": ((0.7,), stats.logser(0.7)),
    "negative_binomial": ((5, 0.3), stats.nbinom(5, 0.3)),
    "noncentral_chisquare": ((3, 2), stats.ncx2(3, 2)),
    "noncentral_f": ((3, 10, 1), stats.ncf(3, 10, 1)),
    "poisson": ((30,), stats.poisson(30)),
    "standard_gamma": ((0.7,), stats.gamma(0.7)),
    "standard_t": ((5,), stats.t(5)),
    "vonmises": ((0, 2), stats.vonmises(2)),
    "wald": ((1, 2), stats.invgauss(0.5, scale=2)),
    "zipf": ((2.5,), stats.zipf(2.5)),
}
QUICK = ("gamma", "binomial")


@pytest.mark.parametrize(
    "name", [x if x in QUICK else pytest.param(x, marks=pytest.mark.slow) for x in CASES]
)
def test_goodness_of_fit_and_chunks(name):
    parameters, known = CASES[name]
    whole, parts = [cp.random.default_rng(20) for _ in range(2)]
    x = cp.asnumpy(getattr(whole, name)(*parameters, size=4000))
    assert goodness(x, known) > LEAST
    sizes = (1, (3, 5), 0, 3984)
    y = [cp.asnumpy(getattr(parts, name)(*parameters, size=n)).ravel() for n in sizes]
    assert (np.concatenate(y) == x).all()
    # A word an element, so that what is drawn next is the same.
    assert float(whole.random()) == float(parts.random())
    numpys = np.random.default_rng(20)
    numpys.bit_generator.random_raw(4000)
    numpys.random()
    assert whole.bit_generator.state == numpys.bit_generator.state


def test_standard_gamma_in_arrays_of_the_callers():
    rng, again = [cp.random.default_rng(4) for _ in range(2)]
    out = cp.empty((2, 3))
    assert rng.standard_gamma([1.0, 2.0, 3.0], out=out) is out
    assert (out == again.standard_gamma([1.0, 2.0, 3.0], size=(2, 3))).all()
    # Shapes that lie where the variates go, in another order.
    shapes = cp.arange(1.0, 1001.0)
    found = rng.standard_gamma(shapes[::-1], out=shapes)
    assert (found == again.standard_gamma(cp.arange(1000.0, 0.0, -1.0))).all()
    half = cp.empty(5, dtype="f4")
    rng.standard_gamma(2.0, size=5, dtype="f4", out=half)
    exact = again.standard_gamma(2.0, size=5)
    assert (half == exact.astype("f4")).all()
    for out, dtype, error in [
        (np.empty(3), "f8", TypeError),
        (cp.empty(3, "f4"), "f8", TypeError),
        (cp.empty((3, 2)).T, "f8", ValueError),
        (cp.empty(4), "f8", ValueError),
    ]:
        with pytest.raises(error):
            rng.standard_gamma(2.0, size=3, dtype=dtype, out=out)
    with pytest.raises(ValueError, match="shape mismatch"):
        rng.standard_gamma([1.0, 2.0], out=cp.empty(3))
    with pytest.raises(TypeError, match="Unsupported dtype"):
        rng.standard_gamma(1.0, dtype="i4")


def test_multinomial_broadcasts():
    rng = cp.random.default_rng(4)
    x = cp.asnumpy(rng.multinomial([[3], [40]], [[0.5, 0.5], [0.1, 0.9]], size=(5, 2, 2)))
    assert x.shape == (5, 2, 2, 2)
    assert (x.sum(axis=-1) == [[3, 3], [40, 40]]).all()
    many = cp.asnumpy(rng.multinomial(cp.full((2000,), 30), cp.array([0.2, 0.3, 0.5])))
    assert goodness(many[:, 1], stats.binom(30, 0.3)) > LEAST
    assert rng.multinomial(3, [0.5, 0.5], size=(0, 2)).shape == (0, 2, 2)


def test_multivariate_hypergeometric():
    rng = cp.random.default_rng(4)
    x = cp.asnumpy(rng.multivariate_hypergeometric([10, 20, 30], 12, size=2000))
    assert (x.sum(axis=1) == 12).all()
    for k, colours in enumerate((10, 20, 30)):
        assert goodness(x[:, k], stats.hypergeom(60, colours, 12)) > LEAST
    found = rng.multivariate_hypergeometric([3, 4], 7, method="count")
    assert cp.asnumpy(found).tolist() == [3, 4]
    assert cp.asnumpy(rng.multivariate_hypergeometric([3, 4], 0)).tolist() == [0, 0]


def test_multivariate_normal_has_numpys_variates():
    mean, cov = [1.0, -2.0], [[2.0, 1.0], [1.0, 3.0]]
    x = cp.random.default_rng(4).multivariate_normal(mean, cov, 50, method="cholesky")
    y = np.random.default_rng(4).multivariate_normal(mean, cov, 50, method="cholesky")
    assert np.allclose(cp.asnumpy(x), y, rtol=0, atol=1e-13)


BAD = [
    ("gamma", (-1,)),
    ("gamma", ([1, -1.0],)),
    ("beta", (0, 1)),
    ("binomial", (10, [0.5, math.nan])),
    ("poisson", (1e30,)),
    ("hypergeometric", (2, 2, 5)),
    ("hypergeometric", (10**9, 2, 5)),
    ("vonmises", (0, -1)),
    ("standard_gamma", (-1,)),
    ("dirichlet", ([1, -1],)),
    ("multinomial", (-1, [0.5, 0.5])),
    ("multinomial", (5, [0.9, 0.9, 0.1])),
    ("multinomial", (5, [])),
    ("multivariate_hypergeometric", ([1, 2], 5)),
    ("multivariate_hypergeometric", ([1, -2], 1)),
    ("multivariate_hypergeometric", ([1, 2], -1)),
    ("multivariate_hypergeometric", ([1, 2], 1, None, "x")),
]


@pytest.mark.parametrize(("name", "arguments"), BAD, ids=[f"{n}{a}" for n, a in BAD])
def test_errors_are_those_of_numpy(name, arguments):
    rng = cp.random.default_rng(0)
    kept = rng.bit_generator.state
    with pytest.raises(Exception) as theirs:
        getattr(np.random.default_rng(0), name)(*arguments)
    with pytest.raises(type(theirs.value)) as mine:
        getattr(rng, name)(*arguments)
    assert str(mine.value) == str(theirs.value)
    assert rng.bit_generator.state == kept


@pytest.mark.emulator
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("gamma", ([1.0, -1.0],)),
        ("binomial", (10, [1.5])),
        ("multinomial", (3, [0.9, 0.9, 0.1])),
        ("dirichlet", ([1.0, -1.0],)),
    ],
)
def test_arrays_are_looked_at_on_the_emulator(name, arguments):
    with pytest.raises(ValueError, match="<|>"):
        getattr(cp.random.default_rng(0), name)(*arguments[:-1], cp.array(arguments[-1]))


def test_arrays_out_of_range_have_no_variates(monkeypatch):
    from gpuarray.random import _variates

    monkeypatch.setattr(_variates, "looks_at_arrays", lambda: False)
    x = cp.random.default_rng(0).gamma(cp.array([1.0, -1.0, math.nan]))
    assert np.isnan(cp.asnumpy(x)).tolist() == [False, True, True]
