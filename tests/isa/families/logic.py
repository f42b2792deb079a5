"""Logic and shifts, and prmt."""

from __future__ import annotations

from itertools import product

from tests.isa.exact import lanewise
from tests.isa.rows import Row

#: Named functions and a spread of others.
_TABLES = (
    0x00, 0xFF, 0x80, 0xFE, 0x96, 0x69, 0xE8, 0x17, 0xCA, 0xAC, 0xD8, 0xB8, 0xF0, 0xCC, 0xAA,
    0x0F, 0x33, 0x55, 0x3C, 0xC0, 0xFC, 0xEA, 0xF8, 0x1E, 0x2D, 0x78, 0x6A, 0x01, 0x7F, 0x24,
    0xDB, 0x4B, 0xB4, 0x9C, 0x63, 0x8E, 0x71, 0xA5,
)  # fmt: skip


def _lookup(table: int):
    def result(a: int, b: int, c: int) -> int:
        out = 0
        for k in range(8):
            if table >> k & 1:
                out |= (a if k & 4 else ~a) & (b if k & 2 else ~b) & (c if k & 1 else ~c)
        return out & 0xFFFFFFFF

    return result


def _logic() -> list[Row]:
    rows: list[Row] = []
    two = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}
    for w in (16, 32, 64):
        t = f"b{w}"
        for name, function in two.items():
            rows.append(Row(f"{name}.{t}", (t,), (t, t), expected=lanewise(function, t)))
        rows.append(Row(f"not.{t}", (t,), (t,), expected=lanewise(lambda a: ~a, t)))
        rows.append(Row(f"cnot.{t}", (t,), (t,), expected=lanewise(lambda a: int(not a), t)))
    as_predicates = "setp.ne.u32 %p0, %a, 0; setp.ne.u32 %p1, %b, 0; "
    for name, function in two.items():
        rows.append(
            Row(f"{name}.pred", ("u32",), ("u32", "u32"), generators=("bit", "bit"),
                code=f"{as_predicates}{name}.pred %p2, %p0, %p1; selp.u32 %d, 1, 0, %p2;",
                expected=lanewise(function, "u32"))
        )  # fmt: skip
    rows.append(
        Row("not.pred", ("u32",), ("u32",), generators=("bit",), expected=lanewise(lambda a: 1 - a, "u32"),
            code="setp.ne.u32 %p0, %a, 0; not.pred %p2, %p0; selp.u32 %d, 1, 0, %p2;")
    )  # fmt: skip
    for table in _TABLES:
        rows.append(
            Row(f"lop3.b32 0x{table:02x}", ("b32",), ("b32",) * 3,
                f"lop3.b32 %d, %a, %b, %c, 0x{table:02x};",
                expected=lanewise(_lookup(table), "b32"))
        )  # fmt: skip
    for combine, table in product(("and", "or"), (0x80, 0x96)):

        def with_predicate(a, b, c, q, combine=combine, table=table):
            value = _lookup(table)(a, b, c)
            hit = int(value != 0)
            return value, hit & (q & 1) if combine == "and" else hit | q & 1

        rows.append(
            Row(f"lop3.{combine}.b32 0x{table:02x}", ("b32", "u32"), ("b32",) * 4,
                "and.b32 %r5, %e, 1; setp.ne.u32 %p0, %r5, 0; "
                f"lop3.{combine}.b32 %d|%p1, %a, %b, %c, 0x{table:02x}, %p0; "
                "selp.u32 %d1, 1, 0, %p1;",
                expected=lanewise(with_predicate, "b32", "u32"))
        )  # fmt: skip
    return rows


def _shifts() -> list[Row]:
    rows: list[Row] = []
    for w in (16, 32, 64):
        left = lanewise(lambda a, n, w=w: a << n if n < w else 0, f"b{w}")
        right = lanewise(lambda a, n: a >> min(n, 64), f"u{w}")
        rows.append(
            Row(
                f"shl.b{w}",
                (f"b{w}",),
                (f"b{w}", "u32"),
                generators=("any", "shift"),
                expected=left,
            )
        )
        for sign in "bus":
            t = f"{sign}{w}"
            rows.append(
                Row(f"shr.{t}", (t,), (t, "u32"), generators=("any", "shift"), expected=right)
            )
        for amount in (0, 1, w - 1, w, w + 1, 200):
            shifted = lanewise(lambda a, n=amount, w=w: a << n if n < w else 0, f"b{w}")
            rows.append(
                Row(f"shl.b{w} {amount}", (f"b{w}",), (f"b{w}",), f"shl.b{w} %d, %a, {amount};",
                    expected=shifted)
            )  # fmt: skip
            shifted = lanewise(lambda a, n=amount: a >> n, f"s{w}")
            rows.append(
                Row(f"shr.s{w} {amount}", (f"s{w}",), (f"s{w}",), f"shr.s{w} %d, %a, {amount};",
                    expected=shifted)
            )  # fmt: skip
    for side, mode in product("lr", ("wrap", "clamp")):

        def funnel(a, b, n, side=side, mode=mode):
            n = n & 31 if mode == "wrap" else min(n, 32)
            both = b << 32 | a
            return both << n >> 32 if side == "l" else both >> n

        rows.append(
            Row(f"shf.{side}.{mode}.b32", ("b32",), ("b32", "b32", "u32"),
                generators=("any", "any", "shift"), expected=lanewise(funnel, "b32"))
        )  # fmt: skip
    return rows


_PERMUTED = {
    "f4e": ("3210", "4321", "5432", "6543"), "b4e": ("5670", "6701", "7012", "0123"),
    "rc8": ("0000", "1111", "2222", "3333"), "ecl": ("3210", "3211", "3222", "3333"),
    "ecr": ("0000", "1110", "2210", "3210"), "rc16": ("1010", "3232", "1010", "3232"),
}  # fmt: skip


def _permutations() -> list[Row]:
    rows: list[Row] = []

    def permuted(a, b, selector):
        both = b << 32 | a
        out = 0
        for k in range(4):
            choice = selector >> 4 * k & 15
            byte = both >> 8 * (choice & 7) & 255
            if choice & 8:
                byte = 255 if byte & 128 else 0
            out |= byte << 8 * k
        return out

    generators = ("any", "any", "selector")
    types = ("b32",) * 3
    rows.append(
        Row("prmt.b32", ("b32",), types, generators=generators, expected=lanewise(permuted, "b32"))
    )
    for selector in (0x5410, 0x7632, 0x3210, 0xBA98, 0x0123, 0x1BD7):
        fixed = lanewise(lambda a, b, s=selector: permuted(a, b, s), "b32")
        rows.append(
            Row(f"prmt.b32 0x{selector:04x}", ("b32",), ("b32",) * 2,
                f"prmt.b32 %d, %a, %b, 0x{selector:04x};", expected=fixed)
        )  # fmt: skip
    for mode, table in _PERMUTED.items():
        chosen = [int(line, 16) for line in table]
        function = lanewise(lambda a, b, s, c=chosen: permuted(a, b, c[s & 3]), "b32")
        rows.append(
            Row(f"prmt.b32.{mode}", ("b32",), types, generators=generators, expected=function)
        )
    return rows


ROWS = [*_logic(), *_shifts(), *_permutations()]
