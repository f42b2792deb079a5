"""Elements that kernels do not load as they are: structures, and numbers at any address.

Structures are moved as words, of which they have one more dimension, so that the kernels for
numbers move them. Numbers that are not at multiples of their size are copied before they are
computed with, and results are copied to such places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray.kernels.generator.expressions import Apply, Cast, Constant, Expression, Input


def are_moved(expressions: Sequence[Expression], arrays: Sequence[Any]) -> bool:
    """Whether a kernel with these operands moves structures, or numbers from or to any address."""
    moves = all(isinstance(x, Input) for x in expressions)
    return any(_dtypes.is_raw(x.dtype) or (moves and x.unaligned) for x in arrays)


def as_words(
    expressions: Sequence[Expression], inputs: Sequence[Any], outputs: Sequence[Layout]
) -> tuple[list[Expression], list[Any], list[Layout]]:
    """Operands with one more dimension, along which the moved ones have words."""
    if not all(isinstance(x, Layout | np.dtype) for x in inputs):
        raise TypeError("structures have no arithmetic with the indices of elements")
    moved = [x for x in expressions if isinstance(x, Input)]
    numbers = [inputs[x.index] for x in moved]  # of an assignment to or from any address
    whole = [x for x in (*inputs, *outputs) if _is_moved(x, numbers, outputs, len(moved))]
    size = _layout.word_size(whole)
    word = np.dtype(f"u{size}")

    def spread(x: Any) -> Any:
        if not isinstance(x, Layout):
            return x
        if any(x is one for one in whole):
            return _layout.in_words(x, size)
        return _layout.layout_of(x.dtype, x.shape + (1,), x.strides + (0,), x.access)

    codes = {_dtypes.code(x.dtype) for x in whole}
    return (
        [_of_words(x, codes, _dtypes.code(word)) for x in expressions],
        [spread(x) for x in inputs],
        [spread(x) for x in outputs],
    )


def _is_moved(x: Any, numbers: Sequence[Any], outputs: Sequence[Layout], moves: int) -> bool:
    if not isinstance(x, Layout):
        return False
    if _dtypes.is_raw(x.dtype):
        return True
    return moves == len(outputs) and any(x is one for one in (*numbers, *outputs))


def _of_words(expression: Expression, codes: set[str], word: str) -> Expression:
    """The expression of a word of each operand that has one of the codes."""
    dtype = word if expression.dtype in codes else expression.dtype
    match expression:
        case Input():
            return Input(expression.index, dtype)
        case Apply():
            operands = tuple([_of_words(x, codes, word) for x in expression.operands])
            return Apply(expression.operation, operands, dtype, expression.output)
        case Cast() if expression.operand.dtype == expression.dtype:
            return _of_words(expression.operand, codes, word)
        case Constant() if expression.dtype not in codes:
            return expression
    raise TypeError(
        f"elements of dtype {expression.dtype} are moved, and not computed with; use their fields"
    )


def with_aligned_copies(
    make: Callable[..., Callable[..., Any]],
    copy_call: Callable[..., Callable[..., Any]],
    inputs: Sequence[Any],
    outputs: Sequence[Layout],
    given: Sequence[bool],
    stream: Any,
) -> Callable[..., Any]:
    """A call that computes with copies of the operands that are at any address.

    ``make`` makes the call for the inputs' and outputs' layouts, ``copy_call`` one that copies.
    """
    arguments = [x for x in inputs if isinstance(x, Layout | np.dtype)]
    passed = [*arguments, *[y for y, is_given in zip(outputs, given) if is_given]]

    def aligned(x: Any) -> Any:
        if not isinstance(x, Layout) or not x.unaligned:
            return x
        return _layout.like_prototype(x.dtype, x.shape, x)

    reads = {
        i: copy_call(x, aligned(x), False, stream)
        for i, x in enumerate(passed)
        if isinstance(x, Layout) and x.unaligned
    }
    stores = {
        i: copy_call(aligned(passed[i]), passed[i], True, stream)
        for i in reads
        if i >= len(arguments)
    }
    run = make([aligned(x) for x in inputs], [aligned(y) for y in outputs])

    def call(*args: Any) -> Any:
        used = [reads[i](x) if i in reads else x for i, x in enumerate(args)]
        result = run(*used)
        for i, store in stores.items():
            store(used[i], args[i])
        if not stores:
            return result
        own = args[len(arguments) :]
        results = result if isinstance(result, tuple) else (result,)
        kept = iter(own)
        final = tuple([next(kept) if is_given else y for y, is_given in zip(results, given)])
        return final if isinstance(result, tuple) else final[0]

    return call
