"""Arrays made of numbers and lists, conversions, and questions about dtypes."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.case import Case
from tests.fuzz.drawing import LAYOUTS, CaseMaker, Draw
from tests.fuzz.families.manipulation import ORDERS
from tests.fuzz.families.numbers import number, number_in_range
from tests.fuzz.values import DTYPES

FUNCTIONS = [
    "zeros", "ones", "full", "full", "eye", "identity", "arange", "arange", "arange", "linspace", "linspace",
    "array", "array", "array", "asarray", "astype", "astype", "tolist", "scalar of", "result_type",
    "can_cast", "promote_types", "array of array", "min_scalar_type", "diag", "round trip", "repr",
]  # fmt: skip
SHAPES = [
    "()",
    "0",
    "1",
    "5",
    "(3,)",
    "(2, 3)",
    "(0, 3)",
    "(2, 1, 4)",
    "[2, 2]",
    "np.int64(4)",
    "(np.int32(2), 3)",
]
_STEPS = [
    "0",
    "1",
    "2",
    "5",
    "-1",
    "-3",
    "0.5",
    "0.1",
    "1.5",
    "10",
    "100",
    "257",
    "2**31",
    "2**53",
    "1e10",
    "2.5",
]


def recipe(draw: Draw) -> tuple[str, Callable[[Draw, CaseMaker], Case]]:
    """A function with a dtype."""
    function = draw.pick(FUNCTIONS)
    dtype = draw.pick(DTYPES)
    other, layout = draw.pick(DTYPES), draw.pick(LAYOUTS)
    ndim, form = draw.ndim(), draw.below(4)
    kind = draw.pick(["small", "wide", "corners"])

    def case(draw: Draw, make: CaseMaker) -> Case:
        shape = draw.pick(SHAPES)
        as_dtype = f", dtype={dtype!r}" if form else ""
        order = draw.pick(["", "", "'C'", "'F'"])
        as_order = f", order={order}" if order else ""
        match function:
            case "zeros" | "ones":
                made = f"xp.{function}({shape}{as_dtype}{as_order})"
            case "full":
                value = (
                    number(draw, dtype)
                    if draw.chance(0.5)
                    else draw.pick(["[1, 2, 3]", "7", "2.5"])
                )
                made = f"xp.full({draw.pick(SHAPES)}, {value}{as_dtype}{as_order})"
            case "eye":
                made = f"xp.eye({draw.below(0, 6)}, {draw.pick(['None', '3', '0'])}, {draw.below(-3, 4)}{as_dtype})"
            case "identity":
                made = f"xp.identity({draw.below(0, 6)}{as_dtype})"
            case "arange":
                count = draw.below(1, 4)
                values = [draw.pick(_STEPS[:12]) for _ in range(count)]
                if count == 3 and draw.chance(0.3):
                    values = draw.pick([["2**53", "2**53 + 3", "1"], ["0", "2**64", "2**62"], ["-5", "5", "2"],
                                        ["1e10", "1e10 + 5", "1"], ["0", "1", "0.1"], ["True"], ["5", "0", "-2"]])  # fmt: skip
                made = f"xp.arange({', '.join(values)}{as_dtype})"
            case "linspace":
                values = [draw.pick(_STEPS) for _ in range(2)] + [
                    str(draw.pick([0, 1, 2, 3, 5, 50, 101]))
                ]
                options = draw.pick(["", ", endpoint=False", ", retstep=True"])
                made = f"xp.linspace({', '.join(values)}{options}{as_dtype})"
            case "array":
                items = [number(draw, dtype) if form == 2 else number_in_range(draw, draw.pick([dtype, "i4"]))
                         for _ in range(draw.below(0, 4))]  # fmt: skip
                nested = draw.pick([
                    f"[{', '.join(items)}]", f"[[{', '.join(items)}]] * 2", f"({', '.join([*items, '1'])})",
                    items[0] if items else "[]", f"[[{', '.join(items)}], [1]]",
                ])  # fmt: skip
                options = draw.pick(["", "", ", ndmin=2", ", order='F'", ", copy=False"])
                made = f"xp.array({nested}{as_dtype}{options})"
            case "asarray":
                made = f"xp.asarray([{number(draw, dtype)}, {number(draw, dtype)}]{as_dtype})"
            case "astype":
                name = make.array(draw.shape(ndim), dtype, layout, kind)
                # What a cast of a float beyond the integer's range gives, C++ leaves open.
                made = f"{name}.astype({other!r})"
                make.notes.add(f"{dtype} to {other}")
            case "tolist":
                name = make.array(draw.shape(ndim), dtype, layout, kind)
                made = draw.pick(
                    [f"{name}.tolist()", f"{name}.tobytes()", f"len({name})", f"{name}.nbytes"]
                )
            case "scalar of":
                name = make.array(draw.pick([(), (1,), (1, 1), (2,)]), dtype, layout, "corners")
                made = f"{draw.pick(['float', 'int', 'bool', 'complex', 'hash', 'list'])}({name})"
            case "repr":
                name = make.array(draw.shape(ndim), dtype, layout, kind)
                made = draw.pick([f"repr({name})", f"str({name})"])
                if not ndim:
                    made = f"{name}.ndim"
            case "result_type":
                name = make.array((2,), dtype)
                made = f"xp.result_type({name}, {draw.pick([repr(other), number(draw, dtype)])})"
            case "can_cast":
                made = f"xp.can_cast({dtype!r}, {other!r}, {draw.pick(['safe', 'same_kind', 'unsafe', 'no'])!r})"
            case "promote_types":
                made = f"xp.promote_types({dtype!r}, {other!r})"
            case "min_scalar_type":
                made = f"xp.min_scalar_type({number(draw, dtype)})"
            case "array of array":
                name = make.array(draw.shape(ndim), dtype, layout, kind)
                options = [f"ndmin={draw.below(0, 4)}"] if form == 0 else []
                chosen = draw.pick(ORDERS)
                options += [f"order={chosen}"] if chosen else []
                options += [f"dtype={other!r}"] if form == 1 and dtype == "?" else []
                made = f"xp.{draw.pick(['array', 'asarray' if form else 'array'])}({', '.join([name, *options])})"
            case "diag":
                made = f"xp.diag(xp.arange({draw.below(0, 6)}), {draw.below(-3, 4)})"
            case _:
                name = make.array(draw.shape(ndim), dtype, layout, kind)
                made = f"xp.asarray(getattr({name}, 'get', {name}.copy)())"
        make.program.append(made)
        return make.done(function)

    return function, case
