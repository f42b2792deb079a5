"""Sparse arrays of diagonals and of blocks, and files, against SciPy."""

from __future__ import annotations

import io
import pickle

import numpy as np
import pytest
import scipy.sparse

import gpuarray as cp
from gpuarray.scipy import sparse
from tests.slow import slow_except

FORMATS = ("coo", "csr", "csc", "dia", "bsr")
#: Rows, columns, and columns of the data.
DIAGONALS = [(4, 6, 5), (6, 4, 4), (5, 5, 7), (3, 0, 2), (0, 3, 3), (6, 6, 3)]
BLOCKS = [
    (6, 4, (2, 2)),
    (6, 6, (3, 2)),
    (4, 6, (1, 3)),
    (4, 4, None),
    (6, 6, None),
    (0, 4, (2, 2)),
]


def same_elements(ours, theirs):
    np.testing.assert_array_equal(cp.asnumpy(ours.toarray()), theirs.toarray())


def diagonals(kind, rows, columns, length):
    data = np.random.default_rng(0).integers(0, 4, (5, length)).astype("f8")
    offsets = np.array([1, -2, 0, 4, -5])
    shape = (rows, columns)
    return (
        getattr(sparse, f"dia_{kind}")((cp.asarray(data), cp.asarray(offsets)), shape=shape),
        getattr(scipy.sparse, f"dia_{kind}")((data, offsets), shape=shape),
    )


@pytest.mark.parametrize("dims", slow_except([(4, 6, 5), (3, 0, 2)], DIAGONALS))
@pytest.mark.parametrize("kind", slow_except(["array"], ["array", "matrix"]))
def test_diagonals(kind, dims):
    ours, theirs = diagonals(kind, *dims)
    assert ours.nnz == theirs.nnz
    assert repr(ours) == repr(theirs)
    assert ours.count_nonzero() == theirs.count_nonzero()
    for format in FORMATS:
        found, expected = ours.asformat(format), theirs.asformat(format)
        assert type(found).__name__ == type(expected).__name__
        same_elements(found, expected)
        back, expected = found.todia(), expected.todia()
        np.testing.assert_array_equal(cp.asnumpy(back.data), expected.data)
        np.testing.assert_array_equal(cp.asnumpy(back.offsets), expected.offsets)
    np.testing.assert_array_equal(cp.asnumpy(ours.T.toarray()), theirs.toarray().T)
    for other in (ours.get(), type(ours)(theirs), type(ours)(cp.asarray(theirs.toarray()))):
        np.testing.assert_array_equal(on_host(other.toarray()), theirs.toarray())
    same_elements(-ours.power(2), -theirs.power(2))
    same_elements(pickle.loads(pickle.dumps(ours)), theirs)


def on_host(x):
    return x if isinstance(x, np.ndarray) else cp.asnumpy(x)


def test_rows_of_diagonals_are_canonical():
    ours, theirs = diagonals("array", 4, 6, 5)
    found, expected = ours.tocsr(), theirs.tocsr()
    assert found.has_canonical_format
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(cp.asnumpy(getattr(found, part)), getattr(expected, part))


@pytest.mark.parametrize("dims", slow_except([(4, 6, 5)], DIAGONALS))
def test_one_diagonal(dims):
    ours, theirs = diagonals("array", *dims)
    for k in (0, 1, -2, 3):
        np.testing.assert_array_equal(cp.asnumpy(ours.diagonal(k)), theirs.diagonal(k))
        if not -dims[0] < k < dims[1]:
            continue
        for values in (3, [1, 2], np.arange(9)):
            first, second = ours.copy(), theirs.copy()
            first.setdiag(values, k)
            second.setdiag(values, k)
            same_elements(first, second)
    for shape in ((3, 9), (9, 3), (8, 8)):
        first, second = ours.copy(), theirs.copy()
        first.resize(shape)
        second.resize(shape)
        same_elements(first, second)
        assert first.nnz == second.nnz


@pytest.mark.parametrize("blocksize", slow_except([(2, 3)], [(2, 3), (1, 1)]))
def test_blocks_in_another_shape(blocksize):
    dense = np.random.default_rng(0).integers(0, 3, (6, 12)) * 1.0
    theirs = scipy.sparse.bsr_array(dense, blocksize=blocksize)
    ours = sparse.bsr_array(theirs)
    for shape in ((6, 6), (2, 6), (4, 9), (8, 12)):
        for one in (ours, theirs):
            one.resize(shape)
        same_elements(ours, theirs)
        assert ours.blocksize == blocksize
        assert ours.nnz == theirs.nnz
    for shape in ((3, 12), (8,), (2, 3, 4), (-2, 3)):
        if blocksize == (1, 1) and shape == (3, 12):
            continue
        with pytest.raises((ValueError, IndexError)):
            theirs.resize(shape)
        with pytest.raises(ValueError):
            ours.resize(shape)
        assert ours.shape == theirs.shape


