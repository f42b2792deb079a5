"""Arrays in coordinates of three and more dimensions, beside SciPy's and dense ones."""

import io
import math
import pickle

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray as cp
from gpuarray.errors import HostArrayError
from gpuarray.scipy import sparse
from tests.slow import slow_except
from tests.sparse.cases import against_scipy, on_device, random, same

SHAPE = (3, 4, 5)

#: Shapes whose indices, together, do not fit one of 64 bits, nor two.
LARGE = [(2**40, 2**20, 2**40), (2**62,) * 4, (2**40, 2**40, 2**40, 2**62)]


def array(shape=SHAPE, dtype="f8", seed=0):
    return random(shape, dtype, format="coo", seed=seed)


def repeated(shape=SHAPE, dtype="i8"):
    """Entries in no order, many of them at one place."""
    rng = np.random.default_rng(3)
    coords = [rng.integers(0, n, 40) for n in shape]
    return scipy.sparse.coo_array((rng.integers(-3, 4, 40).astype(dtype), coords), shape=shape)


def dense(a):
    return a.toarray() if sparse.issparse(a) else a


@pytest.mark.parametrize("dtype", slow_except(["f8", "?"], ["f8", "?", "u1", "c8"]))
def test_made_and_moved(dtype):
    a = array(dtype=dtype)
    d = a.toarray()
    b = sparse.coo_array(cp.asarray(d))
    assert b.has_canonical_format
    assert [x.dtype for x in b.coords] == [np.dtype("i8")] * 3
    same(b, scipy.sparse.coo_array(d))
    same(sparse.coo_array(a), a)
    against_scipy(lambda x: x.T, a)
    against_scipy(lambda x: x.transpose((2, 0, 1), copy=True), a)
    against_scipy(lambda x: x.reshape(5, -1), a)
    against_scipy(lambda x: x.reshape((2, 3, 2, 5), order="F"), a)
    against_scipy(lambda x: x.reshape(-1).reshape(4, 3, 5), a)
    against_scipy(lambda x: x.astype("f4" if dtype != "c8" else "c16"), a)
    against_scipy(lambda x: x.reshape(2, 2, 5), scipy.sparse.csr_array(d[0]))
    assert np.array_equal(on_device(a).get().toarray(), d)


def test_coordinates():
    a = repeated()
    b = sparse.coo_array((cp.asarray(a.data), [cp.asarray(x) for x in a.coords]), shape=SHAPE)
    assert b.nnz == 40
    assert np.array_equal(b.toarray().get(), a.toarray())
    out = cp.full(SHAPE, 9, order="F", dtype="i8")
    assert b.toarray(out=out) is out
    assert np.array_equal(out.get(), a.toarray())
    assert b.toarray(order="F").flags.f_contiguous
    with pytest.raises(ValueError, match="contiguous"):
        b.toarray(out=cp.zeros((3, 4, 10), dtype="i8")[..., ::2])
    got = b.copy()
    got.sum_duplicates()
    a.sum_duplicates()
    for x, y in zip((got.data, *got.coords), (a.data, *a.coords), strict=True):
        assert np.array_equal(x.get(), y)
    assert got.count_nonzero() == a.count_nonzero()
    for axis in (0, 1, -1):
        want = np.count_nonzero(a.toarray(), axis=axis)
        assert np.array_equal(b.count_nonzero(axis=axis).get(), want)
    got.eliminate_zeros()
    assert [x.tolist() for x in got.nonzero()] == [x.tolist() for x in a.toarray().nonzero()]


