"""The functions of the modules of ``polynomial``, beside NumPy's."""

from __future__ import annotations

import inspect
import warnings
from types import FunctionType

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import device_copy, raises_alike, same
from tests.slow import slow_except

#: The modules, and what the names of their functions begin with.
MODULES = {
    "polynomial": "poly",
    "chebyshev": "cheb",
    "legendre": "leg",
    "hermite": "herm",
    "hermite_e": "herme",
    "laguerre": "lag",
}
each_basis = pytest.mark.parametrize("module", MODULES)


class Pair:
    """A module's function of a name without the prefix, in both libraries."""

    def __init__(self, module):
        self.module = module

    def __call__(self, name, *args, atol=1e-11, **kwargs):
        name = name.format(MODULES[self.module])
        host = getattr(getattr(np.polynomial, self.module), name)
        device = getattr(getattr(cp.polynomial, self.module), name)
        same(device(*map(_on_device, args), **kwargs), host(*args, **kwargs), atol=atol)

    def raises(self, name, *args):
        name = name.format(MODULES[self.module])
        host = getattr(getattr(np.polynomial, self.module), name)
        device = getattr(getattr(cp.polynomial, self.module), name)
        raises_alike(lambda: host(*args), lambda: device(*map(_on_device, args)))


def _on_device(x):
    if isinstance(x, list) and x and isinstance(x[0], np.ndarray):
        return [cp.asarray(one) for one in x]
    return cp.asarray(x) if isinstance(x, np.ndarray) else x


@pytest.fixture
def both(module):
    return Pair(module)


def _device_copy(x):
    return device_copy(x) if x.base is not None else cp.array(x, order="K")


def _numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("module", [*MODULES, "polyutils"])
def test_names_signatures_and_constants(module):
    host, device = getattr(np.polynomial, module), getattr(cp.polynomial, module)
    for name in host.__all__:
        theirs, ours = getattr(host, name), getattr(device, name)
        if isinstance(theirs, FunctionType):
            expected = inspect.signature(theirs).parameters.values()
            found = inspect.signature(ours).parameters.values()
            assert [(x.name, x.default) for x in found] == [(x.name, x.default) for x in expected]
            assert ours.__doc__
            assert ours.__name__ == name
        elif isinstance(theirs, np.ndarray):
            found = cp.asnumpy(ours)
            assert found.dtype == theirs.dtype
            np.testing.assert_array_equal(found, theirs)
    with pytest.raises(AttributeError):
        device.nothing_of_the_kind  # noqa: B018


@each_basis
def test_each_value(both):
    x = _numbers(3, 5)
    both("{}val", x, _numbers(6))
    both("{}grid2d", x[0], x[1], _numbers(3, 4))
    both("{}vander", x, 4)


@pytest.mark.parametrize("module", slow_except(["polynomial", "legendre"], MODULES))
def test_values(both):
    x = _numbers(3, 5)
    both("{}val", x, _numbers(1))
    both("{}val", x[:, ::-2], _numbers(3, 4, 2))
    both("{}val", x[:, :3], _numbers(4, 3), tensor=False)
    both("{}val", x, [1, 2, 3])
    both("{}val", 0.5, _numbers(4))
    both("{}val", x[:0], _numbers(4))
    if both.module in ("chebyshev", "legendre"):  # more factors than a block keeps
        both("{}val", x / 9, _numbers(200))
        both("{}vander", x / 9, 199)
    both("{}val2d", x, x + 1, _numbers(3, 4))
    both("{}val3d", x, x + 1, 2 * x, _numbers(3, 4, 2))
    if hasattr(np.polynomial.polynomial, "polyvalnd"):  # since NumPy 2.5
        both("{}valnd", [x, x + 1, 2 * x, x], _numbers(3, 2, 2, 2))
        both("{}valnd", x, _numbers(3, 2, 2))
        both.raises("{}valnd", [x, x, x, x[0]], _numbers(3, 2, 2, 2))
    both("{}grid3d", x[0], x[1], x[2], _numbers(3, 4, 2))
    both("{}vander", x[:, ::2], 0)
    both("{}vander2d", x, x + 1, [2, 1])
    both("{}vander3d", x, x + 1, 2 * x, [1, 2, 1])
    both.raises("{}vander", x, -1)
    both.raises("{}vander", x, 1.5)
    both.raises("{}val2d", x, x[:2], _numbers(3, 4))


@pytest.mark.parametrize(
    "dtypes",
    slow_except(
        [("i4", "f4"), ("f4", "c8"), ("f2", "f2")],
        [("f4", "f4"), ("f4", "f8"), ("i4", "f4"), ("?", "i2"), ("f4", "c8"), ("c16", "f8"), ("f2", "f2")],
    ),
    ids="-".join,
)  # fmt: skip
@pytest.mark.parametrize("module", ["polynomial", "laguerre"])
def test_dtypes(both, dtypes):
    points, coefficients = dtypes
    x, c = _numbers(7).astype(points), _numbers(4, seed=1)
    c = (c + 1j * c[::-1] if coefficients[0] == "c" else c).astype(coefficients)
    narrow = "e" in np.result_type(x, c).char
    both("{}val", x, c, atol=2e-2 if narrow else 1e-5)
    both("{}vander", x, 3, atol=2e-2 if narrow else 1e-5)
    if c.dtype != bool:
        both("{}mul", c, c[1:], atol=5e-2 if narrow else 1e-4)


