"""isclose, allclose, array_equal and array_equiv, with NumPy as the oracle."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.errors import HostArrayError

A = [1, 2, np.nan, np.inf, -np.inf, np.nan, 0, 5]
B = [1 + 1e-9, 2.1, np.nan, np.inf, np.inf, 1, 1e-9, 5.00004]


def host(x):
    return cp.asnumpy(x) if isinstance(x, cp.ndarray) else x


@pytest.mark.parametrize("dtypes", ["dd", "ff", "ed", "Dd"])
@pytest.mark.parametrize("options", [{}, {"equal_nan": True}, {"rtol": 0.05, "atol": 0}])
def test_tolerances(dtypes, options):
    a, b = (np.array(x).astype(dtype) for x, dtype in zip((A, B), dtypes))
    found = cp.isclose(cp.asarray(a), cp.asarray(b), **options)
    wanted = np.isclose(a, b, **options)
    np.testing.assert_array_equal(host(found), wanted)
    for part in (slice(None), slice(0, 1), slice(6, 7), slice(2, 4)):
        found = cp.allclose(cp.asarray(a)[part], cp.asarray(b)[part], **options)
        assert (found.dtype, found.shape) == (bool, ())
        assert bool(found) is bool(np.allclose(a[part], b[part], **options))


@pytest.mark.parametrize(
    "a, b",
    [
        (np.array([-128, 127, 1], "i1"), np.array([-128, 126, 1], "i1")),
        (np.array([2**53 + 1, 5]), np.array([2.0**53, 5.0])),
        (np.array([[1], [2]], "u1"), np.array([1.0, 2.0000001], "f4")),
        (np.array([1.0, 2.0]), 2),
        (2, np.array([1, 2])),
        (np.array([True, False]), True),
        (np.array([1.0, 3.0], "f4"), np.float64(3 + 1e-9)),
        (np.array([1.0, np.nan]), [1.0, np.nan]),
        (1.0, 1),
        (np.zeros((0, 3)), 1.0),
    ],
)
def test_operands(a, b):
    ours = [cp.asarray(x) if isinstance(x, np.ndarray) else x for x in (a, b)]
    for _ in range(2):
        found, wanted = cp.isclose(*ours), np.isclose(a, b)
        assert (found.dtype, found.shape) == (bool, wanted.shape)
        np.testing.assert_array_equal(host(found), wanted)
        for name in ("allclose", "array_equal", "array_equiv"):
            assert bool(getattr(cp, name)(*ours)) is bool(getattr(np, name)(a, b)), name


def test_tolerances_that_are_arrays():
    a, b, tolerance = np.arange(4.0), np.arange(4.0) * 1.1, np.array([0.2, 0.01, 0.2, 0.01])
    found = cp.isclose(cp.asarray(a), cp.asarray(b), rtol=cp.asarray(tolerance))
    np.testing.assert_array_equal(host(found), np.isclose(a, b, rtol=tolerance))
    assert host(cp.isclose(cp.float32(1) * cp.ones(2, "f4"), 1, np.float64(0), 0)).all()


@pytest.mark.parametrize("shapes", [((3,), (3,)), ((3,), (1,)), ((2, 3), (3,)), ((2,), (3,))])
@pytest.mark.parametrize("equal_nan", [False, True])
def test_equality(shapes, equal_nan):
    a, b = (np.resize([1.0, np.nan], shape) for shape in shapes)
    for x, y in ((a, b), (np.ones_like(a), np.ones_like(b))):
        ours = cp.asarray(x), cp.asarray(y)
        found = cp.array_equal(*ours, equal_nan=equal_nan)
        assert bool(found) is bool(np.array_equal(x, y, equal_nan=equal_nan))
        assert bool(cp.array_equiv(*ours)) is bool(np.array_equiv(x, y))


def test_numpys_functions_find_them():
    x = cp.arange(3.0)
    assert bool(np.allclose(x, x + 1e-9))
    assert not bool(np.array_equal(x, x + 1))


@pytest.mark.parametrize("function", [cp.isclose, cp.allclose, cp.array_equal])
def test_fused(function):
    fused = cp.fuse(lambda x, y: function(x, y))
    for y in (np.array([0.0, 1, 2]), np.array([0, 1, 2]), np.array([0.0, 1 + 1e-9, 2])):
        x, y = cp.arange(3.0), cp.asarray(y)
        np.testing.assert_array_equal(host(fused(x, y)), host(function(x, y)))


def test_host_arrays_are_refused():
    for function in (cp.isclose, cp.allclose, cp.array_equal, cp.array_equiv):
        with pytest.raises(HostArrayError, match="host memory"):
            function(cp.ones(3), np.ones(3))
