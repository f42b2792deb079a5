"""Functions that make sparse arrays, against SciPy."""

import itertools
import warnings

import numpy as np
import pytest
import scipy.sparse

import gpuarray as cp
from gpuarray.scipy import sparse
from tests.sparse.cases import on_device, outcome, random, same


def both(name, *args, **kwargs):
    """Compare a function of SciPy's with its like; sparse arrays and ndarrays go to the device."""

    def moved(x):
        return [moved(y) for y in x] if isinstance(x, list) else on_device(x)

    want, _ = outcome(lambda: getattr(scipy.sparse, name)(*args, **kwargs))
    got, _ = outcome(lambda: getattr(sparse, name)(*map(moved, args), **kwargs))
    if isinstance(want, tuple):
        for x, y in zip(got, want, strict=True):
            np.testing.assert_array_equal(x.get(), y)
            assert x.dtype == y.dtype
        return
    same(got, want)


@pytest.mark.parametrize("name", ["eye", "eye_array"])
def test_eye(name):
    for format in (None, "csr", "csc", "coo", "dia"):
        both(name, 4, format=format)
        both(name, 3, 5, k=1, format=format)
        both(name, 3, 5, k=-2, dtype="i4", format=format)
    both(name, 3, k=7)
    both(name, 0)
    both("identity", 3, dtype="f4", format="csr")


def test_diagonals():
    lines = [[1.0, 2, 3, 4], [1.0, 2, 3], [1.0, 2]]
    for name in ("diags", "diags_array"):
        both(name, lines, offsets=[0, -1, 2])
        both(name, lines, offsets=[0, -1, 2], format="csr", dtype="c8")
        both(name, [1.0, -2.0, 1.0], offsets=[-1, 0, 1], shape=(4, 4))
        both(name, [1.0, 2.0, 3.0], offsets=1)
        both(name, [np.arange(1.0, 4), np.arange(4.0)], offsets=[1, 0], dtype=float)
        both(name, lines, offsets=[0, 1])
        both(name, [[1.0, 2, 3]], offsets=[9], shape=(3, 3))
        both(name, [[1.0, 2]], offsets=[0], shape=(4, 4))
        both(name, lines, offsets=0)
    data = np.arange(12.0).reshape(3, 4)
    both("spdiags", data, [0, -1, 2], 4, 4)
    both("spdiags", data, [0, -1, 2], (3, 5), format="csr")
    both("spdiags", data, [0, 0, 2], 4, 4)


def test_diagonals_of_integers():
    """They become float64, as those of SciPy's releases, unless the dtype is said to be theirs."""
    cases = [["i8"], ["u1", "f4"], ["i4", "c8"], ["i4", "f8"], ["f4", "f4"]]
    for name, dtypes in itertools.product(("diags", "diags_array"), cases):
        lines = [np.arange(1, 4).astype(x) for x in dtypes]
        offsets = list(range(len(lines)))
        for given in (lines, [cp.asarray(x) for x in lines]):
            warned = []
            for library in (scipy.sparse, sparse):
                host = library is scipy.sparse
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    made = getattr(library, name)(lines if host else given, offsets=offsets)
                warned.append([x.category for x in caught])
                warned.append(made.dtype)
            assert warned[:2] == warned[2:], (name, dtypes)
        both(name, lines, offsets=offsets, dtype=None)
    assert sparse.diags_array([[True, False]], offsets=[0]).dtype == "?"


@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_stacks(kind):
    a, b = random((2, 3), kind=kind), random((2, 3), "i4", seed=1, kind=kind)
    c = random((4, 3), seed=2, kind=kind)
    for format in ("csr", "csc", "coo"):
        x, y, z = a.asformat(format), b.asformat(format), c.asformat(format)
        both("vstack", [x, y, z])
        both("hstack", [x, y])
        both("vstack", [x, y], format="coo", dtype="c8")
        both("hstack", [x, z])
        both("vstack", [x, random((2, 4), kind=kind).asformat(format)])
        both("block_array", [[x, y], [z, None]])
        both("bmat", [[x, None], [None, z]], format="csr")
        both("bmat", [[x, z], [None, z]])
    both("vstack", [a, np.ones((1, 3))])
    both("block_array", [[None]])
    both("bmat", [a, b])
    if kind == "array":
        both("vstack", [random((4,)), random((4,), seed=1)])
        both("hstack", [random((4,)), random((3,), seed=1)])
        both("vstack", [random((4,)).tocoo(), random((2, 4), seed=1)])


def test_block_diag():
    a = random((2, 3))
    both("block_diag", [a, 3.0, [1.0, 2.0], [[4.0], [5.0]]])
    both("block_diag", [a, scipy.sparse.coo_matrix((1, 2))], format="csr", dtype="f4")


