"""Matrix products by cuBLAS, as plans like any other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _calls, _layout
from gpuarray._ffi import cublas
from gpuarray._layout import Layout
from gpuarray._libraries.handles import BLAS
from gpuarray._runtime.device import current
from gpuarray._runtime.library_call import BoundCall
from gpuarray._runtime.plans import find
from gpuarray._runtime.stream import Stream

__all__ = ["gemm", "gemm_call"]

#: By dtype: the compute type, and the dtype of the factors alpha and beta.
_COMPUTE_TYPES: dict[np.dtype, tuple[str, np.dtype]] = {
    np.dtype("f2"): ("CUBLAS_COMPUTE_32F", np.dtype("f4")),
    np.dtype("f4"): ("CUBLAS_COMPUTE_32F", np.dtype("f4")),
    np.dtype("f8"): ("CUBLAS_COMPUTE_64F", np.dtype("f8")),
    np.dtype("c8"): ("CUBLAS_COMPUTE_32F", np.dtype("c8")),
    np.dtype("c16"): ("CUBLAS_COMPUTE_64F", np.dtype("c16")),
}


def gemm(a: Any, b: Any) -> Any:
    """The matrix product of two arrays, or of stacks of matrices.

    Parameters
    ----------
    a, b : ndarray
        Of two or three dimensions and one floating or complex dtype; see :func:`gemm_call`.

    Returns
    -------
    ndarray
        Contiguous. Halves are summed in float32.
    """
    stream = current.stream
    key = (gemm, a._layout, b._layout)  # as key_of makes it
    run = stream.plans.get(key)
    if run is None:
        run = find(stream, key, gemm_call, a._layout, b._layout, stream)
        if run is None:
            raise ValueError(
                f"gemm: cuBLAS has no product of {a.dtype} {a.shape} with strides {a.strides} and "
                f"{b.dtype} {b.shape} with strides {b.strides}"
            )
    return run(a, b)


def gemm_call(
    a: Layout, b: Layout, stream: Stream, factor: float = 1, conjugate: bool = False
) -> Callable[..., Any] | None:
    """A call (see :mod:`gpuarray._calls`) of a matrix product, or None if cuBLAS has none.

    The product is multiplied by ``factor``, and with ``conjugate`` the second operand is
    conjugated.

    It has one for operands of one floating or complex dtype, of shapes (m, k) and (k, n) or stacks
    of one size of such matrices, where the elements of rows, or those of columns, lie behind one
    another.
    """
    if not (a.dtype == b.dtype and a.dtype in _COMPUTE_TYPES):
        return None
    stacks = {x.shape[0] for x in (a, b) if x.ndim == 3}
    if not {a.ndim, b.ndim} <= {2, 3} or len(stacks) > 1 or a.shape[-1] != b.shape[-2]:
        return None
    count = stacks.pop() if stacks else 1
    m, k, n = *a.shape[-2:], b.shape[-1]
    batch = (count,) if 3 in (a.ndim, b.ndim) else ()
    target = _layout.contiguous(a.dtype, (*batch, m, n))
    if not target.size or not k:
        return _calls.make_call(stream, "aa", [target], [], cleared=bool(target.size))
    # A row-major matrix is the column-major form of its transpose, so cuBLAS is asked for the
    # transpose of the product: b.T @ a.T.
    first, second = _operand(b), _operand(a)
    if first is None or second is None:
        return None
    operation = first[0]
    if conjugate and a.dtype.kind == "c":
        if operation != "CUBLAS_OP_T":
            return None
        operation = "CUBLAS_OP_C"
    compute_type, scale = _COMPUTE_TYPES[a.dtype]
    values = {
        "m": n, "n": m, "k": k, "batchCount": count,
        "alpha": scale.type(factor), "beta": scale.type(0),
        "Atype": a.dtype, "transa": operation, "lda": first[1], "strideA": first[2],
        "Btype": a.dtype, "transb": second[0], "ldb": second[1], "strideB": second[2],
        "Ctype": a.dtype, "ldc": n, "strideC": m * n,
        "computeType": compute_type, "algo": "CUBLAS_GEMM_DEFAULT",
    }  # fmt: skip
    function = "cublasGemmStridedBatchedEx_64"
    bound = BoundCall(cublas.library, function, values, "ABC", BLAS.on(stream), stream)
    return _calls.make_call(stream, "aa", [target], [(bound, {"A": "x1", "B": "x0", "C": "y0"})])


def _operand(layout: Layout) -> tuple[str, int, int] | None:
    """How cuBLAS reads the transpose: the operation, the leading dimension, the stack's stride."""
    if any(stride % layout.itemsize for stride in layout.strides):
        return None
    steps = [stride // layout.itemsize for stride in layout.strides]
    stack = steps[0] if layout.ndim == 3 and layout.shape[0] > 1 else 0
    rows, columns = layout.shape[-2:]
    # The step along an axis of one element says nothing.
    row_step = steps[-2] if rows > 1 else columns
    column_step = steps[-1] if columns > 1 else rows
    if stack < 0:
        return None
    if (column_step == 1 or columns == 1) and row_step >= columns:
        return "CUBLAS_OP_N", row_step, stack
    if (row_step == 1 or rows == 1) and column_step >= rows:
        return "CUBLAS_OP_T", column_step, stack
    return None
