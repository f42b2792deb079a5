"""cvt between all integer and float types, in every legal rounding and with .sat .ftz .relu."""

from __future__ import annotations

import math
from itertools import product

from tests.isa.exact import FORMATS, NAN, decode, encode, finish, lanewise, special
from tests.isa.rows import Row

_INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
_BYTES = ("u8", "s8")  # bf16 has no conversions from or to them
_FLOATS = ("f16", "bf16", "f32", "f64")
_DIRECTIONS = ("rn", "rz", "rm", "rp")
_TO_INTEGER = {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}


def _limits(type_: str) -> tuple[int, int]:
    half = 1 << int(type_[1:]) - 1
    return (-half, half - 1) if type_[0] == "s" else (0, 2 * half - 1)


def _between_integers() -> list[Row]:
    rows: list[Row] = []
    for to, source in product(_INTEGERS, repeat=2):
        rows.append(Row(f"cvt.{to}.{source}", (to,), (source,), expected=lanewise(lambda a: a, to)))
        low, high = _limits(to)
        if low <= _limits(source)[0] and _limits(source)[1] <= high:
            continue  # nothing to saturate: not an instruction
        clamp = lanewise(lambda a, low=low, high=high: min(max(a, low), high), to)
        rows.append(Row(f"cvt.sat.{to}.{source}", (to,), (source,), expected=clamp))
    # Narrow results in wide registers: extended by the result's sign.
    for to, source in product(("u8", "s8", "u16", "s16"), ("u32", "s32")):

        def narrowed(a, to=to):
            low, high = _limits(to)
            a &= high - low
            return a - (high - low + 1) if a > high else a

        rows.append(
            Row(f"cvt.{to}.{source} into .b32", ("b32",), (source,), f"cvt.{to}.{source} %d, %a;",
                expected=lanewise(narrowed, "b32"))
        )  # fmt: skip
    return rows


def _from_integers() -> list[Row]:
    rows: list[Row] = []
    for to, source, mode, sat in product(_FLOATS, _INTEGERS, _DIRECTIONS, ("", ".sat")):
        if (to == "bf16" and (sat or source in _BYTES)) or (sat and mode not in ("rn", "rz")):
            continue

        def converted(a, to=to, mode=mode, sat=bool(sat)):
            return finish(encode(_fraction(a), to, mode), to, False, sat, False)

        name = f"cvt.{mode}{sat}.{to}.{source}"
        rows.append(Row(name, (to,), (source,), expected=lanewise(converted, to)))
    return rows


def _fraction(a: int):
    from fractions import Fraction

    return Fraction(a)


def _to_integers() -> list[Row]:
    rows: list[Row] = []
    for source, to, mode in product(_FLOATS, _INTEGERS, _TO_INTEGER):
        if source == "bf16" and to in _BYTES:
            continue
        for ftz in ("", ".ftz") if source == "f32" else ("",):

            def converted(a, source=source, to=to, rounding=_TO_INTEGER[mode], ftz=bool(ftz)):
                x = decode(a, source, ftz)
                low, high = _limits(to)
                if x.special is not None and math.isnan(x.special):
                    return 0  # which value a NaN gives is for the recorded results to say
                if x.special is not None:
                    return low if x.negative else high
                return min(max(rounding(x.value), low), high)

            rows.append(
                Row(f"cvt.{mode}{ftz}.{to}.{source}", (to,), (source,),
                    expected=lanewise(converted, to), mask=_numbers(source))
            )  # fmt: skip
    for source, to in product(("f16", "f32", "f64"), ("u8", "s16", "u32", "s64")):
        rows.append(Row(f"cvt.rzi.sat.{to}.{source}", (to,), (source,)))
    return rows


def _numbers(type_: str):
    """Lanes whose first operand is a number."""
    from tests.isa.exact import is_nan

    return lambda a, *rest: ~is_nan(a.view(f"u{a.itemsize}"), type_)


