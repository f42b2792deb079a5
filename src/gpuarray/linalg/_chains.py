"""Products of several matrices, in the order of the fewest multiplications."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._ops import contraction_plans, products
from gpuarray._ops.manipulation import as_array
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import planned
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.reduction import arguments

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray

__all__ = ["multi_dot"]


def multi_dot(arrays: Sequence[ArrayLike], *, out: ndarray | None = None) -> ndarray:
    """The product of several matrices, in the order that takes the fewest multiplications.

    Parameters
    ----------
    arrays : sequence of ndarray
        Two matrices or more; the first may be a row vector and the last a column vector, of one
        dimension.
    out : ndarray, optional
        Where the result is stored: C-contiguous, with the result's dtype and shape.

    Returns
    -------
    ndarray
        The product, without the dimension of a vector.

    Raises
    ------
    LinAlgError
        If an operand between the first and the last is no matrix.
    ValueError
        If there is only one operand; if shapes do not fit together; for another `out`.

    Notes
    -----
    A product of two matrices for each operand but one, with temporary memory for all but the last.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(6).reshape(2, 3)
    >>> cp.linalg.multi_dot([x, x.T, x, [1, 0, 1]])
    array([122, 428])
    """
    operands = [as_array(x, "multi_dot") for x in arrays]
    if len(operands) < 2:
        raise ValueError("Expecting at least two arrays.")
    if len(operands) == 2:
        return products.dot(operands[0], operands[1], out)
    target = None
    if out is not None:
        out = arguments.output(out, "multi_dot")
        arguments.keep_from_output(operands, out)
        target = out._layout
    run = _plan_chain(current.stream, target, *[x._layout for x in operands])
    return run(*operands) if out is None else run(*operands, out)


@planned
def _plan_chain(stream: Stream, out: Layout | None, *layouts: Layout) -> Callable[..., Any]:
    """The call of a product of matrices; vectors are the first and the last at most."""
    last = len(layouts) - 1
    for i, x in enumerate(layouts):
        if x.ndim != 2 and not (x.ndim == 1 and i in (0, last)):
            raise np.linalg.LinAlgError(
                f"{x.ndim}-dimensional array given. Array must be two-dimensional"
            )
    # Matrix number i has the axes i and i + 1.
    labels = [
        tuple(range(2 - x.ndim, 2)) if i == 0 else (i, i + 1)[: x.ndim]
        for i, x in enumerate(layouts)
    ]
    terms = [contraction_plans.Term(one, x) for one, x in zip(labels, layouts)]
    lengths = [layouts[0].shape[0] if layouts[0].ndim == 2 else 1, layouts[0].shape[-1]]
    for x, other in itertools.pairwise(layouts):
        if x.shape[-1] != other.shape[0]:
            raise ValueError(
                f"multi_dot: shapes {x.shape} and {other.shape} not aligned: {x.shape[-1]} (dim "
                f"{x.ndim - 1}) != {other.shape[0]} (dim 0)"
            )
        lengths.append(other.shape[1] if other.ndim == 2 else 1)
    dtype = _dtypes.canonical(np.result_type(*[x.dtype for x in layouts]))
    contraction_plans.check_multiplied("multi_dot", dtype)
    ends = [label for label in (0, last + 1) if label in (*labels[0], *labels[last])]
    if out is not None:
        shape = tuple([lengths[i] for i in ends])
        if not (out.dtype == dtype and out.shape == shape and out.c_contiguous):
            raise ValueError(
                "multi_dot: output array is not acceptable (must have the right datatype, number "
                f"of dimensions, and be a C-Array): it is {out.dtype} {out.shape} and {dtype} "
                f"{shape} is needed"
            )
        _layout.check_writable(out, "multi_dot")
    result = contraction_plans.Result(tuple(ends), dtype, "C", out)
    return contraction_plans.path_call(stream, terms, _chain_order(lengths), result)


def _chain_order(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Which of the matrices that are left are multiplied, one product after another.

    Matrix number i is ``lengths[i]`` by ``lengths[i + 1]``; a product comes behind those left.
    """
    count = len(lengths) - 1
    # Of the matrices from i up to k: the fewest multiplications, and behind which one to divide.
    best: dict[tuple[int, int], tuple[int, int]] = {(i, i): (0, i) for i in range(count)}
    for distance in range(1, count):
        for i in range(count - distance):
            k = i + distance
            best[i, k] = min(
                (
                    best[i, at][0]
                    + best[at + 1, k][0]
                    + lengths[i] * lengths[at + 1] * lengths[k + 1],
                    at,
                )
                for at in range(i, k)
            )
    left: list[tuple[int, int]] = [(i, i) for i in range(count)]
    path = []

    def multiply(i: int, k: int) -> None:
        if i == k:
            return
        at = best[i, k][1]
        multiply(i, at)
        multiply(at + 1, k)
        pair = left.index((i, at)), left.index((at + 1, k))
        for place in sorted(pair, reverse=True):
            del left[place]
        left.append((i, k))
        path.append(pair)

    multiply(0, count - 1)
    return path
