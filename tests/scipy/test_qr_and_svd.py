"""scipy.linalg's decompositions by QR and singular values, and what is made of them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import gpuarray as cp
from tests.linalg.residuals import is_orthonormal, is_product, precision, random

linalg = cp.scipy.linalg


def _host(found):
    if isinstance(found, tuple):
        return tuple([_host(x) for x in found])
    return found.get() if isinstance(found, cp.ndarray) else np.asarray(found)


def _shapes(found):
    if isinstance(found, tuple):
        return tuple([_shapes(x) for x in found])
    return found.shape, found.dtype


def _close(found, expected, factor=1.0):
    """Results, or tuples of them, are SciPy's to the precision of their dtype."""
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            _close(one, other, factor)
        return
    found, expected = _host(found), np.asarray(expected)
    assert found.shape == expected.shape
    if expected.dtype.kind in "fc":
        assert found.dtype == expected.dtype
    allowed = factor * np.finfo(found.dtype).eps * 100 if found.dtype.kind in "fc" else 0
    scale = max(np.abs(expected).max(initial=0), 1e-30)
    assert np.abs(found - expected).max(initial=0) <= allowed * scale


# ---- qr, rq ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["full", "r", "economic", "raw"])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4), (2, 4, 3)], ids=str)
def test_qr(shape, mode):
    host = random(shape, "c16")
    found = linalg.qr(cp.asarray(host), mode=mode)
    found = _host(found)
    if host.ndim == 2:  # of stacks SciPy makes lists, and nothing for 'raw'
        assert _shapes(found) == _shapes(scipy.linalg.qr(host, mode=mode))
    r = found[-1]
    assert not np.tril(r, -1).any()
    adjoint = host.conj().swapaxes(-1, -2)
    is_product((r.conj().swapaxes(-1, -2), r), adjoint @ host)
    if mode in ("full", "economic"):
        is_orthonormal(found[0])
        is_product(found, host)


@pytest.mark.parametrize("mode", ["full", "r", "economic"])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4)], ids=str)
@pytest.mark.parametrize("dtype", ["f4", "c16"])
def test_rq(shape, dtype, mode):
    host = random(shape, dtype)
    found = linalg.rq(cp.asarray(host), mode=mode)
    expected = scipy.linalg.rq(host, mode=mode)
    results = found if isinstance(found, tuple) else (found,)
    assert all(x.flags.c_contiguous for x in results)
    found = _host(found)
    assert _shapes(found) == _shapes(expected)
    r = found[0] if isinstance(found, tuple) else found
    # The last diagonal ends in the last element.
    assert not np.tril(r, r.shape[1] - r.shape[0] - 1).any()
    is_product((r, r.conj().T), host @ host.conj().T)
    if mode != "r":
        is_orthonormal(found[1].conj().T)
        is_product(found, host)


@pytest.mark.parametrize("conjugate", [False, True])
@pytest.mark.parametrize("mode", ["left", "right"])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5)], ids=str)
def test_qr_multiply(shape, mode, conjugate):
    m, k = shape[0], min(shape)
    a = random(shape, "c16")
    x = cp.asarray(a)
    for c in (
        random((k, 2) if mode == "left" else (2, m), "c16", 1),
        random(k if mode == "left" else m),
    ):
        product, r = linalg.qr_multiply(x, cp.asarray(c), mode, conjugate=conjugate)
        expected = scipy.linalg.qr_multiply(a, c, mode, conjugate=conjugate)
        assert _shapes((product, r)) == _shapes(expected)
        assert product.flags.c_contiguous
        # Signs of the rows of R are the factorisation's own: Q is the same one as of `qr`.
        q = linalg.qr(x, mode="economic")[0].get()
        q = q.conj() if conjugate else q
        is_product((q, c) if mode == "left" else (c, q), product.get())


