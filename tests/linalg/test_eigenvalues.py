"""Eigenvalues and eigenvectors, by what defines them: residuals, norms, orthogonality."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import cusolver
from gpuarray._libraries import eigen
from gpuarray._ops import eigenvalues
from gpuarray.errors import CUSOLVERError, LibraryNotFoundError
from tests.array.arrays import raises_as_numpy
from tests.slow import slow_except

DTYPES = ["f4", "f8", "c8", "c16"]
each_dtype = pytest.mark.parametrize("dtype", DTYPES)
#: How many times the precision, and the greatest element, results may be off for each row.
FACTOR = 30
#: Rows of a matrix that is left to the library; smaller ones have kernels of their own.
GREAT = 34


def precision(dtype):
    return np.finfo(dtype).eps


def random(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def of_spectrum(values, dtype, seed=0):
    """A Hermitian matrix with given eigenvalues."""
    basis = np.linalg.qr(random((len(values), len(values)), np.result_type(dtype, "f8"), seed))[0]
    matrix = (basis * values) @ basis.conj().T
    return ((matrix + matrix.conj().T) / 2).astype(dtype)


def hermitian(a, uplo="L"):
    """The Hermitian matrices that a triangle stands for."""
    a = a if a.dtype.kind in "fc" else a.astype("f8")
    strict = np.tril(a, -1) if uplo == "L" else np.triu(a, 1)
    diagonal = np.einsum("...ii->...i", a).real
    full = strict + strict.conj().swapaxes(-1, -2)
    np.einsum("...ii->...i", full)[...] = diagonal
    return full


def norms(a):
    """The norms of matrices, or 1 where they are 0."""
    found = np.abs(a).max((-1, -2), initial=0)[..., None]
    return np.where(found == 0, 1, found)


def check_eigh(a, uplo="L", make=cp.asarray):
    """eigh and eigvalsh of a host array."""
    result = cp.linalg.eigh(make(a), uplo)
    only = cp.linalg.eigvalsh(make(a), uplo)
    full = hermitian(a, uplo)
    n = full.shape[-1]
    assert result.eigenvectors.flags.c_contiguous
    assert result.eigenvectors.dtype == full.dtype
    assert result.eigenvalues.dtype == only.dtype == full.real.dtype
    w, v, only = [cp.asnumpy(x) for x in (*result, only)]
    assert (w.shape, v.shape) == (full.shape[:-1], full.shape)
    tolerance = FACTOR * n * precision(full.dtype)
    scale = norms(full)
    assert (w[..., 1:] >= w[..., :-1]).all()
    expected = np.linalg.eigvalsh(full)
    assert (np.abs(w - expected) <= tolerance * scale).all()
    assert (np.abs(only - expected) <= tolerance * scale).all()
    residuals = full @ v - v * w[..., None, :]
    assert (np.abs(residuals) <= tolerance * scale[..., None]).all()
    assert (np.abs(v.conj().swapaxes(-1, -2) @ v - np.eye(n)) <= tolerance).all()


def check_eig(a, make=cp.asarray):
    """eig and eigvals of a host array, which are complex as NumPy's are since 2.5."""
    result = cp.linalg.eig(make(a))
    only = cp.linalg.eigvals(make(a))
    dtype = np.result_type(np.linalg.eigvals(a).dtype, np.complex64)
    assert result.eigenvectors.flags.c_contiguous
    assert result.eigenvalues.dtype == result.eigenvectors.dtype == only.dtype == dtype
    w, v, only = [cp.asnumpy(x) for x in (*result, only)]
    assert (w.shape, v.shape) == (a.shape[:-1], a.shape)
    n = a.shape[-1]
    tolerance = FACTOR * n * precision(dtype)
    scale = norms(a)[..., None]
    assert (np.abs(a @ v - v * w[..., None, :]) <= tolerance * scale).all()
    assert (np.abs(np.linalg.norm(v, axis=-2) - 1) <= tolerance).all()
    # An eigenvalue makes the matrix singular, as nearly as the precision allows.
    for values in (w, only):
        shifted = a[..., None, :, :] - values[..., None, None] * np.eye(n)
        least = np.linalg.svd(shifted, compute_uv=False)[..., -1]
        assert (least <= tolerance * norms(a)).all()
    traces = np.trace(a, axis1=-2, axis2=-1)
    for values in (w, only):
        assert (np.abs(values.sum(-1) - traces) <= n * tolerance * norms(a)[..., 0]).all()


# ---- Hermitian matrices


