"""Products of sparse arrays with vectors, dense matrices and one another, against SciPy."""

import types

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray as cp
from gpuarray.scipy import sparse
from gpuarray.scipy.sparse import _matrix_products, _products
from tests.slow import slow_except, slow_off_axes

FORMATS = ["csr", "csc", "coo", "dia", "bsr"]


def matrix(rng, shape, density=0.3, dtype="f8", format="csr", kind="array"):
    """A matrix of SciPy's of small integers, zeros among them, so that sums are exact."""
    found = scipy.sparse.random_array(shape, density=density, format="csr", rng=rng)
    found.data = numbers(rng, found.nnz, dtype)
    found = found.astype(dtype)
    if format == "bsr":
        found = found.tobsr((2, 3) if shape[0] % 2 == shape[1] % 3 == 0 else (1, 1))
    return getattr(scipy.sparse, f"{format}_{kind}")(found)


def numbers(rng, shape, dtype):
    low = 0 if np.dtype(dtype).kind == "u" else -2
    found = rng.integers(low, 3, shape).astype(dtype)
    return found + 1j * rng.integers(-2, 3, shape) if found.dtype.kind == "c" else found


def ours(a):
    return getattr(sparse, type(a).__name__)(a)


def parts(a, *names):
    """The arrays of a matrix of SciPy's, on the device."""
    arrays = {name: cp.asarray(getattr(a, name)) for name in names}
    return types.SimpleNamespace(**arrays, shape=a.shape)


def same(got, want):
    """Dense or sparse, with the kind, format, shape and dtype of SciPy's."""
    if scipy.sparse.issparse(want):
        assert (type(got).__name__, got.shape, got.dtype) == (
            type(want).__name__,
            want.shape,
            want.dtype,
        )
        assert got.format == want.format
        np.testing.assert_array_equal(got.toarray().get(), want.toarray())
        if want.format in ("csr", "csc"):
            want.sum_duplicates()
            assert got.nnz == want.nnz
            assert got.get().has_canonical_format
    else:
        assert isinstance(got, cp.ndarray)
        want = np.asarray(want)
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        np.testing.assert_array_equal(got.get(), want)


# ---- with dense operands -------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("kind", slow_except(["array"], ["array", "matrix"]))
def test_dense_operands(format, kind, rng):
    a = matrix(rng, (6, 9), format=format, kind=kind)
    b = ours(a)
    for shape in ((9,), (9, 1), (9, 4), (9, 0)):
        x = numbers(rng, shape, "f8")
        same(b @ cp.asarray(x), a @ x)
        same(b.dot(cp.asarray(x)), a.dot(x))
    for shape in ((6,), (1, 6), (4, 6)):
        x = numbers(rng, shape, "f8")
        same(cp.asarray(x) @ b, x @ a)


@pytest.mark.parametrize("format", FORMATS)
def test_strides(format, rng):
    a = matrix(rng, (6, 9), format=format)
    b = ours(a)
    x = cp.asarray(numbers(rng, (18, 9), "f8"))
    operands = [x[::-2, 3], x[:9].T, x[::2, ::-3], cp.broadcast_to(x[0, :3], (9, 3)), x[3, ::-1]]
    operands += [cp.broadcast_to(x[0, :1], (9,)), cp.asfortranarray(x[:9])]
    packed = np.zeros(9, [("a", "i1"), ("b", "f8")])
    packed["b"] = numbers(rng, 9, "f8")
    operands.append(cp.asarray(packed)["b"])  # not aligned
    for one in operands:
        same(b @ one, a @ one.get())


@pytest.mark.parametrize(
    "left, right, format",
    slow_off_axes(["f4", "?", "i1", "u8", "c16"], ["f8", "?", "i8"], FORMATS),
)
def test_dtypes(left, right, format, rng):
    a = matrix(rng, (6, 9), dtype=left, format=format)
    x = numbers(rng, (9, 3), right)
    same(ours(a) @ cp.asarray(x), a @ x)
    same(ours(a) @ cp.asarray(x[:, 0]), a @ x[:, 0])


