"""Indexing: basic, advanced and mixed, to read and to assign; takes and masks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.fuzz.case import Case, Interpreter
from tests.fuzz.drawing import LAYOUTS, CaseMaker, Draw
from tests.fuzz.families.numbers import number, number_in_range
from tests.fuzz.values import DTYPES

FUNCTIONS = [
    "take", "take", "compress", "extract", "take_along_axis", "put_along_axis", "diagonal", "diag", "where",
    "copyto", "fill", "item",
]  # fmt: skip
INDEX_DTYPES = ["i8", "i8", "i4", "i2", "i1", "u1", "u4", "u8"]


def recipe(draw: Draw) -> tuple[str, Callable[[Draw, CaseMaker], Case]]:
    """A way to index, with dtypes and layouts."""
    form = draw.pick(["getitem"] * 4 + ["setitem"] * 5 + ["function"] * 4)
    if form == "function":
        return _function(draw)
    dtype, layout = draw.pick(DTYPES), draw.pick(LAYOUTS)
    ndim = draw.ndim(0 if draw.chance(0.1) else 1)
    kinds = [_component(draw) for _ in range(draw.below(1, ndim + 2))]
    value_dtype = dtype if draw.chance(0.5) else draw.pick(DTYPES)
    value_layout, index_dtype = draw.pick(LAYOUTS), draw.pick(INDEX_DTYPES)
    value = draw.pick(["number", "number", "array", "array", "row", "list", "any number"])
    function = form

    def case(draw: Draw, make: CaseMaker) -> Case:
        shape = draw.shape(ndim)
        name = make.array(shape, dtype, layout, "small", written=form == "setitem")
        count = draw.below(1, 6)
        assign = form == "setitem"
        index = _index(draw, make, shape, kinds, index_dtype, count, assign)
        if not assign:
            make.program.append(f"{name}[{index}]")
            return make.done(function)
        if value == "number":
            text = number_in_range(draw, dtype)
        elif value == "any number":
            text = number(draw, dtype)
        elif value == "list":
            text = draw.pick(
                ["[1, 2, 3]", "[1]", "[[0], [1]]", "[]", "[True, False]", "[1.5, nan]"]
            )
        else:
            found = _shape_of(make, name, index)
            if found is None:
                text = "1"
            else:
                if value == "row":
                    found = found[-1:]
                elif draw.chance(0.05):
                    found = (*found[:-1], 2)
                kind = "wide" if draw.chance(0.3) and dtype == value_dtype else "small"
                text = make.array(found, value_dtype, value_layout, kind)
        make.program.append(f"{name}[{index}] = {text}")
        return make.done(function)

    return function, case


def _component(draw: Draw) -> str:
    return draw.pick(["integer"] * 2 + ["slice"] * 5 + ["array"] * 3
                     + ["mask", "None", "Ellipsis", "list", "0-d", "scalar"])  # fmt: skip


def _slice(draw: Draw, length: int) -> str:
    def bound() -> str:
        if draw.chance(0.4):
            return ""
        return str(draw.below(-length - 2, length + 3))

    step = "" if draw.chance(0.5) else draw.pick([":1", ":2", ":-1", ":-2", ":3", ":-100", ":"])
    return f"{bound()}:{bound()}{step}"


def _index(draw, make, shape, kinds, index_dtype, count, assign) -> str:
    """Text of an index; distinct elements where it is assigned to."""
    axis, parts = 0, []
    ellipsis = False
    for kind in kinds:
        if kind == "None":
            parts.append("None")
            continue
        if kind == "Ellipsis":
            if not ellipsis:
                parts.append("...")
                ellipsis = True
                axis = max(axis, len(shape) - draw.below(0, 3))
            continue
        if axis >= len(shape):
            if draw.chance(0.03):
                parts.append("0")
            continue
        length = shape[axis]
        axis += 1
        if kind == "integer":
            if length and not draw.chance(0.02):
                parts.append(str(draw.below(-length, length)))
            else:
                parts.append(str(length))
        elif kind == "scalar":
            parts.append(f"np.int64({draw.below(-length, length) if length else 0})")
        elif kind == "slice":
            parts.append(_slice(draw, length))
        elif kind == "mask":
            axes = 1 if axis == len(shape) or draw.chance(0.7) else 2
            mask_shape = shape[axis - 1 : axis - 1 + axes]
            axis += axes - 1
            parts.append(make.array(mask_shape, "?", draw.pick(LAYOUTS[:6]), "small"))
        elif kind == "list":
            if not length:
                parts.append("[]")
            elif assign:
                parts.append(repr(draw.sample(range(length), min(count, length))))
            else:
                parts.append(repr([draw.below(-length, length) for _ in range(count)]))
        elif kind == "0-d":
            parts.append(
                make.array((), index_dtype, "contiguous", f"index {min(length, 100)}")
                if length
                else "0"
            )
        elif not length:
            parts.append(make.array((0,), index_dtype, "contiguous", "counts 1"))
        elif assign:
            size = min(count, length)
            parts.append(
                make.array((size,), index_dtype, "contiguous", f"permutation {min(length, 100)}")
            )
        else:
            index_shape = (count,) if draw.chance(0.7) else (draw.below(1, 4), count)
            bound = length if length < 100 or index_dtype not in ("i1", "u1") else 100
            parts.append(
                make.array(index_shape, index_dtype, draw.pick(LAYOUTS[:5]), f"index {bound}")
            )
    if not parts:
        return "..."
    return ", ".join(parts) + ("," if len(parts) == 1 and draw.chance(0.3) else "")


def _shape_of(make: CaseMaker, name: str, index: str) -> tuple[int, ...] | None:
    """The shape that NumPy gives to an element or a view; None where it raises."""
    kept, make.program = make.program, [f"{name}[{index}]"]
    trial = make.done("getitem")
    make.program = kept
    result = Interpreter(np).run(trial).result
    return np.shape(result) if isinstance(result, (np.ndarray, np.generic)) else None


def _function(draw: Draw) -> tuple[str, Callable[[Draw, CaseMaker], Case]]:
    function = draw.pick(FUNCTIONS)
    dtype, layout = draw.pick(DTYPES), draw.pick(LAYOUTS)
    other, other_layout = draw.pick(DTYPES), draw.pick(LAYOUTS)
    index_dtype = draw.pick(INDEX_DTYPES)
    ndim = draw.ndim()
    mode = draw.pick(["", "", "mode='wrap'", "mode='clip'"])
    form = draw.below(4)

    def case(draw: Draw, make: CaseMaker) -> Case:
        shape = draw.shape(ndim)
        written = function in ("put_along_axis", "copyto", "fill")
        name = make.array(shape, dtype, layout, "small", written=written)
        axis = draw.axis(ndim)
        length = shape[axis] if ndim else 1
        size = 1
        for n in shape:
            size *= n
        if function == "take":
            axes = draw.pick([f"axis={axis}", f"axis={axis}", "axis=None", ""])
            over = length if axes.startswith("axis=") and axes != "axis=None" else size
            reach = over * 3 + 2 if mode else over
            if index_dtype in ("i1", "u1"):
                reach = min(reach, 100)
            if form == 0:
                indices = str(draw.below(-over, over) if over else 0)
            elif form == 1:
                indices = repr([draw.below(-over, over) if over else 0 for _ in range(3)])
            else:
                index_shape = draw.pick([(4,), (2, 3), (), (0,)]) if reach else (0,)
                indices = make.array(
                    index_shape, index_dtype, draw.pick(LAYOUTS[:5]), f"index {reach}"
                )
            make.program.append(f"xp.take({', '.join(filter(None, [name, indices, axes, mode]))})")
        elif function in ("compress", "extract"):
            if function == "compress":
                axes = draw.pick([f"axis={axis}", "axis=None"])
                over = length if axes != "axis=None" else size
                over = max(0, over + draw.pick([0, 0, 0, -1, 1]))
                mask = make.array((over,), draw.pick(["?", "?", "i4", "f4"]), "contiguous", "ties")
                make.program.append(f"xp.compress({mask}, {name}, {axes})")
            else:
                mask = make.array(shape, draw.pick(["?", "i4"]), other_layout, "ties")
                make.program.append(f"xp.extract({mask}, {name})")
        elif function in ("take_along_axis", "put_along_axis"):
            if not ndim or not size:
                make.program.append(
                    f"xp.take_along_axis({name}, xp.argsort({name}, axis={axis}), {axis})"
                )
                return make.done("take_along_axis")
            count = length if function == "put_along_axis" else draw.below(1, 5)
            along = list(shape)
            along[axis] = count
            if function == "take_along_axis":
                indices = make.array(
                    tuple(along), index_dtype, other_layout, f"index {min(length, 100)}"
                )
                make.program.append(f"xp.take_along_axis({name}, {indices}, {axis})")
            else:
                along = [n if i == axis % ndim else 1 for i, n in enumerate(shape)]
                indices = make.array(tuple(along), "i8", "contiguous", f"permutation {length}")
                value = (
                    number(draw, dtype)
                    if form == 0
                    else make.array(tuple(along), other, "contiguous", "small")
                )
                make.program.append(f"xp.put_along_axis({name}, {indices}, {value}, {axis})")
        elif function == "diagonal":
            first, second = draw.axis(max(ndim, 1)), draw.axis(max(ndim, 1))
            arguments = draw.pick(
                [f"{draw.below(-3, 4)}, {first}, {second}", f"{draw.below(-3, 4)}", ""]
            )
            make.program.append(f"xp.diagonal({', '.join(filter(None, [name, arguments]))})")
        elif function == "diag":
            make.program.append(f"xp.diag({name}, {draw.below(-3, 4)})")
        elif function == "where":
            mask = make.array(shape, draw.pick(["?", "i4", "f8"]), other_layout, "ties")
            value = (
                number(draw, dtype)
                if form == 0
                else make.array(shape[-1:], other, other_layout, "small")
            )
            arguments = [name, value] if draw.chance(0.5) else [value, name]
            make.program.append(f"xp.where({mask}, {', '.join(arguments)})")
        elif function == "copyto":
            source = number(draw, dtype) if form == 0 else make.array(
                draw.pick([shape, shape[1:], shape[-1:]]), other, other_layout, "small")  # fmt: skip
            options = []
            if draw.chance(0.5):
                mask_shape = draw.pick([shape, shape[-1:], ()])
                options.append(f"where={make.array(mask_shape, '?', 'contiguous', 'small')}")
            if draw.chance(0.3):
                options.append(f"casting={draw.pick(['no', 'safe', 'same_kind', 'unsafe'])!r}")
            make.program.append(f"xp.copyto({', '.join([name, source, *options])})")
        elif function == "fill":
            make.program.append(f"{name}.fill({number(draw, dtype)})")
        else:
            arguments = str(draw.below(-size, size)) if size and draw.chance(0.8) else draw.pick(
                ["", str(size), repr(tuple(n // 2 for n in shape))])  # fmt: skip
            make.program.append(f"{name}.item({arguments})")
        return make.done(function)

    return function, case
