"""f32 and f64 arithmetic that rounds exactly, and comparisons of every type."""

from __future__ import annotations

import math
from itertools import product

from tests.isa.exact import FORMATS, decode, float_rows, lanewise
from tests.isa.rows import Row

_DIRECTIONS = ("rn", "rz", "rm", "rp")


def _options(type_: str) -> list[tuple[str, str]]:
    """(.ftz or nothing, .sat or nothing)"""
    return list(product(("", ".ftz"), ("", ".sat"))) if type_ == "f32" else [("", "")]


def _arithmetic() -> list[Row]:
    rows: list[Row] = []
    for type_, (name, count), mode in product(
        ("f32", "f64"), (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3)), _DIRECTIONS
    ):
        for ftz, sat in _options(type_):
            expected = float_rows(name, type_, mode, bool(ftz), bool(sat))
            rows.append(
                Row(f"{name}.{mode}{ftz}{sat}.{type_}", (type_,), (type_,) * count,
                    expected=expected)
            )  # fmt: skip
    for type_, (name, count), mode in product(
        ("f32", "f64"), (("div", 2), ("sqrt", 1), ("rcp", 1)), _DIRECTIONS
    ):
        for ftz in ("", ".ftz") if type_ == "f32" else ("",):
            expected = float_rows(name, type_, mode, bool(ftz))
            rows.append(
                Row(f"{name}.{mode}{ftz}.{type_}", (type_,), (type_,) * count, expected=expected)
            )
    for type_, name in product(("f32", "f64"), ("add", "sub", "mul")):
        rows.append(
            Row(f"{name}.{type_}", (type_,), (type_,) * 2, expected=float_rows(name, type_))
        )
    return rows


def _signs_and_extremes() -> list[Row]:
    rows: list[Row] = []
    for type_ in ("f32", "f64"):
        for ftz in ("", ".ftz") if type_ == "f32" else ("",):
            rows.append(Row(f"neg{ftz}.{type_}", (type_,), (type_,)))
            rows.append(Row(f"abs{ftz}.{type_}", (type_,), (type_,)))
            for name, nan, xorsign in product(
                ("min", "max"),
                ("", ".NaN") if type_ == "f32" else ("",),
                ("", ".xorsign.abs") if type_ == "f32" else ("",),
            ):
                function = _extreme(name, type_, bool(ftz), bool(nan), bool(xorsign))
                rows.append(
                    Row(f"{name}{ftz}{nan}{xorsign}.{type_}", (type_,), (type_,) * 2,
                        expected=lanewise(function, type_))
                )  # fmt: skip
        width = FORMATS[type_][0]
        sign = 1 << width - 1

        def copied(a, b, sign=sign):
            return b & ~sign | a & sign

        rows.append(
            Row(f"copysign.{type_}", (type_,), (type_,) * 2, expected=lanewise(copied, type_))
        )
        for how in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            rows.append(
                Row(f"testp.{how}.{type_}", ("u32",), (type_,),
                    f"testp.{how}.{type_} %p0, %a; selp.u32 %d, 1, 0, %p0;",
                    expected=lanewise(_property(how, type_), "u32"))
            )  # fmt: skip
    return rows


def _extreme(name: str, type_: str, ftz: bool, nan: bool, xorsign: bool):
    width, fraction, _ = FORMATS[type_]
    sign = 1 << width - 1
    infinity = ((1 << width - 1 - fraction) - 1) << fraction

    def flush(bits: int) -> int:
        return bits & sign if ftz and not bits & infinity else bits

    def order(bits: int) -> int:
        return -(bits & ~sign) - 1 if bits & sign else bits

    def extreme(a: int, b: int) -> int:
        a, b = flush(a), flush(b)
        result_sign = (a ^ b) & sign
        missing = [x & ~sign > infinity for x in (a, b)]
        if xorsign:
            a, b = a & ~sign, b & ~sign
        if all(missing) or (nan and any(missing)):
            return sign - 1
        if missing[0]:
            found = b
        elif missing[1]:
            found = a
        else:
            found = (min if name == "min" else max)(a, b, key=order)
        return found | result_sign if xorsign else found

    return extreme


def _property(how: str, type_: str):
    width, fraction, _ = FORMATS[type_]
    infinity = ((1 << width - 1 - fraction) - 1) << fraction

    def holds(bits: int) -> int:
        size = bits & (1 << width - 1) - 1
        return int({
            "finite": size < infinity, "infinite": size == infinity, "number": size <= infinity,
            "notanumber": size > infinity, "normal": (1 << fraction) <= size < infinity or not size,
            "subnormal": 0 < size < 1 << fraction,
        }[how])  # fmt: skip

    return holds