@each_basis
def test_products_and_quotients(both):
    a, b = _numbers(6), _numbers(4, seed=1)
    both("{}mul", a, b)
    both("{}div", a, b)
    both("{}mulx", a)
    both("{}pow", b, 3, atol=1e-9)
    both("{}line", 1.5, 2.0)


@pytest.mark.parametrize("module", slow_except(["chebyshev", "hermite"], MODULES))
def test_arithmetic(both):
    a, b = _numbers(6), _numbers(4, seed=1)
    zeros = np.concatenate([b, np.zeros(3)])
    for name in ("{}add", "{}sub", "{}mul", "{}div"):
        both(name, a, b)
        both(name, b, a)
        both(name, zeros, a)
        both(name, a, a)
        both(name, a, 2 * b[:1])
        both(name, a, b + 1j * a[:4])
        both(name, [1, 2, 0], [3, 1])
        both.raises(name, a, np.zeros(0))
        both.raises(name, a, np.ones((2, 2)))
    both("{}mulx", a)
    both("{}mulx", np.zeros(3))
    both("{}pow", b, 3, atol=1e-9)
    both("{}pow", b, 0)
    both("{}fromroots", b)
    both("{}fromroots", [])
    both("{}trim", np.array([1.0, 0.5, 1e-3, 0.0]), 1e-2)
    both("{}trim", np.array([1e-3, 0.0]), 1e-2)
    both("{}line", 1.5, 2.0)
    both("{}line", 1.5, 0)
    both.raises("{}div", a, np.zeros(2))
    both.raises("{}pow", a, -1)
    both.raises("{}trim", a, -1)


@each_basis
def test_points_that_are_no_numbers(both):
    """NumPy's constants are NaN at infinite points."""
    x = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e200])
    for count in (1, 2, 3, 5):
        both("{}val", x, np.arange(1.0, count + 1))
        both("{}val", x, -np.ones(count))
        both("{}vander", x[:-1], count)


@each_basis
def test_order_of_values(both):
    x = np.asfortranarray(_numbers(3, 5))
    for c in (
        _numbers(4),
        _numbers(4, 3, 2),
        np.asfortranarray(_numbers(4, 3, 2)),
        _numbers(2, 3, 4).T,
    ):
        name = f"{MODULES[both.module]}val"
        for points in (x, x[0], x.T[:2]):
            expected = getattr(getattr(np.polynomial, both.module), name)(points, c)
            found = getattr(getattr(cp.polynomial, both.module), name)(
                _device_copy(points), _device_copy(c)
            )
            assert found.strides == expected.strides
            np.testing.assert_allclose(cp.asnumpy(found), expected, rtol=1e-11)


@each_basis
def test_derivatives_and_integrals(both):
    c = _numbers(3, 6, 2)
    for m in (0, 1, 2):
        both("{}der", c, m, 2.0, 1)
    both("{}der", c, 3)  # NumPy's hermeder moves the axis only where something is left
    for m in (0, 1, 3):
        both("{}int", c, m, [0.5][:m], 0.25, 2.0, 1)
    both("{}der", np.arange(4))
    both("{}int", np.arange(4))
    both("{}int", np.zeros(1), 2, [1, 2])
    both("{}int", c.astype("f4"), atol=1e-6)
    both.raises("{}der", c, -1)
    both.raises("{}der", c, 0.5)
    both.raises("{}int", c, 1, [1, 2])
    both.raises("{}int", c, -1)


@each_basis
def test_other_bases(both):
    if both.module == "polynomial":
        both("polyvalfromroots", _numbers(3, 4), _numbers(5, 2))
        both("polyvalfromroots", _numbers(2), _numbers(5, 2), tensor=False)
        both.raises("polyvalfromroots", _numbers(3, 4), _numbers(5), False)
        return
    both("{}2poly", _numbers(6))
    both("poly2{}", _numbers(6))
    both("{}gauss", 5)
    both("{}weight", np.linspace(-0.5, 0.5, 5))
    if both.module == "chebyshev":
        both("chebpts1", 5)
        both("chebpts2", 5)
        both("chebinterpolate", lambda x, a: a * x**2, 3, args=(2.0,))


@each_basis
@pytest.mark.parametrize("count", [1, 2, 3, 7])
@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_roots(both, count, dtype):
    c = _numbers(count).astype(dtype)
    if dtype == "c16":
        c += 1j * _numbers(count, seed=1)
    name = f"{MODULES[both.module]}roots"
    expected = getattr(getattr(np.polynomial, both.module), name)(c)
    if dtype == "f8" and not expected.imag.any():
        expected = expected.real  # since NumPy 2.5 some of its functions return complex numbers
    same(getattr(getattr(cp.polynomial, both.module), name)(cp.asarray(c)), expected, atol=1e-9)
    if count > 1:
        both("{}companion", c, atol=1e-9)
    both.raises("{}companion", c[:1])


