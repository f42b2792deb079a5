"""Polynomials by coefficients from the highest power on: poly1d, polyfit and so on, beside NumPy's."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import raises_alike, raises_as_numpy, same
from tests.slow import slow_except


def _numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def _plain(x):
    """A result with polynomials as their coefficients."""
    if isinstance(x, tuple):
        return tuple(map(_plain, x))
    return x.coeffs if hasattr(x, "coeffs") else x


def _both(call, *args, atol=1e-11):
    devices = [cp.asarray(x) if isinstance(x, np.ndarray) else x for x in args]
    expected, found = call(np, *args), call(cp, *devices)
    for one, other in zip(*[x if isinstance(x, tuple) else (x,) for x in (found, expected)], strict=True):  # fmt: skip
        assert hasattr(one, "coeffs") == hasattr(other, "coeffs")
    same(_plain(found), _plain(expected), atol=atol)


PAIRS = {
    "floats": (_numbers(5), _numbers(3, seed=1)),
    "integers": (np.array([2, 0, -1, 4], "i4"), np.array([3, 1], "i2")),
    "float32 and integers": (_numbers(4).astype("f4"), np.array([3, 1, 2])),
    "complex": (_numbers(4) + 1j, _numbers(3)),
    "a number": (_numbers(4), np.array([2.0])),
    "zeros in front": (np.array([0.0, 0, 2, 1]), np.array([0, 3.0, 1])),
}


@pytest.mark.parametrize("name", ["polyadd", "polysub", "polymul"])
@pytest.mark.parametrize("pair", PAIRS)
def test_arithmetic(name, pair):
    a, b = PAIRS[pair]
    _both(lambda xp, a, b: getattr(xp, name)(a, b), a, b)
    _both(lambda xp, a, b: getattr(xp, name)(b, a), a, b)
    _both(lambda xp, a, b: getattr(xp, name)(xp.poly1d(a), b), a, b)


@pytest.mark.parametrize("pair", [name for name in PAIRS if name != "zeros in front"])
def test_quotients(pair):
    a, b = PAIRS[pair]
    _both(lambda xp, a, b: xp.polydiv(a, b), a, b)
    _both(lambda xp, a, b: xp.polydiv(b, a), a, b)
    _both(lambda xp, a, b: xp.poly1d(a) / xp.poly1d(b), a, b)
    _both(lambda xp, a, b: xp.polydiv(xp.convolve(a, b), b), a, b)


@pytest.mark.parametrize("sizes", [(0, 0), (0, 2), (2, 0)])
def test_quotients_of_nothing(sizes):
    a, b = map(np.ones, sizes)
    with pytest.raises(IndexError):
        np.polydiv(a, b)
    with pytest.raises(IndexError, match="no coefficients"):
        cp.polydiv(cp.asarray(a), cp.asarray(b))


@pytest.mark.parametrize(
    "dtypes", [("f8", "f8"), ("f4", "f8"), ("i4", "i8"), ("u1", "u1"), ("f4", "c8"), ("f2", "f2"), ("?", "i2")]
)  # fmt: skip
def test_values(dtypes):
    p, x = (
        (3 * _numbers(4)).astype(dtypes[0]),
        (3 * _numbers(2, 5, seed=1)).astype("i1").astype(dtypes[1]),
    )
    atol = 0.3 if "f2" in dtypes else 1e-3
    _both(lambda xp, p, x: xp.polyval(p, x), p, x, atol=atol)
    _both(lambda xp, p, x: xp.polyval(p[::-1], x[:, ::2]), p, x, atol=atol)


def test_values_of_other_forms():
    p, x = _numbers(4), _numbers(5, seed=1)
    _both(lambda xp, p: xp.polyval(p, 2.5), p)
    _both(lambda xp, p: xp.polyval(p, [1, 2]), p)
    _both(lambda xp, p, x: xp.polyval(xp.poly1d(p), x), p, x)
    _both(lambda xp, p: xp.polyval(p, xp.poly1d([2.0, 1.0])), p)
    _both(lambda xp, p: xp.poly1d(p)(xp.poly1d([2.0, 1.0, 0.5])), p)
    _both(lambda xp, p, x: xp.polyval(p, x), _numbers(3, 5), x)
    _both(lambda xp, p, x: xp.polyval(p, x), p, np.array([np.inf, -np.inf, np.nan, -0.0]))
    _both(lambda xp, p, x: xp.polyval(p, x), p[:0], x)
    rows = np.arange(4.0).reshape(2, 2)
    expected = np.polyval(rows.T, rows[0])
    found = cp.polyval(cp.asarray(rows).T, cp.asarray(rows[0]))
    same(found, expected)
    assert found.strides == expected.strides


@pytest.mark.parametrize("dtype", slow_except(["i4"], ["f8", "i4", "f4", "c8", "?"]))
def test_derivatives_and_integrals(dtype):
    p = (3 * _numbers(5)).astype(dtype)
    for m in (0, 1, 2, 6):
        _both(lambda xp, p, m: xp.polyder(p, m), p, m, atol=1e-5)
        _both(lambda xp, p, m: xp.polyint(p, m), p, m, atol=1e-5)
        _both(lambda xp, p, m: xp.polyint(p, m, 2.5), p, m, atol=1e-5)
    _both(lambda xp, p: xp.polyint(p, 2, [1j, 2]), p, atol=1e-5)
    _both(lambda xp, p: (xp.poly1d(p).deriv(), xp.poly1d(p).integ(2, 3)), p, atol=1e-5)
    _both(lambda xp, p: (xp.polyder(xp.poly1d(p)), xp.polyint(xp.poly1d(p))), p, atol=1e-5)
    _both(lambda xp, p: xp.polyder(p[::-1]), p, atol=1e-5)


@pytest.mark.parametrize(
    "p",
    [
        [1, 3.2, 2, 1], [0, 0, 1.0, -3, 2], [1.0, -3, 2, 0, 0], [0, 3.0, 0], [2.0], [], [0, 0],
        [1, 0, 1], [1j, 2, 3], np.arange(1, 6), np.float32([1, -3, 2]),
    ],
)  # fmt: skip
def test_roots(p):
    def ordered(xp, p):
        found = xp.roots(p)
        return xp.sort(found.round(6) + 0.0)

    _both(ordered, np.array(p), atol=2e-6)
    if len(p):
        _both(lambda xp, p: xp.sort(xp.poly1d(p).r.round(6) + 0.0), np.array(p), atol=2e-6)


def test_polynomials_of_roots():
    for values in (
        [2.0, 3, -1], [1, 2], [1 + 2j, 1 - 2j, 3], [1j, 2], np.float32([1, 2]), [[2.0, 1], [1, 3]],
        np.array([1, 2], "f2"),
    ):  # fmt: skip
        _both(lambda xp, x: xp.poly(x), np.array(values), atol=1e-5)
        if np.ndim(values) == 1:
            _both(lambda xp, x: xp.poly1d(x, True), np.array(values), atol=1e-5)
    assert float(cp.poly([])) == np.poly([]) == 1


FITS = {
    "plain": {},
    "full": {"full": True},
    "weights": {"w": True, "full": True},
    "covariance": {"cov": True},
    "covariance without a factor": {"cov": "unscaled", "w": True},
    "a limit": {"rcond": 0.3, "full": True},
}


@pytest.mark.parametrize("columns", [False, True], ids=["1-D", "2-D"])
@pytest.mark.parametrize("case", FITS)
def test_fits(case, columns):
    rng = np.random.default_rng(3)
    x, y, w = rng.uniform(-1, 1, 20), rng.normal(size=20), rng.uniform(1, 2, 20)
    options = dict(FITS[case])
    if columns:
        y = np.stack([y, 2 * y + x], 1)

    def fit(xp, x, y, w):
        found = xp.polyfit(x, y, 3, **{**options, **({"w": w} if "w" in options else {})})
        if "full" in options:
            return found[0], found[1], found[3]
        return found

    _both(fit, x, y, w, atol=1e-10)


def test_fits_that_are_refused():
    x = np.arange(4.0)
    for args in (
        (x, x, -1), (x[:0], x[:0], 1), (x[None], x, 1), (x, x[:3], 1), (x, x[None, None], 1),
        (x, x, 1, None, False, x[:2]), (x, x, 1, None, False, x[None]),
        (x[:2], x[:2], 1, None, False, None, True),
    ):  # fmt: skip
        devices = [cp.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
        raises_alike(lambda a=args: np.polyfit(*a), lambda a=devices: cp.polyfit(*a))
    with pytest.warns(np.exceptions.RankWarning, match="poorly conditioned") as caught:
        cp.polyfit(cp.asarray(x[:2]), cp.asarray(x[:2]), 3)
    assert caught[0].filename == __file__
    with (
        pytest.warns(np.exceptions.RankWarning),
        pytest.raises(np.linalg.LinAlgError, match="Singular matrix"),
    ):
        cp.polyfit(cp.asarray(x[:2]), cp.asarray(x[:2]), 3, cov=True)


OPERATORS = {
    "sums": lambda p, q: (p + q, p + 1, 1 + p, p + [1, 2], p - q, p - 1, 1 - p, -p, +p),
    "products": lambda p, q: (p * q, p * 2, 2 * p, [1, 2] * p, p**3, p**0),
    "quotients": lambda p, q: (p / 2, 2 / p, *(p / q), *([1.0, 2, 3] / q)),
}


@pytest.mark.parametrize("case", OPERATORS)
def test_operators(case):
    results = []
    for xp in (np, cp):
        p, q = xp.poly1d([1.0, 2, 3]), xp.poly1d([2.0, 1])
        results.append(OPERATORS[case](p, q))
    assert all(type(x) is cp.poly1d for x in results[1])
    same(_plain(results[1]), _plain(results[0]), atol=1e-12)


def test_attributes():
    p, q = cp.poly1d([0, 1, 2, 3], variable="z"), np.poly1d([0, 1, 2, 3], variable="z")
    for name in ("c", "coef", "coefficients", "coeffs"):
        same(getattr(p, name), getattr(q, name))
    assert (p.o, p.order, len(p), p.variable) == (q.o, q.order, len(q), q.variable)
    assert (str(p), repr(p)) == (str(q), repr(q))
    assert [float(x) for x in p] == [1, 2, 3]
    assert [float(p[i]) for i in (-1, 0, 2, 3)] == [float(q[i]) for i in (-1, 0, 2, 3)]
    p[0], q[0] = 7, 7
    p[4], q[4] = 5, 5
    same(p.coeffs, q.coeffs)
    p.coeffs += 1
    same(p.coeffs, q.coeffs + 1)
    assert cp.poly1d(p).variable == "z"
    assert cp.poly1d(p, variable="y").variable == "y"
    assert pickle.loads(pickle.dumps(p)) == p
    assert p != cp.poly1d([1])
    assert p != 3
    same(cp.poly1d(cp.zeros(3)).coeffs, np.poly1d(np.zeros(3)).coeffs)
    same(cp.poly1d(cp.zeros(0)).coeffs, np.poly1d(np.zeros(0)).coeffs)
    same(cp.poly1d([0, 0]).coeffs, np.poly1d([0, 0]).coeffs)
    same(cp.poly1d(3).coeffs, np.poly1d(3).coeffs)
    assert type(cp.asarray(2.0) * p) is cp.poly1d
    assert type(cp.asarray([2.0, 1]) + p) is cp.poly1d


def test_host_and_device():
    p = cp.poly1d([1.0, 2, 3], variable="z")
    assert p.get() == np.poly1d([1.0, 2, 3])
    assert p.get().variable == "z"
    p.set(np.poly1d([4.0, 5, 6]))
    same(p.coeffs, np.array([4.0, 5, 6]))
    p.set(np.array([7.0, 8, 9]))
    same(p.coeffs, np.array([7.0, 8, 9]))
    with pytest.raises(ValueError, match="shape"):
        p.set(np.ones(2))


def _set(p, name, value):
    setattr(p, name, value)


test_errors = raises_as_numpy(
    lambda xp: xp.poly1d([[1, 2], [3, 4]]),
    lambda xp: xp.poly1d([1, 2]) ** -1,
    lambda xp: xp.poly1d([1, 2]) ** 0.5,
    lambda xp: xp.poly1d([1, 2]).__setitem__(-1, 2),
    lambda xp: _set(xp.poly1d([1, 2]), "coeffs", xp.ones(2)),
    lambda xp: hash(xp.poly1d([1, 2])),
    lambda xp: xp.polyder([1, 2], -1),
    lambda xp: xp.polyint([1, 2], -1),
    lambda xp: xp.polyint([1, 2], 3, [1, 2]),
    lambda xp: xp.roots(xp.ones((2, 2))),
    lambda xp: xp.roots([1, np.nan, 2]),
    lambda xp: xp.poly(xp.ones((2, 3))),
)
