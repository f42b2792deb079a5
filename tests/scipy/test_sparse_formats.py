"""Sparse arrays against SciPy: constructors, conversions, order, shape, and what Python asks."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse

import gpuarray as cp
from gpuarray.scipy import sparse
from tests.slow import slow_except

COMPRESSED = ("csr", "csc")
KINDS = ("array", "matrix")
SHAPES = [(50, 70), (1, 5), (0, 3), (3, 0), (4, 4), (7, 3)]
DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]
PARTS = {"coo": ("row", "col", "data"), "csr": ("indices", "indptr", "data")}
PARTS["csc"] = PARTS["csr"]


def entries(shape, dtype="f8", repeated=True):
    """Values, rows and columns, some of them at one place."""
    rng = np.random.default_rng(sum(shape))
    count = {(50, 70): 400, (1, 5): 3, (7, 3): 60}.get(shape, 0)
    values = rng.integers(0 if np.dtype(dtype).kind in "bu" else -5, 6, count).astype(dtype)
    places = rng.integers(0, max(shape[0] * shape[1], 1), count)
    if not repeated:
        places = np.unique(places)
    return values[: len(places)], *divmod(places, max(shape[1], 1))


def pair(name, shape, dtype="f8"):
    """The same array in both libraries; sums of its values are exact."""
    data, row, col = entries(shape, dtype)
    ours = (cp.asarray(data), (cp.asarray(row), cp.asarray(col)))
    return (
        getattr(sparse, name)(ours, shape=shape),
        getattr(scipy.sparse, name)((data, (row, col)), shape=shape),
    )


def same(ours, theirs):
    """Both have one class, dtype, shape and the same parts."""
    assert type(ours).__name__ == type(theirs).__name__
    assert (ours.shape, ours.dtype, ours.nnz) == (theirs.shape, theirs.dtype, theirs.nnz)
    for part in PARTS[theirs.format]:
        found, expected = getattr(ours, part), getattr(theirs, part)
        assert found.dtype == expected.dtype or not theirs.nnz
        np.testing.assert_array_equal(cp.asnumpy(found), expected)
    same_elements(ours, theirs)


def same_elements(ours, theirs):
    np.testing.assert_array_equal(cp.asnumpy(ours.toarray()), theirs.toarray())


@pytest.mark.parametrize("shape", slow_except([(50, 70), (0, 3)], SHAPES))
@pytest.mark.parametrize("kind", slow_except(["array"], KINDS))
@pytest.mark.parametrize("format", ["coo", *COMPRESSED])
def test_conversions(format, kind, shape):
    ours, theirs = pair(f"{format}_{kind}", shape)
    same(ours, theirs)
    for other in ("coo", *COMPRESSED):
        same(ours.asformat(other), theirs.asformat(other))
    same(ours.T, theirs.T)
    same_elements(ours.get(), theirs)
    assert type(ours.get()) is type(theirs)
    same(type(ours)(theirs), theirs)
    dense = theirs.toarray()
    same(type(ours)(cp.asarray(dense)), type(theirs)(dense))
    same(type(ours)(cp.asarray(dense.T).T), type(theirs)(dense))
    for order in "CF":
        found = ours.toarray(order=order)
        assert found.flags[f"{order}_CONTIGUOUS"]
        np.testing.assert_array_equal(cp.asnumpy(found), dense)


@pytest.mark.parametrize("shape", slow_except([(7, 3)], SHAPES))
@pytest.mark.parametrize("format", ["coo", *COMPRESSED])
def test_order_and_zeros(format, shape):
    ours, theirs = pair(f"{format}_array", shape)
    for one in (ours, theirs):
        one.sum_duplicates()
    same(ours, theirs)
    for one in (ours, theirs):
        one.eliminate_zeros()
    same(ours, theirs)
    assert ours.has_canonical_format
    assert theirs.has_canonical_format


@pytest.mark.parametrize("dtype", slow_except(["?", "i8", "c8"], DTYPES))
def test_dtypes(dtype):
    ours, theirs = pair("coo_array", (7, 3), dtype)
    same(ours.tocsr(), theirs.tocsr())
    same(ours.tocsr().astype("c16"), theirs.tocsr().astype("c16"))
    same(ours.conj(), theirs.conj())
    same(ours.real, theirs.real)
    assert str(ours) == str(theirs)


def test_sums_of_many_at_one_place():
    data = np.arange(1000) - 3
    row = np.where(np.arange(1000) < 700, 0, 2)
    for dtype in ("i1", "c16", "?"):
        ours = sparse.coo_array((cp.asarray(data.astype(dtype)), (row, 0 * row)), shape=(3, 2))
        theirs = scipy.sparse.coo_array((data.astype(dtype), (row, 0 * row)), shape=(3, 2))
        same(ours.tocsr(), theirs.tocsr())


def test_places_that_do_not_fit_one_key():
    rows, columns = np.array([2**40, 5, 2**40, 0]), np.array([2**39, 2**41, 2**39, 1])
    a = sparse.coo_array(([1, 2, 3, 4], (rows, columns)), shape=(2**41, 2**42))
    a.sum_duplicates()
    np.testing.assert_array_equal(cp.asnumpy(a.row), [0, 5, 2**40])
    np.testing.assert_array_equal(cp.asnumpy(a.col), [1, 2**41, 2**39])
    np.testing.assert_array_equal(cp.asnumpy(a.data), [4, 2, 4])
    assert a.coords[0].dtype == np.int64


def test_places_beside_keys_that_do_not_fit(monkeypatch):
    rows, columns = np.array([2**30, 5, 2**30, 0]), np.array([2**31, 7, 2**31, 1])
    a = sparse.coo_array(([1, 2, 3, 4], (rows, columns)), shape=(2**31, 2**32))
    a.sum_duplicates()
    np.testing.assert_array_equal(cp.asnumpy(a.row), [0, 5, 2**30])
    np.testing.assert_array_equal(cp.asnumpy(a.data), [4, 2, 4])
    monkeypatch.setattr(sparse._conversions, "place_bits", lambda *args: None)
    ours, theirs = pair("coo_array", (50, 70))
    same(ours.tocsr(), theirs.tocsr())
    same(ours.tocsr().tocsc(), theirs.tocsr().tocsc())


@pytest.mark.parametrize("format", COMPRESSED)
def test_three_arrays_become_parts(format):
    parts = cp.ones(3), cp.array([2, 0, 1]), cp.array([0, 2, 3])
    made = getattr(sparse, f"{format}_array")(parts)
    assert [made.data is parts[0], made.indices is parts[1], made.indptr is parts[2]] == [True] * 3
    assert not made.has_sorted_indices
    copied = getattr(sparse, f"{format}_array")(parts, copy=True)
    for x in (copied.data, copied.indices, copied.indptr):
        x[:] = 0
    np.testing.assert_array_equal(cp.asnumpy(parts[1]), [2, 0, 1])
    narrow = getattr(sparse, f"{format}_matrix")(parts)
    assert narrow.data is parts[0]
    assert narrow.indices.dtype == narrow.indptr.dtype == np.int32
    made.sort_indices()
    np.testing.assert_array_equal(cp.asnumpy(made.indices), [0, 2, 1])
    np.testing.assert_array_equal(cp.asnumpy(parts[1]), [2, 0, 1])


def test_what_is_behind_the_last_row_is_dropped():
    parts = np.ones(4), np.array([0, 1, 9, 9]), np.array([0, 1, 2])
    same(sparse.csr_array(parts, shape=(2, 2)), scipy.sparse.csr_array(parts, shape=(2, 2)))


@pytest.mark.parametrize("format", ["coo", *COMPRESSED])
def test_shape(format):
    ours, theirs = pair(f"{format}_array", (7, 3))
    for order in "CF":
        same(ours.reshape(3, -1, order=order), theirs.reshape(3, -1, order=order))
    for shape in ((3, 9), (9, 2)):
        first, second = ours.copy(), theirs.copy()
        first.resize(*shape)
        second.resize(*shape)
        same(first, second)
    if format != "csc":
        first, second = ours.copy(), theirs.copy()
        for one in (first, second):
            one.sum_duplicates()
        for shape in ((5,), (2, 3)):
            for one in (first, second):
                one.resize(shape)
            same_elements(first, second)
    matrix, theirs = pair(f"{format}_matrix", (7, 3))
    matrix.shape = theirs.shape = 3, 7
    same_elements(matrix, theirs)
    same_elements(matrix.H, theirs.getH())


@pytest.mark.parametrize("k", [0, 1, -2])
@pytest.mark.parametrize("format", ["coo", *COMPRESSED])
def test_diagonals(format, k):
    ours, theirs = pair(f"{format}_array", (7, 3))
    np.testing.assert_array_equal(cp.asnumpy(ours.diagonal(k)), theirs.diagonal(k))
    for values in (3, [1.0, 2], np.arange(9.0)):
        first, second = ours.copy(), theirs.copy()
        first.setdiag(values, k)  # neither warns
        second.setdiag(values, k)
        same_elements(first, second)
    for values in ([[1.0, 2]], [[1.0], [2.0]]):
        first = ours.copy()
        with pytest.raises(ValueError, match="one dimension"):
            first.setdiag(values, k)
        same_elements(first, theirs)


@pytest.mark.parametrize("format", ["coo", *COMPRESSED])
def test_counts_and_places(format):
    ours, theirs = pair(f"{format}_matrix", (7, 3))
    for axis in (None, 0, 1, -1):
        np.testing.assert_array_equal(on_host(ours.getnnz(axis)), theirs.getnnz(axis))
        found = ours.copy().count_nonzero(axis)
        np.testing.assert_array_equal(on_host(found), theirs.copy().count_nonzero(axis))
    for found, expected in zip(ours.nonzero(), theirs.nonzero(), strict=True):
        np.testing.assert_array_equal(cp.asnumpy(found), expected)
    same_elements(ours.getrow(-1), theirs.getrow(-1))
    same_elements(ours.getcol(1), theirs.getcol(1))


def on_host(x):
    return cp.asnumpy(x) if isinstance(x, cp.ndarray) else x


@pytest.mark.parametrize("name", slow_except(["sqrt"], ["sqrt", "expm1", "ceil", "arcsinh"]))
def test_functions_that_keep_zeros(name):
    ours, theirs = pair("csr_array", (7, 3))
    ours, theirs = abs(ours), abs(theirs)
    found, expected = getattr(ours, name)(), getattr(theirs, name)()
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(cp.asnumpy(found.toarray()), expected.toarray(), rtol=1e-14)
    same_elements(-ours.power(2), -theirs.power(2))
    same_elements(round(ours), round(theirs))


def test_rows_of_one_dimension_are_read_only():
    a = sparse.coo_array(cp.array([0, 3, 0, 4]))
    np.testing.assert_array_equal(a.row.get(), [0, 0])
    with pytest.raises(ValueError, match="read-only"):
        a.row[0] = 1


def test_one_dimension():
    x = np.array([0, 3, 0, 4])
    for name in ("coo_array", "csr_array"):
        ours, theirs = getattr(sparse, name)(cp.asarray(x)), getattr(scipy.sparse, name)(x)
        assert ours.shape == (4,)
        same_elements(ours, theirs)
        same_elements(ours.asformat("csr"), theirs)
        same_elements(ours.asformat("coo"), theirs)
        same_elements(ours.reshape(2, 2), theirs.reshape(2, 2))
        assert str(ours) == str(theirs)
        assert [float(v) for v in ours] == x.tolist()
    with pytest.raises(ValueError, match="1d"):
        sparse.csr_array(cp.asarray(x)).tocsc()


@pytest.mark.parametrize("format", ["coo", *COMPRESSED])
def test_python(format):
    ours, theirs = pair(f"{format}_matrix", (7, 3))
    assert repr(ours) == repr(theirs)
    for found, expected in zip(ours.tocsr(), theirs.tocsr(), strict=True):
        same_elements(found, expected)
    same(pickle.loads(pickle.dumps(ours)), theirs)
    copied = copy.deepcopy(ours)
    copied.data[:] = 0
    same(ours, theirs)
    ours.maxprint = theirs.maxprint = 5
    assert str(ours) == str(theirs)
    assert bool(sparse.csr_array(cp.ones((1, 1))))
    assert not bool(sparse.csr_array((1, 1)))


REFUSED = [
    lambda m, xp: m.csr_array(3),
    lambda m, xp: m.csr_array(xp.ones((2, 2, 2))),
    lambda m, xp: m.csc_array(xp.ones(3)),
    lambda m, xp: m.csr_array((xp.ones(3), xp.array([0, 1, 2]), xp.array([0, 2, 3])), shape=(5, 5)),
    lambda m, xp: m.csr_array((xp.ones(3), xp.array([0, 1, 2]), xp.array([1, 2, 3]))),
    lambda m, xp: m.csr_array((xp.ones(3), xp.array([0, 1, 2]), xp.array([0, 2, 9]))),
    lambda m, xp: m.csr_array((xp.ones(2), xp.array([0, 1, 2]), xp.array([0, 2, 3]))),
    lambda m, xp: m.csr_array((xp.ones((3, 1)), xp.array([0, 1, 2]), xp.array([0, 2, 3]))),
    lambda m, xp: m.csr_array((xp.ones(0), xp.zeros(0, int), xp.array([0]))),
    lambda m, xp: m.csr_array((xp.ones(0), xp.zeros(0, int), xp.zeros(0, int))),
    lambda m, xp: m.csr_array((1, 2, 3, 4)),
    lambda m, xp: m.coo_array((xp.ones(2), (xp.array([0, 1]), xp.array([0])))),
    lambda m, xp: m.coo_array((xp.ones(2), (xp.array([0, -1]), xp.array([0, 1])))),
    lambda m, xp: m.coo_array((xp.ones(2), (xp.array([0, 1]), xp.array([0, 1]))), shape=(1, 2)),
    lambda m, xp: m.coo_array((xp.ones(2), (xp.array([0, 1]), xp.array([0, 1]))), shape=(3,)),
    lambda m, xp: m.coo_array((xp.ones(0), (xp.zeros(0, int), xp.zeros(0, int)))),
    lambda m, xp: m.coo_array(xp.ones((2, 2), "e")),
    lambda m, xp: m.csr_array((2, 2), dtype="e"),
    lambda m, xp: m.csr_array((-2, 2)),
    lambda m, xp: m.csr_array((2, 2)).reshape(3, 2),
    lambda m, xp: m.csr_array((2, 2)).reshape(-1, -1),
    lambda m, xp: m.csr_array((2, 2)).reshape(),
    lambda m, xp: m.csr_array((2, 2)).transpose((0, 1)),
    lambda m, xp: m.coo_array((2, 2)).transpose(axes=0),
    lambda m, xp: len(m.csr_array((2, 2))),
    lambda m, xp: bool(m.csr_array((2, 2))),
    lambda m, xp: -m.csr_array((2, 2), dtype=bool),
    lambda m, xp: m.csr_array((2, 2)).power(0),
    lambda m, xp: m.csr_array((2, 2)).power(xp.ones(2)),
    lambda m, xp: m.csr_array((2, 2)).asformat("xyz"),
    lambda m, xp: m.csr_array((2, 2)).setdiag(1, 5),
    lambda m, xp: m.csr_array((2, 2)).toarray(out=xp.ones(3)),
    lambda m, xp: m.csr_array((2, 2)).toarray(order="C", out=xp.ones((2, 2))),
    lambda m, xp: m.csr_matrix(xp.ones(3)).getrow(1),
    lambda m, xp: m.csr_matrix((2, 2)).getcol(5),
    lambda m, xp: m.csr_matrix((2, 2)).getnnz(3),
    lambda m, xp: m.csr_array((2, 2)).count_nonzero(2),
    lambda m, xp: m.coo_array(xp.ones((2, 2)), shape=(3, 3)),
    lambda m, xp: m.csr_array(xp.ones((2, 2))).astype("i4", casting="safe"),
    lambda m, xp: m.coo_array((3,)).diagonal(),
    lambda m, xp: m.csr_array(xp.ones((2, 2), "i1")).sqrt(),
]


@pytest.mark.parametrize("call", REFUSED)
def test_what_scipy_refuses(call):
    with pytest.raises(Exception) as expected:
        call(scipy.sparse, np)
    with pytest.raises(Exception) as found:
        call(sparse, cp)
    assert found.type is expected.type


def test_great_integers():
    data, places = [2**63 + 1, 1], ([0, 1], [0, 1])
    ours = sparse.coo_array((data, places), dtype=np.uint64)
    same(ours, scipy.sparse.coo_array((data, places), dtype=np.uint64))


@pytest.mark.parametrize(
    "parts",
    [
        (cp.ones(2), cp.array([0, 5]), cp.array([0, 1, 2])),
        (cp.ones(2), cp.array([0, -1]), cp.array([0, 1, 2])),
        (cp.ones(2), cp.array([0, 1]), cp.array([0, 3, 2])),
        (cp.ones(2), cp.array([0, 1]), cp.array([0, -3, 2])),
    ],
)
def test_unsound_indices_are_refused_at_once(parts):
    with pytest.raises(ValueError, match=r"indices must be|non-decreasing"):
        sparse.csr_array(parts, shape=(2, 2))


def test_formats_without_a_device_form():
    for name in ("todok", "tolil"):
        with pytest.raises(NotImplementedError, match=name):
            getattr(sparse.csr_array((2, 2)), name)()


def test_scipy_formats_that_are_not_here():
    theirs = scipy.sparse.lil_array(np.eye(3))
    same_elements(sparse.coo_array(theirs), theirs)


def test_index_dtypes():
    assert sparse.get_index_dtype(maxval=2**31) is np.int64
    assert sparse.get_index_dtype((np.arange(3, dtype="i4"), cp.arange(3, dtype="u2"))) is np.int32
    with pytest.raises(ValueError, match="too large"):
        sparse.safely_cast_index_arrays(sparse.coo_array((2**40, 2)), "i4")


@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find():
    data, row, col = entries((50, 70), "f4")
    with cp.cuda.check("races", "uninit", "barriers"):
        a = sparse.coo_array((cp.asarray(data), (cp.asarray(row), cp.asarray(col))), shape=(50, 70))
        b = a.tocsr()
        b.tocsc().toarray()
        b.tocoo()
        sparse.csr_array((b.data, b.indices, b.indptr))
        sparse.coo_array((cp.ones(99), (cp.zeros(99, "i4"), cp.zeros(99, "i4")))).tocsr()


def test_other_functions_know_sparse_arrays():
    a = sparse.csr_array(cp.eye(2))
    assert type(cp.asnumpy(a)) is scipy.sparse.csr_array
    assert cp.get_array_module(a) is cp
    assert cp.scipy.get_array_module(a) is cp.scipy


def test_parts_that_were_assigned():
    a = sparse.csr_array(cp.eye(3))
    a.indices = cp.array([2, 2, 0], dtype="i4")
    a.indptr = cp.array([0, 3, 3, 3], dtype="i4")
    assert not a.has_sorted_indices
    np.testing.assert_array_equal(cp.asnumpy(a.toarray()), [[1, 0, 2], [0, 0, 0], [0, 0, 0]])
    a.data = cp.ones(2)
    for call in (a.toarray, a.tocsc, a.sum_duplicates):
        with pytest.raises(ValueError, match="same length"):
            call()
    mixed = sparse.csr_array(cp.eye(3))
    mixed.indptr = mixed.indptr.astype("i8")
    for one in (mixed, mixed.tocsc(), mixed.tocoo()):
        np.testing.assert_array_equal(cp.asnumpy(one.toarray()), np.eye(3))
    # What indices out of bounds cannot do is write elsewhere.
    b = sparse.csr_array(cp.eye(3))
    b.indices[0] = 5
    np.testing.assert_array_equal(cp.asnumpy(b.toarray()), np.diag([0.0, 1, 1]))
