"""Sequences of operations in place on overlapping views of one memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.fuzz.case import Case
from tests.fuzz.drawing import CaseMaker, Draw
from tests.fuzz.families.numbers import number_in_range
from tests.fuzz.values import DTYPES

_ARITHMETIC = ["add", "subtract", "multiply", "maximum", "minimum"]
_LOGIC = ["logical_and", "logical_or", "logical_xor", "maximum", "minimum"]
_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "bitwise_and": "&", "bitwise_or": "|"}


def recipe(draw: Draw) -> tuple[str, Callable[[Draw, CaseMaker], Case]]:
    """Memory of a dtype and a number of dimensions, and the operations."""
    dtype, ndim = draw.pick(DTYPES), draw.pick([1, 1, 2, 2, 3])
    kind = np.dtype(dtype).kind
    ufuncs = draw.sample(_LOGIC if kind == "b" else _ARITHMETIC, 2)
    if kind in "iu":
        ufuncs.append("bitwise_xor")
    steps = draw.sample(
        ["ufunc", "number", "setitem", "overlap", "out", "copyto", "sort", "fill", "mask", "gather", "where",
         "reduce", "cumsum", "flip", "roll", "clip", "swap", "alias", "scatter"],
        5,
    )  # fmt: skip

    def case(draw: Draw, make: CaseMaker) -> Case:
        lengths = {1: [5, 16, 33, 64, 300], 2: [3, 4, 7, 12], 3: [2, 3, 4]}[ndim]
        if draw.sizes == "full" and draw.chance(0.1):
            # Blocks that run at the same time: an overlap that nobody noticed shows.
            lengths = {1: [5000, 30000], 2: [40, 300], 3: [20, 40]}[ndim]
        shape = tuple(draw.pick(lengths) for _ in range(ndim))
        base = make.array(shape, dtype, "contiguous", "small", written=True)
        # Live views, which later steps use.
        views: list[tuple[str, tuple[int, ...]]] = [(base, shape)]
        for number in range(draw.below(2, 5)):
            name = f"v{number}"
            text, its_shape = _view(draw, *draw.pick(views))
            make.program.append(f"{name} = {text}")
            views.append((name, its_shape))
        for _ in range(draw.below(4, 11)):
            make.program.append(_step(draw, draw.pick(steps), views, dtype, ufuncs))
        return make.done("in place", stateful=True)

    return "in place", case


def _view(draw: Draw, name: str, shape: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """Text and shape of a view of a view."""
    roll = draw.below(6)
    if roll == 0 and len(shape) > 1:
        return f"{name}.T", shape[::-1]
    parts, lengths = [], []
    for n in shape:
        start = draw.below(0, max(1, n // 2))
        stop = draw.below(min(start + 1, n), n + 1)
        step = draw.pick([1, 1, 1, 2, 3])
        lengths.append(len(range(start, stop, step)))
        text = f"{start}:{stop}:{step}" if step > 1 else f"{start}:{stop}"
        if draw.chance(0.3):
            text = "::-1"
            lengths[-1] = n
        parts.append(text)
    return f"{name}[{', '.join(parts)}]", tuple(lengths)


def _halves(draw: Draw, name: str, shape: tuple[int, ...]) -> tuple[str, str] | None:
    """Two overlapping views of one shape."""
    axis = draw.below(len(shape))
    n = shape[axis]
    if n < 2:
        return None
    shift = draw.below(1, n)
    before = ":, " * axis
    left, right = f"{name}[{before}{shift}:]", f"{name}[{before}:{n - shift}]"
    if draw.chance(0.2):
        left, right = f"{name}[{before}::-1]", name
    return (left, right) if draw.chance(0.5) else (right, left)


def _step(draw: Draw, step: str, views: list, dtype: str, ufuncs: list[str]) -> str:
    name, shape = draw.pick(views)
    ufunc = draw.pick(ufuncs)
    pair = _halves(draw, name, shape)
    other = draw.pick([x for x, its in views if its == shape])
    size = int(np.prod(shape))
    if pair is None and step in ("overlap", "out", "copyto", "where", "setitem", "alias"):
        step = "fill"
    match step:
        case "ufunc":
            return f"xp.{ufunc}({name}, {other}, out={name})"
        case "number":
            return (
                f"xp.{ufunc}({name}, {number_in_range(draw, dtype)}, out={name}, casting='unsafe')"
            )
        case "setitem":
            return f"{pair[0]} = {pair[1]}"
        case "overlap":
            sign = _SIGNS.get(ufunc)
            return (
                f"{pair[0]} {sign}= {pair[1]}"
                if sign
                else f"xp.{ufunc}({pair[0]}, {pair[1]}, out={pair[0]})"
            )
        case "out":
            return f"xp.{ufunc}({name}, {other}, out={other})" if draw.chance(0.3) else (
                f"xp.{ufunc}({pair[0]}, {pair[1]}, out={pair[1]})")  # fmt: skip
        case "copyto":
            return f"xp.copyto({pair[0]}, {pair[1]})"
        case "where":
            if dtype == "?":
                return f"xp.logical_not({pair[0]}, out={pair[0]}, where={pair[1]})"
            return f"xp.{ufunc}({pair[0]}, {pair[1]}, out={pair[0]}, where={pair[1]} != 0)"
        case "sort":
            return f"{name}.sort({draw.axis(len(shape))})"
        case "fill":
            return f"{name}.fill({number_in_range(draw, dtype)})"
        case "mask":
            value = number_in_range(draw, dtype)
            return draw.pick([f"{name}[{name} == {value}] = {number_in_range(draw, dtype)}",
                              f"{name}[{name} == {name}] = {name}.ravel()[::-1].copy()"])  # fmt: skip
        case "gather":
            if not size:
                return f"{name}[...] = 1"
            order = (
                draw.sample(range(shape[0]), shape[0])
                if shape[0] < 40
                else list(range(shape[0]))[::-1]
            )
            return f"{name}[...] = {name}[{order}]"
        case "scatter":
            order = f"xp.arange(0, {shape[0]}, 2)"
            return f"{name}[{order}] = {name}[{order}[::-1]]"
        case "reduce":
            if not shape[0]:
                return f"{name}.fill(0)"
            return f"xp.max({name}, axis=0, out={name}[{draw.below(shape[0])}])" if len(shape) > 1 else (
                f"{name}[...] = {name}.max()" if size else f"{name}.fill(0)")  # fmt: skip
        case "cumsum":
            return f"xp.cumsum({name}, axis={draw.axis(len(shape))}, out={name}, dtype={dtype!r})"
        case "flip":
            return f"{name}[...] = xp.flip({name}, {draw.axis(len(shape))})"
        case "roll":
            return f"{name}[...] = xp.roll({name}, {draw.below(-3, 4)}, {draw.axis(len(shape))})"
        case "clip":
            return f"xp.clip({name}, {0 if dtype == '?' else 1}, {1 if dtype == '?' else 3}, out={name})"
        case "swap":
            return f"{name}[...] = {name}[tuple([slice(None, None, -1)] * {len(shape)})]"
        case _:
            # A second array over the same memory, by another way than slicing.
            flat = f"xp.from_dlpack({pair[1]})"
            return f"{pair[0]} = {flat}" if draw.chance(0.5) else f"xp.copyto({pair[0]}, {flat})"