@pytest.mark.parametrize("dtype", slow_except(["f8"], ["f8", "?", "u1", "c16"]))
def test_diagonals_and_blocks(dtype, rng):
    for shape in ((12, 18), (12, 60), (60, 18)):
        dia = matrix(rng, shape, dtype=dtype, format="dia")
        bsr = matrix(rng, shape, dtype=dtype, format="bsr")
        for columns in ((), (1,), (3,), (40,)):
            x = numbers(rng, (shape[1], *columns), "f8")
            y = cp.asarray(x)
            same(_products.dia_matmat(parts(dia, "offsets", "data"), y), dia @ x)
            same(_products.bsr_matmat(parts(bsr, "indptr", "indices", "data"), y), bsr @ x)


def test_halves_are_taken_as_floats(rng):
    a = matrix(rng, (6, 9), dtype="i1")
    got = ours(a) @ cp.ones(9, "f2")
    assert got.dtype == "f4"
    np.testing.assert_array_equal(got.get(), a.toarray().sum(1))


def test_one_dimension(rng):
    dense = numbers(rng, 9, "f8")
    for name in ("csr_array", "coo_array"):
        a = getattr(scipy.sparse, name)(dense)
        b = ours(a)
        for shape in ((9,), (9, 1), (9, 4)):
            x = numbers(rng, shape, "f8")
            same(b @ cp.asarray(x), a @ x)
        x = numbers(rng, (4, 9), "f8")
        same(cp.asarray(x) @ b, x @ a)


@pytest.mark.parametrize("format", FORMATS)
def test_one_row(format, rng):
    for kind in ("array", "matrix"):
        a = matrix(rng, (1, 9), format=format, kind=kind)
        x = numbers(rng, (9, 1), "f8")
        same(ours(a) @ cp.asarray(x), a @ x)
        same(ours(a) @ cp.asarray(x[:, 0]), a @ x[:, 0])  # of coo_array without dimensions


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1), (4, 2)])
@pytest.mark.parametrize("format", slow_except(["csr"], FORMATS[:3]))
def test_no_elements(shape, format):
    a = getattr(scipy.sparse, f"{format}_array")(shape)
    b = ours(a)
    same(b @ cp.ones(shape[1]), a @ np.ones(shape[1]))
    same(b @ cp.ones((shape[1], 2)), a @ np.ones((shape[1], 2)))
    same(b @ b.T, a @ a.T)


def test_duplicates_and_order_of_indices_do_not_matter(rng):
    row, col = rng.integers(0, 5, 40), rng.integers(0, 7, 40)
    data, x = numbers(rng, 40, "f8"), numbers(rng, 7, "f8")
    a = scipy.sparse.coo_array((data, (row, col)), shape=(5, 7))
    same(ours(a) @ cp.asarray(x), a @ x)
    indptr = np.array([0, 10, 10, 25, 30, 40], "i4")
    a = scipy.sparse.csr_array((data, col.astype("i4"), indptr), shape=(5, 7))
    b = matrix(rng, (7, 8))
    same(ours(a) @ cp.asarray(x), a @ x)
    same(ours(a) @ ours(b), a @ b)
    same(ours(b.T.tocsr()) @ ours(a.T.tocsr()), b.T.tocsr() @ a.T.tocsr())


def test_transposed_and_conjugate_products(rng):
    a = matrix(rng, (40, 30), dtype="c16")
    b = ours(a)
    x = numbers(rng, (40, 3), "c16")
    same(b.T @ cp.asarray(x), a.T @ x)
    same(b.conj().T @ cp.asarray(x[:, 0]), a.conj().T @ x[:, 0])
    for conjugate in (False, True):
        want = a.conj() if conjugate else a
        got = _products.transposed_matvec(b, cp.asarray(x[:, 1]), conjugate)
        same(got, want.T @ x[:, 1])
        same(_products.matmat(b, cp.asarray(x[:30]), conjugate), want @ x[:30])


def test_results_repeat(rng):
    a = ours(matrix(rng, (60, 50)))
    a.data = cp.asarray(rng.normal(size=a.nnz))
    x = cp.asarray(rng.normal(size=(50, 3)))
    for make in (lambda: a @ x, lambda: a @ x[:, 0], lambda: a.tocsc() @ x, lambda: (a @ a.T).data):
        assert make().get().tobytes() == make().get().tobytes()


