"""Plans of contractions: sums of products over axes that have labels."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _dtypes, _layout, _memory_order
from gpuarray._layout import Layout
from gpuarray._libraries import blas
from gpuarray._runtime.stream import Stream
from gpuarray._ufunc.matrix_products import product_call
from gpuarray.kernels import elementwise, reduction
from gpuarray.kernels.generator.expressions import Apply, Cast, Expression, Input
from gpuarray.kernels.generator.operations import operation
from gpuarray.kernels.reduction.products import sum_of_products_call

__all__ = [
    "Label", "Result", "Term", "check_multiplied", "lengths_of", "pair_call", "path_call",
    "reads_once", "step_call",
]  # fmt: skip

#: What a kernel of all operands may read more than once, as a multiple of the greatest of them.
_AGAIN = 2

#: Rows or columns of a matrix that suffice for a product of its own, in a stack of such matrices.
_ROWS = 64

Label = Hashable


class Term(NamedTuple):
    """An operand and the labels of its axes, none of them twice.

    Its elements begin where the array's do, so that the array itself is passed to the call.
    """

    labels: tuple[Label, ...]
    layout: Layout

    def steps(self) -> dict[Label, int]:
        """The strides by labels."""
        return dict(zip(self.labels, self.layout.strides, strict=True))

    def without_ones(self) -> Term:
        """The same without axes of length 1, which broadcast."""
        kept = [i for i, length in enumerate(self.layout.shape) if length != 1]
        if len(kept) == len(self.labels):
            return self
        return self.seen_along([self.labels[i] for i in kept], {})

    def seen_along(self, labels: Sequence[Label], lengths: Mapping[Label, int]) -> Term:
        """A view with axes in another order, along which it may broadcast to other lengths."""
        own, steps = dict(zip(self.labels, self.layout.shape, strict=True)), self.steps()
        shape = [lengths.get(x, own.get(x, 1)) for x in labels]
        strides = [
            steps[x] if own.get(x, 1) == length and x in own else 0
            for x, length in zip(labels, shape, strict=True)
        ]
        layout = _layout.layout_of(
            self.layout.dtype, tuple(shape), tuple(strides), self.layout.access
        )
        return Term(tuple(labels), layout)


class Result(NamedTuple):
    """What a contraction makes: the labels of its axes, and where it is stored."""

    labels: tuple[Label, ...]
    #: What operands are converted to, and products are summed in.
    dtype: np.dtype
    #: The memory order 'C', 'F', 'A' or 'K' of a new array.
    order: str = "K"
    #: The layout of an array that the caller passes.
    given: Layout | None = None


def lengths_of(terms: Iterable[Term]) -> dict[Label, int]:
    """The length along each label; those of 1 broadcast."""
    lengths: dict[Label, int] = {}
    for term in terms:
        for label, length in zip(term.labels, term.layout.shape, strict=True):
            if lengths.get(label, 1) == 1:
                lengths[label] = length
    return lengths


def check_multiplied(name: str, dtype: np.dtype) -> None:
    """Raise for a dtype whose elements are not both multiplied and added."""
    if _dtypes.kind(dtype) not in "biufc":
        raise TypeError(f"{name}: there are no sums of products of {dtype}")


# ---- one kernel ----------------------------------------------------------------------------------


def kernel_call(
    stream: Stream, terms: Sequence[Term], result: Result
) -> tuple[Callable[..., Any], Layout]:
    """The call that sums products of all operands in one launch, and the layout of its result."""
    lengths = lengths_of(terms)
    summed = [x for x in lengths if x not in result.labels]
    labels = (*result.labels, *summed)
    shape = tuple([lengths.get(x, 1) for x in labels])
    layouts = [
        term.seen_along(labels, dict(zip(labels, shape, strict=True))).layout for term in terms
    ]
    target, given = result.given, result.given is not None
    if target is None:
        kept = [term.seen_along(result.labels, lengths).layout for term in terms]
        target = _memory_order.like_order(
            result.dtype, shape[: len(result.labels)], kept, result.order
        )
    axes = tuple(range(len(result.labels), len(labels)))
    if summed:
        run = sum_of_products_call(stream, layouts, axes, result.dtype, target, given)
        return run, target
    code = reduction.tables.accumulator(_dtypes.code(result.dtype))
    factors: list[Expression] = [
        Cast(code, Cast(_dtypes.code(result.dtype), Input(i, _dtypes.code(x.dtype))))
        for i, x in enumerate(layouts)
    ]
    product = functools.reduce(lambda x, y: Apply(operation("multiply"), (x, y), code), factors)
    for dtype in (result.dtype, target.dtype):
        product = Cast(_dtypes.code(dtype), product)
    run = elementwise.launch.make_call("einsum", [product], layouts, [target], [given], stream)
    return run, target


def reads_once(terms: Sequence[Term]) -> bool:
    """Whether one kernel of all operands does hardly more work than to read the greatest."""
    sizes = [term.layout.size for term in terms]
    return math.prod(lengths_of(terms).values()) <= _AGAIN * max(sizes)


# ---- pairs ---------------------------------------------------------------------------------------


def pair_call(
    stream: Stream, a: Term, b: Term, result: Result
) -> tuple[Callable[..., Any], Layout]:
    """The call that contracts two operands, and the layout of its result."""
    first, second = a.without_ones(), b.without_ones()
    inner = [x for x in first.labels if x in second.labels and x not in result.labels]
    alone = [
        [x for x in one.labels if x not in result.labels and x not in other.labels]
        for one, other in ((first, second), (second, first))
    ]
    outer = [x for x in result.labels if (x in first.labels) != (x in second.labels)]
    if (not inner and not any(alone)) or not (first.layout.size and second.layout.size):
        return kernel_call(stream, (a, b), result)
    if not (inner and outer) and reads_once((first, second)):
        return kernel_call(stream, (a, b), result)
    sums: list[Callable[..., Any] | None] = [None, None]
    terms = [first, second]
    for i, labels in enumerate(alone):
        if labels:
            kept = tuple([x for x in terms[i].labels if x not in labels])
            sums[i], layout = kernel_call(stream, terms[i : i + 1], Result(kept, result.dtype))
            terms[i] = Term(kept, layout)
    contract = _product_call if inner and outer else kernel_pair_call
    run, target = contract(stream, terms[0], terms[1], result)
    return _after(run, sums), target


def kernel_pair_call(
    stream: Stream, a: Term, b: Term, result: Result
) -> tuple[Callable[..., Any], Layout]:
    """`kernel_call` of two operands."""
    return kernel_call(stream, (a, b), result)


def _after(
    run: Callable[..., Any], before: Sequence[Callable[..., Any] | None]
) -> Callable[..., Any]:
    """A call of two operands that something is done to before."""
    first, second = before
    if first is None and second is None:
        return run

    def call(x: Any, y: Any, *out: Any) -> Any:
        return run(x if first is None else first(x), y if second is None else second(y), *out)

    return call


# ---- any number of operands ----------------------------------------------------------------------


def step_call(
    stream: Stream, terms: Sequence[Term], result: Result
) -> tuple[Callable[..., Any], Layout]:
    """The call that contracts operands at once, and the layout of its result."""
    if len(terms) == 2:
        return pair_call(stream, terms[0], terms[1], result)
    return kernel_call(stream, terms, result)


def path_call(
    stream: Stream, terms: Iterable[Term], path: Iterable[Sequence[int]], result: Result
) -> Callable[..., Any]:
    """The call that contracts some operands after others.

    ``path`` has their numbers among those that are left; what they make comes behind these.
    """
    left = list(terms)
    count = len(left)
    steps: list[tuple[list[int], Callable[..., Any]]] = []
    for numbers in path:
        places = sorted(numbers, reverse=True)
        taken = [left.pop(i) for i in places][::-1]
        wanted = {*result.labels}.union(*[x.labels for x in left])
        kept = tuple([x for x in lengths_of(taken) if x in wanted])
        run, layout = step_call(stream, taken, Result(kept, result.dtype) if left else result)
        left.append(Term(kept, layout))
        steps.append((places, run))
    return functools.partial(_in_steps, steps, count)


def _in_steps(
    steps: Sequence[tuple[Sequence[int], Callable[..., Any]]], count: int, *arrays: Any
) -> Any:
    """Contract arrays; a given output is the last of them."""
    left, out = list(arrays[:count]), arrays[count:]
    *before, (_, last) = steps
    for places, run in before:
        left.append(run(*[left.pop(i) for i in places][::-1]))
    return last(*left, *out)


# ---- matrix products -----------------------------------------------------------------------------


def _product_call(
    stream: Stream, a: Term, b: Term, result: Result
) -> tuple[Callable[..., Any], Layout]:
    """The call of a contraction as products of matrices.

    Axes of both operands and the result are those of a stack; those of one operand and the result
    become the rows or the columns, those of the operands alone are summed along. Axes that do not
    lie behind one another where they should make the stack larger, or the operand is copied.
    """
    lengths = lengths_of((a, b))
    batch = [x for x in a.labels if x in b.labels and x in result.labels]
    rows = [x for x in a.labels if x not in b.labels]
    columns = [x for x in b.labels if x not in a.labels]
    inner = [x for x in a.labels if x in b.labels and x not in result.labels]
    wanted = result.given
    if wanted is None and result.order != "K":
        shape = tuple([lengths.get(x, 1) for x in result.labels])
        wanted = _memory_order.like_order(result.dtype, shape, [a.layout, b.layout], result.order)
    if wanted is not None and not _is_written(wanted, result, rows, columns):
        run, found = _product_call(stream, a, b, Result(result.labels, result.dtype))
        return _stored(stream, run, found, wanted, result.given is not None), wanted
    copied = _copied_for(inner, a, b, lengths)
    if wanted is None:
        wanted = _natural(batch, rows, columns, a, b, result, lengths)
    steps = dict(zip(result.labels, wanted.strides, strict=True))
    copied = (
        copied[0] or _is_scattered(rows, steps, a, lengths, inner),
        copied[1] or _is_scattered(columns, steps, b, lengths, inner),
    )
    copies: list[Callable[..., Any] | None] = [None, None]
    by_result = functools.partial(_sorted, steps)
    along = _sorted((b if copied[0] else a).steps(), inner)
    if copied[0]:
        labels = (*by_result(batch), *by_result(rows), *along)
        copies[0], a = _copy_call(stream, a, labels, result.dtype)
    if copied[1]:
        labels = (*by_result(batch), *along, *by_result(columns))
        copies[1], b = _copy_call(stream, b, labels, result.dtype)
    stack = [(lengths[x], steps[x], a.steps()[x], b.steps()[x]) for x in batch]
    more, m, target_m, a_m = _matrix_axis(rows, steps, a, lengths, inner)
    stack += [(length, target, step, 0) for length, target, step in more]
    more, n, target_n, b_n = _matrix_axis(columns, steps, b, lengths, inner)
    stack += [(length, target, 0, step) for length, target, step in more]
    _, k, a_k, b_k = _matrix_axis(inner, a.steps(), b, lengths, inner)
    stacked, *strides = [[one[i] for one in stack] for i in range(4)]
    matrices = [
        _layout.layout_of(
            layout.dtype, (*stacked, *ends), (*one, *last), layout.access
        )
        for layout, ends, one, last in zip(
            (wanted, a.layout, b.layout),
            ((m, n), (m, k), (k, n)),
            strides,
            ((target_m, target_n), (a_m, a_k), (b_k, b_n)),
            strict=True,
        )
    ]  # fmt: skip
    target, left, right = matrices
    given = result.given is not None
    run = product_call(left, right, target, stream, given, None if given else wanted)
    return _after(run, copies), wanted


def _sorted(steps: Mapping[Label, int], labels: Iterable[Label]) -> list[Label]:
    """Labels from the greatest stride to the least."""
    return sorted(labels, key=lambda label: -abs(steps[label]))


def _joined(
    labels: Sequence[Label], lengths: Mapping[Label, int], *steps: Mapping[Label, int]
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Axes as few as possible, in the order of the first strides, and their strides."""
    return _layout.collapse([lengths[x] for x in labels], [[s[x] for x in labels] for s in steps])


