"""Stacks of small matrices: from layouts to calls.

Each call takes arrays whose last two dimensions are those of matrices of at most `spec.LARGEST`
rows and columns; their elements may lie at any strides. All have one of the dtypes float32,
float64, complex64 and complex128. Results are C-contiguous. Where a call returns ``info`` (int32,
of the stack's shape) it is not 0 for matrices of which there is no result: that is NaN then.
Matrices without rows or columns have results of zeros.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuarray import _broadcasting, _calls, _dtypes, _layout
from gpuarray._integers import ceil_div
from gpuarray._layout import Layout
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import small_matrix

_INT32 = np.dtype(np.int32)

#: The dtype and the shape of what belongs to one matrix, by the result's name.
Results = Mapping[str, tuple[np.dtype, tuple[int, ...]]]


def is_small(layout: Layout) -> bool:
    """Whether an array is a stack of matrices that this family works on."""
    return (
        layout.ndim >= 2
        and max(layout.shape[-2:]) <= small_matrix.spec.LARGEST
        and layout.dtype.char in "fdFD"
    )


def _real(dtype: np.dtype) -> np.dtype:
    return np.empty(0, dtype).real.dtype


def _stack_call(
    stream: Stream,
    name: str,
    operation: str,
    operands: Sequence[Layout],
    results: Results,
    numbers: Mapping[str, int],
    columns: int = 0,
) -> Callable[..., Any]:
    """A call of an operation on stacks, which broadcast.

    ``results`` has for each the dtype and the shape of one matrix's; ``name`` is what messages
    name.
    """
    shape = _broadcasting.broadcast_shapes([x.shape[:-2] for x in operands])
    targets = [_layout.contiguous(dtype, shape + one) for dtype, one in results.values()]
    inputs = "a" * len(operands)
    count = math.prod(shape)
    if not count or not operands[0].size:
        return _calls.make_call(stream, inputs, targets, [], cleared=True)
    lanes = small_matrix.spec.lanes_for(*operands[0].shape[-2:])
    steps = [_layout.element_strides(name, x.strides, x) for x in operands]
    dims, strides = _stack(shape, operands, steps)
    dimensions = next(x for x in small_matrix.spec.DIMENSIONS if x >= len(dims))
    missing = dimensions - len(dims)
    spec = small_matrix.spec.SmallMatrixSpec(
        operation, _dtypes.code(operands[0].dtype), lanes, dimensions, columns
    )
    function, source = load(spec, small_matrix.spec.render, stream.device)
    stack = {
        "shape": (1,) * missing + dims,
        "strides": [step for one in strides for step in (0,) * missing + one],
        "rows": [step[-2] for step in steps],
        "columns": [step[-1] for step in steps],
    }
    plan = LaunchPlan(
        function,
        grid_for(ceil_div(count, spec.matrices)),
        (source.block, 1, 1),
        {"stack": stack, **numbers, "count": count},
    )
    pointers = [x.name for x in source.parameters]
    passed = {pointers[i]: f"x{i}" for i in range(len(operands))}
    passed |= {result: f"y{i}" for i, result in enumerate(results)}
    return _calls.make_call(stream, inputs, targets, [(BoundLaunch(plan, stream), passed)])


def _stack(
    shape: tuple[int, ...], operands: Sequence[Layout], steps: Sequence[Sequence[int]]
) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """The dimensions of a stack, merged where they can be, and its operands' strides in them."""
    strides = [
        (0,) * (len(shape) - len(step[:-2]))
        + tuple([0 if n == 1 else x for n, x in zip(one.shape[:-2], step[:-2], strict=True)])
        for one, step in zip(operands, steps, strict=True)
    ]
    # The results' own order comes first, so that theirs is the order of the matrices.
    dims, merged = _layout.collapse(shape, [_layout.contiguous_strides(shape, 1), *strides])
    return dims, list(merged[1:])


@planned
def solve_call(stream: Stream, name: str, a: Layout, b: Layout) -> Callable[[Any, Any], Any]:
    """A call that takes matrices and right-hand sides, and returns solutions and info."""
    n, sides = b.shape[-2:]
    spec = small_matrix.spec
    columns = spec.FEW_SIDES if sides <= spec.FEW_SIDES else spec.lanes_for(n, n)
    results = {"results": (a.dtype, (n, sides)), "infos": (_INT32, ())}
    numbers = {"n": n, "sides": sides}
    return _stack_call(stream, name, "solve", [a, b], results, numbers, columns)


@planned
def inverse_call(stream: Stream, name: str, a: Layout) -> Callable[[Any], Any]:
    """A call that takes matrices, and returns their inverses and info."""
    n = a.shape[-1]
    results = {"results": (a.dtype, (n, n)), "infos": (_INT32, ())}
    return _stack_call(stream, name, "invert", [a], results, {"n": n})


@planned
def determinant_call(stream: Stream, name: str, a: Layout) -> Callable[[Any], Any]:
    """A call that takes matrices, and returns their determinants."""
    results = {"determinants": (a.dtype, ())}
    return _stack_call(stream, name, "determinant", [a], results, {"n": a.shape[-1]})


