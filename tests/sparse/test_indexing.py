"""Indexing of sparse arrays, and assignment, against SciPy."""

import numpy as np
import pytest
import scipy.sparse

import gpuarray as cp
from gpuarray.kernels.sparse_index import launch
from gpuarray.scipy import sparse
from tests.slow import slow_except
from tests.sparse.cases import against_scipy, on_device, outcome, random, same

D = np.array([[1, 0, 2.0, 0], [3, 4, 0, 5], [0, 0, 0, 6]])
s_ = np.s_

KEYS = [
    s_[0], s_[0, 1], s_[-1, -1], s_[0, :], s_[:, 0], s_[0:2], s_[::2], s_[::-1], s_[:, 1:3],
    s_[:, ::-1], s_[:, 3:0:-2], s_[[0, 2]], s_[:, [0, 2]], s_[[0, 2], [1, 3]],
    s_[[[0], [2]], [1, 3]], s_[[[0, 1], [2, 1]], [[1, 3], [1, 1]]], s_[0, [1, 3]],
    s_[[0, 2], 1], s_[0, [[1, 3]]],
    s_[0, 1:3], s_[1:3, 0], s_[D > 2], s_[D[:, 0] > 0], s_[:, D[0] > 0], s_[None, 0],
    s_[0, None], s_[...],
    s_[..., 0], s_[0:0], s_[5], s_[0, 9], s_[[0, 7]], s_[[0, -7]], s_[0, 0, 0], s_["a"], s_[1.5],
    s_[np.int64(1)], s_[np.array(1)], s_[:, None, 0], s_[[], []], s_[[]], s_[:, []], s_[True],
    s_[[True, False, True]], s_[[True, False]], s_[0:2, [1, 2]], s_[::2, ::2], s_[[1, 1, 0]],
    s_[:, [3, 3, -4, 1]], s_[[1, 1], [3, -1]], s_[[0, 1], [1, 2, 3]], s_[2:0:-1, ::-2],
    s_[..., ...],
]  # fmt: skip


def key_on_device(key):
    return tuple(map(on_device, key)) if isinstance(key, tuple) else on_device(key)


@pytest.mark.parametrize(
    "class_",
    slow_except(
        ["csr_array", "csc_matrix"],
        ["csr_array", "csc_array", "coo_array", "csr_matrix", "csc_matrix"],
    ),
)
def test_reading(class_):
    a = getattr(scipy.sparse, class_)(D)
    device = on_device(a)
    for key in KEYS:
        want, _ = outcome(lambda k=key: a[k])
        got, _ = outcome(lambda k=key: device[key_on_device(k)])
        same(got, want)


def test_masks_that_are_sparse():
    against_scipy(lambda x: x[x > 2], scipy.sparse.csr_array(D))
    against_scipy(lambda x: x[x], scipy.sparse.csr_array(D))


def test_one_dimension():
    for key in (
        0,
        -1,
        9,
        s_[0:2],
        s_[::-1],
        [0, 2],
        D[1] > 3,
        None,
        ...,
        s_[None, 0:2],
        [],
        [[0], [2]],
        [[0, 2], [1, 3]],
    ):
        for a in (scipy.sparse.csr_array(D[1]), scipy.sparse.coo_array(D[1])):
            device = on_device(a)
            want, _ = outcome(lambda k=key, a=a: a[k])
            got, _ = outcome(lambda k=key, a=device: a[on_device(k)])
            same(got, want)


def test_duplicates_are_added():
    parts = np.arange(1.0, 7), np.array([2, 0, 0, 1, 3, 3]), np.array([0, 3, 4, 6])
    a = scipy.sparse.csr_array(parts, shape=(3, 4))
    for key in (s_[0, 0], s_[0], s_[:, 0], s_[[0, 2], [0, 3]], s_[::-1, ::-1]):
        against_scipy(lambda x, k=key: x[k], a)


def test_formats_without_indexing():
    with pytest.raises(TypeError, match="not subscriptable"):
        sparse.coo_matrix(cp.asarray(D))[0]


TARGETS = [
    s_[0, 1], s_[0, 0], s_[0], s_[:, 0], s_[0:2], s_[::-1], s_[:, ::-1], s_[[0, 2], [1, 3]],
    s_[[[0], [2]], [1, 3]], s_[0, [1, 1]], s_[D > 2], s_[D == 0], s_[[0, 0], [1, 1]], s_[0:0],
    s_[9], s_[0, 0, 0], s_[1:3, 1:3],
]  # fmt: skip


@pytest.mark.parametrize(
    "class_", slow_except(["csr_array"], ["csr_array", "csc_array", "csr_matrix"])
)
@pytest.mark.parametrize("value", ["number", "full", "row", "sparse", "misfit", "complex"])
def test_assignment(class_, value):
    a = getattr(scipy.sparse, class_)(D)
    for key in TARGETS:
        shape = np.shape(outcome(lambda k=key: D[k])[0])
        x = np.arange(1.0, 1 + np.prod(shape, dtype=int)).reshape(shape)
        given = {
            "number": 7, "full": x, "row": x[-1:] if x.ndim else x, "misfit": np.ones((5, 7)),
            "sparse": scipy.sparse.csr_array(np.atleast_2d(x * (x % 2))), "complex": 1j,
        }[value]  # fmt: skip

        def store(array, given=given, key=key):
            on = sparse.issparse(array)
            array[key_on_device(key) if on else key] = on_device(given) if on else given
            return array

        if value == "sparse" and not given.shape[0] * given.shape[1]:
            continue
        against_scipy(store, a)


def test_nothing_changes_when_an_assignment_fails():
    a = sparse.csr_array(cp.asarray(D))
    before = a.copy()
    for key, value in ((s_[0:2], cp.ones((3, 3))), (s_[0, 9], 1), (s_[0, 1], [1, 2])):
        with pytest.raises((ValueError, IndexError)):
            a[key] = value
    for name in ("indptr", "indices", "data"):
        assert cp.array_equal(getattr(a, name), getattr(before, name))


def test_stored_elements_are_changed_in_place():
    data = cp.array([1.0, 2.0])
    a = sparse.csr_array((data, cp.array([0, 1]), cp.array([0, 1, 2])), shape=(2, 2))
    a[0, 0] = 5
    np.testing.assert_array_equal(data.get(), [5, 2])


@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find():
    a = random((30, 40))
    indptr, indices = cp.asarray(a.indptr), cp.asarray(a.indices)
    rows = np.arange(30, dtype="i4").repeat(40)
    columns = np.tile(np.arange(40, dtype="i4"), 30)
    with cp.cuda.check("races", "uninit", "barriers"):
        found = launch.find(indptr, indices, cp.asarray(rows), cp.asarray(columns)).get()
        segments, places = launch.spread(indptr[:-1], indptr, a.nnz)
    np.testing.assert_array_equal(found[found >= 0], np.arange(a.nnz))
    np.testing.assert_array_equal(segments.get(), a.tocoo().row)
    np.testing.assert_array_equal(places.get(), np.arange(a.nnz))