def _is_written(
    target: Layout, result: Result, rows: Sequence[Label], columns: Sequence[Label]
) -> bool:
    """Whether products of matrices are stored in a layout without a detour."""
    if target.dtype != result.dtype:
        return False
    if not blas.has_product(result.dtype, result.dtype):
        return True  # our own kernels write anywhere
    lengths = dict(zip(result.labels, target.shape, strict=True))
    steps = dict(zip(result.labels, target.strides, strict=True))
    axes = [_joined(labels, lengths, steps) for labels in (rows, columns)]
    together = all(len(shape) == 1 for shape, _ in axes)
    return together and any(strides[-1] == target.itemsize for _, (strides,) in axes)


def _stored(
    stream: Stream, run: Callable[..., Any], found: Layout, target: Layout, given: bool
) -> Callable[..., Any]:
    """A call whose result is copied to another layout."""
    store = elementwise.launch.copy_call(found, target, given, stream)
    if not given:
        return lambda x, y: store(run(x, y))

    def call(x: Any, y: Any, out: Any) -> Any:
        store(run(x, y), out)
        return out

    return call


def _copied_for(
    inner: Sequence[Label], a: Term, b: Term, lengths: Mapping[Label, int]
) -> tuple[bool, bool]:
    """Which operands are copied so that the axes to sum along are one."""
    if len(_joined(inner, lengths, a.steps(), b.steps())[0]) == 1:
        return False, False
    copied = [len(_joined(inner, lengths, x.steps())[0]) > 1 for x in (a, b)]
    if not all(copied):
        # Of two that differ, the smaller one.
        first = not copied[1] and (copied[0] or a.layout.size <= b.layout.size)
        return first, not first
    return True, True