@planned
def log_determinant_call(stream: Stream, name: str, a: Layout) -> Callable[[Any], Any]:
    """A call that returns the signs of determinants, and logarithms of their absolute values."""
    results = {"signs": (a.dtype, ()), "logarithms": (_real(a.dtype), ())}
    return _stack_call(stream, name, "log_determinant", [a], results, {"n": a.shape[-1]})


@planned
def lu_call(stream: Stream, name: str, a: Layout) -> Callable[[Any], Any]:
    """A call that takes matrices, and returns LU factors, pivots and info.

    The factors are in one array, without the ones on L's diagonal. In step i row i was exchanged
    with row ``pivots[i]`` (int32). Where info is not 0, U is singular, and there are factors.
    """
    rows, columns = a.shape[-2:]
    results = {
        "results": (a.dtype, (rows, columns)),
        "exchanges": (_INT32, (min(rows, columns),)),
        "infos": (_INT32, ()),
    }
    numbers = {"rows": rows, "columns": columns}
    return _stack_call(stream, name, "lu_factors", [a], results, numbers)


@planned
def cholesky_call(stream: Stream, name: str, a: Layout, upper: bool) -> Callable[[Any], Any]:
    """A call that takes matrices, of which one triangle is read, and returns factors and info."""
    n = a.shape[-1]
    results = {"results": (a.dtype, (n, n)), "infos": (_INT32, ())}
    return _stack_call(stream, name, "cholesky", [a], results, {"n": n, "upper": int(upper)})


@planned
def cholesky_solve_call(
    stream: Stream, name: str, factor: Layout, b: Layout, upper: bool
) -> Callable[[Any, Any], Any]:
    """A call that takes Cholesky factors and right-hand sides, and returns solutions."""
    n, sides = b.shape[-2:]
    spec = small_matrix.spec
    columns = spec.FEW_SIDES if sides <= spec.FEW_SIDES else spec.lanes_for(n, n)
    results = {"results": (factor.dtype, (n, sides))}
    numbers = {"n": n, "sides": sides, "upper": int(upper)}
    return _stack_call(stream, name, "cholesky_solve", [factor, b], results, numbers, columns)


@planned
def eigh_call(
    stream: Stream, name: str, a: Layout, upper: bool, vectors: bool
) -> Callable[[Any], Any]:
    """A call that takes Hermitian matrices, of which one triangle is read.

    It returns eigenvalues, the smallest first, eigenvectors if they are wanted, and info.
    """
    n = a.shape[-1]
    results: Results = {
        "values": (_real(a.dtype), (n,)),
        **({"vectors": (a.dtype, (n, n))} if vectors else {}),
        "infos": (_INT32, ()),
    }
    operation = "eigh" if vectors else "eigvalsh"
    return _stack_call(stream, name, operation, [a], results, {"n": n, "upper": int(upper)})


@planned
def svd_call(stream: Stream, name: str, a: Layout, full: bool) -> Callable[[Any], Any]:
    """A call that returns U, singular values, the conjugate transposes of V, and info."""
    m, n = a.shape[-2:]
    k = min(m, n)
    results = {
        "lefts": (a.dtype, (m, m if full else k)),
        "values": (_real(a.dtype), (k,)),
        "rights": (a.dtype, (n if full else k, n)),
        "infos": (_INT32, ()),
    }
    numbers = {"rows": m, "columns": n, "full": int(full)}
    return _stack_call(stream, name, "svd", [a], results, numbers)


@planned
def svdvals_call(stream: Stream, name: str, a: Layout) -> Callable[[Any], Any]:
    """A call that returns singular values, the greatest first, and info."""
    m, n = a.shape[-2:]
    results = {"values": (_real(a.dtype), (min(m, n),)), "infos": (_INT32, ())}
    return _stack_call(stream, name, "svdvals", [a], results, {"rows": m, "columns": n})


@planned
def qr_call(stream: Stream, name: str, a: Layout, mode: str) -> Callable[[Any], Any]:
    """A call that factorises matrices; ``mode`` is one of ``numpy.linalg.qr``.

    It returns Q and R, R alone ('r'), or what LAPACK's geqrf leaves, transposed, and the
    reflections' factors ('raw').
    """
    m, n = a.shape[-2:]
    k = min(m, n)
    numbers = {"rows": m, "columns": n}
    if mode == "r":
        return _stack_call(stream, name, "qr_r", [a], {"triangular": (a.dtype, (k, n))}, numbers)
    if mode == "raw":
        results = {"results": (a.dtype, (n, m)), "factors": (a.dtype, (k,))}
        return _stack_call(stream, name, "qr_raw", [a], results, numbers)
    width = m if mode == "complete" else k
    results = {"orthogonal": (a.dtype, (m, width)), "triangular": (a.dtype, (width, n))}
    return _stack_call(stream, name, "qr", [a], results, {**numbers, "width": width})