def test_what_qr_refuses():
    for call, error, match in [
        (lambda: linalg.qr(cp.ones(3)), ValueError, "at least a 2-D array"),
        (lambda: linalg.rq(cp.ones(3)), ValueError, "at least a 2-D array"),
        (lambda: linalg.qr(cp.ones((2, 2)), mode="thin"), ValueError, "mode 'thin'"),
        (lambda: linalg.rq(cp.ones((2, 2)), mode="raw"), ValueError, "mode 'raw'"),
        (lambda: linalg.qr(cp.ones((2, 2)), pivoting=True), NotImplementedError, "pivoting=True"),
        (lambda: linalg.qr(cp.ones((2, 2), "f2")), TypeError, "float16 is unsupported in linalg"),
        (lambda: linalg.qr_multiply(cp.ones((3, 2)), cp.ones((2, 2)), "q"), ValueError, "mode 'q'"),
        (
            lambda: linalg.qr_multiply(cp.ones((3, 2)), cp.ones((3, 2)), "left"),
            ValueError,
            r"not compatible for Q @ c operation: Q of \(3, 2\) and c of \(3, 2\)",
        ),
        (lambda: linalg.qr_multiply(cp.ones(3), cp.ones(3)), ValueError, "must be a matrix"),
    ]:
        with pytest.raises(error, match=match):
            call()


# ---- svd ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 4, 3)], ids=str)
def test_svd(shape):
    host = random(shape, "c8")
    for full in (False, True):
        found = _host(linalg.svd(cp.asarray(host), full))
        assert type(found) is tuple
        assert _shapes(found) == _shapes(tuple(scipy.linalg.svd(host, full)))
        u, s, vh = found
        k = s.shape[-1]
        is_product((u[..., :k] * s[..., None, :], vh[..., :k, :]), host)
    _close(linalg.svd(cp.asarray(host), compute_uv=False), s)
    _close(linalg.svdvals(cp.asarray(host)), scipy.linalg.svdvals(host))


def test_diagsvd():
    for m, n in [(3, 3), (3, 5), (5, 3)]:
        for dtype in ("f4", "i8"):
            s = np.arange(1, 4).astype(dtype)
            found = linalg.diagsvd(cp.asarray(s), m, n)
            np.testing.assert_array_equal(found.get(), scipy.linalg.diagsvd(s, m, n))
            assert found.dtype == s.dtype
    for bad in (cp.ones(3), cp.ones((2, 2))):
        with pytest.raises(ValueError, match="their number must be M or N"):
            linalg.diagsvd(bad, 2, 4)


@pytest.mark.parametrize("shape", [(6, 4), (4, 6)], ids=str)
def test_bases(shape):
    host = random((shape[0], 2), "c16") @ random((2, shape[1]), "c16", 1)
    x = cp.asarray(host)
    basis, zero = linalg.orth(x).get(), linalg.null_space(x).get()
    assert _shapes((basis, zero)) == _shapes(
        (scipy.linalg.orth(host), scipy.linalg.null_space(host))
    )
    is_orthonormal(basis)
    is_orthonormal(zero)
    is_product((basis, basis.conj().T @ host), host)
    assert np.abs(host @ zero).max() <= precision(host) * np.abs(host).max()
    assert linalg.orth(x, 0.99).shape == scipy.linalg.orth(host, 0.99).shape
    assert linalg.orth(cp.zeros((3, 2))).shape == (3, 0)
    assert linalg.null_space(cp.zeros((3, 2))).shape == (2, 2)


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5)], ids=str)
def test_polar(shape, side):
    host = random(shape, "c16")
    _close(linalg.polar(cp.asarray(host), side), scipy.linalg.polar(host, side), 10)


def test_orthogonal_procrustes():
    for dtype in ("f8", "c8"):
        a, b = random((5, 3), dtype), random((5, 3), dtype, 1)
        found = linalg.orthogonal_procrustes(cp.asarray(a), cp.asarray(b))
        _close(found, scipy.linalg.orthogonal_procrustes(a, b), 10)


def test_subspace_angles():
    for shapes in (((5, 2), (5, 3)), ((5, 3), (5, 1)), ((6, 3), (6, 3))):
        a, b = random(shapes[0]), random(shapes[1], seed=1)
        found = linalg.subspace_angles(cp.asarray(a), cp.asarray(b))
        _close(found, scipy.linalg.subspace_angles(a, b), 10)
    a = np.eye(4)[:, :2]
    for angle in (1e-10, 1e-3, 1.0, np.pi / 2):  # small ones are as accurate
        b = np.stack([np.cos(angle) * a[:, 0] + np.sin(angle) * np.eye(4)[2], a[:, 1]], 1)
        found = linalg.subspace_angles(cp.asarray(a), cp.asarray(b)).get()
        np.testing.assert_allclose(found[0], angle, rtol=1e-12)
        assert found[1] <= 1e-15


