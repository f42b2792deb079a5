"""Products of stacks of matrices: who computes them, and what is copied for it.

`product_call` is where `matmul`, `dot`, `tensordot`, `einsum` and the like end. It has the choice
among

* our own kernels (:mod:`gpuarray.kernels.product`), for dtypes that cuBLAS lacks, for small
  matrices, of which cuBLAS's own call takes longer than the product, and for dot products of
  vectors, which are reductions;
* cuBLAS, for all other matrices of floats. What it cannot read where it is is copied first.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _array, _broadcasting, _calls, _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._libraries import blas
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise, product
from gpuarray.kernels.generator.expressions import Apply, Cast, Expression, Input
from gpuarray.kernels.generator.operations import operation

__all__ = ["byte_call", "product_call", "with_copies"]


def product_call(
    a: Layout,
    b: Layout,
    target: Layout,
    stream: Stream,
    given: bool = False,
    result: Layout | None = None,
    conjugated: str = "",
) -> Callable[..., Any]:
    """A call (see :mod:`gpuarray._calls`) of products of stacks of matrices.

    Parameters
    ----------
    a, b : Layout
        Of shapes (..., m, k) and (..., k, n), with any strides. The stacks have one shape; strides
        of 0 broadcast. Their elements are cast to the target's dtype.
    target : Layout
        Of shape (..., m, n) and of the dtype in which is multiplied: integers wrap around, bools
        are or-ed, halves are summed in float32. It overlaps no operand.
    stream : Stream
        Where to run.
    given : bool, optional
        Whether the caller passes the target.
    result : Layout, optional
        The layout of the new array that is made, where that is not the target's: with dimensions
        in another order, or without some of length 1.
    conjugated : {'', 'a'}, optional
        The operand whose complex conjugate is taken.

    Returns
    -------
    callable
        Takes the two operands, and a target that is given.
    """
    if result is target:
        result = None
    if target.dtype.kind != "c":
        conjugated = ""
    made = None if given else result or target
    if not target.size:
        return _calls.make_call(stream, "aa", [made], [])
    if not a.shape[-1] and made is not None:
        return _calls.make_call(stream, "aa", [made], [], cleared=True)
    for x in (a, b):
        if not np.can_cast(x.dtype, target.dtype, "same_kind"):
            return _cast_first(a, b, target, stream, given, result, conjugated)
    if blas.multiplies_bytes(a, b, target):
        found = byte_call(a, b, target, stream, given, result)
        if found is not None:
            return found
    numbers = blas.has_product(target.dtype, target.dtype) and a.shape[-1]
    vectors = a.shape[-2] == b.shape[-1] == 1
    if numbers and not (vectors or product.variants.product_wins(a, b, target)):
        found = _blas_call(a, b, target, stream, given, result, conjugated)
        if found is not None:
            return found
    return _own_call(a, b, target, stream, given, result, conjugated)


def _own_call(
    a: Layout,
    b: Layout,
    target: Layout,
    stream: Stream,
    given: bool,
    result: Layout | None,
    conjugated: str,
) -> Callable[..., Any]:
    """Products by our own kernels, which convert elements as they load them."""
    make, conjugate = product.launch.product_call, bool(conjugated)
    if given:
        return make(a, b, target, stream, True, None, conjugate)
    if result is not None and _lacks_a_row_or_column(result, target):
        return make(a, b, target, stream, False, result, conjugate)
    run = make(a, b, target, stream, False, None, conjugate)
    return _labelled(run, target, result or target)


def _lacks_a_row_or_column(layout: Layout, other: Layout) -> bool:
    """Whether a layout is another one, or that without rows or columns of length 1."""
    stack, (rows, columns) = other.shape[:-2], other.shape[-2:]
    shapes = {(*stack, rows, columns)}
    if rows == 1:
        shapes |= {(*stack, columns)}
    if columns == 1:
        shapes |= {(*stack, rows)} | ({stack} if rows == 1 else set())
    first, second = [
        [step for n, step in zip(x.shape, x.strides) if n != 1] for x in (layout, other)
    ]
    return layout.shape in shapes and first == second


def _labelled(run: Callable[..., Any], made: Layout, wanted: Layout) -> Callable[..., Any]:
    """A call that makes a new array of a layout, with another one instead."""
    if _layout.own(made) is _layout.own(wanted):
        return run
    return lambda *args: _array.rearranged(run(*args), wanted)


def _cast_first(
    a: Layout, b: Layout, target: Layout, stream: Stream, *options: Any
) -> Callable[..., Any]:
    """Products of operands that are cast to a lesser kind, which no product does on its way."""
    copy_a = copy_b = None
    if a.dtype != target.dtype:
        copy_a, a = _copied(a, target.dtype, stream)
    if b.dtype != target.dtype:
        copy_b, b = _copied(b, target.dtype, stream)
    return with_copies(product_call(a, b, target, stream, *options), copy_a, copy_b)


def _copied(
    x: Layout, dtype: np.dtype, stream: Stream, conjugated: bool = False, whole: bool = False
) -> tuple[Callable[..., Any], Layout]:
    """A call that makes a gapless copy of an operand, and the copy's layout in the same shape.

    Matrices along which a stack is broadcast are copied once, unless the ``whole`` is to be copied.
    """
    shape, read = x.shape, x
    if not whole:
        lengths = [1 if step == 0 else n for n, step in zip(shape[:-2], x.strides[:-2])]
        read = _layout.layout_of(x.dtype, (*lengths, *shape[-2:]), x.strides, x.access)
    target = _layout.contiguous(dtype, read.shape)
    run = elementwise.launch.copy_call(read, target, False, stream)
    if conjugated:
        code = _dtypes.code(dtype)
        element: Expression = Input(0, _dtypes.code(x.dtype))
        if x.dtype != dtype:
            element = Cast(code, element)
        conjugate = Apply(operation("conjugate"), (element,), code)
        run = elementwise.launch.make_call(
            "conjugate", [conjugate], [read], [target], [False], stream
        )
    return run, _broadcasting.broadcast_to(target, shape)


def with_copies(
    run: Callable[..., Any], copy_a: Callable[..., Any] | None, copy_b: Callable[..., Any] | None
) -> Callable[..., Any]:
    """A call of a product of copies of its operands."""
    if copy_a is None and copy_b is None:
        return run
    first, second = copy_a or _as_it_is, copy_b or _as_it_is
    return lambda x, y, *out: run(first(x), second(y), *out)


def _as_it_is(x: Any) -> Any:
    return x


def _blas_call(
    a: Layout,
    b: Layout,
    target: Layout,
    stream: Stream,
    given: bool,
    result: Layout | None,
    conjugated: str,
) -> Callable[..., Any] | None:
    """Products by cuBLAS, with copies of what it cannot read or write where it is."""
    dtype = (
        a.dtype if a.dtype == b.dtype and blas.has_product(a.dtype, target.dtype) else target.dtype
    )
    # What has to be copied, and if that is not enough, all.
    cast = [x.dtype != dtype for x in (a, b)]
    needed = (
        cast[0] or not blas.is_readable(a, bool(conjugated)),
        cast[1] or not blas.is_readable(b),
        not blas.is_readable(target),
    )
    tries = [(*cast, False, False), (*needed, False), (True, True, True, False), (True,) * 4]
    for moved_a, moved_b, moved_target, whole in dict.fromkeys(tries):
        copy_a = copy_b = None
        first, second, products = a, b, target
        conjugate = conjugated
        if moved_a:
            copy_a, first = _copied(a, dtype, stream, bool(conjugated), whole)
            conjugate = ""
        if moved_b:
            copy_b, second = _copied(b, dtype, stream, whole=whole)
        if moved_target:
            products = _layout.contiguous(target.dtype, target.shape)
        run = blas.product_call(
            first,
            second,
            products,
            stream,
            given and not moved_target,
            None if moved_target else result,
            conjugated=conjugate,
        )
        if run is not None:
            run = with_copies(run, copy_a, copy_b)
            return _stored(run, products, target, stream, given, result) if moved_target else run
    return None


def byte_call(
    a: Layout,
    b: Layout,
    target: Layout,
    stream: Stream,
    given: bool,
    result: Layout | None,
) -> Callable[..., Any] | None:
    """Products of bytes by cuBLAS, which wants the inner dimension to be the last one in memory."""
    copy_a = copy_b = None
    if not blas.has_aligned_rows(a):
        copy_a, a = _copied(a, a.dtype, stream)
    b = _transposed(b)
    if not blas.has_aligned_rows(b):
        copy_b, b = _copied(b, b.dtype, stream)
    first, second = a, _transposed(b)
    run = blas.product_call(first, second, target, stream, given, result)
    if run is None:
        return None

    @functools.cache
    def own() -> Callable[..., Any]:
        return _own_call(first, second, target, stream, given, result, "")

    run = _array.where_aligned(blas.BYTES_ALIGNMENT, run, lambda *arrays: own()(*arrays), given)
    return with_copies(run, copy_a, copy_b)


def _transposed(layout: Layout) -> Layout:
    """The layout with the last two dimensions swapped."""
    return _layout.transpose(layout, [*range(layout.ndim - 2), layout.ndim - 1, layout.ndim - 2])


def _stored(
    run: Callable[..., Any],
    products: Layout,
    target: Layout,
    stream: Stream,
    given: bool,
    result: Layout | None,
) -> Callable[..., Any]:
    """A call whose result is copied to its target."""
    store = elementwise.launch.copy_call(products, target, given, stream)
    if given:
        return lambda x, y, out: store(run(x, y), out)
    store = _labelled(store, target, result or target)
    return lambda x, y: store(run(x, y))
