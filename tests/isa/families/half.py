"""f16, bf16 and pairs of them: arithmetic, extremes, comparisons."""

from __future__ import annotations

from itertools import product

from tests.isa.exact import float_rows, lanewise
from tests.isa.families.floating import compare_floats
from tests.isa.rows import Row

_TYPES = ("f16", "f16x2", "bf16", "bf16x2")


def _in_pairs(function, pair: bool):
    if not pair:
        return function

    def both(*values: int) -> int:
        low = function(*(v & 0xFFFF for v in values))
        return low | function(*(v >> 16 for v in values)) << 16

    return both


def _arithmetic() -> list[Row]:
    rows: list[Row] = []
    for type_ in _TYPES:
        brain = type_.startswith("b")
        for name in ("add", "sub", "mul"):
            forms = [".rn", ""] if brain else [
                ".rn", "", ".rn.ftz", ".ftz", ".rn.sat", ".sat", ".rn.ftz.sat", ".ftz.sat"
            ]  # fmt: skip
            for form in forms:
                expected = float_rows(name, type_, "rn", "ftz" in form, "sat" in form)
                rows.append(Row(f"{name}{form}.{type_}", (type_,), (type_,) * 2, expected=expected))
        forms = (".rn", ".rn.relu") if brain else (
            ".rn", ".rn.ftz", ".rn.sat", ".rn.ftz.sat", ".rn.relu", ".rn.ftz.relu"
        )  # fmt: skip
        for form in forms:
            expected = float_rows("fma", type_, "rn", "ftz" in form, "sat" in form, "relu" in form)
            rows.append(Row(f"fma{form}.{type_}", (type_,), (type_,) * 3, expected=expected))
        for name, ftz in product(("neg", "abs"), ("",) if brain else ("", ".ftz")):
            rows.append(Row(f"{name}{ftz}.{type_}", (type_,), (type_,)))
        for name, ftz, nan, xorsign in product(
            ("min", "max"), ("",) if brain else ("", ".ftz"), ("", ".NaN"), ("", ".xorsign.abs")
        ):
            rows.append(Row(f"{name}{ftz}{nan}{xorsign}.{type_}", (type_,), (type_,) * 2))
    return rows


_COMPARISONS = (
    "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan",
)  # fmt: skip


def _comparisons() -> list[Row]:
    rows: list[Row] = []
    for type_, how in product(("f16", "bf16"), _COMPARISONS):
        for ftz in ("", ".ftz") if type_ == "f16" else ("",):
            holds = compare_floats(how, type_, bool(ftz))

            def both(a, b, c, holds=holds):
                found = [int(holds(a & 0xFFFF, b & 0xFFFF)), int(holds(a >> 16, b >> 16))]
                return found[0] & c, found[1] & c

            form = f"{how}{ftz}.{type_}"
            rows.append(
                Row(f"setp.{form}", ("u32",), (type_,) * 2,
                    f"setp.{form} %p0, %a, %b; selp.u32 %d, 1, 0, %p0;",
                    expected=lanewise(lambda a, b, holds=holds: int(holds(a, b)), "u32"))
            )  # fmt: skip
            rows.append(
                Row(f"setp.{how}.and{ftz}.{type_}x2", ("u32", "u32"), (f"{type_}x2",) * 2 + ("u32",),
                    "setp.ne.u32 %p2, %c, 0; "
                    f"setp.{how}.and{ftz}.{type_}x2 %p0|%p1, %a, %b, %p2; "
                    "selp.u32 %d, 1, 0, %p0; selp.u32 %d1, 1, 0, %p1;",
                    generators=("any", "any", "bit"), expected=lanewise(both, "u32", "u32"))
            )  # fmt: skip
            one = 0x3C00 if type_ == "f16" else 0x3F80
            for to, true in ((type_, one), ("u16", 0xFFFF)):

                def value(a, b, holds=holds, true=true):
                    return true * holds(a, b)

                rows.append(
                    Row(f"set.{how}{ftz}.{to}.{type_}", (to,), (type_,) * 2,
                        expected=lanewise(value, to))
                )  # fmt: skip

            def values(a, b, holds=holds, one=one):
                return one * holds(a & 0xFFFF, b & 0xFFFF) | one * holds(a >> 16, b >> 16) << 16

            rows.append(
                Row(f"set.{how}{ftz}.{type_}x2.{type_}x2", (f"{type_}x2",), (f"{type_}x2",) * 2,
                    expected=lanewise(values, f"{type_}x2"))
            )  # fmt: skip
    return rows


ROWS = [*_arithmetic(), *_comparisons()]
