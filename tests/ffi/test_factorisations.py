"""Functions of cuBLAS and cuSOLVER for factors and triangles: each row's own result, on either
backend. Plans use most of them; here are those of one matrix and of addresses side by side.
"""

from __future__ import annotations

import numpy as np
import pytest

from gpuarray import _layout
from gpuarray._libraries.lu import letter
from gpuarray._libraries.steps import Steps
from gpuarray._runtime.current_stream import current
from gpuarray.errors import LibraryError
from tests.ffi.column_major import Call

DTYPES = ["f4", "f8", "c8", "c16"]
COUNT, N, SIDES = 3, 5, 2


def _matrices(rng, dtype, *shape):
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    if shape[-1] == shape[-2]:
        values = values + 4 * np.eye(shape[-1])
    return values.astype(dtype)


@pytest.fixture
def blas(xp):
    return Call(xp, False)


@pytest.fixture
def solver(xp):
    return Call(xp, True)


def _close(found, expected):
    tolerance = 500 * np.finfo(found.dtype).eps
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("trans", "NTC")
@pytest.mark.parametrize("side", ["LEFT", "RIGHT"])
@pytest.mark.parametrize("uplo", ["LOWER", "UPPER"])
def test_triangular_systems(blas, rng, trans, side, uplo):
    for dtype in ("f4", "c16") if trans == "N" else ("f8", "c8"):
        a = _matrices(rng, dtype, COUNT, N, N)
        b = _matrices(rng, dtype, COUNT, *((N, SIDES) if side == "LEFT" else (SIDES, N)))
        kept = np.tril(a) if uplo == "LOWER" else np.triu(a)
        applied = {"N": kept, "T": kept.swapaxes(1, 2), "C": kept.conj().swapaxes(1, 2)}[trans]
        inverse = np.linalg.inv(applied)
        alpha = np.dtype(dtype).type(2)
        expected = alpha * (inverse @ b if side == "LEFT" else b @ inverse)
        m, n = b.shape[1:]
        values = {
            "side": f"CUBLAS_SIDE_{side}", "uplo": f"CUBLAS_FILL_MODE_{uplo}",
            "trans": f"CUBLAS_OP_{trans}", "diag": "CUBLAS_DIAG_NON_UNIT", "m": m, "n": n,
            "alpha": alpha, "lda": N, "ldb": m,
        }  # fmt: skip
        name = f"cublas{letter(np.dtype(dtype))}trsm"
        _close(blas(f"{name}_v2_64", values, {"A": a[0], "B": b[0]})["B"], expected[0])
        values["batchCount"] = COUNT
        found = blas(f"{name}Batched_64", values, {"A": a, "B": b}, "AB")
        _close(found["B"], expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_batches_of_lu_factors(blas, rng, dtype):
    a, b = _matrices(rng, dtype, COUNT, N, N), _matrices(rng, dtype, COUNT, N, SIDES)
    name = f"cublas{letter(np.dtype(dtype))}"
    sizes = {"n": N, "lda": N, "batchSize": COUNT}
    info = np.full(COUNT, 7, "i4")
    pivots = np.zeros(COUNT * N, "i4")
    found = blas(f"{name}getrfBatched", sizes, {"A": a, "P": pivots, "info": info}, "A")
    assert found["info"].tolist() == [0] * COUNT
    factors, pivots = found["A"], found["P"]
    solved = blas(
        f"{name}getrsBatched",
        {**sizes, "trans": "CUBLAS_OP_C", "nrhs": SIDES, "ldb": N, "info": np.int32(0)},
        {"Aarray": factors, "devIpiv": pivots, "Barray": b},
        ["Aarray", "Barray"],
    )
    _close(solved["Barray"], np.linalg.solve(a.conj().swapaxes(1, 2), b))
    inverses = np.zeros_like(a)
    inverted = blas(
        f"{name}getriBatched",
        {**sizes, "ldc": N},
        {"A": factors, "P": pivots, "C": inverses, "info": info},
        "AC",
    )
    _close(inverted["C"], np.linalg.inv(a))
    inverted = blas(
        f"{name}matinvBatched",
        {**sizes, "lda_inv": N},
        {"A": a, "Ainv": inverses, "info": info},
        ["A", "Ainv"],
    )
    _close(inverted["Ainv"], np.linalg.inv(a))
    assert inverted["info"].tolist() == [0] * COUNT


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("uplo", ["LOWER", "UPPER"])
def test_cholesky_factors(solver, rng, dtype, uplo):
    x, b = _matrices(rng, dtype, COUNT, N, N), _matrices(rng, dtype, COUNT, N, SIDES)
    a = x @ x.conj().swapaxes(1, 2)
    name = f"cusolverDn{letter(np.dtype(dtype))}"
    sizes = {"uplo": f"CUBLAS_FILL_MODE_{uplo}", "n": N, "lda": N}
    batch = {**sizes, "batchSize": COUNT}
    info = np.full(COUNT, 7, "i4")
    found = solver(f"{name}potrfBatched", batch, {"Aarray": a, "infoArray": info}, ["Aarray"])
    assert found["infoArray"].tolist() == [0] * COUNT
    factors = found["Aarray"]
    triangle = np.tril if uplo == "LOWER" else np.triu
    kept = triangle(factors)
    _close(kept, np.linalg.cholesky(a, upper=uplo == "UPPER"))
    # The other triangle is as it was, or has the factor's adjoint.
    rest, whole = factors - kept, kept.conj().swapaxes(1, 2)
    _close(rest, np.triu(a, 1) if uplo == "LOWER" else np.tril(whole, -1))
    column = b[:, :, :1].copy()
    solved = solver(
        f"{name}potrsBatched",
        {**batch, "nrhs": 1, "ldb": N},
        {"A": factors, "B": column, "d_info": info[:1]},
        "AB",
    )
    _close(solved["B"], np.linalg.solve(a, column))
    types = {"dataTypeA": dtype, "computeType": dtype}
    one = solver("cusolverDnXpotrf", {**sizes, **types}, {"A": a[0], "info": info[:1]})
    _close(triangle(one["A"]), kept[0])
    _close(one["A"] - triangle(one["A"]), a[0] - triangle(a[0]))
    solved = solver(
        "cusolverDnXpotrs",
        {**sizes, "dataTypeA": dtype, "dataTypeB": dtype, "nrhs": SIDES, "ldb": N},
        {"A": one["A"], "B": b[0], "info": info[:1]},
    )
    _close(solved["B"], np.linalg.solve(a[0], b[0]))
    assert solved["info"].tolist() == [0]


@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("uplo", ["LOWER", "UPPER"])
def test_inverses_of_triangles(solver, rng, uplo, unit):
    a = _matrices(rng, "f8", N, N)
    kept = np.tril(a) if uplo == "LOWER" else np.triu(a)
    if unit:
        np.fill_diagonal(kept, 1)
    found = solver(
        "cusolverDnXtrtri",
        {
            "uplo": f"CUBLAS_FILL_MODE_{uplo}", "n": N, "lda": N, "dataTypeA": "f8",
            "diag": f"CUBLAS_DIAG_{'UNIT' if unit else 'NON_UNIT'}",
        },
        {"A": a, "devInfo": np.full(1, 7, "i4")},
    )  # fmt: skip
    assert found["devInfo"].tolist() == [0]
    inverse = np.tril(found["A"]) if uplo == "LOWER" else np.triu(found["A"])
    if unit:
        np.fill_diagonal(inverse, 1)
    _close(inverse, np.linalg.inv(kept))


@pytest.mark.emulator  # a GPU's library has no words for it
def test_refusals(blas, solver, rng):
    a = _matrices(rng, "f8", COUNT, N, N)
    info, pivots = np.zeros(COUNT, "i4"), np.zeros(COUNT * N, "i4")
    lu = {"n": N, "lda": N, "batchSize": COUNT}
    with pytest.raises(LibraryError, match="lda is 4, and A has 5 rows"):
        blas("cublasDgetrfBatched", {**lu, "lda": 4}, {"A": a, "P": pivots, "info": info}, "A")
    with pytest.raises(LibraryError, match="batchSize is -1"):
        blas(
            "cublasDgetrfBatched", {**lu, "batchSize": -1},
            {"A": a, "P": pivots, "info": info}, "A",
        )  # fmt: skip
    x, exchanges, infos = [blas.xp.asarray(y) for y in (a, pivots + 1, info)]
    steps = Steps(current.stream, x._layout, exchanges._layout, infos._layout)
    steps.output(_layout.contiguous(np.dtype("u1"), ()))
    matrices = steps.addresses(steps.inputs[0])
    operands = {"A": matrices, "P": steps.inputs[1], "C": matrices, "info": steps.inputs[2]}
    steps.blas("cublasDgetriBatched", {**lu, "ldc": N}, operands)
    with pytest.raises(LibraryError, match=r"C\[0\] overlaps A\[0\]"):
        steps.make()(x, exchanges, infos)
    large = _matrices(rng, "f8", 1, 33, 33)
    sizes = {"n": 33, "lda": 33, "lda_inv": 33, "batchSize": 1}
    arrays = {"A": large, "Ainv": large, "info": info[:1]}
    with pytest.raises(LibraryError, match="n is 33, and at most 32"):
        blas("cublasDmatinvBatched", sizes, arrays, ["A", "Ainv"])
    with pytest.raises(LibraryError, match="nrhs is 2"):
        solver(
            "cusolverDnDpotrsBatched",
            {
                "uplo": "CUBLAS_FILL_MODE_LOWER", "n": N, "lda": N, "nrhs": 2, "ldb": N,
                "batchSize": COUNT,
            },
            {"A": a, "B": a[:, :, :2].copy(), "d_info": info[:1]}, "AB",
        )  # fmt: skip
    with pytest.raises(LibraryError, match="dataTypeA float64 with dataTypeB float32"):
        solver(
            "cusolverDnXgetrs",
            {
                "trans": "CUBLAS_OP_N", "n": N, "lda": N, "nrhs": 1, "ldb": N, "dataTypeA": "f8",
                "dataTypeB": "f4",
            },
            {
                "A": a[0], "ipiv": np.arange(1, N + 1), "B": a[0, :, :1].astype("f4"),
                "info": info[:1],
            },
        )  # fmt: skip
