"""Products of compressed matrices with vectors and dense matrices, the kernels alone."""

import numpy as np
import pytest
import scipy.sparse

import gpuarray as cp
from gpuarray._runtime.current_stream import current
from gpuarray.kernels.sparse_product import launch, spec
from tests.slow import slow_except

#: The elements that a warp takes at a time of a product with a vector of float64.
TILE = 32 * spec.items(spec.ProductSpec("row_sums", "f8", "f8", "f8"))

#: Lengths of rows that put their ends in every place of lanes, warps and tiles.
LENGTHS = {
    "one element": [1],
    "short rows": [3, 0, 0, 1, 2, 7, 0],
    "empty rows": [0] * 5000 + [1] + [0] * 3000,
    "one row of many tiles": [3, 40 * TILE, 5],
    "rows over tiles": [TILE - 1, 2 * TILE, 0, 1, TILE // 2, 3 * TILE + 5, 0, 0],
    "many short rows": [2] * 3000,
    "all kinds": [0, 5000, 1, 1, 0, 70, 3000] * 5,
}


def matrix(lengths, columns, dtype, rng, index="i4"):
    """A csr matrix of rows of these lengths; columns are in no order and may be equal."""
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(index)
    indices = rng.integers(0, columns, indptr[-1]).astype(index)
    data = rng.integers(-3, 4, indptr[-1]).astype(dtype)
    if data.dtype.kind == "c":
        data += 1j * rng.integers(-3, 4, data.size).astype(data.real.dtype)
    return scipy.sparse.csr_array((data, indices, indptr), (len(lengths), columns))


def operand(shape, dtype, rng):
    found = rng.integers(-3, 4, shape).astype(dtype)
    return found + 1j * rng.integers(-3, 4, shape) if found.dtype.kind == "c" else found


def times(a, x, conjugate=False):
    arrays = [cp.asarray(part) for part in (a.indptr, a.indices, a.data)]
    arrays.append(x if isinstance(x, cp.ndarray) else cp.asarray(x))
    make = launch.vector_call if arrays[-1].ndim == 1 else launch.dense_call
    result = np.result_type(a.dtype, arrays[-1].dtype)
    run = make(current.stream, *[part._layout for part in arrays], result, conjugate)
    return run(*arrays).get()


@pytest.fixture
def small_shares(monkeypatch):
    """Blocks take few places, so that there are many of them."""
    monkeypatch.setattr(launch, "_LEAST_SHARE", 5)
    monkeypatch.setattr(launch, "_most_blocks", lambda spec, stream: 2000)
    monkeypatch.setattr(launch, "_LEAST_LENGTH", 2)
    current.stream.drop_plans()
    yield
    current.stream.drop_plans()


@pytest.mark.parametrize("kind", ["long rows", "short rows", "one row", "empty rows"])
def test_rows_over_many_blocks(kind, small_shares, rng):
    """Rows over few and many blocks, whose sums the last one joins, 256 at a time."""
    lengths = {
        "long rows": rng.geometric(0.01, 60),
        "short rows": rng.integers(0, 3, 3000),
        "one row": [0, 1, 4000, 0],
        "empty rows": [3, *[0] * 4000, 700, *[0] * 700],
    }
    a = matrix(lengths[kind], 50, "f8", rng)
    for shape in (50, (50, 3), (50, 4)):
        x = operand(shape, "f8", rng)
        np.testing.assert_array_equal(times(a, x), a @ x)


@pytest.fixture
def few_blocks(monkeypatch):
    """Two blocks take all, so that each goes through many chunks."""
    monkeypatch.setattr(launch, "_most_blocks", lambda spec, stream: 2)
    current.stream.drop_plans()
    yield
    current.stream.drop_plans()


CHUNKS = {
    "rows of whole chunks": [TILE, 2 * TILE, 0, TILE // 2, TILE // 2, 4 * TILE],
    "one row through many": [5, 9 * TILE, 3, 0, 2 * TILE - 1],
    "long rows, many in a chunk": [33, 32, 40, 100] * 90,
    "few long rows in a chunk": [TILE // 3, 2, TILE // 5] * 9,
    "more rows than threads": [1, 0, 2] * 2500,
}


@pytest.mark.parametrize("name", CHUNKS)
def test_rows_over_many_chunks(name, few_blocks, rng):
    a = matrix(CHUNKS[name], 50, "f8", rng)
    x = operand(50, "f8", rng)
    np.testing.assert_array_equal(times(a, x), a @ x)


@pytest.mark.parametrize("seed", slow_except(range(4), range(40)))
def test_random_rows(seed, monkeypatch):
    """Rows of very different lengths, in shares of any size."""
    rng = np.random.default_rng(seed)
    kinds = [
        lambda: rng.integers(0, 4, rng.integers(1, 400)),
        lambda: np.zeros(rng.integers(1, 1500), int),
        lambda: rng.integers(0, 3000, rng.integers(1, 3)),
        lambda: np.full(rng.integers(1, 40), rng.integers(0, 70)),
        lambda: 1000 // (1 + rng.permutation(300)),
    ]
    lengths = np.concatenate([kinds[k]() for k in rng.integers(0, len(kinds), 5)])
    monkeypatch.setattr(launch, "_LEAST_SHARE", int(rng.choice([1, 7, 40, 300])))
    blocks = int(rng.choice([1, 5, 3000]))
    monkeypatch.setattr(launch, "_most_blocks", lambda spec, stream: blocks)
    current.stream.drop_plans()
    a = matrix(lengths, 50, "f4", rng, rng.choice(["i4", "i8"]))
    x = operand(50, "f4", rng)
    np.testing.assert_array_equal(times(a, x), a @ x)
    current.stream.drop_plans()


# Small integers: sums are exact in whichever order they are made.
@pytest.mark.parametrize("name", LENGTHS)
def test_rows_of_any_lengths(name, rng):
    a = matrix(LENGTHS[name], 50, "f8", rng)
    x = operand(50, "f8", rng)
    np.testing.assert_array_equal(times(a, x), a @ x)
    dense = operand((50, 3), "f8", rng)
    np.testing.assert_array_equal(times(a, dense), a @ dense)


@pytest.mark.parametrize("columns", slow_except([1, 65], [1, 2, 4, 5, 8, 16, 31, 33, 65, 130]))
def test_columns(columns, rng):
    a = matrix(LENGTHS["all kinds"], 50, "f8", rng)
    dense = operand((50, columns), "f8", rng)
    np.testing.assert_array_equal(times(a, dense), a @ dense)


_PAIRS = [
    ("?", "?"), ("i1", "i1"), ("u2", "i2"), ("i8", "u4"), ("f4", "f4"), ("f4", "c8"), ("c16", "?"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("pair", slow_except([("?", "?"), ("i1", "i1"), ("f4", "c8")], _PAIRS))
def test_dtypes(pair, rng):
    a = matrix([3, 600, 0, 2500, 4], 50, pair[0], rng)
    x = operand(50, pair[1], rng)
    got = times(a, x)
    np.testing.assert_array_equal(got, a @ x)
    assert got.dtype == (a @ x).dtype
    dense = operand((50, 3), pair[1], rng)
    np.testing.assert_array_equal(times(a, dense), a @ dense)


def test_bools_of_any_byte_are_true():
    a = scipy.sparse.csr_array(np.eye(3, dtype=bool))
    x = cp.asarray(np.array([2, 0, 255], "u1")).view(bool)
    assert times(a, x).tolist() == [True, False, True]


def test_conjugates(rng):
    a = matrix([3, 600, 0, 4], 50, "c16", rng)
    x = operand(50, "c16", rng)
    np.testing.assert_array_equal(times(a, x, conjugate=True), a.conj() @ x)
    with pytest.raises(ValueError, match="not conjugated"):
        spec.ProductSpec("row_sums", "f8", "f8", "f8", conjugate=True)


def test_wide_indices(rng):
    a = matrix(LENGTHS["all kinds"], 50, "f8", rng, "i8")
    assert a.indices.dtype == "i8"
    x = operand(50, "f8", rng)
    np.testing.assert_array_equal(times(a, x), a @ x)


def test_strides(rng):
    a = matrix(LENGTHS["short rows"], 50, "f8", rng)
    x = cp.asarray(operand((100, 6), "f8", rng))
    for view in (x[:50, :1], x[::-2, ::3], x[:50, ::2], cp.broadcast_to(x[0, 0], (50, 4))):
        np.testing.assert_array_equal(times(a, view), a @ view.get())


def test_the_same_bits_each_time(rng):
    a = matrix(LENGTHS["all kinds"], 50, "f8", rng)
    a.data = rng.normal(size=a.nnz)
    x, dense = rng.normal(size=50), rng.normal(size=(50, 3))
    for one in (x, dense):
        assert times(a, one).tobytes() == times(a, one).tobytes()


def test_entries_out_of_bounds_are_left_out(rng):
    a = matrix([3, 600, 0, 4], 50, "f8", rng)
    x, dense = operand(50, "f8", rng), operand((50, 3), "f8", rng)
    want = a.copy()
    for place, index in ((7, 50), (8, -1), (605, 1 << 30)):
        a.indices[place] = index
        a.data[place] = np.inf
        want.data[place] = 0
    np.testing.assert_array_equal(times(a, x), want @ x)
    np.testing.assert_array_equal(times(a, dense), want @ dense)


@pytest.mark.parametrize("kind", ["permuted", "reversed", "any"])
@pytest.mark.parametrize("index", slow_except(["i4"], ["i4", "i8"]))
def test_pointers_that_fall_corrupt_nothing(kind, index, small_shares, rng):
    """Nothing outside of the arrays is read or written, and nobody waits for ever."""
    a = matrix([5, 0, 300] * 100, 50, "f8", rng, index)
    if kind == "any":
        a.indptr[:] = rng.integers(-(2**31), 2**31 - 1, a.indptr.size)
    else:
        inner = a.indptr[1:-1]
        a.indptr[1:-1] = rng.permutation(inner) if kind == "permuted" else inner[::-1]
    arrays = [cp.asarray(part) for part in (a.indptr, a.indices, a.data)]
    for shape in (50, (50, 3)):
        x = cp.asarray(operand(shape, "f8", rng))
        make = launch.vector_call if x.ndim == 1 else launch.dense_call
        layouts = [part._layout for part in (*arrays, x)]
        result = make(current.stream, *layouts, np.dtype("f8"))(*arrays, x)
        assert result.get().shape == (300, *x.shape[1:])


@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find(rng):
    a = matrix([0, 2 * TILE, 1, 1, 0, 70], 50, "f8", rng)
    with cp.cuda.check("races", "uninit", "barriers"):
        for shape in (50, (50, 3), (50, 4)):
            times(a, operand(shape, "f8", rng))


@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find_in_many_chunks(few_blocks, rng):
    a = matrix([3, 0, 3 * TILE, 40, 50, 600, *[1, 2] * 400], 50, "f8", rng)
    with cp.cuda.check("races", "uninit", "barriers"):
        np.testing.assert_array_equal(times(a, np.ones(50)), a @ np.ones(50))


@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find_among_many_blocks(small_shares, rng):
    a = matrix([3, 0, 1200, *[2] * 300, 0], 50, "f8", rng)
    with cp.cuda.check("races", "uninit", "barriers"):
        for shape in (50, (50, 3)):
            times(a, operand(shape, "f8", rng))


@pytest.mark.parametrize("skipped", [(0, 1), (1, 0), (3, 2)])
def test_parts_at_any_addresses(skipped, rng):
    """Indices and data that are views begin at other addresses than wide loads want: same bits."""
    a = matrix(LENGTHS["rows over tiles"], 50, "f4", rng)
    a.data, x = rng.normal(size=a.nnz).astype("f4"), rng.normal(size=50).astype("f4")
    arrays = [cp.asarray(a.indptr)]
    for count, part in zip(skipped, (a.indices, a.data), strict=True):
        arrays.append(cp.asarray(np.concatenate([part[:count], part]))[count:])
    arrays.append(cp.asarray(x))
    run = launch.vector_call(current.stream, *[part._layout for part in arrays], np.dtype("f4"))
    np.testing.assert_array_equal(run(*arrays).get(), times(a, x))