@pytest.mark.parametrize("dtype", ["f4", "c16"])
@pytest.mark.parametrize("uplo", ["L", "U"])
@pytest.mark.parametrize(
    "shape", [(1, 1), (2, 2, 4, 4), (GREAT, GREAT), (2, GREAT, GREAT)], ids=str
)
def test_only_a_triangle_is_read(shape, uplo, dtype):
    a = random(shape, dtype)
    other = np.triu if uplo == "L" else np.tril
    a[other(np.ones(shape, bool), 1 if uplo == "L" else -1)] = np.nan
    check_eigh(a, uplo)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("shape", [(3, 3), (GREAT, GREAT), (2, GREAT, GREAT)], ids=str)
def test_imaginary_parts_of_the_diagonal_are_zero(shape, dtype):
    a = hermitian(random(shape, dtype))
    np.einsum("...ii->...i", a)[...] += 1j
    for uplo in "LU":
        check_eigh(a, uplo)


@pytest.mark.parametrize("n", slow_except([GREAT], [GREAT, 7]))
@pytest.mark.parametrize("condition", [1e1, 1e4, 1e7, 1e11, 1e15])
@each_dtype
def test_conditions(dtype, condition, n):
    signs = np.where(np.arange(n) % 3, 1, -1)
    check_eigh(of_spectrum(np.geomspace(1, 1 / condition, n) * signs, dtype))


SPECTRA = {
    "zero": np.zeros(5),
    "equal": np.full(5, 2.5),
    "pairs": np.array([1.0, 1, 3, 3, 3, 7]),
    "opposite": np.array([-1.0, 1, -1, 1]),
    "cluster": 1 + np.arange(5) * 1e-9,
    "graded": 10.0 ** -np.arange(0, 30, 5),
    "great": np.array([1e30, 2e30, -1e30]),
    "small": np.array([1e-30, 2e-30, -1e-30]),
}


