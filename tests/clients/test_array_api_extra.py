"""array-api-extra's functions of our arrays."""

import numpy as np
import pytest

import gpuarray as cp
from tests.clients.fetching import agrees

xpx = pytest.importorskip("array_api_extra")

RNG = np.random.default_rng(0)
H = RNG.random((4, 5))
V = RNG.random(7)

CALLS = {
    "apply_where": lambda xp, x, v: xpx.apply_where(x > 0.5, x, lambda a: a * 2, lambda a: -a),
    "apply_where fill": lambda xp, x, v: xpx.apply_where(
        x > 0.5, (x, x + 1), lambda a, b: a / b, fill_value=0
    ),
    "at set": lambda xp, x, v: xpx.at(x, (0, slice(None))).set(3.0, copy=True),
    "at add": lambda xp, x, v: xpx.at(x)[x > 0.5].add(3.0, copy=True),
    "at min": lambda xp, x, v: xpx.at(x)[:, 1].min(0.25, copy=True),
    "atleast_nd": lambda xp, x, v: xpx.atleast_nd(v, ndim=3),
    "create_diagonal": lambda xp, x, v: xpx.create_diagonal(v, offset=-1),
    "isclose": lambda xp, x, v: xpx.isclose(x, x + 1e-9),
    "kron": lambda xp, x, v: xpx.kron(x, x),
    "one_hot": lambda xp, x, v: xpx.one_hot(xp.arange(3), 4),
    "pad": lambda xp, x, v: xpx.pad(x, ((1, 0), (0, 2)), constant_values=7.0),
    "nan_to_num": lambda xp, x, v: xpx.nan_to_num(xp.asarray([1.0, xp.nan]), fill_value=2.0),
    "setdiff1d": lambda xp, x, v: xpx.setdiff1d(xp.arange(5), xp.asarray([1, 2])),
    "union1d": lambda xp, x, v: xpx.union1d(xp.arange(3), xp.asarray([1, 7])),
    "isin": lambda xp, x, v: xpx.isin(xp.arange(5), xp.asarray([1, 2])),
    "sinc": lambda xp, x, v: xpx.sinc(v),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions(name):
    call = CALLS[name]
    agrees(call(cp, cp.asarray(H), cp.asarray(V)), call(np, H, V))


def test_partitions():
    x = xpx.partition(cp.asarray(V), 2).get()
    order = xpx.argpartition(cp.asarray(V), 2).get()
    for found in (x, V[order]):
        assert found[2] == np.sort(V)[2]
        assert sorted(found) == sorted(V)
    assert int(xpx.nunique(cp.asarray([1.0, 2, 1]))) == 2


def test_what_the_namespace_says():
    assert xpx.default_dtype(cp) == np.float64
    assert xpx.default_dtype(cp, "complex floating") == np.complex128


def test_cov():
    agrees(xpx.cov(cp.asarray(H)), np.cov(H))
