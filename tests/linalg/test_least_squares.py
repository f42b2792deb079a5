"""lstsq, pinv and matrix_rank beside NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.errors import CUDAError
from tests.array.arrays import raises_as_numpy, same
from tests.linalg.residuals import of_condition, precision, random


def _close(found, expected, condition=1.0):
    """Results are NumPy's, to the precision that a condition leaves."""
    found = found.get()
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    allowed = precision(found) * condition * max(np.abs(expected).max(initial=0), 1e-30)
    assert np.abs(found - expected).max(initial=0) <= allowed


# ---- lstsq -------------------------------------------------------------------------------------


def _solve(a, b, condition=10.0, rcond=None):
    x, residuals, rank, s = cp.linalg.lstsq(cp.asarray(a), cp.asarray(b), rcond)
    expected = np.linalg.lstsq(a, b, rcond)
    _close(x, expected[0], condition)
    _close(residuals, expected[1], condition)
    assert rank == expected[2]
    assert isinstance(rank, int)
    _close(s, expected[3])
    assert x.flags.c_contiguous


@pytest.mark.parametrize("sides", [(), (1,), (3,)], ids=str)
@pytest.mark.parametrize("shape", [(6, 4), (4, 4), (3, 5), (1, 3), (3, 1), (1, 1)], ids=str)
def test_solutions(shape, sides):
    _solve(random(shape, seed=3), random((shape[0], *sides), seed=5))


@pytest.mark.parametrize("dtypes", [("f4", "f4"), ("c8", "f4"), ("c16", "f8"), ("i4", "?")])
def test_dtypes_of_solutions(dtypes):
    a, b = random((5, 3), dtypes[0], 1), random((5, 2), dtypes[1], 2)
    wide = np.result_type(*[x.dtype if x.dtype.kind in "fc" else np.dtype("f8") for x in (a, b)])
    _solve(a.astype(wide), b.astype(wide))
    x, residuals, _, s = cp.linalg.lstsq(cp.asarray(a), cp.asarray(b))
    expected = np.linalg.lstsq(a, b)
    assert (x.dtype, residuals.dtype, s.dtype) == tuple(expected[i].dtype for i in (0, 1, 3))


def test_layouts_of_equations():
    a, b = random((7, 10)), random((3, 5))
    for view in (lambda x: x[::2, 1:4], lambda x: x[:5, 8:2:-2], lambda x: x.T[:5, :3]):
        x = cp.linalg.lstsq(view(cp.asarray(a)), cp.asarray(b).T[:4] if view(a).shape[0] == 4
                            else cp.asarray(b).T)[0]  # fmt: skip
        right = b.T[:4] if view(a).shape[0] == 4 else b.T
        _close(x, np.linalg.lstsq(view(a), right)[0], 100)


@pytest.mark.parametrize("exponent", [1, 5, 10, 15])
def test_conditions_of_equations(exponent):
    a, solution = of_condition(10.0**exponent, (12, 5)), random((5, 2))
    b = a @ solution
    x, residuals, rank, _ = cp.linalg.lstsq(cp.asarray(a), cp.asarray(b), 1e-17)
    assert rank == 5
    # What is left over is as small as the precision, whatever the condition.
    scale = np.abs(a).max() * max(np.abs(x.get()).max(), 1)
    assert np.abs(a @ x.get() - b).max() <= precision(b) * scale
    assert residuals.get().max() <= (precision(b) * scale) ** 2


def test_equations_of_lower_rank():
    tall, b = random((6, 2)) @ random((2, 4), seed=1), random((6, 3), seed=2)
    _solve(tall, b, 100)
    _solve(tall.T.copy(), b[:4], 100)
    _solve(np.zeros((3, 2)), b[:3])
    for rcond in (-1, 0.5, 1e-3):
        _solve(np.diag([1.0, 1e-2, 1e-5]), random((3, 1)), 1e5, rcond)