def test_what_decompositions_refuse():
    one, square = cp.ones(3), cp.ones((2, 2))
    for call, match in [
        (lambda: linalg.svd(one), "svd: expected a matrix"),
        (lambda: linalg.svd(square, lapack_driver="gesvdj"), "lapack_driver 'gesvdj'"),
        (lambda: linalg.orth(one), "orth: expected a 2-D array"),
        (lambda: linalg.polar(one), "polar: expected a matrix"),
        (lambda: linalg.polar(square, "up"), "side 'up'"),
        (lambda: linalg.orthogonal_procrustes(one, one), "expected ndim to be 2"),
        (lambda: linalg.orthogonal_procrustes(square, cp.ones((2, 3))), "differ"),
        (lambda: linalg.subspace_angles(square, cp.ones((3, 2))), "same number of rows"),
        (lambda: linalg.lstsq(one, one), "a should be 2-D"),
        (lambda: linalg.lstsq(square, one), r"same number of rows \(2 != 3\)"),
        (lambda: linalg.lstsq(square, square, lapack_driver="qr"), "LAPACK driver 'qr'"),
        (lambda: linalg.pinv(square, rtol=-1.0), "must be positive"),
        (lambda: linalg.pinvh(one), "pinvh: expected a matrix"),
    ]:
        with pytest.raises(ValueError, match=match):
            call()
    with pytest.raises(np.linalg.LinAlgError, match="must be square"):
        linalg.pinvh(cp.ones((2, 3)))
    with pytest.raises(np.linalg.LinAlgError, match="SVD did not converge"):
        linalg.svdvals(cp.full((2, 2), cp.nan))


# ---- least squares -----------------------------------------------------------------------------


@pytest.mark.parametrize("sides", [(), (2,)], ids=str)
@pytest.mark.parametrize("shape", [(6, 3), (3, 3), (3, 5)], ids=str)
def test_lstsq(shape, sides):
    a, b = random(shape), random((shape[0], *sides), seed=1)
    found = linalg.lstsq(cp.asarray(a), cp.asarray(b))
    expected = scipy.linalg.lstsq(a, b)
    _close(found[0], expected[0], 10)
    _close(found[1], expected[1], 10)
    assert found[2] == expected[2]
    _close(found[3], expected[3])


@pytest.mark.parametrize("shapes", [((0, 3), (0, 2)), ((3, 0), (3, 2)), ((2, 0), (2,))], ids=str)
def test_lstsq_of_nothing(shapes):
    a, b = np.ones(shapes[0]), np.ones(shapes[1])
    found, expected = linalg.lstsq(cp.asarray(a), cp.asarray(b)), scipy.linalg.lstsq(a, b)
    assert [np.shape(x) for x in found[:2]] == [np.shape(x) for x in expected[:2]]
    assert (found[2], found[3].shape) == (0, (0,))


def test_pseudo_inverses():
    for shape, dtype in (((5, 3), "f8"), ((3, 5), "c8"), ((2, 4, 3), "f4")):
        host = random(shape, dtype)
        _close(linalg.pinv(cp.asarray(host)), scipy.linalg.pinv(host), 10)
    host = np.diag([1.0, 1e-3, 1e-9])
    for options in ({}, {"atol": 1e-2}, {"rtol": 1e-6}, {"atol": 1e-6, "rtol": 1e-8}):
        for name in ("pinv", "pinvh"):
            found = getattr(linalg, name)(cp.asarray(host), return_rank=True, **options)
            expected = getattr(scipy.linalg, name)(host, return_rank=True, **options)
            _close(found, tuple(expected), 1e9)
            assert found[1].dtype == np.int64
    host = random((4, 4), "c16")
    for lower in (True, False):
        found = linalg.pinvh(cp.asarray(host), lower=lower)
        _close(found, scipy.linalg.pinvh(host, lower=lower), 100)
    assert linalg.pinv(cp.zeros((0, 3)), return_rank=True)[0].shape == (3, 0)