@pytest.mark.parametrize("case", slow_except([BLOCKS[1], BLOCKS[4], BLOCKS[5]], BLOCKS))
@pytest.mark.parametrize("kind", slow_except(["array"], ["array", "matrix"]))
def test_blocks(kind, case):
    rows, columns, blocksize = case
    rng = np.random.default_rng(0)
    dense = rng.integers(0, 3, (rows, columns)) * (rng.random((rows, columns)) < 0.5)
    ours = getattr(sparse, f"bsr_{kind}")(cp.asarray(dense), blocksize=blocksize)
    theirs = getattr(scipy.sparse, f"bsr_{kind}")(dense, blocksize=blocksize)
    assert repr(ours) == repr(theirs)
    for format in FORMATS:
        found, expected = ours.asformat(format), theirs.asformat(format)
        assert type(found).__name__ == type(expected).__name__
        assert found.nnz == expected.nnz
        same_elements(found, expected)
        same_elements(found.tobsr(ours.blocksize), theirs)
    found, expected = ours.tocsr(), theirs.tocsr()
    expected.sort_indices()
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(cp.asnumpy(getattr(found, part)), getattr(expected, part))
    same_elements(ours.T, theirs.T)
    same_elements(abs(-ours), abs(-theirs))
    assert ours.count_nonzero() == theirs.count_nonzero()
    # SciPy's of no rows writes behind its result, of which a process may die (1.17).
    np.testing.assert_array_equal(cp.asnumpy(ours.diagonal(1)), dense.diagonal(1))
    ours.eliminate_zeros()
    theirs.eliminate_zeros()
    same_elements(ours, theirs)


@pytest.mark.slow
def test_order_of_blocks_and_files():
    data = np.random.default_rng(0).integers(0, 9, (4, 2, 3))
    parts = (data, np.array([1, 0, 1, 1]), np.array([0, 2, 4]))
    ours, theirs = (m.bsr_array(parts, shape=(4, 6)) for m in (sparse, scipy.sparse))
    same_elements(ours.tocsr(), theirs.tocsr())
    for format in FORMATS:
        stored = io.BytesIO()
        sparse.save_npz(stored, ours.asformat(format))
        stored.seek(0)
        found = scipy.sparse.load_npz(stored)
        assert type(found).__name__ == f"{format}_array"
        same_elements(ours, found)
        stored = io.BytesIO()
        scipy.sparse.save_npz(stored, found)
        stored.seek(0)
        back = sparse.load_npz(stored)
        assert type(back).__name__ == f"{format}_array"
        same_elements(back, theirs)
    for one in (ours, theirs):
        one.sort_indices()
    np.testing.assert_array_equal(cp.asnumpy(ours.data), theirs.data)
    for one in (ours, theirs):
        one.sum_duplicates()
    np.testing.assert_array_equal(cp.asnumpy(ours.data), theirs.data)


REFUSED = [
    lambda m: m.dia_array((np.ones((2, 3)), [0])),
    lambda m: m.dia_array((np.ones((2, 3)), [0]), shape=(3, 3)),
    lambda m: m.dia_array((np.ones((2, 3)), [0, 0]), shape=(3, 3)),
    lambda m: m.dia_array((np.ones((2, 3, 1)), [0, 1]), shape=(3, 3)),
    lambda m: m.dia_array((1, 2, 3)),
    lambda m: m.dia_array((2, 2)).setdiag(1, 4),
    lambda m: m.dia_array((2, 2)).setdiag([[1, 2]]),
    lambda m: m.dia_array((2, 2)).count_nonzero(0),
    lambda m: m.bsr_array((3, 3), blocksize=(2, 2)),
    lambda m: m.bsr_array((np.ones((2, 2)), [0, 1], [0, 1, 2])),
    lambda m: m.bsr_array((np.ones((2, 2, 2)), [0, 1], [0, 1, 2]), blocksize=(1, 2)),
    lambda m: m.bsr_array((np.ones((2, 2, 2)), [0, 1], [0, 1, 3])),
    lambda m: m.bsr_array((2, 2), blocksize=(1, 2, 3)),
    lambda m: m.csr_array((4, 4)).tobsr((3, 3)),
    lambda m: m.csr_array((4, 4)).tobsr((2,)),
    lambda m: m.load_npz(io.BytesIO(b"no file")),
]