@pytest.mark.parametrize("shape", slow_except(LARGE[:2], LARGE))
def test_indices_that_do_not_fit_64_bits(shape):
    last = [n - 1 for n in shape]
    coords = np.array([last, [1] * len(shape), last, [0, 2, 3, 1][: len(shape)]]).T
    data = np.array([1.0, 2, 3, 4])
    a = sparse.coo_array((cp.asarray(data), coords), shape=shape)
    want = scipy.sparse.coo_array((data, coords), shape=shape)
    want.sum_duplicates()
    b = a.copy()
    b.sum_duplicates()
    for x, y in zip((b.data, *b.coords), (want.data, *want.coords), strict=True):
        assert np.array_equal(x.get(), y)
    assert a[tuple(last)] == 4
    assert a[tuple(coords)].toarray().tolist() == [4, 2, 4, 4]
    a[tuple(coords)] = 7
    assert a.nnz == 3
    assert a.sum() == 21
    assert (a > 1).nnz == 3
    for function in (lambda x: x.reshape(-1), lambda x: x * x, lambda x: x.argmax()):
        with pytest.raises(ValueError, match="larger than the maximum|too large"):
            function(a)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.tocsr(), lambda x: x.tocsc(), lambda x: x.tobsr(), lambda x: x.todia(),
        lambda x: x.diagonal(), lambda x: x.trace(), lambda x: x.setdiag(1),
        lambda x: x.resize(2, 3), lambda x: x.reshape(()), lambda x: x.reshape(7, 7),
        lambda x: x.transpose((0, 1)), lambda x: x.transpose((0, 1, 1)),
        lambda x: bool(x), len, lambda x: x + 1, lambda x: x + x.reshape(4, 3, 5),
        lambda x: x * x[:1], lambda x: x * x.toarray()[:1], lambda x: x + x.toarray()[0][:2],
        lambda x: x.sum(axis=3), lambda x: x.sum(axis=(0, 0)), lambda x: x.max(axis=()),
        lambda x: x[3], lambda x: x[0, 0, 0, 0], lambda x: x[[0, 1], [0, 1, 2]], lambda x: x["a"],
        lambda x: x @ 2, lambda x: x @ x, lambda x: x @ x[0, 0, :2],
        lambda x: x.dot(x.toarray()), lambda x: x.tensordot(x, 4),
        lambda x: x.tensordot(x, ([0], [1])), lambda x: x.tensordot(x, ([0], [0, 1])),
        lambda x: x.tensordot(x, "ab"), lambda x: x.tensordot(None), lambda x: x.dot(None),
        lambda x: x < x[0], lambda x: x.maximum(x[0]), lambda x: x.max(out=3),
    ],
)  # fmt: skip
def test_what_scipy_refuses_is_refused(function):
    a = array()
    with pytest.raises(Exception) as found:
        function(a)
    x = on_device(a)
    with pytest.raises(Exception) as ours:
        function(x)
    assert found.type in ours.type.__mro__
    same(x, a)


@pytest.mark.parametrize("name", ["csr", "csc", "bsr", "dia"])
def test_other_formats_have_two_dimensions(name):
    a = array()
    for form in (a, a.toarray()):
        with pytest.raises(ValueError):
            getattr(sparse, f"{name}_array")(on_device(form))
    for stack in (sparse.hstack, sparse.vstack, sparse.block_diag):
        with pytest.raises(ValueError, match="dimensions"):
            stack([on_device(a), on_device(a)])
    with pytest.raises(TypeError, match="3D"):
        sparse.coo_matrix(cp.ones(SHAPE))


ELEMENTWISE = [
    lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x * 2,
    lambda x, y: x / 2, lambda x, y: x != y, lambda x, y: x < y, lambda x, y: x <= y,
    lambda x, y: x > 1, lambda x, y: x == 0, lambda x, y: x.maximum(y), lambda x, y: x.minimum(-1),
    lambda x, y: x.maximum(1), lambda x, y: x + y.toarray(), lambda x, y: y.toarray()[0, 0] - x,
    lambda x, y: x * y.toarray(), lambda x, y: x == y.toarray()[0], lambda x, y: x != y.reshape(-1),
    lambda x, y: abs(-x), lambda x, y: x.power(2), lambda x, y: round(x / 2), lambda x, y: x + 0,
]  # fmt: skip