def test_products_can_be_captured():
    a, x = sparse.csr_array(cp.eye(400) * 2), cp.ones((400, 2))
    stream = cp.cuda.Stream()
    with stream:
        a @ x, a @ x[:, 0]  # compiled before the capture
        stream.begin_capture()
        found = a @ x, a @ x[:, 0]
        graph = stream.end_capture()
        x[:] = 3
        graph.launch(stream)
        stream.synchronize()
    for one in found:
        assert (one.get() == 6).all()


# ---- errors --------------------------------------------------------------------------------------


def test_operands_that_do_not_fit(rng):
    a = matrix(rng, (6, 9))
    b = ours(a)
    for x in (np.ones(8), np.ones((8, 2)), np.ones((9, 2, 2)), np.ones(())):
        for function in (lambda m, y: m @ y, lambda m, y: y @ m):
            with pytest.raises(ValueError):
                function(a, x)
            with pytest.raises(ValueError):
                function(b, cp.asarray(x))
    with pytest.raises(ValueError, match="mismatch"):
        b @ b
    with pytest.raises(ValueError, match="Scalar operands"):
        b @ 3
    with pytest.raises(ValueError, match="Scalar operands"):
        3 @ b
    with pytest.raises(TypeError):
        b @ object()
    with pytest.raises(TypeError):
        _ = object() @ b


def test_operands_in_host_memory_are_refused(rng):
    a = matrix(rng, (6, 9))
    b = ours(a)
    for function in (
        lambda: b @ np.ones(9),
        lambda: np.ones(6) @ b,
        lambda: b @ a.T,
        lambda: a.T @ b,
    ):
        with pytest.raises(cp.errors.HostArrayError, match="host memory|sparse array"):
            function()
    same(b @ [1.0, 0, 2, 0, 0, 0, 0, 0, 3], a @ [1.0, 0, 2, 0, 0, 0, 0, 0, 3])


def test_dtypes_without_products():
    a = sparse.csr_array(cp.eye(3))
    with pytest.raises(TypeError):
        a @ cp.zeros(3, "M8[s]")


# ---- of two sparse arrays ------------------------------------------------------------------------


@pytest.mark.parametrize("left, right, kind", slow_off_axes(FORMATS, FORMATS, ["array", "matrix"]))
def test_formats(left, right, kind, rng):
    a, b = matrix(rng, (6, 9), 0.3, "f8", left, kind), matrix(rng, (9, 6), 0.3, "f8", right, kind)
    same(ours(a) @ ours(b), a @ b)


@pytest.mark.slow
@pytest.mark.parametrize("left, right", slow_off_axes(["f8", "?", "i1", "c8"], ["f8", "?", "u8"]))
def test_dtypes_of_sparse_operands(left, right, rng):
    a, b = matrix(rng, (30, 20), 0.3, left), matrix(rng, (20, 40), 0.3, right)
    same(ours(a) @ ours(b), a @ b)


_SHAPES = [(1, 3000, 1), (70, 1, 90), (500, 400, 300)]


@pytest.mark.parametrize("shape", slow_except(_SHAPES[:2], _SHAPES))
def test_shapes_of_sparse_operands(shape, rng):
    rows, inner, columns = shape
    a, b = matrix(rng, (rows, inner), 0.4), matrix(rng, (inner, columns), 0.4)
    same(ours(a) @ ours(b), a @ b)


def test_vectors_as_sparse_operands(rng):
    a = matrix(rng, (6, 9))
    v, w = (scipy.sparse.coo_array(numbers(rng, n, "f8")) for n in (9, 6))
    for x, y in ((a, v), (w, a), (v, v), (a, v.tocsr()), (w.tocsr(), a), (w, a.tocsc())):
        got, want = ours(x) @ ours(y), x @ y
        np.testing.assert_array_equal(
            got.toarray().get() if sparse.issparse(got) else got.get(),
            want.toarray() if scipy.sparse.issparse(want) else want,
        )
        assert got.shape == want.shape