def _natural(
    batch: Sequence[Label],
    rows: Sequence[Label],
    columns: Sequence[Label],
    a: Term,
    b: Term,
    result: Result,
    lengths: Mapping[Label, int],
) -> Layout:
    """The layout in which a product is stored best: in C order if that is as good."""
    shape = tuple([lengths.get(x, 1) for x in result.labels])
    layout = _layout.contiguous(result.dtype, shape)
    if _is_written(layout, result, rows, columns):
        steps = dict(zip(result.labels, layout.strides, strict=True))
        pairs = ((rows, a), (columns, b))
        if all(len(_joined(labels, lengths, steps, x.steps())[0]) == 1 for labels, x in pairs):
            return layout
    ones = [x for x in result.labels if x not in lengths]
    order = [
        *ones,
        *_sorted(a.steps(), batch),
        *_sorted(a.steps(), rows),
        *_sorted(b.steps(), columns),
    ]
    axes = [order.index(x) for x in result.labels]
    return _layout.transpose(
        _layout.contiguous(result.dtype, tuple([lengths.get(x, 1) for x in order])), axes
    )


def _is_scattered(
    labels: Sequence[Label],
    steps: Mapping[Label, int],
    x: Term,
    lengths: Mapping[Label, int],
    inner: Sequence[Label],
) -> bool:
    """Whether no axis would do for a matrix of its own in a stack of many.

    It has to be long enough, and such a matrix is to have rows or columns without gaps: it would
    be copied otherwise, and remain one of many.
    """
    shape, (_, own) = _joined(labels, lengths, steps, x.steps())
    if len(shape) == 1 or len(_joined(labels, lengths, steps)[0]) > 1:
        return False
    return not any(
        n >= _ROWS and _is_gapless(step, x, inner) for n, step in zip(shape, own, strict=True)
    )