@pytest.mark.parametrize("function", slow_except(ELEMENTWISE[::2], ELEMENTWISE))
def test_elementwise(function):
    against_scipy(function, array(), array(seed=1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "dtype"),
    [
        *[(function, ("i4", "f4")[k % 2]) for k, function in enumerate(ELEMENTWISE)],
        *[(function, ("u8", "c16")[k % 2]) for k, function in enumerate(ELEMENTWISE[::3])],
    ],
)
def test_elementwise_of_each_dtype(function, dtype):
    if dtype == "c16" and function in ELEMENTWISE[6:13]:
        pytest.skip("complex numbers have no order")
    if dtype == "u8" and function in ELEMENTWISE[11:15]:
        pytest.skip("NumPy's rules for negative numbers and unsigned ones are tested elsewhere")
    against_scipy(function, repeated(dtype=dtype), array((3, 4, 5), dtype, seed=1))


def test_quotients():
    a, b = array(), array(seed=1)
    got = on_device(a) / on_device(b)
    with np.errstate(all="ignore"):
        assert np.array_equal(got.get(), a.toarray() / b.toarray(), equal_nan=True)


AXES = [1, (2, 0), None, 0, -1, (0, 1), (0, 1, 2)]


@pytest.mark.parametrize("axis", slow_except(AXES[:3], AXES))
def test_reductions(axis):
    a = array()
    for name in ("sum", "mean", "max", "argmin"):
        if name == "argmin" and axis == (0, 1, 2):
            continue
        against_scipy(lambda x, name=name: getattr(x, name)(axis=axis), a)
    against_scipy(lambda x: x.sum(axis=axis, dtype="f4"), repeated())


def test_reductions_of_four_dimensions():
    a = array((2, 3, 1, 4), "i4")
    for axis in ((1, 3), (3, 0), (2,), (0, 1, 2)):
        against_scipy(lambda x, axis=axis: x.sum(axis=axis), a)
        against_scipy(lambda x, axis=axis: x.min(axis=axis, explicit=True), a)
        against_scipy(lambda x, axis=axis: x.argmax(axis=axis), a)
    empty = scipy.sparse.coo_array((2, 0, 3))
    against_scipy(lambda x: x.sum(axis=1), empty)
    against_scipy(lambda x: x.max(axis=1), empty)
    against_scipy(lambda x: x.max(axis=0), empty)
    out = cp.zeros((2, 4), dtype="i8")
    assert on_device(a).sum(axis=(1, 2), out=out) is out
    assert np.array_equal(out.get(), a.toarray().sum(axis=(1, 2)))


