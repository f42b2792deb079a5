"""Comparisons of structures: field by field, as many in one kernel as it takes operands."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _array, _broadcasting, _dtypes, _layout, _memory_order
from gpuarray._layout import Layout
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import elementwise
from gpuarray.kernels.generator.expressions import Apply, Cast, Expression, Input
from gpuarray.kernels.generator.operations import operation

#: Fields that one kernel compares.
_FIELDS = 12

_BOOL = np.dtype(bool)


def comparison(
    name: str, operands: Sequence[Any], outs: Sequence[Any], masked: bool
) -> Callable[..., Any]:
    """The call of ``equal`` or ``not_equal`` of structures.

    Parameters
    ----------
    name : {'equal', 'not_equal'}
        Which of them.
    operands : sequence of ndarray
        Both operands, and the mask if there is one.
    outs : sequence of ndarray or None
        The output, if it is given.
    masked : bool
        Whether there is a mask.
    """
    layouts = [
        x._layout
        if isinstance(x, _array.ArrayBase)
        else _layout.contiguous(np.asarray(x).dtype, ())
        for x in operands[:2]
    ]
    # NumPy's error where the dtypes have no common one: its operators compare structures.
    operator.eq(*[np.zeros((), x.dtype) for x in layouts])
    given = [y for y in outs if y is not None]
    shape = _broadcasting.broadcast_shapes([x.shape for x in layouts])
    target = _memory_order.like_order(_BOOL, shape, layouts)
    pairs = list(zip(*[elementwise.fields.leaves(x, x.dtype, 0) for x in layouts], strict=True))
    steps = []
    for first in range(0, len(pairs), _FIELDS):
        group = pairs[first : first + _FIELDS]
        last = first + _FIELDS >= len(pairs)
        steps.append(_step(name, group, target, first > 0, last))

    def compare(*args: Any) -> Any:
        found: Any = None
        for offsets, run in steps:
            fields = [
                _array.shifted(x, layout, offset)
                for pair in offsets
                for x, (layout, offset) in zip(args[:2], pair)
            ]
            found = run(*fields) if found is None else run(*fields, found)
        return found

    if not given:
        return compare
    store = elementwise.launch.make_call(
        name,
        [Cast(_dtypes.code(given[0]._layout.dtype), Input(0, "b1"))],
        [target, *([operands[2]._layout] if masked else [])],
        [given[0]._layout],
        [True],
        current.stream,
        masked,
    )

    def compare_into(*args: Any) -> Any:
        store(compare(*args), *args[2:])
        return args[-1]

    return compare_into


def _step(
    name: str, pairs: Sequence[Any], target: Layout, continued: bool, last: bool
) -> tuple[Sequence[Any], Callable[..., Any]]:
    """A kernel that compares some fields, and says yes only if the ones before were equal."""
    inputs: list[Any] = []
    same: Expression | None = None
    for pair in pairs:
        dtypes = [layout.dtype for layout, _ in pair]
        loop = np.equal.resolve_dtypes((*dtypes, None))
        terms: list[Expression] = []
        for dtype, to in zip(dtypes, loop):
            terms.append(
                Cast(_dtypes.code(to), Input(len(inputs) + len(terms), _dtypes.code(dtype)))
            )
        inputs += [layout for layout, _ in pair]
        equal: Expression = Apply(operation("equal"), tuple(terms), "b1")
        same = equal if same is None else Apply(operation("logical_and"), (same, equal), "b1")
    assert same is not None
    if continued:
        before = Input(len(inputs), "b1")
        inputs.append(target)
        same = Apply(operation("logical_and"), (before, same), "b1")
    if last and name == "not_equal":
        same = Apply(operation("logical_not"), (same,), "b1")
    run = elementwise.launch.make_call(name, [same], inputs, [target], [False], current.stream)
    return pairs, run
