"""Element-wise operations of sparse arrays against SciPy."""

import operator

import numpy as np
import pytest
import scipy.sparse

import gpuarray as cp
from gpuarray.scipy import sparse
from tests.array.arrays import launches
from tests.slow import slow_except, slow_off_axes
from tests.sparse.cases import against_scipy, random

OPERATORS = {
    "add": operator.add,
    "sub": operator.sub,
    "truediv": operator.truediv,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "gt": operator.gt,
    "le": operator.le,
    "ge": operator.ge,
    "multiply": lambda a, b: a.multiply(b),
    "maximum": lambda a, b: a.maximum(b),
    "minimum": lambda a, b: a.minimum(b),
}
D = np.arange(20.0).reshape(4, 5)


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
@pytest.mark.parametrize(
    ("class_", "name"),
    slow_off_axes(["csr array", "csc matrix", "coo array", "csr matrix"], OPERATORS),
)
def test_operators(class_, name):
    format, kind = class_.split()
    a = random((4, 5), format=format, kind=kind)
    others = [
        random((4, 5), seed=1, kind=kind),
        2,
        0,
        -1.5,
        np.nan,
        D,
        D[0],
        random((4, 4), kind=kind),
    ]
    for other in others:
        against_scipy(OPERATORS[name], a, other)


@pytest.mark.parametrize(
    ("name", "dtypes"),
    [
        ("sub", "?u1"),
        ("ne", "?u1"),
        *[
            pytest.param(name, ("i4f4", "i8u8", "c8f8")[number % 3], marks=pytest.mark.slow)
            for number, name in enumerate(OPERATORS)
        ],
        *[pytest.param("sub", x, marks=pytest.mark.slow) for x in ("i4f4", "i8u8")],
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_dtypes(name, dtypes):
    first, second = np.dtype(dtypes[: len(dtypes) // 2]), np.dtype(dtypes[len(dtypes) // 2 :])
    if first.kind == "c" and name == "truediv":
        return  # quotients of complex numbers and zero are what their formulas make of them
    against_scipy(OPERATORS[name], random((6, 5), first), random((6, 5), second, seed=1))


def test_reflected_operators():
    a = random((4, 5))
    for function in (
        lambda x, y: y + x,
        lambda x, y: y - x,
        lambda x, y: y * x,
        lambda x, _: 0 - x,
        lambda x, _: 1 - x,
        lambda x, _: 0 + x,
        lambda x, _: 1 + x,
        lambda x, _: 2 * x,
        lambda x, _: 1 / x,
        lambda x, _: x + "a",
        lambda x, _: x + [[1] * 5] * 4,
        lambda x, _: x / object(),
    ):
        against_scipy(function, a, D)


@pytest.mark.parametrize("format", slow_except(["csr"], ["csr", "csc", "coo"]))
def test_multiply_broadcasts(format):
    arrays = [random((4, 5)), random((1, 5), seed=1), random((4, 1), seed=2)]
    others = [*arrays, random((1, 1), density=1), random((5, 1)), random((5,)), D, D[:1], D[:, :1]]
    others += [D[0], D[:1, :1], D[:3], [[1, 2, 3, 4, 5]]]
    for a in arrays:
        for other in others:
            against_scipy(lambda x, y: x.asformat(format).multiply(y), a, other)
    matrix = random((4, 5), kind="matrix")
    for a in arrays[:2]:  # a column, or all, beside a matrix: what it becomes is as it is
        against_scipy(lambda x, y: x.asformat(format).multiply(y), a, matrix)
    against_scipy(lambda x, y: x.asformat(format).multiply(y), arrays[2], matrix)
    against_scipy(lambda x, y: x.multiply(y), random((1, 1), density=1), D[0])


def test_one_dimension():
    a, dense = random((6,)), np.arange(6.0)
    for name in ("add", "ne", "multiply", "maximum"):
        for other in (random((6,), seed=3), dense, 2, 0):
            against_scipy(OPERATORS[name], a, other)


def test_in_place():
    def scaled(a):
        a *= 2
        a /= 4
        return a

    against_scipy(scaled, random((4, 5)))
    against_scipy(lambda a: operator.iadd(a, a), random((4, 5)))


def test_operands_that_are_not_canonical_stay_as_they_are():
    parts = cp.array([1.0, 2.0, 3.0]), cp.array([2, 0, 0]), cp.array([0, 3, 3])
    a = sparse.csr_array(parts, shape=(2, 3))
    np.testing.assert_array_equal((a + a).toarray().get(), [[10, 0, 2], [0, 0, 0]])
    assert (a + a).has_canonical_format
    np.testing.assert_array_equal(a.indices.get(), [2, 0, 0])
    assert not a.has_canonical_format


def test_nan_wins_in_sparse_extremes_as_in_dense_ones():
    a = sparse.csr_array(cp.array([[cp.nan, 0.0, 1.0]]))
    b = sparse.csr_array(cp.array([[1.0, cp.nan, 2.0]]))
    np.testing.assert_array_equal(a.maximum(b).toarray().get(), [[np.nan, np.nan, 2]])
    np.testing.assert_array_equal(b.minimum(a).toarray().get(), [[np.nan, np.nan, 1]])


def test_two_launches_merge_two_operands():
    a, b = sparse.csr_array(random((40, 50))), sparse.csr_array(random((40, 50), seed=1))
    for function in (operator.add, operator.ne, lambda x, y: x.multiply(y)):
        function(a, b)
        assert launches(lambda f=function: f(a, b)) == 2
    assert launches(lambda: a.sum(axis=1)) == 1
    assert launches(lambda: a.argmax(axis=1)) == 1


def test_sums_and_products_of_diagonals_with_other_formats():
    a, b = random((4, 4), format="dia"), random((4, 4), format="csc", seed=1)
    matrix = scipy.sparse.csr_matrix(b)
    for function in (lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a.multiply(b)):
        against_scipy(function, a, b)
        against_scipy(function, a, matrix)
    with pytest.raises(ValueError, match="exponent"):
        sparse.csr_matrix(matrix) ** sparse.csr_matrix(matrix)