@pytest.mark.parametrize("dtype", slow_except(["f4", "c16"], DTYPES))
@pytest.mark.parametrize("least", slow_except([GREAT], [GREAT, 1]))
@pytest.mark.parametrize("spectrum", SPECTRA)
def test_spectra(spectrum, least, dtype):
    values = SPECTRA[spectrum]
    check_eigh(of_spectrum(np.tile(values, -(-least // len(values))), dtype))


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8"])
def test_integers(dtype):
    a = np.random.default_rng(0).integers(0, 5, (4, 4)).astype(dtype)
    check_eigh(a)
    check_eig(a)


LAYOUTS = {
    "transposed": lambda a, xp: a.swapaxes(-1, -2),
    "reversed": lambda a, xp: a[..., ::-1, ::-1],
    "strided": lambda a, xp: a[..., ::2, ::2],
    "permuted": lambda a, xp: a.transpose(1, 0, 2, 3),
    "inner-stack": lambda a, xp: a.transpose(2, 3, 0, 1),
    "offset": lambda a, xp: a[1, :, 1:, 1:],
    "broadcast": lambda a, xp: xp.broadcast_to(a[:1, 1], a.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n, dtype", [(5, "f8"), (GREAT, "c8")])
def test_layouts(layout, n, dtype):
    if layout == "inner-stack":
        a = random((n, n, 2, 2), dtype)
    else:
        a = random(
            (2, 2, *[2 * n - 1 if layout == "strided" else n + (layout == "offset")] * 2), dtype
        )
    view, on_device = LAYOUTS[layout](a, np), LAYOUTS[layout](cp.asarray(a), cp)
    assert view.shape[-1] == n
    check_eigh(view, make=lambda _: on_device)
    check_eig(view, make=lambda _: on_device)
    # Operands are left as they are.
    np.testing.assert_array_equal(cp.asnumpy(on_device), view)


def test_columns_and_rows_are_not_mixed_up():
    """The second matrix has the first one's transpose as its conjugate."""
    a = np.array([[2, 1 + 1j, 0], [1 - 1j, 3, 2j], [0, -2j, 1]])
    check_eigh(a)
    check_eigh(a.T)
    w, v = cp.linalg.eigh(cp.asarray(a))
    v = cp.asnumpy(v)
    assert np.abs((v * cp.asnumpy(w)) @ v.conj().T - a).max() < 1e-14
    check_eig(np.array([[1.0, 2, 3], [0, 4, 5], [0, 0, 6]]))
    v = cp.asnumpy(cp.linalg.eig(cp.array([[1.0, 2], [0, 3]])).eigenvectors)
    assert sorted(np.abs(v[1]).round(6)) == [0, 0.707107]


# ---- general matrices


@each_dtype
@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (5, 5), (2, 2, 3, 3)], ids=str)
def test_general_matrices(shape, dtype):
    check_eig(random(shape, dtype))


@pytest.mark.parametrize("dtype", ["f8", "c8"])
def test_greater_general_matrices(dtype):
    check_eig(random((GREAT, GREAT), dtype))


@pytest.mark.parametrize("condition", [1e1, 1e4, 1e8, 1e15])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_conditions_of_eigenvectors(dtype, condition):
    left, right = [np.linalg.qr(random((6, 6), "f8", seed))[0] for seed in (1, 2)]
    basis = (left * np.geomspace(1, 1 / condition, 6)) @ right
    a = basis @ np.diag(np.arange(1.0, 7)) @ np.linalg.inv(basis)
    check_eig((a / np.abs(a).max()).astype(dtype))


def test_defective_matrices():
    check_eig(np.eye(4) * 2 + np.eye(4, k=1))
    check_eig(np.eye(3, k=1))
    check_eig(np.zeros((3, 3)))


def test_results_are_complex_whatever_their_values():
    rotation, symmetric = np.array([[0.0, 1], [-1, 0]]), np.array([[2.0, 1], [1, 2]])
    check_eig(np.stack([rotation, symmetric]))
    check_eig(np.stack([symmetric, symmetric]))
    assert cp.linalg.eigvals(cp.asarray(symmetric)).dtype == "c16"
    assert cp.linalg.eigvals(cp.asarray(symmetric, "f4")).dtype == "c8"
    assert cp.linalg.eig(cp.zeros((0, 0))).eigenvectors.dtype == "c16"
    assert cp.linalg.eigvals(cp.asarray(rotation, "f4")).dtype == "c8"
    assert cp.linalg.eigvals(cp.asarray(symmetric, "c8")).dtype == "c8"


@pytest.mark.parametrize("pattern", ["rcc", "ccr", "cccc", "crc", "rccr", "ccrcc"])
def test_vectors_of_conjugate_pairs(pattern):
    """Blocks on the diagonal: a pair of conjugates is each block that is a rotation."""
    blocks, at = [], 0
    while at < len(pattern):
        if pattern[at : at + 2] == "cc":
            blocks.append(np.array([[at + 1, 2.0], [-2, at + 1]]))
            at += 2
        else:
            blocks.append(np.array([[at + 0.5]]))
            at += 1
    a = np.zeros((len(pattern), len(pattern)))
    at = 0
    for block in blocks:
        a[at : at + len(block), at : at + len(block)] = block
        at += len(block)
    check_eig(a)
    basis = random(a.shape, "f8")
    check_eig(np.stack([basis @ a @ np.linalg.inv(basis), a, a.T]))


# ---- what all have in common


@pytest.mark.parametrize("shape", [(0, 0), (3, 0, 0), (0, 3, 3), (2, 0, 1, 1)], ids=str)
@pytest.mark.parametrize("dtype", ["f4", "c16", "i4"])
@pytest.mark.parametrize("name", ["eig", "eigh", "eigvals", "eigvalsh"])
def test_empty(name, shape, dtype):
    found = getattr(cp.linalg, name)(cp.zeros(shape, dtype))
    expected = getattr(np.linalg, name)(np.zeros(shape, dtype))
    if name in ("eigvals", "eigvalsh"):
        found, expected = (found,), (expected,)
    # NumPy has complex results since 2.5.
    least = np.complex64 if name in ("eig", "eigvals") else np.int8
    for one, other in zip(found, expected, strict=True):
        assert (one.shape, one.dtype) == (other.shape, np.result_type(other.dtype, least))


def test_results_have_names():
    a = cp.eye(2)
    assert type(cp.linalg.eig(a)).__name__ == "EigResult"
    assert type(cp.linalg.eigh(a)).__name__ == "EighResult"
    for result in (cp.linalg.eig(a), cp.linalg.eigh(a)):
        assert result._fields == ("eigenvalues", "eigenvectors")


test_errors = raises_as_numpy(
    *[
        (lambda xp, name=name, bad=bad: getattr(xp.linalg, name)(bad(xp)))
        for name in ("eig", "eigh", "eigvals", "eigvalsh")
        for bad in (
            lambda xp: xp.ones(()),
            lambda xp: xp.ones(3),
            lambda xp: xp.ones((2, 3)),
            lambda xp: xp.ones((4, 3, 2)),
            lambda xp: xp.eye(2, dtype="f2"),
            lambda xp: xp.zeros((2, 2), "M8[s]"),
        )
    ],
    *[
        (lambda xp, name=name, bad=bad: getattr(xp.linalg, name)(bad(xp)))
        for name in ("eig", "eigvals")
        for bad in (
            lambda xp: xp.full((2, 2), xp.nan),
            lambda xp: xp.stack([xp.eye(3), xp.full((3, 3), -xp.inf)]),
            lambda xp: xp.full((1, 1), complex(0, xp.inf)),
        )
    ],
    *[
        (lambda xp, name=name, uplo=uplo: getattr(xp.linalg, name)(xp.eye(2), uplo))
        for name in ("eigh", "eigvalsh")
        for uplo in ("x", "", "LU", "lower", b"L")
    ],
)


def test_messages():
    for function, operand, message in (
        (cp.linalg.eigh, cp.ones(3), "1-dimensional array given. Array must be at least two-dim"),
        (cp.linalg.eig, cp.ones((2, 3)), "Last 2 dimensions of the array must be square"),
        (cp.linalg.eigvals, cp.full((2, 2), cp.nan), "Array must not contain infs or NaNs"),
    ):
        with pytest.raises(np.linalg.LinAlgError, match=message):
            function(operand)
    with pytest.raises(TypeError, match="array type float16 is unsupported in linalg"):
        cp.linalg.eigh(cp.eye(2, dtype="f2"))
    for uplo in ("K", 3, None):  # NumPy: AttributeError for what is no text
        with pytest.raises(ValueError, match="UPLO argument must be 'L' or 'U'"):
            cp.linalg.eigvalsh(cp.eye(2), uplo)


def test_general_matrices_have_a_greatest_size():
    row = cp.broadcast_to(cp.zeros(1, "f4"), (eigen.GENERAL_LIMIT + 1,) * 2)
    with pytest.raises(ValueError, match="46341 rows: cuSOLVER has eigenvalues of .* up to 46340"):
        cp.linalg.eigvals(row)


@pytest.mark.parametrize("n", [3, GREAT])
@pytest.mark.parametrize("spoiled", [np.nan, np.inf])
def test_hermitian_matrices_that_are_not_finite(spoiled, n):
    """As NumPy's, they do not converge, or have NaN; the other matrices are unharmed."""
    a = np.stack([np.diag(np.arange(1.0, n + 1))] * 3)
    a[1, 1, 0] = spoiled
    with cp.errstate(linalg="ignore"):
        w, v = cp.linalg.eigh(cp.asarray(a))
        only = cp.linalg.eigvalsh(cp.asarray(a))
    for values in (w, only):
        np.testing.assert_allclose(cp.asnumpy(values)[[0, 2]], [np.arange(1, n + 1)] * 2)
    assert np.isnan(cp.asnumpy(w)[1]).any() or np.isnan(cp.asnumpy(v)[1]).any()


@pytest.mark.parametrize("dtype", ["f8", "c8"])
def test_errors_that_are_ignored(dtype):
    a = random((3, 4, 4), dtype)
    good = np.linalg.eigvals(a[[0, 2]])
    a[1, 0, 1] = np.nan
    with cp.errstate(linalg="ignore"):
        w, v = cp.linalg.eig(cp.asarray(a))
        only = cp.linalg.eigvals(cp.asarray(a))
        alone = cp.linalg.eigvals(cp.asarray(a[1]))
    assert w.dtype == v.dtype == only.dtype == np.result_type(dtype, "c8")
    assert np.isnan(cp.asnumpy(alone)).all()
    for values in (w, only):
        assert np.isnan(cp.asnumpy(values)[1]).all()
        np.testing.assert_allclose(
            np.sort_complex(cp.asnumpy(values)[[0, 2]]), np.sort_complex(good), rtol=1e-4
        )
    assert np.isnan(cp.asnumpy(v)[1]).all()
    w, v, a = cp.asnumpy(w)[[0, 2]], cp.asnumpy(v)[[0, 2]], a[[0, 2]]
    assert np.abs(a @ v - v * w[:, None]).max() < 1e-4


@pytest.mark.emulator  # what does not converge is beyond what a test could have
def test_what_does_not_converge(monkeypatch):
    from gpuarray._ffi.emulator.libraries import cusolver as functions

    def fails(name, place):
        real = getattr(functions, name)

        def function(c):
            real(c)
            c.info[place] = 3

        monkeypatch.setattr(functions, name, function)

    fails("cusolverDnXsyevd", 0)
    fails("cusolverDnXsyevBatched", 1)
    fails("cusolverDnXgeev", 0)
    for shape, good in (((GREAT, GREAT), []), ((3, GREAT, GREAT), [0, 2])):
        a = cp.asarray(random(shape, "f8"))
        for function in (cp.linalg.eigh, cp.linalg.eigvalsh, cp.linalg.eig, cp.linalg.eigvals):
            with pytest.raises(np.linalg.LinAlgError, match="^Eigenvalues did not converge$"):
                function(a)
        with cp.errstate(linalg="ignore"):
            for values in (*cp.linalg.eigh(a), cp.linalg.eigvalsh(a)):
                values = cp.asnumpy(values)
                assert np.isfinite(values[good]).all()
                assert np.isnan(np.delete(values, good, 0) if good else values).all()
            for values in (*cp.linalg.eig(a), cp.linalg.eigvals(a)):
                assert np.isnan(cp.asnumpy(values)).all()


@pytest.mark.emulator
def test_a_failed_call_is_an_error_of_the_operand_only_where_it_has_nan(monkeypatch):
    from gpuarray._ffi.emulator.libraries import cusolver as functions
    from gpuarray._ffi.library_kinds import Refusal

    real = functions.cusolverDnXsyevd

    def function(c):
        if not np.isfinite(c.A).all() or c.A[0, 0] == 5:
            raise Refusal("failed", "for the test")
        real(c)

    monkeypatch.setattr(functions, "cusolverDnXsyevd", function)
    spoiled = cp.full((GREAT, GREAT), cp.nan)
    with pytest.raises(np.linalg.LinAlgError, match="did not converge"):
        cp.linalg.eigh(spoiled)
    with cp.errstate(linalg="ignore"):
        for found in (*cp.linalg.eigh(spoiled), cp.linalg.eigvalsh(spoiled)):
            assert cp.isnan(found).all()
    with pytest.raises(CUSOLVERError, match="EXECUTION_FAILED"):
        cp.linalg.eigh(cp.eye(GREAT) * 5)


def test_stacks_beyond_what_one_call_takes(monkeypatch):
    monkeypatch.setattr(eigen, "_BATCH_COUNT", 3)
    check_eigh(random((2, 4, GREAT, GREAT), "f8"))
    check_eigh(random((6, GREAT, GREAT), "c8", 1))
    monkeypatch.setattr(eigen, "_BATCH_BYTES", 3 * 8 * GREAT**2)  # less than three matrices
    check_eigh(random((5, GREAT, GREAT), "f8", 2))


def test_libraries_without_the_batched_function(monkeypatch):
    real = cusolver.library.symbol

    def symbol(name):
        if name == "cusolverDnXsyevBatched":
            raise LibraryNotFoundError("too old")
        return real(name)

    monkeypatch.setattr(cusolver.library, "symbol", symbol)
    check_eigh(random((2, 2, 35, 35), "f8", 3), "U")


@pytest.mark.parametrize("ignored", [False, True])
def test_great_matrices_share_page_locked_memory(monkeypatch, ignored):
    """It is the pool's again after each call: no plan, and no history of calls, keeps it."""
    monkeypatch.setattr(eigenvalues, "_PAGE_LOCKED_FROM", 6)
    made = []

    def allocate(size):
        made.append(size)
        return cp.cuda.PinnedMemory(size)

    a = random((7, 7), "c8" if ignored else "f8")
    pool = cp.cuda.PinnedMemoryPool(allocate)
    cp.cuda.set_pinned_memory_allocator(pool.malloc)
    try:
        with (
            cp.cuda.Stream(non_blocking=True),
            cp.errstate(linalg="ignore" if ignored else "raise"),
        ):
            check_eig(a)
            assert made
            before, free = len(made), pool.n_free_blocks()
            for _ in range(3):
                values = cp.linalg.eigvals(cp.asarray(a))
                assert np.abs(cp.asnumpy(values.sum()) - np.trace(a)) < 1e-4
            assert (len(made), pool.n_free_blocks()) == (before, free)
    finally:
        cp.cuda.set_pinned_memory_allocator()


@pytest.mark.parametrize("least", [1, GREAT])
def test_each_matrix_of_a_stack_has_its_own_scale(least):
    spectra = [10.0**power * np.arange(1.0, least + 2) for power in (-30, 0, 30)]
    stack = np.stack([of_spectrum(values, "f4") for values in spectra])
    for vectors in (False, True):
        a = cp.asarray(stack)
        found = cp.linalg.eigh(a)[0] if vectors else cp.linalg.eigvalsh(a)
        np.testing.assert_allclose(cp.asnumpy(found), spectra, rtol=2e-4)
