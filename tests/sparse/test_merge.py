"""Merges of canonical compressed matrices, the kernels alone, against SciPy."""

import numpy as np
import pytest
import scipy.sparse

import gpuarray as cp
from gpuarray.kernels.sparse_merge import launch, spec
from tests.slow import slow_except

OPERATIONS = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a.multiply(b),
    "maximum": lambda a, b: a.maximum(b),
    "minimum": lambda a, b: a.minimum(b),
    "not_equal": lambda a, b: a != b,
    "less": lambda a, b: a < b,
    "greater": lambda a, b: a > b,
}


def matrix(shape, density, dtype, rng):
    """A matrix of small integers, zeros among its elements."""
    random = scipy.sparse.random_array(shape, density=density, format="csr", rng=rng)
    random.sort_indices()
    random.data = rng.integers(-2, 3, random.nnz)
    return random.astype(dtype)


def parts(a, index="i4"):
    return tuple(map(cp.asarray, (a.indptr.astype(index), a.indices.astype(index), a.data)))


def check(operation, a, b, index="i4"):
    want = OPERATIONS[operation](a, b)
    want.sum_duplicates()
    want.eliminate_zeros()
    loop = np.result_type(a.dtype, b.dtype)
    indptr, indices, data = launch.merge(operation, parts(a, index), parts(b, index), loop)
    np.testing.assert_array_equal(indptr.get(), want.indptr)
    np.testing.assert_array_equal(indices.get(), want.indices)
    np.testing.assert_array_equal(data.get(), want.data)
    assert data.dtype == want.dtype
    assert indptr.dtype == indices.dtype == index


@pytest.mark.parametrize(
    "shape, densities",
    [
        ((1, 1), (1, 1)),
        ((4, 3), (0.5, 0)),
        ((1, 6000), (0.5, 0.6)),  # a row over several tiles
        ((3000, 3), (0.3, 0.01)),
        ((6000, 7), (0.0005, 0.0006)),  # nearly all rows are empty
        ((70, 200), (0.3, 0.3)),
    ],
)
def test_shapes(shape, densities, rng):
    a, b = (matrix(shape, density, "f8", rng) for density in densities)
    check("add", a, b)
    check("subtract", a, a)


@pytest.mark.parametrize("operation", slow_except(["multiply", "less"], OPERATIONS))
def test_operations(operation, rng):
    check(operation, matrix((50, 40), 0.2, "f8", rng), matrix((50, 40), 0.1, "f8", rng))


@pytest.mark.parametrize(
    "dtypes", slow_except([("?", "?"), ("i1", "u1")], [("?", "?"), ("i1", "u1"), ("c8", "f8")])
)
def test_dtypes(dtypes, rng):
    a, b = (matrix((20, 30), 0.3, dtype, rng) for dtype in dtypes)
    check("subtract", a, b)


def test_wide_indices(rng):
    check("add", matrix((50, 40), 0.2, "f8", rng), matrix((50, 40), 0.1, "f8", rng), "i8")


def test_nothing(rng):
    for shape in ((0, 3), (3, 0), (5, 4)):
        check("add", *[scipy.sparse.csr_array(shape, dtype="f8")] * 2)


def test_nan_and_infinity():
    a = scipy.sparse.csr_array([[np.inf, 0, np.nan, 1]])
    check("multiply", a, scipy.sparse.csr_array([[0, np.inf, 1, 0]]))


def test_elements_replaced(rng):
    a, b = matrix((40, 60), 0.2, "f8", rng), matrix((40, 60), 0.1, "f8", rng)
    indptr, indices, data = launch.merge("replace", parts(a), parts(b), a.dtype)
    want = a.toarray()
    rows, columns = b.tocoo().coords
    want[rows, columns] = b.data
    result = scipy.sparse.csr_array((data.get(), indices.get(), indptr.get()), a.shape)
    np.testing.assert_array_equal(result.toarray(), want)
    assert result.has_canonical_format
    assert result.nnz == ((a.toarray() * 0 + 1) * (_pattern(a) | _pattern(b))).sum()


def _pattern(a):
    result = np.zeros(a.shape, bool)
    result[a.tocoo().coords] = True
    return result


@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find(rng):
    a, b = matrix((9, 500), 0.5, "f8", rng), matrix((9, 500), 0.4, "f8", rng)
    with cp.cuda.check("races", "uninit", "barriers"):
        check("add", a, b)


def test_unknown_operations_are_refused():
    with pytest.raises(ValueError, match="operation 'divide'"):
        spec.MergeSpec("divide", "f8", "f8", "f8")
