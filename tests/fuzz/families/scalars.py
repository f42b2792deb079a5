"""Numbers that dtypes do not have, in every operation that takes a number."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.case import Case
from tests.fuzz.drawing import LAYOUTS, CaseMaker, Draw
from tests.fuzz.families.numbers import number, number_in_range
from tests.fuzz.families.ufuncs import COMPARISONS, OPERATORS
from tests.fuzz.values import DTYPES

FORMS = [
    "operator", "operator", "operator", "in-place", "in-place", "fill", "setitem", "full", "full_like", "clip",
    "where", "ufunc out", "ufunc where", "append", "array", "maximum", "searchsorted", "isin",
    "power", "initial",
]  # fmt: skip


def recipe(draw: Draw) -> tuple[str, Callable[[Draw, CaseMaker], Case]]:
    """An operation on an array of a dtype."""
    form, dtype, layout = draw.pick(FORMS), draw.pick(DTYPES), draw.pick(LAYOUTS)
    operator = draw.pick(list(OPERATORS))
    ufunc = draw.pick(
        ["less", "add", "multiply", "equal", "maximum", "bitwise_and", "floor_divide"]
    )
    result = "?" if ufunc in COMPARISONS else draw.pick(["?", dtype])
    reflected = draw.chance(0.4)

    def case(draw: Draw, make: CaseMaker) -> Case:
        shape = draw.shape(draw.below(1, 3))
        value = number(draw, dtype)
        written = form in ("in-place", "fill", "setitem")
        name = make.array(shape, dtype, layout, "small", written=written)
        function = form
        match form:
            case "operator":
                function = operator
                sides = [value, name] if reflected else [name, value]
                made = f" {OPERATORS[operator]} ".join(f"({x})" for x in sides)
            case "in-place":
                function = operator
                sign = OPERATORS[operator]
                if sign in ("<", "<=", ">", ">=", "==", "!="):
                    made = f"{name}[...] = {name} {sign} ({value})"
                else:
                    made = f"{name} {sign}= {value}"
            case "fill":
                made = f"{name}.fill({value})"
            case "setitem":
                made = f"{name}[{draw.pick(['...', '0', '::2', '[0]', '-1:'])}] = {value}"
            case "full":
                made = f"xp.full(3, {value}, {dtype!r})"
            case "full_like":
                made = f"xp.full_like({name}, {value})"
            case "clip":
                ends = draw.pick([f"{value}, None", f"None, {value}", f"0, {value}"])
                made = f"xp.clip({name}, {ends})"
            case "where":
                mask = make.array(shape, "?")
                made = f"xp.where({mask}, {name}, {value})"
            case "ufunc out":
                function = ufunc
                made = f"xp.{ufunc}({name}, {value}, out={make.array(shape, result, layout, written=True)})"
            case "ufunc where":
                function = ufunc
                if ufunc in COMPARISONS:
                    value = number_in_range(draw, dtype)  # out of range NumPy 2.4 itself crashes
                out, mask = make.array(shape, result, layout, written=True), make.array(shape, "?")
                made = f"xp.{ufunc}({name}, {value}, out={out}, where={mask})"
            case "append":
                made = f"xp.diff({name}, append={value})"
            case "array":
                made = f"xp.array([1, {value}], {dtype!r})"
            case "searchsorted":
                made = f"xp.searchsorted(xp.sort({name}, axis=None), {value})"
            case "isin":
                made = f"xp.isin({name}, {value})"
            case "power":
                made = f"{name} ** {draw.pick(['2', '0.5', '-1', '3', '0', value])}"
            case "initial":
                made = f"xp.sum({name}, initial={value})"
            case _:
                made = f"xp.maximum({name}, {value})"
        make.program.append(made)
        return make.done(function)

    return form, case
