"""Elements that kernels do not load as they are: structures, and numbers at any address.

Structures are moved as words, of which they have one more dimension, so that the kernels for
numbers move them. Numbers that are not at multiples of their size are copied before they are
computed with, and results are copied to such places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _dtypes, _layout, _memory_order
from gpuarray._layout import Layout
from gpuarray.kernels.generator.expressions import Apply, Cast, Constant, Expression, Input


def are_moved(expressions: Sequence[Expression], arrays: Sequence[Any]) -> bool:
    """Whether a kernel with these operands moves structures, or numbers from or to any address."""
    moves = len(expressions) == 1 and isinstance(expressions[0], Input)
    return any(_dtypes.is_raw(x.dtype) or (moves and x.unaligned) for x in arrays)


def as_words(
    expressions: Sequence[Expression], inputs: Sequence[Any], outputs: Sequence[Layout]
) -> tuple[list[Expression], list[Any], list[Layout]]:
    """Operands with one more dimension, along which the moved ones have words."""
    if not all(isinstance(x, Layout | np.dtype) for x in inputs):
        raise TypeError("structures have no arithmetic with the indices of elements")
    (expression,), (output,) = expressions, outputs
    # An assignment from or to any address moves numbers, too.
    numbers = [inputs[expression.index], output] if isinstance(expression, Input) else []
    whole = [
        x
        for x in (*inputs, output)
        if isinstance(x, Layout)
        and x.itemsize == output.itemsize
        and (_dtypes.is_raw(x.dtype) or any(x is one for one in numbers))
    ]
    size = _layout.word_size(whole)
    word = np.dtype(f"u{size}")

    def spread(x: Any) -> Any:
        if not isinstance(x, Layout):
            return x
        if any(x is one for one in whole):
            return _layout.in_words(x, size)
        dtype, access = x.dtype, x.access
        if _dtypes.is_raw(dtype) or x.unaligned:  # of another output
            dtype, access = np.dtype(np.uint8), access & ~_layout.UNALIGNED
            return _layout.layout_of(dtype, (1,) * (x.ndim + 1), (0,) * (x.ndim + 1), access)
        return _layout.layout_of(dtype, x.shape + (1,), x.strides + (0,), access)

    codes = {_dtypes.code(x.dtype) for x in whole}
    return (
        [_of_words(expression, codes, _dtypes.code(word))],
        [spread(x) for x in inputs],
        [spread(output)],
    )


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


def one_by_one(
    make: Callable[..., Callable[..., Any]], inputs: Sequence[Any], given: Sequence[bool]
) -> Callable[..., Any]:
    """A call that makes each output by a kernel of its own; ``make`` takes its number."""
    count = len([x for x in inputs if isinstance(x, Layout | np.dtype)])
    runs = [make(i) for i in range(len(given))]

    def call(*args: Any) -> Any:
        passed = iter(args[count:])
        return tuple(
            [
                run(*args[:count], next(passed)) if is_given else run(*args[:count])
                for run, is_given in zip(runs, given)
            ]
        )

    return call


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
        return _memory_order.like_prototype(x.dtype, x.shape, x)

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
