"""Ufuncs: operands of all dtypes and layouts, ``out=``, ``where=``, ``dtype=``, numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.fuzz.case import Case
from tests.fuzz.drawing import LAYOUTS, CaseMaker, Draw
from tests.fuzz.families.numbers import number, number_in_range
from tests.fuzz.values import BOOLS, COMPLEX, DTYPES, FLOATS, INTEGERS

ONE = [
    "absolute", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "bitwise_count", "cbrt",
    "ceil", "conjugate", "cos", "cosh", "deg2rad", "degrees", "exp", "exp2", "expm1", "fabs", "floor",
    "frexp", "invert", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "logical_not",
    "modf", "negative", "positive", "rad2deg", "radians", "reciprocal", "rint", "sign", "signbit",
    "sin", "sinh", "spacing", "sqrt", "square", "tan", "tanh", "trunc",
]  # fmt: skip
TWO = [
    "add", "arctan2", "bitwise_and", "bitwise_or", "bitwise_xor", "copysign", "divide", "divmod", "equal",
    "float_power", "floor_divide", "fmax", "fmin", "fmod", "gcd", "greater", "greater_equal",
    "heaviside", "hypot", "lcm", "ldexp", "left_shift", "less", "less_equal", "logaddexp",
    "logaddexp2", "logical_and", "logical_or", "logical_xor", "maximum", "minimum", "multiply",
    "nextafter", "not_equal", "power", "remainder", "right_shift", "subtract",
]  # fmt: skip
#: Those that tests use most, drawn as often as all others.
COMMON = [
    "add", "subtract", "multiply", "divide", "maximum", "equal", "less", "power", "floor_divide",
    "remainder", "logical_and", "bitwise_or", "negative", "absolute", "sqrt", "exp", "square",
]  # fmt: skip
OPERATORS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//",
    "remainder": "%", "power": "**", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^",
    "left_shift": "<<", "right_shift": ">>", "less": "<", "less_equal": "<=", "greater": ">",
    "greater_equal": ">=", "equal": "==", "not_equal": "!=",
}  # fmt: skip
COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
ASSOCIATIVE = [
    "add", "multiply", "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or",
    "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm", "hypot", "logaddexp",
    "logaddexp2",
]  # fmt: skip
KINDS = {"?": BOOLS, "i": INTEGERS, "f": FLOATS, "c": COMPLEX}
CASTING = ["no", "equiv", "safe", "same_kind", "unsafe"]


def dtypes_of(draw: Draw, function: str, count: int) -> list[str]:
    """Dtypes of operands: mostly those of a loop, else any."""
    ufunc = getattr(np, function)
    if draw.chance(0.7):
        loops = [x for x in ufunc.types if not set(x) & set("gGOMmSUVqQ")]
        return [np.dtype(x).str[1:].replace("b1", "?") for x in draw.pick(loops)[:count]]
    if draw.chance(0.5):
        return [draw.pick(DTYPES)] * count
    return [draw.pick(DTYPES) for _ in range(count)]


def broadcasting(draw: Draw, shape: tuple[int, ...], pattern: str) -> tuple[int, ...]:
    """A shape that broadcasts to another, in a certain way; rarely one that does not."""
    if draw.chance(0.01) and shape:
        return (*shape[:-1], shape[-1] + 2)
    if pattern == "same" or not shape:
        return shape
    if pattern == "row":
        return shape[-1:]
    if pattern == "column":
        return (*shape[:-1], 1)
    if pattern == "outer":
        return (1, *shape[1:])
    return ()


def _result_dtype(draw: Draw, function: str, dtypes: list[str]) -> str:
    """The dtype of an output: mostly what the ufunc gives."""
    if draw.chance(0.6):
        try:
            found = getattr(np, function).resolve_dtypes(
                tuple(np.dtype(x) for x in dtypes) + (None,) * getattr(np, function).nout
            )[-1]
            if found.char not in "gG":
                return found.str[1:].replace("b1", "?")
        except TypeError:
            pass
    return draw.pick(DTYPES)


def recipe(draw: Draw) -> tuple[str, Callable[[Draw, CaseMaker], Case]]:
    """A ufunc with dtypes, layouts and a form of call."""
    form = draw.pick(["plain"] * 6 + ["out"] * 2 + ["where", "dtype", "operator", "in-place"] * 2
                     + ["number"] * 4 + ["method"] * 2 + ["casting"])  # fmt: skip
    if form == "method":
        return _method(draw)
    function = draw.pick(draw.pick([ONE, TWO, TWO, COMMON]))
    if form in ("operator", "in-place"):
        function = draw.pick(list(OPERATORS))
    count = getattr(np, function).nin
    nout = getattr(np, function).nout
    dtypes = dtypes_of(draw, function, count)
    layouts = [draw.pick(LAYOUTS) if draw.chance(0.6) else "contiguous" for _ in range(4)]
    ndim = draw.ndim()
    pattern = draw.pick(["same", "same", "row", "column", "outer", "0-d"])
    kind = draw.pick(["small", "wide", "corners", "corners"])
    if function in ("left_shift", "right_shift", "power", "ldexp", "float_power", "gcd", "lcm"):
        kind = draw.pick(["small", "small", kind])
    result = _result_dtype(draw, function, dtypes)
    if form == "casting" and function in COMPARISONS:
        result = "?"
    asked = draw.pick(DTYPES)
    casting = draw.pick(CASTING)
    first_is_number = draw.chance(0.4)

    def case(draw: Draw, make: CaseMaker) -> Case:
        shape = draw.shape(ndim)
        names = [make.array(shape, dtypes[0], layouts[0], kind, written=form == "in-place")]
        if count == 2:
            if form in ("number", "casting") or (
                form in ("operator", "in-place") and draw.chance(0.3)
            ):
                text = (
                    number(draw, dtypes[0])
                    if draw.chance(0.4)
                    else number_in_range(draw, dtypes[0])
                )
                names.append(text)
                if first_is_number and form != "in-place":
                    names.reverse()
            else:
                second = broadcasting(draw, shape, pattern)
                names.append(make.array(second, dtypes[1], layouts[1], kind))
        if form == "operator":
            make.program.append(f" {OPERATORS[function]} ".join(names))
            return make.done(function)
        if form == "in-place":
            if function in COMPARISONS:
                make.program.append(
                    f"{names[0]}[...] = {names[0]} {OPERATORS[function]} {names[1]}"
                )
            else:
                make.program.append(f"{names[0]} {OPERATORS[function]}= {names[1]}")
            return make.done(function)
        if form in ("out", "where", "casting") or draw.chance(0.02):
            if form != "casting" or draw.chance(0.3):
                outs = [
                    make.array(shape, result, layouts[2], "small", written=True)
                    for _ in range(nout)
                ]
                names.append(f"out={outs[0]}" if nout == 1 else f"out=({', '.join(outs)})")
        if form == "where":
            mask = broadcasting(draw, shape, draw.pick(["same", "row", "column"]))
            names.append(f"where={make.array(mask, '?', layouts[3], 'small')}")
        if form == "dtype":
            names.append(f"dtype={asked!r}")
        if form == "casting":
            names.append(f"casting={casting!r}")
        make.program.append(f"xp.{function}({', '.join(names)})")
        return make.done(function)

    return function, case


def _method(draw: Draw) -> tuple[str, Callable[[Draw, CaseMaker], Case]]:
    method = draw.pick(["reduce", "accumulate", "outer"])
    function = draw.pick(TWO if method == "outer" else ASSOCIATIVE)
    dtype = dtypes_of(draw, function, 1)[0]
    layouts = [draw.pick(LAYOUTS) for _ in range(2)]
    ndim = draw.ndim(0 if draw.chance(0.1) else 1)
    kind = "powers" if function == "multiply" else "ties"
    keepdims, initial, where = draw.chance(0.3), draw.chance(0.2), draw.chance(0.2)
    asked = draw.pick(DTYPES) if draw.chance(0.2) else ""

    def case(draw: Draw, make: CaseMaker) -> Case:
        if method == "outer":
            left = make.array(draw.shape(min(ndim, 2)), dtype, layouts[0], kind)
            right = make.array(draw.shape(1)[:1], dtype, layouts[1], kind)
            make.program.append(f"xp.{function}.outer({left}, {right})")
            return make.done(f"{function}.outer", tolerance=function)
        shape = draw.shape(ndim)
        parts = [make.array(shape, dtype, layouts[0], kind)]
        if method == "accumulate":
            parts.append(f"axis={draw.axis(ndim)}" if draw.chance(0.8) else "")
        else:
            parts.append(f"axis={draw.axes(ndim)}" if draw.chance(0.9) else "")
            parts.append("keepdims=True" if keepdims else "")
            parts.append(f"initial={draw.pick(['0', '1', '2.5', 'True', '-3'])}" if initial else "")
            if where:
                parts.append(f"where={make.array(shape, '?', layouts[1], 'small')}")
        parts.append(f"dtype={asked!r}" if asked else "")
        make.program.append(f"xp.{function}.{method}({', '.join(filter(None, parts))})")
        return make.done(f"{function}.{method}", tolerance=f"{function}.{method}")

    return f"{function}.{method}", case