def _rounded(to: str, source: str, mode: str, ftz=False, sat=False, relu=False):
    """Narrow (or widen) once."""

    def converted(a):
        # .ftz is about f32 alone, and an H200 does not mind it where f16 is the result.
        x = decode(a, source, ftz and source == "f32" and to != "f16")
        if x.special is not None:
            bits = special(x.token, to)
        else:
            bits = encode(x.value, to, mode, x.negative)
        return finish(bits, to, ftz and to == "f32", sat, relu)

    return converted


def _to_integral(type_: str, rounding, ftz=False, sat=False):
    """A float rounded to an integral float."""

    def converted(a):
        x = decode(a, type_, ftz)
        if x.special is not None:
            bits = special(NAN if math.isnan(x.special) else x.token, type_)
        else:
            bits = encode(_fraction(rounding(x.value)), type_, "rn", x.negative)
        return finish(bits, type_, False, sat, False)

    return converted


def _between_floats() -> list[Row]:
    rows: list[Row] = []

    def add(name, to, source, function):
        rows.append(Row(name, (to,), (source,), expected=lanewise(function, to)))

    for to, source in product(_FLOATS, repeat=2):
        narrowing = FORMATS[to][1] < FORMATS[source][1] or (to, source) == ("f16", "bf16")
        for ftz in ("", ".ftz") if "f32" in (to, source) and "bf16" not in (to, source) else ("",):
            flush = bool(ftz)
            if to == source:
                continue
            if narrowing:
                for mode in _DIRECTIONS:
                    name = f"cvt.{mode}{ftz}.{to}.{source}"
                    add(name, to, source, _rounded(to, source, mode, flush))
            else:
                mode = "rn." if to == "bf16" else ""
                add(f"cvt.{mode.rstrip('.') + ftz if mode else ftz[1:]}.{to}.{source}".replace("..", "."),
                    to, source, _rounded(to, source, "rn", flush))  # fmt: skip
    for type_, mode in product(("f16", "f32", "f64"), _TO_INTEGER):
        for ftz, sat in product(("", ".ftz") if type_ == "f32" else ("",), ("", ".sat")):
            add(f"cvt.{mode}{ftz}{sat}.{type_}.{type_}", type_, type_,
                _to_integral(type_, _TO_INTEGER[mode], bool(ftz), bool(sat)))  # fmt: skip
    for mode in _TO_INTEGER:
        add(f"cvt.{mode}.bf16.bf16", "bf16", "bf16", _to_integral("bf16", _TO_INTEGER[mode]))
    for name, to, source in (
        ("cvt.rn.sat.f16.f32", "f16", "f32"), ("cvt.rn.sat.f32.f64", "f32", "f64"),
        ("cvt.sat.f32.f32", "f32", "f32"), ("cvt.sat.f64.f64", "f64", "f64"),
        ("cvt.sat.f32.f16", "f32", "f16"), ("cvt.sat.f64.f32", "f64", "f32"),
        ("cvt.rz.sat.f16.f64", "f16", "f64"), ("cvt.rm.sat.f32.f64", "f32", "f64"),
    ):  # fmt: skip
        mode = next((m for m in _DIRECTIONS if f".{m}." in name), "rn")
        add(name, to, source, _rounded(to, source, mode, sat=True))
    add("cvt.ftz.f32.f32", "f32", "f32", _rounded("f32", "f32", "rn", ftz=True))
    for to, mode in product(("f16", "bf16"), ("rn", "rz")):
        add(f"cvt.{mode}.relu.{to}.f32", to, "f32", _rounded(to, "f32", mode, relu=True))
        for relu in ("", ".relu"):
            one = _rounded(to, "f32", mode, relu=bool(relu))
            rows.append(
                Row(f"cvt.{mode}{relu}.{to}x2.f32", (f"{to}x2",), ("f32", "f32"),
                    expected=lanewise(lambda a, b, one=one: one(a) << 16 | one(b), f"{to}x2"))
            )  # fmt: skip
    for name in ("cvt.rna.tf32.f32", "cvt.rn.tf32.f32", "cvt.rz.tf32.f32", "cvt.rn.relu.tf32.f32"):
        rows.append(Row(name, ("tf32",), ("f32",)))
    return rows


ROWS = [*_between_integers(), *_from_integers(), *_to_integers(), *_between_floats()]
