"""cuBLAS through its table: what the library does, and what it refuses, on either backend."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gpuarray._ffi import driver
from gpuarray._ffi.cublas import library
from gpuarray._ffi.library_table import PreparedArguments
from gpuarray.errors import DriverError, LibraryError

_GEMM = "cublasGemmStridedBatchedEx_64"
_OPS = {
    "N": lambda x: x,
    "T": lambda x: x.swapaxes(-1, -2),
    "C": lambda x: x.swapaxes(-1, -2).conj(),
}
#: compute type, dtype of A and B, of C, of alpha and beta; tolerance.
_TYPES = [
    ("CUBLAS_COMPUTE_16F", "f2", "f2", "f2", 2e-2),
    ("CUBLAS_COMPUTE_32F", "f2", "f2", "f4", 2e-3),
    ("CUBLAS_COMPUTE_32F", "f2", "f4", "f4", 1e-5),
    ("CUBLAS_COMPUTE_32F", "f4", "f4", "f4", 1e-5),
    ("CUBLAS_COMPUTE_32F", "c8", "c8", "c8", 1e-5),
    ("CUBLAS_COMPUTE_64F", "f8", "f8", "f8", 1e-13),
    ("CUBLAS_COMPUTE_64F", "c16", "c16", "c16", 1e-13),
    ("CUBLAS_COMPUTE_32I", "i1", "i4", "i4", 0),
]
#: Type and operations of the products.
_PRODUCTS = [(types, transa, transb) for types in _TYPES for transa in "NTC" for transb in "NTC"]


@pytest.fixture
def handle(context):
    made = library.cublasCreate_v2()
    yield made
    library.cublasDestroy_v2(made)


def _numbers(rng, dtype, shape):
    dtype = np.dtype(dtype)
    if dtype.kind == "i":
        return rng.integers(-9, 10, shape).astype(dtype)
    values = rng.standard_normal(shape)
    return (values + 1j * rng.standard_normal(shape) if dtype.kind == "c" else values).astype(dtype)


def _column_major(matrices, ld):
    """The memory of matrices (count, rows, columns) with a leading dimension; the rest is NaN."""
    count, rows, columns = matrices.shape
    memory = np.full((count, columns, ld), 77, matrices.dtype)
    memory[:, :, :rows] = matrices.swapaxes(1, 2)
    return memory


class Gemm:
    """The operands of a product in device memory; call it with changes of its arguments."""

    def __init__(self, handle, allocate, types=_TYPES[5], transa="N", transb="N", count=2, pad=3):
        compute, dtype, result, scale, _ = types
        rng = np.random.default_rng(5)
        m, n, k = 8, 12, 4
        self.shape = count, m, n
        self.a, self.b = [_numbers(rng, dtype, (count, *shape)) for shape in ((m, k), (k, n))]
        self.c = _numbers(rng, result, self.shape)
        stored_a, stored_b = _OPS[transa](self.a), _OPS[transb](self.b)
        lda, ldb, ldc = stored_a.shape[1] + 4, stored_b.shape[1] + 8, m + pad
        memory = [
            _column_major(x, ld) for x, ld in ((stored_a, lda), (stored_b, ldb), (self.c, ldc))
        ]
        self.memory_of_c = memory[2]
        pointers = [allocate(x) for x in memory]
        self.scale = np.dtype(scale)
        self.values = {
            "handle": handle, "transa": f"CUBLAS_OP_{transa}", "transb": f"CUBLAS_OP_{transb}",
            "m": m, "n": n, "k": k, "alpha": self.scale.type(2),
            "A": pointers[0], "Atype": dtype, "lda": lda, "strideA": memory[0][0].size,
            "B": pointers[1], "Btype": dtype, "ldb": ldb, "strideB": memory[1][0].size,
            "beta": self.scale.type(0),
            "C": pointers[2], "Ctype": result, "ldc": ldc, "strideC": memory[2][0].size,
            "batchCount": count, "computeType": compute, "algo": "CUBLAS_GEMM_DEFAULT",
        }  # fmt: skip

    def __call__(self, **changes):
        stored = ["A", "B", "C", "handle"]
        values = {**self.values, **changes}
        fixed = {key: value for key, value in values.items() if key not in stored}
        prepared = PreparedArguments(library.rows[_GEMM], fixed, stored)
        for at, name in enumerate(stored):
            prepared.words[at] = values[name]
        status = library.foreign(_GEMM)(*prepared.arguments)
        if status:
            raise library.error(_GEMM, status)
        return self.result()

    def result(self):
        """C, and whether the memory between its columns is as it was."""
        driver.context_synchronize()
        memory = np.empty_like(self.memory_of_c)
        driver.memcpy_dtoh(memory.ctypes.data, self.values["C"], memory.nbytes)
        rows = self.shape[1]
        assert (memory[:, :, rows:] == 77).all()
        return memory[:, :, :rows].swapaxes(1, 2)

    def expected(self, alpha, beta):
        wide = np.result_type(self.scale, "f4") if self.scale.kind == "f" else self.scale
        product = self.a.astype(wide) @ self.b.astype(wide)
        return (alpha * product + beta * self.c).astype(self.c.dtype)


@pytest.fixture
def gemm(handle, allocate):
    return Gemm(handle, allocate)


@pytest.mark.parametrize(
    "types, transa, transb",
    _PRODUCTS,
    ids=["-".join([*types[:3], transa, transb]) for types, transa, transb in _PRODUCTS],
)
def test_products(handle, allocate, types, transa, transb):
    # An int8 product with B transposed is there for aligned columns of C only.
    pad = 4 if types[1] == "i1" and transb != "N" else 3
    gemm = Gemm(handle, allocate, types, transa, transb, pad=pad)
    result = gemm(beta=gemm.scale.type(3))
    expected = gemm.expected(2, 3)
    np.testing.assert_allclose(result, expected, rtol=types[4], atol=10 * types[4])


@pytest.mark.parametrize("transb", "TC")
@pytest.mark.parametrize("transa", "NTC")
def test_int8_with_b_transposed_wants_an_aligned_ldc(handle, allocate, transa, transb):
    gemm = Gemm(handle, allocate, _TYPES[-1], transa, transb)
    with pytest.raises(LibraryError) as raised:
        gemm()
    assert raised.value.status_name == "CUBLAS_STATUS_NOT_SUPPORTED"
    np.testing.assert_array_equal(gemm.result(), gemm.c)


def test_what_a_zero_beta_does_not_read(gemm):
    gemm.memory_of_c[:, :, : gemm.shape[1]] = np.nan
    driver.memcpy_htod(gemm.values["C"], gemm.memory_of_c.ctypes.data, gemm.memory_of_c.nbytes)
    np.testing.assert_allclose(gemm(), 2 * gemm.a @ gemm.b, rtol=1e-13)


def test_a_stride_of_zero_is_one_matrix_for_all(gemm):
    result = gemm(strideB=0)
    np.testing.assert_allclose(result, 2 * gemm.a @ gemm.b[0], rtol=1e-13)


def test_scalars_in_device_memory(gemm, allocate):
    library.cublasSetPointerMode_v2(gemm.values["handle"], 1)
    alpha, beta = allocate(np.array(5.0)), allocate(np.array(-1.0))
    np.testing.assert_allclose(gemm(alpha=alpha, beta=beta), gemm.expected(5, -1), rtol=1e-13)


def test_an_empty_product_changes_nothing(gemm):
    np.testing.assert_array_equal(gemm(m=0), gemm.c)
    np.testing.assert_array_equal(gemm(batchCount=0), gemm.c)


@pytest.mark.parametrize(
    "changes, status, match",
    [
        ({"lda": 7}, "INVALID_VALUE", "lda is 7, and A has 8 rows"),
        ({"ldb": 0}, "INVALID_VALUE", "ldb is 0, and B has 4 rows"),
        ({"ldc": 7}, "INVALID_VALUE", "ldc is 7, and C has 8 rows"),
        ({"n": -1}, "INVALID_VALUE", "n is -1"),
        ({"transa": 9}, "INVALID_VALUE", "transa is 9"),
        ({"Atype": "f4"}, "NOT_SUPPORTED", "A of float32, B of float64"),
        ({"computeType": "CUBLAS_COMPUTE_32F"}, "NOT_SUPPORTED", "computeType 68"),
    ],
)
def test_what_the_library_refuses(gemm, backend, changes, status, match):
    before = gemm.result()
    with pytest.raises(LibraryError) as raised:
        gemm(**changes)
    assert raised.value.call == _GEMM
    assert raised.value.status_name == f"CUBLAS_STATUS_{status}"
    if backend == "emulator":
        assert re.search(match, raised.value.detail)
    np.testing.assert_array_equal(gemm.result(), before)


@pytest.mark.emulator
@pytest.mark.parametrize(
    "changes, match",
    [
        ({"batchCount": -1}, "batchCount is -1"),
        ({"alpha": None}, "alpha is null"),
        ({"beta": None}, "beta is null"),
    ],
)
def test_what_only_the_emulator_refuses(gemm, changes, match):
    """cuBLAS reports success for a negative batchCount, and reads a null alpha: the process dies.

    Its manual says CUBLAS_STATUS_INVALID_VALUE of both.
    """
    with pytest.raises(LibraryError, match=f"CUBLAS_STATUS_INVALID_VALUE.*{match}"):
        gemm(**changes)
    np.testing.assert_array_equal(gemm.result(), gemm.c)


@pytest.mark.emulator
def test_matrices_of_a_result_that_overlap(gemm):
    with pytest.raises(LibraryError, match="strideC is 8: matrices of .* would overlap"):
        gemm(strideC=8)


@pytest.mark.emulator
def test_a_handle_that_was_destroyed(gemm):
    gone = library.cublasCreate_v2()
    library.cublasDestroy_v2(gone)
    with pytest.raises(LibraryError, match="CUBLAS_STATUS_NOT_INITIALIZED.*not a live"):
        gemm(handle=gone)


def test_workspaces(gemm, allocate):
    handle = gemm.values["handle"]
    workspace = allocate(np.zeros(1 << 16, np.uint8))
    library.cublasSetWorkspace_v2(handle, workspace, 1 << 16)
    np.testing.assert_allclose(gemm(), gemm.expected(2, 0), rtol=1e-13)


@pytest.mark.emulator
def test_a_workspace_that_is_not_aligned(handle, allocate):
    """cuBLAS takes it without a word; its manual says CUBLAS_STATUS_INVALID_VALUE."""
    workspace = allocate(np.zeros(2048, np.uint8))
    with pytest.raises(LibraryError, match="CUBLAS_STATUS_INVALID_VALUE.*not aligned"):
        library.cublasSetWorkspace_v2(handle, workspace + 8, 1024)


@pytest.mark.emulator
def test_a_workspace_that_is_too_small_for_what_is_said(handle, allocate):
    with pytest.raises(LibraryError, match="the workspace: .* go beyond the end"):
        library.cublasSetWorkspace_v2(handle, allocate(np.zeros(256, np.uint8)), 512)


@pytest.mark.emulator
def test_a_handle_takes_device_memory(context):
    free = driver.mem_get_info()[0]
    handle = library.cublasCreate_v2()
    assert driver.mem_get_info()[0] < free
    library.cublasDestroy_v2(handle)
    assert driver.mem_get_info()[0] == free


@pytest.mark.emulator
def test_a_handle_made_during_a_capture(stream):
    driver.stream_begin_capture(stream, "relaxed")
    library.cublasDestroy_v2(library.cublasCreate_v2())
    driver.graph_destroy(driver.stream_end_capture(stream))
    driver.stream_begin_capture(stream, "global")
    with pytest.raises(LibraryError, match="creating a handle of cuBLAS while a stream is capt"):
        library.cublasCreate_v2()
    with pytest.raises(DriverError, match="CAPTURE_INVALIDATED"):
        driver.stream_end_capture(stream)


def test_a_version(handle):
    assert library.cublasGetVersion_v2(handle) >= 120000


def test_math_modes(gemm):
    for mode in (0, 2, 16):
        library.cublasSetMathMode(gemm.values["handle"], mode)
        np.testing.assert_allclose(gemm(), gemm.expected(2, 0), rtol=1e-13)


def test_a_capture_records_the_call_and_the_numbers_of_the_host(gemm, allocate, stream):
    handle = gemm.values["handle"]
    workspace = allocate(np.zeros(1 << 16, np.uint8))
    library.cublasSetStream_v2(handle, stream)
    library.cublasSetWorkspace_v2(handle, workspace, 1 << 16)
    gemm()  # what a library loads at its first call does not belong into a capture
    rng = np.random.default_rng(8)
    driver.stream_begin_capture(stream, "relaxed")
    _captured(gemm)
    graph = driver.stream_end_capture(stream)
    executable = driver.graph_instantiate(graph)
    try:
        for _ in range(2):
            gemm.b = rng.random(gemm.b.shape)
            memory = _column_major(gemm.b, gemm.values["ldb"])
            driver.memcpy_htod(gemm.values["B"], memory.ctypes.data, memory.nbytes)
            driver.graph_launch(executable, stream)
            np.testing.assert_allclose(gemm.result(), 2 * gemm.a @ gemm.b, rtol=1e-13)
    finally:
        library.cublasSetStream_v2(handle, 0)
        driver.graph_exec_destroy(executable)
        driver.graph_destroy(graph)


def _captured(gemm):
    """A call whose arguments are gone when it returns."""
    prepared = PreparedArguments(library.rows[_GEMM], gemm.values, [])
    assert library.foreign(_GEMM)(*prepared.arguments) == 0
