"""Eigenvalues by SciPy's functions: generalised problems, subsets, how results look."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import gpuarray as cp
from gpuarray.scipy import linalg
from tests.linalg.matrices import positive, random
from tests.slow import slow_off_axes


def hermitian(rng, dtype, *shape):
    a = random(rng, dtype, *shape)
    return a + a.conj().swapaxes(-1, -2)


def small(values, dtype):
    assert np.abs(values).max(initial=0) < 2000 * np.finfo(dtype).eps


@pytest.mark.parametrize(
    ("type", "shape", "dtype"),
    slow_off_axes([1, 2, 3], [(5, 5), (2, 3, 3), (34, 34)], ["f8", "f4", "c16"]),
)
def test_generalised_problems(type, shape, dtype, rng):
    a, b = hermitian(rng, dtype, *shape), positive(rng, dtype, *shape) / shape[-1]
    w, v = linalg.eigh(cp.asarray(a), cp.asarray(b), type=type)
    assert (w.dtype, v.dtype) == (a.real.dtype, a.dtype)
    values = linalg.eigvalsh(cp.asarray(a), cp.asarray(b), type=type)
    w, v = cp.asnumpy(w), cp.asnumpy(v)
    scale = np.abs(w).max()
    small((cp.asnumpy(values) - w) / scale, dtype)
    left = {1: a @ v, 2: a @ b @ v, 3: b @ a @ v}[type]
    right = (b @ v if type == 1 else v) * w[..., None, :]
    small((left - right) / scale, dtype)
    inner = np.linalg.inv(b) if type == 3 else b
    small(v.conj().swapaxes(-1, -2) @ inner @ v - np.eye(shape[-1]), dtype)
    if len(shape) == 2:
        small((w - scipy.linalg.eigh(a, b, type=type, eigvals_only=True)) / scale, dtype)


@pytest.mark.parametrize("lower", [False, True])
def test_triangles(lower, rng):
    a, b = hermitian(rng, "c16", 4, 4), positive(rng, "c16", 4, 4)
    part = np.tril if lower else np.triu
    expected = scipy.linalg.eigvalsh(a, b)
    found = linalg.eigvalsh(cp.asarray(part(a)), cp.asarray(part(b)), lower=lower)
    small(cp.asnumpy(found) - expected, "f8")
    found = linalg.eigvalsh(cp.asarray(part(a)), lower=lower)
    small(cp.asnumpy(found) - scipy.linalg.eigvalsh(a), "f8")
    # Imaginary parts of a diagonal are zero.
    found = linalg.eigvalsh(cp.asarray(part(a) + 1j * np.eye(4)), cp.asarray(part(b)), lower=lower)
    small(cp.asnumpy(found) - expected, "f8")


def test_dtypes_are_promoted(rng):
    a, b = np.array([[2, 1], [1, 3]]), positive(rng, "f4", 2, 2)
    w, v = linalg.eigh(cp.asarray(a), cp.asarray(b))
    assert (w.dtype, v.dtype) == ("f8", "f8")
    w, v = linalg.eigh(cp.asarray(hermitian(rng, "c8", 2, 2)), cp.asarray(b))
    assert (w.dtype, v.dtype) == ("f4", "c8")


SUBSETS = [
    {"subset_by_index": (1, 2)},
    {"subset_by_index": [0, 4]},
    {"subset_by_index": (3, 3)},
    {"subset_by_value": (2, 4)},
    {"subset_by_value": (-np.inf, 2.5)},
    {"subset_by_value": (7, 9)},
]


@pytest.mark.parametrize("subset", SUBSETS, ids=str)
@pytest.mark.parametrize("generalised", [False, True])
def test_subsets(subset, generalised, rng):
    basis = np.linalg.qr(rng.standard_normal((5, 5)))[0]
    a = (basis * np.arange(1.0, 6)) @ basis.T
    b = np.eye(5) if generalised else None
    given = [cp.asarray(x) for x in (a, b) if x is not None]
    w, v = linalg.eigh(*given, **subset)
    expected = scipy.linalg.eigh(a, b, **subset)
    assert (w.shape, v.shape) == (expected[0].shape, expected[1].shape)
    assert v.flags.c_contiguous
    small(cp.asnumpy(w) - expected[0], "f8")
    small(a @ cp.asnumpy(v) - cp.asnumpy(v * w), "f8")
    small(cp.asnumpy(linalg.eigvalsh(*given, **subset)) - expected[0], "f8")


def test_subsets_of_stacks(rng):
    a = hermitian(rng, "f8", 3, 4, 4)
    w, v = linalg.eigh(cp.asarray(a), subset_by_index=(1, 2))
    assert (w.shape, v.shape) == ((3, 2), (3, 4, 2))
    small(cp.asnumpy(w) - np.linalg.eigvalsh(a)[:, 1:3], "f8")
    with pytest.raises(ValueError, match=r"subset_by_value is for one matrix.* \(3, 4, 4\)"):
        linalg.eigh(cp.asarray(a), subset_by_value=(0, 1))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "i4"])
def test_general_matrices(dtype, rng):
    a = random(rng, dtype, 4, 4)
    w, v = linalg.eig(cp.asarray(a))
    expected = scipy.linalg.eig(a)
    assert (w.dtype, v.dtype) == (expected[0].dtype, expected[1].dtype)
    assert linalg.eigvals(cp.asarray(a)).dtype == expected[0].dtype
    small(a @ cp.asnumpy(v) - cp.asnumpy(v * w), w.real.dtype)
    symmetric = a + a.T
    w, v = linalg.eig(cp.asarray(symmetric))
    expected = scipy.linalg.eig(symmetric)
    assert (w.dtype, v.dtype) == (expected[0].dtype, expected[1].dtype)
    small(symmetric @ cp.asnumpy(v) - cp.asnumpy(v * w), w.real.dtype)


def test_homogeneous_eigenvalues():
    a = np.diag([1.0, 2, 3])
    for x in (a, np.stack([a, 2 * a])):
        expected = scipy.linalg.eigvals(x, homogeneous_eigvals=True)
        for found in (
            linalg.eigvals(cp.asarray(x), homogeneous_eigvals=True),
            linalg.eig(cp.asarray(x), right=False, homogeneous_eigvals=True),
        ):
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(cp.asnumpy(found), expected)


def test_eigenvalues_alone(rng):
    a = random(rng, "f8", 3, 3)
    found = linalg.eig(cp.asarray(a), right=False)
    assert isinstance(found, cp.ndarray)
    assert isinstance(linalg.eigh(cp.asarray(a), eigvals_only=True), cp.ndarray)


def test_empty():
    for name in ("eig", "eigh"):
        found = getattr(linalg, name)(cp.zeros((0, 0)))
        expected = getattr(scipy.linalg, name)(np.zeros((0, 0)))
        for one, other in zip(found, expected, strict=True):
            assert (one.shape, one.dtype) == (other.shape, other.dtype)


A = np.diag([1.0, 2, 3, 4])
WRONG = [
    ((A,), {"subset_by_index": (2, 1)}),
    ((A,), {"subset_by_index": (0, 4)}),
    ((A,), {"subset_by_index": (-1, 2)}),
    ((A,), {"subset_by_value": (3, 1)}),
    ((A,), {"subset_by_value": (3, 1), "subset_by_index": (0, 1)}),
    ((A,), {"driver": "x"}),
    ((A, A), {"driver": "evd"}),
    ((A,), {"driver": "gvd"}),
    ((A,), {"driver": "ev", "subset_by_index": (0, 1)}),
    ((A, A), {"type": 4}),
    ((A, -A), {}),
    ((A, np.eye(3)), {}),
    ((A[:3],), {}),
    ((A, A[:3]), {}),
    ((A[0],), {}),
]


@pytest.mark.parametrize("arguments, options", WRONG)
@pytest.mark.parametrize("name", ["eigh", "eigvalsh"])
def test_errors(name, arguments, options):
    with pytest.raises(ValueError) as expected:
        getattr(scipy.linalg, name)(*arguments, **options)
    with pytest.raises(type(expected.value)) as found:
        getattr(linalg, name)(*map(cp.asarray, arguments), **options)
    if options:
        assert str(found.value) == str(expected.value)


def test_drivers_are_one():
    for driver in ("ev", "evd", "evr", "evx"):
        assert linalg.eigvalsh(cp.asarray(A), driver=driver).tolist() == [1, 2, 3, 4]
    found = linalg.eigvalsh(cp.asarray(A), cp.eye(4), driver="gvx", subset_by_index=(0, 1))
    assert found.tolist() == [1, 2]


def test_what_cusolver_has_not():
    x = cp.asarray(A)
    for call in (lambda: linalg.eig(x, x), lambda: linalg.eigvals(x, x)):
        with pytest.raises(NotImplementedError, match="generalised problem"):
            call()
    with pytest.raises(NotImplementedError, match="right eigenvectors only"):
        linalg.eig(x, left=True)
    with pytest.raises(np.linalg.LinAlgError, match="infs or NaNs"):
        linalg.eig(cp.full((2, 2), cp.nan))
