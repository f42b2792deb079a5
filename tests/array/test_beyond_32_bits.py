"""Arrays of more than 2**31 elements, where a 32-bit offset would be wrong.

That the kernels for them are chosen is tested without such arrays (the ``index`` of the
specifications); this is the proof, and needs a GPU with memory for it.
"""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp

pytestmark = [pytest.mark.cuda, pytest.mark.slow]

N = 2**31 + 12_345
PERIOD = 1 << 20
PLACES = [0, 1, PERIOD, 2**31 - 1, 2**31, 2**31 + 1, N - 1]


@pytest.fixture(scope="module", autouse=True)
def memory():
    if cp.cuda.runtime.memGetInfo()[0] < 40 << 30:
        pytest.skip("needs 40 GiB of free device memory")
    yield
    cp.get_default_memory_pool().free_all_blocks()


@pytest.fixture(scope="module")
def pattern():
    """One period of the elements: bytes from -100 to 100."""
    return np.random.default_rng(0).integers(-100, 101, PERIOD, dtype=np.int8)


def repeated(pattern, n=N):
    """The pattern over and over, n elements of it, made on the device."""
    whole = -(-n // PERIOD)
    array = cp.empty((whole, PERIOD), pattern.dtype)
    array[...] = cp.asarray(pattern)
    return array.ravel()[:n]


def element(pattern, places):
    return pattern[np.asarray(places) % PERIOD]


@pytest.fixture(scope="module")
def a(pattern):
    return repeated(pattern)


def total(pattern, n=N):
    return int(pattern.sum(dtype="i8")) * (n // PERIOD) + int(pattern[: n % PERIOD].sum(dtype="i8"))


def test_elementwise(a, pattern):
    result = a * 2 - 1
    for place in PLACES:
        assert int(result[place]) == np.int8(element(pattern, place) * np.int8(2) - np.int8(1))
    assert int((a == cp.int8(pattern[5])).sum()) == sum(
        int((pattern[: min(PERIOD, N - at)] == pattern[5]).sum()) for at in range(0, N, PERIOD)
    )


def test_sums(a, pattern):
    assert int(a.sum()) == total(pattern)
    assert int(cp.count_nonzero(a)) == total((pattern != 0).astype("i1"))
    assert int(a[::-1].sum()) == total(pattern)


def test_sum_of_floats(pattern):
    scaled = pattern.astype("f4") / 8  # sums of eighths below 2**24 are exact in any order
    a = repeated(scaled)
    assert float(a.sum(dtype="f8")) == total(pattern) / 8
    assert abs(float(a.sum()) - total(pattern) / 8) <= 1e-6 * N * 100 / 8
    columns = a[: N // 64 * 64].reshape(-1, 64).sum(0, dtype="f8")
    assert float(columns.sum()) == total(pattern, N // 64 * 64) / 8


@pytest.mark.parametrize("place", PLACES)
def test_argmax(a, pattern, place):
    b = a.copy()
    b[place] = 127
    assert int(b.argmax()) == place
    b[place] = -128
    assert int(b.argmin()) == place


def test_cumsum(a, pattern):
    result = cp.cumsum(a)
    assert result.dtype == "i8"
    within, period = np.cumsum(pattern, dtype="i8"), int(pattern.sum(dtype="i8"))
    for start in (0, 2**31 - 1000, N - 5000):
        places = np.arange(start, start + 5000 if start + 5000 <= N else N)
        expected = places // PERIOD * period + within[places % PERIOD]
        assert (cp.asnumpy(result[start : start + 5000]) == expected).all()


def test_sort(a, pattern):
    result = cp.asnumpy(cp.sort(a))
    values, counts = np.unique(pattern, return_counts=True)
    rest = np.array([(pattern[: N % PERIOD] == value).sum() for value in values])
    ends = np.cumsum(counts * (N // PERIOD) + rest)
    start = 0
    for value, end in zip(values, ends, strict=True):
        for place in {start, (start + end) // 2, end - 1}:
            assert result[place] == value
        start = end
    assert start == N
    assert (result[:-1] <= result[1:]).all()


def test_take(a, pattern):
    places = np.random.default_rng(1).integers(0, N, 100_000)
    places[: len(PLACES)] = PLACES
    assert (cp.asnumpy(a[cp.asarray(places)]) == element(pattern, places)).all()
    b = cp.zeros(N, "i1")
    b[cp.asarray(PLACES)] = 7
    assert [x.tolist() for x in cp.nonzero(b)] == [PLACES]
    assert cp.asnumpy(b[b != 0]).tolist() == [7] * len(PLACES)


def test_masks(a, pattern):
    result = a[a > 98]
    assert result.size == total((pattern > 98).astype("i1"))
    kept = pattern[pattern > 98]
    assert (cp.asnumpy(result[: kept.size]) == kept).all()
    last = pattern[: N % PERIOD]
    last = last[last > 98]
    assert (cp.asnumpy(result[result.size - last.size :]) == last).all()


def test_copies(a, pattern):
    b = a[::-1].copy()
    for place in PLACES:
        assert int(b[N - 1 - place]) == element(pattern, place)
    rows = 50_021
    table = a[: N // rows * rows].reshape(rows, -1)
    turned = cp.ascontiguousarray(table.T)
    width = table.shape[1]
    for row, column in [(0, 0), (rows - 1, width - 1), (rows - 1, 0), (rows // 2, width // 3)]:
        assert int(turned[column, row]) == element(pattern, row * width + column)
    line = cp.asnumpy(turned[width - 1])
    assert (line == element(pattern, np.arange(rows) * width + width - 1)).all()


def test_concatenate(a, pattern):
    b = cp.concatenate((a, a))
    for place in PLACES:
        assert int(b[N + place]) == element(pattern, place)


@pytest.mark.parametrize("dtype", ["i1", "f2"])
def test_products(a, pattern, dtype):
    """Integers by a kernel of our own, halves by cuBLAS, from a matrix of more elements."""
    columns = 1 << 15
    rows = N // columns
    matrix = a[: rows * columns].reshape(rows, columns).astype(dtype, copy=False)
    right = np.random.default_rng(3).integers(-3, 4, (columns, 80)).astype(dtype)
    products = cp.matmul(matrix, cp.asarray(right), dtype="i4" if dtype == "i1" else "f4")
    for row in (0, rows // 2, rows - 1):
        numbers = element(pattern, np.arange(columns) + row * columns).astype("i8")
        assert (cp.asnumpy(products[row]) == numbers @ right.astype("i8")).all()


def test_products_of_many_elements(a):
    side = 1 << 16
    column, row = cp.arange(side, dtype="f4")[:, None], cp.ones((1, side), "f4")
    products = cp.concatenate((column, column), 1) @ cp.concatenate((row, row), 0)
    assert products.size > 2**31
    for i in (0, 1, side // 2, side - 1):
        assert float(products[i, i]) == 2 * i
        assert float(products[i, -1]) == 2 * i
