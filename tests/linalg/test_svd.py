"""Singular value decompositions: shapes, dtypes, conditions, failures."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.errors import CUDAError
from tests.array.arrays import raises_as_numpy
from tests.linalg.residuals import is_orthonormal, is_product, of_condition, precision, random

# Kernels for small matrices have tests of their own.
pytestmark = pytest.mark.usefixtures("by_libraries")

SHAPES = [(4, 4), (6, 3), (3, 5), (1, 4), (4, 1), (2, 5, 3), (2, 1, 3, 4)]
EMPTY = [(0, 3), (3, 0), (0, 0), (0, 2, 3), (2, 0, 3), (2, 3, 0)]
#: Matrices that a polar decomposition decomposes.
LARGE = [(36, 36), (40, 34), (33, 35), (2, 33, 33)]


def _check(host, x, full, **options):
    result = cp.linalg.svd(x, full_matrices=full, **options)
    expected = np.linalg.svd(host, full_matrices=full, **options)
    assert [(a.shape, a.dtype) for a in result] == [(a.shape, a.dtype) for a in expected]
    assert all(a.flags.c_contiguous for a in result)
    assert result.U is result[0]
    assert result.S is result[1]
    assert result.Vh is result[2]
    u, s, vh = [a.get() for a in result]
    k = s.shape[-1]
    is_orthonormal(u)
    is_orthonormal(vh.conj().swapaxes(-1, -2))
    is_product((u[..., :k] * s[..., None, :], vh[..., :k, :]), host)
    _same_values(s, host)


def _same_values(s, host):
    """The singular values are NumPy's to the precision of the greatest one."""
    expected = np.linalg.svd(host, compute_uv=False)
    assert (np.diff(s, axis=-1) <= 0).all()
    assert np.abs(s - expected).max() <= precision(s) * max(expected.max(), 1e-30)


@pytest.mark.parametrize("full", [False, True], ids=["reduced", "full"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_vectors(shape, full):
    host = random(shape)
    _check(host, cp.asarray(host), full)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5)], ids=str)
@pytest.mark.parametrize("dtype", ["f4", "c8", "c16", "i4", "?"])
def test_dtypes(dtype, shape):
    host = random(shape, dtype)
    for full in (False, True):
        _check(host, cp.asarray(host), full)
    assert cp.linalg.svdvals(cp.asarray(host)).dtype == np.linalg.svdvals(host).dtype


@pytest.mark.parametrize("dtype", ["f8", "c8"])
@pytest.mark.parametrize("shape", LARGE, ids=str)
def test_large_matrices(shape, dtype):
    host = random(shape, dtype)
    for full in (False, True):
        _check(host, cp.asarray(host), full)
    _same_values(cp.linalg.svdvals(cp.asarray(host)).get(), host)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("exponent", [1, 5, 10, 15])
@pytest.mark.parametrize("shape", [(12, 7), (34, 40)], ids=["QR iterations", "polar"])
def test_conditions(shape, exponent, dtype):
    host = of_condition(10.0**exponent, shape, dtype)
    _check(host, cp.asarray(host), False)
    _same_values(cp.linalg.svdvals(cp.asarray(host)).get(), host)


@pytest.mark.parametrize("size", [5, 34], ids=["QR iterations", "polar"])
def test_rank_deficient_matrices(size):
    for host in (
        np.zeros((size, size)),
        np.ones((size, size + 2)),
        random((size + 3, 2)) @ random((2, size)),
        np.stack([np.eye(size), np.diag(np.arange(size, dtype="f8")), random((size, size))]),
    ):
        _check(host, cp.asarray(host), False)
        _same_values(cp.linalg.svdvals(cp.asarray(host)).get(), host)


@pytest.mark.parametrize("full", [False, True], ids=["reduced", "full"])
@pytest.mark.parametrize("shape", EMPTY, ids=str)
def test_no_elements(shape, full):
    host = np.zeros(shape, "f4")
    result, expected = cp.linalg.svd(cp.asarray(host), full), np.linalg.svd(host, full)
    for found, wanted in zip(result, expected, strict=True):
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
        np.testing.assert_array_equal(found.get(), wanted)
    assert cp.linalg.svdvals(cp.asarray(host)).shape == np.linalg.svdvals(host).shape


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.swapaxes(-1, -2),
        lambda x: x[..., ::-2, ::2],
        lambda x: x[:, 1:, 1:],
        lambda x: x[::-1],
    ],
    ids=["transposed", "negative strides", "part", "reversed stack"],
)
def test_layouts(view):
    host = random((3, 5, 6))
    x = cp.asarray(host)
    _check(view(host), view(x), False)
    np.testing.assert_array_equal(x.get(), host)  # the operand stays as it is


def test_broadcast_operands():
    host = np.broadcast_to(random((1, 3)), (2, 4, 3))
    _check(host, cp.broadcast_to(cp.asarray(host[0, :1]), (2, 4, 3)), False)


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_hermitian_matrices(dtype):
    host = random((2, 4, 4), dtype)
    host = host + host.conj().swapaxes(-1, -2)
    x = cp.asarray(np.tril(host))  # the rest is not read
    result = cp.linalg.svd(x, hermitian=True)
    u, s, vh = [a.get() for a in result]
    assert all(a.flags.c_contiguous for a in result)
    is_orthonormal(u)
    is_orthonormal(vh)
    is_product((u * s[..., None, :], vh), host)
    _same_values(s, host)
    _same_values(cp.linalg.svd(x, compute_uv=False, hermitian=True).get(), host)


# ---- failures ----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [3, 34], ids=["QR iterations", "polar"])
def test_missing_numbers(size):
    host = random((3, size, size))
    host[1, 0, 2] = np.nan
    x = cp.asarray(host)
    for call in (cp.linalg.svd, cp.linalg.svdvals):
        with pytest.raises(np.linalg.LinAlgError, match="^SVD did not converge$"):
            call(x)
    with cp.errstate(linalg="ignore"):
        found = [a.get() for a in cp.linalg.svd(x)]
    assert all(np.isnan(a[1]).all() for a in found)
    for i in (0, 2):
        is_product((found[0][i] * found[1][i], found[2][i]), host[i])


@pytest.mark.parametrize("size", [3, 34], ids=["QR iterations", "polar"])
def test_infinite_numbers(size):
    host = random((2, size, size), "c8")
    host[0, 2, 0] = -np.inf
    found = [a.get() for a in cp.linalg.svd(cp.asarray(host))]
    assert all(np.isnan(a[0]).all() for a in found)
    assert [a.dtype for a in found] == ["c8", "f4", "c8"]
    is_product((found[0][1] * found[1][1], found[2][1]), host[1])


def test_captures_are_refused_before_they_break():
    with cp.cuda.Stream(non_blocking=True) as stream:
        x = cp.asarray(random((3, 3)))
        cp.linalg.svdvals(x)
        stream.begin_capture()
        with pytest.raises(CUDAError, match=r"linalg.svdvals waits.*errstate"):
            cp.linalg.svdvals(x)
        cp.add(x, x, out=x)
        stream.end_capture()


test_errors = raises_as_numpy(
    lambda xp: xp.linalg.svd(xp.ones(3)),
    lambda xp: xp.linalg.svdvals(xp.ones(())),
    lambda xp: xp.linalg.svd(xp.ones((2, 2), "f2")),
    lambda xp: xp.linalg.svd(xp.ones((2, 3)), hermitian=True),
)
