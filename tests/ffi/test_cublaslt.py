"""cuBLASLt through its table: what the library does, and what it refuses, on either backend."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gpuarray._ffi import cublaslt, driver
from gpuarray._ffi.library_table import PreparedArguments
from gpuarray.errors import LibraryError

_STORED = ("A", "B", "C", "D", "workspace", "lightHandle")
_OPS = {
    "N": lambda x: x,
    "T": lambda x: x.swapaxes(-1, -2),
    "C": lambda x: x.swapaxes(-1, -2).conj(),
}
#: compute type, dtype of A and B, of C, of alpha and beta; tolerance.
_TYPES = {
    "f2": ("CUBLAS_COMPUTE_32F", "f2", "f2", "f4", 2e-3),
    "f4": ("CUBLAS_COMPUTE_32F", "f4", "f4", "f4", 1e-5),
    "f8": ("CUBLAS_COMPUTE_64F", "f8", "f8", "f8", 1e-13),
    "c8": ("CUBLAS_COMPUTE_32F", "c8", "c8", "c8", 1e-5),
    "c16": ("CUBLAS_COMPUTE_64F", "c16", "c16", "c16", 1e-13),
    "i1": ("CUBLAS_COMPUTE_32I", "i1", "i4", "i4", 0),
}


@pytest.fixture
def handle(context):
    made = cublaslt.library.cublasLtCreate()
    yield made
    cublaslt.library.cublasLtDestroy(made)


@pytest.fixture
def stream(context):
    made = driver.stream_create(1)
    yield made
    driver.stream_destroy(made)


def _numbers(rng, dtype, shape):
    dtype = np.dtype(dtype)
    if dtype.kind == "i":
        return rng.integers(-9, 10, shape).astype(dtype)
    values = rng.standard_normal(shape)
    return (values + 1j * rng.standard_normal(shape) if dtype.kind == "c" else values).astype(dtype)


def _column_major(matrices, ld):
    """The memory of matrices (count, rows, columns) with a leading dimension."""
    count, rows, columns = matrices.shape
    memory = np.full((count, columns, ld), 77, matrices.dtype)
    memory[:, :, :rows] = matrices.swapaxes(1, 2)
    return memory


class Product:
    """A stack of products in device memory, the algorithm for it, and its call."""

    def __init__(self, handle, allocate, stream, types="f4", trans="NN", shape=(16, 32, 48)):
        compute, dtype, result, scale, self.tolerance = _TYPES[types]
        rng = np.random.default_rng(7)
        m, n, k = shape
        self.scale = np.dtype(scale)
        self.shape = 2, m, n
        self.a, self.b = [_numbers(rng, dtype, (2, *one)) for one in ((m, k), (k, n))]
        self.c = _numbers(rng, result, self.shape)
        stored = [_OPS[trans[0]](self.a), _OPS[trans[1]](self.b), self.c]
        memory = [_column_major(x, x.shape[1] + 16) for x in stored]
        self.memory = np.full_like(memory[2], 77)
        self.layouts = [
            cublaslt.matrix_layout(x.dtype, one.shape[1], one.shape[2], x.shape[2], 2, x[0].size)
            for x, one in zip(memory, stored, strict=True)
        ]
        self.operation = cublaslt.operation(
            compute, self.scale, f"CUBLAS_OP_{trans[0]}", f"CUBLAS_OP_{trans[1]}"
        )
        self.handle = handle
        self.found = self.algorithms()
        pointers = [allocate(x) for x in (*memory, self.memory)]
        a, b, c = self.layouts
        self.values = dict(zip("ABCD", pointers, strict=True))
        self.values |= {
            "lightHandle": handle, "computeDesc": self.operation, "alpha": self.scale.type(2),
            "Adesc": a, "Bdesc": b, "Cdesc": c, "Ddesc": c, "beta": self.scale.type(0),
            "stream": stream, "workspace": 0, "workspaceSizeInBytes": 0,
        }  # fmt: skip
        if self.found:
            data, workspace = self.found[0]
            self.values |= {"algo": data, "workspaceSizeInBytes": workspace}
            if workspace:
                self.values["workspace"] = allocate(np.zeros(workspace, np.uint8))

    def algorithms(self, workspace=1 << 20, alignment=16, most=1):
        a, b, c = self.layouts
        four = (alignment,) * 4
        return cublaslt.algorithms(self.handle, self.operation, (a, b, c, c), four, workspace, most)

    def __call__(self, **changes):
        values = {**self.values, **changes}
        fixed = {key: value for key, value in values.items() if key not in _STORED}
        prepared = PreparedArguments(cublaslt.library.rows["cublasLtMatmul"], fixed, _STORED)
        for at, name in enumerate(_STORED):
            prepared.words[at] = values[name]
        status = cublaslt.library.foreign("cublasLtMatmul")(*prepared.arguments)
        if status:
            raise cublaslt.library.error("cublasLtMatmul", status)
        driver.context_synchronize()
        memory = np.empty_like(self.memory)
        driver.memcpy_dtoh(memory.ctypes.data, values["D"], memory.nbytes)
        rows = self.shape[1]
        assert (memory[:, :, rows:] == 77).all()
        return memory[:, :, :rows].swapaxes(1, 2)

    def check(self, result, alpha=2, beta=0):
        wide = np.result_type(self.scale, "f4") if self.scale.kind == "f" else self.scale
        expected = alpha * (self.a.astype(wide) @ self.b.astype(wide)) + beta * self.c
        tolerance = self.tolerance
        np.testing.assert_allclose(
            result, expected.astype(result.dtype), rtol=tolerance, atol=40 * tolerance
        )


@pytest.fixture
def product(handle, allocate, stream):
    return Product(handle, allocate, stream)


@pytest.mark.parametrize(
    "types, trans",
    [("f4", x + y) for x in "NT" for y in "NT"]
    + [("c8", "CN"), ("c16", "NC"), ("f2", "NN"), ("f2", "TN"), ("f8", "NT"), ("i1", "TN")],
)
def test_products(handle, allocate, stream, types, trans):
    product = Product(handle, allocate, stream, types, trans)
    product.check(product())
    product.check(product(beta=product.scale.type(3)), beta=3)


def test_bfloat16(handle, allocate, stream, monkeypatch):
    dtype = np.dtype(pytest.importorskip("ml_dtypes").bfloat16)
    monkeypatch.setitem(_TYPES, "bf2", ("CUBLAS_COMPUTE_32F", dtype, dtype, "f4", 2e-2))
    product = Product(handle, allocate, stream, "bf2")
    result = product().astype("f4")
    expected = 2 * (product.a.astype("f4") @ product.b.astype("f4"))
    np.testing.assert_allclose(result, expected, rtol=2e-2, atol=1)


def test_results_repeat_bit_by_bit_with_the_inner_dimension_split(handle, allocate, stream):
    product = Product(handle, allocate, stream, shape=(16, 16, 4096))
    first = product()
    product.check(first)
    for _ in range(3):
        np.testing.assert_array_equal(product(), first)


def test_an_algorithm_takes_no_more_workspace_than_it_may(handle, allocate, stream):
    product = Product(handle, allocate, stream, shape=(16, 16, 4096))
    assert all(one.workspace_bytes <= 1 << 20 for one in product.algorithms(most=8))
    (one,) = product.algorithms(workspace=0)
    assert one.workspace_bytes == 0
    product.check(product(algo=one.data, workspace=0, workspaceSizeInBytes=0))


def test_algorithms_for_addresses_that_are_aligned_to_elements_only(handle, allocate, stream):
    product = Product(handle, allocate, stream)
    shifted = allocate(np.concatenate([[np.float32(7)], product.a.swapaxes(1, 2).ravel()]))
    layout = cublaslt.matrix_layout(np.dtype("f4"), 16, 48, 16, 2, 16 * 48)
    _, b, c = product.layouts
    (one,) = cublaslt.algorithms(handle, product.operation, (layout, b, c, c), (4,) * 4, 1 << 20)
    space = allocate(np.zeros(max(one.workspace_bytes, 1), np.uint8))
    product.check(
        product(
            A=shifted + 4, Adesc=layout, algo=one.data, workspace=space,
            workspaceSizeInBytes=one.workspace_bytes,
        )
    )  # fmt: skip


def test_a_captured_product_runs_again(product, stream):
    driver.stream_begin_capture(stream, "relaxed")
    row = cublaslt.library.rows["cublasLtMatmul"]
    values = {k: v for k, v in product.values.items() if k not in _STORED}
    prepared = PreparedArguments(row, values, _STORED)
    for at, name in enumerate(_STORED):
        prepared.words[at] = product.values[name]
    assert cublaslt.library.foreign("cublasLtMatmul")(*prepared.arguments) == 0
    graph = driver.stream_end_capture(stream)
    product.memory[...] = 77
    driver.memcpy_htod(product.values["D"], product.memory.ctypes.data, product.memory.nbytes)
    runnable = driver.graph_instantiate(graph, 0)
    driver.graph_launch(runnable, stream)
    driver.stream_synchronize(stream)
    memory = np.empty_like(product.memory)
    driver.memcpy_dtoh(memory.ctypes.data, product.values["D"], memory.nbytes)
    product.check(memory[:, :, :16].swapaxes(1, 2))
    driver.graph_exec_destroy(runnable)
    driver.graph_destroy(graph)


def _raises(status_name, match=""):
    def check(error):
        # What the emulator knows of the argument, a GPU does not say.
        return error.status_name == status_name and (
            not error.detail or re.search(match, error.detail)
        )

    return pytest.raises(LibraryError, check=check)


def test_sizes_of_attributes_are_checked(context):
    layout = cublaslt.matrix_layout(np.dtype("f4"), 4, 4, 4)
    value = np.array([2], "i8")
    set_ = cublaslt.library.cublasLtMatrixLayoutSetAttribute
    set_(int(layout), 5, value.ctypes.data, 4)
    with _raises("CUBLAS_STATUS_INVALID_VALUE", "takes 4 bytes, not 8"):
        set_(int(layout), 5, value.ctypes.data, 8)
    with _raises("CUBLAS_STATUS_INVALID_VALUE"):
        set_(int(layout), 5, None, 4)


def test_a_structure_that_is_too_small_is_refused(context):
    structure = cublaslt.HostStructure(64)
    with _raises("CUBLAS_STATUS_ALLOC_FAILED", "64 bytes are needed"):
        cublaslt.library.cublasLtMatrixLayoutInit_internal(int(structure), 56, 0, 4, 4, 4)


def test_shapes_that_do_not_agree(product):
    with _raises("CUBLAS_STATUS_INVALID_VALUE", r"op\(A\) \(16, 48\), op\(B\) \(32, 32\)"):
        product(Bdesc=cublaslt.matrix_layout(np.dtype("f4"), 32, 32, 48, 2, 48 * 32))
    with _raises("CUBLAS_STATUS_INVALID_VALUE", "stacks of different sizes"):
        product(Bdesc=cublaslt.matrix_layout(np.dtype("f4"), 48, 32, 64))


def test_a_workspace_that_is_too_small_is_refused(handle, allocate, stream):
    product = Product(handle, allocate, stream, shape=(16, 16, 4096))
    if not product.values["workspaceSizeInBytes"]:
        pytest.skip("the library's best algorithm takes no workspace")
    with _raises("CUBLAS_STATUS_INVALID_VALUE", "workspace has 0 bytes"):
        product(workspace=0, workspaceSizeInBytes=0)


@pytest.mark.emulator  # a GPU would read there
def test_addresses_that_are_less_aligned_than_the_algorithm_wants(product):
    with _raises("CUBLAS_STATUS_INVALID_VALUE", "A is not aligned to the 16 bytes"):
        product(A=product.values["A"] + 4)


def test_types_that_do_not_go_together(product):
    wrong = cublaslt.operation("CUBLAS_COMPUTE_64F", np.dtype("f8"), "CUBLAS_OP_N", "CUBLAS_OP_N")
    a, b, c = product.layouts
    four = (16,) * 4
    assert cublaslt.algorithms(product.handle, wrong, (a, b, c, c), four, 1 << 20) == []


@pytest.mark.emulator  # the library on a GPU would look for an algorithm, in each call
def test_a_null_algorithm_is_refused(product):
    with _raises("CUBLAS_STATUS_INVALID_VALUE", "algo is null"):
        product(algo=None)
