"""Element-wise functions that NumPy composes of ufuncs, and products of vectors."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._runtime import launch_history
from tests.array.arrays import (
    FLOATS,
    LAYOUTS_3D,
    against_numpy,
    raises_as_numpy,
    same,
)

REAL = ["?", "i1", "u4", *FLOATS]

#: Float16 is computed in float32 and rounded once, which NumPy's steps in float16 are not.
ULPS = {"e": 8, "f": 8, "d": 8}


def special(shape, dtype, seed=0):
    """Signed zeros, infinities, NaN and numbers between them."""
    rng = np.random.default_rng(seed)
    numbers = np.array([0, -0.0, 1, -1, 0.5, -2.5, 7.9, np.inf, -np.inf, np.nan])
    if np.dtype(dtype).kind in "iu?":
        return rng.integers(0, 9, shape).astype(dtype)
    chosen = rng.choice(numbers, shape)
    if np.dtype(dtype).kind == "c":
        result = np.empty(shape, dtype)
        result.real, result.imag = chosen, rng.choice(numbers, shape)
        return result
    return chosen.astype(dtype)


def finite(shape, dtype, seed=0):
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(special(shape, dtype, seed), posinf=3, neginf=-4)


test_tests_of_elements = against_numpy(
    lambda xp, x: (xp.iscomplex(x), xp.isreal(x), xp.angle(x) == xp.angle(x)), make=special
)
test_tests_for_infinities = against_numpy(
    lambda xp, x: (xp.isposinf(x), xp.isneginf(x, xp.empty(x.shape, bool))),
    dtypes=REAL, make=special,
)  # fmt: skip
test_angle = against_numpy(
    lambda xp, x, deg: xp.angle(x, deg), make=special, ulps=ULPS, deg=[False, True]
)
test_fix = against_numpy(
    lambda xp, x: cp.fix(x) if xp is cp else np.trunc(x), dtypes=REAL, make=special
)
test_i0 = against_numpy(lambda xp, x: xp.i0(x), dtypes=REAL, make=finite, ulps=ULPS)
test_nan_to_num = against_numpy(
    lambda xp, x: (xp.nan_to_num(x), xp.nan_to_num(x, nan=3, posinf=2.5, neginf=-1)), make=special
)
test_nan_to_num_with_arrays = against_numpy(
    lambda xp, x: xp.nan_to_num(x, nan=xp.arange(x.shape[-1] if x.ndim else 1.0)[0], posinf=x.size),
    dtypes=["f4", "c16"], make=special,
)  # fmt: skip
test_real_if_close = against_numpy(
    lambda xp, x: (xp.real_if_close(x), xp.real_if_close(x * (1 + 1e-7j), 1)), dtypes=["f4", "c16"],
    atol=1e-6,
)  # fmt: skip


@pytest.mark.parametrize("dtype", ["?", "i8", *FLOATS, "c8"])
def test_sinc(dtype):
    host = finite((40,), dtype)
    # Near integers the result is what rounding leaves of zero.
    tolerance = {"e": 2e-3, "f": 3e-7, "d": 1e-15}[np.sinc(host).real.dtype.char]
    same(cp.sinc(cp.asarray(host)), np.sinc(host), ulps=8, atol=tolerance)


def test_nan_to_num_in_place():
    for dtype in ("f4", "c8"):
        host = special((5, 6), dtype)[:, ::2]
        x = cp.asarray(host)
        assert cp.nan_to_num(x, copy=False) is x
        same(x, np.nan_to_num(host))
    x = cp.arange(3)
    assert cp.nan_to_num(x, copy=False) is x
    assert cp.nan_to_num(x)._memory is not x._memory
    with pytest.raises(TypeError, match="pass real numbers"):
        cp.nan_to_num(cp.ones(3), nan=1j)
    with pytest.raises(ValueError, match="read-only"):
        cp.nan_to_num(cp.broadcast_to(cp.ones(1), (3,)), copy=False)


def test_real_if_close_is_a_view():
    x = cp.asarray([1 + 0j, 2])
    assert cp.real_if_close(x)._memory is x._memory
    assert cp.real_if_close(cp.asarray([1 + 1j])).dtype == np.complex128
    y = cp.arange(3)
    assert cp.real_if_close(y) is y


# ---- phases --------------------------------------------------------------------------------------

test_unwrap = against_numpy(
    lambda xp, x, axis: xp.unwrap(x, axis=axis), dtypes=["i1", "f2", "f8"], shape=(3, 5, 7),
    layouts=LAYOUTS_3D, raises=ValueError, ulps=4, atol=1e-2, layouts_of=["f8"], axis=[0, -1],
)  # fmt: skip
test_unwrap_with_a_period = against_numpy(
    lambda xp, x, period: (xp.unwrap(x, period=period), xp.unwrap(x, 2, period=period)),
    dtypes=["?", "i8", "f4"], ulps=4, period=[4, 3, 3.5], raises=ValueError,
)  # fmt: skip


# ---- products ------------------------------------------------------------------------------------

test_outer = against_numpy(lambda xp, x, y: xp.outer(x, y))
test_kron = against_numpy(
    lambda xp, x, y: (xp.kron(x, y), xp.kron(x, y[:1]), xp.kron(x[0], y)), raises=IndexError
)
test_trace = against_numpy(
    lambda xp, x, offset: (xp.trace(x, offset), x.trace(offset, 1, 0), xp.trace(x, dtype="c16")),
    offset=[0, 1, -2, 9], raises=ValueError,
)  # fmt: skip
test_cross = against_numpy(
    lambda xp, x, y: (xp.cross(x, y), xp.cross(x, y[0]), xp.cross(x, y, axisc=0)),
    dtypes=["u1", "i8", "f2", "f4", "c8"], shape=(4, 3, 3),
    layouts={"contiguous": LAYOUTS_3D["contiguous"], "permuted": LAYOUTS_3D["permuted"],
             "reversed": lambda xp, a: a[::-1, ::-1, ::-1], "empty": LAYOUTS_3D["empty"]},
    raises=IndexError,
)  # fmt: skip
test_cross_along_other_axes = against_numpy(
    lambda xp, x, y: (xp.cross(x, y, axis=0), xp.cross(x, y[:, 0, 0], 0, 0, 1)),
    dtypes=["f4", ("i1", "f4")], shape=(3, 4, 5), layouts={"contiguous": lambda xp, a: a},
)  # fmt: skip

test_refusals = raises_as_numpy(
    lambda xp: xp.i0(xp.ones(2, "c8")),
    lambda xp: xp.isposinf(xp.ones(2, "c8")),
    lambda xp: xp.unwrap(xp.asarray(1.0)),
    lambda xp: xp.unwrap(xp.ones(3), axis=1),
    lambda xp: xp.cross(xp.ones(4), xp.ones(3)),
    lambda xp: xp.cross(xp.asarray(1), xp.ones(3)),
    lambda xp: xp.cross(xp.ones((2, 3)), xp.ones((3, 3))),
    lambda xp: xp.cross(xp.ones(3, bool), xp.ones(3, bool)),
    lambda xp: xp.cross(xp.ones(3), xp.ones(3), axisa=1),
    lambda xp: xp.trace(xp.ones(3)),
    lambda xp: xp.trace(xp.ones((3, 3)), axis1=1, axis2=1),
    lambda xp: xp.outer(xp.ones(3), xp.ones(2), xp.ones((2, 3))),
)


def test_vectors_of_two_components():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            np.cross([1, 2], [3, 4])
        except ValueError:
            pytest.skip("this NumPy has no cross products of two components")
    host = np.arange(12.0).reshape(4, 3)
    x = cp.asarray(host)
    for first, second in ((2, 3), (3, 2), (2, 2)):
        with pytest.warns(DeprecationWarning, match="2-dimensional"):
            expected = np.cross(host[:, :first], host[::-1, :second])
        with pytest.warns(DeprecationWarning, match="vectors of two"):
            same(cp.cross(x[:, :first], x[::-1, :second]), expected)


def test_lists_and_numbers():
    same(cp.cross([1, 2, 3], [4, 5, 6]), np.cross([1, 2, 3], [4, 5, 6]))
    same(cp.outer([1, 2], [3.0]), np.outer([1, 2], [3.0]))
    same(cp.kron(2, [3, 4]), np.kron(2, [3, 4]))
    same(cp.trace([[1, 2], [3, 4]]), np.asarray(np.trace([[1, 2], [3, 4]])))
    same(cp.nan_to_num([1.0, np.nan]), np.nan_to_num([1.0, np.nan]))
    same(cp.sinc(0.0), np.asarray(np.sinc(0.0)))


@pytest.mark.single_operations
@pytest.mark.parametrize(
    ("call", "launches"),
    [
        (lambda x: cp.angle(x * 1j), 2), (lambda x: cp.sinc(x), 1), (lambda x: cp.i0(x), 1), (lambda x: cp.nan_to_num(x), 1),
        (lambda x: cp.isposinf(x), 1), (lambda x: cp.iscomplex(x), 1), (lambda x: cp.unwrap(x), 4), (lambda x: cp.cross(x, x), 1),
        (lambda x: cp.kron(x, x), 1), (lambda x: cp.outer(x, x), 1), (lambda x: cp.trace(x), 1),
        (lambda x: cp.round(x, 1), 1), (lambda x: cp.isclose(x, x), 1),
        (lambda x: cp.allclose(x, x), 1), (lambda x: cp.array_equal(x, x), 1),
    ],
)  # fmt: skip
def test_launches(call, launches):
    x = cp.ones((3, 3))
    call(x)
    cp.cuda.get_current_stream().synchronize()
    before = len(launch_history.in_flight())
    kept = call(x)
    assert len(launch_history.in_flight()) - before == launches
    del kept


# ---- rounding to decimals ------------------------------------------------------------------------

test_round = against_numpy(
    lambda xp, x, decimals: (xp.round(x * 1.25, decimals), x.round(decimals)),
    dtypes=["i1", "u8", *FLOATS, "c8"], decimals=[0, 1, 3, -1],
)  # fmt: skip


def test_round_stores_its_result():
    host = np.array([[0.125, 2.675], [-1.005, 99.5]])
    for dtype in ("f8", "f4", "c16"):
        out = cp.empty((2, 2), dtype)
        assert cp.around(cp.asarray(host), 1, out=out) is out
        same(out, np.round(host, 1).astype(dtype))
    x = cp.asarray(host)
    same(cp.round(x, 1, out=x), np.round(host, 1))
    with pytest.raises(TypeError):
        cp.round(cp.arange(3), -1, out=cp.arange(3))