@pytest.mark.parametrize(
    "shape, sides",
    [((0, 3), (0, 2)), ((3, 0), (3, 2)), ((0, 0), (0,)), ((3, 2), (3, 0)), ((2, 3), (2, 0))],
    ids=str,
)
def test_no_equations(shape, sides):
    a, b = np.ones(shape), np.ones(sides)
    expected = np.linalg.lstsq(a, b)
    found = cp.linalg.lstsq(cp.asarray(a), cp.asarray(b))
    for i in (0, 3):
        _close(found[i], expected[i])
    assert found[2] == expected[2]
    if shape != (3, 0):
        _close(found[1], expected[1])
    else:  # NumPy's are 0 there
        assert found[1].get().tolist() == [3, 3]


def test_equations_with_missing_numbers():
    a = random((5, 3))
    a[2, 1] = np.nan
    with pytest.raises(np.linalg.LinAlgError, match="^SVD did not converge in Linear Least"):
        cp.linalg.lstsq(cp.asarray(a), cp.ones(5))
    with cp.errstate(linalg="ignore"):
        x, residuals, rank, s = cp.linalg.lstsq(cp.asarray(a), cp.ones(5))
    assert np.isnan(x.get()).all()
    assert np.isnan(s.get()).all()
    assert (residuals.size, rank) == (0, 0)
    # Of the right-hand sides the others have solutions.
    a = random((5, 3))
    b = random((5, 2))
    b[1, 1] = np.nan
    x = cp.linalg.lstsq(cp.asarray(a), cp.asarray(b))[0].get()
    assert np.isnan(x[:, 1]).all()
    _close(cp.asarray(x[:, 0]), np.linalg.lstsq(a, b[:, 0])[0], 10)


# ---- pinv --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "shape", [(4, 4), (6, 3), (3, 5), (1, 4), (2, 5, 3), (2, 1, 3, 4)], ids=str
)
@pytest.mark.parametrize("dtype", ["f8", "c8"])
def test_pseudo_inverses(shape, dtype):
    host = random(shape, dtype)
    found = cp.linalg.pinv(cp.asarray(host))
    _close(found, np.linalg.pinv(host), 10)
    assert found.flags.c_contiguous


@pytest.mark.parametrize("dtype", ["f4", "c16", "i4", "?"])
def test_dtypes_of_pseudo_inverses(dtype):
    host = random((5, 3), dtype, 4)
    _close(cp.linalg.pinv(cp.asarray(host)), np.linalg.pinv(host), 10)


def test_small_singular_values_of_pseudo_inverses():
    host = np.stack([np.diag([1.0, 1e-3, 1e-9]), np.diag([1e-3, 1e-8, 1e-30]), np.zeros((3, 3))])
    x = cp.asarray(host)
    same_scale = 1e9
    for limit in (None, 0.0, 1e-4, [1e-4, 1e-7, 1]):
        on_device = cp.asarray(limit) if isinstance(limit, list) else limit
        _close(cp.linalg.pinv(x, rtol=on_device), np.linalg.pinv(host, rtol=limit), same_scale)
        if limit is not None:
            _close(cp.linalg.pinv(x, on_device), np.linalg.pinv(host, limit), same_scale)
    _close(cp.linalg.pinv(x), np.linalg.pinv(host), same_scale)


def test_pseudo_inverses_of_hermitian_matrices():
    host = random((2, 4, 4), "c16")
    host = host + host.conj().swapaxes(-1, -2)
    found = cp.linalg.pinv(cp.asarray(host), hermitian=True)
    _close(found, np.linalg.pinv(host, hermitian=True), 10)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 2, 3), (2, 0, 0)], ids=str)
def test_no_pseudo_inverses(shape):
    for dtype in ("f4", "i8"):
        host = np.zeros(shape, dtype)
        same(cp.linalg.pinv(cp.asarray(host)), np.linalg.pinv(host))


