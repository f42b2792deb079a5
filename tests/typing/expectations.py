"""What type checkers are to infer: mypy checks this file, nothing runs it.

Where a line has to be an error, it is ignored by its code; mypy reports an ignored line that has
no error (``warn_unused_ignores``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, assert_type

import numpy as np

import gpuarray as cp
from gpuarray import jit, ndarray
from gpuarray.scipy import sparse


def creation(host: np.ndarray) -> None:
    assert_type(cp.ones(3), ndarray)
    assert_type(cp.zeros((2, 3), dtype=np.float32), ndarray)
    assert_type(cp.full([2, 3], 1.5), ndarray)
    assert_type(cp.arange(10, dtype="f4"), ndarray)
    assert_type(cp.linspace(0, 1, 5), ndarray)
    assert_type(cp.linspace(0, 1, 5, retstep=True), tuple[ndarray, Any])
    assert_type(cp.asarray(host), ndarray)
    assert_type(cp.array([[1, 2], [3, 4]]), ndarray)
    assert_type(cp.asnumpy(cp.ones(3)), np.ndarray)


def contractions_and_norms(x: ndarray) -> None:
    assert_type(cp.einsum("ij->j", x), ndarray)
    assert_type(cp.tensordot(x, x), ndarray)
    assert_type(cp.linalg.multi_dot([x, x]), ndarray)
    assert_type(cp.linalg.norm(x, "fro"), ndarray)
    assert_type(cp.linalg.vector_norm(x, axis=(0, 1)), ndarray)
    assert_type(cp.linalg.matrix_rank(x), ndarray)


def sparse_products(a: sparse.csr_array, x: ndarray) -> None:
    assert_type(a @ x, ndarray)
    assert_type(a.dot(x), ndarray)
    assert_type(a @ a, sparse.sparray)
    assert_type(a.dot(a), sparse.sparray)


def sparse_conversions(a: sparse.csr_array, b: sparse.coo_matrix, x: ndarray) -> None:
    assert_type(a.tocsc(), sparse.csc_array)
    assert_type(b.tobsr(), sparse.bsr_matrix)
    assert_type(a.asformat("dia"), sparse.dia_array)
    assert_type(b.asformat("csr"), sparse.csr_matrix)
    assert_type(a.T, sparse.sparray)
    assert_type(a + a, sparse.sparray)
    assert_type(b - b, sparse.spmatrix)
    assert_type(sparse.eye_array(3), sparse.sparray)
    assert_type(sparse.identity(3), sparse.spmatrix)
    assert_type(sparse.linalg.spsolve(a, x), ndarray)
    assert_type(sparse.linalg.splu(a).solve(x), ndarray)
    assert_type(sparse.linalg.spilu(a).L, sparse.csc_array)


def sparse_elements(a: sparse.csr_array, b: sparse.coo_matrix, x: ndarray) -> None:
    assert_type(a + x, ndarray)
    assert_type(a * 2, sparse.csr_array)
    assert_type(2 * b, sparse.coo_matrix)
    assert_type(a * a, sparse.sparray)
    assert_type(b * b, sparse.spmatrix)
    assert_type(b * x, ndarray)
    assert_type(a / a, ndarray)
    assert_type(a / 2, sparse.csr_array)
    assert_type(a.multiply(x), sparse.sparray)
    assert_type(b.maximum(b), sparse.spmatrix)
    assert_type(a.minimum(x), ndarray)
    assert_type(a != a, sparse.sparray)
    assert_type(b < 3, sparse.spmatrix)
    assert_type(a >= x, ndarray)
    assert_type(a**2, sparse.csr_array)
    assert_type(b**2, sparse.spmatrix)


def sparse_parts(a: sparse.csr_array, b: sparse.coo_matrix, c: sparse.coo_array) -> None:
    assert_type(a[1:], sparse.sparray)
    assert_type(a[:, ::2], sparse.sparray)
    assert_type(b.tocsr()[1, 2], ndarray)
    assert_type(b.tocsr()[1, :], sparse.spmatrix)
    assert_type(a.sum(axis=0), ndarray)
    assert_type(a.mean(), ndarray)
    assert_type(a.max(), ndarray)
    assert_type(a.max(axis=1), sparse.coo_array)
    assert_type(b.nanmin(axis=0), sparse.coo_matrix)
    assert_type(a.argmax(), int)
    assert_type(b.argmin(axis=1), ndarray)
    assert_type(a.count_nonzero(), int)
    assert_type(a.count_nonzero(axis=0), ndarray)
    assert_type(b.getnnz(), int)
    assert_type(b.getrow(0), sparse.csr_matrix)
    assert_type(b.H, sparse.spmatrix)
    assert_type(a.reshape(2, -1), sparse.sparray)
    assert_type(c.transpose((1, 0, 2)), sparse.coo_array)
    assert_type(c.tensordot(c), sparse.coo_array | ndarray)


def sparse_formats(a: sparse.csr_array, b: sparse.coo_matrix) -> None:
    assert_type(a.toarray(), ndarray)
    assert_type(a.data, ndarray)
    assert_type(a.indices, ndarray)
    assert_type(a.nnz, int)
    assert_type(a.shape, tuple[int, ...])
    assert_type(b.shape, tuple[int, int])
    assert_type(b.coords, tuple[ndarray, ...])
    assert_type(a.copy(), sparse.csr_array)
    assert_type(a.astype("f4").sqrt(), sparse.csr_array)
    assert_type(b.transpose(), sparse.coo_matrix)
    assert_type(a.diagonal(), ndarray)
    a.data = cp.ones(3)


def random_numbers(x: ndarray) -> None:
    assert_type(cp.random.rand(2, 3, dtype="f4"), ndarray)
    assert_type(cp.random.gamma(x, [1.0, 2.0], size=(3, 2)), ndarray)
    assert_type(cp.random.RandomState(1).multivariate_normal(x, x), ndarray)
    assert_type(cp.random.default_rng(1).poisson(x), ndarray)
    assert_type(cp.random.bytes(3), bytes)


def attributes(x: ndarray) -> None:
    assert_type(x.dtype, np.dtype)
    assert_type(x.shape, tuple[int, ...])
    assert_type(x.strides, tuple[int, ...])
    assert_type(x.size, int)
    assert_type(x.ndim, int)
    assert_type(x.nbytes, int)
    assert_type(x.itemsize, int)
    assert_type(x.T, ndarray)
    assert_type(x.mT, ndarray)
    assert_type(x.real, ndarray)
    assert_type(x.imag, ndarray)
    assert_type(x.base, ndarray | None)
    assert_type(x.flags.c_contiguous, bool)
    assert_type(x.flags["C"], bool)
    assert_type(x.byteswap(), ndarray)
    assert_type(x.view("f4"), ndarray)
    assert_type(x.item(0), Any)
    x.flags.writeable = False
    assert_type(x.device, cp.cuda.Device)
    assert_type(x.data, cp.cuda.MemoryPointer)
    x.shape = (3, 1)
    x.real = 1.0
    x.size = 3  # type: ignore[misc]


def operators(x: ndarray, y: ndarray) -> None:
    assert_type(x + y, ndarray)
    assert_type(x + 1, ndarray)
    assert_type(1 + x, ndarray)
    assert_type(2.5 * x, ndarray)
    assert_type(x**2, ndarray)
    assert_type(-x, ndarray)
    assert_type(~x, ndarray)
    assert_type(abs(x), ndarray)
    assert_type(x == y, ndarray)
    assert_type(x != 0, ndarray)
    assert_type(x < y, ndarray)
    assert_type(divmod(x, y), tuple[ndarray, ndarray])
    assert_type((x > 0) & (y > 0), ndarray)
    x += 1
    assert_type(x, ndarray)
    x + "text"  # type: ignore[arg-type]


def indexing(x: ndarray, mask: ndarray) -> None:
    assert_type(x[0], ndarray)
    assert_type(x[1:, None, ...], ndarray)
    assert_type(x[mask], ndarray)
    x[mask] = 0
    x[0] = x[1]
    assert_type(len(x), int)
    assert_type(iter(x), Iterator[ndarray])
    assert_type(1 in x, bool)
    assert_type(float(x.sum()), float)


def methods(x: ndarray) -> None:
    assert_type(x.sum(), ndarray)
    assert_type(x.mean(axis=(0, 1), keepdims=True), ndarray)
    assert_type(x.reshape(3, -1), ndarray)
    assert_type(x.reshape((3, -1), order="F"), ndarray)
    assert_type(x.transpose(1, 0), ndarray)
    assert_type(x.transpose((1, 0)), ndarray)
    assert_type(x.astype(cp.float32), ndarray)
    assert_type(x.view("i4"), ndarray)
    assert_type(x.copy(), ndarray)
    assert_type(x.clip(0, 1), ndarray)
    assert_type(x.nonzero(), tuple[ndarray, ...])
    assert_type(x.get(), np.ndarray)
    assert_type(x.tobytes(), bytes)
    x.dto()  # type: ignore[attr-defined]


def functions(x: ndarray, y: ndarray) -> None:
    assert_type(cp.sum(x), ndarray)
    assert_type(cp.sum(x, axis=0, out=y), ndarray)
    assert_type(cp.where(x > 0), tuple[ndarray, ...])
    assert_type(cp.where(x > 0, x, 0), ndarray)
    assert_type(cp.nonzero(x), tuple[ndarray, ...])
    assert_type(cp.unique(x), ndarray)
    assert_type(cp.unique(x, return_index=True), tuple[ndarray, ...])
    assert_type(cp.unique(x, return_counts=True), tuple[ndarray, ...])
    assert_type(cp.unique_counts(x).counts, ndarray)
    assert_type(cp.histogram(x, bins=10), tuple[ndarray, ndarray])
    assert_type(cp.average(x), ndarray)
    assert_type(cp.average(x, returned=True), tuple[ndarray, ndarray])
    assert_type(cp.intersect1d(x, y), ndarray)
    assert_type(cp.atleast_1d(x), ndarray)
    assert_type(cp.atleast_1d(x, y), tuple[ndarray, ...])
    assert_type(cp.broadcast_arrays(x, y), tuple[ndarray, ...])
    assert_type(cp.split(x, 3), list[ndarray])
    assert_type(cp.concatenate([x, y]), ndarray)
    assert_type(cp.gradient(x, axis=0), ndarray)
    assert_type(cp.result_type(x, "f4"), np.dtype)
    assert_type(cp.shape(x), tuple[int, ...])
    cp.arrange(3)  # type: ignore[attr-defined]
    cp.sum([1, 2])  # type: ignore[arg-type]
    cp.sum(np.ones(3))  # type: ignore[arg-type]
    cp.sum(x, axes=0)  # type: ignore[call-arg]


def ufuncs(x: ndarray, y: ndarray) -> None:
    assert_type(cp.sin(x), ndarray)
    assert_type(cp.add(x, 1, out=y), ndarray)
    assert_type(cp.divmod(x, y), tuple[ndarray, ndarray])
    assert_type(cp.modf(x), tuple[ndarray, ndarray])
    assert_type(cp.frexp(x), tuple[ndarray, ndarray])
    assert_type(cp.add.reduce(x, axis=1), ndarray)
    assert_type(cp.add.outer(x, y), ndarray)
    assert_type(cp.add.nin, int)
    assert_type(cp.matmul(x, y, out=y), ndarray)
    assert_type(x @ y, ndarray)
    assert_type(cp.dot(x, y), ndarray)
    assert_type(x.dot(2), ndarray)
    cp.sin("text")  # type: ignore[arg-type]


@cp.fuse
def squared_difference(x: ndarray, y: ndarray, scale: float = 1.0) -> ndarray:
    return (x - y) * (x - y) * scale


@cp.fuse(kernel_name="norm")
def norm(x: ndarray) -> ndarray:
    return cp.sqrt(cp.sum(x * x, axis=-1))


def fused(x: ndarray) -> None:
    assert_type(squared_difference(x, x, scale=2.0), ndarray)
    assert_type(norm(x), ndarray)
    squared_difference.clear_cache()
    squared_difference(x)  # type: ignore[call-arg]
    norm("text")  # type: ignore[arg-type]


@jit.rawkernel
def axpy(a: float, x: ndarray, y: ndarray) -> None:
    i = jit.grid(1)
    if i < x.size:
        y[i] += squared(a) * x[i]


@jit.rawkernel(mode="cuda")
def store_lanes(x: ndarray) -> None:
    x[jit.threadIdx.x] = jit.laneid()


@jit.rawkernel(device=True)
def squared(x: float) -> float:
    return x * x


@jit.rawkernel(mode="C++")  # type: ignore[call-overload]
def of_no_mode(x: ndarray) -> None:
    pass


def kernels(x: ndarray) -> None:
    axpy[1, 32](2.0, x, x)
    axpy(1, 32, (2.0, x, x), shared_mem=64)
    store_lanes[1, 32](x)
    assert_type(squared(2.0), float)
    axpy[1, 32](2.0, x)  # type: ignore[call-arg]
    axpy[1, 32](2.0, "text", x)  # type: ignore[arg-type]
    store_lanes[1, 32](x, x)  # type: ignore[call-arg]
    squared("text")  # type: ignore[arg-type]


@cp.vectorize
def difference(a: float, b: float) -> float:
    return a - b


@cp.vectorize(otypes="f")
def half(x: float) -> float:
    return x / 2


def vectorized(x: ndarray) -> None:
    # Arrays may stand for the numbers of the annotations.
    assert_type(difference(x, x), Any)
    assert_type(difference(x, b=2.0), Any)
    assert_type(half(x), Any)


def files_and_annotations(x: ndarray) -> cp.typing.NDArray[np.float64]:
    cp.save("x.npy", x)
    assert_type(cp.fromfile("x", "f4"), ndarray)
    assert_type(cp.loadtxt("x.txt"), ndarray)
    y: cp.typing.NDArray[np.float64] = cp.ones(3)
    like: cp.typing.ArrayLike = [1, 2.5]
    like = x
    cp.testing.assert_allclose(x, like)
    assert_type(cp.exceptions.AxisError, type[np.exceptions.AxisError])
    return y
