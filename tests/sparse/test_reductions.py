"""Reductions of sparse arrays against SciPy."""

import numpy as np
import pytest
import scipy.sparse

import gpuarray as cp
from gpuarray.kernels.sparse_rows import launch
from gpuarray.scipy import sparse
from tests.slow import slow_except
from tests.sparse.cases import against_scipy, random

NAMES = ["sum", "mean", "max", "min", "nanmax", "nanmin", "argmax", "argmin"]
WITH_EXPLICIT = NAMES[2:]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "class_", slow_except(["csr array"], ["csr array", "csc array", "coo array", "csr matrix"])
)
def test_axes(name, class_):
    format, kind = class_.split()
    a = random((4, 5), format=format, kind=kind)
    for axis in (None, 0, 1, -1, 2, (0,), (0, 1), (), 1.5, (0, 0)):
        against_scipy(lambda x, axis=axis: getattr(x, name)(axis=axis), a)
    empty = getattr(scipy.sparse, f"{format}_{kind}")
    for shape in ((3, 2), (3, 0)):
        against_scipy(lambda x: getattr(x, name)(axis=0), empty(shape))
        against_scipy(lambda x: getattr(x, name)(), empty(shape))


@pytest.mark.parametrize("name", WITH_EXPLICIT)
def test_explicit_zeros_and_nan(name):
    a = random((5, 6), density=0.6)
    a.data[3] = np.nan
    for axis in (None, 0, 1):
        for explicit in (False, True):
            against_scipy(
                lambda x, axis=axis, y=explicit: getattr(x, name)(axis=axis, explicit=y), a
            )


@pytest.mark.parametrize("dtype", slow_except(["c8"], ["?", "i1", "u2", "f4", "c8"]))
def test_dtypes(dtype):
    a = random((5, 6), dtype)
    for name in ("sum", "mean", "max", "argmin"):
        against_scipy(lambda x, name=name: getattr(x, name)(axis=1), a)
        against_scipy(lambda x, name=name: getattr(x, name)(), a)
    against_scipy(lambda x: x.sum(axis=0, dtype="f8"), a)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr", "dia"])
def test_sums_cast_elements_first(format):
    a = np.array([[0.6, 0.7, 1.5], [0.8, 0.9, -2.5]])
    ours = sparse.csr_array(cp.asarray(a)).asformat(format)
    twice = sparse.csr_array((cp.full(4, 0.5), cp.array([0, 0, 1, 1]), cp.array([0, 4, 4])))
    for axis in (None, 0, 1):
        for dtype in ("i4", "?", "f2"):
            want = a.sum(axis=axis, dtype=dtype)
            got = ours.sum(axis=axis, dtype=dtype).get()
            assert got.dtype == want.dtype
            np.testing.assert_allclose(got, want, 1e-3)
        want = twice.toarray().get().sum(axis=axis, dtype="i4")  # two halves are one element
        np.testing.assert_array_equal(twice.asformat(format).sum(axis, dtype="i4").get(), want)


def test_one_dimension():
    for name in NAMES:
        for axis in (None, 0, 1):
            against_scipy(lambda x, n=name, axis=axis: getattr(x, n)(axis=axis), random((7,)))


def test_out_and_trace():
    a = random((4, 5))
    for offset in (0, 1, -2):
        against_scipy(lambda x, k=offset: x.trace(k), a)
    device, out = sparse.csr_array(a), cp.empty(5)
    assert device.sum(axis=0, out=out) is out
    np.testing.assert_allclose(out.get(), a.sum(axis=0))
    both = cp.empty((1, 1))
    assert sparse.csr_matrix(a).sum(out=both) is both  # a matrix' sum may keep both dimensions
    np.testing.assert_allclose(both.get(), a.sum())
    with pytest.raises(ValueError, match="dimensions"):
        device.sum(out=both)
    with pytest.raises(ValueError, match="out dimensions"):
        device.sum(axis=0, out=cp.empty(4))
    with pytest.raises(ValueError, match="out"):
        device.max(out=out)


@pytest.mark.emulator
@pytest.mark.parametrize("count", slow_except([40, 4000], [3, 12, 40, 90, 4000]))
def test_rows_of_many_lengths(count, rng):
    a = scipy.sparse.random_array((6, count), density=0.7, format="csr", rng=rng)
    a.sort_indices()
    parts = [cp.asarray(x) for x in (a.indptr, a.indices, a.data)]
    with cp.cuda.check("races", "uninit", "barriers"):
        for name in ("add", "argmax"):
            got = launch.reduce_rows(name, *parts, count, a.dtype, False).get()
            want = a.sum(axis=1) if name == "add" else a.argmax(axis=1)
            np.testing.assert_allclose(got, want)