@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_kronecker(kind):
    a, dense = random((2, 3), kind=kind), random((2, 2), density=1, kind=kind, seed=3)
    b = random((3, 4), "i4", density=0.3, seed=1, kind=kind)
    for format in (None, "csr", "coo", "bsr"):
        both("kron", a, b, format=format)
        both("kron", a, dense, format=format)
    both("kron", a, np.ones((2, 2)))
    both("kron", a, 0 * b)
    square, other = random((3, 3), kind=kind), random((2, 2), seed=1, kind=kind)
    both("kronsum", square, other)
    both("kronsum", square, other, format="coo")
    both("kronsum", square, a)
    if kind == "array":
        both("kronsum", a, random((3,)))  # dimensions are looked at first
    if kind == "array":
        both("kron", random((3,)), b)
        both("kron", b, random((3,)))
        both("kron", random((2,)).tocoo(), random((3,), seed=1).tocoo(), format="coo")


def assert_transposed(a, axes):
    want, _ = outcome(lambda: a.transpose(axes=axes))
    got, _ = outcome(lambda: on_device(a).transpose(axes=axes))
    same(got, want)


def test_parts():
    for kind in ("array", "matrix"):
        a = random((4, 5), kind=kind)
        for k in (0, 1, -2, 9):
            both("tril", a, k)
            both("triu", a, k, format="csr")
        both("find", a)
        both("permute_dims", a.tocoo(), copy=True)
        both("permute_dims", a, axes=(0, 1))
        both("swapaxes", a, 0, -1)
        both("swapaxes", a, 0, 2)
        both("permute_dims", a, axes=(0, 0))
        both("permute_dims", a, axes=(0,))
        for axes in ((0, 1), (1, 0), (0, 0), (0,), (0, 5)):
            assert_transposed(a.tocoo(), axes)
    assert_transposed(random((4,)).tocoo(), (0,))
    both("expand_dims", random((4,)), axis=0)
    both("expand_dims", random((4,)), axis=-1)
    both("expand_dims", random((4,)), axis=5)
    assert sparse.matrix_transpose(sparse.csr_array(cp.ones((2, 3)))).format == "csc"
    with pytest.raises(ValueError, match="ndim"):
        sparse.matrix_transpose(sparse.csr_array(cp.ones(3)))


def test_random_draws_what_scipy_draws():
    for dtype in (None, "f4", "i2", "c16"):
        both("random_array", (7, 30), density=0.2, dtype=dtype, rng=3)
        both(
            "random",
            7,
            30,
            0.2,
            "csr",
            dtype=dtype,
            rng=np.random.default_rng(3).bit_generator.seed_seq.entropy,
        )
    both("random_array", (50,), density=0.5, rng=1, format="csr")
    both("rand", 5, 6, density=0.5, rng=9)
    both("random", 5, 6, density=2)
    made = sparse.random_array((5, 8), density=0.5, data_sampler=lambda size: cp.ones(size), rng=1)
    assert made.nnz == 20
    assert made.sum() == 20
    made = sparse.random(5, 8, density=0.5, data_rvs=np.ones, random_state=1)
    assert made.nnz == 20
    made = sparse.random_array((5, 8), density=0.5, random_state=1)
    assert made.nnz == 20
    for function in (
        lambda **x: sparse.random(5, 8, **x),
        lambda **x: sparse.random_array((5, 8), **x),
    ):
        with pytest.raises(TypeError, match="random_state"):
            function(rng=1, random_state=1)
    with pytest.raises(ValueError, match="shape must have length"):
        sparse.random_array((2,) * 65)


def test_complex_numbers_in_a_list_as_integers():
    with pytest.warns(np.exceptions.ComplexWarning):
        made = sparse.csr_array([1, 0, 2 + 3j], dtype="i2")
    assert made.toarray().tolist() == [1, 0, 2]


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
@pytest.mark.parametrize("name", ["vstack", "hstack"])
def test_one_array_several_times(name, format):
    x = sparse.csr_array(cp.asarray([[1, 0, 2], [0, 3, 4]])).asformat(format)
    stacked = getattr(np, name)
    np.testing.assert_array_equal(
        getattr(sparse, name)([x, x, x]).toarray().get(), stacked([x.toarray().get()] * 3)
    )


def test_matrices_of_scipy_keep_wide_indices():
    wide = scipy.sparse.csr_matrix(random((3, 4)))
    wide.indices, wide.indptr = wide.indices.astype("q"), wide.indptr.astype("q")
    found = sparse.csr_matrix(wide)
    assert found.indices.dtype == found.indptr.dtype == np.int64
    same(found, wide)


def test_shapes_that_indices_and_operands_leave_open():
    with pytest.raises(TypeError, match="shape"):
        sparse.coo_array((cp.ones(2), (cp.array([0.0, 1.0]), cp.array([0, 1]))))
    with pytest.raises(ValueError, match="inconsistent shapes"):
        sparse.bsr_array(sparse.eye_array(4), shape=(2, 3))