KEYS = [
    0, np.s_[:, 1], np.s_[::2, ::-1, 1:4], np.s_[..., 2], np.s_[1, 2, 3], np.s_[None, :, 0, None],
    np.s_[[0, 2]], np.s_[[0, 2], :, [1, 1]], np.s_[:, [[0, 1], [2, 2]]], np.s_[0, None, [1, 2]],
    np.s_[[0, 1, 2], [1, 2, 3], [0, 0, 4]], np.s_[:, [True, False, True, True]], np.s_[:0],
    np.s_[[], :], np.s_[-1, [-1, 0], ::3], np.s_[[2, 0, 2], 1:3],
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_indexing(key):
    for a in (array(dtype="i8"), repeated()):
        d = a.toarray()
        got, want = on_device(a)[key], d[key]
        assert got.shape == want.shape
        assert sparse.issparse(got) == (want.ndim > 0)
        assert np.array_equal(dense(got).get(), want)


@pytest.mark.parametrize(
    "key",
    [pytest.param(x, marks=[pytest.mark.slow] if i % 3 else []) for i, x in enumerate(KEYS)],
)
def test_assignment(key):
    a = array(dtype="i8")
    part = a.toarray()[key]
    values = np.random.default_rng(1).integers(-1, 2, part.shape)
    for value in (5, values, values[..., :1] if values.ndim else values):
        got, want = on_device(a), a.toarray()
        got[key] = value
        want[key] = value
        assert np.array_equal(got.toarray().get(), want)
        assert [x.dtype for x in got.coords] == [np.dtype("i8")] * 3


def test_assignment_of_masks_and_sparse_arrays():
    a = array(dtype="i8")
    mask = a.toarray() > 0
    for key in (mask, cp.asarray(mask), on_device(a) > 0):
        got = on_device(a)
        assert np.array_equal(got[key].toarray().get(), a.toarray()[mask])
        got[key] = -7
        assert np.array_equal(got.toarray().get(), np.where(mask, -7, a.toarray()))
    got, want = on_device(a), a.toarray()
    got[1:] = sparse.csr_array(cp.array([[0, 0, 3, 0, 0]]))
    want[1:] = [0, 0, 3, 0, 0]
    assert np.array_equal(got.toarray().get(), want)
    with pytest.raises(ValueError, match="broadcast|shape"):
        got[1:] = cp.ones(3)
    with pytest.raises(ValueError, match="shape mismatch"):
        got[1:] = sparse.csr_array(cp.ones((1, 3)))
    assert np.array_equal(got.toarray().get(), want)
    # Of several values at one place the last one stays.
    got[[0, 0], [1, 1], [2, 2]] = cp.array([4, 0])
    assert got[0, 1, 2] == 0


def test_flat_arrays_become_deep_ones():
    a = random((4, 6), format="coo")
    for key in (np.s_[None], np.s_[[[[0, 1]], [[2, 3]]]], np.s_[:, [[0], [5]]], np.s_[:, None, 2:]):
        against_scipy(lambda x, key=key: x[key], a)
    line = random((6,), format="coo")
    against_scipy(lambda x: x[[[0, 1], [2, 2]]], line)


PRODUCTS = [
    ((2, 3, 4), (4,)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (5, 4, 2)), ((4,), (2, 4, 5)),
    ((2, 3, 4), (1, 4, 5)), ((1, 3, 4), (2, 4, 5)), ((3, 4), (2, 4, 5)), ((2, 3, 4), (2, 4, 5)),
    ((2, 3, 4), (4, 1)), ((0, 3, 4), (4, 2)), ((2, 3, 0), (2, 0, 3)), ((4,), (4,)),
]  # fmt: skip


@pytest.mark.parametrize("shapes", slow_except(PRODUCTS[1:3], PRODUCTS))
def test_products(shapes):
    left, right = shapes
    a, b = array(left), array(right, seed=1)
    want = a.toarray() @ b.toarray()
    x, y = on_device(a), on_device(b)
    for got in (x @ y, x @ y.toarray(), x.toarray() @ y):
        assert got.shape == want.shape
        assert np.array_equal(dense(got).get(), want)
    assert sparse.issparse(x @ y) == (want.ndim > 0)
    assert isinstance(x @ y.toarray(), cp.ndarray)
    against_scipy(lambda x, y: x.dot(y), a, b)
    against_scipy(lambda x, y: x.dot(y.toarray()), a, b)
    with pytest.raises(HostArrayError):
        x @ b.toarray()


CONTRACTIONS = [
    ((2, 3, 4), (3, 4, 2), ([2, 1], [1, 0])), ((2, 3, 4), (2, 3, 4), 3), ((4,), (4, 2, 3), 1),
    ((2, 3, 4), (3, 4, 2), ([1, 2], [0, 1])), ((2, 3, 4), (4, 5), 1), ((2, 3, 4), (4,), 1),
    ((2, 3), (3, 2), ([0, 1], [1, 0])), ((2, 3, 4), (3, 4), ([-1], [-1])),
]  # fmt: skip


@pytest.mark.parametrize("case", slow_except(CONTRACTIONS[:3], CONTRACTIONS))
def test_tensordot(case):
    left, right, axes = case
    a, b = array(left), array(right, seed=1)
    want = np.tensordot(a.toarray(), b.toarray(), axes)
    x = on_device(a)
    for other in (on_device(b), cp.asarray(b.toarray())):
        got = x.tensordot(other, axes)
        assert got.shape == want.shape
        assert np.array_equal(dense(got).get(), want)
    with pytest.raises(HostArrayError):
        x.tensordot(b, axes)


def test_helpers():
    a, flat = array(), random((2, 3), format="csr")
    for axis in (0, 1, -1, 3):
        against_scipy(lambda x, axis=axis: _module(x).expand_dims(x, axis=axis), a)
        against_scipy(lambda x, axis=axis: _module(x).expand_dims(x, axis=axis % 3), flat)
    against_scipy(lambda x: _module(x).swapaxes(x, 0, -1), a)
    against_scipy(lambda x: _module(x).permute_dims(x, (2, 0, 1)), a)
    against_scipy(lambda x, y: _module(x).kron(x, y), a, flat)
    against_scipy(lambda x, y: _module(x).kron(y, x), a, flat)
    assert on_device(a).mT.shape == sparse.matrix_transpose(on_device(a)).shape == (3, 5, 4)
    assert [x.shape for x in on_device(a)] == [(4, 5)] * 3
    assert str(on_device(a)) == str(a)
    assert repr(on_device(a)) == repr(a)
    same(pickle.loads(pickle.dumps(on_device(a))), a)


def _module(x):
    return sparse if sparse.issparse(x) else scipy.sparse


def test_sums_of_bools_and_norms():
    for a in (repeated(dtype="?"), repeated((4, 3), "?"), repeated((12,), "i1")):
        against_scipy(lambda x: x.sum(), a)
        b = a.copy().astype("f8")
        close = scipy.sparse.linalg.norm(b)
        assert abs(sparse.linalg.norm(on_device(b)) - close) < 1e-14 * close
    with pytest.raises(ValueError):
        sparse.linalg.norm(on_device(array()), axis=0)


def test_matrices_stay_flat():
    a = sparse.coo_matrix(cp.eye(4))
    for function in (
        lambda: a @ cp.ones((2, 4, 3)), lambda: cp.ones((2, 3, 4)) @ a,
        lambda: a @ on_device(array((2, 4, 3))), lambda: a.reshape(2, 2, 4),
    ):  # fmt: skip
        with pytest.raises(ValueError):
            function()


def test_files():
    a = array()
    file = io.BytesIO()
    sparse.save_npz(file, on_device(a))
    file.seek(0)
    same(sparse.load_npz(file), scipy.sparse.load_npz(io.BytesIO(file.getvalue())))


def test_random_arrays():
    want = scipy.sparse.random_array((4, 5, 6), density=0.2, rng=np.random.default_rng(1))
    same(sparse.random_array((4, 5, 6), density=0.2, rng=1), want)
    shape = (2**40, 2**40, 2**40)
    a = sparse.random_array(shape, density=50 / math.prod(shape), rng=1)
    a.sum_duplicates()
    assert a.nnz == 50
    assert all(0 <= x.min() and x.max() < 2**40 for x in a.coords)


@settings(max_examples=15)
@given(st.data())
def test_any_slices_of_any_shape(data):
    shape = tuple(data.draw(st.lists(st.integers(0, 4), min_size=3, max_size=4)))
    a = array(shape, "i8", seed=data.draw(st.integers(0, 9)))
    number = st.one_of(st.none(), st.integers(-5, 5))
    key = []
    for n in shape:
        kind = data.draw(st.sampled_from("sssia" if n else "s"))
        if kind == "s":
            step = data.draw(st.sampled_from([None, 1, 2, -1, -2]))
            key.append(slice(data.draw(number), data.draw(number), step))
        elif kind == "i":
            key.append(data.draw(st.integers(-n, n - 1)))
        else:
            key.append(data.draw(st.lists(st.integers(-n, n - 1), min_size=2, max_size=2)))
    d, x = a.toarray(), on_device(a)
    got = x[tuple(key)]
    assert got.shape == d[tuple(key)].shape
    assert np.array_equal(dense(got).get(), d[tuple(key)])
    x[tuple(key)] = 9
    d[tuple(key)] = 9
    assert np.array_equal(x.toarray().get(), d)