def test_roots_of_infinite_coefficients():
    raises_alike(
        lambda: np.polynomial.polynomial.polyroots([1, np.nan, 2, 1]),
        lambda: cp.polynomial.polynomial.polyroots(cp.asarray([1, np.nan, 2, 1])),
    )


FITS = {
    "of a degree": lambda x, y, w: (x, y, 4),
    "of degrees, with weights": lambda x, y, w: (x, y, [0, 2, 3], None, True, w),
    "of columns": lambda x, y, w: (x, np.stack([y, y * 2], 1), 3, None, True),
    "of complex values": lambda x, y, w: (x, y + 1j * w, 3, None, True, w),
    "of complex points": lambda x, y, w: (x + 1j * w, y, 3, None, True),
    "through all points": lambda x, y, w: (x[:4], y[:4], 3, None, True),
    "of more than the points": lambda x, y, w: (x[:3], y[:3], 4, None, True),
    "of points that are equal": lambda x, y, w: (x * 0 + 1, y, 2, None, True),
}


_FIT_MODULES = [
    pytest.param(module, marks=() if module in ("polynomial", "laguerre") else pytest.mark.slow)
    for module in MODULES
]


@pytest.mark.parametrize("module", _FIT_MODULES)
@pytest.mark.parametrize("case", FITS)
def test_fits(both, case):
    rng = np.random.default_rng(3)
    args = FITS[case](rng.uniform(-1, 1, 20), rng.normal(size=20), rng.uniform(1, 2, 20))
    name = f"{MODULES[both.module]}fit"
    expected = getattr(getattr(np.polynomial, both.module), name)(*args)
    found = getattr(getattr(cp.polynomial, both.module), name)(*map(_on_device, args))
    if isinstance(expected, tuple):
        # The rank is one of NumPy's integers there, and rcond one of its floats.
        assert (found[1][1], found[1][3]) == (expected[1][1], expected[1][3])
        found = found[0], *found[1][::2]
        expected = expected[0], *expected[1][::2]
    same(found, expected, atol=1e-8)


@pytest.mark.parametrize("module", ["polynomial"])
def test_fits_that_are_refused(both):
    x = np.arange(4.0)
    for args in (
        (x, x, -1), (x, x, 1.5), (x[:0], x[:0], 1), (x[None], x, 1), (x, x[:3], 1),
        (x, x[None, None], 1), (x, x, [[1]]), (x, x, 1, None, False, x[:2]),
        (x, x, 1, None, False, x[None]), (x.astype("f2"), x.astype("f2"), 1),
        (x, x * np.nan, 1, None, False, x * np.nan),
    ):  # fmt: skip
        both.raises("{}fit", *args)
    with pytest.warns(np.exceptions.RankWarning, match="poorly conditioned") as caught:
        cp.polynomial.polynomial.polyfit(cp.asarray(x[:2]), cp.asarray(x[:2]), 3)
    assert caught[0].filename == __file__


def test_coefficients_in_device_memory_and_lists_are_trimmed_alike():
    polyutils = cp.polynomial.polyutils
    lists = [[1, 2, 0], [0, 0], [3.0], [1j, 0]]
    for trim in (True, False):
        expected = np.polynomial.polyutils.as_series(lists, trim)
        same(polyutils.as_series(lists, trim), expected)
        same(polyutils.as_series([cp.asarray(x) for x in lists], trim), expected)
    same(polyutils.as_series(cp.ones((2, 3))), np.polynomial.polyutils.as_series(np.ones((2, 3))))
    same(polyutils.trimseq(cp.asarray([0, 1, 0])), np.array([0, 1]))
    with pytest.raises(ValueError, match="no common type"):
        polyutils.as_series([cp.ones(2, bool)])


def test_domains():
    ours, theirs = cp.polynomial.polyutils, np.polynomial.polyutils
    x = _numbers(5)
    same(ours.getdomain(cp.asarray(x)), theirs.getdomain(x))
    z = x + 1j * x[::-1]
    same(ours.getdomain(cp.asarray(z)), theirs.getdomain(z))
    same(ours.mapdomain(cp.asarray(x), [0, 1], [2, 5]), theirs.mapdomain(x, [0, 1], [2, 5]))
    assert ours.mapparms(cp.asarray([0.0, 2.0]), (1, 2)) == theirs.mapparms((0.0, 2.0), (1, 2))
    assert ours.format_float(1.5e10, parens=True) == theirs.format_float(np.float64(1.5e10), True)


def test_nothing_warns_of_a_fit_with_all_results():
    x = cp.arange(2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cp.polynomial.polynomial.polyfit(x, x, 3, full=True)[1][1] == 2