@pytest.mark.parametrize("call", REFUSED)
def test_what_scipy_refuses(call):
    with pytest.raises(Exception) as expected:
        call(scipy.sparse)
    with pytest.raises(Exception) as found:
        call(sparse)
    assert found.type is expected.type


@pytest.mark.parametrize("format", ["csr", "bsr"])
def test_what_is_behind_the_last_block_is_dropped(format):
    data = np.ones(4) if format == "csr" else np.ones((4, 2, 2))
    parts = [data, np.array([0, 1, 1, 0]), np.array([0, 1, 4])]
    ours, theirs = (
        getattr(module, f"{format}_array")(tuple(map(move, parts)))
        for module, move in ((sparse, cp.asarray), (scipy.sparse, np.asarray))
    )
    ours.indptr, theirs.indptr = cp.array([0, 1, 2]), np.array([0, 1, 2])
    for one in (ours, theirs):
        one.prune()
    for x, y in ((ours.data, theirs.data), (ours.indices, theirs.indices)):
        np.testing.assert_array_equal(x.get(), y)
    ours.indptr = cp.array([0, 1, 9])
    with pytest.raises(ValueError, match="fewer than nnz"):
        ours.prune()


@pytest.mark.parametrize("format", ["dia", "bsr"])
def test_rows_of_diagonals_and_blocks(format):
    dense = cp.asarray(np.arange(16).reshape(4, 4) % 3)
    for kind, row_format in (("array", "csr"), ("matrix", format)):
        rows = list(getattr(sparse, f"{format}_{kind}")(dense))
        assert [x.format for x in rows] == [row_format] * 4
        for i in range(4):
            np.testing.assert_array_equal(rows[i].toarray().get().ravel(), dense[i].get())


def test_blocks_without_elements():
    for shape in (None, (0, 4), (4, 4)):
        with pytest.raises(ValueError, match="blocks with elements"):
            sparse.bsr_array((np.ones((2, 0, 2)), [0, 1], [0, 1, 2]), shape=shape)
    with pytest.raises(ValueError, match="CSR arrays don't support 0D input. Use 1D or 2D"):
        sparse.csr_array(cp.array(2.0))


def test_extremes_of_diagonals_are_those_of_rows():
    """Zeros of stored diagonals are no entries of csr, nor of what is explicit."""
    data = np.array([[0.0, 2, 3], [9, -5, 0]])
    a = sparse.dia_array((cp.asarray(data), cp.array([0, 1])), shape=(3, 3))
    zeros = sparse.dia_array((cp.zeros((1, 3)), cp.array([0])), shape=(3, 3))
    for name in ("min", "max", "argmin", "argmax"):
        for axis in (None, 0):
            found, expected = (getattr(x, name)(axis, explicit=True) for x in (a, a.tocsr()))
            if sparse.issparse(found):
                found, expected = found.toarray(), expected.toarray()
            np.testing.assert_array_equal(cp.asnumpy(found), cp.asnumpy(expected))
    assert zeros.argmax() == 0
    with pytest.raises(ValueError, match="Cannot apply argmin to zero matrix"):
        zeros.argmin(explicit=True)


def test_blocks_along_axes_and_their_sizes():
    a = np.arange(16).reshape(4, 4) % 3
    blocks = sparse.bsr_array(cp.asarray(a), blocksize=(2, 2))
    for axis in (0, 1, -1):
        want = np.count_nonzero(a, axis=axis)
        np.testing.assert_array_equal(blocks.count_nonzero(axis).get(), want)
    with pytest.raises(TypeError, match="bsr_array: .*blocksize"):
        sparse.bsr_array((4, 4), None, "d", False, 4)


def test_classes_are_types_for_annotations():
    found = sparse.csr_array[np.float64]
    assert found.__origin__ is sparse.csr_array
    assert found.__args__ == (np.float64,)


def test_lists_of_device_arrays_are_data():
    line = cp.arange(4) + 1
    host = np.arange(4) + 1
    found = sparse.dia_array(((line, 2 * line), (-1, 0)), shape=(4, 4))
    right = scipy.sparse.dia_array(((host, 2 * host), (-1, 0)), shape=(4, 4))
    np.testing.assert_array_equal(cp.asnumpy(found.toarray()), right.toarray())
    np.testing.assert_array_equal(
        cp.asnumpy(sparse.csr_array([line, line]).toarray()), np.array([host, host])
    )
    with pytest.raises(ValueError, match="shape"):
        sparse.csr_array([line, line[:2]])


@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find():
    with cp.cuda.check("races", "uninit", "barriers"):
        ours, _ = diagonals("array", 4, 6, 5)
        ours.tocsr().tobsr((2, 2)).T.tocsr()
        ours.T.tocoo()