def _is_gapless(step: int, x: Term, inner: Sequence[Label]) -> bool:
    """Whether neighbours along an axis, or along the inner ones, are neighbours in memory."""
    steps = x.steps()
    return x.layout.itemsize in (step, *[steps[label] for label in inner])


def _matrix_axis(
    labels: Sequence[Label],
    steps: Mapping[Label, int],
    x: Term,
    lengths: Mapping[Label, int],
    inner: Sequence[Label],
) -> tuple[list[tuple[int, int, int]], int, int, int]:
    """The axis of joined ones that makes the best matrix with its strides in two arrays.

    It comes behind the others.
    """
    shape, (first, second) = _joined(labels, lengths, steps, x.steps())
    axes = list(zip(shape, first, second, strict=True))
    best = max(axes, key=lambda axis: (axis[0] >= _ROWS, _is_gapless(axis[2], x, inner), axis[0]))
    axes.remove(best)
    return axes, *best


def _copy_call(
    stream: Stream, x: Term, labels: tuple[Label, ...], dtype: np.dtype
) -> tuple[Callable[..., Any], Term]:
    """The call that copies an operand so that its axes lie in an order, and what it makes."""
    source = x.seen_along(labels, {}).layout
    target = _layout.contiguous(dtype, source.shape)
    return elementwise.launch.copy_call(source, target, False, stream), Term(labels, target)
