"""cuBLAS's handles and its products of matrices, by CuPy's names.

Scalars are given by their addresses, on the host unless `setPointerMode` says otherwise; matrices
are column-major, by their addresses on the device. Work is queued on the current stream.

Examples
--------
>>> import gpuarray as cp
>>> handle = cp.cuda.device.get_cublas_handle()
>>> cp.cuda.cublas.getPointerMode(handle) == cp.cuda.cublas.CUBLAS_POINTER_MODE_HOST
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gpuarray._ffi import cublas
from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.current_stream import current, need_context
from gpuarray.errors import CUBLASError

__all__ = [
    "CUBLASError", "check_status", "create", "destroy", "getVersion", "getPointerMode",
    "setPointerMode", "setStream", "getStream", "setMathMode", "getMathMode", "sgemm", "dgemm",
    "cgemm", "zgemm", "sgemmStridedBatched", "dgemmStridedBatched", "cgemmStridedBatched",
    "zgemmStridedBatched", "gemmEx", "gemmStridedBatchedEx", "CUBLAS_OP_N", "CUBLAS_OP_T",
    "CUBLAS_OP_C", "CUBLAS_POINTER_MODE_HOST", "CUBLAS_POINTER_MODE_DEVICE", "CUBLAS_SIDE_LEFT",
    "CUBLAS_SIDE_RIGHT", "CUBLAS_FILL_MODE_LOWER", "CUBLAS_FILL_MODE_UPPER",
    "CUBLAS_DIAG_NON_UNIT", "CUBLAS_DIAG_UNIT", "CUBLAS_GEMM_DEFAULT",
    "CUBLAS_GEMM_DEFAULT_TENSOR_OP", "CUBLAS_GEMM_DFALT", "CUBLAS_GEMM_DFALT_TENSOR_OP",
    "CUBLAS_DEFAULT_MATH", "CUBLAS_TENSOR_OP_MATH", "CUBLAS_COMPUTE_16F",
    "CUBLAS_COMPUTE_16F_PEDANTIC", "CUBLAS_COMPUTE_32F", "CUBLAS_COMPUTE_32F_PEDANTIC",
    "CUBLAS_COMPUTE_32F_FAST_16F", "CUBLAS_COMPUTE_32F_FAST_16BF",
    "CUBLAS_COMPUTE_32F_FAST_TF32", "CUBLAS_COMPUTE_64F", "CUBLAS_COMPUTE_64F_PEDANTIC",
    "CUBLAS_COMPUTE_32I", "CUBLAS_COMPUTE_32I_PEDANTIC",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)

CUBLAS_OP_N = 0
CUBLAS_OP_T = 1
CUBLAS_OP_C = 2
CUBLAS_POINTER_MODE_HOST = 0
CUBLAS_POINTER_MODE_DEVICE = 1
CUBLAS_SIDE_LEFT = 0
CUBLAS_SIDE_RIGHT = 1
CUBLAS_FILL_MODE_LOWER = 0
CUBLAS_FILL_MODE_UPPER = 1
CUBLAS_DIAG_NON_UNIT = 0
CUBLAS_DIAG_UNIT = 1
CUBLAS_GEMM_DEFAULT = -1
CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99
CUBLAS_GEMM_DFALT = -1
CUBLAS_GEMM_DFALT_TENSOR_OP = 99
CUBLAS_DEFAULT_MATH = 0
CUBLAS_TENSOR_OP_MATH = 1
CUBLAS_COMPUTE_16F = 64
CUBLAS_COMPUTE_16F_PEDANTIC = 65
CUBLAS_COMPUTE_32F = 68
CUBLAS_COMPUTE_32F_PEDANTIC = 69
CUBLAS_COMPUTE_32F_FAST_16F = 74
CUBLAS_COMPUTE_32F_FAST_16BF = 75
CUBLAS_COMPUTE_32F_FAST_TF32 = 77
CUBLAS_COMPUTE_64F = 70
CUBLAS_COMPUTE_64F_PEDANTIC = 71
CUBLAS_COMPUTE_32I = 72
CUBLAS_COMPUTE_32I_PEDANTIC = 73

# cudaDataType
_R_32F, _R_64F, _C_32F, _C_64F = 0, 1, 4, 5


def check_status(status: int) -> None:
    """Raise the error for a status of cuBLAS; 0 is none.

    Parameters
    ----------
    status : int
        A status.

    Raises
    ------
    CUBLASError
        The status is not 0.
    """
    if status:
        raise CUBLASError("a call of cuBLAS", status, cublas.library.status_name(status))


def create() -> int:
    """Make a handle.

    Returns
    -------
    int
        A handle, for the current device.
    """
    need_context()
    return cublas.library.cublasCreate_v2()


def destroy(handle: int) -> None:
    """Free a handle.

    Parameters
    ----------
    handle : int
        A handle of `create`.
    """
    cublas.library.cublasDestroy_v2(handle)


def getVersion(handle: int) -> int:
    """The version of cuBLAS, 120900 for 12.9.0.

    Parameters
    ----------
    handle : int
        A handle of `create`.

    Returns
    -------
    int
        The version.
    """
    return cublas.library.cublasGetVersion_v2(handle)


def getPointerMode(handle: int) -> int:
    """Where scalars are.

    Parameters
    ----------
    handle : int
        A handle of `create`.

    Returns
    -------
    int
        One of the constants.
    """
    return cublas.library.cublasGetPointerMode_v2(handle)


def setPointerMode(handle: int, mode: int) -> None:
    """Set where scalars are.

    Parameters
    ----------
    handle : int
        A handle of `create`.
    mode : int
        `CUBLAS_POINTER_MODE_HOST` or `CUBLAS_POINTER_MODE_DEVICE`.
    """
    cublas.library.cublasSetPointerMode_v2(handle, mode)


def getMathMode(handle: int) -> int:
    """How products may be computed.

    Parameters
    ----------
    handle : int
        A handle of `create`.

    Returns
    -------
    int
        One of the constants.
    """
    return cublas.library.cublasGetMathMode(handle)


def setMathMode(handle: int, mode: int) -> None:
    """Set how products may be computed.

    Parameters
    ----------
    handle : int
        A handle of `create`.
    mode : int
        Such as `CUBLAS_DEFAULT_MATH`.
    """
    cublas.library.cublasSetMathMode(handle, mode)


def setStream(handle: int, stream: int) -> None:
    """Set the stream of a handle's work; the products below set the current one.

    Parameters
    ----------
    handle : int
        A handle of `create`.
    stream : int
        A stream's handle, such as `Stream.ptr`.
    """
    cublas.library.cublasSetStream_v2(handle, stream)


def getStream(handle: int) -> int:
    """The stream of a handle's work.

    Parameters
    ----------
    handle : int
        A handle of `create`.

    Returns
    -------
    int
        The stream's handle.
    """
    return cublas.library.cublasGetStream_v2(handle)


def gemmStridedBatchedEx(
    handle: int,
    transa: int,
    transb: int,
    m: int,
    n: int,
    k: int,
    alpha: int,
    A: int,
    Atype: int,
    lda: int,
    strideA: int,
    B: int,
    Btype: int,
    ldb: int,
    strideB: int,
    beta: int,
    C: int,
    Ctype: int,
    ldc: int,
    strideC: int,
    batchCount: int,
    computeType: int,
    algo: int,
) -> None:
    """Compute ``C = alpha * A @ B + beta * C`` for several matrices of any types.

    Parameters
    ----------
    handle : int
        A handle of `create`.
    transa, transb : int
        `CUBLAS_OP_N`, `CUBLAS_OP_T` or `CUBLAS_OP_C`.
    m, n, k : int
        Rows and columns of C, and the length of the sums.
    alpha, beta : int
        Addresses of numbers of the compute type.
    A, B, C : int
        Addresses on the device.
    Atype, Btype, Ctype : int
        Types of elements, such as `runtime.CUDA_R_32F`.
    lda, ldb, ldc : int
        Leading dimensions.
    strideA, strideB, strideC : int
        Elements from a matrix to the next one.
    batchCount : int
        How many matrices.
    computeType : int
        One of the constants ``CUBLAS_COMPUTE_...``.
    algo : int
        `CUBLAS_GEMM_DEFAULT`.
    """
    library = cublas.library
    library.cublasSetStream_v2(handle, current.stream.handle)
    library.cublasGemmStridedBatchedEx_64(
        handle, transa, transb, m, n, k, alpha,
        A, Atype, lda, strideA, B, Btype, ldb, strideB, beta, C, Ctype, ldc, strideC,
        batchCount, computeType, algo,
    )  # fmt: skip


def gemmEx(
    handle: int,
    transa: int,
    transb: int,
    m: int,
    n: int,
    k: int,
    alpha: int,
    A: int,
    Atype: int,
    lda: int,
    B: int,
    Btype: int,
    ldb: int,
    beta: int,
    C: int,
    Ctype: int,
    ldc: int,
    computeType: int,
    algo: int,
) -> None:
    """Compute ``C = alpha * A @ B + beta * C`` for matrices of any types.

    Parameters
    ----------
    handle : int
        A handle of `create`.
    transa, transb : int
        `CUBLAS_OP_N`, `CUBLAS_OP_T` or `CUBLAS_OP_C`.
    m, n, k : int
        Rows and columns of C, and the length of the sums.
    alpha, beta : int
        Addresses of numbers of the compute type.
    A, B, C : int
        Addresses on the device.
    Atype, Btype, Ctype : int
        Types of elements, such as `runtime.CUDA_R_32F`.
    lda, ldb, ldc : int
        Leading dimensions.
    computeType : int
        One of the constants ``CUBLAS_COMPUTE_...``.
    algo : int
        `CUBLAS_GEMM_DEFAULT`.
    """
    gemmStridedBatchedEx(
        handle, transa, transb, m, n, k, alpha, A, Atype, lda, 0, B, Btype, ldb, 0, beta, C, Ctype,
        ldc, 0, 1, computeType, algo,
    )  # fmt: skip


_GEMM = """Compute ``C = alpha * A @ B + beta * C`` for {count} of {dtype}.

    Parameters
    ----------
    handle : int
        A handle of `create`.
    transa, transb : int
        `CUBLAS_OP_N`, `CUBLAS_OP_T` or `CUBLAS_OP_C`.
    m, n, k : int
        Rows and columns of C, and the length of the sums.
    alpha, beta : int
        Addresses of numbers.
    A, B, C : int
        Addresses on the device.
    lda, ldb, ldc : int
        Leading dimensions.
    {more}"""
_BATCHED = """strideA, strideB, strideC : int
        Elements from a matrix to the next one.
    batchCount : int
        How many matrices.
    """


def _named(
    function: Callable[..., None], name: str, dtype: str, count: str, more: str = ""
) -> Callable[..., None]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = _GEMM.format(dtype=dtype, count=count, more=more)
    return function


def _gemm(name: str, number: int, compute: int, dtype: str) -> Callable[..., None]:
    def gemm(
        handle: int, transa: int, transb: int, m: int, n: int, k: int, alpha: int,
        A: int, lda: int, B: int, ldb: int, beta: int, C: int, ldc: int,
    ) -> None:  # fmt: skip
        gemmEx(
            handle, transa, transb, m, n, k, alpha, A, number, lda, B, number, ldb, beta, C, number,
            ldc, compute, CUBLAS_GEMM_DEFAULT,
        )  # fmt: skip

    return _named(gemm, name, dtype, "matrices")


def _gemm_batched(name: str, number: int, compute: int, dtype: str) -> Callable[..., None]:
    def gemm(
        handle: int, transa: int, transb: int, m: int, n: int, k: int, alpha: int,
        A: int, lda: int, strideA: int, B: int, ldb: int, strideB: int, beta: int,
        C: int, ldc: int, strideC: int, batchCount: int,
    ) -> None:  # fmt: skip
        gemmStridedBatchedEx(
            handle, transa, transb, m, n, k, alpha, A, number, lda, strideA, B, number, ldb,
            strideB, beta, C, number, ldc, strideC, batchCount, compute, CUBLAS_GEMM_DEFAULT,
        )  # fmt: skip

    return _named(gemm, name, dtype, "several matrices", _BATCHED)


sgemm = _gemm("sgemm", _R_32F, CUBLAS_COMPUTE_32F, "float32")
dgemm = _gemm("dgemm", _R_64F, CUBLAS_COMPUTE_64F, "float64")
cgemm = _gemm("cgemm", _C_32F, CUBLAS_COMPUTE_32F, "complex64")
zgemm = _gemm("zgemm", _C_64F, CUBLAS_COMPUTE_64F, "complex128")
sgemmStridedBatched = _gemm_batched("sgemmStridedBatched", _R_32F, CUBLAS_COMPUTE_32F, "float32")
dgemmStridedBatched = _gemm_batched("dgemmStridedBatched", _R_64F, CUBLAS_COMPUTE_64F, "float64")
cgemmStridedBatched = _gemm_batched("cgemmStridedBatched", _C_32F, CUBLAS_COMPUTE_32F, "complex64")
zgemmStridedBatched = _gemm_batched("zgemmStridedBatched", _C_64F, CUBLAS_COMPUTE_64F, "complex128")

without_annotations(globals())
