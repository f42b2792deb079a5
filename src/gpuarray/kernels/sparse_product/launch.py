"""Sparse products: from layouts to calls.

Every call gives the same bits each time: which block and thread adds up what follows from the
layouts, the index arrays and the kind of device alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _calls, _dtypes, _layout
from gpuarray._integers import ceil_div, power_of_two_from
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import reduction, scan, sparse_product

if TYPE_CHECKING:
    from gpuarray.kernels.sparse_product.spec import ProductSpec

_INT64 = np.dtype(np.int64)

#: The least places of the merged path that are worth a warp of a product with a vector. Estimated,
#: not yet timed.
_LEAST_SHARE = 128

#: The most of them: a warp counts its rows and elements in int32.
_MOST_SHARE = 1 << 28

#: A row with fewer elements than this part of a share's places is all of the share's in which it
#: ends.
_SHORT = 4

#: Places of the merged path that a group of lanes takes at least of a product with a dense matrix,
#: and the threads that a multiprocessor has before groups take more: few sums are carried on, but
#: all of the device has something to do. Estimated, not yet timed: benchmarks/sparse_tuning.py.
_LEAST_LENGTH, _THREADS = 8, 4096

#: The most columns of a lane, and the bytes of them that it reads at a time.
_MOST_COLUMNS, _ACCESS = 4, 16

#: Lanes that share a row of blocks times a vector.
_BLOCK_LANES = 16

#: Blocks for each multiprocessor of launches that serve any size.
_RESIDENT_BLOCKS = 8


def _index(layout: Layout) -> str:
    return layout.dtype.name


def _bind(
    spec: ProductSpec,
    threads: int,
    constants: dict[str, Any],
    stream: Stream,
    numbers: Sequence[str] = (),
) -> BoundLaunch:
    function, source = load(spec, sparse_product.spec.render, stream.device)
    grid = grid_for(ceil_div(threads, source.block))
    plan = LaunchPlan(function, grid, (source.block, 1, 1), constants)
    return BoundLaunch(plan, stream, dict.fromkeys(numbers, _INT64), spec.operation)


def _steps(vector: Layout) -> list[int]:
    return _layout.element_strides("sparse product", vector.strides, vector)


@planned
def vector_call(
    stream: Stream,
    indptr: Layout,
    indices: Layout,
    data: Layout | None,
    vector: Layout,
    result: np.dtype,
    conjugate: bool = False,
    dot: bool = False,
    given: bool = False,
) -> Callable[..., Any]:
    """A call (see :mod:`gpuarray._calls`) of a compressed matrix times a vector.

    Parameters
    ----------
    stream : Stream
        Where to run.
    indptr, indices : Layout
        Contiguous, of int32 or int64, the same for both.
    data : Layout or None
        Contiguous. Without it all elements are 1, and the call is given `indices` in its place:
        the results are sums of elements of the vector.
    vector : Layout
        Contiguous, with one dimension.
    result : dtype
        Of the results, and what operands are converted to.
    conjugate : bool, optional
        Whether the matrix' elements are conjugated.
    dot : bool, optional
        Whether to make the dot product of another vector with the result as well. That one is
        contiguous, of the result's dtype, and is conjugated. Floats and complex numbers only.
    given : bool, optional
        Whether the call is given the product, which is contiguous, behind the other arrays. There
        are elements and rows then.

    Returns
    -------
    callable
        Takes indptr, indices, data and the vector, then the other one; returns the product, then
        the dot product. One launch.
    """
    rows = indptr.shape[0] - 1
    size = min([x.shape[0] for x in (indices, data or indices)])
    targets: list[Layout | None] = [None if given else _layout.contiguous(result, (rows,))]
    passed = {"results": "y0", "indptr": "x0", "indices": "x1", "data": "x2", "vector": "x3"}
    if dot:
        targets.append(_layout.contiguous(result, ()))
        passed |= {"product": "y1", "other": "x4", "parts": "t0"}
    inputs = "aaaaa" if dot else "aaaa"
    if not rows or not size:
        return _calls.make_call(stream, inputs, targets, [], cleared=True)
    code, index = _dtypes.code(result), _index(indices)
    left = "" if data is None else _dtypes.code(data.dtype)
    right = _dtypes.code(vector.dtype)
    operation = "row_sums_with_dot" if dot else "row_sums"
    make = sparse_product.spec.ProductSpec
    spec = make(operation, code, left, right, index, conjugate=conjugate)
    warps = sparse_product.spec.block(spec) // 32
    share = max(_LEAST_SHARE, ceil_div(rows + size, _most_blocks(spec, stream) * warps))
    share = min(share, _MOST_SHARE)
    shares = ceil_div(rows + size, share)
    blocks = ceil_div(shares, warps)
    dimensions = {
        "rows": rows,
        "columns": vector.shape[0],
        "size": size,
        "share": share,
        "shares": shares,
        "shortest": max(1, share // _SHORT),
    }
    function, source = load(spec, sparse_product.spec.render, stream.device)
    nbytes = 8 * scan.spec.look_back_words(sparse_product.spec.sum_dtype(code), 1, shares)
    state = scan.launch.look_back_state(stream, nbytes)
    constants: dict[str, Any] = {"dimensions": dimensions, "lookback": state[1]}
    plan = _SharedPlan(function, grid_for(blocks), (source.block, 1, 1), constants)
    plan.state = state
    scratch = []
    if dot:
        plan.counters = reduction.launch.counters(stream)
        constants["counters"] = plan.counters[1]
        scratch = [blocks * _sum_bytes(code)]
    bound = BoundLaunch(plan, stream, {}, spec.operation)
    return _calls.make_call(stream, inputs, targets, [(bound, passed)], scratch)


class _SharedPlan(LaunchPlan):
    """A launch whose blocks talk to one another: it keeps the memory for that alive."""

    __slots__ = ("counters", "state")

    counters: tuple[Any, int]
    state: tuple[Any, int]


def _most_blocks(spec: ProductSpec, stream: Stream) -> int:
    """How many blocks the device runs at a time."""
    return stream.device.multiprocessors * sparse_product.spec.resident(spec)


def _sum_bytes(code: str) -> int:
    return _dtypes.itemsize(sparse_product.spec.sum_dtype(code))


@planned
def dense_call(
    stream: Stream,
    indptr: Layout,
    indices: Layout,
    data: Layout,
    dense: Layout,
    result: np.dtype,
    conjugate: bool = False,
) -> Callable[..., Any]:
    """A call of a compressed matrix times a dense one.

    Parameters
    ----------
    stream, indptr, indices, data, result, conjugate
        As for `vector_call`.
    dense : Layout
        With two dimensions and any strides, aligned. Neighbouring columns should be neighbours in
        memory: lanes read them side by side.

    Returns
    -------
    callable
        Takes indptr, indices, data and the dense matrix; the result is C-contiguous. Three
        launches, two or one for small matrices.
    """
    rows, size = indptr.shape[0] - 1, min(indices.shape[0], data.shape[0])
    inner, columns = dense.shape
    target = _layout.contiguous(result, (rows, columns))
    if not target.size or not size:
        return _calls.make_call(stream, "aaaa", [target], [], cleared=bool(target.size))
    code = _dtypes.code(result)
    lanes, each, together = _columns_of(dense)
    make = sparse_product.spec.ProductSpec
    spec = make(
        "row_products", code, _dtypes.code(data.dtype), _dtypes.code(dense.dtype),
        _index(indices), conjugate=conjugate, lanes=lanes, each=each, together=together,
    )  # fmt: skip
    # A group of lanes takes so many places that all threads of the device have something to do.
    block = sparse_product.spec.BLOCK
    parts = ceil_div(columns, lanes * each)
    threads = stream.device.multiprocessors * _THREADS
    wanted = power_of_two_from(ceil_div((rows + size) * parts * lanes, threads))
    length = min(sparse_product.spec.DENSE_ITEMS * lanes, max(_LEAST_LENGTH, wanted))
    tiles = ceil_div(rows + size, length * (block // lanes))
    row_step, column_step = _steps(dense)
    dimensions = {
        "rows": rows,
        "inner": inner,
        "columns": columns,
        "size": size,
        "tiles": tiles,
        "length": length,
        "row_step": row_step,
        "column_step": column_step,
    }
    constants = {"dimensions": dimensions}
    threads = tiles * parts * block
    carries = {"carries": "t0", "carry_rows": "t1"}
    passed = {"results": "y0", "indptr": "x0", "indices": "x1", "data": "x2", "dense": "x3"}
    steps = [(_bind(spec, threads, constants, stream), passed | carries)]
    if tiles > 1:
        gathered = sparse_product.spec.GATHERED if tiles > sparse_product.spec.GATHERED else 1
        if gathered > 1:
            gather = make("gather_carries", code, each=gathered)
            steps.append((_bind(gather, tiles * columns, constants, stream), carries))
        join = make("join_row_products", code, each=gathered)
        bound = _bind(join, tiles * columns, constants, stream)
        steps.append((bound, {"results": "y0"} | carries))
    scratch = [tiles * columns * _sum_bytes(code), tiles * 8]
    return _calls.make_call(stream, "aaaa", [target], steps, scratch)


def _columns_of(dense: Layout) -> tuple[int, int, bool]:
    """Lanes that share a row of a dense operand, columns of each, and whether neighbouring ones."""
    columns = dense.shape[1]
    row_step, column_step = _steps(dense)
    each = min(_MOST_COLUMNS, _ACCESS // dense.dtype.itemsize)
    if each > 1 and column_step == 1 and columns % each == 0 and row_step % each == 0:
        return min(32, power_of_two_from(columns // each)), each, True
    each = min(_MOST_COLUMNS, max(1, power_of_two_from(columns) // 32))
    return min(32, power_of_two_from(ceil_div(columns, each))), each, False


@planned
def diagonals_call(
    stream: Stream, offsets: Layout, data: Layout, dense: Layout, rows: int, result: np.dtype
) -> Callable[..., Any]:
    """A call of a matrix of diagonals times a dense one; `rows` are those of the result.

    It takes the offsets of the diagonals, their elements, contiguous, one diagonal a row, and the
    dense matrix. One launch.
    """
    inner, columns = dense.shape
    target = _layout.contiguous(result, (rows, columns))
    parts, width = data.shape
    if not target.size or not parts or not inner or not width:
        return _calls.make_call(stream, "aaa", [target], [], cleared=bool(target.size))
    spec = sparse_product.spec.ProductSpec(
        "diagonal_products", _dtypes.code(result), _dtypes.code(data.dtype),
        _dtypes.code(dense.dtype), _index(offsets),
    )  # fmt: skip
    constants = {"dimensions": _structured(dense, rows, parts, 0, 1, width)}
    passed = {"results": "y0", "offsets": "x0", "data": "x1", "dense": "x2"}
    bound = _bind(spec, target.size, constants, stream)
    return _calls.make_call(stream, "aaa", [target], [(bound, passed)])


@planned
def blocks_call(
    stream: Stream, indptr: Layout, indices: Layout, data: Layout, dense: Layout, result: np.dtype
) -> Callable[..., Any]:
    """A call of a compressed matrix of dense blocks times a dense matrix.

    It takes indptr and indices of blocks, the blocks, of shape (blocks, height, width) and
    contiguous, and the dense matrix. One launch.
    """
    parts, (blocks, height, width) = indptr.shape[0] - 1, data.shape
    size = min(indices.shape[0], blocks)
    rows, columns = parts * height, dense.shape[1]
    target = _layout.contiguous(result, (rows, columns))
    if not target.size or not size or not data.size:
        return _calls.make_call(stream, "aaaa", [target], [], cleared=bool(target.size))
    lanes = _BLOCK_LANES if columns < _BLOCK_LANES else 1
    spec = sparse_product.spec.ProductSpec(
        "block_products", _dtypes.code(result), _dtypes.code(data.dtype),
        _dtypes.code(dense.dtype), _index(indices), lanes=lanes,
    )  # fmt: skip
    constants = {"dimensions": _structured(dense, rows, parts, size, height, width)}
    passed = {"results": "y0", "indptr": "x0", "indices": "x1", "data": "x2", "dense": "x3"}
    bound = _bind(spec, target.size * lanes, constants, stream)
    return _calls.make_call(stream, "aaaa", [target], [(bound, passed)])


def _structured(
    dense: Layout, rows: int, parts: int, size: int, height: int, width: int
) -> dict[str, int]:
    row_step, column_step = _steps(dense)
    return {
        "rows": rows,
        "inner": dense.shape[0],
        "columns": dense.shape[1],
        "parts": parts,
        "size": size,
        "height": height,
        "width": width,
        "row_step": row_step,
        "column_step": column_step,
    }


@planned
def matrix_step_call(
    stream: Stream,
    operation: str,
    dtypes: tuple[np.dtype | None, ...],
    index: str,
    right_index: str,
    key: str = "uint64",
    result_index: str = "int32",
) -> Callable[..., Any]:
    """A call of a step of the product of two compressed matrices, of any size.

    It takes the arrays and numbers that the operation's parameters name in
    `gpuarray.kernels.sparse_product.spec.OPERATIONS`, the arrays that it fills behind the others.
    ``dtypes`` are those of the result and both operands, or None for each.
    """
    code, left, right = ["" if x is None else _dtypes.code(x) for x in dtypes]
    spec = sparse_product.spec.ProductSpec(
        operation, code, left, right, index, right_index, result_index, key=key
    )
    parameters = sparse_product.spec.OPERATIONS[operation].parameters(spec)
    threads = _RESIDENT_BLOCKS * stream.device.multiprocessors * sparse_product.spec.BLOCK
    numbers = [x.name for x in parameters if x.kind == "scalar"]
    bound = _bind(spec, threads, {}, stream, numbers)
    passed, inputs, outputs = {}, "", 0
    for x in parameters:
        if x.kind == "pointer" and not x.type.startswith("const"):
            passed[x.name] = f"y{outputs}"
            outputs += 1
        else:
            passed[x.name] = f"x{len(inputs)}"
            inputs += "a" if x.kind == "pointer" else "s"
    return _calls.make_call(stream, inputs, [None] * outputs, [(bound, passed)])