def test_rows_of_very_different_lengths(rng):
    row = np.concatenate([np.zeros(250, int), rng.integers(0, 100, 300)])
    col = np.concatenate([rng.permutation(250), rng.integers(0, 250, 300)])
    a = scipy.sparse.coo_array((numbers(rng, 550, "f8"), (row, col)), (100, 250)).tocsr()
    same(ours(a) @ ours(a.T.tocsr()), a @ a.T.tocsr())
    same(ours(a).T @ ours(a), a.T @ a)


def no_tiles(monkeypatch):
    """No row's products fit a tile: all are sorted at once."""
    monkeypatch.setattr(_matrix_products.spec, "tile_products", lambda dtype, key: 0)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", slow_except(["f4"], ["f4", "f8", "c16", "?"]))
def test_tiles_of_rows(dtype, rng, monkeypatch):
    """Rows of many products and of few, and many without any, over the bounds of tiles."""
    heights = np.concatenate([np.zeros(900, int), rng.integers(0, 12, 300), [60, 0, 60], [0] * 700])
    columns = rng.integers(0, 60, heights.sum())
    data = numbers(rng, columns.size, dtype)
    indptr = np.concatenate([[0], np.cumsum(heights)])
    a = scipy.sparse.csr_array((data, columns, indptr), shape=(heights.size, 60))
    b = matrix(rng, (60, 40), 0.5, dtype)
    product = ours(a) @ ours(b)
    same(product, a @ b)
    no_tiles(monkeypatch)
    same(ours(a) @ ours(b), product.get())


def test_products_in_parts(rng, monkeypatch):
    a, b = matrix(rng, (30, 25)), matrix(rng, (25, 20))
    whole = ours(a) @ ours(b)
    monkeypatch.setattr(_matrix_products, "FEW_PRODUCTS", 50)
    monkeypatch.setattr(_matrix_products, "MOST_PRODUCTS", 400)
    parts = ours(a) @ ours(b)
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(parts, name).get(), getattr(whole, name).get())
    # Rows whose keys would not fit.
    monkeypatch.undo()
    monkeypatch.setattr(_matrix_products, "_KEYS", 7 * b.shape[1])
    no_tiles(monkeypatch)
    same(ours(a) @ ours(b), a @ b)


def test_parts_of_what_memory_there_is(monkeypatch):
    # Without a device of 600 GB: how many products are made at a time.
    device = types.SimpleNamespace(mem_info=(10 << 30, 20 << 30))
    stream = types.SimpleNamespace(device=device)
    monkeypatch.setattr(_matrix_products, "current", types.SimpleNamespace(stream=stream))
    most = _matrix_products._most_products
    assert most(1000, 8) == 1000
    assert most(1 << 40, 8) * (64 + 16) <= 10 << 30
    device.mem_info = (1 << 50, 1 << 50)
    assert most(1 << 40, 8) == 1 << 30
    device.mem_info = (0, 1 << 50)
    assert most(1 << 40, 8) == _matrix_products.FEW_PRODUCTS


def test_wide_keys_and_indices():
    wide = 1 << 31
    a = sparse.csr_array(
        (cp.ones(3), cp.asarray([0, 1, 1]), cp.asarray([0, 1, 1, 3])), shape=(3, 2)
    )
    indices = cp.asarray([5, wide, 5, wide + 1])
    b = sparse.csr_array((cp.arange(1.0, 5), indices, cp.asarray([0, 2, 4])), shape=(2, wide + 2))
    got = a @ b  # SciPy's takes memory for each column
    assert got.indices.dtype == got.indptr.dtype == "i8"
    assert got.indptr.tolist() == [0, 2, 2, 4]
    assert got.indices.tolist() == [5, wide, 5, wide + 1]
    assert got.data.tolist() == [1, 2, 6, 8]


def test_widths_of_indices():
    narrow, wide = np.dtype("i4"), np.dtype("i8")
    index = _matrix_products.index_of
    assert index(narrow, narrow, (1 << 31) - 1) == narrow
    assert index(narrow, narrow, 1 << 31) == wide
    assert index(narrow, wide, 5) == index(wide, narrow, 5) == wide


