"""Eigenvalues and eigenvectors of stacked matrices, as linear algebra and polynomials need them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _array, _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._libraries import checks, eigen
from gpuarray._libraries.steps import Steps
from gpuarray._ops.logic import isfinite, logical_not, logical_or, not_equal
from gpuarray._ops.matrix_operands import check_square, common_dtype, real_dtype
from gpuarray._ops.selection import where
from gpuarray._ops.small_matrices import on_small
from gpuarray._ops.truth import all, any
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.pinned_memory import alloc_pinned_memory
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.errors import CUSOLVERError
from gpuarray.kernels import elementwise, small_matrix
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator.expressions import (
    Cast,
    Constant,
    Input,
    apply,
)

__all__ = ["general", "hermitian"]

_NOT_CONVERGED = "Eigenvalues did not converge"
_INFO = np.dtype(np.int32)
#: From more rows on a general matrix has a page-locked workspace on the host, of its size or more.
_PAGE_LOCKED_FROM = 256


def hermitian(a: Any, lower: bool, vectors: bool) -> Any:
    """The eigenvalues of Hermitian matrices in ascending order, or a tuple with the eigenvectors.

    One triangle is read: that below the diagonal if `lower`, else that above it.
    """
    raises = checks.linalg_raises()
    run = _hermitian_call(current.stream, a._layout, lower, vectors, raises)
    try:
        found = run(a)
    except CUSOLVERError as error:
        # That is how it may fail for NaN, instead of an info.
        if error.status_name != "CUSOLVER_STATUS_EXECUTION_FAILED":
            raise
        failed = logical_not(all(isfinite(a), axis=(-2, -1)))
        if not bool(any(failed)):
            raise
        if raises:
            raise np.linalg.LinAlgError(_NOT_CONVERGED) from error
        found = hermitian(_without(failed, a), lower, vectors)
        if vectors:
            return _with_nan(failed, found[0], 1), _with_nan(failed, found[1], 2)
        return _with_nan(failed, found, 1)
    if not (raises and a._layout.size):
        return found
    *results, info = found
    checks.check(info, _NOT_CONVERGED)
    return tuple(results) if vectors else results[0]


@planned
def _hermitian_call(
    stream: Stream, a: Layout, lower: bool, vectors: bool, raises: bool
) -> Callable[[Any], Any]:
    check_square(a)
    dtype = common_dtype(a)
    *batch, n, _ = a.shape
    if a.size and n <= small_matrix.spec.LARGEST:
        make = small_matrix.launch.eigh_call
        return on_small(make, stream, "eigh", dtype, raises, (a,), not lower, vectors)
    steps = Steps(stream, a)
    values = steps.output(_layout.contiguous(real_dtype(dtype), (*batch, n)))
    matrices = _layout.contiguous(dtype, a.shape)
    results = [values]
    if vectors:
        results.append(steps.output(matrices))
    if not a.size:
        return steps.make()
    info = checks.info_of(steps, tuple(batch), raises)
    columns = steps.scratch(matrices)
    # Rows are given as columns, so that of the transpose the upper triangle is read: the lower one
    # of the matrix, or of its transpose the upper one. The transpose is the conjugate.
    source = steps.inputs[0]
    given = source if lower else source.seen_as(_layout.matrix_transpose(source.layout))
    steps.triangle(False, given, columns)
    count = info.layout.size
    eigen.hermitian(
        steps,
        columns.seen_as(_layout.contiguous(dtype, (count, n, n))),
        values.seen_as(_layout.contiguous(values.layout.dtype, (count, n))),
        info.seen_as(_layout.contiguous(_INFO, (count,))),
        vectors,
    )
    if vectors:
        steps.copy(columns.seen_as(_layout.matrix_transpose(matrices)), results[1], conjugate=lower)
    if not raises:
        for result in results:
            checks.fill_failed(steps, info, result)
    return steps.make()


def general(a: Any, vectors: bool, narrows: bool = False) -> Any:
    """The eigenvalues of square matrices in no order, or a tuple with the right eigenvectors.

    They are complex. If it `narrows`, they are real if the matrices are, and none of the
    eigenvalues has an imaginary part.
    """
    layout = a._layout
    check_square(layout)
    dtype = common_dtype(layout)
    *batch, n, _ = layout.shape
    if n > eigen.GENERAL_LIMIT:
        raise ValueError(
            f"matrices of {n} rows: cuSOLVER has eigenvalues of general matrices up to "
            f"{eigen.GENERAL_LIMIT} rows; those of symmetric ones have no such limit (eigh)"
        )
    if not layout.size:
        if not narrows:
            dtype = np.result_type(dtype, np.complex64)
        values = _array.empty(_layout.contiguous(dtype, (*batch, n)))
        return (
            (values, _array.empty(_layout.contiguous(dtype, layout.shape))) if vectors else values
        )
    raises = checks.linalg_raises()
    failed = None
    if layout.dtype.kind in "fc" and not bool(all(isfinite(a))):
        # The part of the algorithm that the host does need not end for NaN.
        if raises:
            checks.fail("Array must not contain infs or NaNs")
        failed = logical_not(all(isfinite(a), axis=(-2, -1)))
        a = _without(failed, a)
    run, nbytes = _general_call(current.stream, a._layout, vectors)
    # The memory goes back to its pool when this function has waited for the device.
    memory = alloc_pinned_memory(nbytes) if nbytes else None
    values, *packed, info = run(a) if memory is None else run(a, memory.ptr)
    if raises:
        checks.check(info, _NOT_CONVERGED)
    else:
        current.stream.synchronize()  # the plan's workspace on the host may still be read
        found = not_equal(info, 0)
        failed = found if failed is None else logical_or(failed, found)
        values = _with_nan(failed, values, 1)
    real = narrows and dtype.kind == "f" and not bool(any(values.imag))
    if not vectors:
        return copies.copy(values.real, "C") if real else values
    columns = _layout.matrix_transpose(_layout.contiguous(dtype, layout.shape))
    stored = _array.view(packed[0], columns, n * dtype.itemsize)
    if real:
        values = copies.copy(values.real, "C")
    if real or dtype.kind == "c":
        right = copies.copy(stored, "C")
    else:
        right = _complex_vectors(stored, values)
    if failed is not None:
        right = _with_nan(failed, right, 2)
    return values, right


@planned
def _general_call(stream: Stream, a: Layout, vectors: bool) -> tuple[Callable[..., Any], int]:
    """A call, and how many bytes of page-locked memory it takes the address of, behind the array.

    It returns the values, what cuSOLVER stores of the vectors, and the info.
    """
    dtype = common_dtype(a)
    *batch, n, _ = a.shape
    steps = Steps(stream, a)
    values = steps.output(_layout.contiguous(np.result_type(dtype, np.complex64), (*batch, n)))
    count = values.layout.size // n
    packed = steps.output(_layout.contiguous(dtype, (count * n + 2, n))) if vectors else None
    info = steps.output(_layout.contiguous(_INFO, tuple(batch)))
    columns = steps.scratch(_layout.contiguous(dtype, a.shape))
    source = steps.inputs[0]
    steps.copy(source.seen_as(_layout.matrix_transpose(source.layout)), columns)
    memory = eigen.general(
        steps,
        columns.seen_as(_layout.contiguous(dtype, (count, n, n))),
        values.seen_as(_layout.contiguous(values.layout.dtype, (count, n))),
        info.seen_as(_layout.contiguous(_INFO, (count,))),
        packed,
        page_locked=count == 1 and n > _PAGE_LOCKED_FROM,
    )
    return steps.make(), 0 if memory is None else memory.layout.nbytes


def _complex_vectors(stored: Any, values: Any) -> Any:
    """Eigenvectors of real matrices some of which are complex, from what cuSOLVER stores.

    There are columns more in memory, before and behind those of `stored`.
    """
    layout = stored._layout
    step = layout.strides[-1]
    before, behind = [_array.view(stored, layout, offset) for offset in (-step, step)]
    run = _complex_vectors_call(current.stream, layout, values._layout)
    return run(before, stored, behind, values.imag)


@planned
def _complex_vectors_call(stream: Stream, stored: Layout, values: Layout) -> Callable[..., Any]:
    code, real = _dtypes.code(values.dtype), _dtypes.code(stored.dtype)
    target = _layout.contiguous(values.dtype, stored.shape)
    # Those of a vector are all signed by its eigenvalue's imaginary part.
    strides = (*values.strides[:-1], 0, values.itemsize)
    imaginary = _layout.layout_of(stored.dtype, stored.shape, strides)

    before, this, behind, sign = [Input(i, real) for i in range(4)]
    zero = Constant(0, real)
    # A vector with its conjugate behind it, and a conjugate, whose parts begin one column earlier.
    first, second = apply("greater", "b1", sign, zero), apply("less", "b1", sign, zero)
    real_part = apply("where", real, second, before, this)
    imaginary_part = apply("where", real, second, apply("negative", real, this), zero)
    imaginary_part = apply("where", real, first, behind, imaginary_part)
    rotated = apply("multiply", code, Constant(1j, code), Cast(code, imaginary_part))
    value = apply("add", code, Cast(code, real_part), rotated)
    inputs = [stored, stored, stored, imaginary]
    run = elementwise.launch.make_call("unpack", [value], inputs, [target], [False], stream)

    def call(before: Any, this: Any, behind: Any, sign: Any) -> Any:
        return run(before, this, behind, _array.view(sign, imaginary))

    return call


def _without(failed: Any, a: Any) -> Any:
    """Matrices, those that failed as zero."""
    return where(failed[..., None, None], 0, a)


def _with_nan(failed: Any, result: Any, ndim: int) -> Any:
    """Results of so many dimensions for each matrix, those of matrices that failed as NaN."""
    return where(failed[(..., *[None] * ndim)], np.nan, result)