_FLOAT_COMPARISONS = (
    "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan",
)  # fmt: skip


def compare_floats(how: str, type_: str, ftz: bool = False):
    """A comparison of bit patterns."""

    def holds(a: int, b: int) -> bool:
        x, y = decode(a, type_, ftz), decode(b, type_, ftz)
        unordered = any(v.special is not None and math.isnan(v.special) for v in (x, y))
        if how in ("num", "nan"):
            return unordered == (how == "nan")
        if unordered:
            return len(how) == 3
        x, y = (v.token * math.inf if v.special is not None else v.value for v in (x, y))
        return {
            "eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y,
        }[how[:2]]  # fmt: skip

    return holds


_COMBINATIONS = {
    "and": lambda x, q: x & q, "or": lambda x, q: x | q, "xor": lambda x, q: x ^ q,
}  # fmt: skip


def _comparisons() -> list[Row]:
    rows: list[Row] = []
    for type_, how in product(("f32", "f64"), _FLOAT_COMPARISONS):
        for ftz in ("", ".ftz") if type_ == "f32" else ("",):
            holds = compare_floats(how, type_, bool(ftz))
            _set_rows(rows, f"{how}{{}}{ftz}.{type_}", type_, holds)
    names = {
        "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
        "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
    }  # fmt: skip
    unsigned = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
    for w in (16, 32, 64):
        for sign in "us":
            for how, function in names.items():
                _set_rows(rows, f"{how}{{}}.{sign}{w}", f"{sign}{w}", function)
        for how in ("eq", "ne"):
            _set_rows(rows, f"{how}{{}}.b{w}", f"b{w}", names[how])
        for how, same in unsigned.items():
            _set_rows(rows, f"{how}{{}}.u{w}", f"u{w}", names[same])
    return rows


def _set_rows(rows: list[Row], form: str, type_: str, holds) -> None:
    """setp with one result, setp with two and a combination, set to an integer and a float."""

    def plain(a, b):
        return int(holds(a, b))

    rows.append(
        Row(f"setp.{form.format('')}", ("u32",), (type_, type_),
            f"setp.{form.format('')} %p0, %a, %b; selp.u32 %d, 1, 0, %p0;",
            expected=lanewise(plain, "u32"))
    )  # fmt: skip
    combine = ("and", "or", "xor")[len(rows) % 3]
    function = _COMBINATIONS[combine]

    def both(a, b, c):
        found = holds(a, b)
        return function(int(found), c), function(int(not found), c)

    rows.append(
        Row(f"setp.{form.format('.' + combine)}", ("u32", "u32"), (type_, type_, "u32"),
            "setp.ne.u32 %p2, %c, 0; "
            f"setp.{form.format('.' + combine)} %p0|%p1, %a, %b, %p2; "
            "selp.u32 %d, 1, 0, %p0; selp.u32 %d1, 1, 0, %p1;",
            generators=("any", "any", "bit"), expected=lanewise(both, "u32", "u32"))
    )  # fmt: skip
    if type_ in ("f32", "f64", "s32", "u32", "b32", "u64", "s64", "u16"):
        head, _, tail = form.format("").rpartition(".")
        rows.append(
            Row(f"set.{head}.u32.{tail}", ("u32",), (type_, type_),
                expected=lanewise(lambda a, b: -int(holds(a, b)), "u32"))
        )  # fmt: skip
        rows.append(
            Row(f"set.{head}.f32.{tail}", ("f32",), (type_, type_),
                expected=lanewise(lambda a, b: 0x3F800000 * holds(a, b), "f32"))
        )  # fmt: skip


def _selections() -> list[Row]:
    rows: list[Row] = []
    for t in ("b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64"):
        rows.append(
            Row(f"selp.{t}", (t,), (t, t, "u32"), generators=("any", "any", "bit"),
                code=f"setp.ne.u32 %p0, %c, 0; selp.{t} %d, %a, %b, %p0;",
                expected=lanewise(lambda a, b, c: a if c else b, t))
        )  # fmt: skip
        rows.append(
            Row(f"slct.{t}.s32", (t,), (t, t, "s32"),
                expected=lanewise(lambda a, b, c: a if c >= 0 else b, t))
        )  # fmt: skip
        for ftz in ("", ".ftz"):

            def chosen(a, b, c, flush=bool(ftz)):
                x = decode(c, "f32", flush)
                if x.special is not None:
                    return a if x.token > 0 else b
                return a if x.value >= 0 else b

            rows.append(
                Row(f"slct{ftz}.{t}.f32", (t,), (t, t, "f32"), expected=lanewise(chosen, t))
            )
    return rows


ROWS = [*_arithmetic(), *_signs_and_extremes(), *_comparisons(), *_selections()]