def test_mixed_widths_of_indices(rng):
    a, b = matrix(rng, (6, 9)), matrix(rng, (9, 4))
    x = ours(a)
    x.indices, x.indptr = x.indices.astype("i8"), x.indptr.astype("i8")
    got = x @ ours(b)
    assert got.indices.dtype == "i8"
    np.testing.assert_array_equal(got.toarray().get(), (a @ b).toarray())
    x.indptr = x.indptr.astype("i4")
    same(x @ cp.ones(9), a @ np.ones(9))


def test_entries_out_of_bounds_are_left_out(rng):
    a, b = matrix(rng, (8, 9)), matrix(rng, (9, 7))
    x, y = ours(a), ours(b)
    left, right = a.indices.copy(), b.indices.copy()
    left[3], right[5], a.data[3], b.data[5] = 9, -2, 0, 0
    x.indices, y.indices = cp.asarray(left), cp.asarray(right)
    got = x @ y
    assert got.get().has_canonical_format
    np.testing.assert_array_equal(got.toarray().get(), (a @ b).toarray())


def test_sums_that_are_zero_are_not_stored():
    a = scipy.sparse.csr_array(np.array([[1.0, -1], [0, 2]]))
    b = scipy.sparse.csr_array(np.array([[1.0, 3], [1, 0]]))
    b.data[1] = 0
    got = ours(a) @ ours(b)
    same(got, a @ b)
    assert got.nnz == 1


def test_nan_and_infinity_are_stored():
    a = scipy.sparse.csr_array(np.array([[np.inf, 1.0]]))
    b = scipy.sparse.csr_array(np.array([[1e-300, 0], [np.nan, -np.inf]]))
    got = (ours(a) @ ours(b)).toarray().get()
    np.testing.assert_array_equal(got, (a @ b).toarray())


# ---- operators of matrices -----------------------------------------------------------------------


def test_stars(rng):
    a = matrix(rng, (6, 6), kind="matrix")
    b = ours(a)
    x = numbers(rng, 6, "f8")
    same(b * cp.asarray(x), a * x)
    same(cp.asarray(x) * b, x * a)
    same(b * b, a * a)
    same(b * 3, a * 3)
    same(3 * b, 3 * a)
    for power in range(1, 5):
        same(b**power, a**power)
    assert type(b**0) is sparse.csr_matrix
    np.testing.assert_array_equal((b**0).toarray().get(), np.eye(6))


@pytest.mark.parametrize("power", [-1, 1.5])
def test_powers_that_are_refused(power):
    with pytest.raises(ValueError, match="exponent"):
        sparse.csr_matrix(cp.eye(2)) ** power
    with pytest.raises(TypeError, match="square"):
        sparse.csr_matrix((2, 3)) ** power


# ---- properties ----------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 40), st.integers(0, 40), st.integers(1, 40))
def test_products_of_any_shapes(seed, rows, inner, columns):
    rng = np.random.default_rng(seed)
    a, b = matrix(rng, (rows, inner), rng.random()), matrix(rng, (inner, columns), rng.random())
    same(ours(a) @ ours(b), a @ b)
    x = numbers(rng, (inner, columns), "f8")
    same(ours(a) @ cp.asarray(x), a @ x)


@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find(rng, monkeypatch):
    a, b = matrix(rng, (12, 90), 0.4), matrix(rng, (90, 30), 0.4)
    x, y = ours(a), ours(b)
    dia = parts(matrix(rng, (12, 90), 0.4, format="dia"), "offsets", "data")
    bsr = parts(matrix(rng, (12, 90), 0.4, format="bsr"), "indptr", "indices", "data")
    dense = cp.asarray(numbers(rng, (90, 3), "f8"))
    with cp.cuda.check("races", "uninit", "barriers"):
        same(x @ y, a @ b)
        no_tiles(monkeypatch)
        got = x @ y
        _products.dia_matmat(dia, dense)
        _products.bsr_matmat(bsr, dense[:, 0])
        _products.bsr_matmat(bsr, dense)
    same(got, a @ b)