def test_pseudo_inverses_of_missing_numbers():
    host = random((2, 3, 3))
    host[0, 0, 0] = np.nan
    with pytest.raises(np.linalg.LinAlgError, match="^SVD did not converge$"):
        cp.linalg.pinv(cp.asarray(host))
    with cp.errstate(linalg="ignore"):
        found = cp.linalg.pinv(cp.asarray(host))
    assert np.isnan(found.get()[0]).all()
    _close(found[1], np.linalg.pinv(host[1]), 10)


def test_captures_are_refused_before_they_break():
    with cp.cuda.Stream(non_blocking=True) as stream:
        x = cp.asarray(random((3, 3)))
        stream.begin_capture()
        for call in (cp.linalg.pinv, cp.linalg.matrix_rank, lambda x: cp.linalg.lstsq(x, x)):
            with pytest.raises(CUDAError, match="captur"):
                call(x)
        cp.add(x, x, out=x)
        stream.end_capture()


# ---- matrix_rank -------------------------------------------------------------------------------


def test_ranks():
    for host in (
        np.eye(4),
        np.zeros((3, 4)),
        np.ones((4, 2), "f4"),
        random((5, 2)) @ random((2, 6)),
        np.arange(12).reshape(3, 4),
        np.stack([np.eye(3), np.zeros((3, 3)), np.diag([1, 1e-20, 0])])[None],
        np.array(0.0),
        np.array([0, 3]),
        np.zeros(2, "c8"),
        np.zeros((0, 3)),
        np.zeros((2, 3, 0)),
        np.zeros((0, 3, 3)),
    ):
        found = cp.linalg.matrix_rank(cp.asarray(host))
        same(found, np.asarray(np.linalg.matrix_rank(host)))


def test_what_counts_for_a_rank():
    host = np.stack([np.diag([1.0, 1e-3, 1e-9]), np.diag([1e-3, 1e-8, 1e-30])])
    x = cp.asarray(host)
    for options in ({"tol": 1e-4}, {"rtol": 1e-4}, {"tol": [1e-2, 0]}, {"rtol": [1e-10, 1e-2]}):
        on_device = {k: cp.asarray(v) if isinstance(v, list) else v for k, v in options.items()}
        same(cp.linalg.matrix_rank(x, **on_device), np.linalg.matrix_rank(host, **options))
        same(
            cp.linalg.matrix_rank(x, hermitian=True, **on_device),
            np.linalg.matrix_rank(host, hermitian=True, **options),
        )


def test_ranks_of_infinite_and_missing_numbers():
    host = np.full((2, 2), np.inf)
    # With some versions of LAPACK NumPy's does not converge; with others the values are NaN.
    same(cp.linalg.matrix_rank(cp.asarray(host)), np.asarray(0))
    host[0, 0] = np.nan
    with pytest.raises(np.linalg.LinAlgError):
        cp.linalg.matrix_rank(cp.asarray(host))


test_errors = raises_as_numpy(
    lambda xp: xp.linalg.lstsq(xp.ones(3), xp.ones(3)),
    lambda xp: xp.linalg.lstsq(xp.ones((2, 3, 3)), xp.ones(3)),
    lambda xp: xp.linalg.lstsq(xp.ones((3, 3)), xp.ones((3, 3, 3))),
    lambda xp: xp.linalg.lstsq(xp.ones((3, 3)), xp.ones(2)),
    lambda xp: xp.linalg.lstsq(xp.ones((3, 3), "f2"), xp.ones(3)),
    lambda xp: xp.linalg.pinv(xp.ones(3)),
    lambda xp: xp.linalg.pinv(xp.ones((2, 2), "f2")),
    lambda xp: xp.linalg.pinv(xp.ones((2, 2)), 1e-3, rtol=1e-3),
    lambda xp: xp.linalg.pinv(xp.ones((2, 3)), hermitian=True),
    lambda xp: xp.linalg.matrix_rank(xp.ones((2, 2), "f2")),
    lambda xp: xp.linalg.matrix_rank(xp.ones((2, 2)), 1e-3, rtol=1e-3),
)
