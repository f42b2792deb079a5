"""The classes of ``polynomial``, beside NumPy's."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import raises_alike

CLASSES = ["Polynomial", "Chebyshev", "Legendre", "Hermite", "HermiteE", "Laguerre"]
each_class = pytest.mark.parametrize("name", CLASSES)


def _same(found, expected):
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            _same(one, other)
        return
    if hasattr(expected, "coef"):
        assert type(found).__name__ == type(expected).__name__
        assert found.symbol == expected.symbol
        np.testing.assert_allclose(found.domain, expected.domain, rtol=1e-12)
        np.testing.assert_allclose(found.window, expected.window, rtol=1e-12)
        found, expected = found.coef, expected.coef
    found, expected = cp.asnumpy(found), np.asarray(expected)
    if expected.dtype.kind == "c" and found.dtype.kind == "f" and not expected.imag.any():
        expected = expected.real  # since NumPy 2.5 some of its functions return complex roots
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


#: Of the library's package, a series, a shorter one, and points.
CASES = {
    "sum": lambda P, p, q, x: (p + q, q + p, 1 + p, p + [1, 2]),
    "difference": lambda P, p, q, x: (p - q, q - p, 1 - p, -p, +p),
    "product": lambda P, p, q, x: (p * q, 2 * p, x * p, p * x),
    "quotient": lambda P, p, q, x: (p // q, p % q, p / 2, 2 // p, 2 % p),
    "both parts of a quotient": lambda P, p, q, x: (*divmod(p, q), *divmod([1.0, 2, 3], q)),
    "power": lambda P, p, q, x: (p**3, p**0),
    "values": lambda P, p, q, x: (p(x), p(x.astype("f4")), p(2.0), p([0.5, 1])),
    "composition": lambda P, p, q, x: (p(q), q(p)),
    "derivative and integral": lambda P, p, q, x: (p.deriv(), p.deriv(2), p.integ(2, [1, 2], 0.5)),
    "roots": lambda P, p, q, x: (p.roots(),),
    "points": lambda P, p, q, x: (*p.linspace(5), *p.linspace(3, [0, 1])),
    "domain": lambda P, p, q, x: (p.convert(domain=[0, 3]), *p.mapparms()),
    "class": lambda P, p, q, x: (
        p.convert(kind=P.Legendre, domain=[0, 3], window=[0, 2]), type(p).cast(P.Chebyshev([1, 2])),
    ),
    "fewer coefficients": lambda P, p, q, x: (
        p.trim(1), p.truncate(2), p.cutdeg(1), p.degree(), len(p), p.copy(),
    ),
    "new": lambda P, p, q, x: (
        type(p).basis(3), type(p).identity([0, 3]), type(p).fromroots([1, 2, 3], domain=[0, 4]),
        type(p).fromroots([1.0, 2.0], domain=None), type(p).fromroots([1.0]),
    ),
    "fit": lambda P, p, q, x: (
        type(p).fit(x, x**2 + x, 2), type(p).fit(x, x, 1, domain=[]),
        type(p).fit(x[:1], x[:1], 0), type(p).fit(x, x, 1, full=True)[0],
    ),
}  # fmt: skip


# The functions of each basis have their own tests.
@pytest.mark.parametrize(
    ("name", "case"),
    [
        pytest.param(name, case, marks=() if quick else pytest.mark.slow)
        for number, name in enumerate(CLASSES)
        for place, case in enumerate(CASES)
        for quick in [name in ("Polynomial", "Laguerre")]
        if quick or (number + place) % 3 == 0
    ],
)
def test_series(name, case):
    results, domain = [], [-2.0, 3.0]
    for library in (np, cp):
        cls = getattr(library.polynomial, name)
        p = cls([1.0, 2.0, 3.0, -1.0], domain, symbol="z")
        q = cls([2.0, 0.0, 1.0], domain, symbol="z")
        x = library.linspace(-2, 2, 5)
        results.append(CASES[case](library.polynomial, p, q, x))
    _same(results[1], results[0])


@each_class
def test_text(name):
    p, q = [
        getattr(library.polynomial, name)([1.0, 2.0, -3.5], [0, 2], symbol="t")
        for library in (cp, np)
    ]
    assert (repr(p), str(p), f"{p:ascii}", f"{p:unicode}") == (
        repr(q), str(q), f"{q:ascii}", f"{q:unicode}",
    )  # fmt: skip
    assert p._repr_latex_() == q._repr_latex_()


def test_default_print_style(monkeypatch):
    monkeypatch.setattr(cp.polynomial._series_class, "_style", None)
    p = cp.polynomial.Polynomial([1, 2, 3])
    cp.polynomial.set_default_printstyle("ascii")
    assert str(p) == "1.0 + 2.0 x + 3.0 x**2"
    cp.polynomial.set_default_printstyle("unicode")
    assert str(p) == "1.0 + 2.0·x + 3.0·x²"
    with pytest.raises(ValueError, match="no style is called"):
        cp.polynomial.set_default_printstyle("latex")


@each_class
def test_comparisons_and_copies(name):
    cls = getattr(cp.polynomial, name)
    p = cls([1, 2, 3])
    assert p == cls([1, 2, 3])
    assert pickle.loads(pickle.dumps(p)) == p == copy.deepcopy(p)
    for other in (
        cls([1, 2, 4]),
        cls([1, 2]),
        cls([1, 2, 3], [0, 3]),
        cls([1, 2, 3], symbol="y"),
        3,
    ):
        assert p != other
    assert p.has_sametype(cls([1]))
    assert not p.has_sametype(3)
    assert p.has_samedomain(cls([1]))
    assert not p.has_samedomain(cls([1], [0, 9]))
    assert p.has_samewindow(cls([1]))
    assert not p.has_samewindow(cls([1], window=[0, 9]))
    assert p.has_samecoef(cls([1, 2, 3]))
    assert not p.has_samecoef(cls([1]))
    assert list(map(float, p)) == [1, 2, 3]


ERRORS = [
    lambda P: P.Polynomial([1, 2]) + P.Chebyshev([1]),
    lambda P: P.Polynomial([1, 2]) + P.Polynomial([1], [0, 1]),
    lambda P: P.Polynomial([1, 2]) + P.Polynomial([1], window=[0, 1]),
    lambda P: P.Polynomial([1, 2]) + P.Polynomial([1], symbol="y"),
    lambda P: P.Polynomial([1, 2]) + "text",
    lambda P: P.Polynomial([1, 2]) / P.Polynomial([1]),
    lambda P: P.Polynomial([1, 2]) // P.Polynomial([0]),
    lambda P: 1 / P.Polynomial([1, 2]),
    lambda P: P.Polynomial([1, 2], [1]),
    lambda P: P.Polynomial([1, 2], window=[1, 2, 3]),
    lambda P: P.Polynomial([]),
    lambda P: P.Polynomial([1], symbol=""),
    lambda P: P.Polynomial([1], symbol=1),
    lambda P: P.Polynomial.basis(-1),
    lambda P: P.Polynomial([1]).truncate(0),
    lambda P: P.Polynomial([1, 2]) ** 101,
    lambda P: hash(P.Polynomial([1])),
]


@pytest.mark.parametrize("call", ERRORS)
def test_errors(call):
    raises_alike(lambda: call(np.polynomial), lambda: call(cp.polynomial))


def test_interpolation():
    results = [
        library.polynomial.Chebyshev.interpolate(lambda x: x**2 + 1, 3, domain=[0, 2])
        for library in (np, cp)
    ]
    _same(results[1], results[0])
